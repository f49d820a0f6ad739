/*
 * capture.json: of which kernel a capture is, and when it was taken. Also the
 * one form of time that stands in files of ours; done by hand because libc's
 * calendar knows locales and time zones, and this must know neither.
 */
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "base/jsonstrict.h"
#include "base/num.h"
#include "host/store.h"

#define SCHEMA "tuneaudit.capture/1"
#define DEPTH_LIMIT 8
#define DAY_S 86400

/* Days from 1970-01-01 to a date of the Gregorian calendar. Years begin in March, so that leap days come last. */
static int64_t days_from_date(int64_t year, unsigned month, unsigned day)
{
	int64_t y = month <= 2 ? year - 1 : year;
	int64_t day_of_year = (153 * (int64_t)(month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;

	return y * 365 + y / 4 - y / 100 + y / 400 + day_of_year - 719468;
}

static unsigned days_in_month(unsigned year, unsigned month)
{
	static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap);
}

/* `n` digits at *text, then `end`. */
static int take(const char **text, unsigned n, char end, unsigned *ret)
{
	unsigned v = 0;

	for (unsigned i = 0; i < n; i++) {
		char c = (*text)[i];

		if (c < '0' || c > '9')
			return -EINVAL;
		v = v * 10 + (unsigned)(c - '0');
	}
	if ((*text)[n] != end)
		return -EINVAL;
	*text += n + (end ? 1 : 0);
	*ret = v;
	return 0;
}

int ta_time_parse(const char *text, int64_t *ret)
{
	unsigned year, month, day, hour, minute, second;

	if (take(&text, 4, '-', &year) < 0 || take(&text, 2, '-', &month) < 0 ||
		take(&text, 2, 'T', &day) < 0 || take(&text, 2, ':', &hour) < 0 ||
		take(&text, 2, ':', &minute) < 0 || take(&text, 2, 'Z', &second) < 0 || *text)
		return -EINVAL;
	if (year < 1970 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month) ||
		hour > 23 || minute > 59 || second > 59)
		return -EINVAL;
	*ret = days_from_date(year, month, day) * DAY_S + hour * 3600 + minute * 60 + second;
	return 0;
}

void ta_time_format(int64_t time, struct ta_buf *b)
{
	int64_t days = time / DAY_S;
	unsigned s = (unsigned)(time % DAY_S), year = 1970, month = 1;

	while (days_from_date(year + 1, 1, 1) <= days)
		year++;
	days -= days_from_date(year, 1, 1);
	while (days >= days_in_month(year, month))
		days -= days_in_month(year, month++);
	ta_buf_printf(b, "%04u-%02u-%02uT%02u:%02u:%02uZ", year, month, (unsigned)days + 1, s / 3600,
		s / 60 % 60, s % 60);
}

static int check_about(struct json_object *root, bool *ret_has_taken, int64_t *ret_taken, struct ta_err *err)
{
	struct json_object *schema, *taken;

	if (!json_object_is_type(root, json_type_object))
		return ta_err_set(err, -EBADMSG, "not a JSON object");
	if (!json_object_object_get_ex(root, "schema", &schema) ||
		!json_object_is_type(schema, json_type_string) ||
		strcmp(json_object_get_string(schema), SCHEMA) != 0)
		return ta_err_set(err, -EBADMSG, "its schema is not %s", SCHEMA);
	*ret_has_taken = false;
	if (!json_object_object_get_ex(root, "taken", &taken))
		return 0;
	if (!json_object_is_type(taken, json_type_string) ||
		ta_time_parse(json_object_get_string(taken), ret_taken) < 0)
		return ta_err_set(err, -EBADMSG, "\"taken\" is not a time like 2026-01-31T12:00:00Z");
	*ret_has_taken = true;
	return 0;
}

int ta_capture_json_parse(const char *text, size_t len, bool *ret_has_taken, int64_t *ret_taken,
	struct ta_err *err)
{
	struct json_tokener *tok = json_tokener_new_ex(DEPTH_LIMIT);
	struct json_object *root;
	int rc;

	if (!tok)
		return ta_err_set(err, -ENOMEM, "out of memory");
	json_tokener_set_flags(tok, ta_json_strict(text, len) | JSON_TOKENER_VALIDATE_UTF8);
	root = json_tokener_parse_ex(tok, text, (int)len + 1);
	/* null is a text without an object. */
	rc = root || json_tokener_get_error(tok) == json_tokener_success
		  ? check_about(root, ret_has_taken, ret_taken, err)
		  : ta_err_set(err, -EBADMSG, "byte %zu: %s", json_tokener_get_parse_end(tok),
			    json_tokener_error_desc(json_tokener_get_error(tok)));
	json_object_put(root);
	json_tokener_free(tok);
	return rc;
}

static void add(struct json_object *root, const char *key, const char *value)
{
	struct json_object *o = value ? json_object_new_string(value) : NULL;

	if (o && json_object_object_add(root, key, o) < 0)
		json_object_put(o);
}

void ta_capture_json_format(const char *kernel, const char *arch, const char *tool, int64_t taken,
	struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf time = TA_BUF_INIT;
	struct json_object *root = json_object_new_object();
	const char *text;

	if (!root) {
		b->error = b->error ?: -ENOMEM;
		return;
	}
	ta_time_format(taken, &time);
	add(root, "schema", SCHEMA);
	add(root, "kernel", kernel);
	add(root, "arch", arch);
	add(root, "tool", tool);
	add(root, "taken", ta_buf_text(&time));
	text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
	if (text)
		ta_buf_adds(b, text);
	ta_buf_addc(b, '\n');
	if (!text)
		b->error = b->error ?: -ENOMEM;
	json_object_put(root);
}
