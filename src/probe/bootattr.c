#include "probe/bootattr.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"
#include "host/tuningpath.h"
#include "probe/conffiles.h"
#include "probe/kcmdline.h"
#include "probe/probe.h"
#include "probe/tmpfilesd.h"
#include "probe/tuned.h"
#include "probe/value.h"

#define THP "/sys/kernel/mm/transparent_hugepage/"
#define CPUFREQ "/sys/devices/system/cpu/cpufreq"
#define GLOB_MAX 4096

void ta_boot_hole_note(struct ta_boot_hole *hole, int rc, const char *what)
{
	if (hole->rc)
		return;
	hole->rc = rc;
	snprintf(hole->what, sizeof(hole->what), "%s: %s", what, ta_errno_text(rc));
}

/* --- patterns --------------------------------------------------------------------------------- */

/* Each path of `from` with the members of it that `part` matches. */
static int glob_part(struct ta_host *h, const struct ta_strv *from, const char *part, struct ta_strv *ret)
{
	bool pattern = strpbrk(part, "*?[");

	for (size_t i = 0; i < from->n; i++) {
		ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;

		if (pattern && ta_host_list(h, *from->v[i] ? from->v[i] : "/", &names))
			continue;
		if (!pattern)
			ta_strv_add(&names, part);
		for (size_t k = 0; k < names.n && ret->n < GLOB_MAX; k++) {
			ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;

			if (pattern && fnmatch(part, names.v[k], FNM_PERIOD) != 0)
				continue;
			ta_buf_printf(&path, "%s/%s", from->v[i], names.v[k]);
			ta_strv_add(ret, ta_buf_text(&path));
		}
	}
	return ret->error;
}

int ta_boot_glob(struct ta_host *h, const char *pattern, struct ta_strv *ret)
{
	struct ta_strv now = TA_STRV_INIT;
	int rc;

	if (!strpbrk(pattern, "*?[")) {
		ta_strv_add(ret, pattern);
		return ret->error;
	}
	ta_strv_add(&now, "");
	rc = now.error;
	for (const char *c = pattern; !rc && *c;) {
		struct ta_strv next = TA_STRV_INIT;
		size_t n;
		char part[256];

		c += *c == '/';
		n = strcspn(c, "/");
		snprintf(part, sizeof(part), "%.*s", (int)TA_MIN(n, sizeof(part) - 1), c);
		rc = glob_part(h, &now, part, &next);
		ta_strv_done(&now);
		now = next;
		c += n;
	}
	for (size_t i = 0; !rc && i < now.n; i++)
		ta_strv_add(ret, now.v[i]);
	ta_strv_done(&now);
	return rc ? rc : ret->error;
}

/* "/sys/class/net/eth0/mtu" is "eth0 mtu" to plans. False: it is another attribute. */
static bool nic_target(const char *path, struct ta_buf *ret)
{
	static const char dir[] = "/sys/class/net/";
	const char *name = path + sizeof(dir) - 1, *slash;

	if (strncmp(path, dir, sizeof(dir) - 1) != 0 || !(slash = strchr(name, '/')))
		return false;
	if (strcmp(slash, "/mtu") && strcmp(slash, "/tx_queue_len"))
		return false;
	ta_buf_add(ret, name, (size_t)(slash - name));
	ta_buf_adds(ret, slash[1] == 'm' ? " mtu" : " txqueuelen");
	return true;
}

struct ta_boot_line *ta_boot_add_path(struct ta_boot_list *l, enum ta_boot_by by, const char *path, const char *file,
	unsigned line, const char *value)
{
	static const char alias[] = "/sys/class/block/";
	ta_cleanup_buf struct ta_buf target = TA_BUF_INIT;
	const size_t n = sizeof(alias) - 1;

	if (!nic_target(path, &target))
		ta_buf_printf(&target, "%s%s", strncmp(path, alias, n) ? "" : "/sys/block/", strncmp(path, alias, n) ? path : path + n);
	return ta_boot_list_add(l, by, ta_buf_text(&target), file, line, value);
}

/* --- kernel command line, options of modules ------------------------------------------------------- */

static void for_all(struct ta_host *h, struct ta_boot_list *l, const char *pattern, enum ta_boot_by by, const char *file,
	unsigned line, const char *value)
{
	ta_cleanup_strv struct ta_strv paths = TA_STRV_INIT;

	ta_boot_glob(h, pattern, &paths);
	for (size_t i = 0; i < paths.n; i++)
		if (ta_host_exists(h, paths.v[i]))
			ta_boot_add_path(l, by, paths.v[i], file, line, value);
}

#define NVME_LATENCY "/sys/class/nvme/nvme*/power/pm_qos_latency_tolerance_us"

struct reading {
	struct ta_host *h;
	struct ta_boot_list *l;
	struct ta_boot_hole *hole;
	const char *file;
	size_t first; /* of this reader's lines in the list */
};

static int add_word(const char *key, const char *value, void *ctx)
{
	const struct reading *r = ctx;

	if (!strcmp(key, "transparent_hugepage") && *value)
		ta_boot_add_path(r->l, TA_BY_CMDLINE, THP "enabled", r->file, 0, value);
	else if (!strcmp(key, "nvme_core.default_ps_max_latency_us"))
		for_all(r->h, r->l, NVME_LATENCY, TA_BY_CMDLINE, r->file, 0, value);
	else if (!strcmp(key, "cpufreq.default_governor"))
		for_all(r->h, r->l, CPUFREQ "/policy*/scaling_governor", TA_BY_CMDLINE, r->file, 0, value);
	return r->l->error == -ENOMEM ? -ENOMEM : 0;
}

int ta_boot_cmdline(struct ta_host *h, struct ta_boot_list *l)
{
	struct reading r = {.h = h, .l = l, .file = "/proc/cmdline"};
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	if (ta_host_read(h, r.file, TA_READ_CAP, &text))
		return 0;
	return ta_kcmdline_parse(ta_buf_text(&text), text.len, add_word, &r);
}

/* "options nvme_core default_ps_max_latency_us=0" */
static void add_options(const struct reading *r, char *text)
{
	static const char key[] = "default_ps_max_latency_us=";
	unsigned number = 0;

	for (char *line = text, *next; line; line = next) {
		ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		number++;
		ta_strv_split(&words, line, " \t\r");
		if (words.n < 3 || strcmp(words.v[0], "options") || strcmp(words.v[1], "nvme_core"))
			continue;
		for (size_t i = 2; i < words.n; i++)
			if (!strncmp(words.v[i], key, sizeof(key) - 1))
				for_all(r->h, r->l, NVME_LATENCY, TA_BY_MODPROBE, r->file, number, words.v[i] + sizeof(key) - 1);
	}
}

int ta_boot_modprobe(struct ta_host *h, struct ta_boot_list *l, struct ta_boot_hole *hole)
{
	static const char *const dirs[] = {"/etc/modprobe.d", "/run/modprobe.d", "/usr/lib/modprobe.d", "/lib/modprobe.d", NULL};
	ta_cleanup_conf_files struct ta_conf_files files = {0};
	struct reading r = {.h = h, .l = l, .hole = hole};
	int rc;

	/* Options reach a module that is loaded, not one that the kernel is built with. */
	if (!ta_host_exists(h, "/sys/module/nvme_core/initstate"))
		return 0;
	rc = ta_conf_files(h, dirs, ".conf", NULL, &files);
	for (size_t i = 0; !rc && i < files.n; i++) {
		ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
		int failed = ta_host_read(h, files.v[i].path, TA_READ_CAP, &text);

		r.file = files.v[i].path;
		if (failed == -EACCES || failed == -EPERM || failed == -EFBIG)
			ta_boot_hole_note(hole, failed, r.file);
		else if (!failed && text.data)
			add_options(&r, text.data);
	}
	return rc ? rc : l->error == -ENOMEM ? -ENOMEM : 0;
}

/* --- tmpfiles.d ------------------------------------------------------------------------------------ */

/* Of lines for one path, as it is written, the first holds; others count only if they say the same, or all are w+. */
static bool is_duplicate(const struct ta_tmpfiles_line *line, struct ta_strv *seen)
{
	ta_cleanup_buf struct ta_buf same = TA_BUF_INIT, prefix = TA_BUF_INIT;
	bool again = false;

	ta_buf_printf(&prefix, "%s\n", line->path);
	ta_buf_printf(&same, "%s\n%s", line->path, line->append ? "w+" : line->value ? line->value : "");
	for (size_t i = 0; i < seen->n && !again; i++)
		again = !strncmp(seen->v[i], ta_buf_text(&prefix), prefix.len) && strcmp(seen->v[i], ta_buf_text(&same)) != 0;
	if (!again)
		ta_strv_add(seen, ta_buf_text(&same));
	return again;
}

struct tmpfiles {
	struct reading r;
	struct ta_strv seen; /* PATTERN, newline, value */
};

static int add_tmpfiles(const struct ta_tmpfiles_line *line, void *ctx)
{
	struct tmpfiles *t = ctx;
	ta_cleanup_strv struct ta_strv paths = TA_STRV_INIT;
	size_t from = t->r.l->n;
	bool again;

	if (!ta_is_tuning_path(line->path, strlen(line->path)))
		return 0;
	again = is_duplicate(line, &t->seen);
	if (ta_boot_glob(t->r.h, line->path, &paths))
		return -ENOMEM;
	for (size_t i = 0; i < paths.n; i++)
		ta_boot_add_path(t->r.l, TA_BY_TMPFILES, paths.v[i], t->r.file, line->number, line->value);
	for (; from < t->r.l->n; from++)
		t->r.l->v[from].void_ = again;
	return t->r.l->error == -ENOMEM || t->seen.error ? -ENOMEM : 0;
}

int ta_boot_tmpfiles(struct ta_host *h, struct ta_boot_list *l, struct ta_boot_hole *hole)
{
	static const char *const dirs[] = {"/etc/tmpfiles.d", "/run/tmpfiles.d", "/usr/local/lib/tmpfiles.d",
		"/usr/lib/tmpfiles.d", "/lib/tmpfiles.d", NULL};
	ta_cleanup_conf_files struct ta_conf_files files = {0};
	struct tmpfiles t = {.r = {.h = h, .l = l, .hole = hole}};
	int rc = ta_conf_files(h, dirs, ".conf", NULL, &files);

	for (size_t i = 0; !rc && i < files.n; i++) {
		ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
		int failed = ta_host_read(h, files.v[i].path, TA_READ_CAP, &text);

		t.r.file = files.v[i].path;
		if (!failed)
			rc = ta_tmpfiles_parse(ta_buf_text(&text), text.len, add_tmpfiles, &t);
		/* Links to /dev/null mask; directories and loops its reader cannot read either. */
		else if (failed != -EBADMSG && failed != -ENOENT && failed != -EISDIR && failed != -ELOOP)
			ta_boot_hole_note(hole, failed, t.r.file);
	}
	if (files.rc)
		ta_boot_hole_note(hole, files.rc, files.unlisted);
	ta_strv_done(&t.seen);
	return rc;
}

/* --- TuneD ----------------------------------------------------------------------------------------- */

static const char *option_of(const struct ta_tuned *t, const char *section, const char *key)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->options[i].section, section) && !strcmp(t->options[i].key, key))
			return t->options[i].value;
	return NULL;
}

/* What it works out when it starts: variables, functions, choices, "at least". */
static const char *plain(const char *value)
{
	return strpbrk(value, "$|<>*") ? NULL : value;
}

struct tuned {
	struct ta_host *h;
	struct ta_boot_list *l;
	const struct ta_strv *nics, *disks;
	const char *file;
	unsigned line;
};

static void tuned_disks(const struct tuned *t, const char *attr, const char *value, bool maybe)
{
	for (size_t i = 0; i < t->disks->n; i++) {
		char path[160];
		struct ta_boot_line *x;

		snprintf(path, sizeof(path), "/sys/block/%.64s/queue/%s", t->disks->v[i], attr);
		x = ta_boot_list_add(t->l, TA_BY_TUNED, path, t->file, t->line, value);
		if (x)
			x->maybe = maybe;
	}
}

/* "rx 4096 tx 4096" */
static void tuned_nics(const struct tuned *t, const char *kind, const char *value)
{
	ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;

	ta_strv_split(&words, value, " \t");
	for (size_t i = 0; i < t->nics->n; i++) {
		for (size_t k = 0; k + 1 < words.n; k += 2) {
			char target[160];
			struct ta_boot_line *x;

			snprintf(target, sizeof(target), "%.32s %s %.64s", t->nics->v[i], kind, words.v[k]);
			x = ta_boot_list_add(t->l, TA_BY_TUNED, target, t->file, t->line, plain(words.v[k + 1]));
			if (x) /* which interfaces it means, [net] says in a way of its own */
				x->maybe = true;
		}
	}
}

static void tuned_option(const struct tuned *t, const struct ta_tuned *all, const struct ta_tuned_option *o)
{
	static const struct {
		const char *key, *kind;
	} nic_keys[] = {{"channels", "channels"}, {"ring", "rings"}, {"coalesce", "coalesce"}};
	const char *type = option_of(all, o->section, "type"), *value = plain(o->value);
	const char *enabled = option_of(all, o->section, "enabled");
	bool some = option_of(all, o->section, "devices");

	if (enabled && strchr("0fFnN", *enabled))
		return;
	type = type ? type : o->section;
	if (!strcmp(type, "vm") && (!strcmp(o->key, "transparent_hugepages") || !strcmp(o->key, "transparent_hugepage")))
		ta_boot_add_path(t->l, TA_BY_TUNED, THP "enabled", t->file, t->line, value);
	else if (!strcmp(type, "vm") && !strcmp(o->key, "transparent_hugepage.defrag"))
		ta_boot_add_path(t->l, TA_BY_TUNED, THP "defrag", t->file, t->line, value);
	else if (!strcmp(type, "sysfs") && ta_is_tuning_path(o->key, strlen(o->key)))
		for_all(t->h, t->l, o->key, TA_BY_TUNED, t->file, t->line, value);
	else if (!strcmp(type, "disk") && !strcmp(o->key, "elevator"))
		tuned_disks(t, "scheduler", value, some);
	else if (!strcmp(type, "disk") && !strcmp(o->key, "readahead"))
		tuned_disks(t, "read_ahead_kb", value && !strchr(value, ' ') ? value : NULL, some);
	else if (!strcmp(type, "cpu") && !strcmp(o->key, "governor"))
		for_all(t->h, t->l, CPUFREQ "/policy*/scaling_governor", TA_BY_TUNED, t->file, t->line, value);
	for (size_t i = 0; !strcmp(type, "net") && i < TA_ARRAY_SIZE(nic_keys); i++)
		if (!strcmp(o->key, nic_keys[i].key))
			tuned_nics(t, nic_keys[i].kind, o->value);
}

int ta_boot_tuned(struct ta_host *h, const struct ta_strv *nics, const struct ta_strv *disks, struct ta_boot_list *l,
	struct ta_boot_hole *hole)
{
	ta_cleanup_tuned struct ta_tuned t = {0};
	struct tuned to = {.h = h, .l = l, .nics = nics, .disks = disks};
	int rc = ta_tuned_read(h, &t);

	if (rc < 0 || !t.active || ta_tuned_at_boot(h) <= 0)
		return rc;
	if (t.rc)
		ta_boot_hole_note(hole, t.rc, t.hole);
	for (size_t i = 0; i < t.n; i++) {
		const struct ta_tuned_option *o = &t.options[i];

		if (o->sysctl)
			continue;
		to.file = t.files.v[o->file];
		to.line = o->line;
		tuned_option(&to, &t, o);
	}
	return l->error == -ENOMEM ? -ENOMEM : 0;
}
