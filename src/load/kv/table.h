/*
 * The keys of the built-in kv service: in memory, shared by its threads, bounded. What does not fit is refused, nothing is
 * thrown out.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define TA_KV_TABLE_BYTES ((size_t)256 << 20) /* of keys, values and what it takes to keep them */

struct ta_kv_table;

struct ta_kv_table *ta_kv_table_new(void); /* NULL: out of memory */
void ta_kv_table_free(struct ta_kv_table *t);

/* A key or a value: any bytes. */
struct ta_kv_text {
	const char *at;
	size_t len;
};

/* 0, -ENOSPC (the bound) or -ENOMEM. */
int ta_kv_table_set(struct ta_kv_table *t, struct ta_kv_text key, struct ta_kv_text value);

/* Appends the value as a bulk string of RESP. False: there is none. */
bool ta_kv_table_get(struct ta_kv_table *t, struct ta_kv_text key, struct ta_buf *b);

bool ta_kv_table_has(struct ta_kv_table *t, struct ta_kv_text key);
bool ta_kv_table_remove(struct ta_kv_table *t, struct ta_kv_text key); /* false: there was none */
void ta_kv_table_clear(struct ta_kv_table *t);
size_t ta_kv_table_keys(struct ta_kv_table *t);
size_t ta_kv_table_bytes(struct ta_kv_table *t);
