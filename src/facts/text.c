#include "facts/text.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/jsonstrict.h"
#include "base/num.h"
#include "facts/facts.h"

size_t ta_printable_char(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	unsigned long c;
	size_t n;

	if (s[0] < 0x80)
		return s[0] >= 0x20 && s[0] != 0x7f;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		n = 2;
	else if ((s[0] & 0xf0) == 0xe0)
		n = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		n = 4;
	else
		return 0;
	c = s[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	/* Overlong forms, surrogates, beyond Unicode, C1 controls and the marks that turn a line around. */
	if ((n == 3 && c < 0x800) || (n == 4 && c < 0x10000) || (c >= 0xd800 && c <= 0xdfff) || c > 0x10ffff ||
		c < 0xa0 || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069))
		return 0;
	return n;
}

static bool is_safe(const char *raw)
{
	for (;;) {
		size_t n;

		while (*raw >= 0x20 && *raw < 0x7f)
			raw++;
		if (!*raw)
			return true;
		n = ta_printable_char(raw);
		if (!n)
			return false;
		raw += n;
	}
}

const char *ta_safe_key(struct ta_safe_text *room, const char *raw)
{
	const char *s = raw;
	size_t out = 0;

	if (is_safe(raw))
		return raw;
	while (*s && out + 5 < sizeof(room->text)) {
		size_t n = ta_printable_char(s);

		if (n) {
			memcpy(room->text + out, s, n);
			out += n;
			s += n;
			continue;
		}
		out += (size_t)snprintf(room->text + out, 5, "\\x%02x", (unsigned char)*s++);
	}
	room->text[out] = '\0';
	return room->text;
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || ta_is_digit(c) || c == '_' || c == '-';
}

static size_t plain_length(const char *key)
{
	size_t n = 0;

	if (ta_is_digit(*key))
		return strspn(key, "0123456789");
	if (*key == '-')
		return 0;
	while (is_name_char(key[n]))
		n++;
	return n;
}

static bool is_plain(const char *key)
{
	size_t n = plain_length(key);

	return n && !key[n];
}

void ta_path_add(struct ta_buf *b, const char *raw)
{
	struct ta_safe_text room;
	const char *key = ta_safe_key(&room, raw);

	if (is_plain(key)) {
		if (b->len)
			ta_buf_addc(b, '.');
		ta_buf_adds(b, key);
		return;
	}
	ta_buf_adds(b, "[\"");
	while (*key) {
		size_t n = strcspn(key, "\"\\");

		ta_buf_add(b, key, n);
		key += n;
		if (*key) {
			ta_buf_addc(b, '\\');
			ta_buf_addc(b, *key++);
		}
	}
	ta_buf_adds(b, "\"]");
}

void ta_path_format(struct ta_buf *b, const char *const *path)
{
	for (; *path; path++)
		ta_path_add(b, *path);
}

/* The length of ["…"] at `s`, 0 if it is none. */
static size_t quoted_length(const char *s)
{
	size_t n = 2;

	if (s[0] != '[' || s[1] != '"')
		return 0;
	while (s[n] && s[n] != '"')
		n += s[n] == '\\' && s[n + 1] ? 2 : 1;
	return s[n] == '"' && s[n + 1] == ']' ? n + 2 : 0;
}

size_t ta_path_ends(const char *path, size_t *ends, size_t max)
{
	size_t at = 0, n = 0;

	while (path[at] && n < max) {
		size_t len;

		if (path[at] == '[') {
			len = quoted_length(path + at);
		} else {
			at += n && path[at] == '.';
			len = path[at] == '*' ? 1 : plain_length(path + at);
		}
		if (!len)
			break;
		at += len;
		ends[n++] = at;
	}
	return n;
}

bool ta_path_key(const char *path, size_t start, size_t end, char (*ret)[256])
{
	size_t n = 0;

	if (end - start >= sizeof(*ret))
		return false;
	if (path[start] == '.')
		start++;
	if (path[start] != '[') {
		memcpy(*ret, path + start, end - start);
		(*ret)[end - start] = '\0';
		return true;
	}
	for (size_t i = start + 2; i + 2 < end; i++) {
		if (path[i] == '\\')
			i++;
		(*ret)[n++] = path[i];
	}
	(*ret)[n] = '\0';
	return true;
}

/* The first integer in JSON text that has no exact value here, or NULL. */
static const char *find_inexact(const char *text, size_t len)
{
	bool in_string = false;

	for (size_t i = 0; i < len; i++) {
		char token[32];
		size_t n;
		int64_t i64;
		uint64_t u64;

		if (in_string) {
			if (text[i] == '\\')
				i++;
			else if (text[i] == '"')
				in_string = false;
			continue;
		}
		in_string = text[i] == '"';
		if (text[i] != '-' && (text[i] < '0' || text[i] > '9'))
			continue;
		for (n = 1; i + n < len && text[i + n] && strchr("0123456789+-.eE", text[i + n]); n++)
			;
		/* Fractions and exponents are reals; json-c reads those as doubles. */
		if (!memchr(text + i, '.', n) && !memchr(text + i, 'e', n) && !memchr(text + i, 'E', n)) {
			if (n >= sizeof(token))
				return text + i;
			memcpy(token, text + i, n);
			token[n] = '\0';
			if (ta_parse_i64(token, &i64) == -ERANGE && ta_parse_u64(token, &u64) < 0)
				return text + i;
		}
		i += n - 1;
	}
	return NULL;
}

int ta_json_parse(const char *text, size_t len, struct json_object **ret, struct ta_err *err)
{
	struct json_tokener *tok;
	struct json_object *doc;
	enum json_tokener_error problem;
	const char *inexact;
	size_t at;

	if (len > TA_JSON_MAX)
		return ta_err_set(err, -EFBIG, "larger than %u MiB", TA_JSON_MAX >> 20);
	inexact = find_inexact(text, len);
	if (inexact)
		return ta_err_set(err, -ERANGE, "an integer outside -2^63 ... 2^64-1 at byte %zu", (size_t)(inexact - text));
	tok = json_tokener_new_ex(TA_JSON_DEPTH_MAX);
	if (!tok)
		return ta_err_set(err, -ENOMEM, "out of memory");
	json_tokener_set_flags(tok, ta_json_strict(text, len) | JSON_TOKENER_VALIDATE_UTF8);
	doc = json_tokener_parse_ex(tok, text, (int)len);
	problem = json_tokener_get_error(tok);
	at = json_tokener_get_parse_end(tok);
	json_tokener_free(tok);
	if (problem == json_tokener_continue)
		return ta_err_set(err, -EBADMSG, "the text ends too early");
	if (problem != json_tokener_success) {
		json_object_put(doc);
		return ta_err_set(err, -EBADMSG, "byte %zu: %s", at, json_tokener_error_desc(problem));
	}
	for (; at < len; at++) {
		if (!strchr(" \t\r\n", text[at]) || !text[at]) {
			json_object_put(doc);
			return ta_err_set(err, -EBADMSG, "byte %zu: something follows the document", at);
		}
	}
	*ret = doc;
	return 0;
}
