/*
 * Network interfaces: what they are, whether they run, what stands behind them.
 *
 * The list and most attributes come from one rtnetlink dump; sysfs adds the
 * device (bus, driver, NUMA node, PCIe link) and the few attributes that
 * rtnetlink does not tell. Channels, rings, offloads and link modes are the
 * ethtool probe's, per-queue settings the nic_queues probe's, and what the
 * interfaces counted the nic_counters probe's.
 *
 * A /sys that was mounted in another network namespace shows other interfaces
 * under the same names; then nothing of it is believed.
 */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>

#include "probe/nicdev.h"
#include "probe/nicset.h"
#include "probe/probe.h"
#include "probe/qdisc.h"

static const struct ta_field fields[] = {
	{"nics.*.subject", TA_T_STRING, "", "name and bus address, as findings call it", TA_F_AGAIN, {{0}}},
	{"nics.*.driver", TA_T_STRING, "",
		"kernel driver (device/driver; virtual ones: the kind of link)", TA_F_HARDWARE, {{0}}},
	{"nics.*.driver_version", TA_T_STRING, "",
		"version that the driver gives itself; most now give the kernel's", TA_F_SYSTEM, {{0}}},
	{"nics.*.firmware", TA_T_STRING, "", "firmware version that the driver tells", TA_F_HARDWARE, {{0}}},
	{"nics.*.bus", TA_T_STRING, "",
		"bus address: PCI function, USB interface or platform device", TA_F_HARDWARE, {{0}}},
	{"nics.*.physical", TA_T_BOOL, "",
		"a device stands behind it (also a virtual machine's NIC); false for veth, bridge "
		"…",
		TA_F_HARDWARE | TA_F_COMES, {{0}}},
	{"nics.*.kind", TA_T_STRING, "",
		"ethernet, wifi, usb, infiniband, virtual, bond, vlan, bridge, loopback or other",
		TA_F_HARDWARE, {{0}}},
	{"nics.*.up", TA_T_BOOL, "",
		"set up and with a link: IFF_UP and operstate up (unknown counts if running)", TA_F_LINK,
		{{0}}},
	{"nics.*.mtu", TA_T_INT, "bytes", "largest packet (IFLA_MTU)", 0, {{0}}},
	{"nics.*.txqueuelen", TA_T_INT, "packets", "length of a pfifo queue (IFLA_TXQLEN)", 0,
		{{0}}},
	{"nics.*.carrier_changes", TA_T_INT, "",
		"times that the link came or went (IFLA_CARRIER_CHANGES)", TA_F_VOLATILE, {{0}}},
	{"nics.*.numa_node", TA_T_INT, "", "NUMA node of its device; 0 where there is one node", TA_F_HARDWARE,
		{{0}}},
	{"nics.*.master", TA_T_STRING, "", "bond or bridge that it belongs to; \"\" if none", 0,
		{{0}}},
	{"nics.*.lower", TA_T_STRINGS, "", "interfaces below a bond, bridge, VLAN or macvlan", 0,
		{{0}}},
	{"nics.*.bond.mode", TA_T_STRING, "", "how a bond uses its members (bonding/mode)", 0,
		{{0}}},
	{"nics.*.bond.xmit_hash_policy", TA_T_STRING, "",
		"what a bond chooses a member by (bonding/xmit_hash_policy)", 0, {{0}}},
	{"nics.*.qdisc", TA_T_STRING, "", "root queueing discipline (IFLA_QDISC)", 0, {{0}}},
	{"nics.*.qdisc_leaves", TA_T_STRINGS, "",
		"kinds of queueing discipline below a multi-queue root", 0, {{0}}},
	{"nics.*.qdisc_limit", TA_T_INT, "packets",
		"packets that its queueing discipline holds; of several below the root the smallest", 0,
		{{0}}},
	{"nics.*.gro_flush_timeout", TA_T_INT, "ns", "time GRO may hold packets back", 0, {{0}}},
	{"nics.*.napi_defer_hard_irqs", TA_T_INT, "",
		"empty polls before interrupts are enabled again", 0, {{0}}},
	{"nics.*.threaded", TA_T_BOOL, "", "NAPI runs in kernel threads", 0, {{0}}},
	{"nics.*.queues.rx", TA_T_INT, "", "receive queues in use (queues/rx-*)", TA_F_SIZED, {{0}}},
	{"nics.*.queues.tx", TA_T_INT, "", "transmit queues in use (queues/tx-*)", TA_F_SIZED, {{0}}},
	{"nics.*.pcie.speed_mts", TA_T_INT, "MT/s per lane", "PCIe speed now (current_link_speed)",
		TA_F_LINK, {{0}}},
	{"nics.*.pcie.width", TA_T_INT, "lanes", "PCIe lanes now (current_link_width)", TA_F_LINK, {{0}}},
	{"nics.*.pcie.max_speed_mts", TA_T_INT, "MT/s per lane",
		"PCIe speed the card can (max_link_speed)", TA_F_HARDWARE, {{0}}},
	{"nics.*.pcie.max_width", TA_T_INT, "lanes", "PCIe lanes the card has (max_link_width)", TA_F_HARDWARE,
		{{0}}},
	{"nics.*.pcie.aspm", TA_T_STRINGS, "",
		"states of rest allowed to the PCIe link: l0s, l1, l1.1, l1.2 (link/l1_aspm …)", 0, {{0}}},
	{"nics.*.iommu", TA_T_STRING, "",
		"translation of the card's DMA: none, identity, DMA, DMA-FQ (type of its iommu_group)", 0, {{0}}},
	{"nics.*.virtual_function", TA_T_BOOL, "",
		"it is a virtual function (SR-IOV): its card, rings and link are shared with others", TA_F_HARDWARE,
		{{0}}},
	{"nics.*.usb_mbps", TA_T_INT, "Mbit/s", "speed of the USB bus it is on", TA_F_HARDWARE, {{0}}},
};

struct nics {
	struct ta_host *h;
	struct ta_facts *f;
	struct ta_nicset set;
	struct ta_qdiscs qdiscs;
	int rc_qdiscs;
	struct ta_nicdev device; /* what the device's part needs of all this */
	const struct ta_link **members; /* those that have a master, in order of it */
	size_t n_members;
};

/* --- how it runs -------------------------------------------------------------- */

static void put_up(struct nics *n, const struct ta_link *l)
{
	enum { UNKNOWN = 0, UP = 6 }; /* IF_OPER_*, linux/if.h */

	if (l->flags.rc == 0 && !(l->flags.v & IFF_UP)) {
		ta_put_bool(n->f, false, "nics", l->name, "up");
		return;
	}
	if (l->operstate.rc < 0) {
		ta_put_errno(n->f, l->operstate.rc, "operstate", "nics", l->name, "up");
		return;
	}
	/* Drivers without link state, loopback and tunnels stay "unknown" and work. */
	if (l->operstate.v == UNKNOWN && n->set.from_netlink)
		ta_put_bool(n->f, (l->flags.v & IFF_RUNNING) != 0, "nics", l->name, "up");
	else
		ta_put_bool(n->f, l->operstate.v == UP || l->operstate.v == UNKNOWN, "nics",
			l->name, "up");
}

static void put_qdisc_limit(struct nics *n, const struct ta_link *l, struct ta_val below)
{
	const char *const *path = TA_KEYS("nics", l->name, "qdisc_limit");
	const struct ta_qdisc *root = ta_qdiscs_root(&n->qdiscs, (int)l->ifindex.v);
	const char *kind = root ? root->kind : "noqueue";

	/* Not told by it: it reads the interface's (net/sched/sch_generic.c pfifo_fast_init()). */
	if (strcmp(kind, "pfifo_fast") == 0)
		below = l->txqueuelen;
	else if (root && below.rc == -ENOENT)
		below = root->limit;
	if (strcmp(kind, "noqueue") == 0)
		ta_facts_put_absent(n->f, path, TA_UNSUPPORTED, "no queue");
	else if (below.rc == -EOPNOTSUPP)
		ta_facts_put_absent(n->f, path, TA_UNSUPPORTED, "%s has no limit in packets that is told", kind);
	else
		ta_put_val(n->f, path, below, "rtnetlink");
}

static void put_qdisc(struct nics *n, const struct ta_link *l)
{
	ta_cleanup_strv struct ta_strv leaves = TA_STRV_INIT;
	int rc = n->rc_qdiscs ? n->rc_qdiscs : l->ifindex.rc;
	struct ta_val limit;

	if (l->rc_qdisc < 0)
		ta_put_errno(n->f, l->rc_qdisc, "rtnetlink", "nics", l->name, "qdisc");
	else
		ta_put_str(n->f, l->qdisc, "nics", l->name, "qdisc");
	if (rc < 0) {
		ta_put_errno(n->f, rc, "rtnetlink", "nics", l->name, "qdisc_leaves");
		ta_put_errno(n->f, rc, "rtnetlink", "nics", l->name, "qdisc_limit");
		return;
	}
	ta_qdiscs_leaves(&n->qdiscs, (int)l->ifindex.v, &leaves, &limit);
	ta_facts_put_strs(n->f, TA_KEYS("nics", l->name, "qdisc_leaves"), leaves.v, leaves.n);
	put_qdisc_limit(n, l, limit);
}

static void put_link(struct nics *n, const struct ta_link *l)
{
	put_up(n, l);
	ta_put_val(n->f, TA_KEYS("nics", l->name, "mtu"), l->mtu, "mtu");
	ta_put_val(n->f, TA_KEYS("nics", l->name, "txqueuelen"), l->txqueuelen, "tx_queue_len");
	ta_put_val(n->f, TA_KEYS("nics", l->name, "carrier_changes"), l->carrier_changes,
		"carrier_changes");
	put_qdisc(n, l);
}

/* --- masters and lower devices ------------------------------------------------- */

static void put_master_netlink(struct nics *n, const struct ta_link *l)
{
	const struct ta_link *master = ta_links_by_index(&n->set.links, l->master);

	if (l->master < 0)
		ta_put_errno(n->f, -ENODATA, "rtnetlink", "nics", l->name, "master");
	else
		ta_put_str(n->f, master ? master->name : "", "nics", l->name, "master");
}

static int by_master(const void *a, const void *b)
{
	const struct ta_link *const *x = a, *const *y = b;

	return (*x)->master != (*y)->master ? ((*x)->master > (*y)->master) - ((*x)->master < (*y)->master)
					    : (*x > *y) - (*x < *y);
}

static int sort_members(struct nics *n)
{
	const struct ta_links *links = &n->set.links;

	n->members = calloc(links->n + 1, sizeof(*n->members));
	if (!n->members)
		return -ENOMEM;
	for (size_t i = 0; i < links->n; i++)
		if (links->v[i].master > 0)
			n->members[n->n_members++] = &links->v[i];
	if (n->n_members)
		qsort(n->members, n->n_members, sizeof(*n->members), by_master);
	return 0;
}

/* The first member of the master, and behind it the others; n_members if it has none. */
static size_t first_member(const struct nics *n, int64_t master)
{
	size_t low = 0, high = n->n_members;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (n->members[mid]->master < master)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void put_lower_netlink(struct nics *n, const struct ta_link *l)
{
	ta_cleanup_strv struct ta_strv lower = TA_STRV_INIT;
	const struct ta_link *below = ta_links_by_index(&n->set.links, l->lower);

	if (l->master < 0) {
		ta_put_errno(n->f, -ENODATA, "rtnetlink", "nics", l->name, "lower");
		return;
	}
	if (below)
		ta_strv_add(&lower, below->name);
	for (size_t i = first_member(n, l->ifindex.v); ta_link_has_members(l) && i < n->n_members; i++) {
		if (n->members[i]->master != l->ifindex.v)
			break;
		ta_strv_add(&lower, n->members[i]->name);
	}
	ta_facts_put_strs(n->f, TA_KEYS("nics", l->name, "lower"), lower.v, lower.n);
}

static void put_relatives_sysfs(struct nics *n, const struct ta_link *l)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT, lower = TA_STRV_INIT;
	ta_cleanup_buf struct ta_buf master = TA_BUF_INIT;
	static const char prefix[] = "lower_";
	char file[512];
	int rc;

	rc = ta_host_readlink(n->h, ta_fmt(&file, "/sys/class/net/%s/master", l->name), &master);
	ta_put_str(n->f, rc < 0 ? "" : ta_last_component(ta_buf_text(&master)), "nics", l->name,
		"master");
	rc = ta_host_list(n->h, ta_fmt(&file, "/sys/class/net/%s", l->name), &names);
	for (size_t i = 0; rc == 0 && i < names.n; i++)
		if (strncmp(names.v[i], prefix, strlen(prefix)) == 0)
			ta_strv_add(&lower, names.v[i] + strlen(prefix));
	if (rc < 0)
		ta_put_errno(n->f, rc, file, "nics", l->name, "lower");
	else
		ta_facts_put_strs(n->f, TA_KEYS("nics", l->name, "lower"), lower.v, lower.n);
}

/* --- what only sysfs tells ----------------------------------------------------- */

static void put_queue_counts(struct nics *n, const char *name)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	int64_t rx = 0, tx = 0;
	char file[512];
	int rc;

	rc = ta_host_list(n->h, ta_fmt(&file, "/sys/class/net/%s/queues", name), &names);
	if (rc < 0) {
		ta_put_errno(n->f, rc, file, "nics", name, "queues");
		return;
	}
	for (size_t i = 0; i < names.n; i++) {
		rx += strncmp(names.v[i], "rx-", 3) == 0;
		tx += strncmp(names.v[i], "tx-", 3) == 0;
	}
	ta_put_i64(n->f, rx, "nics", name, "queues", "rx");
	ta_put_i64(n->f, tx, "nics", name, "queues", "tx");
}

/* "802.3ad 4": the name and its number. */
static void put_bond_option(struct nics *n, const char *name, const char *option)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	char file[512];
	int rc;

	rc = ta_text_read(n->h, ta_fmt(&file, "/sys/class/net/%s/bonding/%s", name, option), &text);
	if (rc < 0) {
		ta_put_errno(n->f, rc, file, "nics", name, "bond", option);
		return;
	}
	if (text.len)
		text.data[strcspn(text.data, " ")] = '\0';
	ta_put_str(n->f, ta_buf_text(&text), "nics", name, "bond", option);
}

static void put_bond(struct nics *n, const struct ta_link *l)
{
	const char *kind = ta_facts_get_str(n->f, TA_KEYS("nics", l->name, "kind"));

	if (!kind || strcmp(kind, "bond") != 0 || strcmp(l->kind, "team") == 0) {
		ta_facts_put_absent(
			n->f, TA_KEYS("nics", l->name, "bond"), TA_UNSUPPORTED, "no bond");
		return;
	}
	put_bond_option(n, l->name, "mode");
	put_bond_option(n, l->name, "xmit_hash_policy");
}

static void put_sysfs(struct nics *n, const char *name)
{
	struct ta_val threaded;
	char file[512];

	put_queue_counts(n, name);
	ta_read_int(n->h, n->f, ta_fmt(&file, "/sys/class/net/%s/gro_flush_timeout", name),
		TA_KEYS("nics", name, "gro_flush_timeout"));
	ta_read_int(n->h, n->f, ta_fmt(&file, "/sys/class/net/%s/napi_defer_hard_irqs", name),
		TA_KEYS("nics", name, "napi_defer_hard_irqs"));
	threaded = ta_val_read(n->h, ta_fmt(&file, "/sys/class/net/%s/threaded", name));
	if (threaded.rc == 0)
		ta_put_bool(n->f, threaded.v > 0, "nics", name, "threaded");
	else
		ta_put_errno(n->f, threaded.rc, file, "nics", name, "threaded");
}

static void put_no_sysfs(struct nics *n, const char *name)
{
	static const char *const keys[] = {
		"queues", "gro_flush_timeout", "napi_defer_hard_irqs", "threaded"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(keys); i++)
		ta_put_errno(n->f, n->set.rc_devs ? n->set.rc_devs : -ENOENT, "/sys/class/net",
			"nics", name, keys[i]);
}

/* No file of sysfs is read for it, and one reason stands for all that it lacks. */
static void put_surplus(struct nics *n, const struct ta_link *l)
{
	ta_nicset_put_surplus(n->f, l);
	ta_put_str(n->f, l->name, "nics", l->name, "subject");
	if (l->kind[0])
		ta_put_str(n->f, l->kind, "nics", l->name, "driver");
	ta_nicdev_put_kind(&n->device, l, ta_netdevs_find(&n->set.devs, l->name));
	put_up(n, l);
	if (l->mtu.rc == 0)
		ta_put_i64(n->f, l->mtu.v, "nics", l->name, "mtu");
	if (n->set.from_netlink) {
		put_master_netlink(n, l);
		put_lower_netlink(n, l);
	}
}

static void put_nic(struct nics *n, const struct ta_link *l)
{
	const struct ta_netdev *d;

	if (l->surplus) {
		put_surplus(n, l);
		return;
	}
	d = ta_nicset_device(&n->set, n->h, l);
	ta_put_object(n->f, "nics", l->name);
	ta_nicdev_put(&n->device, l, d);
	ta_nicdev_put_kind(&n->device, l, d);
	put_link(n, l);
	if (n->set.from_netlink) {
		put_master_netlink(n, l);
		put_lower_netlink(n, l);
	} else {
		put_relatives_sysfs(n, l);
	}
	put_bond(n, l);
	if (d)
		put_sysfs(n, l->name);
	else
		put_no_sysfs(n, l->name);
}

/* --- collecting ------------------------------------------------------------------- */

static void nic_collect(struct ta_host *h, struct ta_facts *f)
{
	struct nics n = {.h = h, .f = f};
	int rc = ta_nicset_read(h, &n.set);

	if (rc == 0)
		rc = sort_members(&n);
	if (rc < 0) {
		ta_put_errno(f, rc, "/sys/class/net and rtnetlink", "nics");
		ta_nicset_done(&n.set);
		return;
	}
	ta_put_object(f, "nics");
	if (n.set.links.torn)
		ta_facts_put_incomplete(f, TA_KEYS("nics"), TA_MALFORMED,
			"interfaces came and went while they were listed");
	n.rc_qdiscs = ta_qdiscs_netlink(h, &n.qdiscs);
	n.device = (struct ta_nicdev){h, f, n.set.from_netlink, ta_numa_count(h)};
	for (size_t i = 0; i < n.set.links.n; i++)
		put_nic(&n, &n.set.links.v[i]);
	ta_qdiscs_done(&n.qdiscs);
	free(n.members);
	ta_nicset_done(&n.set);
}

const struct ta_probe ta_probe_nic = {
	.name = "nic",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = nic_collect,
};
