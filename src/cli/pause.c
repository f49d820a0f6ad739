#include "cli/pause.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/system.h"

void ta_pause_ms(unsigned ms)
{
	const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

	nanosleep(&t, NULL);
}

static void show(unsigned left)
{
	char line[80];
	int n;

	/* The blanks cover what a longer line left; the last one leaves nothing. */
	if (left)
		n = snprintf(line, sizeof(line), "\rReading the counters again in %u s ", left);
	else
		n = snprintf(line, sizeof(line), "\r%40s\r", "");
	ta_system_write(STDERR_FILENO, line, (size_t)n);
}

void ta_pause(unsigned seconds, bool tell)
{
	bool shown = tell && seconds > 1 && isatty(STDERR_FILENO);
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	for (unsigned left = seconds; left; left--) {
		if (shown)
			show(left);
		until.tv_sec++;
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
			;
	}
	if (shown)
		show(0);
}
