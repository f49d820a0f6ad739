/*
 * Interrupts of network interfaces and NVMe controllers: which queue, which
 * CPUs are wanted, which were chosen, and where they really fired.
 *
 * /proc/interrupts is read line by line; only rows of such devices are
 * counted, kept and asked for their affinity. A row's device is told by the
 * function's msi_irqs, else by the PCI function in the row, else by its name;
 * what a name leaves open by the kernel's list of queues, where it has one.
 * In containers the table shows interrupts of interfaces that are not ours.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/irqmove.h"
#include "probe/irqtable.h"
#include "probe/probe.h"
#include "probe/value.h"

static const struct ta_field fields[] = {
	{"irqs.*.subject", TA_T_STRING, "", "device and queue, as findings call it", TA_F_AGAIN | TA_F_NAMES, {{0}}},
	{"irqs.*.name", TA_T_STRING, "", "actions as /proc/interrupts shows them", TA_F_AGAIN, {{0}}},
	{"irqs.*.device", TA_T_STRING, "",
		"interface or NVMe controller; its bus address where that is all that is known", TA_F_COMES,
		{{0}}},
	{"irqs.*.devices", TA_T_STRINGS, "", "all such devices on a shared line", 0, {{0}}},
	{"irqs.*.queue", TA_T_INT, "",
		"number of the queue; missing for link, mailbox and admin interrupts", 0, {{0}}},
	{"irqs.*.role", TA_T_STRING, "", "rx, tx, combined (both), io (NVMe) or other (no data)", 0,
		{{0}}},
	{"irqs.*.wanted", TA_T_INTS, "CPUs", "CPUs allowed (smp_affinity_list)", TA_F_CPUS | TA_F_SIZED | TA_F_PLACED, {{0}}},
	{"irqs.*.effective", TA_T_INTS, "CPUs", "CPUs chosen (effective_affinity_list, since 4.13)",
		TA_F_CPUS | TA_F_AGAIN, {{0}}},
	{"irqs.*.node", TA_T_INT, "", "NUMA node of the device; 0 where there is one node", TA_F_HARDWARE,
		{{0}}},
	{"irqs.*.managed", TA_T_BOOL, "", "the kernel places it and refuses to be told", 0, {{0}}},
	{"irqs.*.movable", TA_T_BOOL, "",
		"others can send it to another CPU; false for managed ones and where its "
		"controller cannot",
		0, {{0}}},
	{"irqs.*.counts_total", TA_T_INT, "interrupts", "sum over the CPUs since boot",
		TA_F_VOLATILE, {{0}}},
	{"irqs.*.top_cpu", TA_T_INT, "", "CPU that handled most of them", TA_F_VOLATILE, {{0}}},
	{"irqs.*.top_share", TA_T_REAL, "", "its share of them, 0 to 1", TA_F_VOLATILE, {{0}}},
	{"irqs.*.fired", TA_T_INTS, "CPUs", "CPUs that handled at least a twentieth of them",
		TA_F_CPUS | TA_F_VOLATILE, {{0}}},
	{"irq.default_affinity", TA_T_INTS, "CPUs",
		"CPUs allowed for new interrupts (/proc/irq/default_smp_affinity)", TA_F_CPUS | TA_F_SIZED,
		{{0}}},
};

/* smp_affinity_list, or the mask of kernels and copies that have no list. */
static int read_cpus(
	struct ta_host *h, unsigned irq, const char *list, const char *mask, struct ta_cpuset *ret)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	char file[512];
	int rc;

	rc = ta_text_read(h, ta_fmt(&file, "/proc/irq/%u/%s", irq, list), &text);
	if (rc == 0)
		return ta_cpuset_parse_list(ret, ta_buf_text(&text)) < 0 ? -EBADMSG : 0;
	if (rc == -ENOENT &&
		ta_text_read(h, ta_fmt(&file, "/proc/irq/%u/%s", irq, mask), &text) == 0)
		return ta_cpuset_parse_mask(ret, ta_buf_text(&text)) < 0 ? -EBADMSG : 0;
	return rc;
}

/* How many CPUs these are, or -errno. */
static int put_cpus(struct ta_host *h, struct ta_facts *f, const char *key, unsigned irq,
	const char *fact, const char *list, const char *mask)
{
	ta_cleanup_cpuset struct ta_cpuset cpus = TA_CPUSET_INIT;
	int rc = read_cpus(h, irq, list, mask, &cpus);

	if (rc < 0)
		ta_put_errno(f, rc, list, "irqs", key, fact);
	else
		ta_put_cpus(f, &cpus, "irqs", key, fact);
	return rc < 0 ? rc : (int)ta_cpuset_count(&cpus);
}

/*
 * A controller without irq_set_affinity() never notes where it sends an interrupt: one that has fired and has no
 * effective CPU comes from such a one (kernel/irq/irqdesc.c, irq_data_update_effective_affinity()).
 */
static void put_movable(struct ta_facts *f, const char *key, enum ta_movable movable, int effective, uint64_t fired)
{
	if (movable == TA_MOVABLE_UNKNOWN && effective == 0 && fired)
		movable = TA_MOVABLE_NO;
	if (movable == TA_MOVABLE_UNKNOWN)
		ta_facts_put_absent(f, TA_KEYS("irqs", key, "movable"), TA_NOT_ASKED,
			"only the attempt to move it tells");
	else
		ta_put_bool(f, movable == TA_MOVABLE_YES, "irqs", key, "movable");
}

/* --- managed or not ----------------------------------------------------------------- */

#define DEBUG_DIR "/sys/kernel/debug/irq/irqs" /* CONFIG_GENERIC_IRQ_DEBUGFS, root only */

static int find_managed(const char *line, size_t len, void *ctx)
{
	bool *found = ctx;

	*found = *found || strstr(line, "IRQD_AFFINITY_MANAGED");
	return 0;
}

/*
 * Network drivers that never ask for managed vectors (no PCI_IRQ_AFFINITY, no struct irq_affinity_desc in
 * their sources, 6.12). mlx5_core did for some versions and functions, and is not among them.
 */
static bool never_managed(const char *driver)
{
	static const char *const drivers[] = {"igb", "igc", "ixgbe", "ixgbevf", "i40e", "iavf", "ice", "e1000e",
		"ena", "gve", "bnxt_en", "bnx2x", "tg3", "r8169", "vmxnet3", "virtio_net"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(drivers); i++)
		if (strcmp(drivers[i], driver) == 0)
			return true;
	return false;
}

/* True if it is known to be managed. */
static bool put_managed(struct ta_host *h, struct ta_facts *f, const char *key, const struct ta_irqtable *t,
	const struct ta_irqvec *v, enum ta_movable movable, bool effective)
{
	bool managed = false, known;
	char file[512];

	known = t->debugfs && ta_host_lines(h, ta_fmt(&file, DEBUG_DIR "/%u", v->irq), find_managed, &managed) == 0;
	/*
	 * drivers/nvme/host/pci.c nvme_setup_irqs() asks for managed vectors, the admin queue's excepted; any
	 * kernel with effective_affinity (4.13) is newer.
	 */
	if (!known && v->role == TA_IRQ_IO && effective)
		known = managed = true;
	if (!known)
		known = movable == TA_MOVABLE_YES ||
			(v->device && never_managed(ta_irqdev_driver(h, &t->devs, v->device)));
	if (known)
		ta_put_bool(f, managed, "irqs", key, "managed");
	else
		ta_facts_put_absent(f, TA_KEYS("irqs", key, "managed"), TA_NOT_ASKED,
			"only the attempt to move it tells, or debugfs");
	return known && managed;
}

static void put_placement(struct ta_host *h, struct ta_facts *f, const char *key,
	const struct ta_irqtable *t, const struct ta_irqvec *v, struct ta_val n_nodes, enum ta_movable movable)
{
	struct ta_val node;
	char file[512];
	int effective;

	put_cpus(h, f, key, v->irq, "wanted", "smp_affinity_list", "smp_affinity");
	effective = put_cpus(
		h, f, key, v->irq, "effective", "effective_affinity_list", "effective_affinity");
	node = ta_val_read(h, ta_fmt(&file, "/proc/irq/%u/node", v->irq));
	ta_put_val(f, TA_KEYS("irqs", key, "node"), ta_numa_node(node, n_nodes), file);
	if (put_managed(h, f, key, t, v, movable, effective >= 0))
		movable = TA_MOVABLE_NO;
	put_movable(f, key, movable, effective, v->counts.total);
}

static void put_counts(struct ta_facts *f, const char *key, const struct ta_irq_counts *c)
{
	static const char *const names[] = {"counts_total", "fired", "top_cpu", "top_share"};

	for (size_t i = 0; c->huge && i < TA_ARRAY_SIZE(names); i++)
		ta_facts_put_absent(f, TA_KEYS("irqs", key, names[i]), TA_MALFORMED,
			"a count of its row, or their sum, is greater than 18446744073709551615");
	if (c->huge)
		return;
	ta_put_u64(f, c->total, "irqs", key, "counts_total");
	ta_put_cpus(f, &c->fired, "irqs", key, "fired");
	if (c->top_cpu < 0) {
		const char *why = c->total ? "the table has no header line" : "it never fired";

		ta_facts_put_absent(f, TA_KEYS("irqs", key, "top_cpu"), TA_MISSING, "%s", why);
		ta_facts_put_absent(f, TA_KEYS("irqs", key, "top_share"), TA_MISSING, "%s", why);
		return;
	}
	ta_put_i64(f, c->top_cpu, "irqs", key, "top_cpu");
	/* Three digits: more would only make two readings differ. */
	ta_put_real(f, (double)(int)((double)c->top / (double)c->total * 1000 + 0.5) / 1000, "irqs",
		key, "top_share");
}

static void put_identity(struct ta_facts *f, const char *key, const struct ta_irqvec *v)
{
	ta_cleanup_buf struct ta_buf subject = TA_BUF_INIT;
	const char *role = ta_irq_role_name(v->role);

	ta_irqvec_subject(v, &subject);
	ta_put_str(f, ta_buf_text(&subject), "irqs", key, "subject");
	ta_put_str(f, v->name, "irqs", key, "name");
	if (v->device)
		ta_put_str(f, v->device, "irqs", key, "device");
	else
		ta_facts_put_absent(f, TA_KEYS("irqs", key, "device"), TA_MISSING,
			"the name does not tell which interface of ours, if any");
	ta_facts_put_strs(f, TA_KEYS("irqs", key, "devices"), v->devices.v, v->devices.n);
	if (role)
		ta_put_str(f, role, "irqs", key, "role");
	else
		ta_facts_put_absent(
			f, TA_KEYS("irqs", key, "role"), TA_MISSING, "the name does not tell");
	if (v->queue >= 0)
		ta_put_i64(f, v->queue, "irqs", key, "queue");
	else
		ta_facts_put_absent(f, TA_KEYS("irqs", key, "queue"), TA_MISSING,
			"not the interrupt of a queue");
}

static void irq_collect(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_irqtable struct ta_irqtable t = {0};
	struct ta_irqmove move = {0};
	struct ta_val n_nodes = ta_numa_count(h);
	int rc = ta_irqtable_read(h, &t);
	char key[16];

	t.debugfs = ta_host_exists(h, DEBUG_DIR);
	if (rc < 0)
		ta_put_errno(f, rc, "/proc/interrupts", "irqs");
	else
		ta_put_object(f, "irqs");
	if (rc == 0)
		ta_irqmove_read(h, &t.vecs, &move);
	for (size_t i = 0; rc == 0 && i < t.vecs.n; i++) {
		const struct ta_irqvec *v = &t.vecs.v[i];

		snprintf(key, sizeof(key), "%u", v->irq);
		put_identity(f, key, v);
		put_placement(h, f, key, &t, v, n_nodes, ta_irqmove_of(&move, i));
		put_counts(f, key, &v->counts);
	}
	ta_read_cpumask(h, f, "/proc/irq/default_smp_affinity", TA_KEYS("irq", "default_affinity"));
	ta_irqmove_done(&move);
}

const struct ta_probe ta_probe_irq = {
	.name = "irq",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = irq_collect,
};
