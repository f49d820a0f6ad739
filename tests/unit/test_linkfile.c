/* .link files: which of them is for an interface, and what it sets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/probes.h"

extern const struct ta_probe ta_probe_linkfile;

static struct tree t;

static int setup(void **state)
{
	if (tree_make(&t) < 0)
		return -1;
	tree_link(&t, "sys/class/net/eth0", "../../devices/pci0000:00/0000:00:03.0/net/eth0");
	tree_link(&t, "sys/devices/pci0000:00/0000:00:03.0/driver", "../../../bus/pci/drivers/igb");
	tree_link(&t, "sys/devices/pci0000:00/0000:00:03.0/net/eth0/device", "../..");
	tree_file(&t, "sys/devices/pci0000:00/0000:00:03.0/net/eth0/address", "52:54:00:AA:00:01\n");
	tree_file(&t, "sys/devices/pci0000:00/0000:00:03.0/net/eth0/addr_assign_type", "0\n");
	tree_file(&t, "sys/devices/pci0000:00/0000:00:03.0/net/eth0/type", "1\n");
	tree_link(&t, "sys/class/net/lo", "../../devices/virtual/net/lo");
	tree_file(&t, "sys/devices/virtual/net/lo/type", "772\n");
	return 0;
}

static int teardown(void **state)
{
	tree_remove(&t);
	return 0;
}

static struct ta_facts *look(void)
{
	static const struct ta_probe *const probes[] = {&ta_probe_linkfile, NULL};
	static const struct ta_derivation *const none[] = {NULL};

	return probe_tree(&t, probes, none);
}

/* The file for eth0, "?" where it cannot be told. */
static void assert_file(const char *want)
{
	ta_cleanup_facts struct ta_facts *f = look();
	const char *file = ta_facts_get_str(f, TA_KEYS("nics", "eth0", "boot", "file"));

	assert_string_equal(file ? file : "?", want);
}

static void match(const char *text, const char *want)
{
	ta_cleanup_buf struct ta_buf file = TA_BUF_INIT;

	ta_buf_printf(&file, "[Match]\n%s\n[Link]\nMTUBytes=9000\n", text);
	tree_file(&t, "etc/systemd/network/10-a.link", ta_buf_text(&file));
	assert_file(want);
}

static void conditions(void **state)
{
	static const char a[] = "/etc/systemd/network/10-a.link", z[] = "/usr/lib/systemd/network/99-default.link";

	tree_file(&t, "usr/lib/systemd/network/99-default.link", "[Match]\nOriginalName=*\n[Link]\nNamePolicy=keep\n");
	assert_file(z);
	match("MACAddress=52:54:00:aa:00:01", a);
	match("MACAddress=00:00:00:00:00:01 52:54:00:aa:00:01", a);
	match("MACAddress=00:00:00:00:00:01", z);
	match("MACAddress=5254.00aa.0001", "?");
	match("Driver=igb", a);
	match("Driver=e1000e ig*", a);
	match("Driver=!igb", z);
	match("Driver=!e1000e", a);
	match("Driver=e1000e\nVirtualization=yes", z);
	match("Driver=igb\nVirtualization=yes", "?");
	match("Path=pci-0000:00:03.0", a);
	match("Path=pci-0000:00:04.*", z);
	match("Type=ether", a);
	match("Type=wlan", z);
	match("Type=!wlan", a);
	match("Kind=bond", z);
	match("OriginalName=*", a);
	match("OriginalName=enp0s3", "?");
	/* Nothing asked for: systemd passes it over. */
	match("", z);
	match("Driver=", z);
}

static void precedence(void **state)
{
	assert_file("?");
	tree_file(&t, "usr/lib/systemd/network/50-b.link", "[Match]\nDriver=igb\n[Link]\nRxBufferSize=4096\n");
	assert_file("/usr/lib/systemd/network/50-b.link");
	tree_file(&t, "run/systemd/network/40-c.link", "[Match]\nDriver=igb\n");
	assert_file("/run/systemd/network/40-c.link");
	tree_link(&t, "etc/systemd/network/40-c.link", "/dev/null");
	assert_file("/usr/lib/systemd/network/50-b.link");
	tree_file(&t, "etc/systemd/network/50-b.link", "[Match]\nDriver=e1000e\n");
	assert_file("");
	tree_file(&t, "calls.json", "{\"errors\":{\"read\":{\"/etc/systemd/network/50-b.link\":\"EACCES\"}}}");
	assert_file("?");
}

static void values(void **state)
{
	struct ta_facts *f;

	tree_file(&t, "etc/systemd/network/10-a.link",
		"[Match]\nDriver=igb\n[Link]\nMTUBytes=9K\nRxBufferSize=4096\nRxBufferSize=2048\nTxBufferSize=max\n"
		"CombinedChannels=4\nTransmitQueueLength=\nWakeOnLan=off\nWakeOnLanPassword=secret\n");
	f = look();
	FACT(f, "9216", "nics", "eth0", "boot", "mtu");
	FACT(f, "2048", "nics", "eth0", "boot", "rx_ring");
	FACT(f, "4", "nics", "eth0", "boot", "combined_channels");
	HOLE(f, TA_UNSUPPORTED, "nics.eth0.boot.tx_ring");
	HOLE(f, TA_MISSING, "nics.eth0.boot.txqueuelen");
	FACT(f, "[\"MTUBytes=9K (/etc/systemd/network/10-a.link:4)\",\"RxBufferSize=2048 (/etc/systemd/network/10-a.link:6)\","
		"\"TxBufferSize=max (/etc/systemd/network/10-a.link:7)\",\"CombinedChannels=4 (/etc/systemd/network/10-a.link:8)\","
		"\"WakeOnLan=off (/etc/systemd/network/10-a.link:10)\"]", "nics", "eth0", "boot", "sets");
	assert_null(ta_facts_at(f, TA_KEYS("nics", "lo")));
	ta_facts_free(f);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {TEST(conditions), TEST(precedence), TEST(values)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
