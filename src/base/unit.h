/*
 * Who a process belongs to.
 */
#pragma once

#include <stdbool.h>

/* Who owns a process, as its cgroup tells. */
struct ta_unit {
	char name[128];  /* "nginx.service", "0123456789ab" of a container; "" if neither */
	bool container;
};

/*
 * From the whole text of /proc/PID/cgroup. Containers of docker, containerd, CRI-O, podman, LXC and nspawn are
 * known by the names that they give to cgroups; ids are cut to 12 digits. A scope that systemd made for a
 * login is no unit.
 */
void ta_unit_of(const char *text, struct ta_unit *ret);
