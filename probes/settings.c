/*
 * Who sets the sysctls: for each one that is judged the line that holds at the next boot, by the precedence of
 * what applies them there, and the lines that lose. Nothing is compared here with what runs now.
 */
#include <errno.h>
#include <string.h>

#include "probe/bootset.h"
#include "probe/probe.h"
#include "probe/sysctlagain.h"

static const struct ta_field fields[] = {
	{"settings.*.persisted", TA_T_BOOL, "", "something sets this sysctl at the next boot", TA_F_AGAIN, {}},
	{"settings.*.set_by", TA_T_STRING, "", "what does: sysctl.d, ufw, tuned, cmdline (the kernel command line)", TA_F_AGAIN, {}},
	{"settings.*.file", TA_T_STRING, "", "the file of the line that wins", TA_F_WRITTEN, {}},
	{"settings.*.line", TA_T_INT, "", "its number", TA_F_AGAIN, {}},
	{"settings.*.pattern", TA_T_STRING, "", "the pattern, if the line names no single key; \"\" if it does", TA_F_AGAIN, {}},
	{"settings.*.value", TA_T_STRING, "", "the value as written there, blanks for tabs", TA_F_WRITTEN, {}},
	{"settings.*.others", TA_T_STRINGS, "", "FILE:LINE of further lines for it, which lose", TA_F_PLACES | TA_F_WRITTEN, {}},
	{"settings.*.overridden", TA_T_STRINGS, "",
		"those of them that somebody of this host wrote (not below /usr/lib) and that want another value", TA_F_PLACES | TA_F_WRITTEN, {}},
	{"settings.*.ignored", TA_T_STRINGS, "", "FILE:LINE of lines for it that nothing applies at boot", TA_F_PLACES | TA_F_WRITTEN, {}},
	{"settings.*.unread", TA_T_BOOL, "", "some of them stand in /etc/sysctl.conf, which is not read here", TA_F_AGAIN, {}},
	{"settings.*.ignored_by", TA_T_STRING, "", "why: what does not read the file, or the line that excludes it; \"\" = none is ignored", TA_F_AGAIN, {}},

	{"boot.sysctl_loader", TA_T_STRING, "",
		"what applies sysctl files at boot: systemd-sysctl, procps (sysctl --system), procd (OpenWrt), none", TA_F_SYSTEM, {}},
	{"boot.sysctl_files", TA_T_STRINGS, "", "the files that it reads, in its order; later lines win", TA_F_WRITTEN, {}},
	{"boot.sysctl_broken", TA_T_STRINGS, "", "files among them that it cannot read: loops of links, directories", TA_F_WRITTEN, {}},
	{"boot.sysctl_again", TA_T_STRINGS, "",
		"modules with lines for their sysctls, behind which a udev rule applies these once more", TA_F_WRITTEN, {}},
	{"boot.modules", TA_T_STRINGS, "", "modules loaded before (modules-load.d, /etc/modules)", TA_F_WRITTEN, {}},
};

static const char *by_name(enum ta_set_by by)
{
	static const char *const names[] = {
		[TA_SET_CMDLINE] = "cmdline",
		[TA_SET_FILE] = "sysctl.d",
		[TA_SET_UNREAD] = "sysctl.d",
		[TA_SET_UFW] = "ufw",
		[TA_SET_TUNED] = "tuned",
	};

	return names[by];
}

/* Blanks between numbers are all alike to the kernel. */
static bool same_value(const char *a, const char *b)
{
	while (*a && *b) {
		size_t n = strspn(a, " \t"), m = strspn(b, " \t");

		if ((n > 0) != (m > 0) || (!n && *a != *b))
			return false;
		a += n ? n : 1;
		b += m ? m : 1;
	}
	return *a == *b;
}

static void add_value(const char *value, struct ta_buf *b)
{
	for (; *value; value++)
		ta_buf_addc(b, *value == '\t' ? ' ' : *value);
}

struct lists {
	struct ta_strv others, overridden, ignored;
	bool unread;
};

static void sort_line(const struct ta_setters *s, const struct ta_set_result *r, const struct ta_setter *x,
	struct lists *ret)
{
	ta_cleanup_buf struct ta_buf place = TA_BUF_INIT;
	const char *file = s->files.v[x->file];

	if (x == r->winner || x == r->excluded_by || !x->value)
		return;
	ta_setter_place(s, x, &place);
	if (x->by == TA_SET_UNREAD || (x->key && r->excluded_by)) {
		ta_strv_add(&ret->ignored, ta_buf_text(&place));
		ret->unread = ret->unread || x->by == TA_SET_UNREAD;
		return;
	}
	ta_strv_add(&ret->others, ta_buf_text(&place));
	if (!r->winner || x->by != TA_SET_FILE || !strncmp(file, "/usr/lib/", 9) || !strncmp(file, "/lib/", 5) ||
		same_value(x->value, r->winner->value))
		return;
	ta_buf_adds(&place, " sets ");
	add_value(x->value, &place);
	ta_strv_add(&ret->overridden, ta_buf_text(&place));
}

static void put_lists(struct ta_facts *f, const struct ta_setters *s, const struct ta_setting *k,
	const struct ta_set_result *r)
{
	struct lists l = {0};
	ta_cleanup_buf struct ta_buf why = TA_BUF_INIT;

	for (size_t i = 0; i < s->n_patterns; i++)
		if (ta_setter_is_for(&s->patterns[i], k))
			sort_line(s, r, &s->patterns[i], &l);
	for (size_t i = 0; i < k->n; i++)
		sort_line(s, r, &k->v[i], &l);
	ta_facts_put_strs(f, TA_KEYS("settings", k->name, "others"), l.others.v, l.others.n);
	ta_facts_put_strs(f, TA_KEYS("settings", k->name, "overridden"), l.overridden.v, l.overridden.n);
	ta_facts_put_strs(f, TA_KEYS("settings", k->name, "ignored"), l.ignored.v, l.ignored.n);
	ta_put_bool(f, l.unread, "settings", k->name, "unread");
	if (r->excluded_by) {
		ta_setter_place(s, r->excluded_by, &why);
		ta_put_str(f, ta_buf_text(&why), "settings", k->name, "ignored_by");
	} else if (l.ignored.n) {
		ta_put_str(f, "systemd-sysctl, which does not read /etc/sysctl.conf", "settings", k->name, "ignored_by");
	} else {
		ta_put_str(f, "", "settings", k->name, "ignored_by");
	}
	ta_strv_done(&l.others);
	ta_strv_done(&l.overridden);
	ta_strv_done(&l.ignored);
}

static void put_winner(struct ta_facts *f, const struct ta_setters *s, const char *name, const struct ta_setter *w)
{
	ta_cleanup_buf struct ta_buf value = TA_BUF_INIT;
	static const char *const parts[] = {"set_by", "file", "line", "pattern", "value"};

	ta_put_bool(f, w, "settings", name, "persisted");
	if (!w) {
		for (size_t i = 0; i < TA_ARRAY_SIZE(parts); i++)
			ta_facts_put_absent(f, TA_KEYS("settings", name, parts[i]), TA_MISSING, "nothing sets it at boot");
		return;
	}
	ta_put_str(f, by_name(w->by), "settings", name, "set_by");
	ta_put_str(f, s->files.v[w->file], "settings", name, "file");
	if (w->line)
		ta_put_i64(f, w->line, "settings", name, "line");
	else
		ta_facts_put_absent(f, TA_KEYS("settings", name, "line"), TA_MISSING, "%s has no lines", s->files.v[w->file]);
	ta_put_str(f, w->key ? w->key : "", "settings", name, "pattern");
	add_value(w->value, &value);
	ta_put_str(f, ta_buf_text(&value), "settings", name, "value");
}

static bool is_mentioned(const struct ta_setters *s, const struct ta_setting *k)
{
	for (size_t i = 0; i < s->n_patterns; i++)
		if (s->patterns[i].value && ta_setter_is_for(&s->patterns[i], k))
			return true;
	return k->n > 0;
}

static void put_settings(struct ta_facts *f, const struct ta_setters *s)
{
	ta_put_object(f, "settings");
	for (size_t i = 0; i < s->n_keys; i++) {
		const struct ta_setting *k = &s->keys[i];
		struct ta_set_result r;

		ta_setters_result(s, k, &r);
		if (r.unknown || !is_mentioned(s, k))
			continue;
		put_winner(f, s, k->name, r.winner);
		put_lists(f, s, k, &r);
	}
	if (s->rc)
		ta_facts_put_incomplete(f, TA_KEYS("settings"), ta_reason_of(s->rc), "%s", s->hole_text);
}

/* The names of all sysctls in the field tables: sysctl["NAME"]. */
static int judged_names(struct ta_strv *ret)
{
	static const char prefix[] = "sysctl[\"";
	const size_t n = sizeof(prefix) - 1;

	for (size_t i = 0; i < ta_n_probes; i++) {
		for (size_t k = 0; k < ta_probes[i]->n_fields; k++) {
			const char *path = ta_probes[i]->fields[k].path;

			if (!strncmp(path, prefix, n))
				ta_strv_addn(ret, path + n, strcspn(path + n, "\""));
		}
	}
	return ret->error;
}

/* Asked only where a line needs such a module: there are many rules. */
static int put_again(struct ta_facts *f, struct ta_host *h, enum ta_boot_loader loader, const struct ta_setters *s)
{
	static const char *const all[] = {"nf_conntrack", "br_netfilter"};
	const char *modules[TA_ARRAY_SIZE(all) + 1] = {NULL};
	ta_cleanup_strv struct ta_strv found = TA_STRV_INIT;
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; loader == TA_BOOT_SYSTEMD && i < TA_ARRAY_SIZE(all); i++) {
		const char *prefix = ta_sysctl_module_prefix(all[i]) + 1;
		bool wanted = false;

		for (size_t k = 0; k < s->n_keys; k++)
			wanted = wanted || (!strncmp(s->keys[k].path, prefix, strlen(prefix)) && is_mentioned(s, &s->keys[k]));
		if (wanted)
			modules[n++] = all[i];
	}
	if (n)
		rc = ta_sysctl_again(h, modules, &found);
	if (!rc)
		ta_facts_put_strs(f, TA_KEYS("boot", "sysctl_again"), found.v, found.n);
	return rc;
}

static int put_boot(struct ta_facts *f, struct ta_host *h, enum ta_boot_loader loader)
{
	struct ta_boot_settings b = {.left = 0};
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	int rc = judged_names(&names);

	if (!rc)
		rc = ta_boot_settings_read(h, loader, &names, &b);
	if (!rc) {
		ta_facts_put_strs(f, TA_KEYS("boot", "sysctl_files"), b.files.v, b.files.n);
		ta_facts_put_strs(f, TA_KEYS("boot", "sysctl_broken"), b.broken.v, b.broken.n);
		put_settings(f, &b.s);
		rc = put_again(f, h, loader, &b.s);
	}
	ta_boot_settings_done(&b);
	return rc;
}

static void put_absent(struct ta_facts *f, enum ta_reason why, const char *text)
{
	ta_facts_put_absent(f, TA_KEYS("settings"), why, "%s", text);
	ta_facts_put_absent(f, TA_KEYS("boot", "sysctl_files"), why, "%s", text);
	ta_facts_put_absent(f, TA_KEYS("boot", "sysctl_broken"), why, "%s", text);
	ta_facts_put_absent(f, TA_KEYS("boot", "sysctl_again"), why, "%s", text);
}

/* Nothing applies sysctl files at boot here. */
static void put_nothing(struct ta_facts *f)
{
	ta_put_object(f, "settings");
	ta_facts_put_strs(f, TA_KEYS("boot", "sysctl_files"), NULL, 0);
	ta_facts_put_strs(f, TA_KEYS("boot", "sysctl_broken"), NULL, 0);
	ta_facts_put_strs(f, TA_KEYS("boot", "sysctl_again"), NULL, 0);
}

static void put_modules(struct ta_facts *f, struct ta_host *h)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;

	if (!ta_boot_modules(h, &names))
		ta_facts_put_strs(f, TA_KEYS("boot", "modules"), names.v, names.n);
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	enum ta_boot_loader loader = TA_BOOT_NOBODY;
	int rc = ta_boot_loader_find(h, &loader);

	if (rc)
		ta_put_errno(f, rc, "what applies sysctl files here, by process 1", "boot", "sysctl_loader");
	else
		ta_put_str(f, ta_boot_loader_name(loader), "boot", "sysctl_loader");
	if (!ta_boot_settings_any(h)) {
		put_absent(f, TA_MISSING, "the copy has no sysctl.d");
		ta_facts_put_absent(f, TA_KEYS("boot", "modules"), TA_MISSING, "the copy has no sysctl.d");
		return;
	}
	put_modules(f, h);
	if (rc)
		put_absent(f, ta_reason_of(rc), "what applies sysctl files here is not known");
	else if (loader == TA_BOOT_NOBODY)
		put_nothing(f);
	else
		put_boot(f, h, loader);
}

const struct ta_probe ta_probe_settings = {
	.name = "settings",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
