#include "trial/verify.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the time for all: a series is to be done in four fifteenths, and is given up after a third. */
#define SERIES(seconds) ((double)(seconds) * 4 / 15)
#define LIMIT(seconds) ((double)(seconds) / 3)
/* A host that is busy for a moment may leave a run without any answer: the next one may do better. */
#define TRIES 3

/* Of the time of a run; the rest of it is for the server to start. Files take their tenths of the duration, see file.c. */
#define WARMUP 0.2
#define DURATION 0.7
#define DURATION_MIN_NS (250 * TA_NS_PER_MS) /* then fewer of them fit */
#define TIMEOUT_NS (2 * TA_NS_PER_S) /* of a request: one that does not come ends a run not much later */
#define FILE_BYTES (32u << 20)
#define HOLD_CONNECTIONS 2000

/* Failed requests are a reason if they are more than so many of a thousand, and twice as many as before. */
#define ERRORS_IN_1000 1

static const struct ta_figure *find_figure(const struct ta_load_result *r, const char *key)
{
	for (size_t i = 0; i < r->figures.n; i++)
		if (!strcmp(r->figures.v[i].key, key) && r->figures.v[i].is_number)
			return &r->figures.v[i];
	return NULL;
}

static double figure(const struct ta_load_result *r, const char *key)
{
	const struct ta_figure *f = find_figure(r, key);

	return f ? f->value : 0;
}

/* The cold MB/s of the row that `load file` ends with: its second cell. */
static double cold_bytes(const struct ta_load_result *r)
{
	for (size_t i = 0; i < r->figures.n_tables; i++) {
		const struct ta_load_table *t = &r->figures.tables[i];

		if (!strcmp(t->key, "row") && t->n_cells > 1 && t->cells[1].is_number)
			return t->cells[1].value * 1e6;
	}
	return 0;
}

static void read_point(const struct ta_load_result *r, double *v)
{
	const struct ta_load_point *p = &r->points[r->peak];
	double cpu = p->cpu.client_user_s + p->cpu.client_system_s + p->cpu.server_user_s + p->cpu.server_system_s;

	v[TA_VERIFY_RATE] = p->mean;
	v[TA_VERIFY_COLD] = cold_bytes(r);
	if (p->hist.n) {
		v[TA_VERIFY_P50] = (double)ta_hist_percentile(&p->hist, 50) / 1e3;
		v[TA_VERIFY_P99] = (double)ta_hist_percentile(&p->hist, 99) / 1e3;
	}
	/* Of another server it is not known what it used. */
	if (p->cpu.has_server && p->counts.replies)
		v[TA_VERIFY_CPU] = cpu * 1e6 / (double)p->counts.replies;
}

static void read_result(const struct ta_load_result *r, double *v)
{
	if (r->n_points) {
		read_point(r, v);
		return;
	}
	v[TA_VERIFY_RATE] = figure(r, "bits_per_second") / 8;
	if (find_figure(r, "server_cpu_s_per_gb"))
		v[TA_VERIFY_CPU] = (figure(r, "client_cpu_s_per_gb") + figure(r, "server_cpu_s_per_gb")) * 1e3;
}

static void count_errors(const struct ta_load_counts *c, struct ta_verify_series *s)
{
	uint64_t most = 0;

	s->replies += c->replies;
	s->errors += ta_load_counts_errors(c);
	for (int i = 0; i < TA_LOAD_ERRORS; i++) {
		if (c->errors[i] <= most)
			continue;
		most = c->errors[i];
		s->error = ta_load_error_name((enum ta_load_error)i);
	}
}

/* What else went on is told only: a host that does not say it is measured all the same. */
static void note_env(struct ta_host *h, struct ta_trial_mark *from, const struct ta_load_result *r, struct ta_trial_env *ret)
{
	struct ta_watch_sample *grown = calloc(1, sizeof(*grown));

	*ret = (struct ta_trial_env){0};
	if (from && grown)
		ta_trial_env(h, from, r->n_points ? &r->points[r->peak].during : NULL, ret, grown);
	else
		free(from);
	free(grown);
}

static int run_once(struct ta_host *h, const struct ta_verify_options *o, struct ta_verify_series *s, bool counts, struct ta_err *err)
{
	const struct ta_workload *w = o->workload;
	unsigned connections = w->default_connections ? w->default_connections : 50;
	double each_ns = SERIES(o->seconds) / (TA_VERIFY_RUNS + 1) * TA_NS_PER_S;
	const struct ta_strv no_headers = TA_STRV_INIT;
	struct ta_load_options l = {
		.workload = w, .target = o->target, .token = o->token, .headers = &no_headers, .stop = o->stop,
		.kv = {10, 10000, 3, o->password}, .stream = {.direction = o->direction, .datagram_bytes = 1448},
		.sweep = &connections, .n_sweep = 1, .pipeline = 1, .repeats = 1, .host_network = true, .one_way = true, .file_bytes = FILE_BYTES,
		.warmup_ns = (uint64_t)(each_ns * WARMUP), .duration_ns = TA_MAX((uint64_t)(each_ns * DURATION), DURATION_MIN_NS), .timeout_ns = TIMEOUT_NS,
	};
	struct ta_trial_mark *mark = ta_trial_mark(h);
	struct ta_load_result r;
	double v[TA_VERIFY_METRICS] = {0};
	int rc;

	if (!strcmp(w->name, "hold"))
		connections = HOLD_CONNECTIONS;
	rc = ta_load_run(h, &l, &r, err);
	if (rc < 0) {
		free(mark);
		return rc;
	}
	note_env(h, mark, &r, &s->env[s->n]);
	read_result(&r, v);
	snprintf(s->path, sizeof(s->path), "%s", r.path);
	s->no_drive = s->no_drive || v[TA_VERIFY_COLD] <= 0;
	count_errors(&r.failures, s);
	for (size_t i = 0; i < r.n_points; i++)
		count_errors(&r.points[i].counts, s);
	ta_load_result_done(&r);
	if (*o->stop)
		return ta_err_set(err, -EINTR, "ended by signal %d", (int)*o->stop);
	if (v[TA_VERIFY_RATE] <= 0)
		return ta_err_set(err, -EAGAIN, "nothing came back%s%s%s", s->error ? " (" : "", s->error ? s->error : "", s->error ? ")" : "");
	for (int m = 0; counts && m < TA_VERIFY_METRICS; m++)
		s->v[m][s->n] = v[m];
	s->n += counts;
	return 0;
}

static int run_one(struct ta_host *h, const struct ta_verify_options *o, struct ta_verify_series *s, bool counts, struct ta_err *err)
{
	int rc = -EAGAIN;

	for (int i = 0; i < TRIES && rc == -EAGAIN; i++)
		rc = run_once(h, o, s, counts, err);
	return rc;
}

static double since(uint64_t from)
{
	return (double)(ta_load_now() - from) / 1e9;
}

int ta_verify_measure(struct ta_host *h, const struct ta_verify_options *o, size_t n, struct ta_verify_series *ret, struct ta_err *err)
{
	size_t most = n ? n : TA_VERIFY_RUNS;
	struct ta_verify_series *s = ret;
	uint64_t from = ta_load_now();
	double each = 0;
	int rc;

	*s = (struct ta_verify_series){0};
	rc = run_one(h, o, s, false, err);
	s->replies = s->errors = 0;
	while (rc == 0 && s->n < most) {
		uint64_t began = ta_load_now();

		if (!n && s->n >= TA_SHIFT_MIN && since(from) + each > SERIES(o->seconds))
			break;
		if (since(from) + each > LIMIT(o->seconds))
			break;
		rc = run_one(h, o, s, true, err);
		each = since(began);
	}
	s->took_s = since(from);
	if (s->n)
		ta_trial_env_usual(s->env, s->n, &s->usual);
	if (rc == 0 && s->n < TA_SHIFT_MIN)
		rc = ta_err_set(err, -ETIME, "%zu runs within %.0f s are too few to compare", s->n, LIMIT(o->seconds));
	return rc;
}

/* --- what it says ------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const double *v, size_t n)
{
	double sorted[TA_VERIFY_RUNS];

	memcpy(sorted, v, n * sizeof(*v));
	qsort(sorted, n, sizeof(*sorted), by_value);
	return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

struct ta_verify_effect ta_verify_compare(const struct ta_verify_series *a, const struct ta_verify_series *b, enum ta_verify_metric m)
{
	struct ta_verify_effect e = {.verdict = TA_VERIFY_UNMEASURED};

	if (ta_shift_of(a->v[m], a->n, b->v[m], b->n, &e.shift) < 0)
		return e;
	e.before = median(a->v[m], a->n);
	e.after = median(b->v[m], b->n);
	if (!e.shift.seen)
		e.verdict = TA_VERIFY_NOTHING;
	else
		e.verdict = (e.shift.percent > 0) == (m == TA_VERIFY_RATE || m == TA_VERIFY_COLD) ? TA_VERIFY_BETTER : TA_VERIFY_WORSE;
	return e;
}

static double share(const struct ta_verify_series *s)
{
	return s->errors ? (double)s->errors / (double)(s->replies + s->errors) : 0;
}

bool ta_verify_is_worse(const struct ta_verify_series *before, const struct ta_verify_series *after, const struct ta_workload *w,
	struct ta_buf *why)
{
	bool worse = false;

	for (int m = 0; m < TA_VERIFY_METRICS; m++) {
		struct ta_verify_effect e = ta_verify_compare(before, after, (enum ta_verify_metric)m);

		if (m == TA_VERIFY_CPU || e.verdict != TA_VERIFY_WORSE)
			continue;
		ta_buf_adds(why, worse ? "; " : "");
		ta_verify_metric_label(w, (enum ta_verify_metric)m, why);
		ta_buf_printf(why, " %+.1f %% (%+.1f to %+.1f %%)", e.shift.percent, e.shift.low, e.shift.high);
		worse = true;
	}
	if (share(after) <= ERRORS_IN_1000 / 1000.0 || share(after) < 2 * share(before))
		return worse;
	ta_buf_printf(why, "%s%llu requests failed (%s), %llu before", worse ? "; " : "", (unsigned long long)after->errors, after->error,
		(unsigned long long)before->errors);
	return true;
}

/* --- names -------------------------------------------------------------------- */

void ta_verify_metric_label(const struct ta_workload *w, enum ta_verify_metric m, struct ta_buf *b)
{
	bool bytes = !strcmp(w->name, "stream");

	switch (m) {
	case TA_VERIFY_RATE:
		ta_buf_printf(b, "%s per second", bytes ? "bytes" : w->counts ? w->counts : "requests");
		break;
	case TA_VERIFY_COLD:
		ta_buf_adds(b, "cold bytes per second");
		break;
	case TA_VERIFY_P50:
		ta_buf_adds(b, "p50 us");
		break;
	case TA_VERIFY_P99:
		ta_buf_adds(b, "p99 us");
		break;
	default:
		ta_buf_adds(b, bytes ? "CPU us a MB" : "CPU us each");
		break;
	}
}

const char *ta_verify_metric_key(enum ta_verify_metric m)
{
	static const char *const keys[] = {
		[TA_VERIFY_RATE] = "per_second",
		[TA_VERIFY_COLD] = "cold_bytes_per_second",
		[TA_VERIFY_P50] = "p50_us",
		[TA_VERIFY_P99] = "p99_us",
		[TA_VERIFY_CPU] = "cpu_us_each",
	};

	return keys[m];
}

const char *ta_verify_verdict_name(enum ta_verify_verdict v)
{
	static const char *const names[] = {
		[TA_VERIFY_NOTHING] = "no measurable effect",
		[TA_VERIFY_BETTER] = "improved",
		[TA_VERIFY_WORSE] = "worse",
		[TA_VERIFY_UNMEASURED] = "not measured",
	};

	return names[v];
}
