/*
 * The facts document over json-c. Two things json-c does not do by itself are
 * done here: texts and keys that are no clean UTF-8 are escaped before they go
 * in (the output stays valid JSON whatever an interface is called), and what is
 * equal and large in number is shared: CPU sets (a host of 512 CPUs has
 * thousands of "all CPUs") and reasons (thousands of interfaces lack the same
 * things, and an object of two texts takes a kilobyte).
 */
#include "facts/facts.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts/text.h"

struct ta_facts {
	struct json_object *root;
	struct json_object *absent;
	struct json_object *incomplete;
	struct json_object *cpu_lists; /* list text -> shared array */
	struct json_object *reasons;   /* "missing file: not there" -> shared {"reason","detail"} */
	uint8_t absent_keys[512];      /* by absent_slot(): 1 if there may be an absence whose last key is there */
	char last_key[24];             /* the first key of what was put last … */
	struct json_object *last;      /* … and its object in `root`, or NULL: the next put mostly goes there too */
	int error;
};

struct ta_facts *ta_facts_new(void)
{
	struct ta_facts *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->root = json_object_new_object();
	f->absent = json_object_new_object();
	f->incomplete = json_object_new_object();
	f->cpu_lists = json_object_new_object();
	f->reasons = json_object_new_object();
	if (!f->root || !f->absent || !f->incomplete || !f->cpu_lists || !f->reasons)
		return ta_facts_free(f);
	return f;
}

struct ta_facts *ta_facts_free(struct ta_facts *f)
{
	if (!f)
		return NULL;
	json_object_put(f->root);
	json_object_put(f->absent);
	json_object_put(f->incomplete);
	json_object_put(f->cpu_lists);
	json_object_put(f->reasons);
	free(f);
	return NULL;
}

void ta_facts_freep(struct ta_facts **f)
{
	*f = ta_facts_free(*f);
}

int ta_facts_error(const struct ta_facts *f)
{
	return f->error;
}

static void fail(struct ta_facts *f, int rc)
{
	if (!f->error)
		f->error = rc;
}

/* The child object under `key`, made if it is not there. */
static struct json_object *child_object(struct ta_facts *f, struct json_object *parent, const char *key)
{
	struct json_object *child = NULL;

	if (json_object_object_get_ex(parent, key, &child) && json_object_is_type(child, json_type_object))
		return child;
	child = json_object_new_object();
	if (!child || json_object_object_add(parent, key, child) < 0) {
		json_object_put(child);
		fail(f, -ENOMEM);
		return NULL;
	}
	return child;
}

/* Most values take no absence back; that shows here without the path being written out. */
static uint8_t *absent_slot(struct ta_facts *f, const char *const *path)
{
	unsigned hash = 0;

	while (path[0] && path[1])
		path++;
	for (const char *c = *path; c && *c; c++)
		hash = hash * 31 + (unsigned char)*c;
	return &f->absent_keys[(hash ^ hash >> 9) % sizeof(f->absent_keys)];
}

static void drop_absence(struct ta_facts *f, const char *const *path)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	if (!*absent_slot(f, path))
		return;
	ta_path_format(&text, path);
	json_object_object_del(f->absent, ta_buf_text(&text));
}

/* The object of the first key of a path of several. */
static struct json_object *first_object(struct ta_facts *f, const char *raw)
{
	struct ta_safe_text key;
	struct json_object *at;

	if (f->last && strcmp(f->last_key, raw) == 0)
		return f->last;
	at = child_object(f, f->root, ta_safe_key(&key, raw));
	f->last = strlen(raw) < sizeof(f->last_key) ? at : NULL;
	if (f->last)
		memcpy(f->last_key, raw, strlen(raw) + 1);
	return at;
}

/* Takes `value` over (NULL: out of memory while making it). */
static void put(struct ta_facts *f, const char *const *path, struct json_object *value)
{
	struct json_object *at = f->root;
	struct ta_safe_text key;

	if (!value) {
		fail(f, -ENOMEM);
		return;
	}
	if (path[0] && path[1])
		at = first_object(f, *path++);
	else
		f->last = NULL; /* may be what is replaced */
	for (; at && path[0] && path[1]; path++)
		at = child_object(f, at, ta_safe_key(&key, path[0]));
	if (!at || !path[0] || json_object_object_add(at, ta_safe_key(&key, path[0]), value) < 0) {
		json_object_put(value);
		fail(f, -ENOMEM);
	}
}

static void put_value(struct ta_facts *f, const char *const *path, struct json_object *value)
{
	drop_absence(f, path);
	put(f, path, value);
}

void ta_facts_put_i64(struct ta_facts *f, const char *const *path, int64_t v)
{
	put_value(f, path, json_object_new_int64(v));
}

void ta_facts_put_u64(struct ta_facts *f, const char *const *path, uint64_t v)
{
	put_value(f, path, v > INT64_MAX ? json_object_new_uint64(v) : json_object_new_int64((int64_t)v));
}

void ta_facts_put_real(struct ta_facts *f, const char *const *path, double v)
{
	char text[32];

	/* json-c's own form has 17 digits; nobody measured that many. */
	snprintf(text, sizeof(text), "%.6g", v);
	if (!strpbrk(text, ".en"))
		snprintf(text, sizeof(text), "%.1f", v);
	put_value(f, path, json_object_new_double_s(v, text));
}

void ta_facts_put_bool(struct ta_facts *f, const char *const *path, bool v)
{
	put_value(f, path, json_object_new_boolean(v));
}

static struct json_object *new_text(const char *v)
{
	struct ta_safe_text safe;

	return json_object_new_string(ta_safe_key(&safe, v));
}

void ta_facts_put_str(struct ta_facts *f, const char *const *path, const char *v)
{
	put_value(f, path, new_text(v));
}

void ta_facts_put_unlimited(struct ta_facts *f, const char *const *path)
{
	put_value(f, path, json_object_new_string("unlimited"));
}

/* Adds to an array and takes `item` over; false when out of memory. */
static bool push(struct json_object *array, struct json_object *item)
{
	if (item && json_object_array_add(array, item) == 0)
		return true;
	json_object_put(item);
	return false;
}

void ta_facts_put_ints(struct ta_facts *f, const char *const *path, const int64_t *v, size_t n)
{
	struct json_object *array = json_object_new_array();
	bool ok = array;

	for (size_t i = 0; ok && i < n; i++)
		ok = push(array, json_object_new_int64(v[i]));
	if (!ok) {
		json_object_put(array);
		array = NULL;
	}
	put_value(f, path, array);
}

void ta_facts_put_strs(struct ta_facts *f, const char *const *path, char *const *v, size_t n)
{
	struct json_object *array = json_object_new_array();
	bool ok = array;

	for (size_t i = 0; ok && i < n; i++)
		ok = push(array, new_text(v[i]));
	if (!ok) {
		json_object_put(array);
		array = NULL;
	}
	put_value(f, path, array);
}

static struct json_object *new_cpu_array(const struct ta_cpuset *set)
{
	struct json_object *array = json_object_new_array();

	for (int c = -1; array && (c = ta_cpuset_next(set, c + 1)) >= 0;) {
		if (!push(array, json_object_new_int(c))) {
			json_object_put(array);
			return NULL;
		}
	}
	return array;
}

void ta_facts_put_cpus(struct ta_facts *f, const char *const *path, const struct ta_cpuset *v)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct json_object *array = NULL;

	ta_cpuset_format(v, &text);
	if (text.error) {
		fail(f, text.error);
		return;
	}
	if (!json_object_object_get_ex(f->cpu_lists, ta_buf_text(&text), &array)) {
		array = new_cpu_array(v);
		if (!array || json_object_object_add(f->cpu_lists, ta_buf_text(&text), array) < 0) {
			json_object_put(array);
			fail(f, -ENOMEM);
			return;
		}
	}
	put_value(f, path, json_object_get(array));
}

void ta_facts_put_object(struct ta_facts *f, const char *const *path)
{
	struct json_object *at = f->root;
	struct ta_safe_text key;

	drop_absence(f, path);
	for (; at && *path; path++)
		at = child_object(f, at, ta_safe_key(&key, *path));
}

/* {"reason":…,"detail":…} under the path's text in `holes`. */
static void add_text(struct ta_facts *f, struct json_object *to, const char *name, const char *text)
{
	struct json_object *v = new_text(text);

	if (v && json_object_object_add(to, name, v) == 0)
		return;
	json_object_put(v);
	fail(f, -ENOMEM);
}

/* The one object of this reason and detail, a reference for the caller; NULL: out of memory. */
static struct json_object *shared_reason(struct ta_facts *f, enum ta_reason why, const char *detail)
{
	ta_cleanup_buf struct ta_buf key = TA_BUF_INIT;
	struct json_object *found = NULL;

	ta_buf_printf(&key, "%s %s", ta_reason_name(why), detail);
	if (key.error)
		return NULL;
	if (json_object_object_get_ex(f->reasons, ta_buf_text(&key), &found))
		return json_object_get(found);
	found = json_object_new_object();
	if (!found)
		return NULL;
	add_text(f, found, "reason", ta_reason_name(why));
	add_text(f, found, "detail", detail);
	if (json_object_object_add(f->reasons, ta_buf_text(&key), found) < 0) {
		json_object_put(found);
		return NULL;
	}
	return json_object_get(found);
}

static ta_printf(5, 0) void put_hole(struct ta_facts *f, struct json_object *holes, const char *const *path,
	enum ta_reason why, const char *fmt, va_list ap)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT, detail = TA_BUF_INIT;
	struct json_object *hole;

	ta_path_format(&text, path);
	ta_buf_vprintf(&detail, fmt, ap);
	hole = text.error || detail.error ? NULL : shared_reason(f, why, ta_buf_text(&detail));
	if (!hole || json_object_object_add(holes, ta_buf_text(&text), hole) < 0) {
		json_object_put(hole);
		fail(f, -ENOMEM);
	}
}

static void drop_value(struct ta_facts *f, const char *const *path)
{
	struct json_object *at = f->root;
	struct ta_safe_text key;

	f->last = NULL;
	for (; path[0] && path[1]; path++)
		if (!json_object_object_get_ex(at, ta_safe_key(&key, path[0]), &at))
			return;
	if (path[0] && json_object_is_type(at, json_type_object))
		json_object_object_del(at, ta_safe_key(&key, path[0]));
}

void ta_facts_put_absent(struct ta_facts *f, const char *const *path, enum ta_reason why, const char *fmt, ...)
{
	va_list ap;

	drop_value(f, path);
	va_start(ap, fmt);
	*absent_slot(f, path) = 1;
	put_hole(f, f->absent, path, why, fmt, ap);
	va_end(ap);
}

void ta_facts_put_incomplete(struct ta_facts *f, const char *const *path, enum ta_reason why, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_hole(f, f->incomplete, path, why, fmt, ap);
	va_end(ap);
}

void ta_facts_put_errno(struct ta_facts *f, const char *const *path, int rc, const char *what)
{
	const char *text = ta_errno_text(rc);

	if (rc == -ENODATA)
		ta_facts_put_absent(f, path, TA_NOT_ASKED, "%s: not in this capture", what);
	else if (rc == -ENOENT)
		ta_facts_put_absent(f, path, TA_MISSING, "%s: not there", what);
	else if (rc == -EBADMSG)
		ta_facts_put_absent(f, path, TA_MALFORMED, "%s: not in the expected form", what);
	else
		ta_facts_put_absent(f, path, ta_reason_of(rc), "%s: %s", what, text);
}

/* --- reading --------------------------------------------------------------- */

struct json_object *ta_facts_root(const struct ta_facts *f)
{
	return f->root;
}

struct json_object *ta_facts_at(const struct ta_facts *f, const char *const *path)
{
	struct json_object *at = f->root;
	struct ta_safe_text key;

	for (; *path; path++)
		if (!json_object_object_get_ex(at, ta_safe_key(&key, *path), &at))
			return NULL;
	return at;
}

bool ta_facts_get_i64(const struct ta_facts *f, const char *const *path, int64_t *ret)
{
	struct json_object *v = ta_facts_at(f, path);

	/* json_object_get_int64() clamps; only what fits is an int64. */
	if (!json_object_is_type(v, json_type_int) || json_object_get_uint64(v) > INT64_MAX)
		return false;
	*ret = json_object_get_int64(v);
	return true;
}

bool ta_facts_get_bool(const struct ta_facts *f, const char *const *path, bool *ret)
{
	struct json_object *v = ta_facts_at(f, path);

	if (!json_object_is_type(v, json_type_boolean))
		return false;
	*ret = json_object_get_boolean(v);
	return true;
}

const char *ta_facts_get_str(const struct ta_facts *f, const char *const *path)
{
	struct json_object *v = ta_facts_at(f, path);

	return json_object_is_type(v, json_type_string) ? json_object_get_string(v) : NULL;
}

/* The entry for `path` or its nearest parent in `holes`. */
static struct json_object *find_hole(struct json_object *holes, const char *path, bool parents)
{
	size_t ends[TA_PATH_DEPTH_MAX];
	size_t n = ta_path_ends(path, ends, TA_ARRAY_SIZE(ends));

	for (size_t i = n; i-- > 0;) {
		char *prefix = strndup(path, ends[i]);
		struct json_object *hole = NULL;

		if (prefix)
			json_object_object_get_ex(holes, prefix, &hole);
		free(prefix);
		if (hole || !parents)
			return hole;
	}
	return NULL;
}

static struct ta_absence absence_of(struct json_object *hole)
{
	struct ta_absence a = {TA_MISSING, ""};
	struct json_object *v;

	/* null has no text. */
	if (json_object_object_get_ex(hole, "reason", &v) && v)
		(void)ta_reason_parse(json_object_get_string(v), &a.reason);
	if (json_object_object_get_ex(hole, "detail", &v) && v)
		a.detail = json_object_get_string(v);
	return a;
}

struct ta_absence ta_facts_absence(const struct ta_facts *f, const char *path)
{
	struct json_object *hole = find_hole(f->absent, path, true);

	return hole ? absence_of(hole) : (struct ta_absence){TA_MISSING, ""};
}

bool ta_facts_incomplete(const struct ta_facts *f, const char *path, struct ta_absence *ret)
{
	struct json_object *hole = find_hole(f->incomplete, path, false);

	if (!hole)
		return false;
	if (ret)
		*ret = absence_of(hole);
	return true;
}

void ta_facts_each_hole(const struct ta_facts *f, bool incomplete,
	void (*fn)(const char *path, struct ta_absence why, void *ctx), void *ctx)
{
	json_object_object_foreach (incomplete ? f->incomplete : f->absent, path, hole)
		fn(path, absence_of(hole), ctx);
}

/* --- the whole as text ------------------------------------------------------ */

static void copy_into(struct json_object *to, const char *name, struct json_object *value)
{
	if (value)
		json_object_object_add(to, name, json_object_get(value));
}

/* The header of the document: who this is, for people and for grouping. */
static struct json_object *new_host_part(const struct ta_facts *f)
{
	struct json_object *host = json_object_new_object();

	copy_into(host, "name", ta_facts_at(f, TA_KEYS("host", "name")));
	copy_into(host, "os", ta_facts_at(f, TA_KEYS("host", "os")));
	copy_into(host, "kernel", ta_facts_at(f, TA_KEYS("kernel", "release")));
	copy_into(host, "arch", ta_facts_at(f, TA_KEYS("kernel", "arch")));
	copy_into(host, "time", ta_facts_at(f, TA_KEYS("host", "time")));
	return host;
}

static struct json_object *own_or(struct json_object *own, struct json_object *other)
{
	return json_object_get(other ? other : own);
}

void ta_facts_format(const struct ta_facts *f, struct ta_buf *b)
{
	static const struct ta_facts_parts own;

	ta_facts_format_parts(f, &own, b);
}

void ta_facts_format_parts(const struct ta_facts *f, const struct ta_facts_parts *parts, struct ta_buf *b)
{
	struct json_object *doc = json_object_new_object();
	const char *text = NULL;
	size_t len = 0;

	if (doc) {
		json_object_object_add(doc, "schema", json_object_new_string("tuneaudit.facts/1"));
		json_object_object_add(doc, "host", new_host_part(f));
		json_object_object_add(doc, "facts", own_or(f->root, parts->facts));
		json_object_object_add(doc, "absent", own_or(f->absent, parts->absent));
		json_object_object_add(doc, "incomplete", own_or(f->incomplete, parts->incomplete));
		text = json_object_to_json_string_length(doc, JSON_C_TO_STRING_NOSLASHESCAPE, &len);
	}
	if (text) {
		ta_buf_add(b, text, len);
		ta_buf_addc(b, '\n');
	} else if (!b->error) {
		b->error = -ENOMEM;
	}
	json_object_put(doc);
}

/* Every member of `holes` must be {"reason":known,"detail":text}. */
static int check_holes(struct json_object *holes, struct ta_err *err)
{
	json_object_object_foreach (holes, path, hole) {
		struct json_object *reason = NULL, *detail = NULL;
		enum ta_reason unused;

		if (!json_object_is_type(hole, json_type_object) ||
			!json_object_object_get_ex(hole, "reason", &reason) ||
			!json_object_object_get_ex(hole, "detail", &detail) ||
			!json_object_is_type(reason, json_type_string) ||
			!json_object_is_type(detail, json_type_string) ||
			ta_reason_parse(json_object_get_string(reason), &unused) < 0)
			return ta_err_set(err, -EBADMSG, "\"%s\" has no known reason and detail", path);
	}
	return 0;
}

/* Moves the object member `name` of `doc` over *slot. */
static int take_part(struct json_object *doc, const char *name, struct json_object **slot, struct ta_err *err)
{
	struct json_object *part = NULL;

	if (!json_object_object_get_ex(doc, name, &part) || !json_object_is_type(part, json_type_object))
		return ta_err_set(err, -EBADMSG, "no object \"%s\"", name);
	json_object_put(*slot);
	*slot = json_object_get(part);
	return 0;
}

static int take_document(struct ta_facts *f, struct json_object *doc, struct ta_err *err)
{
	struct json_object *schema = NULL;
	int rc;

	if (!json_object_object_get_ex(doc, "schema", &schema) ||
		!json_object_is_type(schema, json_type_string) ||
		strcmp(json_object_get_string(schema), "tuneaudit.facts/1") != 0)
		return ta_err_set(err, -EBADMSG, "not a tuneaudit.facts/1 document");
	rc = take_part(doc, "facts", &f->root, err);
	rc = rc ? rc : take_part(doc, "absent", &f->absent, err);
	memset(f->absent_keys, 1, sizeof(f->absent_keys));
	rc = rc ? rc : take_part(doc, "incomplete", &f->incomplete, err);
	rc = rc ? rc : check_holes(f->absent, err);
	return rc ? rc : check_holes(f->incomplete, err);
}

int ta_facts_parse(const char *text, size_t len, struct ta_facts **ret, struct ta_err *err)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();
	struct json_object *doc = NULL;
	int rc;

	if (!f)
		return ta_err_set(err, -ENOMEM, "out of memory");
	rc = ta_json_parse(text, len, &doc, err);
	rc = rc ? rc : take_document(f, doc, err);
	json_object_put(doc);
	if (rc == 0) {
		*ret = f;
		f = NULL;
	}
	return rc;
}
