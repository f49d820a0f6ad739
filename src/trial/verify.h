/*
 * A load before and after changes: a series of short runs each, compared (shift.h). Every run has a server of its own, so that
 * what differs from one server process to the next is seen as noise, and so that settings which only a new listener or a
 * new process sees count.
 */
#pragma once

#include <signal.h>

#include "host/host.h"
#include "load/run.h"
#include "trial/disturb.h"
#include "trial/shift.h"

#define TA_VERIFY_RUNS 16	/* of a series, at most; as many as fit */
#define TA_VERIFY_SECONDS_MIN 12 /* of three series together; of a third of that a series is given up */
#define TA_VERIFY_SECONDS 60	/* usual, and at most */

enum ta_verify_metric {
	TA_VERIFY_RATE, /* what the workload counts, each second */
	TA_VERIFY_COLD, /* file: bytes each second of a file that is not in the page cache */
	TA_VERIFY_P50,	/* us */
	TA_VERIFY_P99,	/* us */
	TA_VERIFY_CPU,	/* us of both ends for each that was counted; of bytes: for a megabyte */
	TA_VERIFY_METRICS
};

struct ta_verify_series {
	size_t n;
	double v[TA_VERIFY_METRICS][TA_VERIFY_RUNS]; /* 0: not measured */
	uint64_t replies, errors;
	const char *error; /* the name of the kind there were most of; NULL: none */
	double took_s;
	char path[16];	/* "loopback" … */
	struct ta_trial_env env[TA_VERIFY_RUNS], usual; /* what else the host did */
	bool no_drive; /* file: where the file lies nothing has to be read from a drive */
};

struct ta_verify_options {
	const struct ta_workload *workload;
	const char *target; /* NULL: the built-in server on loopback */
	const char *token, *password;
	enum ta_stream_direction direction; /* stream */
	unsigned seconds; /* TA_VERIFY_SECONDS_MIN … TA_VERIFY_SECONDS */
	const volatile sig_atomic_t *stop;
};

/*
 * A series of runs, after one that is thrown away. `n` 0: as many as fit, else so many. 0, -EINTR (stopped), -ETIME (not enough
 * of them within the limit), or what ta_load_run() says, each with the text.
 */
int ta_verify_measure(struct ta_host *h, const struct ta_verify_options *o, size_t n, struct ta_verify_series *ret,
	struct ta_err *err);

enum ta_verify_verdict { TA_VERIFY_NOTHING, TA_VERIFY_BETTER, TA_VERIFY_WORSE, TA_VERIFY_UNMEASURED };

struct ta_verify_effect {
	enum ta_verify_verdict verdict;
	struct ta_shift shift; /* unless it is not measured */
	double before, after;  /* medians */
};

/* What became of one metric between two series. */
struct ta_verify_effect ta_verify_compare(const struct ta_verify_series *a, const struct ta_verify_series *b,
	enum ta_verify_metric m);

/*
 * Whether it is worse: less throughput, longer latencies, or requests that fail and did not. CPU time alone is told, and no
 * reason: what is done faster may well take more of it. `why` gets a clause for each reason.
 */
bool ta_verify_is_worse(const struct ta_verify_series *before, const struct ta_verify_series *after,
	const struct ta_workload *w, struct ta_buf *why);

/* "requests per second", "p99 us" …; with the workload's own word. */
void ta_verify_metric_label(const struct ta_workload *w, enum ta_verify_metric m, struct ta_buf *b);
const char *ta_verify_metric_key(enum ta_verify_metric m); /* "per_second" … */
const char *ta_verify_verdict_name(enum ta_verify_verdict v); /* "improved", "worse", "no measurable effect", "not measured" */
