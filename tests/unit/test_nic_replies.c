/*
 * Answers that one probe each reads: power saving of a radio, pause frames; right, of another command, too
 * short, of nobody.
 */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "probes.h"

extern const struct ta_probe ta_probe_nic_wifi, ta_probe_pause_counters;

static const struct ta_derivation *const nothing[] = {NULL};

static void end(struct ta_buf *b, int error)
{
	char room[64] = {0};
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(room);

	nlh->nlmsg_type = error ? NLMSG_ERROR : NLMSG_DONE;
	nlh->nlmsg_flags = NLM_F_MULTI;
	memcpy(mnl_nlmsg_put_extra_header(nlh, error ? sizeof(struct nlmsgerr) : 4), &error, sizeof(error));
	ta_buf_add(b, room, nlh->nlmsg_len);
}

static void add_link(struct ta_buf *b, int index, const char *name)
{
	char room[256] = {0};
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(room);
	struct ifinfomsg *info = mnl_nlmsg_put_extra_header(nlh, sizeof(*info));

	nlh->nlmsg_type = RTM_NEWLINK;
	nlh->nlmsg_flags = NLM_F_MULTI;
	info->ifi_index = index;
	info->ifi_type = ARPHRD_ETHER;
	mnl_attr_put_strz(nlh, IFLA_IFNAME, name);
	mnl_attr_put_strz(nlh, 56, "0000:03:00.0"); /* IFLA_PARENT_DEV_NAME */
	ta_buf_add(b, room, nlh->nlmsg_len);
}

static void write_links(struct tree *t)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	add_link(&b, 7, "wlan0");
	add_link(&b, 8, "wlan1");
	add_link(&b, 9, "eth0");
	end(&b, 0);
	tree_bytes(t, "netlink/route%2Flink.bin", b.data, b.len);
	tree_link(t, "sys/class/net/wlan0/phy80211", "../../ieee80211/phy0");
	tree_link(t, "sys/class/net/wlan1/phy80211", "../../ieee80211/phy1");
	tree_file(t, "sys/class/net/eth0/mtu", "1500\n");
}

static struct nlmsghdr *begin(char *room, uint8_t cmd)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(room);
	struct genlmsghdr *genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));

	nlh->nlmsg_type = 40;
	nlh->nlmsg_flags = NLM_F_MULTI;
	genl->cmd = cmd;
	return nlh;
}

/* An answer to the question of wlan0; `bytes` of PS_STATE. */
static struct ta_facts *radio(uint8_t cmd, uint32_t state, size_t bytes, int error)
{
	static const struct ta_probe *const probes[] = {&ta_probe_nic_wifi, NULL};
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	char room[256] = {0};
	struct nlmsghdr *nlh = begin(room, cmd);
	struct ta_facts *f;
	struct tree t;

	mnl_attr_put_u32(nlh, 999, 1);
	mnl_attr_put(nlh, 93, bytes, &state);
	if (!error)
		ta_buf_add(&b, room, nlh->nlmsg_len);
	end(&b, error);
	assert_int_equal(tree_make(&t), 0);
	write_links(&t);
	tree_bytes(&t, "netlink/nl80211%2Fpower-save%2Fwlan0.bin", b.data, b.len);
	f = probe_tree(&t, probes, nothing);
	tree_remove(&t);
	return f;
}

static void power_save(void **state)
{
	struct ta_facts *f = radio(62, 1, 4, 0);

	FACT(f, "true", "nics", "wlan0", "wifi", "power_save");
	HOLE(f, TA_NOT_ASKED, "nics.wlan1.wifi.power_save");
	HOLE(f, TA_UNSUPPORTED, "nics.eth0.wifi.power_save");
	ta_facts_free(f);
	f = radio(62, 0, 4, 0);
	FACT(f, "false", "nics", "wlan0", "wifi", "power_save");
	ta_facts_free(f);
	f = radio(62, 1, 2, 0);
	HOLE(f, TA_MALFORMED, "nics.wlan0.wifi.power_save");
	ta_facts_free(f);
	f = radio(61, 1, 4, 0);
	HOLE(f, TA_MALFORMED, "nics.wlan0.wifi.power_save");
	ta_facts_free(f);
	f = radio(62, 1, 4, -EOPNOTSUPP);
	HOLE(f, TA_UNSUPPORTED, "nics.wlan0.wifi.power_save");
	ta_facts_free(f);
}

static void add_pause(struct ta_buf *b, uint8_t cmd, uint32_t index, size_t bytes)
{
	const uint64_t rx = UINT64_MAX, tx = 5;
	char room[512] = {0};
	struct nlmsghdr *nlh = begin(room, cmd);
	struct nlattr *nest = mnl_attr_nest_start(nlh, 1);

	mnl_attr_put_u32(nlh, 1, index);
	mnl_attr_nest_end(nlh, nest);
	if (bytes) {
		nest = mnl_attr_nest_start(nlh, 5);
		mnl_attr_put(nlh, 2, 8, &tx);
		mnl_attr_put(nlh, 3, bytes, &rx);
		mnl_attr_nest_end(nlh, nest);
	}
	ta_buf_add(b, room, nlh->nlmsg_len);
}

static void pause_frames(void **state)
{
	static const struct ta_probe *const probes[] = {&ta_probe_pause_counters, NULL};
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_facts *f;
	struct tree t;

	add_pause(&b, 22, 9, 8);
	add_pause(&b, 21, 7, 8);          /* the request's number is not the reply's */
	add_pause(&b, 22, 4711, 8);       /* of nobody in the list */
	add_pause(&b, 22, UINT32_MAX, 8);
	add_pause(&b, 22, 8, 3);
	end(&b, 0);
	assert_int_equal(tree_make(&t), 0);
	write_links(&t);
	tree_bytes(&t, "netlink/ethtool%2Fpause-stats.bin", b.data, b.len);
	f = probe_tree(&t, probes, nothing);
	tree_remove(&t);
	FACT(f, "18446744073709551615", "counters", "pause", "eth0", "rx_frames");
	FACT(f, "5", "counters", "pause", "eth0", "tx_frames");
	FACT(f, "5", "counters", "pause", "wlan1", "tx_frames");
	HOLE(f, TA_MALFORMED, "counters.pause.wlan1.rx_frames");
	HOLE(f, TA_UNSUPPORTED, "counters.pause.wlan0.rx_frames");
	assert_int_equal(json_object_object_length(ta_facts_at(f, TA_KEYS("counters", "pause"))), 2);
	ta_facts_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(power_save),
		cmocka_unit_test(pause_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
