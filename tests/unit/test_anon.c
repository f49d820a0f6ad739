/*
 * Other names and addresses, in texts and in bytes, and the way back.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "host/anon.h"

static int setup(void **state)
{
	static struct ta_anon a;

	ta_anon_init(&a, "web1.corp.example");
	*state = &a;
	return 0;
}

static int teardown(void **state)
{
	struct ta_anon *a = *state;
	int error = a->error;

	ta_anon_done(a);
	return error;
}

static void assert_anon(struct ta_anon *a, const char *path, const char *in, const char *out)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	ta_buf_adds(&b, in);
	ta_anon_text(a, path, &b);
	assert_string_equal(ta_buf_text(&b), out);
	assert_int_equal(b.len, strlen(out));
}

static void test_macs(void **state)
{
	struct ta_anon *a = *state;

	assert_anon(a, "/sys/class/net/eth0/address", "3c:ec:ef:01:02:03\n", "02:61:6e:00:00:01\n");
	assert_anon(a, "/sys/class/net/eth1/address", "3C:EC:EF:01:02:04\n", "02:61:6e:00:00:02\n");
	assert_anon(a, "/x", "a 3c:ec:ef:01:02:03: b 3C:EC:EF:01:02:04", "a 02:61:6e:00:00:01: b 02:61:6e:00:00:02");
	assert_anon(a, "/x", "00:00:00:00:00:00 ff:ff:ff:ff:ff:ff 01:00:5e:00:00:01", "00:00:00:00:00:00 ff:ff:ff:ff:ff:ff 01:00:5e:00:00:01");
	/* InfiniBand: twenty bytes, the last are the port's. */
	assert_anon(a, "/sys/class/net/ib0/address",
		"80:00:02:08:fe:80:00:00:00:00:00:00:00:02:c9:03:00:a1:b2:c3\n",
		"80:00:02:08:fe:80:00:00:00:00:00:00:00:02:c9:61:6e:00:00:03\n");
	/* No addresses. */
	assert_anon(a, "/x", "0000:3c:00.0 12:34:56 3c:ec:ef:01:02 3c:ec:ef:01:02:033 a:b", "0000:3c:00.0 12:34:56 3c:ec:ef:01:02 3c:ec:ef:01:02:033 a:b");
	assert_anon(a, "/x", "", "");
}

static void test_interface_names(void **state)
{
	struct ta_anon *a = *state;
	char path[] = "/sys/class/net/enx02616e000001/mtu";

	assert_anon(a, NULL, "enx3cecef010203", "enx02616e000001");
	assert_anon(a, "/x/address", "3c:ec:ef:01:02:03", "02:61:6e:00:00:01");
	assert_anon(a, NULL, "../../devices/usb1/net/enx3cecef010203", "../../devices/usb1/net/enx02616e000001");
	assert_anon(a, NULL, "eth0", "eth0");
	assert_anon(a, NULL, "enp3s0", "enp3s0");
	assert_anon(a, NULL, "wlx3cecef010204", "wlx02616e000002");
	ta_anon_reveal(a, path, strlen(path));
	assert_string_equal(path, "/sys/class/net/enx3cecef010203/mtu");
	/* A name that nobody was given stays. */
	memcpy(path, "/sys/class/net/enx02616e000009/mtu", sizeof(path));
	ta_anon_reveal(a, path, strlen(path));
	assert_string_equal(path, "/sys/class/net/enx02616e000009/mtu");
}

static void test_host_name(void **state)
{
	struct ta_anon *a = *state, b = {0};
	char uts[65 * 2] = "Linux";

	assert_anon(a, "/proc/sys/kernel/hostname", "web1.corp.example\n", "anon.osta.onhosta\n");
	assert_anon(a, "/proc/sys/kernel/domainname", "(none)\n", "(none)\n");
	assert_anon(a, "/x", "web1 web10 xweb1 web1-a (web1)", "anon web10 xweb1 web1-a (anon)");
	memcpy(uts + 65, "web1.corp.example", 18);
	ta_anon_bytes(a, uts, sizeof(uts));
	assert_string_equal(uts, "Linux");
	assert_string_equal(uts + 65, "anon.osta.onhosta");
	ta_anon_init(&b, "vm");
	assert_anon(&b, "/x", "vm.swappiness = 1", "vm.swappiness = 1");
	assert_anon(&b, "/proc/sys/kernel/hostname", "vm\n", "an\n");
	ta_anon_done(&b);
	ta_anon_init(&b, "localhost");
	assert_anon(&b, "/proc/sys/kernel/hostname", "localhost\n", "localhost\n");
	assert_anon(&b, "/x", "localhost", "localhost");
	ta_anon_done(&b);
}

static void test_serials(void **state)
{
	struct ta_anon *a = *state;

	assert_anon(a, "/sys/class/dmi/id/product_serial", "ABC123\n", "anon-1\n");
	assert_anon(a, "/sys/class/nvme/nvme0/serial", "S4X   \n", "anon-2\n");
	assert_anon(a, "/sys/class/dmi/id/board_serial", "ABC123\n", "anon-1\n");
	assert_anon(a, "/sys/block/sda/device/wwid", "naa.5000\n", "anon-3\n");
	assert_anon(a, "/sys/class/dmi/id/product_uuid", "\n", "");
	assert_anon(a, "/sys/class/nvme/nvme0/model", "Samsung 970\n", "Samsung 970\n");
}

static void test_socket_tables(void **state)
{
	struct ta_anon *a = *state;
	uint8_t real[16], fake[16];
	bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

	if (!little)
		skip();
	assert_anon(a, "/proc/net/tcp",
		"   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000\n   1: 0A01A8C0:0016 6401A8C0:C001 01\n",
		"   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000\n   1: 010012C6:0016 020012C6:C001 01\n");
	assert_anon(a, "/proc/1/net/udp6",
		"B80D0120000000000000000005000000:0035 00000000000000000000000001000000:0000\n",
		"B80D0120000000000000000001000000:0035 00000000000000000000000001000000:0000\n");
	/* A mapped address is the same one. */
	assert_anon(a, "/proc/net/tcp6", "0000000000000000FFFF00000A01A8C0:0016", "0000000000000000FFFF0000010012C6:0016");
	inet_pton(AF_INET, "192.168.1.10", real);
	ta_anon_address(a, real, 4, fake);
	assert_int_equal(inet_pton(AF_INET, "198.18.0.1", real), 1);
	assert_memory_equal(fake, real, 4);
	assert_anon(a, "/proc/net/netstat", "0A01A8C0:0016", "0A01A8C0:0016");
	assert_anon(a, "/proc/mounts", "192.168.1.10:/x /mnt nfs rw,addr=192.168.1.10,vers=4.2 1.2.3.4.5 256.1.1.1\n",
		"198.18.0.1:/x /mnt nfs rw,addr=198.18.0.1,vers=4.2 1.2.3.4.5 256.1.1.1\n");
	assert_true(ta_anon_refuses("/proc/net/arp"));
	assert_true(ta_anon_refuses("/proc/self/net/route"));
	assert_false(ta_anon_refuses("/proc/net/tcp"));
	assert_false(ta_anon_refuses("/proc/net/stat/nf_conntrack"));
	assert_false(ta_anon_refuses("/sys/class/net/arp"));
}

/* Room for a message and its attributes. */
static struct nlmsghdr *message(char *buf, uint16_t type, size_t header)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);

	nlh->nlmsg_type = type;
	mnl_nlmsg_put_extra_header(nlh, header);
	return nlh;
}

static void test_links(void **state)
{
	static const uint8_t mac[6] = {0x3c, 0xec, 0xef, 1, 2, 3}, ones[6] = {255, 255, 255, 255, 255, 255};
	static const uint8_t fake[6] = {2, 'a', 'n', 0, 0, 1}, second[6] = {2, 'a', 'n', 0, 0, 2};
	struct ifla_vf_mac vf = {.vf = 1, .mac = {0x3c, 0xec, 0xef, 9, 9, 9}};
	_Alignas(8) char buf[512] = {0};
	struct ta_anon *a = *state;
	struct nlmsghdr *nlh = message(buf, RTM_NEWLINK, sizeof(struct ifinfomsg));
	struct nlattr *list, *info, *attr;
	unsigned seen = 0;

	mnl_attr_put_strz(nlh, IFLA_IFNAME, "enx3cecef010203");
	mnl_attr_put(nlh, IFLA_ADDRESS, 6, mac);
	mnl_attr_put(nlh, IFLA_BROADCAST, 6, ones);
	list = mnl_attr_nest_start(nlh, IFLA_VFINFO_LIST);
	info = mnl_attr_nest_start(nlh, IFLA_VF_INFO);
	mnl_attr_put(nlh, IFLA_VF_MAC, sizeof(vf), &vf);
	mnl_attr_nest_end(nlh, info);
	mnl_attr_nest_end(nlh, list);
	mnl_attr_put(nlh, 4000, 6, mac); /* somewhere unknown */
	ta_anon_netlink(a, NETLINK_ROUTE, buf, nlh->nlmsg_len);
	mnl_attr_for_each (attr, nlh, sizeof(struct ifinfomsg)) {
		seen++;
		switch (mnl_attr_get_type(attr)) {
		case IFLA_IFNAME:
			assert_string_equal(mnl_attr_get_str(attr), "enx02616e000001");
			break;
		case IFLA_BROADCAST:
			assert_memory_equal(mnl_attr_get_payload(attr), ones, 6);
			break;
		case IFLA_VFINFO_LIST:
			info = mnl_attr_get_payload(attr);
			attr = mnl_attr_get_payload(info);
			assert_memory_equal(((struct ifla_vf_mac *)mnl_attr_get_payload(attr))->mac, second, 6);
			attr = list;
			break;
		default:
			assert_memory_equal(mnl_attr_get_payload(attr), fake, 6);
		}
	}
	assert_int_equal(seen, 5);
}

static void test_sockets(void **state)
{
	_Alignas(8) char buf[256] = {0};
	struct ta_anon *a = *state;
	struct nlmsghdr *nlh = message(buf, SOCK_DIAG_BY_FAMILY, sizeof(struct inet_diag_msg));
	struct inet_diag_msg *m = mnl_nlmsg_get_payload(nlh);
	char text[64];

	m->idiag_family = AF_INET;
	inet_pton(AF_INET, "192.168.1.10", m->id.idiag_src);
	inet_pton(AF_INET, "127.0.0.1", m->id.idiag_dst);
	ta_anon_netlink(a, NETLINK_SOCK_DIAG, buf, nlh->nlmsg_len);
	assert_string_equal(inet_ntop(AF_INET, m->id.idiag_src, text, sizeof(text)), "198.18.0.1");
	assert_string_equal(inet_ntop(AF_INET, m->id.idiag_dst, text, sizeof(text)), "127.0.0.1");
	m->idiag_family = AF_INET6;
	inet_pton(AF_INET6, "::ffff:192.168.1.10", m->id.idiag_src);
	inet_pton(AF_INET6, "fe80::3eec:efff:fe01:203", m->id.idiag_dst);
	ta_anon_netlink(a, NETLINK_SOCK_DIAG, buf, nlh->nlmsg_len);
	assert_string_equal(inet_ntop(AF_INET6, m->id.idiag_src, text, sizeof(text)), "::ffff:198.18.0.1");
	assert_string_equal(inet_ntop(AF_INET6, m->id.idiag_dst, text, sizeof(text)), "2001:db8::1");
	/* Too short for its addresses: left alone, nothing read behind it. */
	nlh->nlmsg_len = sizeof(*nlh) + 8;
	ta_anon_netlink(a, NETLINK_SOCK_DIAG, buf, nlh->nlmsg_len);
}

static void test_perm_address(void **state)
{
	static const uint8_t fake[6] = {2, 'a', 'n', 0, 0, 1};
	struct { /* struct ethtool_perm_addr with its data */
		uint32_t cmd, size;
		uint8_t mac[8];
	} perm = {.cmd = ETHTOOL_GPERMADDR, .size = 6, .mac = {0x3c, 0xec, 0xef, 1, 2, 3}};

	ta_anon_ethtool(*state, &perm, sizeof(perm));
	assert_memory_equal(perm.mac, fake, 6);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_macs),
		TEST(test_interface_names),
		TEST(test_host_name),
		TEST(test_serials),
		TEST(test_socket_tables),
		TEST(test_links),
		TEST(test_sockets),
		TEST(test_perm_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
