/*
 * What became of numbered datagrams: how many came, twice, late, and how evenly.
 */
#pragma once

#include "load/stream/wire.h"

#define TA_ARRIVALS_WINDOW 65536u /* numbers behind the highest one for which is known whether they came */

struct ta_arrivals {
	struct ta_stream_report so_far;
	bool any;
	uint64_t highest;
	int64_t transit_ns; /* of the last one: arrival less departure; the clocks need not agree */
	double jitter_ns;
	uint64_t seen[TA_ARRIVALS_WINDOW / 64];
};

/*
 * One of `bytes`. A number below one that came before is reordered; one that came already is a duplicate and counts for nothing else; one that is
 * further back than the window is taken for late, as there is no telling. Jitter: RFC 3550, section 6.4.1 and appendix A.8.
 */
void ta_arrivals_add(struct ta_arrivals *a, uint64_t number, uint64_t sent_ns, uint64_t now_ns, size_t bytes);

void ta_arrivals_report(const struct ta_arrivals *a, struct ta_stream_report *ret);
