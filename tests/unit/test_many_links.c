/*
 * A host of ten thousand interfaces, as its netlink answer: every one is told, time and memory grow with
 * their number and not faster.
 */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "probes.h"

/* Bytes in use on the heap; 0: not told. */
static size_t heap_bytes(void)
{
	size_t bytes = 0;

#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 33)
	struct mallinfo2 m = mallinfo2();

	bytes = m.uordblks + m.hblkhd;
#endif
#endif
	return bytes;
}

extern const struct ta_probe ta_probe_nic, ta_probe_nic_counters, ta_probe_nic_queues, ta_probe_ethtool,
	ta_probe_nic_stats;
extern const struct ta_derivation ta_derive_nic_near, ta_derive_nic_steering, ta_derive_nic_irq;

static const struct ta_probe *const probes[] = {&ta_probe_nic, &ta_probe_nic_counters, &ta_probe_nic_queues,
	&ta_probe_ethtool, &ta_probe_nic_stats, NULL};
static const struct ta_derivation *const derivations[] = {&ta_derive_nic_near, &ta_derive_nic_steering,
	&ta_derive_nic_irq, NULL};

static void add_link(struct ta_buf *b, int index, const char *name, const char *kind, int master, int below)
{
	char room[2048] = {0};
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(room);
	struct ifinfomsg *info = mnl_nlmsg_put_extra_header(nlh, sizeof(*info));
	uint64_t counters[25] = {1, 2};
	struct nlattr *nest;

	nlh->nlmsg_type = RTM_NEWLINK;
	nlh->nlmsg_flags = NLM_F_MULTI;
	info->ifi_index = index;
	info->ifi_type = ARPHRD_ETHER;
	info->ifi_flags = IFF_UP | IFF_RUNNING;
	mnl_attr_put_strz(nlh, IFLA_IFNAME, name);
	mnl_attr_put_u32(nlh, IFLA_MTU, 1500);
	mnl_attr_put_u8(nlh, IFLA_OPERSTATE, 6);
	mnl_attr_put_strz(nlh, IFLA_QDISC, "noqueue");
	mnl_attr_put(nlh, IFLA_STATS64, sizeof(counters), counters);
	mnl_attr_put_u32(nlh, 9999, 7); /* of a kernel to come */
	if (master)
		mnl_attr_put_u32(nlh, IFLA_MASTER, (uint32_t)master);
	if (below)
		mnl_attr_put_u32(nlh, IFLA_LINK, (uint32_t)below);
	if (kind) {
		nest = mnl_attr_nest_start(nlh, IFLA_LINKINFO);
		mnl_attr_put_strz(nlh, IFLA_INFO_KIND, kind);
		mnl_attr_nest_end(nlh, nest);
	} else {
		mnl_attr_put_strz(nlh, 56, "0000:03:00.0"); /* IFLA_PARENT_DEV_NAME */
	}
	ta_buf_add(b, room, nlh->nlmsg_len);
}

/* A card, a bridge with all veths, a VLAN and a macvlan. */
static void write_links(struct tree *t, int n)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct nlmsghdr done = {.nlmsg_len = sizeof(done), .nlmsg_type = NLMSG_DONE, .nlmsg_flags = NLM_F_MULTI};
	char name[16];

	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "veth%d", i);
		add_link(&b, 100 + i, name, "veth", 3, 0);
	}
	add_link(&b, 2, "zeth0", NULL, 0, 0);
	add_link(&b, 3, "zbr0", "bridge", 0, 0);
	add_link(&b, 4, "zeth0.5", "vlan", 0, 2);
	add_link(&b, 5, "zmac0", "macvlan", 0, 2);
	ta_buf_add(&b, &done, sizeof(done));
	tree_bytes(t, "netlink/route%2Flink.bin", b.data, b.len);
}

struct cost {
	double seconds;
	size_t bytes;
};

static struct cost read_host(int n, struct ta_facts **ret)
{
	struct tree t;
	struct timespec start, end;
	size_t before;

	assert_int_equal(tree_make(&t), 0);
	write_links(&t, n);
	before = heap_bytes();
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
	*ret = probe_tree(&t, probes, derivations);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	tree_remove(&t);
	return (struct cost){(double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9,
		heap_bytes() - before};
}

static void all_of_them(void **state)
{
	struct ta_facts *f;

	read_host(10000, &f);
	FACT(f, "true", "nics", "zeth0", "physical");
	assert_int_equal(json_object_object_length(ta_facts_at(f, TA_KEYS("nics"))), 10004);
	FACT(f, "true", "nics", "zeth0", "physical");
	FACT(f, "2", "counters", "nic", "zeth0", "tx_packets");
	assert_int_equal(json_object_array_length(ta_facts_at(f, TA_KEYS("nics", "zbr0", "lower"))), 10000);
	FACT(f, "false", "nics", "veth9999", "physical");
	FACT(f, "\"zbr0\"", "nics", "veth9999", "master");
	FACT(f, "true", "nics", "veth9999", "up");
	FACT(f, "[\"zeth0\"]", "nics", "zeth0.5", "lower");
	FACT(f, "\"vlan\"", "nics", "zeth0.5", "kind");
	FACT(f, "[\"zeth0\"]", "nics", "zmac0", "lower");
	FACT(f, "\"macvlan\"", "nics", "zmac0", "driver");
	/* The first ones are told whole, of the others one reason says why not. */
	FACT(f, "1", "counters", "nic", "veth255", "rx_packets");
	HOLE(f, TA_NOT_ASKED, "counters.nic.veth9999.rx_packets");
	HOLE(f, TA_NOT_ASKED, "nics.veth9999.channels.rx.max");
	HOLE(f, TA_NOT_ASKED, "nics.veth9999.local_cores");
	HOLE(f, TA_NOT_ASKED, "nics.veth9999.irq.vectors");
	ta_facts_free(f);
}

/* Twice as many cost at most 2.5 times as much; and no more than 4 KiB each. */
static void growth(void **state)
{
	struct cost once, twice;
	struct ta_facts *f;

	once = read_host(10000, &f);
	ta_facts_free(f);
	twice = read_host(20000, &f);
	ta_facts_free(f);
	assert_true(twice.seconds < 2.5 * once.seconds + 0.3);
	if (once.bytes) { /* sanitizers and valgrind have a heap of their own */
		assert_true(once.bytes > 1000000);
		assert_true(twice.bytes < 20000u * 4096);
		assert_true(twice.bytes < once.bytes * 5 / 2);
	}
	print_message("%.2f s, %zu MB; twice: %.2f s, %zu MB\n", once.seconds, once.bytes >> 20, twice.seconds,
		twice.bytes >> 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_them),
		cmocka_unit_test(growth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
