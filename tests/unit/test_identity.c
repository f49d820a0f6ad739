/* Which interface is meant when names have moved: by the address of its device and its MAC. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include "fix/identity.h"
#include "nic/link.h"
#include "tree.h"

struct nic {
	const char *name, *parent;
	unsigned char mac, permanent; /* last byte of 52:54:00:12:34:XX; 0: none */
};

static char buffer[16384];
static size_t used;

static struct nlmsghdr *put_link(int index, const struct nic *nic)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer + used);
	struct ifinfomsg *info = mnl_nlmsg_put_extra_header(nlh, sizeof(*info));
	unsigned char mac[6] = {0x52, 0x54, 0, 0x12, 0x34, nic->mac};

	nlh->nlmsg_type = RTM_NEWLINK;
	nlh->nlmsg_flags = NLM_F_MULTI;
	info->ifi_index = index;
	mnl_attr_put_strz(nlh, IFLA_IFNAME, nic->name);
	if (nic->mac)
		mnl_attr_put(nlh, IFLA_ADDRESS, 6, mac);
	mac[5] = nic->permanent;
	if (nic->permanent)
		mnl_attr_put(nlh, 54, 6, mac);
	if (nic->parent)
		mnl_attr_put_strz(nlh, 56, nic->parent);
	used += NLMSG_ALIGN(nlh->nlmsg_len);
	return nlh;
}

static struct ta_host *host_of(struct tree *t, const struct nic *nics, size_t n)
{
	struct ta_host *h = NULL;
	struct nlmsghdr *nlh;

	memset(buffer, 0, sizeof(buffer));
	used = 0;
	for (size_t i = 0; i < n; i++)
		put_link((int)i + 1, &nics[i]);
	nlh = mnl_nlmsg_put_header(buffer + used);
	nlh->nlmsg_type = NLMSG_DONE;
	nlh->nlmsg_flags = NLM_F_MULTI;
	mnl_nlmsg_put_extra_header(nlh, sizeof(int));
	used += nlh->nlmsg_len;
	assert_int_equal(tree_make(t), 0);
	tree_bytes(t, "netlink/route%2Flink.bin", buffer, used);
	assert_int_equal(ta_host_capture(t->dir, &h, NULL), 0);
	return h;
}

/* What find() says, the name or the error's text. */
static const char *find(const struct nic *nics, size_t n, const char *identity, const char *was, int *rc)
{
	static char said[512];
	ta_cleanup_buf struct ta_buf name = TA_BUF_INIT;
	struct ta_err err = {0};
	struct tree t;
	struct ta_host *h = host_of(&t, nics, n);

	*rc = ta_identity_find(h, identity, was, &name, &err);
	snprintf(said, sizeof(said), "%s", *rc < 0 ? err.text : ta_buf_text(&name));
	ta_host_free(h);
	tree_remove(&t);
	return said;
}

static void identity_is(const struct nic *nics, size_t n, const char *ifname, int want, const char *identity)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_err err = {0};
	struct tree t;
	struct ta_host *h = host_of(&t, nics, n);

	assert_int_equal(ta_identity_read(h, ifname, &b, &err), want);
	assert_string_equal(ta_buf_text(&b), identity);
	assert_true((want < 0) == (err.text[0] != '\0'));
	ta_host_free(h);
	tree_remove(&t);
}

static const struct nic before[] = {
	{"lo", NULL, 0, 0},
	{"eth0", "0000:01:00.0", 0x56, 0x56},
	{"$(id)", "virtio0", 0x57, 0},
	{"veth1", NULL, 0x58, 0},
};

static void reads(void **state)
{
	static const struct nic bonded[] = {{"eth0", "0000:01:00.0", 0x99, 0x56}, {"eth1", "a b", 0x99, 0}};

	identity_is(before, 4, "eth0", 0, "0000:01:00.0 52:54:00:12:34:56");
	identity_is(before, 4, "$(id)", 0, "virtio0 52:54:00:12:34:57");
	identity_is(before, 4, "veth1", 0, "- 52:54:00:12:34:58");
	identity_is(before, 4, "lo", -ENODATA, "");
	identity_is(before, 4, "eth9", -ENODEV, "");
	identity_is(before, 4, "a/b", -EINVAL, "");
	/* A bond gives its members its own address; the one that they were made with stays. */
	identity_is(bonded, 2, "eth0", 0, "0000:01:00.0 52:54:00:12:34:56");
	identity_is(bonded, 2, "eth1", 0, "a_b 52:54:00:12:34:99");
}

static void finds(void **state)
{
	static const struct nic renamed[] = {{"eth0", "0000:02:00.0", 0x77, 0}, {"lan0", "0000:01:00.0", 0x56, 0x56}};
	static const struct nic swapped[] = {{"eth0", "0000:01:00.0", 0x77, 0x77}};
	static const struct nic twins[] = {{"v1", NULL, 0x58, 0}, {"v2", NULL, 0x58, 0}};
	int rc;

	assert_string_equal(find(before, 4, "0000:01:00.0 52:54:00:12:34:56", "eth0", &rc), "eth0");
	assert_string_equal(find(renamed, 2, "0000:01:00.0 52:54:00:12:34:56", "eth0", &rc), "lan0");
	assert_string_equal(find(swapped, 1, "0000:01:00.0 52:54:00:12:34:56", "eth0", &rc),
		"eth0 (0000:01:00.0, 52:54:00:12:34:56) is gone; in its place is eth0 (52:54:00:12:34:77)");
	assert_int_equal(rc, -ENODEV);
	assert_string_equal(find(renamed, 1, "0000:01:00.0 52:54:00:12:34:56", "eth0", &rc),
		"eth0 (0000:01:00.0, 52:54:00:12:34:56) is gone; another interface has its name (0000:02:00.0, "
		"52:54:00:12:34:77)");
	assert_string_equal(find(before, 1, "0000:01:00.0 52:54:00:12:34:56", "eth0", &rc),
		"eth0 (0000:01:00.0, 52:54:00:12:34:56) is gone");
	assert_int_equal(rc, -ENODEV);
	/* VLANs share the address of the interface below: then the name decides, or nobody. */
	assert_string_equal(find(twins, 2, "- 52:54:00:12:34:58", "v2", &rc), "v2");
	find(twins, 2, "- 52:54:00:12:34:58", "v3", &rc);
	assert_int_equal(rc, -ENODEV);
	assert_string_equal(find(twins, 1, "- 52:54:00:12:34:58", "v3", &rc), "v1");
}

static void refuses(void **state)
{
	static const char *const wrong[] = {"", "eth0", " ", "a ", " b", "a b c"};
	int rc;

	for (size_t i = 0; i < TA_ARRAY_SIZE(wrong); i++) {
		find(before, 4, wrong[i], "eth0", &rc);
		assert_int_equal(rc, -EINVAL);
	}
}

static void targets(void **state)
{
	static const struct ta_knob nic = {.name = "channels", .nic = true}, attr = {.name = "attr"};
	static const struct {
		const struct ta_knob *knob;
		const char *target, *ifname, *renamed;
	} cases[] = {
		{&nic, "eth0", "eth0", "lan%"},
		{&nic, "$(id) rx-gro", "$(id)", "lan% rx-gro"},
		{&attr, "/sys/class/net/e'th/queues/rx-0/rps_cpus", "e'th", "/sys/class/net/lan%/queues/rx-0/rps_cpus"},
		{&attr, "/sys/block/sda/queue/scheduler", NULL, NULL},
		{&attr, "/sys/class/net/../x", NULL, NULL},
		{&attr, "/sys/class/net/", NULL, NULL},
		{&nic, "", NULL, NULL},
		{&nic, "0123456789abcdef", NULL, NULL},
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(cases); i++) {
		ta_cleanup_buf struct ta_buf a = TA_BUF_INIT, b = TA_BUF_INIT;
		int want = cases[i].ifname ? 0 : -ENOENT;

		assert_int_equal(ta_identity_ifname(cases[i].knob, cases[i].target, &a), want);
		assert_int_equal(ta_identity_rename(cases[i].knob, cases[i].target, "lan%", &b), want);
		if (want == 0) {
			assert_string_equal(ta_buf_text(&a), cases[i].ifname);
			assert_string_equal(ta_buf_text(&b), cases[i].renamed);
		}
	}
}

static void names(void **state)
{
	static const char *const good[] = {"e", "$(id)", "`id`", "a'b\"c", "*", "100%", "a\\b", "-x", "...", "012345678901234"};
	static const char *const bad[] = {"", ".", "..", "a/b", "a b", "a:b", "a\tb", "a\nb", "a\x7f", "\x01", "a\xa0",
		"0123456789012345"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(good); i++)
		assert_true(ta_nic_name_valid(good[i], strlen(good[i])));
	for (size_t i = 0; i < TA_ARRAY_SIZE(bad); i++)
		assert_false(ta_nic_name_valid(bad[i], strlen(bad[i])));
}

/* --- interrupts ------------------------------------------------------------------------ */

static void irq(struct tree *t, unsigned number, const char *chip, const char *hwirq)
{
	char path[80];

	snprintf(path, sizeof(path), "sys/kernel/irq/%u/chip_name", number);
	tree_file(t, path, chip);
	snprintf(path, sizeof(path), "sys/kernel/irq/%u/hwirq", number);
	tree_file(t, path, hwirq);
}

static void found_irq(struct ta_host *h, const char *identity, const char *want, int want_rc)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_err err = {0};

	assert_int_equal(ta_identity_find_irq(h, identity, "/proc/irq/29/smp_affinity_list", &b, &err), want_rc);
	assert_string_equal(want_rc ? err.text : ta_buf_text(&b), want);
}

static void test_irqs(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_host *h;
	struct tree t;

	assert_int_equal(tree_make(&t), 0);
	irq(&t, 29, "PCI-MSI\n", "524289\n");
	irq(&t, 31, "PCI-MSI\n", "524288\n");
	irq(&t, 4, "IO-APIC x\n", "4\n");
	assert_int_equal(ta_host_capture(t.dir, &h, NULL), 0);
	assert_int_equal(ta_identity_irq(h, "/proc/irq/29/smp_affinity_list", &b), 0);
	assert_string_equal(ta_buf_text(&b), "PCI-MSI 524289");
	assert_int_equal(ta_identity_irq(h, "/proc/irq/4/smp_affinity_list", &b), 0);
	assert_string_equal(ta_buf_text(&b), "IO-APIC_x 4");
	assert_int_equal(ta_identity_irq(h, "/proc/irq/5/smp_affinity_list", &b), -ENOENT);
	assert_int_equal(ta_identity_irq(h, "/proc/irq/29/../30/smp_affinity_list", &b), -ENOENT);
	assert_int_equal(ta_identity_irq(h, "/proc/irq/29/smp_affinity", &b), -ENOENT);
	assert_false(ta_identity_is_irq(&ta_knob_sysctl, "/proc/irq/29/smp_affinity_list"));
	assert_true(ta_identity_is_irq(&ta_knob_attr, "/proc/irq/29/smp_affinity_list"));
	found_irq(h, "PCI-MSI 524289", "/proc/irq/29/smp_affinity_list", 0);
	found_irq(h, "PCI-MSI 524288", "/proc/irq/31/smp_affinity_list", 0); /* the numbers have changed places */
	found_irq(h, "PCI-MSI 7", "the interrupt PCI-MSI 7 (29) is gone", -ENODEV);
	ta_host_free(h);
	tree_remove(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_irqs),
		cmocka_unit_test(reads),
		cmocka_unit_test(finds),
		cmocka_unit_test(refuses),
		cmocka_unit_test(targets),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
