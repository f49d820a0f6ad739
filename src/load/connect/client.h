/*
 * Threads that make one connection after the other: how long each took, and what became of it.
 */
#pragma once

#include "load/connect/plan.h"
#include "load/load.h"

struct ta_connect_job {
	struct sockaddr_storage to;
	socklen_t to_len;
	unsigned threads, in_flight; /* in_flight: of all threads */
	unsigned sources; /* as in ta_connect_plan */
	double rate; /* a second, of all threads; 0: as fast as it goes */
	enum ta_close close;
	bool ends_there; /* the server's end of each is waited for; without, a reset of ours follows at once */
	uint64_t timeout_ns; /* for a connection to be made, and for its end */
	uint64_t start_ns, end_ns; /* what begins and is made between them is counted */
	const volatile sig_atomic_t *stop;
};

/* One thread. */
struct ta_connect_worker {
	const struct ta_connect_job *job;
	unsigned index;
	struct ta_load_counts counts; /* replies: connections that were made */
	struct ta_hist made;  /* from when it was due until it stood */
	struct ta_hist ended; /* … until the server, which had to accept it first, had ended it */
	uint64_t cpu_ns; /* at its end */
	_Atomic uint64_t live; /* made so far */
	int rc; /* 0 or -errno */
};

/* Until job->end_ns or *job->stop. */
void ta_connect_work(struct ta_connect_worker *w);
