/* Rows of the interrupt table and the devices of a host brought together. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "probe/irqvec.h"
#include "tree.h"

struct host {
	struct tree tree;
	struct ta_host *h;
	struct ta_irqdevs devs;
	struct ta_irqvecs vecs;
};

/* A host whose files are in the tree; takes the table's lines. */
static void judge(struct host *x, const char *const *lines)
{
	struct ta_irq_columns columns = {0};
	struct ta_irq_row row;
	struct ta_err err;

	tree_file(&x->tree, "proc/version", "x\n");
	assert_int_equal(ta_host_capture(x->tree.dir, &x->h, &err), 0);
	assert_int_equal(ta_irqdevs_read(x->h, &x->devs), 0);
	assert_int_equal(ta_irq_columns_parse("CPU0 CPU1", &columns), 0);
	for (; *lines; lines++) {
		assert_true(ta_irq_row_parse(*lines, &columns, &row));
		assert_int_equal(ta_irqvecs_add(&x->vecs, &x->devs, &row, &columns), 0);
	}
	assert_int_equal(ta_irqvecs_finish(&x->vecs, &x->devs), 0);
	ta_irq_columns_done(&columns);
}

static void done(struct host *x)
{
	ta_irqvecs_done(&x->vecs);
	ta_irqdevs_done(&x->devs);
	ta_host_free(x->h);
	tree_remove(&x->tree);
}

static void is(const struct host *x, size_t i, const char *subject)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	assert_true(i < x->vecs.n);
	ta_irqvec_subject(&x->vecs.v[i], &text);
	assert_string_equal(ta_buf_text(&text), subject);
}

#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void listed(void **state)
{
	struct host x = {0};

	assert_int_equal(tree_make(&x.tree), 0);
	tree_link(&x.tree, "sys/class/net/ens1", "../../devices/pci0000:00/0000:00:01.0/net/ens1");
	tree_file(&x.tree, "sys/devices/pci0000:00/0000:00:01.0/msi_irqs/40", "msix\n");
	tree_file(&x.tree, "sys/devices/pci0000:00/0000:00:01.0/msi_irqs/41", "msix\n");
	tree_link(&x.tree, "sys/class/net/ens2",
		"../../devices/pci0000:00/0000:00:02.0/virtio3/net/ens2");
	tree_link(&x.tree, "sys/class/nvme/nvme0",
		"../../devices/pci0000:00/0000:00:03.0/nvme/nvme0");
	tree_link(&x.tree, "sys/class/net/veth0", "../../devices/virtual/net/veth0");
	judge(&x, LINES("40: 1 0  X  eth0-TxRx-0", /* renamed since: the number knows better */
			  "41: 1 0  X  eth0",      /* the link's, beside a queue */
			  "42: 1 0  X  virtio3-input.0",      /* by its virtio device */
			  "43: 1 0  PCI-MSI 49152-edge  odd", /* by its function: 49152 >> 11 is
								 00:03.0 */
			  "44: 1 0  X  veth0-rx-0", /* a virtual one has none: another host's */
			  "45: 1 0  X  timer",      /* nobody's */
			  "46: 1 0  X  uhci_hcd:usb1, ens1"));
	assert_int_equal(x.vecs.n, 6);
	is(&x, 0, "ens1 combined-0");
	is(&x, 1, "ens1 eth0");
	is(&x, 2, "ens2 rx-0");
	is(&x, 3, "nvme0 combined-0");
	assert_null(x.vecs.v[4].device);
	is(&x, 5, "ens1 uhci_hcd:usb1, ens1");
	done(&x);
}

static void shared_function(void **state)
{
	struct host x = {0};

	assert_int_equal(tree_make(&x.tree), 0);
	tree_link(&x.tree, "sys/class/net/eth6", "../../devices/pci0000:00/0000:04:00.0/net/eth6");
	tree_link(&x.tree, "sys/class/net/eth7", "../../devices/pci0000:00/0000:04:00.0/net/eth7");
	judge(&x, LINES("1: 1 0  X  eth7-2", "2: 1 0  X  mlx4-async@pci:0000:04:00.0"));
	is(&x, 0, "eth7 combined-2");
	assert_null(x.vecs.v[1].device);
	done(&x);
}

/* A thin copy: uevent files alone. */
static void by_driver(void **state)
{
	struct host x = {0};

	assert_int_equal(tree_make(&x.tree), 0);
	tree_file(&x.tree, "sys/class/net/wlan4/device/uevent", "DRIVER=iwlwifi\n");
	tree_file(&x.tree, "sys/class/net/eth4/device/uevent", "DRIVER=lan743x\n");
	tree_file(&x.tree, "sys/class/net/eth5/device/uevent", "DRIVER=lan743x\n");
	tree_link(&x.tree, "sys/class/net/ens8", "../../devices/pci0000:00/0000:00:08.0/virtio2/net/ens8");
	judge(&x, LINES("70: 5 0  X  iwlwifi", /* the only one of its driver */
			  "71: 5 0  X  lan743x", /* one of two */
			  "10: 5 0  X  virtio2, uhci_hcd:usb1"));
	is(&x, 0, "wlan4 combined-0");
	is(&x, 1, "lan743x combined-0");
	is(&x, 2, "ens8 combined-0");
	done(&x);
}

/* No /sys, and what ip and ethtool printed: the function is in the table and in `ethtool -i`. */
static void by_outputs(void **state)
{
	struct host x = {0};

	assert_int_equal(tree_make(&x.tree), 0);
	tree_file(&x.tree, "sos_commands/networking/ip_-s_-d_link",
		"2: ens6: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc fq state UP mode DEFAULT group default qlen 1000\n"
		"    link/ether 02:00:00:00:00:06 brd ff:ff:ff:ff:ff:ff promiscuity 0\n"
		"3: veth9@if4: <BROADCAST,MULTICAST,UP> mtu 1500 qdisc noqueue state UP mode DEFAULT group default qlen 1000\n"
		"    link/ether 02:00:00:00:00:09 brd ff:ff:ff:ff:ff:ff promiscuity 0\n    veth\n");
	tree_file(&x.tree, "sos_commands/networking/ethtool_-i_ens6",
		"driver: virtio_net\nversion: 1.0.0\nbus-info: 0000:00:06.0\n");
	judge(&x, LINES("25: 1 0  PCI-MSI 98305-edge  virtio2-input.0", /* 98305 >> 11 is 00:06.0 */
			  "26: 1 0  PCI-MSI 180225-edge  virtio7-req.0",  /* 00:0b.0, a disk */
			  "27: 1 0  X  veth9-rx-0"));
	is(&x, 0, "ens6 rx-0");
	is(&x, 1, "rx-0");
	assert_int_equal(x.vecs.n, 2);
	done(&x);
}

/* No /sys: neighbours of the same function tell the name. */
static void only_the_table(void **state)
{
	struct host x = {0};

	assert_int_equal(tree_make(&x.tree), 0);
	judge(&x, LINES("55: 9 0  ITS-MSI 81920 Edge  ena-mgmnt@pci:0000:00:05.0",
			  "56: 9 0  ITS-MSI 81921 Edge  ens5-Tx-Rx-0",
			  "57: 9 0  ITS-MSI 81922 Edge  ens5-Tx-Rx-1", "60: 9 0  X  mvneta",
			  "61: 9 0  X  mvneta", "62: 9 0  X  virtio9-req.0"));
	assert_int_equal(x.vecs.n, 5);
	is(&x, 0, "ens5 ena-mgmnt@pci:0000:00:05.0");
	is(&x, 2, "ens5 combined-1");
	is(&x, 3, "mvneta combined-0");
	is(&x, 4, "mvneta combined-0");
	done(&x);
}

/* A driver whose names say nothing, and a kernel that knows its queues. */
static void asked_of_the_kernel(void **state)
{
	struct ta_napi napi[] = {{.id = 1, .irq = 7, .ifindex = 2, .rx = 3, .tx = 3},
		{.id = 2, .irq = 8, .ifindex = 2, .rx = -1, .tx = 4}};
	struct ta_napis napis = {.v = napi, .n = 2};
	struct ta_link link = {.ifindex = {.v = 2}}, *by_index = &link;
	struct ta_links links = {.v = &link, .n = 1, .by_index = &by_index};
	char name[] = "eth0";
	struct host x = {0};

	link.name = name;
	assert_int_equal(tree_make(&x.tree), 0);
	tree_link(&x.tree, "sys/class/net/eth0", "../../devices/pci0000:00/0000:00:01.0/net/eth0");
	tree_file(&x.tree, "sys/devices/pci0000:00/0000:00:01.0/msi_irqs/7", "msix\n");
	tree_file(&x.tree, "sys/devices/pci0000:00/0000:00:01.0/msi_irqs/8", "msix\n");
	tree_file(&x.tree, "sys/devices/pci0000:00/0000:00:01.0/msi_irqs/9", "msix\n");
	judge(&x, LINES("7: 1 0  X  odd:a", "8: 1 0  X  odd:b", "9: 1 0  X  odd:c"));
	assert_true(ta_irqvecs_unsettled(&x.vecs));
	assert_int_equal(ta_irqvecs_use_napis(&x.vecs, &napis, &links), 0);
	is(&x, 0, "eth0 combined-3");
	is(&x, 1, "eth0 tx-4");
	is(&x, 2, "eth0 odd:c");
	done(&x);
}

/* The lower half of a gve card's blocks sends; half a table says nothing. */
static void blocks(void **state)
{
	struct host x = {0};

	assert_int_equal(tree_make(&x.tree), 0);
	judge(&x, LINES("24: 1 0  X  gve-ntfy-blk0@pci:0000:00:04.0", "25: 1 0  X  gve-ntfy-blk1@pci:0000:00:04.0",
			  "26: 1 0  X  gve-ntfy-blk2@pci:0000:00:04.0", "27: 1 0  X  gve-ntfy-blk3@pci:0000:00:04.0",
			  "28: 1 0  X  gve-mgmnt@pci:0000:00:04.0", "30: 1 0  X  gve-ntfy-blk0@pci:0000:00:05.0"));
	is(&x, 0, "0000:00:04.0 tx-0");
	is(&x, 1, "0000:00:04.0 tx-1");
	is(&x, 2, "0000:00:04.0 rx-0");
	is(&x, 3, "0000:00:04.0 rx-1");
	is(&x, 5, "0000:00:05.0 combined-0");
	done(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(listed),
		cmocka_unit_test(shared_function),
		cmocka_unit_test(by_driver),
		cmocka_unit_test(by_outputs),
		cmocka_unit_test(only_the_table),
		cmocka_unit_test(asked_of_the_kernel),
		cmocka_unit_test(blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
