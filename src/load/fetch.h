/*
 * One connection that asks for whole bodies, one after another, and waits for each: for files, where the bytes count and not the
 * requests.
 */
#pragma once

#include "load/http.h"
#include "load/load.h"
#include "load/target.h"

struct ta_fetch {
	const struct ta_target *target;
	uint64_t timeout_ns; /* without a byte */
	const volatile sig_atomic_t *stop;
	int fd; /* -1: not connected */
	char *buffer;
	struct ta_http_reply reply;
	struct ta_load_counts counts; /* replies, bytes received, connects, errors */
};

int ta_fetch_init(struct ta_fetch *f, const struct ta_target *target, uint64_t timeout_ns, const volatile sig_atomic_t *stop);
void ta_fetch_done(struct ta_fetch *f);

/*
 * GET `path`, connecting first where that is needed. The status of the reply; or 0: there was none, which is counted, or `stop` was
 * set, which is not. `body`, if not NULL, gets the first MiB of it.
 */
unsigned ta_fetch_get(struct ta_fetch *f, const char *path, struct ta_buf *body);
