/*
 * kv: GET and SET, RESP. The batches are made before the run, with keys drawn at random, so that sending one costs no more than its
 * bytes; connections take them in turns.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "load/kv/kv.h"
#include "load/resp.h"
#include "load/run.h"

#define BATCHES_LEAST 64u

static void reset(void *state)
{
	ta_resp_reply_reset(state);
}

static void done(void *state)
{
}

static int feed(void *state, const char *data, size_t len, size_t *used)
{
	const struct ta_resp_reply *r = state;
	int rc = ta_resp_reply_feed(state, data, len, used);

	if (rc != 1)
		return rc;
	return r->is_error ? TA_FED_NO : r->is_nil ? TA_FED_NOTHING : TA_FED_REPLY;
}

static int end(void *state)
{
	return ta_resp_reply_end(state);
}

static bool may_reuse(const void *state)
{
	return true;
}

static const char *error_name(int n)
{
	return ta_resp_error_name((enum ta_resp_error)n);
}

static const char *no_name(const void *state)
{
	return ((const struct ta_resp_reply *)state)->word;
}

/* The same sequence for every run: splitmix64 (Steele, Lea, Flood 2014). */
static uint32_t draw(uint64_t *state, uint32_t below)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	z ^= z >> 31;
	return (uint32_t)((z >> 32) * below >> 32);
}

static int add_batch(const struct ta_workload_options *o, uint64_t *seed, struct ta_buf *b, struct ta_wire *w)
{
	const struct ta_kv_options *kv = &o->load->kv;
	size_t at = b->len;

	for (unsigned i = 0; i < o->pipeline; i++) {
		uint32_t key = draw(seed, kv->keys);

		if (draw(seed, 100) < kv->set_percent)
			ta_kv_add_set(b, key, kv->value_bytes);
		else
			ta_kv_add_get(b, key);
	}
	return b->error ? b->error : ta_wire_add(w, at, b->len, o->pipeline);
}

/* As many requests as there are keys, where memory and the number of batches allow; 64 batches at least. */
static int add_batches(const struct ta_workload_options *o, struct ta_buf *b, struct ta_wire *w)
{
	uint64_t seed = 1, wanted = TA_MAX((uint64_t)BATCHES_LEAST, o->load->kv.keys / o->pipeline + 1);
	int rc = 0;

	wanted = TA_MIN(wanted, (uint64_t)TA_WIRE_BATCHES_MAX);
	while (w->n_batches < wanted && b->len < TA_KV_BYTES_MAX && rc == 0)
		rc = add_batch(o, &seed, b, w);
	return rc;
}

static int prepare(const struct ta_workload_options *o, struct ta_buf *bytes, struct ta_wire *ret, struct ta_err *err)
{
	const struct ta_kv_options *kv = &o->load->kv;
	int n, rc;

	if (kv->set_percent && (uint64_t)o->pipeline * kv->value_bytes > TA_KV_BATCH_BYTES_MAX)
		return ta_err_set(err, -EINVAL, "%u values of %u bytes at a time are more than %zu MiB; --pipeline or --value-size is less",
			o->pipeline, kv->value_bytes, TA_KV_BATCH_BYTES_MAX >> 20);
	*ret = (struct ta_wire){
		.state_size = sizeof(struct ta_resp_reply),
		.reset = reset,
		.done = done,
		.feed = feed,
		.end = end,
		.may_reuse = may_reuse,
		.error_name = error_name,
		.no_name = no_name,
	};
	n = ta_kv_greeting(o, bytes, err);
	if (n < 0)
		return n;
	ret->greeting = (struct ta_batch){0, bytes->len, (unsigned)n};
	rc = add_batches(o, bytes, ret);
	ret->bytes = bytes->data;
	return rc;
}

/* A server that says no says why; one that does not answer is what the run tells of. */
static int begin(const struct ta_workload_options *o, struct ta_err *err)
{
	bool wrote = false;
	int rc = o->load->kv.set_percent ? ta_kv_fill(o, &wrote, err) : ta_kv_greet(o, err);

	if (rc == -EPERM && wrote)
		ta_kv_clear(o, NULL); /* what was written before it said so */
	return rc == -EPERM || rc == -ENOMEM ? rc : wrote;
}

static void finish(const struct ta_workload_options *o, bool left_keys, struct ta_load_result *r)
{
	const struct ta_kv_options *kv = &o->load->kv;
	struct ta_figures *f = &r->figures;
	uint64_t nothing = 0, replies = 0;
	struct ta_err err = {0};

	for (size_t i = 0; i < r->n_points; i++) {
		nothing += r->points[i].counts.nothing;
		replies += r->points[i].counts.replies;
	}
	ta_figures_number(f, "set_percent", "Requests", kv->set_percent, "%u %% SET, %u %% GET; %u keys, values of %u bytes",
		kv->set_percent, 100 - kv->set_percent, kv->keys, kv->value_bytes);
	ta_figures_number(f, "keys", NULL, kv->keys, "%u", kv->keys);
	ta_figures_number(f, "value_bytes", NULL, kv->value_bytes, "%u", kv->value_bytes);
	ta_figures_number(f, "misses", nothing ? "Misses" : NULL, (double)nothing,
		"%llu of %llu requests were for keys that are not there", (unsigned long long)nothing, (unsigned long long)replies);
	if (kv->set_percent && (left_keys || replies) && ta_kv_clear(o, &err) < 0)
		ta_figures_text(f, "keys_left", "Keys left",
			"tuneaudit:0000000 to tuneaudit:%07u may still be in the server; they could not be removed: %s", kv->keys - 1,
			err.text);
}

const struct ta_workload ta_workload_kv = {
	.name = "kv",
	.summary = "GET and SET of a Redis or its kin, several at a time",
	.scheme = "redis",
	.default_port = "6379",
	.prepare = prepare,
	.begin = begin,
	.finish = finish,
};
