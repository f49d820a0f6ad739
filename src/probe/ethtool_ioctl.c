/*
 * ethtool by ioctl, for kernels without the netlink message. Structures as in
 * include/uapi/linux/ethtool.h, seen as 32-bit words; word 0 is the command.
 *
 * These answers do not tell "cannot" from zero as netlink does: a maximum of 0
 * means that there is none (net/ethtool/channels.c, rings.c leave it out too);
 * where even that is missing, a zero stays unknown.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/ethtool.h"
#include "nic/abi.h"
#include "probe/linkmode.h"

#define SPEED_UNKNOWN 0xffffffffu

/* --- plain numbers ------------------------------------------------------------------ */

static void take_rows(enum ta_eth_msg msg, const uint32_t *words, size_t n, struct ta_ethtool *e)
{
	for (size_t i = 0; i < TA_ETH_N_VALUES; i++) {
		const struct ta_eth_row *row = &ta_eth_rows[i];
		uint32_t v;

		if (row->msg != msg || row->word >= n)
			continue;
		v = words[row->word];
		/* Values that have a maximum: channels and rings. */
		if (row->path[2] && words[ta_eth_rows[row->max].word] == 0)
			continue;
		if (v == 0 && row->zero_unsure) {
			e->v[i].rc = -ENOENT;
			continue;
		}
		e->v[i] = (struct ta_val){.v = row->is_bool ? v != 0 : (int64_t)v};
	}
}

static int ask_rows(
	struct ta_host *h, const char *ifname, enum ta_eth_msg msg, struct ta_ethtool *e)
{
	static const uint32_t commands[TA_ETH_N_MSGS] = {
		[TA_ETH_CHANNELS] = TA_ETHTOOL_GCHANNELS,
		[TA_ETH_RINGS] = TA_ETHTOOL_GRINGPARAM,
		[TA_ETH_COALESCE] = TA_ETHTOOL_GCOALESCE,
		[TA_ETH_PAUSE] = TA_ETHTOOL_GPAUSEPARAM,
		[TA_ETH_EEE] = TA_ETHTOOL_GEEE,
	};
	/* cmd and what follows: 8, 8, 22, 3 and 9 words */
	static const size_t n_words[TA_ETH_N_MSGS] = {
		[TA_ETH_CHANNELS] = 9,
		[TA_ETH_RINGS] = 9,
		[TA_ETH_COALESCE] = 23,
		[TA_ETH_PAUSE] = 4,
		[TA_ETH_EEE] = 10,
	};
	uint32_t words[24] = {commands[msg]};
	int rc = ta_host_ethtool(h, ifname, words, n_words[msg] * sizeof(*words));

	if (rc == 0)
		take_rows(msg, words, n_words[msg], e);
	return rc;
}

/* --- link modes ------------------------------------------------------------------------ */

static void take_speed(uint32_t speed, uint32_t duplex, uint32_t autoneg, struct ta_ethtool *e)
{
	e->speed_mbps = (struct ta_val){.v = speed};
	/* The old structure is 32 bits in two halves: unknown is 0xffff there. */
	if (speed == 0 || speed == SPEED_UNKNOWN || speed == 0xffff)
		e->speed_mbps.rc = -EOPNOTSUPP;
	e->duplex = (struct ta_val){.v = duplex, .rc = duplex > 1 ? -EOPNOTSUPP : 0};
	e->autoneg = (struct ta_val){.v = autoneg == 1};
}

static struct ta_val max_mode(const uint32_t *words, size_t n)
{
	int64_t speed = ta_linkmode_max(words, n, NULL, 0);

	return speed ? (struct ta_val){.v = speed} : (struct ta_val){.rc = -EOPNOTSUPP};
}

static void take_modes(const uint32_t *masks, size_t n, struct ta_ethtool *e)
{
	e->supported_max_mbps = max_mode(masks, n);
	e->advertised_max_mbps = max_mode(masks + n, n);
	e->peer_max_mbps = max_mode(masks + 2 * n, n);
}

/* ETHTOOL_GLINKSETTINGS (4.6): the first call tells how many words a mask has, as a negative
 * number. */
static int ask_linksettings(struct ta_host *h, const char *ifname, struct ta_ethtool *e)
{
	enum { HEAD = 48, MAX_WORDS = 127 };
	unsigned char data[HEAD + 3 * MAX_WORDS * 4] = {0};
	uint32_t words[3 * MAX_WORDS], command = TA_ETHTOOL_GLINKSETTINGS, speed;
	signed char n;
	int rc;

	memcpy(data, &command, sizeof(command));
	rc = ta_host_ethtool(h, ifname, data, HEAD);
	n = (signed char)data[15]; /* link_mode_masks_nwords */
	if (rc < 0 || n >= 0 || n == -128)
		return rc < 0 ? rc : -EBADMSG;
	memset(data, 0, sizeof(data));
	memcpy(data, &command, sizeof(command));
	data[15] = (unsigned char)-n;
	rc = ta_host_ethtool(h, ifname, data, HEAD + 3u * 4u * (unsigned)-n);
	if (rc < 0)
		return rc;
	memcpy(&speed, data + 4, sizeof(speed));
	take_speed(speed, data[8], data[11], e);
	memcpy(words, data + HEAD, 3u * 4u * (unsigned)-n);
	take_modes(words, (size_t)-n, e);
	return 0;
}

/* ETHTOOL_GSET of kernels before 4.6: struct ethtool_cmd, 44 bytes. */
static int ask_old_settings(struct ta_host *h, const char *ifname, struct ta_ethtool *e)
{
	unsigned char data[44] = {0};
	uint32_t command = TA_ETHTOOL_GSET, masks[3];
	uint16_t low, high;
	int rc;

	memcpy(data, &command, sizeof(command));
	rc = ta_host_ethtool(h, ifname, data, sizeof(data));
	if (rc < 0)
		return rc;
	memcpy(&masks[0], data + 4, 4);  /* supported */
	memcpy(&masks[1], data + 8, 4);  /* advertising */
	memcpy(&masks[2], data + 32, 4); /* lp_advertising */
	memcpy(&low, data + 12, 2);
	memcpy(&high, data + 28, 2);
	take_speed((uint32_t)high << 16 | low, data[14], data[18], e);
	take_modes(masks, 1, e);
	return 0;
}

static int ask_linkmodes(struct ta_host *h, const char *ifname, struct ta_ethtool *e)
{
	int rc = ask_linksettings(h, ifname, e);

	return rc == -EOPNOTSUPP ? ask_old_settings(h, ifname, e) : rc;
}

static int ask_features(struct ta_host *h, const char *ifname, struct ta_eth_names *names, struct ta_ethtool *e)
{
	return ta_eth_features_ioctl(h, ifname, &names->features, &e->features);
}

static int ask_rss(struct ta_host *h, const char *ifname, struct ta_ethtool *e)
{
	ta_cleanup_nic_rss struct ta_nic_rss rss = TA_NIC_RSS_INIT;
	int rc = ta_nic_rss_ioctl(h, ifname, &rss);

	return rc < 0 ? rc : ta_eth_take_rss(&rss, &e->rss);
}

void ta_eth_ioctl(struct ta_host *h, const char *ifname, enum ta_eth_msg msg,
	struct ta_ethtools *all, struct ta_ethtool *e)
{
	if (msg == TA_ETH_LINKMODES)
		e->rc[msg] = ask_linkmodes(h, ifname, e);
	else if (msg == TA_ETH_FEATURES)
		e->rc[msg] = ask_features(h, ifname, &all->names, e);
	else if (msg == TA_ETH_RSS)
		e->rc[msg] = ask_rss(h, ifname, e);
	else
		e->rc[msg] = ask_rows(h, ifname, msg, e);
}
