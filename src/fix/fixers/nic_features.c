/*
 * nic.features and nic.coalesce: offloads and interrupt moderation. Changed while traffic flows.
 */
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "fix/describe.h"

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

static const char *const reads[] = {"nics.*.bus", NULL};

static const struct ta_fix_sig sigs[] = {
	{"nic.features", features_params, TA_ARRAY_SIZE(features_params), reads},
	{"nic.coalesce", coalesce_params, TA_ARRAY_SIZE(coalesce_params), reads},
};

static int add_switch(const struct ta_fix_call *call, const char *name, struct ta_buf *args, const char *word,
	struct ta_err *err)
{
	struct json_object *v = ta_fix_arg(call, name);

	if (!v)
		return 0;
	if (!json_object_is_type(v, json_type_boolean))
		return ta_err_set(err, -EINVAL, "%s: %s is neither true nor false", call->fixer, name);
	ta_buf_printf(args, " %s %s", word, json_object_get_boolean(v) ? "on" : "off");
	return 0;
}

static int features(const struct ta_fix_call *call, struct ta_buf *args, struct ta_err *err)
{
	const char *name;
	int rc = ta_fix_arg_str(call, "name", &name, err);

	if (rc < 0)
		return rc;
	if (!*name || name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")])
		return ta_err_set(err, -EINVAL, "%s: '%s' is no feature", call->fixer, name);
	return add_switch(call, "on", args, name, err);
}

static int coalesce(const struct ta_fix_call *call, struct ta_buf *args, struct ta_err *err)
{
	static const char *const times[][2] = {{"rx_usecs", "rx-usecs"}, {"tx_usecs", "tx-usecs"}};
	int rc = add_switch(call, "adaptive_rx", args, "adaptive-rx", err);

	if (rc >= 0)
		rc = add_switch(call, "adaptive_tx", args, "adaptive-tx", err);
	for (size_t i = 0; rc >= 0 && i < TA_ARRAY_SIZE(times); i++) {
		int64_t usecs = -1;

		rc = ta_fix_arg_i64_opt(call, times[i][0], 0, 10000, &usecs, err);
		if (rc >= 0 && usecs >= 0)
			ta_buf_printf(args, " %s %lld", times[i][1], (long long)usecs);
	}
	return rc;
}

static int describe(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_fix_text *ret,
	struct ta_err *err)
{
	bool is_coalesce = call->fixer[4] == 'c';
	const char *option = is_coalesce ? "-C" : "-K";
	ta_cleanup_buf struct ta_buf words = TA_BUF_INIT, args = TA_BUF_INIT;
	const char *ifname;
	int rc = ta_fix_arg_name(call, "ifname", &ifname, err);

	if (rc >= 0)
		rc = is_coalesce ? coalesce(call, &words, err) : features(call, &words, err);
	if (rc < 0)
		return rc;
	if (!words.len)
		return ta_err_set(err, -EINVAL, "%s: nothing to set on %s", call->fixer, ifname);
	ta_buf_printf(&ret->command, "ethtool %s ", option);
	ta_shell_quote(&ret->command, ifname);
	ta_buf_printf(&ret->command, "%s\n", ta_buf_text(&words));
	ta_buf_printf(&args, "%s $name%s", option, ta_buf_text(&words));
	ta_persist_ethtool(ret, facts, ifname, ta_buf_text(&args));
	return words.error ? words.error : args.error;
}

const struct ta_fixer ta_fixer_nic_features = {
	.sigs = sigs,
	.n_sigs = TA_ARRAY_SIZE(sigs),
	.disruption = TA_DISRUPT_NONE,
	.describe = describe,
};
