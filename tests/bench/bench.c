/*
 * Two helpers of the benchmark, kept small since a child's peak memory, as the kernel counts it, is never
 * below that of the process that started it.
 *
 *   bench crowd N COMMAND…      runs COMMAND while N idle processes of ours are there, ends them after it
 *   bench compare ROUNDS NAME COMMAND -- NAME COMMAND -- …
 *                               runs the commands in turns, output to /dev/null, and prints per command the
 *                               median and the 10th and 90th percentile of its time, its CPU time, its peak
 *                               memory, and how the first one's times compare with it
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"

#define CROWD_MAX 2000
#define COMMANDS_MAX 8
#define ROUNDS_MAX 2000

extern char **environ;

static unsigned number(const char *text, unsigned max)
{
	uint64_t n;

	if (ta_parse_u64(text, &n) < 0 || n < 1 || n > max) {
		fprintf(stderr, "bench: not a number from 1 to %u: %s\n", max, text);
		exit(2);
	}
	return n;
}

/* --- crowd ------------------------------------------------------------------ */

static int crowd(unsigned n, char **command)
{
	static pid_t pids[CROWD_MAX];
	pid_t parent = getpid(), pid;
	int status = 0;

	for (unsigned i = 0; i < n; i++) {
		pids[i] = fork();
		if (pids[i] < 0) {
			perror("bench: fork");
			n = i;
			break;
		}
		if (pids[i] == 0) {
			setpgid(0, i ? pids[0] : 0);
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (getppid() != parent)
				_exit(1);
			close_range(3, ~0u, 0); /* the same few descriptors, whoever started us */
			for (;;)
				pause();
		}
	}
	if (posix_spawnp(&pid, command[0], NULL, NULL, command, environ) != 0 || waitpid(pid, &status, 0) < 0) {
		fprintf(stderr, "bench: cannot run %s\n", command[0]);
		status = 127 << 8;
	}
	for (unsigned i = 0; i < n; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* --- compare ------------------------------------------------------------------- */

struct contender {
	const char *name;
	char **command;
	double ms[ROUNDS_MAX];
	double cpu_ms[ROUNDS_MAX]; /* user and system, its children's included */
	long peak_kib;
};

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static double to_ms(const struct timeval *t)
{
	return t->tv_sec * 1e3 + t->tv_usec / 1e3;
}

static void run_once(struct contender *c, unsigned round)
{
	posix_spawn_file_actions_t quiet;
	struct rusage usage;
	double start;
	pid_t pid;
	int status;

	posix_spawn_file_actions_init(&quiet);
	posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
	start = now_ms();
	if (posix_spawnp(&pid, c->command[0], &quiet, NULL, c->command, environ) != 0 ||
		wait4(pid, &status, 0, &usage) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) > 3) {
		fprintf(stderr, "bench: %s failed\n", c->name);
		exit(1);
	}
	c->ms[round] = now_ms() - start;
	c->cpu_ms[round] = to_ms(&usage.ru_utime) + to_ms(&usage.ru_stime);
	if (usage.ru_maxrss > c->peak_kib)
		c->peak_kib = usage.ru_maxrss;
	posix_spawn_file_actions_destroy(&quiet);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The value below which `percent` of them are; sorts a copy. */
static double percentile(const double *v, unsigned n, unsigned percent)
{
	static double sorted[ROUNDS_MAX];

	memcpy(sorted, v, n * sizeof(*v));
	qsort(sorted, n, sizeof(*v), by_value);
	return sorted[(n - 1) * percent / 100];
}

/* The median over the rounds of FIRST's value / the other's: what disturbs a round disturbs both. */
static double paired(const double *first, const double *other, unsigned rounds)
{
	static double ratio[ROUNDS_MAX];

	for (unsigned r = 0; r < rounds; r++)
		ratio[r] = first[r] / other[r];
	return percentile(ratio, rounds, 50);
}

static void print_results(struct contender *c, unsigned n, unsigned rounds)
{
	printf("%-8s %9s %8s %8s %8s %9s %9s %9s\n", "", "median ms", "10 %", "90 %", "CPU ms", "peak KiB", "ratio",
		"CPU ratio");
	for (unsigned i = 0; i < n; i++)
		printf("%-8s %9.2f %8.2f %8.2f %8.2f %9ld %9.2f %9.2f\n", c[i].name, percentile(c[i].ms, rounds, 50),
			percentile(c[i].ms, rounds, 10), percentile(c[i].ms, rounds, 90),
			percentile(c[i].cpu_ms, rounds, 50), c[i].peak_kib, paired(c[0].ms, c[i].ms, rounds),
			paired(c[0].cpu_ms, c[i].cpu_ms, rounds));
}

static int compare(unsigned rounds, char **args)
{
	static struct contender c[COMMANDS_MAX];
	unsigned n = 0;

	while (*args && args[1] && n < COMMANDS_MAX) {
		c[n].name = *args++;
		c[n].command = args;
		while (*args && strcmp(*args, "--") != 0)
			args++;
		if (*args)
			*args++ = NULL;
		n++;
	}
	for (unsigned i = 0; i < n; i++)
		run_once(&c[i], 0); /* caches are warm from here on */
	for (unsigned i = 0; i < n; i++)
		c[i].peak_kib = 0;
	for (unsigned r = 0; r < rounds; r++)
		for (unsigned i = 0; i < n; i++)
			run_once(&c[(r + i) % n], r);
	print_results(c, n, rounds);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 3 && strcmp(argv[1], "crowd") == 0)
		return crowd(number(argv[2], CROWD_MAX), argv + 3);
	if (argc > 4 && strcmp(argv[1], "compare") == 0)
		return compare(number(argv[2], ROUNDS_MAX), argv + 3);
	fprintf(stderr, "bench: crowd N COMMAND, or compare ROUNDS NAME COMMAND -- …\n");
	return 2;
}
