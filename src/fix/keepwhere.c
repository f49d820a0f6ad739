/*
 * Which file keeps a change, on this host: what reads it at boot has to be there, and to come when what is set is there.
 */
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "fix/describe.h"
#include "fix/keep.h"

#define CPUFREQ "/sys/devices/system/cpu/cpufreq/"

static int nowhere(struct ta_buf *why, const char *text)
{
	ta_buf_adds(why, text);
	return why->error ?: -ENOENT;
}

static bool runs_systemd(const struct ta_facts *facts)
{
	const char *init = ta_facts_get_str(facts, TA_KEYS("place", "init"));

	return !init || !strcmp(init, "systemd"); /* not known: as on most */
}

/* The event is in 6.1 and not in 5.10 (drivers/nvme/host/core.c: nvme_start_ctrl()). */
static bool tells_nvme_connected(const struct ta_facts *facts)
{
	struct json_object *version = ta_facts_at(facts, TA_KEYS("kernel", "version"));
	int64_t major = 0, minor = 0;

	if (!json_object_is_type(version, json_type_array) || json_object_array_length(version) < 2)
		return false;
	ta_fix_json_i64(json_object_array_get_idx(version, 0), &major);
	ta_fix_json_i64(json_object_array_get_idx(version, 1), &minor);
	return major > 6 || (major == 6 && minor >= 1);
}

/* The file of ours for an attribute; NULL: no such file is read when the attribute is there. */
static const char *attr_file(const char *target, const struct ta_facts *facts)
{
	if (!strncmp(target, "/sys/block/", 11))
		return TA_OWN_UDEV;
	if (!strncmp(target, "/sys/class/nvme/", 16))
		return tells_nvme_connected(facts) ? TA_OWN_UDEV : NULL;
	/* Drivers of the clock's speed come as modules, later than systemd-tmpfiles. */
	if (!strncmp(target, "/sys/kernel/", 12) || !strncmp(target, "/sys/devices/system/clocksource/", 32))
		return TA_OWN_TMPFILES;
	return NULL;
}

static const char *systemd_file(const struct ta_step *s, const struct ta_facts *facts)
{
	if (s->knob == &ta_knob_module)
		return TA_OWN_MODULES;
	return s->knob == &ta_knob_attr ? attr_file(s->target, facts) : NULL;
}

int ta_keep_step(const struct ta_step *step, const struct ta_facts *facts, struct ta_buf *ret_file, struct ta_buf *ret_line,
	struct ta_buf *why)
{
	const char *loader = ta_facts_get_str(facts, TA_KEYS("boot", "sysctl_loader")), *file = NULL;
	int rc;

	if (ta_knob_order(step->knob, step->target) == TA_ORDER_FILE)
		return -ENOENT;
	if (ta_fix_in_container(facts))
		return nowhere(why, "what a container starts with is set where it is configured");
	if (step->knob == &ta_knob_netsysctl)
		return nowhere(why, "it is kept where the container is configured");
	if (step->knob == &ta_knob_sysctl && loader && !strcmp(loader, "none"))
		return nowhere(why, "nothing applies sysctl files when this host starts");
	if (step->knob == &ta_knob_sysctl)
		file = TA_OWN_SYSCTL;
	else if (runs_systemd(facts))
		file = systemd_file(step, facts);
	else
		return nowhere(why, "it takes systemd to keep it");
	if (!file)
		return nowhere(why, "no file of this host keeps such a setting");
	rc = ta_keep_line(file, step, ret_line);
	if (rc == -ENOENT)
		return nowhere(why, "its name cannot stand in the file that would keep it");
	ta_buf_adds(ret_file, file);
	return rc ?: ret_file->error;
}
