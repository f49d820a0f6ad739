/*
 * 64 hash tables with a lock each, so that threads seldom wait for one another. The hash is keyed at random: who sends the keys does not
 * choose which of them meet.
 */
#include "load/kv/table.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define STRIPES 64u
#define SLOTS_FIRST 64u

struct entry {
	struct entry *next;
	uint64_t hash;
	uint32_t key_len, value_len;
	char bytes[]; /* key, value */
};

struct stripe {
	pthread_mutex_t lock;
	struct entry **slots;
	size_t n_slots, n; /* n_slots is a power of two */
} __attribute__((aligned(64)));

struct ta_kv_table {
	struct stripe stripes[STRIPES];
	_Atomic size_t bytes;
	uint64_t secret[2];
};

struct ta_kv_table *ta_kv_table_new(void)
{
	struct ta_kv_table *t = aligned_alloc(_Alignof(struct ta_kv_table), sizeof(*t));

	if (!t)
		return NULL;
	memset(t, 0, sizeof(*t));
	if (getrandom(t->secret, sizeof(t->secret), GRND_NONBLOCK) < 0)
		t->secret[0] = (uintptr_t)t;
	for (unsigned i = 0; i < STRIPES; i++)
		pthread_mutex_init(&t->stripes[i].lock, NULL);
	return t;
}

static uint64_t fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Eight bytes at a time, each folded in by a product of 128 bits. */
static uint64_t hash_of(const struct ta_kv_table *t, struct ta_kv_text key)
{
	uint64_t h = t->secret[0] ^ key.len, word;
	size_t at = 0;

	for (; at + 8 <= key.len; at += 8) {
		memcpy(&word, key.at + at, 8);
		h = fold(h ^ word, t->secret[1] | 1);
	}
	word = 0;
	memcpy(&word, key.at + at, key.len - at);
	h = fold(h ^ word, t->secret[1] | 1);
	return fold(h, 0x9e3779b97f4a7c15u);
}

static struct stripe *lock_stripe(struct ta_kv_table *t, uint64_t hash)
{
	struct stripe *s = &t->stripes[hash >> 58];

	pthread_mutex_lock(&s->lock);
	return s;
}

/* Where the pointer to the entry stands, or would. NULL: there are no slots. */
static struct entry **find(struct stripe *s, uint64_t hash, struct ta_kv_text key)
{
	struct entry **at;

	if (!s->n_slots)
		return NULL;
	for (at = &s->slots[hash & (s->n_slots - 1)]; *at; at = &(*at)->next)
		if ((*at)->hash == hash && (*at)->key_len == key.len && !memcmp((*at)->bytes, key.at, key.len))
			break;
	return at;
}

static size_t size_of(const struct entry *e)
{
	return sizeof(*e) + e->key_len + e->value_len + 2 * sizeof(void *);
}

/* Twice as many slots. Where there is no memory for them the chains become longer. */
static int grow(struct stripe *s)
{
	size_t n = s->n_slots ? 2 * s->n_slots : SLOTS_FIRST;
	struct entry **slots = calloc(n, sizeof(struct entry *));

	if (!slots)
		return s->n_slots ? 0 : -ENOMEM;
	for (size_t i = 0; i < s->n_slots; i++) {
		for (struct entry *e = s->slots[i], *next; e; e = next) {
			struct entry **to = &slots[e->hash & (n - 1)];

			next = e->next;
			e->next = *to;
			*to = e;
		}
	}
	free(s->slots);
	s->slots = slots;
	s->n_slots = n;
	return 0;
}

static struct entry *make(struct ta_kv_text key, struct ta_kv_text value, uint64_t hash)
{
	struct entry *e = malloc(sizeof(*e) + key.len + value.len);

	if (!e)
		return NULL;
	*e = (struct entry){.hash = hash, .key_len = (uint32_t)key.len, .value_len = (uint32_t)value.len};
	memcpy(e->bytes, key.at, key.len);
	memcpy(e->bytes + key.len, value.at, value.len);
	return e;
}

static int replace(struct ta_kv_table *t, struct stripe *s, uint64_t hash, struct ta_kv_text key, struct ta_kv_text value)
{
	struct entry **at = find(s, hash, key), *old = at ? *at : NULL, *e;
	size_t more = sizeof(*e) + key.len + value.len + 2 * sizeof(void *);

	if (old && old->value_len == value.len) {
		memcpy(old->bytes + key.len, value.at, value.len);
		return 0;
	}
	if (atomic_load(&t->bytes) + more > TA_KV_TABLE_BYTES)
		return -ENOSPC;
	if (!old && s->n >= s->n_slots && grow(s) < 0)
		return -ENOMEM;
	e = make(key, value, hash);
	if (!e)
		return -ENOMEM;
	at = find(s, hash, key);
	e->next = old ? old->next : NULL;
	*at = e;
	s->n += !old;
	atomic_fetch_add(&t->bytes, more - (old ? size_of(old) : 0));
	free(old);
	return 0;
}

int ta_kv_table_set(struct ta_kv_table *t, struct ta_kv_text key, struct ta_kv_text value)
{
	uint64_t hash = hash_of(t, key);
	struct stripe *s = lock_stripe(t, hash);
	int rc = replace(t, s, hash, key, value);

	pthread_mutex_unlock(&s->lock);
	return rc;
}

static void add_bulk(struct ta_buf *b, const char *at, uint32_t len)
{
	char head[16];
	unsigned n = sizeof(head);
	uint32_t left = len;

	head[--n] = '\n';
	head[--n] = '\r';
	do
		head[--n] = (char)('0' + left % 10);
	while (left /= 10);
	head[--n] = '$';
	ta_buf_add(b, head + n, sizeof(head) - n);
	ta_buf_add(b, at, len);
	ta_buf_add(b, "\r\n", 2);
}

bool ta_kv_table_get(struct ta_kv_table *t, struct ta_kv_text key, struct ta_buf *b)
{
	uint64_t hash = hash_of(t, key);
	struct stripe *s = lock_stripe(t, hash);
	struct entry **at = find(s, hash, key);
	bool there = at && *at;

	if (there)
		add_bulk(b, (*at)->bytes + (*at)->key_len, (*at)->value_len);
	pthread_mutex_unlock(&s->lock);
	return there;
}

bool ta_kv_table_has(struct ta_kv_table *t, struct ta_kv_text key)
{
	uint64_t hash = hash_of(t, key);
	struct stripe *s = lock_stripe(t, hash);
	struct entry **at = find(s, hash, key);
	bool there = at && *at;

	pthread_mutex_unlock(&s->lock);
	return there;
}

bool ta_kv_table_remove(struct ta_kv_table *t, struct ta_kv_text key)
{
	uint64_t hash = hash_of(t, key);
	struct stripe *s = lock_stripe(t, hash);
	struct entry **at = find(s, hash, key), *old = at ? *at : NULL;

	if (old) {
		*at = old->next;
		s->n--;
		atomic_fetch_sub(&t->bytes, size_of(old));
	}
	pthread_mutex_unlock(&s->lock);
	free(old);
	return old != NULL;
}

void ta_kv_table_clear(struct ta_kv_table *t)
{
	for (unsigned i = 0; i < STRIPES; i++) {
		struct stripe *s = &t->stripes[i];

		pthread_mutex_lock(&s->lock);
		for (size_t k = 0; k < s->n_slots; k++) {
			for (struct entry *e = s->slots[k], *next; e; e = next) {
				next = e->next;
				atomic_fetch_sub(&t->bytes, size_of(e));
				free(e);
			}
		}
		free(s->slots);
		s->slots = NULL;
		s->n_slots = s->n = 0;
		pthread_mutex_unlock(&s->lock);
	}
}

size_t ta_kv_table_keys(struct ta_kv_table *t)
{
	size_t n = 0;

	for (unsigned i = 0; i < STRIPES; i++) {
		pthread_mutex_lock(&t->stripes[i].lock);
		n += t->stripes[i].n;
		pthread_mutex_unlock(&t->stripes[i].lock);
	}
	return n;
}

size_t ta_kv_table_bytes(struct ta_kv_table *t)
{
	return atomic_load(&t->bytes);
}

void ta_kv_table_free(struct ta_kv_table *t)
{
	if (!t)
		return;
	ta_kv_table_clear(t);
	for (unsigned i = 0; i < STRIPES; i++)
		pthread_mutex_destroy(&t->stripes[i].lock);
	free(t);
}
