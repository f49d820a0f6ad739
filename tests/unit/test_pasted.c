/* Outputs of ip, nstat, netstat and sysctl, of several ages and shapes, as stand-ins in captures. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "host/sysctltext.h"
#include "probe/counttext.h"
#include "probe/iptext.h"
#include "probe/kvline.h"
#include "tests/unit/probes.h"

/* --- lines ---------------------------------------------------------------------- */

static void lines_are_trimmed(void **state)
{
	static const char text[] = "\n \t RX:\t\t1\n\r\nCombined:\xc2\xa0 \xc2\xa0 8\xc2\xa0\r\n  no colon here  \nlast: a: b";
	const char *at = text, *end = text + strlen(text);
	struct ta_kvline l;

	assert_true(ta_kvline_next(&at, end, &l));
	assert_string_equal(l.key, "RX");
	assert_string_equal(l.value, "1");
	assert_int_equal(l.indent, 3);
	assert_true(ta_kvline_next(&at, end, &l));
	assert_string_equal(l.key, "Combined");
	assert_string_equal(l.value, "8");
	assert_int_equal(l.indent, 0);
	assert_true(ta_kvline_next(&at, end, &l));
	assert_string_equal(l.key, "no colon here");
	assert_string_equal(l.value, "");
	assert_int_equal(l.raw_len, strlen("no colon here"));
	assert_true(ta_kvline_next(&at, end, &l));
	assert_string_equal(l.key, "last");
	assert_string_equal(l.value, "a: b");
	assert_false(ta_kvline_next(&at, end, &l));
}

static void long_lines_are_cut(void **state)
{
	char text[2000];
	const char *at = text;
	struct ta_kvline l;

	memset(text, 'x', sizeof(text));
	text[1000] = ':';
	assert_true(ta_kvline_next(&at, text + sizeof(text), &l));
	assert_int_equal(strlen(l.key), sizeof(l.key) - 1);
	assert_int_equal(strlen(l.value), sizeof(l.value) - 1);
	assert_int_equal(l.raw_len, sizeof(text));
}

/* --- ip -------------------------------------------------------------------------------- */

static const char ip_text[] =
	"1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN mode DEFAULT group default qlen 1000\n"
	"    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00 promiscuity 0 minmtu 0 maxmtu 0 \n"
	"4: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1400 qdisc mq master br0 state UP mode DEFAULT group default qlen 500\n"
	"    link/ether 02:fc:00:00:00:01 brd ff:ff:ff:ff:ff:ff promiscuity 0 parentbus virtio parentdev virtio2 \n"
	"    bridge_slave state forwarding priority 32 \n"
	"    RX:  bytes packets errors dropped  missed   mcast           \n"
	"     950014382   20217      1       2       3       0 \n"
	"    TX:  bytes packets errors dropped carrier collsns           \n"
	"        773623   10468      0       0       4       5 \n"
	"9: br0: <NO-CARRIER,BROADCAST,MULTICAST,UP> mtu 1500 qdisc noqueue state DOWN mode DEFAULT group default qlen 1000\n"
	"    link/ether 02:fc:00:00:00:02 brd ff:ff:ff:ff:ff:ff promiscuity 0 \n"
	"    bridge forward_delay 1500 \n"
	"12: eth0.7@eth0: <BROADCAST,MULTICAST> mtu 1400 qdisc noop state DOWN mode DEFAULT group default qlen 1000\n"
	"    link/ether 02:fc:00:00:00:01 brd ff:ff:ff:ff:ff:ff promiscuity 0 \n"
	"    vlan protocol 802.1Q id 7 <REORDER_HDR> \n"
	"13: v0@if2: <BROADCAST> mtu 1500 qdisc noop state DOWN\n    link/ether 02:fc:00:00:00:03 brd ff:ff:ff:ff:ff:ff link-netnsid 0\n    veth \n";

static const struct ta_link *link_named(const struct ta_links *links, const char *name)
{
	for (size_t i = 0; i < links->n; i++)
		if (strcmp(links->v[i].name, name) == 0)
			return &links->v[i];
	fail_msg("no link %s", name);
	return NULL;
}

static void ip_links(void **state)
{
	ta_cleanup_links struct ta_links links = TA_LINKS_INIT;
	const struct ta_link *l;

	assert_int_equal(ta_iptext_parse(ip_text, strlen(ip_text), &links), 0);
	assert_int_equal(links.n, 5);
	l = link_named(&links, "eth0");
	assert_int_equal(l->ifindex.v, 4);
	assert_int_equal(l->mtu.v, 1400);
	assert_int_equal(l->txqueuelen.v, 500);
	assert_string_equal(l->qdisc, "mq");
	assert_string_equal(l->kind, "");
	assert_string_equal(l->parent, "virtio2");
	assert_int_equal(l->master, 9);
	assert_int_equal(l->operstate.v, 6);
	assert_int_equal(l->counters[TA_LINK_RX_BYTES].v, 950014382);
	assert_int_equal(l->counters[TA_LINK_RX_MISSED_ERRORS].v, 3);
	assert_int_equal(l->counters[TA_LINK_TX_CARRIER_ERRORS].v, 4);
	assert_int_equal(l->counters[TA_LINK_COLLISIONS].v, 5);
	assert_int_equal(l->counters[TA_LINK_RX_CRC_ERRORS].rc, -ENOENT);
	l = link_named(&links, "eth0.7");
	assert_string_equal(l->kind, "vlan");
	assert_int_equal(l->lower, 4);
	assert_int_equal(l->counters[TA_LINK_RX_BYTES].rc, -ENOENT);
	l = link_named(&links, "br0");
	assert_string_equal(l->kind, "bridge");
	assert_int_equal(l->operstate.v, 2);
	l = link_named(&links, "v0");
	assert_string_equal(l->kind, "veth");
	assert_int_equal(l->lower, 0);
}

static void ip_of_other_forms(void **state)
{
	static const char one_line[] = "2: eth0: <BROADCAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP mode DEFAULT qlen 1000\\    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff\n";
	static const char addresses[] = "2: eth0    inet 192.0.2.1/24 brd 192.0.2.255 scope global eth0\n";
	ta_cleanup_links struct ta_links links = TA_LINKS_INIT;

	assert_int_equal(ta_iptext_parse(one_line, strlen(one_line), &links), 0);
	assert_int_equal(links.n, 1);
	assert_int_equal(links.v[0].type.v, 1);
	ta_links_done(&links);
	assert_int_equal(ta_iptext_parse(addresses, strlen(addresses), &links), -EBADMSG);
	assert_int_equal(ta_iptext_parse("", 0, &links), -EBADMSG);
}

/* --- counters ---------------------------------------------------------------------------- */

static void note_mib(const struct ta_mib *m, void *ctx)
{
	char *out = ctx;
	size_t at = strlen(out);

	snprintf(out + at, 2000 - at, " %.*s.%.*s=%llu", (int)m->group_len, m->group, (int)m->name_len, m->name,
		(unsigned long long)m->value);
}

static void nstat(void **state)
{
	static const char text[] = "#kernel\nIpInReceives                    7                  0.0\nUdpLite6OutDatagrams 1 0.0\nUdp6InErrors 2 0.0\n"
		"TcpExtTCPTimeouts 3 0.0\nTcpOutSegs 4 0.0\nIcmpMsgInType3 5 0.0\nOther 6 0.0\nTcpExt 7 0.0\n";
	char out[2000] = "";

	assert_int_equal(ta_nstat_each(text, strlen(text), note_mib, out), 0);
	assert_string_equal(out, " Ip.InReceives=7 UdpLite6.OutDatagrams=1 Udp6.InErrors=2 TcpExt.TCPTimeouts=3 Tcp.OutSegs=4 IcmpMsg.InType3=5");
	assert_int_equal(ta_nstat_each("#kernel\n", 8, note_mib, out), -EBADMSG);
}

static void netstat_of_two_ages(void **state)
{
	static const char text[] = "Ip:\n    105 forwarded\nTcp:\n    1648 active connections openings\n    4 segments send out\n    428 segments retransmited\n"
		"    0 bad segments received.\nUdp:\n    4901 packets received\nTcpExt:\n    9 times the listen queue of a socket overflowed\n"
		"    8 SYNs to LISTEN sockets dropped\n    TCP ran low on memory 3 times\n    TCPTimeWaitOverflow: 27360\n";
	char out[2000] = "";

	assert_int_equal(ta_netstat_each(text, strlen(text), note_mib, out), 0);
	assert_string_equal(out, " Ip.ForwDatagrams=105 Tcp.ActiveOpens=1648 Tcp.OutSegs=4 Tcp.RetransSegs=428 Tcp.InErrs=0 Udp.InDatagrams=4901"
		" TcpExt.ListenOverflows=9 TcpExt.ListenDrops=8 TcpExt.TCPMemoryPressures=3 TcpExt.TCPTimeWaitOverflow=27360");
}

/* What netstat leaves out is 0, but only of a group that is there to its end. */
static void netstat_zeros(void **state)
{
	static const char whole[] = "TcpExt:\n    1 fast retransmits\nIpExt:\n    InOctets: 5\n", cut[] = "TcpExt:\n    1 fast retransmits\n";
	char out[2000] = "";

	assert_int_equal(ta_netstat_each(whole, strlen(whole), note_mib, out), 0);
	assert_non_null(strstr(out, " TcpExt.ListenOverflows=0"));
	assert_non_null(strstr(out, " TcpExt.TCPFastRetrans=1"));
	assert_null(strstr(out, " TcpExt.TCPFastRetrans=0"));
	out[0] = '\0';
	assert_int_equal(ta_netstat_each(cut, strlen(cut), note_mib, out), 0);
	assert_string_equal(out, " TcpExt.TCPFastRetrans=1");
}

/* --- sysctl ------------------------------------------------------------------------------- */

static void sysctl_lines(void **state)
{
	static const char text[] = "sysctl: permission denied on key 'fs.protected_fifos'\nnet.ipv4.tcp_rmem = 4096\t131072\t6291456\n"
		"kernel.domainname = (none)\nnet.ipv4.conf.eth0/7.rp_filter = 2\nnet.core.message_cost =\nerror: \"x\" = y z\nvm.swappiness = 60";
	ta_cleanup_buf struct ta_buf in = TA_BUF_INIT, out = TA_BUF_INIT;
	struct ta_sysctl_text s = {0};

	ta_buf_adds(&in, text);
	assert_int_equal(ta_sysctl_text_parse(&in, &s), 0);
	assert_int_equal(s.n, 5);
	assert_int_equal(ta_sysctl_text_get(&s, "/proc/sys/net/ipv4/tcp_rmem", &out), 0);
	assert_string_equal(ta_buf_text(&out), "4096\t131072\t6291456\n");
	assert_int_equal(ta_sysctl_text_get(&s, "/proc/sys/net/ipv4/conf/eth0.7/rp_filter", &out), 0);
	assert_string_equal(ta_buf_text(&out), "2\n");
	assert_int_equal(ta_sysctl_text_get(&s, "/proc/sys/net/core/message_cost", &out), 0);
	assert_string_equal(ta_buf_text(&out), "\n");
	assert_int_equal(ta_sysctl_text_get(&s, "/proc/sys/vm/swappiness", &out), 0);
	assert_int_equal(ta_sysctl_text_get(&s, "/proc/sys/vm", &out), -ENOENT);
	assert_int_equal(ta_sysctl_text_get(&s, "/proc/system/vm/swappiness", &out), -ENOENT);
	assert_true(ta_sysctl_text_has(&s, "/proc/sys"));
	assert_true(ta_sysctl_text_has(&s, "/proc/sys/net/ipv4"));
	assert_true(ta_sysctl_text_has(&s, "/proc/sys/net/ipv4/tcp_rmem"));
	assert_false(ta_sysctl_text_has(&s, "/proc/sys/net/ipv6"));
	assert_false(ta_sysctl_text_has(&s, "/proc/sysrq-trigger"));
	ta_sysctl_text_done(&s);
}

/* --- in a capture ---------------------------------------------------------------------------- */

extern const struct ta_probe ta_probe_nic, ta_probe_ethtool, ta_probe_counters, ta_probe_sysctl;

static void a_report_stands_for_a_host(void **state)
{
	static const struct ta_probe *const probes[] = {&ta_probe_nic, &ta_probe_ethtool, &ta_probe_counters, &ta_probe_sysctl, NULL};
	static const struct ta_derivation *const none[] = {NULL};
	struct tree t;
	struct ta_facts *f;

	assert_int_equal(tree_make(&t), 0);
	tree_file(&t, "sos_commands/networking/ip_-s_-d_link", ip_text);
	tree_file(&t, "sos_commands/networking/ethtool_-i_eth0", "driver: virtio_net\nbus-info: 0000:00:03.0\n");
	tree_file(&t, "sos_commands/networking/ethtool_-g_eth0", "Pre-set maximums:\nRX: 1024\nCurrent hardware settings:\nRX: 256\n");
	tree_file(&t, "sos_commands/networking/ethtool_-g_br0", "netlink error: Operation not supported\n");
	tree_file(&t, "sos_commands/networking/netstat_-s", "TcpExt:\n    TCPTimeWaitOverflow: 9\n");
	tree_file(&t, "sos_commands/kernel/sysctl_-a", "net.core.somaxconn = 128\n");
	tree_file(&t, "proc/sys/net/ipv4/tcp_fin_timeout", "60\n");
	f = probe_tree(&t, probes, none);
	FACT(f, "\"virtio_net\"", "nics", "eth0", "driver");
	FACT(f, "\"0000:00:03.0\"", "nics", "eth0", "bus");
	FACT(f, "true", "nics", "eth0", "physical");
	FACT(f, "true", "nics", "eth0", "up");
	FACT(f, "\"br0\"", "nics", "eth0", "master");
	FACT(f, "256", "nics", "eth0", "rings", "rx", "current");
	HOLE(f, TA_NOT_ASKED, "nics.eth0.rings.tx.current");
	HOLE(f, TA_NOT_ASKED, "nics.eth0.channels");
	HOLE(f, TA_UNSUPPORTED, "nics.br0.rings");
	FACT(f, "\"vlan\"", "nics", "eth0.7", "kind");
	FACT(f, "9", "counters", "tcpext", "TCPTimeWaitOverflow");
	FACT(f, "128", "sysctl", "net.core.somaxconn");
	FACT(f, "60", "sysctl", "net.ipv4.tcp_fin_timeout");
	ta_facts_free(f);
	tree_remove(&t);
}

/* Without a list of interfaces, those are known that ethtool was asked about. */
static void names_from_ethtool(void **state)
{
	static const struct ta_probe *const probes[] = {&ta_probe_nic, &ta_probe_ethtool, NULL};
	static const struct ta_derivation *const none[] = {NULL};
	struct tree t;
	struct ta_facts *f;

	assert_int_equal(tree_make(&t), 0);
	tree_file(&t, "extra/ethtool-i/ens3", "driver: virtio_net\nbus-info: 0000:00:03.0\n");
	tree_file(&t, "extra/ethtool-i/flannel.1", "driver: vxlan\nbus-info: \n");
	tree_file(&t, "extra/ethtool/eth9", "Settings for eth9:\n\tSpeed: 100Mb/s\n\tLink detected: yes\n");
	tree_file(&t, "extra/ethtool_--show-eee_my_nic", "EEE settings for my_nic:\n\tEEE status: enabled - active\n");
	tree_file(&t, "extra/ethtool-l/ens3", "Pre-set maximums:\nCombined: 4\nCurrent hardware settings:\nCombined: 1\n");
	f = probe_tree(&t, probes, none);
	FACT(f, "true", "nics", "ens3", "physical");
	FACT(f, "4", "nics", "ens3", "channels", "combined", "max");
	FACT(f, "false", "nics", "flannel.1", "physical");
	FACT(f, "\"vxlan\"", "nics", "flannel.1", "driver");
	FACT(f, "100", "nics", "eth9", "speed_mbps");
	FACT(f, "true", "nics", "my_nic", "eee", "active");
	HOLE(f, TA_MISSING, "nics.ens3.up");
	HOLE(f, TA_NOT_ASKED, "nics.ens3.master");
	HOLE(f, TA_NOT_ASKED, "nics.ens3.lower");
	ta_facts_free(f);
	tree_remove(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_trimmed),
		cmocka_unit_test(long_lines_are_cut),
		cmocka_unit_test(ip_links),
		cmocka_unit_test(ip_of_other_forms),
		cmocka_unit_test(nstat),
		cmocka_unit_test(netstat_of_two_ages),
		cmocka_unit_test(netstat_zeros),
		cmocka_unit_test(sysctl_lines),
		cmocka_unit_test(a_report_stands_for_a_host),
		cmocka_unit_test(names_from_ethtool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
