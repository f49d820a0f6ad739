#include "probe/bootset.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "probe/kcmdline.h"
#include "probe/sysctld.h"
#include "probe/tuned.h"

static const char *const sysctl_dirs[] = {"/etc/sysctl.d", "/run/sysctl.d", "/usr/local/lib/sysctl.d",
	"/usr/lib/sysctl.d", "/lib/sysctl.d", NULL};
static const char *const procd_dirs[] = {"/etc/sysctl.d", NULL};
static const char *const module_dirs[] = {"/etc/modules-load.d", "/run/modules-load.d", "/usr/local/lib/modules-load.d",
	"/usr/lib/modules-load.d", "/lib/modules-load.d", NULL};
static const char sysctl_conf[] = "/etc/sysctl.conf";

/* --- who applies the files ------------------------------------------------------------- */

const char *ta_boot_loader_name(enum ta_boot_loader l)
{
	static const char *const names[] = {
		[TA_BOOT_SYSTEMD] = "systemd-sysctl",
		[TA_BOOT_PROCPS] = "procps",
		[TA_BOOT_PROCD] = "procd",
		[TA_BOOT_NOBODY] = "none",
	};

	return names[l];
}

static bool is_masked(struct ta_host *h)
{
	ta_cleanup_buf struct ta_buf target = TA_BUF_INIT;

	return !ta_host_readlink(h, "/etc/systemd/system/systemd-sysctl.service", &target) &&
	       !strcmp(ta_buf_text(&target), "/dev/null");
}

static bool any_of(struct ta_host *h, const char *const *paths, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ta_host_exists(h, paths[i]))
			return true;
	return false;
}

int ta_boot_loader_find(struct ta_host *h, enum ta_boot_loader *ret)
{
	static const char *const scripts[] = {"/etc/init.d/procps", "/etc/init.d/sysctl", "/etc/runit/core-services",
		"/etc/rc.d/rc.sysinit", "/etc/rc.d/rc.S"};
	static const char *const inits[] = {"init", "runit", "openrc-init", "s6-svscan", "dinit", "finit"};
	ta_cleanup_buf struct ta_buf comm = TA_BUF_INIT;
	int rc = ta_host_read(h, "/proc/1/comm", TA_READ_CAP, &comm);
	const char *name;

	ta_buf_rtrim(&comm);
	name = ta_buf_text(&comm);
	if (ta_host_exists(h, "/run/systemd/system") || !strcmp(name, "systemd")) {
		*ret = is_masked(h) ? TA_BOOT_NOBODY : TA_BOOT_SYSTEMD;
		return 0;
	}
	if (rc < 0)
		return rc;
	if (!strcmp(name, "procd")) {
		*ret = TA_BOOT_PROCD;
		return 0;
	}
	for (size_t i = 0; i < TA_ARRAY_SIZE(inits); i++) {
		if (strcmp(name, inits[i]) != 0)
			continue;
		*ret = TA_BOOT_PROCPS;
		return any_of(h, scripts, TA_ARRAY_SIZE(scripts)) ? 0 : -ENOENT;
	}
	/* A container's program: whatever lies in its /etc, nothing applies it. */
	*ret = TA_BOOT_NOBODY;
	return 0;
}

/* --- files ------------------------------------------------------------------------------ */

struct reading {
	struct ta_host *h;
	struct ta_boot_settings *b;
	enum ta_set_by by;
};

static int add_line(const struct ta_sysctl_line *line, void *ctx)
{
	struct reading *r = ctx;

	return ta_setters_line(&r->b->s, r->by, line->number, line->key, line->pattern, line->value);
}

static bool is_null_link(struct ta_host *h, const char *path)
{
	ta_cleanup_buf struct ta_buf target = TA_BUF_INIT;
	const char *end;

	if (ta_host_readlink(h, path, &target))
		return false;
	end = strstr(ta_buf_text(&target), "/dev/null");
	return end && !end[strlen("/dev/null")];
}

/* What its reader cannot read either has no say; what only we cannot read may decide. */
static int add_unread(struct reading *r, const char *path, int rc)
{
	if (rc == -ENOENT || rc == -ENOTDIR || is_null_link(r->h, path))
		return 0;
	if (rc == -ELOOP || rc == -EISDIR) {
		ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

		ta_buf_printf(&text, "%s: %s", path, ta_errno_text(rc));
		ta_strv_add(&r->b->broken, ta_buf_text(&text));
		return r->b->broken.error;
	}
	ta_setters_hole(&r->b->s, rc, false, path);
	return 0;
}

static int add_file(struct reading *r, const char *path, enum ta_set_by by)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = ta_setters_file(&r->b->s, path);

	if (rc < 0)
		return rc;
	r->by = by;
	rc = ta_host_read(r->h, path, TA_MIN((size_t)TA_READ_CAP, r->b->left), &text);
	if (rc < 0)
		return add_unread(r, path, rc);
	r->b->left -= text.len;
	rc = ta_sysctld_parse(ta_buf_text(&text), text.len, add_line, r);
	if (rc == -EBADMSG || rc == -EFBIG) {
		ta_setters_hole(&r->b->s, rc, false, path);
		rc = 0;
	}
	return rc;
}

static int add_files(struct reading *r, enum ta_boot_loader loader)
{
	ta_cleanup_conf_files struct ta_conf_files files = {0};
	struct ta_strv *names = &r->b->files;
	int rc = ta_conf_files(r->h, loader == TA_BOOT_PROCD ? procd_dirs : sysctl_dirs, ".conf", sysctl_conf,
		&files);

	for (size_t i = 0; !rc && i < files.n; i++) {
		ta_strv_add(names, files.v[i].path);
		rc = add_file(r, files.v[i].path, TA_SET_FILE);
	}
	if (files.rc)
		ta_setters_hole(&r->b->s, files.rc, true, files.unlisted);
	if (rc || !ta_host_exists(r->h, sysctl_conf))
		return rc ? rc : names->error;
	if (loader != TA_BOOT_SYSTEMD) {
		ta_strv_add(names, sysctl_conf);
		rc = add_file(r, sysctl_conf, TA_SET_FILE);
	} else if (!ta_strv_has(names, sysctl_conf)) {
		rc = add_file(r, sysctl_conf, TA_SET_UNREAD);
	}
	return rc ? rc : names->error;
}

/* "sysctl.net.core.somaxconn=1024": all dots are slashes there; '-' comes as '_'. */
static int add_word(const char *key, const char *value, void *ctx)
{
	struct reading *r = ctx;
	int rc = 0;

	if (strncmp(key, "sysctl.", 7) && strncmp(key, "sysctl/", 7))
		return 0;
	for (size_t i = 0; !rc && i < r->b->s.n_keys; i++) {
		const char *a = key + 7, *b = r->b->s.keys[i].path;

		while (*a && *b && (*a == *b || (*a == '.' && *b == '/') || (*a == '_' && *b == '-'))) {
			a++;
			b++;
		}
		if (!*a && !*b)
			rc = ta_setters_line(&r->b->s, TA_SET_CMDLINE, 0, r->b->s.keys[i].path, false, value);
	}
	return rc;
}

static int add_cmdline(struct reading *r)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = ta_setters_file(&r->b->s, "/proc/cmdline");

	/* Not there, or not ours to see: next to nobody sets sysctls in it. */
	if (rc || ta_host_read(r->h, "/proc/cmdline", TA_READ_CAP, &text))
		return rc;
	return ta_kcmdline_parse(ta_buf_text(&text), text.len, add_word, r);
}

/* --- ufw -------------------------------------------------------------------------------- */

struct ufw {
	bool enabled;
	char file[256]; /* IPT_SYSCTL, "" = none */
};

/* Shell-like assignments; the last one holds. */
static void ufw_lines(struct ta_host *h, const char *path, struct ufw *u)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	ta_cleanup_strv struct ta_strv lines = TA_STRV_INIT;

	if (ta_host_read(h, path, TA_READ_CAP, &text))
		return;
	ta_strv_split(&lines, ta_buf_text(&text), "\n");
	for (size_t i = 0; i < lines.n; i++) {
		char *s = ta_strip(lines.v[i]), *eq = strchr(s, '='), *value;

		if (*s == '#' || !eq)
			continue;
		*eq = '\0';
		value = ta_strip(eq + 1);
		if (*value == '"' || *value == '\'')
			*strchrnul(++value, eq[1] == '\'' ? '\'' : '"') = '\0';
		if (!strcmp(s, "ENABLED"))
			u->enabled = !strcasecmp(value, "yes");
		else if (!strcmp(s, "IPT_SYSCTL"))
			snprintf(u->file, sizeof(u->file), "%s", value);
	}
}

/* ufw-init runs "sysctl -e -q -p $IPT_SYSCTL" (src/ufw-init-functions). Only /etc is read for it. */
static int add_ufw(struct reading *r)
{
	struct ufw u = {.enabled = false};

	ufw_lines(r->h, "/etc/ufw/ufw.conf", &u);
	if (!u.enabled)
		return 0;
	ufw_lines(r->h, "/etc/default/ufw", &u);
	return *u.file == '/' ? add_file(r, u.file, TA_SET_UFW) : 0;
}

/* --- TuneD ------------------------------------------------------------------------------ */

static int add_options(struct reading *r, const struct ta_tuned *t)
{
	unsigned first = (unsigned)r->b->s.files.n;
	int rc = 0;

	for (size_t i = 0; !rc && i < t->files.n; i++)
		rc = ta_setters_file(&r->b->s, t->files.v[i]);
	for (size_t i = 0; !rc && i < t->n; i++) {
		const struct ta_tuned_option *o = &t->options[i];
		ta_cleanup_buf struct ta_buf key = TA_BUF_INIT;

		if (!o->sysctl)
			continue;
		r->b->s.etc_again = t->reapply;
		ta_buf_adds(&key, o->key);
		if (key.error)
			return key.error;
		ta_sysctl_path(key.data);
		r->b->s.at = first + o->file;
		rc = ta_setters_line(&r->b->s, TA_SET_TUNED, o->line, key.data, false, o->value);
	}
	if (t->rc)
		ta_setters_hole(&r->b->s, t->rc, true, t->hole);
	return rc;
}

static int add_tuned(struct reading *r)
{
	ta_cleanup_tuned struct ta_tuned t = {0};
	int rc = ta_tuned_read(r->h, &t);

	if (rc < 0 || !t.active || ta_tuned_at_boot(r->h) <= 0)
		return rc;
	return add_options(r, &t);
}

/* --- all of it ---------------------------------------------------------------------------- */

bool ta_boot_settings_any(struct ta_host *h)
{
	return any_of(h, sysctl_dirs, TA_ARRAY_SIZE(sysctl_dirs) - 1) || ta_host_exists(h, sysctl_conf) ||
	       ta_host_is_whole(h);
}

void ta_boot_settings_done(struct ta_boot_settings *b)
{
	ta_setters_done(&b->s);
	ta_strv_done(&b->files);
	ta_strv_done(&b->broken);
}

int ta_boot_settings_read(struct ta_host *h, enum ta_boot_loader loader, const struct ta_strv *names,
	struct ta_boot_settings *ret)
{
	struct reading r = {.h = h, .b = ret};
	int rc = ta_setters_init(&ret->s, (const char *const *)names->v, names->n);

	ret->left = 16u << 20;
	if (!rc)
		rc = add_cmdline(&r);
	if (!rc)
		rc = add_files(&r, loader);
	if (!rc)
		rc = add_ufw(&r);
	return rc ? rc : add_tuned(&r);
}

static void add_modules(struct ta_host *h, const char *path, struct ta_strv *names)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	if (ta_host_read(h, path, TA_READ_CAP, &text))
		return;
	for (char *c = text.data; c && *c; c++)
		if (*c == '-')
			*c = '_';
	ta_strv_split(names, ta_buf_text(&text), " \t\r\n");
}

int ta_boot_modules(struct ta_host *h, struct ta_strv *ret)
{
	ta_cleanup_conf_files struct ta_conf_files files = {0};
	int rc = ta_conf_files(h, module_dirs, ".conf", NULL, &files);

	for (size_t i = 0; !rc && i < files.n; i++)
		add_modules(h, files.v[i].path, ret);
	add_modules(h, "/etc/modules", ret);
	ta_strv_sort(ret);
	return rc ? rc : ret->error;
}
