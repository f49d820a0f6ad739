/*
 * A trial for people. What was found stands first, then each effect with its interval, then what stayed unproven and why.
 */
#include "report/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/change.h"
#include "report/text.h"

static void say(struct ta_buf *b, const struct ta_trial_report *r, unsigned indent, const char *text)
{
	ta_text_pad(b, indent);
	ta_text_wrap(b, text, r->columns, indent, indent);
	ta_buf_addc(b, '\n');
}

static void label(const struct ta_trial_row *row, struct ta_buf *ret)
{
	ta_step_label(row->action->step.knob, row->action->step.target, ret);
}

static void add_change(const struct ta_trial_row *row, struct ta_buf *ret)
{
	label(row, ret);
	ta_buf_printf(ret, ": %s -> %s", row->action->step.before, row->action->step.after);
}

/* --- the head --------------------------------------------------------------------------- */

static void add_warnings(const struct ta_trial_report *r, struct ta_buf *b)
{
	ta_cleanup_strv struct ta_strv said = TA_STRV_INIT;

	for (size_t i = 0; i < r->n_parts; i++)
		for (size_t k = 0; r->parts[i].calm && k < r->parts[i].calm->warnings.n; k++) {
			const char *text = r->parts[i].calm->warnings.v[k];

			if (!ta_strv_has(&said, text))
				say(b, r, 0, text);
			ta_strv_add(&said, text);
		}
}

#define HOST_COLUMNS 12 /* of the words before the text */

static void add_host(const struct ta_trial_report *r, struct ta_buf *b)
{
	for (const char *line = r->host, *end; (end = strchr(line, '\n')); line = end + 1) {
		size_t n = (size_t)(end - line), word = TA_MIN(n, (size_t)HOST_COLUMNS);
		ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

		ta_buf_add(&text, line + word, n - word);
		ta_buf_add(b, line, word);
		ta_text_wrap(b, ta_buf_text(&text), r->columns, HOST_COLUMNS, HOST_COLUMNS);
		ta_buf_addc(b, '\n');
	}
}

static void head(const struct ta_trial_report *r, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;

	ta_buf_printf(&line, "Trial of profile %s: %s, %u pairs of rounds of %.3g s (tuneaudit %s)", r->profile,
		r->each ? "each change alone" : "all changes together", r->pairs, r->seconds, r->tool);
	say(b, r, 0, ta_buf_text(&line));
	for (size_t i = 0; i < r->n_parts; i++) {
		const struct ta_trial_part *p = &r->parts[i];

		ta_buf_reset(&line);
		ta_buf_printf(&line, "%s against %s%s%s, %u connection%s", p->workload, r->target ? r->target : "the built-in server",
			p->calm ? ", " : "", p->calm ? p->calm->path : "", p->connections, p->connections == 1 ? "" : "s");
		say(b, r, 0, ta_buf_text(&line));
	}
	add_host(r, b);
	add_warnings(r, b);
}

/* --- effects ------------------------------------------------------------------------------ */

static bool counts_bytes(const struct ta_trial_unit *u)
{
	return u->with->unit && !strcmp(u->with->unit, "bytes");
}

static const char *name_of(const struct ta_trial_unit *u, enum ta_trial_measure m)
{
	return m == TA_TRIAL_CPU && counts_bytes(u) ? "CPU per byte" : ta_trial_measure_name(m);
}

static void add_value(struct ta_buf *b, enum ta_trial_measure m, const struct ta_trial_unit *u, bool with)
{
	char text[32];
	double sum = 0;

	for (size_t i = 0; i < u->n_pairs; i++)
		sum += with ? u->pairs[m][i].with : u->pairs[m][i].without;
	sum /= (double)u->n_pairs;
	if (m == TA_TRIAL_THROUGHPUT && counts_bytes(u))
		snprintf(text, sizeof(text), "%.4g MB/s", sum / 1e6);
	else if (m == TA_TRIAL_THROUGHPUT)
		snprintf(text, sizeof(text), sum < 1e7 ? "%.0f /s" : "%.4g /s", sum);
	else if (m == TA_TRIAL_CPU)
		snprintf(text, sizeof(text), sum < 1e3 ? "%.3g ns" : "%.4g us", sum < 1e3 ? sum : sum / 1e3);
	else
		snprintf(text, sizeof(text), "%.4g ms", sum / 1e6);
	ta_buf_printf(b, " %13s", text);
}

/* One measure a line. What counts as an effect has a star. */
static void measures(const struct ta_trial_unit *u, struct ta_buf *b)
{
	ta_buf_printf(b, "  %-16s %9s  %-18s %13s %13s\n", "", "effect", "95 % interval", "without", "with");
	for (unsigned m = 0; m < TA_TRIAL_MEASURES; m++) {
		const struct ta_effect *e = &u->effect[m];

		if (!u->has[m])
			continue;
		ta_buf_printf(b, "  %-16s %+7.1f %%%c %+7.1f .. %+.1f", name_of(u, m), e->percent, u->seen[m] ? '*' : ' ',
			e->low, e->high);
		ta_text_pad(b, (unsigned)TA_MAX(9 - snprintf(NULL, 0, "%+.1f", e->high), 0));
		add_value(b, m, u, false);
		add_value(b, m, u, true);
		ta_buf_addc(b, '\n');
	}
}

static void verdict(const struct ta_trial_report *r, const struct ta_trial_unit *u, struct ta_buf *ret)
{
	static const char *const words[] = {
		[TA_TRIAL_IMPROVED] = "Improved",
		[TA_TRIAL_WORSE] = "Worse",
		[TA_TRIAL_NO_EFFECT] = "No measurable effect",
		[TA_TRIAL_CANNOT_SHOW] = "Nothing was measured",
	};
	bool first = true;

	ta_buf_adds(ret, words[u->verdict]);
	for (unsigned m = 0; m < TA_TRIAL_MEASURES; m++) {
		if (!u->seen[m])
			continue;
		ta_buf_adds(ret, first ? ": " : ", ");
		ta_buf_printf(ret, "%s %+.1f %%", name_of(u, m), u->effect[m].percent);
		first = false;
	}
	ta_buf_addc(ret, '.');
	if (u->verdict == TA_TRIAL_NO_EFFECT && isfinite(u->smallest))
		ta_buf_printf(ret, " One of %.1f %% or more of the %s would have been seen in 9 of 10 such trials.", u->smallest,
			u->has[TA_TRIAL_THROUGHPUT] ? "throughput" : "latency");
	if (u->verdict == TA_TRIAL_NO_EFFECT && u->smallest > TA_TRIAL_WANTED) {
		if (u->pairs_for > TA_TRIAL_PAIRS_MAX)
			ta_buf_printf(ret, " This host is too noisy now to see %.0f %%.", TA_TRIAL_WANTED);
		else if (u->pairs_for > r->pairs)
			ta_buf_printf(ret, " To see %.0f %% on a host as noisy as this takes %zu pairs (--rounds %zu).", TA_TRIAL_WANTED,
				u->pairs_for, u->pairs_for);
	}
}

static void counters(const struct ta_trial_report *r, const struct ta_trial_unit *u, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	double without = ta_trial_softirq_top(u->without), with = ta_trial_softirq_top(u->with);

	if (u->without->errors || u->with->errors)
		ta_buf_printf(&text, "%s that failed %llu -> %llu", u->with->unit ? u->with->unit : "requests",
			(unsigned long long)u->without->errors, (unsigned long long)u->with->errors);
	for (unsigned c = 0; c < TA_TRIAL_COUNTS; c++)
		if (u->without->counts[c] || u->with->counts[c])
			ta_buf_printf(&text, "%s%s %llu -> %llu", text.len ? "; " : "", ta_trial_count_name(c),
				(unsigned long long)u->without->counts[c], (unsigned long long)u->with->counts[c]);
	if (without > 0 && with > 0)
		ta_buf_printf(&text, "%sthe busiest CPU's share of softirqs %.0f %% -> %.0f %%", text.len ? "; " : "", without * 100,
			with * 100);
	if (!text.len)
		return;
	ta_buf_adds(b, "  counted: ");
	ta_text_wrap(b, ta_buf_text(&text), r->columns, 11, 4);
	ta_buf_addc(b, '\n');
}

static void disturbances(const struct ta_trial_report *r, const struct ta_trial_unit *u, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	if (!u->disturbed.n)
		return;
	ta_buf_printf(&text, "%zu round%s disturbed, %u pair%s measured anew: ", u->disturbed.n, u->disturbed.n == 1 ? " was" : "s were",
		u->repeated, u->repeated == 1 ? "" : "s");
	for (size_t i = 0; i < u->disturbed.n && i < 3; i++)
		ta_buf_printf(&text, "%s%s", i ? "; " : "", u->disturbed.v[i]);
	if (u->disturbed.n > 3)
		ta_buf_printf(&text, "; and %zu more", u->disturbed.n - 3);
	if (u->n_disturbed[1] >= 4 && !u->n_disturbed[0])
		ta_buf_adds(&text, ". Only rounds with the change were: it may be what disturbs them");
	ta_buf_addc(&text, '.');
	say(b, r, 2, ta_buf_text(&text));
}

static void details(const struct ta_trial_report *r, const struct ta_trial_unit *u, bool plot, struct ta_buf *b)
{
	if (u->n_pairs)
		measures(u, b);
	counters(r, u, b);
	disturbances(r, u, b);
	if (plot)
		ta_report_trial_plot(&u->without->hist, &u->with->hist, r->columns, b);
}

/* --- each change alone ---------------------------------------------------------------------- */

#define NAME_COLUMNS 27

static void add_percent(struct ta_buf *b, const struct ta_trial_unit *u, enum ta_trial_measure m)
{
	if (u->has[m])
		ta_buf_printf(b, u->effect[m].percent < 1000 ? " %+6.1f %%%c" : " %+6.0f %%%c", u->effect[m].percent,
			u->seen[m] ? '*' : ' ');
	else
		ta_buf_printf(b, " %9s", "-  ");
}

static const char *keep(const struct ta_trial_row *row)
{
	if (row->kept)
		return "kept";
	return row->unit->verdict == TA_TRIAL_IMPROVED ? "yes" : row->unit->verdict == TA_TRIAL_WORSE ? "NO" : "-";
}

static void table_row(const struct ta_trial_row *row, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf name = TA_BUF_INIT, safe = TA_BUF_INIT;
	const struct ta_trial_unit *u = row->unit;
	char interval[32] = "-", softirq[32] = "-";

	label(row, &name);
	ta_text_safe(&safe, ta_buf_text(&name));
	ta_buf_adds(b, ta_buf_text(&safe));
	if (safe.len > NAME_COLUMNS)
		ta_buf_addc(b, '\n');
	ta_text_pad(b, safe.len > NAME_COLUMNS ? NAME_COLUMNS : NAME_COLUMNS - (unsigned)safe.len);
	if (u->has[TA_TRIAL_THROUGHPUT])
		snprintf(interval, sizeof(interval), u->effect[TA_TRIAL_THROUGHPUT].high < 1000 ? "%+.1f..%+.1f" : "%+.0f..%+.0f", u->effect[TA_TRIAL_THROUGHPUT].low, u->effect[TA_TRIAL_THROUGHPUT].high);
	if (ta_trial_softirq_top(u->without) > 0)
		snprintf(softirq, sizeof(softirq), "%.0f->%.0f %%", ta_trial_softirq_top(u->without) * 100,
			ta_trial_softirq_top(u->with) * 100);
	add_percent(b, u, TA_TRIAL_THROUGHPUT);
	ta_buf_printf(b, " %13s", interval);
	add_percent(b, u, TA_TRIAL_P99);
	ta_buf_printf(b, " %9s  %s\n", softirq, keep(row));
}

static void table(const struct ta_trial_report *r, struct ta_buf *b)
{
	ta_buf_printf(b, "\n%-*s %9s %13s %9s %9s  %s\n", NAME_COLUMNS, "Change", "/s   ", "95 % interval", "p99  ", "softirq", "Keep?");
	for (size_t i = 0; i < r->n_rows; i++)
		if (r->rows[i].unit && r->rows[i].unit->n_pairs)
			table_row(&r->rows[i], b);
}

static void each(const struct ta_trial_report *r, struct ta_buf *b)
{
	table(r, b);
	for (size_t i = 0; i < r->n_rows; i++) {
		ta_cleanup_buf struct ta_buf text = TA_BUF_INIT, words = TA_BUF_INIT;
		const struct ta_trial_unit *u = r->rows[i].unit;

		if (!u)
			continue;
		add_change(&r->rows[i], &text);
		if (r->n_parts > 1)
			ta_buf_printf(&text, ", with %s", r->rows[i].workload);
		verdict(r, u, &words);
		ta_buf_addc(b, '\n');
		say(b, r, 0, ta_buf_text(&text));
		say(b, r, 2, ta_buf_text(&words));
		details(r, u, u->verdict == TA_TRIAL_IMPROVED || u->verdict == TA_TRIAL_WORSE, b);
	}
}

static void together(const struct ta_trial_report *r, const struct ta_trial_part *p, struct ta_buf *b)
{
	const struct ta_trial_unit *u = &p->trial->units[0];
	ta_cleanup_buf struct ta_buf words = TA_BUF_INIT;

	if (r->n_parts > 1)
		ta_buf_printf(&words, "%s: ", p->workload);
	verdict(r, u, &words);
	ta_buf_addc(b, '\n');
	say(b, r, 0, ta_buf_text(&words));
	details(r, u, true, b);
	ta_buf_adds(b, "\nThe changes:\n");
	for (size_t i = 0; i < r->n_rows; i++) {
		ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

		if (r->rows[i].unit != u)
			continue;
		add_change(&r->rows[i], &text);
		say(b, r, 2, ta_buf_text(&text));
	}
}

/* --- what stayed unproven ----------------------------------------------------------------------- */

static bool told_before(const struct ta_trial_report *r, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (r->rows[i].why_not && !strcmp(r->rows[i].why_not, r->rows[at].why_not))
			return true;
	return false;
}

static void unproven(const struct ta_trial_report *r, struct ta_buf *b)
{
	bool any = false;

	for (size_t i = 0; i < r->n_rows; i++) {
		ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
		bool first = true;

		if (!r->rows[i].why_not || told_before(r, i))
			continue;
		if (!any)
			ta_buf_adds(b, "\nNot tried, so nothing is said of them:\n");
		any = true;
		for (size_t k = i; k < r->n_rows; k++) {
			if (!r->rows[k].why_not || strcmp(r->rows[k].why_not, r->rows[i].why_not) != 0)
				continue;
			ta_buf_adds(&text, first ? "" : ", ");
			label(&r->rows[k], &text);
			first = false;
		}
		ta_buf_printf(&text, ": %s", r->rows[i].why_not);
		say(b, r, 2, ta_buf_text(&text));
	}
}

static void by_hand(const struct ta_trial_report *r, struct ta_buf *b)
{
	const struct ta_report_options o = {.columns = r->columns};

	ta_report_not_done(r->plan, &o, b);
}

/* --- the end --------------------------------------------------------------------------------------- */

static void command(const struct ta_trial_report *r, const char *what, unsigned run, struct ta_buf *b)
{
	ta_buf_printf(b, "%s %s %u", r->program, what, run);
	if (r->state) {
		ta_buf_adds(b, " --state ");
		ta_shell_quote(b, r->state);
	}
	ta_buf_addc(b, '\n');
}

static void kept(const struct ta_trial_report *r, struct ta_buf *b)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_rows; i++)
		n += r->rows[i].kept;
	if (r->not_kept)
		say(b, r, 0, r->not_kept);
	else if (!n)
		ta_buf_adds(b, "Nothing was proven better, so nothing was kept.\n");
	if (!n)
		return;
	ta_buf_printf(b, "Kept: %zu change%s that %s proven better. To undo: ", n, n == 1 ? "" : "s", n == 1 ? "was" : "were");
	command(r, "rollback", r->kept_run, b);
	if (r->each && n > 1)
		say(b, r, 0, "Each was measured alone; what they do together was not.");
}

static void end_of(const struct ta_trial_report *r, const struct ta_trial *t, struct ta_buf *b)
{
	const struct ta_report_options o = {.columns = r->columns};

	if (t->ended) {
		ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

		ta_buf_printf(&text, "It ended early: %s", t->ended);
		say(b, r, 0, ta_buf_text(&text));
	}
	if (t->restored) {
		ta_buf_adds(b, "Everything is put back as it was: ");
		command(r, "history", t->run, b);
	} else {
		ta_report_changes(&t->journal, &o, b);
		ta_report_stuck(&t->journal, &o, b);
	}
	if (t->remark)
		say(b, r, 0, t->remark);
}

static void tail(const struct ta_trial_report *r, struct ta_buf *b)
{
	bool tried = false;

	ta_buf_addc(b, '\n');
	for (size_t i = 0; i < r->n_parts; i++) {
		if (r->parts[i].trial)
			end_of(r, r->parts[i].trial, b);
		tried = tried || r->parts[i].trial;
	}
	if (!tried)
		ta_buf_adds(b, "Nothing was tried, and nothing was changed.\n");
	else if (r->keep)
		kept(r, b);
}

void ta_report_trial_text(const struct ta_trial_report *r, struct ta_buf *b)
{
	bool measured = false;

	head(r, b);
	for (size_t i = 0; i < r->n_parts; i++) {
		const struct ta_trial *t = r->parts[i].trial;

		if (t && t->n_units && !r->each)
			together(r, &r->parts[i], b);
		measured = measured || (t && t->n_units);
	}
	if (r->each && measured)
		each(r, b);
	unproven(r, b);
	by_hand(r, b);
	tail(r, b);
}
