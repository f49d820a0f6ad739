/*
 * A /sys that was mounted in another network namespace shows that one's
 * interfaces, some under the names of ours (every namespace has a lo, most
 * containers an eth0). It gives itself away by its list of names.
 */
#include "probe/nicset.h"

#include <errno.h>
#include <linux/if_arp.h>
#include <string.h>

#include "probe/pastednic.h"
#include "probe/probe.h"

static bool names_differ(const struct ta_nicset *set)
{
	if (set->links.n != set->devs.n)
		return true;
	for (size_t i = 0; i < set->links.n; i++)
		if (strcmp(set->links.v[i].name, set->devs.v[i].name) != 0)
			return true;
	return false;
}

/* Bonds, bridges and the like are few, and what they stand for is not. */
static void mark_surplus(struct ta_nicset *set)
{
	size_t n_virtual = 0;

	for (size_t i = 0; i < set->links.n; i++) {
		struct ta_link *l = &set->links.v[i];

		if (ta_link_has_members(l) || strcmp(l->name, "lo") == 0 ||
			ta_nic_is_physical(l, ta_netdevs_find(&set->devs, l->name)) != 0)
			continue;
		l->surplus = ++n_virtual > TA_NICSET_VIRTUAL;
	}
}

int ta_nicset_read(struct ta_host *h, struct ta_nicset *ret)
{
	struct ta_nicset set = {0};
	int rc;

	set.rc_devs = ta_netdevs_read(h, &set.devs);
	rc = ta_links_netlink(h, &set.links);
	/* What ip printed is what rtnetlink told it. */
	if (rc < 0 && set.rc_devs < 0 && ta_pastednic_links(h, &set.links) == 0)
		rc = 0;
	set.from_netlink = rc == 0;
	if (rc == 0)
		set.sysfs_differs = set.rc_devs == 0 && names_differ(&set);
	else if (set.rc_devs == 0)
		rc = ta_links_sysfs(h, &set.devs, &set.links);
	else
		rc = set.rc_devs;
	if (rc == 0)
		rc = ta_pastednic_devices(h, &set.devs, &set.links);
	if (rc < 0) {
		ta_nicset_done(&set);
		return rc;
	}
	mark_surplus(&set);
	*ret = set;
	return 0;
}

void ta_nicset_done(struct ta_nicset *set)
{
	ta_links_done(&set->links);
	ta_netdevs_done(&set->devs);
}

const struct ta_netdev *ta_nicset_device(
	const struct ta_nicset *set, struct ta_host *h, const struct ta_link *l)
{
	const struct ta_netdev *d = ta_netdevs_find(&set->devs, l->name);
	struct ta_val index;
	char file[512];

	if (!d || !set->sysfs_differs)
		return d;
	index = ta_val_read(h, ta_fmt(&file, "/sys/class/net/%s/ifindex", l->name));
	return index.rc == 0 && l->ifindex.rc == 0 && index.v == l->ifindex.v ? d : NULL;
}

bool ta_nicset_put_surplus(struct ta_facts *f, const struct ta_link *l)
{
	/* One reason for all that it lacks: what the nic probe put, before or after, stays beside it. */
	if (l->surplus && !ta_facts_at(f, TA_KEYS("nics", l->name)))
		ta_facts_put_absent(f, TA_KEYS("nics", l->name), TA_NOT_ASKED, TA_NICSET_SURPLUS);
	return l->surplus;
}

/* A kind of link does not decide: CAN controllers and switch ports have one too. */
void ta_nicset_put_each(struct ta_host *h, struct ta_facts *f, ta_nic_put_fn *put)
{
	struct ta_nicset set = {0};
	int rc = ta_nicset_read(h, &set);

	if (rc < 0) {
		ta_put_errno(f, rc, "/sys/class/net and rtnetlink", "nics");
		return;
	}
	ta_put_object(f, "nics");
	for (size_t i = 0; i < set.links.n; i++) {
		const struct ta_link *l = &set.links.v[i];

		if (ta_nicset_put_surplus(f, l))
			continue;
		ta_put_object(f, "nics", l->name);
		put(h, f, l, ta_nicset_device(&set, h, l));
	}
	ta_nicset_done(&set);
}

int ta_nic_is_physical(const struct ta_link *l, const struct ta_netdev *d)
{
	if ((l->type.rc == 0 && l->type.v == ARPHRD_LOOPBACK) || (d && d->is_virtual))
		return 0;
	if ((d && d->device) || l->parent)
		return 1;
	return l->kind[0] || strcmp(l->name, "lo") == 0 ? 0 : -1;
}
