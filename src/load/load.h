/*
 * What a load run is: what is sent, over how many connections, for how long; and what came of it.
 *
 *   workload (workloads/)  what goes over the wire: requests, and how replies are told apart
 *   engine (engines/)      how a thread drives its connections: epoll, io_uring
 *   worker                 one thread with its connections, its histogram and counts; merged when all have ended
 *   run                    warm-up, measured time, repetitions, what the machine did meanwhile
 *
 * All times are CLOCK_MONOTONIC in ns: a step of the wall clock moves nothing.
 */
#pragma once

#include <netinet/in.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/err.h"
#include "load/hist.h"

#define TA_NS_PER_S 1000000000ull
#define TA_NS_PER_MS 1000000ull

uint64_t ta_load_now(void); /* CLOCK_MONOTONIC, ns */
uint64_t ta_load_thread_cpu(void); /* that the calling thread used, ns */

/* What went wrong, by what a person would look for. Order and names are those of the report. */
enum ta_load_error {
	TA_LOAD_REFUSED,	 /* nobody listens there */
	TA_LOAD_CONNECT_TIMEOUT, /* no answer to SYN */
	TA_LOAD_CONNECT_FAILED,	 /* unreachable and the like */
	TA_LOAD_NO_PORTS,	 /* EADDRNOTAVAIL: no local port left */
	TA_LOAD_NO_DESCRIPTORS,	 /* EMFILE, ENFILE */
	TA_LOAD_NO_MEMORY,	 /* ENOMEM, ENOBUFS */
	TA_LOAD_RESET,
	TA_LOAD_CLOSED,	     /* before a reply was whole */
	TA_LOAD_TIMEOUT,     /* no whole reply within the time for one */
	TA_LOAD_UNANSWERED,  /* still open when the run ended */
	TA_LOAD_UNEXPECTED,  /* bytes that no request asked for */
	TA_LOAD_BAD_STATUS,  /* a reply that says no: 4xx, 5xx, -ERR */
	TA_LOAD_BAD_REPLY,   /* not the protocol; `bad_reply` has the first one's name */
	TA_LOAD_DIED,	     /* a process of the run, and what it had */
	TA_LOAD_ERRORS
};

const char *ta_load_error_name(enum ta_load_error e); /* "refused" … */
enum ta_load_error ta_load_connect_error(int error); /* what an errno of socket(), bind() or connect() is */


/* Requests that are sent at once. */
struct ta_batch {
	size_t at, len;	  /* in the wire's bytes */
	unsigned replies; /* that it brings, 1 … 1024 */
};

#define TA_WIRE_BATCHES_MAX (1u << 20)

/* What came of some bytes: see feed(). */
enum ta_fed {
	TA_FED_MORE,
	TA_FED_REPLY,
	TA_FED_NO,	/* a reply that says no */
	TA_FED_NOTHING, /* a reply that there is nothing, as of a key without value */
};

/*
 * What goes over the wire of a workload that asks and waits for answers. One batch of requests is sent at a time, each connection takes them
 * in turns; the replies are counted by feed().
 */
struct ta_wire {
	const char *bytes; /* of all batches */
	struct ta_batch *batches; /* malloc(3): ta_wire_add() */
	unsigned n_batches;
	struct ta_batch greeting; /* what a new connection says before; len 0: nothing. Its replies are not counted, but when they say no. */
	size_t state_size;
	void (*reset)(void *state); /* zeroed memory, or a connection that starts anew */
	void (*done)(void *state);
	/* enum ta_fed, what a reply was once it is whole; negative: -n of error_name(n) */
	int (*feed)(void *state, const char *data, size_t len, size_t *used);
	/* The server closed: as feed() if that completed a reply, 0 if none had begun. */
	int (*end)(void *state);
	bool (*may_reuse)(const void *state); /* after a whole reply: the connection takes another batch */
	const char *(*error_name)(int n);
	const char *(*no_name)(const void *state); /* of the reply that said no: "MOVED"; "": none. May be NULL. */
};

/* The bytes from `at` to `end` are one batch more. 0, -ENOMEM or -E2BIG. */
int ta_wire_add(struct ta_wire *w, size_t at, size_t end, unsigned replies);
void ta_wire_done(struct ta_wire *w);

struct ta_load_plan {
	struct sockaddr_storage to;
	socklen_t to_len;
	const struct ta_wire *wire;
	unsigned connections, threads;
	double rate;	      /* batches per second of all threads together; 0: closed loop, each connection as fast as it can */
	uint64_t timeout_ns;  /* for a connection to be made, and for a batch to be answered */
	uint64_t start_ns, end_ns; /* what ends between them is counted; before is warm-up */
	const volatile sig_atomic_t *stop; /* set: ends within a tick */
};

struct ta_load_counts {
	uint64_t replies;
	uint64_t nothing; /* of them: that there is nothing */
	uint64_t bytes; /* received */
	uint64_t connects;
	uint64_t errors[TA_LOAD_ERRORS];
	char bad_reply[32]; /* the wire's name of the first bad reply */
	char bad_status[32]; /* and of the first that said no */
};

void ta_load_counts_merge(struct ta_load_counts *to, const struct ta_load_counts *from);
uint64_t ta_load_counts_errors(const struct ta_load_counts *c);

/* One thread. */
struct ta_worker {
	const struct ta_load_plan *plan;
	unsigned index;
	unsigned connections; /* its share */
	struct ta_load_counts counts;
	struct ta_hist hist;	       /* of replies, from when they were due */
	uint64_t cpu_ns;	       /* that the thread used, from its start to its end */
	_Atomic uint64_t live_replies; /* all so far, for a line on the terminal */
	int rc;			       /* 0, or -errno of what it could not begin without: then `counts` are worthless */
};

struct ta_engine {
	const char *name;
	/* 0 if this kernel lets it be used, or -errno with the reason. */
	int (*usable)(struct ta_err *err);
	int (*run)(struct ta_worker *w);
};

extern const struct ta_engine *const ta_engines[]; /* generated */
extern const size_t ta_n_engines;
