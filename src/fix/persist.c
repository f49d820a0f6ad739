#include "fix/persist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fix/keep.h"
#include "fix/ownfile.h"
#include "host/change.h"

/* A file, and all lines that are to go into it. */
struct wanted {
	const char *path;
	struct ta_buf lines;
};

struct wanted_list {
	struct wanted *v;
	size_t n;
};

static void wanted_done(struct wanted_list *w)
{
	for (size_t i = 0; i < w->n; i++)
		ta_buf_done(&w->v[i].lines);
	free(w->v);
}

#define cleanup_wanted ta_cleanup(wanted_done)

bool ta_persist_is_file(const struct ta_change *c)
{
	return c->knob == &ta_knob_file;
}

/* --- what goes where ----------------------------------------------------------------- */

static int want(struct wanted_list *w, const char *path, const char *lines)
{
	struct wanted *v;

	for (size_t i = 0; i < w->n; i++)
		if (!strcmp(w->v[i].path, path)) {
			ta_buf_adds(&w->v[i].lines, lines);
			return w->v[i].lines.error;
		}
	v = reallocarray(w->v, w->n + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	w->v = v;
	v[w->n] = (struct wanted){.path = path};
	ta_buf_adds(&v[w->n].lines, lines);
	return v[w->n++].lines.error;
}

/* Modules that have to be loaded before a line can take effect; systemd-sysctl comes after systemd-modules-load. */
static int want_modules(struct wanted_list *w, const struct ta_keep *keep)
{
	ta_cleanup_strv struct ta_strv lines = TA_STRV_INIT;
	int rc = 0;

	ta_strv_split(&lines, keep->text, "\n");
	for (size_t i = 0; rc == 0 && i < lines.n; i++) {
		const char *module = ta_keep_module(keep->file, lines.v[i]);

		if (module)
			rc = want(w, TA_OWN_MODULES, module) ?: want(w, TA_OWN_MODULES, "\n");
	}
	return rc ?: lines.error;
}

static int find_wanted(const struct ta_keep *keeps, size_t n, struct wanted_list *w, struct ta_err *err)
{
	for (size_t i = 0; i < n; i++) {
		int rc = ta_own_check_lines(keeps[i].file, keeps[i].text, TA_VALUE_WISHED, err);

		if (rc == 0)
			rc = want_modules(w, &keeps[i]) ?: want(w, keeps[i].file, keeps[i].text);
		if (rc < 0)
			return rc == -ENOMEM ? ta_err_set(err, rc, "out of memory") : rc;
	}
	return 0;
}

/* --- before ---------------------------------------------------------------------------- */

/* What is there now; -EBADMSG with the reason where it is not ours. */
static int look(struct ta_host *h, const char *path, struct ta_buf *ret, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf raw = TA_BUF_INIT;
	ta_cleanup_own struct ta_own own = {0};
	int rc = ta_knob_file.read(h, path, ret, err);

	if (rc < 0 || strncmp(ta_buf_text(ret), TA_OWN_FOREIGN, strlen(TA_OWN_FOREIGN)) != 0)
		return rc;
	rc = ta_host_own(h, path, TA_KNOB_VALUE_MAX, &raw);
	if (rc == -ELOOP)
		return ta_err_set(err, -EBADMSG, "%s, or a directory on the way to it, is a link, which is not followed", path);
	if (rc < 0)
		return ta_err_set(err, -EBADMSG, "%s is there, and no file of this program: %s", path, ta_errno_text(rc));
	rc = ta_own_parse(path, ta_buf_text(&raw), &own, err);
	return rc < 0 ? rc : ta_err_set(err, -EBADMSG, "%s is there, and not from this program", path);
}

int ta_persist_check(struct ta_host *h, const struct ta_keep *keeps, size_t n, struct ta_err *err)
{
	cleanup_wanted struct wanted_list w = {0};
	int rc = find_wanted(keeps, n, &w, err);

	for (size_t i = 0; rc == 0 && i < w.n; i++) {
		ta_cleanup_buf struct ta_buf present = TA_BUF_INIT;

		rc = look(h, w.v[i].path, &present, err);
		if (rc == 0)
			rc = ta_host_may_put(h, w.v[i].path);
		if (rc < 0 && !*err->text)
			ta_err_set(err, rc, "%s cannot be written: %s", w.v[i].path, ta_errno_text(rc));
	}
	return rc;
}

/* --- writing ------------------------------------------------------------------------------ */

static int prepare(const struct ta_persist *p, struct ta_run *r, const struct wanted *w, struct ta_change **ret, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf present = TA_BUF_INIT, after = TA_BUF_INIT;
	struct ta_change *c;
	int rc = look(p->host, w->path, &present, err);

	if (rc == 0)
		rc = ta_own_put(w->path, ta_buf_text(&present), r->number, ta_buf_text(&w->lines), &after, err);
	if (rc < 0)
		return rc;
	c = ta_run_add(r, &(struct ta_step){.knob = &ta_knob_file, .target = (char *)w->path,
		.before = (char *)ta_buf_text(&present), .after = (char *)ta_buf_text(&after)});
	if (!c)
		return ta_err_set(err, -ENOMEM, "out of memory");
	*ret = c;
	if (!ta_set_text(&c->rule, TA_KEEP_RULE) || !ta_set_text(&c->disruption, "none") ||
		!ta_set_text(&c->why, "Changes of this run are kept over a restart"))
		return ta_err_set(err, -ENOMEM, "out of memory");
	return ta_journal_intent(p->state, r->number, c, err);
}

static int write_file(const struct ta_persist *p, struct ta_run *r, struct ta_change *c, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf value = TA_BUF_INIT;
	int rc = c->knob->write(p->host, c->target, c->after, err);

	if (rc == 0)
		rc = c->knob->read(p->host, c->target, &value, err);
	if (rc == 0 && strcmp(ta_buf_text(&value), c->after) != 0)
		rc = ta_err_set(err, -EIO, "%s was written and does not hold what was written", c->target);
	if (rc == 0 && !ta_set_text(&c->value, c->after))
		rc = ta_err_set(err, -ENOMEM, "out of memory");
	if (rc < 0) {
		c->state = TA_CHANGE_FAILED;
		if (ta_set_text(&c->note, err->text))
			ta_journal_state(p->state, r->number, c, NULL); /* if not: it is an intent for whoever reads */
		return rc;
	}
	rc = ta_journal_done(p->state, r->number, c, err);
	if (rc == 0)
		c->state = TA_CHANGE_DONE;
	return rc;
}

static void take_back(const struct ta_persist *p, struct ta_run *r, size_t first)
{
	struct ta_undo u = {.host = p->host, .state = p->state, .same_boot = true};

	for (size_t i = r->n; i-- > first;)
		ta_undo_change(&u, r->number, &r->changes[i]);
}

static bool is_written(const struct ta_run *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (ta_persist_is_file(&r->changes[i]) && !ta_change_is_undone(&r->changes[i]))
			return true;
	return false;
}

int ta_persist_run(const struct ta_persist *p, struct ta_run *r, struct ta_err *err)
{
	cleanup_wanted struct wanted_list w = {0};
	size_t first = r->n;
	int rc = is_written(r) ? 0 : find_wanted(r->keeps, r->n_keeps, &w, err);

	for (size_t i = 0; rc == 0 && i < w.n; i++) {
		struct ta_change *c = NULL;
		size_t before = r->n;

		if (p->stop && *p->stop) {
			rc = ta_err_set(err, -EINTR, "ended by signal %d", (int)*p->stop);
			break;
		}
		rc = prepare(p, r, &w.v[i], &c, err);
		if (rc < 0 && r->n > before)
			ta_run_drop_last(r); /* nothing came of it */
		if (rc == 0)
			rc = write_file(p, r, c, err);
	}
	if (rc < 0)
		take_back(p, r, first);
	return rc;
}

/* --- one change alone -------------------------------------------------------------------------- */

static int forget_in(struct ta_host *h, const struct ta_change *file, const char *lines, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf present = TA_BUF_INIT;
	struct ta_own_taken taken = {0};
	int rc = look(h, file->target, &present, err);

	if (rc == 0)
		rc = ta_own_take(file->target, file->before, file->after, ta_buf_text(&present), lines, &taken, err);
	if (rc == 0 && strcmp(ta_buf_text(&taken.value), ta_buf_text(&present)) != 0)
		rc = file->knob->write(h, file->target, ta_buf_text(&taken.value), err);
	ta_buf_done(&taken.value);
	return rc;
}

int ta_persist_forget(struct ta_host *h, const struct ta_run *r, unsigned number, struct ta_err *err)
{
	int rc = 0;

	for (size_t k = 0; k < r->n_keeps; k++) {
		if (r->keeps[k].change != number)
			continue;
		for (size_t i = 0; i < r->n && rc == 0; i++)
			if (ta_persist_is_file(&r->changes[i]) && !strcmp(r->changes[i].target, r->keeps[k].file) &&
				!ta_change_is_undone(&r->changes[i]))
				rc = forget_in(h, &r->changes[i], r->keeps[k].text, err);
	}
	return rc;
}
