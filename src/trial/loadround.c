#include "trial/loadround.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Its two ends where both are ours, else this whole host. */
static double cpu_ns(const struct ta_load_result *r, const struct ta_load_point *p, bool *ret_host)
{
	const struct ta_load_cpu *c = &p->cpu;
	double ticks = 0;

	*ret_host = !c->has_server;
	if (c->has_server)
		return (c->client_user_s + c->client_system_s + c->server_user_s + c->server_system_s) * 1e9;
	if (!p->watched)
		return 0;
	for (unsigned i = 0; i < p->watched->n_cpus; i++) {
		const struct ta_watch_cpu *w = &p->watched->cpu[i];

		ticks += (double)(w->user + w->system + w->softirq + w->irq);
	}
	return ticks * 1e9 / 100; /* USER_HZ is 100 wherever this runs: include/asm-generic/param.h */
}

static void take_counts(const struct ta_watch_sample *w, struct ta_trial_round *ret)
{
	ret->counts[TA_TRIAL_OVERFLOWS] = w->listen_overflows;
	ret->counts[TA_TRIAL_DROPS] = w->listen_drops;
	ret->counts[TA_TRIAL_RETRANSMITS] = w->retransmits;
	ret->counts[TA_TRIAL_BACKLOG] = w->softnet_dropped;
	ret->counts[TA_TRIAL_SQUEEZES] = w->time_squeeze;
	for (unsigned i = 0; i < w->n_cpus; i++)
		ret->softirq[i] = (double)w->cpu[i].softirq;
}

static void take_point(const struct ta_load_result *r, const struct ta_load_point *p, struct ta_trial_round *ret)
{
	double replies = (double)p->counts.replies;

	ret->replies = p->counts.replies;
	ret->errors = ta_load_counts_errors(&p->counts);
	if (p->measured_s > 0)
		ret->value[TA_TRIAL_THROUGHPUT] = replies / p->measured_s;
	if (p->hist.n) {
		ret->value[TA_TRIAL_P50] = (double)ta_hist_percentile(&p->hist, 50);
		ret->value[TA_TRIAL_P99] = (double)ta_hist_percentile(&p->hist, 99);
		ta_hist_merge(&ret->hist, &p->hist);
	}
	if (replies > 0)
		ret->value[TA_TRIAL_CPU] = cpu_ns(r, p, &ret->host_cpu) / replies;
}

/* 0 if there is none of that name. */
static double figure(const struct ta_load_result *r, const char *key)
{
	for (size_t i = 0; i < r->figures.n; i++)
		if (r->figures.v[i].is_number && !strcmp(r->figures.v[i].key, key))
			return r->figures.v[i].value;
	return 0;
}

/* Streams have no replies and no latencies: bytes a second, and CPU time of both ends for a byte. */
static void take_figures(const struct ta_load_result *r, struct ta_trial_round *ret)
{
	double bytes = figure(r, "bits_per_second") / 8, client = figure(r, "client_cpu_s_per_gb");

	ret->value[TA_TRIAL_THROUGHPUT] = bytes;
	ret->value[TA_TRIAL_CPU] = client > 0 ? client + figure(r, "server_cpu_s_per_gb") : 0; /* s for 10^9 are ns for one */
	ret->replies = bytes > 0;
	ret->errors = ta_load_counts_errors(&r->failures);
}

/* Nothing was refused or broken: it only did not come. */
static bool is_late(const struct ta_load_counts *c)
{
	for (unsigned i = 0; i < TA_LOAD_ERRORS; i++)
		if (c->errors[i] && i != TA_LOAD_UNANSWERED && i != TA_LOAD_TIMEOUT && i != TA_LOAD_CONNECT_TIMEOUT)
			return false;
	return true;
}

static const char *first_error(const struct ta_load_counts *c)
{
	for (unsigned i = 0; i < TA_LOAD_ERRORS; i++)
		if (c->errors[i])
			return ta_load_error_name(i);
	return "no reply";
}

static int say_stopped(const struct ta_load_options *o, struct ta_err *err)
{
	return ta_err_set(err, -EINTR, "ended by signal %d", (int)*o->stop);
}

static int take_result(const struct ta_load_result *r, const struct ta_load_options *o, struct ta_trial_round *ret, struct ta_err *err)
{
	const struct ta_load_point *p = r->n_points ? &r->points[r->peak] : NULL;
	const struct ta_load_counts *failures = p && !o->workload->no_latencies ? &p->counts : &r->failures;

	if (o->stop && *o->stop)
		return say_stopped(o, err);
	ret->path = r->path;
	ret->unit = o->workload->no_latencies ? "bytes" : r->counts;
	if (p && !o->workload->no_latencies)
		take_point(r, p, ret);
	else
		take_figures(r, ret);
	if (ret->replies)
		return 0;
	return ta_err_set(err, is_late(failures) ? -ENODATA : -ECONNREFUSED, "%s answers nothing (%s)", r->target, first_error(failures));
}

static int measure(const struct ta_trial_loading *l, struct ta_trial_round *ret, struct ta_err *err)
{
	struct ta_trial_mark *from = ta_trial_mark(l->host);
	struct ta_watch_sample *grown = calloc(1, sizeof(*grown));
	struct ta_load_result result;
	int rc = from && grown ? ta_load_run(l->host, l->load, &result, err) : ta_err_set(err, -ENOMEM, "out of memory");

	*ret = (struct ta_trial_round){0};
	ta_hist_reset(&ret->hist);
	if (rc < 0) {
		free(from);
		free(grown);
		return l->load->stop && *l->load->stop ? say_stopped(l->load, err) : rc;
	}
	rc = ta_trial_env(l->host, from, result.n_points ? &result.points[result.peak].during : NULL, &ret->env, grown);
	if (rc == 0)
		take_counts(grown, ret);
	rc = rc ?: take_result(&result, l->load, ret, err);
	ta_load_result_done(&result);
	free(grown);
	return rc;
}

/* A host that stood still for the whole of a round, as one that is moved to another hypervisor, gets it once more. */
int ta_trial_measure_load(void *ctx, struct ta_trial_round *ret, struct ta_err *err)
{
	int rc = measure(ctx, ret, err);

	return rc == -ENODATA ? measure(ctx, ret, err) : rc;
}
