/*
 * What a load run and a peer (`tuneaudit load serve --listen`) say to each other, a line at a time:
 *
 *   peer    tuneaudit-peer PROTOCOL VERSION token|open NONCE
 *   client  hello PROTOCOL VERSION NONCE MAC
 *   peer    welcome MAC BOOT NETNS                 or  no TEXT, and the connection ends
 *   client  serve NAME THREADS BODY                peer  port N   or  no TEXT
 *   client  cpu                                    peer  cpu USER SYSTEM (ns)   or  no TEXT
 *   client  machine                                peer  machine CPUS RETRANSMITS OVERFLOWS DROPS BACKLOG SQUEEZED, "-": not known
 *   client  cpus FROM                              peer  cpus FROM and USER SYSTEM SOFTIRQ IRQ STEAL IDLE THROTTLED of up to four CPUs,
 *                                                        as they were when it was last asked for "machine"
 *   client  accept HOW CLOSE THREADS BACKLOG       peer  accepts PORT THREADS   or  no TEXT; again and again, each ends the one before
 *   client  accepted FROM                          peer  accepted FROM and ACCEPTED WAKEUPS IN-VAIN of up to eight threads
 *   client  hold CONNECTIONS EACH                  peer  holds PROCESSES PORTS BACKLOG   or  no TEXT
 *   client  ports FROM                             peer  ports FROM PORT PORT ...
 *   client  held                                   peer  held ACCEPTED OPEN LIMIT, "-": none was met
 *   client  took                                   peer  took IDLE HELD GROWN KERNEL slabinfo|meminfo (bytes)
 *
 * CPU times and counters are as the kernel counts them since its boot: who asked takes differences. EACH is how many connections the client can
 * make to one port.
 *
 * MAC is HMAC-SHA-256 with the token as key over the name of who says it and both nonces, in hex: the token itself is never sent, what was
 * overheard does not open another session, and the client knows that the peer knows it, too. Nothing is encrypted, and who can change
 * packets on the way can take over a connection after that. The service ends with the connection.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "load/hmac.h"
#include "load/watch.h"

#define TA_CONTROL_PROTOCOL 2u
#define TA_CONTROL_LINE_MAX 400u /* with its newline */
#define TA_NONCE_BYTES 16u
#define TA_TOKEN_LEAST 16u /* bytes */
#define TA_TOKEN_MOST 1024u
#define TA_CONTROL_CPUS 4u /* of a line: 4 times 7 numbers of 12 digits fit into it */
#define TA_CONTROL_ACCEPTS 8u /* threads of a line */
#define TA_CONTROL_PORTS 32u /* of a line */
#define TA_CONTROL_SECONDS 5 /* a side that does not say what is due within it is given up */

enum ta_control_kind {
	TA_CONTROL_BAD, /* not of this protocol */
	TA_CONTROL_GREETING,
	TA_CONTROL_HELLO,
	TA_CONTROL_WELCOME,
	TA_CONTROL_NO,
	TA_CONTROL_SERVE,
	TA_CONTROL_PORT,
	TA_CONTROL_ASK_CPU, /* "cpu" */
	TA_CONTROL_CPU,	    /* "cpu USER SYSTEM" */
	TA_CONTROL_ASK_MACHINE,
	TA_CONTROL_MACHINE,
	TA_CONTROL_ASK_CPUS,
	TA_CONTROL_CPUS_ARE,
	TA_CONTROL_ACCEPT,
	TA_CONTROL_ACCEPTS_ARE, /* "accepts PORT THREADS" */
	TA_CONTROL_ASK_ACCEPTED,
	TA_CONTROL_ACCEPTED,
	TA_CONTROL_HOLD,
	TA_CONTROL_HOLDS,
	TA_CONTROL_ASK_PORTS,
	TA_CONTROL_PORTS_ARE,
	TA_CONTROL_ASK_HELD,
	TA_CONTROL_HELD,
	TA_CONTROL_ASK_TOOK,
	TA_CONTROL_TOOK,
};

/* What a thread that accepts has counted. */
struct ta_control_accepted {
	uint64_t accepted, wakeups, in_vain;
};

/* What a peer that holds connections has, and what they take there. */
struct ta_control_hold {
	uint64_t connections, each;	       /* HOLD */
	uint64_t processes, ports, backlog;    /* HOLDS */
	uint64_t accepted, open;	       /* HELD */
	uint64_t idle, held, grown, kernel;    /* TOOK: bytes of Pss before and with them, what is to be ascribed to them, kernel memory */
	bool by_caches;			       /* TOOK: by slabinfo */
};

struct ta_control {
	enum ta_control_kind kind;
	uint64_t protocol;
	char version[32];
	bool needs_token;
	uint8_t nonce[TA_NONCE_BYTES], mac[TA_HMAC_BYTES];
	char boot[40], netns[40]; /* of the peer's kernel, and which network namespace it is in; "-": not known */
	char text[256];		  /* NO: why; HELD: which limit; printable */
	char name[16];		  /* SERVE: the service */
	uint64_t threads, body, port, user_ns, system_ns;
	uint64_t from;		 /* CPUS, PORTS: the first */
	unsigned n;		 /* of them in this line */
	struct ta_watch_cpu cpu[TA_CONTROL_CPUS];
	uint16_t ports[TA_CONTROL_PORTS];
	uint64_t n_cpus, retransmits, listen_overflows, listen_drops, softnet_dropped, time_squeeze; /* MACHINE */
	bool has_snmp, has_netstat, has_softnet;
	uint64_t how, close, backlog; /* ACCEPT: enum ta_accept_how, enum ta_close; 0: as long as the host allows */
	struct ta_control_accepted accepted[TA_CONTROL_ACCEPTS];
	struct ta_control_hold hold;
};

/*
 * Reads one line without its newline. Of a GREETING or HELLO of another protocol only `protocol` and `version` are set. Strict: one blank
 * between words, no word more or less, hex in lower case.
 */
void ta_control_parse(const char *line, size_t len, struct ta_control *ret);

/* The line with its newline, at most TA_CONTROL_LINE_MAX; its length. `size` is at least that. */
size_t ta_control_format(const struct ta_control *c, char *ret, size_t size);

/* What `who` ("client", "peer") shows: both nonces under the token. */
void ta_control_mac(const char *token, const char *who, const uint8_t peer_nonce[TA_NONCE_BYTES],
	const uint8_t client_nonce[TA_NONCE_BYTES], uint8_t ret[TA_HMAC_BYTES]);

/* Random bytes of the kernel; 0 or -EIO. */
int ta_control_random(void *ret, size_t len);
