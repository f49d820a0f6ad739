#include "cli/ruleset.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/system.h"
#include "fix/fixer.h"
#include "report/text.h"
#include "rule/embedded.h"

#define MAX_FILES 500 /* of one directory */

void ta_ruleset_done(struct ta_ruleset *s)
{
	ta_rules_free(s->rules);
	free(s->sigs);
	*s = (struct ta_ruleset)TA_RULESET_INIT;
}

void ta_ruleset_format(const struct ta_diags *d, struct ta_buf *ret)
{
	for (size_t i = 0; i < d->n; i++)
		ta_text_safe_lines(ret, d->v[i].text);
	if (d->total > d->n)
		ta_buf_printf(ret, "and %zu more faults\n", d->total - d->n);
}

static int internal(int rc)
{
	return ta_cli_fail(TA_EXIT_INTERNAL, "rules could not be loaded: %s", strerror(-rc));
}

static int add_embedded(struct ta_ruleset *s, unsigned flags, struct ta_diags *diags)
{
	s->rules = ta_rules_new();
	if (!s->rules)
		return internal(-ENOMEM);
	for (size_t i = 0; i < ta_n_embedded_rules; i++) {
		const struct ta_embedded_rules *e = &ta_embedded_rules[i];
		int rc = ta_rules_add_text(s->rules, e->file, e->text, strlen(e->text),
			TA_RULES_TRUSTED | TA_RULES_STATIC | flags, diags);

		if (rc < 0 && rc != -EBADMSG)
			return internal(rc);
	}
	return TA_EXIT_OK;
}

int ta_ruleset_embedded(struct ta_ruleset *s, struct ta_diags *diags)
{
	return add_embedded(s, 0, diags);
}

int ta_ruleset_add_file(struct ta_ruleset *s, const char *path, struct ta_diags *diags)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_err err;
	bool trusted;
	int rc;

	if (ta_system_read_file(path, TA_RULE_FILE_MAX, &text, &trusted, &err) < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "%s", err.text);
	if (s->only_trusted && !trusted)
		return ta_cli_fail(TA_EXIT_OK,
			"%s is left out: others than root may write it, or put another file in its place",
			path);
	rc = ta_rules_add_text(s->rules, path, ta_buf_text(&text), text.len,
		TA_RULES_OVERRIDE | (trusted ? TA_RULES_TRUSTED : 0), diags);
	return rc < 0 && rc != -EBADMSG ? internal(rc) : TA_EXIT_OK;
}

static int add_dir(
	struct ta_ruleset *s, const char *dir, bool must_be_there, struct ta_diags *diags)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	struct ta_err err;
	int rc = ta_system_list(dir, ".rules", &names, &err);

	if (rc == -ENOENT && !must_be_there)
		return TA_EXIT_OK;
	if (rc < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "%s", err.text);
	if (!names.n && must_be_there)
		return ta_cli_fail(TA_EXIT_USAGE, "%s: no *.rules files there", dir);
	if (names.n > MAX_FILES)
		return ta_cli_fail(TA_EXIT_USAGE, "%s: more than %d rule files", dir, MAX_FILES);
	for (size_t i = 0; i < names.n; i++) {
		ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;
		int code;

		ta_buf_printf(&path, "%s/%s", dir, names.v[i]);
		code = ta_ruleset_add_file(s, ta_buf_text(&path), diags);
		if (code != TA_EXIT_OK)
			return code;
	}
	return TA_EXIT_OK;
}

int ta_ruleset_resolve(struct ta_ruleset *s, const struct ta_schema *schema, struct ta_diags *diags)
{
	int rc = ta_fixer_sigs(&s->sigs, &s->n_sigs);

	if (rc == 0)
		rc = ta_rules_resolve(s->rules, schema, s->sigs, s->n_sigs, diags);
	return rc < 0 && rc != -EBADMSG ? internal(rc) : TA_EXIT_OK;
}

/* Of a profile that is not there nothing is woken: ta_ruleset_profile() will tell. */
static int wake(struct ta_ruleset *s, const char *profile, struct ta_diags *diags)
{
	const struct ta_profile *p = ta_rules_profile(s->rules, profile);
	int rc = p ? ta_rules_wake(s->rules, p, diags) : 0;

	return rc < 0 && rc != -EBADMSG ? internal(rc) : TA_EXIT_OK;
}

/* True if only the program's own rules are in force, as it has them ready. */
static bool take_builtin(struct ta_ruleset *s, const struct ta_schema *schema, const char *dir)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	struct ta_err err;
	int rc;

	if (dir || !ta_builtin_rules || schema != ta_builtin_schema)
		return false;
	rc = ta_system_list(TA_RULES_DIR, ".rules", &names, &err);
	if (rc != -ENOENT && (rc < 0 || names.n))
		return false;
	s->rules = ta_builtin_rules;
	return true;
}

static int load(struct ta_ruleset *s, const struct ta_schema *schema, const char *dir, const char *profile)
{
	struct ta_diags diags = {0};
	int code;

	if (take_builtin(s, schema, dir))
		return TA_EXIT_OK;
	code = add_embedded(s, profile ? TA_RULES_LAZY : 0, &diags);
	if (code == TA_EXIT_OK)
		code = add_dir(s, TA_RULES_DIR, false, &diags);
	if (code == TA_EXIT_OK && dir)
		code = add_dir(s, dir, true, &diags);
	if (code == TA_EXIT_OK)
		code = ta_ruleset_resolve(s, schema, &diags);
	if (code == TA_EXIT_OK && profile)
		code = wake(s, profile, &diags);
	if (code == TA_EXIT_OK && diags.total) {
		ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

		ta_ruleset_format(&diags, &text);
		ta_cli_say(ta_buf_text(&text));
		code = ta_cli_fail(TA_EXIT_USAGE, "broken rules; nothing was judged");
	}
	ta_diags_done(&diags);
	return code;
}

int ta_ruleset_load(struct ta_ruleset *s, const struct ta_schema *schema, const char *dir)
{
	return load(s, schema, dir, NULL);
}

int ta_ruleset_load_for(
	struct ta_ruleset *s, const struct ta_schema *schema, const char *dir, const char *profile)
{
	return load(s, schema, dir, profile ? profile : "base");
}

const struct ta_profile *ta_ruleset_profile(const struct ta_ruleset *s, const char *name)
{
	const struct ta_profile *p = ta_rules_profile(s->rules, name ? name : "base");
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	ta_cleanup_buf struct ta_buf list = TA_BUF_INIT;

	if (p)
		return p;
	ta_rules_profile_names(s->rules, &names);
	for (size_t i = 0; i < names.n; i++)
		ta_buf_printf(&list, "%s%s", i ? ", " : "", names.v[i]);
	ta_cli_fail(0, "no profile '%s'; there are: %s", name ? name : "base", ta_buf_text(&list));
	return NULL;
}

static void say_no_rule(const struct ta_ruleset *s, const char *option, const char *id)
{
	const char *near = ta_rules_nearest(s->rules, id);

	if (near)
		ta_cli_fail(0, "%sno rule '%s'; did you mean '%s'?", option, id, near);
	else
		ta_cli_fail(0, "%sno rule '%s'; 'tuneaudit rules list' shows them", option, id);
}

const struct ta_rule *ta_ruleset_find(const struct ta_ruleset *s, const char *id)
{
	const struct ta_rule *r = ta_rules_find(s->rules, id);

	if (!r)
		say_no_rule(s, "", id);
	return r;
}

int ta_ruleset_check_patterns(
	const struct ta_ruleset *s, const char *name, const struct ta_strv *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct ta_rule *r = ta_rules_first(s->rules);
		char option[32] = "";

		while (r && !ta_audit_matches(list->v[i], r->id))
			r = r->next;
		if (r)
			continue;
		snprintf(option, sizeof(option), "--%s: ", name);
		say_no_rule(s, option, list->v[i]);
		return TA_EXIT_USAGE;
	}
	return TA_EXIT_OK;
}
