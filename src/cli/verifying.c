#include "cli/verifying.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/peers.h"
#include "cli/progress.h"
#include "cli/ruleset.h"

void ta_verifying_done(struct ta_verifying *v)
{
	for (size_t i = 0; i < v->n_changes; i++) {
		free(v->changes[i].label);
		free(v->changes[i].not_here);
	}
	free(v->changes);
	free(v->actions);
	ta_buf_done(&v->why);
	ta_buf_done(&v->disturbed);
	ta_buf_done(&v->token);
}

int ta_verifying_begin(struct ta_verifying *v, const struct ta_schema *schema, const char *target, const char *token_file)
{
	ta_cleanup_ruleset struct ta_ruleset rs = {.only_trusted = true};
	const struct ta_profile *p;
	int code = ta_ruleset_load_for(&rs, schema, v->rules, v->profile);

	if (code == TA_EXIT_OK)
		code = ta_cli_token(token_file, &v->token);
	p = code == TA_EXIT_OK ? ta_ruleset_profile(&rs, v->profile) : NULL;
	if (!p)
		return code == TA_EXIT_OK ? TA_EXIT_USAGE : code;
	v->o.workload = ta_workload_find(ta_profile_workload(p));
	v->o.target = target;
	v->o.direction = (enum ta_stream_direction)ta_cli_direction(NULL, target);
	v->o.token = v->token.len ? ta_buf_text(&v->token) : NULL;
	v->o.password = getenv("REDISCLI_AUTH");
	return v->o.workload ? TA_EXIT_OK : ta_cli_fail(TA_EXIT_INTERNAL, "no workload '%s'", ta_profile_workload(p));
}

int ta_verifying_add(struct ta_verifying *v, const struct ta_action *a)
{
	ta_cleanup_buf struct ta_buf label = TA_BUF_INIT;
	struct ta_verify_change *changes = reallocarray(v->changes, v->n_changes + 1, sizeof(*changes));
	const struct ta_action **actions;

	if (changes)
		v->changes = changes;
	actions = reallocarray(v->actions, v->n_changes + 1, sizeof(*actions));
	if (actions)
		v->actions = actions;
	ta_step_label(a->step.knob, a->step.target, &label);
	if (!changes || !actions || label.error)
		return ta_cli_fail(TA_EXIT_INTERNAL, "out of memory");
	actions[v->n_changes] = a;
	changes[v->n_changes++] = (struct ta_verify_change){.label = ta_buf_steal(&label)};
	return TA_EXIT_OK;
}

static void say(const struct ta_verifying *v, const char *when)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	ta_progress_begin(v->cli->quiet, "Measuring");
	if (v->cli->quiet)
		return;
	ta_buf_printf(&b, "Measuring %s %s (up to %u s).%s\n", v->o.workload->name, when, v->o.seconds / 3,
		v->o.target || v->has_before ? ""
					     : " Over loopback: it shows nothing of NICs, interrupts or distance; --target names a server.");
	ta_cli_say(ta_buf_text(&b));
}

int ta_verifying_before(struct ta_verifying *v)
{
	struct ta_err err = {0};
	int rc;

	say(v, "before the changes");
	rc = ta_verify_measure(v->host, &v->o, 0, &v->before, &err);
	ta_progress_end();
	if (*v->o.stop)
		return TA_EXIT_SIGNAL + *v->o.stop;
	if (rc < 0)
		return ta_cli_fail(TA_EXIT_FINDINGS, "nothing was changed: no load to compare with: %s", *err.text ? err.text : strerror(-rc));
	v->has_before = true;
	return TA_EXIT_OK;
}

static int judge_after(struct ta_verifying *v)
{
	struct ta_err why = {0};
	int rc = ta_verify_measure(v->host, &v->o, v->before.n, &v->after, &why);

	ta_progress_end();
	v->has_after = rc == 0;
	ta_buf_reset(&v->why);
	if (rc < 0) {
		v->worse = true;
		ta_buf_printf(&v->why, "the load fails with these changes: %s", *why.text ? why.text : strerror(-rc));
	} else {
		ta_buf_adds(&v->why, "worse with these changes: ");
		v->worse = ta_verify_is_worse(&v->before, &v->after, v->o.workload, &v->why);
	}
	return rc;
}

int ta_verifying_after(struct ta_verifying *v, struct ta_err *err)
{
	int rc;

	say(v, "with the changes");
	rc = judge_after(v);
	/* What others take away is not the changes' fault: once more, in place of the series that would tell afterwards. */
	if (rc == 0 && v->worse && ta_trial_env_disturbed(&v->after.usual, &v->before.usual, true, &v->disturbed)) {
		say(v, "with the changes once more, since others were in the way");
		judge_after(v);
	}
	if (*v->o.stop)
		return ta_err_set(err, -EINTR, "ended by signal %d", (int)*v->o.stop);
	if (!v->worse || v->keep_anyway)
		return 0;
	return ta_err_set(err, -ECANCELED, "%s", ta_buf_text(&v->why));
}

void ta_verifying_again(struct ta_verifying *v)
{
	if (!v->worse || !v->has_after || v->disturbed.len || *v->o.stop)
		return;
	say(v, "with everything put back");
	v->has_again = ta_verify_measure(v->host, &v->o, v->before.n, &v->again, NULL) == 0;
	ta_progress_end();
}

/* What the series went over. */
static unsigned paths(const struct ta_verifying *v)
{
	unsigned set = 0;

	for (int i = 0; i < TA_SHOWN_PATHS; i++)
		if (!strcmp(v->before.path, ta_shown_path_name((enum ta_shown_path)i)))
			set |= TA_SHOWN_BIT(i);
	if (!strcmp(v->o.workload->name, "file") && !v->before.no_drive)
		set |= TA_SHOWN_BIT(TA_SHOWN_STORAGE) | TA_SHOWN_BIT(TA_SHOWN_COLD);
	return set;
}

/* Of several rules that agree one is enough. */
static void look_up(const struct ta_verifying *v, const struct ta_ruleset *rs, const struct ta_action *a, struct ta_verify_change *c)
{
	ta_cleanup_buf struct ta_buf why = TA_BUF_INIT;

	for (size_t i = 0; i < a->rules.n; i++) {
		const struct ta_rule *r = ta_rules_find(rs->rules, a->rules.v[i]);

		ta_buf_reset(&why);
		if (r && ta_rule_is_shown(r, paths(v), v->o.workload->name, &why))
			return;
	}
	c->not_here = ta_buf_steal(&why);
}

bool ta_verifying_tell(struct ta_verifying *v, const struct ta_schema *schema, struct ta_verify_report *ret)
{
	ta_cleanup_ruleset struct ta_ruleset rs = {.only_trusted = true};

	if (!v->has_before)
		return false;
	if (ta_ruleset_load_for(&rs, schema, v->rules, v->profile) == TA_EXIT_OK)
		for (size_t i = 0; i < v->n_changes; i++)
			if (!v->changes[i].not_here)
				look_up(v, &rs, v->actions[i], &v->changes[i]);
	*ret = (struct ta_verify_report){
		.workload = v->o.workload,
		.target = v->o.target,
		.before = &v->before,
		.after = v->has_after ? &v->after : NULL,
		.again = v->has_again ? &v->again : NULL,
		.changes = v->changes,
		.n_changes = v->n_changes,
		.worse = v->worse,
		.kept = v->worse && v->keep_anyway,
		.why = ta_buf_text(&v->why),
		.disturbed = v->disturbed.len ? ta_buf_text(&v->disturbed) : NULL,
	};
	return true;
}
