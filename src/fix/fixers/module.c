/*
 * module.load(name): modules that a network service profits from, and no others.
 */
#include <errno.h>
#include <string.h>

#include "fix/describe.h"

static const struct ta_fix_param params[] = {{"name", TA_T_STRING, true}};
static const char *const reads[] = {"place.container", NULL};
static const struct ta_fix_sig sigs[] = {{"module.load", params, TA_ARRAY_SIZE(params), reads}};

static bool may_load(const char *name)
{
	static const char *const names[] = {"tcp_bbr", "tls", "sch_fq", "sch_cake"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static int describe(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_fix_text *ret,
	struct ta_err *err)
{
	const char *name;
	int rc = ta_fix_arg_str(call, "name", &name, err);

	if (rc < 0)
		return rc;
	if (!may_load(name))
		return ta_err_set(err, -EINVAL, "module.load: '%s' is not in the table of modules that may be loaded", name);
	if (ta_fix_in_container(facts))
		ta_buf_adds(&ret->command, "# on the host: a container cannot load modules\n");
	ta_buf_printf(&ret->command, "modprobe %s\n", name);
	ta_buf_adds(&ret->persist_file, "/etc/modules-load.d/tuneaudit.conf");
	ta_buf_printf(&ret->persist_text, "%s\n", name);
	return 0;
}

const struct ta_fixer ta_fixer_module = {
	.sigs = sigs,
	.n_sigs = TA_ARRAY_SIZE(sigs),
	.disruption = TA_DISRUPT_NONE,
	.describe = describe,
};
