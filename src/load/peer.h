/*
 * The client's end of a session with a peer (control.h): asks it for a service, and later for what that and its machine did.
 */
#pragma once

#include <signal.h>

#include "host/host.h"
#include "load/connect/accept.h"
#include "load/control.h"
#include "load/target.h"

#define TA_PEER_SCHEME "tuneaudit"

bool ta_peer_is(const char *target); /* tuneaudit://… ; NULL, the built-in server, is none */

struct ta_peer {
	bool is_open;
	int fd;
	const volatile sig_atomic_t *stop;
	char version[32]; /* of the peer's program */
	bool same_machine; /* its kernel is this one: the CPUs are the same */
	const char *path; /* "loopback": this network namespace; "namespace": another one of this kernel; "wire" */
	size_t n;
	char line[TA_CONTROL_LINE_MAX];
};

/*
 * Connects to `at` and shows the token (NULL: none). 0, or -errno with the text: -EACCES wrong token or none, -EPROTO another version
 * or no peer at all, -ETIMEDOUT, -EINTR stopped, -EOPNOTSUPP what the peer refused.
 */
int ta_peer_open(struct ta_host *h, const struct ta_target *at, const char *token, const volatile sig_atomic_t *stop,
	struct ta_peer *ret, struct ta_err *err);

/* Has `service` started: *ret_port is where. 0 or -errno as above. */
int ta_peer_serve(struct ta_peer *p, const struct ta_target *at, const char *service, unsigned threads, unsigned body_bytes,
	unsigned *ret_port, struct ta_err *err);

/* Has servers started for want->connections, at most want->each to a port: ret->processes, ports, backlog. 0 or -errno as above. */
int ta_peer_hold(struct ta_peer *p, const struct ta_target *at, const struct ta_control_hold *want, struct ta_control_hold *ret,
	struct ta_err *err);

/* Their `n` ports; how many are accepted and open (ret->hold) and the limit that was met (ret->text, "-": none); what they take. 0 or -errno. */
int ta_peer_ports(struct ta_peer *p, unsigned n, uint16_t *ret);
int ta_peer_held(struct ta_peer *p, struct ta_control *ret);
int ta_peer_took(struct ta_peer *p, struct ta_control_hold *ret);

/*
 * Has connections accepted in one way, in place of the one before: *ret_port is where, *ret_threads how many accept (at most
 * TA_ACCEPT_THREADS_MAX). 0 or -errno as above.
 */
int ta_peer_accept(struct ta_peer *p, const struct ta_target *at, const struct ta_accept *how, unsigned backlog, unsigned *ret_port,
	unsigned *ret_threads, struct ta_err *err);
/* What each of them has counted. 0 or -errno. */
int ta_peer_accepted(struct ta_peer *p, unsigned threads, struct ta_accept_counts *ret);

/* CPU time that the service used so far, ns. 0 or -errno: the peer is gone. */
int ta_peer_cpu(struct ta_peer *p, uint64_t *ret_user, uint64_t *ret_system);

/* What its machine's counters say (watch.h; interfaces and clocks are not told). 0 or -errno: the peer is gone. */
int ta_peer_watch(struct ta_peer *p, struct ta_watch_sample *ret);

/* Ends the session and with it the service. */
void ta_peer_close(struct ta_peer *p);
