/*
 * The kv workload: GET and SET of keys that carry our name, pipelined.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"
#include "load/workload.h"

#define TA_KV_KEYS_MAX 10000000u
#define TA_KV_KEY_FORMAT "tuneaudit:%07u" /* 17 bytes */
#define TA_KV_BATCH_BYTES_MAX ((size_t)16 << 20)
#define TA_KV_BYTES_MAX ((size_t)64 << 20) /* of all batches together */

/* One command: "*2\r\n$3\r\nGET\r\n…". */
void ta_kv_add_get(struct ta_buf *b, uint32_t key);
void ta_kv_add_set(struct ta_buf *b, uint32_t key, uint32_t value_bytes);
void ta_kv_add_del(struct ta_buf *b, uint32_t first, uint32_t n);

/*
 * What a connection says first: AUTH where there is a password, SELECT where the target's path names a database ("/3"). The number of
 * its commands, or -EINVAL with the text.
 */
int ta_kv_greeting(const struct ta_workload_options *o, struct ta_buf *b, struct ta_err *err);

/*
 * Over a connection of its own, before and after the run: writes each key once, removes them. 0, -EPERM where the server says no
 * (with the text), another -errno where it does not answer as one should: then the run will tell. `*ret_wrote`, set in any case:
 * keys may be there now. The user's wish to stop ends the writing, not the removing.
 */
int ta_kv_fill(const struct ta_workload_options *o, bool *ret_wrote, struct ta_err *err);
int ta_kv_clear(const struct ta_workload_options *o, struct ta_err *err);
/* As ta_kv_fill(), but changes nothing: only greets. */
int ta_kv_greet(const struct ta_workload_options *o, struct ta_err *err);
