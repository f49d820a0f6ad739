/*
 * Facts as a list of paths and values, less what no baseline holds. Where the keys of a collection are new with every start
 * (processes, interrupts), its members get the name that lasts; those that are then called the same and are the same are one,
 * so that the number of workers of a service does not matter.
 */
#include "baseline/flat.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "derive/derive.h"
#include "facts/text.h"

bool ta_baseline_alias(const struct ta_schema *schema, const struct ta_field *field, struct ta_buf *ret)
{
	const char *open = strrchr(field->meaning, '(');
	size_t n = open ? strcspn(open + 1, " );,/") : 0;
	char name[128];
	const struct ta_schema_node *node;

	if (!n || n >= sizeof(name) || open[n + 1] != ')' || !memchr(open, '.', n) || strncmp(field->path, "sysctl[", 7) == 0)
		return false;
	memcpy(name, open + 1, n);
	name[n] = '\0';
	node = ta_schema_find(schema, TA_KEYS("sysctl", name));
	if (!node || !ta_schema_field(node) || ta_schema_field(node)->type != field->type)
		return false;
	ta_path_format(ret, TA_KEYS("sysctl", name));
	return true;
}

static bool is_derived(const char *owner)
{
	for (size_t i = 0; i < ta_n_derivations; i++)
		if (strcmp(ta_derivations[i]->name, owner) == 0)
			return true;
	return false;
}

bool ta_baseline_leaves_out(const struct ta_schema *schema, const struct ta_schema_node *leaf)
{
	ta_cleanup_buf struct ta_buf other = TA_BUF_INIT;
	const struct ta_field *field = ta_schema_field(leaf);

	return field->flags & (TA_F_VOLATILE | TA_F_AGAIN | TA_F_RUN) || is_derived(ta_schema_owner(leaf)) ||
	       ta_baseline_alias(schema, field, &other);
}

/* --- the list ---------------------------------------------------------------------- */

void ta_flat_add(struct ta_flat *w, const char *path, struct json_object *value, enum ta_reason reason)
{
	struct ta_baseline_fact *v = w->v;
	char *copy = strdup(path);

	if (w->n == w->cap) {
		v = reallocarray(w->v, w->cap ? w->cap * 2 : 512, sizeof(*v));
		if (v) {
			w->v = v;
			w->cap = w->cap ? w->cap * 2 : 512;
		}
	}
	if (!v || !copy) {
		free(copy);
		w->error = -ENOMEM;
		return;
	}
	w->v[w->n++] = (struct ta_baseline_fact){copy, json_object_get(value), reason};
}

/* A path that has a value and an absence has the value: members that are one here differ in what they tell. */
static int by_path(const void *a, const void *b)
{
	const struct ta_baseline_fact *x = a, *y = b;
	int c = ta_natural_cmp(x->path, y->path);

	if (c || !x->value == !y->value)
		return c ? c : (int)x->reason - (int)y->reason;
	return x->value ? -1 : 1;
}

static void drop(struct ta_baseline_fact *f)
{
	free(f->path);
	json_object_put(f->value);
}

void ta_flat_sort(struct ta_flat *w)
{
	size_t n = 0;

	if (w->n)
		qsort(w->v, w->n, sizeof(*w->v), by_path);
	for (size_t i = 0; i < w->n; i++) {
		if (n && strcmp(w->v[n - 1].path, w->v[i].path) == 0)
			drop(&w->v[i]);
		else
			w->v[n++] = w->v[i];
	}
	w->n = n;
}

void ta_flat_done(struct ta_flat *w)
{
	for (size_t i = 0; i < w->n; i++)
		drop(&w->v[i]);
	free(w->v);
	ta_strv_done(&w->from);
	ta_strv_done(&w->to);
	*w = (struct ta_flat){0};
}

/* --- the tree ---------------------------------------------------------------------- */

/* "FILE:LINE" without ":LINE", wherever it stands in the text. */
static void add_without_lines(struct ta_buf *b, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, ":");

		ta_buf_add(b, text, n);
		text += n;
		n = *text ? strspn(text + 1, "0123456789") : 0;
		if (n && (!text[n + 1] || strchr(" ,;:)", text[n + 1])))
			text += n + 1;
		else if (*text)
			ta_buf_addc(b, *text++);
	}
}

static struct json_object *text_without_lines(struct json_object *v)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	add_without_lines(&b, json_object_get_string(v));
	return json_object_new_string(ta_buf_text(&b));
}

static struct json_object *without_lines(struct json_object *v)
{
	struct json_object *list;

	if (json_object_is_type(v, json_type_string))
		return text_without_lines(v);
	if (!json_object_is_type(v, json_type_array))
		return json_object_get(v);
	list = json_object_new_array();
	for (size_t i = 0; i < json_object_array_length(v); i++)
		json_object_array_add(list, text_without_lines(json_object_array_get_idx(v, i)));
	return list;
}

static void add_leaf(struct ta_flat *w, const char *path, struct json_object *value, const struct ta_schema_node *node)
{
	const struct ta_field *field = node ? ta_schema_field(node) : NULL;
	struct json_object *own;

	if (!field || ta_baseline_leaves_out(w->schema, node) || (field->flags & TA_F_PLACED && w->balanced))
		return;
	own = field->flags & TA_F_PLACES ? without_lines(value) : json_object_get(value);
	ta_flat_add(w, path, own, TA_MISSING);
	json_object_put(own);
}

static void walk(struct ta_flat *w, struct ta_buf *path, struct json_object *value, const struct ta_schema_node *node);

/* --- members that need another name -------------------------------------------------- */

struct member {
	const char *key, *subject;
	struct json_object *value;
	struct ta_buf content;
};

static int by_content(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int c = ta_natural_cmp(x->subject, y->subject);

	c = c ? c : ta_natural_cmp(ta_buf_text(&x->content), ta_buf_text(&y->content));
	return c ? c : ta_natural_cmp(x->key, y->key);
}

static void read_content(struct ta_flat *w, struct member *m, const struct ta_schema_node *node)
{
	struct ta_flat part = {.schema = w->schema, .balanced = w->balanced};
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;

	walk(&part, &path, m->value, node);
	for (size_t i = 0; i < part.n; i++)
		ta_buf_printf(&m->content, "%s=%s\n", part.v[i].path, json_object_get_string(part.v[i].value));
	ta_flat_done(&part);
}

static void name_member(struct ta_flat *w, struct ta_buf *path, const struct member *m, const struct ta_schema_node *node,
	unsigned number, bool again)
{
	ta_cleanup_buf struct ta_buf name = TA_BUF_INIT, old = TA_BUF_INIT;
	size_t len = path->len;

	ta_buf_adds(&name, m->subject);
	if (number > 1)
		ta_buf_printf(&name, "#%u", number);
	ta_buf_adds(&old, ta_buf_text(path));
	ta_path_add(&old, m->key);
	ta_path_add(path, ta_buf_text(&name));
	ta_strv_add(&w->from, ta_buf_text(&old));
	ta_strv_add(&w->to, ta_buf_text(path));
	if (!again)
		walk(w, path, m->value, node);
	path->len = len;
	path->data[len] = '\0';
}

static void walk_renamed(struct ta_flat *w, struct ta_buf *path, struct json_object *value, const struct ta_schema_node *node)
{
	size_t n = 0;
	unsigned number = 1;
	struct member *m = calloc(TA_MAX(json_object_object_length(value), 1), sizeof(*m));

	if (!m) {
		w->error = -ENOMEM;
		return;
	}
	json_object_object_foreach(value, key, child)
	{
		struct json_object *subject = NULL;

		if (!json_object_is_type(child, json_type_object) ||
			!json_object_object_get_ex(child, "subject", &subject) ||
			!json_object_is_type(subject, json_type_string))
			continue; /* what it is cannot be said: it was gone, or may not be looked at */
		m[n] = (struct member){key, json_object_get_string(subject), child, TA_BUF_INIT};
		read_content(w, &m[n++], node);
	}
	qsort(m, n, sizeof(*m), by_content);
	for (size_t i = 0; i < n; i++) {
		bool same = i && strcmp(m[i - 1].subject, m[i].subject) == 0;
		bool again = same && strcmp(ta_buf_text(&m[i - 1].content), ta_buf_text(&m[i].content)) == 0;

		number = !same ? 1 : number + !again;
		name_member(w, path, &m[i], node, number, again);
	}
	for (size_t i = 0; i < n; i++)
		ta_buf_done(&m[i].content);
	free(m);
}

/* The schema's "*" below a collection whose keys do not last, else NULL. */
static const struct ta_schema_node *renamed_members(const struct ta_schema_node *node)
{
	const struct ta_schema_node *star = node && ta_schema_is_collection(node) ? ta_schema_child(node, "*") : NULL;
	const struct ta_schema_node *subject = star ? ta_schema_child(star, "subject") : NULL;
	const struct ta_field *field = subject ? ta_schema_field(subject) : NULL;

	return field && field->flags & TA_F_NAMES ? star : NULL;
}

static void walk(struct ta_flat *w, struct ta_buf *path, struct json_object *value, const struct ta_schema_node *node)
{
	const struct ta_schema_node *renamed = renamed_members(node);
	size_t len = path->len;

	if (!node)
		return;
	if (!json_object_is_type(value, json_type_object)) {
		add_leaf(w, ta_buf_text(path), value, node);
		return;
	}
	if (renamed) {
		walk_renamed(w, path, value, renamed);
		return;
	}
	json_object_object_foreach(value, key, child)
	{
		ta_path_add(path, key);
		walk(w, path, child, ta_schema_child(node, key));
		path->len = len;
		path->data[len] = '\0';
	}
}

/* --- holes --------------------------------------------------------------------------- */

struct kept {
	const struct ta_schema *schema;
	bool any;
};

static void look_kept(const struct ta_field *field, const char *owner, void *ctx)
{
	struct kept *k = ctx;
	const struct ta_schema_node *leaf = ta_schema_find_text(k->schema, field->path);

	if (leaf && !ta_baseline_leaves_out(k->schema, leaf))
		k->any = true;
	(void)owner;
}

static void add_hole(const char *path, struct ta_absence why, void *ctx)
{
	struct ta_flat *w = ctx;
	ta_cleanup_buf struct ta_buf own = TA_BUF_INIT;
	struct kept kept = {w->schema, false};
	const struct ta_schema_node *node = ta_schema_root(w->schema), *star;
	size_t ends[TA_PATH_DEPTH_MAX], n = ta_path_ends(path, ends, TA_ARRAY_SIZE(ends)), at = 0;

	for (size_t i = 0; i < n && node; i++) {
		char key[256];

		star = renamed_members(node);
		if (!ta_path_key(path, i ? ends[i - 1] : 0, ends[i], &key))
			return;
		node = ta_schema_child(node, key);
		if (!star)
			continue;
		for (size_t k = 0; k < w->from.n && !own.len; k++)
			if (strlen(w->from.v[k]) == ends[i] && strncmp(w->from.v[k], path, ends[i]) == 0)
				ta_buf_adds(&own, w->to.v[k]);
		at = ends[i];
		if (!own.len)
			return; /* a member without a name that lasts */
	}
	if (!node)
		return;
	if (ta_schema_field(node) && ta_schema_field(node)->flags & TA_F_PLACED && w->balanced)
		return;
	ta_schema_leaves(node, look_kept, &kept);
	ta_buf_adds(&own, path + at);
	if (kept.any)
		ta_flat_add(w, ta_buf_text(&own), NULL, why.reason);
}

void ta_flat_take(struct ta_flat *w, const struct ta_facts *f)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;

	if (!ta_facts_get_bool(f, TA_KEYS("irqbalance", "running"), &w->balanced))
		w->balanced = false;
	walk(w, &path, ta_facts_root(f), ta_schema_root(w->schema));
	ta_facts_each_hole(f, false, add_hole, w);
	ta_flat_sort(w);
	if (path.error || w->from.error || w->to.error)
		w->error = -ENOMEM;
}
