/*
 * Which systemd this host has, by the name of a library of it.
 */
#include <errno.h>

#include "probe/probe.h"
#include "probe/systemdver.h"

static const struct ta_field fields[] = {
	{"boot.systemd", TA_T_INT, "", "version of systemd (libsystemd-shared-*.so)", TA_F_SYSTEM, {}},
};

static void collect(struct ta_host *h, struct ta_facts *f)
{
	int version = ta_systemd_version(h);

	if (version > 0)
		ta_put_i64(f, version, "boot", "systemd");
	else if (version == -ENOENT)
		ta_facts_put_absent(f, TA_KEYS("boot", "systemd"), TA_MISSING, "no systemd, or its library is where nobody looked");
	else
		ta_put_errno(f, version, "the library of systemd", "boot", "systemd");
}

const struct ta_probe ta_probe_systemd = {
	.name = "systemd",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
