/*
 * nofile.service(unit, value): the descriptor limit of a service, by a drop-in of its unit. limits.conf would
 * change nothing: it is for logins (pam_limits(8)). The drop-in holds from the next restart on, which ends the service's
 * connections and is left to a person; writing it disturbs nothing.
 * nofile.login(value): the limit of sessions that begin from now on.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fix/describe.h"
#include "fix/ownfile.h"

static const struct ta_fix_param params[] = {
	{"unit", TA_T_STRING, true},
	{"value", TA_T_INT, true},
};

static const struct ta_fix_param login_params[] = {{"value", TA_T_INT, true}};

static const char *const reads[] = {"place.init", "limits.nr_open", NULL};
static const struct ta_fix_sig sigs[] = {
	{"nofile.service", params, TA_ARRAY_SIZE(params), reads},
	{"nofile.login", login_params, TA_ARRAY_SIZE(login_params), reads},
};

static int check_place(const char *unit, const struct ta_facts *facts, struct ta_err *err)
{
	const char *init = ta_facts_get_str(facts, TA_KEYS("place", "init"));

	if (!ta_unit_name_valid(unit, ".service"))
		return ta_err_set(err, -EINVAL, "'%s' is no service: raise the limit where the process is started", unit);
	if (init && strcmp(init, "systemd") != 0)
		return ta_err_set(err, -EINVAL, "no systemd here: raise the limit where %s is started", unit);
	return 0;
}

/* A limit above it is refused as a whole, and the service, or the login, with it (kernel/sys.c: do_prlimit()). */
static bool is_above_nr_open(const struct ta_facts *facts, int64_t value)
{
	int64_t nr_open;

	return ta_facts_get_i64(facts, TA_KEYS("limits", "nr_open"), &nr_open) && value > nr_open;
}

static int service(const struct ta_fix_call *call, const struct ta_facts *facts, const char **ret_target,
	struct ta_err *err)
{
	int rc = ta_fix_arg_str(call, "unit", ret_target, err);

	return rc < 0 ? rc : check_place(*ret_target, facts, err);
}

static int steps(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_steps *ret, struct ta_err *err)
{
	const char *target = "login";
	char text[24];
	int64_t value;
	int rc = ta_fix_arg_i64(call, "value", 1024, 1 << 30, &value, err);

	if (rc >= 0 && !strcmp(call->fixer, "nofile.service"))
		rc = service(call, facts, &target, err);
	if (rc < 0)
		return rc;
	snprintf(text, sizeof(text), "%lld", (long long)value);
	if (is_above_nr_open(facts, value))
		ta_steps_add(ret, &ta_knob_sysctl, "fs.nr_open", text);
	ta_steps_add(ret, &ta_knob_nofile, target, text);
	return ret->error;
}

static int describe(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_fix_text *ret,
	struct ta_err *err)
{
	ta_cleanup_steps struct ta_steps list = TA_STEPS_INIT;
	int rc = steps(call, facts, &list, err);
	const struct ta_step *last;

	if (rc < 0)
		return rc;
	last = &list.v[list.n - 1];
	if (list.n > 1)
		ta_buf_printf(&ret->command, "# keep it: fs.nr_open = %s in " TA_OWN_SYSCTL "\n", last->after);
	ta_steps_commands(&list, &ret->command);
	ta_nofile_file(last->target, last->after, &ret->persist_file, &ret->persist_text);
	return 0;
}

const struct ta_fixer ta_fixer_nofile = {
	.sigs = sigs,
	.n_sigs = TA_ARRAY_SIZE(sigs),
	.disruption = TA_DISRUPT_FLOW_RESET,
	.later = true,
	.steps = steps,
	.describe = describe,
};
