/*
 * A terminal may stop taking what is written, by Ctrl-S or since the link to it is down, perhaps by what apply does at that moment.
 * So nothing here waits for it: no lock is held over a write, and a thread that does not come back is left behind.
 */
#include "cli/progress.h"

#include <poll.h>
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

static struct {
	pthread_t thread;
	unsigned depth; /* of begin(); this and the next two are main's alone */
	bool running;
	bool lost; /* the thread hangs in a write */
	_Atomic bool shown; /* there is a line, or will be in a moment */
	pthread_mutex_t lock; /* of all that follows */
	pthread_cond_t end;
	bool ending;
	const char *what;
	size_t number, of;
	struct timespec began;
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool ta_progress_is_wanted(bool quiet)
{
	const char *term = getenv("TERM");

	return !quiet && term && *term && strcmp(term, "dumb") != 0 && isatty(STDERR_FILENO);
}

/* Not said, if the terminal takes nothing at the moment. */
static void draw(const char *text)
{
	struct pollfd p = {.fd = STDERR_FILENO, .events = POLLOUT};
	char line[2 * COLUMNS + 8];
	/* The cursor stays behind the text: what Ctrl-C leaves there reads as a line. */
	int n = snprintf(line, sizeof(line), "\r%-*.*s\r%.*s", COLUMNS, COLUMNS, text, COLUMNS, text);

	if (poll(&p, 1, 0) == 1 && p.revents == POLLOUT)
		ta_system_write(STDERR_FILENO, line, (size_t)n);
}

static void show(const char *text)
{
	progress.shown = true;
	draw(text);
	progress.shown = *text; /* once more: a message in between has erased it */
}

static int64_t ms_since(const struct timespec *t)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - t->tv_sec) * 1000 + (now.tv_nsec - t->tv_nsec) / 1000000;
}

/* False: it is too early for a line. */
static bool line_of_now(char *text, size_t size)
{
	int64_t ms = ms_since(&progress.began);

	if (ms < SILENT_MS)
		return false;
	if (progress.of)
		snprintf(text, size, "%s, %zu of %zu, %lld s", progress.what, progress.number, progress.of,
			(long long)ms / 1000);
	else
		snprintf(text, size, "%s, %lld s", progress.what, (long long)ms / 1000);
	return true;
}

static void *thread_main(void *unused)
{
	char text[COLUMNS + 1], before[COLUMNS + 1] = "";
	struct timespec until;

	pthread_mutex_lock(&progress.lock);
	clock_gettime(CLOCK_MONOTONIC, &until);
	while (!progress.ending) {
		until.tv_nsec += TURN_MS * 1000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&progress.end, &progress.lock, &until);
		if (progress.ending || !line_of_now(text, sizeof(text)) || (progress.shown && !strcmp(text, before)))
			continue;
		memcpy(before, text, sizeof(before));
		pthread_mutex_unlock(&progress.lock);
		show(text);
		pthread_mutex_lock(&progress.lock);
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
	if (progress.depth++ || progress.lost || !ta_progress_is_wanted(quiet))
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

static void stop(void)
{
	struct timespec until;

	pthread_mutex_lock(&progress.lock);
	progress.ending = true;
	pthread_cond_signal(&progress.end);
	pthread_mutex_unlock(&progress.lock);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	progress.running = false;
	if (pthread_timedjoin_np(progress.thread, NULL, &until) == 0) {
		pthread_cond_destroy(&progress.end);
		return;
	}
	progress.lost = true;
	pthread_detach(progress.thread);
}

void ta_progress_end(void)
{
	if (progress.depth && --progress.depth)
		return;
	if (progress.running)
		stop();
	ta_progress_erase();
}

void ta_progress_show(const char *text)
{
	show(text);
}

void ta_progress_erase(void)
{
	if (progress.shown && !progress.lost)
		show("");
}
