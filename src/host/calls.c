/*
 * calls.json, held as the json-c tree it is: sections, each an object from a
 * name to its answer.
 *
 *   errors.{read,lines,list,link,netlink}   name -> "EACCES"
 *   lists     path -> [name, …]             links  path -> target
 *   exists    path -> true                  calls  key -> {"rc": 0 or "EPERM", "data": hex}
 */
#include "host/calls.h"

#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <string.h>

#include "base/jsonstrict.h"
#include "base/num.h"
#include "host/internal.h"

#define SCHEMA "tuneaudit.calls/1"
#define DEPTH_LIMIT 6
#define NAMES_LIMIT 200000u /* as ta_host_list() */
/* json-c takes up to a kilobyte for an object of two characters; 16 MiB of those would be gigabytes. */
#define OBJECTS_LIMIT 100000u
#define VALUES_LIMIT 500000u

static const char *const ask_names[] = {
	[TA_ASK_READ] = "read",
	[TA_ASK_LINES] = "lines",
	[TA_ASK_LIST] = "list",
	[TA_ASK_LINK] = "link",
	[TA_ASK_NETLINK] = "netlink",
};

static const char *byte_order(void)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "little" : "big";
}

/* --- escaping ------------------------------------------------------------------ */

void ta_escape(const char *text, bool component, struct ta_buf *b)
{
	for (const char *p = text; *p; p++) {
		unsigned char c = (unsigned char)*p;
		bool plain = c >= 0x20 && c < 0x7f && c != '%';

		if (component)
			plain = plain && c != '/' && c != ' ' && !(c == '.' && p == text);
		if (plain)
			ta_buf_addc(b, *p);
		else
			ta_buf_printf(b, "%%%02X", c);
	}
}

static int hex_digit(char c)
{
	if (ta_is_digit(c))
		return c - '0';
	if ((c | 32) >= 'a' && (c | 32) <= 'f')
		return (c | 32) - 'a' + 10;
	return -1;
}

/* Two digits as a byte, or -1. */
static int hex_byte(const char *s)
{
	int high = hex_digit(s[0]), low = high < 0 ? -1 : hex_digit(s[1]);

	return low < 0 ? -1 : high << 4 | low;
}

int ta_unescape(const char *text, struct ta_buf *b)
{
	while (*text) {
		size_t n = strcspn(text, "%");
		int byte;

		ta_buf_add(b, text, n);
		text += n;
		if (!*text)
			break;
		byte = hex_byte(text + 1);
		if (byte <= 0)
			return -EINVAL;
		ta_buf_addc(b, (char)byte);
		text += 3;
	}
	return b->error;
}

static int unhex(const char *text, struct ta_buf *b)
{
	for (; *text; text += 2) {
		int byte = hex_byte(text);

		if (byte < 0)
			return -EINVAL;
		ta_buf_addc(b, (char)byte);
	}
	return b->error;
}

static void add_hex(const void *data, size_t len, struct ta_buf *b)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *p = data;

	for (size_t i = 0; i < len; i++) {
		ta_buf_addc(b, digits[p[i] >> 4]);
		ta_buf_addc(b, digits[p[i] & 15]);
	}
}

/* --- checking what was parsed ---------------------------------------------------- */

typedef bool check_fn(struct json_object *value);

static bool is_text(struct json_object *value)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	return json_object_is_type(value, json_type_string) &&
		strlen(json_object_get_string(value)) == (size_t)json_object_get_string_len(value) &&
		ta_unescape(json_object_get_string(value), &b) == 0;
}

static bool is_errno(struct json_object *value)
{
	return json_object_is_type(value, json_type_string) &&
		ta_errno_parse(json_object_get_string(value)) > 0;
}

static bool is_names(struct json_object *value)
{
	if (!json_object_is_type(value, json_type_array) || json_object_array_length(value) > NAMES_LIMIT)
		return false;
	for (size_t i = 0; i < json_object_array_length(value); i++) {
		struct json_object *name = json_object_array_get_idx(value, i);

		if (!is_text(name) || strchr(json_object_get_string(name), '/'))
			return false;
	}
	return true;
}

static bool is_bool(struct json_object *value)
{
	return json_object_is_type(value, json_type_boolean);
}

static bool is_rc(struct json_object *value)
{
	return is_errno(value) ||
		(json_object_is_type(value, json_type_int) && json_object_get_int64(value) >= 0 &&
			json_object_get_int64(value) <= INT_MAX);
}

static bool is_call(struct json_object *value)
{
	struct json_object *rc, *data;
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	if (!json_object_is_type(value, json_type_object) || !json_object_object_get_ex(value, "rc", &rc) ||
		!is_rc(rc))
		return false;
	return !json_object_object_get_ex(value, "data", &data) ||
		(json_object_is_type(data, json_type_string) && unhex(json_object_get_string(data), &b) == 0);
}

/* The object `name` of `parent`; 0 if it is not there, then *ret is NULL. */
static int get_section(struct json_object *parent, const char *name, struct json_object **ret,
	struct ta_err *err)
{
	*ret = NULL;
	if (json_object_object_get_ex(parent, name, ret) && !json_object_is_type(*ret, json_type_object))
		return ta_err_set(err, -EBADMSG, "\"%s\" is not an object", name);
	return 0;
}

static int check_section(struct json_object *parent, const char *name, check_fn *check, struct ta_err *err)
{
	struct json_object *section;
	int rc = get_section(parent, name, &section, err);

	if (rc < 0 || !section)
		return rc;
	json_object_object_foreach(section, key, value)
		if (!check(value))
			return ta_err_set(err, -EBADMSG, "\"%s\": the entry \"%.200s\" is malformed", name, key);
	return 0;
}

static int check_all(struct json_object *root, struct ta_err *err)
{
	struct json_object *errors, *schema, *complete;
	int rc;

	if (!json_object_is_type(root, json_type_object))
		return ta_err_set(err, -EBADMSG, "not a JSON object");
	if (json_object_object_get_ex(root, "schema", &schema) &&
		(!json_object_is_type(schema, json_type_string) ||
			strcmp(json_object_get_string(schema), SCHEMA) != 0))
		return ta_err_set(err, -EBADMSG, "its schema is not %s", SCHEMA);
	if (json_object_object_get_ex(root, "complete", &complete) && !is_bool(complete))
		return ta_err_set(err, -EBADMSG, "\"complete\" is neither true nor false");
	rc = get_section(root, "errors", &errors, err);
	for (size_t i = 0; rc == 0 && errors && i < TA_ARRAY_SIZE(ask_names); i++)
		rc = check_section(errors, ask_names[i], is_errno, err);
	if (rc == 0)
		rc = check_section(root, "lists", is_names, err);
	if (rc == 0)
		rc = check_section(root, "links", is_text, err);
	if (rc == 0)
		rc = check_section(root, "exists", is_bool, err);
	if (rc == 0)
		rc = check_section(root, "calls", is_call, err);
	return rc;
}

/* --- the document ------------------------------------------------------------------- */

static bool is_foreign(struct json_object *root)
{
	struct json_object *order, *bits;

	if (json_object_object_get_ex(root, "byte_order", &order) &&
		strcmp(json_object_get_string(order) ?: "", byte_order()) != 0)
		return true;
	return json_object_object_get_ex(root, "long_bits", &bits) &&
		json_object_get_int64(bits) != (int64_t)sizeof(long) * 8;
}

static int check_size(const char *text, size_t len, struct ta_err *err)
{
	size_t objects = 0, values = 0;

	if (len > TA_CALLS_CAP)
		return ta_err_set(err, -EFBIG, "larger than %u bytes", TA_CALLS_CAP);
	if (memchr(text, '\0', len))
		return ta_err_set(err, -EBADMSG, "holds NUL bytes");
	for (size_t i = 0; i < len; i++) {
		objects += text[i] == '{' || text[i] == '[';
		values += text[i] == ',';
	}
	if (objects > OBJECTS_LIMIT || values > VALUES_LIMIT)
		return ta_err_set(err, -EFBIG, "holds more than %u objects or %u values", OBJECTS_LIMIT, VALUES_LIMIT);
	return 0;
}

int ta_calls_parse(const char *text, size_t len, struct ta_calls *ret, struct ta_err *err)
{
	struct json_object *root, *complete;
	struct json_tokener *tok;
	int rc = check_size(text, len, err);
	size_t end;

	if (rc < 0)
		return rc;
	tok = json_tokener_new_ex(DEPTH_LIMIT);
	if (!tok)
		return ta_err_set(err, -ENOMEM, "out of memory");
	json_tokener_set_flags(tok, ta_json_strict(text, len) | JSON_TOKENER_VALIDATE_UTF8);
	/* One byte more: its NUL tells the parser that a number or an unfinished text ends here. */
	root = json_tokener_parse_ex(tok, text, (int)len + 1);
	end = json_tokener_get_parse_end(tok);
	/* null is a text without an object. */
	rc = root || json_tokener_get_error(tok) == json_tokener_success
		  ? check_all(root, err)
		  : ta_err_set(err, -EBADMSG, "byte %zu: %s", end, json_tokener_error_desc(json_tokener_get_error(tok)));
	json_tokener_free(tok);
	if (rc < 0) {
		json_object_put(root);
		return rc;
	}
	*ret = (struct ta_calls){
		.root = root,
		.complete = json_object_object_get_ex(root, "complete", &complete) &&
			json_object_get_boolean(complete),
		.foreign = is_foreign(root),
	};
	return 0;
}

void ta_calls_format(const struct ta_calls *c, struct ta_buf *b)
{
	const char *text = json_object_to_json_string_ext(c->root,
		JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_PRETTY_TAB | JSON_C_TO_STRING_NOSLASHESCAPE);

	if (!text) {
		b->error = b->error ?: -ENOMEM;
		return;
	}
	ta_buf_adds(b, text);
	ta_buf_addc(b, '\n');
}

void ta_calls_done(struct ta_calls *c)
{
	json_object_put(c->root);
	ta_buf_done(&c->key);
	*c = (struct ta_calls)TA_CALLS_INIT;
}

/* --- getters --------------------------------------------------------------------------- */

/* The escaped form of `name`, good until the next call. NULL: out of memory. */
static const char *escaped(struct ta_calls *c, const char *name)
{
	ta_buf_reset(&c->key);
	ta_escape(name, false, &c->key);
	return c->key.error ? NULL : ta_buf_text(&c->key);
}

static struct json_object *find(struct ta_calls *c, const char *section, const char *sub, const char *name)
{
	struct json_object *o = NULL;
	const char *key = escaped(c, name);

	if (!key || !json_object_object_get_ex(c->root, section, &o))
		return NULL;
	if (sub && !json_object_object_get_ex(o, sub, &o))
		return NULL;
	return json_object_object_get_ex(o, key, &o) ? o : NULL;
}

bool ta_calls_error(struct ta_calls *c, enum ta_ask ask, const char *name, int *ret_rc)
{
	struct json_object *o = find(c, "errors", ask_names[ask], name);

	if (o)
		*ret_rc = -ta_errno_parse(json_object_get_string(o));
	return o;
}

static int copy_names(struct json_object *array, struct ta_strv *ret)
{
	ta_cleanup_buf struct ta_buf name = TA_BUF_INIT;

	ta_strv_done(ret);
	for (size_t i = 0; i < json_object_array_length(array); i++) {
		ta_buf_reset(&name);
		ta_unescape(json_object_get_string(json_object_array_get_idx(array, i)), &name);
		ta_strv_add(ret, ta_buf_text(&name));
	}
	ta_strv_sort(ret);
	return name.error ?: ret->error;
}

bool ta_calls_list(struct ta_calls *c, const char *path, struct ta_strv *ret, int *ret_rc)
{
	struct json_object *o = find(c, "lists", NULL, path);

	if (o)
		*ret_rc = copy_names(o, ret);
	return o;
}

bool ta_calls_link(struct ta_calls *c, const char *path, struct ta_buf *ret, int *ret_rc)
{
	struct json_object *o = find(c, "links", NULL, path);

	if (o) {
		ta_buf_reset(ret);
		*ret_rc = ta_unescape(json_object_get_string(o), ret);
	}
	return o;
}

bool ta_calls_exists(struct ta_calls *c, const char *path, bool *ret)
{
	struct json_object *o = find(c, "exists", NULL, path);

	if (o)
		*ret = json_object_get_boolean(o);
	return o;
}

bool ta_calls_call(struct ta_calls *c, const char *key, struct ta_buf *ret, int *ret_rc)
{
	struct json_object *o = find(c, "calls", NULL, key), *rc, *data;

	if (!o)
		return false;
	ta_buf_reset(ret);
	if (c->foreign) {
		*ret_rc = -EBADMSG;
		return true;
	}
	json_object_object_get_ex(o, "rc", &rc);
	*ret_rc = json_object_is_type(rc, json_type_int) ? json_object_get_int(rc)
							 : -ta_errno_parse(json_object_get_string(rc));
	if (json_object_object_get_ex(o, "data", &data))
		unhex(json_object_get_string(data), ret);
	if (ret->error)
		*ret_rc = ret->error;
	return true;
}

/* --- putters ---------------------------------------------------------------------------- */

/* Takes `value` over, whatever happens. */
static int put(struct json_object *parent, const char *key, struct json_object *value)
{
	if (!parent || !key || !value || json_object_object_add(parent, key, value) < 0) {
		json_object_put(value);
		return -ENOMEM;
	}
	return 0;
}

/* The object `name` of `parent`, made if needed; NULL: out of memory. */
static struct json_object *make_section(struct json_object *parent, const char *name)
{
	struct json_object *o;

	if (!parent)
		return NULL;
	if (json_object_object_get_ex(parent, name, &o))
		return o;
	o = json_object_new_object();
	return put(parent, name, o) < 0 ? NULL : o;
}

int ta_calls_new(struct ta_calls *ret)
{
	struct json_object *root = json_object_new_object();
	int rc = put(root, "schema", json_object_new_string(SCHEMA));

	if (rc == 0)
		rc = put(root, "complete", json_object_new_boolean(1));
	if (rc == 0)
		rc = put(root, "byte_order", json_object_new_string(byte_order()));
	if (rc == 0)
		rc = put(root, "long_bits", json_object_new_int((int)sizeof(long) * 8));
	if (rc < 0) {
		json_object_put(root);
		return rc;
	}
	*ret = (struct ta_calls){.root = root, .complete = true};
	return 0;
}

static struct json_object *new_errno(int rc)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	ta_errno_format(-rc, &b);
	return b.error ? NULL : json_object_new_string(ta_buf_text(&b));
}

int ta_calls_put_error(struct ta_calls *c, enum ta_ask ask, const char *name, int rc)
{
	struct json_object *section = make_section(make_section(c->root, "errors"), ask_names[ask]);

	return put(section, escaped(c, name), new_errno(rc));
}

int ta_calls_put_list(struct ta_calls *c, const char *path, const struct ta_strv *names)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; array && i < names->n; i++) {
		const char *name = escaped(c, names->v[i]);
		struct json_object *o = name ? json_object_new_string(name) : NULL;

		if (!o || json_object_array_add(array, o) < 0) {
			json_object_put(o);
			json_object_put(array);
			return -ENOMEM;
		}
	}
	return put(make_section(c->root, "lists"), escaped(c, path), array);
}

int ta_calls_put_link(struct ta_calls *c, const char *path, const char *target)
{
	const char *text = escaped(c, target);
	struct json_object *o = text ? json_object_new_string(text) : NULL;

	return put(make_section(c->root, "links"), escaped(c, path), o);
}

int ta_calls_put_exists(struct ta_calls *c, const char *path, bool exists)
{
	return put(make_section(c->root, "exists"), escaped(c, path), json_object_new_boolean(exists));
}

int ta_calls_put_call(struct ta_calls *c, const char *key, int rc, const void *data, size_t len)
{
	struct json_object *call = json_object_new_object();
	ta_cleanup_buf struct ta_buf hex = TA_BUF_INIT;
	int e = put(call, "rc", rc < 0 ? new_errno(rc) : json_object_new_int(rc));

	add_hex(data, len, &hex);
	if (e == 0 && len)
		e = hex.error ?: put(call, "data", json_object_new_string(ta_buf_text(&hex)));
	if (e < 0) {
		json_object_put(call);
		return e;
	}
	return put(make_section(c->root, "calls"), escaped(c, key), call);
}
