#include "load/pin.h"

#include <errno.h>

/* The members of `all` from the `first`-th on, `n` of them. */
static void take(const cpu_set_t *all, int first, int n, cpu_set_t *ret)
{
	int seen = 0;

	CPU_ZERO(ret);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, all))
			continue;
		if (seen >= first && seen < first + n)
			CPU_SET(cpu, ret);
		seen++;
	}
}

int ta_pin_half(const cpu_set_t *all, enum ta_pin_end end, cpu_set_t *ret, struct ta_err *err)
{
	int n = CPU_COUNT(all), half = n / 2;

	if (n < 2)
		return ta_err_set(err, -EINVAL, "there is one CPU only: the two ends cannot have one each");
	if (end == TA_PIN_SERVER)
		take(all, 0, half, ret);
	else
		take(all, half, n - half, ret);
	return 0;
}

int ta_pin_end(enum ta_pin_end end, struct ta_err *err)
{
	cpu_set_t all, half;
	int rc;

	if (sched_getaffinity(0, sizeof(all), &all) < 0)
		return ta_err_set(err, -errno, "which CPUs may be used is not known: %s", ta_errno_text(-errno));
	rc = ta_pin_half(&all, end, &half, err);
	if (rc == 0 && sched_setaffinity(0, sizeof(half), &half) < 0)
		rc = ta_err_set(err, -errno, "could not be pinned: %s", ta_errno_text(-errno));
	return rc;
}

int ta_pin_thread(pthread_t thread, unsigned index)
{
	cpu_set_t all, one;

	if (sched_getaffinity(0, sizeof(all), &all) < 0)
		return -errno;
	take(&all, (int)(index % (unsigned)CPU_COUNT(&all)), 1, &one);
	return -pthread_setaffinity_np(thread, sizeof(one), &one);
}
