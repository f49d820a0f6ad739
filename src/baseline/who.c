/*
 * Of what kind a move is, and who may have done it. The kind is worked out from the row and from what else moved; a setting
 * that somebody wrote down is a setting whatever kernel runs, and one that nobody did may be the default of another kernel.
 */
#include <json-c/json.h>
#include <string.h>

#include "baseline/driftparts.h"
#include "facts/text.h"

#define LISTED_MOST 12 /* words of a list that moved */

/* --- who sets it ----------------------------------------------------------------------- */

static const char *sub(const struct ta_baseline *b, const char *first, const char *key, const char *last)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;

	ta_path_format(&path, TA_KEYS(first, key, last));
	return ta_baseline_str(b, ta_buf_text(&path));
}

/* The sysctl's own name, "" if the path is none. */
static void sysctl_name(const struct ta_moved *m, char (*ret)[256])
{
	size_t ends[2];

	**ret = '\0';
	if (strncmp(m->path, "sysctl[", 7) == 0 && ta_path_ends(m->path, ends, 2) == 2)
		ta_path_key(m->path, ends[0], ends[1], ret);
}

/* The column of a finding that is about this value; NULL: none is. */
static const struct ta_column *column_of(const struct ta_moved *m, const struct ta_drift_entry *e)
{
	for (size_t i = 0; m->o->audit && i < m->o->audit->n_findings; i++) {
		const struct ta_finding *f = &m->o->audit->findings[i];

		if (f->rule != e->rule || (*m->member && strncmp(f->out.subject, m->member, strlen(m->member)) != 0))
			continue;
		for (size_t k = 0; k < f->columns.n; k++)
			if (f->columns.v[k].running && strcmp(f->columns.v[k].running, e->is) == 0)
				return &f->columns.v[k];
	}
	return NULL;
}

/* Does a line set it, on either side? Of what is no sysctl it is not known before a rule tells. */
static bool is_set(const struct ta_moved *m)
{
	char name[256];
	const char *a, *b;

	sysctl_name(m, &name);
	a = *name ? sub(m->was, "settings", name, "file") : NULL;
	b = *name ? sub(m->is, "settings", name, "file") : NULL;
	return (a && *a) || (b && *b);
}

/* A value that no kernel begins with, and nothing that would set it at boot. */
static bool by_hand(const struct ta_moved *m)
{
	char name[256];
	bool yes = false;

	sysctl_name(m, &name);
	return *name && m->o->facts && ta_facts_get_bool(m->o->facts, TA_KEYS("settings", name, "by_hand"), &yes) && yes;
}

/* --- kinds ----------------------------------------------------------------------------- */

static bool is_all(const struct ta_baseline *b, const struct ta_baseline_fact *f)
{
	static const struct ta_field cpus = {.flags = TA_F_CPUS};
	const struct ta_baseline_fact *all = ta_baseline_find(b, "cpu.online_list");

	return f && all && f->value && all->value && ta_value_same(f->value, all->value, &cpus);
}

static enum ta_drift_kind kind_of_value(const struct ta_moved *m, const struct ta_world *w)
{
	unsigned flags = m->field->flags;
	bool replaced = ta_sorted_has(&w->replaced, m->member_path);

	if (flags & (TA_F_HARDWARE | TA_F_LINK))
		return TA_DRIFT_HARDWARE;
	if (flags & TA_F_SYSTEM)
		return TA_DRIFT_KERNEL;
	if (flags & TA_F_WRITTEN || is_set(m) || by_hand(m))
		return TA_DRIFT_SETTING;
	if (replaced || (w->machine && (flags & TA_F_SIZED || (is_all(m->was, m->a) && is_all(m->is, m->b)))))
		return TA_DRIFT_HARDWARE;
	return w->kernel ? TA_DRIFT_KERNEL : TA_DRIFT_SETTING;
}

enum ta_drift_kind ta_drift_kind_of(const struct ta_moved *m, const struct ta_world *w)
{
	if (!m->field)
		return TA_DRIFT_HARDWARE;
	if ((m->a && m->a->value && !ta_value_fits(m->a->value, m->field)) ||
		(m->b && m->b->value && !ta_value_fits(m->b->value, m->field)))
		return TA_DRIFT_TOOL;
	return kind_of_value(m, w);
}

/* --- in words -------------------------------------------------------------------------- */

static void add_place(const struct ta_moved *m, const char *first, const char *key, struct ta_buf *b)
{
	const char *file = sub(m->is, first, key, "file");
	int64_t line;

	ta_buf_adds(b, file);
	if (m->o->facts && ta_facts_get_i64(m->o->facts, TA_KEYS(first, key, "line"), &line))
		ta_buf_printf(b, ":%lld", (long long)line);
}

static bool is_packaged(const char *file)
{
	return strncmp(file, "/usr/lib/", 9) == 0 || strncmp(file, "/lib/", 5) == 0;
}

static void say_run_time(const struct ta_moved *m, struct ta_buf *b)
{
	const char *profile = ta_baseline_str(m->is, "tuned.profile");
	const struct ta_baseline_fact *active = ta_baseline_find(m->is, "tuned.active");

	ta_buf_adds(b, "changed while the host runs: by hand (sysctl -w), or by a program");
	if (active && json_object_get_boolean(active->value) && profile && *profile)
		ta_buf_printf(b, "; TuneD is on, with profile %s", profile);
}

/* A line holds it now. */
static void say_set(const struct ta_moved *m, const char *name, const struct ta_drift_entry *e, struct ta_buf *b)
{
	const char *file = sub(m->is, "settings", name, "file"), *value = sub(m->is, "settings", name, "value");
	const char *old_file = sub(m->was, "settings", name, "file"), *old = sub(m->was, "settings", name, "value");
	bool held = value && strcmp(value, e->is) == 0;

	add_place(m, "settings", name, b);
	ta_buf_printf(b, " sets %s", value ? value : "it");
	if (is_packaged(file))
		ta_buf_adds(b, " (a file of a package)");
	if (!held) {
		ta_buf_adds(b, "; ");
		say_run_time(m, b);
	} else if (!old_file || !*old_file) {
		ta_buf_adds(b, "; nothing set it then");
	} else if (old && strcmp(old, value) != 0) {
		ta_buf_printf(b, "; %s set %s then", strcmp(old_file, file) == 0 ? "it" : old_file, old);
	} else {
		ta_buf_adds(b, ", as then, when it was not in force");
	}
}

/* One that is there on one side only comes with something. */
static void say_there(const struct ta_moved *m, const struct ta_world *w, struct ta_buf *b)
{
	const char *release = ta_baseline_str(m->is, "kernel.release");
	bool now = m->b && m->b->value;

	if (w->kernel && release)
		ta_buf_printf(b, "kernel %s has it%s", release, now ? "" : " no more, or its module is not loaded");
	else
		ta_buf_printf(b, "the module that it comes with is %s", now ? "loaded now" : "not loaded any more");
}

static void say_sysctl(const struct ta_moved *m, const struct ta_world *w, const char *name, const struct ta_drift_entry *e,
	struct ta_buf *b)
{
	const char *file = sub(m->is, "settings", name, "file"), *old_file = sub(m->was, "settings", name, "file");
	const char *old = sub(m->was, "settings", name, "value");

	if (!(m->a && m->a->value) != !(m->b && m->b->value)) {
		say_there(m, w, b);
		return;
	}
	if (file && *file) {
		say_set(m, name, e, b);
		return;
	}
	if (old_file && *old_file) {
		ta_buf_printf(b, "nothing sets it; then %s set %s", old_file, old ? old : "it");
		return;
	}
	ta_buf_adds(b, "nothing sets it at boot: ");
	if (e->kind == TA_DRIFT_KERNEL)
		ta_buf_adds(b, "the default of this kernel");
	else if (e->kind == TA_DRIFT_HARDWARE)
		ta_buf_adds(b, "the kernel sizes it by memory and CPUs");
	else
		say_run_time(m, b);
}

/* A line in a file is itself what moved. */
static void say_line(const struct ta_moved *m, const char *first, struct ta_buf *b)
{
	const char *now = sub(m->is, first, m->member, "file"), *then = sub(m->was, first, m->member, "file");

	if (now && *now) {
		ta_buf_adds(b, "in ");
		add_place(m, first, m->member, b);
		ta_buf_adds(b, is_packaged(now) ? ", a file of a package" : "");
	} else if (then && *then) {
		ta_buf_printf(b, "it stood in %s", then);
	}
}

/* What is no sysctl, as far as the rule about it tells. */
static void say_other(const struct ta_moved *m, const struct ta_drift_entry *e, struct ta_buf *b)
{
	const struct ta_column *c = column_of(m, e);
	const char *unit = *m->member ? sub(m->is, "units", m->member, "nofile_set_by") : NULL;

	if (strncmp(m->path, "settings", 8) == 0)
		say_line(m, "settings", b);
	else if (strncmp(m->path, "persist", 7) == 0)
		say_line(m, "persist", b);
	else if (strncmp(m->path, "kernel.cmdline", 14) == 0)
		ta_buf_adds(b, "the kernel's command line: what the boot loader is told");
	else if (c && c->place)
		ta_buf_printf(b, "%s sets %s", c->place, c->value ? c->value : "it");
	else if (unit && *unit && strstr(m->path, "nofile"))
		ta_buf_printf(b, "%s sets it", unit);
	else if (c && !c->detail)
		ta_buf_adds(b, "nothing sets it at boot: changed while the host runs, by hand or by a program");
	else if (m->field && m->field->flags & TA_F_WRITTEN)
		ta_buf_adds(b, "somebody wrote or started it, or a package did");
}

static void say_why(const struct ta_moved *m, const struct ta_world *w, const struct ta_drift_entry *e, struct ta_buf *b)
{
	const char *release = ta_baseline_str(m->is, "kernel.release"), *os = ta_baseline_str(m->is, "host.os");

	if (e->kind == TA_DRIFT_TOOL)
		ta_buf_adds(b, "another version of tuneaudit or of its rules: look, and save the baseline again");
	else if (e->kind == TA_DRIFT_HARDWARE && m->field && m->field->flags & TA_F_LINK)
		ta_buf_adds(b, "the other end: cable, switch port, slot or peer");
	else if (e->kind == TA_DRIFT_HARDWARE)
		ta_buf_adds(b, "another machine, or a part of it was replaced");
	else if (e->kind == TA_DRIFT_KERNEL && w->kernel && release)
		ta_buf_printf(b, "kernel %s runs now", release);
	else if (e->kind == TA_DRIFT_KERNEL && w->os && os)
		ta_buf_printf(b, "the system is %s now", os);
	else if (e->kind == TA_DRIFT_KERNEL)
		ta_buf_adds(b, "packages of the system changed");
	else
		ta_buf_adds(b, "by hand, by a program, or by a file that is read at boot");
}

static void add_missing(struct json_object *from, struct json_object *in, const char *word, struct ta_buf *b)
{
	size_t n = 0;

	for (size_t i = 0; i < json_object_array_length(from); i++) {
		struct json_object *one = json_object_array_get_idx(from, i);
		bool there = false;

		for (size_t k = 0; k < json_object_array_length(in) && !there; k++)
			there = json_object_equal(one, json_object_array_get_idx(in, k));
		if (there || ++n > LISTED_MOST)
			continue;
		ta_buf_printf(b, "%s%s", n > 1 ? ", " : b->len ? "; " : "", n > 1 ? "" : word);
		ta_buf_adds(b, json_object_get_string(one));
	}
	if (n > LISTED_MOST)
		ta_buf_printf(b, " and %zu more", n - LISTED_MOST);
}

/* How the kernel's default changed; of long lists of words what is new in them and what is gone. */
static void say_note(const struct ta_moved *m, struct ta_drift_entry *e)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	size_t most = 0;

	if (m->a && m->b && json_object_is_type(m->a->value, json_type_array) && json_object_is_type(m->b->value, json_type_array))
		most = TA_MAX(json_object_array_length(m->a->value), json_object_array_length(m->b->value));
	if (e->kind == TA_DRIFT_KERNEL && e->rule && e->rule->defaults) {
		ta_buf_printf(&b, "the kernel's own value: %s", e->rule->defaults);
	} else if (m->field && m->field->type == TA_T_STRINGS && most > 4 && most < 1000) {
		add_missing(m->b->value, m->a->value, "new: ", &b);
		add_missing(m->a->value, m->b->value, "gone: ", &b);
	}
	if (b.len)
		e->note = strdup(ta_buf_text(&b));
}

void ta_drift_by(const struct ta_moved *m, const struct ta_world *w, struct ta_drift_entry *e)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	char name[256];

	sysctl_name(m, &name);
	if (*name && e->kind != TA_DRIFT_TOOL)
		say_sysctl(m, w, name, e, &b);
	else if (e->kind == TA_DRIFT_SETTING)
		say_other(m, e, &b);
	if (!b.len)
		say_why(m, w, e, &b);
	e->by = strdup(ta_buf_text(&b));
	say_note(m, e);
}
