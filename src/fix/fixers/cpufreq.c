/*
 * What the clock does:
 *     governor.set(name, policy)  how it is chosen; of one frequency domain, or of all
 *     epp.set(name)               how readily the hardware raises it, where it chooses itself
 *     boost.set(on)               turbo
 */
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "fix/describe.h"

#define CPU "/sys/devices/system/cpu/"

static const struct ta_fix_param governor_params[] = {
	{"name", TA_T_STRING, true},
	{"policy", TA_T_STRING, false},
};
static const struct ta_fix_param epp_params[] = {{"name", TA_T_STRING, true}};
static const struct ta_fix_param boost_params[] = {{"on", TA_T_BOOL, true}};

static const char *const reads[] = {"cpu.policies.*.driver", "cpu.policies.*.governor", "cpu.policies.*.epp", NULL};

static const struct ta_fix_sig sigs[] = {
	{"governor.set", governor_params, TA_ARRAY_SIZE(governor_params), reads},
	{"epp.set", epp_params, TA_ARRAY_SIZE(epp_params), reads},
	{"boost.set", boost_params, TA_ARRAY_SIZE(boost_params), reads},
};

static bool is_one_of(const char *name, const char *const *names)
{
	while (*names && strcmp(*names, name) != 0)
		names++;
	return *names;
}

static bool is_policy(const char *name)
{
	return !strncmp(name, "policy", 6) && name[6] && strlen(name) < 16 && !name[6 + strspn(name + 6, "0123456789")];
}

/* The attribute of every policy whose fact `fact` is known and not yet `value`. */
static int set_policies(const struct ta_facts *facts, const char *only, const char *fact, const char *attr, const char *value,
	struct ta_steps *ret, struct ta_err *err)
{
	struct json_object *policies = ta_facts_at(facts, TA_KEYS("cpu", "policies"));

	if (!json_object_is_type(policies, json_type_object))
		return ta_err_set(err, -EINVAL, "the frequency domains of this host are not known");
	json_object_object_foreach(policies, name, policy)
	{
		const char *now = ta_facts_get_str(facts, TA_KEYS("cpu", "policies", name, fact));
		ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;

		(void)policy;
		if ((only && strcmp(only, name) != 0) || !is_policy(name) || !now || !strcmp(now, value))
			continue;
		ta_buf_printf(&path, CPU "cpufreq/%s/%s", name, attr);
		ta_steps_add(ret, &ta_knob_attr, ta_buf_text(&path), value);
		if (path.error)
			return path.error;
	}
	return ret->error;
}

/* "userspace" is left out: it hands the clock to a program. */
static int governor(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_steps *ret, struct ta_err *err)
{
	static const char *const names[] = {"performance", "schedutil", "ondemand", "conservative", "powersave", NULL};
	const char *name, *policy = NULL;
	int rc = ta_fix_arg_str(call, "name", &name, err);

	if (rc >= 0 && ta_fix_arg(call, "policy"))
		rc = ta_fix_arg_str(call, "policy", &policy, err);
	if (rc < 0)
		return rc;
	if (!is_one_of(name, names))
		return ta_err_set(err, -EINVAL, "governor.set: '%s' is no governor that may be set", name);
	if (policy && !is_policy(policy))
		return ta_err_set(err, -EINVAL, "governor.set: '%s' is no policy", policy);
	return set_policies(facts, policy, "governor", "scaling_governor", name, ret, err);
}

/* Documentation/admin-guide/pm/intel_pstate.rst, energy vs performance hints */
static int epp(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_steps *ret, struct ta_err *err)
{
	static const char *const names[] = {"performance", "balance_performance", "default", NULL};
	const char *name;
	int rc = ta_fix_arg_str(call, "name", &name, err);

	if (rc < 0)
		return rc;
	if (!is_one_of(name, names))
		return ta_err_set(err, -EINVAL, "epp.set: '%s' is no preference that may be set", name);
	return set_policies(facts, NULL, "epp", "energy_performance_preference", name, ret, err);
}

/* intel_pstate has a switch of its own, in both its modes, which says the opposite. */
static bool has_no_turbo(const struct ta_facts *facts)
{
	struct json_object *policies = ta_facts_at(facts, TA_KEYS("cpu", "policies"));

	if (!json_object_is_type(policies, json_type_object))
		return false;
	json_object_object_foreach(policies, name, policy)
	{
		const char *driver = ta_facts_get_str(facts, TA_KEYS("cpu", "policies", name, "driver"));

		(void)policy;
		if (driver && (!strcmp(driver, "intel_pstate") || !strcmp(driver, "intel_cpufreq")))
			return true;
	}
	return false;
}

static int boost(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_steps *ret, struct ta_err *err)
{
	bool on = json_object_get_boolean(ta_fix_arg(call, "on"));

	if (has_no_turbo(facts))
		ta_steps_add(ret, &ta_knob_attr, CPU "intel_pstate/no_turbo", on ? "0" : "1");
	else
		ta_steps_add(ret, &ta_knob_attr, CPU "cpufreq/boost", on ? "1" : "0");
	return ret->error;
}

static int steps(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_steps *ret, struct ta_err *err)
{
	static int (*const verbs[])(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_steps *ret,
		struct ta_err *err) = {governor, epp, boost};

	for (size_t i = 0; i < TA_ARRAY_SIZE(sigs); i++)
		if (!strcmp(call->fixer, sigs[i].name)) {
			int rc = verbs[i](call, facts, ret, err);

			return rc == 0 && !ret->n ? ta_err_set(err, -EINVAL, "%s: nothing to set", call->fixer) : rc;
		}
	return -EINVAL;
}

/* A machine has many domains, and all get the same: one line for them. */
static void add_loop(struct ta_buf *b, const struct ta_steps *list)
{
	ta_buf_printf(b, "for f in " CPU "cpufreq/policy*%s; do echo %s > $f; done\n", strrchr(list->v[0].target, '/'),
		list->v[0].after);
}

static int describe(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_fix_text *ret,
	struct ta_err *err)
{
	ta_cleanup_steps struct ta_steps list = TA_STEPS_INIT;
	int rc = steps(call, facts, &list, err);

	if (rc < 0)
		return rc;
	if (list.n > 1)
		add_loop(&ret->command, &list);
	else
		ta_steps_commands(&list, &ret->command);
	ta_fix_keep_steps(ret, &list, facts);
	return 0;
}

const struct ta_fixer ta_fixer_cpufreq = {
	.sigs = sigs,
	.n_sigs = TA_ARRAY_SIZE(sigs),
	.disruption = TA_DISRUPT_NONE,
	.steps = steps,
	.describe = describe,
};
