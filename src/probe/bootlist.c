/*
 * The list, and what it says of each target: the last line wins, unless it is not known whether it is one for it.
 */
#include "probe/bootlist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *ta_boot_by_name(enum ta_boot_by by)
{
	static const char *const names[TA_N_BY] = {
		[TA_BY_CMDLINE] = "cmdline",
		[TA_BY_MODPROBE] = "modprobe.d",
		[TA_BY_TMPFILES] = "tmpfiles.d",
		[TA_BY_UDEV] = "udev",
		[TA_BY_LINK] = "link",
		[TA_BY_RUN] = "udev",
		[TA_BY_UNIT] = "unit",
		[TA_BY_TUNED] = "tuned",
	};

	return names[by];
}

static void line_done(struct ta_boot_line *x)
{
	free(x->target);
	free(x->file);
	free(x->value);
}

void ta_boot_list_done(struct ta_boot_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		line_done(&l->v[i]);
	free(l->v);
	*l = (struct ta_boot_list){0};
}

static bool grow(struct ta_boot_list *l)
{
	size_t size = l->size ? l->size * 2 : 16;
	struct ta_boot_line *v;

	if (l->n < l->size)
		return true;
	if (l->n >= TA_BOOT_LINES_MAX) {
		l->error = -EFBIG;
		return false;
	}
	v = reallocarray(l->v, size, sizeof(*v));
	if (!v) {
		l->error = -ENOMEM;
		return false;
	}
	l->v = v;
	l->size = size;
	return true;
}

struct ta_boot_line *ta_boot_list_add(struct ta_boot_list *l, enum ta_boot_by by, const char *target, const char *file,
	unsigned line, const char *value)
{
	struct ta_boot_line x = {.by = by, .line = line};

	if (l->error || !grow(l))
		return NULL;
	x.target = strdup(target);
	x.file = strdup(file);
	/* An attribute does not mind a newline behind its value. */
	x.value = value ? strndup(value, strcspn(value, "\n")) : NULL;
	if (!x.target || !x.file || (value && !x.value)) {
		line_done(&x);
		l->error = -ENOMEM;
		return NULL;
	}
	l->v[l->n] = x;
	return &l->v[l->n++];
}

/* --- facts ---------------------------------------------------------------------------------- */

static void add_place(const struct ta_boot_line *x, struct ta_buf *b)
{
	ta_buf_adds(b, x->file);
	if (x->line)
		ta_buf_printf(b, ":%u", x->line);
}

static void add_text(struct ta_strv *list, const struct ta_boot_line *x, bool with_value)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	add_place(x, &text);
	if (with_value)
		ta_buf_printf(&text, " sets %s", x->value ? x->value : "what is not known here");
	if (!ta_strv_has(list, ta_buf_text(&text)))
		ta_strv_add(list, ta_buf_text(&text));
}

static bool same_value(const struct ta_boot_line *a, const struct ta_boot_line *b)
{
	return a->value && b->value && !strcmp(a->value, b->value);
}

/* Files of packages are made to be overridden. */
static bool is_of_a_package(const struct ta_boot_line *x)
{
	return !strncmp(x->file, "/usr/lib/", 9) || !strncmp(x->file, "/lib/", 5);
}

/* Of two that act at the same time either may be the last. */
static bool at_once(const struct ta_boot_line *a, const struct ta_boot_line *b)
{
	bool udev_a = a->by >= TA_BY_UDEV && a->by <= TA_BY_RUN, udev_b = b->by >= TA_BY_UDEV && b->by <= TA_BY_RUN;

	return (a->by == TA_BY_TMPFILES && udev_b) || (b->by == TA_BY_TMPFILES && udev_a);
}

struct group {
	const struct ta_boot_line *v, *winner; /* the last one that is certain */
	size_t n;
	const struct ta_boot_line *open; /* a line that may decide instead, and wants something else */
};

static void find_winner(struct group *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (!g->v[i].void_ && !g->v[i].maybe)
			g->winner = &g->v[i];
	for (size_t i = 0; i < g->n; i++) {
		const struct ta_boot_line *x = &g->v[i];

		if (x->void_ || x == g->winner || (g->winner && same_value(x, g->winner)))
			continue;
		if (!g->winner || (x->maybe && x > g->winner) || at_once(x, g->winner))
			g->open = x;
	}
}

static void put_winner(struct ta_facts *f, const struct group *g)
{
	static const char *const parts[] = {"set_by", "file", "line", "value"};
	const char *target = g->v->target;
	const struct ta_boot_line *w = g->winner ? g->winner : g->open;
	ta_cleanup_buf struct ta_buf open = TA_BUF_INIT;

	if (!w) {
		ta_put_bool(f, false, "persist", target, "persisted");
		for (size_t i = 0; i < TA_ARRAY_SIZE(parts); i++)
			ta_facts_put_absent(f, TA_KEYS("persist", target, parts[i]), TA_MISSING, "nothing sets it at boot");
		ta_put_str(f, "", "persist", target, "unsure");
		return;
	}
	if (g->winner)
		ta_put_bool(f, true, "persist", target, "persisted");
	else
		ta_facts_put_absent(f, TA_KEYS("persist", target, "persisted"), TA_NOT_ASKED,
			"whether %s:%u is for it cannot be told from here", w->file, w->line);
	ta_put_str(f, ta_boot_by_name(w->by), "persist", target, "set_by");
	ta_put_str(f, w->file, "persist", target, "file");
	if (w->line)
		ta_put_i64(f, w->line, "persist", target, "line");
	else
		ta_facts_put_absent(f, TA_KEYS("persist", target, "line"), TA_MISSING, "%s has no lines", w->file);
	if (w->value)
		ta_put_str(f, w->value, "persist", target, "value");
	else
		ta_facts_put_absent(f, TA_KEYS("persist", target, "value"), TA_NOT_ASKED,
			"what %s:%u writes is known at boot only", w->file, w->line);
	if (g->open)
		add_place(g->open, &open);
	ta_put_str(f, ta_buf_text(&open), "persist", target, "unsure");
}

static void put_lists(struct ta_facts *f, const struct group *g)
{
	struct ta_strv others = TA_STRV_INIT, overridden = TA_STRV_INIT;
	const char *target = g->v->target;

	for (size_t i = 0; i < g->n; i++) {
		const struct ta_boot_line *x = &g->v[i];

		if (x == g->winner || (!g->winner && x == g->open))
			continue;
		add_text(&others, x, false);
		/* A line is overridden by one that stands behind it, or in front of it where only the first counts. */
		if (g->winner && x != g->open && !x->maybe && !is_of_a_package(x) && !same_value(x, g->winner))
			add_text(&overridden, x, true);
	}
	ta_facts_put_strs(f, TA_KEYS("persist", target, "others"), others.v, others.n);
	ta_facts_put_strs(f, TA_KEYS("persist", target, "overridden"), overridden.v, overridden.n);
	ta_strv_done(&others);
	ta_strv_done(&overridden);
}

/* "eth0 rings rx": interface, kind and setting; a path is an attribute. */
static void put_kind(struct ta_facts *f, const char *target)
{
	ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;
	ta_cleanup_buf struct ta_buf rest = TA_BUF_INIT;

	if (*target == '/') {
		ta_put_str(f, "attr", "persist", target, "kind");
		ta_put_str(f, "", "persist", target, "device");
		ta_put_str(f, "", "persist", target, "setting");
		return;
	}
	ta_strv_split(&words, target, " ");
	if (words.n < 2)
		return;
	ta_put_str(f, words.v[1], "persist", target, "kind");
	ta_put_str(f, words.v[0], "persist", target, "device");
	ta_buf_adds(&rest, words.n > 2 ? words.v[2] : "");
	for (size_t i = 3; i < words.n; i++)
		ta_buf_printf(&rest, " %s", words.v[i]);
	ta_put_str(f, ta_buf_text(&rest), "persist", target, "setting");
}

static int by_target(const void *a, const void *b)
{
	const struct ta_boot_line *const *x = a, *const *y = b;
	int c = strcmp((*x)->target, (*y)->target);

	return c ? c : (*x > *y) - (*x < *y);
}

/* By target, each in the order of the list. */
static int sort(struct ta_boot_list *l)
{
	struct ta_boot_line **order = calloc(l->n, sizeof(*order)), *sorted = calloc(l->n, sizeof(*sorted));
	bool done = order && sorted;

	for (size_t i = 0; done && i < l->n; i++)
		order[i] = &l->v[i];
	if (done)
		qsort(order, l->n, sizeof(struct ta_boot_line *), by_target);
	for (size_t i = 0; done && i < l->n; i++)
		sorted[i] = *order[i];
	free(order);
	if (!done) {
		free(sorted);
		return -ENOMEM;
	}
	free(l->v);
	l->v = sorted;
	l->size = l->n;
	return 0;
}

void ta_boot_list_put(struct ta_boot_list *l, struct ta_facts *f)
{
	ta_put_object(f, "persist");
	if (!l->n || sort(l) < 0)
		return;
	for (size_t i = 0; i < l->n;) {
		struct group g = {.v = &l->v[i]};

		while (i < l->n && !strcmp(l->v[i].target, g.v->target)) {
			i++;
			g.n++;
		}
		find_winner(&g);
		put_kind(f, g.v->target);
		put_winner(f, &g);
		put_lists(f, &g);
	}
}

void ta_boot_put_unset(struct ta_facts *f, const char *target)
{
	struct ta_boot_line nobody = {.target = (char *)(uintptr_t)target};
	const struct group g = {.v = &nobody};

	put_kind(f, target);
	put_winner(f, &g);
	put_lists(f, &g);
}
