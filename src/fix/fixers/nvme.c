/*
 * nvme.apst(device, latency_us): how slow a power state the drive may rest in; 0 keeps it awake.
 *
 * By the PM QoS attribute of the controller, which programs the drive at once and survives resets. Set Features
 * from user space does neither, and newer kernels refuse it (drivers/nvme/host/ioctl.c, 7.3).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fix/describe.h"

static const struct ta_fix_param params[] = {
	{"device", TA_T_STRING, true},
	{"latency_us", TA_T_INT, true},
};

static const char *const reads[] = {"kernel.version", NULL};
static const struct ta_fix_sig sigs[] = {{"nvme.apst", params, TA_ARRAY_SIZE(params), reads}};

static bool is_controller(const char *name)
{
	return !strncmp(name, "nvme", 4) && name[4] && strlen(name) < 16 && !name[4 + strspn(name + 4, "0123456789")];
}

static int read_call(const struct ta_fix_call *call, const char **ret_device, int64_t *ret_us, struct ta_err *err)
{
	int rc = ta_fix_arg_str(call, "device", ret_device, err);

	if (rc >= 0)
		rc = ta_fix_arg_i64(call, "latency_us", 0, 10000000, ret_us, err);
	if (rc >= 0 && !is_controller(*ret_device))
		rc = ta_err_set(err, -EINVAL, "nvme.apst: '%s' is no NVMe controller", *ret_device);
	return rc;
}

static int steps(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_steps *ret, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;
	const char *device;
	char value[24];
	int64_t us;
	int rc = read_call(call, &device, &us, err);

	if (rc < 0)
		return rc;
	ta_buf_printf(&path, "/sys/class/nvme/%s/power/pm_qos_latency_tolerance_us", device);
	snprintf(value, sizeof(value), "%lld", (long long)us);
	ta_steps_add(ret, &ta_knob_attr, ta_buf_text(&path), value);
	return path.error ?: ret->error;
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

const struct ta_fixer ta_fixer_nvme = {
	.sigs = sigs,
	.n_sigs = TA_ARRAY_SIZE(sigs),
	.disruption = TA_DISRUPT_NONE,
	.steps = steps,
	.describe = describe,
};
