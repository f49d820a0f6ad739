/*
 * The writing half: lines, and the runs in memory that they are made from.
 */
#include "fix/journal.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

const char *ta_change_state_name(enum ta_change_state s)
{
	static const char *const names[] = {
		[TA_CHANGE_INTENT] = "intent",
		[TA_CHANGE_DONE] = "done",
		[TA_CHANGE_FAILED] = "failed",
		[TA_CHANGE_UNDO] = "undo",
		[TA_CHANGE_UNDONE] = "undone",
		[TA_CHANGE_LEFT] = "left",
		[TA_CHANGE_STUCK] = "stuck",
		[TA_CHANGE_LATER] = "later",
	};

	return names[s];
}

bool ta_set_text(char **slot, const char *text)
{
	char *copy = text ? strdup(text) : NULL;

	free(*slot);
	*slot = copy;
	return copy || !text;
}

void ta_change_drop_coupled(struct ta_change *c)
{
	for (size_t i = 0; i < c->n_coupled; i++) {
		free(c->coupled[i].target);
		free(c->coupled[i].before);
		free(c->coupled[i].value);
		free(c->coupled[i].goal);
	}
	free(c->coupled);
	c->coupled = NULL;
	c->n_coupled = 0;
}

static void change_done(struct ta_change *c)
{
	ta_change_drop_coupled(c);
	free(c->rule);
	free(c->why);
	free(c->disruption);
	free(c->target);
	free(c->device);
	free(c->before);
	free(c->after);
	free(c->value);
	free(c->stuck_at);
	free(c->note);
	free(c->remark);
}

void ta_run_done(struct ta_run *r)
{
	for (size_t i = 0; i < r->n; i++)
		change_done(&r->changes[i]);
	free(r->changes);
	for (size_t i = 0; i < r->n_keeps; i++) {
		free(r->keeps[i].file);
		free(r->keeps[i].text);
	}
	free(r->keeps);
	ta_where_done(&r->where);
	free(r->who);
	free(r->profile);
	free(r->tool);
	free(r->state);
	free(r->note);
	*r = (struct ta_run){0};
}

struct ta_change *ta_run_add(struct ta_run *r, const struct ta_step *step)
{
	struct ta_change *v = reallocarray(r->changes, r->n + 1, sizeof(*v)), *c;

	if (!v)
		return NULL;
	r->changes = v;
	c = &v[r->n++];
	*c = (struct ta_change){.number = (unsigned)r->n, .knob = step->knob};
	if (!ta_set_text(&c->target, step->target) || !ta_set_text(&c->before, step->before) ||
		!ta_set_text(&c->after, step->after) || !ta_set_text(&c->device, step->device))
		return NULL;
	return c;
}

struct ta_keep *ta_run_add_keep(struct ta_run *r, unsigned change, const char *file, const char *text)
{
	struct ta_keep *v = reallocarray(r->keeps, r->n_keeps + 1, sizeof(*v)), *k;

	if (!v)
		return NULL;
	r->keeps = v;
	k = &v[r->n_keeps++];
	*k = (struct ta_keep){.change = change};
	return ta_set_text(&k->file, file) && ta_set_text(&k->text, text) ? k : NULL;
}

void ta_run_drop_last(struct ta_run *r)
{
	if (r->n)
		change_done(&r->changes[--r->n]);
}

struct ta_coupled *ta_change_add_coupled(struct ta_change *c, const struct ta_knob *knob, const char *target,
	const char *before)
{
	struct ta_coupled *v = reallocarray(c->coupled, c->n_coupled + 1, sizeof(*v)), *k;

	if (!v)
		return NULL;
	c->coupled = v;
	k = &v[c->n_coupled++];
	*k = (struct ta_coupled){.knob = knob};
	return ta_set_text(&k->target, target) && ta_set_text(&k->before, before) ? k : NULL;
}

/* --- lines --------------------------------------------------------------------------- */

static void put(struct json_object *o, const char *key, const char *text)
{
	if (text)
		json_object_object_add(o, key, json_object_new_string(text));
}

static void put_number(struct json_object *o, const char *key, int64_t v)
{
	json_object_object_add(o, key, json_object_new_int64(v));
}

static struct json_object *entry(const char *name, const struct ta_change *c)
{
	struct json_object *o = json_object_new_object();

	put(o, "entry", name);
	if (c)
		put_number(o, "change", c->number);
	return o;
}

/* The line with its sum; `o` is given back. */
static int append(struct ta_state *s, unsigned run, struct json_object *o, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;

	ta_buf_adds(&line, json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
	if (line.error || ta_memory_failed() || line.len < 2)
		return ta_err_set(err, -ENOMEM, "out of memory");
	line.data[--line.len] = '\0'; /* the brace */
	ta_sum_close(&line, 0);
	return line.error ?: ta_state_append(s, run, ta_buf_text(&line), err);
}

int ta_journal_run(struct ta_state *s, const struct ta_run *r, struct ta_err *err)
{
	struct json_object *o = entry("run", NULL);

	put(o, "schema", "tuneaudit.journal/1");
	put_number(o, "run", r->number);
	put_number(o, "time", r->time);
	put(o, "who", r->who);
	put(o, "profile", r->profile);
	put(o, "tool", r->tool);
	put(o, "host", r->where.host);
	put(o, "machine", r->where.machine);
	put(o, "boot", r->where.boot);
	put(o, "netns", r->where.netns);
	put(o, "kernel", r->where.kernel);
	if (r->confirm_within_s)
		put_number(o, "confirm_within", r->confirm_within_s);
	return append(s, r->number, o, err);
}

int ta_journal_keep(struct ta_state *s, unsigned run, const struct ta_keep *k, struct ta_err *err)
{
	struct json_object *o = entry("keep", NULL);

	put_number(o, "change", k->change);
	put(o, "file", k->file);
	put(o, "text", k->text);
	return append(s, run, o, err);
}

/* The members of the group, each with those of its texts that the entry is about. */
static void put_coupled(struct json_object *o, const struct ta_change *c, bool before, bool value, bool goal)
{
	struct json_object *list;

	if (!c->n_coupled)
		return;
	list = json_object_new_array();
	for (size_t i = 0; i < c->n_coupled; i++) {
		struct json_object *k = json_object_new_object();

		put(k, "knob", c->coupled[i].knob->name);
		put(k, "target", c->coupled[i].target);
		if (before)
			put(k, "before", c->coupled[i].before);
		if (value)
			put(k, "value", c->coupled[i].value);
		if (goal)
			put(k, "goal", c->coupled[i].goal);
		json_object_array_add(list, k);
	}
	json_object_object_add(o, "coupled", list);
}

static int append_plan(struct ta_state *s, unsigned run, const char *name, const struct ta_change *c, struct ta_err *err)
{
	struct json_object *o = entry(name, c);

	put(o, "rule", c->rule);
	put(o, "why", c->why);
	put(o, "disruption", c->disruption);
	put(o, "knob", c->knob->name);
	put(o, "target", c->target);
	put(o, "device", c->device);
	put(o, "before", c->before);
	put(o, "after", c->after);
	put_coupled(o, c, true, false, false);
	return append(s, run, o, err);
}

int ta_journal_later(struct ta_state *s, unsigned run, const struct ta_change *c, struct ta_err *err)
{
	return append_plan(s, run, "later", c, err);
}

int ta_journal_intent(struct ta_state *s, unsigned run, const struct ta_change *c, struct ta_err *err)
{
	return append_plan(s, run, "intent", c, err);
}

int ta_journal_done(struct ta_state *s, unsigned run, const struct ta_change *c, struct ta_err *err)
{
	struct json_object *o = entry("done", c);

	put(o, "value", c->value);
	put_coupled(o, c, false, true, false);
	return append(s, run, o, err);
}

int ta_journal_undo(struct ta_state *s, unsigned run, const struct ta_change *c, struct ta_err *err)
{
	struct json_object *o = entry("undo", c);

	put_coupled(o, c, false, false, true);
	return append(s, run, o, err);
}

int ta_journal_state(struct ta_state *s, unsigned run, const struct ta_change *c, struct ta_err *err)
{
	struct json_object *o = entry(ta_change_state_name(c->state), c);

	if (c->state == TA_CHANGE_STUCK)
		put(o, "value", c->stuck_at);
	put(o, "note", c->note);
	return append(s, run, o, err);
}

int ta_journal_end_since(struct ta_state *s, unsigned run, const char *state, const char *note, struct ta_err *err)
{
	struct json_object *o = entry("end", NULL);

	put(o, "state", state);
	put(o, "note", note);
	return append(s, run, o, err);
}

int ta_journal_end(struct ta_state *s, unsigned run, const char *state, struct ta_err *err)
{
	return ta_journal_end_since(s, run, state, NULL, err);
}

int ta_journal_confirmed(struct ta_state *s, unsigned run, const char *note, bool unfinished, struct ta_err *err)
{
	struct json_object *o = entry("end", NULL);

	put(o, "state", "applied");
	put(o, "note", note);
	if (unfinished)
		json_object_object_add(o, "unfinished", json_object_new_boolean(true));
	return append(s, run, o, err);
}

int ta_journal_pending(struct ta_state *s, unsigned run, int64_t due_ms, struct ta_err *err)
{
	struct json_object *o = entry("end", NULL);

	put(o, "state", "pending");
	put_number(o, "due_ms", due_ms);
	return append(s, run, o, err);
}
