/*
 * The threads of the built-in server: one shared listening socket, an epoll for each thread. server.h puts them into
 * a process.
 */
#pragma once

#include <pthread.h>

#include "load/server.h"

#define TA_SERVE_THREADS_MAX 64

/* A reply, repeated so often that the replies to pipelined requests leave in one send. */
struct ta_serve_reply {
	char *block;
	size_t block_len; /* a multiple of `len` */
	size_t len;	  /* of one reply */
	size_t head_len;  /* of it */
};

struct ta_serve {
	int listener, wake; /* `wake` (eventfd) becomes readable when the threads are to end */
	struct ta_serve_reply reply;
	unsigned n_threads;
	pthread_t threads[TA_SERVE_THREADS_MAX];
	struct sockaddr_storage addr;
	socklen_t addr_len;
};

/* Listens; the threads run. 0 or -errno with the text. */
int ta_serve_start(const struct ta_server_options *o, struct ta_serve *ret, struct ta_err *err);
void ta_serve_stop(struct ta_serve *s);
