/*
 * SARIF 2.1.0 (OASIS, 2020), one run. A result's place is the host and the subject; code scanning services want an
 * artifact, too: "hosts/NAME".
 */
#include <errno.h>
#include <stdlib.h>

#include "report/escape.h"
#include "report/drift.h"

static const char *level(enum ta_severity s)
{
	return s == TA_SEV_ERROR ? "error" : s == TA_SEV_WARNING ? "warning" : "note";
}

static void add_message(struct ta_json *j, const char *key, const char *text)
{
	ta_json_open(j, key, '{');
	ta_json_str(j, "text", text);
	ta_json_close(j, '}');
}

static void add_help(struct ta_json *j, const struct ta_rule *r)
{
	ta_cleanup_buf struct ta_buf help = TA_BUF_INIT;

	ta_buf_adds(&help, r->why);
	if (r->advice)
		ta_buf_printf(&help, "\n%s", r->advice);
	for (size_t i = 0; i < r->n_refs; i++)
		ta_buf_printf(&help, "\n%s", r->refs[i]);
	add_message(j, "help", ta_buf_text(&help));
}

static void add_rule(struct ta_json *j, const struct ta_finding *f)
{
	ta_json_line(j);
	ta_json_open(j, NULL, '{');
	ta_json_str(j, "id", f->rule->id);
	add_message(j, "shortDescription", f->rule->title);
	add_message(j, "fullDescription", f->rule->why);
	add_help(j, f->rule);
	ta_json_open(j, "defaultConfiguration", '{');
	ta_json_str(j, "level", level(f->severity));
	ta_json_close(j, '}');
	ta_json_close(j, '}');
}

/* "kind" of SARIF 3.27.9; only of fail is the level meant. */
static const char *kind(const struct ta_finding *f)
{
	switch (f->out.verdict) {
	case TA_V_PASS: return "pass";
	case TA_V_NA: case TA_V_UNSUPPORTED: return "notApplicable";
	case TA_V_UNKNOWN: case TA_V_BROKEN: return "open";
	default: return "fail";
	}
}

static void add_place(struct ta_json *j, const char *subject, const char *host)
{
	ta_cleanup_buf struct ta_buf uri = TA_BUF_INIT, name = TA_BUF_INIT;

	ta_buf_adds(&uri, "hosts/");
	ta_escape_uri(&uri, host);
	ta_buf_printf(&name, "%s/%s", host, subject);
	ta_json_open(j, "locations", '[');
	ta_json_open(j, NULL, '{');
	ta_json_open(j, "physicalLocation", '{');
	ta_json_open(j, "artifactLocation", '{');
	ta_json_str(j, "uri", ta_buf_text(&uri));
	ta_json_close(j, '}');
	/* A host has no lines, but services show no result without one. */
	ta_json_open(j, "region", '{');
	ta_json_u64(j, "startLine", 1);
	ta_json_u64(j, "startColumn", 1);
	ta_json_u64(j, "endLine", 1);
	ta_json_u64(j, "endColumn", 1);
	ta_json_close(j, '}');
	ta_json_close(j, '}');
	ta_json_open(j, "logicalLocations", '[');
	ta_json_open(j, NULL, '{');
	ta_json_str(j, "name", subject);
	ta_json_str(j, "fullyQualifiedName", ta_buf_text(&name));
	ta_json_str(j, "kind", "resource");
	ta_json_close(j, '}');
	ta_json_close(j, ']');
	ta_json_close(j, '}');
	ta_json_close(j, ']');
}

static void add_waiver(struct ta_json *j, const struct ta_finding *f)
{
	if (f->out.verdict != TA_V_WAIVED)
		return;
	ta_json_open(j, "suppressions", '[');
	ta_json_open(j, NULL, '{');
	ta_json_str(j, "kind", "external");
	ta_json_str(j, "justification", f->waived_because);
	ta_json_close(j, '}');
	ta_json_close(j, ']');
}

static void add_text(const struct ta_finding *f, struct ta_buf *b)
{
	const char *detail = f->waiver_note ? f->waiver_note : f->out.detail;

	ta_buf_printf(b, "%s: %s", f->out.subject, *f->out.because ? f->out.because : f->rule->title);
	if (detail && *detail)
		ta_buf_printf(b, " (%s)", detail);
	for (size_t i = 0; i < f->out.n_evidence; i++)
		ta_buf_printf(b, "\nevidence: %s", f->out.evidence[i]);
	if (f->fix_command)
		ta_buf_printf(b, "\n%s", f->fix_command);
}

static void add_result(struct ta_json *j, const struct ta_finding *f, size_t rule, const char *host)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT, print = TA_BUF_INIT;
	const char *k = kind(f);

	ta_buf_printf(&print, "%s/%s", f->rule->id, f->out.subject);
	add_text(f, &text);
	ta_json_line(j);
	ta_json_open(j, NULL, '{');
	ta_json_str(j, "ruleId", f->rule->id);
	ta_json_u64(j, "ruleIndex", rule);
	ta_json_str(j, "kind", k);
	ta_json_str(j, "level", *k == 'f' ? level(f->severity) : "none");
	add_message(j, "message", ta_buf_text(&text));
	add_place(j, f->out.subject, host);
	ta_json_open(j, "partialFingerprints", '{');
	ta_json_str(j, "tuneaudit/v1", ta_buf_text(&print));
	ta_json_close(j, '}');
	add_waiver(j, f);
	ta_json_close(j, '}');
}

/* --- drift --------------------------------------------------------------------------- */

static void drift_id(enum ta_drift_kind k, struct ta_buf *b)
{
	ta_buf_printf(b, "drift.%s", ta_drift_kind_name(k));
}

static void add_drift_rules(struct ta_json *j)
{
	static const char *const titles[] = {"A setting is not what it was when the baseline was saved",
		"The kernel or system is not what it was when the baseline was saved",
		"The hardware is not what it was when the baseline was saved",
		"Another version of tuneaudit or of its rules saved the baseline"};
	static const char *const help[] = {
		"Set by somebody or something since: the result tells who, where that is known. Put it back, or save the baseline anew.",
		"It came with another kernel or release, and nothing sets it. Save the baseline anew once the upgrade is what was meant.",
		"The machine is another one, or has another part. Results measured on both cannot be compared.",
		"What is compared may have another meaning now. Save the baseline anew with this version."};

	for (int k = 0; k < TA_DRIFT_KINDS; k++) {
		ta_cleanup_buf struct ta_buf id = TA_BUF_INIT;

		drift_id((enum ta_drift_kind)k, &id);
		ta_json_line(j);
		ta_json_open(j, NULL, '{');
		ta_json_str(j, "id", ta_buf_text(&id));
		add_message(j, "shortDescription", titles[k]);
		add_message(j, "fullDescription", titles[k]);
		add_message(j, "help", help[k]);
		ta_json_open(j, "defaultConfiguration", '{');
		ta_json_str(j, "level", "warning");
		ta_json_close(j, '}');
		ta_json_close(j, '}');
	}
}

/* `rules`: how many stand before those of drift. */
static void add_drift_result(struct ta_json *j, const struct ta_drift_entry *e, size_t rules, const char *host)
{
	ta_cleanup_buf struct ta_buf id = TA_BUF_INIT, line = TA_BUF_INIT, print = TA_BUF_INIT;
	enum ta_severity s = ta_drift_level(e);

	drift_id(e->kind, &id);
	ta_drift_line(e, &line);
	ta_buf_printf(&print, "%s/%s", ta_buf_text(&id), e->path);
	ta_json_line(j);
	ta_json_open(j, NULL, '{');
	ta_json_str(j, "ruleId", ta_buf_text(&id));
	ta_json_u64(j, "ruleIndex", rules + e->kind);
	ta_json_str(j, "kind", "fail");
	ta_json_str(j, "level", level(s == TA_SEV_INFO ? TA_SEV_WARNING : s));
	add_message(j, "message", ta_buf_text(&line));
	add_place(j, e->path, host);
	ta_json_open(j, "partialFingerprints", '{');
	ta_json_str(j, "tuneaudit/v1", ta_buf_text(&print));
	ta_json_close(j, '}');
	ta_json_close(j, '}');
}

/* Findings of one rule need not be neighbours: those that fail come first. */
static size_t index_of(const struct ta_rule **rules, size_t n, const struct ta_rule *r)
{
	size_t i = 0;

	while (i < n && rules[i] != r)
		i++;
	return i;
}

static void add_run(struct ta_json *j, const struct ta_audit *a, const struct ta_rule **rules, const char *host,
	const struct ta_report_options *o)
{
	size_t n = 0;

	ta_json_open(j, "tool", '{');
	ta_json_open(j, "driver", '{');
	ta_json_str(j, "name", "tuneaudit");
	ta_json_str(j, "version", o->tool_version);
	ta_json_open(j, "rules", '[');
	for (size_t i = 0; i < a->n_findings; i++) {
		if (index_of(rules, n, a->findings[i].rule) < n)
			continue;
		rules[n++] = a->findings[i].rule;
		add_rule(j, &a->findings[i]);
	}
	if (o->drift)
		add_drift_rules(j);
	ta_json_close(j, ']');
	ta_json_close(j, '}');
	ta_json_close(j, '}');
	ta_json_open(j, "results", '[');
	for (size_t i = 0; i < a->n_findings; i++)
		add_result(j, &a->findings[i], index_of(rules, n, a->findings[i].rule), host);
	for (size_t i = 0; o->drift && i < o->drift->n; i++)
		add_drift_result(j, &o->drift->entries[i], n, host);
	ta_json_line(j);
	ta_json_close(j, ']');
}

static void check(const struct ta_audit *a, const struct ta_facts *facts, const struct ta_report_options *o, struct ta_buf *ret)
{
	const struct ta_rule **rules = calloc(a->n_findings + 1, sizeof(const struct ta_rule *));
	const char *host = ta_facts_get_str(facts, TA_KEYS("host", "name"));
	struct ta_json j = {.b = ret};

	if (!rules) {
		ret->error = -ENOMEM;
		return;
	}
	ta_json_open(&j, NULL, '{');
	ta_json_str(&j, "version", "2.1.0");
	ta_json_str(&j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	ta_json_open(&j, "runs", '[');
	ta_json_open(&j, NULL, '{');
	add_run(&j, a, rules, host && *host ? host : "unnamed", o);
	ta_json_close(&j, '}');
	ta_json_close(&j, ']');
	ta_json_close(&j, '}');
	ta_buf_addc(ret, '\n');
	free(rules);
}

const struct ta_format ta_format_sarif = {
	.name = "sarif",
	.summary = "SARIF 2.1.0 for code scanning services",
	.explains_passes = true,
	.check = check,
};
