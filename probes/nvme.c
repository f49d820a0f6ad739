/*
 * NVMe controllers: power-state transitions, queues, link.
 *
 * The file power/pm_qos_latency_tolerance_us is there exactly when the driver
 * found autonomous power-state transitions (APST) supported and not ruled out
 * by a quirk (drivers/nvme/host/core.c nvme_init_identify()). A tolerance of 0
 * switches them off; "any" and "auto" set no limit (nvme_set_latency_tolerance()).
 */
#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "probe/netdev.h"
#include "probe/pcie.h"
#include "probe/probe.h"
#include "probe/value.h"

static const struct ta_field fields[] = {
	{"nvme.*.model", TA_T_STRING, "", "model as the controller tells it", 0, {{0}}},
	{"nvme.*.firmware", TA_T_STRING, "", "firmware revision", 0, {{0}}},
	{"nvme.*.state", TA_T_STRING, "", "live, resetting, dead …", 0, {{0}}},
	{"nvme.*.transport", TA_T_STRING, "", "pcie, tcp, rdma, fc", 0, {{0}}},
	{"nvme.*.bus", TA_T_STRING, "", "PCI function", 0, {{0}}},
	{"nvme.*.queues", TA_T_INT, "queues", "queues, the admin queue among them (queue_count)", 0,
		{{0}}},
	{"nvme.*.numa_node", TA_T_INT, "", "NUMA node; 0 where there is one node", 0, {{0}}},
	{"nvme.*.apst_supported", TA_T_BOOL, "",
		"autonomous power-state transitions are there and the driver allows them", 0,
		{{0}}},
	{"nvme.*.apst_enabled", TA_T_BOOL, "",
		"the driver has switched them on (latency tolerance above 0)", 0, {{0}}},
	{"nvme.*.latency_tolerance_us", TA_T_INT, "us",
		"slowest wake-up allowed (pm_qos_latency_tolerance_us; \"any\" and \"auto\" are "
		"unlimited)",
		TA_F_UNLIMITED, {{0}}},
	{"nvme.*.default_ps_max_latency_us", TA_T_INT, "us",
		"the tolerance that controllers start with (nvme_core parameter)", 0, {{0}}},
	{"nvme.*.pcie.speed_mts", TA_T_INT, "MT/s per lane", "PCIe speed now", 0, {{0}}},
	{"nvme.*.pcie.width", TA_T_INT, "lanes", "PCIe lanes now", 0, {{0}}},
	{"nvme.*.pcie.max_speed_mts", TA_T_INT, "MT/s per lane", "PCIe speed it can", 0, {{0}}},
	{"nvme.*.pcie.max_width", TA_T_INT, "lanes", "PCIe lanes it has", 0, {{0}}},
};

#define PARAMETERS "/sys/module/nvme_core/parameters"

static void put_apst(struct ta_host *h, struct ta_facts *f, const char *name)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int64_t us = 0;
	char file[512];
	int rc;

	rc = ta_text_read(h,
		ta_fmt(&file, "/sys/class/nvme/%s/power/pm_qos_latency_tolerance_us", name), &text);
	if (rc == -ENOENT || rc == -ENOTDIR) {
		ta_put_bool(f, false, "nvme", name, "apst_supported");
		ta_facts_put_absent(
			f, TA_KEYS("nvme", name, "apst_enabled"), TA_UNSUPPORTED, "no APST");
		ta_facts_put_absent(f, TA_KEYS("nvme", name, "latency_tolerance_us"),
			TA_UNSUPPORTED, "no APST");
		return;
	}
	if (rc == 0 && strcmp(ta_buf_text(&text), "any") != 0 &&
		strcmp(ta_buf_text(&text), "auto") != 0)
		rc = ta_parse_i64(ta_buf_text(&text), &us) < 0 || us < 0 ? -EBADMSG : 0;
	else if (rc == 0)
		us = -1;
	if (rc < 0) {
		ta_put_errno(f, rc, file, "nvme", name, "apst_supported");
		ta_put_errno(f, rc, file, "nvme", name, "apst_enabled");
		ta_put_errno(f, rc, file, "nvme", name, "latency_tolerance_us");
		return;
	}
	ta_put_bool(f, true, "nvme", name, "apst_supported");
	ta_put_bool(f, us != 0, "nvme", name, "apst_enabled");
	if (us < 0)
		ta_put_unlimited(f, "nvme", name, "latency_tolerance_us");
	else
		ta_put_i64(f, us, "nvme", name, "latency_tolerance_us");
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
