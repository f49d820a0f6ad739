/*
 * What the built-in kv service answers: the commands that load generators and redis-cli send, of Redis 7.
 */
#pragma once

#include "load/kv/table.h"
#include "load/resp.h"

#define TA_KV_VALUE_MAX (1u << 20) /* bytes */
#define TA_KV_KEY_MAX 1024u

/* Appends the reply to a request. False: the connection ends after it. */
bool ta_kv_answer(struct ta_kv_table *t, const struct ta_resp_request *r, struct ta_buf *b);
