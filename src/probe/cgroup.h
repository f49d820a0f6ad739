/*
 * What control groups allow their processes: CPU time, memory, tasks. Both
 * versions, also mixed, as /proc/self/mountinfo tells where they are.
 */
#pragma once

#include "facts/facts.h"
#include "host/host.h"

struct ta_cgroup_mount {
	bool there;
	char point[256]; /* /sys/fs/cgroup/memory */
	char root[256];  /* the cgroup that is mounted there; in containers not "/" */
};

struct ta_cgroups {
	struct ta_cgroup_mount v2, cpu, memory, pids; /* the last three are of version 1 */
};

void ta_cgroups_find(struct ta_host *h, struct ta_cgroups *ret);

/* One line of mountinfo (proc_pid_mountinfo(5)) into the mount that it is; all other lines change nothing. */
void ta_cgroups_mount_line(const char *line, struct ta_cgroups *c);

/*
 * Puts every field of cgroups.KEY for the process whose /proc/PID/cgroup holds `text`. A limit is the least of
 * the group's and its parents'.
 */
void ta_cgroup_put(struct ta_host *h, const struct ta_cgroups *c, const char *text,
	struct ta_facts *f, const char *key);

/* "max 100000", "50000 100000" -> percent of one CPU, at least 1. 0, -ENOENT (no limit) or -EBADMSG. */
int ta_cgroup_cpu_max(const char *text, uint64_t *ret_percent);

/* The number behind a name in "nr_periods 3\nnr_throttled 1\n". 0, -ENOENT or -EBADMSG. */
int ta_cgroup_stat(const char *text, const char *name, uint64_t *ret);
