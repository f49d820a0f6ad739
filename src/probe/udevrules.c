/*
 * The files of rules. How they are held against a device: udevmatch.c.
 */
#include "probe/udevrules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "probe/conffiles.h"

static const char *const dirs[] = {"/etc/udev/rules.d", "/run/udev/rules.d", "/usr/local/lib/udev/rules.d",
	"/usr/lib/udev/rules.d", "/lib/udev/rules.d", NULL};

#define LINK_SETUP "80-net-setup-link.rules"

static void rule_done(struct ta_udev_rule *r)
{
	for (size_t i = 0; i < r->n; i++)
		ta_udev_token_done(&r->v[i]);
	free(r->v);
}

static void file_done(struct ta_udev_file *f)
{
	for (size_t i = 0; i < f->n; i++)
		rule_done(&f->v[i]);
	free(f->v);
	free(f->path);
	free(f->name);
}

void ta_udev_rules_done(struct ta_udev_rules *r)
{
	for (size_t i = 0; i < r->n; i++)
		file_done(&r->v[i]);
	free(r->v);
	*r = (struct ta_udev_rules){0};
}

/* --- text --------------------------------------------------------------------------------- */

static bool is_wanted(const struct ta_udev_token *t)
{
	if (ta_udev_is_match(t))
		return false;
	return !strcmp(t->key, "ATTR") || !strcmp(t->key, "RUN") || !strcmp(t->key, "SYSCTL") || !strcmp(t->key, "GOTO") ||
	       !strcmp(t->key, "LABEL");
}

/* 0, -EINVAL: the line is void, -ENOMEM. */
static int read_rule(const char *text, struct ta_udev_rule *ret, bool *ret_wanted)
{
	struct ta_udev_token t = {.key = ""};
	int rc;

	while ((rc = ta_udev_token_next(&text, &t)) > 0) {
		struct ta_udev_token *v = reallocarray(ret->v, ret->n + 1, sizeof(*v));

		if (!v) {
			rc = -ENOMEM;
			break;
		}
		*ret_wanted = *ret_wanted || is_wanted(&t);
		ret->v = v;
		v[ret->n++] = t;
		t = (struct ta_udev_token){.key = ""};
	}
	ta_udev_token_done(&t);
	return rc;
}

static int add_rule(const struct ta_udev_line *line, void *ctx)
{
	struct ta_udev_file *f = ctx;
	struct ta_udev_rule r = {.number = line->number}, *v;
	bool wanted = false;
	int rc = *line->text ? read_rule(line->text, &r, &wanted) : 0;

	v = !rc && wanted ? reallocarray(f->v, f->n + 1, sizeof(*v)) : NULL;
	if (v) {
		f->v = v;
		v[f->n++] = r;
		return 0;
	}
	rule_done(&r);
	return rc == -ENOMEM || (!rc && wanted) ? -ENOMEM : 0;
}

int ta_udev_rules_add(struct ta_udev_rules *r, const char *path, const char *text, size_t len)
{
	struct ta_udev_file f = {.path = strdup(path), .name = strdup(strrchr(path, '/') + 1)}, *v;
	int rc = f.path && f.name ? ta_udev_lines(text, len, add_rule, &f) : -ENOMEM;

	v = !rc && f.n ? reallocarray(r->v, r->n + 1, sizeof(*v)) : NULL;
	if (!v) {
		bool empty = !rc && !f.n;

		file_done(&f);
		return empty ? 0 : -ENOMEM;
	}
	r->v = v;
	v[r->n++] = f;
	return 0;
}

/* --- files -------------------------------------------------------------------------------- */

static void note_hole(struct ta_udev_rules *r, int rc, const char *what)
{
	if (r->rc)
		return;
	r->rc = rc;
	snprintf(r->hole, sizeof(r->hole), "%s: %s", what, ta_errno_text(rc));
}

static int add_file(struct ta_host *h, const struct ta_conf_file *c, struct ta_udev_rules *r)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = ta_host_read(h, c->path, TA_READ_CAP, &text);

	if (rc == -ENOMEM)
		return rc;
	if (!rc && !strcmp(c->name, LINK_SETUP))
		r->has_link_setup = true;
	/* A link to /dev/null, a directory, a loop of links: udev reads nothing there either. */
	if (rc && rc != -EBADMSG && rc != -ENOENT && rc != -EISDIR && rc != -ELOOP)
		note_hole(r, rc, c->path);
	return rc || !text.len ? 0 : ta_udev_rules_add(r, c->path, text.data, text.len);
}

int ta_udev_rules_read(struct ta_host *h, struct ta_udev_rules *ret)
{
	ta_cleanup_conf_files struct ta_conf_files files = {0};
	int rc = ta_conf_files(h, dirs, ".rules", NULL, &files);

	for (size_t i = 0; !rc && i < files.n; i++)
		rc = add_file(h, &files.v[i], ret);
	if (!rc && files.rc)
		note_hole(ret, files.rc, files.unlisted);
	return rc;
}
