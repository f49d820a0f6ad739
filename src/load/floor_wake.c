/*
 * Waking: how long it takes from the call that wakes a thread, or the moment a sleep ends, until that thread runs. The one that
 * is woken sleeps for real: it is called only after a pause. And what one system call and one change of threads cost.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "load/floor.h"
#include "load/load.h"

#define PAUSE_NS 60000 /* long enough for the other one to fall asleep */

bool ta_floor_goes_on(uint64_t begin, uint64_t now, uint64_t budget_ns, uint64_t n)
{
	return now - begin < budget_ns || (n < TA_FLOOR_LEAST && now - begin < 10 * budget_ns);
}

int ta_floor_cpu_number(unsigned n)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return -1;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && n-- == 0)
			return cpu;
	return -1;
}

void ta_floor_pin(int cpu)
{
	cpu_set_t set;

	if (cpu < 0)
		return;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

static void sleep_ns(uint64_t ns)
{
	struct timespec t = {.tv_nsec = (long)ns};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

/* Two threads and the two ways that one wakes the other. */
struct pair {
	bool by_eventfd;
	int cpu; /* of the woken one */
	sem_t sem, answer;
	int event;
	_Atomic uint64_t called_ns;
	_Atomic bool end;
	struct ta_hist *hist; /* NULL: hand over and answer */
	pthread_t thread;
};

static void call(struct pair *p)
{
	if (p->by_eventfd)
		eventfd_write(p->event, 1);
	else
		sem_post(&p->sem);
}

static void await(struct pair *p)
{
	eventfd_t ignored;

	if (p->by_eventfd)
		eventfd_read(p->event, &ignored);
	else
		while (sem_wait(&p->sem) < 0 && errno == EINTR)
			;
}

static void *woken_main(void *arg)
{
	struct pair *p = arg;

	ta_floor_pin(p->cpu);
	for (;;) {
		await(p);
		if (p->end)
			return NULL;
		if (p->hist)
			ta_hist_add(p->hist, ta_load_now() - p->called_ns);
		else
			sem_post(&p->answer);
	}
}

static int pair_begin(struct pair *p)
{
	p->event = eventfd(0, EFD_CLOEXEC);
	if (p->event < 0)
		return -errno;
	sem_init(&p->sem, 0, 0);
	sem_init(&p->answer, 0, 0);
	return -pthread_create(&p->thread, NULL, woken_main, p);
}

static void pair_end(struct pair *p, bool runs)
{
	p->end = true;
	if (runs) {
		call(p);
		pthread_join(p->thread, NULL);
	}
	sem_destroy(&p->sem);
	sem_destroy(&p->answer);
	if (p->event >= 0)
		close(p->event);
}

static int wake_for(bool by_eventfd, int cpu, uint64_t budget_ns, struct ta_hist *h)
{
	struct pair p = {.by_eventfd = by_eventfd, .cpu = cpu, .hist = h};
	int rc = pair_begin(&p);
	uint64_t begin = ta_load_now(), n = 0;

	while (rc == 0 && ta_floor_goes_on(begin, ta_load_now(), budget_ns, n++)) {
		sleep_ns(PAUSE_NS);
		p.called_ns = ta_load_now();
		call(&p);
	}
	sleep_ns(PAUSE_NS);
	pair_end(&p, rc == 0);
	return rc;
}

static void sleep_until(uint64_t ns)
{
	struct timespec t = {(time_t)(ns / TA_NS_PER_S), (long)(ns % TA_NS_PER_S)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

/* With as little slack as a program can ask for: prctl(2), PR_SET_TIMERSLACK. */
static void time_sleeps(uint64_t budget_ns, struct ta_hist *h)
{
	uint64_t begin = ta_load_now(), now = begin;

	while (ta_floor_goes_on(begin, now, budget_ns, h->n)) {
		uint64_t due = now + 4 * PAUSE_NS;

		sleep_until(due);
		now = ta_load_now();
		ta_hist_add(h, now - due);
	}
}

struct wake_job {
	uint64_t budget_ns;
	struct ta_floor_wake *ret;
	struct ta_floor_cpu *cpu;
	int rc;
};

/* A thread of its own, whose CPU and slack are nobody else's. */
static void *wake_main(void *arg)
{
	struct wake_job *job = arg;
	struct ta_floor_wake *w = job->ret;
	int first = ta_floor_cpu_number(0), second = ta_floor_cpu_number(1);

	w->two_cpus = second >= 0;
	prctl(PR_SET_TIMERSLACK, 1ul);
	ta_floor_pin(first);
	job->rc = wake_for(false, w->two_cpus ? second : first, job->budget_ns / 3, &w->futex);
	if (job->rc == 0)
		job->rc = wake_for(true, w->two_cpus ? second : first, job->budget_ns / 3, &w->eventfd);
	time_sleeps(job->budget_ns / 3, &w->timer);
	return NULL;
}

static int run_job(void *(*fn)(void *), struct wake_job *job)
{
	pthread_t thread;
	int error = pthread_create(&thread, NULL, fn, job);

	if (error)
		return -error;
	pthread_join(thread, NULL);
	return job->rc;
}

int ta_floor_wake(uint64_t budget_ns, struct ta_floor_wake *ret, struct ta_err *err)
{
	struct wake_job job = {.budget_ns = budget_ns, .ret = ret};
	int rc;

	ta_hist_reset(&ret->futex);
	ta_hist_reset(&ret->eventfd);
	ta_hist_reset(&ret->timer);
	rc = run_job(wake_main, &job);
	return rc < 0 ? ta_err_set(err, rc, "wake-up latency: %s", ta_errno_text(rc)) : 0;
}

/* --- the CPU ------------------------------------------------------------------ */

#define CALLS 2000

/* The best of the batches: one that was interrupted says nothing of the call. */
static double time_calls(uint64_t budget_ns)
{
	uint64_t now = ta_load_now(), end = now + budget_ns, best = UINT64_MAX;

	while (now < end || best == UINT64_MAX) {
		uint64_t begin = now;

		for (unsigned i = 0; i < CALLS; i++)
			(void)getppid();
		now = ta_load_now();
		best = TA_MIN(best, now - begin);
	}
	return (double)best / CALLS;
}

/* Each round hands the CPU over and back. */
static int time_switches(int cpu, uint64_t budget_ns, double *ret)
{
	struct pair p = {.cpu = cpu};
	int rc = pair_begin(&p);
	uint64_t begin = ta_load_now(), now = begin, best = UINT64_MAX;

	while (rc == 0 && (now < begin + budget_ns || best == UINT64_MAX)) {
		uint64_t from = now;

		for (unsigned i = 0; i < 100; i++) {
			call(&p);
			while (sem_wait(&p.answer) < 0 && errno == EINTR)
				;
		}
		now = ta_load_now();
		best = TA_MIN(best, now - from);
	}
	pair_end(&p, rc == 0);
	if (rc == 0)
		*ret = (double)best / 200;
	return rc;
}

static void *cpu_main(void *arg)
{
	struct wake_job *job = arg;
	int first = ta_floor_cpu_number(0);

	ta_floor_pin(first);
	job->cpu->syscall_ns = time_calls(job->budget_ns / 2);
	job->rc = time_switches(first, job->budget_ns / 2, &job->cpu->switch_ns);
	return NULL;
}

int ta_floor_cpu(uint64_t budget_ns, struct ta_floor_cpu *ret, struct ta_err *err)
{
	struct wake_job job = {.budget_ns = budget_ns, .cpu = ret};
	int rc = run_job(cpu_main, &job);

	return rc < 0 ? ta_err_set(err, rc, "context switches: %s", ta_errno_text(rc)) : 0;
}
