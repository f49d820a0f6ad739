#include "probe/unitset.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "probe/unitfile.h"

#define SETS_MAX 64

/* --- one limit ------------------------------------------------------------------------- */

/* A number with K, M, G, T, P or E of 1024, or "infinity". */
static int parse_one(const char *text, size_t len, bool *ret_unlimited, uint64_t *ret)
{
	static const char suffixes[] = "KMGTPE";
	const char *suffix;
	char copy[32];
	uint64_t v;

	*ret_unlimited = len == strlen("infinity") && !strncmp(text, "infinity", len);
	if (*ret_unlimited) {
		*ret = UINT64_MAX;
		return 0;
	}
	if (!len || len >= sizeof(copy))
		return -EINVAL;
	memcpy(copy, text, len);
	copy[len] = '\0';
	if (copy[len - 1] == 'B' && len > 1)
		copy[--len] = '\0';
	suffix = strchr(suffixes, copy[len - 1]);
	if (suffix)
		copy[len - 1] = '\0';
	if (ta_parse_u64(copy, &v))
		return -EINVAL;
	for (const char *s = suffixes; suffix && s <= suffix; s++) {
		if (v > UINT64_MAX / 1024)
			return -EINVAL;
		v *= 1024;
	}
	*ret = v;
	return 0;
}

int ta_rlimit_parse(const char *text, struct ta_rlimit_text *ret)
{
	struct ta_rlimit_text r;
	const char *colon = strchr(text, ':');
	int rc = parse_one(text, colon ? (size_t)(colon - text) : strlen(text), &r.soft_unlimited, &r.soft);

	r.hard = r.soft;
	r.hard_unlimited = r.soft_unlimited;
	if (!rc && colon)
		rc = parse_one(colon + 1, strlen(colon + 1), &r.hard_unlimited, &r.hard);
	if (!rc && r.soft > r.hard)
		rc = -EINVAL;
	if (!rc)
		*ret = r;
	return rc;
}

/* --- lines ------------------------------------------------------------------------------ */

struct set {
	char *key, *value;
	unsigned file, line;
};

struct sets {
	struct set v[SETS_MAX]; /* of each key the last one */
	size_t n;
	struct set lost[SETS_MAX]; /* LimitNOFILE= that another one took the place of */
	size_t n_lost;
};

static void set_done(struct set *s)
{
	free(s->key);
	free(s->value);
	*s = (struct set){0};
}

static void sets_done(struct sets *s)
{
	for (size_t i = 0; i < s->n; i++)
		set_done(&s->v[i]);
	for (size_t i = 0; i < s->n_lost; i++)
		set_done(&s->lost[i]);
}

static struct set *find(struct sets *s, const char *key)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->v[i].key, key))
			return &s->v[i];
	return NULL;
}

static void lose(struct sets *s, struct set *old)
{
	if (!strcmp(old->key, "LimitNOFILE") && *old->value && s->n_lost < SETS_MAX) {
		s->lost[s->n_lost++] = *old;
		*old = (struct set){0};
	}
	set_done(old);
}

static int on_unit_line(const struct ta_unit_line *l, void *ctx)
{
	struct sets *s = ctx;
	struct ta_rlimit_text r;
	struct set new = {.file = l->file, .line = l->line}, *old;

	if (strcmp(l->section, "Service") != 0)
		return 0;
	/* systemd passes over what it cannot read, and so what stood before goes on to hold. */
	if (!strncmp(l->key, "Limit", 5) && *l->value && ta_rlimit_parse(l->value, &r))
		return 0;
	old = find(s, l->key);
	if (!old && s->n == SETS_MAX)
		return 0;
	new.key = strdup(l->key);
	new.value = strdup(l->value);
	if (!new.key || !new.value) {
		set_done(&new);
		return -ENOMEM;
	}
	if (old)
		lose(s, old);
	else
		old = &s->v[s->n++];
	*old = new;
	return 0;
}

static int on_manager_line(const struct ta_unit_line *l, void *ctx)
{
	struct ta_unit_defaults *d = ctx;
	struct ta_rlimit_text r;

	if (strcmp(l->key, "DefaultLimitNOFILE") != 0 || (*l->value && ta_rlimit_parse(l->value, &r)))
		return 0;
	snprintf(d->nofile, sizeof(d->nofile), "%s", l->value);
	/* The name of the file is put in its place by read_defaults(). */
	snprintf(d->nofile_from, sizeof(d->nofile_from), "%u:%u", l->file, l->line);
	return 0;
}

static void read_defaults(struct ta_host *h, struct ta_unit_defaults *d)
{
	ta_cleanup_unit_files struct ta_unit_files files = {0};
	const char *colon;
	char from[512];
	uint64_t file;

	if (d->asked)
		return;
	d->asked = true;
	d->rc = ta_manager_files_read(h, on_manager_line, d, &files);
	if (!d->rc && files.rc) {
		d->rc = files.rc;
		snprintf(d->hole, sizeof(d->hole), "%s", files.hole);
	}
	colon = strchr(d->nofile_from, ':');
	if (!*d->nofile || !colon) {
		*d->nofile_from = '\0';
		return;
	}
	snprintf(from, sizeof(from), "%.*s", (int)(colon - d->nofile_from), d->nofile_from);
	if (!ta_parse_u64(from, &file) && file < files.v.n) {
		snprintf(from, sizeof(from), "%s%s", files.v.v[file], colon);
		memcpy(d->nofile_from, from, sizeof(from));
	}
}

/* --- facts ------------------------------------------------------------------------------ */

static void put_number(struct ta_facts *f, const char *unit, const char *key, bool unlimited, uint64_t v)
{
	if (unlimited)
		ta_put_unlimited(f, "units", unit, key);
	else
		ta_put_u64(f, v, "units", unit, key);
}

static void put_nofile(struct ta_facts *f, const char *unit, const struct ta_unit_defaults *d,
	const struct ta_unit_files *files, const struct set *own)
{
	static const char *const keys[] = {"nofile_soft", "nofile_hard", "nofile_set_by"};
	ta_cleanup_buf struct ta_buf from = TA_BUF_INIT;
	bool by_unit = own && own->value && *own->value;
	int rc = files->rc ?: by_unit ? 0 : d->rc;
	struct ta_rlimit_text r;

	for (size_t i = 0; rc && i < TA_ARRAY_SIZE(keys); i++)
		ta_facts_put_absent(f, TA_KEYS("units", unit, keys[i]), ta_reason_of(rc), "%s",
			files->rc ? files->hole : d->hole);
	if (rc)
		return;
	if (by_unit)
		ta_buf_printf(&from, "%s:%u", files->v.v[own->file], own->line);
	else
		ta_buf_adds(&from, d->nofile_from);
	ta_put_str(f, ta_buf_text(&from), "units", unit, "nofile_set_by");
	if (ta_rlimit_parse(by_unit ? own->value : d->nofile, &r) == 0) {
		put_number(f, unit, "nofile_soft", r.soft_unlimited, r.soft);
		put_number(f, unit, "nofile_hard", r.hard_unlimited, r.hard);
		return;
	}
	for (size_t i = 0; i < 2; i++)
		ta_facts_put_absent(f, TA_KEYS("units", unit, keys[i]), TA_MISSING,
			"nothing sets it: systemd's own default, 1024:524288 since 240");
}

static void put_sets(struct ta_facts *f, const char *unit, const struct ta_unit_files *files, const struct sets *s)
{
	ta_cleanup_strv struct ta_strv sets = TA_STRV_INIT, lost = TA_STRV_INIT;
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	for (size_t i = 0; i < s->n; i++) {
		ta_buf_reset(&text);
		ta_buf_printf(&text, "%s=%s (%s:%u)", s->v[i].key, s->v[i].value, files->v.v[s->v[i].file], s->v[i].line);
		ta_strv_add(&sets, ta_buf_text(&text));
	}
	for (size_t i = 0; i < s->n_lost; i++) {
		ta_buf_reset(&text);
		ta_buf_printf(&text, "%s:%u sets %s", files->v.v[s->lost[i].file], s->lost[i].line, s->lost[i].value);
		ta_strv_add(&lost, ta_buf_text(&text));
	}
	ta_facts_put_strs(f, TA_KEYS("units", unit, "sets"), sets.v, sets.n);
	ta_facts_put_strs(f, TA_KEYS("units", unit, "nofile_overridden"), lost.v, lost.n);
}

void ta_unit_put(struct ta_host *h, struct ta_facts *f, struct ta_unit_defaults *d, const char *unit)
{
	ta_cleanup_unit_files struct ta_unit_files files = {0};
	ta_cleanup(sets_done) struct sets s = {.n = 0};
	size_t own;
	int rc = ta_unit_files_read(h, unit, on_unit_line, &s, &files);

	if (rc < 0) {
		ta_put_errno(f, rc, "unit files", "units", unit);
		return;
	}
	if (!files.v.n && !files.rc && !ta_host_is_whole(h)) {
		ta_facts_put_absent(f, TA_KEYS("units", unit), TA_MISSING, "the copied tree does not have its unit file");
		return;
	}
	read_defaults(h, d);
	own = files.has_unit ? 1 : 0;
	ta_facts_put_strs(f, TA_KEYS("units", unit, "drop_ins"), files.v.v + own, files.v.n - own);
	if (own)
		ta_put_str(f, files.v.v[0], "units", unit, "file");
	else
		ta_facts_put_absent(f, TA_KEYS("units", unit, "file"), TA_MISSING, "no unit file of that name");
	put_nofile(f, unit, d, &files, find(&s, "LimitNOFILE"));
	put_sets(f, unit, &files, &s);
}
