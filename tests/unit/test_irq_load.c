/* Interrupts that cannot be moved, that went elsewhere, and what shares a CPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/probes.h"

extern const struct ta_probe ta_probe_irq, ta_probe_nic, ta_probe_cache;
extern const struct ta_derivation ta_derive_nic_irq, ta_derive_irq_load;

static struct tree t;

static int make(void **state)
{
	return tree_make(&t);
}

static int drop(void **state)
{
	tree_remove(&t);
	return 0;
}

static struct ta_facts *read_irqs(void)
{
	static const struct ta_probe *const probes[] = {&ta_probe_nic, &ta_probe_irq, NULL};
	static const struct ta_derivation *const derivations[] = {&ta_derive_nic_irq, &ta_derive_irq_load, NULL};

	return probe_tree(&t, probes, derivations);
}

/* "0 r": an interface with its interrupt. */
static void make_nic(const char *name, const char *pci, unsigned irq)
{
	char path[256], text[256];

	snprintf(path, sizeof(path), "sys/class/net/%s", name);
	snprintf(text, sizeof(text), "../../devices/pci0/%s/net/%s", pci, name);
	tree_link(&t, path, text);
	snprintf(path, sizeof(path), "sys/devices/pci0/%s/net/%s/type", pci, name);
	tree_file(&t, path, "1\n");
	snprintf(path, sizeof(path), "sys/devices/pci0/%s/net/%s/device", pci, name);
	snprintf(text, sizeof(text), "../../../%s", pci);
	tree_link(&t, path, text);
	snprintf(path, sizeof(path), "sys/devices/pci0/%s/uevent", pci);
	tree_file(&t, path, "DRIVER=igb\n");
	snprintf(path, sizeof(path), "sys/devices/pci0/%s/msi_irqs/%u", pci, irq);
	tree_file(&t, path, "msix\n");
}

#define TABLE                                                                                      \
	"           CPU0       CPU1       CPU2       CPU3\n"                                       \
	" 40:        900          0          0          0  PCI-MSI 1-edge  eth0\n"                 \
	" 41:        100          0          0          0  PCI-MSI 2-edge  eth1\n"

/* The modes of newer kernels; an empty effective mask of controllers that cannot route. */
static void movable(void **state)
{
	struct ta_facts *f;

	make_nic("eth0", "0000:01:00.0", 40);
	make_nic("eth1", "0000:02:00.0", 41);
	tree_file(&t, "proc/interrupts", TABLE);
	tree_file(&t, "proc/irq/40/smp_affinity_list", "0-3\n");
	tree_file(&t, "proc/irq/40/effective_affinity_list", "\n");
	tree_file(&t, "proc/irq/41/smp_affinity_list", "2\n");
	tree_file(&t, "proc/irq/41/effective_affinity_list", "1\n");
	f = read_irqs();
	FACT(f, "false", "irqs", "40", "movable");
	HOLE(f, TA_NOT_ASKED, "irqs.41.movable");
	FACT(f, "[0]", "nics", "eth0", "irq", "cpus"); /* where it fired: the mask says nothing */
	FACT(f, "1", "nics", "eth0", "irq", "fixed");
	HOLE(f, TA_MISSING, "nics.eth0.irq.astray");
	FACT(f, "1", "nics", "eth1", "irq", "astray");
	FACT(f, "0", "nics", "eth1", "irq", "fixed");
	ta_facts_free(f);

	tree_file(&t, "proc/irq/40/effective_affinity_list", "0\n");
	tree_file(&t, "proc/sys/kernel/osrelease", "6.18.1\n");
	tree_file(&t, "calls.json", "{\"schema\":\"tuneaudit.calls/1\",\"calls\":{\"irq_modes\":{\"rc\":0,\"data\":\"7277\"}}}");
	f = read_irqs();
	FACT(f, "false", "irqs", "40", "movable");
	FACT(f, "true", "irqs", "41", "movable");
	FACT(f, "0", "nics", "eth0", "irq", "astray");
	ta_facts_free(f);

	tree_file(&t, "proc/sys/kernel/osrelease", "6.1.0\n");
	f = read_irqs();
	HOLE(f, TA_NOT_ASKED, "irqs.41.movable"); /* there writable means nothing */
	ta_facts_free(f);

	tree_file(&t, "calls.json", "{\"schema\":\"tuneaudit.calls/1\",\"calls\":{\"irq_modes\":{\"rc\":0,\"data\":\"72\"}}}");
	f = read_irqs();
	FACT(f, "false", "irqs", "40", "movable");
	HOLE(f, TA_NOT_ASKED, "irqs.41.movable");
	ta_facts_free(f);
}

static void shared_cpu(void **state)
{
	struct ta_facts *f;

	make_nic("eth0", "0000:01:00.0", 40);
	make_nic("eth1", "0000:02:00.0", 41);
	make_nic("eth2", "0000:03:00.0", 42);
	tree_file(&t, "proc/interrupts", TABLE " 42:          0          0          9          0  PCI-MSI 3-edge  eth2\n");
	f = read_irqs();
	FACT(f, "1009", "irq_load", "total");
	FACT(f, "\"CPU 0\"", "irq_cpus", "0", "subject");
	FACT(f, "0.991", "irq_cpus", "0", "share");
	FACT(f, "\"eth0\"", "irq_cpus", "0", "device");
	FACT(f, "[\"eth0\",\"eth1\"]", "irq_cpus", "0", "devices");
	assert_null(ta_facts_at(f, TA_KEYS("irq_cpus", "2"))); /* nine of a thousand */
	ta_facts_free(f);

	/* Moved since: the affinity of today counts, not the past. */
	tree_file(&t, "proc/irq/41/effective_affinity_list", "3\n");
	f = read_irqs();
	FACT(f, "[\"eth0\"]", "irq_cpus", "0", "devices");
	FACT(f, "0.892", "irq_cpus", "0", "share");
	FACT(f, "[\"eth1\"]", "irq_cpus", "3", "devices");
	ta_facts_free(f);

	/* One that hardly fires is no load. */
	tree_file(&t, "proc/irq/41/effective_affinity_list", "0\n");
	tree_file(&t, "proc/interrupts", "           CPU0       CPU1\n 40:   900000   0  X  eth0\n 41:  100  0  X  eth1\n");
	f = read_irqs();
	FACT(f, "[\"eth0\"]", "irq_cpus", "0", "devices");
	ta_facts_free(f);

	/* Most of eth0 is served elsewhere: it is none of those that CPU 0 serves. */
	tree_file(&t, "sys/devices/pci0/0000:01:00.0/msi_irqs/43", "msix\n");
	tree_file(&t, "proc/interrupts", "           CPU0       CPU1\n 40:   100  0  X  eth0-TxRx-0\n"
					  " 41:   300  0  X  eth1\n 43:   0   200  X  eth0-TxRx-1\n");
	f = read_irqs();
	FACT(f, "[\"eth1\"]", "irq_cpus", "0", "devices");
	FACT(f, "[\"eth0\"]", "irq_cpus", "1", "devices");
	ta_facts_free(f);

	/* What is spread over both counts on each only for its part. */
	tree_file(&t, "proc/irq/41/effective_affinity_list", "0-1\n");
	tree_file(&t, "proc/interrupts", "           CPU0       CPU1\n 40:   600   400  X  eth0\n 41:  0  500  X  eth1\n");
	f = read_irqs();
	FACT(f, "0.4", "irq_cpus", "0", "share");
	FACT(f, "0.333", "irq_cpus", "1", "share");
	ta_facts_free(f);

	tree_file(&t, "proc/interrupts", "           CPU0       CPU1\n 40:   0   0  X  eth0\n");
	f = read_irqs();
	FACT(f, "0", "irq_load", "total");
	FACT(f, "{}", "irq_cpus");
	ta_facts_free(f);
}

/* A table without a list of interfaces is this host's; beside one that lists others it is somebody else's. */
static void whose_devices(void **state)
{
	struct ta_facts *f;

	tree_file(&t, "proc/interrupts", TABLE);
	f = read_irqs();
	FACT(f, "true", "irq_devices", "eth0", "ours");
	ta_facts_free(f);
	tree_link(&t, "sys/class/net/lo", "../../devices/virtual/net/lo");
	tree_file(&t, "sys/devices/virtual/net/lo/type", "772\n");
	f = read_irqs();
	FACT(f, "false", "irq_devices", "eth0", "ours");
	ta_facts_free(f);
}

static struct ta_facts *read_nic(void)
{
	static const struct ta_probe *const probes[] = {&ta_probe_nic, &ta_probe_cache, NULL};
	static const struct ta_derivation *const none[] = {NULL};

	return probe_tree(&t, probes, none);
}

static void resting_links(void **state)
{
	static const char dir[] = "sys/devices/pci0/0000:01:00.0";
	struct ta_facts *f;
	char path[128];

	make_nic("eth0", "0000:01:00.0", 40);
	snprintf(path, sizeof(path), "%s/current_link_speed", dir);
	tree_file(&t, path, "5.0 GT/s PCIe\n");
	f = read_nic();
	HOLE(f, TA_MISSING, "nics.eth0.pcie.aspm"); /* before 5.5 */
	HOLE(f, TA_MISSING, "nics.eth0.iommu");     /* a copy may just lack it */
	ta_facts_free(f);

	snprintf(path, sizeof(path), "%s/link/clkpm", dir);
	tree_file(&t, path, "0\n");
	f = read_nic();
	HOLE(f, TA_UNSUPPORTED, "nics.eth0.pcie.aspm");
	ta_facts_free(f);

	snprintf(path, sizeof(path), "%s/link/l1_aspm", dir);
	tree_file(&t, path, "0\n");
	f = read_nic();
	FACT(f, "[]", "nics", "eth0", "pcie", "aspm");
	ta_facts_free(f);

	tree_file(&t, path, "1\n");
	snprintf(path, sizeof(path), "%s/link/l1_2_aspm", dir);
	tree_file(&t, path, "1\n");
	tree_link(&t, "sys/devices/pci0/0000:01:00.0/iommu_group", "../../../kernel/iommu_groups/7");
	tree_file(&t, "sys/kernel/iommu_groups/7/type", "DMA-FQ\n");
	f = read_nic();
	FACT(f, "[\"l1\",\"l1.2\"]", "nics", "eth0", "pcie", "aspm");
	FACT(f, "\"DMA-FQ\"", "nics", "eth0", "iommu");
	ta_facts_free(f);

	tree_file(&t, path, "yes\n");
	f = read_nic();
	HOLE(f, TA_MALFORMED, "nics.eth0.pcie.aspm");
	ta_facts_free(f);
}

static void shared_caches(void **state)
{
	struct ta_facts *f;

	tree_file(&t, "sys/devices/system/cpu/online", "0-5\n");
	f = read_nic();
	HOLE(f, TA_MISSING, "cpu.l3_caches");
	ta_facts_free(f);
	tree_file(&t, "sys/devices/system/cpu/cpu0/cache/index3/shared_cpu_list", "0-1,4\n");
	tree_file(&t, "sys/devices/system/cpu/cpu2/cache/index3/shared_cpu_list", "2-3,5\n");
	f = read_nic();
	FACT(f, "2", "cpu", "l3_caches");
	ta_facts_free(f);
	tree_file(&t, "sys/devices/system/cpu/cpu2/cache/index3/shared_cpu_list", "3\n");
	f = read_nic();
	HOLE(f, TA_MALFORMED, "cpu.l3_caches"); /* not even its own CPU */
	ta_facts_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(movable, make, drop),
		cmocka_unit_test_setup_teardown(shared_cpu, make, drop),
		cmocka_unit_test_setup_teardown(whose_devices, make, drop),
		cmocka_unit_test_setup_teardown(resting_links, make, drop),
		cmocka_unit_test_setup_teardown(shared_caches, make, drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
