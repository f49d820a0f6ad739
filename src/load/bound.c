/*
 * What held a run back, from what the counters of the machine say. The first that applies is told: a generator at its limit makes every
 * other number a number about the generator.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/run.h"

#define FULL 0.95	/* of a CPU: no reserve */
#define SOFTIRQ_FULL 0.8 /* of a CPU in softirq alone */
#define STEAL_NOTED 0.03
#define STEAL_FULL 0.1	 /* mean of all CPUs */
#define OTHERS_TOLD 0.25 /* of the CPUs' busy time */
#define LINK_FULL 0.9	 /* of its speed; the frames' gaps and preambles count as bytes nowhere */
#define CLOCK_FALLEN 0.9 /* of its highest reading */

static const struct ta_load_point *peak(const struct ta_load_result *r)
{
	return &r->points[r->peak];
}

unsigned ta_load_cpus(const struct ta_load_result *r)
{
	if (r->points && peak(r)->watched)
		return peak(r)->watched->n_cpus;
	return r->before && r->after ? TA_MIN(r->before->n_cpus, r->after->n_cpus) : 0;
}

struct ta_watch_share ta_load_share(const struct ta_load_result *r, unsigned cpu)
{
	static const struct ta_watch_sample nothing;

	if (r->points && peak(r)->watched)
		return ta_watch_share(&nothing, peak(r)->watched, cpu);
	return ta_watch_share(r->before, r->after, cpu);
}

unsigned ta_load_peer_cpus(const struct ta_load_result *r)
{
	const struct ta_load_peer *p = &r->peer;

	if (r->points && peak(r)->peer_watched)
		return peak(r)->peer_watched->n_cpus;
	return p->before && p->after ? TA_MIN(p->before->n_cpus, p->after->n_cpus) : 0;
}

struct ta_watch_share ta_load_peer_share(const struct ta_load_result *r, unsigned cpu)
{
	static const struct ta_watch_sample nothing;

	if (r->points && peak(r)->peer_watched)
		return ta_watch_share(&nothing, peak(r)->peer_watched, cpu);
	return ta_watch_share(r->peer.before, r->peer.after, cpu);
}

void ta_load_peer_grown(const struct ta_load_result *r, struct ta_watch_sample *ret)
{
	*ret = (struct ta_watch_sample){0};
	if (r->peer.before && r->peer.after && r->peer.before->n_cpus && r->peer.after->n_cpus)
		ta_watch_add(ret, r->peer.before, r->peer.after);
}

/* Of another machine: of this one they are told already. */
static unsigned other_cpus(const struct ta_load_result *r)
{
	return r->peer.same_machine ? 0 : ta_load_peer_cpus(r);
}

/* Each of these: true if the sentence is written. */
static bool by_rate(const struct ta_load_result *r, struct ta_buf *b)
{
	if (r->rate <= 0 || peak(r)->mean < r->rate * 0.99)
		return false;
	ta_buf_adds(b, "the rate that was asked for");
	return true;
}

bool ta_load_generator_full(const struct ta_load_result *r)
{
	return r->points && peak(r)->generator_share >= FULL;
}

static bool by_generator(const struct ta_load_result *r, struct ta_buf *b)
{
	if (!ta_load_generator_full(r))
		return false;
	ta_buf_printf(b, "the load generator: a thread of it used %.0f %% of a CPU", peak(r)->generator_share * 100);
	return true;
}

static bool by_workload(const struct ta_load_result *r, struct ta_buf *b)
{
	ta_buf_adds(b, r->bound);
	return r->bound[0];
}

static bool by_one_softirq(const struct ta_load_result *r, struct ta_buf *b)
{
	for (unsigned i = 0; i < ta_load_cpus(r); i++) {
		double softirq = ta_load_share(r, i).softirq;

		if (softirq < SOFTIRQ_FULL)
			continue;
		ta_buf_printf(b, "softirq of CPU%u: %.0f %% of its time", i, softirq * 100);
		return true;
	}
	return false;
}

/* A peer's has as many threads as this end wished for, at most two for each of its CPUs. */
static unsigned server_threads(const struct ta_load_result *r)
{
	unsigned n = TA_MIN(r->threads, peak(r)->connections);

	return r->peer.version[0] && ta_load_peer_cpus(r) ? TA_MIN(n, ta_load_peer_cpus(r)) : n;
}

static bool by_server(const struct ta_load_result *r, struct ta_buf *b)
{
	const struct ta_load_point *p = peak(r);
	double share = (p->cpu.server_user_s + p->cpu.server_system_s) / p->measured_s;

	if (!p->cpu.has_server || share < FULL * server_threads(r))
		return false;
	ta_buf_printf(b, "%s: it used %.2f CPUs", r->peer.version[0] ? "the peer's server" : "the built-in server", share);
	return true;
}

static bool by_peer_hypervisor(const struct ta_load_result *r, struct ta_buf *b)
{
	unsigned n = other_cpus(r);
	double steal = 0;

	for (unsigned i = 0; i < n; i++)
		steal += ta_load_peer_share(r, i).steal;
	if (!n || steal < STEAL_FULL * n)
		return false;
	ta_buf_printf(b, "the peer's hypervisor: it took %.0f %% of the CPUs there away", steal / n * 100);
	return true;
}

static bool by_peer_softirq(const struct ta_load_result *r, struct ta_buf *b)
{
	for (unsigned i = 0; i < other_cpus(r); i++) {
		double softirq = ta_load_peer_share(r, i).softirq;

		if (softirq < SOFTIRQ_FULL)
			continue;
		ta_buf_printf(b, "softirq of the peer's CPU%u: %.0f %% of its time", i, softirq * 100);
		return true;
	}
	return false;
}

static bool by_peer_cpus(const struct ta_load_result *r, struct ta_buf *b)
{
	unsigned n = other_cpus(r);
	double busy = 0;

	for (unsigned i = 0; i < n; i++)
		busy += ta_load_peer_share(r, i).busy;
	if (!n || busy < FULL * n)
		return false;
	ta_buf_printf(b, "the peer's CPUs: all %u were busy (%.0f %%)", n, busy / n * 100);
	return true;
}

static bool by_peer_cpu(const struct ta_load_result *r, struct ta_buf *b)
{
	for (unsigned i = 0; i < other_cpus(r); i++) {
		struct ta_watch_share s = ta_load_peer_share(r, i);

		if (s.busy < FULL)
			continue;
		ta_buf_printf(b, "the peer's CPU%u: busy for %.0f %% of the time (softirq %.0f %%) while others were not", i, s.busy * 100,
			s.softirq * 100);
		return true;
	}
	return false;
}

static bool by_link(const struct ta_load_result *r, struct ta_buf *b)
{
	const struct ta_load_point *p = peak(r);

	for (unsigned i = 0; p->watched && i < p->watched->n_links; i++) {
		const struct ta_watch_link *link = &p->watched->links[i];
		double most = (double)TA_MAX(link->rx_bytes, link->tx_bytes) * 8 / 1e6 / p->measured_s;

		if (!link->mbit || most < LINK_FULL * (double)link->mbit)
			continue;
		ta_buf_printf(b, "the link %s: it %s %.0f of its %llu Mb/s", link->name,
			link->rx_bytes > link->tx_bytes ? "received" : "sent", most, (unsigned long long)link->mbit);
		return true;
	}
	return false;
}

static bool by_hypervisor(const struct ta_load_result *r, struct ta_buf *b)
{
	double steal = 0;

	for (unsigned i = 0; i < ta_load_cpus(r); i++)
		steal += ta_load_share(r, i).steal;
	if (!ta_load_cpus(r) || steal < STEAL_FULL * ta_load_cpus(r))
		return false;
	ta_buf_printf(b, "the hypervisor: it took %.0f %% of the CPUs away", steal / ta_load_cpus(r) * 100);
	return true;
}

/* Of the busy CPUs' time, what neither end of the run used here; 0 where the server's part is not known. */
static double others_share(const struct ta_load_result *r, double busy_cpus)
{
	const struct ta_load_point *p = peak(r);
	const struct ta_load_cpu *c = &p->cpu;
	bool elsewhere = r->peer.version[0] && !r->peer.same_machine;
	double server = elsewhere ? 0 : c->server_user_s + c->server_system_s;
	double ours = (c->client_user_s + c->client_system_s + server) / p->measured_s;

	return (c->has_server || elsewhere) && ours < busy_cpus ? 1 - ours / busy_cpus : 0;
}

static bool by_all_cpus(const struct ta_load_result *r, struct ta_buf *b)
{
	unsigned n = ta_load_cpus(r);
	double busy = 0;

	for (unsigned i = 0; i < n; i++)
		busy += ta_load_share(r, i).busy;
	if (!n || busy < FULL * n)
		return false;
	ta_buf_printf(b, "the CPUs: all %u were busy (%.0f %%)", n, busy / n * 100);
	if (others_share(r, busy) > OTHERS_TOLD)
		ta_buf_printf(b, ", %.0f %% of that with other work than this run", others_share(r, busy) * 100);
	else if (!strcmp(r->path, "loopback"))
		ta_buf_adds(b, r->built_in ? ", shared by both ends" : ", shared with the server");
	return true;
}

static bool by_one_cpu(const struct ta_load_result *r, struct ta_buf *b)
{
	for (unsigned i = 0; i < ta_load_cpus(r); i++) {
		struct ta_watch_share s = ta_load_share(r, i);

		if (s.busy < FULL)
			continue;
		ta_buf_printf(b, "CPU%u: busy for %.0f %% of the time (softirq %.0f %%) while others were not", i, s.busy * 100,
			s.softirq * 100);
		return true;
	}
	return false;
}

/* Nothing here is full: a closed loop then waits for the other end. */
static bool by_other_end(const struct ta_load_result *r, struct ta_buf *b)
{
	const struct ta_load_point *p = peak(r);

	if (r->rate > 0 || !p->hist.n || !ta_load_cpus(r))
		return false;
	ta_buf_printf(b, "waiting for replies: nothing on this machine%s was full; half of them took longer than %.3f ms",
		other_cpus(r) ? " or the peer's" : "",
		(double)ta_hist_percentile(&p->hist, 50) / 1e6);
	return true;
}

void ta_load_bound_by(const struct ta_load_result *r, struct ta_buf *b)
{
	static bool (*const layers[])(const struct ta_load_result *r, struct ta_buf *b) = {by_rate, by_generator, by_workload,
		by_link, by_hypervisor, by_one_softirq, by_peer_hypervisor, by_peer_softirq, by_server, by_all_cpus, by_peer_cpus,
		by_one_cpu, by_peer_cpu, by_other_end};

	if (!r->points || peak(r)->measured_s <= 0)
		return;
	for (size_t i = 0; i < TA_ARRAY_SIZE(layers); i++)
		if (layers[i](r, b))
			return;
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

static void note_counts(const struct ta_watch_sample *from, const struct ta_watch_sample *to, const char *where, struct ta_strv *notes)
{
	const struct {
		const char *what;
		uint64_t from, to;
	} counts[] = {
		{"TCP segments sent again", from->retransmits, to->retransmits},
		{"connections lost to full accept queues (ListenOverflows)", from->listen_overflows, to->listen_overflows},
		{"connection attempts dropped by listeners for other reasons (ListenDrops)", from->listen_drops - from->listen_overflows,
			to->listen_drops - to->listen_overflows},
		{"packets dropped from a CPU's backlog", from->softnet_dropped, to->softnet_dropped},
		{"times that softirq ended with packets left (time_squeeze)", from->time_squeeze, to->time_squeeze},
	};

	for (unsigned i = 0; i < TA_ARRAY_SIZE(counts); i++)
		if (counts[i].to > counts[i].from)
			note(notes, "%llu %s on %s during the run", (unsigned long long)(counts[i].to - counts[i].from), counts[i].what,
				where);
}

static void note_throttled(uint64_t times, const char *whose, struct ta_strv *notes)
{
	if (times)
		note(notes, "%s were throttled for heat %llu times", whose, (unsigned long long)times);
}

static void note_cpus(const struct ta_load_result *r, struct ta_strv *notes)
{
	uint64_t throttled = 0;
	double steal = 0;

	for (unsigned i = 0; i < ta_load_cpus(r); i++) {
		steal = TA_MAX(steal, ta_load_share(r, i).steal);
		if (r->after->cpu[i].core_throttled > r->before->cpu[i].core_throttled)
			throttled += r->after->cpu[i].core_throttled - r->before->cpu[i].core_throttled;
	}
	if (steal >= STEAL_NOTED)
		note(notes, "the hypervisor took up to %.0f %% of a CPU away (steal)", steal * 100);
	note_throttled(throttled, "CPUs", notes);
}

/* What this machine's counters have told already is not told twice: of the same network namespace all, of another one those of CPUs. */
static void note_peer(const struct ta_load_result *r, struct ta_strv *notes)
{
	static const struct ta_watch_sample nothing;
	struct ta_watch_sample *grown = malloc(sizeof(*grown));
	uint64_t throttled = 0;
	double steal = 0;

	if (strcmp(r->peer.version, TA_VERSION) != 0)
		note(notes, "the peer is tuneaudit %s, this is %s", r->peer.version, TA_VERSION);
	if (!grown || !strcmp(r->path, "loopback")) {
		free(grown);
		return;
	}
	ta_load_peer_grown(r, grown);
	for (unsigned i = 0; i < other_cpus(r); i++) {
		steal = TA_MAX(steal, ta_load_peer_share(r, i).steal);
		throttled += grown->cpu[i].core_throttled;
	}
	if (steal >= STEAL_NOTED)
		note(notes, "the peer's hypervisor took up to %.0f %% of a CPU away (steal)", steal * 100);
	note_throttled(throttled, "the peer's CPUs", notes);
	if (r->peer.same_machine)
		grown->softnet_dropped = grown->time_squeeze = 0;
	note_counts(&nothing, grown, r->peer.same_machine ? "the peer's network namespace" : "the peer", notes);
	free(grown);
}

/* A clock that falls while there is work to do: power, heat or a governor. */
static void note_clock(const struct ta_load_result *r, struct ta_strv *notes)
{
	const struct ta_watch_during *d = &peak(r)->during;

	if (d->n_mhz && d->mhz_min < CLOCK_FALLEN * d->mhz_max)
		note(notes, "the clocks of busy CPUs went down to %.0f MHz from %.0f", d->mhz_min, d->mhz_max);
}

void ta_load_notes(const struct ta_load_result *r, struct ta_strv *notes)
{
	if (ta_load_generator_full(r))
		ta_strv_add(notes, TA_LOAD_GENERATOR_FULL);
	for (size_t i = 0; i < r->notes.n; i++)
		ta_strv_add(notes, r->notes.v[i]);
	if (r->interrupted)
		ta_strv_add(notes, "stopped early: what is here was measured until then");
	if (!strcmp(r->path, "loopback"))
		ta_strv_add(notes, "loopback: says nothing of NIC queues, rings, interrupts or the network");
	if (r->before && r->after) {
		note_cpus(r, notes);
		note_counts(r->before, r->after, "this host", notes);
	}
	if (r->peer.version[0])
		note_peer(r, notes);
	if (r->points)
		note_clock(r, notes);
}
