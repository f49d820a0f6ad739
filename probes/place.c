/*
 * Where this system runs: hardware or virtual machine, container, cloud, and
 * who started it. Half of all advice does not apply in a guest or a container,
 * so "none" is said only where something proves it.
 */
#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "probe/place.h"
#include "probe/probe.h"
#include "probe/virt.h"

static const struct ta_field fields[] = {
	{"place.virtualization", TA_T_STRING, "",
		"kvm, qemu, vmware, xen, hyperv, virtualbox, bhyve, parallels, apple, zvm, lpar, powervm, other; none: hardware",
		TA_F_HARDWARE, {}},
	{"place.container", TA_T_STRING, "",
		"docker, podman, kubernetes, lxc, systemd-nspawn, openvz, wsl, oci, other; none: not in a container", 0, {}},
	{"place.cloud", TA_T_STRING, "", "aws, gce, azure, alibaba, oracle, openstack … by firmware strings; none: hardware of one's own",
		TA_F_HARDWARE, {}},
	{"place.instance_type", TA_T_STRING, "", "as the cloud calls it: AWS puts it into the firmware strings, of others cloud-init leaves it in /run", TA_F_HARDWARE, {}},
	{"place.burstable", TA_T_BOOL, "",
		"the CPU runs on credits or is a share of one (AWS t, Azure B, Google's shared cores, Alibaba t5 and t6, Huawei t6); "
		"false outside of clouds", TA_F_HARDWARE, {}},
	{"place.vendor", TA_T_STRING, "", "maker of the machine (dmi/id/sys_vendor)", TA_F_HARDWARE, {}},
	{"place.product", TA_T_STRING, "", "name of the machine (dmi/id/product_name, device-tree/model)", TA_F_HARDWARE, {}},
	{"place.cgroup", TA_T_STRING, "", "v1, v2, hybrid or none (/proc/self/mountinfo)", TA_F_SYSTEM, {}},
	{"place.init", TA_T_STRING, "", "systemd, openrc, procd, busybox, runit, s6, other (/proc/1/comm)", TA_F_SYSTEM, {}},
	{"place.uid", TA_T_INT, "", "effective user of this run (/proc/self/status)", TA_F_RUN, {}},
	{"place.cannot", TA_T_STRINGS, "", "what cannot be changed from here, and why", TA_F_RUN, {}},
	{"place.capabilities", TA_T_STRINGS, "", "effective capabilities of this run (CapEff in /proc/self/status)", TA_F_RUN,
		{}},
};

static void put_or_missing(struct ta_facts *f, const char *name, const char *value, const char *why)
{
	if (value && *value)
		ta_put_str(f, value, "place", name);
	else
		ta_facts_put_absent(f, TA_KEYS("place", name), TA_MISSING, "%s", why);
}

/* --- container ----------------------------------------------------------- */

static bool read_text(struct ta_host *h, const char *file, struct ta_buf *ret)
{
	if (ta_host_read(h, file, TA_READ_CAP, ret))
		return false;
	ta_buf_rtrim(ret);
	return true;
}

/* What engines put into the root of a container. */
static const char *from_files(struct ta_host *h)
{
	static const struct {
		const char *file, *name;
	} files[] = {
		{"/run/secrets/kubernetes.io", "kubernetes"}, {"/var/run/secrets/kubernetes.io", "kubernetes"},
		{"/run/.containerenv", "podman"}, {"/.dockerenv", "docker"}, {"/dev/lxd/sock", "lxc"},
		{"/dev/.lxc", "lxc"}, {"/proc/sys/fs/binfmt_misc/WSLInterop", "wsl"},
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(files); i++)
		if (ta_host_exists(h, files[i].file))
			return files[i].name;
	/* OpenVZ: /proc/vz on host and guest, /proc/bc on the host alone. */
	return ta_host_exists(h, "/proc/vz") && !ta_host_exists(h, "/proc/bc") ? "openvz" : NULL;
}

/* What of an engine's a process has around it, rather than what lies in its root. */
static const char *from_surroundings(struct ta_host *h, const struct ta_mounts *mounts)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	const char *name = NULL;

	if (read_text(h, "/proc/self/cgroup", &text))
		name = ta_cgroup_container(ta_buf_text(&text), text.len);
	return name ? name : mounts->container;
}

static const char *find_container(struct ta_host *h, const struct ta_mounts *mounts)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	const char *name = from_files(h);

	if (!name && read_text(h, "/run/systemd/container", &text) && text.len)
		name = ta_container_name(ta_buf_text(&text));
	if (!name && read_text(h, "/proc/1/cgroup", &text))
		name = ta_cgroup_container(ta_buf_text(&text), text.len);
	return name ? name : from_surroundings(h, mounts);
}

/* False too where we may not look: only root may see the namespaces of process 1. */
static bool shares_mounts_with_init(struct ta_host *h)
{
	ta_cleanup_buf struct ta_buf ours = TA_BUF_INIT, init = TA_BUF_INIT;

	return ta_host_readlink(h, "/proc/self/ns/mnt", &ours) == 0 && ta_host_readlink(h, "/proc/1/ns/mnt", &init) == 0 &&
	       !strcmp(ta_buf_text(&ours), ta_buf_text(&init));
}

/*
 * In the first PID namespace we are in no container, whatever lies about: virtual machines are booted
 * from container images and still have their /.dockerenv. But for one that was started with the host's PIDs.
 */
static void put_container(struct ta_host *h, struct ta_facts *f, const struct ta_mounts *mounts)
{
	/* PROC_PID_INIT_INO, include/linux/proc_ns.h: this number is fixed. */
	static const char first_namespace[] = "pid:[4026531836]";
	ta_cleanup_buf struct ta_buf link = TA_BUF_INIT;
	int rc = ta_host_readlink(h, "/proc/self/ns/pid", &link);
	bool first = !rc && !strcmp(ta_buf_text(&link), first_namespace);
	const char *name;

	if (first && shares_mounts_with_init(h))
		name = "none";
	else if (first)
		name = from_surroundings(h, mounts);
	else
		name = find_container(h, mounts);
	if (name || !rc)
		ta_put_str(f, name ? name : first ? "none" : "other", "place", "container");
	else
		ta_facts_put_absent(f, TA_KEYS("place", "container"), ta_reason_of(rc),
			"no engine left a trace, and the number of the PID namespace is not known");
}

/* --- cgroups, init, who we are ------------------------------------------- */

static void put_cgroup(struct ta_host *h, struct ta_facts *f, int rc, const struct ta_mounts *m)
{
	const char *version = "none";

	if (rc) { /* a tree of files: the directories show it as well */
		bool v2 = ta_host_exists(h, "/sys/fs/cgroup/cgroup.controllers");
		bool v1 = ta_host_exists(h, "/sys/fs/cgroup/memory") || ta_host_exists(h, "/sys/fs/cgroup/cpuset") ||
			  ta_host_exists(h, "/sys/fs/cgroup/cpu,cpuacct");

		version = v2 ? "v2" : ta_host_exists(h, "/sys/fs/cgroup/unified") ? "hybrid" : v1 ? "v1" : NULL;
	} else if (m->cgroup1) {
		version = m->cgroup2 ? "hybrid" : "v1";
	} else if (m->cgroup2) {
		version = "v2";
	}
	if (version)
		ta_put_str(f, version, "place", "cgroup");
	else
		ta_put_errno(f, rc, "/proc/self/mountinfo", "place", "cgroup");
}

static const char *init_name(struct ta_host *h, const char *comm)
{
	static const struct {
		const char *comm, *name;
	} known[] = {
		{"systemd", "systemd"}, {"procd", "procd"}, {"openrc-init", "openrc"}, {"runit", "runit"},
		{"s6-svscan", "s6"}, {"busybox", "busybox"},
	};
	ta_cleanup_buf struct ta_buf exe = TA_BUF_INIT;

	for (size_t i = 0; i < TA_ARRAY_SIZE(known); i++)
		if (!strcmp(comm, known[i].comm))
			return known[i].name;
	/* systemd as /sbin/init says "init" in some initrds; its runtime directory is sd_booted(3). */
	if (ta_host_exists(h, "/run/systemd/system"))
		return "systemd";
	if (ta_host_exists(h, "/run/openrc"))
		return "openrc";
	if (ta_host_readlink(h, "/proc/1/exe", &exe) == 0 && strstr(ta_buf_text(&exe), "busybox"))
		return "busybox";
	if (ta_host_readlink(h, "/sbin/init", &exe) == 0 && strstr(ta_buf_text(&exe), "busybox"))
		return "busybox";
	return "other";
}

/* The value behind "KEY:" at the start of a line, up to its end; false if there is none. */
static bool status_value(const char *status, const char *key, struct ta_buf *ret)
{
	size_t len = strlen(key);

	for (const char *line = status; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len) || line[len] != ':')
			continue;
		line += len + 1;
		line += strspn(line, " \t");
		ta_buf_reset(ret);
		ta_buf_add(ret, line, strcspn(line, "\n"));
		return true;
	}
	return false;
}

static void put_init(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT, status = TA_BUF_INIT;
	int rc = ta_host_read(h, "/proc/1/comm", TA_READ_CAP, &text);

	ta_buf_rtrim(&text);
	if (rc && read_text(h, "/proc/1/status", &status) && status_value(ta_buf_text(&status), "Name", &text))
		rc = 0;
	if (rc)
		ta_put_errno(f, rc, "/proc/1/comm", "place", "init");
	else
		ta_put_str(f, init_name(h, ta_buf_text(&text)), "place", "init");
}

/* include/uapi/linux/capability.h, by bit */
static const char *const capabilities[] = {
	"chown", "dac_override", "dac_read_search", "fowner", "fsetid", "kill", "setgid", "setuid", "setpcap",
	"linux_immutable", "net_bind_service", "net_broadcast", "net_admin", "net_raw", "ipc_lock", "ipc_owner",
	"sys_module", "sys_rawio", "sys_chroot", "sys_ptrace", "sys_pacct", "sys_admin", "sys_boot", "sys_nice",
	"sys_resource", "sys_time", "sys_tty_config", "mknod", "lease", "audit_write", "audit_control", "setfcap",
	"mac_override", "mac_admin", "syslog", "wake_alarm", "block_suspend", "audit_read", "perfmon", "bpf",
	"checkpoint_restore",
};

static void put_capabilities(struct ta_facts *f, uint64_t mask)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;

	for (size_t i = 0; i < TA_ARRAY_SIZE(capabilities); i++)
		if (mask >> i & 1)
			ta_strv_add(&names, capabilities[i]);
	ta_facts_put_strs(f, TA_KEYS("place", "capabilities"), names.v, names.n);
}

static void put_self(struct ta_host *h, struct ta_facts *f)
{
	static const char file[] = "/proc/self/status";
	ta_cleanup_buf struct ta_buf status = TA_BUF_INIT, value = TA_BUF_INIT;
	const char *text;
	uint64_t v;
	int rc = ta_host_read(h, file, TA_READ_CAP, &status);

	if (rc) {
		ta_put_errno(f, rc, file, "place", "uid");
		ta_put_errno(f, rc, file, "place", "capabilities");
		return;
	}
	/* "Uid: real effective saved filesystem" */
	if (status_value(ta_buf_text(&status), "Uid", &value) && (text = ta_buf_text(&value)) &&
		ta_next_u64(&text, &v) == 0 && ta_next_u64(&text, &v) == 0)
		ta_put_u64(f, v, "place", "uid");
	else
		ta_facts_put_absent(f, TA_KEYS("place", "uid"), TA_MALFORMED, "no Uid line in %s", file);
	if (status_value(ta_buf_text(&status), "CapEff", &value) && ta_parse_hex(ta_buf_text(&value), &v) == 0)
		put_capabilities(f, v);
	else
		ta_facts_put_absent(f, TA_KEYS("place", "capabilities"), TA_MALFORMED, "no CapEff line in %s", file);
}

/* --- machine ------------------------------------------------------------- */

static void put_cloud(struct ta_host *h, struct ta_facts *f, const struct ta_dmi *dmi, bool has_dmi, const char *virt)
{
	static const char file[] = "/run/cloud-init/instance-data.json";
	const char *cloud = ta_dmi_cloud(dmi), *type = ta_dmi_instance_type(dmi);
	bool own = has_dmi && !cloud && virt && !strcmp(virt, "none");
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	char left[96];

	if (!type && !own && !ta_host_read(h, file, TA_READ_CAP, &text) &&
		ta_cloud_init_instance_type(ta_buf_text(&text), text.len, left, sizeof(left)))
		type = left;
	put_or_missing(f, "cloud", own ? "none" : cloud,
		has_dmi ? "the firmware of this virtual machine names no cloud" : "no firmware strings (/sys/class/dmi/id)");
	put_or_missing(f, "instance_type", type,
		cloud || !has_dmi ? "neither the firmware nor cloud-init names it, and the network is not asked" :
				    "not an instance of a cloud that names it");
	if (own || type)
		ta_put_bool(f, type && ta_instance_is_burstable(cloud, type), "place", "burstable");
	else
		ta_facts_put_absent(f, TA_KEYS("place", "burstable"), TA_MISSING, "the instance type is not known");
}

/* A string of the firmware, or that its maker left it to others. */
static void put_dmi(struct ta_facts *f, const char *name, const char *value, const char *why)
{
	if (ta_dmi_is_placeholder(value))
		ta_facts_put_absent(f, TA_KEYS("place", name), TA_MISSING, "the firmware says only \"%s\"", value);
	else
		put_or_missing(f, name, value, why);
}

static void put_machine(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_buf struct ta_buf model = TA_BUF_INIT;
	struct ta_dmi dmi;
	bool has_dmi = ta_dmi_read(h, &dmi);
	const char *virt = ta_virt_find(h, has_dmi ? &dmi : NULL);

	if (!*dmi.product_name && (read_text(h, "/proc/device-tree/model", &model) ||
					  read_text(h, "/sys/firmware/devicetree/base/model", &model)))
		put_or_missing(f, "product", ta_buf_text(&model), "the device tree names no model");
	else
		put_dmi(f, "product", dmi.product_name, "neither firmware strings nor a device tree");
	put_dmi(f, "vendor", dmi.sys_vendor, "no firmware strings (/sys/class/dmi/id)");
	put_or_missing(f, "virtualization", virt,
		"no source of this architecture tells whether there is a hypervisor");
	put_cloud(h, f, &dmi, has_dmi, virt);
}

/* --- what cannot be changed from here ------------------------------------------ */

/* The first user namespace maps all ids to themselves (user_namespaces(7)). */
static bool in_user_namespace(struct ta_host *h)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	const char *at;
	uint64_t first = 1, second = 1, count = 0;

	if (ta_host_read(h, "/proc/self/uid_map", TA_READ_CAP, &text))
		return false;
	at = ta_buf_text(&text);
	return !(ta_next_u64(&at, &first) == 0 && ta_next_u64(&at, &second) == 0 && ta_next_u64(&at, &count) == 0 &&
		 !first && !second && count == UINT32_MAX);
}

static bool is_one(struct ta_host *h, const char *file)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	return read_text(h, file, &text) && !strcmp(ta_buf_text(&text), "1");
}

static void put_cannot(struct ta_host *h, struct ta_facts *f, int mounts_rc, const struct ta_mounts *m)
{
	static const struct {
		unsigned bit;
		const char *text;
	} needed[] = {
		{12, "interfaces: no capability net_admin"},
		{16, "modules: no capability sys_module"},
		{21, "mounts and other network namespaces: no capability sys_admin"},
		{24, "limits above the hard ones: no capability sys_resource"},
	};
	const char *container = ta_facts_get_str(f, TA_KEYS("place", "container")),
		   *virt = ta_facts_get_str(f, TA_KEYS("place", "virtualization"));
	ta_cleanup_buf struct ta_buf status = TA_BUF_INIT, value = TA_BUF_INIT;
	ta_cleanup_strv struct ta_strv all = TA_STRV_INIT;
	uint64_t caps;
	int64_t uid = 0;
	int rc = ta_host_read(h, "/proc/self/status", TA_READ_CAP, &status);

	if (!rc && (!status_value(ta_buf_text(&status), "CapEff", &value) || ta_parse_hex(ta_buf_text(&value), &caps)))
		rc = -EBADMSG;
	if (rc || mounts_rc) {
		ta_put_errno(f, rc ? rc : mounts_rc, rc ? "/proc/self/status" : "/proc/self/mountinfo", "place", "cannot");
		return;
	}
	/* Files of root: whoever is root may write them, and who may pass over permissions (CAP_DAC_OVERRIDE). */
	if (ta_facts_get_i64(f, TA_KEYS("place", "uid"), &uid) && uid && !(caps >> 1 & 1))
		ta_strv_add(&all, "sysctls and /sys: their files are root's");
	for (size_t i = 0; i < TA_ARRAY_SIZE(needed); i++)
		if (!(caps >> needed[i].bit & 1))
			ta_strv_add(&all, needed[i].text);
	if (in_user_namespace(h))
		ta_strv_add(&all, "the host: capabilities of a user namespace hold only inside of it");
	if (m->ro_proc_sys)
		ta_strv_add(&all, "sysctls: /proc/sys is mounted read-only");
	if (m->ro_sys)
		ta_strv_add(&all, "CPUs and drives and queues: /sys is mounted read-only");
	if (is_one(h, "/proc/sys/kernel/modules_disabled"))
		ta_strv_add(&all, "modules: loading them was switched off until the next boot (kernel.modules_disabled)");
	if (container && strcmp(container, "none") != 0)
		ta_strv_add(&all, "the kernel and its command line and modules: they are the host's and not the container's");
	if (virt && strcmp(virt, "none") != 0 && !ta_host_exists(h, "/sys/devices/system/cpu/cpufreq/policy0"))
		ta_strv_add(&all, "clock and idle states of CPUs: they are the hypervisor's");
	ta_facts_put_strs(f, TA_KEYS("place", "cannot"), all.v, all.n);
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_mounts mounts = {0};
	int rc = ta_host_read(h, "/proc/self/mountinfo", 8u << 20, &text);

	if (!rc)
		ta_mountinfo_parse(ta_buf_text(&text), text.len, &mounts);
	put_machine(h, f);
	put_container(h, f, &mounts);
	put_cgroup(h, f, rc, &mounts);
	put_init(h, f);
	put_self(h, f);
	put_cannot(h, f, rc, &mounts);
}

const struct ta_probe ta_probe_place = {
	.name = "place",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
