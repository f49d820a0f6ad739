/*
 * A trial: what changes do to a load on this host. Rounds of load with the changes and without alternate in pairs
 * (stats.h); the changes go on and off through a journal (fix/onoff.h), so that whatever happens the host can be put
 * back as it was.
 *
 *     calm       rounds without any change, until the load is steady: what is usual here, and what path it goes
 *     run        pairs of rounds, for each change alone or for all together; then everything is put back
 *     judge      effects on four measures, and what they say together
 */
#pragma once

#include "fix/onoff.h"
#include "load/hist.h"
#include "trial/disturb.h"
#include "trial/stats.h"

#define TA_TRIAL_ROUNDS_MIN 10 /* pairs: with fewer four measures together could not say "yes" at the level of the test */
#define TA_TRIAL_ROUNDS_MAX TA_TRIAL_PAIRS_MAX

enum ta_trial_measure { TA_TRIAL_THROUGHPUT, TA_TRIAL_P50, TA_TRIAL_P99, TA_TRIAL_CPU, TA_TRIAL_MEASURES };

const char *ta_trial_measure_key(enum ta_trial_measure m);  /* "cpu_per_request": of the JSON */
const char *ta_trial_measure_name(enum ta_trial_measure m); /* "CPU per request": for people */
bool ta_trial_measure_rises(enum ta_trial_measure m);	    /* more of it is better */

/* What the kernel counted that may say why. */
enum ta_trial_count { TA_TRIAL_OVERFLOWS, TA_TRIAL_DROPS, TA_TRIAL_RETRANSMITS, TA_TRIAL_BACKLOG, TA_TRIAL_SQUEEZES, TA_TRIAL_COUNTS };

const char *ta_trial_count_key(enum ta_trial_count c);	/* "listen_overflows" */
const char *ta_trial_count_name(enum ta_trial_count c); /* "connections lost to a full accept queue" */

/* One round of load, or the sum of several. */
struct ta_trial_round {
	double value[TA_TRIAL_MEASURES]; /* per second, ns, ns, ns of CPU; 0: not measured. Of a sum: the last ones */
	uint64_t replies, errors;
	struct ta_hist hist;
	uint64_t counts[TA_TRIAL_COUNTS];
	double softirq[TA_WATCH_CPUS]; /* ticks of each CPU in softirqs */
	struct ta_trial_env env;
	const char *path, *unit; /* static texts: "loopback"; what the throughput counts, "requests" */
	bool host_cpu; /* the CPU time is that of the whole host, not of the load's two ends */
};

void ta_trial_round_add(struct ta_trial_round *sum, const struct ta_trial_round *r);
/* The busiest CPU's share of all softirq time, 0 … 1; 0 where there was none. */
double ta_trial_softirq_top(const struct ta_trial_round *r);

struct ta_trial_load {
	/* One round. 0 or -errno with text: -EINTR if `stop` was set, all else ends the trial. */
	int (*measure)(void *ctx, struct ta_trial_round *ret, struct ta_err *err);
	void *ctx;
	const volatile sig_atomic_t *stop;
	void (*tell)(void *ctx, const char *what); /* a line for who waits; NULL: nobody does */
	void *tell_ctx;
};

/* --- before the first change -------------------------------------------------------------- */

struct ta_trial_calm {
	struct ta_trial_env usual;
	struct ta_strv warnings; /* sentences */
	unsigned rounds;
	double spread; /* largest by smallest throughput of the last rounds, less 1 */
	const char *path, *unit;
};

/*
 * 0; -EINTR; -ETIME: the load does not get steady; or what measure() said, all with text. `ret` is to be freed in every case.
 */
int ta_trial_calm(struct ta_host *h, const struct ta_trial_load *l, struct ta_trial_calm *ret, struct ta_err *err);
void ta_trial_calm_done(struct ta_trial_calm *c);

/* --- the trial ------------------------------------------------------------------------------ */

enum ta_trial_verdict { TA_TRIAL_IMPROVED, TA_TRIAL_WORSE, TA_TRIAL_NO_EFFECT, TA_TRIAL_CANNOT_SHOW };

const char *ta_trial_verdict_name(enum ta_trial_verdict v); /* "no-effect": of the JSON */

/* What was tried at once: one change, or all of them. */
struct ta_trial_unit {
	size_t first, n; /* of the items */
	struct ta_pair *pairs[TA_TRIAL_MEASURES];
	size_t n_pairs;
	struct ta_trial_round *without, *with; /* sums */
	struct ta_strv disturbed; /* "pair 3, with: other programs used 45 % of the CPUs, not 3 %" */
	unsigned n_disturbed[2]; /* rounds without and with */
	unsigned repeated; /* pairs that were measured anew for it */
	/* Judged: */
	bool has[TA_TRIAL_MEASURES];
	struct ta_effect effect[TA_TRIAL_MEASURES];
	bool seen[TA_TRIAL_MEASURES]; /* an effect, at the level of all measures together */
	enum ta_trial_verdict verdict; /* CANNOT_SHOW: no pair was measured */
	double smallest; /* percent: of the throughput, or of the first measure there is; INFINITY: too few pairs */
	size_t pairs_for; /* pairs that would see TA_TRIAL_WANTED; above TA_TRIAL_PAIRS_MAX: more than that */
};

#define TA_TRIAL_WANTED 5.0 /* percent: an effect worth to be seen */

struct ta_trial {
	struct ta_trial_unit *units;
	size_t n_units;
	unsigned run; /* of the journal; 0: none was begun */
	bool restored;
	char *ended; /* why it ended before its time; NULL: it did not */
	char *remark; /* what is to be known although everything is put back; or NULL */
	struct ta_run journal; /* as it was in the end: what was left or is stuck */
};

struct ta_trial_options {
	const struct ta_apply *apply; /* its items are what is tried */
	const struct ta_trial_calm *calm;
	bool each;
	unsigned pairs;
};

/*
 * 0: to the end. -EINTR: `stop` was set; -ENODEV and others: it ended early, ret->ended says why. Not even begun: -ECANCELED, `err`
 * says why, nothing was written. In every case ret->restored, and `ret` is to be freed.
 */
int ta_trial_run(const struct ta_trial_options *o, const struct ta_trial_load *l, struct ta_trial *ret, struct ta_err *err);
void ta_trial_done(struct ta_trial *t);

/* --- what the pairs say ----------------------------------------------------------------------- */

/* Fills what is judged. 0 or -ENOMEM. */
int ta_trial_judge(struct ta_trial_unit *u);
