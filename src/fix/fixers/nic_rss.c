/*
 * nic.rss: received flows over all queues, or over the first of them, evenly. Packets of a flow that moves to another queue
 * may overtake each other once.
 */
#include <errno.h>

#include "fix/nicknob.h"

static const struct ta_fix_param params[] = {
	{"ifname", TA_T_STRING, true},
	{"queues", TA_T_INT, false}, /* all, if not said */
};

static const char *const reads[] = {"nics.*.bus", "nics.*.rss", NULL};

static const struct ta_fix_sig sigs[] = {{"nic.rss", params, TA_ARRAY_SIZE(params), reads}};

static int steps(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_steps *ret, struct ta_err *err)
{
	size_t before = ret->n;
	int64_t queues = 0, slots;
	const char *ifname;
	int rc = ta_fix_arg_name(call, "ifname", &ifname, err);

	if (rc >= 0)
		rc = ta_fix_arg_i64_opt(call, "queues", 1, 4096, &queues, err);
	if (rc < 0)
		return rc;
	if (ta_facts_get_i64(facts, TA_KEYS("nics", ifname, "rss", "slots"), &slots) && slots == 0)
		return ta_err_set(err, -EINVAL, "%s: %s has no table to set", call->fixer, ifname);
	if (queues) {
		ta_cleanup_buf struct ta_buf value = TA_BUF_INIT;

		ta_buf_printf(&value, "equal:%lld", (long long)queues);
		ta_nic_add(ret, &ta_knob_rss, ifname, "table", ta_buf_text(&value));
	} else {
		/* The kernel's own spread goes on to be even when queues come and go. */
		ta_nic_add(ret, &ta_knob_rss, ifname, "table", "default");
	}
	return ret->error ? ret->error : ta_nic_check_steps(ret, before, err);
}

static int describe(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_fix_text *ret,
	struct ta_err *err)
{
	return ta_nic_describe(steps, call, facts, ret, err);
}

const struct ta_fixer ta_fixer_nic_rss = {
	.sigs = sigs,
	.n_sigs = TA_ARRAY_SIZE(sigs),
	.disruption = TA_DISRUPT_NONE,
	.steps = steps,
	.describe = describe,
};
