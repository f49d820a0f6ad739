/*
 * NVMe controllers: power states and the transitions between them (APST), queues, link.
 *
 * What a controller can and does it says itself, to those who may send it admin commands. The driver's part anybody
 * may read: power/pm_qos_latency_tolerance_us is there exactly when it found APST supported and not ruled out by a
 * quirk (drivers/nvme/host/core.c nvme_init_identify()). A tolerance of 0 switches them off; "any" and "auto" set no
 * limit (nvme_set_latency_tolerance()). Kernels without CONFIG_PM have no such file, and no power/ at all.
 */
#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "probe/netdev.h"
#include "probe/nvmeid.h"
#include "probe/pcie.h"
#include "probe/probe.h"
#include "probe/value.h"

static const struct ta_field fields[] = {
	{"nvme.*.model", TA_T_STRING, "", "model as the controller tells it", TA_F_HARDWARE, {{0}}},
	{"nvme.*.firmware", TA_T_STRING, "", "firmware revision", TA_F_HARDWARE, {{0}}},
	{"nvme.*.state", TA_T_STRING, "", "live, resetting, dead …", TA_F_HARDWARE, {{0}}},
	{"nvme.*.transport", TA_T_STRING, "", "pcie, tcp, rdma, fc", TA_F_HARDWARE, {{0}}},
	{"nvme.*.bus", TA_T_STRING, "", "PCI function", TA_F_HARDWARE, {{0}}},
	{"nvme.*.queues", TA_T_INT, "queues", "queues, the admin queue among them (queue_count)", TA_F_SIZED,
		{{0}}},
	{"nvme.*.numa_node", TA_T_INT, "", "NUMA node; 0 where there is one node", TA_F_HARDWARE, {{0}}},
	{"nvme.*.apst_supported", TA_T_BOOL, "",
		"autonomous power-state transitions are there and the driver allows them", 0,
		{{0}}},
	{"nvme.*.apst_capable", TA_T_BOOL, "",
		"the controller has them (Identify Controller, APSTA), whatever the driver makes of it", TA_F_HARDWARE, {{0}}},
	{"nvme.*.apst_enabled", TA_T_BOOL, "",
		"they are on: by the controller (Get Features 0x0c), else by the driver's latency tolerance above 0", 0,
		{{0}}},
	{"nvme.*.apst_source", TA_T_STRING, "", "who said whether they are on: controller or driver", 0, {{0}}},
	{"nvme.*.apst_exit_us", TA_T_INT, "us",
		"the longest wake-up from a state that it enters by itself; 0 = it enters none", 0, {{0}}},
	{"nvme.*.power_states.*.operational", TA_T_BOOL, "", "it works in this state; else it has to wake up first", TA_F_HARDWARE,
		{{0}}},
	{"nvme.*.power_states.*.max_power_uw", TA_T_INT, "uW", "most power it takes then", TA_F_HARDWARE, {{0}}},
	{"nvme.*.power_states.*.entry_us", TA_T_INT, "us", "longest time to enter it", TA_F_HARDWARE, {{0}}},
	{"nvme.*.power_states.*.exit_us", TA_T_INT, "us", "longest time to leave it", TA_F_HARDWARE, {{0}}},
	{"nvme.*.power_states.*.idle_ms", TA_T_INT, "ms",
		"after so long without a command it goes on by itself; 0 = it stays", 0, {{0}}},
	{"nvme.*.power_states.*.next", TA_T_INT, "", "to this state", 0, {{0}}},
	{"nvme.*.latency_tolerance_us", TA_T_INT, "us",
		"slowest wake-up allowed (pm_qos_latency_tolerance_us; \"any\" and \"auto\" are "
		"unlimited)",
		TA_F_UNLIMITED, {{0}}},
	{"nvme.*.default_ps_max_latency_us", TA_T_INT, "us",
		"the tolerance that controllers start with (nvme_core parameter)", 0, {{0}}},
	{"nvme.*.force_apst", TA_T_BOOL, "",
		"transitions are used on drives that are known to fail with them (nvme_core parameter)", 0, {{0}}},
	{"nvme.*.pcie.speed_mts", TA_T_INT, "MT/s per lane", "PCIe speed now", TA_F_LINK, {{0}}},
	{"nvme.*.pcie.width", TA_T_INT, "lanes", "PCIe lanes now", TA_F_LINK, {{0}}},
	{"nvme.*.pcie.max_speed_mts", TA_T_INT, "MT/s per lane", "PCIe speed it can", TA_F_HARDWARE, {{0}}},
	{"nvme.*.pcie.max_width", TA_T_INT, "lanes", "PCIe lanes it has", TA_F_HARDWARE, {{0}}},
	{"nvme.*.pcie.aspm", TA_T_STRINGS, "",
		"states of rest allowed to the PCIe link: l0s, l1, l1.1, l1.2 (link/l1_aspm …)", 0, {{0}}},
};

#define PARAMETERS "/sys/module/nvme_core/parameters"

/* The driver's limit of wake-up times: 0 and *ret (-1: none), or -errno; -ENOENT: there is no file. */
static int read_tolerance(struct ta_host *h, const char *file, int64_t *ret)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = ta_text_read(h, file, &text);

	if (rc < 0)
		return rc == -ENOTDIR ? -ENOENT : rc;
	if (strcmp(ta_buf_text(&text), "any") == 0 || strcmp(ta_buf_text(&text), "auto") == 0) {
		*ret = -1;
		return 0;
	}
	return ta_parse_i64(ta_buf_text(&text), ret) < 0 || *ret < 0 ? -EBADMSG : 0;
}

struct apst {
	struct ta_nvme_power power;
	int identify_rc, table_rc; /* of asking the controller */
	int file_rc;
	int64_t tolerance_us; /* -1: no limit */
	bool has_pm; /* the kernel manages power of devices */
	char file[512];
};

static void put_tolerance(struct ta_facts *f, const char *name, const struct apst *a)
{
	if (a->file_rc == -ENOENT)
		ta_facts_put_absent(f, TA_KEYS("nvme", name, "latency_tolerance_us"), TA_UNSUPPORTED,
			a->has_pm ? "the driver offers it only for drives with APST" : "this kernel has no power management");
	else if (a->file_rc < 0)
		ta_put_errno(f, a->file_rc, a->file, "nvme", name, "latency_tolerance_us");
	else if (a->tolerance_us < 0)
		ta_put_unlimited(f, "nvme", name, "latency_tolerance_us");
	else
		ta_put_i64(f, a->tolerance_us, "nvme", name, "latency_tolerance_us");
}

static void put_controller_errno(struct ta_facts *f, int rc, const char *name, const char *key)
{
	const char *const *path = TA_KEYS("nvme", name, key);

	if (rc == -ENODATA)
		ta_facts_put_absent(f, path, TA_NOT_ASKED, "the capture does not hold what the controller says");
	else if (rc == -EOPNOTSUPP)
		ta_facts_put_absent(f, path, TA_UNSUPPORTED, "the controller does not know the question");
	else if (rc == -EBADMSG)
		ta_facts_put_absent(f, path, TA_MALFORMED, "the controller's answer makes no sense");
	else
		ta_facts_put_absent(f, path, ta_reason_of(rc), "an admin command to /dev/%s: %s", name, ta_errno_text(rc));
}

static void put_supported(struct ta_facts *f, const char *name, const struct apst *a)
{
	if (a->identify_rc < 0)
		put_controller_errno(f, a->identify_rc, name, "apst_capable");
	else
		ta_put_bool(f, a->power.capable, "nvme", name, "apst_capable");
	if (a->file_rc == 0 || (a->file_rc == -ENOENT && a->has_pm))
		ta_put_bool(f, a->file_rc == 0, "nvme", name, "apst_supported");
	else if (a->identify_rc == 0)
		ta_put_bool(f, a->power.capable, "nvme", name, "apst_supported");
	else
		ta_put_errno(f, a->file_rc, a->file, "nvme", name, "apst_supported");
}

static void put_enabled(struct ta_facts *f, const char *name, const struct apst *a)
{
	bool by_controller = a->table_rc == 0;

	if (by_controller || a->file_rc == 0) {
		ta_put_bool(f, by_controller ? a->power.enabled : a->tolerance_us != 0, "nvme", name, "apst_enabled");
		ta_put_str(f, by_controller ? "controller" : "driver", "nvme", name, "apst_source");
		return;
	}
	for (int i = 0; i < 2; i++) {
		const char *key = i ? "apst_source" : "apst_enabled";

		if (a->file_rc != -ENOENT)
			ta_put_errno(f, a->file_rc, a->file, "nvme", name, key);
		else if (a->identify_rc == 0 && a->power.capable)
			put_controller_errno(f, a->table_rc, name, key);
		else
			ta_facts_put_absent(f, TA_KEYS("nvme", name, key), TA_UNSUPPORTED, "no APST");
	}
}

static void put_state(struct ta_facts *f, const char *name, size_t i, const struct ta_nvme_state *s, int table_rc)
{
	char number[512];
	const char *key = ta_fmt(&number, "%zu", i);

	ta_put_bool(f, s->operational, "nvme", name, "power_states", key, "operational");
	if (s->max_power_uw)
		ta_put_u64(f, s->max_power_uw, "nvme", name, "power_states", key, "max_power_uw");
	else
		ta_facts_put_absent(f, TA_KEYS("nvme", name, "power_states", key, "max_power_uw"), TA_UNSUPPORTED,
			"the controller does not tell");
	ta_put_u64(f, s->entry_us, "nvme", name, "power_states", key, "entry_us");
	ta_put_u64(f, s->exit_us, "nvme", name, "power_states", key, "exit_us");
	if (table_rc < 0) {
		ta_facts_put_absent(f, TA_KEYS("nvme", name, "power_states", key, "idle_ms"), ta_reason_of(table_rc),
			"the controller's table of transitions: %s", ta_errno_text(table_rc));
		ta_facts_put_absent(f, TA_KEYS("nvme", name, "power_states", key, "next"), ta_reason_of(table_rc),
			"the controller's table of transitions: %s", ta_errno_text(table_rc));
		return;
	}
	ta_put_u64(f, s->idle_ms, "nvme", name, "power_states", key, "idle_ms");
	if (s->idle_ms)
		ta_put_u64(f, s->next, "nvme", name, "power_states", key, "next");
	else
		ta_facts_put_absent(f, TA_KEYS("nvme", name, "power_states", key, "next"), TA_UNSUPPORTED,
			"it does not leave this state by itself");
}

/* The slowest way back from where the table leads, as far as it is in force. */
static uint32_t slowest_exit(const struct ta_nvme_power *p)
{
	uint32_t most = 0;

	for (size_t i = 0; p->enabled && i < p->n; i++)
		if (p->v[i].idle_ms && p->v[i].next < p->n)
			most = TA_MAX(most, p->v[p->v[i].next].exit_us);
	return most;
}

static void put_states(struct ta_facts *f, const char *name, const struct apst *a)
{
	if (a->table_rc < 0)
		put_controller_errno(f, a->table_rc, name, "apst_exit_us");
	else
		ta_put_u64(f, slowest_exit(&a->power), "nvme", name, "apst_exit_us");
	if (a->identify_rc < 0) {
		put_controller_errno(f, a->identify_rc, name, "power_states");
		return;
	}
	ta_put_object(f, "nvme", name, "power_states");
	for (size_t i = 0; i < a->power.n; i++)
		put_state(f, name, i, &a->power.v[i], a->table_rc);
}

/* A controller that is being reset or is gone is not asked: the question would wait for it. */
static bool is_live(const struct ta_facts *f, const char *name)
{
	const char *state = ta_facts_get_str(f, TA_KEYS("nvme", name, "state"));

	return !state || strcmp(state, "live") == 0;
}

static void put_apst(struct ta_host *h, struct ta_facts *f, const char *name)
{
	struct apst a = {.identify_rc = -EBUSY, .table_rc = -EBUSY};
	char dir[512];

	ta_fmt(&a.file, "/sys/class/nvme/%s/power/pm_qos_latency_tolerance_us", name);
	a.file_rc = read_tolerance(h, a.file, &a.tolerance_us);
	a.has_pm = ta_host_exists(h, ta_fmt(&dir, "/sys/class/nvme/%s/power", name));
	if (is_live(f, name))
		a.identify_rc = ta_nvme_ask(h, name, &a.power, &a.table_rc);
	put_supported(f, name, &a);
	put_tolerance(f, name, &a);
	put_enabled(f, name, &a);
	put_states(f, name, &a);
}

static void put_numa_node(
	struct ta_host *h, struct ta_facts *f, const struct ta_netdev *d, struct ta_val n_nodes)
{
	struct ta_val node;
	char file[512];

	node = ta_val_read(h, ta_fmt(&file, "/sys/class/nvme/%s/numa_node", d->name));
	if (node.rc == -ENOENT && d->bus_dir)
		node = ta_val_read(h, ta_fmt(&file, "%s/numa_node", d->bus_dir));
	ta_put_val(f, TA_KEYS("nvme", d->name, "numa_node"), ta_numa_node(node, n_nodes), file);
}

static void put_text(struct ta_host *h, struct ta_facts *f, const char *name, const char *attribute,
	const char *key)
{
	char file[512];

	ta_read_str(h, f, ta_fmt(&file, "/sys/class/nvme/%s/%s", name, attribute),
		TA_KEYS("nvme", name, key));
}

static void put_controller(
	struct ta_host *h, struct ta_facts *f, const struct ta_netdev *d, struct ta_val n_nodes)
{
	const char *name = d->name;
	char file[512];

	ta_put_object(f, "nvme", name);
	put_text(h, f, name, "model", "model");
	put_text(h, f, name, "firmware_rev", "firmware");
	put_text(h, f, name, "state", "state");
	put_text(h, f, name, "transport", "transport");
	ta_read_int(h, f, ta_fmt(&file, "/sys/class/nvme/%s/queue_count", name),
		TA_KEYS("nvme", name, "queues"));
	put_apst(h, f, name);
	ta_read_int(h, f, PARAMETERS "/default_ps_max_latency_us",
		TA_KEYS("nvme", name, "default_ps_max_latency_us"));
	ta_read_bool(h, f, PARAMETERS "/force_apst", TA_KEYS("nvme", name, "force_apst"));
	put_numa_node(h, f, d, n_nodes);
	if (d->pci) {
		ta_put_str(f, d->pci, "nvme", name, "bus");
		ta_pcie_put(h, f, d->bus_dir, "nvme", name);
		return;
	}
	ta_facts_put_absent(f, TA_KEYS("nvme", name, "bus"), TA_UNSUPPORTED, "no PCI function");
	ta_facts_put_absent(f, TA_KEYS("nvme", name, "pcie"), TA_UNSUPPORTED, "no PCI function");
}

static void nvme_collect(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_netdevs struct ta_netdevs devs = TA_NETDEVS_INIT;
	struct ta_val n_nodes = ta_numa_count(h);
	int rc = ta_netdevs_read_class(h, "nvme", &devs);

	/* The class directory comes with the driver: a /sys without it has no controllers. */
	if (rc == -ENOENT && ta_host_exists(h, "/sys/class"))
		rc = 0;
	if (rc < 0) {
		ta_put_errno(f, rc, "/sys/class/nvme", "nvme");
		return;
	}
	ta_put_object(f, "nvme");
	for (size_t i = 0; i < devs.n; i++)
		put_controller(h, f, &devs.v[i], n_nodes);
}

const struct ta_probe ta_probe_nvme = {
	.name = "nvme",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = nvme_collect,
};
