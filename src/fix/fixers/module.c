/*
 * module.load(name): modules that a network service profits from, and no others.
 */
#include <errno.h>
#include <string.h>

#include "fix/describe.h"

static const struct ta_fix_param params[] = {{"name", TA_T_STRING, true}};
static const char *const reads[] = {"place.container", NULL};
static const struct ta_fix_sig sigs[] = {{"module.load", params, TA_ARRAY_SIZE(params), reads}};

static int steps(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_steps *ret, struct ta_err *err)
{
	const char *name;
	int rc = ta_fix_arg_str(call, "name", &name, err);

	if (rc >= 0 && ta_knob_module.check(name, "loaded", TA_VALUE_WISHED, err) < 0)
		rc = -EINVAL;
	if (rc < 0)
		return rc;
	ta_steps_add(ret, &ta_knob_module, name, "loaded");
	return ret->error;
}

static int describe(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_fix_text *ret,
	struct ta_err *err)
{
	ta_cleanup_steps struct ta_steps list = TA_STEPS_INIT;
	int rc = steps(call, facts, &list, err);

	if (rc < 0)
		return rc;
	if (ta_fix_in_container(facts))
		ta_buf_adds(&ret->command, "# on the host: a container cannot load modules\n");
	ta_steps_commands(&list, &ret->command);
	ta_fix_keep_steps(ret, &list, facts);
	return 0;
}

const struct ta_fixer ta_fixer_module = {
	.sigs = sigs,
	.n_sigs = TA_ARRAY_SIZE(sigs),
	.disruption = TA_DISRUPT_NONE,
	.steps = steps,
	.describe = describe,
};
