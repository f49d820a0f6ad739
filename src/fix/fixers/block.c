/*
 * block.set(disk, scheduler, read_ahead_kb, nr_requests): the queue of a block device.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fix/describe.h"

static const struct ta_fix_param params[] = {
	{"disk", TA_T_STRING, true},
	{"scheduler", TA_T_STRING, false},
	{"read_ahead_kb", TA_T_INT, false},
	{"nr_requests", TA_T_INT, false},
};

static const struct ta_fix_sig sigs[] = {{"block.set", params, TA_ARRAY_SIZE(params), NULL}};

static bool is_scheduler(const char *name)
{
	static const char *const names[] = {"none", "mq-deadline", "bfq", "kyber"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void set(struct ta_steps *ret, const char *disk, const char *attr, const char *value)
{
	ta_cleanup_buf struct ta_buf file = TA_BUF_INIT;

	ta_buf_printf(&file, "/sys/block/%s/queue/%s", disk, attr);
	ta_steps_add(ret, &ta_knob_attr, ta_buf_text(&file), value);
	if (file.error)
		ret->error = file.error;
}

static int set_number(const struct ta_fix_call *call, struct ta_steps *ret, const char *disk, const char *name,
	int64_t min, int64_t max, struct ta_err *err)
{
	char text[24];
	int64_t v = -1;
	int rc = ta_fix_arg_i64_opt(call, name, min, max, &v, err);

	if (rc < 0 || v < 0)
		return rc;
	snprintf(text, sizeof(text), "%lld", (long long)v);
	set(ret, disk, name, text);
	return 0;
}

/* The scheduler first: a new one begins with its own depth. */
static int steps(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_steps *ret, struct ta_err *err)
{
	const char *disk, *scheduler;
	int rc = ta_fix_arg_name(call, "disk", &disk, err);

	if (rc >= 0 && ta_fix_arg(call, "scheduler")) {
		rc = ta_fix_arg_str(call, "scheduler", &scheduler, err);
		if (rc < 0)
			return rc;
		if (!is_scheduler(scheduler))
			return ta_err_set(err, -EINVAL, "block.set: '%s' is no I/O scheduler", scheduler);
		set(ret, disk, "scheduler", scheduler);
	}
	if (rc >= 0)
		rc = set_number(call, ret, disk, "read_ahead_kb", 0, 1 << 20, err);
	if (rc >= 0)
		rc = set_number(call, ret, disk, "nr_requests", 4, 65536, err);
	if (rc >= 0 && !ret->n)
		rc = ta_err_set(err, -EINVAL, "block.set: nothing to set on %s", disk);
	return rc < 0 ? rc : ret->error;
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

const struct ta_fixer ta_fixer_block = {
	.sigs = sigs,
	.n_sigs = TA_ARRAY_SIZE(sigs),
	.disruption = TA_DISRUPT_NONE,
	.steps = steps,
	.describe = describe,
};
