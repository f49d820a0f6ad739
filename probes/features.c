/*
 * What this kernel has, as files and netlink families tell without trying:
 * scheduling, memory, receive path, control groups, power. That a file is not
 * there says "no" only where all is known; a copied tree may just lack it.
 */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/num.h"
#include "probe/feature.h"
#include "probe/modules.h"
#include "probe/probe.h"

#define TRY_PR_SCHED_CORE 62
#define TRY_IFLA_GSO_IPV4_MAX_SIZE 63 /* Linux 6.3 */

static const struct ta_field fields[] = {
	TA_FEATURE("accurate_ecn", "accurate explicit congestion notification"),
	TA_FEATURE("tw_reuse_delay", "the age from which ports in TIME-WAIT are used again can be set"),
	TA_FEATURE("port_step_width", "outgoing ports are tried in steps"),
	TA_FEATURE("rps", "packets of one queue are spread over CPUs"),
	TA_FEATURE("rfs", "packets go to the CPU where the application runs"),
	TA_FEATURE("xps", "transmit queues are chosen by CPU"),
	TA_FEATURE("threaded_napi", "devices are polled by threads"),
	TA_FEATURE("big_tcp", "packets above 64 KiB inside the host, IPv4 too"),
	TA_FEATURE("ethtool_netlink", "device settings by netlink"),
	TA_FEATURE("netdev_genl", "queues and NAPI instances by netlink"),
	TA_FEATURE("af_xdp", "packets to user space past the stack"),
	TA_FEATURE("mptcp", "one TCP connection over several paths"),
	TA_FEATURE("qdisc_fq", "queueing discipline fq"),
	TA_FEATURE("qdisc_fq_codel", "queueing discipline fq_codel"),
	TA_FEATURE("qdisc_cake", "queueing discipline cake"),
	TA_FEATURE("psi", "pressure stall information"),
	TA_FEATURE("cgroup_v2", "control groups version 2 hold the controllers"),
	TA_FEATURE("cgroup_pressure", "pressure of each control group"),
	TA_FEATURE("eevdf", "the scheduler of 6.6 and newer"),
	TA_FEATURE("sched_ext", "schedulers written in BPF"),
	TA_FEATURE("preempt_dynamic", "the preemption model can be chosen at boot"),
	TA_FEATURE("core_scheduling", "tasks of a group share no core with others"),
	TA_FEATURE("mglru", "multi-generational page reclaim, on"),
	TA_FEATURE("mthp", "huge pages of several sizes"),
	TA_FEATURE("memory_tiering", "cold pages move to slower memory"),
	TA_FEATURE("mitigations", "the state of CPU vulnerabilities is told"),
	TA_FEATURE("cpu_capacity", "the capacity of each CPU is told"),
	TA_FEATURE("cpufreq", "the clock of the CPUs is governed by this kernel"),
	TA_FEATURE("rapl", "the energy that the CPUs take is told"),
	TA_FEATURE("thermal_throttle", "throttling by heat is counted"),
	TA_FEATURE("nvme_apst", "power states of NVMe drives can be bounded"),
};

/* --- files ------------------------------------------------------------------------ */

static const struct {
	const char *name, *file, *needs;
	const char *dir; /* if this is not there, nothing is known */
} by_file[] = {
	{"accurate_ecn", "/proc/sys/net/ipv4/tcp_ecn_option", "Linux 6.18", "/proc/sys/net/ipv4"},
	{"tw_reuse_delay", "/proc/sys/net/ipv4/tcp_tw_reuse_delay", "Linux 6.14", "/proc/sys/net/ipv4"},
	{"port_step_width", "/proc/sys/net/ipv4/ip_local_port_step_width", "a kernel newer than 6.18",
		"/proc/sys/net/ipv4"},
	{"rps", "/sys/class/net/lo/queues/rx-0/rps_cpus", "CONFIG_RPS", "/sys/class/net/lo"},
	{"rfs", "/sys/class/net/lo/queues/rx-0/rps_flow_cnt", "CONFIG_RPS", "/sys/class/net/lo"},
	{"xps", "/sys/class/net/lo/queues/tx-0/xps_cpus", "CONFIG_XPS", "/sys/class/net/lo"},
	{"threaded_napi", "/sys/class/net/lo/threaded", "Linux 5.12", "/sys/class/net/lo"},
	{"eevdf", "/sys/kernel/debug/sched/base_slice_ns", "Linux 6.6", "/sys/kernel/debug/sched"},
	{"preempt_dynamic", "/sys/kernel/debug/sched/preempt", "CONFIG_PREEMPT_DYNAMIC",
		"/sys/kernel/debug/sched"},
	{"sched_ext", "/sys/kernel/sched_ext/state", "Linux 6.12 with CONFIG_SCHED_CLASS_EXT", "/sys/kernel"},
	{"memory_tiering", "/sys/kernel/mm/numa/demotion_enabled", "Linux 5.15 with NUMA", "/sys/kernel/mm"},
	{"mitigations", "/sys/devices/system/cpu/vulnerabilities", "Linux 4.15", "/sys/devices/system/cpu"},
	{"cpu_capacity", "/sys/devices/system/cpu/cpu0/cpu_capacity", "a capacity told by firmware",
		"/sys/devices/system/cpu/cpu0"},
	{"cpufreq", "/sys/devices/system/cpu/cpufreq/policy0", "a cpufreq driver; virtual machines have none",
		"/sys/devices/system/cpu"},
	{"rapl", "/sys/class/powercap/intel-rapl:0/energy_uj", "CONFIG_INTEL_RAPL and a CPU that tells",
		"/sys/class"},
	{"thermal_throttle", "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count",
		"an Intel CPU that is not a virtual one", "/sys/devices/system/cpu/cpu0"},
};

static void put_no(struct ta_host *h, struct ta_facts *f, const char *name, const char *file,
	const char *needs)
{
	if (ta_host_is_whole(h))
		ta_feature_put(f, name, false, "no %s; it takes %s", file, needs);
	else
		ta_feature_absent(f, name, TA_MISSING, "no %s in this capture", file);
}

/* The directory cannot be looked into: as /sys/kernel/debug by others than root, or it is not there. */
static void put_no_dir(struct ta_host *h, struct ta_facts *f, const char *name, const char *file, const char *dir)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = ta_host_read(h, file, TA_READ_CAP, &text);

	if (rc == -EACCES || rc == -EPERM)
		ta_feature_absent(f, name, TA_DENIED, "%s: %s", file, ta_errno_text(rc));
	else
		ta_feature_absent(f, name, TA_MISSING, "no %s to look in", dir);
}

static void collect_files(struct ta_host *h, struct ta_facts *f)
{
	for (size_t i = 0; i < TA_ARRAY_SIZE(by_file); i++) {
		if (ta_host_exists(h, by_file[i].file))
			ta_feature_put(f, by_file[i].name, true, "%s is there", by_file[i].file);
		else if (!ta_host_exists(h, by_file[i].dir))
			put_no_dir(h, f, by_file[i].name, by_file[i].file, by_file[i].dir);
		else
			put_no(h, f, by_file[i].name, by_file[i].file, by_file[i].needs);
	}
}

static void collect_psi(struct ta_host *h, struct ta_facts *f)
{
	static const char file[] = "/proc/pressure/cpu";
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = ta_host_read(h, file, TA_READ_CAP, &text);

	if (rc == 0)
		ta_feature_put(f, "psi", true, "%s was read", file);
	else if (rc == -EOPNOTSUPP)
		ta_feature_put(f, "psi", false, "switched off; psi=1 on the kernel's command line switches it on");
	else if (rc == -ENOENT)
		put_no(h, f, "psi", file, "Linux 4.20 with CONFIG_PSI");
	else
		ta_feature_absent(f, "psi", ta_reason_of(rc), "%s: %s", file, ta_errno_text(rc));
}

static void collect_mglru(struct ta_host *h, struct ta_facts *f)
{
	static const char file[] = "/sys/kernel/mm/lru_gen/enabled";
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = ta_host_read(h, file, TA_READ_CAP, &text);

	ta_buf_rtrim(&text);
	if (rc == -ENOENT)
		put_no(h, f, "mglru", file, "Linux 6.1 with CONFIG_LRU_GEN");
	else if (rc < 0)
		ta_feature_absent(f, "mglru", ta_reason_of(rc), "%s: %s", file, ta_errno_text(rc));
	else
		ta_feature_put(f, "mglru", strcmp(ta_buf_text(&text), "0x0000") != 0, "%s is %s", file,
			ta_buf_text(&text));
}

static void collect_mthp(struct ta_host *h, struct ta_facts *f)
{
	static const char dir[] = "/sys/kernel/mm/transparent_hugepage";
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	size_t sizes = 0;
	int rc = ta_host_list(h, dir, &names);

	for (size_t i = 0; rc == 0 && i < names.n; i++)
		sizes += strncmp(names.v[i], "hugepages-", 10) == 0;
	if (rc == -ENOENT)
		put_no(h, f, "mthp", dir, "CONFIG_TRANSPARENT_HUGEPAGE");
	else if (rc < 0)
		ta_feature_absent(f, "mthp", ta_reason_of(rc), "%s: %s", dir, ta_errno_text(rc));
	else if (sizes)
		ta_feature_put(f, "mthp", true, "%s has %zu sizes", dir, sizes);
	else
		put_no(h, f, "mthp", "size in /sys/kernel/mm/transparent_hugepage", "Linux 6.8");
}

static void collect_cgroups(struct ta_host *h, struct ta_facts *f)
{
	static const char v2[] = "/sys/fs/cgroup/cgroup.controllers", root[] = "/sys/fs/cgroup";
	static const char pressure[] = "/sys/fs/cgroup/cpu.pressure";

	if (!ta_host_exists(h, root)) {
		ta_feature_absent(f, "cgroup_v2", TA_MISSING, "no %s", root);
		ta_feature_absent(f, "cgroup_pressure", TA_MISSING, "no %s", root);
		return;
	}
	if (ta_host_exists(h, v2))
		ta_feature_put(f, "cgroup_v2", true, "%s is there", v2);
	else
		put_no(h, f, "cgroup_v2", v2, "a system started with version 2 alone");
	if (ta_host_exists(h, pressure))
		ta_feature_put(f, "cgroup_pressure", true, "%s is there", pressure);
	else
		put_no(h, f, "cgroup_pressure", pressure, "control groups version 2 and CONFIG_PSI");
}

static void collect_nvme(struct ta_host *h, struct ta_facts *f)
{
	static const char dir[] = "/sys/class/nvme";
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	char file[512];

	if (ta_host_list(h, dir, &names) < 0 || names.n == 0) {
		ta_feature_absent(f, "nvme_apst", TA_MISSING, "no NVMe drive");
		return;
	}
	for (size_t i = 0; i < names.n; i++) {
		ta_fmt(&file, "%s/%s/power/pm_qos_latency_tolerance_us", dir, names.v[i]);
		if (ta_host_exists(h, file)) {
			ta_feature_put(f, "nvme_apst", true, "%s is there", file);
			return;
		}
	}
	put_no(h, f, "nvme_apst", "pm_qos_latency_tolerance_us of any drive", "a drive with APST");
}

/* --- protocols, modules, netlink ---------------------------------------------------- */

struct protocol {
	const char *name;
	bool found;
};

static int find_protocol(const char *line, size_t len, void *ctx)
{
	struct protocol *p = ctx;
	size_t n = strlen(p->name);

	p->found |= strncmp(line, p->name, n) == 0 && line[n] == ' ';
	return 0;
}

static void collect_protocol(struct ta_host *h, struct ta_facts *f, const char *name,
	const char *protocol, const char *needs)
{
	static const char file[] = "/proc/net/protocols";
	struct protocol p = {.name = protocol};
	int rc = ta_host_lines(h, file, find_protocol, &p);

	if (rc < 0)
		ta_feature_absent(f, name, ta_reason_of(rc), "%s: %s", file, ta_errno_text(rc));
	else if (p.found)
		ta_feature_put(f, name, true, "%s is in %s", protocol, file);
	else
		ta_feature_put(f, name, false, "%s is not in %s; it takes %s", protocol, file, needs);
}

static void collect_qdiscs(struct ta_host *h, struct ta_facts *f)
{
	static const char *const names[] = {"qdisc_fq", "qdisc_fq_codel", "qdisc_cake"};
	static const char *const modules[] = {"sch_fq", "sch_fq_codel", "sch_cake"};
	enum ta_module states[TA_ARRAY_SIZE(modules)];

	ta_modules_look(h, modules, TA_ARRAY_SIZE(modules), states);
	for (size_t i = 0; i < TA_ARRAY_SIZE(names); i++) {
		if (states[i] == TA_MODULE_LOADED || states[i] == TA_MODULE_BUILTIN)
			ta_feature_put(f, names[i], true, "module %s is %s", modules[i],
				ta_module_name(states[i]));
		else if (states[i] == TA_MODULE_ABSENT)
			ta_feature_put(f, names[i], false, "this kernel has no module %s", modules[i]);
		else if (states[i] == TA_MODULE_AVAILABLE)
			ta_feature_absent(f, names[i], TA_NOT_ASKED, "module %s is not loaded; available",
				modules[i]);
		else
			ta_feature_absent(f, names[i], TA_NOT_ASKED,
				"finding out would change a device");
	}
}

struct families {
	bool ethtool, netdev;
};

static int add_family(const struct nlmsghdr *nlh, void *ctx)
{
	struct families *have = ctx;
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
	{
		if (mnl_attr_get_type(attr) != CTRL_ATTR_FAMILY_NAME ||
			mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) < 0)
			continue;
		have->ethtool |= strcmp(mnl_attr_get_str(attr), "ethtool") == 0;
		have->netdev |= strcmp(mnl_attr_get_str(attr), "netdev") == 0;
	}
	return 0;
}

/* All families, since asking for one by its name may load a module. */
static void collect_families(struct ta_host *h, struct ta_facts *f)
{
	struct {
		struct nlmsghdr nlh;
		struct genlmsghdr genl;
	} request = {
		.nlh = {.nlmsg_len = sizeof(request), .nlmsg_type = GENL_ID_CTRL,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
		.genl = {.cmd = CTRL_CMD_GETFAMILY, .version = 1},
	};
	struct families have = {0};
	int rc = ta_host_netlink(h, NETLINK_GENERIC, "genl-families", &request.nlh, add_family, &have);

	if (rc < 0) {
		ta_feature_absent(f, "ethtool_netlink", ta_reason_of(rc), "%s", ta_errno_text(rc));
		ta_feature_absent(f, "netdev_genl", ta_reason_of(rc), "%s", ta_errno_text(rc));
		return;
	}
	ta_feature_put(f, "ethtool_netlink", have.ethtool, "netlink family ethtool is %s",
		have.ethtool ? "there" : "not there; it takes Linux 5.6 with CONFIG_ETHTOOL_NETLINK");
	ta_feature_put(f, "netdev_genl", have.netdev, "netlink family netdev is %s",
		have.netdev ? "there" : "not there; it takes Linux 6.3");
}

static int has_ipv4_max(const struct nlmsghdr *nlh, void *ctx)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct ifinfomsg))
		if (mnl_attr_get_type(attr) == TRY_IFLA_GSO_IPV4_MAX_SIZE)
			*(bool *)ctx = true;
	return 0;
}

static void collect_big_tcp(struct ta_host *h, struct ta_facts *f)
{
	struct {
		struct nlmsghdr nlh;
		struct ifinfomsg link;
	} request = {
		.nlh = {.nlmsg_len = sizeof(request), .nlmsg_type = RTM_GETLINK,
			.nlmsg_flags = NLM_F_REQUEST},
		.link = {.ifi_index = 1}, /* the loopback device of every namespace */
	};
	bool has = false;
	int rc = ta_host_netlink(h, NETLINK_ROUTE, "link-loopback", &request.nlh, has_ipv4_max, &has);

	if (rc < 0)
		ta_feature_absent(f, "big_tcp", ta_reason_of(rc), "%s", ta_errno_text(rc));
	else
		ta_feature_put(f, "big_tcp", has, "IFLA_GSO_IPV4_MAX_SIZE is %s",
			has ? "told" : "not told; it takes Linux 6.3");
}

/* --- asked -------------------------------------------------------------------------- */

/* The cookie of this process: 0 if it has none. ENODEV: no CPU has two threads. */
static int try_core_scheduling(char *text, size_t size)
{
	uint64_t cookie = 0;

	if (prctl(TRY_PR_SCHED_CORE, 0UL, 0UL, 0UL, &cookie) == 0)
		return 0;
	if (errno != ENODEV)
		return -errno;
	snprintf(text, size, "the kernel has it; there are no sibling threads to keep apart");
	return 0;
}

static const struct ta_feature core_scheduling = {"core_scheduling", try_core_scheduling,
	"PR_SCHED_CORE answers", "Linux 5.14 with CONFIG_SCHED_CORE"};

static void collect(struct ta_host *h, struct ta_facts *f)
{
	collect_files(h, f);
	collect_psi(h, f);
	collect_mglru(h, f);
	collect_mthp(h, f);
	collect_cgroups(h, f);
	collect_nvme(h, f);
	collect_protocol(h, f, "af_xdp", "XDP", "CONFIG_XDP_SOCKETS");
	collect_protocol(h, f, "mptcp", "MPTCP", "Linux 5.6 with CONFIG_MPTCP");
	collect_qdiscs(h, f);
	collect_families(h, f);
	collect_big_tcp(h, f);
	ta_features_try(h, f, &core_scheduling, 1, NULL);
}

const struct ta_probe ta_probe_features = {
	.name = "features",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
