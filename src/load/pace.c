#include "load/pace.h"

void ta_pace_init(struct ta_pace *p, double rate, unsigned threads, unsigned index, uint64_t base_ns)
{
	p->interval_ns = rate > 0 ? 1e9 * threads / rate : 0;
	p->base_ns = base_ns + (uint64_t)(p->interval_ns / threads * index);
	p->next = 0;
}
