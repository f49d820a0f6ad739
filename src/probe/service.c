#include "probe/service.h"

#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "probe/probe.h"

/* Control groups v2, v1 with systemd's own, hybrid. */
static const char *const slices[] = {"/sys/fs/cgroup/system.slice", "/sys/fs/cgroup/systemd/system.slice",
	"/sys/fs/cgroup/unified/system.slice"};

int ta_service_installed(struct ta_host *h, const struct ta_service *s)
{
	for (const char *const *p = s->programs; *p; p++)
		if (ta_host_exists(h, *p))
			return 1;
	return ta_host_is_whole(h) ? 0 : -ENODATA;
}

/* 1: its name; 0: another's, or gone. */
static int is_named(struct ta_host *h, const char *pid, const char *comm)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	char path[512];

	if (ta_host_read(h, ta_fmt(&path, "/proc/%s/comm", pid), 256, &text))
		return 0;
	ta_buf_rtrim(&text);
	return !strcmp(ta_buf_text(&text), comm);
}

static int by_pid_file(struct ta_host *h, const struct ta_service *s)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	uint64_t pid;

	if (!s->pid_file || ta_host_read(h, s->pid_file, 256, &text) || ta_parse_u64(ta_buf_text(&text), &pid))
		return 0;
	ta_buf_rtrim(&text);
	return is_named(h, ta_buf_text(&text), s->comm);
}

/*
 * All processes are in sight only where process 1 is (proc(5), hidepid), and a copied tree has those that somebody
 * thought of.
 */
static int by_names(struct ta_host *h, const char *comm)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	int rc = ta_host_list(h, "/proc", &names);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < names.n; i++)
		if (strchr("123456789", names.v[i][0]) && is_named(h, names.v[i], comm))
			return 1;
	if (!ta_host_is_whole(h))
		return -ENODATA;
	return ta_strv_has(&names, "1") ? 0 : -EACCES;
}

int ta_service_runs(struct ta_host *h, const struct ta_service *s)
{
	bool systemd = false;
	char path[512];

	for (size_t i = 0; i < TA_ARRAY_SIZE(slices); i++) {
		if (!ta_host_exists(h, slices[i]))
			continue;
		systemd = true;
		if (ta_host_exists(h, ta_fmt(&path, "%s/%s", slices[i], s->unit)))
			return 1;
	}
	/* Started by hand it would be elsewhere; nobody does that to a service of systemd. */
	if (systemd && ta_host_exists(h, "/run/systemd/system"))
		return 0;
	if (by_pid_file(h, s))
		return 1;
	if (ta_service_installed(h, s) == 0)
		return 0;
	return by_names(h, s->comm);
}

bool ta_service_enabled(struct ta_host *h, const char *unit)
{
	char path[512];

	return ta_host_exists(h, ta_fmt(&path, "/etc/systemd/system/multi-user.target.wants/%s", unit));
}
