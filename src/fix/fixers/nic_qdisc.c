/*
 * nic.qdisc: the queueing discipline of an interface, below mq where it has several queues, so that they stay apart;
 * nic.txqueuelen: the length of its queue where that is a plain one. Packets that wait in the old queue are lost.
 */
#include <errno.h>
#include <string.h>

#include "fix/nicknob.h"
#include "nic/qdisc.h"

static const struct ta_fix_param qdisc_params[] = {
	{"ifname", TA_T_STRING, true},
	{"kind", TA_T_STRING, true},
};

static const struct ta_fix_param length_params[] = {
	{"ifname", TA_T_STRING, true},
	{"packets", TA_T_INT, true},
};

static const char *const qdisc_reads[] = {"nics.*.bus", "nics.*.queues.tx", "modules.state", NULL};
static const char *const length_reads[] = {"nics.*.bus", "nics.*.txqueuelen", "nics.*.boot.file", "boot.systemd", NULL};

static const struct ta_fix_sig sigs[] = {
	{"nic.qdisc", qdisc_params, TA_ARRAY_SIZE(qdisc_params), qdisc_reads},
	{"nic.txqueuelen", length_params, TA_ARRAY_SIZE(length_params), length_reads},
};

/* Only what one queue of several can have too; cake shapes all of an interface as one. */
static bool goes_below_mq(const char *kind)
{
	return strcmp(kind, "mq") != 0 && strcmp(kind, "cake") != 0;
}

static int qdisc(const struct ta_fix_call *call, const struct ta_facts *facts, const char *ifname, struct ta_steps *ret,
	struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf value = TA_BUF_INIT, module = TA_BUF_INIT;
	const struct ta_qdisc_kind *known;
	const char *kind;
	int64_t queues = 1;
	int rc = ta_fix_arg_str(call, "kind", &kind, err);

	if (rc < 0)
		return rc;
	known = ta_qdisc_kind(kind, strlen(kind));
	if (!known || !known->wished)
		return ta_err_set(err, -EINVAL, "%s: '%s' is no queueing discipline that is set", call->fixer, kind);
	ta_buf_printf(&module, "sch_%s", kind);
	rc = known->always ? 0 : ta_fix_need_module(call->fixer, facts, ta_buf_text(&module), kind, ret, err);
	if (rc < 0)
		return rc;
	ta_facts_get_i64(facts, TA_KEYS("nics", ifname, "queues", "tx"), &queues);
	ta_buf_printf(&value, "%s%s", queues > 1 && goes_below_mq(kind) ? "mq/" : "", kind);
	ta_nic_add(ret, &ta_knob_qdisc, ifname, NULL, ta_buf_text(&value));
	return value.error ?: module.error;
}

static int length(const struct ta_fix_call *call, const struct ta_facts *facts, const char *ifname, struct ta_steps *ret,
	struct ta_err *err)
{
	int64_t packets = 0, now;
	int rc = ta_fix_arg_i64(call, "packets", 1, 100000, &packets, err);

	if (rc < 0)
		return rc;
	if (ta_facts_get_i64(facts, TA_KEYS("nics", ifname, "txqueuelen"), &now) && now == packets)
		return ta_err_set(err, -EINVAL, "%s: %s has %lld already", call->fixer, ifname, (long long)now);
	ta_nic_add_number(ret, &ta_knob_txqueuelen, ifname, NULL, packets);
	return 0;
}

static int make(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_steps *ret, struct ta_err *err)
{
	size_t before = ret->n;
	const char *ifname;
	int rc = ta_fix_arg_name(call, "ifname", &ifname, err);

	if (rc >= 0)
		rc = call->fixer[4] == 'q' ? qdisc(call, facts, ifname, ret, err) : length(call, facts, ifname, ret, err);
	if (rc < 0)
		return rc;
	return ret->error ? ret->error : ta_nic_check_steps(ret, before, err);
}

/* A kernel without modules does not tell what it has, and one refused step puts all others back: a person may try. */
static int steps(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_steps *ret, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf module = TA_BUF_INIT;
	const char *kind;
	int rc = 0;

	if (call->fixer[4] == 'q' && ta_fix_arg_str(call, "kind", &kind, NULL) == 0) {
		ta_buf_printf(&module, "sch_%s", kind);
		rc = ta_fix_module_told(call->fixer, facts, ta_buf_text(&module), kind, err);
	}
	return rc < 0 ? rc : make(call, facts, ret, err);
}

static int describe(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_fix_text *ret,
	struct ta_err *err)
{
	return ta_nic_describe(make, call, facts, ret, err);
}

const struct ta_fixer ta_fixer_nic_qdisc = {
	.sigs = sigs,
	.n_sigs = TA_ARRAY_SIZE(sigs),
	.disruption = TA_DISRUPT_NONE,
	.steps = steps,
	.describe = describe,
};
