/*
 * Threads that accept connections and end them, in three ways, so that these can be compared.
 */
#pragma once

#include <stdatomic.h>

#include "load/connect/plan.h"
#include "load/server.h"

enum ta_accept_how {
	TA_ACCEPT_EXCLUSIVE, /* one listening socket, each thread waits for it with EPOLLEXCLUSIVE */
	TA_ACCEPT_REUSEPORT, /* a listening socket to each thread, SO_REUSEPORT */
	TA_ACCEPT_SINGLE,    /* one thread */
	TA_ACCEPT_HOWS
};

const char *ta_accept_name(enum ta_accept_how how); /* "EPOLLEXCLUSIVE" … */
unsigned ta_accept_threads(unsigned cpus); /* to compare the ways by: one has nobody to share with */

/* Of one thread, in memory that the client sees, too. */
struct ta_accept_counts {
	_Alignas(64) _Atomic uint64_t accepted;
	_Atomic uint64_t wakeups; /* that a connection may have been the reason of */
	_Atomic uint64_t in_vain; /* of them: another thread had taken it */
};

/* What the service "connect" is started with; ta_server_options.accept. */
struct ta_accept {
	enum ta_accept_how how;
	enum ta_close close; /* who ends a connection */
	struct ta_accept_counts *counts; /* TA_ACCEPT_THREADS_MAX; NULL: nobody looks */
};

#define TA_ACCEPT_THREADS_MAX 64u
