#include "probe/conffiles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void ta_conf_files_done(struct ta_conf_files *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->v[i].path);
		free(c->v[i].name);
	}
	free(c->v);
	*c = (struct ta_conf_files){0};
}

static int by_name(const void *a, const void *b)
{
	const struct ta_conf_file *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static bool ends_with(const char *name, const char *suffix)
{
	size_t n = strlen(name), k = strlen(suffix);

	return *name != '.' && n >= k && !strcmp(name + n - k, suffix);
}

/* "/etc/sysctl.d/99-sysctl.conf" -> "../sysctl.conf" is "/etc/sysctl.conf". */
static bool links_to(struct ta_host *h, const char *path, const char *to)
{
	ta_cleanup_buf struct ta_buf target = TA_BUF_INIT;
	const char *name, *text;

	if (!to || ta_host_readlink(h, path, &target))
		return false;
	text = ta_buf_text(&target);
	name = strrchr(to, '/') + 1;
	if (!strncmp(text, "../", 3) && !strncmp(path, to, (size_t)(name - to)))
		return !strcmp(text + 3, name);
	return !strcmp(text, to);
}

static int add(struct ta_host *h, const char *dir, const char *name, const char *link_to, struct ta_conf_files *c)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;
	struct ta_conf_file f;

	ta_buf_printf(&path, "%s/%s", dir, name);
	if (path.error)
		return path.error;
	f.path = links_to(h, path.data, link_to) ? strdup(link_to) : ta_buf_steal(&path);
	f.name = strdup(name);
	if (!f.path || !f.name) {
		free(f.path);
		free(f.name);
		return -ENOMEM;
	}
	c->v[c->n++] = f;
	return 0;
}

static int add_dir(struct ta_host *h, const char *dir, const char *suffix, const char *link_to, struct ta_conf_files *c)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	size_t before = c->n;
	int rc = ta_host_list(h, dir, &names);

	if (rc < 0) {
		if (rc != -ENOENT && rc != -ENOTDIR && !c->rc) {
			c->rc = rc;
			c->unlisted = dir;
		}
		return 0;
	}
	for (size_t i = 0; i < names.n; i++) {
		const struct ta_conf_file key = {NULL, names.v[i]};

		if (!ends_with(names.v[i], suffix) || (before && bsearch(&key, c->v, before, sizeof(key), by_name)))
			continue;
		if (c->n == TA_CONF_FILES_MAX) {
			c->rc = c->rc ? c->rc : -EFBIG;
			c->unlisted = c->unlisted ? c->unlisted : dir;
			break;
		}
		rc = add(h, dir, names.v[i], link_to, c);
		if (rc < 0)
			return rc;
	}
	if (c->n)
		qsort(c->v, c->n, sizeof(*c->v), by_name);
	return 0;
}

int ta_conf_files(struct ta_host *h, const char *const *dirs, const char *suffix, const char *link_to,
	struct ta_conf_files *ret)
{
	ta_cleanup_conf_files struct ta_conf_files c = {.v = calloc(TA_CONF_FILES_MAX, sizeof(*c.v))};
	int rc = c.v ? 0 : -ENOMEM;

	for (; !rc && *dirs; dirs++)
		rc = add_dir(h, *dirs, suffix, link_to, &c);
	if (rc < 0)
		return rc;
	*ret = c;
	c = (struct ta_conf_files){0};
	return 0;
}
