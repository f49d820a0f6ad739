#include "load/load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "load/workload.h"

static uint64_t read_clock(clockid_t clock)
{
	struct timespec t = {0};

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * TA_NS_PER_S + (uint64_t)t.tv_nsec;
}

const struct ta_workload *ta_workload_find(const char *name)
{
	for (size_t i = 0; i < ta_n_workloads; i++)
		if (!strcmp(ta_workloads[i]->name, name))
			return ta_workloads[i];
	return NULL;
}

uint64_t ta_load_now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t ta_load_thread_cpu(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

const char *ta_load_error_name(enum ta_load_error e)
{
	static const char *const names[] = {
		[TA_LOAD_REFUSED] = "refused",
		[TA_LOAD_CONNECT_TIMEOUT] = "connect-timeout",
		[TA_LOAD_CONNECT_FAILED] = "connect-failed",
		[TA_LOAD_NO_PORTS] = "no-local-ports",
		[TA_LOAD_NO_DESCRIPTORS] = "no-descriptors",
		[TA_LOAD_NO_MEMORY] = "no-memory",
		[TA_LOAD_RESET] = "reset",
		[TA_LOAD_CLOSED] = "closed",
		[TA_LOAD_TIMEOUT] = "timeout",
		[TA_LOAD_UNANSWERED] = "unanswered",
		[TA_LOAD_UNEXPECTED] = "unexpected-bytes",
		[TA_LOAD_BAD_STATUS] = "bad-status",
		[TA_LOAD_BAD_REPLY] = "bad-reply",
		[TA_LOAD_DIED] = "process-died",
	};

	return names[e];
}

enum ta_load_error ta_load_connect_error(int error)
{
	switch (error) {
	case ECONNREFUSED:
		return TA_LOAD_REFUSED;
	case ETIMEDOUT:
		return TA_LOAD_CONNECT_TIMEOUT;
	case EADDRNOTAVAIL:
	case EADDRINUSE:
		return TA_LOAD_NO_PORTS;
	case EMFILE:
	case ENFILE:
		return TA_LOAD_NO_DESCRIPTORS;
	case ENOMEM:
	case ENOBUFS:
		return TA_LOAD_NO_MEMORY;
	case ECONNRESET:
		return TA_LOAD_RESET;
	default:
		return TA_LOAD_CONNECT_FAILED;
	}
}

void ta_load_counts_merge(struct ta_load_counts *to, const struct ta_load_counts *from)
{
	to->replies += from->replies;
	to->nothing += from->nothing;
	to->bytes += from->bytes;
	to->connects += from->connects;
	for (unsigned i = 0; i < TA_LOAD_ERRORS; i++)
		to->errors[i] += from->errors[i];
	if (!to->bad_reply[0])
		memcpy(to->bad_reply, from->bad_reply, sizeof(to->bad_reply));
	if (!to->bad_status[0])
		memcpy(to->bad_status, from->bad_status, sizeof(to->bad_status));
}

uint64_t ta_load_counts_errors(const struct ta_load_counts *c)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < TA_LOAD_ERRORS; i++)
		n += c->errors[i];
	return n;
}

/* Room for a power of two of them. */
int ta_wire_add(struct ta_wire *w, size_t at, size_t end, unsigned replies)
{
	if (w->n_batches == TA_WIRE_BATCHES_MAX)
		return -E2BIG;
	if (!(w->n_batches & (w->n_batches - 1))) {
		struct ta_batch *v = reallocarray(w->batches, w->n_batches ? 2 * (size_t)w->n_batches : 1, sizeof(*v));

		if (!v)
			return -ENOMEM;
		w->batches = v;
	}
	w->batches[w->n_batches++] = (struct ta_batch){at, end - at, replies};
	return 0;
}

void ta_wire_done(struct ta_wire *w)
{
	free(w->batches);
	*w = (struct ta_wire){0};
}
