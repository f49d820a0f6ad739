#include "report/json.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "report/text.h"

static void add_string(struct ta_buf *b, const char *text)
{
	ta_buf_addc(b, '"');
	while (*text) {
		uint32_t code;
		size_t n = ta_text_decode(text, &code);

		if (!n)
			ta_buf_printf(b, "\\\\x%02x", (unsigned char)*text);
		else if (code == '"' || code == '\\')
			ta_buf_printf(b, "\\%c", (int)code);
		else if (code == '\n')
			ta_buf_adds(b, "\\n");
		else if (code == '\t')
			ta_buf_adds(b, "\\t");
		else if (code < 0x20 || code == 0x7f)
			ta_buf_printf(b, "\\u%04x", code);
		else
			ta_buf_add(b, text, n);
		text += n ? n : 1;
	}
	ta_buf_addc(b, '"');
}

static void member(struct ta_json *j, const char *key)
{
	if (j->comma)
		ta_buf_addc(j->b, ',');
	if (j->newline)
		ta_buf_addc(j->b, '\n');
	j->comma = true;
	j->newline = false;
	if (key) {
		add_string(j->b, key);
		ta_buf_addc(j->b, ':');
	}
}

void ta_json_open(struct ta_json *j, const char *key, char bracket)
{
	member(j, key);
	ta_buf_addc(j->b, bracket);
	j->comma = false;
}

void ta_json_close(struct ta_json *j, char bracket)
{
	if (j->newline)
		ta_buf_addc(j->b, '\n');
	ta_buf_addc(j->b, bracket);
	j->comma = true;
	j->newline = false;
}

void ta_json_str(struct ta_json *j, const char *key, const char *v)
{
	if (!v) {
		ta_json_null(j, key);
		return;
	}
	member(j, key);
	add_string(j->b, v);
}

void ta_json_u64(struct ta_json *j, const char *key, uint64_t v)
{
	member(j, key);
	ta_buf_printf(j->b, "%llu", (unsigned long long)v);
}

void ta_json_real(struct ta_json *j, const char *key, double v)
{
	char text[64];
	size_t len;

	snprintf(text, sizeof(text), "%.3f", v);
	len = strlen(text);
	while (len && text[len - 1] == '0')
		len--;
	if (len && text[len - 1] == '.')
		len--;
	text[len] = '\0';
	member(j, key);
	ta_buf_adds(j->b, text);
}

void ta_json_bool(struct ta_json *j, const char *key, bool v)
{
	member(j, key);
	ta_buf_adds(j->b, v ? "true" : "false");
}

void ta_json_null(struct ta_json *j, const char *key)
{
	member(j, key);
	ta_buf_adds(j->b, "null");
}

void ta_json_line(struct ta_json *j)
{
	j->newline = true;
}

void ta_json_value(struct ta_json *j, const char *key, struct json_object *v)
{
	switch (json_object_get_type(v)) {
	case json_type_object:
		ta_json_open(j, key, '{');
		json_object_object_foreach(v, name, child)
		{
			ta_json_value(j, name, child);
		}
		ta_json_close(j, '}');
		break;
	case json_type_array:
		ta_json_open(j, key, '[');
		for (size_t i = 0; i < json_object_array_length(v); i++)
			ta_json_value(j, NULL, json_object_array_get_idx(v, i));
		ta_json_close(j, ']');
		break;
	case json_type_string:
		ta_json_str(j, key, json_object_get_string(v));
		break;
	default: /* numbers, true, false, null: as they are written */
		member(j, key);
		ta_buf_adds(j->b, json_object_to_json_string(v));
	}
}
