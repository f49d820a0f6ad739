/*
 * The field tables as a tree of keys. Children are sorted once, then found by
 * bisection: rule texts look up hundreds of paths among hundreds of rows.
 */
#include "facts/schema.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "facts/schemadata.h"
#include "facts/text.h"

static void done_node(struct ta_schema_node *n)
{
	for (size_t i = 0; i < n->n_children; i++) {
		done_node(n->children[i]);
		free(n->children[i]);
	}
	free(n->children);
}

struct ta_schema *ta_schema_free(struct ta_schema *s)
{
	if (!s || s->builtin)
		return NULL;
	done_node(&s->root);
	for (struct ta_made_field *m = s->made, *next; m; m = next) {
		next = m->next;
		free(m);
	}
	free(s);
	return NULL;
}

/* Where `key` stands or would stand among the children. */
static size_t position(const struct ta_schema_node *n, const char *key)
{
	size_t low = 0, high = n->n_children;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (strcmp(n->children[mid]->key, key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static struct ta_schema_node *named_child(const struct ta_schema_node *n, const char *key)
{
	size_t at = position(n, key);

	return at < n->n_children && strcmp(n->children[at]->key, key) == 0 ? n->children[at] : NULL;
}

/* The child for `key`, made if it is not there. NULL: out of memory. */
static struct ta_schema_node *make_child(struct ta_schema_node *n, const char *key)
{
	size_t at = position(n, key);
	struct ta_schema_node *child, **children;

	if (at < n->n_children && strcmp(n->children[at]->key, key) == 0)
		return n->children[at];
	child = calloc(1, sizeof(*child) + strlen(key) + 1);
	children = child ? reallocarray(n->children, n->n_children + 1, sizeof(*children)) : NULL;
	if (!children) {
		free(child);
		return NULL;
	}
	child->key = memcpy(child + 1, key, strlen(key) + 1);
	n->children = children;
	memmove(children + at + 1, children + at, (n->n_children - at) * sizeof(*children));
	children[at] = child;
	n->n_children++;
	return child;
}

static int add_field(struct ta_schema *s, const struct ta_field *field, const char *owner, struct ta_err *err)
{
	size_t ends[TA_PATH_DEPTH_MAX];
	size_t n = ta_path_ends(field->path, ends, TA_ARRAY_SIZE(ends));
	struct ta_schema_node *node = &s->root;

	if (!n || field->path[ends[n - 1]] || field->type == TA_T_NONE || field->type == TA_T_OBJECT)
		return ta_err_set(err, -EINVAL, "%s: bad field row \"%s\"", owner, field->path);
	for (size_t i = 0; i < n; i++) {
		char key[256];

		if (!ta_path_key(field->path, i ? ends[i - 1] : 0, ends[i], &key))
			return ta_err_set(err, -EINVAL, "%s: a key of \"%s\" is too long", owner, field->path);
		node = make_child(node, key);
		if (!node)
			return ta_err_set(err, -ENOMEM, "out of memory");
		if (node->field)
			return ta_err_set(err, -EINVAL, "%s of %s and %s of %s overlap", field->path, owner,
				node->field->path, node->owner);
	}
	if (node->n_children)
		return ta_err_set(err, -EINVAL, "%s of %s has fields below it", field->path, owner);
	node->field = field;
	node->owner = owner;
	return 0;
}

int ta_schema_new(const struct ta_table *tables, size_t n, struct ta_schema **ret, struct ta_err *err)
{
	struct ta_schema *s = calloc(1, sizeof(*s));
	int rc = s ? 0 : ta_err_set(err, -ENOMEM, "out of memory");

	for (size_t t = 0; rc == 0 && t < n; t++)
		for (size_t i = 0; rc == 0 && i < tables[t].n_fields; i++)
			rc = add_field(s, &tables[t].fields[i], tables[t].owner, err);
	if (rc < 0)
		ta_schema_free(s);
	else
		*ret = s;
	return rc;
}

struct rates {
	struct ta_schema *s;
	const char *from, *to;
	struct ta_err *err;
	int rc;
};

/* The row of the rate of `counter`: its unit per second. NULL: out of memory. */
static struct ta_field *make_rate(struct rates *r, const struct ta_field *counter)
{
	static const char meaning[] = "how fast %s rises while it is sampled";
	const char *below = counter->path + strlen(r->from);
	const char *what = counter->unit ? counter->unit : "";
	size_t path = strlen(r->to) + strlen(below) + 1, unit = strlen(what) + sizeof("/s");
	size_t text = sizeof(meaning) + strlen(counter->path);
	struct ta_made_field *m = calloc(1, sizeof(*m) + path + unit + text);

	if (!m)
		return NULL;
	snprintf(m->text, path, "%s%s", r->to, below);
	snprintf(m->text + path, unit, "%s/s", what);
	snprintf(m->text + path + unit, text, meaning, counter->path);
	m->field = (struct ta_field){m->text, counter->type == TA_T_INTS ? TA_T_INTS : TA_T_REAL, m->text + path, m->text + path + unit,
		TA_F_VOLATILE | (counter->flags & TA_F_WRAPS32), {}};
	m->next = r->s->made;
	r->s->made = m;
	return &m->field;
}

static void add_rate(const struct ta_field *counter, const char *owner, void *ctx)
{
	struct rates *r = ctx;
	struct ta_field *field;

	if (r->rc < 0 || (counter->type != TA_T_INT && counter->type != TA_T_INTS) ||
		(counter->flags & (TA_F_VOLATILE | TA_F_LEVEL | TA_F_CPUS)) != TA_F_VOLATILE)
		return;
	field = make_rate(r, counter);
	r->rc = field ? add_field(r->s, field, owner, r->err) : ta_err_set(r->err, -ENOMEM, "out of memory");
}

int ta_schema_add_rates(struct ta_schema *s, const char *from, const char *to, struct ta_err *err)
{
	struct rates r = {.s = s, .from = from, .to = to, .err = err};
	const struct ta_schema_node *node = named_child(&s->root, from);

	if (named_child(&s->root, to))
		return ta_err_set(err, -EINVAL, "%s is declared already", to);
	if (node)
		ta_schema_leaves(node, add_rate, &r);
	return r.rc;
}

const struct ta_schema_node *ta_schema_root(const struct ta_schema *s)
{
	return &s->root;
}

const struct ta_schema_node *ta_schema_child(const struct ta_schema_node *n, const char *key)
{
	const struct ta_schema_node *child = named_child(n, key);

	return child ? child : named_child(n, "*");
}

const struct ta_schema_node *ta_schema_find(const struct ta_schema *s, const char *const *path)
{
	const struct ta_schema_node *n = &s->root;

	for (; n && *path; path++)
		n = ta_schema_child(n, *path);
	return n;
}

const struct ta_schema_node *ta_schema_find_text(const struct ta_schema *s, const char *path)
{
	size_t ends[TA_PATH_DEPTH_MAX];
	size_t n = ta_path_ends(path, ends, TA_ARRAY_SIZE(ends));
	const struct ta_schema_node *node = &s->root;

	if (!n || path[ends[n - 1]])
		return NULL;
	for (size_t i = 0; node && i < n; i++) {
		char key[256];

		node = ta_path_key(path, i ? ends[i - 1] : 0, ends[i], &key) ? ta_schema_child(node, key) : NULL;
	}
	return node;
}

enum ta_type ta_schema_type(const struct ta_schema_node *n)
{
	return n->field ? n->field->type : TA_T_OBJECT;
}

bool ta_schema_is_collection(const struct ta_schema_node *n)
{
	return n->n_children && named_child(n, "*");
}

const struct ta_field *ta_schema_field(const struct ta_schema_node *n)
{
	return n->field;
}

const char *ta_schema_owner(const struct ta_schema_node *n)
{
	return n->owner;
}

void ta_schema_leaves(const struct ta_schema_node *n,
	void (*fn)(const struct ta_field *field, const char *owner, void *ctx), void *ctx)
{
	if (n->field)
		fn(n->field, n->owner, ctx);
	for (size_t i = 0; i < n->n_children; i++)
		ta_schema_leaves(n->children[i], fn, ctx);
}

static bool leaves_at(const struct ta_schema_node *n, unsigned depth,
	void (*fn)(const struct ta_field *field, const char *owner, void *ctx), void *ctx)
{
	bool any = !depth && n->field;

	if (any)
		fn(n->field, n->owner, ctx);
	for (size_t i = 0; depth && i < n->n_children; i++)
		any |= leaves_at(n->children[i], depth - 1, fn, ctx);
	return any;
}

void ta_schema_top_leaves(const struct ta_schema_node *n,
	void (*fn)(const struct ta_field *field, const char *owner, void *ctx), void *ctx)
{
	unsigned depth = 0;

	while (depth < TA_PATH_DEPTH_MAX && !leaves_at(n, depth, fn, ctx))
		depth++;
}

const char *ta_schema_nearest(const struct ta_schema_node *n, const char *key)
{
	struct ta_nearest near = TA_NEAREST(key);

	for (size_t i = 0; i < n->n_children; i++)
		if (strcmp(n->children[i]->key, "*") != 0)
			ta_nearest_try(&near, n->children[i]->key);
	return near.best;
}

static bool is_list_of(struct json_object *v, enum json_type type)
{
	if (!json_object_is_type(v, json_type_array))
		return false;
	for (size_t i = 0; i < json_object_array_length(v); i++)
		if (!json_object_is_type(json_object_array_get_idx(v, i), type))
			return false;
	return true;
}

static bool fits(const struct ta_field *field, struct json_object *v)
{
	switch (field->type) {
	case TA_T_INT:
		if (field->flags & TA_F_UNLIMITED && json_object_is_type(v, json_type_string))
			return strcmp(json_object_get_string(v), "unlimited") == 0;
		return json_object_is_type(v, json_type_int);
	case TA_T_REAL:
		return json_object_is_type(v, json_type_double) || json_object_is_type(v, json_type_int);
	case TA_T_BOOL:
		return json_object_is_type(v, json_type_boolean);
	case TA_T_STRING:
		return json_object_is_type(v, json_type_string);
	case TA_T_INTS:
		return is_list_of(v, json_type_int);
	case TA_T_STRINGS:
		return is_list_of(v, json_type_string);
	default:
		return false;
	}
}

static int validate(const struct ta_schema_node *n, struct json_object *v, struct ta_buf *path, struct ta_err *err)
{
	size_t len = path->len;

	if (n->field)
		return fits(n->field, v) ? 0 : ta_err_set(err, -EINVAL, "%s has another type than its row says", ta_buf_text(path));
	if (!json_object_is_type(v, json_type_object))
		return ta_err_set(err, -EINVAL, "%s is no object", ta_buf_text(path));
	json_object_object_foreach (v, key, member) {
		const struct ta_schema_node *child = ta_schema_child(n, key);
		int rc;

		ta_path_add(path, key);
		if (!child)
			return ta_err_set(err, -EINVAL, "%s is not declared", ta_buf_text(path));
		rc = validate(child, member, path, err);
		if (rc < 0)
			return rc;
		path->len = len;
		path->data[len] = '\0';
	}
	return 0;
}

int ta_schema_validate(const struct ta_schema *s, const struct ta_facts *f, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;

	return validate(&s->root, ta_facts_root(f), &path, err);
}
