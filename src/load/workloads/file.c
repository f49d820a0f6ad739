/*
 * file: whole files over connections that stay open. Against the built-in server one large file and many small ones, in each way that
 * this kernel has to send them, cold (their pages dropped, and looked that they are gone) and cached, in turns;
 * against another server the address that was given, the first reply and those after it.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "load/fetch.h"
#include "load/fileload.h"
#include "load/floor.h"

#define SMALL_FILES 256u
#define SMALL_BYTES (16u << 10)
#define ROUNDS 2u /* of cached ones, in turns */
#define CONNECTIONS_MAX 32u
#define FLOOR_NS (150 * TA_NS_PER_MS)

/* What the connections do in one phase. */
struct phase {
	struct ta_file_run *run;
	const char *path; /* printf for the number of a small file; else the path */
	bool small;
	uint64_t for_ns; /* 0: once through */
	struct ta_hist *hist; /* of the replies; NULL: nobody asks */
	bool is_point;	      /* what stands at the top of the result */
};

struct job {
	const struct phase *phase;
	unsigned index;
	pthread_t thread;
	struct ta_fetch fetch;
	struct ta_hist hist;
	uint64_t bytes, replies, took_ns;
	int rc;
};

static void *job_main(void *arg)
{
	struct job *job = arg;
	const struct phase *p = job->phase;
	unsigned step = p->run->connections, i = job->index, once = p->small ? p->run->n_small : 1;
	uint64_t begin = ta_load_now(), now = begin;

	for (unsigned n = 0; p->for_ns ? now < begin + p->for_ns : n < once; n++) {
		uint64_t from = now, bytes = job->fetch.counts.bytes;
		char path[96];

		snprintf(path, sizeof(path), "/%s/small/%u", p->path, p->small ? i % p->run->n_small : 0);
		if (ta_fetch_get(&job->fetch, p->small ? path : p->path, NULL) != 200)
			break;
		now = ta_load_now();
		ta_hist_add(&job->hist, now - from);
		job->bytes += job->fetch.counts.bytes - bytes;
		job->replies++;
		i += p->for_ns ? step : 1;
	}
	job->took_ns = now - begin;
	return NULL;
}

static void add_job(struct ta_file_run *run, const struct phase *p, struct job *job, struct ta_file_cell *cell)
{
	double seconds = (double)job->took_ns / 1e9;

	if (job->replies && seconds > 0) {
		cell->per_second += (double)job->replies / seconds;
		cell->bytes_per_second += (double)job->bytes / seconds;
	}
	cell->replies += job->replies;
	cell->bytes += job->bytes;
	cell->seconds = TA_MAX(cell->seconds, seconds);
	ta_load_counts_merge(&run->counts, &job->fetch.counts);
	if (p->hist)
		ta_hist_merge(p->hist, &job->hist);
}

/* One connection where it goes once through. */
static int run_phase(const struct phase *p, struct ta_file_cell *ret)
{
	struct ta_stage *s = p->run->stage;
	unsigned n = p->for_ns ? p->run->connections : 1, started = 0;
	struct job *jobs = calloc(n, sizeof(*jobs));
	struct ta_load_point other = {.connections = n}, *point = p->is_point ? &s->result->points[0] : &other;
	const struct ta_load_cpu before = point->cpu;
	struct ta_stage_mark from;
	int rc = jobs ? 0 : -ENOMEM;

	*ret = (struct ta_file_cell){0};
	ta_stage_begin(s, &from);
	for (; started < n && rc == 0; started++) {
		struct job *job = &jobs[started];

		job->phase = p;
		job->index = started;
		ta_hist_reset(&job->hist);
		rc = ta_fetch_init(&job->fetch, &s->target, s->o->timeout_ns, s->o->stop);
		if (rc == 0)
			rc = -pthread_create(&job->thread, NULL, job_main, job);
		if (rc < 0) {
			ta_fetch_done(&job->fetch);
			break;
		}
	}
	for (unsigned i = 0; i < started; i++) {
		pthread_join(jobs[i].thread, NULL);
		add_job(p->run, p, &jobs[i], ret);
		ta_fetch_done(&jobs[i].fetch);
	}
	ta_stage_end(s, &from, point);
	ret->client_s = point->cpu.client_user_s + point->cpu.client_system_s - before.client_user_s - before.client_system_s;
	ret->server_s = point->cpu.server_user_s + point->cpu.server_system_s - before.server_user_s - before.server_system_s;
	free(jobs);
	return rc;
}

/* The mean of what was there, which `n` measurements made, and one more. */
static void merge(struct ta_file_cell *to, const struct ta_file_cell *more, unsigned n)
{
	to->per_second = (to->per_second * n + more->per_second) / (n + 1);
	to->bytes_per_second = (to->bytes_per_second * n + more->bytes_per_second) / (n + 1);
	to->replies += more->replies;
	to->bytes += more->bytes;
	to->seconds += more->seconds;
	to->server_s += more->server_s;
	to->client_s += more->client_s;
	to->cached_before += more->cached_before;
}

/* --- questions to the built-in server ------------------------------------------------ */

static unsigned ask(struct ta_file_run *run, const char *path, struct ta_buf *ret)
{
	struct ta_stage *s = run->stage;
	struct ta_fetch f;
	unsigned status = 0;

	/* Making files takes as long as the disk does. */
	if (ta_fetch_init(&f, &s->target, TA_MAX(s->o->timeout_ns, 120 * TA_NS_PER_S), s->o->stop) == 0)
		status = ta_fetch_get(&f, path, ret);
	ta_fetch_done(&f);
	return status;
}

/* The word behind `key` in lines of "key value". */
static bool find_word(const struct ta_buf *lines, const char *key, char *ret, size_t size)
{
	ta_cleanup_strv struct ta_strv all = TA_STRV_INIT;
	size_t n = strlen(key);

	ta_strv_split(&all, ta_buf_text(lines), "\n");
	for (size_t i = 0; i < all.n; i++) {
		if (strncmp(all.v[i], key, n) != 0 || all.v[i][n] != ' ')
			continue;
		snprintf(ret, size, "%s", all.v[i] + n + 1);
		return true;
	}
	return false;
}

static uint64_t find_number(const struct ta_buf *lines, const char *key)
{
	char word[32];
	uint64_t n;

	return find_word(lines, key, word, sizeof(word)) && ta_parse_u64(word, &n) == 0 ? n : 0;
}

static int make_files(struct ta_file_run *run, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf answer = TA_BUF_INIT, link = TA_BUF_INIT;
	char path[96];
	unsigned status;
	const char *name;

	snprintf(path, sizeof(path), "/make/%llu/%u/%llu", (unsigned long long)run->large_bytes, run->n_small,
		(unsigned long long)run->small_bytes);
	status = ask(run, path, &answer);
	ta_buf_rtrim(&answer);
	if (status != 200)
		return ta_err_set(err, ta_stage_stopped(run->stage) ? -EINTR : -EIO, "the server made no files: %.300s",
			answer.len ? ta_buf_text(&answer) : "it did not answer");
	find_word(&answer, "dir", run->dir, sizeof(run->dir));
	find_word(&answer, "kind", run->kind, sizeof(run->kind));
	run->in_memory = find_number(&answer, "memory");
	snprintf(path, sizeof(path), "/sys/dev/block/%llu:%llu", (unsigned long long)find_number(&answer, "major"),
		(unsigned long long)find_number(&answer, "minor"));
	/* A peer's disk has no name here. */
	if (run->stage->server.pid && find_number(&answer, "major") && ta_host_readlink(run->stage->host, path, &link) == 0) {
		name = strrchr(ta_buf_text(&link), '/');
		snprintf(run->device, sizeof(run->device), "%s", name ? name + 1 : "");
	}
	return 0;
}

static bool drop(struct ta_file_run *run, bool small, uint64_t *ret_left)
{
	ta_cleanup_buf struct ta_buf answer = TA_BUF_INIT;

	if (ask(run, small ? "/drop/small" : "/drop/large", &answer) != 200)
		return false;
	*ret_left = find_number(&answer, "left");
	return true;
}

static void read_counts(struct ta_file_run *run)
{
	ta_cleanup_buf struct ta_buf answer = TA_BUF_INIT;

	if (ask(run, "/counts", &answer) != 200)
		return;
	for (unsigned way = 0; way < TA_FILE_WAYS; way++) {
		struct ta_file_result *r = &run->ways[way];
		char key[32];

		snprintf(key, sizeof(key), "%s.sends", ta_file_way_name(way));
		r->sends = find_number(&answer, key);
		snprintf(key, sizeof(key), "%s.copied", ta_file_way_name(way));
		r->copied = find_number(&answer, key);
		snprintf(key, sizeof(key), "%s.direct", ta_file_way_name(way));
		r->direct = find_number(&answer, key);
	}
}

/* --- measuring ---------------------------------------------------------------------- */

static int measure(struct ta_file_run *run, enum ta_file_way way, bool small, uint64_t for_ns, unsigned n)
{
	struct ta_file_result *r = &run->ways[way];
	struct ta_file_cell cell, *to = &(small ? r->small : r->large)[for_ns ? TA_FILE_CACHED : TA_FILE_COLD];
	char path[64];
	struct phase p = {.run = run, .path = path, .small = small, .for_ns = for_ns};
	uint64_t left = 0;
	int rc;

	p.is_point = !small && for_ns && way == TA_FILE_SENDFILE;
	if (for_ns)
		p.hist = p.is_point ? &run->stage->result->points[0].hist : small ? &r->hist : NULL;
	snprintf(path, sizeof(path), small ? "%s" : "/%s/large", ta_file_way_name(way));
	if (!for_ns && !drop(run, small, &left))
		return 0;
	rc = run_phase(&p, &cell);
	cell.cached_before = left;
	if (rc == 0 && cell.replies)
		merge(to, &cell, n);
	return rc;
}

/* Whether this kernel has the way: a small file by it, which also brings its pages in. */
static void try_ways(struct ta_file_run *run)
{
	for (unsigned way = 0; way < TA_FILE_WAYS; way++) {
		ta_cleanup_buf struct ta_buf answer = TA_BUF_INIT;
		struct ta_file_result *r = &run->ways[way];
		char path[64];
		unsigned status;

		if (run->stage->o->one_way && way != TA_FILE_SENDFILE) {
			snprintf(r->why, sizeof(r->why), "not asked for");
			continue;
		}
		snprintf(path, sizeof(path), "/%s/small/0", ta_file_way_name(way));
		status = ask(run, path, &answer);
		r->has = status == 200;
		if (!r->has)
			snprintf(r->why, sizeof(r->why), "%.190s", status ? ta_buf_text(&answer) : "the server broke off");
	}
}

static int measure_cold(struct ta_file_run *run, unsigned n)
{
	int rc = 0;

	for (unsigned way = 0; way < TA_FILE_WAYS && rc == 0; way++) {
		if (!run->ways[way].has || run->in_memory || ta_stage_stopped(run->stage))
			continue;
		rc = measure(run, way, false, 0, n);
		if (rc == 0)
			rc = measure(run, way, true, 0, n);
	}
	return rc;
}

/* Half of the time for each size. The turns go forth and back, so that what drifts meanwhile hits all ways. */
static int measure_cached(struct ta_file_run *run, unsigned n)
{
	uint64_t each = run->stage->o->duration_ns / (run->stage->o->one_way ? 1 : TA_FILE_WAYS) / 2;
	int rc = 0;

	for (unsigned i = 0; i < TA_FILE_WAYS && rc == 0; i++) {
		unsigned way = n % 2 ? TA_FILE_WAYS - 1 - i : i;

		if (!run->ways[way].has || ta_stage_stopped(run->stage))
			continue;
		rc = measure(run, way, false, each / ROUNDS, n);
		if (rc == 0)
			rc = measure(run, way, true, each / ROUNDS, n);
	}
	return rc;
}

/* What stands at the top: the large file, cached, by sendfile. */
static void fill_point(struct ta_file_run *run, const struct ta_file_cell *c)
{
	struct ta_load_result *r = run->stage->result;
	struct ta_load_point *p = &r->points[0];

	p->connections = run->connections;
	p->n_runs = 1;
	p->per_second[0] = p->mean = c->per_second;
	p->measured_s = c->seconds;
	p->counts = run->counts;
	p->counts.replies = c->replies;
	p->counts.bytes = c->bytes;
	p->generator_share = c->seconds > 0 ? c->client_s / c->seconds / run->connections : 0;
	r->n_points = 1;
}

static int measure_own(struct ta_file_run *run, struct ta_err *err)
{
	struct ta_floor_loopback *floor = calloc(1, sizeof(*floor));
	unsigned repeats = run->stage->o->repeats;
	int rc = floor ? make_files(run, err) : -ENOMEM;

	if (rc == 0)
		try_ways(run);
	for (unsigned i = 0; i < repeats && rc == 0; i++)
		rc = measure_cold(run, i);
	for (unsigned i = 0; i < repeats * ROUNDS && rc == 0; i++)
		rc = measure_cached(run, i);
	if (rc == 0 && run->stage->server.pid && !run->stage->o->one_way && !ta_stage_stopped(run->stage) &&
		ta_floor_loopback(2 * FLOOR_NS, floor, NULL) == 0)
		run->loopback_bytes_per_second = floor->bytes_per_second;
	free(floor);
	if (rc < 0)
		return rc;
	read_counts(run);
	ta_file_tell(run);
	fill_point(run, &run->ways[TA_FILE_SENDFILE].large[TA_FILE_CACHED]);
	return 0;
}

/* The address that was given: what is read of it first, and then again. */
static int measure_theirs(struct ta_file_run *run, struct ta_err *err)
{
	struct ta_load_result *r = run->stage->result;
	struct phase p = {.run = run, .path = run->stage->target.path, .hist = &r->points[0].hist};
	struct ta_file_cell first, again, cell;
	struct ta_load_table *t;
	int rc = run_phase(&p, &first);

	ta_hist_reset(p.hist);
	p.for_ns = run->stage->o->duration_ns;
	p.is_point = true;
	again = (struct ta_file_cell){0};
	for (unsigned i = 0; i < run->stage->o->repeats && rc == 0 && !ta_stage_stopped(run->stage) && first.replies; i++) {
		rc = run_phase(&p, &cell);
		merge(&again, &cell, i);
		r->points[0].per_second[i] = cell.per_second;
	}
	if (rc < 0)
		return ta_err_set(err, rc, "%s", ta_errno_text(rc));
	t = ta_figures_table(&r->figures, "replies", "Replies", "reply|MB/s|replies");
	ta_load_table_text(t, "first");
	ta_load_table_number(t, first.bytes_per_second / 1e6, 1);
	ta_load_table_number(t, (double)first.replies, 0);
	ta_load_table_text(t, "again");
	ta_load_table_number(t, again.bytes_per_second / 1e6, 1);
	ta_load_table_number(t, (double)again.replies, 0);
	ta_file_tell_row(run->stage, first.bytes_per_second, again.bytes_per_second);
	fill_point(run, &again);
	return 0;
}

static int run(struct ta_stage *s, struct ta_err *err)
{
	const struct ta_server_options so = {.threads = 1, .dir = s->o->dir};
	struct ta_file_run *run = calloc(1, sizeof(*run));
	struct ta_stage_mark mark;
	int rc = run ? ta_stage_open(s, &so, err) : -ENOMEM;

	if (rc == 0) {
		*run = (struct ta_file_run){.stage = s, .connections = TA_MIN(s->result->threads, CONNECTIONS_MAX),
			.large_bytes = s->o->file_bytes, .n_small = SMALL_FILES, .small_bytes = SMALL_BYTES};
		for (unsigned way = 0; way < TA_FILE_WAYS; way++)
			ta_hist_reset(&run->ways[way].hist);
		ta_hist_reset(&s->result->points[0].hist);
		ta_stage_begin(s, &mark);
		rc = s->result->built_in ? measure_own(run, err) : measure_theirs(run, err);
		s->result->interrupted = ta_stage_stopped(s);
	}
	free(run);
	return rc;
}

const struct ta_workload ta_workload_file = {
	.name = "file",
	.summary = "whole files by sendfile, splice and zero-copy sends, cold and cached",
	.scheme = "http",
	.default_port = "80",
	.run = run,
};
