/* What drivers call their interrupts, and what that means. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/macros.h"
#include "probe/irqname.h"
#include "probe/netdev.h"

static const struct {
	const char *text;
	enum ta_irq_role role;
	int queue;
	const char *ifname, *pci, *other; /* other: virtio, nvme, platform or driver */
} names[] = {
	{"eth3-TxRx-7", TA_IRQ_COMBINED, 7, "eth3", "", ""},
	{"i40e-ens7f0-TxRx-31", TA_IRQ_COMBINED, 31, "ens7f0", "", ""},
	{"ice-ens3f0-TxRx-111", TA_IRQ_COMBINED, 111, "ens3f0", "", ""},
	{"iavf-net1-TxRx-0", TA_IRQ_COMBINED, 0, "net1", "", ""},
	{"iavf-0000:b5:03.6:mbx", TA_IRQ_OTHER, -1, "", "0000:b5:03.6", ""},
	{"i40e-0000:01:00.0:misc", TA_IRQ_OTHER, -1, "", "0000:01:00.0", ""},
	{"i40e-0000:01:00.0:fdir-TxRx-0", TA_IRQ_OTHER, -1, "", "0000:01:00.0", ""},
	{"eth0-Tx-Rx-3", TA_IRQ_COMBINED, 3, "eth0", "", ""},
	{"ena-mgmnt@pci:0000:00:05.0", TA_IRQ_OTHER, -1, "", "0000:00:05.0", ""},
	{"eth0-rx-1", TA_IRQ_RX, 1, "eth0", "", ""},
	{"eth0-tx-0", TA_IRQ_TX, 0, "eth0", "", ""},
	{"eth0-tx-0-rx-3", TA_IRQ_COMBINED, 3, "eth0", "", ""},
	{"ens192-rxtx-0", TA_IRQ_COMBINED, 0, "ens192", "", ""},
	{"eth6-5", TA_IRQ_COMBINED, 5, "eth6", "", ""},
	{"eth0-fp-12", TA_IRQ_COMBINED, 12, "eth0", "", ""},
	{"eth0-q2-tx", TA_IRQ_TX, 2, "eth0", "", ""},
	{"vif3.0-q1-rx", TA_IRQ_RX, 1, "vif3.0", "", ""},
	{"end0:tx-2", TA_IRQ_TX, 2, "end0", "", ""},
	{"eth0", TA_IRQ_UNKNOWN, -1, "eth0", "", ""},
	{"mlx5_comp12@pci:0000:01:00.1", TA_IRQ_COMBINED, 12, "", "0000:01:00.1", ""},
	{"mlx5_async0@pci:0000:01:00.1", TA_IRQ_OTHER, -1, "", "0000:01:00.1", ""},
	{"mlx4-async@pci:0000:04:00.0", TA_IRQ_OTHER, -1, "", "0000:04:00.0", ""},
	{"mlx4-comp-2@pci:0000:04:00.0", TA_IRQ_UNKNOWN, -1, "", "0000:04:00.0", ""},
	{"mlx4-2@0000:04:00.0", TA_IRQ_COMBINED, 2, "", "0000:04:00.0", ""},
	{"gve-ntfy-blk31@pci:0000:00:04.0", TA_IRQ_COMBINED, 31, "", "0000:00:04.0", ""},
	{"gve-mgmnt@pci:0000:00:04.0", TA_IRQ_OTHER, -1, "", "0000:00:04.0", ""},
	{"mana_q3@pci:7870:00:00.0", TA_IRQ_COMBINED, 3, "", "7870:00:00.0", ""},
	{"hns3-0000:7d:00.1-TxRx-9", TA_IRQ_COMBINED, 9, "", "0000:7d:00.1", ""},
	{"virtio0-input.3", TA_IRQ_RX, 3, "", "", "virtio0"},
	{"virtio12-output.0", TA_IRQ_TX, 0, "", "", "virtio12"},
	{"virtio0-config", TA_IRQ_OTHER, -1, "", "", "virtio0"},
	{"virtio0-virtqueues", TA_IRQ_UNKNOWN, -1, "", "", "virtio0"},
	{"nvme0q0", TA_IRQ_OTHER, -1, "", "", "nvme0"},
	{"nvme10q31", TA_IRQ_IO, 31, "", "", "nvme10"},
	{"1e100000.ethernet", TA_IRQ_UNKNOWN, -1, "", "", "1e100000.ethernet"},
	{"19000000.eth", TA_IRQ_UNKNOWN, -1, "", "", "19000000.eth"},
	{"mvneta", TA_IRQ_UNKNOWN, -1, "", "", "mvneta"},
	{"iwlwifi:queue_2", TA_IRQ_COMBINED, 2, "", "", "iwlwifi"},
	{"iwlwifi:exception", TA_IRQ_OTHER, -1, "", "", "iwlwifi"},
	{"virtio7", TA_IRQ_UNKNOWN, -1, "", "", "virtio7"},
	{"mlx5_comp3", TA_IRQ_COMBINED, 3, "", "", "mlx5_core"},
	{"mlx5_cmd_eq", TA_IRQ_OTHER, -1, "", "", "mlx5_core"},
	{"mlx4-2@PCI Bus 0000:41:00.0", TA_IRQ_COMBINED, 2, "", "0000:41:00.0", ""},
	{"sky2@pci:0000:03:00.0", TA_IRQ_UNKNOWN, -1, "", "0000:03:00.0", ""},
	{"ibmvnic-30000005-rx7", TA_IRQ_RX, 7, "", "", "ibmvnic"},
	{"hinic_txq4", TA_IRQ_TX, 4, "", "", "hinic"},
	{"enp61s0_rxq12", TA_IRQ_RX, 12, "enp61s0", "", ""},
	{"eth2_g1_rx", TA_IRQ_RX, 1, "eth2", "", ""},
	{"eth2_g0_er", TA_IRQ_OTHER, -1, "eth2", "", ""},
	{"eno2-rxtx1", TA_IRQ_COMBINED, 1, "eno2", "", ""},
	{"eth1:slice-6", TA_IRQ_COMBINED, 6, "eth1", "", ""},
	{"end0:mac", TA_IRQ_OTHER, -1, "end0", "", ""},
	{"end0:safety-ue", TA_IRQ_OTHER, -1, "end0", "", ""},
	{"ionic-enp65s0-rx9", TA_IRQ_RX, 9, "enp65s0", "", ""},
	{"ionic-enp65s0-adminq0", TA_IRQ_OTHER, -1, "enp65s0", "", ""},
	{"ens2-lsc", TA_IRQ_OTHER, -1, "ens2", "", ""},
	{"enp2s0-notify", TA_IRQ_OTHER, -1, "enp2s0", "", ""},
	{"eth0-rbdr-1", TA_IRQ_OTHER, -1, "eth0", "", ""},
	{"eth4-xdp-2", TA_IRQ_TX, 2, "eth4", "", ""},
	{"idpf-Mailbox-0", TA_IRQ_OTHER, -1, "", "", "idpf"},
	{"48480000.switch", TA_IRQ_UNKNOWN, -1, "", "", "48480000.switch"},
	{"c000000.ethernet-rx2", TA_IRQ_RX, 2, "", "", "c000000.ethernet"},
	{"edma_rxdesc", TA_IRQ_RX, -1, "", "", "edma"},
	{"edma_misc", TA_IRQ_OTHER, -1, "", "", "edma"},
	{"reo2host-destination-ring3", TA_IRQ_RX, 3, "", "", "ath11k"},
	{"mt7996e-hif", TA_IRQ_UNKNOWN, -1, "", "", "mt7996e"},
	/* Not what they look like. */
	{"xhci-hcd:usb1", TA_IRQ_UNKNOWN, -1, "", "", ""},
	{"dma.ethernet", TA_IRQ_UNKNOWN, -1, "dma.ethernet", "", ""},
	{"10.ethernetX", TA_IRQ_UNKNOWN, -1, "10.ethernetX", "", ""},
	{"virtio3-rx", TA_IRQ_UNKNOWN, -1, "", "", "virtio3"},
	{"a:b-TxRx-0", TA_IRQ_UNKNOWN, -1, "", "", ""},
	{"sixteen-bytes-xx-TxRx-0", TA_IRQ_UNKNOWN, -1, "", "", ""},
	{"eth0-TxRx-", TA_IRQ_UNKNOWN, -1, "eth0-TxRx-", "", ""},
	{"IPI call", TA_IRQ_UNKNOWN, -1, "", "", ""},
	{"mlx5_comp0@pci:0000:01:00.9", TA_IRQ_UNKNOWN, -1, "", "", ""},
	{"", TA_IRQ_UNKNOWN, -1, "", "", ""},
};

static const char *other_of(const struct ta_irq_name *n)
{
	const char *const texts[] = {n->virtio, n->nvme, n->platform, n->driver};

	for (size_t i = 0; i < TA_ARRAY_SIZE(texts); i++)
		if (texts[i][0])
			return texts[i];
	return "";
}

static void known_names(void **state)
{
	for (size_t i = 0; i < TA_ARRAY_SIZE(names); i++) {
		struct ta_irq_name n;

		ta_irq_name_parse(names[i].text, strlen(names[i].text), &n);
		if (n.role != names[i].role || n.queue != names[i].queue)
			fail_msg("%s: role %d queue %d", names[i].text, n.role, n.queue);
		assert_string_equal(n.ifname, names[i].ifname);
		assert_string_equal(n.pci, names[i].pci);
		assert_string_equal(other_of(&n), names[i].other);
	}
}

static void interface_names(void **state)
{
	static const char *const yes[] = {"eth0", "enp3s0f1", "eno1", "ens5", "wlan0", "wlp2s0",
		"ib0", "enx001122334455", "em1", "end0", "swp12", "p2p1", "p10p4_3", "wan"};
	static const char *const no[] = {
		"eth", "acpi", "timer", "rtc0", "i8042", "ehci_hcd", "hpsa0", "embedded", "ahci", "end", "wanted", "pp1", "p1", "p1p", "p1234p1"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(yes); i++)
		if (!ta_looks_like_ifname(yes[i]))
			fail_msg("%s", yes[i]);
	for (size_t i = 0; i < TA_ARRAY_SIZE(no); i++)
		if (ta_looks_like_ifname(no[i]))
			fail_msg("%s", no[i]);
}

static const struct {
	const char *link;
	const char *device, *bus_dir, *pci, *virtio, *usb;
} links[] = {
	{"../../devices/pci0000:00/0000:00:01.1/0000:02:00.0/net/eth0",
		"/sys/devices/pci0000:00/0000:00:01.1/0000:02:00.0",
		"/sys/devices/pci0000:00/0000:00:01.1/0000:02:00.0", "0000:02:00.0", NULL, NULL},
	{"../../devices/pci0000:00/0000:00:03.0/virtio0/net/ens3/",
		"/sys/devices/pci0000:00/0000:00:03.0/virtio0",
		"/sys/devices/pci0000:00/0000:00:03.0", "0000:00:03.0", "virtio0", NULL},
	{"../../devices/pci10000:00/10000:00:03.0/net/e", "/sys/devices/pci10000:00/10000:00:03.0",
		"/sys/devices/pci10000:00/10000:00:03.0", "10000:00:03.0", NULL, NULL},
	/* The host controller above a USB device is not the interface's function. */
	{"../../devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1.4/2-1.4:1.0/net/usb0",
		"/sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1.4/2-1.4:1.0",
		"/sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1.4/2-1.4:1.0", NULL, NULL,
		"/sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1.4"},
	{"../../devices/vif-0/net/eth0", "/sys/devices/vif-0", "/sys/devices/vif-0", NULL, NULL,
		NULL},
	{"../../devices/platform/1e100000.ethernet/net/eth0",
		"/sys/devices/platform/1e100000.ethernet",
		"/sys/devices/platform/1e100000.ethernet", NULL, NULL, NULL},
};

static void same(const char *is, const char *want)
{
	assert_int_equal(is == NULL, want == NULL);
	if (is)
		assert_string_equal(is, want);
}

static void class_links(void **state)
{
	struct ta_netdev d = {0};

	for (size_t i = 0; i < TA_ARRAY_SIZE(links); i++) {
		assert_int_equal(ta_netdev_parse_link(links[i].link, "net", &d), 0);
		assert_false(d.is_virtual);
		same(d.device, links[i].device);
		same(d.bus_dir, links[i].bus_dir);
		same(d.pci, links[i].pci);
		same(d.virtio, links[i].virtio);
		same(d.usb, links[i].usb);
		ta_netdev_done(&d);
	}
	assert_int_equal(ta_netdev_parse_link("../../devices/virtual/net/lo", "net", &d), 0);
	assert_true(d.is_virtual && !d.device);
	ta_netdev_done(&d);
	assert_int_not_equal(ta_netdev_parse_link("", "net", &d), 0);
	assert_int_not_equal(ta_netdev_parse_link("devices/", "net", &d), 0);
	assert_int_not_equal(ta_netdev_parse_link("devices/net/", "net", &d), 0);
	assert_int_not_equal(ta_netdev_parse_link("../../xdevices/a/net/b", "net", &d), 0);
	ta_netdev_done(&d);
}

static void pci_addresses(void **state)
{
	static const char *const no[] = {"", "0000:02:00", "0000:02:00.8", "0000:02-00.0",
		"000:02:00.0", "0000:0g:00.0", "xxxx:02:00.0"};

	assert_true(ta_is_pci_address("0000:02:1f.7", 12));
	assert_true(ta_is_pci_address("10000:02:1f.7", 13));
	for (size_t i = 0; i < TA_ARRAY_SIZE(no); i++)
		assert_false(ta_is_pci_address(no[i], strlen(no[i])));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_names),
		cmocka_unit_test(interface_names),
		cmocka_unit_test(class_links),
		cmocka_unit_test(pci_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
