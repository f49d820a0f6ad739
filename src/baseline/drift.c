/*
 * Two sorted lists of facts are gone through side by side. A value against another is drift; a value against "may not be read"
 * is nothing that anybody knows, and is said as such; a member of a collection that is there on one side only is told once.
 */
#include "baseline/drift.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/driftparts.h"
#include "facts/text.h"

const char *ta_drift_kind_name(enum ta_drift_kind k)
{
	static const char *const names[] = {"setting", "kernel", "hardware", "tool"};

	return names[k];
}

void ta_drift_done(struct ta_drift *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->entries[i].path);
		free(d->entries[i].was);
		free(d->entries[i].is);
		free(d->entries[i].by);
		free(d->entries[i].note);
	}
	for (size_t i = 0; i < d->n_holes; i++) {
		free(d->holes[i].path);
		free(d->holes[i].was);
		free(d->holes[i].detail);
	}
	for (size_t i = 0; i < d->n_verdicts; i++)
		free(d->verdicts[i].subject);
	free(d->entries);
	free(d->holes);
	free(d->verdicts);
	ta_strv_done(&d->came);
	ta_strv_done(&d->gone);
	ta_strv_done(&d->notes);
	*d = (struct ta_drift){0};
}

struct search {
	const struct ta_baseline *was, *is;
	const struct ta_drift_options *o;
	struct ta_readers *readers;
	struct ta_world world;
	struct ta_strv members_was, members_is; /* paths of members that are there */
	char told[512];				/* the last of those that are there on one side only: all of it is neighbours */
	struct ta_drift *ret;
	int error;
};

/* --- paths ----------------------------------------------------------------------------- */

struct place {
	const struct ta_schema_node *node;	 /* NULL: not declared */
	const struct ta_schema_node *collection; /* the first on the way; NULL: none */
	char member_path[512], member[256];	 /* "" where there is no collection */
};

static void find_place(const struct ta_schema *schema, const char *path, struct place *ret)
{
	size_t ends[TA_PATH_DEPTH_MAX], n = ta_path_ends(path, ends, TA_ARRAY_SIZE(ends));

	*ret = (struct place){.node = ta_schema_root(schema)};
	for (size_t i = 0; i < n && ret->node; i++) {
		const struct ta_schema_node *above = ret->node;
		char key[256];

		if (!ta_path_key(path, i ? ends[i - 1] : 0, ends[i], &key) || ends[i] >= sizeof(ret->member_path)) {
			ret->node = NULL;
			return;
		}
		ret->node = ta_schema_child(above, key);
		if (ret->collection || !ta_schema_is_collection(above) || ret->node != ta_schema_child(above, "*"))
			continue;
		ret->collection = above;
		memcpy(ret->member, key, sizeof(key));
		memcpy(ret->member_path, path, ends[i]);
		ret->member_path[ends[i]] = '\0';
	}
}

static void note_flags(const struct ta_field *field, const char *owner, void *ctx)
{
	*(unsigned *)ctx |= field->flags;
	(void)owner;
}

/* A collection whose members are things: told as wholes where they come or go. */
static bool has_things(const struct ta_schema_node *collection, unsigned *ret_flags)
{
	*ret_flags = 0;
	ta_schema_leaves(collection, note_flags, ret_flags);
	return *ret_flags & (TA_F_HARDWARE | TA_F_COMES);
}

static void find_members(const struct ta_schema *schema, const struct ta_baseline *b, struct ta_strv *ret)
{
	for (size_t i = 0; i < b->n_facts; i++) {
		struct place p;

		find_place(schema, b->facts[i].path, &p);
		if (*p.member_path && (!ret->n || strcmp(ret->v[ret->n - 1], p.member_path) != 0))
			ta_strv_add(ret, p.member_path);
	}
	ta_strv_sort(ret);
}

static int by_text(const void *key, const void *v)
{
	return ta_natural_cmp(key, *(char *const *)v);
}

bool ta_sorted_has(const struct ta_strv *sorted, const char *text)
{
	return sorted->n && bsearch(text, sorted->v, sorted->n, sizeof(*sorted->v), by_text);
}

/* --- results --------------------------------------------------------------------------- */

/* Room for one more of `size` bytes; NULL: out of memory. */
static void *grow(void **list, size_t *n, size_t size)
{
	void *v = *list;

	/* At powers of two. */
	if (!(*n & (*n - 1))) {
		v = reallocarray(v, *n ? *n * 2 : 1, size);
		if (!v)
			return NULL;
		*list = v;
	}
	v = (char *)*list + (*n)++ * size;
	memset(v, 0, size);
	return v;
}

static char *text_of(struct search *s, const struct ta_baseline_fact *f, const struct ta_field *field)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	char *ret;

	if (f && f->value)
		ta_value_text(f->value, field, &b);
	else
		ta_buf_adds(&b, ta_reason_name(f ? f->reason : TA_MISSING));
	ret = strdup(ta_buf_text(&b));
	if (!ret)
		s->error = -ENOMEM;
	return ret;
}

static bool key_matches(const char *pattern, size_t from, size_t to, const char *path, size_t at, size_t end)
{
	char a[256], b[256];

	return ta_path_key(pattern, from, to, &a) && ta_path_key(path, at, end, &b) && (!strcmp(a, "*") || !strcmp(a, b));
}

bool ta_path_covers(const char *pattern, const char *path)
{
	size_t a[TA_PATH_DEPTH_MAX], b[TA_PATH_DEPTH_MAX], first = strcspn(pattern, ".["), n, m;

	/* Most pairs differ in their first word. */
	if (*pattern != '*' && strncmp(pattern, path, first) != 0)
		return false;
	n = ta_path_ends(pattern, a, TA_ARRAY_SIZE(a));
	m = ta_path_ends(path, b, TA_ARRAY_SIZE(b));
	for (size_t i = 0; i < n && i < m; i++)
		if (!key_matches(pattern, i ? a[i - 1] : 0, a[i], path, i ? b[i - 1] : 0, b[i]))
			return false;
	return n && n <= m;
}

static bool is_ignored(const struct ta_drift_options *o, enum ta_drift_kind kind, const char *path)
{
	for (size_t i = 0; o->ignore && i < o->ignore->n; i++)
		if (strcmp(o->ignore->v[i], ta_drift_kind_name(kind)) == 0 || ta_path_covers(o->ignore->v[i], path))
			return true;
	return false;
}

bool ta_drift_may_ignore(const struct ta_schema *schema, const char *word)
{
	for (int k = 0; k < TA_DRIFT_KINDS; k++)
		if (strcmp(ta_drift_kind_name((enum ta_drift_kind)k), word) == 0)
			return true;
	return *word && ta_schema_find_text(schema, word);
}

static void add_entry(struct search *s, const struct ta_moved *m, enum ta_drift_kind kind, char *was, char *is, const char *by)
{
	struct ta_drift_entry *e = NULL;

	if (is_ignored(s->o, kind, m->path))
		s->ret->n_ignored++;
	else
		e = grow((void **)&s->ret->entries, &s->ret->n, sizeof(*e));
	if (!e) {
		free(was);
		free(is);
		return;
	}
	*e = (struct ta_drift_entry){strdup(m->path), was, is, kind, NULL, TA_SEV_INFO, -1, -1, NULL, NULL};
	ta_readers_judge(s->readers, m, e);
	if (by)
		e->by = strdup(by);
	else
		ta_drift_by(m, &s->world, e);
	if (!e->path || !e->was || !e->is || !e->by)
		s->error = -ENOMEM;
	s->ret->kinds[kind]++;
}

/* `was` (NULL: it is then that it could not be read) is taken over. */
static void add_hole(struct search *s, const char *path, char *was, struct ta_absence why)
{
	struct ta_drift_hole *h = grow((void **)&s->ret->holes, &s->ret->n_holes, sizeof(*h));

	if (!h) {
		s->error = -ENOMEM;
		free(was);
		return;
	}
	*h = (struct ta_drift_hole){strdup(path), was, why.reason, strdup(why.detail)};
	if (!h->path || !h->detail)
		s->error = -ENOMEM;
}

/* --- one path -------------------------------------------------------------------------- */

/* The reason that the baseline gives for the path or what it is part of; false: it gives none. */
static bool find_reason(const struct ta_baseline *b, const char *path, enum ta_reason *ret)
{
	size_t ends[TA_PATH_DEPTH_MAX];

	for (size_t i = ta_path_ends(path, ends, TA_ARRAY_SIZE(ends)); i-- > 0;) {
		ta_cleanup_buf struct ta_buf part = TA_BUF_INIT;
		const struct ta_baseline_fact *f;

		ta_buf_add(&part, path, ends[i]);
		f = ta_baseline_find(b, ta_buf_text(&part));
		if (f && !f->value) {
			*ret = f->reason;
			return true;
		}
		if (ta_sorted_has(&b->incomplete, ta_buf_text(&part))) {
			*ret = TA_DENIED;
			return true;
		}
	}
	return false;
}

/* Not there and cannot be are facts; the others only say that nobody knows. */
static bool is_known(enum ta_reason r)
{
	return r == TA_MISSING || r == TA_UNSUPPORTED;
}

/* Of the side just read the document knows more words. */
static struct ta_absence hole_of(struct search *s, const char *path, enum ta_reason reason, bool now)
{
	if (now && s->o->facts) {
		struct ta_absence a = ta_facts_absence(s->o->facts, path);

		if (a.reason == reason)
			return a;
	}
	return (struct ta_absence){reason, ""};
}

/* Members that are bound to programs come and go without anybody setting anything. */
static bool comes_and_goes(const struct ta_baseline *b, const char *member_path, unsigned flags)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;
	const struct ta_baseline_fact *f;

	if (!(flags & TA_F_COMES))
		return false;
	ta_buf_printf(&path, "%s.physical", member_path);
	f = ta_baseline_find(b, ta_buf_text(&path));
	return !f || !f->value || !json_object_get_boolean(f->value);
}

/* A member that one side has. True: told, or part of one that was. */
static bool tell_member(struct search *s, const struct ta_moved *m, const struct place *p)
{
	const struct ta_baseline *b = m->a ? m->was : m->is, *other = m->a ? m->is : m->was;
	struct ta_moved whole = *m;
	enum ta_reason reason;
	unsigned flags;

	if (!*p->member_path || ta_sorted_has(m->a ? &s->members_is : &s->members_was, p->member_path) || !has_things(p->collection, &flags))
		return false;
	if (strcmp(s->told, p->member_path) == 0)
		return true;
	memcpy(s->told, p->member_path, sizeof(s->told));
	whole.path = p->member_path;
	whole.field = NULL;
	if (find_reason(other, p->member_path, &reason) && !is_known(reason))
		add_hole(s, p->member_path, m->a ? strdup("there") : NULL, hole_of(s, p->member_path, reason, m->a));
	else if (comes_and_goes(b, p->member_path, flags))
		ta_strv_add(m->a ? &s->ret->gone : &s->ret->came, p->member_path);
	else
		add_entry(s, &whole, TA_DRIFT_HARDWARE, strdup(m->a ? "there" : "missing"), strdup(m->a ? "missing" : "there"),
			m->a ? "it is gone" : "it is new");
	return true;
}

/* Only `a` has the path. */
static void only_was(struct search *s, struct ta_moved *m, const struct place *p)
{
	enum ta_reason reason = TA_MISSING;

	if (!m->a->value || tell_member(s, m, p))
		return;
	if (!m->field || (find_reason(m->is, m->path, &reason), !is_known(reason))) {
		if (m->field)
			add_hole(s, m->path, text_of(s, m->a, m->field), hole_of(s, m->path, reason, true));
		else
			add_entry(s, m, TA_DRIFT_TOOL, text_of(s, m->a, NULL), strdup("not read"),
				"this version of tuneaudit does not read it");
		return;
	}
	add_entry(s, m, ta_drift_kind_of(m, &s->world), text_of(s, m->a, m->field), strdup(ta_reason_name(reason)), NULL);
}

/* Only `b` has it: an older version did not read it, or somebody took the line out of the file. */
static void only_is(struct search *s, struct ta_moved *m, const struct place *p)
{
	enum ta_reason reason;

	if (!m->b->value || tell_member(s, m, p))
		return;
	if (!find_reason(m->was, m->path, &reason)) {
		/* Of an open set (who sets what, queues) a member more is a move. */
		if (!*p->member_path || ta_sorted_has(&s->members_was, p->member_path)) {
			s->ret->n_new++;
			return;
		}
		reason = TA_MISSING;
	}
	if (is_known(reason))
		add_entry(s, m, ta_drift_kind_of(m, &s->world), strdup(ta_reason_name(reason)), text_of(s, m->b, m->field), NULL);
	else
		add_hole(s, m->path, NULL, hole_of(s, m->path, reason, false));
}

static void both(struct search *s, struct ta_moved *m)
{
	const struct ta_baseline_fact *a = m->a, *b = m->b;

	if (!a->value && !b->value)
		return;
	if (a->value && b->value) {
		if (m->field && ta_value_same(a->value, b->value, m->field))
			return;
	} else if (!is_known(a->value ? b->reason : a->reason)) {
		add_hole(s, m->path, a->value ? text_of(s, a, m->field) : NULL,
			hole_of(s, m->path, a->value ? b->reason : a->reason, a->value));
		return;
	}
	add_entry(s, m, ta_drift_kind_of(m, &s->world), text_of(s, a, m->field), text_of(s, b, m->field), NULL);
}

static bool is_true(const struct ta_baseline *b, const char *path)
{
	const struct ta_baseline_fact *f = ta_baseline_find(b, path);

	return f && json_object_get_boolean(f->value);
}

/* Another file that sets another value is one move: the value's. */
static bool goes_with_value(const struct search *s, const struct place *p, const char *path)
{
	ta_cleanup_buf struct ta_buf value = TA_BUF_INIT;
	const struct ta_baseline_fact *a, *b;
	size_t n = strlen(path);

	if ((strncmp(path, "settings", 8) != 0 && strncmp(path, "persist", 7) != 0) || n < 5 || strcmp(path + n - 5, ".file") != 0)
		return false;
	ta_buf_printf(&value, "%s.value", p->member_path);
	a = ta_baseline_find(s->was, ta_buf_text(&value));
	b = ta_baseline_find(s->is, ta_buf_text(&value));
	return (a && a->value) != (b && b->value) || (a && b && a->value && !json_object_equal(a->value, b->value));
}

static void one_path(struct search *s, const struct ta_baseline_fact *a, const struct ta_baseline_fact *b)
{
	struct place p;
	struct ta_moved m = {.was = s->was, .is = s->is, .o = s->o, .path = a ? a->path : b->path, .a = a, .b = b};

	find_place(s->o->schema, m.path, &p);
	m.field = p.node ? ta_schema_field(p.node) : NULL;
	m.member = p.member;
	m.member_path = *p.member_path ? p.member_path : strncmp(m.path, "cpu.", 4) == 0 ? "cpu" : "";
	/* What this version would leave out, another one or an editor has put in. */
	if (m.field && ta_baseline_leaves_out(s->o->schema, p.node))
		return;
	if (m.field && m.field->flags & TA_F_PLACED && s->world.balanced)
		return;
	if (goes_with_value(s, &p, m.path))
		return;
	if (a && b)
		both(s, &m);
	else if (a)
		only_was(s, &m, &p);
	else
		only_is(s, &m, &p);
}

/* --- the whole ------------------------------------------------------------------------- */

static bool differs(const struct search *s, const char *path)
{
	const struct ta_baseline_fact *a = ta_baseline_find(s->was, path), *b = ta_baseline_find(s->is, path);
	const struct ta_schema_node *node = ta_schema_find_text(s->o->schema, path);
	const struct ta_field *field = node ? ta_schema_field(node) : NULL;

	return a && b && a->value && b->value && field && !ta_value_same(a->value, b->value, field);
}

/* Members whose driver, bus or model is another: what is set of them begins anew. */
static void find_replaced(struct search *s)
{
	for (size_t i = 0; i < s->is->n_facts; i++) {
		const char *path = s->is->facts[i].path;
		struct place p;
		const struct ta_field *field;

		find_place(s->o->schema, path, &p);
		field = p.node ? ta_schema_field(p.node) : NULL;
		if (!field || !(field->flags & TA_F_HARDWARE) || field->type != TA_T_STRING || !differs(s, path))
			continue;
		if (*p.member_path)
			ta_strv_add(&s->world.replaced, p.member_path);
		else if (strncmp(path, "cpu.", 4) == 0)
			ta_strv_add(&s->world.replaced, "cpu");
	}
	ta_strv_sort(&s->world.replaced);
}

static void look_around(struct search *s)
{
	s->world.kernel = differs(s, "kernel.release") || differs(s, "kernel.build");
	s->world.os = differs(s, "host.os");
	s->world.machine = differs(s, "memory.total_bytes") || differs(s, "cpu.present") || differs(s, "cpu.model") ||
			   differs(s, "numa_nodes");
	s->world.balanced = is_true(s->was, "irqbalance.running") || is_true(s->is, "irqbalance.running");
	s->world.tool = strcmp(s->was->tool, s->is->tool) != 0;
	find_replaced(s);
}

static void tell_tool(struct search *s, const char *path, const char *was, const char *is)
{
	struct ta_moved m = {.was = s->was, .is = s->is, .o = s->o, .path = path, .member = "", .member_path = ""};

	if (strcmp(was, is) != 0)
		add_entry(s, &m, TA_DRIFT_TOOL, strdup(was), strdup(is), "look at what is new, and save the baseline again");
}

static void ta_printf(2, 3) add_note(struct search *s, const char *fmt, ...)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	ta_buf_vprintf(&b, fmt, ap);
	va_end(ap);
	ta_strv_add(&s->ret->notes, ta_buf_text(&b));
}

static void add_notes(struct search *s)
{
	if (s->was->host && s->is->host && strcmp(s->was->host, s->is->host) != 0)
		add_note(s, "the baseline is of host %s, and this is %s", s->was->host, s->is->host);
	if (strcmp(s->was->profile, s->is->profile) != 0)
		add_note(s, "the baseline was judged by profile %s, and this by %s: verdicts are not compared", s->was->profile,
			s->is->profile);
	if (s->ret->n_new)
		add_note(s, "%zu facts are not in the baseline%s: nothing is said of them", s->ret->n_new,
			s->world.tool ? ", which another version saved" : "");
}

static void compare_verdicts(struct search *s)
{
	if (strcmp(s->was->profile, s->is->profile) != 0)
		return;
	for (size_t i = 0; i < s->is->n_verdicts; i++) {
		const struct ta_baseline_verdict *v = &s->is->verdicts[i];
		const struct ta_rule *r = ta_rules_find(s->o->rules, v->rule);
		int was = ta_drift_verdict_of(s->was, v->rule, v->subject);
		struct ta_drift_verdict *d;

		if (!r || was < 0 || was == (int)v->verdict)
			continue;
		d = grow((void **)&s->ret->verdicts, &s->ret->n_verdicts, sizeof(*d));
		if (!d) {
			s->error = -ENOMEM;
			return;
		}
		*d = (struct ta_drift_verdict){r, strdup(v->subject), ta_drift_severity(s->o, r), (enum ta_verdict)was, v->verdict};
		if (!d->subject)
			s->error = -ENOMEM;
	}
}

static int by_kind(const void *a, const void *b)
{
	const struct ta_drift_entry *x = a, *y = b;

	return x->kind != y->kind ? (int)x->kind - (int)y->kind : ta_natural_cmp(x->path, y->path);
}

int ta_drift_find(const struct ta_baseline *was, const struct ta_baseline *is, const struct ta_drift_options *o,
	struct ta_drift *ret)
{
	struct search s = {.was = was, .is = is, .o = o, .ret = ret, .readers = ta_readers_new(o)};
	size_t a = 0, b = 0;

	*ret = (struct ta_drift){0};
	if (!s.readers)
		return -ENOMEM;
	find_members(o->schema, was, &s.members_was);
	find_members(o->schema, is, &s.members_is);
	look_around(&s);
	tell_tool(&s, "tool", was->tool, is->tool);
	tell_tool(&s, "rules", was->rules, is->rules);
	while (a < was->n_facts || b < is->n_facts) {
		int c = a == was->n_facts ? 1 : b == is->n_facts ? -1 : ta_natural_cmp(was->facts[a].path, is->facts[b].path);

		one_path(&s, c <= 0 ? &was->facts[a] : NULL, c >= 0 ? &is->facts[b] : NULL);
		a += c <= 0;
		b += c >= 0;
	}
	compare_verdicts(&s);
	add_notes(&s);
	if (ret->n)
		qsort(ret->entries, ret->n, sizeof(*ret->entries), by_kind);
	ta_readers_free(s.readers);
	ta_strv_done(&s.members_was);
	ta_strv_done(&s.members_is);
	ta_strv_done(&s.world.replaced);
	return s.error;
}
