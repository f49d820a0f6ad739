/*
 * TuneD: whether it runs, and by which profiles. What they set stands in settings.
 */
#include <errno.h>

#include "probe/probe.h"
#include "probe/tuned.h"

static const struct ta_field fields[] = {
	{"tuned.running", TA_T_BOOL, "", "TuneD runs", 0, {}},
	{"tuned.profile", TA_T_STRING, "", "its active profiles (/etc/tuned/active_profile); \"\" = none", 0, {}},
	{"tuned.active", TA_T_BOOL, "", "a profile is chosen, and TuneD runs or is started at boot", 0, {}},
};

static void collect(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_tuned struct ta_tuned t = {0};
	int runs = ta_tuned_runs(h), at_boot, rc = ta_tuned_read(h, &t);

	/* That a copied tree has no profile says little of the host. */
	if (!rc && !t.rc && !t.active && !ta_host_is_whole(h) && !ta_host_exists(h, "/etc/tuned"))
		rc = -ENODATA;
	if (runs >= 0)
		ta_put_bool(f, runs, "tuned", "running");
	else
		ta_put_errno(f, runs, "the processes", "tuned", "running");
	if (!rc && (t.active || !t.rc))
		ta_put_str(f, t.active ? t.active : "", "tuned", "profile");
	else
		ta_put_errno(f, rc ? rc : t.rc, rc ? "TuneD" : t.hole, "tuned", "profile");
	at_boot = rc ? rc : t.active ? ta_tuned_at_boot(h) : t.rc;
	if (at_boot >= 0)
		ta_put_bool(f, at_boot, "tuned", "active");
	else
		ta_put_errno(f, at_boot, "TuneD", "tuned", "active");
}

const struct ta_probe ta_probe_tuned = {
	.name = "tuned",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
