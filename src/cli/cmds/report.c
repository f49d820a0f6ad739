/*
 * tuneaudit report: one page from many results.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/fixtext.h"
#include "cli/outfile.h"
#include "cli/progress.h"
#include "cli/ruleset.h"
#include "cli/session.h"
#include "cli/system.h"
#include "facts/text.h"
#include "report/page/page.h"
#include "report/report.h"

extern const struct ta_format ta_format_json;

struct values {
	const char *output, *profile;
};

static const struct ta_option options[] = {
	{.name = "output",
		.letter = 'o',
		.arg = "OUT.html",
		.kind = TA_OPT_STRING,
		.help = "where the page goes, whole or not at all; without it to stdout",
		.offset = offsetof(struct values, output)},
	{.name = "profile",
		.arg = "PROFILE",
		.kind = TA_OPT_STRING,
		.help = "by which captures are judged (default base); results say theirs",
		.offset = offsetof(struct values, profile)},
};

/* A captured host is judged now: its result and its facts are what `check` and `facts` would say of it. */
static int judge(struct ta_cli *cli, const struct values *v, const char *dir, struct ta_session *s, struct ta_ruleset *rs,
	struct ta_buf *json)
{
	const struct ta_source_options source = {.capture = dir, .quiet = true};
	const struct ta_report_options report = {.columns = cli->columns, .tool_version = TA_VERSION, .program = cli->program, .how = ""};
	struct ta_audit_options o = {0};
	struct ta_audit audit = {0};
	int code = ta_session_schema(s), rc;

	if (code == TA_EXIT_OK)
		code = ta_ruleset_load_for(rs, s->schema, NULL, v->profile);
	if (code != TA_EXIT_OK)
		return code;
	o.profile = ta_ruleset_profile(rs, v->profile);
	if (!o.profile)
		return TA_EXIT_USAGE;
	code = ta_session_collect(s, &source, NULL);
	if (code != TA_EXIT_OK)
		return code;
	rc = ta_audit_run(rs->rules, &o, s->facts, &audit);
	if (rc == 0)
		rc = ta_fixtext_fill(&audit, s->facts);
	if (rc == 0)
		ta_format_json.check(&audit, s->facts, &report, json);
	ta_audit_done(&audit);
	return rc < 0 || json->error ? ta_cli_fail(TA_EXIT_INTERNAL, "%s", ta_errno_text(rc < 0 ? rc : json->error)) : TA_EXIT_OK;
}

static int add_capture(struct ta_cli *cli, const struct values *v, const char *dir, struct ta_page *page)
{
	ta_cleanup_session struct ta_session s = TA_SESSION_INIT;
	ta_cleanup_ruleset struct ta_ruleset rs = TA_RULESET_INIT;
	ta_cleanup_buf struct ta_buf json = TA_BUF_INIT;
	struct ta_err err = {0};
	int code = judge(cli, v, dir, &s, &rs, &json), rc;

	if (code == TA_EXIT_USAGE)
		return ta_page_add_broken(page, dir, "a directory that could not be read as a capture") < 0 ? TA_EXIT_INTERNAL : TA_EXIT_USAGE;
	if (code != TA_EXIT_OK)
		return code;
	rc = ta_page_add(page, dir, ta_buf_text(&json), json.len, &err);
	if (rc == 0)
		rc = ta_page_add_facts(page, dir, s.facts);
	return rc < 0 ? ta_cli_fail(TA_EXIT_INTERNAL, "%s: %s", dir, rc == -ENOMEM ? "out of memory" : err.text) : TA_EXIT_OK;
}

/* The message without the name of the file, which stands beside it. */
static const char *bare(const char *text, const char *path)
{
	size_t n = strlen(path);

	return strncmp(text, path, n) == 0 && strncmp(text + n, ": ", 2) == 0 ? text + n + 2 : text;
}

static int add_file(const char *path, struct ta_page *page)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_err err = {0};
	bool trusted;
	int rc = ta_system_read_file(path, TA_JSON_MAX, &text, &trusted, &err);

	if (rc == 0)
		rc = ta_page_add(page, path, ta_buf_text(&text), text.len, &err);
	if (rc == 0)
		return TA_EXIT_OK;
	if (rc == -ENOMEM || ta_page_add_broken(page, path, bare(err.text, path)) < 0)
		return ta_cli_fail(TA_EXIT_INTERNAL, "out of memory");
	return ta_cli_fail(TA_EXIT_USAGE, "%s: %s", path, bare(err.text, path));
}

/* What cannot be taken is said here and in the page; the rest is shown. */
static int add_all(struct ta_cli *cli, const struct values *v, const struct ta_strv *args, struct ta_page *page)
{
	int result = TA_EXIT_OK;

	for (size_t i = 0; i < args->n; i++) {
		struct stat st;
		bool is_dir = stat(args->v[i], &st) == 0 && S_ISDIR(st.st_mode);
		int code;

		ta_progress_step(i + 1, args->n);
		code = is_dir ? add_capture(cli, v, args->v[i], page) : add_file(args->v[i], page);

		if (code == TA_EXIT_INTERNAL)
			return code;
		if (code != TA_EXIT_OK)
			result = code;
	}
	return result;
}

static int show(struct ta_cli *cli, const struct values *v, const struct ta_strv *args, struct ta_page *page)
{
	const struct ta_page_options o = {.tool_version = TA_VERSION};
	ta_cleanup_buf struct ta_buf html = TA_BUF_INIT;
	struct ta_err err;
	int code;

	ta_progress_begin(cli->quiet, "Reading results");
	code = add_all(cli, v, args, page);
	ta_progress_end();

	if (code == TA_EXIT_INTERNAL)
		return code;
	if (!ta_page_results(page))
		return ta_cli_fail(TA_EXIT_USAGE, "none of the %zu could be taken: there is no page", args->n);
	ta_page_write(page, &o, v->output ? &html : &cli->out);
	if (!v->output)
		return code;
	if (html.error || ta_memory_failed())
		return ta_cli_fail(TA_EXIT_INTERNAL, "the page could not be built: %s", ta_errno_text(html.error ? html.error : -ENOMEM));
	if (ta_outfile_write(v->output, &html, &err) < 0)
		return ta_cli_fail(TA_EXIT_INTERNAL, "%s", err.text);
	return code;
}

static int run(struct ta_cli *cli, void *values, const struct ta_strv *args)
{
	struct ta_page *page = ta_page_new();
	int code = page ? show(cli, values, args, page) : ta_cli_fail(TA_EXIT_INTERNAL, "out of memory");

	ta_page_free(page);
	return code;
}

const struct ta_command ta_command_report = {
	.name = "report",
	.args = "FILE...",
	.summary = "one page from results of check, facts, load and trial, hosts side by side",
	.about = "Makes one HTML page, to be looked at without a network, printed and sent around, from JSON results: of check (score, findings, "
		 "what to type), facts (a packet's way, added to the check of the same host), load (throughput and latency side by side, in "
		 "the order given) and trial. A directory is a capture: it is judged now.\n\n"
		 "Of many hosts it shows a matrix of hosts and rules, hosts of one kind together, those that differ most first. A file that "
		 "cannot be taken is named in the page and on stderr; the others are shown all the same.",
	.exits = "0\tthe page was written, with everything in it\n"
		 "2\twrong usage; or a file could not be taken: the page has the others\n"
		 "70\tinternal error, or the page could not be written\n",
	.examples = "tuneaudit report check.json facts.json -o host.html\tone host, with the picture\n"
		    "tuneaudit report fleet/*.json -o fleet.html\tmany hosts\n"
		    "tuneaudit report before.json after.json -o load.html\ttwo load runs\n",
	.options = options,
	.n_options = TA_ARRAY_SIZE(options),
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = -1,
	.run = run,
};
