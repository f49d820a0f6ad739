/*
 * What does not fail: unknown by reason, waived, and with -v what passes and what does not apply.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/parts.h"
#include "report/text.h"

#define MAX_DETAILS 5 /* of one reason; the rest with -v */
#define MAX_NAMES 6

/* Findings whose reason and detail are alike. */
struct reason {
	const struct ta_finding *first;
	const char *word;
	struct ta_buf shape;
	struct ta_strv rules;
	size_t n;  /* findings */
	bool same; /* every detail is the first's, to the letter */
};

struct reasons {
	struct reason *v;
	size_t n;
};

static void reasons_done(struct reasons *r)
{
	for (size_t i = 0; i < r->n; i++) {
		ta_strv_done(&r->v[i].rules);
		ta_buf_done(&r->v[i].shape);
	}
	free(r->v);
}

static const char *detail_of(const struct ta_finding *f)
{
	return *f->out.detail ? f->out.detail : f->out.because;
}

/* "PATH: why" without the path: many facts lack for one cause. */
static const char *cause(const char *detail)
{
	size_t n = strcspn(detail, " ");

	return n && detail[n] && detail[n - 1] == ':' ? detail + n + 1 : detail;
}

/* With -v nothing is folded: the detail to the letter, every subject by name. */
static void describe(
	const struct ta_finding *f, bool verbose, struct ta_buf *shape, struct ta_buf *name)
{
	ta_buf_adds(name, f->rule->id);
	if (verbose && strcmp(f->out.subject, "host") != 0)
		ta_buf_printf(name, " (%s)", f->out.subject);
	if (verbose)
		ta_buf_adds(shape, detail_of(f));
	else
		ta_part_shape(cause(detail_of(f)), f->out.subject, shape);
}

static void add_reason(struct reasons *r, const struct ta_finding *f, bool verbose)
{
	ta_cleanup_buf struct ta_buf shape = TA_BUF_INIT, name = TA_BUF_INIT;
	struct reason *one;
	size_t i = 0;

	describe(f, verbose, &shape, &name);
	while (i < r->n && (strcmp(r->v[i].word, f->out.reason) != 0 ||
				   strcmp(ta_buf_text(&r->v[i].shape), ta_buf_text(&shape)) != 0))
		i++;
	one = &r->v[i];
	if (i == r->n) {
		r->v[r->n++] = (struct reason){
			.first = f, .word = f->out.reason, .shape = shape, .same = true};
		shape = (struct ta_buf)TA_BUF_INIT;
	}
	if (strcmp(detail_of(one->first), detail_of(f)) != 0)
		one->same = false;
	if (!ta_strv_has(&one->rules, ta_buf_text(&name)))
		ta_strv_add(&one->rules, ta_buf_text(&name));
	one->n++;
}

static int cmp_reasons(const void *a, const void *b)
{
	const struct reason *x = a, *y = b;
	int c = strcmp(x->word, y->word);

	if (c)
		return c;
	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return strcmp(ta_buf_text(&x->shape), ta_buf_text(&y->shape));
}

static int collect(const struct ta_audit *a, enum ta_verdict v, bool verbose, struct reasons *ret)
{
	ret->v = calloc(a->summary[v] + 1, sizeof(*ret->v));
	if (!ret->v)
		return -1;
	for (size_t i = 0; i < a->n_findings; i++)
		if (a->findings[i].out.verdict == v)
			add_reason(ret, &a->findings[i], verbose);
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), cmp_reasons);
	return 0;
}

/* The rules, and of which subject or of how many. */
static void add_names(const struct reason *r, const struct ta_report_options *o, struct ta_buf *ret)
{
	size_t cap = o->verbosity > 0 ? r->rules.n : MAX_NAMES;
	const char *subject = r->first->out.subject;

	if (r->rules.n == cap + 1)
		cap++;
	for (size_t i = 0; i < r->rules.n && i < cap; i++)
		ta_buf_printf(ret, "%s%s", i ? ", " : "", r->rules.v[i]);
	if (r->rules.n > cap)
		ta_buf_printf(ret, " and %zu more", r->rules.n - cap);
	if (r->n > r->rules.n)
		ta_buf_printf(ret, " (%zu subjects)", r->n);
	else if (r->n == 1 && o->verbosity <= 0 && strcmp(subject, "host") != 0)
		ta_buf_printf(ret, " (%s)", subject);
}

static void heading(
	const struct ta_report_options *o, struct ta_buf *b, const char *title, size_t n)
{
	ta_buf_addc(b, '\n');
	ta_part_paint(b, o, TA_PAINT_HEAD, title);
	ta_buf_printf(b, " (%zu)\n", n);
}

static const char *meaning_of(const char *word)
{
	static const char *const meanings[][2] = {
		{"missing", "the system does not have it, or does not say"},
		{"denied", "this user may not read it"},
		{"unsupported", "the device, the driver or the kernel cannot tell"},
		{"malformed", "what was read makes no sense"},
		{"not-asked", "asking would change the host, or it is not in the capture"},
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(meanings); i++)
		if (strcmp(meanings[i][0], word) == 0)
			return meanings[i][1];
	return "";
}

static void add_detail(
	const struct reason *r, unsigned at, const struct ta_report_options *o, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	add_names(r, o, &text);
	if (*detail_of(r->first))
		ta_buf_printf(
			&text, " - %s%s", detail_of(r->first), r->same ? "" : "; and the like");
	ta_text_pad(b, at);
	ta_text_wrap(b, ta_buf_text(&text), o->columns, at, at + 2);
	ta_buf_addc(b, '\n');
}

/* The `n` entries of one word. */
static void add_word(const struct reason *r, size_t n, bool with_word,
	const struct ta_report_options *o, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;
	size_t cap = o->verbosity > 0 ? n : MAX_DETAILS, subjects = 0;

	for (size_t i = 0; i < n; i++)
		subjects += r[i].n;
	if (n == cap + 1)
		cap++;
	if (with_word && *r->word) {
		ta_buf_printf(&line, "%s (%zu)", r->word, subjects);
		if (*meaning_of(r->word))
			ta_buf_printf(&line, ": %s", meaning_of(r->word));
		ta_text_pad(b, 2);
		ta_text_wrap(b, ta_buf_text(&line), o->columns, 2, 4);
		ta_buf_addc(b, '\n');
	}
	for (size_t i = 0; i < n && i < cap; i++)
		add_detail(&r[i], with_word ? 4 : 2, o, b);
	if (n > cap)
		ta_buf_printf(b, "    and %zu more: %s check%s -v\n", n - cap, o->program, o->how);
}

static void by_reason(const struct ta_audit *a, enum ta_verdict v, const char *title,
	const struct ta_report_options *o, struct ta_buf *b)
{
	ta_cleanup(reasons_done) struct reasons r = {0};

	if (!a->summary[v])
		return;
	if (collect(a, v, o->verbosity > 0, &r) < 0) {
		b->error = -ENOMEM;
		return;
	}
	heading(o, b, title, a->summary[v]);
	for (size_t i = 0, n; i < r.n; i += n) {
		for (n = 1; i + n < r.n && strcmp(r.v[i].word, r.v[i + n].word) == 0;)
			n++;
		/* An unsupported finding has that reason alone. */
		/* All that is unsupported has this one reason. */
		add_word(&r.v[i], n, v != TA_V_UNSUPPORTED, o, b);
	}
}

void ta_part_unknown(const struct ta_audit *a, const struct ta_report_options *o, struct ta_buf *b)
{
	by_reason(a, TA_V_BROKEN, "Broken rules", o, b);
	by_reason(a, TA_V_UNKNOWN, "Could not be judged", o, b);
	by_reason(a, TA_V_UNSUPPORTED, "Hardware, driver or kernel cannot", o, b);
}

void ta_part_waived(const struct ta_audit *a, const struct ta_report_options *o, struct ta_buf *b)
{
	if (!a->summary[TA_V_WAIVED])
		return;
	heading(o, b, "Waived", a->summary[TA_V_WAIVED]);
	for (size_t i = 0; i < a->n_findings; i++) {
		const struct ta_finding *f = &a->findings[i];
		ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

		if (f->out.verdict != TA_V_WAIVED)
			continue;
		ta_buf_printf(&text, "%s, %s", f->rule->id, f->out.subject);
		if (f->until)
			ta_buf_printf(&text, ", until %s", f->until);
		ta_buf_printf(&text, ": %s", f->waived_because);
		ta_text_pad(b, 2);
		ta_text_wrap(b, ta_buf_text(&text), o->columns, 2, 6);
		ta_buf_addc(b, '\n');
	}
}

static void one_line_each(const struct ta_audit *a, enum ta_verdict v, const char *title,
	const struct ta_report_options *o, struct ta_buf *b)
{
	if (!a->summary[v])
		return;
	heading(o, b, title, a->summary[v]);
	for (size_t i = 0; i < a->n_findings; i++) {
		const struct ta_finding *f = &a->findings[i];
		ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

		if (f->out.verdict != v)
			continue;
		ta_buf_adds(&text, f->rule->id);
		if (strcmp(f->out.subject, "host") != 0)
			ta_buf_printf(&text, ", %s", f->out.subject);
		ta_buf_printf(&text, ": %s", *f->out.because ? f->out.because : f->rule->title);
		for (size_t k = 0; k < f->columns.n; k++) {
			if (f->columns.v[k].differs <= 0)
				continue;
			ta_buf_adds(&text, "; but ");
			ta_part_column(&f->columns.v[k], &text);
		}
		ta_text_pad(b, 2);
		ta_text_wrap(b, ta_buf_text(&text), o->columns, 2, 6);
		ta_buf_addc(b, '\n');
	}
}

void ta_part_rest(const struct ta_audit *a, const struct ta_report_options *o, struct ta_buf *b)
{
	if (o->verbosity <= 0)
		return;
	one_line_each(a, TA_V_PASS, "Passed", o, b);
	by_reason(a, TA_V_NA, "Do not apply", o, b);
}
