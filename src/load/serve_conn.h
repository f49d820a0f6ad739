/*
 * A connection of the built-in server: what its two ways of waiting, epoll and io_uring, have in common. They move bytes;
 * what was asked and what is owed is worked out here. Nothing grows with what a client sends: a head that does not end
 * is thrown away at its limit, and replies are owed as a number of bytes of one text.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/serve.h"

#define TA_SERVE_RECEIVE_BYTES (64u << 10)

struct ta_serve_link {
	struct ta_serve_link *next, *prev;
};

struct ta_serve_conn {
	struct ta_serve_link link; /* first: by last activity */
	int fd;
	bool closing;	/* once `owed` is sent */
	char *partial;	/* of a request, NULL or TA_SERVER_HEAD_MAX bytes */
	size_t n_partial;
	size_t owed, at; /* reply bytes to send, and where in a reply the next one stands */
	uint64_t active_ns;
	unsigned operations; /* io_uring: that the kernel has of it */
	bool sending, receiving;
};

/* The connections of a thread, the one that was quiet longest first. */
struct ta_serve_conns {
	const struct ta_serve *serve;
	struct ta_serve_link list;
	uint64_t now;
	char buffer[TA_SERVER_HEAD_MAX + TA_SERVE_RECEIVE_BYTES];
};

void ta_serve_conns_init(struct ta_serve_conns *c, const struct ta_serve *serve);

/* A new one for `fd`, which it takes over also where there is no memory (NULL). */
struct ta_serve_conn *ta_serve_conn_new(struct ta_serve_conns *c, int fd);
void ta_serve_conn_free(struct ta_serve_conn *conn); /* closes it */
void ta_serve_conn_touch(struct ta_serve_conns *c, struct ta_serve_conn *conn);

/* The one that said nothing for TA_SERVER_IDLE_S, or NULL. */
struct ta_serve_conn *ta_serve_conn_quiet(struct ta_serve_conns *c);

/* `len` bytes that were received: at most TA_SERVE_RECEIVE_BYTES. What is owed then is conn->owed, and conn->closing may be set. */
void ta_serve_conn_feed(struct ta_serve_conns *c, struct ta_serve_conn *conn, const char *data, size_t len);

/* The next bytes of what is owed; `n` of them were sent. */
const char *ta_serve_conn_owed(const struct ta_serve_conns *c, const struct ta_serve_conn *conn, size_t *ret_len);
void ta_serve_conn_sent(const struct ta_serve_conns *c, struct ta_serve_conn *conn, size_t n);

/* Threads of one kind each; `arg` is the struct ta_serve. */
void *ta_serve_epoll_main(void *arg);
void *ta_serve_uring_main(void *arg);

/*
 * No descriptor is left: whoever waits longest is told so by a reset, instead of waking the thread for ever. `reserve` is
 * the descriptor that is given up for that, and taken again.
 */
void ta_serve_turn_away(const struct ta_serve *serve, int *reserve);
