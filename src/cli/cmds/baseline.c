/*
 * tuneaudit baseline save | diff | fingerprint | compare: the host as it is meant to be, and what became of it.
 */
#include <json-c/json.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "baseline/fingerprint.h"
#include "cli/baselines.h"
#include "cli/fixtext.h"
#include "cli/system.h"
#include "facts/text.h"
#include "report/drift.h"
#include "report/text.h"

struct values {
	const char *profile, *format, *capture, *rules;
	struct ta_strv ignore;
};

static const struct ta_option options[] = {
	TA_OPTION_PROFILE(struct values, profile),
	{.name = "format",
		.arg = "text|json",
		.kind = TA_OPT_STRING,
		.help = "diff, fingerprint, compare: text for people (default), json for programs",
		.offset = offsetof(struct values, format)},
	{.name = "capture",
		.arg = "DIR",
		.kind = TA_OPT_STRING,
		.help = "this captured host instead of this one",
		.offset = offsetof(struct values, capture)},
	TA_OPTION_IGNORE(struct values, ignore),
	{.name = "rules",
		.arg = "DIR",
		.kind = TA_OPT_STRING,
		.help = "also the *.rules of this directory; the same id overrides",
		.offset = offsetof(struct values, rules)},
};

/* Everything that a verb works with. Not freed one by one: the process ends. */
struct work {
	struct ta_session s;
	struct ta_ruleset rs;
	struct ta_audit audit;
	const struct ta_profile *profile;
	bool json;
};

static int choose_format(const struct values *v, struct work *w)
{
	static const char *const formats[] = {"text", "json", NULL};
	int i = ta_cli_choose("format", v->format, formats);

	w->json = i == 1;
	return i < 0 ? TA_EXIT_USAGE : TA_EXIT_OK;
}

/* Schema, rules, profile: `profile` NULL is base. */
static int begin(const struct values *v, const char *profile, struct work *w)
{
	int code = ta_session_schema(&w->s);

	if (code == TA_EXIT_OK)
		code = ta_ruleset_load_for(&w->rs, w->s.schema, v->rules, profile);
	if (code != TA_EXIT_OK)
		return code;
	w->profile = ta_ruleset_profile(&w->rs, profile);
	return w->profile ? TA_EXIT_OK : TA_EXIT_USAGE;
}

/* All facts of the host, judged. */
static int look(const struct ta_cli *cli, const struct values *v, struct work *w, struct ta_baseline *ret)
{
	const struct ta_source_options source = {v->capture, 0, cli->quiet};
	struct ta_audit_options o = {.profile = w->profile};
	int code = ta_session_collect(&w->s, &source, NULL);

	if (code != TA_EXIT_OK)
		return code;
	if (ta_audit_run(w->rs.rules, &o, w->s.facts, &w->audit) < 0 || ta_fixtext_fill(&w->audit, w->s.facts) < 0)
		return ta_cli_fail(TA_EXIT_INTERNAL, "out of memory");
	return ta_baseline_of(&w->s, &w->rs, &w->audit, ret);
}

/* --- save ------------------------------------------------------------------------------ */

/* What root could read is missed by every comparison. */
static void say_denied(struct ta_cli *cli, const struct work *w, const struct ta_baseline *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n_facts; i++)
		n += !b->facts[i].value && b->facts[i].reason == TA_DENIED;
	if (n && ta_host_is_live(w->s.host) && geteuid() != 0)
		ta_buf_printf(&cli->out, "%zu facts may not be read by this user and will not be compared: as root it is more\n", n);
}

static int save(struct ta_cli *cli, const struct values *v, const char *path)
{
	static struct work w;
	static struct ta_baseline b;
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_err err;
	int code = begin(v, v->profile, &w);

	if (code == TA_EXIT_OK)
		code = look(cli, v, &w, &b);
	if (code != TA_EXIT_OK)
		return code;
	ta_baseline_format(&b, &text);
	if (strcmp(path, "-") == 0) {
		ta_buf_add(&cli->out, text.data, text.len);
		return TA_EXIT_OK;
	}
	if (text.error || ta_memory_failed())
		return ta_cli_fail(TA_EXIT_INTERNAL, "out of memory");
	if (ta_system_replace_file(path, text.data, text.len, &err) < 0)
		return ta_cli_fail(TA_EXIT_INTERNAL, "%s; nothing was saved", err.text);
	if (!cli->quiet) {
		ta_text_safe(&cli->out, path);
		ta_buf_printf(&cli->out, ": %zu facts, %zu verdicts of profile %s\n", b.n_facts, b.n_verdicts, b.profile);
		say_denied(cli, &w, &b);
	}
	return TA_EXIT_OK;
}

/* --- diff ------------------------------------------------------------------------------ */

static void print_drift(struct ta_cli *cli, const struct work *w, const struct ta_drift *d)
{
	const struct ta_report_options report = {
		.columns = cli->columns,
		.color = cli->color,
		.verbosity = cli->quiet ? -1 : cli->verbose,
		.tool_version = TA_VERSION,
		.program = cli->program,
	};

	if (w->json)
		ta_report_drift_json(d, TA_VERSION, &cli->out);
	else
		ta_report_drift(d, &report, &cli->out);
}

/* `other` NULL: against the host. */
static int diff(struct ta_cli *cli, const struct values *v, const char *file, const char *other)
{
	static struct work w;
	static struct ta_baseline was, is;
	static struct ta_drift d;
	struct ta_drift_options o = {.ignore = &v->ignore};
	int code = choose_format(v, &w);

	if (other && v->capture)
		return ta_cli_fail(TA_EXIT_USAGE, "two files are compared with each other: leave out --capture, or one of them");
	if (code == TA_EXIT_OK)
		code = ta_baseline_load(file, &was);
	if (code == TA_EXIT_OK && other)
		code = ta_baseline_load(other, &is);
	if (code == TA_EXIT_OK)
		code = begin(v, v->profile ? v->profile : was.profile, &w);
	if (code == TA_EXIT_OK)
		code = ta_baseline_check_ignore(w.s.schema, &v->ignore);
	if (code == TA_EXIT_OK && !other)
		code = look(cli, v, &w, &is);
	if (code != TA_EXIT_OK)
		return code;
	o.schema = w.s.schema;
	o.rules = w.rs.rules;
	o.profile = w.profile;
	o.facts = other ? NULL : w.s.facts;
	o.audit = other ? NULL : &w.audit;
	if (ta_drift_find(&was, &is, &o, &d) < 0)
		return ta_cli_fail(TA_EXIT_INTERNAL, "out of memory");
	print_drift(cli, &w, &d);
	return d.n ? TA_EXIT_DRIFT : TA_EXIT_OK;
}

/* --- fingerprints ---------------------------------------------------------------------- */

/* Long lines are wrapped under their text, which begins at column 12. */
static void print_lines(struct ta_cli *cli, const char *text)
{
	for (const char *end; *text; text = end + 1) {
		ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;

		end = strchr(text, '\n');
		ta_buf_add(&line, text + 12, (size_t)(end - text) - 12);
		ta_buf_shorten(&line, 0, 160);
		ta_buf_add(&cli->out, text, 12);
		ta_text_wrap(&cli->out, ta_buf_text(&line), cli->columns, 12, 12);
		ta_buf_addc(&cli->out, '\n');
	}
}

static int fingerprint(struct ta_cli *cli, const struct values *v)
{
	static struct work w;
	const struct ta_source_options source = {v->capture, 0, cli->quiet};
	ta_cleanup_strv struct ta_strv owners = TA_STRV_INIT;
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct json_object *o;
	int code = choose_format(v, &w);

	if (code == TA_EXIT_OK)
		code = ta_session_schema(&w.s);
	if (code != TA_EXIT_OK)
		return code;
	ta_fingerprint_owners(w.s.schema, &owners);
	ta_strv_sort(&owners);
	code = ta_session_collect(&w.s, &source, &owners);
	if (code != TA_EXIT_OK)
		return code;
	o = ta_fingerprint_make(w.s.facts);
	if (!o)
		return ta_cli_fail(TA_EXIT_INTERNAL, "out of memory");
	if (w.json) {
		ta_fingerprint_format_json(o, &cli->out);
	} else {
		ta_fingerprint_format(o, &text);
		print_lines(cli, ta_buf_text(&text));
	}
	json_object_put(o);
	return TA_EXIT_OK;
}

/* Any document with a fingerprint in it: a baseline, a fingerprint, the result of a load run. */
static int load_fingerprint(const char *path, struct json_object **ret)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct json_object *doc = NULL, *found = NULL;
	struct ta_err err = {0};
	bool trusted;

	if (ta_system_read_file(path, TA_BASELINE_MAX, &text, &trusted, &err) < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "%s", err.text);
	if (ta_json_parse(ta_buf_text(&text), text.len, &doc, &err) < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "%s: %s", path, err.text);
	if (json_object_is_type(doc, json_type_object))
		json_object_object_get_ex(doc, "fingerprint", &found);
	if (!json_object_is_type(found, json_type_object)) {
		json_object_put(doc);
		return ta_cli_fail(TA_EXIT_USAGE, "%s: there is no fingerprint in it", path);
	}
	*ret = json_object_get(found);
	json_object_put(doc);
	return TA_EXIT_OK;
}

static void print_reasons(struct ta_cli *cli, const struct ta_strv *reasons)
{
	if (!reasons->n) {
		ta_buf_adds(&cli->out, "These results can be compared: same machine, same kernel, same settings.\n");
		return;
	}
	ta_buf_adds(&cli->out, "These two results are not comparable, because\n");
	for (size_t i = 0; i < reasons->n; i++) {
		ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;

		ta_buf_adds(&line, reasons->v[i]);
		ta_buf_shorten(&line, 0, 160);
		ta_buf_adds(&cli->out, "   ");
		ta_text_wrap(&cli->out, ta_buf_text(&line), cli->columns, 3, 6);
		ta_buf_addc(&cli->out, '\n');
	}
}

static void print_reasons_json(struct ta_cli *cli, const struct ta_strv *reasons)
{
	struct ta_json j = {.b = &cli->out};

	ta_json_open(&j, NULL, '{');
	ta_json_str(&j, "schema", "tuneaudit.compare/1");
	ta_json_bool(&j, "comparable", !reasons->n);
	ta_json_open(&j, "because", '[');
	for (size_t i = 0; i < reasons->n; i++)
		ta_json_str(&j, NULL, reasons->v[i]);
	ta_json_close(&j, ']');
	ta_json_close(&j, '}');
	ta_buf_addc(&cli->out, '\n');
}

static int compare(struct ta_cli *cli, const struct values *v, const char *one, const char *two)
{
	static struct work w;
	ta_cleanup_strv struct ta_strv reasons = TA_STRV_INIT;
	struct json_object *a = NULL, *b = NULL;
	int code = choose_format(v, &w);

	if (code == TA_EXIT_OK)
		code = load_fingerprint(one, &a);
	if (code == TA_EXIT_OK)
		code = load_fingerprint(two, &b);
	if (code == TA_EXIT_OK) {
		ta_fingerprint_compare(a, b, &reasons);
		if (w.json)
			print_reasons_json(cli, &reasons);
		else
			print_reasons(cli, &reasons);
		code = reasons.n ? TA_EXIT_DRIFT : TA_EXIT_OK;
	}
	json_object_put(a);
	json_object_put(b);
	return code;
}

/* --- the command ----------------------------------------------------------------------- */

static const struct verb {
	const char *name;
	size_t min, max; /* files behind it */
	const char *takes;
	bool judges; /* takes --profile and --rules */
	bool reads;  /* takes --capture */
	bool prints; /* takes --format */
} verbs[] = {
	{"save", 1, 1, "one FILE", true, true, false},
	{"diff", 1, 2, "one FILE, or two", true, true, true},
	{"fingerprint", 0, 0, "no file", false, true, true},
	{"compare", 2, 2, "two files", false, false, true},
};

static const struct verb *find_verb(const char *name)
{
	struct ta_nearest near = TA_NEAREST(name);

	for (size_t i = 0; i < TA_ARRAY_SIZE(verbs); i++) {
		if (strcmp(verbs[i].name, name) == 0)
			return &verbs[i];
		ta_nearest_try(&near, verbs[i].name);
	}
	if (near.best)
		ta_cli_fail(TA_EXIT_USAGE, "baseline %s: did you mean '%s'?", name, near.best);
	else
		ta_cli_fail(TA_EXIT_USAGE, "baseline %s: there are save, diff, fingerprint and compare", name);
	return NULL;
}

/* An option that means nothing to the verb is a mistake of who typed it. */
static int check_usage(const struct verb *verb, const struct values *v, const struct ta_strv *args)
{
	const char *odd = !verb->judges && v->profile  ? "profile"
			  : !verb->judges && v->rules  ? "rules"
			  : !verb->reads && v->capture ? "capture"
			  : !verb->prints && v->format ? "format"
			  : v->ignore.n && strcmp(verb->name, "diff") != 0 ? "ignore"
									   : NULL;

	if (odd)
		return ta_cli_fail(TA_EXIT_USAGE, "baseline %s takes no --%s", verb->name, odd);
	if (args->n - 1 < verb->min || args->n - 1 > verb->max)
		return ta_cli_fail(TA_EXIT_USAGE, "baseline %s takes %s", verb->name, verb->takes);
	return TA_EXIT_OK;
}

static int run(struct ta_cli *cli, void *values, const struct ta_strv *args)
{
	const struct values *v = values;
	const struct verb *verb = find_verb(args->v[0]);
	int code = verb ? check_usage(verb, v, args) : TA_EXIT_USAGE;

	if (code != TA_EXIT_OK)
		return code;
	if (verb == &verbs[0])
		return save(cli, v, args->v[1]);
	if (verb == &verbs[1])
		return diff(cli, v, args->v[1], args->n > 2 ? args->v[2] : NULL);
	if (verb == &verbs[2])
		return fingerprint(cli, v);
	return compare(cli, v, args->v[1], args->v[2]);
}

const struct ta_command ta_command_baseline = {
	.name = "baseline",
	.args = "save FILE | diff FILE [FILE] | fingerprint | compare FILE FILE",
	.summary = "keeps this host as it is meant to be, and tells what moved since",
	.about = "save writes the facts of this host, less what moves by itself, and the verdicts on it: one fact a line, "
		 "so that two saves of a host that did not change are the same bytes and a change can be reviewed. "
		 "FILE is there whole or not at all; - is stdout.\n\n"
		 "diff tells what moved between FILE and this host, or between two files: what it was and is, who sets it, "
		 "and what the rules say of it. It is judged by the profile that the baseline was, unless --profile "
		 "says otherwise. 'tuneaudit check --baseline FILE' does both at once.\n\n"
		 "fingerprint prints what a benchmark's result depends on, to be kept with it; compare takes two files that "
		 "have one (baselines, fingerprints in JSON) and says why their results cannot be compared.",
	.exits = "0\tsaved; nothing moved; the results can be compared\n"
		 "2\twrong usage, or a file that cannot be read or is none\n"
		 "4\tsomething moved; the results cannot be compared\n"
		 "70\tinternal error, or the file or the output could not be written\n",
	.examples = "sudo tuneaudit baseline save web.baseline\tkeeps this host as it is\n"
		    "sudo tuneaudit baseline diff web.baseline\twhat moved since\n"
		    "sudo tuneaudit baseline diff --ignore hardware,nics.*.mtu web.baseline\tthe same, less some of it\n"
		    "tuneaudit baseline fingerprint >> results.txt\tbeside a benchmark's result\n",
	.options = options,
	.n_options = TA_ARRAY_SIZE(options),
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = 3,
	.run = run,
};
