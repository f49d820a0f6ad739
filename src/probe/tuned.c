#include "probe/tuned.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "probe/service.h"

#define PROFILES_MAX 32
#define OPTIONS_MAX 1024
#define DEPTH_MAX 16
#define FILE_MAX (256u << 10)
#define BLANKS " \t\r"

/* Newest first; a profile of /etc stands before one of the package. */
static const char *const places[] = {"/etc/tuned/profiles", "/etc/tuned", "/usr/lib/tuned/profiles", "/usr/lib/tuned"};

void ta_tuned_done(struct ta_tuned *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->options[i].section);
		free(t->options[i].key);
		free(t->options[i].value);
	}
	free(t->options);
	free(t->active);
	free(t->hole);
	ta_strv_done(&t->files);
	*t = (struct ta_tuned){0};
}

/* Python's ConfigParser with delimiters '=' and inline comments behind " #". */
static void cut_comment(char *s)
{
	for (char *c = s; (c = strchr(c, '#')); c++) {
		if (c == s || strchr(BLANKS, c[-1])) {
			*c = '\0';
			return;
		}
	}
}

int ta_tuned_parse(const char *text, size_t len,
	int (*fn)(const char *section, const char *key, const char *value, unsigned line, void *ctx), void *ctx)
{
	ta_cleanup_buf struct ta_buf copy = TA_BUF_INIT, section = TA_BUF_INIT;
	const char *end = text + len;
	unsigned line = 0;

	for (const char *p = text; p < end;) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		size_t n = (size_t)((newline ? newline : end) - p);
		char *s, *eq;
		int rc;

		line++;
		ta_buf_reset(&copy);
		ta_buf_add(&copy, p, n);
		p += n + 1;
		if (copy.error)
			return copy.error;
		/* A line that begins with a blank goes on with the value before: no sysctl has such a value. */
		if (!n || strchr(BLANKS ";", *copy.data))
			continue;
		cut_comment(copy.data);
		s = ta_strip(copy.data);
		eq = strchr(s, '=');
		if (*s == '[') {
			ta_buf_reset(&section);
			ta_buf_add(&section, s + 1, strcspn(s + 1, "]"));
		} else if (eq) {
			*eq = '\0';
			rc = fn(ta_buf_text(&section), ta_strip(s), ta_strip(eq + 1), line, ctx);
			if (rc)
				return rc;
		}
	}
	return section.error;
}

/* --- one profile ----------------------------------------------------------------- */

struct profile {
	struct ta_tuned *t;
	struct ta_strv includes;
	unsigned file;
};

static int note_include(const char *section, const char *key, const char *value, unsigned line, void *ctx)
{
	struct profile *p = ctx;

	(void)line;
	if (!strcmp(section, "main") && !strcmp(key, "include"))
		ta_strv_split(&p->includes, value, ",; \t");
	return p->includes.error;
}

static void drop_section(struct ta_tuned *t, const char *section)
{
	for (size_t i = 0; i < t->n; i++) {
		if (strcmp(t->options[i].section, section) != 0)
			continue;
		free(t->options[i].section);
		free(t->options[i].key);
		free(t->options[i].value);
		t->options[i--] = t->options[--t->n];
	}
}

static bool is_true(const char *value)
{
	return !strcmp(value, "1") || !strcasecmp(value, "true") || !strcasecmp(value, "yes") || !strcasecmp(value, "on");
}

static struct ta_tuned_option *find(struct ta_tuned *t, const char *section, const char *key)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->options[i].section, section) && !strcmp(t->options[i].key, key))
			return &t->options[i];
	return NULL;
}

/* Later profiles win, option by option. */
static int set_option(const char *section, const char *key, const char *value, unsigned line, void *ctx)
{
	struct profile *p = ctx;
	struct ta_tuned *t = p->t;
	struct ta_tuned_option *o, new = {.file = p->file, .line = line};

	if (!strcmp(section, "main") || !*section)
		return 0;
	if (!strcmp(key, "replace") && is_true(value))
		drop_section(t, section);
	o = find(t, section, key);
	if (!o && t->n == OPTIONS_MAX)
		return -EFBIG;
	new.section = strdup(section);
	new.key = strdup(key);
	new.value = strdup(value);
	if (!new.section || !new.key || !new.value) {
		free(new.section);
		free(new.key);
		free(new.value);
		return -ENOMEM;
	}
	if (o) {
		free(o->section);
		free(o->key);
		free(o->value);
	} else {
		o = &t->options[t->n++];
	}
	*o = new;
	return 0;
}

static int keep_hole(struct ta_tuned *t, int rc, const char *what)
{
	if (t->rc)
		return 0;
	t->rc = rc;
	t->hole = strdup(what);
	return t->hole ? 0 : -ENOMEM;
}

/* The text of the profile and its file; -ENOENT if there is none, -EALREADY if all of that name are in use. */
static int open_profile(struct ta_host *h, const struct ta_tuned *t, const char *name, struct ta_buf *file,
	struct ta_buf *text)
{
	bool used = false;

	for (size_t i = 0; i < TA_ARRAY_SIZE(places); i++) {
		int rc;

		ta_buf_reset(file);
		ta_buf_printf(file, "%s/%s/tuned.conf", places[i], name);
		if (file->error)
			return file->error;
		/* A profile may include the package's one of its own name. */
		if (ta_strv_has(&t->files, file->data)) {
			used = true;
			continue;
		}
		rc = ta_host_read(h, file->data, FILE_MAX, text);
		if (rc != -ENOENT && rc != -ENOTDIR)
			return rc;
	}
	return used ? -EALREADY : -ENOENT;
}

static bool is_name(const char *s)
{
	return *s && *s != '.' &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == strlen(s);
}

static int load(struct ta_host *h, struct ta_tuned *t, const struct ta_strv *names, unsigned depth)
{
	for (size_t i = 0; i < names->n; i++) {
		ta_cleanup_buf struct ta_buf file = TA_BUF_INIT, text = TA_BUF_INIT;
		struct profile p = {.t = t};
		int rc = -EBADMSG;

		if (is_name(names->v[i]) && depth < DEPTH_MAX && t->files.n < PROFILES_MAX)
			rc = open_profile(h, t, names->v[i], &file, &text);
		if (rc < 0) {
			rc = rc == -EALREADY ? 0 : keep_hole(t, rc, file.len ? file.data : names->v[i]);
			if (rc < 0)
				return rc;
			continue;
		}
		p.file = (unsigned)t->files.n;
		ta_strv_add(&t->files, file.data);
		rc = ta_tuned_parse(ta_buf_text(&text), text.len, note_include, &p);
		if (!rc)
			rc = load(h, t, &p.includes, depth + 1);
		ta_strv_done(&p.includes);
		if (!rc)
			rc = ta_tuned_parse(ta_buf_text(&text), text.len, set_option, &p);
		if (rc == -EFBIG)
			rc = keep_hole(t, rc, file.data);
		if (rc < 0)
			return rc;
	}
	return t->files.error;
}

/* --- all of it --------------------------------------------------------------------- */

static void mark_sysctls(struct ta_tuned *t)
{
	for (size_t i = 0; i < t->n; i++) {
		struct ta_tuned_option *o = &t->options[i];
		const struct ta_tuned_option *type = find(t, o->section, "type"), *enabled = find(t, o->section, "enabled");

		o->sysctl = !strcmp(type ? type->value : o->section, "sysctl") && (!enabled || is_true(enabled->value)) &&
			    strpbrk(o->key, "./");
	}
}

static int read_main(const char *section, const char *key, const char *value, unsigned line, void *ctx)
{
	struct ta_tuned *t = ctx;

	(void)section;
	(void)line;
	if (!strcmp(key, "reapply_sysctl"))
		t->reapply = is_true(value);
	return 0;
}

static int read_all(struct ta_host *h, struct ta_tuned *t)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT, active = TA_BUF_INIT;
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	int rc = ta_host_read(h, "/etc/tuned/active_profile", FILE_MAX, &text);

	t->reapply = true;
	if (rc < 0)
		return rc == -ENOENT || rc == -ENOTDIR ? 0 : keep_hole(t, rc, "/etc/tuned/active_profile");
	ta_strv_split(&names, ta_buf_text(&text), " \t\r\n");
	if (!names.n || names.error)
		return names.error;
	for (size_t i = 0; i < names.n; i++)
		ta_buf_printf(&active, "%s%s", i ? " " : "", names.v[i]);
	t->active = ta_buf_steal(&active);
	t->options = calloc(OPTIONS_MAX, sizeof(*t->options));
	if (!t->active || !t->options)
		return -ENOMEM;
	if (ta_host_read(h, "/etc/tuned/tuned-main.conf", FILE_MAX, &text) == 0)
		rc = ta_tuned_parse(ta_buf_text(&text), text.len, read_main, t);
	if (!rc)
		rc = load(h, t, &names, 0);
	mark_sysctls(t);
	return rc;
}

int ta_tuned_read(struct ta_host *h, struct ta_tuned *ret)
{
	ta_cleanup_tuned struct ta_tuned t = {0};
	int rc = read_all(h, &t);

	if (rc < 0)
		return rc;
	*ret = t;
	t = (struct ta_tuned){0};
	return 0;
}

static const char *const programs[] = {"/usr/sbin/tuned", "/usr/bin/tuned", "/sbin/tuned", NULL};
static const struct ta_service service = {"tuned.service", "tuned", programs, "/run/tuned/tuned.pid"};

int ta_tuned_runs(struct ta_host *h)
{
	return ta_service_runs(h, &service);
}

/* A service that runs is taken for one that will: to start it by hand and not enable it is rare. */
int ta_tuned_at_boot(struct ta_host *h)
{
	return ta_service_enabled(h, service.unit) ? 1 : ta_tuned_runs(h);
}
