/*
 * Memory bandwidth, of one CPU or of several at once. Each thread has memory of its own, beyond what the caches hold
 * together; its pages are there before anything is measured.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/num.h"
#include "load/floor.h"
#include "load/load.h"

#define LEAST (64ull << 20)  /* of all threads together, for each of source and destination */
#define MOST (512ull << 20)
#define BLOCK (1u << 20)
#define HUGE_BYTES (2u << 20)
#define THREADS_MAX 256

enum { COPY, READ, WRITE, KINDS };

struct shared {
	sem_t ready;  /* posted by each thread before each kind */
	size_t bytes; /* of each thread's source, and of its destination */
	uint64_t each_ns;
	bool give_up;
};

struct job {
	struct shared *shared;
	pthread_t thread;
	unsigned index;
	sem_t go;
	bool failed;
	double per_second[KINDS];
};

/* Four sums at a time, so that the loads and not the additions are waited for. */
static uint64_t sum_up(const void *data, size_t bytes)
{
	uint64_t __attribute__((vector_size(32))) a = {0}, b = {0}, c = {0}, d = {0};
	const __typeof__(a) *at = data;

	for (size_t i = 0; i < bytes / sizeof(a); i += 4) {
		a += at[i];
		b += at[i + 1];
		c += at[i + 2];
		d += at[i + 3];
	}
	a += b + c + d;
	return a[0] + a[1] + a[2] + a[3];
}

static double run_kind(unsigned kind, char *to, char *from, size_t bytes, uint64_t for_ns)
{
	uint64_t begin = ta_load_now(), now, done = 0, sum = 0;
	size_t at = 0;

	do {
		if (kind == COPY)
			memcpy(to + at, from + at, BLOCK);
		else if (kind == READ)
			sum = sum_up(from + at, BLOCK);
		else
			memset(to + at, (int)done, BLOCK);
		/* So that nothing is left out as unused. */
		__asm__ volatile("" : : "r"(to), "r"(from), "r"(sum) : "memory");
		at = at + 2 * BLOCK > bytes ? 0 : at + BLOCK;
		done += BLOCK;
		now = ta_load_now();
	} while (now < begin + for_ns);
	return (double)done * 1e9 / (double)(now - begin);
}

static void *job_main(void *arg)
{
	struct job *job = arg;
	struct shared *s = job->shared;
	char *from = aligned_alloc(HUGE_BYTES, s->bytes), *to = aligned_alloc(HUGE_BYTES, s->bytes);

	ta_floor_pin(ta_floor_cpu_number(job->index));
	job->failed = !from || !to;
	if (!job->failed) {
		madvise(from, s->bytes, MADV_HUGEPAGE);
		madvise(to, s->bytes, MADV_HUGEPAGE);
		memset(from, 1, s->bytes);
		memset(to, 2, s->bytes);
	}
	for (unsigned kind = 0; kind < KINDS; kind++) {
		sem_post(&s->ready);
		sem_wait(&job->go);
		if (!job->failed && !s->give_up)
			job->per_second[kind] = run_kind(kind, to, from, s->bytes, s->each_ns);
	}
	free(from);
	free(to);
	return NULL;
}

/* "32768K" of the largest cache; 0: not told. */
static uint64_t largest_cache(struct ta_host *h)
{
	uint64_t largest = 0;

	for (unsigned i = 0; i < 8; i++) {
		ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
		char path[80];
		uint64_t kib;

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%u/size", i);
		if (ta_host_read(h, path, TA_READ_CAP, &text) < 0)
			break;
		ta_buf_rtrim(&text);
		if (text.len && text.data[text.len - 1] == 'K')
			text.data[--text.len] = '\0';
		if (ta_parse_u64(ta_buf_text(&text), &kib) == 0 && kib < (1u << 22))
			largest = TA_MAX(largest, kib << 10);
	}
	return largest;
}

/* Four times the largest cache in all; never more than a sixteenth of what memory is available. */
static size_t choose_bytes(struct ta_host *h, unsigned threads)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	uint64_t all = TA_MIN(TA_MAX(4 * largest_cache(h), LEAST), MOST), kib;
	const char *at;

	if (ta_host_read(h, "/proc/meminfo", TA_READ_CAP, &text) == 0) {
		at = strstr(ta_buf_text(&text), "MemAvailable:");
		if (at) {
			at += strlen("MemAvailable:");
			if (ta_next_u64(&at, &kib) == 0)
				all = TA_MIN(all, (kib << 10) / 16);
		}
	}
	all = all / threads / HUGE_BYTES * HUGE_BYTES;
	return (size_t)TA_MAX(all, 2ull * HUGE_BYTES);
}

/* All begin each kind together. */
static void conduct(struct shared *s, struct job *jobs, unsigned n)
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		for (unsigned i = 0; i < n; i++)
			sem_wait(&s->ready);
		for (unsigned i = 0; i < n; i++)
			sem_post(&jobs[i].go);
	}
}

static int run_jobs(struct shared *s, struct job *jobs, unsigned n)
{
	unsigned started = 0;
	int rc = 0;

	sem_init(&s->ready, 0, 0);
	while (started < n && rc == 0) {
		struct job *job = &jobs[started];

		*job = (struct job){.shared = s, .index = started};
		sem_init(&job->go, 0, 0);
		rc = -pthread_create(&job->thread, NULL, job_main, job);
		started += rc == 0;
	}
	s->give_up = rc < 0;
	conduct(s, jobs, started);
	for (unsigned i = 0; i < started; i++) {
		pthread_join(jobs[i].thread, NULL);
		sem_destroy(&jobs[i].go);
		if (jobs[i].failed)
			rc = -ENOMEM;
	}
	sem_destroy(&s->ready);
	return rc;
}

int ta_floor_memory(struct ta_host *h, unsigned threads, uint64_t budget_ns, struct ta_floor_memory *ret, struct ta_err *err)
{
	unsigned n = TA_MIN(TA_MAX(threads, 1u), (unsigned)THREADS_MAX);
	struct shared s = {.bytes = choose_bytes(h, n), .each_ns = budget_ns / (KINDS + 1)};
	struct job *jobs = calloc(n, sizeof(*jobs));
	int rc = jobs ? run_jobs(&s, jobs, n) : -ENOMEM;
	double sum[KINDS] = {0};

	for (unsigned i = 0; i < n && rc == 0; i++)
		for (unsigned kind = 0; kind < KINDS; kind++)
			sum[kind] += jobs[i].per_second[kind];
	free(jobs);
	if (rc < 0)
		return ta_err_set(err, rc, "memory bandwidth: %s", ta_errno_text(rc));
	*ret = (struct ta_floor_memory){sum[COPY], sum[READ], sum[WRITE]};
	return 0;
}
