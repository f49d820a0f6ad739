/*
 * Packet sockets: each one that takes all protocols sees a copy of every
 * packet, whether anybody reads it or not. Read from /proc/net/packet, which
 * is there only if packet sockets are; asking by sock_diag could load a module.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "probe/nicset.h"
#include "probe/probe.h"

static const struct ta_field fields[] = {
	{"taps.sockets", TA_T_INT, "sockets", "packet sockets of this network namespace (/proc/net/packet)", TA_F_VOLATILE, {{0}}},
	{"taps.all_packets", TA_T_INT, "sockets",
		"those that take every protocol: tcpdump, old DHCP clients, lldpd, intrusion detection", TA_F_VOLATILE, {{0}}},
	{"taps.nics", TA_T_STRINGS, "", "interfaces that these are bound to; \"any\" for all of them", TA_F_VOLATILE, {{0}}},
};

struct count {
	int64_t sockets, all;
	bool header, malformed;
	struct ta_strv nics;
	const struct ta_links *links;
};

static void add_nic(struct count *c, int64_t ifindex)
{
	const struct ta_link *l = ta_links_by_index(c->links, ifindex > 0 && ifindex <= INT32_MAX ? (int)ifindex : 0);
	char number[24];
	const char *name = l ? l->name : number;

	if (ifindex == 0)
		name = "any";
	else if (!l)
		snprintf(number, sizeof(number), "%lld", (long long)ifindex);
	if (!ta_strv_has(&c->nics, name))
		ta_strv_add(&c->nics, name);
}

/* "sk RefCnt Type Proto Iface R Rmem User Inode" (net/packet/af_packet.c packet_seq_show()); Proto is hexadecimal. */
static int on_line(const char *line, size_t len, void *ctx)
{
	ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;
	struct count *c = ctx;
	uint64_t proto;
	int64_t ifindex;

	if (!c->header) { /* without it nobody knows what the columns are */
		c->header = !strncmp(line, "sk ", 3);
		return c->header ? 0 : -EBADMSG;
	}
	ta_strv_split(&words, line, " \t");
	if (words.error)
		return words.error;
	if (words.n < 5 || ta_parse_hex(words.v[3], &proto) < 0 || ta_parse_i64(words.v[4], &ifindex) < 0) {
		c->malformed = true;
		return 0;
	}
	c->sockets++;
	if (proto == 3) { /* ETH_P_ALL */
		c->all++;
		add_nic(c, ifindex);
	}
	return c->nics.error;
}

static void put_all(struct ta_facts *f, const struct count *c)
{
	ta_put_i64(f, c->sockets, "taps", "sockets");
	ta_put_i64(f, c->all, "taps", "all_packets");
	ta_facts_put_strs(f, TA_KEYS("taps", "nics"), c->nics.v, c->nics.n);
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	static const char file[] = "/proc/net/packet", *const keys[] = {"sockets", "all_packets", "nics"};
	ta_cleanup_links struct ta_links links = TA_LINKS_INIT;
	struct count c = {.links = &links};
	int rc = ta_host_lines(h, file, on_line, &c);

	if (rc == 0 && (c.malformed || !c.header))
		rc = -EBADMSG;
	/* Names for the numbers: asked for only where there is one. */
	if (rc == 0 && c.all && ta_links_netlink(h, &links) == 0) {
		ta_strv_done(&c.nics);
		c = (struct count){.links = &links};
		rc = ta_host_lines(h, file, on_line, &c);
	}
	for (size_t i = 0; i < TA_ARRAY_SIZE(keys) && rc < 0; i++) {
		if (rc == -ENOENT && ta_host_is_whole(h))
			ta_facts_put_absent(f, TA_KEYS("taps", keys[i]), TA_UNSUPPORTED, "no packet sockets in this kernel");
		else
			ta_put_errno(f, rc, file, "taps", keys[i]);
	}
	if (rc == 0)
		put_all(f, &c);
	ta_strv_done(&c.nics);
}

const struct ta_probe ta_probe_taps = {
	.name = "taps",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
