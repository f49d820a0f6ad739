#include "load/room.h"

#include <errno.h>
#include <string.h>

#include "base/num.h"

/* The n-th number (from 0) of a file that has little else; `unset` where there is none. */
static uint64_t number_at(struct ta_host *h, const char *path, unsigned n, uint64_t unset)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	const char *at;
	uint64_t v = unset;

	if (ta_host_read(h, path, 4096, &text) < 0)
		return unset;
	at = ta_buf_text(&text);
	for (unsigned i = 0; i <= n; i++)
		if (ta_next_u64(&at, &v) < 0)
			return unset;
	return v;
}

static uint64_t left(uint64_t max, uint64_t used)
{
	if (max == TA_ROOM_UNLIMITED)
		return max;
	return max > used ? max - used : 0;
}

/* "Max open files   1024   524288   files": the hard limit is the second number (fs/proc/base.c). */
static int limits_line(const char *line, size_t len, void *ctx)
{
	static const char name[] = "Max open files";
	struct ta_room *r = ctx;
	const char *at = line + sizeof(name) - 1;
	uint64_t soft, hard;

	if (!strncmp(line, name, sizeof(name) - 1) && ta_next_u64(&at, &soft) == 0 && ta_next_u64(&at, &hard) == 0)
		r->descriptors = hard;
	return 0;
}

static int meminfo_line(const char *line, size_t len, void *ctx)
{
	static const char name[] = "MemAvailable:";
	struct ta_room *r = ctx;
	const char *at = line + sizeof(name) - 1;
	uint64_t kb;

	if (!strncmp(line, name, sizeof(name) - 1) && ta_next_u64(&at, &kb) == 0)
		r->memory = kb << 10;
	return 0;
}

/* --- control groups ------------------------------------------------------------ */

struct cgroup {
	struct ta_host *host;
	struct ta_room *room;
};

static uint64_t cgroup_left(struct ta_host *h, const char *dir, size_t len, const char *max, const char *used)
{
	ta_cleanup_buf struct ta_buf a = TA_BUF_INIT, b = TA_BUF_INIT;

	ta_buf_printf(&a, "/sys/fs/cgroup%.*s/%s", (int)len, dir, max);
	ta_buf_printf(&b, "/sys/fs/cgroup%.*s/%s", (int)len, dir, used);
	if (a.error || b.error)
		return TA_ROOM_UNLIMITED;
	return left(number_at(h, ta_buf_text(&a), 0, TA_ROOM_UNLIMITED), number_at(h, ta_buf_text(&b), 0, 0));
}

/* A group of version 2 and all above it. "max" is no number, and so no limit. */
static void second_version(struct cgroup *c, const char *dir)
{
	size_t len = strlen(dir);

	while (len > 1) {
		uint64_t memory = cgroup_left(c->host, dir, len, "memory.max", "memory.current");

		c->room->tasks = TA_MIN(c->room->tasks, cgroup_left(c->host, dir, len, "pids.max", "pids.current"));
		if (memory < c->room->memory) {
			c->room->memory = memory;
			c->room->memory_by_cgroup = true;
		}
		while (len && dir[--len] != '/')
			;
	}
}

static void first_version(struct cgroup *c, const char *controller, const char *dir)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;
	uint64_t n;

	ta_buf_printf(&path, "/%s%s", controller, dir[1] ? dir : "");
	if (path.error)
		return;
	if (!strcmp(controller, "pids")) {
		n = cgroup_left(c->host, ta_buf_text(&path), path.len, "pids.max", "pids.current");
		c->room->tasks = TA_MIN(c->room->tasks, n);
		return;
	}
	n = cgroup_left(c->host, ta_buf_text(&path), path.len, "memory.limit_in_bytes", "memory.usage_in_bytes");
	if (n < c->room->memory) {
		c->room->memory = n;
		c->room->memory_by_cgroup = true;
	}
}

/* "0::/a/b" of version 2, "4:memory:/a/b" of version 1: cgroups(7). */
static int cgroup_line(const char *line, size_t len, void *ctx)
{
	const char *list = strchr(line, ':'), *dir = list ? strchr(list + 1, ':') : NULL;

	if (!dir || dir[1] != '/')
		return 0;
	if (dir == list + 1)
		second_version(ctx, dir + 1);
	else if (!strncmp(list, ":memory:", 8))
		first_version(ctx, "memory", dir + 1);
	else if (!strncmp(list, ":pids:", 6))
		first_version(ctx, "pids", dir + 1);
	return 0;
}

/* --- ports ------------------------------------------------------------------------ */

unsigned ta_room_reserved(const char *list, unsigned low, unsigned high)
{
	ta_cleanup_strv struct ta_strv ranges = TA_STRV_INIT;
	unsigned n = 0;

	ta_strv_split(&ranges, list, ", \n");
	for (size_t i = 0; i < ranges.n; i++) {
		char *dash = strchr(ranges.v[i], '-');
		uint64_t from, to;

		if (dash)
			*dash = '\0';
		if (ta_parse_u64(ranges.v[i], &from) < 0)
			continue;
		to = from;
		if (dash && ta_parse_u64(dash + 1, &to) < 0)
			continue;
		from = TA_MAX(from, low);
		to = TA_MIN(to, high);
		if (from <= to)
			n += (unsigned)(to - from + 1);
	}
	return n;
}

static void read_ports(struct ta_host *h, struct ta_room *r)
{
	static const char range[] = "/proc/sys/net/ipv4/ip_local_port_range";
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	unsigned reserved = 0;

	r->port_low = (unsigned)number_at(h, range, 0, 32768);
	r->port_high = (unsigned)number_at(h, range, 1, 60999);
	if (ta_host_read(h, "/proc/sys/net/ipv4/ip_local_reserved_ports", 1 << 19, &text) == 0)
		reserved = ta_room_reserved(ta_buf_text(&text), r->port_low, r->port_high);
	r->ports = r->port_high >= r->port_low ? r->port_high - r->port_low + 1 - reserved : 0;
}

/* "0.00 0.01 0.05 1/234 5678": 234 are there (fs/proc/loadavg.c). */
static uint64_t tasks_now(struct ta_host *h)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	const char *slash;
	uint64_t n;

	if (ta_host_read(h, "/proc/loadavg", 256, &text) < 0)
		return 0;
	slash = strchr(ta_buf_text(&text), '/');
	if (!slash)
		return 0;
	slash++;
	return ta_next_u64(&slash, &n) < 0 ? 0 : n;
}

static void read_tracking(struct ta_host *h, struct ta_room *r)
{
	r->conntrack_used = number_at(h, "/proc/sys/net/netfilter/nf_conntrack_count", 0, 0);
	/* A module that nobody's filters use tracks nothing. */
	if (r->conntrack_used)
		r->conntrack_max = number_at(h, "/proc/sys/net/netfilter/nf_conntrack_max", 0, 0);
	if (!r->conntrack_max)
		r->conntrack_used = 0;
}

int ta_room_read(struct ta_host *h, struct ta_room *ret)
{
	struct ta_room r = {.descriptors = TA_ROOM_UNLIMITED, .memory = TA_ROOM_UNLIMITED};
	struct cgroup c = {h, &r};
	uint64_t most;

	if (ta_host_lines(h, "/proc/self/limits", limits_line, &r) == -ENOMEM)
		return -ENOMEM;
	ta_host_lines(h, "/proc/meminfo", meminfo_line, &r);
	r.files_max = number_at(h, "/proc/sys/fs/file-max", 0, TA_ROOM_UNLIMITED);
	r.files_used = number_at(h, "/proc/sys/fs/file-nr", 0, 0);
	most = TA_MIN(number_at(h, "/proc/sys/kernel/pid_max", 0, TA_ROOM_UNLIMITED),
		number_at(h, "/proc/sys/kernel/threads-max", 0, TA_ROOM_UNLIMITED));
	r.tasks = left(most, tasks_now(h));
	ta_host_lines(h, "/proc/self/cgroup", cgroup_line, &c);
	read_ports(h, &r);
	r.somaxconn = (unsigned)number_at(h, "/proc/sys/net/core/somaxconn", 0, 4096);
	r.tw_reuse = (unsigned)number_at(h, "/proc/sys/net/ipv4/tcp_tw_reuse", 0, 0);
	if (!number_at(h, "/proc/sys/net/ipv4/tcp_timestamps", 0, 1))
		r.tw_reuse = 0;
	read_tracking(h, &r);
	*ret = r;
	return 0;
}
