/*
 * Who serves: the listening TCP sockets of this network namespace and of others
 * that processes live in, the processes that have them open with the limits that
 * they run under, and the control groups that hold those. One look gives all of
 * it, since each part is found by way of the one before.
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
#include "probe/netns.h"
#include "probe/probe.h"
#include "probe/procfacts.h"
#include "probe/procpid.h"
#include "probe/procscan.h"
#include "probe/unitset.h"

#define NETNS_KEY(key) "netns.*.sysctl[\"" key "\"]"
#define NETNS_INT(key, unit, ...)                                                                  \
	{NETNS_KEY(key), TA_T_INT, unit, "the sysctl of that name, in that network namespace",         \
		TA_F_NETNS, {__VA_ARGS__}}
#define NETNS_INTS(key, unit)                                                                      \
	{NETNS_KEY(key), TA_T_INTS, unit, "the sysctl of that name, in that network namespace",        \
		TA_F_NETNS, {}}

static const struct ta_field fields[] = {
	{"listeners.*.sockets", TA_T_INT, "sockets",
		"listening sockets with this address and port; above 1: SO_REUSEPORT", 0, {}},
	{"listeners.*.backlog_min", TA_T_INT, "connections",
		"least accept queue of them: what listen() asked for, cut to somaxconn", TA_F_WRITTEN, {}},
	{"listeners.*.queued_max", TA_T_INT, "connections",
		"most connections that wait for accept() on one of them", TA_F_VOLATILE, {}},
	{"listeners.*.queued_sum", TA_T_INT, "connections",
		"connections that wait for accept() on all of them", TA_F_VOLATILE, {}},
	{"listeners.*.netns", TA_T_STRING, "",
		"\"self\", or the key in netns of the network namespace that it is in", 0, {}},
	{"listeners.*.port", TA_T_INT, "", "TCP port", TA_F_COMES, {}},
	{"listeners.*.loopback", TA_T_BOOL, "", "only this host itself can connect", 0, {}},

	{"processes.*.comm", TA_T_STRING, "", "name of the program, at most 15 bytes (/proc/PID/comm)", TA_F_COMES | TA_F_WRITTEN, {}},
	{"processes.*.subject", TA_T_STRING, "",
		"a name that outlives the process: its service unit, else program and port", TA_F_AGAIN | TA_F_NAMES, {}},
	{"processes.*.unit", TA_T_STRING, "",
		"the service unit or, in short, the container that it runs in (/proc/PID/cgroup)", 0, {}},
	{"processes.*.container", TA_T_BOOL, "", "runs in a container", 0, {}},
	{"processes.*.listening", TA_T_BOOL, "", "has a listening TCP socket open", 0, {}},
	{"processes.*.listens", TA_T_STRINGS, "", "keys of the listeners that it has open", TA_F_AGAIN, {}},
	{"processes.*.port", TA_T_INT, "", "the lowest port that it listens on", TA_F_AGAIN, {}},
	{"processes.*.netns", TA_T_STRING, "",
		"\"self\", or the key in netns of the network namespace that it lives in", 0, {}},
	{"processes.*.nofile_soft", TA_T_INT, "files", "descriptor limit, soft (/proc/PID/limits)",
		TA_F_UNLIMITED, {}},
	{"processes.*.nofile_hard", TA_T_INT, "files", "descriptor limit, hard", TA_F_UNLIMITED, {}},
	{"processes.*.nofile_used", TA_T_INT, "files", "descriptors open now", TA_F_VOLATILE, {}},
	{"processes.*.nproc_soft", TA_T_INT, "tasks", "limit of the user's tasks, soft", TA_F_UNLIMITED | TA_F_SIZED | TA_F_WITHIN(1), {}},
	{"processes.*.memlock_soft", TA_T_INT, "bytes", "limit of locked memory, soft", TA_F_UNLIMITED | TA_F_SIZED | TA_F_WITHIN(1), {}},
	{"processes.*.stack_soft", TA_T_INT, "bytes", "limit of a stack, soft", TA_F_UNLIMITED, {}},
	{"processes.*.threads", TA_T_INT, "threads", "threads (/proc/PID/status)", TA_F_VOLATILE, {}},
	{"processes.*.cpus_allowed", TA_T_INTS, "CPUs", "CPUs that it may run on", TA_F_CPUS | TA_F_SIZED, {}},
	{"processes.*.thp_enabled", TA_T_BOOL, "",
		"may use transparent huge pages: not switched off by prctl() or its unit", 0, {}},
	{"processes.*.seccomp", TA_T_INT, "", "0 = no filter, 1 = strict, 2 = filtered", 0, {}},

	{"units.*.file", TA_T_STRING, "", "its unit file", TA_F_COMES | TA_F_WRITTEN, {}},
	{"units.*.drop_ins", TA_T_STRINGS, "", "the files that change it, in the order in which they hold", TA_F_WRITTEN, {}},
	{"units.*.nofile_soft", TA_T_INT, "files", "descriptor limit that the next start gives, soft", TA_F_UNLIMITED | TA_F_WRITTEN, {}},
	{"units.*.nofile_hard", TA_T_INT, "files", "descriptor limit that the next start gives, hard", TA_F_UNLIMITED | TA_F_WRITTEN, {}},
	{"units.*.nofile_set_by", TA_T_STRING, "",
		"FILE:LINE of LimitNOFILE= or of the manager's DefaultLimitNOFILE=; \"\" = systemd's own default", TA_F_PLACES | TA_F_WRITTEN, {}},
	{"units.*.nofile_overridden", TA_T_STRINGS, "", "LimitNOFILE= lines that lose, with what they set", TA_F_PLACES | TA_F_WRITTEN, {}},
	{"units.*.sets", TA_T_STRINGS, "", "limits and other resources that the unit sets, with FILE:LINE", TA_F_PLACES | TA_F_WRITTEN, {}},

	{"netns.*.owner", TA_T_STRING, "",
		"whose network namespace it is: the unit, container or program that runs in it", TA_F_COMES, {}},
	NETNS_INT("net.core.somaxconn", "connections"),
	NETNS_INTS("net.ipv4.ip_local_port_range", ""),
	NETNS_INT("net.ipv4.tcp_abort_on_overflow", ""),
	{NETNS_KEY("net.ipv4.tcp_congestion_control"), TA_T_STRING, "",
		"the sysctl of that name, in that network namespace", TA_F_NETNS, {}},
	NETNS_INT("net.ipv4.tcp_fin_timeout", "s"),
	NETNS_INT("net.ipv4.tcp_keepalive_time", "s"),
	NETNS_INT("net.ipv4.tcp_max_syn_backlog", "requests"),
	NETNS_INT("net.ipv4.tcp_max_tw_buckets", "sockets"),
	NETNS_INT("net.ipv4.tcp_mtu_probing", ""),
	NETNS_INT("net.ipv4.tcp_notsent_lowat", "bytes", {-1, TA_MEANS_UNLIMITED},
		{4294967295, TA_MEANS_UNLIMITED}),
	NETNS_INTS("net.ipv4.tcp_rmem", "bytes"),
	NETNS_INT("net.ipv4.tcp_sack", ""),
	NETNS_INT("net.ipv4.tcp_slow_start_after_idle", ""),
	NETNS_INT("net.ipv4.tcp_syncookies", ""),
	NETNS_INT("net.ipv4.tcp_timestamps", ""),
	NETNS_INT("net.ipv4.tcp_tw_reuse", ""),
	NETNS_INT("net.ipv4.tcp_window_scaling", ""),
	NETNS_INTS("net.ipv4.tcp_wmem", "bytes"),

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
		TA_F_UNLIMITED | TA_F_COMES, {}},
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
	struct ta_strv keys; /* of the groups of listeners */
	uint16_t *ports;     /* beside them */
	bool *owned;         /* beside them: a process in sight has it open */
	struct ta_sockets sockets;
	struct ta_namespaces namespaces;
	struct ta_cgroups cgroups;
	struct ta_strv units; /* whose control groups were told */
	struct ta_unit_defaults defaults;
	int list_rc;          /* of listing /proc, -errno */
	size_t pids;          /* processes … */
	size_t denied;        /* … whose descriptors may not be read */
	size_t cut;           /* … with so many that they were not all looked at, and none listens so far */
	size_t not_here;      /* … whose descriptors this capture does not hold */
	struct ta_unseen failed; /* … that could not be looked at for another reason, or have no name */
	bool first;           /* process 1 was seen */
};

static void scan_done(struct scan *s)
{
	ta_strv_done(&s->keys);
	ta_strv_done(&s->units);
	ta_namespaces_done(&s->namespaces);
	free(s->ports);
	free(s->owned);
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

/* "self tcp 0.0.0.0:80" */
static void group_key(struct scan *s, const char *netns, const struct ta_listener *l, struct ta_buf *ret)
{
	char device[32];

	ta_buf_printf(ret, "%s ", netns);
	if (l->ifindex)
		device_name(s->h, l->ifindex, &device);
	ta_listener_format(l, l->ifindex ? device : NULL, ret);
}

/* One entry for the `n` sockets of one address and port, and each socket for the search of its owners. */
static void put_group(struct scan *s, const char *netns, const struct ta_listeners *all,
	const struct ta_listener *l, size_t n)
{
	ta_cleanup_buf struct ta_buf key = TA_BUF_INIT;
	uint32_t backlog = UINT32_MAX, most = 0;
	uint64_t sum = 0;

	group_key(s, netns, l, &key);

	const char *k = ta_buf_text(&key);

	for (size_t i = 0; i < n; i++) {
		backlog = TA_MIN(backlog, l[i].backlog);
		most = TA_MAX(most, l[i].queued);
		sum += l[i].queued;
		s->sockets.v[s->sockets.n++] = (struct ta_socket){l[i].inode, (uint32_t)s->keys.n};
	}
	s->ports[s->keys.n] = l->port;
	s->owned[s->keys.n] = false;
	ta_strv_add(&s->keys, k);
	ta_put_u64(s->f, n, "listeners", k, "sockets");
	if (all->has_backlog)
		ta_put_u64(s->f, backlog, "listeners", k, "backlog_min");
	else
		ta_facts_put_absent(s->f, TA_KEYS("listeners", k, "backlog_min"),
			ta_reason_of(all->no_backlog_rc), "%s", all->no_backlog);
	ta_put_u64(s->f, most, "listeners", k, "queued_max");
	ta_put_u64(s->f, sum, "listeners", k, "queued_sum");
	ta_put_str(s->f, netns, "listeners", k, "netns");
	ta_put_u64(s->f, l->port, "listeners", k, "port");
	ta_put_bool(s->f, ta_listener_loopback(l), "listeners", k, "loopback");
}

/* 0 or -ENOMEM. */
static int put_listeners(struct scan *s, const char *netns, const struct ta_listeners *l)
{
	uint16_t *ports = reallocarray(s->ports, s->keys.n + l->n + 1, sizeof(*ports));
	struct ta_socket *v = reallocarray(s->sockets.v, s->sockets.n + l->n + 1, sizeof(*v));
	bool *owned = reallocarray(s->owned, s->keys.n + l->n + 1, sizeof(*owned));
	size_t first = 0;

	s->ports = ports ?: s->ports;
	s->owned = owned ?: s->owned;
	s->sockets.v = v ?: s->sockets.v;
	if (!ports || !v || !owned) {
		ta_memory_note_failure();
		return -ENOMEM;
	}
	for (size_t i = 1; i <= l->n; i++) {
		if (i < l->n && ta_listener_same(&l->v[first], &l->v[i]))
			continue;
		put_group(s, netns, l, &l->v[first], i - first);
		first = i;
	}
	ta_sockets_sort(&s->sockets);
	/* Sockets without their group's key are nobody's. */
	if (s->keys.error)
		s->sockets.n = 0;
	return s->keys.error;
}

/* Of our own network namespace. 0 or -errno: then it is not known who listens. */
static int read_listeners(struct scan *s)
{
	ta_cleanup_listeners struct ta_listeners l = {0};
	int rc = ta_listeners_read(s->h, &l);

	if (rc == 0) {
		ta_put_object(s->f, "listeners");
		rc = put_listeners(s, "self", &l);
	}
	if (rc < 0)
		ta_put_errno(s->f, rc, "/proc/net/tcp", "listeners");
	return rc;
}

/* --- processes ------------------------------------------------------------------ */

/* Puts unit and container, and once for each unit its control group. `unit` is empty where there is none. */
static void put_unit(struct scan *s, const char *pid, struct ta_unit *unit)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	char file[64];
	int rc = ta_host_read(s->h, ta_proc_file(&file, pid, "cgroup"), TA_READ_CAP, &text);

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
		if (!unit->container)
			ta_unit_put(s->h, s->f, &s->defaults, unit->name);
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
		s->owned[p->groups[i]] = true;
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
static void put_process(struct scan *s, const char *pid, const char *netns, const char *comm,
	const struct ta_proc_sockets *p, int sockets)
{
	struct ta_unit unit;
	uint16_t port = 0;

	ta_put_str(s->f, comm, "processes", pid, "comm");
	if (s->namespaces.own)
		ta_put_str(s->f, netns, "processes", pid, "netns");
	if (sockets == 0 && p->cut) {
		static const char *const names[] = {"listening", "listens", "port"};

		for (size_t i = 0; i < TA_ARRAY_SIZE(names); i++)
			ta_facts_put_absent(s->f, TA_KEYS("processes", pid, names[i]), TA_NOT_ASKED,
				"of its %zu descriptors only the first were looked at", p->descriptors);
		ta_put_u64(s->f, p->descriptors, "processes", pid, "nofile_used");
	} else if (sockets == 0) {
		ta_put_bool(s->f, p->n_groups > 0, "processes", pid, "listening");
		port = put_listens(s, pid, p);
		ta_put_u64(s->f, p->descriptors, "processes", pid, "nofile_used");
	} else {
		static const char *const names[] = {"listening", "listens", "port", "nofile_used"};

		for (size_t i = 0; i < TA_ARRAY_SIZE(names); i++)
			ta_put_errno(s->f, sockets, "descriptors", "processes", pid, names[i]);
	}
	ta_proc_put(s->h, s->f, pid);
	put_unit(s, pid, &unit);
	put_subject(s, pid, comm, &unit, port);
}

/* The name of a program may end with anything but the newline that the kernel adds. A copied tree may have status alone. */
static int read_name(struct ta_host *h, const char *pid, struct ta_buf *ret)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	char file[64];
	int rc = ta_host_read(h, ta_proc_file(&file, pid, "comm"), TA_READ_CAP, ret);

	if (rc == 0 && ret->len > 0 && ret->data[ret->len - 1] == '\n')
		ret->data[--ret->len] = '\0';
	if (rc != -ENOENT || ta_host_is_whole(h))
		return rc;
	rc = ta_host_read(h, ta_proc_file(&file, pid, "status"), TA_READ_CAP, &text);
	return rc < 0 ? rc : ta_status_find(ta_buf_text(&text), "Name", ret);
}

/* `rc` is what looking for its sockets said. */
static void look_at(struct scan *s, const char *pid, const char *netns, const struct ta_proc_sockets *p, int rc)
{
	ta_cleanup_buf struct ta_buf comm = TA_BUF_INIT;
	int name = read_name(s->h, pid, &comm);

	if (rc == -EACCES || rc == -EPERM)
		s->denied++;
	else if (rc == -ENODATA)
		s->not_here++;
	else
		ta_unseen_note(&s->failed, rc ?: name);
	s->cut += rc == 0 && p->cut;
	if (name < 0)
		return;
	if ((rc == 0 && p->n_groups > 0) || is_known(ta_buf_text(&comm)))
		put_process(s, pid, netns, ta_buf_text(&comm), p, rc);
}

/*
 * `netns` NULL: a process that lives in another namespace is noted, not looked at. Those without any socket (most,
 * and all threads of the kernel) neither listen nor are a server by name: no more is asked about them.
 */
static void visit(struct scan *s, const char *pid, const char *netns)
{
	struct ta_proc_sockets p;
	int rc = ta_proc_sockets_read(s->h, pid, &s->sockets, &p);

	/* A process that is gone; but a copied tree may just lack its descriptors. */
	if (rc == -ENOENT && !ta_host_is_whole(s->h))
		rc = -ENODATA;
	if (rc == -ENOENT || rc == -ESRCH)
		return;
	if (rc == 0 && p.whole && p.sockets == 0)
		return;
	if (netns || !ta_namespaces_foreign(s->h, &s->namespaces, pid))
		look_at(s, pid, netns ?: "self", &p, rc);
}

/*
 * First the processes of our namespace; those of others wait until the listeners there are known, which may be
 * theirs as well as ours (a service can be started with a socket and without a network).
 */
static void read_processes(struct scan *s)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	struct ta_namespaces *all = &s->namespaces;

	s->list_rc = ta_host_list(s->h, "/proc", &names);
	for (size_t i = 0; s->list_rc == 0 && i < names.n; i++) {
		if (names.v[i][strspn(names.v[i], "0123456789")])
			continue;
		if (s->pids++ == 0)
			ta_put_object(s->f, "processes");
		s->first |= strcmp(names.v[i], "1") == 0;
		visit(s, names.v[i], NULL);
	}
	for (size_t i = 0; i < all->n; i++) {
		ta_cleanup_listeners struct ta_listeners l = {0};

		if (ta_netns_read(s->h, s->f, all, &all->v[i], &l) == 0 && l.n > 0)
			put_listeners(s, all->v[i].id, &l);
	}
	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < all->v[i].pids.n; k++)
			visit(s, all->v[i].pids.v[k], all->v[i].id ?: "other");
}

/*
 * A container that shares the network of its host sees the sockets of that and not its processes. Only the first PID
 * namespace (PROC_PID_INIT_INO, include/linux/proc_ns.h) shows all; there a listener of nobody's is the kernel's own.
 */
static size_t strangers(struct scan *s)
{
	ta_cleanup_buf struct ta_buf link = TA_BUF_INIT;
	size_t n = 0;

	for (size_t i = 0; i < s->keys.n; i++)
		n += !s->owned[i];
	if (n == 0 || ta_host_readlink(s->h, "/proc/self/ns/pid", &link) < 0 ||
		strcmp(ta_buf_text(&link), "pid:[4026531836]") == 0)
		return 0;
	return n;
}

/* Why `processes` may miss members, the first that holds. `listeners` is the -errno of reading those. */
static void put_incomplete_processes(struct scan *s, int listeners)
{
	const char *const *path = TA_KEYS("processes");
	size_t unseen = strangers(s);

	if (!s->first)
		/* Every PID namespace has its process 1. */
		ta_facts_put_incomplete(s->f, path, TA_DENIED, "/proc shows only own processes (hidepid)");
	else if (listeners < 0)
		ta_facts_put_incomplete(s->f, path, ta_reason_of(listeners), "who listens is not known");
	else if (s->not_here)
		ta_facts_put_incomplete(s->f, path, TA_NOT_ASKED,
			"the descriptors of %zu of %zu processes are not in this capture, so they may listen too",
			s->not_here, s->pids);
	else if (s->denied && s->keys.n)
		ta_facts_put_incomplete(s->f, path, TA_DENIED,
			"the descriptors of %zu of %zu processes may not be read, so they may listen too",
			s->denied, s->pids);
	else if (s->cut && s->keys.n)
		ta_facts_put_incomplete(s->f, path, TA_NOT_ASKED,
			"%zu of %zu processes have so many descriptors that only the first were looked at",
			s->cut, s->pids);
	else if (s->failed.n)
		ta_facts_put_incomplete(s->f, path, ta_reason_of(s->failed.rc), "%zu of %zu processes: %s",
			s->failed.n, s->pids, ta_errno_text(s->failed.rc));
	else if (s->namespaces.unread.n)
		ta_facts_put_incomplete(s->f, path, ta_reason_of(s->namespaces.unread.rc),
			"who listens in other network namespaces is not known");
	else if (unseen)
		ta_facts_put_incomplete(s->f, path, TA_DENIED,
			"%zu listeners belong to processes outside this PID namespace", unseen);
}

/* The same of what lives in other network namespaces. */
static void put_incomplete_netns(struct scan *s, const char *const *path)
{
	const struct ta_namespaces *all = &s->namespaces;

	if (all->hidden.n)
		ta_facts_put_incomplete(s->f, path, ta_reason_of(all->hidden.rc),
			"%zu of %zu processes do not show their network namespace", all->hidden.n, s->pids);
	else if (all->unread.n)
		ta_facts_put_incomplete(s->f, path, ta_reason_of(all->unread.rc),
			"the listeners of %zu other network namespaces: %s", all->unread.n,
			all->unread.rc == -ENODATA ? "not in this capture" : ta_errno_text(all->unread.rc));
	else if (all->not_looked_at)
		ta_facts_put_incomplete(s->f, path, TA_NOT_ASKED,
			"%zu processes live in further network namespaces, beyond %d", all->not_looked_at,
			TA_NETNS_MAX);
}

/* What may be missing from the collections. `listeners` and `own` are the -errno of reading those. */
static void put_incomplete(struct scan *s, int listeners, int own)
{
	const char *const *netns = TA_KEYS("netns");

	if (own == 0 && s->list_rc < 0)
		own = s->list_rc;
	if (s->list_rc < 0)
		ta_put_errno(s->f, s->list_rc, "/proc", "processes");
	else if (s->pids == 0)
		ta_facts_put_absent(s->f, TA_KEYS("processes"), TA_MISSING, "no processes in /proc");
	else
		put_incomplete_processes(s, listeners);
	if (listeners == 0)
		put_incomplete_netns(s, TA_KEYS("listeners"));
	if (own < 0) {
		ta_put_errno(s->f, own, s->list_rc < 0 ? "/proc" : "/proc/self/ns/net", "netns");
		return;
	}
	if (!ta_facts_at(s->f, netns))
		ta_facts_put_object(s->f, netns);
	put_incomplete_netns(s, netns);
}

/* Where no service listens there is an empty collection; which there are is as well known as the processes are. */
static void put_units(struct scan *s)
{
	const char *const *path = TA_KEYS("units"), *const *processes = TA_KEYS("processes");
	struct ta_absence why = ta_facts_absence(s->f, "processes");

	if (ta_facts_incomplete(s->f, "processes", &why))
		ta_facts_put_incomplete(s->f, path, why.reason, "%s", why.detail);
	else if (!ta_facts_at(s->f, processes)) {
		ta_facts_put_absent(s->f, path, why.reason, "%s", why.detail);
		return;
	}
	if (!ta_facts_at(s->f, path))
		ta_facts_put_object(s->f, path);
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup(scan_done) struct scan s = {.h = h, .f = f};
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int own = ta_namespaces_start(h, &s.namespaces);
	int listeners = read_listeners(&s), group;

	ta_cgroups_find(h, &s.cgroups);
	read_processes(&s);
	put_incomplete(&s, listeners, own);
	put_units(&s);
	/* Where tuneaudit itself runs: in a container the only group that can be seen. */
	group = ta_host_read(h, "/proc/self/cgroup", TA_READ_CAP, &text);
	if (group == 0)
		ta_cgroup_put(h, &s.cgroups, ta_buf_text(&text), f, "self");
	else if (!s.units.n)
		ta_put_errno(f, group, "/proc/self/cgroup", "cgroups");
}

const struct ta_probe ta_probe_processes = {
	.name = "processes",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
