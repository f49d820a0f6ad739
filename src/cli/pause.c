#include "cli/pause.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/progress.h"

void ta_pause_ms(unsigned ms)
{
	const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

	nanosleep(&t, NULL);
}

static void show(unsigned left)
{
	char line[80];

	snprintf(line, sizeof(line), "Reading the counters again in %u s", left);
	ta_progress_show(line);
}

void ta_pause(unsigned seconds, bool tell)
{
	bool shown = seconds > 1 && ta_progress_is_wanted(!tell);
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	for (unsigned left = seconds; left; left--) {
		if (shown)
			show(left);
		until.tv_sec++;
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
			;
	}
	ta_progress_erase();
}
