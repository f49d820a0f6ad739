#include "fix/ownfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "fix/where.h"

#define HEAD "# From tuneaudit: these lines keep what its runs changed over a restart of the host. 'tuneaudit rollback RUN'\n" \
	     "# takes those of a run out again. Edited by hand, this file is left as it is. Sum: "
#define SUM_DIGITS 16
#define MADE_DIR "# Its directory was made for it.\n"
#define RUN "# run "

void ta_own_done(struct ta_own *o)
{
	for (size_t i = 0; i < o->n; i++)
		free(o->v[i].text);
	free(o->v);
	free(o->base);
	*o = (struct ta_own){0};
}

#define NAME_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:-"

static bool matches(const char *pattern, const char *path)
{
	const char *star = strchr(pattern, '*');
	size_t head = star ? (size_t)(star - pattern) : 0, len = strlen(path), tail = star ? strlen(star + 1) : 0;

	if (!star)
		return !strcmp(pattern, path);
	return len > head + tail && len <= 200 && !strncmp(pattern, path, head) && !strcmp(path + len - tail, star + 1) &&
	       strspn(path + head, NAME_CHARS) == len - head;
}

const struct ta_own_kind *ta_own_kind(const char *path)
{
	for (size_t i = 0; i < ta_n_own_kinds; i++)
		if (matches(ta_own_kinds[i].path, path))
			return &ta_own_kinds[i];
	return NULL;
}

/* --- lines ------------------------------------------------------------------------- */

static int rank_of(const struct ta_own_kind *kind, const char *line)
{
	return kind->rank ? kind->rank(line) : 0;
}

/* Every run has its own line in a file that several want. */
static bool is_shared(const struct ta_own_kind *kind)
{
	return kind->before;
}

static bool same_key(const struct ta_own_kind *kind, const char *a, const char *b)
{
	size_t n = kind->key(a);

	return n == kind->key(b) && !memcmp(a, b, n);
}

static int compare(const struct ta_own_kind *kind, const struct ta_own_line *a, const struct ta_own_line *b)
{
	int by_rank = rank_of(kind, a->text) - rank_of(kind, b->text);

	if (by_rank)
		return by_rank;
	return a->run != b->run ? (a->run < b->run ? -1 : 1) : strcmp(a->text, b->text);
}

static struct ta_own_line *find(const struct ta_own *o, unsigned run, const char *line)
{
	for (size_t i = 0; i < o->n; i++)
		if (is_shared(o->kind) ? o->v[i].run == run : same_key(o->kind, o->v[i].text, line))
			return &o->v[i];
	return NULL;
}

static bool equal(const struct ta_own_kind *kind, const struct ta_own_line *a, const struct ta_own_line *b)
{
	return a && b ? a->run == b->run && (is_shared(kind) || !strcmp(a->text, b->text)) : a == b;
}

static void drop(struct ta_own *o, struct ta_own_line *l)
{
	size_t behind = o->n - (size_t)(l - o->v) - 1;

	free(l->text);
	memmove(l, l + 1, behind * sizeof(*l));
	o->n--;
}

/* In its place in the order, instead of a line of the same key. */
static int put_line(struct ta_own *o, unsigned run, const char *text, size_t len)
{
	struct ta_own_line line = {run, strndup(text, len)}, *v, *old;
	size_t at;

	if (!line.text)
		return -ENOMEM;
	old = find(o, run, line.text);
	if (old)
		drop(o, old);
	v = reallocarray(o->v, o->n + 1, sizeof(*v));
	if (!v) {
		free(line.text);
		return -ENOMEM;
	}
	o->v = v;
	for (at = o->n++; at && compare(o->kind, &line, &v[at - 1]) < 0; at--)
		v[at] = v[at - 1];
	v[at] = line;
	return 0;
}

/* --- text ---------------------------------------------------------------------------- */

static void format_lines(const struct ta_own *o, struct ta_buf *ret)
{
	unsigned run = 0;

	if (o->made_dir)
		ta_buf_adds(ret, MADE_DIR);
	if (o->base)
		ta_buf_adds(ret, o->base);
	for (size_t i = 0; i < o->n; i++) {
		if (o->v[i].run != run)
			ta_buf_printf(ret, RUN "%u\n", run = o->v[i].run);
		if (!is_shared(o->kind))
			ta_buf_printf(ret, "%s\n", o->v[i].text);
	}
	/* of the newest run: the program may have moved */
	if (is_shared(o->kind))
		ta_buf_printf(ret, "%s%s%s", o->kind->before, o->v[o->n - 1].text, o->kind->behind);
}

int ta_own_format(const struct ta_own *o, struct ta_buf *ret)
{
	ta_cleanup_buf struct ta_buf lines = TA_BUF_INIT;

	if (!o->n) {
		ta_buf_adds(ret, o->made_dir ? TA_OWN_NOWHERE : TA_OWN_ABSENT);
		return ret->error;
	}
	format_lines(o, &lines);
	if (o->kind->first)
		ta_buf_adds(ret, o->kind->first);
	ta_buf_printf(ret, HEAD "%016llx\n%s", (unsigned long long)ta_sum_add(TA_SUM_INIT, ta_buf_text(&lines)),
		ta_buf_text(&lines));
	return lines.error ?: ret->error;
}

static int parse_run(const char *line, size_t len, unsigned *ret)
{
	ta_cleanup_buf struct ta_buf digits = TA_BUF_INIT;
	uint64_t run;

	ta_buf_add(&digits, line + strlen(RUN), len - strlen(RUN));
	if (digits.error || ta_parse_u64(ta_buf_text(&digits), &run) < 0 || run < 1 || run > UINT32_MAX)
		return digits.error ?: -EBADMSG;
	*ret = (unsigned)run;
	return 0;
}

/* The one line of a file that several runs want, for each of them. */
static int parse_shared(const char *text, struct ta_own *o)
{
	const char *before = o->kind->before, *behind = o->kind->behind;
	size_t len;
	int rc = 0;

	if (strncmp(text, before, strlen(before)) != 0)
		return -EBADMSG;
	text += strlen(before);
	len = strcspn(text, "\n");
	for (size_t i = 0; rc == 0 && i < o->n; i++) {
		free(o->v[i].text);
		o->v[i].text = strndup(text, len);
		rc = o->v[i].text ? 0 : -ENOMEM;
	}
	return rc ?: strcmp(text + len, behind) ? -EBADMSG : 0;
}

static int parse_line(const char *text, size_t n, unsigned *run, struct ta_own *o)
{
	ta_cleanup_buf struct ta_buf base = TA_BUF_INIT;

	if (!strncmp(text, RUN, strlen(RUN))) {
		int rc = parse_run(text, n, run);

		return rc ?: is_shared(o->kind) ? put_line(o, *run, "", 0) : 0;
	}
	if (*run)
		return put_line(o, *run, text, n);
	if (!o->kind->check_base)
		return -EBADMSG;
	if (o->base)
		ta_buf_adds(&base, o->base);
	ta_buf_add(&base, text, n);
	ta_buf_addc(&base, '\n');
	free(o->base);
	o->base = ta_buf_steal(&base);
	return o->base ? 0 : -ENOMEM;
}

static int check_base(const struct ta_own_kind *kind, const char *base, struct ta_err *err)
{
	ta_cleanup_strv struct ta_strv v = TA_STRV_INIT;
	int rc = 0;

	if (base)
		ta_strv_split(&v, base, "\n");
	for (size_t i = 0; rc == 0 && i < v.n; i++)
		rc = kind->check_base(v.v[i], err);
	return v.error ?: rc;
}

static int parse_lines(const char *text, struct ta_own *o, struct ta_err *err)
{
	unsigned run = 0;
	int rc = 0;

	o->made_dir = !strncmp(text, MADE_DIR, strlen(MADE_DIR));
	if (o->made_dir)
		text += strlen(MADE_DIR);
	while (*text && rc == 0) {
		size_t n = strcspn(text, "\n");

		if (is_shared(o->kind) && strncmp(text, RUN, strlen(RUN)) != 0) {
			rc = parse_shared(text, o);
			break;
		}
		rc = parse_line(text, n, &run, o);
		text += n + (text[n] == '\n');
	}
	if (rc == 0 && check_base(o->kind, o->base, err) < 0)
		rc = -EBADMSG;
	for (size_t i = 0; rc == 0 && i < o->n; i++)
		if (o->kind->check(o->v[i].text, TA_VALUE_FOUND, err) < 0)
			rc = -EBADMSG;
	return rc;
}

static bool sum_is_right(const char *text)
{
	ta_cleanup_buf struct ta_buf sum = TA_BUF_INIT;
	size_t n = strcspn(text, "\n");

	if (n != SUM_DIGITS || !text[n])
		return false;
	ta_buf_printf(&sum, "%016llx", (unsigned long long)ta_sum_add(TA_SUM_INIT, text + n + 1));
	return !sum.error && !strncmp(text, ta_buf_text(&sum), n);
}

static int parse_text(const char *path, const char *text, struct ta_own *o, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf again = TA_BUF_INIT;
	const char *first = o->kind->first ? o->kind->first : "", *whole = text;
	int rc;

	if (!strncmp(text, first, strlen(first)))
		text += strlen(first);
	if (strncmp(text, HEAD, strlen(HEAD)) != 0)
		return ta_err_set(err, -EBADMSG, "%s is there, and not from this program", path);
	if (!sum_is_right(text + strlen(HEAD)))
		return ta_err_set(err, -EBADMSG, "%s was edited since this program wrote it", path);
	rc = parse_lines(text + strlen(HEAD) + SUM_DIGITS + 1, o, err);
	if (rc == 0)
		rc = ta_own_format(o, &again);
	if (rc == 0 && strcmp(ta_buf_text(&again), whole) != 0)
		rc = -EBADMSG;
	return rc == -EBADMSG ? ta_err_set(err, rc, "%s holds what this program does not write", path) : rc;
}

int ta_own_parse(const char *path, const char *value, struct ta_own *ret, struct ta_err *err)
{
	struct ta_own o = {.kind = ta_own_kind(path)};
	int rc = 0;

	if (!o.kind)
		return ta_err_set(err, -EPERM, "%.200s is no file that this program writes", path);
	if (!strcmp(value, TA_OWN_NOWHERE))
		o.made_dir = true; /* it will have to be */
	else if (strcmp(value, TA_OWN_ABSENT) != 0)
		rc = parse_text(path, value, &o, err);
	if (rc < 0)
		ta_own_done(&o);
	else
		*ret = o;
	return rc;
}

size_t ta_own_lines_of(const char *path, const char *value, unsigned run, struct ta_buf *ret)
{
	ta_cleanup_own struct ta_own o = {0};
	size_t n = 0;

	if (ta_own_parse(path, value, &o, NULL) < 0)
		return 0;
	for (size_t i = 0; i < o.n; i++) {
		if (o.v[i].run != run)
			continue;
		ta_buf_printf(ret, "%s\n", o.v[i].text);
		n++;
	}
	return n;
}

/* --- in and out ------------------------------------------------------------------------- */

/* The lines of one change: those that belong to all, with their newlines, and the rest. */
static void split(const struct ta_own_kind *kind, const char *lines, struct ta_buf *ret_base, struct ta_strv *ret)
{
	size_t own = 0, len = strlen(lines);

	if (kind->check_base) {
		own = len - (len && lines[len - 1] == '\n');
		while (own && lines[own - 1] != '\n')
			own--;
	}
	ta_buf_add(ret_base, lines, own);
	ta_strv_split(ret, lines + own, "\n");
}

int ta_own_check_lines(const char *path, const char *lines, enum ta_value_use use, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf base = TA_BUF_INIT;
	ta_cleanup_strv struct ta_strv v = TA_STRV_INIT;
	const struct ta_own_kind *kind = ta_own_kind(path);
	int rc;

	if (!kind)
		return ta_err_set(err, -EPERM, "%.200s is no file that this program writes", path);
	split(kind, lines, &base, &v);
	rc = base.error ?: v.error ?: check_base(kind, base.data, err);
	for (size_t i = 0; rc == 0 && i < v.n; i++)
		rc = kind->check(v.v[i], use, err);
	if (rc == 0 && !v.n)
		rc = ta_err_set(err, -EINVAL, "there is no line for %s", path);
	return rc;
}

int ta_own_put(const char *path, const char *present, unsigned run, const char *lines, struct ta_buf *ret, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf base = TA_BUF_INIT;
	ta_cleanup_strv struct ta_strv v = TA_STRV_INIT;
	ta_cleanup_own struct ta_own o = {0};
	int rc = ta_own_parse(path, present, &o, err);

	if (rc < 0)
		return rc;
	split(o.kind, lines, &base, &v);
	rc = base.error ?: v.error;
	if (rc == 0 && base.len) {
		free(o.base);
		o.base = ta_buf_steal(&base);
		rc = o.base ? 0 : -ENOMEM;
	}
	if (rc == 0 && o.kind->check_base && !o.base)
		rc = ta_err_set(err, -EBADMSG, "%s is gone, and its lines alone mean nothing", path);
	for (size_t i = 0; rc == 0 && i < v.n; i++)
		rc = put_line(&o, run, v.v[i], strlen(v.v[i]));
	return rc ?: ta_own_format(&o, ret);
}

static bool is_meant(const struct ta_own_kind *kind, const struct ta_strv *only, const char *line)
{
	for (size_t i = 0; only && i < only->n; i++)
		if (same_key(kind, only->v[i], line))
			return true;
	return !only;
}

/* What the change made of this line is taken back, if it is still so. */
static int take_line(struct ta_own *now, const struct ta_own *before, const struct ta_own_line *ours, struct ta_own_taken *ret)
{
	const struct ta_own_kind *kind = now->kind;
	const struct ta_own_line *was = find(before, ours->run, ours->text);
	struct ta_own_line *is = find(now, ours->run, ours->text);

	if (equal(kind, was, ours) || !is || equal(kind, was, is))
		return 0;
	if (!equal(kind, is, ours)) {
		ret->newer = TA_MAX(ret->newer, is->run);
		return 0;
	}
	if (was)
		return put_line(now, was->run, was->text, strlen(was->text));
	drop(now, is);
	return 0;
}

/* Those of all runs, if the change has set them anew and they are still so. */
static int take_base(struct ta_own *now, const struct ta_own *before, const struct ta_own *ours)
{
	if (!before->base || !ours->base || !now->base || strcmp(now->base, ours->base) != 0)
		return 0;
	free(now->base);
	now->base = strdup(before->base);
	return now->base ? 0 : -ENOMEM;
}

int ta_own_take(const char *path, const char *before, const char *after, const char *present, const char *only,
	struct ta_own_taken *ret, struct ta_err *err)
{
	ta_cleanup_own struct ta_own was = {0}, ours = {0}, now = {0};
	ta_cleanup_buf struct ta_buf base = TA_BUF_INIT;
	ta_cleanup_strv struct ta_strv lines = TA_STRV_INIT;
	struct ta_own_taken taken = {0};
	int rc = ta_own_parse(path, before, &was, err) ?: ta_own_parse(path, after, &ours, err) ?:
		ta_own_parse(path, present, &now, err);

	if (rc == 0 && only)
		split(ours.kind, only, &base, &lines);
	if (rc == 0 && !only)
		rc = take_base(&now, &was, &ours);
	rc = rc ?: base.error ?: lines.error;
	for (size_t i = 0; rc == 0 && i < ours.n; i++)
		if (is_meant(ours.kind, only ? &lines : NULL, ours.v[i].text))
			rc = take_line(&now, &was, &ours.v[i], &taken);
	/* What is gone already went with its directory, or without. */
	if (rc == 0 && !strcmp(present, TA_OWN_ABSENT))
		now.made_dir = !strcmp(before, TA_OWN_NOWHERE);
	rc = rc ?: ta_own_format(&now, &taken.value);
	if (rc < 0)
		ta_buf_done(&taken.value);
	else
		*ret = taken;
	return rc;
}
