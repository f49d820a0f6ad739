#include "report/load.h"

#include <stdlib.h>
#include <string.h>

#include "baseline/fingerprint.h"
#include "report/json.h"
#include "report/text.h"

static double us(uint64_t ns)
{
	return (double)ns / 1e3;
}

static const struct ta_load_point *peak(const struct ta_load_result *r)
{
	return &r->points[r->peak];
}

/* --- text ------------------------------------------------------------------ */

static void add_head(const struct ta_load_result *r, struct ta_buf *b)
{
	const struct ta_load_point *p = peak(r);

	const char *whose = r->peer.version[0] ? "the server of a peer, " : r->built_in ? "the built-in server, " : "";

	ta_buf_printf(b, "%s against %s%s, %s\n", r->workload, whose, r->target, r->path);
	if (!r->n_points) {
		ta_buf_addc(b, '\n');
		return;
	}
	if (r->engine)
		ta_buf_printf(b, "engine %s, ", r->engine);
	ta_buf_printf(b, "%u thread%s, %.1f s measured for each line", r->threads, r->threads == 1 ? "" : "s",
		p->n_runs ? p->measured_s / p->n_runs : 0);
	if (p->n_runs > 1)
		ta_buf_printf(b, ", mean of %u", p->n_runs);
	if (r->pipeline > 1)
		ta_buf_printf(b, ", %u requests at a time", r->pipeline);
	if (r->rate > 0)
		ta_buf_printf(b, ", %.0f %s/s asked for", r->rate, r->counts);
	ta_buf_adds(b, "\n\n");
}

#define LABEL_COLUMNS 11

static void add_line(struct ta_buf *b, const char *label, const char *text, unsigned columns)
{
	ta_buf_printf(b, "%-*s", LABEL_COLUMNS, label);
	ta_text_wrap(b, text, columns, LABEL_COLUMNS, LABEL_COLUMNS);
	ta_buf_addc(b, '\n');
}

/* A run with errors says so first. */
static void add_failures(const struct ta_load_result *r, struct ta_buf *b)
{
	const struct ta_load_counts *c = &r->failures;

	if (!ta_load_counts_errors(c))
		return;
	ta_buf_printf(b, "ERRORS: %llu failed:", (unsigned long long)ta_load_counts_errors(c));
	for (unsigned k = 0; k < TA_LOAD_ERRORS; k++)
		if (c->errors[k])
			ta_buf_printf(b, " %s %llu", ta_load_error_name(k), (unsigned long long)c->errors[k]);
	ta_buf_addc(b, '\n');
}

static void add_errors(const struct ta_load_result *r, struct ta_buf *b)
{
	add_failures(r, b);
	for (size_t i = 0; i < r->n_points; i++) {
		const struct ta_load_counts *c = &r->points[i].counts;
		uint64_t n = ta_load_counts_errors(c);

		if (!n)
			continue;
		ta_buf_printf(b, "ERRORS at %u connections: %llu of %llu %s failed:", r->points[i].connections,
			(unsigned long long)n, (unsigned long long)(c->replies + n - c->errors[TA_LOAD_BAD_STATUS]), r->counts);
		for (unsigned k = 0; k < TA_LOAD_ERRORS; k++)
			if (c->errors[k])
				ta_buf_printf(b, " %s %llu", ta_load_error_name(k), (unsigned long long)c->errors[k]);
		if (c->bad_status[0])
			ta_buf_printf(b, " (%s)", c->bad_status);
		if (c->bad_reply[0])
			ta_buf_printf(b, " (%s)", c->bad_reply);
		ta_buf_addc(b, '\n');
	}
}

static void add_table(const struct ta_load_result *r, struct ta_buf *b)
{
	ta_buf_printf(b, "connections  %8s/s      +-    p50 ms    p95 ms    p99 ms    max ms  errors\n", r->counts);
	for (size_t i = 0; i < r->n_points; i++) {
		const struct ta_load_point *p = &r->points[i];

		ta_buf_printf(b, "%11u %11.0f", p->connections, p->mean);
		if (p->n_runs > 1 && p->mean > 0)
			ta_buf_printf(b, " %5.1f %%", p->stddev / p->mean * 100);
		else
			ta_buf_adds(b, "       -");
		ta_buf_printf(b, " %9.3f %9.3f %9.3f %9.3f %7llu\n", us(ta_hist_percentile(&p->hist, 50)) / 1e3,
			us(ta_hist_percentile(&p->hist, 95)) / 1e3, us(ta_hist_percentile(&p->hist, 99)) / 1e3,
			us(p->hist.max) / 1e3, (unsigned long long)ta_load_counts_errors(&p->counts));
	}
}

static void add_peak(const struct ta_load_result *r, struct ta_buf *b)
{
	const struct ta_load_point *p = peak(r), *last;

	if (r->n_points < 2)
		return;
	last = &r->points[r->n_points - 1];
	ta_buf_printf(b, "Peak       %.0f %s/s at %u connections", p->mean, r->counts, p->connections);
	if (last != p && p->mean > 0)
		ta_buf_printf(b, "; at %u %.0f %% less", last->connections, (1 - last->mean / p->mean) * 100);
	ta_buf_addc(b, '\n');
}

static void add_cpu(const struct ta_load_result *r, struct ta_buf *b)
{
	const struct ta_load_point *p = peak(r);

	ta_buf_printf(b, "CPU        client %.2f s user, %.2f s system", p->cpu.client_user_s, p->cpu.client_system_s);
	if (p->cpu.has_server)
		ta_buf_printf(b, "; server %.2f s user, %.2f s system", p->cpu.server_user_s, p->cpu.server_system_s);
	ta_buf_addc(b, '\n');
	if (p->counts.replies)
		ta_buf_printf(b, "           %.2f us for each at the client; its busiest thread %.0f %% of a CPU\n",
			(p->cpu.client_user_s + p->cpu.client_system_s) * 1e6 / (double)p->counts.replies,
			p->generator_share * 100);
}

#define CPUS_SHOWN 8

/* The CPUs with softirq, and what it was at its highest. */
static void add_softirq(const struct ta_load_result *r, struct ta_buf *b)
{
	const struct ta_watch_during *d = &peak(r)->during;
	unsigned n = ta_load_cpus(r), shown = 0;

	for (unsigned i = 0; i < n; i++) {
		double share = ta_load_share(r, i).softirq;

		if (share < 0.005 || shown == CPUS_SHOWN)
			continue;
		ta_buf_printf(b, "%sCPU%u %.0f %%", shown ? ", " : "softirq    ", i, share * 100);
		shown++;
	}
	if (shown && d->looks)
		ta_buf_printf(b, "; at its highest CPU%u %.0f %%", d->softirq_cpu, d->softirq * 100);
	if (shown)
		ta_buf_addc(b, '\n');
}

/* Of another machine: its CPUs; of this one they are told already. */
static void add_peer(const struct ta_load_result *r, struct ta_buf *b)
{
	unsigned n = ta_load_peer_cpus(r), shown = 0;
	double busy = 0;

	if (r->peer.same_machine || !n)
		return;
	for (unsigned i = 0; i < n; i++)
		busy += ta_load_peer_share(r, i).busy;
	ta_buf_printf(b, "peer       tuneaudit %s, %u CPUs, %.0f %% busy", r->peer.version, n, busy / n * 100);
	for (unsigned i = 0; i < n && shown < CPUS_SHOWN; i++) {
		double share = ta_load_peer_share(r, i).softirq;

		if (share >= 0.005)
			ta_buf_printf(b, "%sCPU%u %.0f %%", shown++ ? ", " : "; softirq ", i, share * 100);
	}
	ta_buf_addc(b, '\n');
}

static void add_clock(const struct ta_load_result *r, struct ta_buf *b)
{
	const struct ta_watch_during *d = &peak(r)->during;

	if (d->n_mhz)
		ta_buf_printf(b, "clock      %.0f MHz at least, %.0f in the mean, of CPUs at work\n", d->mhz_min,
			d->mhz_sum / d->n_mhz);
}

/* --- what the workload found by itself ------------------------------------------ */

static void add_figures(const struct ta_figures *f, unsigned columns, struct ta_buf *b)
{
	size_t width = 0;

	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].label)
			width = TA_MAX(width, strlen(f->v[i].label));
	for (size_t i = 0; i < f->n; i++) {
		if (!f->v[i].label)
			continue;
		ta_buf_printf(b, "%-*s  ", (int)width, f->v[i].label);
		ta_text_wrap(b, f->v[i].text, columns, (unsigned)width + 2, (unsigned)width + 2);
		ta_buf_addc(b, '\n');
	}
}

#define TABLE_COLUMNS 16

/* The first column to the left, the others to the right, each as wide as it must be. */
static void add_own_table(const struct ta_load_table *t, struct ta_buf *b)
{
	size_t widths[TABLE_COLUMNS] = {0}, n = t->heads.n;

	if (n > TABLE_COLUMNS)
		return;
	for (size_t i = 0; i < n; i++)
		widths[i] = strlen(t->heads.v[i]);
	for (size_t i = 0; i < t->n_cells; i++)
		widths[i % n] = TA_MAX(widths[i % n], strlen(t->cells[i].text));
	ta_buf_printf(b, "\n%s\n", t->title);
	for (size_t i = 0; i < n + t->n_cells; i++) {
		ta_buf_printf(b, i % n ? "  %*s" : "%-*s", (int)widths[i % n], i < n ? t->heads.v[i] : t->cells[i - n].text);
		if (i % n == n - 1)
			ta_buf_addc(b, '\n');
	}
}

/* What the result depends on besides: kept with it, it says later what it may be compared with. */
static void add_host(struct json_object *fingerprint, unsigned columns, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;

	if (!fingerprint)
		return;
	ta_fingerprint_format_line(fingerprint, &line);
	add_line(b, "Host", ta_buf_text(&line), columns);
}

void ta_report_load_text(const struct ta_load_result *r, struct json_object *fingerprint, unsigned columns, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf bound = TA_BUF_INIT;
	ta_cleanup_strv struct ta_strv notes = TA_STRV_INIT;

	add_errors(r, b);
	if (ta_load_generator_full(r))
		add_line(b, "First", TA_LOAD_GENERATOR_FULL, columns);
	add_head(r, b);
	if (r->n_points)
		add_table(r, b);
	add_figures(&r->figures, columns, b);
	for (size_t i = 0; i < r->figures.n_tables; i++)
		add_own_table(&r->figures.tables[i], b);
	ta_buf_addc(b, '\n');
	add_peak(r, b);
	ta_load_bound_by(r, &bound);
	if (bound.len)
		add_line(b, "Bound by", ta_buf_text(&bound), columns);
	if (r->n_points) {
		add_cpu(r, b);
		add_softirq(r, b);
		add_clock(r, b);
	}
	add_peer(r, b);
	ta_load_notes(r, &notes);
	for (size_t i = ta_load_generator_full(r); i < notes.n; i++) /* the first was told first */
		add_line(b, "Note", notes.v[i], columns);
	add_host(fingerprint, columns, b);
}

/* --- JSON ------------------------------------------------------------------- */

static void add_latency(struct ta_json *j, const struct ta_hist *h)
{
	static const struct {
		const char *name;
		double percent;
	} all[] = {{"p50", 50}, {"p75", 75}, {"p90", 90}, {"p95", 95}, {"p99", 99}, {"p99.9", 99.9}, {"p99.99", 99.99}};

	ta_json_open(j, "latency_us", '{');
	for (size_t i = 0; i < TA_ARRAY_SIZE(all); i++)
		ta_json_real(j, all[i].name, us(ta_hist_percentile(h, all[i].percent)));
	ta_json_real(j, "max", us(h->max));
	ta_json_real(j, "mean", ta_hist_mean(h) / 1e3);
	ta_json_real(j, "stddev", ta_hist_stddev(h) / 1e3);
	ta_json_close(j, '}');
}

static void add_errors_json(struct ta_json *j, const struct ta_load_counts *c)
{
	ta_json_open(j, "errors", '{');
	for (unsigned k = 0; k < TA_LOAD_ERRORS; k++)
		if (c->errors[k])
			ta_json_u64(j, ta_load_error_name(k), c->errors[k]);
	ta_json_close(j, '}');
}

static void add_counts(struct ta_json *j, const struct ta_load_point *p)
{
	ta_json_u64(j, "requests", p->counts.replies);
	ta_json_u64(j, "connects", p->counts.connects);
	add_errors_json(j, &p->counts);
	if (p->counts.bad_reply[0])
		ta_json_str(j, "bad_reply", p->counts.bad_reply);
	if (p->counts.bad_status[0])
		ta_json_str(j, "bad_status", p->counts.bad_status);
	ta_json_open(j, "per_second", '{');
	ta_json_real(j, "mean", p->mean);
	ta_json_real(j, "stddev", p->stddev);
	ta_json_open(j, "runs", '[');
	for (unsigned i = 0; i < p->n_runs; i++)
		ta_json_real(j, NULL, p->per_second[i]);
	ta_json_close(j, ']');
	ta_json_close(j, '}');
	ta_json_real(j, "bytes_per_second", p->measured_s > 0 ? (double)p->counts.bytes / p->measured_s : 0);
}

static void add_point(struct ta_json *j, const struct ta_load_point *p)
{
	ta_json_u64(j, "connections", p->connections);
	ta_json_real(j, "duration_s", p->measured_s);
	add_counts(j, p);
	add_latency(j, &p->hist);
}

static void add_real(struct ta_json *j, const char *name, bool known, double value)
{
	if (known)
		ta_json_real(j, name, value);
	else
		ta_json_null(j, name);
}

static void add_cpu_json(struct ta_json *j, const struct ta_load_result *r)
{
	const struct ta_load_cpu *c = &peak(r)->cpu;
	const struct ta_watch_during *d = &peak(r)->during;
	unsigned n = ta_load_cpus(r);

	ta_json_open(j, "cpu", '{');
	ta_json_real(j, "client_user_s", c->client_user_s);
	ta_json_real(j, "client_system_s", c->client_system_s);
	if (c->has_server) {
		ta_json_real(j, "server_user_s", c->server_user_s);
		ta_json_real(j, "server_system_s", c->server_system_s);
	} else {
		ta_json_null(j, "server_user_s");
		ta_json_null(j, "server_system_s");
	}
	ta_json_real(j, "generator_share", peak(r)->generator_share);
	ta_json_open(j, "softirq_share", '{');
	for (unsigned i = 0; i < n; i++) {
		ta_cleanup_buf struct ta_buf name = TA_BUF_INIT;

		ta_buf_printf(&name, "%u", i);
		ta_json_real(j, ta_buf_text(&name), ta_load_share(r, i).softirq);
	}
	ta_json_close(j, '}');
	ta_json_real(j, "softirq_highest", d->softirq);
	add_real(j, "mhz_min", d->n_mhz, d->mhz_min);
	add_real(j, "mhz_mean", d->n_mhz, d->n_mhz ? d->mhz_sum / d->n_mhz : 0);
	add_real(j, "mhz_max", d->n_mhz, d->mhz_max);
	ta_json_close(j, '}');
}

static void add_peer_shares(struct ta_json *j, const struct ta_load_result *r)
{
	static const struct {
		const char *name;
		size_t offset;
	} all[] = {
		{"busy_share", offsetof(struct ta_watch_share, busy)},
		{"softirq_share", offsetof(struct ta_watch_share, softirq)},
		{"steal_share", offsetof(struct ta_watch_share, steal)},
	};

	for (size_t k = 0; k < TA_ARRAY_SIZE(all); k++) {
		ta_json_open(j, all[k].name, '{');
		for (unsigned i = 0; i < ta_load_peer_cpus(r); i++) {
			ta_cleanup_buf struct ta_buf name = TA_BUF_INIT;
			struct ta_watch_share share = ta_load_peer_share(r, i);

			ta_buf_printf(&name, "%u", i);
			ta_json_real(j, ta_buf_text(&name), *(const double *)(const void *)((const char *)&share + all[k].offset));
		}
		ta_json_close(j, '}');
	}
}

static void add_count(struct ta_json *j, const char *name, bool known, uint64_t value)
{
	if (known)
		ta_json_u64(j, name, value);
	else
		ta_json_null(j, name);
}

/* What its service used of a CPU while the point with the peak was measured, and what its machine's counters say. */
static void add_peer_json(struct ta_json *j, const struct ta_load_result *r)
{
	const struct ta_load_point *p = r->points ? peak(r) : NULL;
	bool server = p && p->cpu.has_server && p->measured_s > 0, known = ta_load_peer_cpus(r) > 0;
	struct ta_watch_sample *grown = malloc(sizeof(*grown));
	uint64_t throttled = 0;

	if (!r->peer.version[0] || !grown) {
		ta_json_null(j, "peer");
		free(grown);
		return;
	}
	ta_load_peer_grown(r, grown);
	for (unsigned i = 0; i < grown->n_cpus; i++)
		throttled += grown->cpu[i].core_throttled;
	ta_json_open(j, "peer", '{');
	ta_json_str(j, "version", r->peer.version);
	ta_json_bool(j, "same_machine", r->peer.same_machine);
	ta_json_bool(j, "lost", r->peer.lost);
	add_real(j, "server_share", server, server ? (p->cpu.server_user_s + p->cpu.server_system_s) / p->measured_s : 0);
	add_peer_shares(j, r);
	add_count(j, "throttled", known, throttled);
	add_count(j, "retransmits", grown->has_snmp, grown->retransmits);
	add_count(j, "listen_overflows", grown->has_netstat, grown->listen_overflows);
	add_count(j, "listen_drops", grown->has_netstat, grown->listen_drops);
	add_count(j, "backlog_dropped", grown->has_softnet, grown->softnet_dropped);
	add_count(j, "time_squeeze", grown->has_softnet, grown->time_squeeze);
	ta_json_close(j, '}');
	free(grown);
}

static void add_words(struct ta_json *j, const struct ta_load_result *r)
{
	ta_cleanup_buf struct ta_buf bound = TA_BUF_INIT;
	ta_cleanup_strv struct ta_strv notes = TA_STRV_INIT;

	ta_load_bound_by(r, &bound);
	ta_json_str(j, "bound_by", ta_buf_text(&bound));
	ta_load_notes(r, &notes);
	ta_json_open(j, "notes", '[');
	for (size_t i = 0; i < notes.n; i++)
		ta_json_str(j, NULL, notes.v[i]);
	ta_json_close(j, ']');
}

static void add_own_json(struct ta_json *j, const char *key, const char *text, const double *number)
{
	if (number)
		ta_json_real(j, key, *number);
	else
		ta_json_str(j, key, text);
}

/* A table is a list of objects, by its heads. */
static void add_table_json(struct ta_json *j, const struct ta_load_table *t)
{
	ta_json_line(j);
	ta_json_open(j, t->key, '[');
	for (size_t i = 0; i < t->n_cells; i++) {
		const struct ta_load_cell *c = &t->cells[i];
		size_t column = i % t->heads.n;

		if (!column)
			ta_json_open(j, NULL, '{');
		add_own_json(j, t->heads.v[column], c->text, c->is_number ? &c->value : NULL);
		if (column == t->heads.n - 1)
			ta_json_close(j, '}');
	}
	ta_json_close(j, ']');
}

static void add_figures_json(struct ta_json *j, const struct ta_figures *f)
{
	for (size_t i = 0; i < f->n; i++)
		add_own_json(j, f->v[i].key, f->v[i].text, f->v[i].is_number ? &f->v[i].value : NULL);
	for (size_t i = 0; i < f->n_tables; i++)
		add_table_json(j, &f->tables[i]);
}

void ta_report_load_json(const struct ta_load_result *r, struct json_object *fingerprint, struct ta_buf *b)
{
	struct ta_json j = {.b = b};

	ta_json_open(&j, NULL, '{');
	ta_json_str(&j, "schema", "tuneaudit.load/1");
	ta_json_str(&j, "workload", r->workload);
	ta_json_str(&j, "engine", r->engine);
	ta_json_str(&j, "path", r->path);
	ta_json_str(&j, "target", r->target);
	ta_json_bool(&j, "built_in_server", r->built_in);
	ta_json_u64(&j, "threads", r->threads);
	ta_json_u64(&j, "pipeline", r->pipeline);
	if (r->rate > 0)
		ta_json_real(&j, "rate", r->rate);
	else
		ta_json_null(&j, "rate");
	if (r->n_points) {
		add_point(&j, peak(r));
		add_cpu_json(&j, r);
	} else {
		add_errors_json(&j, &r->failures);
	}
	add_peer_json(&j, r);
	add_figures_json(&j, &r->figures);
	add_words(&j, r);
	ta_json_open(&j, "points", '[');
	for (size_t i = 0; i < r->n_points; i++) {
		ta_json_line(&j);
		ta_json_open(&j, NULL, '{');
		add_point(&j, &r->points[i]);
		ta_json_close(&j, '}');
	}
	ta_json_close(&j, ']');
	ta_json_value(&j, "fingerprint", fingerprint);
	ta_json_close(&j, '}');
	ta_buf_addc(b, '\n');
}

void ta_report_load_hgrm(const struct ta_load_result *r, struct ta_buf *b)
{
	if (r->n_points)
		ta_hist_print_hgrm(&peak(r)->hist, b);
}
