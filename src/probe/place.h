/*
 * Where a system runs, told from texts: firmware strings, mount tables, cgroup
 * paths. All functions take bytes and read nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Firmware strings (/sys/class/dmi/id); "" where there is none. */
struct ta_dmi {
	char sys_vendor[96];
	char product_name[96];
	char board_vendor[96];
	char bios_vendor[96];
	char bios_version[96];
	char chassis_asset_tag[96];
};

/*
 * kvm, qemu, vmware, xen, hyperv, virtualbox, parallels, bhyve, apple … or NULL if these strings are not a hypervisor's.
 * A vendor of clouds is no proof: its bare-metal instances carry the same strings.
 */
const char *ta_dmi_hypervisor(const struct ta_dmi *dmi);

/* aws, azure, gce, alibaba, oracle, digitalocean … or NULL. */
const char *ta_dmi_cloud(const struct ta_dmi *dmi);

/* The instance type where the firmware tells it (AWS since Nitro): "m5.large"; or NULL. */
const char *ta_dmi_instance_type(const struct ta_dmi *dmi);

/*
 * The instance type in what cloud-init left of the last boot (/run/cloud-init/instance-data.json, one key per line),
 * for clouds that do not put it into the firmware; false if it names none. No network is asked.
 */
bool ta_cloud_init_instance_type(const char *text, size_t len, char *ret, size_t size);

/*
 * True for instance types whose CPU runs on credits or is a share of one: AWS t1 to t4g, Azure B, Google's e2-micro to
 * e2-medium, f1 and g1, Alibaba t5 and t6, Huawei t6. `cloud` as of ta_dmi_cloud(); NULL: by the type alone.
 */
bool ta_instance_is_burstable(const char *cloud, const char *type);

/* True for what makers leave in firmware that nobody filled in: "To Be Filled By O.E.M.", "Default string" … */
bool ta_dmi_is_placeholder(const char *value);

/* The 12 bytes that CPUID leaf 0x40000000 answers with; NULL if unknown. */
const char *ta_cpuid_hypervisor(const char signature[12]);

/* /proc/self/mountinfo */
struct ta_mounts {
	bool cgroup1;        /* a controller of cgroup v1 is mounted */
	bool cgroup2;        /* cgroup2 is mounted … */
	bool cgroup2_is_top; /* … at /sys/fs/cgroup itself */
	bool ro_proc_sys, ro_sys; /* /proc/sys (or all of /proc), /sys cannot be written */
	const char *container; /* what bind mounts of container engines give away: docker, kubernetes, lxc, podman; NULL */
};
void ta_mountinfo_parse(const char *text, size_t len, struct ta_mounts *ret);

/* /proc/1/cgroup or /proc/self/cgroup: docker, kubernetes, lxc, podman, systemd-nspawn; NULL if the paths say nothing. */
const char *ta_cgroup_container(const char *text, size_t len);

/* What systemd writes to /run/systemd/container, and others to the variable `container`, in our names. */
const char *ta_container_name(const char *text);
