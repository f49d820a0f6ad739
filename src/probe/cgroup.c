/*
 * Limits of control groups. A group's own file is not the whole story: every
 * parent binds too, so each limit is looked for from the group up to the mount
 * point, and the least counts. Where the least CPU limit stands, there its
 * throttling is counted. The topmost group has no limit files at all.
 */
#include "probe/cgroup.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "probe/procpid.h"

/* memory.limit_in_bytes of version 1 without a limit: PAGE_COUNTER_MAX in bytes, for pages of up to 64 KiB … */
#define V1_NO_LIMIT 0x7fffffffffff0000u
#define V1_NO_LIMIT_32BIT 0x7fffffff000u /* … and on 32-bit kernels */

/* --- where they are mounted -------------------------------------------------- */

/* The next blank-separated field, with \040 and its like undone. False: there is none, or it is too long. */
static bool next_field(const char **at, char *ret, size_t size)
{
	const char *p = *at;
	size_t n = 0;

	for (; *p && *p != ' '; n++) {
		if (n + 1 >= size)
			return false;
		if (p[0] == '\\' && p[1] >= '0' && p[1] <= '3' && p[2] >= '0' && p[2] <= '7' && p[3] >= '0' &&
			p[3] <= '7') {
			ret[n] = (char)((p[1] - '0') << 6 | (p[2] - '0') << 3 | (p[3] - '0'));
			p += 4;
		} else {
			ret[n] = *p++;
		}
	}
	ret[n] = '\0';
	*at = *p ? p + 1 : p;
	return n > 0;
}

static bool has_option(const char *options, const char *name)
{
	size_t want = strlen(name);

	while (*options) {
		size_t len = strcspn(options, ",");

		if (len == want && memcmp(options, name, len) == 0)
			return true;
		options += len + (options[len] == ',');
	}
	return false;
}

void ta_cgroups_mount_line(const char *line, struct ta_cgroups *c)
{
	struct ta_cgroup_mount m = {.there = true};
	char skip[64], type[16], options[128];
	const char *at = line, *behind = strstr(line, " - ");

	if (!behind)
		return;
	behind += 3;
	if (!next_field(&at, skip, sizeof(skip)) || !next_field(&at, skip, sizeof(skip)) ||
		!next_field(&at, skip, sizeof(skip)) || !next_field(&at, m.root, sizeof(m.root)) ||
		!next_field(&at, m.point, sizeof(m.point)) || !next_field(&behind, type, sizeof(type)) ||
		!next_field(&behind, skip, sizeof(skip)) || !next_field(&behind, options, sizeof(options)))
		return;
	if (strcmp(type, "cgroup2") == 0 && !c->v2.there)
		c->v2 = m;
	if (strcmp(type, "cgroup") != 0)
		return;
	if (has_option(options, "cpu"))
		c->cpu = m;
	if (has_option(options, "memory"))
		c->memory = m;
	if (has_option(options, "pids"))
		c->pids = m;
}

static int add_line(const char *line, size_t len, void *ctx)
{
	ta_cgroups_mount_line(line, ctx);
	return 0;
}

static void usual_place(struct ta_host *h, const char *file, const char *dir, struct ta_cgroup_mount *m)
{
	m->there = ta_host_exists(h, file);
	snprintf(m->point, sizeof(m->point), "%s", dir);
	snprintf(m->root, sizeof(m->root), "/");
}

void ta_cgroups_find(struct ta_host *h, struct ta_cgroups *ret)
{
	*ret = (struct ta_cgroups){0};
	if (ta_host_lines(h, "/proc/self/mountinfo", add_line, ret) == 0)
		return;
	/* A capture without it: where every distribution has them. */
	usual_place(h, "/sys/fs/cgroup/cgroup.controllers", "/sys/fs/cgroup", &ret->v2);
	usual_place(h, "/sys/fs/cgroup/cpu/cpu.shares", "/sys/fs/cgroup/cpu", &ret->cpu);
	usual_place(h, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory",
		&ret->memory);
	usual_place(h, "/sys/fs/cgroup/pids/tasks", "/sys/fs/cgroup/pids", &ret->pids);
}

/* --- one file of a group ------------------------------------------------------ */

int ta_cgroup_cpu_max(const char *text, uint64_t *ret_percent)
{
	uint64_t quota, period, part;

	if (strncmp(text, "max", 3) == 0)
		return -ENOENT;
	if (ta_next_u64(&text, &quota) < 0 || ta_next_u64(&text, &period) < 0 || period == 0 ||
		__builtin_mul_overflow(quota, 100, &part))
		return -EBADMSG;
	*ret_percent = TA_MAX(part / period, 1u);
	return 0;
}

int ta_cgroup_stat(const char *text, const char *name, uint64_t *ret)
{
	size_t len = strlen(name);

	while (*text) {
		if (strncmp(text, name, len) == 0 && text[len] == ' ') {
			text += len;
			return ta_next_u64(&text, ret) < 0 ? -EBADMSG : 0;
		}
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return -ENOENT;
}

/*
 * The directory of the process's group below a mount. 0, -ENOENT (not mounted), -EXDEV (outside of what is
 * mounted here), -ESRCH (it is gone).
 */
static int group_dir(struct ta_host *h, const struct ta_cgroup_mount *m, const char *text, const char *controller,
	char (*dir)[512])
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;
	const char *below;
	size_t root = strcmp(m->root, "/") == 0 ? 0 : strlen(m->root);
	int rc = m->there ? ta_cgroup_path(text, controller, &path) : -ENOENT;

	if (rc < 0)
		return rc;
	below = ta_buf_text(&path);
	if (strncmp(below, m->root, root) != 0 || (below[root] && below[root] != '/'))
		return -EXDEV;
	below += root;
	/* A cgroup namespace shows groups outside of it as /../other. */
	if (strstr(below, "/..") || strstr(below, "//") || strlen(below) > 250)
		return -EXDEV;
	snprintf(*dir, sizeof(*dir), "%s%s", m->point, strcmp(below, "/") == 0 ? "" : below);
	return ta_host_exists(h, *dir) ? 0 : -ESRCH;
}

/* The next directory up, until the mount point was the last one. */
static bool go_up(const struct ta_cgroup_mount *m, char (*dir)[512])
{
	char *slash = strrchr(*dir, '/');

	if (!slash || strlen(*dir) <= strlen(m->point))
		return false;
	*slash = '\0';
	return true;
}

static int read_in(struct ta_host *h, const char *dir, const char *name, struct ta_buf *ret)
{
	char file[600];

	snprintf(file, sizeof(file), "%s/%s", dir, name);
	return ta_host_read(h, file, TA_READ_CAP, ret);
}

/* --- limits -------------------------------------------------------------------- */

/* Reads the limit of one directory. 0, -ENOENT (no limit), -errno. */
typedef int limit_fn(struct ta_host *h, const char *dir, uint64_t *ret);

static int v2_cpu(struct ta_host *h, const char *dir, uint64_t *ret)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = read_in(h, dir, "cpu.max", &text);

	return rc < 0 ? rc : ta_cgroup_cpu_max(ta_buf_text(&text), ret);
}

static int v1_cpu(struct ta_host *h, const char *dir, uint64_t *ret)
{
	ta_cleanup_buf struct ta_buf quota = TA_BUF_INIT;
	ta_cleanup_buf struct ta_buf period = TA_BUF_INIT;
	int rc = read_in(h, dir, "cpu.cfs_quota_us", &quota);

	if (rc == 0 && ta_buf_text(&quota)[0] == '-')
		return -ENOENT;
	if (rc == 0)
		rc = read_in(h, dir, "cpu.cfs_period_us", &period);
	if (rc < 0)
		return rc;
	ta_buf_rtrim(&quota);
	ta_buf_printf(&quota, " %s", ta_buf_text(&period));
	return ta_cgroup_cpu_max(ta_buf_text(&quota), ret);
}

static int number_or_max(struct ta_host *h, const char *dir, const char *name, uint64_t *ret)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = read_in(h, dir, name, &text);

	if (rc == 0 && strncmp(ta_buf_text(&text), "max", 3) == 0)
		return -ENOENT;
	if (rc == 0)
		rc = ta_parse_u64(ta_buf_text(&text), ret) < 0 ? -EBADMSG : 0;
	return rc;
}

static int v2_memory(struct ta_host *h, const char *dir, uint64_t *ret)
{
	return number_or_max(h, dir, "memory.max", ret);
}

static int v1_memory(struct ta_host *h, const char *dir, uint64_t *ret)
{
	int rc = number_or_max(h, dir, "memory.limit_in_bytes", ret);

	return rc == 0 && (*ret >= V1_NO_LIMIT || *ret == V1_NO_LIMIT_32BIT) ? -ENOENT : rc;
}

static int pids_max(struct ta_host *h, const char *dir, uint64_t *ret)
{
	return number_or_max(h, dir, "pids.max", ret);
}

/*
 * The least limit from `dir` upwards; `at` becomes the directory that has it, or stays `dir`.
 * 0, -ENOENT (no limit anywhere), -errno.
 */
static int least(struct ta_host *h, const struct ta_cgroup_mount *m, const char *dir, limit_fn *fn,
	uint64_t *ret, char (*at)[512])
{
	char here[512];
	bool found = false;

	snprintf(here, sizeof(here), "%s", dir);
	snprintf(*at, sizeof(*at), "%s", dir);
	do {
		uint64_t v;
		int rc = fn(h, here, &v);

		if (rc < 0 && rc != -ENOENT)
			return rc;
		if (rc == 0 && (!found || v < *ret)) {
			*ret = v;
			found = true;
			snprintf(*at, sizeof(*at), "%s", here);
		}
	} while (go_up(m, &here));
	return found ? 0 : -ENOENT;
}

static void put_reason(struct ta_facts *f, const char *key, const char *name, int rc)
{
	const char *const *path = TA_KEYS("cgroups", key, name);

	if (rc == -EXDEV)
		ta_facts_put_absent(f, path, TA_DENIED, "outside of this cgroup namespace");
	else if (rc == -ENOENT)
		ta_facts_put_absent(f, path, TA_MISSING, "the cgroup controller is not mounted");
	else if (rc == -ESRCH)
		ta_facts_put_absent(f, path, TA_MISSING, "the cgroup is not there");
	else
		ta_facts_put_errno(f, path, rc, "cgroup");
}

static void put_limit(struct ta_facts *f, const char *key, const char *name, int rc, uint64_t v)
{
	if (rc == 0)
		ta_put_u64(f, v, "cgroups", key, name);
	else if (rc == -ENOENT)
		ta_put_unlimited(f, "cgroups", key, name);
	else
		put_reason(f, key, name, rc);
}

static void put_number(struct ta_host *h, struct ta_facts *f, const char *key, const char *name,
	const char *dir, const char *file)
{
	uint64_t v;
	int rc = number_or_max(h, dir, file, &v);

	if (rc == 0)
		ta_put_u64(f, v, "cgroups", key, name);
	else if (rc == -ENOENT)
		ta_facts_put_absent(f, TA_KEYS("cgroups", key, name), TA_MISSING,
			"the topmost group does not count it, or the controller is off here");
	else
		put_reason(f, key, name, rc);
}

/*
 * A group that was never limited has no such counters: it was not throttled. `rc` says whether `dir`, which has the
 * least limit, was found.
 */
static void put_throttling(struct ta_host *h, struct ta_facts *f, const char *key, const char *dir, bool v1, int rc)
{
	static const struct {
		const char *fact, *v2, *v1;
	} stats[] = {
		{"cpu_periods", "nr_periods", "nr_periods"},
		{"cpu_throttled_periods", "nr_throttled", "nr_throttled"},
		{"cpu_throttled_us", "throttled_usec", "throttled_time"},
	};
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	bool found = rc == 0;
	int read = found ? read_in(h, dir, "cpu.stat", &text) : rc;

	for (size_t i = 0; i < TA_ARRAY_SIZE(stats); i++) {
		uint64_t v = 0;

		rc = read < 0 ? read : ta_cgroup_stat(ta_buf_text(&text), v1 ? stats[i].v1 : stats[i].v2, &v);
		if (rc < 0 && (!found || rc != -ENOENT))
			put_reason(f, key, stats[i].fact, rc);
		else
			ta_put_u64(f, v1 && i == 2 ? v / 1000 : v, "cgroups", key, stats[i].fact);
	}
}

/* What a controller limits, and how much of it is used. */
struct controller {
	const char *name;    /* of version 1 */
	size_t mount;        /* its own in struct ta_cgroups, where it has one */
	limit_fn *v1, *v2;
	const char *limit;   /* the facts … */
	const char *used;    /* … NULL: what counts is how often it was throttled */
	const char *used_v1, *used_v2; /* and their files */
};

static const struct controller controllers[] = {
	{"cpu", offsetof(struct ta_cgroups, cpu), v1_cpu, v2_cpu, "cpu_limit_percent", NULL, NULL, NULL},
	{"memory", offsetof(struct ta_cgroups, memory), v1_memory, v2_memory, "memory_max_bytes",
		"memory_current_bytes", "memory.usage_in_bytes", "memory.current"},
	{"pids", offsetof(struct ta_cgroups, pids), pids_max, pids_max, "pids_max", "pids_current", "pids.current",
		"pids.current"},
};

static void put_controller(struct ta_host *h, const struct ta_cgroups *c, const char *text, const struct controller *ctl,
	struct ta_facts *f, const char *key)
{
	const struct ta_cgroup_mount *m = (const void *)((const char *)c + ctl->mount);
	bool v1 = m->there;
	char dir[512], at[512];
	uint64_t limit = 0;
	int rc;

	if (!v1)
		m = &c->v2;
	rc = group_dir(h, m, text, v1 ? ctl->name : "", &dir);
	if (rc < 0) {
		put_reason(f, key, ctl->limit, rc);
	} else {
		int found = least(h, m, dir, v1 ? ctl->v1 : ctl->v2, &limit, &at);

		put_limit(f, key, ctl->limit, found, limit);
	}
	if (!ctl->used)
		put_throttling(h, f, key, at, v1, rc);
	else if (rc < 0)
		put_reason(f, key, ctl->used, rc);
	else
		put_number(h, f, key, ctl->used, dir, v1 ? ctl->used_v1 : ctl->used_v2);
}

void ta_cgroup_put(struct ta_host *h, const struct ta_cgroups *c, const char *text,
	struct ta_facts *f, const char *key)
{
	/* It is there, even if nothing of it can be read. */
	ta_put_object(f, "cgroups", key);
	for (size_t i = 0; i < TA_ARRAY_SIZE(controllers); i++)
		put_controller(h, c, text, &controllers[i], f, key);
}
