/*
 * governor.set(name, policy): how the clock is chosen; of one frequency domain, or of all of them.
 */
#include <errno.h>
#include <string.h>

#include "fix/describe.h"

#define CPUFREQ "/sys/devices/system/cpu/cpufreq"

static const struct ta_fix_param params[] = {
	{"name", TA_T_STRING, true},
	{"policy", TA_T_STRING, false},
};

static const struct ta_fix_sig sigs[] = {{"governor.set", params, TA_ARRAY_SIZE(params), NULL}};

/* "userspace" is left out: it hands the clock to a program. */
static bool is_governor(const char *name)
{
	static const char *const names[] = {"performance", "schedutil", "ondemand", "conservative", "powersave"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static bool is_policy(const char *name)
{
	return !strncmp(name, "policy", 6) && name[6] && strlen(name) < 16 && !name[6 + strspn(name + 6, "0123456789")];
}

static int describe(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_fix_text *ret,
	struct ta_err *err)
{
	const char *name, *policy = NULL;
	int rc = ta_fix_arg_str(call, "name", &name, err);

	if (rc >= 0 && ta_fix_arg(call, "policy"))
		rc = ta_fix_arg_str(call, "policy", &policy, err);
	if (rc < 0)
		return rc;
	if (!is_governor(name))
		return ta_err_set(err, -EINVAL, "governor.set: '%s' is no governor that may be set", name);
	if (policy && !is_policy(policy))
		return ta_err_set(err, -EINVAL, "governor.set: '%s' is no policy", policy);
	if (!policy)
		ta_buf_printf(&ret->command, "for f in " CPUFREQ "/policy*/scaling_governor; do echo %s > $f; done\n", name);
	else
		ta_buf_printf(&ret->command, "echo %s > " CPUFREQ "/%s/scaling_governor\n", name, policy);
	ta_buf_adds(&ret->persist_file, TA_TMPFILES_FILE);
	ta_buf_printf(&ret->persist_text, "w " CPUFREQ "/%s/scaling_governor - - - - %s\n", policy ? policy : "policy*",
		name);
	return 0;
}

const struct ta_fixer ta_fixer_cpufreq = {
	.sigs = sigs,
	.n_sigs = TA_ARRAY_SIZE(sigs),
	.disruption = TA_DISRUPT_NONE,
	.describe = describe,
};
