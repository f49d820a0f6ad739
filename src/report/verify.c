/*
 * Before and after: what it cannot show first, then a line for each thing that was measured, then how sure that is.
 */
#include "report/verify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/text.h"

static bool is_bytes(const struct ta_workload *w, enum ta_verify_metric m)
{
	return m == TA_VERIFY_COLD || (m == TA_VERIFY_RATE && !strcmp(w->name, "stream"));
}

/* Bytes are told in MB. */
static void add_label(const struct ta_workload *w, enum ta_verify_metric m, struct ta_buf *b)
{
	if (is_bytes(w, m))
		ta_buf_adds(b, m == TA_VERIFY_COLD ? "cold MB per second" : "MB per second");
	else
		ta_verify_metric_label(w, m, b);
}

static void add_value(double v, char *ret, size_t size)
{
	snprintf(ret, size, v >= 1000 ? "%.0f" : v >= 10 ? "%.1f" : "%.2f", v);
}

static void add_row(const struct ta_verify_report *v, enum ta_verify_metric m, const struct ta_verify_effect *e, struct ta_buf *b)
{
	static const char *const verdicts[] = {
		[TA_VERIFY_NOTHING] = "none seen", [TA_VERIFY_BETTER] = "improved", [TA_VERIFY_WORSE] = "worse"};
	double unit = is_bytes(v->workload, m) ? 1e6 : 1;
	ta_cleanup_buf struct ta_buf label = TA_BUF_INIT;
	char before[32], after[32], by[32], interval[48];

	add_label(v->workload, m, &label);
	add_value(e->before / unit, before, sizeof(before));
	add_value(e->after / unit, after, sizeof(after));
	snprintf(by, sizeof(by), "%+.1f %%", e->shift.percent);
	snprintf(interval, sizeof(interval), "%+.1f to %+.1f %%", e->shift.low, e->shift.high);
	ta_buf_printf(b, "%-22s%9s%9s%10s  %-19s%s\n", ta_buf_text(&label), before, after, by, interval, verdicts[e->verdict]);
}

/* Each reason once, with the changes that it holds for. */
static void add_not_here(const struct ta_verify_report *v, const struct ta_report_options *o, struct ta_buf *ret)
{
	for (size_t i = 0; i < v->n_changes; i++) {
		const char *why = v->changes[i].not_here;
		ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;
		bool told = !why;

		for (size_t k = 0; k < i && !told; k++)
			told = v->changes[k].not_here && !strcmp(v->changes[k].not_here, why);
		if (told)
			continue;
		ta_buf_adds(&line, "Cannot show here (");
		ta_text_safe(&line, why);
		ta_buf_adds(&line, "): ");
		for (size_t k = i; k < v->n_changes; k++) {
			if (!v->changes[k].not_here || strcmp(v->changes[k].not_here, why) != 0)
				continue;
			ta_buf_adds(&line, k > i ? ", " : "");
			ta_text_safe(&line, v->changes[k].label);
		}
		ta_text_wrap(ret, ta_buf_text(&line), o->columns, 0, 2);
		ta_buf_addc(ret, '\n');
	}
}

static void add_here(const struct ta_verify_report *v, const struct ta_report_options *o, struct ta_buf *ret)
{
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;
	size_t n = 0;

	for (size_t i = 0; i < v->n_changes; i++)
		n += !v->changes[i].not_here;
	if (!strcmp(v->before->path, "loopback"))
		ta_buf_adds(&line, "Loopback shows nothing of NICs, their queues, interrupts and offloads, nor of distance. ");
	ta_buf_printf(&line, "This load can show %zu of %zu change%s", n, v->n_changes, v->n_changes == 1 ? "" : "s");
	for (size_t i = 0, told = 0; i < v->n_changes; i++) {
		if (v->changes[i].not_here)
			continue;
		ta_buf_adds(&line, told++ ? ", " : ": ");
		ta_text_safe(&line, v->changes[i].label);
	}
	ta_buf_adds(&line, n ? "." : "; that none of them does harm is all that it can say.");
	ta_text_wrap(ret, ta_buf_text(&line), o->columns, 0, 0);
	ta_buf_addc(ret, '\n');
	add_not_here(v, o, ret);
}

/* Beyond this nothing that matters could have been told from noise. */
#define NOISY_PERCENT 25

/* What it could not have seen. */
static void add_doubt(const struct ta_verify_report *v, const struct ta_report_options *o, struct ta_buf *ret)
{
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;
	struct ta_verify_effect e;
	bool any = false;

	for (int m = 0; m < TA_VERIFY_METRICS; m++) {
		e = ta_verify_compare(v->before, v->after, (enum ta_verify_metric)m);
		if (e.verdict != TA_VERIFY_NOTHING)
			continue;
		ta_buf_adds(&line, any ? ", " : "Smallest effect that would have been seen: ");
		any = true;
		add_label(v->workload, (enum ta_verify_metric)m, &line);
		ta_buf_printf(&line, " %.1f %%", e.shift.smallest);
	}
	e = ta_verify_compare(v->before, v->after, TA_VERIFY_RATE);
	if (e.verdict == TA_VERIFY_NOTHING && e.shift.smallest > NOISY_PERCENT)
		ta_buf_adds(&line, ". This host was too busy or uneven meanwhile for a load of seconds to tell anything");
	ta_buf_printf(&line, "%sBefore and after cannot take turns here: what else the host did meanwhile is in the difference.", any ? ". " : "");
	ta_text_wrap(ret, ta_buf_text(&line), o->columns, 0, 0);
	ta_buf_addc(ret, '\n');
}

/* Put back, and as it was? Then it was the changes. */
static bool is_back(const struct ta_verify_report *v)
{
	for (int m = 0; m < TA_VERIFY_METRICS; m++)
		if (m != TA_VERIFY_CPU && ta_verify_compare(v->before, v->after, (enum ta_verify_metric)m).verdict == TA_VERIFY_WORSE &&
			ta_verify_compare(v->after, v->again, (enum ta_verify_metric)m).verdict == TA_VERIFY_BETTER)
			return true;
	return false;
}

static const char *again_text(const struct ta_verify_report *v)
{
	if (!v->again)
		return NULL;
	if (v->after->errors > v->again->errors || is_back(v))
		return "Measured again with everything put back: better again. It was the changes.";
	return "Measured again with everything put back: no better. The host itself did less meanwhile; that it was the changes is not "
	       "shown.";
}

void ta_report_verify(const struct ta_verify_report *v, const struct ta_report_options *o, struct ta_buf *ret)
{
	ta_cleanup_buf struct ta_buf head = TA_BUF_INIT;

	ta_buf_printf(&head, "Load before and after: %s over %s, %zu and %zu short runs", v->workload->name, v->before->path, v->before->n,
		v->after ? v->after->n : 0);
	if (v->target) {
		ta_buf_adds(&head, ", ");
		ta_text_safe(&head, v->target);
	}
	ta_buf_addc(ret, '\n');
	ta_text_wrap(ret, ta_buf_text(&head), o->columns, 0, 2);
	ta_buf_addc(ret, '\n');
	add_here(v, o, ret);
	if (!v->after || v->after->n < TA_SHIFT_MIN)
		return;
	ta_buf_printf(ret, "%-22s%9s%9s%10s  %s\n", "", "before", "after", "effect", "99.7 % interval");
	for (int m = 0; m < TA_VERIFY_METRICS; m++) {
		struct ta_verify_effect e = ta_verify_compare(v->before, v->after, (enum ta_verify_metric)m);

		if (e.verdict != TA_VERIFY_UNMEASURED)
			add_row(v, (enum ta_verify_metric)m, &e, ret);
	}
	add_doubt(v, o, ret);
	if (v->disturbed) {
		ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;

		ta_buf_printf(&line, "A series with the changes was measured anew: %s.", v->disturbed);
		ta_text_wrap(ret, ta_buf_text(&line), o->columns, 0, 0);
		ta_buf_addc(ret, '\n');
	}
	if (v->kept)
		ta_buf_adds(ret, "Worse, and kept, as asked for.\n");
	if (again_text(v)) {
		ta_text_wrap(ret, again_text(v), o->columns, 0, 0);
		ta_buf_addc(ret, '\n');
	}
}

/* --- JSON ------------------------------------------------------------------------ */

static void add_series(struct ta_json *j, const char *key, const struct ta_verify_series *s, enum ta_verify_metric m)
{
	ta_json_open(j, key, '[');
	for (size_t i = 0; s && i < s->n; i++)
		ta_json_real(j, NULL, s->v[m][i]);
	ta_json_close(j, ']');
}

static void add_metric(struct ta_json *j, const struct ta_verify_report *v, enum ta_verify_metric m)
{
	struct ta_verify_effect e = ta_verify_compare(v->before, v->after, m);
	ta_cleanup_buf struct ta_buf label = TA_BUF_INIT;

	if (e.verdict == TA_VERIFY_UNMEASURED)
		return;
	ta_verify_metric_label(v->workload, m, &label);
	ta_json_line(j);
	ta_json_open(j, NULL, '{');
	ta_json_str(j, "key", ta_verify_metric_key(m));
	ta_json_str(j, "label", ta_buf_text(&label));
	ta_json_str(j, "verdict", ta_verify_verdict_name(e.verdict));
	ta_json_real(j, "percent", e.shift.percent);
	ta_json_real(j, "low", e.shift.low);
	ta_json_real(j, "high", e.shift.high);
	ta_json_real(j, "smallest", e.shift.smallest);
	add_series(j, "before", v->before, m);
	add_series(j, "after", v->after, m);
	add_series(j, "again", v->again, m);
	ta_json_close(j, '}');
}

void ta_report_verify_json(const struct ta_verify_report *v, struct ta_json *j)
{
	const char *again = again_text(v);

	ta_json_line(j);
	ta_json_open(j, "verify", '{');
	ta_json_str(j, "workload", v->workload->name);
	ta_json_str(j, "path", v->before->path);
	ta_json_str(j, "target", v->target);
	ta_json_str(j, "verdict", v->worse ? "worse" : "not worse");
	ta_json_str(j, "reason", v->worse ? v->why : NULL);
	ta_json_bool(j, "kept", !v->worse || v->kept);
	ta_json_str(j, "again", again);
	ta_json_str(j, "disturbed", v->disturbed);
	ta_json_real(j, "interval", TA_SHIFT_LEVEL);
	ta_json_u64(j, "failed_before", v->before->errors);
	ta_json_u64(j, "failed_after", v->after ? v->after->errors : 0);
	ta_json_open(j, "changes", '[');
	for (size_t i = 0; i < v->n_changes; i++) {
		ta_json_line(j);
		ta_json_open(j, NULL, '{');
		ta_json_str(j, "change", v->changes[i].label);
		ta_json_bool(j, "shown", !v->changes[i].not_here);
		ta_json_str(j, "why_not", v->changes[i].not_here);
		ta_json_close(j, '}');
	}
	ta_json_close(j, ']');
	ta_json_open(j, "metrics", '[');
	for (int m = 0; v->after && m < TA_VERIFY_METRICS; m++)
		add_metric(j, v, (enum ta_verify_metric)m);
	ta_json_close(j, ']');
	ta_json_close(j, '}');
}
