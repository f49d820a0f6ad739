/*
 * Sizes: what is sent at a time is large, so that calls cost nothing beside the copying; what is received at a time stays in a core's cache, so that
 * the copy into it does not go to memory. Both measured over loopback.
 */
#include "load/stream/bulk.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#define SEND_BYTES (512u << 10)
#define RECEIVE_BYTES (64u << 10)
#define DISCARD_BYTES (1u << 30)

static void add(struct ta_bulk *b, uint64_t n)
{
	/* One writer: no locked instruction is needed. */
	atomic_store_explicit(&b->bytes, atomic_load_explicit(&b->bytes, memory_order_relaxed) + n, memory_order_relaxed);
}

void ta_bulk_send(struct ta_bulk *b)
{
	char *data = calloc(1, SEND_BYTES);

	if (!data) {
		atomic_store(&b->error, ENOMEM);
		return;
	}
	for (;;) {
		ssize_t n = send(b->fd, data, SEND_BYTES, MSG_NOSIGNAL);

		if (n > 0) {
			add(b, (uint64_t)n);
		} else if (n == 0 || errno != EINTR) {
			atomic_store(&b->error, n < 0 ? errno : 0);
			break;
		}
	}
	free(data);
}

void ta_bulk_receive(struct ta_bulk *b)
{
	char *data = b->discard ? NULL : malloc(RECEIVE_BYTES);

	if (!data && !b->discard) {
		atomic_store(&b->error, ENOMEM);
		return;
	}
	for (;;) {
		ssize_t n = recv(b->fd, data, b->discard ? DISCARD_BYTES : RECEIVE_BYTES, b->discard ? MSG_TRUNC : 0);

		if (n > 0) {
			add(b, (uint64_t)n);
		} else if (n == 0 || errno != EINTR) {
			atomic_store(&b->error, n < 0 ? errno : 0);
			break;
		}
	}
	free(data);
}
