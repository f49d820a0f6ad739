/*
 * The kernel tells the names of its modes with netlink; for the ioctl, and
 * so for old kernels, the numbers of their time are known here.
 */
#include "probe/linkmode.h"

#include <string.h>

#include "base/num.h"
#include "base/macros.h"

/* Mbit/s of each bit of enum ethtool_link_mode_bit_indices (include/uapi/linux/ethtool.h, 6.1). */
static const uint32_t speeds[] = {
	10,
	10,
	100,
	100,
	1000,
	1000,
	0,
	0,
	0,
	0,
	0,
	0,
	10000,
	0,
	0,
	2500,
	0,
	1000,
	10000,
	10000,
	10000,
	20000,
	20000,
	40000,
	40000,
	40000,
	40000,
	56000,
	56000,
	56000,
	56000,
	25000,
	25000,
	25000,
	50000,
	50000,
	100000,
	100000,
	100000,
	100000,
	50000,
	1000,
	10000,
	10000,
	10000,
	10000,
	10000,
	2500,
	5000,
	0,
	0,
	0,
	50000,
	50000,
	50000,
	50000,
	50000,
	100000,
	100000,
	100000,
	100000,
	100000,
	200000,
	200000,
	200000,
	200000,
	200000,
	100,
	1000,
	400000,
	400000,
	400000,
	400000,
	400000,
	0,
	100000,
	100000,
	100000,
	100000,
	100000,
	200000,
	200000,
	200000,
	200000,
	200000,
	400000,
	400000,
	400000,
	400000,
	400000,
	100,
	100,
	10,
};

int64_t ta_linkmode_speed_of_name(const char *name)
{
	int64_t v = 0;
	const char *s;

	for (s = name; ta_is_digit(*s) && v < 100000000; s++)
		v = v * 10 + (*s - '0');
	return s > name && strncmp(s, "base", 4) == 0 ? v : 0;
}

int64_t ta_linkmode_max(const uint32_t *words, size_t n_words, char *const *names, size_t n_names)
{
	int64_t best = 0;

	for (size_t bit = 0; bit < n_words * 32; bit++) {
		int64_t speed = 0;

		if (!(words[bit / 32] >> (bit % 32) & 1))
			continue;
		if (bit < n_names)
			speed = ta_linkmode_speed_of_name(names[bit]);
		else if (bit < TA_ARRAY_SIZE(speeds))
			speed = speeds[bit];
		best = TA_MAX(best, speed);
	}
	return best;
}
