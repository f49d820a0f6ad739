/*
 * How many files, tasks and mappings the host allows, and what this process
 * itself could be given: root without CAP_SYS_RESOURCE cannot go above the
 * hard limit that it was started with, whatever fs.nr_open says.
 */
#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "probe/probe.h"
#include "probe/procpid.h"

#define CAP_SYS_RESOURCE 24 /* include/uapi/linux/capability.h */

static const struct ta_field fields[] = {
	{"limits.file_max", TA_T_INT, "files", "most open files of the whole host (fs.file-max)", 0, {}},
	{"limits.nr_open", TA_T_INT, "files",
		"the highest descriptor limit that a process can be given (fs.nr_open)", 0, {}},
	{"limits.file_used", TA_T_INT, "files", "files open now, whole host (fs.file-nr)",
		TA_F_VOLATILE, {}},
	{"limits.threads_max", TA_T_INT, "tasks", "most tasks of the whole host (kernel.threads-max)",
		0, {}},
	{"limits.pid_max", TA_T_INT, "PIDs", "PIDs stay below this (kernel.pid_max)", 0, {}},
	{"limits.max_map_count", TA_T_INT, "maps",
		"most memory mappings of one process (vm.max_map_count)", 0, {}},
	{"limits.tasks", TA_T_INT, "tasks", "tasks now, whole host (/proc/loadavg)", TA_F_VOLATILE, {}},
	{"limits.load1", TA_T_REAL, "tasks",
		"tasks that run, wait for a CPU or for a disk, mean of the last minute (/proc/loadavg)", TA_F_VOLATILE, {}},
	{"limits.self_nofile_soft", TA_T_INT, "files", "descriptor limit of tuneaudit itself, soft",
		TA_F_UNLIMITED | TA_F_RUN, {}},
	{"limits.self_nofile_hard", TA_T_INT, "files",
		"descriptor limit of tuneaudit itself, hard: what its caller can raise to",
		TA_F_UNLIMITED | TA_F_RUN, {}},
	{"limits.can_raise_nofile", TA_T_BOOL, "",
		"this process may go above its hard descriptor limit (CAP_SYS_RESOURCE in the first "
		"user namespace)", TA_F_RUN, {}},
	{"limits.init_nofile_soft", TA_T_INT, "files", "descriptor limit of process 1, soft",
		TA_F_UNLIMITED, {}},
	{"limits.init_nofile_hard", TA_T_INT, "files",
		"descriptor limit of process 1, hard: what services start from", TA_F_UNLIMITED, {}},
};

static void put_limit(struct ta_facts *f, const char *name, const struct ta_limit *l)
{
	if (l->unlimited)
		ta_put_unlimited(f, "limits", name);
	else
		ta_put_u64(f, l->value, "limits", name);
}

static void read_nofile(struct ta_host *h, struct ta_facts *f, const char *file, const char *soft_name,
	const char *hard_name)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_limit soft, hard;
	int rc = ta_host_read(h, file, TA_READ_CAP, &text);

	if (rc == 0)
		rc = ta_limits_find(ta_buf_text(&text), "Max open files", &soft, &hard);
	if (rc < 0) {
		ta_put_errno(f, rc, file, "limits", soft_name);
		ta_put_errno(f, rc, file, "limits", hard_name);
		return;
	}
	put_limit(f, soft_name, &soft);
	put_limit(f, hard_name, &hard);
}

/* The first user namespace maps every id to itself: "0 0 4294967295" (user_namespaces(7)). */
static bool in_first_user_namespace(struct ta_host *h)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	uint64_t inside, outside, count;
	int rc = ta_host_read(h, "/proc/self/uid_map", TA_READ_CAP, &text);
	const char *at = ta_buf_text(&text);

	/* Kernels without user namespaces have no such file. */
	if (rc == -ENOENT)
		return true;
	return rc == 0 && ta_next_u64(&at, &inside) == 0 && ta_next_u64(&at, &outside) == 0 &&
	       ta_next_u64(&at, &count) == 0 && inside == 0 && outside == 0 && count == UINT32_MAX;
}

static void read_can_raise(struct ta_host *h, struct ta_facts *f)
{
	static const char file[] = "/proc/self/status";
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	ta_cleanup_buf struct ta_buf caps = TA_BUF_INIT;
	uint64_t effective;
	int rc = ta_host_read(h, file, TA_READ_CAP, &text);

	if (rc == 0)
		rc = ta_status_find(ta_buf_text(&text), "CapEff", &caps);
	if (rc == 0 && ta_parse_hex(ta_buf_text(&caps), &effective) < 0)
		rc = -EBADMSG;
	if (rc < 0)
		ta_put_errno(f, rc, file, "limits", "can_raise_nofile");
	else
		ta_put_bool(f, (effective >> CAP_SYS_RESOURCE & 1) && in_first_user_namespace(h),
			"limits", "can_raise_nofile");
}

/* The first number of a file that holds more. */
static void read_first(struct ta_host *h, struct ta_facts *f, const char *file, const char *name)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = ta_host_read(h, file, TA_READ_CAP, &text);
	const char *at = ta_buf_text(&text);
	uint64_t v;

	if (rc == 0)
		rc = ta_next_u64(&at, &v) < 0 ? -EBADMSG : 0;
	if (rc < 0)
		ta_put_errno(f, rc, file, "limits", name);
	else
		ta_put_u64(f, v, "limits", name);
}

/* "0.52 0.58 0.59 1/86 12345": means of 1, 5 and 15 minutes, running/all tasks (fs/proc/loadavg.c). */
static void read_load(struct ta_host *h, struct ta_facts *f)
{
	static const char file[] = "/proc/loadavg";
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = ta_host_read(h, file, TA_READ_CAP, &text);
	const char *slash = strchr(ta_buf_text(&text), '/'), *all = slash ? slash + 1 : "";
	uint64_t load, tasks;

	if (rc == 0 && ta_next_u64(&all, &tasks) < 0)
		rc = -EBADMSG;
	if (rc == 0) {
		text.data[strcspn(text.data, " ")] = '\0';
		rc = ta_parse_hundredths(text.data, &load) < 0 ? -EBADMSG : 0;
	}
	if (rc < 0) {
		ta_put_errno(f, rc, file, "limits", "load1");
		ta_put_errno(f, rc, file, "limits", "tasks");
		return;
	}
	ta_put_real(f, (double)load / 100, "limits", "load1");
	ta_put_u64(f, tasks, "limits", "tasks");
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	ta_read_int(h, f, "/proc/sys/fs/file-max", TA_KEYS("limits", "file_max"));
	ta_read_int(h, f, "/proc/sys/fs/nr_open", TA_KEYS("limits", "nr_open"));
	read_first(h, f, "/proc/sys/fs/file-nr", "file_used");
	ta_read_int(h, f, "/proc/sys/kernel/threads-max", TA_KEYS("limits", "threads_max"));
	ta_read_int(h, f, "/proc/sys/kernel/pid_max", TA_KEYS("limits", "pid_max"));
	ta_read_int(h, f, "/proc/sys/vm/max_map_count", TA_KEYS("limits", "max_map_count"));
	read_load(h, f);
	read_nofile(h, f, "/proc/self/limits", "self_nofile_soft", "self_nofile_hard");
	read_can_raise(h, f);
	read_nofile(h, f, "/proc/1/limits", "init_nofile_soft", "init_nofile_hard");
}

const struct ta_probe ta_probe_limits = {
	.name = "limits",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
