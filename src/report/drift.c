/*
 * Drift for people, and the words that all formats share. What moved alike in several places is told once.
 */
#include "report/drift.h"

#include <stdlib.h>
#include <string.h>

#include "report/parts.h"
#include "report/text.h"

#define WORD_MOST 160 /* bytes of a value before the rest is left out */
#define PATHS_MOST 4  /* named, of those that moved alike */
#define ALIKE_MOST 3000

void ta_drift_counts(const struct ta_drift *d, struct ta_buf *ret)
{
	const char *comma = "";

	for (int k = 0; k < TA_DRIFT_KINDS; k++) {
		if (!d->kinds[k])
			continue;
		ta_buf_printf(ret, "%s%zu %s%s", comma, d->kinds[k], ta_drift_kind_name((enum ta_drift_kind)k),
			k == TA_DRIFT_SETTING && d->kinds[k] != 1 ? "s" : "");
		comma = ", ";
	}
	if (!*comma)
		ta_buf_adds(ret, "nothing");
}

static const char *verdict_word(int v)
{
	return v < 0 ? "not judged" : ta_audit_is_failing((enum ta_verdict)v) ? "fails" : ta_verdict_name((enum ta_verdict)v);
}

void ta_drift_matters(const struct ta_drift_entry *e, struct ta_buf *ret)
{
	bool fails = e->verdict_is >= 0 && ta_audit_is_failing((enum ta_verdict)e->verdict_is);
	bool failed = e->verdict_was >= 0 && ta_audit_is_failing((enum ta_verdict)e->verdict_was);

	if (!e->rule)
		return;
	ta_buf_printf(ret, "%s (%s) ", e->rule->id, ta_severity_name(e->severity));
	if (e->verdict_was == e->verdict_is && (fails || e->verdict_is == (int)TA_V_PASS))
		ta_buf_adds(ret, fails ? "fails as before" : "passes as before");
	else if (e->verdict_was == e->verdict_is)
		ta_buf_printf(ret, "is %s as before", verdict_word(e->verdict_is));
	else if (fails)
		ta_buf_printf(ret, "fails now; then: %s", verdict_word(e->verdict_was));
	else
		ta_buf_printf(ret, "%s now; then: %s", e->verdict_is == (int)TA_V_PASS ? "passes" : verdict_word(e->verdict_is),
			failed ? "it failed" : verdict_word(e->verdict_was));
}

void ta_drift_word(struct ta_buf *b, const char *text)
{
	size_t n = strlen(text);

	if (n <= WORD_MOST) {
		ta_buf_adds(b, n ? text : "\"\"");
		return;
	}
	for (n = WORD_MOST; n && (text[n] & 0xc0) == 0x80; n--)
		;
	ta_buf_add(b, text, n);
	ta_buf_adds(b, "...");
}

void ta_drift_line(const struct ta_drift_entry *e, struct ta_buf *ret)
{
	ta_cleanup_buf struct ta_buf matters = TA_BUF_INIT;

	ta_drift_matters(e, &matters);
	ta_drift_word(ret, e->path);
	ta_buf_adds(ret, " was ");
	ta_drift_word(ret, e->was);
	ta_buf_adds(ret, ", is ");
	ta_drift_word(ret, e->is);
	ta_buf_printf(ret, " (%s): ", ta_drift_kind_name(e->kind));
	ta_drift_word(ret, e->by);
	if (e->note)
		ta_buf_printf(ret, " (%s)", e->note);
	if (matters.len)
		ta_buf_printf(ret, "; %s", ta_buf_text(&matters));
}

enum ta_severity ta_drift_level(const struct ta_drift_entry *e)
{
	bool fails = e->verdict_is >= 0 && ta_audit_is_failing((enum ta_verdict)e->verdict_is);

	return e->rule && fails ? e->severity : TA_SEV_INFO;
}

/* --- text -------------------------------------------------------------------------------- */

/* Behind the last key's beginning: what moved alike has it in common. */
static const char *last_key(const char *path)
{
	size_t n = strlen(path);

	/* A key in brackets is a name of its own: alike is only what follows one. */
	if (n && path[n - 1] == ']')
		return path;
	while (n && path[n - 1] != '.')
		n--;
	return path + n;
}

static bool alike(const struct ta_drift_entry *a, const struct ta_drift_entry *b)
{
	return a->kind == b->kind && a->rule == b->rule && a->verdict_was == b->verdict_was && a->verdict_is == b->verdict_is &&
	       strcmp(last_key(a->path), last_key(b->path)) == 0 && !strcmp(a->was, b->was) && !strcmp(a->is, b->is) &&
	       !strcmp(a->by, b->by);
}

static void add_labelled(struct ta_buf *b, const struct ta_report_options *o, const char *text)
{
	if (!*text)
		return;
	ta_buf_adds(b, "      ");
	ta_text_wrap(b, text, o->columns, 6, 6);
	ta_buf_addc(b, '\n');
}

static void add_entry(struct ta_buf *b, const struct ta_report_options *o, const struct ta_drift_entry *e, const char *others)
{
	ta_cleanup_buf struct ta_buf head = TA_BUF_INIT, matters = TA_BUF_INIT, by = TA_BUF_INIT;

	ta_drift_word(&head, e->path);
	ta_buf_adds(&head, others);
	ta_buf_adds(&head, ": ");
	ta_drift_word(&head, e->was);
	ta_buf_adds(&head, " -> ");
	ta_drift_word(&head, e->is);
	ta_buf_adds(b, "   ");
	ta_text_wrap(b, ta_buf_text(&head), o->columns, 3, 6);
	ta_buf_addc(b, '\n');
	ta_drift_word(&by, e->by);
	add_labelled(b, o, ta_buf_text(&by));
	add_labelled(b, o, e->note ? e->note : "");
	ta_drift_matters(e, &matters);
	if (!matters.len)
		ta_buf_adds(&matters, e->kind == TA_DRIFT_TOOL ? "" : "no rule of this profile reads it");
	add_labelled(b, o, ta_buf_text(&matters));
}

/* The paths that moved like entry `i`, marked in `told`. */
static void add_alike(const struct ta_drift *d, size_t i, bool *told, struct ta_buf *others)
{
	size_t n = 0;

	for (size_t k = i + 1; k < d->n; k++) {
		if (told[k] || !alike(&d->entries[i], &d->entries[k]))
			continue;
		told[k] = true;
		if (++n < PATHS_MOST) {
			ta_buf_adds(others, ", ");
			ta_drift_word(others, d->entries[k].path);
		}
	}
	if (n >= PATHS_MOST)
		ta_buf_printf(others, " and %zu more", n - PATHS_MOST + 1);
}

static void add_kind(const struct ta_drift *d, enum ta_drift_kind kind, bool *told, const struct ta_report_options *o,
	struct ta_buf *b)
{
	static const char *const heads[] = {"Settings", "Kernel and system", "Hardware", "Tool and rules"};

	if (!d->kinds[kind])
		return;
	ta_buf_addc(b, '\n');
	ta_part_paint(b, o, TA_PAINT_HEAD, heads[kind]);
	ta_buf_addc(b, '\n');
	for (size_t i = 0; i < d->n; i++) {
		ta_cleanup_buf struct ta_buf others = TA_BUF_INIT;

		if (d->entries[i].kind != kind || (told && told[i]))
			continue;
		if (told)
			add_alike(d, i, told, &others);
		add_entry(b, o, &d->entries[i], ta_buf_text(&others));
	}
}

static void add_lines(struct ta_buf *b, const struct ta_report_options *o, const char *head, const struct ta_strv *lines)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	if (!lines->n)
		return;
	ta_buf_printf(&text, "%s: ", head);
	for (size_t i = 0; i < lines->n && i < 20; i++) {
		ta_buf_adds(&text, i ? ", " : "");
		ta_drift_word(&text, lines->v[i]);
	}
	if (lines->n > 20)
		ta_buf_printf(&text, " and %zu more", lines->n - 20);
	ta_buf_addc(b, '\n');
	ta_text_wrap(b, ta_buf_text(&text), o->columns, 0, 2);
	ta_buf_addc(b, '\n');
}

static void add_holes(const struct ta_drift *d, const struct ta_report_options *o, struct ta_buf *b)
{
	size_t most = o->verbosity > 0 ? SIZE_MAX : 10;

	if (!d->n_holes)
		return;
	ta_buf_addc(b, '\n');
	ta_part_paint(b, o, TA_PAINT_HEAD, "Read on one side only, so not compared");
	ta_buf_addc(b, '\n');
	for (size_t i = 0; i < d->n_holes && i < most; i++) {
		const struct ta_drift_hole *h = &d->holes[i];
		ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;

		ta_drift_word(&line, h->path);
		ta_buf_printf(&line, "%s: %s", h->was ? " now" : " then", ta_reason_name(h->reason));
		if (*h->detail)
			ta_buf_printf(&line, ", %s", h->detail);
		if (h->was) {
			ta_buf_adds(&line, " (it was ");
			ta_drift_word(&line, h->was);
			ta_buf_addc(&line, ')');
		}
		ta_buf_adds(b, "   ");
		ta_text_wrap(b, ta_buf_text(&line), o->columns, 3, 6);
		ta_buf_addc(b, '\n');
	}
	if (d->n_holes > most)
		ta_buf_printf(b, "   and %zu more: -v\n", d->n_holes - most);
}

static bool explains(const struct ta_drift *d, const struct ta_drift_verdict *v)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->entries[i].rule == v->rule)
			return true;
	return false;
}

/* Those that no entry above has told of. */
static void add_verdicts(const struct ta_drift *d, const struct ta_report_options *o, struct ta_buf *b)
{
	bool head = false;

	for (size_t i = 0; i < d->n_verdicts; i++) {
		const struct ta_drift_verdict *v = &d->verdicts[i];
		ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;

		if (explains(d, v))
			continue;
		if (!head) {
			ta_buf_addc(b, '\n');
			ta_part_paint(b, o, TA_PAINT_HEAD, "Other verdicts that changed");
			ta_buf_addc(b, '\n');
		}
		head = true;
		ta_buf_printf(&line, "%s (%s) on ", v->rule->id, ta_severity_name(v->severity));
		ta_drift_word(&line, v->subject);
		ta_buf_printf(&line, ": %s -> %s", ta_verdict_name(v->was), ta_verdict_name(v->is));
		ta_buf_adds(b, "   ");
		ta_text_wrap(b, ta_buf_text(&line), o->columns, 3, 6);
		ta_buf_addc(b, '\n');
	}
}

static void add_quiet(const struct ta_drift *d, struct ta_buf *b)
{
	for (size_t i = 0; i < d->n; i++) {
		ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;

		ta_drift_line(&d->entries[i], &line);
		ta_text_safe(b, ta_buf_text(&line));
		ta_buf_addc(b, '\n');
	}
}

void ta_report_drift(const struct ta_drift *d, const struct ta_report_options *o, struct ta_buf *ret)
{
	ta_cleanup_buf struct ta_buf counts = TA_BUF_INIT;
	bool *told = d->n && d->n <= ALIKE_MOST ? calloc(d->n, sizeof(*told)) : NULL;

	ta_drift_counts(d, &counts);
	ta_buf_printf(ret, "Drift from the baseline: %s%s\n", ta_buf_text(&counts), d->n ? "" : " moved");
	if (o->verbosity < 0) {
		add_quiet(d, ret);
		free(told);
		return;
	}
	for (size_t i = 0; i < d->notes.n; i++) {
		ta_buf_adds(ret, "   ");
		ta_text_wrap(ret, d->notes.v[i], o->columns, 3, 6);
		ta_buf_addc(ret, '\n');
	}
	for (int k = 0; k < TA_DRIFT_KINDS; k++)
		add_kind(d, (enum ta_drift_kind)k, told, o, ret);
	add_verdicts(d, o, ret);
	add_holes(d, o, ret);
	add_lines(ret, o, "There now and not then", &d->came);
	add_lines(ret, o, "There then and not now", &d->gone);
	if (d->n_ignored)
		ta_buf_printf(ret, "\n%zu more moved and %s left out by --ignore.\n", d->n_ignored, d->n_ignored == 1 ? "is" : "are");
	free(told);
}
