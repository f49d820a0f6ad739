/*
 * Tables of what hypervisors, clouds and container engines leave behind. The
 * order matters: a cloud's own strings come before those of the hypervisor
 * it is built on.
 */
#include "probe/place.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"

struct sign {
	size_t field; /* offset in struct ta_dmi */
	const char *text;
	const char *name;
};

#define SIGN(field, text, name) {offsetof(struct ta_dmi, field), text, name}

/* True if the string at the offset begins with `text`. */
static bool shows(const struct ta_dmi *dmi, const struct sign *s)
{
	const char *value = (const char *)dmi + s->field;

	return !strncmp(value, s->text, strlen(s->text));
}

static const char *find(const struct ta_dmi *dmi, const struct sign *signs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (shows(dmi, &signs[i]))
			return signs[i].name;
	return NULL;
}

const char *ta_dmi_hypervisor(const struct ta_dmi *dmi)
{
	/* As systemd's detect-virt.c knows them, and some that it does not. */
	static const struct sign signs[] = {
		SIGN(product_name, "KVM", "kvm"), SIGN(product_name, "OpenStack Nova", "kvm"),
		SIGN(product_name, "OpenStack Compute", "kvm"), SIGN(product_name, "CloudStack KVM", "kvm"),
		SIGN(product_name, "RHEV Hypervisor", "kvm"), SIGN(product_name, "oVirt", "kvm"),
		SIGN(product_name, "KubeVirt", "kvm"), SIGN(sys_vendor, "KubeVirt", "kvm"),
		SIGN(product_name, "Google Compute Engine", "kvm"), SIGN(product_name, "Alibaba Cloud ECS", "kvm"),
		SIGN(product_name, "VMware", "vmware"), SIGN(sys_vendor, "VMware", "vmware"),
		SIGN(product_name, "VirtualBox", "virtualbox"), SIGN(sys_vendor, "innotek GmbH", "virtualbox"),
		SIGN(product_name, "HVM domU", "xen"), SIGN(sys_vendor, "Xen", "xen"),
		SIGN(product_name, "Virtual Machine", "hyperv"), SIGN(product_name, "BHYVE", "bhyve"),
		SIGN(bios_vendor, "BHYVE", "bhyve"), SIGN(sys_vendor, "Parallels", "parallels"),
		SIGN(product_name, "Parallels", "parallels"), SIGN(sys_vendor, "Bochs", "bochs"),
		SIGN(product_name, "Bochs", "bochs"), SIGN(product_name, "Apple Virtualization", "apple"),
		SIGN(sys_vendor, "Hetzner", "kvm"), SIGN(sys_vendor, "DigitalOcean", "kvm"),
		SIGN(sys_vendor, "Scaleway", "kvm"), SIGN(sys_vendor, "UpCloud", "kvm"),
		SIGN(sys_vendor, "Linode", "kvm"), SIGN(sys_vendor, "Vultr", "kvm"),
		SIGN(sys_vendor, "QEMU", "qemu"), SIGN(board_vendor, "QEMU", "qemu"),
	};

	return find(dmi, signs, TA_ARRAY_SIZE(signs));
}

const char *ta_dmi_cloud(const struct ta_dmi *dmi)
{
	static const struct sign signs[] = {
		SIGN(sys_vendor, "Amazon EC2", "aws"), SIGN(bios_vendor, "Amazon EC2", "aws"),
		SIGN(product_name, "Google Compute Engine", "gce"), SIGN(sys_vendor, "Google", "gce"),
		/* "Microsoft Corporation" is any Hyper-V; the tag is Azure's (cloud-init, DataSourceAzure). */
		SIGN(chassis_asset_tag, "7783-7084-3265-9085-8269-3286-77", "azure"),
		SIGN(sys_vendor, "Alibaba Cloud", "alibaba"), SIGN(product_name, "Alibaba Cloud", "alibaba"),
		SIGN(chassis_asset_tag, "OracleCloud.com", "oracle"), SIGN(sys_vendor, "DigitalOcean", "digitalocean"),
		SIGN(sys_vendor, "Hetzner", "hetzner"), SIGN(sys_vendor, "Scaleway", "scaleway"),
		SIGN(sys_vendor, "Tencent Cloud", "tencent"), SIGN(chassis_asset_tag, "HUAWEICLOUD", "huawei"),
		SIGN(sys_vendor, "UpCloud", "upcloud"), SIGN(sys_vendor, "Vultr", "vultr"),
		SIGN(sys_vendor, "Linode", "akamai"), SIGN(sys_vendor, "Akamai", "akamai"),
		SIGN(sys_vendor, "Exoscale", "exoscale"), SIGN(product_name, "OpenStack", "openstack"),
		SIGN(sys_vendor, "OpenStack", "openstack"), SIGN(chassis_asset_tag, "OpenTelekomCloud", "telekom"),
		SIGN(product_name, "CloudStack", "cloudstack"), SIGN(sys_vendor, "Apache Software Foundation", "cloudstack"),
	};

	if (strstr(dmi->bios_version, ".amazon")) /* "4.11.amazon": EC2 on Xen */
		return "aws";
	return find(dmi, signs, TA_ARRAY_SIZE(signs));
}

const char *ta_dmi_instance_type(const struct ta_dmi *dmi)
{
	const char *name = dmi->product_name;
	size_t dot = strcspn(name, ".");

	/* "c6gn.16xlarge", "u-6tb1.metal": no blank, one dot. */
	if (strncmp(dmi->sys_vendor, "Amazon EC2", 10) || dot == 0 || !name[dot] || strpbrk(name, " \t"))
		return NULL;
	return name;
}

bool ta_cloud_init_instance_type(const char *text, size_t len, char *ret, size_t size)
{
	static const char *const keys[] = {"\"vmSize\"", "\"instance-type\"", "\"instance_type\"", "\"machine-type\""};
	ta_cleanup_buf struct ta_buf copy = TA_BUF_INIT;

	ta_buf_add(&copy, text, len);
	for (size_t i = 0; i < TA_ARRAY_SIZE(keys); i++) {
		const char *at = strstr(ta_buf_text(&copy), keys[i]);
		size_t n;

		if (!at)
			continue;
		at += strlen(keys[i]);
		at += strspn(at, " :");
		n = strspn(at + (*at == '"'), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");
		if (*at != '"' || !n || n >= size || at[n + 1] != '"')
			continue;
		memcpy(ret, at + 1, n);
		ret[n] = '\0';
		return true;
	}
	return false;
}

bool ta_instance_is_burstable(const char *cloud, const char *type)
{
	static const struct {
		const char *cloud, *start;
		bool digit; /* a digit follows */
	} families[] = {
		{"aws", "t1.", false}, {"aws", "t2.", false}, {"aws", "t3.", false}, {"aws", "t3a.", false},
		{"aws", "t4g.", false}, {"azure", "Standard_B", true}, {"azure", "Basic_B", true},
		{"gce", "e2-micro", false}, {"gce", "e2-small", false}, {"gce", "e2-medium", false},
		{"gce", "f1-micro", false}, {"gce", "g1-small", false}, {"alibaba", "ecs.t5-", false},
		{"alibaba", "ecs.t6-", false}, {"huawei", "t6.", false},
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(families); i++) {
		size_t n = strlen(families[i].start);

		if ((!cloud || !strcmp(cloud, families[i].cloud)) && !strncmp(type, families[i].start, n) &&
			(!families[i].digit || ta_is_digit(type[n])))
			return true;
	}
	return false;
}

bool ta_dmi_is_placeholder(const char *value)
{
	static const char *const texts[] = {
		"to be filled by o.e.m.", "to be filled by o.e.m", "o.e.m.", "oem", "default string", "default",
		"system manufacturer", "system product name", "system name", "not specified", "not applicable",
		"not available", "unknown", "undefined", "none", "n/a", "na", "empty", "invalid", "string",
		"xxxxxxxx", "0", "00000000", "123456789", "product name", "type1productconfigid", "type1family",
		"base board manufacturer", "manufacturer",
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(texts); i++)
		if (!strcasecmp(value, texts[i]))
			return true;
	/* Bytes of an erased flash, and blanks alone. */
	return *value && !value[strspn(value, " \xff.?-_")];
}

const char *ta_cpuid_hypervisor(const char signature[12])
{
	static const struct {
		char signature[13];
		const char *name;
	} known[] = {
		{"KVMKVMKVM\0\0\0", "kvm"}, {"Linux KVM Hv", "kvm"}, {"TCGTCGTCGTCG", "qemu"}, {"VMwareVMware", "vmware"},
		{"XenVMMXenVMM", "xen"}, {"Microsoft Hv", "hyperv"}, {"bhyve bhyve ", "bhyve"},
		{"VBoxVBoxVBox", "virtualbox"}, {" prl hyperv ", "parallels"}, {" lrpepyh  vr", "parallels"},
		{"ACRNACRNACRN", "acrn"}, {"QNXQVMBSQG\0\0", "qnx"}, {"SRESRESRESRE", "sre"},
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(known); i++)
		if (!memcmp(known[i].signature, signature, 12))
			return known[i].name;
	return NULL;
}

struct trace {
	const char *text;
	const char *name;
};

static const char *find_trace(const char *text, const struct trace *traces, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strstr(text, traces[i].text))
			return traces[i].name;
	return NULL;
}

/* Word number `n` (from 0) of the line, as a string of its own in `ret`; "" if there is none or it is too long. */
static void word(const char *line, unsigned n, char *ret, size_t size)
{
	size_t len;

	line += strspn(line, " ");
	for (; n && *line; n--) {
		line += strcspn(line, " ");
		line += strspn(line, " ");
	}
	len = strcspn(line, " ");
	if (len >= size)
		len = 0;
	memcpy(ret, line, len);
	ret[len] = '\0';
}

/* What is mounted over a place later hides what was there: the last one counts. */
static void see_options(struct ta_mounts *m, const char *line, const char *point)
{
	char options[16];
	bool ro;

	if (strcmp(point, "/proc") != 0 && strcmp(point, "/proc/sys") != 0 && strcmp(point, "/sys") != 0)
		return;
	word(line, 5, options, sizeof(options));
	if (!*options) { /* longer than that: its beginning is enough */
		const char *at = strstr(line, point);

		at = at ? strchr(at, ' ') : NULL;
		ro = at && !strncmp(at, " ro,", 4);
	} else {
		ro = !strncmp(options, "ro", 2) && (!options[2] || options[2] == ',');
	}
	if (!strcmp(point, "/sys"))
		m->ro_sys = ro;
	else
		m->ro_proc_sys = ro;
}

/* "31 23 0:27 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw": proc_pid_mountinfo(5) */
static void see_mount(struct ta_mounts *m, const char *line)
{
	/* Engines bind files of theirs over those of the container; only the root of the mount names them. */
	static const struct trace roots[] = {
		{"/kubelet/pods/", "kubernetes"}, {"/docker/containers/", "docker"}, {"/libpod/", "podman"},
		{"/containers/storage/", "podman"}, {"/overlay-containers/", "podman"},
	};
	const char *dash = strstr(line, " - ");
	char root[256], point[128], type[32];
	const char *name;

	if (!dash)
		return;
	word(line, 3, root, sizeof(root));
	word(line, 4, point, sizeof(point));
	word(dash + 3, 0, type, sizeof(type));
	see_options(m, line, point);
	m->cgroup1 = m->cgroup1 || !strcmp(type, "cgroup");
	m->cgroup2 = m->cgroup2 || !strcmp(type, "cgroup2");
	m->cgroup2_is_top = m->cgroup2_is_top || (!strcmp(type, "cgroup2") && !strcmp(point, "/sys/fs/cgroup"));
	/* lxcfs gives a container its own /proc/cpuinfo, meminfo, stat. */
	if (!m->container && !strcmp(type, "fuse.lxcfs") && !strncmp(point, "/proc/", 6))
		m->container = "lxc";
	name = strncmp(point, "/etc/", 5) ? NULL : find_trace(root, roots, TA_ARRAY_SIZE(roots));
	if (name && (!m->container || !strcmp(name, "kubernetes")))
		m->container = name;
}

/* Calls fn for each line, cut to 1023 bytes; a NUL ends the text. */
static void each_line(const char *text, size_t len, void (*fn)(const char *line, void *ctx), void *ctx)
{
	const char *end = text + strnlen(text, len);
	char line[1024];

	for (const char *p = text, *nl; p < end; p = nl + 1) {
		size_t n;

		nl = memchr(p, '\n', (size_t)(end - p));
		nl = nl ? nl : end;
		n = TA_MIN((size_t)(nl - p), sizeof(line) - 1);
		memcpy(line, p, n);
		line[n] = '\0';
		fn(line, ctx);
	}
}

static void on_mount(const char *line, void *ctx)
{
	see_mount(ctx, line);
}

void ta_mountinfo_parse(const char *text, size_t len, struct ta_mounts *ret)
{
	*ret = (struct ta_mounts){0};
	each_line(text, len, on_mount, ret);
}

/* "12:memory:/docker/<id>", "0::/kubepods/besteffort/pod…" */
static void on_cgroup(const char *line, void *ctx)
{
	static const struct trace paths[] = {
		{"/kubepods", "kubernetes"}, {"/docker/", "docker"}, {"/docker-", "docker"}, {"/libpod-", "podman"},
		{"/libpod_parent/", "podman"}, {"/lxc/", "lxc"}, {"/lxc.payload", "lxc"}, {"/lxc.monitor", "lxc"},
		{"/machine.slice/machine-", "systemd-nspawn"}, {"/ecs/", "docker"}, {"/actions_job/", "docker"},
	};
	const char **ret = ctx, *path = strchr(line, ':'), *name;

	path = path ? strchr(path + 1, ':') : NULL;
	name = path ? find_trace(path, paths, TA_ARRAY_SIZE(paths)) : NULL;
	if (name && (!*ret || !strcmp(name, "kubernetes")))
		*ret = name;
}

const char *ta_cgroup_container(const char *text, size_t len)
{
	const char *name = NULL;

	each_line(text, len, on_cgroup, &name);
	return name;
}

const char *ta_container_name(const char *text)
{
	static const struct trace names[] = {
		{"systemd-nspawn", "systemd-nspawn"}, {"lxc-libvirt", "lxc"}, {"lxc", "lxc"}, {"docker", "docker"},
		{"podman", "podman"}, {"kube", "kubernetes"}, {"rkt", "other"}, {"wsl", "wsl"}, {"proot", "other"},
		{"oci", "oci"},
	};
	const char *name = find_trace(text, names, TA_ARRAY_SIZE(names));

	return name ? name : "other";
}
