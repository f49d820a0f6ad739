/*
 * connect: how many new connections a second. Against the built-in server three ways to accept them are measured in turns;
 * the points are those of EPOLLEXCLUSIVE, which the built-in server uses elsewhere, too.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "load/connect/accept.h"
#include "load/connect/client.h"
#include "load/source.h"
#include "load/stage.h"
#include "load/tcpcount.h"

#define PROGRESS_NS (500 * TA_NS_PER_MS)

/* One way to accept, at one number of connections. */
struct row {
	enum ta_accept_how how;
	unsigned connections, threads;
	double per_second, ended_p50_us, ended_p99_us;
	uint64_t accepted, wakeups, in_vain, least, most, lost;
	struct ta_tcp_counts before, after;
};

struct connect {
	struct ta_stage *stage;
	const struct ta_load_options *o;
	enum ta_close close;
	struct ta_connect_plan plan;
	struct ta_room room;
	struct ta_accept_counts *counts; /* shared with the server */
	struct row *rows;
	size_t n_rows;
};

/* --- threads ------------------------------------------------------------------------ */

struct crew {
	struct ta_connect_job job;
	struct ta_connect_worker *workers;
	pthread_t threads[TA_LOAD_THREADS_MAX];
	uint64_t cpu_before[TA_LOAD_THREADS_MAX];
	unsigned n;
	volatile sig_atomic_t stop;
};

static uint64_t cpu_of(clockid_t clock)
{
	struct timespec t = {0};

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * TA_NS_PER_S + (uint64_t)t.tv_nsec;
}

static void *thread_main(void *arg)
{
	struct ta_connect_worker *w = arg;

	ta_connect_work(w);
	w->cpu_ns = cpu_of(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

static int crew_start(struct crew *crew, struct ta_err *err)
{
	crew->workers = calloc(crew->job.threads, sizeof(*crew->workers));
	if (!crew->workers)
		return -ENOMEM;
	while (crew->n < crew->job.threads) {
		struct ta_connect_worker *w = &crew->workers[crew->n];
		int error;

		w->job = &crew->job;
		w->index = crew->n;
		error = pthread_create(&crew->threads[crew->n], NULL, thread_main, w);
		if (error)
			return ta_err_set(err, -error, "no thread: %s", ta_errno_text(-error));
		crew->n++;
	}
	return 0;
}

static int crew_join(struct crew *crew)
{
	int rc = 0;

	for (unsigned i = 0; i < crew->n; i++) {
		pthread_join(crew->threads[i], NULL);
		if (crew->workers[i].rc < 0)
			rc = crew->workers[i].rc;
	}
	return rc;
}

static uint64_t live(const struct crew *crew)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < crew->n; i++)
		n += atomic_load_explicit(&crew->workers[i].live, memory_order_relaxed);
	return n;
}

static void sleep_until(uint64_t ns)
{
	struct timespec t = {(time_t)(ns / TA_NS_PER_S), (long)(ns % TA_NS_PER_S)};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static void wait_for(struct connect *c, struct crew *crew, unsigned repeat, uint64_t until)
{
	uint64_t begin = crew->job.start_ns - c->o->warmup_ns, last = ta_load_now(), seen = live(crew);

	while (!ta_stage_stopped(c->stage) && last < until) {
		struct ta_load_progress p = {.connections = crew->job.in_flight, .repeat = repeat};
		uint64_t now, made;

		sleep_until(TA_MIN(until, last + PROGRESS_NS));
		now = ta_load_now();
		if (now < until && now < last + PROGRESS_NS)
			continue; /* woken by a signal */
		made = live(crew);
		p.warming_up = now < crew->job.start_ns;
		p.elapsed_s = (double)(now - begin) / 1e9;
		p.total_s = (double)(crew->job.end_ns - begin) / 1e9;
		p.per_second = (double)(made - seen) * 1e9 / (double)(now - last);
		if (c->o->progress && now < until)
			c->o->progress(&p, c->o->progress_ctx);
		last = now;
		seen = made;
	}
}

/* The server: built in, here or at a peer. */
static bool is_ours(const struct connect *c)
{
	return !c->o->target || ta_stage_is_peer(c->o);
}

/* --- one measurement ------------------------------------------------------------------- */

/* Sums of what the acceptors counted; signs: +1 at the end, -1 at the start. */
static void add_counts(const struct connect *c, struct row *row, int sign)
{
	for (unsigned i = 0; i < row->threads; i++) {
		row->accepted += (uint64_t)sign * atomic_load(&c->counts[i].accepted);
		row->wakeups += (uint64_t)sign * atomic_load(&c->counts[i].wakeups);
		row->in_vain += (uint64_t)sign * atomic_load(&c->counts[i].in_vain);
	}
}

static void find_extremes(const struct connect *c, struct row *row, const uint64_t *from)
{
	for (unsigned i = 0; i < row->threads; i++) {
		uint64_t n = atomic_load(&c->counts[i].accepted) - from[i];

		row->least = i ? TA_MIN(row->least, n) : n;
		row->most = i ? TA_MAX(row->most, n) : n;
	}
}

/* A peer tells what is in memory that the built-in server shares. What it does not tell stays as it was: stage.c sees its end. */
static void read_counts(const struct connect *c, const struct row *row)
{
	if (c->stage->peer.is_open && ta_peer_accepted(&c->stage->peer, row->threads, c->counts) < 0)
		ta_stage_lose_peer(c->stage);
}

/* To full accept queues, where the server is. */
static uint64_t lost(const struct connect *c, const struct row *row)
{
	const struct ta_watch_sample *from = c->stage->peer_from, *to = c->stage->result->peer.after;

	if (!from)
		return ta_tcp_counts_grown(&row->before, &row->after, TA_TCP_LISTEN_OVERFLOWS);
	return from->has_netstat && to->has_netstat && to->listen_overflows > from->listen_overflows ?
		to->listen_overflows - from->listen_overflows : 0;
}

static void take_counts(const struct connect *c, uint64_t *ret)
{
	for (unsigned i = 0; i < TA_ACCEPT_THREADS_MAX; i++)
		ret[i] = atomic_load(&c->counts[i].accepted);
}

static void mark_threads(struct crew *crew)
{
	for (unsigned i = 0; i < crew->n; i++) {
		clockid_t clock;

		if (pthread_getcpuclockid(crew->threads[i], &clock) == 0)
			crew->cpu_before[i] = cpu_of(clock);
	}
}

/* A server that is not ours does not end what we reset. */
static bool ends_there(const struct connect *c)
{
	return c->close != TA_CLOSE_RESET || is_ours(c);
}

static void sum_up(struct connect *c, struct crew *crew, struct row *row, struct ta_load_point *p, double wall_ns)
{
	struct ta_hist *ended = malloc(sizeof(*ended));
	uint64_t replies = 0;

	if (ended)
		ta_hist_reset(ended);
	for (unsigned i = 0; i < crew->n; i++) {
		const struct ta_connect_worker *w = &crew->workers[i];

		replies += w->counts.replies;
		ta_load_counts_merge(&p->counts, &w->counts);
		ta_hist_merge(&p->hist, &w->made);
		if (ended)
			ta_hist_merge(ended, &w->ended);
		p->generator_share = TA_MAX(p->generator_share, ((double)w->cpu_ns - (double)crew->cpu_before[i]) / wall_ns);
	}
	p->measured_s += wall_ns / 1e9;
	p->per_second[p->n_runs++] = (double)replies * 1e9 / wall_ns;
	row->per_second = (double)replies * 1e9 / wall_ns;
	if (ended) {
		row->ended_p50_us = (double)ta_hist_percentile(ended, 50) / 1e3;
		row->ended_p99_us = (double)ta_hist_percentile(ended, 99) / 1e3;
	}
	free(ended);
}

static void measure(struct connect *c, struct crew *crew, struct row *row, struct ta_load_point *p)
{
	uint64_t from[TA_ACCEPT_THREADS_MAX], start;
	struct ta_stage_mark mark;

	wait_for(c, crew, p->n_runs + 1, crew->job.start_ns);
	read_counts(c, row);
	take_counts(c, from);
	add_counts(c, row, -1);
	ta_tcp_counts_read(c->stage->host, &row->before);
	mark_threads(crew);
	ta_stage_begin(c->stage, &mark);
	start = ta_load_now();
	wait_for(c, crew, p->n_runs + 1, crew->job.end_ns);
	read_counts(c, row);
	ta_stage_end(c->stage, &mark, p);
	ta_tcp_counts_read(c->stage->host, &row->after);
	row->lost = lost(c, row);
	add_counts(c, row, 1);
	find_extremes(c, row, from);
	crew->stop = 1;
	if (crew_join(crew) == 0 && mark.now > 0)
		sum_up(c, crew, row, p, (double)(TA_MIN(ta_load_now(), crew->job.end_ns) - TA_MIN(start, crew->job.end_ns)));
}

static int run_once(struct connect *c, struct row *row, struct ta_load_point *p, struct ta_err *err)
{
	const struct ta_load_options *o = c->o;
	const struct ta_stage *s = c->stage;
	struct crew crew = {.job = {
		.to = s->target.addr,
		.to_len = s->target.addr_len,
		.in_flight = p->connections,
		.threads = TA_MIN(s->result->threads, p->connections),
		.sources = c->plan.sources,
		.rate = o->rate,
		.close = c->close,
		.ends_there = ends_there(c),
		.timeout_ns = o->timeout_ns,
		.start_ns = ta_load_now() + o->warmup_ns,
	}};
	int rc;

	crew.job.stop = &crew.stop;
	crew.job.end_ns = crew.job.start_ns + o->duration_ns;
	rc = crew_start(&crew, err);
	if (rc == 0) {
		measure(c, &crew, row, p);
	} else {
		crew.stop = 1;
		crew_join(&crew);
	}
	for (unsigned i = 0; i < crew.n && rc == 0; i++)
		if (crew.workers[i].rc < 0)
			rc = ta_err_set(err, crew.workers[i].rc, "connections cannot be waited for: %s",
				ta_errno_text(crew.workers[i].rc));
	free(crew.workers);
	return rc;
}

/* --- all of them ----------------------------------------------------------------------------- */

static int serve_there(struct connect *c, const struct ta_accept *accept, struct row *row, struct ta_err *err)
{
	struct ta_peer *p = &c->stage->peer;
	unsigned port;
	int rc = p->is_open ? ta_peer_accept(p, &c->stage->target, accept, c->o->backlog, &port, &row->threads, err) : -ECONNRESET;

	if (rc == 0)
		ta_stage_at_port(c->stage, port);
	return rc;
}

/* A peer that is gone after something was measured: what follows are the failures that come of it. */
static int without_peer(struct connect *c)
{
	if (c->stage->peer.is_open)
		ta_stage_lose_peer(c->stage);
	return 0;
}

/* The server of ours, anew: as the row wants it. */
static int serve(struct connect *c, struct row *row, struct ta_err *err)
{
	const struct ta_accept accept = {.how = row->how, .close = c->close, .counts = c->counts};
	const struct ta_server_options so = {.threads = ta_accept_threads(ta_stage_cpus()), .backlog = c->o->backlog, .accept = &accept};
	int rc;

	row->threads = row->how == TA_ACCEPT_SINGLE ? 1 : so.threads;
	if (c->o->target) {
		rc = serve_there(c, &accept, row, err);
		return rc < 0 && c->n_rows ? without_peer(c) : rc;
	}
	if (c->stage->server.pid)
		ta_server_stop(&c->stage->server);
	return ta_stage_serve(c->stage, &so, err);
}

static int run_row(struct connect *c, struct row *row, struct ta_load_point *p, struct ta_err *err)
{
	struct ta_load_point *other = NULL;
	int rc;

	if (row->how != TA_ACCEPT_EXCLUSIVE) {
		other = calloc(1, sizeof(*other));
		if (!other)
			return -ENOMEM;
		other->connections = p->connections;
		ta_hist_reset(&other->hist);
	}
	rc = run_once(c, row, other ? other : p, err);
	/* What failed in any of them is an error of the run. */
	for (unsigned e = 0; other && e < TA_LOAD_ERRORS; e++)
		p->counts.errors[e] += other->counts.errors[e];
	free(other);
	return rc;
}

/* The peer is gone, and that was counted: there is no more to see. */
static bool is_over(const struct connect *c, const struct ta_load_point *p)
{
	return c->stage->result->peer.lost && ta_load_counts_errors(&p->counts);
}

static int run_hows(struct connect *c, struct ta_load_point *p, struct ta_err *err)
{
	unsigned hows = !is_ours(c) || c->o->one_way ? 1 : TA_ACCEPT_HOWS;
	int rc = 0;

	for (unsigned how = 0; how < hows && rc == 0 && !ta_stage_stopped(c->stage) && !is_over(c, p); how++) {
		struct row *row = &c->rows[c->n_rows];

		*row = (struct row){.how = how, .connections = p->connections};
		if (is_ours(c))
			rc = serve(c, row, err);
		if (rc == 0)
			rc = run_row(c, row, p, err);
		if (rc == 0)
			c->n_rows++;
	}
	return rc;
}

static int run_points(struct connect *c, struct ta_err *err)
{
	struct ta_load_result *r = c->stage->result;
	int rc = 0;

	for (size_t i = 0; i < c->o->n_sweep && rc == 0 && !ta_stage_stopped(c->stage); i++) {
		struct ta_load_point *p = &r->points[i];

		p->connections = c->o->sweep[i];
		ta_hist_reset(&p->hist);
		for (unsigned k = 0; k < c->o->repeats && rc == 0 && !ta_stage_stopped(c->stage); k++)
			rc = run_hows(c, p, err);
		ta_load_point_sum_up(p);
		if (p->n_runs)
			r->n_points = i + 1;
		if (p->mean > r->points[r->peak].mean)
			r->peak = i;
	}
	r->interrupted = ta_stage_stopped(c->stage);
	return rc == 0 && !r->n_points ? ta_err_set(err, -EINTR, "stopped before anything was measured") : rc;
}

/* --- figures ---------------------------------------------------------------------------------- */

static uint64_t grown(const struct connect *c, enum ta_tcp_count which)
{
	uint64_t n = 0;

	for (size_t i = 0; i < c->n_rows; i++)
		n += ta_tcp_counts_grown(&c->rows[i].before, &c->rows[i].after, which);
	return n;
}

static void add_table(const struct connect *c, struct ta_figures *f)
{
	struct ta_load_table *t = ta_figures_table(f, "accepting",
		"How they were accepted; p50, p99 until the server was seen to have ended them",
		"by|open|per s|p50 ms|p99 ms|wakes|in vain|least|most|lost");

	for (size_t i = 0; i < c->n_rows; i++) {
		const struct row *r = &c->rows[i];
		double n = TA_MAX((double)r->accepted, 1.0);

		ta_load_table_text(t, ta_accept_name(r->how));
		ta_load_table_number(t, r->connections, 0);
		ta_load_table_number(t, r->per_second, 0);
		ta_load_table_number(t, r->ended_p50_us / 1e3, 3);
		ta_load_table_number(t, r->ended_p99_us / 1e3, 3);
		ta_load_table_number(t, (double)r->wakeups / n, 2);
		ta_load_table_number(t, (double)r->in_vain / n, 2);
		ta_load_table_number(t, (double)r->least / n, 2);
		ta_load_table_number(t, (double)r->most / n, 2);
		ta_load_table_number(t, (double)r->lost, 0);
	}
}

static void add_counters(const struct connect *c, struct ta_figures *f)
{
	static const struct {
		enum ta_tcp_count which;
		const char *key;
	} all[] = {
		{TA_TCP_LISTEN_OVERFLOWS, "listen_overflows"},
		{TA_TCP_LISTEN_DROPS, "listen_drops"},
		{TA_TCP_REQ_FULL_DROP, "syn_queue_drops"},
		{TA_TCP_COOKIES_SENT, "syn_cookies"},
		{TA_TCP_SYN_RETRANS, "syn_retransmits"},
		{TA_TCP_TW_OVERFLOW, "time_wait_overflows"},
		{TA_TCP_ABORT_ON_MEMORY, "aborts_on_memory"},
	};

	for (unsigned i = 0; i < TA_ARRAY_SIZE(all); i++) {
		uint64_t n = grown(c, all[i].which);

		ta_figures_number(f, all[i].key, n ? ta_tcp_count_name(all[i].which) : NULL, (double)n, "%llu, of this host meanwhile",
			(unsigned long long)n);
	}
}

static void add_close(const struct connect *c, struct ta_load_result *r)
{
	static const char *const holders[] = {
		[TA_CLOSE_RESET] = "nobody",
		[TA_CLOSE_SERVER] = "the server",
		[TA_CLOSE_CLIENT] = "the client",
	};
	static const char *const how[] = {
		[TA_CLOSE_RESET] = "connections are ended by RST",
		[TA_CLOSE_SERVER] = "the server ends each first",
		[TA_CLOSE_CLIENT] = "the client ends each first; its port waits, too",
	};

	ta_figures_text(&r->figures, "time_wait", NULL, "%s", holders[c->close]);
	ta_figures_text(&r->figures, "ends", "TIME_WAIT", "%s has it: %s", holders[c->close], how[c->close]);
	ta_figures_number(&r->figures, "sources", NULL, TA_MAX(c->plan.sources, 1u), "%s", "");
}

static void add_notes(const struct connect *c, struct ta_strv *notes)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	if (is_ours(c))
		ta_strv_add(notes, "wakes, in vain: of the accepting threads, for each connection; least, most: the share of one of them; "
				   "lost: to a full accept queue (ListenOverflows)");
	if (!ends_there(c))
		ta_strv_add(notes, "that a connection stands is its kernel's doing; whether the server accepts as fast is not seen, and where "
				   "it does not, its queue overflows. With --close client each is waited for");
	if (c->plan.most_per_second <= 0)
		return;
	ta_buf_printf(&b, "%u local ports, each in TIME_WAIT after its connection, allow for %.0f connections a second in the long run",
		c->room.ports, c->plan.most_per_second);
	ta_strv_add(notes, ta_buf_text(&b));
}

/* --- before -------------------------------------------------------------------------------------- */

static int read_close(const char *text, enum ta_close *ret, struct ta_err *err)
{
	static const char *const names[] = {
		[TA_CLOSE_RESET] = "reset",
		[TA_CLOSE_SERVER] = "server",
		[TA_CLOSE_CLIENT] = "client",
	};

	for (unsigned i = 0; i < TA_ARRAY_SIZE(names); i++) {
		if (text && strcmp(text, names[i]) != 0)
			continue;
		*ret = i;
		return 0;
	}
	return ta_err_set(err, -EINVAL, "--close is reset, server or client, not '%.40s'", text);
}

static int plan(struct connect *c, struct ta_err *err)
{
	const struct ta_load_options *o = c->o;
	struct ta_connect_want want = {.rate = o->rate, .close = c->close,
		.seconds = (double)(o->warmup_ns + o->duration_ns) / 1e9,
		.many_addresses = !c->stage->peer.is_open && ta_source_is_many((const struct sockaddr *)&c->stage->target.addr)};
	int rc = ta_room_read(c->stage->host, &c->room);

	for (size_t i = 0; i < o->n_sweep; i++)
		want.in_flight = TA_MAX(want.in_flight, o->sweep[i]);
	if (rc == 0 && want.in_flight + 64 > c->room.descriptors)
		return ta_err_set(err, -E2BIG, "%u connections at a time need as many descriptors; a process may have %llu here (ulimit -Hn)",
			want.in_flight, (unsigned long long)c->room.descriptors);
	return rc < 0 ? rc : ta_connect_plan(&c->room, &want, &c->plan, err);
}

static int prepare(struct connect *c, struct ta_err *err)
{
	struct row first = {.how = TA_ACCEPT_EXCLUSIVE};
	int rc = read_close(c->o->close, &c->close, err);

	if (rc < 0)
		return rc;
	c->rows = calloc(c->o->n_sweep * c->o->repeats * TA_ACCEPT_HOWS, sizeof(*c->rows));
	c->counts = mmap(NULL, TA_ACCEPT_THREADS_MAX * sizeof(*c->counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!c->rows || c->counts == MAP_FAILED)
		return -ENOMEM;
	if (!is_ours(c))
		rc = ta_stage_open(c->stage, NULL, err);
	else if (c->o->target)
		rc = ta_stage_peer(c->stage, err);
	if (rc == 0 && is_ours(c))
		rc = serve(c, &first, err);
	if (rc == 0 && is_ours(c))
		rc = ta_stage_set(c->stage);
	c->stage->result->engine = "epoll";
	return rc < 0 ? rc : plan(c, err);
}

static int run(struct ta_stage *s, struct ta_err *err)
{
	struct connect c = {.stage = s, .o = s->o, .counts = MAP_FAILED};
	struct ta_load_result *r = s->result;
	int rc = prepare(&c, err);

	if (rc == 0)
		rc = run_points(&c, err);
	if (rc == 0) {
		if (is_ours(&c))
			add_table(&c, &r->figures);
		add_close(&c, r);
		add_counters(&c, &r->figures);
		add_notes(&c, &r->notes);
	}
	free(c.rows);
	if (c.counts != MAP_FAILED)
		munmap(c.counts, TA_ACCEPT_THREADS_MAX * sizeof(*c.counts));
	return rc;
}

const struct ta_workload ta_workload_connect = {
	.name = "connect",
	.summary = "how many new connections a second, and how they are accepted",
	.scheme = "tcp",
	.counts = "connects",
	.run = run,
};
