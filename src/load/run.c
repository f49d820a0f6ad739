/*
 * The main thread of a run. It starts the workers, wakes when warm-up ends and when the measured time ends, reads the
 * counters there, and merges what the workers found. Repetitions of one number of connections make a point.
 */
#include "load/run.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "load/pin.h"
#include "load/stage.h"

#define LOOK_NS (250 * TA_NS_PER_MS)

struct run {
	struct ta_stage *stage;
	const struct ta_load_options *o;
	struct ta_load_result *result;
	const struct ta_engine *engine;
	struct ta_buf bytes; /* of the wire */
	struct ta_wire wire;
};

static uint64_t cpu_of(clockid_t clock)
{
	struct timespec t = {0};

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * TA_NS_PER_S + (uint64_t)t.tv_nsec;
}

/* --- one repetition -------------------------------------------------------- */

struct job {
	const struct ta_engine *engine;
	struct ta_worker worker;
};

struct crew {
	struct ta_load_plan plan;
	struct job *jobs;
	pthread_t threads[TA_LOAD_THREADS_MAX];
	uint64_t cpu_before[TA_LOAD_THREADS_MAX]; /* of each thread, at the start of the measured time */
	unsigned n; /* that run */
};

/*
 * A table of descriptors of its own, with none of the others' in it: where threads share one, each send and each receive takes a
 * reference of its file and gives it back (fs/file.c: __fget_light()), 1.5 % of a short request. Linux 5.9; else it is shared.
 */
static void own_descriptors(void)
{
#if defined(SYS_close_range) && defined(CLOSE_RANGE_UNSHARE)
	syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_UNSHARE);
#endif
}

static void *job_main(void *arg)
{
	struct job *job = arg;

	own_descriptors();
	job->worker.rc = job->engine->run(&job->worker);
	job->worker.cpu_ns = cpu_of(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

static int crew_start(struct run *run, struct crew *crew, struct ta_err *err)
{
	unsigned n = crew->plan.threads, each = crew->plan.connections / n, more = crew->plan.connections % n;

	crew->jobs = calloc(n, sizeof(*crew->jobs));
	if (!crew->jobs)
		return -ENOMEM;
	while (crew->n < n) {
		struct job *job = &crew->jobs[crew->n];
		int error;

		job->engine = run->engine;
		job->worker.plan = &crew->plan;
		job->worker.index = crew->n;
		job->worker.connections = each + (crew->n < more);
		ta_hist_reset(&job->worker.hist);
		error = pthread_create(&crew->threads[crew->n], NULL, job_main, job);
		if (error)
			return ta_err_set(err, -error, "no thread: %s", ta_errno_text(-error));
		if (run->o->pin)
			ta_pin_thread(crew->threads[crew->n], crew->n);
		crew->n++;
	}
	return 0;
}

static uint64_t live_replies(const struct crew *crew)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < crew->n; i++)
		n += atomic_load_explicit(&crew->jobs[i].worker.live_replies, memory_order_relaxed);
	return n;
}

static bool is_stopped(const struct run *run)
{
	return ta_stage_stopped(run->stage);
}

static void sleep_until(uint64_t ns)
{
	struct timespec t = {(time_t)(ns / TA_NS_PER_S), (long)(ns % TA_NS_PER_S)};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

/* What was seen at the last look, to tell what changed since. */
struct look {
	uint64_t now, replies;
	uint64_t cpu[TA_LOAD_THREADS_MAX]; /* of each thread */
	struct ta_watch_sample watch;
};

/* 0 of a thread that ended. */
static uint64_t thread_cpu(const struct crew *crew, unsigned i)
{
	clockid_t clock;

	return pthread_getcpuclockid(crew->threads[i], &clock) == 0 ? cpu_of(clock) : 0;
}

static void take_look(struct run *run, const struct crew *crew, struct look *ret)
{
	ret->now = ta_load_now();
	ret->replies = live_replies(crew);
	for (unsigned i = 0; i < crew->n; i++)
		ret->cpu[i] = thread_cpu(crew, i);
	ta_watch_glance(run->stage->host, &ret->watch);
}

static void tell(struct run *run, const struct crew *crew, unsigned repeat, const struct look *a, const struct look *b)
{
	const struct ta_load_plan *plan = &crew->plan;
	uint64_t begin = plan->start_ns - run->o->warmup_ns;
	struct ta_watch_during since = {.looks = 0};
	struct ta_load_progress p = {
		.connections = plan->connections,
		.repeat = repeat,
		.warming_up = b->now < plan->start_ns,
		.elapsed_s = (double)(b->now - begin) / 1e9,
		.total_s = (double)(plan->end_ns - begin) / 1e9,
		.per_second = (double)(b->replies - a->replies) * 1e9 / (double)(b->now - a->now),
	};

	for (unsigned i = 0; i < crew->n; i++)
		if (b->cpu[i] > a->cpu[i])
			p.generator_share = TA_MAX(p.generator_share, (double)(b->cpu[i] - a->cpu[i]) / (double)(b->now - a->now));
	ta_watch_look(&since, &a->watch, &b->watch);
	p.softirq = since.softirq;
	p.mhz = since.n_mhz ? since.mhz_sum / since.n_mhz : 0;
	run->o->progress(&p, run->o->progress_ctx);
}

/* Waits for `until`, looking at the machine, and telling the caller's line how it goes. */
static void wait_for(struct run *run, struct crew *crew, unsigned repeat, uint64_t until, struct ta_watch_during *during)
{
	struct look *looks = calloc(2, sizeof(*looks)), *last = looks, *next = looks ? looks + 1 : NULL;

	if (looks)
		take_look(run, crew, last);
	while (looks && !is_stopped(run)) {
		struct look *other = last;

		sleep_until(TA_MIN(until, last->now + LOOK_NS));
		if (ta_load_now() < TA_MIN(until, last->now + LOOK_NS))
			continue; /* woken by a signal */
		if (ta_load_now() >= until)
			break;
		take_look(run, crew, next);
		if (during)
			ta_watch_look(during, &last->watch, &next->watch);
		if (run->o->progress)
			tell(run, crew, repeat, last, next);
		last = next;
		next = other;
	}
	free(looks);
	while (!is_stopped(run) && ta_load_now() < until)
		sleep_until(until);
}

static int crew_join(struct crew *crew, struct ta_load_point *point, uint64_t *ret_replies)
{
	int rc = 0;

	*ret_replies = 0;
	for (unsigned i = 0; i < crew->n; i++) {
		const struct ta_worker *w = &crew->jobs[i].worker;

		pthread_join(crew->threads[i], NULL);
		if (w->rc < 0)
			rc = w->rc;
		*ret_replies += w->counts.replies;
		ta_load_counts_merge(&point->counts, &w->counts);
		ta_hist_merge(&point->hist, &w->hist);
	}
	return rc;
}

/* While all threads run: the clock of one that ended would say 0. */
static void mark_threads(struct crew *crew)
{
	for (unsigned i = 0; i < crew->n; i++)
		crew->cpu_before[i] = thread_cpu(crew, i);
}

static void add_generator_share(const struct crew *crew, struct ta_load_point *p, double wall_ns)
{
	for (unsigned i = 0; i < crew->n; i++) {
		double used = (double)crew->jobs[i].worker.cpu_ns - (double)crew->cpu_before[i];

		p->generator_share = TA_MAX(p->generator_share, used / wall_ns);
	}
}

static int measure(struct run *run, struct crew *crew, struct ta_load_point *point, struct ta_err *err)
{
	struct ta_stage_mark from;
	uint64_t replies, end;
	int rc;

	wait_for(run, crew, point->n_runs + 1, crew->plan.start_ns, NULL);
	mark_threads(crew);
	ta_stage_begin(run->stage, &from);
	wait_for(run, crew, point->n_runs + 1, crew->plan.end_ns, &point->during);
	end = ta_load_now();
	if (end > crew->plan.start_ns) /* else stopped in the warm-up */
		ta_stage_end(run->stage, &from, point);
	rc = crew_join(crew, point, &replies);
	if (rc < 0)
		return ta_err_set(err, rc, "the %s engine failed: %s", run->engine->name, ta_errno_text(rc));
	if (end <= crew->plan.start_ns)
		return 0;
	add_generator_share(crew, point, (double)(end - from.now));
	point->measured_s += (double)(end - crew->plan.start_ns) / 1e9;
	point->per_second[point->n_runs++] = (double)replies * 1e9 / (double)(end - crew->plan.start_ns);
	return 0;
}

static int run_once(struct run *run, struct ta_load_point *point, struct ta_err *err)
{
	const struct ta_load_options *o = run->o;
	static const volatile sig_atomic_t stopped = 1;
	struct crew crew = {.plan = {
		.to = run->stage->target.addr,
		.to_len = run->stage->target.addr_len,
		.wire = &run->wire,
		.connections = point->connections,
		.threads = TA_MIN(run->result->threads, point->connections),
		.rate = o->rate / o->pipeline,
		.timeout_ns = o->timeout_ns,
		.start_ns = ta_load_now() + o->warmup_ns,
		.stop = o->stop,
	}};
	int rc;

	crew.plan.end_ns = crew.plan.start_ns + o->duration_ns;
	rc = crew_start(run, &crew, err);
	if (rc == 0) {
		rc = measure(run, &crew, point, err);
	} else {
		uint64_t ignored;

		crew.plan.stop = &stopped;
		crew_join(&crew, point, &ignored);
	}
	free(crew.jobs);
	return rc;
}

/* --- points ----------------------------------------------------------------- */

void ta_load_point_sum_up(struct ta_load_point *p)
{
	double sum = 0, squares = 0;

	for (unsigned i = 0; i < p->n_runs; i++)
		sum += p->per_second[i];
	p->mean = p->n_runs ? sum / p->n_runs : 0;
	for (unsigned i = 0; i < p->n_runs; i++)
		squares += (p->per_second[i] - p->mean) * (p->per_second[i] - p->mean);
	p->stddev = p->n_runs > 1 ? sqrt(squares / (p->n_runs - 1)) : 0;
}

static int run_points(struct run *run, struct ta_err *err)
{
	struct ta_load_result *r = run->result;
	int rc = 0;

	for (size_t i = 0; i < run->o->n_sweep && rc == 0 && !is_stopped(run); i++) {
		struct ta_load_point *p = &r->points[i];

		p->connections = run->o->sweep[i];
		ta_hist_reset(&p->hist);
		for (unsigned k = 0; k < run->o->repeats && rc == 0 && !is_stopped(run); k++)
			rc = run_once(run, p, err);
		ta_load_point_sum_up(p);
		if (p->n_runs)
			r->n_points = i + 1;
		if (p->mean > r->points[r->peak].mean)
			r->peak = i;
	}
	r->interrupted = is_stopped(run);
	if (rc == 0 && !r->n_points)
		rc = ta_err_set(err, -EINTR, "stopped before anything was measured");
	return rc;
}

/* --- before it begins --------------------------------------------------------- */

/* Unless one is named the first that works: epoll was never the slower one (docs/benchmarks.md). */
static int choose_engine(struct run *run, struct ta_err *err)
{
	const char *wanted = run->o->engine;
	struct ta_err why = {0};

	for (size_t i = 0; i < ta_n_engines; i++) {
		if (wanted && strcmp(ta_engines[i]->name, wanted) != 0)
			continue;
		if (ta_engines[i]->usable(&why) == 0) {
			run->engine = ta_engines[i];
			return 0;
		}
		if (wanted)
			return ta_err_set(err, -EOPNOTSUPP, "engine %s: %s", wanted, why.text);
	}
	return ta_err_set(err, -EINVAL, "there is no engine '%s'", wanted ? wanted : "auto");
}

static int prepare(struct run *run, const struct ta_workload_options *w, struct ta_err *err)
{
	const struct ta_load_options *o = run->o;
	int rc = choose_engine(run, err);

	if (rc == 0)
		rc = ta_stage_open(run->stage, NULL, err);
	if (rc == 0)
		rc = o->workload->prepare(w, &run->bytes, &run->wire, err);
	if (rc == 0)
		run->result->engine = run->engine->name;
	return rc;
}

/* A workload that asks and waits for answers. */
static int run_wire(struct ta_stage *stage, struct ta_err *err)
{
	struct run run = {.stage = stage, .o = stage->o, .result = stage->result};
	const struct ta_load_options *o = stage->o;
	const struct ta_workload_options w = {o, &stage->target, o->headers, o->pipeline};
	int rc = prepare(&run, &w, err);

	if (rc == 0 && o->workload->begin)
		rc = o->workload->begin(&w, err);
	if (rc >= 0) {
		bool left_something = rc;

		rc = run_points(&run, err);
		if (o->workload->finish)
			o->workload->finish(&w, left_something, stage->result);
	}
	ta_wire_done(&run.wire);
	ta_buf_done(&run.bytes);
	return rc;
}

int ta_load_run(struct ta_host *h, const struct ta_load_options *o, struct ta_load_result *ret, struct ta_err *err)
{
	struct ta_load_result result = {0};
	struct ta_stage stage = {.host = h, .o = o, .result = &result};
	int rc = o->workload->run ? o->workload->run(&stage, err) : run_wire(&stage, err);

	ta_stage_close(&stage);
	if (rc == 0)
		rc = ta_figures_error(&result.figures);
	if (rc < 0)
		ta_load_result_done(&result);
	else
		*ret = result;
	return rc;
}

void ta_load_result_done(struct ta_load_result *r)
{
	for (size_t i = 0; i < r->room; i++) {
		free(r->points[i].watched);
		free(r->points[i].peer_watched);
	}
	free(r->points);
	free(r->before);
	free(r->after);
	free(r->peer.before);
	free(r->peer.after);
	ta_figures_done(&r->figures);
	ta_strv_done(&r->notes);
	*r = (struct ta_load_result){0};
}
