/*
 * clocksource.set(name): what the kernel reads the time from. Only one of those that it offers itself: a clock that it
 * marked unstable is not among them.
 */
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "fix/describe.h"

#define CLOCKSOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

static const struct ta_fix_param params[] = {{"name", TA_T_STRING, true}};
static const char *const reads[] = {"kernel.clocksource.available", NULL};
static const struct ta_fix_sig sigs[] = {{"clocksource.set", params, TA_ARRAY_SIZE(params), reads}};

static bool is_offered(const struct ta_facts *facts, const char *name)
{
	struct json_object *list = ta_facts_at(facts, TA_KEYS("kernel", "clocksource", "available"));

	if (!json_object_is_type(list, json_type_array))
		return false;
	for (size_t i = 0; i < json_object_array_length(list); i++)
		if (!strcmp(json_object_get_string(json_object_array_get_idx(list, i)), name))
			return true;
	return false;
}

static int steps(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_steps *ret, struct ta_err *err)
{
	const char *name;
	int rc = ta_fix_arg_str(call, "name", &name, err);

	if (rc < 0)
		return rc;
	if (!is_offered(facts, name))
		return ta_err_set(err, -EINVAL, "clocksource.set: the kernel does not offer '%s'", name);
	ta_steps_add(ret, &ta_knob_attr, CLOCKSOURCE, name);
	return ret->error;
}

static int describe(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_fix_text *ret,
	struct ta_err *err)
{
	ta_cleanup_steps struct ta_steps list = TA_STEPS_INIT;
	int rc = steps(call, facts, &list, err);

	if (rc < 0)
		return rc;
	ta_steps_commands(&list, &ret->command);
	ta_fix_keep_steps(ret, &list, facts);
	return 0;
}

const struct ta_fixer ta_fixer_clocksource = {
	.sigs = sigs,
	.n_sigs = TA_ARRAY_SIZE(sigs),
	.disruption = TA_DISRUPT_NONE,
	.steps = steps,
	.describe = describe,
};
