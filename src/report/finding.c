/*
 * One failing rule in three parts: what is so, why it matters, what to type.
 *
 * A rule may fail for 64 queues at once. Subjects whose explanation differs only in numbers and in
 * their own name are one group: the first speaks for all, the others are named, and what is cut off
 * says how to see it.
 */
#include <string.h>

#include "report/parts.h"
#include "report/text.h"

#define MAX_GROUPS 3
#define ALL_GROUPS 64 /* with -v */
#define MAX_SUBJECTS 8
#define MAX_COMMANDS 4
#define MAX_PERSIST_LINES 4
#define MAX_COLUMNS 3

struct group {
	const struct ta_finding *first;
	struct ta_buf shape;
	struct ta_strv subjects;
	bool same; /* every member's explanation is the first's, to the letter */
};

struct groups {
	struct group v[ALL_GROUPS];
	size_t n;
};

/* False if there is no room for one group more. */
static bool add_to_group(struct groups *g, const struct ta_finding *f)
{
	ta_cleanup_buf struct ta_buf shape = TA_BUF_INIT;
	size_t i = 0;

	ta_part_shape(f->out.because, f->out.subject, &shape);
	ta_buf_printf(&shape, "|%d%d", f->out.evidence_known, f->out.evidence_hurts);
	while (i < g->n && strcmp(ta_buf_text(&g->v[i].shape), ta_buf_text(&shape)) != 0)
		i++;
	if (i == TA_ARRAY_SIZE(g->v))
		return false;
	if (i == g->n) {
		g->v[g->n++] = (struct group){.first = f, .shape = shape, .same = true};
		shape = (struct ta_buf)TA_BUF_INIT;
	}
	if (strcmp(g->v[i].first->out.because, f->out.because) != 0)
		g->v[i].same = false;
	ta_strv_add(&g->v[i].subjects, f->out.subject);
	return true;
}

static void groups_done(struct groups *g)
{
	for (size_t i = 0; i < g->n; i++) {
		ta_buf_done(&g->v[i].shape);
		ta_strv_done(&g->v[i].subjects);
	}
}

static void more_line(
	const struct ta_finding *f, size_t n, const struct ta_report_options *o, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;

	ta_buf_printf(&line, "# and %zu more: %s check --only %s%s -v", n, o->program, f->rule->id,
		o->how);
	ta_part_verbatim(b, "", ta_buf_text(&line));
}

/* "eth0, eth1 and 61 more: ", nothing for rules about the host as a whole. */
static void add_subjects(
	const struct group *g, size_t from, const struct ta_report_options *o, struct ta_buf *ret)
{
	size_t n = g->subjects.n, cap = o->verbosity > 0 ? n : from + MAX_SUBJECTS;

	/* "and 1 more" takes the room of its name. */
	if (n == cap + 1)
		cap = n;
	for (size_t i = from; i < n && i < cap; i++)
		ta_buf_printf(ret, "%s%s", i > from ? ", " : "", g->subjects.v[i]);
	if (n > cap)
		ta_buf_printf(ret, " and %zu more", n - cap);
}

static void group_is(const struct group *g, const char *label, const struct ta_report_options *o,
	struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	const struct ta_outcome *out = &g->first->out;
	bool host = strcmp(out->subject, "host") == 0;

	if (g->same && !host)
		add_subjects(g, 0, o, &text);
	else if (!host)
		ta_buf_adds(&text, out->subject);
	ta_buf_printf(&text, "%s%s", text.len ? ": " : "", out->because);
	if (!g->same && g->subjects.n > 1) {
		ta_buf_adds(&text, "; likewise ");
		add_subjects(g, 1, o, &text);
	}
	ta_part_labelled(b, o, label, ta_buf_text(&text));
}

/* The counters: proof that it hurts, or the honest word that nothing shows it. */
static void group_evidence(
	const struct group *g, const struct ta_report_options *o, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	const struct ta_outcome *out = &g->first->out;

	if (!out->evidence_known)
		return;
	if (!out->evidence_hurts)
		ta_buf_adds(&text, "not seen: " TA_REPORT_NOT_SEEN);
	for (size_t i = 0; i < out->n_evidence; i++)
		ta_buf_printf(&text, "%s%s", i ? "; " : text.len ? " (" : "", out->evidence[i]);
	if (!out->evidence_hurts && out->n_evidence)
		ta_buf_addc(&text, ')');
	ta_part_labelled(b, o, "Hurts", ta_buf_text(&text));
}

/* Sources that contradict each other are shown together, where the advice stands. */
static void contradictions(
	const struct ta_rule *r, const struct ta_report_options *o, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	bool any = false;

	for (size_t i = 0; i < r->n_refs; i++) {
		any |= strncmp(r->refs[i], "against", strlen("against")) == 0;
		ta_buf_printf(&text, "%s%s", i ? "; " : "", r->refs[i]);
	}
	if (any)
		ta_part_labelled(b, o, "Guides", ta_buf_text(&text));
}

static void what_is_so(
	const struct ta_finding *f, size_t n, const struct ta_report_options *o, struct ta_buf *b)
{
	ta_cleanup(groups_done) struct groups g = {.n = 0};
	size_t hidden = 0, max = o->verbosity > 0 ? ALL_GROUPS : MAX_GROUPS;

	for (size_t i = 0; i < n; i++)
		hidden += !add_to_group(&g, &f[i]);
	for (size_t i = 0; i < g.n; i++) {
		if (i >= max) {
			hidden += g.v[i].subjects.n;
			continue;
		}
		group_is(&g.v[i], i ? "Also" : "Is", o, b);
		group_evidence(&g.v[i], o, b);
	}
	if (hidden)
		more_line(f, hidden, o, b);
}

/* "net.core.somaxconn: runs 65535, /etc/sysctl.d/90-x.conf:3 sets 4096, next boot 4096" */
void ta_part_column(const struct ta_column *c, struct ta_buf *b)
{
	size_t n = strlen(c->target);
	bool service = n > 8 && !strcmp(c->target + n - 8, ".service");
	const char *next = service ? "next start" : "next boot"; /* files of a service hold from then on */

	ta_buf_printf(b, "%s: %s%s", c->target, c->running ? "runs " : "what runs is not known", c->running ? c->running : "");
	if (c->place)
		ta_buf_printf(b, ", %s sets %s", c->place, c->value ? c->value : "what is known at boot only");
	if (!c->next_boot)
		ta_buf_printf(b, ", %s not known: %s", next, c->detail ? c->detail : "");
	else if (c->differs > 0 && service)
		ta_buf_printf(b, ", %s %s: a restart is outstanding", next, c->next_boot);
	else
		ta_buf_printf(b, ", %s %s", next, c->next_boot);
}

/* Findings about the files themselves say it in their own words. */
static bool is_about_files(const struct ta_finding *f)
{
	return f->out.fix.fixer && (!strncmp(f->out.fix.fixer, "setting.", 8) || !strncmp(f->out.fix.fixer, "persist.", 8));
}

/* What runs, is written down, and comes with the next boot: where these differ, and with -v. */
static void add_columns(const struct ta_finding *f, size_t n, const struct ta_report_options *o, struct ta_buf *b)
{
	size_t shown = 0, cap = o->verbosity > 0 ? SIZE_MAX : MAX_COLUMNS;

	for (size_t i = 0; i < n && shown < cap; i++) {
		for (size_t k = 0; k < f[i].columns.n && shown < cap; k++) {
			ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

			if (o->verbosity <= 0 && (f[i].columns.v[k].differs <= 0 || is_about_files(f)))
				continue;
			ta_part_column(&f[i].columns.v[k], &text);
			ta_part_labelled(b, o, shown++ ? "" : "Boot", ta_buf_text(&text));
		}
	}
}

static const char *disruption_text(const char *name)
{
	static const char *const texts[][2] = {
		{"flow-reset", "flow-reset: open connections break"},
		{"link-flap", "link-flap: the link goes down for a moment"},
		{"reboot", "reboot: takes effect at the next start of the system"},
	};

	for (size_t i = 0; name && i < TA_ARRAY_SIZE(texts); i++)
		if (strcmp(texts[i][0], name) == 0)
			return texts[i][1];
	return NULL;
}

/* What each finding's fix says, the same text once. `get` picks the text. */
static size_t distinct(const struct ta_finding *f, size_t n,
	void (*get)(const struct ta_finding *, struct ta_buf *), struct ta_strv *ret)
{
	for (size_t i = 0; i < n; i++) {
		ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

		get(&f[i], &text);
		if (text.len && !ta_strv_has(ret, text.data))
			ta_strv_add(ret, text.data);
	}
	return ret->n;
}

static void get_command(const struct ta_finding *f, struct ta_buf *ret)
{
	if (f->fix_command)
		ta_buf_adds(ret, f->fix_command);
}

/* Whole files are for those who ask for them. */
static void get_persist(const struct ta_finding *f, struct ta_buf *ret)
{
	if (f->fix_persist_file)
		ta_buf_printf(ret, "%s:\n%s", f->fix_persist_file,
			f->fix_persist_text ? f->fix_persist_text : "");
}

static void get_persist_short(const struct ta_finding *f, struct ta_buf *ret)
{
	size_t lines = 1;

	for (const char *s = f->fix_persist_text; s && *s; s++)
		lines += *s == '\n';
	if (lines <= MAX_PERSIST_LINES)
		get_persist(f, ret);
	else
		ta_buf_printf(ret, "%s (%zu lines: -v shows them)", f->fix_persist_file, lines);
}

static void get_error(const struct ta_finding *f, struct ta_buf *ret)
{
	if (f->fix_error)
		ta_buf_adds(ret, f->fix_error);
}

static void add_texts(const struct ta_finding *f, const struct ta_strv *texts, const char *label,
	const struct ta_report_options *o, struct ta_buf *b)
{
	size_t cap = o->verbosity > 0 ? texts->n : MAX_COMMANDS;

	for (size_t i = 0; i < texts->n && i < cap; i++)
		ta_part_verbatim(b, i ? "" : label, texts->v[i]);
	if (texts->n > cap)
		more_line(f, texts->n - cap, o, b);
}

/* Why a fixer has no command; the first speaks for all. */
static void add_refusal(
	const struct ta_strv *errors, const struct ta_report_options *o, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	ta_buf_printf(&text, "no command: %s", errors->v[0]);
	if (errors->n > 1)
		ta_buf_printf(&text, "; and %zu more like it", errors->n - 1);
	ta_part_labelled(b, o, "Type", ta_buf_text(&text));
}

static void what_to_type(
	const struct ta_finding *f, size_t n, const struct ta_report_options *o, struct ta_buf *b)
{
	ta_cleanup_strv struct ta_strv commands = TA_STRV_INIT, files = TA_STRV_INIT,
				       errors = TA_STRV_INIT;
	const char *disruption = disruption_text(f->fix_disruption);

	if (distinct(f, n, get_command, &commands)) {
		add_texts(f, &commands, "Type", o, b);
		if (disruption)
			ta_part_labelled(b, o, "Risk", disruption);
		if (f->rule->risk == TA_RISK_WORKLOAD)
			ta_part_labelled(b, o, "Risk",
				"workload: helps some services and costs others; measure before "
				"and after");
	}
	if (distinct(f, n, o->verbosity > 0 ? get_persist : get_persist_short, &files))
		add_texts(f, &files, "Keep", o, b);
	if (distinct(f, n, get_error, &errors))
		add_refusal(&errors, o, b);
	if (f->rule->advice && *f->rule->advice)
		ta_part_labelled(b, o, "Do", f->rule->advice);
	else if (!commands.n && !errors.n)
		ta_part_labelled(b, o, "Do", "no single command does it; the sources say how");
}

static void add_heading(const struct ta_finding *f, double points,
	const struct ta_report_options *o, struct ta_buf *b)
{
	static const enum ta_paint paints[] = {
		[TA_SEV_INFO] = TA_PAINT_INFO,
		[TA_SEV_WARNING] = TA_PAINT_WARNING,
		[TA_SEV_ERROR] = TA_PAINT_ERROR,
	};

	ta_part_paint(b, o, paints[f->severity], ta_severity_name(f->severity));
	ta_buf_addc(b, ' ');
	ta_part_paint(b, o, TA_PAINT_HEAD, f->rule->id);
	if (points >= 0.5)
		ta_buf_printf(b, ", costs %.0f", points);
	ta_buf_addc(b, '\n');
}

void ta_part_remedy(
	const struct ta_finding *f, size_t n, const struct ta_report_options *o, struct ta_buf *b)
{
	if (f->waiver_note)
		ta_part_labelled(b, o, "Note", f->waiver_note);
	what_to_type(f, n, o, b);
}

void ta_part_finding(const struct ta_finding *f, size_t n, double points,
	const struct ta_report_options *o, struct ta_buf *b)
{
	add_heading(f, points, o, b);
	ta_part_labelled(b, o, "Goal", f->rule->title);
	what_is_so(f, n, o, b);
	add_columns(f, n, o, b);
	if (f->waiver_note)
		ta_part_labelled(b, o, "Note", f->waiver_note);
	ta_part_labelled(b, o, "Why", f->rule->why);
	contradictions(f->rule, o, b);
	what_to_type(f, n, o, b);
}
