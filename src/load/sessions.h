/*
 * `load serve --listen`: the services of the built-in server for load runs on other machines, one to a session (control.h). A service is a
 * process of its own, listens on the address that its client reached us at, is reachable by that client's address alone (admit.h) and
 * ends with the session. It answers who connected, and sends nothing to anybody else.
 */
#pragma once

#include <signal.h>
#include <sys/socket.h>

#include "host/host.h"
#include "load/control.h"

#define TA_SESSIONS_MAX 8u	   /* that have shown the token */
#define TA_NEWCOMERS_MAX 32u	   /* that have not yet: the oldest of whoever has most gives way */
#define TA_SESSION_IDLE_S 60u	   /* without a service */
#define TA_SESSION_MOST_S 7200u
#define TA_WRONG_TOKENS 5u	   /* from one address; then it waits */
#define TA_WRONG_WAIT_S 10u

struct ta_sessions_options {
	struct sockaddr_storage addr;
	socklen_t addr_len;
	const char *token; /* NULL: none is asked for */
	const char *dir;   /* for files of a service; NULL: chosen */
	const volatile sig_atomic_t *stop;
	void (*ready)(const struct sockaddr_storage *addr, void *ctx); /* it listens there */
	void *ctx;
};

/* Serves until `stop` becomes set. 0 or -errno with the text. */
int ta_sessions_run(struct ta_host *h, const struct ta_sessions_options *o, struct ta_err *err);

/* Which kernel boot and which network namespace this is, each "-" where it is not known. */
void ta_control_here(struct ta_host *h, struct ta_control *ret);
