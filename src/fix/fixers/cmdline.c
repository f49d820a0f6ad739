/*
 * kernel.cmdline(arg): a word on the kernel command line, from a closed list. For GRUB as Debian and Ubuntu set it
 * up; other boot loaders have their own file, which the first line says.
 */
#include <errno.h>
#include <string.h>

#include "fix/describe.h"

static const struct ta_fix_param params[] = {{"arg", TA_T_STRING, true}};
static const char *const reads[] = {"place.container", NULL};
static const struct ta_fix_sig sigs[] = {{"kernel.cmdline", params, TA_ARRAY_SIZE(params), reads}};

/* Never mitigations=, audit=, lockdown= and the like. */
static bool is_allowed(const char *arg)
{
	static const char *const starts[] = {
		"clocksource=",
		"cpufreq.default_governor=",
		"nvme_core.default_ps_max_latency_us=",
		"pcie_aspm.policy=",
		"preempt=",
		"psi=",
		"transparent_hugepage=",
	};

	if (arg[strspn(arg, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.=-")])
		return false;
	for (size_t i = 0; i < TA_ARRAY_SIZE(starts); i++)
		if (!strncmp(arg, starts[i], strlen(starts[i])) && arg[strlen(starts[i])])
			return true;
	return false;
}

static int describe(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_fix_text *ret,
	struct ta_err *err)
{
	const char *arg;
	int rc = ta_fix_arg_str(call, "arg", &arg, err);

	if (rc < 0)
		return rc;
	if (!is_allowed(arg))
		return ta_err_set(err, -EINVAL, "kernel.cmdline: '%s' is not in the table of options that may be set", arg);
	if (ta_fix_in_container(facts))
		return ta_err_set(err, -EINVAL, "kernel.cmdline: %s belongs to the host, not to this container", arg);
	ta_buf_printf(&ret->persist_text, "GRUB_CMDLINE_LINUX=\"$GRUB_CMDLINE_LINUX %s\"\n", arg);
	ta_buf_adds(&ret->persist_file, "/etc/default/grub.d/90-tuneaudit.cfg");
	ta_buf_adds(&ret->command, "# where GRUB is not the boot loader, add the option to its file instead\necho ");
	ta_buf_printf(&ret->command, "'GRUB_CMDLINE_LINUX=\"$GRUB_CMDLINE_LINUX %s\"' >> %s\nupdate-grub\n", arg,
		ta_buf_text(&ret->persist_file));
	return 0;
}

const struct ta_fixer ta_fixer_cmdline = {
	.sigs = sigs,
	.n_sigs = TA_ARRAY_SIZE(sigs),
	.disruption = TA_DISRUPT_REBOOT,
	.describe = describe,
};
