/*
 * The client's end of a session with a peer (control.h): asks it for a service, and later for its CPU times.
 */
#pragma once

#include <signal.h>

#include "host/host.h"
#include "load/control.h"
#include "load/target.h"

#define TA_PEER_SCHEME "tuneaudit"

struct ta_peer {
	bool is_open;
	int fd;
	const volatile sig_atomic_t *stop;
	const char *path; /* "loopback": this network namespace; "namespace": another one of this kernel; "wire" */
	size_t n;
	char line[TA_CONTROL_LINE_MAX];
};

/*
 * Connects to `at`, shows the token (NULL: none), and has `service` started: *ret_port is where. 0, or -errno with the text: -EACCES wrong
 * token or none, -EPROTO another version or no peer at all, -ETIMEDOUT, -EINTR stopped, -EOPNOTSUPP what the peer refused.
 */
int ta_peer_open(struct ta_host *h, const struct ta_target *at, const char *token, const char *service, unsigned threads,
	unsigned body_bytes, const volatile sig_atomic_t *stop, struct ta_peer *ret, unsigned *ret_port, struct ta_err *err);

/* CPU time that the service used so far, ns. 0 or -errno: the peer is gone. */
int ta_peer_cpu(struct ta_peer *p, uint64_t *ret_user, uint64_t *ret_system);

/* Ends the session and with it the service. */
void ta_peer_close(struct ta_peer *p);
