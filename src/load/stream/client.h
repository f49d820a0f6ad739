/*
 * The client's side of a stream run.
 */
#pragma once

#include <pthread.h>

#include "load/stage.h"
#include "load/stream/wire.h"

#define TA_STREAMS_MAX 512u

/* Connects, and waits for that at most `timeout_ns`. The descriptor blocks. 0 or -errno. */
int ta_stream_dial(const struct ta_target *to, uint64_t timeout_ns, int *ret_fd);

/*
 * Whether it is a server of ours: it greets. Others say something else, or nothing within a second. 1 or 0, -EPROTONOSUPPORT: one
 * of another version, other -errno: the connection ended or failed.
 */
int ta_stream_greeted(int fd, uint64_t timeout_ns);

/* Dials, is greeted, and orders. 0 or -errno. */
int ta_stream_order(const struct ta_target *to, uint64_t timeout_ns, const struct ta_stream_order *o, int *ret_fd);

/* Waits until then or until the user wants to stop, and tells how it goes: `amount` grows. */
struct ta_stream_wait {
	struct ta_stage *stage;
	uint64_t begin_ns, start_ns, end_ns; /* of warm-up, of the measured time, its end */
	unsigned streams, repeat;
	double (*amount)(void *ctx); /* so far */
	void *ctx;
	const char *unit;
};

void ta_stream_wait(const struct ta_stream_wait *w, uint64_t until_ns);

/* CPU time of a thread that runs, ns; 0 where that is not known. */
uint64_t ta_stream_cpu_of(pthread_t thread);

/* Mean and standard deviation of a sample. */
double ta_stream_mean(const double *v, unsigned n);
double ta_stream_stddev(const double *v, unsigned n);

/* Measure, and fill figures, tables, and in the first of result->points what the CPUs did (it is not told as a point). 0 or -errno with the text. */
int ta_stream_tcp(struct ta_stage *s, bool peer, struct ta_err *err);
int ta_stream_udp(struct ta_stage *s, struct ta_err *err);

/* The NIC that a connection leaves this host by. */
struct ta_stream_link {
	char name[16]; /* "": not known, or it does not say its speed */
	uint64_t mbit, mtu;
};

/* By IPv4's main routing table; virtual interfaces have no speed that means anything. */
void ta_stream_link_read(struct ta_stage *s, int fd, struct ta_stream_link *ret);

/* What share of what it can carry one way that is, as a figure. TCP with timestamps over Ethernet: (MTU - 52) / (MTU + 38) of the speed. */
void ta_stream_link_tell(const struct ta_stream_link *l, double bytes_per_second, struct ta_figures *f);
