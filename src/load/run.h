/*
 * A load run from its options to its result.
 */
#pragma once

#include <signal.h>

#include "load/figures.h"
#include "load/watch.h"
#include "load/workload.h"

#define TA_LOAD_CONNECTIONS_MAX 100000u
#define TA_LOAD_THREADS_MAX 256u
#define TA_LOAD_POINTS_MAX 64u
#define TA_LOAD_REPEATS_MAX 100u

struct ta_load_progress {
	unsigned connections, repeat; /* repeat from 1 */
	bool warming_up;
	double elapsed_s, total_s; /* of this repetition, warm-up included */
	double per_second;	   /* replies since the last call, or what `unit` says */
	const char *unit; /* NULL: requests */
	double generator_share;	   /* 0 … 1: of the busiest thread, since then */
	double softirq;		   /* 0 … 1: of the CPU with most of it, since then */
	double mhz;		   /* mean of the CPUs that work; 0: not known */
};

/* GET and SET of a key-value store. */
struct ta_kv_options {
	unsigned set_percent; /* of the requests; 0: nothing is written at all */
	uint32_t keys, value_bytes;
	const char *password; /* NULL: none */
};

enum ta_stream_direction { TA_STREAM_UP, TA_STREAM_DOWN, TA_STREAM_BOTH_WAYS };

/* Bytes or datagrams. */
struct ta_stream_options {
	enum ta_stream_direction direction; /* up: from here to the target */
	bool discard; /* the receiver does not copy */
	bool udp;
	unsigned datagram_bytes;
};

struct ta_load_options {
	const struct ta_workload *workload;
	const char *target;    /* NULL: the built-in server, started for this run on loopback; tuneaudit://…: that of a peer */
	const struct ta_strv *headers;
	struct ta_kv_options kv;
	struct ta_stream_options stream;
	const unsigned *sweep; /* numbers of connections, one point of the result each */
	size_t n_sweep;
	unsigned threads; /* 0: chosen */
	unsigned pipeline, repeats;
	double rate; /* requests per second, 0: as fast as it goes */
	uint64_t warmup_ns, duration_ns, timeout_ns;
	const char *engine;		     /* NULL: chosen */
	bool pin; /* each end on CPUs of its own (pin.h) */
	const char *dir;		     /* for files of our own; NULL: chosen */
	unsigned backlog; /* of the built-in server: connections that wait to be accepted; 0: as many as the host allows */
	const char *close; /* connect: who ends a connection, "reset", "server", "client"; NULL: reset */
	bool one_way; /* connect, file: of the ways to accept only the one that the built-in server uses elsewhere, to send only sendfile */
	bool host_network; /* hold: not in a network namespace of its own */
	const char *token;		     /* of the peer that `target` may be; NULL: none */
	uint64_t file_bytes;		     /* of the large one */
	const char *label;		     /* of this configuration, for a row of a table; NULL: none */
	const volatile sig_atomic_t *stop;   /* set: ends soon, with what there is */
	void (*progress)(const struct ta_load_progress *p, void *ctx); /* some times a second; NULL: nobody looks */
	void *progress_ctx;
};

struct ta_load_cpu {
	double client_user_s, client_system_s;
	bool has_server; /* the built-in one */
	double server_user_s, server_system_s;
};

/* The machine of a peer, by what it says of itself. */
struct ta_load_peer {
	char version[32];  /* of its program; "": there is no peer */
	bool same_machine; /* its kernel is this one: the CPUs are the same ones */
	bool lost;	   /* it ended the session before the run was over */
	struct ta_watch_sample *before, *after; /* of the whole measured time of all points; NULL: there is no peer */
};

/* One number of connections; times and counts are sums over the repetitions. */
struct ta_load_point {
	unsigned connections;
	unsigned n_runs;
	double per_second[TA_LOAD_REPEATS_MAX];
	double mean, stddev; /* of them; stddev of the sample, 0 for one */
	double measured_s;
	struct ta_load_counts counts;
	struct ta_hist hist;
	struct ta_load_cpu cpu;
	struct ta_watch_sample *watched; /* how the machine's counters grew in the measured times; NULL: nobody looked */
	struct ta_watch_sample *peer_watched; /* the same of the peer's machine; NULL: there is none, or it does not say */
	struct ta_watch_during during;
	double generator_share; /* 0 … 1: of the time of its threads that the generator was on a CPU, the busiest thread */
};

struct ta_load_result {
	const char *workload, *path;
	const char *engine; /* what drove the connections; NULL: the question has no meaning here */
	char bound[160];      /* what the workload found it bound by, where the counters say nothing; "" */
	char target[512];
	bool built_in;	      /* the server is ours: here, or a peer's */
	bool interrupted;
	unsigned threads, pipeline;
	double rate;
	const char *counts; /* what the points count: "requests" */
	struct ta_strv notes; /* of this workload */
	struct ta_figures figures; /* what this workload found beside the points */
	struct ta_load_counts failures; /* without points: what failed */
	struct ta_load_point *points; /* n_points of them; may be none if there are figures */
	size_t n_points, room; /* of `room` that were to be measured */
	size_t peak; /* index of the point with the highest mean */
	struct ta_watch_sample *before, *after; /* of the whole measured time of all points */
	struct ta_load_peer peer;
};

/* Mean and standard deviation of the runs of a point. */
void ta_load_point_sum_up(struct ta_load_point *p);

/* 0 or -errno with the text: nothing could be measured. Failures of requests are in the result. Frees with …_done(). */
int ta_load_run(struct ta_host *h, const struct ta_load_options *o, struct ta_load_result *ret, struct ta_err *err);
void ta_load_result_done(struct ta_load_result *r);

/* Shares of a CPU while the point with the peak was measured. `cpu` is below ta_load_cpus(). */
unsigned ta_load_cpus(const struct ta_load_result *r);
struct ta_watch_share ta_load_share(const struct ta_load_result *r, unsigned cpu);

/* The same of the peer's machine: ta_load_peer_cpus() is 0 where nothing is known of it. */
unsigned ta_load_peer_cpus(const struct ta_load_result *r);
struct ta_watch_share ta_load_peer_share(const struct ta_load_result *r, unsigned cpu);
/* How its counters grew in the whole measured time. Zeroed where nothing is known of it. */
void ta_load_peer_grown(const struct ta_load_result *r, struct ta_watch_sample *ret);

/* What bounded the point with the peak, in a few words; nothing where the counters do not say. */
void ta_load_bound_by(const struct ta_load_result *r, struct ta_buf *b);

/* The generator was at its limit: that is to be said before all else. */
#define TA_LOAD_GENERATOR_FULL "the generator is at its limit: more threads (-t) or another machine would show more"
bool ta_load_generator_full(const struct ta_load_result *r);

/* What a reader has to know: the generator's limit first, what the path cannot show, what disturbed the run. */
void ta_load_notes(const struct ta_load_result *r, struct ta_strv *notes);
