#include "fix/undo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fix/identity.h"
#include "fix/ownfile.h"

bool ta_change_is_undone(const struct ta_change *c)
{
	return c->state == TA_CHANGE_UNDONE;
}

/* A value that is meant to be found at the next start: a reboot does not take it away. */
static bool outlives_boot(const struct ta_change *c)
{
	return ta_knob_order(c->knob, c->target) == TA_ORDER_FILE;
}

static void note_journal(struct ta_undo *u, int rc, const struct ta_err *err)
{
	if (rc == 0 || u->journal_error)
		return;
	u->journal_error = rc;
	u->journal_why = *err;
}

static int finish(struct ta_undo *u, unsigned run, struct ta_change *c, enum ta_change_state state, const char *note)
{
	struct ta_err err = {0};

	if (!ta_set_text(&c->note, note))
		return -ENOMEM;
	c->state = state;
	note_journal(u, u->no_journal ? 0 : ta_journal_state(u->state, run, c, &err), &err);
	return 0;
}

/* --- where it is now ---------------------------------------------------------------- */

/* Renames what the target and the group say of the interface, if it has another name now. */
static int rename_all(struct ta_change *c, const char *was, const char *now)
{
	ta_cleanup_buf struct ta_buf target = TA_BUF_INIT;
	int rc = ta_identity_rename(c->knob, c->target, now, &target);

	if (rc < 0 || !ta_set_text(&c->target, ta_buf_text(&target)))
		return rc < 0 ? rc : -ENOMEM;
	for (size_t i = 0; i < c->n_coupled; i++) {
		ta_cleanup_buf struct ta_buf name = TA_BUF_INIT, renamed = TA_BUF_INIT;
		struct ta_coupled *k = &c->coupled[i];

		if (ta_identity_ifname(k->knob, k->target, &name) < 0 || strcmp(ta_buf_text(&name), was) != 0)
			continue;
		rc = ta_identity_rename(k->knob, k->target, now, &renamed);
		if (rc < 0 || !ta_set_text(&k->target, ta_buf_text(&renamed)))
			return rc < 0 ? rc : -ENOMEM;
	}
	return 0;
}

/* 0, -ENODEV (`err` says what became of the interface), or another error. */
static int find_device(struct ta_undo *u, struct ta_change *c, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf was = TA_BUF_INIT, now = TA_BUF_INIT;
	int rc;

	if (!c->device)
		return 0;
	if (ta_identity_is_irq(c->knob, c->target)) {
		rc = ta_identity_find_irq(u->host, c->device, c->target, &now, err);
		return rc < 0 ? rc : ta_set_text(&c->target, ta_buf_text(&now)) ? 0 : -ENOMEM;
	}
	rc = ta_identity_ifname(c->knob, c->target, &was);
	if (rc >= 0)
		rc = ta_identity_find(u->host, c->device, ta_buf_text(&was), &now, err);
	if (rc < 0 || !strcmp(ta_buf_text(&was), ta_buf_text(&now)))
		return TA_MIN(rc, 0);
	return rename_all(c, ta_buf_text(&was), ta_buf_text(&now));
}

/* --- whose it is ----------------------------------------------------------------------- */

/* Nobody knows what our write, or our putting back, got to. Of one that was stuck it is known where it got stuck. */
static bool in_between(const struct ta_change *c)
{
	return c->state == TA_CHANGE_INTENT || c->state == TA_CHANGE_FAILED || c->state == TA_CHANGE_UNDO ||
	       (c->state == TA_CHANGE_STUCK && !c->stuck_at);
}

/* What is there if nobody has been there since; NULL: not known. */
static const char *our_value(const struct ta_change *c)
{
	return c->state == TA_CHANGE_STUCK ? c->stuck_at : c->value;
}

static bool is_ours(const struct ta_undo *u, const struct ta_change *c, const char *present)
{
	if (u->force)
		return true;
	if (!u->same_boot && !outlives_boot(c))
		return u->kept && our_value(c) && !strcmp(our_value(c), present);
	return in_between(c) || (our_value(c) && !strcmp(our_value(c), present));
}

/*
 * What the members of the group are to be in the end: as before, unless somebody else has set one since; what he set is to
 * stay then, though putting the change back may move it.
 */
static int set_goals(struct ta_undo *u, struct ta_change *c)
{
	for (size_t i = 0; i < c->n_coupled; i++) {
		ta_cleanup_buf struct ta_buf present = TA_BUF_INIT;
		struct ta_coupled *k = &c->coupled[i];
		bool ours;

		if ((c->state == TA_CHANGE_UNDO || c->state == TA_CHANGE_STUCK) && k->goal)
			continue; /* worked out when it was first tried */
		if (k->knob->read(u->host, k->target, &present, NULL) < 0) {
			/* It went with our write, as the maps of a queue do, and may come again when that is put back. */
			if (!k->value && !ta_set_text(&k->goal, k->before))
				return -ENOMEM;
			continue;
		}
		ours = u->force || in_between(c) || (k->value && !strcmp(k->value, ta_buf_text(&present)));
		if (!ta_set_text(&k->goal, ours ? k->before : ta_buf_text(&present)))
			return -ENOMEM;
	}
	return 0;
}

/* The member that is not as it is to be, or NULL. */
static const struct ta_coupled *wrong_member(struct ta_undo *u, const struct ta_change *c, bool lingering)
{
	for (size_t i = 0; i < c->n_coupled; i++) {
		ta_cleanup_buf struct ta_buf present = TA_BUF_INIT;
		const struct ta_coupled *k = &c->coupled[i];

		if (k->goal && k->knob->read(u->host, k->target, &present, NULL) == 0 &&
			strcmp(k->goal, ta_buf_text(&present)) != 0 && (lingering || !k->knob->lingers))
			return k;
	}
	return NULL;
}

static bool is_as_before(struct ta_undo *u, const struct ta_change *c)
{
	ta_cleanup_buf struct ta_buf present = TA_BUF_INIT;

	return c->knob->read(u->host, c->target, &present, NULL) == 0 && !strcmp(c->before, ta_buf_text(&present));
}

/* --- writing ------------------------------------------------------------------------------ */

#define TRIES 2 /* a write may fail once for a reason that has gone */

/* The change and then its group; the values that are read back decide, not what the writes answered. */
static bool write_back(struct ta_undo *u, const struct ta_change *c, struct ta_err *err)
{
	bool traces = c->knob->leaves_traces; /* may be there, whatever the value says */

	for (int i = 0; i < TRIES; i++) {
		if (traces || !is_as_before(u, c))
			traces = c->knob->write(u->host, c->target, c->before, err) < 0 && traces;
		for (size_t k = 0; k < c->n_coupled; k++) {
			ta_cleanup_buf struct ta_buf present = TA_BUF_INIT;
			const struct ta_coupled *m = &c->coupled[k];

			if (m->goal && m->knob->read(u->host, m->target, &present, NULL) == 0 &&
				strcmp(m->goal, ta_buf_text(&present)) != 0)
				m->knob->write(u->host, m->target, m->goal, err);
		}
		if (!traces && is_as_before(u, c) && !wrong_member(u, c, false))
			return true;
	}
	return false;
}

/* What is there since our write failed: whoever finds something else later finds somebody else's. */
static int note_where(struct ta_undo *u, struct ta_change *c)
{
	ta_cleanup_buf struct ta_buf present = TA_BUF_INIT;
	int rc = c->knob->read(u->host, c->target, &present, NULL);

	return ta_set_text(&c->stuck_at, rc < 0 ? NULL : ta_buf_text(&present)) ? 0 : -ENOMEM;
}

/* Not even looked at: it stands where it stood. */
static int stuck_unread(struct ta_undo *u, unsigned run, struct ta_change *c, const char *why)
{
	if (c->state != TA_CHANGE_STUCK && !ta_set_text(&c->stuck_at, in_between(c) ? NULL : c->value))
		return -ENOMEM;
	return finish(u, run, c, TA_CHANGE_STUCK, why);
}

static int finish_undone(struct ta_undo *u, unsigned run, struct ta_change *c, bool known)
{
	ta_cleanup_buf struct ta_buf note = TA_BUF_INIT;
	const struct ta_coupled *k = wrong_member(u, c, true);

	if (!known)
		ta_buf_adds(&note, "though it was not known how far it had come");
	if (k)
		ta_buf_printf(&note, "%sthe %s %s came with it and is in use: it stays", note.len ? "; " : "", k->knob->name,
			k->target);
	return note.error ?: finish(u, run, c, TA_CHANGE_UNDONE, note.len ? ta_buf_text(&note) : NULL);
}

static int put_back(struct ta_undo *u, unsigned run, struct ta_change *c)
{
	struct ta_err err = {0}, why = {0};
	bool known = !in_between(c) || u->again;

	/* Without a journal, an undo that is interrupted will look like somebody else's value: better than none. */
	note_journal(u, u->no_journal ? 0 : ta_journal_undo(u->state, run, c, &err), &err);
	c->state = TA_CHANGE_UNDO;
	if (write_back(u, c, &why))
		return finish_undone(u, run, c, known);
	if (c->knob->lingers)
		return finish(u, run, c, TA_CHANGE_UNDONE, "it is in use, and stays");
	if (note_where(u, c) < 0)
		return -ENOMEM;
	if (!*why.text)
		ta_err_set(&why, -EIO, "%s does not go back to %s", c->target, c->before);
	return finish(u, run, c, TA_CHANGE_STUCK, why.text);
}

static int leave(struct ta_undo *u, unsigned run, struct ta_change *c, const char *present)
{
	ta_cleanup_buf struct ta_buf note = TA_BUF_INIT;

	if (!u->same_boot && !outlives_boot(c))
		ta_buf_printf(&note, "the host was restarted since: %s is what came with that", present);
	else
		ta_buf_printf(&note, "changed since: we had set %s, it is %s now", our_value(c) ? our_value(c) : c->after, present);
	return finish(u, run, c, TA_CHANGE_LEFT, ta_buf_text(&note));
}

/* --- files that several runs write -------------------------------------------------------- */

/*
 * Of such a file only what this change made of it is taken back: the lines of other runs stay, and a file that somebody edited or
 * replaced stays whole. What it is to be: in `ret`, with the reason if some of it is left.
 */
static int find_file_goal(const struct ta_undo *u, const struct ta_change *c, const char *present, struct ta_buf *ret,
	struct ta_buf *note)
{
	struct ta_own_taken taken = {0};
	int rc = ta_own_take(c->target, c->before, c->after, present, NULL, &taken, NULL);

	if (u->force && (rc == -EBADMSG || taken.newer)) {
		ta_buf_adds(ret, c->before);
	} else if (rc == -EBADMSG) {
		ta_buf_adds(note, "edited or replaced since this program wrote it");
		ta_buf_adds(ret, present);
	} else if (rc == 0) {
		ta_buf_adds(ret, ta_buf_text(&taken.value));
		if (taken.newer)
			ta_buf_printf(note, "run %u has set some of its lines anew: they stay until 'tuneaudit rollback %u', and "
				"this run may be put back once more then", taken.newer, taken.newer);
	}
	ta_buf_done(&taken.value);
	return rc == -EBADMSG ? ret->error : rc ?: ret->error;
}

/* A directory that was made for the file stays if there is something else in it by now. */
static bool file_is(const char *goal, const char *present)
{
	return !strcmp(goal, present) || (!strcmp(goal, TA_OWN_NOWHERE) && !strcmp(present, TA_OWN_ABSENT));
}

static bool write_file(struct ta_undo *u, const struct ta_change *c, const char *goal, struct ta_err *err)
{
	for (int i = 0; i < TRIES; i++) {
		ta_cleanup_buf struct ta_buf present = TA_BUF_INIT;
		int rc = c->knob->write(u->host, c->target, goal, err);

		if (rc == 0 && c->knob->read(u->host, c->target, &present, err) == 0 && file_is(goal, ta_buf_text(&present)))
			return true;
	}
	return false;
}

static int undo_file(struct ta_undo *u, unsigned run, struct ta_change *c, const char *present)
{
	ta_cleanup_buf struct ta_buf goal = TA_BUF_INIT, note = TA_BUF_INIT;
	struct ta_err err = {0}, why = {0};
	bool traces = in_between(c) && strncmp(present, TA_OWN_FOREIGN, strlen(TA_OWN_FOREIGN)) != 0;
	int rc = find_file_goal(u, c, present, &goal, &note);

	if (rc < 0)
		return rc;
	if (strcmp(ta_buf_text(&goal), present) != 0 || traces) {
		note_journal(u, u->no_journal ? 0 : ta_journal_undo(u->state, run, c, &err), &err);
		c->state = TA_CHANGE_UNDO;
		if (!write_file(u, c, ta_buf_text(&goal), &why))
			return finish(u, run, c, TA_CHANGE_STUCK, *why.text ? why.text : "it does not go back");
	}
	return finish(u, run, c, note.len ? TA_CHANGE_LEFT : TA_CHANGE_UNDONE, note.len ? ta_buf_text(&note) : NULL);
}

int ta_undo_change(struct ta_undo *u, unsigned run, struct ta_change *c)
{
	ta_cleanup_buf struct ta_buf present = TA_BUF_INIT;
	struct ta_err err = {0};
	bool equal;
	int rc;

	if (ta_change_is_undone(c))
		return 0;
	if (c->state == TA_CHANGE_LATER)
		return finish(u, run, c, TA_CHANGE_UNDONE, NULL);
	rc = find_device(u, c, &err);
	if (rc == 0)
		rc = c->knob->read(u->host, c->target, &present, &err);
	if (rc == -ENOMEM)
		return rc;
	c->gone = rc == -ENODEV || rc == -ENOENT;
	if (c->gone)
		return finish(u, run, c, TA_CHANGE_LEFT, err.text);
	if (rc < 0)
		return stuck_unread(u, run, c, err.text);
	if (c->knob->text)
		return undo_file(u, run, c, ta_buf_text(&present));
	equal = !strcmp(c->before, ta_buf_text(&present));
	if (!equal && !is_ours(u, c, ta_buf_text(&present)))
		return leave(u, run, c, ta_buf_text(&present));
	if (equal && !u->same_boot && !outlives_boot(c)) /* and so is the group: it came with the boot */
		return finish(u, run, c, TA_CHANGE_UNDONE, "as before already, since the host was restarted");
	rc = set_goals(u, c);
	if (rc < 0)
		return rc;
	if (equal && !wrong_member(u, c, true) && !(c->knob->leaves_traces && in_between(c)))
		return finish(u, run, c, TA_CHANGE_UNDONE, in_between(c) ? NULL : "as before already");
	return put_back(u, run, c);
}

/* Is there a file of ours with a line for it? What such a line has set at the start of the host is not the host's own. */
static bool is_kept(const struct ta_run *r, const struct ta_change *c)
{
	for (size_t i = 0; i < r->n_keeps; i++) {
		if (r->keeps[i].change != c->number)
			continue;
		for (size_t k = 0; k < r->n; k++)
			if (r->changes[k].knob == &ta_knob_file && r->changes[k].state == TA_CHANGE_DONE &&
				!strcmp(r->changes[k].target, r->keeps[i].file))
				return true;
	}
	return false;
}

static int undo_all(struct ta_undo *u, struct ta_run *r, unsigned only, const bool *kept)
{
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = r->n; i-- > 0;) {
			struct ta_change *c = &r->changes[i];
			int rc;

			if ((only && c->number != only) || (pass && c->state != TA_CHANGE_STUCK))
				continue;
			u->again = pass;
			u->kept = kept[i];
			if (pass)
				c->state = TA_CHANGE_UNDO;
			rc = ta_undo_change(u, r->number, c);
			if (rc < 0)
				return rc;
		}
	}
	return 0;
}

int ta_undo_run(struct ta_undo *u, struct ta_run *r, unsigned only)
{
	bool *kept = calloc(r->n + 1, sizeof(*kept));
	int rc;

	if (!kept)
		return -ENOMEM;
	/* Before the files are put back, which come first. */
	for (size_t i = 0; i < r->n; i++)
		kept[i] = is_kept(r, &r->changes[i]);
	rc = undo_all(u, r, only, kept);
	free(kept);
	return rc;
}
