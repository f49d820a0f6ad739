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

/* True for instance types whose CPU runs on credits: AWS t2, t3, t3a, t4g. */
bool ta_instance_is_burstable(const char *type);

/* The 12 bytes that CPUID leaf 0x40000000 answers with; NULL if unknown. */
const char *ta_cpuid_hypervisor(const char signature[12]);

/* /proc/self/mountinfo */
struct ta_mounts {
	bool cgroup1;        /* a controller of cgroup v1 is mounted */
	bool cgroup2;        /* cgroup2 is mounted … */
	bool cgroup2_is_top; /* … at /sys/fs/cgroup itself */
	const char *container; /* what bind mounts of container engines give away: docker, kubernetes, lxc, podman; NULL */
};
void ta_mountinfo_parse(const char *text, size_t len, struct ta_mounts *ret);

/* /proc/1/cgroup or /proc/self/cgroup: docker, kubernetes, lxc, podman, systemd-nspawn; NULL if the paths say nothing. */
const char *ta_cgroup_container(const char *text, size_t len);

/* What systemd writes to /run/systemd/container, and others to the variable `container`, in our names. */
const char *ta_container_name(const char *text);
