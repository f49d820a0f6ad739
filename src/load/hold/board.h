/*
 * What the processes of a hold run tell each other: memory that all of them share, and a byte over a socket pair where one waits
 * for another.
 *
 *   command       starts the conductor and shows how far it is
 *   conductor     in the network namespace of the run; starts the rest, gives each its turn, measures memory
 *   clients       each makes its share of the connections and keeps them
 *   servers       (where they are ours, or a peer's) each accepts one client's share, and answers what it is sent
 *
 * Each dies with the one above it (PR_SET_PDEATHSIG), however that ends. No process has memory for each connection: they are
 * the descriptors from the first to the last.
 */
#pragma once

#include <stdatomic.h>

#include "load/hold/memory.h"
#include "load/hold/plan.h"
#include "load/load.h"
#include "load/tcpcount.h"

enum ta_hold_probe {
	TA_HOLD_ECHO,	   /* a byte that our server sends back */
	TA_HOLD_HTTP,	   /* a request, and whatever HTTP says to it */
	TA_HOLD_KEEPALIVE, /* TCP's own: the other end's kernel answers if it has the connection */
};

enum ta_hold_phase { TA_HOLD_BUILDING, TA_HOLD_HOLDING, TA_HOLD_CHECKING };

#define TA_HOLD_PROBED_MAX 100000u /* connections that are asked at the end, spread evenly over all */

enum ta_hold_command { TA_HOLD_READY = 'r', TA_HOLD_BUILD = 'b', TA_HOLD_CHECK = 'c', TA_HOLD_TIMES = 't' };

struct ta_hold_client {
	_Atomic uint64_t open; /* made, and not known to be gone */
	uint64_t asked, answered;
	uint64_t errors[TA_LOAD_ERRORS];
	int limit; /* errno that said that there cannot be more; 0 */
	char bad_reply[32];
	uint64_t user_ns, system_ns;
	struct ta_hist connect, answer; /* how long it took */
};

struct ta_hold_server {
	pid_t pid;
	_Atomic uint64_t accepted, ended;
	_Atomic int limit; /* errno of accept() */
	uint64_t user_ns, system_ns;
	int rc; /* why it does not listen */
};

/* What is given; the same for all. */
struct ta_hold_setup {
	struct ta_hold_want want;
	struct ta_hold_plan plan;
	struct sockaddr_storage listen; /* where our servers do; each port is the kernel's choice */
	socklen_t listen_len;
	struct sockaddr_storage only;	/* whoever may reach them (admit.h); ss_family 0: all who can */
	struct sockaddr_storage to; /* the target; that of servers whose ports are known has the port of none */
	socklen_t to_len;
	enum ta_hold_probe probe;
	char request[2600]; /* of TA_HOLD_HTTP */
	bool is_peer;	    /* its servers have ports of `peer_ports` */
	unsigned peer_ports, per_port; /* how many; how many connections this end makes to one */
	bool in_namespace;  /* one is made for the run */
	int backlog;	   /* of the servers, where they are ours or a peer's */
	unsigned at_once;  /* clients that have their turn together */
	uint64_t timeout_ns, hold_ns, build_ns; /* build_ns: at most */
};

/* What came of it: the conductor writes it, the command reads it when all have ended. */
struct ta_hold_outcome {
	bool ended; /* the conductor came to its end */
	int rc; /* 0, or why nothing was measured */
	struct ta_err err;
	bool has_namespace;
	char no_namespace[160];
	unsigned died; /* processes, before their time */
	bool out_of_time;
	uint64_t built_ns, held_ns; /* how long */
	struct ta_hold_user user_idle, user_held; /* all clients and servers */
	struct ta_hold_kernel idle, full;
	struct ta_tcp_counts before, after;
	struct ta_room room; /* of the namespace */
};

struct ta_hold_board {
	struct ta_hold_setup setup;
	_Atomic int stop; /* by the user */
	_Atomic int enough; /* no more connections are to be made */
	_Atomic int phase; /* enum ta_hold_phase, of the conductor */
	_Atomic int looked; /* the peer has told what they take there */
	_Atomic uint64_t begun; /* connections, by all clients */
	_Atomic uint64_t peer_accepted;
	char peer_limit[256]; /* the one that the peer met, in its words; "" */
	struct ta_hold_outcome outcome;
	size_t size;
	struct ta_hold_client *clients; /* setup.plan.clients */
	struct ta_hold_server *servers;
	uint16_t *ports; /* TA_HOLD_PORTS_MAX: of the servers, ports_each of each; of a peer */
};

/* Zeroed, and the same memory for all processes that come of this one; NULL: there is none. */
struct ta_hold_board *ta_hold_board_new(const struct ta_hold_setup *setup);
void ta_hold_board_free(struct ta_hold_board *b);

/* What they have accepted, and of that what is still open. */
void ta_hold_accepted(const struct ta_hold_board *b, uint64_t *ret_accepted, uint64_t *ret_open);

uint64_t ta_hold_open(const struct ta_hold_board *b); /* of all clients, now */

/* The processes. Each returns when `control` says that the run is over. */
void ta_hold_client_main(struct ta_hold_board *b, unsigned index, int control);
void ta_hold_server_main(struct ta_hold_board *b, unsigned index, int control);
void ta_hold_conduct(struct ta_hold_board *b, struct ta_host *h);

/* CPU time of this process so far. */
void ta_hold_times(uint64_t *ret_user_ns, uint64_t *ret_system_ns);
