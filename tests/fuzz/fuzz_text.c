/*
 * Whatever a host or a rule says: text for people is ASCII within its width, text for programs is
 * JSON. The first two bytes are the width and the indentation.
 */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "report/json.h"
#include "report/text.h"

/* Wider only where one word is: no blank but those that indent it. */
static void check_line(const char *line, size_t len, unsigned columns)
{
	size_t indent = 0;

	for (size_t i = 0; i < len; i++)
		if (line[i] < 0x20 || line[i] > 0x7e)
			abort();
	while (indent < len && line[indent] == ' ')
		indent++;
	if (len > columns && memchr(line + indent, ' ', len - indent))
		abort();
}

static void check_wrap(const char *text, unsigned columns, unsigned indent)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	const char *s;

	ta_text_wrap(&b, text, columns, 0, indent);
	for (s = ta_buf_text(&b); *s;) {
		size_t n = strcspn(s, "\n");

		check_line(s, n, columns);
		s += n + (s[n] == '\n');
	}
}

static void check_json(const char *text)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct json_tokener *t = json_tokener_new();
	struct ta_json j = {.b = &b};
	struct json_object *o;

	ta_json_open(&j, NULL, '{');
	ta_json_str(&j, text, text);
	ta_json_close(&j, '}');
	json_tokener_set_flags(t, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	o = json_tokener_parse_ex(t, b.data, (int)b.len);
	if (!o || json_tokener_get_parse_end(t) != b.len || json_object_object_length(o) != 1)
		abort();
	json_object_put(o);
	json_tokener_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (size < 2 || size > 65536)
		return 0;
	text = strndup((const char *)data + 2, size - 2);
	/* Blanks that may not be broken at may make any line long. */
	if (!strstr(text, "\xc2\xa0") && !strstr(text, "\xe2\x80\xaf"))
		check_wrap(text, TA_COLUMNS_MIN + data[0], data[1]);
	check_json(text);
	free(text);
	return 0;
}
