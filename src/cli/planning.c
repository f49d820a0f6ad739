#include "cli/planning.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/caller.h"
#include "cli/system.h"
#include "probe/collect.h"

#define PLAN_MAX (8u << 20)

int ta_planning_allow(const char *name)
{
	static const char *const names[] = {"none", "flow-reset", "link-flap", NULL};

	return ta_cli_choose("allow", name, names);
}

static int select_owners(const struct ta_ruleset *rs, const struct ta_audit_options *o, struct ta_strv *owners)
{
	size_t n = 0;

	for (const struct ta_rule *r = ta_rules_first(rs->rules); r; r = r->next) {
		if (!ta_audit_selects(o, r))
			continue;
		ta_rule_owners(r, owners);
		n++;
	}
	if (!n)
		return ta_cli_fail(TA_EXIT_USAGE, "no rule is selected: profile %s has none of them "
			"('tuneaudit rules list' shows its rules)", ta_profile_name(o->profile));
	ta_plan_owners(owners);
	ta_strv_sort(owners);
	return TA_EXIT_OK;
}

static int judge(const struct ta_planning *p, struct ta_session *s, const struct ta_ruleset *rs,
	const struct ta_audit_options *o, struct ta_plan *ret)
{
	ta_cleanup_buf struct ta_buf peer = TA_BUF_INIT;
	struct ta_audit audit = {0};
	int rc = ta_audit_run(rs->rules, o, s->facts, &audit);

	if (!p->capture)
		ta_caller_peer(&peer);
	if (rc == 0)
		rc = ta_plan_make(s->host, &audit, s->facts, ta_buf_text(&peer), ret);
	ta_audit_done(&audit);
	return rc < 0 ? ta_cli_fail(TA_EXIT_INTERNAL, "%s", strerror(-rc)) : TA_EXIT_OK;
}

int ta_planning_make(const struct ta_planning *p, struct ta_session *s, struct ta_plan *ret)
{
	ta_cleanup_ruleset struct ta_ruleset rs = {.only_trusted = !p->capture};
	ta_cleanup_strv struct ta_strv owners = TA_STRV_INIT;
	const struct ta_source_options source = {.capture = p->capture};
	struct ta_audit_options o = {.only = p->only, .skip = p->skip, .brief = true};
	int code = ta_session_schema(s);

	if (code == TA_EXIT_OK)
		code = ta_ruleset_load_for(&rs, s->schema, p->rules, p->profile);
	if (code != TA_EXIT_OK)
		return code;
	o.profile = ta_ruleset_profile(&rs, p->profile);
	if (!o.profile || ta_ruleset_check_patterns(&rs, "only", p->only) != TA_EXIT_OK ||
		ta_ruleset_check_patterns(&rs, "skip", p->skip) != TA_EXIT_OK)
		return TA_EXIT_USAGE;
	code = select_owners(&rs, &o, &owners);
	if (code == TA_EXIT_OK)
		code = ta_session_collect(s, &source, &owners);
	return code == TA_EXIT_OK ? judge(p, s, &rs, &o, ret) : code;
}

/* --- a saved one -------------------------------------------------------------------------- */

static int read_plan(const char *path, struct ta_plan *ret)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_err err = {0};
	bool trusted;

	if (ta_system_read_file(path, PLAN_MAX, &text, &trusted, &err) < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "%s", err.text);
	if (!trusted)
		return ta_cli_fail(TA_EXIT_USAGE, "%s: others than root may write this plan, or put another file in its "
			"place; keep it in a directory of root's", path);
	if (ta_plan_parse(ta_buf_text(&text), text.len, ret, &err) < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "%s: %s", path, err.text);
	return TA_EXIT_OK;
}

/* What the rules say today of risk and trust counts, not what the file says. */
static int weigh(const char *path, const struct ta_ruleset *rs, struct ta_plan *p)
{
	for (size_t i = 0; i < p->n_actions; i++) {
		const struct ta_strv *rules = &p->actions[i].rules;

		for (size_t k = 0; k < rules->n; k++) {
			const struct ta_rule *r = ta_rules_find(rs->rules, rules->v[k]);

			if (!r)
				return ta_cli_fail(TA_EXIT_USAGE, "%s: there is no rule '%s' here; make a new plan", path,
					rules->v[k]);
			ta_plan_weigh(p, i, r);
		}
	}
	return TA_EXIT_OK;
}

static int check_host(const char *path, const struct ta_session *s, const struct ta_plan *p)
{
	ta_cleanup_where struct ta_where now = {0};
	struct ta_err err = {0};

	if (ta_where_read(s->host, &now) < 0)
		return ta_cli_fail(TA_EXIT_INTERNAL, "out of memory");
	if (ta_where_check(&p->where, &now, &err) < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "%s: %s", path, err.text);
	if (!ta_where_same_boot(&p->where, &now))
		return ta_cli_fail(TA_EXIT_USAGE, "%s: the host was restarted since it was made; make a new plan", path);
	return TA_EXIT_OK;
}

/* The plan may have been made at the console and be applied over ssh, or the default route have moved. */
static int weigh_here(struct ta_session *s, struct ta_plan *p)
{
	ta_cleanup_strv struct ta_strv owners = TA_STRV_INIT;
	ta_cleanup_buf struct ta_buf peer = TA_BUF_INIT;
	const struct ta_source_options source = {0};
	int code;

	ta_strv_add(&owners, "nic");
	code = ta_session_collect(s, &source, &owners);
	if (code != TA_EXIT_OK)
		return code;
	ta_caller_peer(&peer);
	ta_plan_weigh_here(p, s->host, s->facts, ta_buf_text(&peer));
	return TA_EXIT_OK;
}

int ta_planning_load(const char *path, const char *rules, struct ta_session *s, struct ta_plan *ret)
{
	ta_cleanup_ruleset struct ta_ruleset rs = {.only_trusted = true};
	ta_cleanup_plan struct ta_plan plan = {0};
	int code = read_plan(path, &plan);

	if (code == TA_EXIT_OK)
		code = ta_session_schema(s);
	if (code == TA_EXIT_OK)
		code = ta_ruleset_load(&rs, s->schema, rules);
	if (code == TA_EXIT_OK)
		code = weigh(path, &rs, &plan);
	if (code == TA_EXIT_OK)
		code = weigh_here(s, &plan);
	if (code == TA_EXIT_OK)
		code = check_host(path, s, &plan);
	if (code != TA_EXIT_OK)
		return code;
	*ret = plan;
	plan = (struct ta_plan){0};
	return TA_EXIT_OK;
}
