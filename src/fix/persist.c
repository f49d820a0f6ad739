#include "fix/persist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fix/keep.h"
#include "fix/ownfile.h"
#include "host/change.h"

/* The files of the keeps, each once; what starts something comes behind what it reads. */
struct files {
	const char **v;
	size_t n;
};

static void files_done(struct files *f)
{
	free(f->v);
}

#define cleanup_files ta_cleanup(files_done)

bool ta_persist_is_file(const struct ta_change *c)
{
	return c->knob == &ta_knob_file;
}

/* --- what goes where ----------------------------------------------------------------- */

/* It may be there for another change of this run. */
static int need(struct ta_run *r, const char *file, const char *text)
{
	for (size_t i = 0; i < r->n_keeps; i++)
		if (!r->keeps[i].change && !strcmp(r->keeps[i].file, file) && !strcmp(r->keeps[i].text, text))
			return 0;
	return ta_run_add_keep(r, 0, file, text) ? 0 : -ENOMEM;
}

/* systemd-sysctl comes after systemd-modules-load. */
static int need_module(struct ta_run *r, const char *file, const char *text)
{
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;
	const char *module = ta_keep_module(file, text);

	if (!module)
		return 0;
	ta_buf_printf(&line, "%s\n", module);
	return line.error ?: need(r, TA_OWN_MODULES, ta_buf_text(&line));
}

static bool is_procd(struct ta_host *h)
{
	ta_cleanup_buf struct ta_buf comm = TA_BUF_INIT;

	return ta_host_read(h, "/proc/1/comm", 64, &comm) == 0 && comm.len && !strcmp(ta_strip(comm.data), "procd");
}

static int need_starter(struct ta_host *h, struct ta_run *r, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf program = TA_BUF_INIT, line = TA_BUF_INIT;
	int rc = ta_host_program(h, &program);

	if (rc == -EPERM)
		return ta_err_set(err, rc, "the start of the host would run %s as root, and others may write it or put another in its "
			"place: install it (make install), or leave files out (--runtime-only)", ta_buf_text(&program));
	if (rc < 0)
		return ta_err_set(err, rc, "where this program is cannot be told: %s", ta_errno_text(rc));
	ta_buf_printf(&line, "%s boot\n", ta_buf_text(&program));
	if (line.error || is_procd(h))
		return line.error ?: need(r, TA_OWN_RC, ta_buf_text(&line));
	return need(r, TA_OWN_UNIT, ta_buf_text(&line)) ?: need(r, TA_OWN_WANTS, "tuneaudit-boot.service\n");
}

int ta_persist_complete(struct ta_host *h, struct ta_run *r, struct ta_err *err)
{
	size_t n = r->n_keeps;
	bool boot = false;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		rc = need_module(r, r->keeps[i].file, r->keeps[i].text);
		boot = boot || !strcmp(r->keeps[i].file, TA_OWN_BOOT);
	}
	if (rc == 0 && boot)
		rc = need_starter(h, r, err);
	return rc == -ENOMEM ? ta_err_set(err, rc, "out of memory") : rc;
}

static int find_files(const struct ta_keep *keeps, size_t n, struct files *ret, struct ta_err *err)
{
	ret->v = calloc(n + 1, sizeof(*ret->v));
	if (!ret->v)
		return ta_err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < n; i++) {
		int rc = ta_own_check_lines(keeps[i].file, keeps[i].text, TA_VALUE_WISHED, err);
		size_t k = 0;

		if (rc < 0)
			return rc == -ENOMEM ? ta_err_set(err, rc, "out of memory") : rc;
		while (k < ret->n && strcmp(ret->v[k], keeps[i].file) != 0)
			k++;
		if (k == ret->n)
			ret->v[ret->n++] = keeps[i].file;
	}
	return 0;
}

/* The file as it is to be. */
static int put_all(const struct ta_run *r, const char *path, const char *present, struct ta_buf *ret, struct ta_err *err)
{
	int rc = 0;

	ta_buf_adds(ret, present);
	for (size_t i = 0; rc == 0 && i < r->n_keeps; i++) {
		ta_cleanup_buf struct ta_buf next = TA_BUF_INIT;

		if (strcmp(r->keeps[i].file, path) != 0)
			continue;
		rc = ta_own_put(path, ta_buf_text(ret), r->number, r->keeps[i].text, &next, err);
		ta_buf_reset(ret);
		ta_buf_adds(ret, ta_buf_text(&next));
	}
	return rc ?: ret->error;
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
	cleanup_files struct files f = {0};
	int rc = find_files(keeps, n, &f, err);

	for (size_t i = 0; rc == 0 && i < f.n; i++) {
		ta_cleanup_buf struct ta_buf present = TA_BUF_INIT;

		rc = look(h, f.v[i], &present, err);
		if (rc < 0)
			break;
		rc = ta_host_may_put(h, f.v[i]);
		if (rc < 0)
			ta_err_set(err, rc, "%s cannot be written: %s (--runtime-only makes the changes without files)", f.v[i],
				ta_errno_text(rc));
	}
	return rc;
}

/* --- writing ------------------------------------------------------------------------------ */

static int prepare(const struct ta_persist *p, struct ta_run *r, const char *path, struct ta_change **ret, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf present = TA_BUF_INIT, after = TA_BUF_INIT;
	struct ta_change *c;
	int rc = look(p->host, path, &present, err);

	if (rc == 0)
		rc = put_all(r, path, ta_buf_text(&present), &after, err);
	if (rc < 0)
		return rc;
	c = ta_run_add(r, &(struct ta_step){.knob = &ta_knob_file, .target = (char *)path,
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
	cleanup_files struct files f = {0};
	size_t first = r->n;
	int rc = is_written(r) ? 0 : find_files(r->keeps, r->n_keeps, &f, err);

	for (size_t i = 0; rc == 0 && i < f.n; i++) {
		struct ta_change *c = NULL;
		size_t before = r->n;

		if (p->stop && *p->stop) {
			rc = ta_err_set(err, -EINTR, "ended by signal %d", (int)*p->stop);
			break;
		}
		rc = prepare(p, r, f.v[i], &c, err);
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
