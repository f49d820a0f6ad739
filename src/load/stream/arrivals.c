#include "load/stream/arrivals.h"

#include <math.h>
#include <string.h>

static bool is_seen(const struct ta_arrivals *a, uint64_t number)
{
	uint64_t bit = number % TA_ARRIVALS_WINDOW;

	return a->seen[bit / 64] >> (bit % 64) & 1;
}

static void set_seen(struct ta_arrivals *a, uint64_t number)
{
	uint64_t bit = number % TA_ARRIVALS_WINDOW;

	a->seen[bit / 64] |= (uint64_t)1 << (bit % 64);
}

/* The window moves up to `number`: what enters it has not come. */
static void advance(struct ta_arrivals *a, uint64_t number)
{
	uint64_t from = a->any ? a->highest + 1 : 0;

	if (number - from >= TA_ARRIVALS_WINDOW) {
		memset(a->seen, 0, sizeof(a->seen));
	} else {
		for (uint64_t i = from; i <= number; i++) {
			uint64_t bit = i % TA_ARRIVALS_WINDOW;

			a->seen[bit / 64] &= ~((uint64_t)1 << (bit % 64));
		}
	}
	a->highest = number;
}

static void add_jitter(struct ta_arrivals *a, uint64_t sent_ns, uint64_t now_ns)
{
	int64_t transit = (int64_t)(now_ns - sent_ns);

	if (a->any)
		a->jitter_ns += (fabs((double)transit - (double)a->transit_ns) - a->jitter_ns) / 16;
	a->transit_ns = transit;
}

void ta_arrivals_add(struct ta_arrivals *a, uint64_t number, uint64_t sent_ns, uint64_t now_ns, size_t bytes)
{
	struct ta_stream_report *r = &a->so_far;

	if (!a->any || number > a->highest) {
		advance(a, number);
	} else if (a->highest - number < TA_ARRIVALS_WINDOW) {
		if (is_seen(a, number)) {
			r->duplicates++;
			return;
		}
		r->reordered++;
	} else {
		r->reordered++;
	}
	if (a->highest - number < TA_ARRIVALS_WINDOW)
		set_seen(a, number);
	add_jitter(a, sent_ns, now_ns);
	a->any = true;
	r->packets++;
	r->bytes += bytes;
}

void ta_arrivals_report(const struct ta_arrivals *a, struct ta_stream_report *ret)
{
	*ret = a->so_far;
	ret->jitter_ns = (uint64_t)a->jitter_ns;
}
