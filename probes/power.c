/*
 * What saves energy beside the processors: PCIe links that sleep, and whether the machine runs on a battery.
 */
#include <errno.h>
#include <string.h>

#include "base/strv.h"
#include "probe/probe.h"

#define SUPPLIES "/sys/class/power_supply"

static const struct ta_field fields[] = {
	{"power.aspm", TA_T_STRING, "",
		"when PCIe links may sleep: default (as the firmware set it up), performance (never), powersave, powersupersave "
		"(module/pcie_aspm/parameters/policy)", 0, {}},
	{"power.on_battery", TA_T_BOOL, "",
		"a battery of the machine is being drained (class/power_supply); false where it has none", TA_F_VOLATILE, {}},
};

/* A mouse's or a UPS's battery is no supply of this machine: scope "Device" (Documentation/ABI/testing/sysfs-class-power). */
static bool drains(struct ta_host *h, const char *name, int *ret_rc)
{
	ta_cleanup_buf struct ta_buf type = TA_BUF_INIT, scope = TA_BUF_INIT, status = TA_BUF_INIT;
	char file[512];
	int rc = ta_host_read(h, ta_fmt(&file, SUPPLIES "/%s/type", name), TA_READ_CAP, &type);

	if (rc < 0 || strncmp(ta_buf_text(&type), "Battery", 7) != 0) {
		/* One that was pulled out is none. */
		*ret_rc = rc == -ENOENT || rc == -ENODEV ? *ret_rc : rc;
		return false;
	}
	if (ta_host_read(h, ta_fmt(&file, SUPPLIES "/%s/scope", name), TA_READ_CAP, &scope) == 0 &&
		strncmp(ta_buf_text(&scope), "Device", 6) == 0)
		return false;
	rc = ta_host_read(h, ta_fmt(&file, SUPPLIES "/%s/status", name), TA_READ_CAP, &status);
	if (rc < 0)
		*ret_rc = rc;
	return rc == 0 && strncmp(ta_buf_text(&status), "Discharging", 11) == 0;
}

static void put_battery(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	int rc = ta_host_list(h, SUPPLIES, &names), failed = 0;
	bool on = false;

	/* Kernels without CONFIG_POWER_SUPPLY have no such class. */
	if (rc == -ENOENT && ta_host_exists(h, "/sys/class"))
		rc = 0;
	for (size_t i = 0; rc >= 0 && i < names.n; i++)
		on = drains(h, names.v[i], &failed) || on;
	rc = rc < 0 ? rc : on ? 0 : failed;
	if (rc < 0)
		ta_put_errno(f, rc, SUPPLIES, "power", "on_battery");
	else
		ta_put_bool(f, on, "power", "on_battery");
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	ta_read_choice(h, f, "/sys/module/pcie_aspm/parameters/policy", TA_KEYS("power", "aspm"));
	put_battery(h, f);
}

const struct ta_probe ta_probe_power = {
	.name = "power",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
