/*
 * Power saving of wireless interfaces: the radio sleeps between beacons, and
 * what comes meanwhile waits for 100 ms and more. Asked of nl80211 where the
 * kernel has it already; families are found by one dump of them all, which
 * loads nothing.
 */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>

#include "nic/attr.h"
#include "probe/nicset.h"
#include "probe/probe.h"

static const struct ta_field fields[] = {
	{"nics.*.wifi.power_save", TA_T_BOOL, "", "the radio sleeps between beacons (iw dev NAME get power_save)", 0, {{0}}},
};

/* include/uapi/linux/nl80211.h */
enum {
	CMD_GET_POWER_SAVE = 62, /* the reply's too */
	ATTR_IFINDEX = 3,
	ATTR_PS_STATE = 93,
};

static int on_reply(const struct nlmsghdr *nlh, void *ctx)
{
	struct ta_val *ret = ctx;
	const struct nlattr *a;

	if (!ta_nic_is_reply(nlh, CMD_GET_POWER_SAVE))
		return 0;
	a = ta_nic_attr_genl(nlh, ATTR_PS_STATE);
	if (a)
		ret->rc = ta_nic_attr_number(a, 4, &ret->v);
	return 0;
}

static struct ta_val ask(struct ta_host *h, const struct ta_link *l)
{
	ta_cleanup_buf struct ta_buf attrs = TA_BUF_INIT;
	struct ta_genl request = {.family = "nl80211", .cmd = CMD_GET_POWER_SAVE};
	struct ta_val val = {.rc = -EBADMSG};
	char key[512];
	int rc;

	if (l->ifindex.rc < 0)
		return l->ifindex;
	ta_nic_put_u32(&attrs, ATTR_IFINDEX, (uint32_t)l->ifindex.v);
	request.attrs = attrs.data;
	request.attrs_len = attrs.len;
	rc = attrs.error;
	if (rc == 0)
		rc = ta_host_genl(h, ta_fmt(&key, "nl80211/power-save/%s", l->name), &request, on_reply, &val);
	return rc < 0 ? (struct ta_val){.rc = rc} : val;
}

/* A wireless interface has a link to its radio in sysfs (net/wireless/core.c, cfg80211_netdev_notifier_call()). */
static bool is_wifi(struct ta_host *h, const char *nic)
{
	char file[512];

	return ta_host_exists(h, ta_fmt(&file, "/sys/class/net/%s/phy80211", nic));
}

static void put_nic(struct ta_host *h, struct ta_facts *f, const struct ta_link *l, const struct ta_netdev *d)
{
	const char *const *path = TA_KEYS("nics", l->name, "wifi", "power_save");
	struct ta_val val;

	if (ta_nic_is_physical(l, d) == 0 || !is_wifi(h, l->name)) {
		ta_facts_put_absent(f, TA_KEYS("nics", l->name, "wifi"), TA_UNSUPPORTED, "no Wi-Fi");
		return;
	}
	val = ask(h, l);
	if (val.rc == -EOPNOTSUPP)
		ta_facts_put_absent(f, path, TA_UNSUPPORTED, "its driver has none, or the kernel has no nl80211 loaded");
	else if (val.rc < 0)
		ta_facts_put_errno(f, path, val.rc, "nl80211");
	else
		ta_facts_put_bool(f, path, val.v != 0);
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	ta_nicset_put_each(h, f, put_nic);
}

const struct ta_probe ta_probe_nic_wifi = {
	.name = "nic_wifi",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
