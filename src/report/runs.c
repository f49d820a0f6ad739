/*
 * Runs for people: what was done, what became of it.
 */
#include <string.h>
#include <time.h>

#include "fix/ownfile.h"
#include "report/change.h"
#include "report/parts.h"
#include "report/text.h"

const char *ta_run_state_name(const struct ta_run *r)
{
	return r->state ? r->state : "interrupted";
}

/* "2026-11-30 15:00:44 UTC": of one meaning everywhere. */
static void add_time(struct ta_buf *b, int64_t time)
{
	time_t t = (time_t)time;
	struct tm tm;

	if (gmtime_r(&t, &tm))
		ta_buf_printf(b, "%04d-%02d-%02d %02d:%02d:%02d UTC", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
			tm.tm_hour, tm.tm_min, tm.tm_sec);
}

static void add_outcome(struct ta_buf *b, const struct ta_change *c)
{
	static const char *const words[] = {
		[TA_CHANGE_INTENT] = "not known to be done",
		[TA_CHANGE_DONE] = "",
		[TA_CHANGE_FAILED] = "failed",
		[TA_CHANGE_UNDO] = "half put back",
		[TA_CHANGE_UNDONE] = "put back",
		[TA_CHANGE_LEFT] = "left as it is",
		[TA_CHANGE_STUCK] = "not put back",
		[TA_CHANGE_LATER] = "to be written when it is confirmed",
	};

	if (c->value && strcmp(c->value, c->after) != 0 && !c->knob->text)
		ta_buf_printf(b, " (the kernel made it %s)", c->value);
	if (c->state != TA_CHANGE_DONE)
		ta_buf_printf(b, ": %s", words[c->state]);
	if (c->remark && c->state == TA_CHANGE_DONE)
		ta_buf_printf(b, "; %s", c->remark);
	if (c->note && c->state != TA_CHANGE_DONE)
		ta_buf_printf(b, ", %s", c->note);
}

/* A line for a change; of a file how many lines the run has in it, not its text. */
static void add_change(struct ta_buf *b, const struct ta_run *r, const struct ta_change *c, struct ta_buf *ret_lines)
{
	ta_buf_printf(b, "%u. ", c->number);
	ta_step_label(c->knob, c->target, b);
	if (c->knob->text) {
		size_t n = ta_own_lines_of(c->target, c->after, r->number, ret_lines);

		ta_buf_printf(b, ": %zu line%s, for the next start of the host", n, n == 1 ? "" : "s");
	} else {
		ta_buf_printf(b, ": %s -> %s", c->before, c->after);
	}
	add_outcome(b, c);
}

void ta_report_changes(const struct ta_run *r, const struct ta_report_options *o, struct ta_buf *ret)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct ta_change *c = &r->changes[i];
		ta_cleanup_buf struct ta_buf line = TA_BUF_INIT, lines = TA_BUF_INIT;

		add_change(&line, r, c, &lines);
		ta_text_wrap(ret, ta_buf_text(&line), o->columns, 0, 4);
		ta_buf_addc(ret, '\n');
	}
}

void ta_report_stuck(const struct ta_run *r, const struct ta_report_options *o, struct ta_buf *ret)
{
	bool any = false;

	for (size_t i = 0; i < r->n; i++) {
		const struct ta_change *c = &r->changes[i];
		ta_cleanup_buf struct ta_buf command = TA_BUF_INIT;

		if (c->state != TA_CHANGE_STUCK)
			continue;
		c->knob->command(c->target, c->before, &command);
		for (size_t k = 0; k < c->n_coupled; k++)
			if (c->coupled[k].goal)
				c->coupled[k].knob->command(c->coupled[k].target, c->coupled[k].goal, &command);
		if (!any)
			ta_text_wrap(ret, "\nWhat could not be put back, by hand:\n", o->columns, 0, 0);
		any = true;
		ta_part_verbatim(ret, "Type", ta_buf_text(&command));
	}
}

static size_t still_open(const struct ta_run *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += !ta_change_is_undone(&r->changes[i]);
	return n;
}

static void add_deadline(struct ta_buf *b, const struct ta_run *r)
{
	if (!r->state || strcmp(r->state, "pending") != 0)
		return;
	if (r->left_s > 0)
		ta_buf_printf(b, ", undone in %lld s unless confirmed", (long long)r->left_s);
	else
		ta_buf_printf(b, ", should have been undone %lld s ago: what would do it is gone, 'rollback %u' does it, 'confirm' keeps it",
			(long long)-r->left_s, r->number);
}

static void add_run_line(const struct ta_run *r, const char *boot, const struct ta_report_options *o, struct ta_buf *ret)
{
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;

	ta_buf_printf(&line, "%u. ", r->number);
	add_time(&line, r->time);
	ta_buf_adds(&line, ", ");
	ta_text_safe(&line, r->who); /* a newline in it would begin another run */
	ta_buf_printf(&line, ": %s", ta_run_state_name(r));
	add_deadline(&line, r);
	ta_buf_adds(&line, ", profile ");
	ta_text_safe(&line, r->profile);
	ta_buf_printf(&line, ", %zu change%s", r->n, r->n == 1 ? "" : "s");
	if (r->note) {
		ta_buf_adds(&line, "; ");
		ta_text_safe(&line, r->note);
	}
	if (still_open(r) && *boot && *r->where.boot && strcmp(boot, r->where.boot) != 0)
		ta_buf_adds(&line, "; the host was restarted since, which takes back what is not in a file");
	else if (still_open(r) && still_open(r) < r->n)
		ta_buf_printf(&line, " of which %zu may still be in force", still_open(r));
	ta_text_wrap(ret, ta_buf_text(&line), o->columns, 0, 4);
	ta_buf_addc(ret, '\n');
}

void ta_report_history(const struct ta_run *runs, size_t n, const char *boot, const struct ta_report_options *o,
	struct ta_buf *ret)
{
	if (!n)
		ta_buf_adds(ret, "Nothing was changed by this program.\n");
	for (size_t i = n; i-- > 0;)
		add_run_line(&runs[i], boot, o, ret);
}

void ta_report_run(const struct ta_run *r, const char *boot, const struct ta_report_options *o, struct ta_buf *ret)
{
	add_run_line(r, boot, o, ret);
	for (size_t i = 0; i < r->n; i++) {
		const struct ta_change *c = &r->changes[i];
		ta_cleanup_buf struct ta_buf line = TA_BUF_INIT, rule = TA_BUF_INIT, lines = TA_BUF_INIT;

		add_change(&line, r, c, &lines);
		ta_buf_addc(ret, '\n');
		ta_text_wrap(ret, ta_buf_text(&line), o->columns, 0, 4);
		ta_buf_addc(ret, '\n');
		ta_buf_printf(&rule, "%s%s%s", c->rule, c->why ? ": " : "", c->why ? c->why : "");
		ta_part_labelled(ret, o, "Rule", ta_buf_text(&rule));
		ta_part_labelled(ret, o, "Device", c->device);
		if (lines.len)
			ta_part_verbatim(ret, "Lines", ta_buf_text(&lines));
		for (size_t k = 0; k < c->n_coupled; k++) {
			ta_cleanup_buf struct ta_buf with = TA_BUF_INIT;
			const struct ta_coupled *m = &c->coupled[k];

			if (!m->value || !strcmp(m->value, m->before))
				continue;
			ta_step_label(m->knob, m->target, &with);
			ta_buf_printf(&with, " moved along: %s -> %s", m->before, m->value);
			ta_part_labelled(ret, o, "", ta_buf_text(&with));
		}
	}
}
