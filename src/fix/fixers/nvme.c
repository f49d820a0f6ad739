/*
 * nvme.apst(device, latency_us): how slow a power state the drive may rest in; 0 keeps it awake.
 *
 * By the PM QoS attribute of the controller, which programs the drive at once and survives resets. Set Features
 * from user space does neither, and newer kernels refuse it (drivers/nvme/host/ioctl.c, 7.3).
 */
#include <errno.h>
#include <json-c/json.h>
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

/* The attribute appears after the "add" event; the event that follows it, NVME_EVENT=connected, is not in 5.10. */
static bool has_connected_event(const struct ta_facts *facts)
{
	struct json_object *version = ta_facts_at(facts, TA_KEYS("kernel", "version"));
	int64_t major = 0, minor = 0;

	if (!json_object_is_type(version, json_type_array) || json_object_array_length(version) < 2)
		return false;
	ta_fix_json_i64(json_object_array_get_idx(version, 0), &major);
	ta_fix_json_i64(json_object_array_get_idx(version, 1), &minor);
	return major > 6 || (major == 6 && minor >= 1);
}

static int describe(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_fix_text *ret,
	struct ta_err *err)
{
	const char *device;
	int64_t us;
	int rc = ta_fix_arg_str(call, "device", &device, err);

	if (rc >= 0)
		rc = ta_fix_arg_i64(call, "latency_us", 0, 10000000, &us, err);
	if (rc < 0)
		return rc;
	if (!is_controller(device))
		return ta_err_set(err, -EINVAL, "nvme.apst: '%s' is no NVMe controller", device);
	ta_buf_printf(&ret->command, "echo %lld > /sys/class/nvme/%s/power/pm_qos_latency_tolerance_us\n",
		(long long)us, device);
	if (has_connected_event(facts)) {
		ta_buf_adds(&ret->persist_file, TA_UDEV_FILE);
		ta_buf_printf(&ret->persist_text,
			"ACTION==\"change\", SUBSYSTEM==\"nvme\", KERNEL==\"%s\", ENV{NVME_EVENT}==\"connected\", "
			"ATTR{power/pm_qos_latency_tolerance_us}=\"%lld\"\n",
			device, (long long)us);
		return 0;
	}
	ta_buf_adds(&ret->persist_file, "/etc/modprobe.d/tuneaudit.conf");
	ta_buf_printf(&ret->persist_text,
		"# for all drives; rebuild the initramfs, or put nvme_core.default_ps_max_latency_us=%lld on the kernel "
		"command line\noptions nvme_core default_ps_max_latency_us=%lld\n",
		(long long)us, (long long)us);
	return 0;
}

const struct ta_fixer ta_fixer_nvme = {
	.sigs = sigs,
	.n_sigs = TA_ARRAY_SIZE(sigs),
	.disruption = TA_DISRUPT_NONE,
	.describe = describe,
};
