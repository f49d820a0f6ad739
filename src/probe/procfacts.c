/*
 * What is told of one process, apart from its sockets.
 */
#include "probe/procfacts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "probe/procpid.h"

const char *ta_proc_file(char (*buf)[64], const char *pid, const char *name)
{
	snprintf(*buf, sizeof(*buf), "/proc/%.20s/%s", pid, name);
	return *buf;
}

static void put_limits(struct ta_host *h, struct ta_facts *f, const char *pid)
{
	static const struct {
		const char *row, *soft, *hard;
	} rows[] = {
		{"Max open files", "nofile_soft", "nofile_hard"},
		{"Max processes", "nproc_soft", NULL},
		{"Max locked memory", "memlock_soft", NULL},
		{"Max stack size", "stack_soft", NULL},
	};
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	char file[64];
	int read = ta_host_read(h, ta_proc_file(&file, pid, "limits"), TA_READ_CAP, &text);

	for (size_t i = 0; i < TA_ARRAY_SIZE(rows); i++) {
		struct ta_limit v[2];
		const char *names[] = {rows[i].soft, rows[i].hard};
		int rc = read < 0 ? read
				  : ta_limits_find(ta_buf_text(&text), rows[i].row, &v[0], &v[1]);

		for (size_t k = 0; k < 2 && names[k]; k++) {
			if (rc < 0)
				ta_put_errno(f, rc, file, "processes", pid, names[k]);
			else if (v[k].unlimited)
				ta_put_unlimited(f, "processes", pid, names[k]);
			else
				ta_put_u64(f, v[k].value, "processes", pid, names[k]);
		}
	}
}

static void put_status_number(struct ta_facts *f, const char *pid, const char *text, const char *row,
	const char *name)
{
	ta_cleanup_buf struct ta_buf value = TA_BUF_INIT;
	uint64_t v;
	int rc = ta_status_find(text, row, &value);

	if (rc == 0 && ta_parse_u64(ta_buf_text(&value), &v) < 0)
		rc = -EBADMSG;
	if (rc < 0)
		ta_put_errno(f, rc, row, "processes", pid, name);
	else if (strcmp(name, "thp_enabled") == 0)
		ta_put_bool(f, v != 0, "processes", pid, name);
	else
		ta_put_u64(f, v, "processes", pid, name);
}

static void put_status(struct ta_host *h, struct ta_facts *f, const char *pid)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	ta_cleanup_buf struct ta_buf cpus = TA_BUF_INIT;
	ta_cleanup_cpuset struct ta_cpuset set = TA_CPUSET_INIT;
	char file[64];
	int rc = ta_host_read(h, ta_proc_file(&file, pid, "status"), TA_READ_CAP, &text);

	if (rc < 0) {
		ta_put_errno(f, rc, file, "processes", pid, "threads");
		ta_put_errno(f, rc, file, "processes", pid, "cpus_allowed");
		ta_put_errno(f, rc, file, "processes", pid, "thp_enabled");
		ta_put_errno(f, rc, file, "processes", pid, "seccomp");
		return;
	}
	put_status_number(f, pid, ta_buf_text(&text), "Threads", "threads");
	put_status_number(f, pid, ta_buf_text(&text), "THP_enabled", "thp_enabled");
	put_status_number(f, pid, ta_buf_text(&text), "Seccomp", "seccomp");
	rc = ta_status_find(ta_buf_text(&text), "Cpus_allowed_list", &cpus);
	if (rc == 0)
		rc = ta_cpuset_parse_list(&set, ta_buf_text(&cpus));
	if (rc < 0)
		ta_put_errno(f, rc, file, "processes", pid, "cpus_allowed");
	else
		ta_put_cpus(f, &set, "processes", pid, "cpus_allowed");
}

void ta_proc_put(struct ta_host *h, struct ta_facts *f, const char *pid)
{
	put_limits(h, f, pid);
	put_status(h, f, pid);
}
