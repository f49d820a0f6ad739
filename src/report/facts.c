/*
 * The facts document as lines. Walked twice per area: once to learn how wide the paths are.
 */
#include "report/facts.h"

#include <json-c/json.h>
#include <string.h>

#include "facts/text.h"
#include "report/text.h"

struct walk {
	const struct ta_facts_selection *sel;
	const struct ta_facts_style *style;
	size_t width; /* of the longest path that is aligned to */
	bool measure;
	size_t shown;
	struct ta_buf *ret;
};

static bool all(const struct ta_facts_selection *sel)
{
	return !sel->keys.n && !sel->owners.n;
}

/* CPU lists come from facts, so that members beyond the limit mean a strange document, not a large
 * host. */
static void add_cpus(struct json_object *value, struct ta_buf *ret)
{
	ta_cleanup_cpuset struct ta_cpuset set = TA_CPUSET_INIT;
	size_t n = json_object_array_length(value);

	for (size_t i = 0; i < n; i++) {
		int64_t cpu = json_object_get_int64(json_object_array_get_idx(value, i));

		if (cpu < 0 || cpu >= TA_CPU_LIMIT || ta_cpuset_add(&set, (unsigned)cpu) < 0) {
			ta_text_safe(ret, json_object_to_json_string(value));
			return;
		}
	}
	if (n)
		ta_cpuset_format(&set, ret);
	else
		ta_buf_adds(ret, "none");
}

static void add_list(struct json_object *value, struct ta_buf *ret)
{
	size_t n = json_object_array_length(value);

	if (!n)
		ta_buf_adds(ret, "none");
	for (size_t i = 0; i < n; i++) {
		struct json_object *item = json_object_array_get_idx(value, i);

		if (i)
			ta_buf_adds(ret, json_object_is_type(item, json_type_string) ? ", " : " ");
		ta_report_value(item, NULL, ret);
	}
}

void ta_report_value(struct json_object *value, const struct ta_field *field, struct ta_buf *ret)
{
	switch (json_object_get_type(value)) {
	case json_type_array:
		if (field && field->flags & TA_F_CPUS)
			add_cpus(value, ret);
		else
			add_list(value, ret);
		break;
	case json_type_string:
		if (json_object_get_string_len(value))
			ta_text_safe(ret, json_object_get_string(value));
		else
			ta_buf_adds(ret, "\"\"");
		break;
	default:
		ta_text_safe(ret, json_object_to_json_string(value));
	}
}

/* Units are words in the plural, but for s, ms, us and the like. */
static void add_unit(struct json_object *value, const char *unit, struct ta_buf *ret)
{
	size_t len = strlen(unit);
	bool one = json_object_is_type(value, json_type_int) && json_object_get_int64(value) == 1;

	ta_buf_addc(ret, ' ');
	if (one && len > 3 && strcmp(unit + len - 3, "ies") == 0) {
		ta_buf_add(ret, unit, len - 3);
		ta_buf_addc(ret, 'y');
		return;
	}
	ta_buf_add(ret, unit, one && len > 3 && unit[len - 1] == 's' ? len - 1 : len);
}

static void add_special(struct json_object *value, const struct ta_field *field, struct ta_buf *ret)
{
	if (!json_object_is_type(value, json_type_int))
		return;
	for (size_t i = 0; i < TA_ARRAY_SIZE(field->special); i++) {
		const struct ta_special *s = &field->special[i];

		if (s->meaning == TA_MEANS_NUMBER || json_object_get_int64(value) != s->value)
			continue;
		ta_buf_adds(ret, s->meaning == TA_MEANS_UNLIMITED ? " (unlimited)"
								  : " (the kernel chooses)");
	}
}

/* "unlimited", "none" and lists of CPUs are no amounts. */
static bool has_unit(struct json_object *value, const struct ta_field *field)
{
	if (!field->unit || !*field->unit || json_object_is_type(value, json_type_string))
		return false;
	return !json_object_is_type(value, json_type_array) ||
	       (json_object_array_length(value) && !(field->flags & TA_F_CPUS));
}

static void add_line(
	struct walk *w, const char *path, struct json_object *value, const struct ta_field *field)
{
	size_t start = w->ret->len;

	ta_text_safe(w->ret, path);
	while (w->ret->len - start < w->width)
		ta_buf_addc(w->ret, ' ');
	ta_buf_adds(w->ret, " = ");
	ta_report_value(value, field, w->ret);
	if (field && has_unit(value, field))
		add_unit(value, field->unit, w->ret);
	if (field)
		add_special(value, field, w->ret);
	if (field && w->style->meanings) {
		ta_buf_adds(w->ret, "  # ");
		ta_text_safe(w->ret, field->meaning);
	}
	ta_buf_addc(w->ret, '\n');
}

static void leaf(struct walk *w, const char *path, struct json_object *value,
	const struct ta_schema_node *node, bool selected)
{
	const struct ta_field *field = node ? ta_schema_field(node) : NULL;

	if (!selected && !(field && ta_strv_has(&w->sel->owners, ta_schema_owner(node))))
		return;
	w->shown++;
	if (w->measure)
		w->width = TA_MAX(w->width, TA_MIN(strlen(path), (size_t)w->style->columns / 2));
	else
		add_line(w, path, value, field);
}

static void walk(struct walk *w, struct ta_buf *path, struct json_object *value,
	const struct ta_schema_node *node, bool selected)
{
	size_t len = path->len;

	if (!json_object_is_type(value, json_type_object)) {
		leaf(w, ta_buf_text(path), value, node, selected);
		return;
	}
	json_object_object_foreach(value, key, child)
	{
		ta_path_add(path, key);
		walk(w, path, child, node ? ta_schema_child(node, key) : NULL, selected);
		path->len = len;
		path->data[len] = '\0';
	}
}

/* One first key of the document, aligned in itself. */
static void area(struct walk *w, const char *key, struct json_object *value,
	const struct ta_schema_node *node)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;
	bool selected = all(w->sel) || ta_strv_has(&w->sel->keys, key);

	ta_path_add(&path, key);
	if (path.error)
		return;
	w->width = 0;
	w->measure = true;
	walk(w, &path, value, node, selected);
	w->measure = false;
	walk(w, &path, value, node, selected);
}

static void find_owner(const struct ta_field *field, const char *owner, void *ctx)
{
	struct walk *w = ctx;

	w->shown += ta_strv_has(&w->sel->owners, owner);
}

struct holes {
	struct walk *walk;
	const struct ta_schema *schema;
	const char *heading; /* not yet printed */
};

static bool hole_selected(struct holes *h, const char *path)
{
	struct walk count = {.sel = h->walk->sel};
	const struct ta_schema_node *node;
	size_t end = 0;

	if (all(h->walk->sel))
		return true;
	ta_path_ends(path, &end, 1);
	for (size_t i = 0; i < count.sel->keys.n; i++)
		if (strlen(count.sel->keys.v[i]) == end &&
			memcmp(count.sel->keys.v[i], path, end) == 0)
			return true;
	node = ta_schema_find_text(h->schema, path);
	if (node)
		ta_schema_leaves(node, find_owner, &count);
	return count.shown;
}

static void hole(const char *path, struct ta_absence why, void *ctx)
{
	struct holes *h = ctx;
	struct ta_buf *b = h->walk->ret;

	if (!hole_selected(h, path))
		return;
	if (h->heading) {
		ta_buf_printf(b, "%s%s\n", b->len ? "\n" : "", h->heading);
		h->heading = NULL;
	}
	ta_buf_adds(b, "  ");
	ta_text_safe(b, path);
	ta_buf_printf(b, ": %s%s", ta_reason_name(why.reason), *why.detail ? ", " : "");
	ta_text_safe(b, why.detail);
	ta_buf_addc(b, '\n');
}

void ta_report_facts(const struct ta_facts *f, const struct ta_schema *schema,
	const struct ta_facts_selection *sel, const struct ta_facts_style *style,
	struct ta_buf *ret)
{
	struct walk w = {.sel = sel, .style = style, .ret = ret};
	struct holes absent = {&w, schema, "Not known:"};
	struct holes incomplete = {&w, schema, "Not complete:"};
	const struct ta_schema_node *root = ta_schema_root(schema);

	json_object_object_foreach(ta_facts_root(f), key, value)
	{
		area(&w, key, value, ta_schema_child(root, key));
	}
	if (!style->holes)
		return;
	ta_facts_each_hole(f, true, hole, &incomplete);
	ta_facts_each_hole(f, false, hole, &absent);
}

/* --- JSON ------------------------------------------------------------------------------ */

/* What is selected below `value`, or NULL; an object without members is a fact too. */
static struct json_object *selected_part(struct walk *w, struct json_object *value,
	const struct ta_schema_node *node, bool selected)
{
	const struct ta_field *field = node ? ta_schema_field(node) : NULL;
	struct json_object *part;

	if (selected || (field && ta_strv_has(&w->sel->owners, ta_schema_owner(node))))
		return json_object_get(value);
	if (!json_object_is_type(value, json_type_object))
		return NULL;
	part = json_object_new_object();
	json_object_object_foreach(value, key, child)
	{
		struct json_object *below =
			selected_part(w, child, node ? ta_schema_child(node, key) : NULL, false);

		if (below)
			json_object_object_add(part, key, below);
	}
	w->shown = 0;
	if (!json_object_object_length(value) && node)
		ta_schema_leaves(node, find_owner, w);
	if (json_object_object_length(part) || w->shown)
		return part;
	json_object_put(part);
	return NULL;
}

struct kept_holes {
	struct holes by;
	struct json_object *to;
};

static void keep_hole(const char *path, struct ta_absence why, void *ctx)
{
	struct kept_holes *k = ctx;
	struct json_object *hole;

	if (!hole_selected(&k->by, path))
		return;
	hole = json_object_new_object();
	json_object_object_add(hole, "reason", json_object_new_string(ta_reason_name(why.reason)));
	json_object_object_add(hole, "detail", json_object_new_string(why.detail));
	json_object_object_add(k->to, path, hole);
}

void ta_report_facts_json(const struct ta_facts *f, const struct ta_schema *schema,
	const struct ta_facts_selection *sel, struct ta_buf *ret)
{
	struct walk w = {.sel = sel};
	struct ta_facts_parts parts;
	struct kept_holes k = {.by = {&w, schema, NULL}};

	if (all(sel)) {
		ta_facts_format(f, ret);
		return;
	}
	parts = (struct ta_facts_parts){json_object_new_object(), json_object_new_object(), json_object_new_object()};
	json_object_object_foreach(ta_facts_root(f), key, value)
	{
		struct json_object *part = selected_part(
			&w, value, ta_schema_child(ta_schema_root(schema), key), ta_strv_has(&sel->keys, key));

		if (part)
			json_object_object_add(parts.facts, key, part);
	}
	k.to = parts.absent;
	ta_facts_each_hole(f, false, keep_hole, &k);
	k.to = parts.incomplete;
	ta_facts_each_hole(f, true, keep_hole, &k);
	ta_facts_format_parts(f, &parts, ret);
	json_object_put(parts.facts);
	json_object_put(parts.absent);
	json_object_put(parts.incomplete);
}
