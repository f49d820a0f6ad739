#include "probe/setters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "probe/sysctld.h"

static int by_path(const void *a, const void *b)
{
	const struct ta_setting *x = a, *y = b;

	return strcmp(x->path, y->path);
}

int ta_setters_init(struct ta_setters *s, const char *const *names, size_t n)
{
	*s = (struct ta_setters){.keys = calloc(n + 1, sizeof(*s->keys)),
		.patterns = calloc(TA_PATTERNS_MAX, sizeof(*s->patterns))};
	if (!s->keys || !s->patterns) {
		ta_setters_done(s);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		struct ta_setting *k = &s->keys[s->n_keys++];

		k->name = names[i];
		snprintf(k->path, sizeof(k->path), "%s", names[i]);
		ta_sysctl_path(k->path);
	}
	qsort(s->keys, s->n_keys, sizeof(*s->keys), by_path);
	return 0;
}

static void setter_done(struct ta_setter *x)
{
	free(x->key);
	free(x->value);
	*x = (struct ta_setter){0};
}

void ta_setters_done(struct ta_setters *s)
{
	for (size_t i = 0; s->keys && i < s->n_keys; i++) {
		for (size_t k = 0; k < s->keys[i].n; k++)
			setter_done(&s->keys[i].v[k]);
		free(s->keys[i].v);
	}
	for (size_t i = 0; i < s->n_patterns; i++)
		setter_done(&s->patterns[i]);
	free(s->keys);
	free(s->patterns);
	ta_strv_done(&s->files);
	*s = (struct ta_setters){0};
}

int ta_setters_file(struct ta_setters *s, const char *path)
{
	ta_strv_add(&s->files, path);
	s->at = (unsigned)s->files.n - 1;
	return s->files.error;
}

void ta_setters_hole(struct ta_setters *s, int rc, bool all, const char *path)
{
	unsigned at = all ? (unsigned)s->files.n + TA_PATTERNS_MAX : s->at;

	if (s->rc && at < s->hole)
		return;
	s->rc = rc;
	s->hole = at;
	snprintf(s->hole_text, sizeof(s->hole_text), "%s: %s", path, ta_errno_text(rc));
}

/* --- lines --------------------------------------------------------------------------- */

static int setter_make(const struct ta_setters *s, enum ta_set_by by, unsigned line, const char *key,
	const char *value, struct ta_setter *ret)
{
	struct ta_setter x = {.by = by, .file = s->at, .line = line};

	x.key = key ? strdup(key) : NULL;
	x.value = value ? strdup(value) : NULL;
	if ((key && !x.key) || (value && !x.value)) {
		setter_done(&x);
		return -ENOMEM;
	}
	*ret = x;
	return 0;
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void drop_pattern(struct ta_setters *s, size_t i)
{
	setter_done(&s->patterns[i]);
	memmove(&s->patterns[i], &s->patterns[i + 1], (--s->n_patterns - i) * sizeof(*s->patterns));
}

static bool matches_any(const struct ta_setters *s, const char *pattern)
{
	for (size_t i = 0; i < s->n_keys; i++)
		if (ta_sysctl_matches(pattern, s->keys[i].path))
			return true;
	return false;
}

/* A pattern given again keeps its place if its value is the same, and goes to the end if not. */
static int add_pattern(struct ta_setters *s, enum ta_set_by by, unsigned line, const char *key, const char *value)
{
	int rc;

	if (s->tried++ == TA_PATTERNS_MAX * 16)
		return -EFBIG;
	if (!matches_any(s, key))
		return 0;
	for (size_t i = 0; i < s->n_patterns; i++) {
		if (strcmp(s->patterns[i].key, key) != 0)
			continue;
		if (same(s->patterns[i].value, value)) {
			s->patterns[i].file = s->at;
			s->patterns[i].line = line;
			return 0;
		}
		drop_pattern(s, i);
		break;
	}
	if (s->n_patterns == TA_PATTERNS_MAX)
		return -EFBIG;
	rc = setter_make(s, by, line, key, value, &s->patterns[s->n_patterns]);
	if (!rc)
		s->n_patterns++;
	return rc;
}

static int add_line(struct ta_setters *s, struct ta_setting *k, enum ta_set_by by, unsigned line, const char *value)
{
	struct ta_setter x;
	int rc;

	if (!k->v) {
		k->v = calloc(TA_SETTERS_MAX, sizeof(*k->v));
		if (!k->v)
			return -ENOMEM;
	}
	rc = setter_make(s, by, line, NULL, value, &x);
	if (rc)
		return rc;
	if (k->n == TA_SETTERS_MAX) {
		setter_done(&k->v[0]);
		memmove(&k->v[0], &k->v[1], --k->n * sizeof(*k->v));
	}
	k->v[k->n++] = x;
	return 0;
}

static struct ta_setting *find_key(struct ta_setters *s, const char *path)
{
	struct ta_setting wanted;
	int n = snprintf(wanted.path, sizeof(wanted.path), "%s", path);

	if (n < 0 || (size_t)n >= sizeof(wanted.path))
		return NULL;
	return bsearch(&wanted, s->keys, s->n_keys, sizeof(*s->keys), by_path);
}

/* Two names of one variable: nf_conntrack_standalone.c, devinet.c (6.12). */
static const char *other_name(const char *path)
{
	static const char *const pairs[][2] = {
		{"net/nf_conntrack_max", "net/netfilter/nf_conntrack_max"},
		{"net/ipv4/ip_forward", "net/ipv4/conf/all/forwarding"},
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(pairs); i++) {
		if (!strcmp(path, pairs[i][0]))
			return pairs[i][1];
		if (!strcmp(path, pairs[i][1]))
			return pairs[i][0];
	}
	return NULL;
}

int ta_setters_line(struct ta_setters *s, enum ta_set_by by, unsigned line, const char *key, bool pattern,
	const char *value)
{
	struct ta_setting *k, *other;
	const char *alias = other_name(key);
	int rc;

	if (pattern)
		return by == TA_SET_FILE ? add_pattern(s, by, line, key, value) : 0;
	k = find_key(s, key);
	rc = k ? add_line(s, k, by, line, value) : 0;
	other = alias && value ? find_key(s, alias) : NULL;
	if (!rc && other)
		rc = add_line(s, other, by, line, value);
	return rc;
}

/* --- who wins ------------------------------------------------------------------------- */

bool ta_setter_is_for(const struct ta_setter *line, const struct ta_setting *key)
{
	return !line->key || ta_sysctl_matches(line->key, key->path);
}

static const struct ta_setter *last_of(const struct ta_setting *key, enum ta_set_by by)
{
	for (size_t i = key->n; i-- > 0;)
		if (key->v[i].by == by)
			return &key->v[i];
	return NULL;
}

static const struct ta_setter *last_pattern(const struct ta_setters *s, const struct ta_setting *key)
{
	for (size_t i = s->n_patterns; i-- > 0;)
		if (s->patterns[i].value && ta_setter_is_for(&s->patterns[i], key))
			return &s->patterns[i];
	return NULL;
}

/* What TuneD applies behind itself: lines that name the key in /etc and /run, /etc/sysctl.conf read or not. */
static const struct ta_setter *last_in_etc(const struct ta_setters *s, const struct ta_setting *key)
{
	const struct ta_setter *found = last_of(key, TA_SET_UNREAD);

	if (found && !found->value)
		found = NULL;
	for (size_t i = key->n; !found && i-- > 0;) {
		const struct ta_setter *x = &key->v[i];
		const char *file = s->files.v[x->file];

		if (x->by == TA_SET_FILE && x->value && (!strncmp(file, "/etc/", 5) || !strncmp(file, "/run/", 5)))
			found = x;
	}
	return found;
}

void ta_setters_result(const struct ta_setters *s, const struct ta_setting *key, struct ta_set_result *ret)
{
	const struct ta_setter *named = last_of(key, TA_SET_FILE), *tuned = last_of(key, TA_SET_TUNED),
			       *ufw = last_of(key, TA_SET_UFW), *again = NULL;
	struct ta_set_result r = {.winner = named ? named : last_pattern(s, key)};

	r.unknown = s->rc && (!named || s->hole > named->file);
	if (named && !named->value) {
		r.excluded_by = named;
		r.winner = NULL;
	}
	if (!r.winner)
		r.winner = last_of(key, TA_SET_CMDLINE);
	if (ufw && ufw->value) {
		r.winner = ufw;
		r.excluded_by = NULL;
		r.unknown = s->rc && s->hole > ufw->file;
	}
	if (s->etc_again)
		again = last_in_etc(s, key);
	if (tuned) {
		r.base = r.winner;
		r.winner = tuned;
		/* TuneD comes behind all files; only those that it applies again can still differ. */
		r.unknown = s->rc && (s->etc_again || s->hole > s->files.n);
	}
	if (again)
		r.winner = again;
	*ret = r;
}

void ta_setter_place(const struct ta_setters *s, const struct ta_setter *line, struct ta_buf *b)
{
	ta_buf_adds(b, s->files.v[line->file]);
	if (line->line)
		ta_buf_printf(b, ":%u", line->line);
}
