/*
 * nic.features and nic.coalesce: offloads and interrupt moderation. Changed while traffic flows.
 */
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "fix/nicknob.h"
#include "nic/featuretext.h"

static const struct ta_fix_param features_params[] = {
	{"ifname", TA_T_STRING, true},
	{"name", TA_T_STRING, true}, /* the kernel's name: "rx-gro" */
	{"on", TA_T_BOOL, true},
};

static const struct ta_fix_param coalesce_params[] = {
	{"ifname", TA_T_STRING, true},
	{"adaptive_rx", TA_T_BOOL, false},
	{"adaptive_tx", TA_T_BOOL, false},
	{"rx_usecs", TA_T_INT, false},
	{"tx_usecs", TA_T_INT, false},
};

static const char *const reads[] = {"nics.*.bus", "nics.*.boot.file", "boot.systemd", NULL};

static const struct ta_fix_sig sigs[] = {
	{"nic.features", features_params, TA_ARRAY_SIZE(features_params), reads},
	{"nic.coalesce", coalesce_params, TA_ARRAY_SIZE(coalesce_params), reads},
};

/* A step for the switch if the argument is given. */
static int add_switch(const struct ta_fix_call *call, const char *arg, const struct ta_knob *knob, const char *ifname,
	const char *field, struct ta_steps *ret, struct ta_err *err)
{
	struct json_object *v = ta_fix_arg(call, arg);

	if (!v)
		return 0;
	if (!json_object_is_type(v, json_type_boolean))
		return ta_err_set(err, -EINVAL, "%s: %s is neither true nor false", call->fixer, arg);
	ta_nic_add(ret, knob, ifname, field, json_object_get_boolean(v) ? "on" : "off");
	return 0;
}

static int features(const struct ta_fix_call *call, const char *ifname, struct ta_steps *ret, struct ta_err *err)
{
	const char *name;
	int rc = ta_fix_arg_str(call, "name", &name, err);

	if (rc < 0)
		return rc;
	if (!ta_feature_name_valid(name, strlen(name)))
		return ta_err_set(err, -EINVAL, "%s: '%s' is no feature", call->fixer, name);
	return add_switch(call, "on", &ta_knob_features, ifname, name, ret, err);
}

/* The switches first: what a driver adapts by itself it may not let be set. */
static int coalesce(const struct ta_fix_call *call, const char *ifname, struct ta_steps *ret, struct ta_err *err)
{
	static const char *const times[][2] = {{"rx_usecs", "rx-usecs"}, {"tx_usecs", "tx-usecs"}};
	int rc = add_switch(call, "adaptive_rx", &ta_knob_coalesce, ifname, "adaptive-rx", ret, err);

	if (rc >= 0)
		rc = add_switch(call, "adaptive_tx", &ta_knob_coalesce, ifname, "adaptive-tx", ret, err);
	for (size_t i = 0; rc >= 0 && i < TA_ARRAY_SIZE(times); i++) {
		int64_t usecs = -1;

		rc = ta_fix_arg_i64_opt(call, times[i][0], 0, 10000, &usecs, err);
		if (rc >= 0 && usecs >= 0)
			ta_nic_add_number(ret, &ta_knob_coalesce, ifname, times[i][1], usecs);
	}
	return rc;
}

static int steps(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_steps *ret, struct ta_err *err)
{
	bool is_coalesce = call->fixer[4] == 'c';
	size_t before = ret->n;
	const char *ifname;
	int rc = ta_fix_arg_name(call, "ifname", &ifname, err);

	if (rc >= 0)
		rc = is_coalesce ? coalesce(call, ifname, ret, err) : features(call, ifname, ret, err);
	if (rc < 0)
		return rc;
	if (ret->error)
		return ret->error;
	if (ret->n == before)
		return ta_err_set(err, -EINVAL, "%s: nothing to set on %s", call->fixer, ifname);
	return ta_nic_check_steps(ret, before, err);
}

static int describe(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_fix_text *ret,
	struct ta_err *err)
{
	return ta_nic_describe(steps, call, facts, ret, err);
}

const struct ta_fixer ta_fixer_nic_features = {
	.sigs = sigs,
	.n_sigs = TA_ARRAY_SIZE(sigs),
	.disruption = TA_DISRUPT_NONE,
	.steps = steps,
	.describe = describe,
};
