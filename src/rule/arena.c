#include "rule/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BLOCK 4096
#define LARGEST_BLOCK (256u << 10)
#define ALIGNMENT sizeof(max_align_t)

struct ta_arena_block {
	struct ta_arena_block *older;
	size_t size, used;
	max_align_t data[];
};

static struct ta_arena_block *new_block(struct ta_arena *a, size_t need)
{
	size_t size = a->block ? TA_MIN(a->block->size * 2, (size_t)LARGEST_BLOCK) : FIRST_BLOCK;
	struct ta_arena_block *b;

	size = TA_MAX(size, need);
	b = malloc(sizeof(*b) + size);
	if (!b)
		return NULL;
	b->older = a->block;
	b->size = size;
	b->used = 0;
	a->block = b;
	return b;
}

void *ta_arena_alloc(struct ta_arena *a, size_t size)
{
	struct ta_arena_block *b = a->block;
	void *p;

	if (a->error)
		return NULL;
	if (size > (size_t)-1 / 2 || (a->limit && size > a->limit - TA_MIN(a->limit, a->used))) {
		a->error = -EFBIG;
		return NULL;
	}
	size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	if (!b || size > b->size - b->used)
		b = new_block(a, size);
	if (!b) {
		a->error = -ENOMEM;
		return NULL;
	}
	p = (char *)b->data + b->used;
	b->used += size;
	a->used += size;
	return memset(p, 0, size);
}

char *ta_arena_strndup(struct ta_arena *a, const char *text, size_t len)
{
	char *p = ta_arena_alloc(a, len + 1);

	return p ? memcpy(p, text, len) : NULL;
}

char *ta_arena_strdup(struct ta_arena *a, const char *text)
{
	return ta_arena_strndup(a, text, strlen(text));
}

static void free_older(struct ta_arena_block *b)
{
	while (b) {
		struct ta_arena_block *older = b->older;

		free(b);
		b = older;
	}
}

void ta_arena_reset(struct ta_arena *a)
{
	a->used = 0;
	a->error = 0;
	if (!a->block)
		return;
	free_older(a->block->older);
	a->block->older = NULL;
	a->block->used = 0;
}

struct ta_arena_mark ta_arena_mark(const struct ta_arena *a)
{
	return (struct ta_arena_mark){a->block, a->block ? a->block->used : 0, a->used};
}

void ta_arena_release(struct ta_arena *a, struct ta_arena_mark mark)
{
	while (a->block != mark.block) {
		struct ta_arena_block *older = a->block->older;

		free(a->block);
		a->block = older;
	}
	if (a->block)
		a->block->used = mark.block_used;
	a->used = mark.used;
}

void ta_arena_done(struct ta_arena *a)
{
	free_older(a->block);
	*a = (struct ta_arena){0};
}
