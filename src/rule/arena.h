/*
 * Memory that is given back all at once. Failures stick: after the first one
 * every allocation is NULL and `error` tells why, so a caller may look once.
 */
#pragma once

#include <stddef.h>

#include "base/macros.h"

struct ta_arena {
	struct ta_arena_block *block; /* the one in use; older ones hang behind it */
	size_t used;                  /* bytes handed out since the last reset */
	size_t limit;                 /* of `used`; 0: none */
	int error;                    /* 0, -ENOMEM, or -EFBIG when the limit was reached */
};

#define ta_cleanup_arena ta_cleanup(ta_arena_done)

/* Zeroed and aligned for any scalar; NULL after an error. */
void *ta_arena_alloc(struct ta_arena *a, size_t size);
char *ta_arena_strndup(struct ta_arena *a, const char *text, size_t len);
char *ta_arena_strdup(struct ta_arena *a, const char *text);

/* Forgets everything and the error; keeps one block for what comes next. */
void ta_arena_reset(struct ta_arena *a);
void ta_arena_done(struct ta_arena *a);

/* What was handed out after the mark can be given back by itself: loops do, once a turn. */
struct ta_arena_mark {
	struct ta_arena_block *block;
	size_t block_used, used;
};
struct ta_arena_mark ta_arena_mark(const struct ta_arena *a);
void ta_arena_release(struct ta_arena *a, struct ta_arena_mark mark);

#define ta_arena_new(a, type) ((type *)ta_arena_alloc((a), sizeof(type)))
