#include "load/hold/board.h"

#include <sys/mman.h>
#include <sys/resource.h>

struct ta_hold_board *ta_hold_board_new(const struct ta_hold_setup *setup)
{
	size_t clients = setup->plan.clients * sizeof(struct ta_hold_client);
	size_t servers = setup->plan.servers * sizeof(struct ta_hold_server);
	size_t size = sizeof(struct ta_hold_board) + clients + servers + TA_HOLD_PORTS_MAX * sizeof(uint16_t);
	struct ta_hold_board *b = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (b == MAP_FAILED)
		return NULL;
	b->setup = *setup;
	b->size = size;
	b->clients = (struct ta_hold_client *)(b + 1);
	b->servers = (struct ta_hold_server *)(void *)((char *)(b + 1) + clients);
	b->ports = (uint16_t *)(void *)((char *)(b + 1) + clients + servers);
	return b;
}

void ta_hold_board_free(struct ta_hold_board *b)
{
	if (b)
		munmap(b, b->size);
}

uint64_t ta_hold_open(const struct ta_hold_board *b)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < b->setup.plan.clients; i++)
		n += atomic_load_explicit(&b->clients[i].open, memory_order_relaxed);
	return n;
}

void ta_hold_accepted(const struct ta_hold_board *b, uint64_t *ret_accepted, uint64_t *ret_open)
{
	uint64_t ended = 0;

	*ret_accepted = 0;
	for (unsigned i = 0; i < b->setup.plan.servers; i++) {
		ended += atomic_load(&b->servers[i].ended);
		*ret_accepted += atomic_load(&b->servers[i].accepted);
	}
	*ret_open = *ret_accepted > ended ? *ret_accepted - ended : 0;
}

static uint64_t ns_of(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * TA_NS_PER_S + (uint64_t)t->tv_usec * 1000;
}

void ta_hold_times(uint64_t *ret_user_ns, uint64_t *ret_system_ns)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	*ret_user_ns = ns_of(&used.ru_utime);
	*ret_system_ns = ns_of(&used.ru_stime);
}
