/*
 * What a card makes the receive queue of a packet from (ETHTOOL_GRXFH): one
 * question per protocol, and only to interfaces with more than one queue.
 */
#include <errno.h>
#include <string.h>

#include "nic/abi.h"
#include "probe/nicset.h"
#include "probe/probe.h"

static const struct ta_field fields[] = {
	{"nics.*.flow_hash.tcp4", TA_T_STRINGS, "", "parts of a TCP packet over IPv4 that choose its receive queue: source, "
		"destination, source-port, destination-port … (ethtool -n NAME rx-flow-hash tcp4)", 0, {{0}}},
	{"nics.*.flow_hash.udp4", TA_T_STRINGS, "", "the same for UDP over IPv4", 0, {{0}}},
	{"nics.*.flow_hash.tcp6", TA_T_STRINGS, "", "the same for TCP over IPv6", 0, {{0}}},
	{"nics.*.flow_hash.udp6", TA_T_STRINGS, "", "the same for UDP over IPv6", 0, {{0}}},
};

/* include/uapi/linux/ethtool.h: TCP_V4_FLOW … and RXH_* */
static const struct {
	const char *name;
	uint32_t flow;
} flows[] = {{"tcp4", 1}, {"udp4", 2}, {"tcp6", 5}, {"udp6", 6}};

static const char *const parts[] = {
	[1] = "mac-destination",
	[2] = "vlan",
	[3] = "protocol",
	[4] = "source",
	[5] = "destination",
	[6] = "source-port",
	[7] = "destination-port",
};

#define RXH_DISCARD_BIT 31

static void put_parts(struct ta_facts *f, const char *nic, const char *flow, uint64_t bits)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;

	for (size_t i = 0; i < TA_ARRAY_SIZE(parts); i++)
		if (parts[i] && bits >> i & 1)
			ta_strv_add(&names, parts[i]);
	if (bits >> RXH_DISCARD_BIT & 1)
		ta_strv_add(&names, "discarded");
	ta_facts_put_strs(f, TA_KEYS("nics", nic, "flow_hash", flow), names.v, names.n);
}

/* The kernel takes and gives the first 16 bytes of struct ethtool_rxnfc (net/ethtool/ioctl.c, since 2.6). */
static int ask(struct ta_host *h, const char *nic, uint32_t flow, uint64_t *ret)
{
	struct {
		uint32_t cmd, flow_type;
		uint64_t data;
	} q = {TA_ETHTOOL_GRXFH, flow, 0};
	int rc = ta_host_ethtool(h, nic, &q, sizeof(q));

	*ret = q.data;
	return rc;
}

static void put_nic(struct ta_host *h, struct ta_facts *f, const char *nic)
{
	uint64_t bits;

	for (size_t i = 0; i < TA_ARRAY_SIZE(flows); i++) {
		int rc = ask(h, nic, flows[i].flow, &bits);

		/* EINVAL too: a driver that does not know this kind of flow. */
		if (rc == -EOPNOTSUPP || rc == -EINVAL)
			ta_facts_put_absent(f, TA_KEYS("nics", nic, "flow_hash", flows[i].name), TA_UNSUPPORTED,
				"its driver does not tell");
		else if (rc < 0)
			ta_put_errno(f, rc, "ethtool", "nics", nic, "flow_hash", flows[i].name);
		else
			put_parts(f, nic, flows[i].name, bits);
	}
}

static bool has_queues(struct ta_host *h, const char *nic)
{
	char file[512];

	return ta_host_exists(h, ta_fmt(&file, "/sys/class/net/%s/queues/rx-1", nic));
}

static void put_link(struct ta_host *h, struct ta_facts *f, const struct ta_link *l, const struct ta_netdev *d)
{
	if (ta_nic_is_physical(l, d) == 0)
		ta_facts_put_absent(f, TA_KEYS("nics", l->name, "flow_hash"), TA_UNSUPPORTED, "no hardware");
	else if (!has_queues(h, l->name))
		ta_facts_put_absent(f, TA_KEYS("nics", l->name, "flow_hash"), TA_UNSUPPORTED, "one receive queue");
	else
		put_nic(h, f, l->name);
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	ta_nicset_put_each(h, f, put_link);
}

const struct ta_probe ta_probe_nic_hash = {
	.name = "nic_hash",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
