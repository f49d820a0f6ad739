#include "cli/progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/macros.h"
#include "cli/system.h"

#define COLUMNS 78
#define SILENT_MS 1000
#define TURN_MS 250

/* All under `lock`, which main and the thread hold for a write at most. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t end;
	pthread_t thread;
	unsigned depth; /* of begin(); main's alone */
	bool running, ending;
	bool shown; /* there is a line */
	const char *what;
	size_t number, of;
	struct timespec began;
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool ta_progress_is_wanted(bool quiet)
{
	const char *term = getenv("TERM");

	return !quiet && term && *term && strcmp(term, "dumb") != 0 && isatty(STDERR_FILENO);
}

static void draw(const char *text)
{
	char line[2 * COLUMNS + 8];
	/* The cursor stays behind the text: what Ctrl-C leaves there reads as a line. */
	int n = snprintf(line, sizeof(line), "\r%-*.*s\r%.*s", COLUMNS, COLUMNS, text, COLUMNS, text);

	ta_system_write(STDERR_FILENO, line, (size_t)n);
}

static void show(const char *text)
{
	draw(text);
	progress.shown = *text;
}

static int64_t ms_since(const struct timespec *t)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - t->tv_sec) * 1000 + (now.tv_nsec - t->tv_nsec) / 1000000;
}

static void turn(void)
{
	int64_t ms = ms_since(&progress.began);
	char text[COLUMNS + 1];

	if (ms < SILENT_MS)
		return;
	if (progress.of)
		snprintf(text, sizeof(text), "%s, %zu of %zu, %lld s", progress.what, progress.number, progress.of,
			(long long)ms / 1000);
	else
		snprintf(text, sizeof(text), "%s, %lld s", progress.what, (long long)ms / 1000);
	show(text);
}

static void *thread_main(void *unused)
{
	struct timespec until;

	pthread_mutex_lock(&progress.lock);
	clock_gettime(CLOCK_MONOTONIC, &until);
	while (!progress.ending) {
		until.tv_nsec += TURN_MS * 1000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&progress.end, &progress.lock, &until);
		if (!progress.ending)
			turn();
	}
	pthread_mutex_unlock(&progress.lock);
	return NULL;
}

/* Signals are for the main thread, whose handlers and masks know what to do with them. */
static bool start(void)
{
	pthread_condattr_t monotonic;
	sigset_t all, before;
	bool made;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&progress.end, &monotonic);
	pthread_condattr_destroy(&monotonic);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	made = pthread_create(&progress.thread, NULL, thread_main, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return made;
}

void ta_progress_begin(bool quiet, const char *what)
{
	if (progress.depth++ || !ta_progress_is_wanted(quiet))
		return;
	progress.what = what;
	progress.number = progress.of = 0;
	progress.ending = false;
	clock_gettime(CLOCK_MONOTONIC, &progress.began);
	progress.running = start();
}

void ta_progress_step(size_t number, size_t of)
{
	pthread_mutex_lock(&progress.lock);
	progress.number = number;
	progress.of = of;
	pthread_mutex_unlock(&progress.lock);
}

void ta_progress_end(void)
{
	if (progress.depth && --progress.depth)
		return;
	if (progress.running) {
		pthread_mutex_lock(&progress.lock);
		progress.ending = true;
		pthread_cond_signal(&progress.end);
		pthread_mutex_unlock(&progress.lock);
		pthread_join(progress.thread, NULL);
		pthread_cond_destroy(&progress.end);
		progress.running = false;
	}
	ta_progress_erase();
}

void ta_progress_show(const char *text)
{
	pthread_mutex_lock(&progress.lock);
	show(text);
	pthread_mutex_unlock(&progress.lock);
}

void ta_progress_erase(void)
{
	pthread_mutex_lock(&progress.lock);
	if (progress.shown)
		show("");
	pthread_mutex_unlock(&progress.lock);
}
