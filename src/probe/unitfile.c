#include "probe/unitfile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "probe/conffiles.h"

#define BLANKS " \t\r"
#define NAMES_MAX 12 /* of directories of drop-ins, for one unit */
#define FILE_MAX (1u << 20)

/* The system manager's, in the order of precedence (lookup_paths_init(), src/libsystemd/sd-path/path-lookup.c). */
static const char *const unit_dirs[] = {
	"/etc/systemd/system.control", "/run/systemd/system.control", "/run/systemd/transient",
	"/run/systemd/generator.early", "/etc/systemd/system", "/etc/systemd/system.attached", "/run/systemd/system",
	"/run/systemd/system.attached", "/run/systemd/generator", "/usr/local/lib/systemd/system",
	"/usr/lib/systemd/system", "/lib/systemd/system", "/run/systemd/generator.late",
};

/* Without the '/' at its end, as ta_conf_files() wants it. */
static const char *const manager_dirs[] = {"/etc/systemd/system.conf.d", "/run/systemd/system.conf.d",
	"/usr/local/lib/systemd/system.conf.d", "/usr/lib/systemd/system.conf.d", "/lib/systemd/system.conf.d", NULL};
static const char *const manager_files[] = {"/etc/systemd/system.conf", "/run/systemd/system.conf",
	"/usr/local/lib/systemd/system.conf", "/usr/lib/systemd/system.conf"};

/* --- text ------------------------------------------------------------------------------- */

struct parser {
	struct ta_buf section, line;
	unsigned first; /* line where `line` begins; 0: none */
	unsigned file;
	ta_unit_fn *fn;
	void *ctx;
};

static int end_of_line(struct parser *p)
{
	char *s = p->line.data ? ta_strip(p->line.data) : NULL, *eq;
	struct ta_unit_line l = {.file = p->file, .line = p->first};
	int rc = 0;

	p->first = 0;
	if (!s || !*s)
		return p->line.error;
	eq = strchr(s, '=');
	if (*s == '[') {
		ta_buf_reset(&p->section);
		ta_buf_add(&p->section, s + 1, strcspn(s + 1, "]"));
	} else if (eq) {
		*eq = '\0';
		l.section = ta_buf_text(&p->section);
		l.key = ta_strip(s);
		l.value = ta_strip(eq + 1);
		rc = p->fn(&l, p->ctx);
	}
	ta_buf_reset(&p->line);
	return rc ? rc : p->section.error;
}

static int parse_all(struct parser *p, const char *text, const char *end)
{
	unsigned number = 0;

	for (const char *s = text; s < end;) {
		const char *newline = memchr(s, '\n', (size_t)(end - s));
		size_t len = (size_t)((newline ? newline : end) - s);
		bool more = len && s[len - 1] == '\\';
		size_t blanks = 0;
		int rc = 0;

		number++;
		while (blanks < len && strchr(BLANKS, s[blanks]))
			blanks++;
		if (!(blanks < len && strchr("#;", s[blanks]))) {
			if (!p->first)
				p->first = number;
			ta_buf_add(&p->line, s, len - more);
			if (more)
				ta_buf_addc(&p->line, ' ');
			else
				rc = end_of_line(p);
		}
		if (rc)
			return rc;
		s += len + 1;
	}
	return end_of_line(p);
}

int ta_unit_parse(const char *text, size_t len, unsigned file, ta_unit_fn *fn, void *ctx)
{
	struct parser p = {.file = file, .fn = fn, .ctx = ctx};
	int rc = parse_all(&p, text, text + len);

	ta_buf_done(&p.section);
	ta_buf_done(&p.line);
	return rc;
}

/* --- files ------------------------------------------------------------------------------ */

void ta_unit_files_done(struct ta_unit_files *u)
{
	ta_strv_done(&u->v);
}

static void note_hole(struct ta_unit_files *u, int rc, const char *what)
{
	if (u->rc)
		return;
	u->rc = rc;
	snprintf(u->hole, sizeof(u->hole), "%s: %s", what, ta_errno_text(rc));
}

/* 0: read; 1: it is not there; -ENOMEM or what fn returned. */
static int add_file(struct ta_host *h, const char *path, ta_unit_fn *fn, void *ctx, struct ta_unit_files *u)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = ta_host_read(h, path, FILE_MAX, &text);

	if (rc == -ENOENT || rc == -ENOTDIR)
		return 1;
	if (rc == -ENOMEM)
		return rc;
	ta_strv_add(&u->v, path);
	/* A link to /dev/null masks; it is no regular file. */
	if (rc == -EBADMSG)
		return u->v.error;
	if (rc < 0) {
		note_hole(u, rc, path);
		return u->v.error;
	}
	rc = ta_unit_parse(ta_buf_text(&text), text.len, (unsigned)u->v.n - 1, fn, ctx);
	return rc ? rc : u->v.error;
}

static int add_first(struct ta_host *h, const char *name, ta_unit_fn *fn, void *ctx, struct ta_unit_files *u)
{
	char path[512];

	for (size_t i = 0; i < TA_ARRAY_SIZE(unit_dirs); i++) {
		int rc;

		snprintf(path, sizeof(path), "%s/%s", unit_dirs[i], name);
		rc = add_file(h, path, fn, ctx, u);
		if (rc <= 0) {
			u->has_unit = true;
			return rc;
		}
	}
	return 1;
}

static int add_drop_ins(struct ta_host *h, const char *const *dirs, ta_unit_fn *fn, void *ctx, struct ta_unit_files *u)
{
	ta_cleanup_conf_files struct ta_conf_files files = {0};
	int rc = ta_conf_files(h, dirs, ".conf", NULL, &files);

	for (size_t i = 0; rc >= 0 && i < files.n; i++)
		rc = add_file(h, files.v[i].path, fn, ctx, u);
	if (files.rc)
		note_hole(u, files.rc, files.unlisted);
	return rc < 0 ? rc : 0;
}

/* "a-b@c.service": itself, its template, then what stands for all whose name begins so: "a-.service". */
static size_t names_of(const char *unit, char (*names)[160])
{
	const char *at = strchr(unit, '@'), *dot = strrchr(unit, '.');
	size_t n = 0, stem = (size_t)((at ? at : dot) - unit);

	snprintf(names[n++], sizeof(names[0]), "%s", unit);
	if (at && dot != at + 1)
		snprintf(names[n++], sizeof(names[0]), "%.*s@%s", (int)stem, unit, dot);
	/* A dash at the very end of the stem is part of the name. */
	for (size_t i = stem; i > 1 && n < NAMES_MAX - 1; i--)
		if (unit[i - 1] == '-' && i < stem)
			snprintf(names[n++], sizeof(names[0]), "%.*s%s", (int)i, unit, dot);
	return n;
}

int ta_unit_files_read(struct ta_host *h, const char *unit, ta_unit_fn *fn, void *ctx, struct ta_unit_files *ret)
{
	char names[NAMES_MAX][160], room[TA_ARRAY_SIZE(unit_dirs) * NAMES_MAX][224];
	const char *dirs[TA_ARRAY_SIZE(room) + 1], *dot = strrchr(unit, '.');
	size_t n_names, n = 0;
	int rc = 1;

	*ret = (struct ta_unit_files){0};
	if (!dot || strchr(unit, '/') || strlen(unit) >= sizeof(names[0]) || (strchr(unit, '@') && strchr(unit, '@') > dot))
		return 0;
	n_names = names_of(unit, names);
	/* The file of an instance, else of its template; prefixes have drop-ins alone. */
	rc = add_first(h, names[0], fn, ctx, ret);
	if (rc > 0 && n_names > 1 && strchr(unit, '@'))
		rc = add_first(h, names[1], fn, ctx, ret);
	if (rc < 0)
		return rc;
	/* By directory, and in it by name; ".service.d" for all services comes behind all of them. */
	for (size_t i = 0; i < TA_ARRAY_SIZE(unit_dirs); i++)
		for (size_t k = 0; k < n_names; k++, n++)
			snprintf(room[n], sizeof(room[0]), "%s/%.159s.d", unit_dirs[i], names[k]);
	for (size_t i = 0; i < TA_ARRAY_SIZE(unit_dirs); i++, n++)
		snprintf(room[n], sizeof(room[0]), "%s/%.100s.d", unit_dirs[i], dot + 1);
	for (size_t i = 0; i < n; i++)
		dirs[i] = room[i];
	dirs[n] = NULL;
	return add_drop_ins(h, dirs, fn, ctx, ret);
}

int ta_manager_files_read(struct ta_host *h, ta_unit_fn *fn, void *ctx, struct ta_unit_files *ret)
{
	int rc = 1;

	*ret = (struct ta_unit_files){0};
	for (size_t i = 0; rc > 0 && i < TA_ARRAY_SIZE(manager_files); i++)
		rc = add_file(h, manager_files[i], fn, ctx, ret);
	ret->has_unit = rc == 0;
	return rc < 0 ? rc : add_drop_ins(h, manager_dirs, fn, ctx, ret);
}
