/*
 * Netlink answers: the parser on made bytes, a live question, and its replay.
 */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "host/internal.h"
#include "host/netlink.h"
#include "tests/unit/tree.h"

/* Appends a message with `payload_len` bytes. */
static void add(struct ta_buf *b, uint16_t type, uint16_t flags, uint32_t seq, const void *payload,
	size_t payload_len)
{
	struct nlmsghdr nlh = {
		.nlmsg_len = (uint32_t)(sizeof(nlh) + payload_len),
		.nlmsg_type = type,
		.nlmsg_flags = flags,
		.nlmsg_seq = seq,
	};

	ta_buf_add(b, &nlh, sizeof(nlh));
	ta_buf_add(b, payload, payload_len);
	while (b->len % NLMSG_ALIGNTO)
		ta_buf_addc(b, '\0');
}

static void add_error(struct ta_buf *b, int error)
{
	struct nlmsgerr e = {.error = error};

	add(b, NLMSG_ERROR, 0, 1, &e, sizeof(e));
}

static int count(const struct nlmsghdr *nlh, void *ctx)
{
	unsigned *n = ctx;

	return ++*n == 3 ? -ECANCELED : 0;
}

static void assert_parse(const struct ta_buf *b, size_t len, int rc, unsigned messages)
{
	/* A copy of the exact size, for the sanitizer to watch its end. */
	char *copy = malloc(len ? len : 1);
	unsigned n = 0;

	memcpy(copy, ta_buf_text(b), len);
	assert_int_equal(ta_nl_parse(copy, len, count, &n), rc);
	assert_int_equal(n, messages);
	free(copy);
}

static void test_dump(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	int zero = 0;

	add(&b, RTM_NEWLINK, NLM_F_MULTI, 1, "abcde", 5);
	add(&b, NLMSG_NOOP, NLM_F_MULTI, 1, NULL, 0);
	add(&b, RTM_NEWLINK, NLM_F_MULTI, 1, "ab", 2);
	assert_parse(&b, b.len, -EBADMSG, 2); /* its end is missing */
	add(&b, NLMSG_DONE, NLM_F_MULTI, 1, &zero, sizeof(zero));
	assert_parse(&b, b.len, 0, 2);
	for (size_t cut = 1; cut < b.len; cut++)
		assert_parse(&b, cut, -EBADMSG, cut >= 60 ? 2 : cut >= 24 ? 1 : 0);
	assert_parse(&b, 0, -EBADMSG, 0);
}

static void test_stop(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	for (int i = 0; i < 5; i++)
		add(&b, RTM_NEWLINK, NLM_F_MULTI, 1, NULL, 0);
	assert_parse(&b, b.len, -ECANCELED, 3);
}

static void test_single_answer(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	add(&b, RTM_NEWLINK, 0, 1, "x", 1);
	assert_parse(&b, b.len, 0, 1);
	add_error(&b, 0);
	assert_parse(&b, b.len, 0, 1);
}

static void test_errors(void **state)
{
	static const struct {
		int error, rc;
	} cases[] = {{0, 0}, {-EPERM, -EPERM}, {-4095, -4095}, {-4096, -EBADMSG}, {1, -EBADMSG}, {INT32_MIN, -EBADMSG}};
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	int error = -EOPNOTSUPP;

	for (size_t i = 0; i < TA_ARRAY_SIZE(cases); i++) {
		ta_buf_reset(&b);
		add_error(&b, cases[i].error);
		assert_parse(&b, b.len, cases[i].rc, 0);
	}
	ta_buf_reset(&b);
	add(&b, NLMSG_ERROR, 0, 1, "ab", 2);
	assert_parse(&b, b.len, -EBADMSG, 0);
	ta_buf_reset(&b);
	add(&b, NLMSG_DONE, NLM_F_MULTI, 1, &error, sizeof(error));
	assert_parse(&b, b.len, -EOPNOTSUPP, 0);
	ta_buf_reset(&b);
	add(&b, NLMSG_OVERRUN, 0, 1, NULL, 0);
	assert_parse(&b, b.len, -ENOBUFS, 0);
	ta_buf_reset(&b);
	add(&b, 5, 0, 1, NULL, 0);
	assert_parse(&b, b.len, -EBADMSG, 0);
}

static void test_interrupted(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	add(&b, RTM_NEWLINK, NLM_F_MULTI | NLM_F_DUMP_INTR, 1, NULL, 0);
	add(&b, NLMSG_DONE, NLM_F_MULTI, 1, NULL, 0);
	assert_parse(&b, b.len, -EINTR, 1);
}

/* libmnl 1.0.4 takes 0x80000010 for a negative length. */
static void test_lying_lengths(void **state)
{
	static const uint32_t lengths[] = {0, 1, 15, 17 + 4, 0x7fffffff, 0x80000000, 0x80000010, 0xffffffff};
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	for (size_t i = 0; i < TA_ARRAY_SIZE(lengths); i++) {
		ta_buf_reset(&b);
		add(&b, RTM_NEWLINK, 0, 1, "abcd", 4);
		memcpy(b.data, &lengths[i], 4);
		assert_parse(&b, b.len, -EBADMSG, 0);
	}
}

static void test_scan(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_nl_progress p = {0};
	unsigned n = 0;

	add(&b, RTM_NEWLINK, NLM_F_MULTI, 6, "late", 4);
	add(&b, RTM_NEWLINK, NLM_F_MULTI, 7, "abc", 3);
	add(&b, NLMSG_DONE, NLM_F_MULTI, 6, NULL, 0);
	b.len = ta_nl_scan(b.data, b.len, 7, &p);
	assert_int_equal(b.len, 20);
	assert_false(p.done);
	add(&b, NLMSG_DONE, NLM_F_MULTI | NLM_F_DUMP_INTR, 7, NULL, 0);
	b.len = ta_nl_scan(b.data, b.len, 7, &p);
	assert_true(p.done);
	assert_true(p.interrupted);
	assert_int_equal(ta_nl_parse(b.data, b.len, count, &n), -EINTR);
	assert_int_equal(n, 1);
}

struct link_request {
	struct nlmsghdr nlh;
	struct ifinfomsg ifi;
};

#define LINK_DUMP \
	{ \
		.nlh = {.nlmsg_len = sizeof(struct link_request), .nlmsg_type = RTM_GETLINK, .nlmsg_flags = NLM_F_DUMP}, \
	}

static int find_loopback(const struct nlmsghdr *nlh, void *ctx)
{
	const struct nlattr *attr;
	bool *found = ctx;

	assert_int_equal(nlh->nlmsg_type, RTM_NEWLINK);
	mnl_attr_for_each (attr, nlh, sizeof(struct ifinfomsg))
		if (mnl_attr_get_type(attr) == IFLA_IFNAME && strcmp(mnl_attr_get_str(attr), "lo") == 0)
			*found = true;
	return 0;
}

static void test_live(void **state)
{
	struct link_request dump = LINK_DUMP, one = LINK_DUMP;
	struct ta_host *h = NULL;
	bool found = false;

	assert_int_equal(ta_host_live(&h, NULL), 0);
	assert_int_equal(ta_host_netlink(h, NETLINK_ROUTE, "links", &dump.nlh, find_loopback, &found), 0);
	assert_true(found);
	/* A single answer, its ACK behind it; then an error; then the socket still serves. */
	one.nlh.nlmsg_flags = 0;
	one.ifi.ifi_index = 1;
	found = false;
	assert_int_equal(ta_host_netlink(h, NETLINK_ROUTE, "lo", &one.nlh, find_loopback, &found), 0);
	assert_true(found);
	one.ifi.ifi_index = 0x7ffffff0;
	assert_int_equal(ta_host_netlink(h, NETLINK_ROUTE, "none", &one.nlh, find_loopback, &found), -ENODEV);
	found = false;
	assert_int_equal(ta_host_netlink(h, NETLINK_ROUTE, "links", &dump.nlh, find_loopback, &found), 0);
	assert_true(found);
	assert_int_equal(ta_host_netlink(h, 31, "no such protocol", &dump.nlh, find_loopback, &found),
		-EPROTONOSUPPORT);
	assert_int_equal(ta_host_netlink(h, 32, "x", &dump.nlh, find_loopback, &found), -EINVAL);
	assert_int_equal(ta_host_netlink(h, -1, "x", &dump.nlh, find_loopback, &found), -EINVAL);
	ta_host_free(h);
}

static int count_features(const struct nlmsghdr *nlh, void *ctx)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);

	assert_int_equal(genl->cmd, ETHTOOL_MSG_FEATURES_GET_REPLY);
	++*(unsigned *)ctx;
	return 0;
}

static void test_live_genl(void **state)
{
	const struct ta_genl features = {
		.family = ETHTOOL_GENL_NAME,
		.cmd = ETHTOOL_MSG_FEATURES_GET,
		.version = 1,
		.flags = NLM_F_DUMP,
	};
	const struct ta_genl none = {.family = "nosuchfamily", .cmd = 1};
	struct ta_host *h = NULL;
	unsigned n = 0;
	int rc;

	assert_int_equal(ta_host_live(&h, NULL), 0);
	rc = ta_host_genl(h, "features", &features, count_features, &n);
	assert_true((rc == 0 && n > 0) || rc == -EOPNOTSUPP);
	assert_int_equal(ta_host_operations(h), 2);
	assert_int_equal(ta_host_genl(h, "none", &none, count_features, &n), -EOPNOTSUPP);
	assert_int_equal(ta_host_operations(h), 2); /* the families are known */
	ta_host_free(h);
}

static void test_capture(void **state)
{
	const struct ta_genl features = {.family = ETHTOOL_GENL_NAME, .cmd = ETHTOOL_MSG_FEATURES_GET};
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct link_request dump = LINK_DUMP;
	struct ta_host *h = NULL;
	struct tree t;
	unsigned n = 0;

	assert_int_equal(tree_make(&t), 0);
	add(&b, RTM_NEWLINK, NLM_F_MULTI, 99, "abc", 3);
	add(&b, NLMSG_DONE, NLM_F_MULTI, 99, NULL, 0);
	tree_bytes(&t, "netlink/%2E.%2Fa%20b.bin", b.data, b.len);
	tree_bytes(&t, "netlink/torn.bin", b.data, b.len - 3);
	tree_bytes(&t, "netlink/features.bin", b.data, b.len);
	tree_file(&t, "calls.json", "{\"errors\":{\"netlink\":{\"denied\":\"EPERM\"}}}");
	assert_int_equal(ta_host_capture(t.dir, &h, NULL), 0);
	assert_int_equal(ta_host_netlink(h, NETLINK_ROUTE, "../a b", &dump.nlh, count, &n), 0);
	assert_int_equal(n, 1);
	assert_int_equal(ta_host_netlink(h, NETLINK_ROUTE, "torn", &dump.nlh, count, &n), -EBADMSG);
	assert_int_equal(ta_host_netlink(h, NETLINK_ROUTE, "denied", &dump.nlh, count, &n), -EPERM);
	n = 0;
	assert_int_equal(ta_host_netlink(h, NETLINK_ROUTE, "unknown", &dump.nlh, count, &n), -ENODATA);
	/* Without a record of the families, the key is enough. */
	assert_int_equal(ta_host_genl(h, "features", &features, count, &n), 0);
	assert_int_equal(n, 1);
	ta_host_free(h);
	tree_remove(&t);
}

static void test_ethtool(void **state)
{
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};
	ta_cleanup_buf struct ta_buf key = TA_BUF_INIT;
	uint32_t strings[4] = {ETHTOOL_GSTRINGS, 1, 0, 0};
	struct ta_host *h = NULL;
	char old_data[] = {'x', 'x', 'x', 'x'};

	ta_ethtool_key("eth0", &info, sizeof(info), &key);
	ta_buf_addc(&key, ' ');
	ta_ethtool_key("eth0", strings, sizeof(strings), &key);
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		assert_string_equal(ta_buf_text(&key), "ethtool/eth0/0x00000003 ethtool/eth0/0x0000001b/01");
	assert_int_equal(ta_host_live(&h, NULL), 0);
	assert_int_equal(ta_host_ethtool(h, "nosuchnic0", &info, sizeof(info)), -ENODEV);
	assert_int_equal(ta_host_ethtool(h, "a/../b", &info, sizeof(info)), -EINVAL);
	assert_int_equal(ta_host_ethtool(h, "..", &info, sizeof(info)), -EINVAL);
	assert_int_equal(ta_host_ethtool(h, "", &info, sizeof(info)), -EINVAL);
	assert_int_equal(ta_host_ethtool(h, "a-name-too-long-for-one", &info, sizeof(info)), -EINVAL);
	assert_int_equal(ta_host_ethtool(h, "lo", old_data, 3), -EINVAL);
	assert_int_equal(ta_host_ethtool(h, "lo", &info, sizeof(info)), -EOPNOTSUPP);
	ta_host_free(h);
}

static void test_ethtool_of_a_capture(void **state)
{
	struct {
		uint32_t cmd, a, b;
	} data = {.cmd = 3};
	struct ta_host *h = NULL;
	struct tree t;

	assert_int_equal(tree_make(&t), 0);
	tree_file(&t, "calls.json",
		"{\"calls\":{\"ethtool/e/0x00000003\":{\"rc\":0,\"data\":\"0300000007\"},"
		"\"ethtool/f/0x00000003\":{\"rc\":\"EPERM\"},"
		"\"ethtool/g/0x00000003\":{\"rc\":0,\"data\":\"03000000070000000800000009\"}}}");
	assert_int_equal(ta_host_capture(t.dir, &h, NULL), 0);
	assert_int_equal(ta_host_ethtool(h, "e", &data, sizeof(data)), 0);
	assert_memory_equal(&data.a, "\7\0\0\0\0\0\0\0", 8);
	data.a = 0;
	assert_int_equal(ta_host_ethtool(h, "f", &data, sizeof(data)), -EPERM);
	assert_int_equal(ta_host_ethtool(h, "g", &data, sizeof(data)), -EBADMSG);
	assert_int_equal(ta_host_ethtool(h, "h", &data, sizeof(data)), -ENODATA);
	ta_host_free(h);
	tree_remove(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dump),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_single_answer),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_lying_lengths),
		cmocka_unit_test(test_scan),
		cmocka_unit_test(test_live),
		cmocka_unit_test(test_live_genl),
		cmocka_unit_test(test_capture),
		cmocka_unit_test(test_ethtool),
		cmocka_unit_test(test_ethtool_of_a_capture),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
