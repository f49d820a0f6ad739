/*
 * What held a run back, from what the counters of the machine say. The first that applies is told: a generator at its limit makes every
 * other number a number about the generator.
 */
#include <stdio.h>
#include <string.h>

#include "load/run.h"

#define FULL 0.95	/* of a CPU: no reserve */
#define SOFTIRQ_FULL 0.8 /* of a CPU in softirq alone */
#define STEAL_NOTED 0.03

static const struct ta_load_point *peak(const struct ta_load_result *r)
{
	return &r->points[r->peak];
}

static unsigned n_cpus(const struct ta_load_result *r)
{
	return TA_MIN(r->before->n_cpus, r->after->n_cpus);
}

/* True if the sentence is written. */
static bool by_one_softirq(const struct ta_load_result *r, struct ta_buf *b)
{
	for (unsigned i = 0; i < n_cpus(r); i++) {
		struct ta_watch_share s = ta_watch_share(r->before, r->after, i);

		if (s.softirq < SOFTIRQ_FULL)
			continue;
		ta_buf_printf(b, "softirq of CPU%u: %.0f %% of its time", i, s.softirq * 100);
		return true;
	}
	return false;
}

static bool by_all_cpus(const struct ta_load_result *r, struct ta_buf *b)
{
	double busy = 0;

	for (unsigned i = 0; i < n_cpus(r); i++)
		busy += ta_watch_share(r->before, r->after, i).busy;
	if (!n_cpus(r) || busy < FULL * n_cpus(r))
		return false;
	ta_buf_printf(b, "the CPUs: all %u were busy (%.0f %%)%s", n_cpus(r), busy / n_cpus(r) * 100,
		r->built_in ? ", shared by both ends" : "");
	return true;
}

static bool by_server(const struct ta_load_result *r, struct ta_buf *b)
{
	const struct ta_load_point *p = peak(r);
	double share = (p->cpu.server_user_s + p->cpu.server_system_s) / p->measured_s;

	if (!p->cpu.has_server || share < FULL * TA_MIN(r->threads, p->connections))
		return false;
	ta_buf_printf(b, "the built-in server: it used %.2f CPUs", share);
	return true;
}

void ta_load_bound_by(const struct ta_load_result *r, struct ta_buf *b)
{
	const struct ta_load_point *p = r->points ? peak(r) : NULL;

	if (!p || p->measured_s <= 0)
		return;
	if (r->rate > 0 && p->mean >= r->rate * 0.99)
		ta_buf_adds(b, "the rate that was asked for");
	else if (p->generator_share >= FULL)
		ta_buf_printf(b, "the load generator: a thread of it used %.0f %% of a CPU", p->generator_share * 100);
	else if (r->bound[0])
		ta_buf_adds(b, r->bound);
	else if (!by_one_softirq(r, b) && !by_server(r, b))
		by_all_cpus(r, b);
}

static void note(struct ta_strv *notes, const char *fmt, ...) ta_printf(2, 3);

static void note(struct ta_strv *notes, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ta_strv_add(notes, text);
}

static void note_losses(const struct ta_load_result *r, struct ta_strv *notes)
{
	const struct {
		const char *what;
		uint64_t from, to;
	} counts[] = {
		{"TCP segments sent again", r->before->retransmits, r->after->retransmits},
		{"connections lost to full accept queues (ListenOverflows)", r->before->listen_overflows,
			r->after->listen_overflows},
		{"packets dropped from a CPU's backlog", r->before->softnet_dropped, r->after->softnet_dropped},
	};

	for (unsigned i = 0; i < TA_ARRAY_SIZE(counts); i++)
		if (counts[i].to > counts[i].from)
			note(notes, "%llu %s on this host during the run", (unsigned long long)(counts[i].to - counts[i].from),
				counts[i].what);
}

static void note_cpus(const struct ta_load_result *r, struct ta_strv *notes)
{
	uint64_t throttled = 0;
	double steal = 0;

	for (unsigned i = 0; i < n_cpus(r); i++) {
		steal = TA_MAX(steal, ta_watch_share(r->before, r->after, i).steal);
		if (r->after->cpu[i].core_throttled > r->before->cpu[i].core_throttled)
			throttled += r->after->cpu[i].core_throttled - r->before->cpu[i].core_throttled;
	}
	if (steal >= STEAL_NOTED)
		note(notes, "the hypervisor took up to %.0f %% of a CPU away (steal)", steal * 100);
	if (throttled)
		note(notes, "CPUs were throttled for heat %llu times", (unsigned long long)throttled);
}

void ta_load_notes(const struct ta_load_result *r, struct ta_strv *notes)
{
	const struct ta_load_point *p = peak(r);

	for (size_t i = 0; i < r->notes.n; i++)
		ta_strv_add(notes, r->notes.v[i]);
	if (r->interrupted)
		ta_strv_add(notes, "stopped early: what is here was measured until then");
	if (r->n_points && p->generator_share >= FULL)
		ta_strv_add(notes, "the generator is at its limit: more threads (-t) or another machine would show more");
	if (!strcmp(r->path, "loopback"))
		ta_strv_add(notes, "loopback: says nothing of NIC queues, rings, interrupts or the network");
	if (r->before && r->after) {
		note_cpus(r, notes);
		note_losses(r, notes);
	}
}
