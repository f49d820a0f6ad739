/*
 * The descriptor limits of logins: of what is started from a shell, by su or by cron, and of services of other init
 * systems that go through PAM. Guides set them for services of systemd, where they have no effect.
 */
#include <errno.h>

#include "probe/pamlimits.h"
#include "probe/probe.h"

static const struct ta_field fields[] = {
	{"limits.login.*.nofile_soft", TA_T_INT, "files", "descriptor limit of logins, soft (limits.conf, limits.d)",
		TA_F_UNLIMITED | TA_F_WRITTEN, {}},
	{"limits.login.*.nofile_hard", TA_T_INT, "files", "the same, hard", TA_F_UNLIMITED | TA_F_WRITTEN, {}},
	{"limits.login.*.nofile_set_by", TA_T_STRING, "", "FILE:LINE of the soft one, else of the hard one", TA_F_PLACES | TA_F_WRITTEN, {}},
	{"limits.login_more", TA_T_BOOL, "", "there are lines for single users or groups, which are not told of", TA_F_WRITTEN, {}},
};

static void put_limit(struct ta_facts *f, const char *who, const char *key, const struct ta_pam_limit *l)
{
	if (!l->given)
		ta_facts_put_absent(f, TA_KEYS("limits", "login", who, key), TA_MISSING, "no line sets it: that of the parent stays");
	else if (l->unlimited)
		ta_put_unlimited(f, "limits", "login", who, key);
	else
		ta_put_u64(f, l->value, "limits", "login", who, key);
}

static void put_user(struct ta_facts *f, const char *who, const struct ta_pam_limit *l)
{
	ta_put_object(f, "limits", "login", who);
	put_limit(f, who, "nofile_soft", &l[0]);
	put_limit(f, who, "nofile_hard", &l[1]);
	if (l[0].given || l[1].given)
		ta_put_str(f, l[0].given ? l[0].place : l[1].place, "limits", "login", who, "nofile_set_by");
	else
		ta_facts_put_absent(f, TA_KEYS("limits", "login", who, "nofile_set_by"), TA_MISSING, "no line sets it");
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	struct ta_pam_limits l;
	int rc = ta_pam_limits_read(h, &l);

	if (!rc && !l.rc && !ta_host_is_whole(h) && !ta_host_exists(h, "/etc/security"))
		rc = -ENODATA;
	if (rc || l.rc) {
		ta_facts_put_absent(f, TA_KEYS("limits", "login"), ta_reason_of(rc ? rc : l.rc), "%s",
			rc ? "the copied tree has no /etc/security" : l.hole);
		ta_facts_put_absent(f, TA_KEYS("limits", "login_more"), ta_reason_of(rc ? rc : l.rc), "%s",
			rc ? "the copied tree has no /etc/security" : l.hole);
		return;
	}
	put_user(f, "root", l.root);
	put_user(f, "others", l.others);
	ta_put_bool(f, l.more, "limits", "login_more");
}

const struct ta_probe ta_probe_logins = {
	.name = "logins",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
