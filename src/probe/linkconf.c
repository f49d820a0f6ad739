/*
 * Files and values. Which one is for an interface: linkmatch.c.
 */
#include "probe/linkconf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "probe/conffiles.h"
#include "probe/unitfile.h"

static const char *const dirs[] = {"/etc/systemd/network", "/run/systemd/network", "/usr/local/lib/systemd/network",
	"/usr/lib/systemd/network", "/lib/systemd/network"};

/* --- files ---------------------------------------------------------------------------------- */

static void conf_done(struct ta_link_conf *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->v[i].key);
		free(c->v[i].value);
	}
	free(c->v);
	free(c->name);
	free(c->unread);
	ta_strv_done(&c->files);
}

void ta_link_confs_done(struct ta_link_confs *all)
{
	for (size_t i = 0; i < all->n; i++)
		conf_done(&all->v[i]);
	free(all->v);
	*all = (struct ta_link_confs){0};
}

static int add_line(const struct ta_unit_line *l, void *ctx)
{
	struct ta_link_conf *c = ctx;
	bool match = !strcmp(l->section, "Match");
	struct ta_link_line *v;

	if (!match && strcmp(l->section, "Link") != 0) {
		c->more = true;
		return 0;
	}
	v = reallocarray(c->v, c->n + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	c->v = v;
	v += c->n;
	*v = (struct ta_link_line){strdup(l->key), strdup(l->value), l->file, l->line, match};
	c->n++;
	return v->key && v->value ? 0 : -ENOMEM;
}

/* What systemd cannot read either (a directory, a device, a loop of links) it passes over. */
static bool is_nothing(int rc)
{
	return rc == -EBADMSG || rc == -ENOENT || rc == -EISDIR || rc == -ELOOP;
}

static int add_file(struct ta_host *h, struct ta_link_conf *c, const char *path)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = ta_host_read(h, path, TA_READ_CAP, &text);

	if (rc == -ENOMEM)
		return rc;
	if (!c->files.n)
		c->masked = is_nothing(rc) || (!rc && !text.len);
	ta_strv_add(&c->files, path);
	if (rc && !is_nothing(rc) && !c->rc) {
		c->rc = rc;
		c->unread = strdup(path);
	}
	if (rc || c->files.error)
		return c->files.error;
	return ta_unit_parse(ta_buf_text(&text), text.len, (unsigned)c->files.n - 1, add_line, c);
}

static int add_drop_ins(struct ta_host *h, struct ta_link_conf *c)
{
	ta_cleanup_conf_files struct ta_conf_files files = {0};
	char room[TA_ARRAY_SIZE(dirs)][320];
	const char *list[TA_ARRAY_SIZE(dirs) + 1] = {NULL};
	size_t n = 0;
	int rc;

	for (size_t i = 0; i < TA_ARRAY_SIZE(dirs); i++) {
		snprintf(room[n], sizeof(room[n]), "%s/%s.d", dirs[i], c->name);
		if (ta_host_exists(h, room[n])) {
			list[n] = room[n];
			n++;
		}
	}
	rc = n ? ta_conf_files(h, list, ".conf", NULL, &files) : 0;
	for (size_t i = 0; !rc && i < files.n; i++)
		rc = add_file(h, c, files.v[i].path);
	if (!rc && files.rc && !c->rc) {
		c->rc = files.rc;
		c->unread = strdup(files.unlisted);
	}
	return rc;
}

int ta_link_confs_read(struct ta_host *h, struct ta_link_confs *ret)
{
	ta_cleanup_conf_files struct ta_conf_files files = {0};
	const char *list[TA_ARRAY_SIZE(dirs) + 1] = {NULL};
	int rc;

	memcpy(list, dirs, sizeof(dirs));
	rc = ta_conf_files(h, list, ".link", NULL, &files);
	if (rc)
		return rc;
	ret->rc = files.rc;
	for (size_t i = 0; i < TA_ARRAY_SIZE(dirs) && files.rc; i++)
		if (!strcmp(dirs[i], files.unlisted))
			ret->unlisted = dirs[i];
	ret->v = calloc(files.n + 1, sizeof(*ret->v));
	for (size_t i = 0; ret->v && i < files.n; i++) {
		struct ta_link_conf *c = &ret->v[ret->n++];

		c->name = strdup(files.v[i].name);
		rc = c->name ? add_file(h, c, files.v[i].path) : -ENOMEM;
		if (!rc && !c->masked)
			rc = add_drop_ins(h, c);
		if (rc)
			return rc;
	}
	return ret->v ? 0 : -ENOMEM;
}

/* --- values --------------------------------------------------------------------------------- */

const struct ta_link_line *ta_link_last(const struct ta_link_conf *c, const char *key)
{
	const struct ta_link_line *found = NULL;

	for (size_t i = 0; i < c->n; i++)
		if (!c->v[i].match && !strcmp(c->v[i].key, key))
			found = &c->v[i];
	return found && *found->value ? found : NULL;
}

int ta_link_number(const char *value, int64_t *ret)
{
	size_t n = strlen(value);
	char copy[32];
	int64_t factor = 1, v;

	if (!n || n >= sizeof(copy))
		return -EINVAL;
	memcpy(copy, value, n + 1);
	if (copy[n - 1] == 'K' || copy[n - 1] == 'M')
		factor = copy[n - 1] == 'K' ? 1024 : 1024 * 1024;
	if (factor > 1)
		copy[n - 1] = '\0';
	if (ta_parse_i64(copy, &v) || v < 0 || v > INT32_MAX / factor)
		return -EINVAL;
	*ret = v * factor;
	return 0;
}

static int unit_of(const char *name, size_t n, int64_t *ret)
{
	static const struct {
		const char *name;
		int64_t usecs;
	} units[] = {{"", 1000000}, {"s", 1000000}, {"sec", 1000000}, {"second", 1000000}, {"seconds", 1000000},
		{"ms", 1000}, {"msec", 1000}, {"us", 1}, {"usec", 1}, {"\xc2\xb5s", 1}, {"\xce\xbcs", 1}, {"min", 60000000},
		{"m", 60000000}};

	for (size_t i = 0; i < TA_ARRAY_SIZE(units); i++) {
		if (strlen(units[i].name) == n && !strncmp(units[i].name, name, n)) {
			*ret = units[i].usecs;
			return 0;
		}
	}
	return -EINVAL;
}

int ta_link_usecs(const char *value, int64_t *ret)
{
	int64_t sum = 0;
	bool any = false;

	for (const char *c = value + strspn(value, " \t"); *c; any = true) {
		int64_t whole = 0, part = 0, scale = 1, unit;
		size_t digits = strspn(c, "0123456789"), n;

		if (!digits || digits > 9)
			return -EINVAL;
		for (; ta_is_digit(*c); c++)
			whole = whole * 10 + (*c - '0');
		if (*c == '.')
			for (c++; ta_is_digit(*c); c++) {
				if (scale >= 1000000)
					continue;
				part = part * 10 + (*c - '0');
				scale *= 10;
			}
		c += strspn(c, " \t");
		n = strcspn(c, " \t0123456789");
		if (unit_of(c, n, &unit))
			return -EINVAL;
		sum += whole * unit + part * unit / scale;
		if (sum > INT32_MAX)
			return -EINVAL;
		c += n;
		c += strspn(c, " \t");
	}
	if (!any)
		return -EINVAL;
	*ret = sum;
	return 0;
}
