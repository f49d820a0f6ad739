#include "trial/disturb.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/num.h"
#include "load/load.h"

#define OTHERS_MORE 0.10  /* of all CPUs, more than usual */
#define STEAL_MORE 0.03
#define MEMORY_MORE 0.02
#define IO_MORE 0.15
#define CLOCK_MOVED 0.05 /* of the usual clock */

#define OTHERS_MUCH 0.10 /* worth a word before the first change */
#define STEAL_MUCH 0.02

struct ta_trial_mark {
	struct ta_watch_sample watch;
	uint64_t now_ns, own_us, memory_us, io_us;
};

static uint64_t us_of(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000 + (uint64_t)t->tv_usec;
}

/* User and system time of this program and of the servers that it has started and ended. */
static uint64_t own_us(void)
{
	struct rusage self = {0}, children = {0};

	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	return us_of(&self.ru_utime) + us_of(&self.ru_stime) + us_of(&children.ru_utime) + us_of(&children.ru_stime);
}

struct pressure {
	const char *line; /* "full" */
	uint64_t us;
};

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=0": kernel/sched/psi.c, psi_show() */
static int pressure_line(const char *line, size_t len, void *ctx)
{
	struct pressure *p = ctx;
	const char *total = strstr(line, " total=");

	if (!strncmp(line, p->line, strlen(p->line)) && total)
		ta_parse_u64(total + strlen(" total="), &p->us);
	return 0;
}

static uint64_t read_pressure(struct ta_host *h, const char *path, const char *line)
{
	struct pressure p = {.line = line};

	ta_host_lines(h, path, pressure_line, &p);
	return p.us;
}

static int read_all(struct ta_host *h, struct ta_trial_mark *ret)
{
	ret->now_ns = ta_load_now();
	ret->own_us = own_us();
	ret->memory_us = read_pressure(h, "/proc/pressure/memory", "full");
	ret->io_us = read_pressure(h, "/proc/pressure/io", "some");
	return ta_watch_read(h, &ret->watch);
}

struct ta_trial_mark *ta_trial_mark(struct ta_host *h)
{
	struct ta_trial_mark *m = calloc(1, sizeof(*m));

	if (m && read_all(h, m) < 0) {
		free(m);
		return NULL;
	}
	return m;
}

static void shares(const struct ta_watch_sample *sum, double own_s, double wall_s, struct ta_trial_env *ret)
{
	double programs = 0, steal = 0, all = 0;

	for (unsigned i = 0; i < sum->n_cpus; i++) {
		const struct ta_watch_cpu *c = &sum->cpu[i];

		programs += (double)(c->user + c->system);
		steal += (double)c->steal;
		all += (double)(c->user + c->system + c->softirq + c->irq + c->steal + c->idle);
		ret->throttled += c->core_throttled;
	}
	if (all <= 0)
		return;
	/* Ticks and the times of processes are not kept by the same clock: less than none is none. */
	ret->others = TA_MAX(programs / all - own_s / (wall_s * sum->n_cpus), 0.0);
	ret->steal = steal / all;
}

int ta_trial_env(struct ta_host *h, struct ta_trial_mark *from, const struct ta_watch_during *during, struct ta_trial_env *ret,
	struct ta_watch_sample *grown)
{
	struct ta_trial_mark *to = ta_trial_mark(h);

	if (to) {
		double wall_s = (double)(to->now_ns - from->now_ns) / 1e9;

		*ret = (struct ta_trial_env){.mhz = during && during->n_mhz ? during->mhz_sum / during->n_mhz : 0};
		*grown = (struct ta_watch_sample){0};
		ta_watch_add(grown, &from->watch, &to->watch);
		shares(grown, (double)(to->own_us - from->own_us) / 1e6, wall_s, ret);
		ret->memory = (double)(to->memory_us - from->memory_us) / 1e6 / wall_s;
		ret->io = (double)(to->io_us - from->io_us) / 1e6 / wall_s;
	}
	free(from);
	if (!to)
		return -ENOMEM;
	free(to);
	return 0;
}

/* --- what is usual ----------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const struct ta_trial_env *v, size_t n, size_t offset)
{
	double all[TA_TRIAL_ENVS];

	n = TA_MIN(n, (size_t)TA_TRIAL_ENVS);
	for (size_t i = 0; i < n; i++)
		memcpy(&all[i], (const char *)&v[i] + offset, sizeof(all[i]));
	qsort(all, n, sizeof(all[0]), by_value);
	return n ? all[n / 2] : 0;
}

void ta_trial_env_usual(const struct ta_trial_env *v, size_t n, struct ta_trial_env *ret)
{
	*ret = (struct ta_trial_env){
		.others = median(v, n, offsetof(struct ta_trial_env, others)),
		.steal = median(v, n, offsetof(struct ta_trial_env, steal)),
		.memory = median(v, n, offsetof(struct ta_trial_env, memory)),
		.io = median(v, n, offsetof(struct ta_trial_env, io)),
		.mhz = median(v, n, offsetof(struct ta_trial_env, mhz)),
	};
}

static bool say(struct ta_buf *why, const char *what, double now, double usual, const char *of)
{
	if (why)
		ta_buf_printf(why, "%s %.0f %% of %s, not %.0f %%", what, now * 100, of, usual * 100);
	return true;
}

bool ta_trial_env_disturbed(const struct ta_trial_env *now, const struct ta_trial_env *usual, bool with_change, struct ta_buf *why)
{
	if (now->throttled) {
		if (why)
			ta_buf_adds(why, "a CPU was too hot and was slowed down");
		return true;
	}
	if (now->steal > usual->steal + STEAL_MORE)
		return say(why, "the hypervisor took", now->steal, usual->steal, "the CPUs");
	if (now->others > usual->others + OTHERS_MORE)
		return say(why, "other programs used", now->others, usual->others, "the CPUs");
	if (now->memory > usual->memory + MEMORY_MORE)
		return say(why, "everything waited for memory in", now->memory, usual->memory, "the time");
	if (now->io > usual->io + IO_MORE)
		return say(why, "something waited for disks in", now->io, usual->io, "the time");
	if (with_change || now->mhz <= 0 || usual->mhz <= 0)
		return false;
	if (now->mhz > usual->mhz * (1 + CLOCK_MOVED) || now->mhz < usual->mhz * (1 - CLOCK_MOVED)) {
		if (why)
			ta_buf_printf(why, "the clock was %.0f MHz, not %.0f", now->mhz, usual->mhz);
		return true;
	}
	return false;
}

/* --- before the first change ------------------------------------------------------------------ */

static void warn(struct ta_strv *ret, const char *fmt, ...) ta_printf(2, 3);

static void warn(struct ta_strv *ret, const char *fmt, ...)
{
	char text[160];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ta_strv_add(ret, text);
}

void ta_trial_env_warn(const struct ta_trial_env *v, size_t n, struct ta_strv *ret)
{
	double low = 0, high = 0;
	struct ta_trial_env usual;
	uint64_t throttled = 0;

	ta_trial_env_usual(v, n, &usual);
	for (size_t i = 0; i < n; i++) {
		throttled += v[i].throttled;
		low = !i || v[i].mhz < low ? v[i].mhz : low;
		high = TA_MAX(high, v[i].mhz);
	}
	if (usual.others > OTHERS_MUCH)
		warn(ret, "Other programs use %.0f %% of this host's CPUs: less will be seen than on a quiet one.", usual.others * 100);
	if (usual.steal > STEAL_MUCH)
		warn(ret, "The hypervisor takes %.0f %% of the CPUs away: less will be seen than on a host of one's own.", usual.steal * 100);
	if (throttled)
		warn(ret, "CPUs are too hot and are slowed down (%.0f times before the first change).", (double)throttled);
	if (low > 0 && high > low * (1 + 2 * CLOCK_MOVED))
		warn(ret, "The CPUs' clocks move by %.0f %% from round to round: a fixed frequency shows more.", (high / low - 1) * 100);
}
