/*
 * The file: JSON whose order never changes. It holds no time, so that a host that did not change gives the same bytes.
 */
#include <json-c/json.h>
#include <string.h>

#include "baseline/baseline.h"

#define PLAIN (JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)

static void add_value(struct ta_buf *b, struct json_object *v)
{
	ta_buf_adds(b, v ? json_object_to_json_string_ext(v, PLAIN) : "null");
}

static void add_text(struct ta_buf *b, const char *text)
{
	struct json_object *v = text ? json_object_new_string(text) : NULL;

	add_value(b, v);
	json_object_put(v);
}

static void add_member(struct ta_buf *b, const char *key, const char *value)
{
	add_text(b, key);
	ta_buf_addc(b, ':');
	add_text(b, value);
	ta_buf_adds(b, ",\n");
}

static void add_facts(const struct ta_baseline *b, bool absent, struct ta_buf *ret)
{
	const char *comma = "\n";

	for (size_t i = 0; i < b->n_facts; i++) {
		const struct ta_baseline_fact *f = &b->facts[i];

		if (!f->value != absent)
			continue;
		ta_buf_adds(ret, comma);
		add_text(ret, f->path);
		ta_buf_addc(ret, ':');
		if (absent)
			add_text(ret, ta_reason_name(f->reason));
		else
			add_value(ret, f->value);
		comma = ",\n";
	}
}

static void add_fingerprint(struct json_object *fingerprint, struct ta_buf *ret)
{
	const char *comma = "\n";

	json_object_object_foreach(fingerprint, key, value)
	{
		ta_buf_adds(ret, comma);
		add_text(ret, key);
		ta_buf_addc(ret, ':');
		add_value(ret, value);
		comma = ",\n";
	}
}

void ta_baseline_format(const struct ta_baseline *b, struct ta_buf *ret)
{
	ta_buf_adds(ret, "{\n");
	add_member(ret, "schema", TA_BASELINE_SCHEMA);
	add_member(ret, "tool", b->tool);
	add_member(ret, "rules", b->rules);
	add_member(ret, "profile", b->profile);
	add_member(ret, "host", b->host);
	ta_buf_adds(ret, "\"fingerprint\":{");
	if (b->fingerprint)
		add_fingerprint(b->fingerprint, ret);
	ta_buf_adds(ret, "\n},\n\"facts\":{");
	add_facts(b, false, ret);
	ta_buf_adds(ret, "\n},\n\"absent\":{");
	add_facts(b, true, ret);
	ta_buf_adds(ret, "\n},\n\"incomplete\":[");
	for (size_t i = 0; i < b->incomplete.n; i++) {
		ta_buf_adds(ret, i ? ",\n" : "\n");
		add_text(ret, b->incomplete.v[i]);
	}
	ta_buf_adds(ret, "\n],\n\"findings\":[");
	for (size_t i = 0; i < b->n_verdicts; i++) {
		const struct ta_baseline_verdict *v = &b->verdicts[i];

		ta_buf_adds(ret, i ? ",\n{\"rule\":" : "\n{\"rule\":");
		add_text(ret, v->rule);
		ta_buf_adds(ret, ",\"subject\":");
		add_text(ret, v->subject);
		ta_buf_printf(ret, ",\"verdict\":\"%s\"}", ta_verdict_name(v->verdict));
	}
	ta_buf_adds(ret, "\n]\n}\n");
}
