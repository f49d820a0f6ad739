/*
 * The reading half. A journal says what is written as root later, so nothing in it is believed: every line has its sum and its
 * place, every target and value must pass the tables, and what is not understood stops the whole run.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "fix/identity.h"
#include "fix/journal.h"
#include "fix/ownfile.h"

#define SCHEMA "tuneaudit.journal/"
#define CHANGES_MAX 100000
#define DUE_MAX_MS (INT64_C(1) << 52) /* no host runs for so long */

struct reader {
	struct ta_run *run;
	struct json_object *line;
	struct ta_err *err;
};

static int bad(const struct reader *r, const char *what)
{
	return ta_err_set(r->err, -EBADMSG, "%s", what);
}

/* A text member; NULL where there is none, -EBADMSG where it is something else or holds a NUL. */
static int get(const struct reader *r, struct json_object *o, const char *key, bool needed, const char **ret)
{
	struct json_object *v;

	*ret = NULL;
	if (!json_object_object_get_ex(o, key, &v))
		return needed ? ta_err_set(r->err, -EBADMSG, "there is no \"%s\"", key) : 0;
	if (!json_object_is_type(v, json_type_string) ||
		strlen(json_object_get_string(v)) != (size_t)json_object_get_string_len(v))
		return ta_err_set(r->err, -EBADMSG, "\"%s\" is no text", key);
	*ret = json_object_get_string(v);
	return 0;
}

static int copy(const struct reader *r, const char *key, bool needed, char **slot)
{
	const char *text;
	int rc = get(r, r->line, key, needed, &text);

	if (rc < 0)
		return rc;
	return ta_set_text(slot, text) ? 0 : -ENOMEM;
}

static int get_number(const struct reader *r, const char *key, int64_t min, int64_t max, int64_t *ret)
{
	struct json_object *v;

	if (!json_object_object_get_ex(r->line, key, &v) || !json_object_is_type(v, json_type_int) ||
		json_object_get_int64(v) < min || json_object_get_int64(v) > max)
		return ta_err_set(r->err, -EBADMSG, "\"%s\" is missing or no such number", key);
	*ret = json_object_get_int64(v);
	return 0;
}

static int read_confirm_within(const struct reader *r)
{
	int64_t seconds = 0;
	int rc = 0;

	if (json_object_object_get_ex(r->line, "confirm_within", NULL))
		rc = get_number(r, "confirm_within", 1, TA_CONFIRM_MAX_S, &seconds);
	r->run->confirm_within_s = (unsigned)seconds;
	return rc;
}

static int read_run(const struct reader *r)
{
	struct ta_run *run = r->run;
	const char *schema;
	int64_t number;
	int rc = get(r, r->line, "schema", true, &schema);

	if (rc < 0)
		return rc;
	if (strcmp(schema, SCHEMA "1") != 0)
		return ta_err_set(r->err, !strncmp(schema, SCHEMA, strlen(SCHEMA)) ? -EPROTO : -EBADMSG,
			"it is of the kind %.40s, which this version does not know", schema);
	rc = get_number(r, "run", 1, UINT32_MAX, &number) ?: get_number(r, "time", 0, TA_RUN_TIME_MAX, &run->time) ?:
		read_confirm_within(r);
	if (rc == 0 && (uint64_t)number != run->number)
		return bad(r, "it is the journal of another run");
	return rc ?: copy(r, "who", true, &run->who) ?: copy(r, "profile", true, &run->profile) ?:
		copy(r, "tool", true, &run->tool) ?: copy(r, "host", true, &run->where.host) ?:
		copy(r, "machine", true, &run->where.machine) ?: copy(r, "boot", true, &run->where.boot) ?:
		copy(r, "netns", true, &run->where.netns) ?: copy(r, "kernel", true, &run->where.kernel);
}

/* Target and value of an entry's object against the tables. */
static int check(const struct reader *r, const char *knob, const char *target, const char *value)
{
	return ta_knob_check(knob, target, value, TA_VALUE_FOUND, r->err);
}

/* NULL and 0 members where there is none. */
static int coupled_list(const struct reader *r, struct json_object **ret, size_t *ret_n)
{
	*ret_n = 0;
	if (!json_object_object_get_ex(r->line, "coupled", ret))
		return 0;
	if (!json_object_is_type(*ret, json_type_array))
		return bad(r, "\"coupled\" is no list");
	*ret_n = json_object_array_length(*ret);
	return 0;
}

static int read_coupled(const struct reader *r, struct ta_change *c)
{
	struct json_object *list;
	size_t n;
	int rc = coupled_list(r, &list, &n);

	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct json_object *o = json_object_array_get_idx(list, i);
		const char *knob, *target, *before;

		rc = get(r, o, "knob", true, &knob) ?: get(r, o, "target", true, &target) ?:
			get(r, o, "before", true, &before) ?: check(r, knob, target, before);

		if (rc < 0)
			return rc;
		if (!ta_change_add_coupled(c, ta_knob_find(knob), target, before))
			return -ENOMEM;
	}
	return rc;
}

/* The change that was put off, whose turn it is now, or that is put off once more; or one of a trial, which goes on again. */
static int again(const struct reader *r, struct ta_change *c, const struct ta_step *s, enum ta_change_state state)
{
	bool on_again = state == TA_CHANGE_INTENT && c->state == TA_CHANGE_UNDONE;

	if ((!c->later && !on_again) || c->knob != s->knob || strcmp(c->target, s->target) != 0)
		return bad(r, "its changes are not in their order");
	ta_change_drop_coupled(c);
	ta_set_text(&c->value, NULL); /* of the time before: nothing is known of this one yet */
	ta_set_text(&c->stuck_at, NULL);
	ta_set_text(&c->note, NULL);
	return ta_set_text(&c->before, s->before) && ta_set_text(&c->after, s->after) ? 0 : -ENOMEM;
}

/* An intent, or what is put off. */
static int read_plan(const struct reader *r, enum ta_change_state state)
{
	const char *knob, *target, *before, *after;
	struct ta_change *c;
	struct ta_step step;
	int64_t number;
	int rc = get_number(r, "change", 1, CHANGES_MAX, &number) ?: get(r, r->line, "knob", true, &knob) ?:
		get(r, r->line, "target", true, &target) ?: get(r, r->line, "before", true, &before) ?:
		get(r, r->line, "after", true, &after) ?: check(r, knob, target, before) ?: check(r, knob, target, after);

	if (rc < 0)
		return rc;
	if ((size_t)number > r->run->n + 1)
		return bad(r, "its changes are not in their order");
	step = (struct ta_step){.knob = ta_knob_find(knob), .target = (char *)target, .before = (char *)before,
		.after = (char *)after};
	if ((size_t)number <= r->run->n)
		rc = again(r, &r->run->changes[number - 1], &step, state);
	else if (!ta_run_add(r->run, &step))
		rc = -ENOMEM;
	if (rc < 0)
		return rc;
	c = &r->run->changes[number - 1];
	c->state = state;
	c->later = c->later || state == TA_CHANGE_LATER;
	return copy(r, "rule", true, &c->rule) ?: copy(r, "why", false, &c->why) ?:
		copy(r, "disruption", true, &c->disruption) ?: copy(r, "device", false, &c->device) ?: read_coupled(r, c);
}

/* It will be written as root by whoever confirms the run: never for another file than those of the table, nor another line. */
static int read_keep(const struct reader *r)
{
	const char *file, *text;
	int64_t change;
	int rc = get_number(r, "change", 0, CHANGES_MAX, &change) ?: get(r, r->line, "file", true, &file) ?:
		get(r, r->line, "text", true, &text) ?: ta_own_check_lines(file, text, TA_VALUE_FOUND, r->err);

	if (rc < 0)
		return rc;
	return ta_run_add_keep(r->run, (unsigned)change, file, text) ? 0 : -ENOMEM;
}

/* The same thing, perhaps under another name: an interface may have got one between apply and rollback. */
static bool is_same_target(const struct ta_coupled *k, const char *target)
{
	ta_cleanup_buf struct ta_buf name = TA_BUF_INIT, renamed = TA_BUF_INIT;

	if (!strcmp(k->target, target))
		return true;
	return ta_identity_ifname(k->knob, target, &name) == 0 &&
	       ta_identity_rename(k->knob, k->target, ta_buf_text(&name), &renamed) == 0 &&
	       !strcmp(ta_buf_text(&renamed), target);
}

/* The values or goals of the group, in the order of the intent. */
static int read_group(const struct reader *r, struct ta_change *c, bool goals)
{
	struct json_object *list;
	size_t n;

	if (coupled_list(r, &list, &n) < 0)
		return -EBADMSG;
	if (n != c->n_coupled)
		return bad(r, "it is not about what was intended");
	for (size_t i = 0; i < n; i++) {
		struct ta_coupled *k = &c->coupled[i];
		struct json_object *o = json_object_array_get_idx(list, i);
		const char *target, *value;
		int rc = get(r, o, "target", true, &target) ?: get(r, o, goals ? "goal" : "value", false, &value);

		if (rc == 0 && !is_same_target(k, target))
			return bad(r, "it is not about what was intended");
		if (rc == 0 && value)
			rc = check(r, k->knob->name, k->target, value);
		if (rc < 0)
			return rc;
		if (!ta_set_text(goals ? &k->goal : &k->value, value))
			return -ENOMEM;
	}
	return 0;
}

static int read_done(const struct reader *r, struct ta_change *c)
{
	int rc = copy(r, "value", true, &c->value) ?: check(r, c->knob->name, c->target, c->value);

	return rc ?: read_group(r, c, false);
}

/* "value" is where it got stuck; without it that is not known. */
static int read_outcome(const struct reader *r, struct ta_change *c)
{
	int rc = c->state == TA_CHANGE_STUCK ? copy(r, "value", false, &c->stuck_at) : 0;

	if (rc == 0 && c->state == TA_CHANGE_STUCK && c->stuck_at)
		rc = check(r, c->knob->name, c->target, c->stuck_at);
	return rc ?: copy(r, "note", false, &c->note);
}

static int read_about_change(const struct reader *r, const char *entry)
{
	struct ta_change *c;
	int64_t number;
	int rc = get_number(r, "change", 1, (int64_t)r->run->n, &number);

	if (rc < 0)
		return rc;
	c = &r->run->changes[number - 1];
	for (enum ta_change_state s = TA_CHANGE_DONE; s <= TA_CHANGE_STUCK; s++) {
		if (strcmp(entry, ta_change_state_name(s)) != 0)
			continue;
		if (c->state == TA_CHANGE_DONE && s >= TA_CHANGE_UNDO) {
			c->taken_back = true;
			c->taken_back_late = r->run->confirmed;
		}
		c->state = s;
		if (s == TA_CHANGE_DONE)
			return read_done(r, c);
		return s == TA_CHANGE_UNDO ? read_group(r, c, true) : read_outcome(r, c);
	}
	return ta_err_set(r->err, -EBADMSG, "\"%.40s\" is no entry that this version knows", entry);
}

static int read_end(const struct reader *r)
{
	static const char *const states[] = {"applied", "failed", "rolled-back", "partly-restored", "pending"};
	const char *state;
	int rc = get(r, r->line, "state", true, &state) ?: copy(r, "note", false, &r->run->note);

	if (rc == 0 && !strcmp(state, "pending"))
		rc = get_number(r, "due_ms", 0, DUE_MAX_MS, &r->run->due_ms);
	if (rc < 0)
		return rc;
	r->run->unfinished = json_object_object_get_ex(r->line, "unfinished", NULL);
	r->run->confirmed = r->run->confirmed || !strcmp(state, "applied");
	for (size_t i = 0; i < TA_ARRAY_SIZE(states); i++)
		if (!strcmp(state, states[i]))
			return ta_set_text(&r->run->state, state) ? 0 : -ENOMEM;
	return ta_err_set(r->err, -EBADMSG, "\"%.40s\" is no state that this version knows", state);
}

static int read_entry(const struct reader *r)
{
	const char *entry;
	int rc = get(r, r->line, "entry", true, &entry);

	if (rc < 0)
		return rc;
	if (!r->run->who || !strcmp(entry, "run"))
		return r->run->who || strcmp(entry, "run") ? bad(r, "it does not begin with a run") : read_run(r);
	if (!strcmp(entry, "end"))
		return read_end(r);
	/* What comes behind an end reopens the run. */
	ta_set_text(&r->run->state, NULL);
	ta_set_text(&r->run->note, NULL);
	if (!strcmp(entry, "keep"))
		return read_keep(r);
	if (!strcmp(entry, "intent"))
		return read_plan(r, TA_CHANGE_INTENT);
	return strcmp(entry, "later") ? read_about_change(r, entry) : read_plan(r, TA_CHANGE_LATER);
}

static int read_line(struct reader *r, const char *line, size_t len)
{
	int rc;

	if (!ta_sum_is_right(line, len))
		return bad(r, "it was changed after it was written");
	r->line = json_tokener_parse(line);
	if (!json_object_is_type(r->line, json_type_object)) {
		json_object_put(r->line);
		return bad(r, "it is no JSON object");
	}
	rc = read_entry(r);
	json_object_put(r->line);
	return rc;
}

int ta_run_parse(const char *text, size_t len, unsigned number, struct ta_run *ret, struct ta_err *err)
{
	struct ta_run run = {.number = number};
	struct reader r = {.run = &run, .err = err};
	const char *newline;
	unsigned line = 0;
	int rc = 0;

	while (rc == 0 && run.whole < len && (newline = memchr(text + run.whole, '\n', len - run.whole))) {
		size_t n = (size_t)(newline - text) - run.whole;
		ta_cleanup_buf struct ta_buf copy = TA_BUF_INIT;

		line++;
		ta_buf_add(&copy, text + run.whole, n);
		rc = copy.error ?: read_line(&r, ta_buf_text(&copy), n);
		if (rc < 0)
			ta_err_prefix(err, rc, "line %u", line);
		run.whole += n + 1;
	}
	run.torn = run.whole < len;
	if (rc == 0 && !run.who)
		rc = ta_err_set(err, -ENODATA, "it holds nothing yet");
	if (rc < 0)
		ta_run_done(&run);
	else
		*ret = run;
	return rc;
}

int ta_run_read(struct ta_state *s, unsigned number, struct ta_run *ret, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = ta_state_read(s, number, &text, err);

	if (rc < 0)
		return rc;
	rc = ta_run_parse(ta_buf_text(&text), text.len, number, ret, err);
	return rc < 0 && rc != -ENODATA ? ta_err_prefix(err, rc, "the journal of run %u is not followed", number) : rc;
}
