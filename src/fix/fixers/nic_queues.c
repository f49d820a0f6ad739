/*
 * nic.channels and nic.rings: how many queues an interface has and how long they are. Most drivers reset the
 * queues for it, some take the link down for seconds.
 *
 * Only what the driver reported may be asked for: virtio-net and ENA refuse rx and tx counts, and igc
 * turns a ring of 8 into 64 without a word (drivers/net, 6.12).
 */
#include <errno.h>

#include "fix/nicknob.h"

static const struct ta_fix_param channels_params[] = {
	{"ifname", TA_T_STRING, true},
	{"combined", TA_T_INT, false},
	{"rx", TA_T_INT, false},
	{"tx", TA_T_INT, false},
};

static const struct ta_fix_param rings_params[] = {
	{"ifname", TA_T_STRING, true},
	{"rx", TA_T_INT, false},
	{"tx", TA_T_INT, false},
};

static const char *const reads[] = {"nics.*.bus", "nics.*.boot.file", "boot.systemd", NULL};

static const struct ta_fix_sig sigs[] = {
	{"nic.channels", channels_params, TA_ARRAY_SIZE(channels_params), reads},
	{"nic.rings", rings_params, TA_ARRAY_SIZE(rings_params), reads},
};

struct kind {
	const struct ta_knob *knob;
	const char *group; /* in the facts */
	int64_t min;
	bool never_lower;
};

static const struct kind channels = {&ta_knob_channels, "channels", 1, false};
static const struct kind rings = {&ta_knob_rings, "rings", 64, true};

/* A step for the count if the argument is given, within what the driver said, and not what is there. */
static int add_count(const struct ta_fix_call *call, const struct ta_facts *facts, const struct kind *kind,
	const char *ifname, const char *name, struct ta_steps *ret, struct ta_err *err)
{
	int64_t count = -1, max, now;
	int rc = ta_fix_arg_i64_opt(call, name, kind->min, 1 << 20, &count, err);

	if (rc < 0 || count < 0)
		return rc;
	if (!ta_facts_get_i64(facts, TA_KEYS("nics", ifname, kind->group, name, "max"), &max))
		return ta_err_set(err, -EINVAL, "%s: the driver of %s does not say how many are possible (%s)", call->fixer,
			ifname, name);
	if (count > max)
		return ta_err_set(err, -EINVAL, "%s: %s can have %lld %s at most", call->fixer, ifname, (long long)max,
			name);
	if (ta_facts_get_i64(facts, TA_KEYS("nics", ifname, kind->group, name, "current"), &now)) {
		if (now == count)
			return 0;
		if (kind->never_lower && now > count)
			return ta_err_set(err, -EINVAL, "%s: %s has %lld already", call->fixer, ifname, (long long)now);
	}
	ta_nic_add_number(ret, kind->knob, ifname, name, count);
	return 0;
}

static int steps(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_steps *ret, struct ta_err *err)
{
	static const char *const names[] = {"combined", "rx", "tx"};
	const struct kind *kind = call->fixer[4] == 'c' ? &channels : &rings;
	const char *ifname;
	size_t before = ret->n;
	int rc = ta_fix_arg_name(call, "ifname", &ifname, err);

	for (size_t i = 0; rc >= 0 && i < TA_ARRAY_SIZE(names); i++)
		rc = add_count(call, facts, kind, ifname, names[i], ret, err);
	if (rc < 0)
		return rc;
	if (ret->error)
		return ret->error;
	if (ret->n == before)
		return ta_err_set(err, -EINVAL, "%s: nothing to change on %s", call->fixer, ifname);
	return ta_nic_check_steps(ret, before, err);
}

static int describe(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_fix_text *ret,
	struct ta_err *err)
{
	return ta_nic_describe(steps, call, facts, ret, err);
}

const struct ta_fixer ta_fixer_nic_queues = {
	.sigs = sigs,
	.n_sigs = TA_ARRAY_SIZE(sigs),
	.disruption = TA_DISRUPT_LINK_FLAP,
	.steps = steps,
	.describe = describe,
};
