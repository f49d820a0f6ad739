/*
 * Who serves: the listening TCP sockets of this network namespace, the
 * processes that have them open with the limits that they run under, and the
 * control groups that hold those. One look gives all of it, since each part is
 * found by way of the one before.
 *
 * Some programs are told of though they do not listen, because rules ask
 * whether they run.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "probe/cgroup.h"
#include "probe/listen.h"
#include "probe/probe.h"
#include "probe/procpid.h"
#include "probe/procscan.h"

static const struct ta_field fields[] = {
	{"listeners.*.sockets", TA_T_INT, "sockets",
		"listening sockets with this address and port; above 1: SO_REUSEPORT", 0, {}},
	{"listeners.*.backlog_min", TA_T_INT, "connections",
		"least accept queue of them: what listen() asked for, cut to somaxconn", 0, {}},
	{"listeners.*.queued_max", TA_T_INT, "connections",
		"most connections that wait for accept() on one of them", TA_F_VOLATILE, {}},
	{"listeners.*.queued_sum", TA_T_INT, "connections",
		"connections that wait for accept() on all of them", TA_F_VOLATILE, {}},
	{"listeners.*.port", TA_T_INT, "", "TCP port", 0, {}},
	{"listeners.*.loopback", TA_T_BOOL, "", "only this host itself can connect", 0, {}},

	{"processes.*.comm", TA_T_STRING, "", "name of the program, at most 15 bytes (/proc/PID/comm)", 0, {}},
	{"processes.*.subject", TA_T_STRING, "",
		"a name that outlives the process: its service unit, else program and port", 0, {}},
	{"processes.*.unit", TA_T_STRING, "",
		"the service unit or, in short, the container that it runs in (/proc/PID/cgroup)", 0, {}},
	{"processes.*.container", TA_T_BOOL, "", "runs in a container", 0, {}},
	{"processes.*.listening", TA_T_BOOL, "", "has a listening TCP socket open", 0, {}},
	{"processes.*.listens", TA_T_STRINGS, "", "keys of the listeners that it has open", 0, {}},
	{"processes.*.port", TA_T_INT, "", "the lowest port that it listens on", 0, {}},
	{"processes.*.nofile_soft", TA_T_INT, "files", "descriptor limit, soft (/proc/PID/limits)",
		TA_F_UNLIMITED, {}},
	{"processes.*.nofile_hard", TA_T_INT, "files", "descriptor limit, hard", TA_F_UNLIMITED, {}},
	{"processes.*.nofile_used", TA_T_INT, "files", "descriptors open now", TA_F_VOLATILE, {}},
	{"processes.*.nproc_soft", TA_T_INT, "tasks", "limit of the user's tasks, soft", TA_F_UNLIMITED, {}},
	{"processes.*.memlock_soft", TA_T_INT, "bytes", "limit of locked memory, soft", TA_F_UNLIMITED, {}},
	{"processes.*.stack_soft", TA_T_INT, "bytes", "limit of a stack, soft", TA_F_UNLIMITED, {}},
	{"processes.*.threads", TA_T_INT, "threads", "threads (/proc/PID/status)", TA_F_VOLATILE, {}},
	{"processes.*.cpus_allowed", TA_T_INTS, "CPUs", "CPUs that it may run on", TA_F_CPUS, {}},
	{"processes.*.thp_enabled", TA_T_BOOL, "",
		"may use transparent huge pages: not switched off by prctl() or its unit", 0, {}},
	{"processes.*.seccomp", TA_T_INT, "", "0 = no filter, 1 = strict, 2 = filtered", 0, {}},

	{"cgroups.*.cpu_limit_percent", TA_T_INT, "percent",
		"CPU time that the unit or container may use, 100 = one CPU; the least of its groups",
		TA_F_UNLIMITED, {}},
	{"cgroups.*.cpu_periods", TA_T_INT, "periods", "periods that the limit was enforced in",
		TA_F_VOLATILE, {}},
	{"cgroups.*.cpu_throttled_periods", TA_T_INT, "periods",
		"periods in which the limit stopped it", TA_F_VOLATILE, {}},
	{"cgroups.*.cpu_throttled_us", TA_T_INT, "us", "time that it was stopped, all CPUs",
		TA_F_VOLATILE, {}},
	{"cgroups.*.memory_max_bytes", TA_T_INT, "bytes", "memory limit, the least of its groups",
		TA_F_UNLIMITED, {}},
	{"cgroups.*.memory_current_bytes", TA_T_INT, "bytes", "memory in use, page cache included",
		TA_F_VOLATILE, {}},
	{"cgroups.*.pids_max", TA_T_INT, "tasks", "most tasks, the least of its groups", TA_F_UNLIMITED, {}},
	{"cgroups.*.pids_current", TA_T_INT, "tasks", "tasks now", TA_F_VOLATILE, {}},
};

static const char *const known_names[] = {
	"auditd", "containerd", "dockerd", "envoy", "haproxy", "irqbalance", "kubelet", "memcached",
	"nginx", "openresty", "redis-server", "tuned", "valkey-server"};

struct scan {
	struct ta_host *h;
	struct ta_facts *f;
	struct ta_listeners listeners;
	struct ta_strv keys; /* of the groups of listeners */
	uint16_t *ports;     /* beside them */
	struct ta_sockets sockets;
	struct ta_cgroups cgroups;
	struct ta_strv units; /* whose control groups were told */
	size_t pids, denied;  /* processes; those whose descriptors may not be read */
};

static void scan_done(struct scan *s)
{
	ta_listeners_done(&s->listeners);
	ta_strv_done(&s->keys);
	ta_strv_done(&s->units);
	free(s->ports);
	free(s->sockets.v);
}

/* --- listeners ----------------------------------------------------------------- */

/* The name of a network device by its number, for sockets that are bound to one. */
static void device_name(struct ta_host *h, uint32_t ifindex, char (*ret)[32])
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	char file[512];

	snprintf(*ret, sizeof(*ret), "%u", ifindex);
	if (ta_host_list(h, "/sys/class/net", &names) < 0)
		return;
	for (size_t i = 0; i < names.n; i++) {
		uint64_t v;

		ta_fmt(&file, "/sys/class/net/%s/ifindex", names.v[i]);
		if (ta_host_read(h, file, TA_READ_CAP, &text) == 0 &&
			ta_parse_u64(ta_buf_text(&text), &v) == 0 && v == ifindex)
			snprintf(*ret, sizeof(*ret), "%.31s", names.v[i]);
	}
}

/* One entry for v[first … end): the sockets of one address and port. */
static void put_group(struct scan *s, const char *netns, size_t first, size_t end)
{
	const struct ta_listener *l = &s->listeners.v[first];
	ta_cleanup_buf struct ta_buf key = TA_BUF_INIT;
	uint32_t backlog = UINT32_MAX, most = 0;
	uint64_t sum = 0;
	char device[32];

	ta_buf_printf(&key, "%s ", netns);
	if (l->ifindex)
		device_name(s->h, l->ifindex, &device);
	ta_listener_format(l, l->ifindex ? device : NULL, &key);

	const char *k = ta_buf_text(&key);

	for (size_t i = first; i < end; i++) {
		backlog = TA_MIN(backlog, s->listeners.v[i].backlog);
		most = TA_MAX(most, s->listeners.v[i].queued);
		sum += s->listeners.v[i].queued;
		s->sockets.v[s->sockets.n++] =
			(struct ta_socket){s->listeners.v[i].inode, (uint32_t)s->keys.n};
	}
	s->ports[s->keys.n] = l->port;
	ta_strv_add(&s->keys, k);
	ta_put_u64(s->f, end - first, "listeners", k, "sockets");
	if (s->listeners.has_backlog)
		ta_put_u64(s->f, backlog, "listeners", k, "backlog_min");
	ta_put_u64(s->f, most, "listeners", k, "queued_max");
	ta_put_u64(s->f, sum, "listeners", k, "queued_sum");
	ta_put_u64(s->f, l->port, "listeners", k, "port");
	ta_put_bool(s->f, ta_listener_loopback(l), "listeners", k, "loopback");
	if (!s->listeners.has_backlog)
		ta_facts_put_absent(s->f, TA_KEYS("listeners", k, "backlog_min"), TA_NOT_ASKED,
			"%s", s->listeners.no_backlog);
}

/* 0 or -errno: then it is not known who listens. */
static int read_listeners(struct scan *s)
{
	int rc = ta_listeners_read(s->h, &s->listeners);
	size_t n = s->listeners.n, first = 0;

	if (rc == 0) {
		s->ports = calloc(n + 1, sizeof(s->ports[0]));
		s->sockets.v = calloc(n + 1, sizeof(s->sockets.v[0]));
		rc = s->ports && s->sockets.v ? 0 : -ENOMEM;
	}
	if (rc < 0) {
		ta_put_errno(s->f, rc, "/proc/net/tcp", "listeners");
		return rc;
	}
	ta_put_object(s->f, "listeners");
	for (size_t i = 1; i <= n; i++) {
		if (i < n && ta_listener_same(&s->listeners.v[first], &s->listeners.v[i]))
			continue;
		put_group(s, "self", first, i);
		first = i;
	}
	ta_sockets_sort(&s->sockets);
	return s->keys.error;
}

/* --- processes ------------------------------------------------------------------ */

static const char *pid_file(char (*buf)[64], const char *pid, const char *name)
{
	snprintf(*buf, sizeof(*buf), "/proc/%.20s/%s", pid, name);
	return *buf;
}

static void put_limits(struct scan *s, const char *pid)
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
	int read = ta_host_read(s->h, pid_file(&file, pid, "limits"), TA_READ_CAP, &text);

	for (size_t i = 0; i < TA_ARRAY_SIZE(rows); i++) {
		struct ta_limit v[2];
		const char *names[] = {rows[i].soft, rows[i].hard};
		int rc = read < 0 ? read
				  : ta_limits_find(ta_buf_text(&text), rows[i].row, &v[0], &v[1]);

		for (size_t k = 0; k < 2 && names[k]; k++) {
			if (rc < 0)
				ta_put_errno(s->f, rc, file, "processes", pid, names[k]);
			else if (v[k].unlimited)
				ta_put_unlimited(s->f, "processes", pid, names[k]);
			else
				ta_put_u64(s->f, v[k].value, "processes", pid, names[k]);
		}
	}
}

static void put_status_number(struct scan *s, const char *pid, const char *text, const char *row,
	const char *name)
{
	ta_cleanup_buf struct ta_buf value = TA_BUF_INIT;
	uint64_t v;
	int rc = ta_status_find(text, row, &value);

	if (rc == 0 && ta_parse_u64(ta_buf_text(&value), &v) < 0)
		rc = -EBADMSG;
	if (rc < 0)
		ta_put_errno(s->f, rc, row, "processes", pid, name);
	else if (strcmp(name, "thp_enabled") == 0)
		ta_put_bool(s->f, v != 0, "processes", pid, name);
	else
		ta_put_u64(s->f, v, "processes", pid, name);
}

static void put_status(struct scan *s, const char *pid)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	ta_cleanup_buf struct ta_buf cpus = TA_BUF_INIT;
	ta_cleanup_cpuset struct ta_cpuset set = TA_CPUSET_INIT;
	char file[64];
	int rc = ta_host_read(s->h, pid_file(&file, pid, "status"), TA_READ_CAP, &text);

	if (rc < 0) {
		ta_put_errno(s->f, rc, file, "processes", pid, "threads");
		ta_put_errno(s->f, rc, file, "processes", pid, "cpus_allowed");
		ta_put_errno(s->f, rc, file, "processes", pid, "thp_enabled");
		ta_put_errno(s->f, rc, file, "processes", pid, "seccomp");
		return;
	}
	put_status_number(s, pid, ta_buf_text(&text), "Threads", "threads");
	put_status_number(s, pid, ta_buf_text(&text), "THP_enabled", "thp_enabled");
	put_status_number(s, pid, ta_buf_text(&text), "Seccomp", "seccomp");
	rc = ta_status_find(ta_buf_text(&text), "Cpus_allowed_list", &cpus);
	if (rc == 0)
		rc = ta_cpuset_parse_list(&set, ta_buf_text(&cpus));
	if (rc < 0)
		ta_put_errno(s->f, rc, file, "processes", pid, "cpus_allowed");
	else
		ta_put_cpus(s->f, &set, "processes", pid, "cpus_allowed");
}

/* Puts unit and container, and once for each unit its control group. `unit` is empty where there is none. */
static void put_unit(struct scan *s, const char *pid, struct ta_unit *unit)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	char file[64];
	int rc = ta_host_read(s->h, pid_file(&file, pid, "cgroup"), TA_READ_CAP, &text);

	*unit = (struct ta_unit){0};
	if (rc < 0) {
		ta_put_errno(s->f, rc, file, "processes", pid, "unit");
		ta_put_errno(s->f, rc, file, "processes", pid, "container");
		return;
	}
	ta_unit_of(ta_buf_text(&text), unit);
	ta_put_bool(s->f, unit->container, "processes", pid, "container");
	if (!unit->name[0]) {
		ta_facts_put_absent(s->f, TA_KEYS("processes", pid, "unit"), TA_MISSING,
			"it runs in no service unit");
		return;
	}
	ta_put_str(s->f, unit->name, "processes", pid, "unit");
	if (!ta_strv_has(&s->units, unit->name)) {
		ta_strv_add(&s->units, unit->name);
		ta_cgroup_put(s->h, &s->cgroups, ta_buf_text(&text), s->f, unit->name);
	}
}

/* The ids of containers change with each deployment, names of programs do not. */
static void put_subject(struct scan *s, const char *pid, const char *comm, const struct ta_unit *unit,
	uint16_t port)
{
	ta_cleanup_buf struct ta_buf subject = TA_BUF_INIT;

	if (unit->name[0] && !unit->container)
		ta_buf_adds(&subject, unit->name);
	else if (port)
		ta_buf_printf(&subject, "%s:%u", comm, port);
	else
		ta_buf_adds(&subject, comm);
	ta_put_str(s->f, ta_buf_text(&subject), "processes", pid, "subject");
}

static uint16_t put_listens(struct scan *s, const char *pid, const struct ta_proc_sockets *p)
{
	char *keys[TA_GROUPS_MAX];
	uint16_t lowest = UINT16_MAX;

	for (size_t i = 0; i < p->n_groups; i++) {
		keys[i] = s->keys.v[p->groups[i]];
		lowest = TA_MIN(lowest, s->ports[p->groups[i]]);
	}
	ta_facts_put_strs(s->f, TA_KEYS("processes", pid, "listens"), keys, p->n_groups);
	if (p->n_groups)
		ta_put_u64(s->f, lowest, "processes", pid, "port");
	else
		ta_facts_put_absent(
			s->f, TA_KEYS("processes", pid, "port"), TA_MISSING, "it does not listen");
	return p->n_groups ? lowest : 0;
}

static bool is_known(const char *comm)
{
	for (size_t i = 0; i < TA_ARRAY_SIZE(known_names); i++)
		if (strcmp(comm, known_names[i]) == 0)
			return true;
	return false;
}

/* `sockets` is the -errno of looking for its sockets. */
static void put_process(struct scan *s, const char *pid, const char *comm,
	const struct ta_proc_sockets *p, int sockets)
{
	struct ta_unit unit;
	uint16_t port = 0;

	ta_put_str(s->f, comm, "processes", pid, "comm");
	if (sockets == 0) {
		ta_put_bool(s->f, p->n_groups > 0, "processes", pid, "listening");
		port = put_listens(s, pid, p);
		ta_put_u64(s->f, p->descriptors, "processes", pid, "nofile_used");
	} else {
		static const char *const names[] = {"listening", "listens", "port", "nofile_used"};

		for (size_t i = 0; i < TA_ARRAY_SIZE(names); i++)
			ta_put_errno(s->f, sockets, "descriptors", "processes", pid, names[i]);
	}
	put_limits(s, pid);
	put_status(s, pid);
	put_unit(s, pid, &unit);
	put_subject(s, pid, comm, &unit, port);
}

static void look_at(struct scan *s, const char *pid)
{
	ta_cleanup_buf struct ta_buf comm = TA_BUF_INIT;
	struct ta_proc_sockets p;
	char file[64];
	int sockets = ta_proc_sockets_read(s->h, pid, &s->sockets, &p);

	if (sockets == -ENOENT || sockets == -ESRCH)
		return;
	s->denied += sockets == -EACCES || sockets == -EPERM;
	/* Threads of the kernel have no descriptors. */
	if (sockets == 0 && p.descriptors == 0)
		return;
	if (ta_host_read(s->h, pid_file(&file, pid, "comm"), TA_READ_CAP, &comm) < 0)
		return;
	if (comm.len > 0 && comm.data[comm.len - 1] == '\n')
		comm.data[--comm.len] = '\0';
	if ((sockets == 0 && p.n_groups > 0) || is_known(ta_buf_text(&comm)))
		put_process(s, pid, ta_buf_text(&comm), &p, sockets);
}

static void read_processes(struct scan *s, int listeners)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	const char *const *path = TA_KEYS("processes");
	bool first = false;
	int rc = ta_host_list(s->h, "/proc", &names);

	ta_cgroups_find(s->h, &s->cgroups);
	for (size_t i = 0; rc == 0 && i < names.n; i++) {
		if (names.v[i][strspn(names.v[i], "0123456789")])
			continue;
		if (s->pids++ == 0)
			ta_put_object(s->f, "processes");
		first |= strcmp(names.v[i], "1") == 0;
		look_at(s, names.v[i]);
	}
	if (rc < 0)
		ta_facts_put_errno(s->f, path, rc, "/proc");
	else if (s->pids == 0)
		ta_facts_put_absent(s->f, path, TA_MISSING, "no processes in /proc");
	else if (!first)
		/* Every PID namespace has its process 1. */
		ta_facts_put_incomplete(
			s->f, path, TA_DENIED, "/proc shows only own processes (hidepid)");
	else if (listeners < 0)
		ta_facts_put_incomplete(s->f, path, ta_reason_of(listeners), "who listens is not known");
	else if (s->denied && s->keys.n)
		ta_facts_put_incomplete(s->f, path, TA_DENIED,
			"the descriptors of %zu of %zu processes may not be read, so they may listen too",
			s->denied, s->pids);
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup(scan_done) struct scan s = {.h = h, .f = f};
	ta_cleanup_buf struct ta_buf own = TA_BUF_INIT;
	int rc = read_listeners(&s);

	read_processes(&s, rc);
	/* Where tuneaudit itself runs: in a container the only group that can be seen. */
	if (ta_host_read(h, "/proc/self/cgroup", TA_READ_CAP, &own) == 0)
		ta_cgroup_put(h, &s.cgroups, ta_buf_text(&own), f, "self");
	else if (!s.units.n)
		ta_facts_put_absent(f, TA_KEYS("cgroups"), TA_MISSING, "no /proc/self/cgroup");
}

const struct ta_probe ta_probe_processes = {
	.name = "processes",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
