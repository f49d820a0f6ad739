/* Connections that are held: the arithmetic before, the memory that they take, the limit that is named. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "load/hold/verdict.h"

static const struct ta_room large = {
	.descriptors = 20000,
	.files_max = 2466165,
	.files_used = 1000,
	.memory = (uint64_t)22 << 30,
	.tasks = 30000,
	.port_low = 32768,
	.port_high = 60999,
	.ports = 28232,
	.somaxconn = 4096,
};

static void test_a_million(void **state)
{
	const struct ta_hold_want want = {.connections = 1000000, .both_ends = true, .many_addresses = true};
	struct ta_hold_plan p;
	uint64_t sum = 0;

	(void)state;
	assert_int_equal(ta_hold_plan(&large, &want, &p, NULL), 0);
	assert_int_equal(p.clients, 51);
	assert_int_equal(p.servers, 51);
	assert_true(p.per_process + TA_HOLD_OWN_DESCRIPTORS <= 20000);
	assert_true((uint64_t)p.per_source * p.sources_per_client >= p.per_process);
	assert_true(p.per_source <= 28232 / 2);
	for (unsigned i = 0; i < p.clients; i++) {
		assert_true(ta_hold_share(&p, i) <= p.per_process);
		sum += ta_hold_share(&p, i);
	}
	assert_int_equal(sum, 1000000);
}

static void test_shares_are_whole(void **state)
{
	struct ta_room room = large;
	struct ta_hold_plan p;

	(void)state;
	for (uint64_t n = 1; n < 3000; n += 7) {
		const struct ta_hold_want want = {.connections = n, .both_ends = n % 2, .many_addresses = true};
		uint64_t sum = 0;

		room.descriptors = TA_HOLD_OWN_DESCRIPTORS + 90 + n % 90;
		room.tasks = 100000;
		assert_int_equal(ta_hold_plan(&room, &want, &p, NULL), 0);
		for (unsigned i = 0; i < p.clients; i++)
			sum += ta_hold_share(&p, i);
		assert_int_equal(sum, n);
		assert_true(p.per_process <= room.descriptors - TA_HOLD_OWN_DESCRIPTORS);
	}
}

/* A peer's: each process has room for its ports and what comes to them, each port no more than one client can make. */
static void test_servers_of_a_peer(void **state)
{
	struct ta_room room = large;
	struct ta_hold_plan p;
	struct ta_err err;

	(void)state;
	assert_int_equal(ta_hold_plan_servers(&room, 1000000, ta_hold_each_port(&room), &p, NULL), 0);
	assert_int_equal(p.servers, 51);
	assert_int_equal(p.ports_each, 2);
	for (uint64_t n = 1; n < 4000; n += 11) {
		uint64_t each = 1 + n % 97, before = 0;

		room.descriptors = TA_HOLD_OWN_DESCRIPTORS + 150 + n % 200;
		assert_int_equal(ta_hold_plan_servers(&room, n, each, &p, NULL), 0);
		for (unsigned port = 0; port < p.servers * p.ports_each; port++) {
			uint64_t until = ta_hold_until_port(n, p.servers * p.ports_each, port);

			assert_true(until >= before && until - before <= each);
			before = until;
		}
		assert_int_equal(before, n);
		assert_true(p.per_process + p.ports_each + TA_HOLD_OWN_DESCRIPTORS <= room.descriptors);
		assert_true((uint64_t)p.per_process * p.servers >= n);
	}
	room = large;
	assert_int_equal(ta_hold_plan_servers(&room, 1000, 0, &p, &err), -E2BIG);
	assert_int_equal(ta_hold_plan_servers(&room, 0, 1, &p, &err), -E2BIG);
	assert_int_equal(ta_hold_plan_servers(&room, UINT64_MAX, 1, &p, &err), -E2BIG);
	assert_int_equal(ta_hold_plan_servers(&room, UINT64_MAX, UINT64_MAX, &p, &err), -E2BIG);
	assert_int_equal(ta_hold_plan_servers(&room, 1000, UINT64_MAX, &p, &err), 0);
	assert_int_equal(ta_hold_plan_servers(&room, 10000, 1, &p, &err), -E2BIG);
	assert_non_null(strstr(err.text, "more than 4096 processes or ports"));
	room.memory = (uint64_t)1 << 30;
	room.files_max = 100000;
	assert_int_equal(ta_hold_plan_servers(&room, 1000000, 12705, &p, &err), -E2BIG);
	assert_non_null(strstr(err.text, "memory: 4437 MiB wanted, 512 MiB there"));
	assert_non_null(strstr(err.text, "fs.file-max"));
	room = large;
	room.ports = 100;
	assert_int_equal(ta_hold_plan_servers(&room, 1000000, 12705, &p, &err), -E2BIG);
	assert_non_null(strstr(err.text, "ports to listen on (ip_local_port_range): 102 wanted, 100 there"));
}

/* One address has as many connections to each port of a peer as it has local ports. */
static void test_ports_of_a_peer(void **state)
{
	const struct ta_hold_want want = {.connections = 1000000, .many_ports = true};
	struct ta_room room = large;
	struct ta_hold_plan p;
	struct ta_err err;

	(void)state;
	assert_int_equal(ta_hold_plan(&room, &want, &p, NULL), 0);
	room.ports = 400;
	assert_int_equal(ta_hold_plan(&room, &want, &p, &err), -E2BIG);
	assert_non_null(strstr(err.text, "connections from one address: 1000000 wanted, 737280 there"));
}

/* The text names what does not suffice, both numbers, and nothing else. */
static void refused(const struct ta_room *room, const struct ta_hold_want *want, const char *has, const char *lacks)
{
	struct ta_hold_plan p;
	struct ta_err err;

	assert_int_equal(ta_hold_plan(room, want, &p, &err), -E2BIG);
	if (!strstr(err.text, has) || (lacks && strstr(err.text, lacks)))
		fail_msg("'%s' in: %s", has, err.text);
}

static void test_each_limit_is_named(void **state)
{
	const struct ta_hold_want million = {.connections = 1000000, .both_ends = true, .many_addresses = true};
	const struct ta_hold_want far = {.connections = 28233};
	struct ta_room room = large;
	struct ta_hold_plan p;

	(void)state;
	room.files_max = 2000000;
	refused(&room, &million, "fs.file-max): 2004896 wanted, 1982616 there", "memory");
	room = large;
	room.memory = (uint64_t)8 << 30;
	refused(&room, &million, "memory: 8875 MiB wanted, 7680 MiB there", "file-max");
	room.memory_by_cgroup = true;
	refused(&room, &million, "memory of this control group", NULL);
	room = large;
	room.tasks = 100;
	refused(&room, &million, "processes: 102 wanted, 36 there", "memory");
	room = large;
	room.descriptors = 60;
	refused(&room, &million, "processes of each end", NULL);
	refused(&room, &(const struct ta_hold_want){.connections = 1000, .both_ends = true, .many_addresses = true},
		"leads the others (ulimit -Hn): 216 wanted, 60 there", "memory");
	room.descriptors = 48;
	refused(&room, &million, "48 descriptors", NULL);
	refused(&large, &far, "local ports towards one address (ip_local_port_range): 28233 wanted, 28232 there", "memory");
	room = large;
	room.port_high = room.port_low - 1;
	room.ports = 0;
	refused(&room, &million, "local ports (ip_local_port_range): 1 wanted, 0 there", NULL);
	room = large;
	room.files_max = 1000;
	room.memory = 0;
	refused(&room, &million, "fs.file-max", NULL);
	refused(&room, &million, "memory", NULL);
	room = (struct ta_room){.descriptors = TA_ROOM_UNLIMITED, .files_max = TA_ROOM_UNLIMITED, .memory = TA_ROOM_UNLIMITED,
		.tasks = TA_ROOM_UNLIMITED, .ports = 28232};
	assert_int_equal(ta_hold_plan(&room, &million, &p, NULL), 0);
	assert_int_equal(p.clients, 1);
}

/* --- a host of files ----------------------------------------------------------------- */

static char *dir;

static void put(const char *path, const char *text)
{
	char full[512];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", dir, path);
	for (char *at = full + strlen(dir) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(full, 0755);
		*at = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static struct ta_host *open_host(void)
{
	struct ta_host *h;

	assert_int_equal(ta_host_capture(dir, &h, NULL), 0);
	return h;
}

static int make_dir(void **state)
{
	static char name[64];

	(void)state;
	snprintf(name, sizeof(name), "/tmp/test_hold.XXXXXX");
	dir = mkdtemp(name);
	return dir ? 0 : -1;
}

static int remove_dir(void **state)
{
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		execlp("rm", "rm", "-rf", "--", dir, (char *)NULL);
		_exit(1);
	}
	return pid < 0 || waitpid(pid, NULL, 0) < 0 ? -1 : 0;
}

static void test_reserved_ports(void **state)
{
	(void)state;
	assert_int_equal(ta_room_reserved("", 32768, 60999), 0);
	assert_int_equal(ta_room_reserved("8080,40000-40009,60999,61000-62000\n", 32768, 60999), 11);
	assert_int_equal(ta_room_reserved("1-65535", 32768, 60999), 28232);
	assert_int_equal(ta_room_reserved("x,50000-y,50000", 32768, 60999), 1);
}

static void test_room(void **state)
{
	struct ta_host *h;
	struct ta_room r;

	(void)state;
	put("proc/self/limits", "Limit                     Soft Limit           Hard Limit           Units     \n"
				"Max open files            1024                 20000                files     \n");
	put("proc/self/cgroup", "4:memory:/a\n8:pids:/\n0::/x/y\n");
	put("proc/meminfo", "MemTotal:       24661676 kB\nMemAvailable:   20000000 kB\n");
	put("proc/loadavg", "0.10 0.20 0.30 2/500 4242\n");
	put("proc/sys/fs/file-max", "2466165\n");
	put("proc/sys/fs/file-nr", "993\t0\t2466165\n");
	put("proc/sys/kernel/pid_max", "32768\n");
	put("proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n");
	put("proc/sys/net/ipv4/ip_local_reserved_ports", "40000-40099\n");
	put("proc/sys/net/ipv4/tcp_tw_reuse", "2\n");
	put("proc/sys/net/ipv4/tcp_timestamps", "0\n");
	put("proc/sys/net/core/somaxconn", "128\n");
	put("proc/sys/net/netfilter/nf_conntrack_count", "0\n");
	put("proc/sys/net/netfilter/nf_conntrack_max", "65536\n");
	put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1000000\n");
	put("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "400000\n");
	put("sys/fs/cgroup/x/y/pids.max", "max\n");
	put("sys/fs/cgroup/x/y/pids.current", "3\n");
	put("sys/fs/cgroup/x/pids.max", "50\n");
	put("sys/fs/cgroup/x/pids.current", "20\n");
	h = open_host();
	assert_int_equal(ta_room_read(h, &r), 0);
	assert_int_equal(r.descriptors, 20000);
	assert_int_equal(r.files_max, 2466165);
	assert_int_equal(r.files_used, 993);
	assert_int_equal(r.memory, 600000);
	assert_true(r.memory_by_cgroup);
	assert_int_equal(r.tasks, 30);
	assert_int_equal(r.ports, 28132);
	assert_int_equal(r.somaxconn, 128);
	assert_int_equal(r.tw_reuse, 0); /* needs timestamps */
	assert_int_equal(r.conntrack_max, 0); /* nobody uses it */
	ta_host_free(h);
}

static void test_counts_by_name(void **state)
{
	struct ta_tcp_counts a, b = {0};
	struct ta_host *h;

	(void)state;
	put("proc/net/netstat", "TcpExt: SyncookiesSent ListenOverflows ListenDrops TCPSynRetrans\nTcpExt: 7 5 6 4\n"
				"IpExt: InNoRoutes\nIpExt: 0\n");
	/* MaxConn is -1 wherever Linux runs. */
	put("proc/net/snmp", "Tcp: RtoAlgorithm MaxConn ActiveOpens PassiveOpens RetransSegs\nTcp: 1 -1 30 20 10\n");
	h = open_host();
	ta_tcp_counts_read(h, &a);
	assert_true(a.known);
	assert_int_equal(a.v[TA_TCP_LISTEN_OVERFLOWS], 5);
	assert_int_equal(a.v[TA_TCP_COOKIES_SENT], 7);
	assert_int_equal(a.v[TA_TCP_SYN_RETRANS], 4);
	assert_int_equal(a.v[TA_TCP_ACTIVE_OPENS], 30);
	assert_int_equal(a.v[TA_TCP_RETRANS], 10);
	assert_string_equal(ta_tcp_count_name(TA_TCP_LISTEN_OVERFLOWS), "ListenOverflows");
	assert_string_equal(ta_tcp_count_name(TA_TCP_RETRANS), "RetransSegs");
	assert_int_equal(ta_tcp_counts_grown(&a, &a, TA_TCP_RETRANS), 0);
	assert_int_equal(ta_tcp_counts_grown(&b, &a, TA_TCP_RETRANS), 0); /* not known before */
	ta_host_free(h);
}

/* Libraries that somebody else has mapped, too, meanwhile, hide nothing. */
static void test_user_memory(void **state)
{
	struct ta_hold_user from = {0}, to = {0};
	struct ta_host *h;

	(void)state;
	put("proc/7/smaps_rollup", "Rss: 900 kB\nPss: 500 kB\nPss_Dirty: 90 kB\nPss_Anon: 80 kB\nPss_File: 410 kB\nPss_Shmem: 10 kB\n");
	put("proc/8/smaps", "Pss: 100 kB\nPss: 20 kB\n");
	h = open_host();
	assert_int_equal(ta_hold_user_add(h, 7, &from), 0);
	assert_int_equal(from.pss, 500 << 10);
	assert_int_equal(from.own, 90 << 10);
	assert_int_equal(ta_hold_user_add(h, 8, &from), 0);
	assert_int_equal(from.pss, 620 << 10);
	assert_int_equal(ta_hold_user_add(h, 9, &from), -ENOENT);
	ta_host_free(h);
	to = from;
	assert_int_equal(ta_hold_user_grown(&from, &to), 0);
	to.pss -= 100;
	to.own += 50;
	assert_int_equal(ta_hold_user_grown(&from, &to), 50);
	to.pss += 300;
	assert_int_equal(ta_hold_user_grown(&from, &to), 200);
}

/* A thousand connections, two sockets each; files of others came meanwhile. */
static void test_kernel_memory(void **state)
{
	static struct ta_hold_kernel from, to;
	struct ta_host *h;
	bool by_caches;

	(void)state;
	put("proc/meminfo", "Slab: 100 kB\nKernelStack: 20 kB\n");
	put("proc/net/sockstat", "sockets: used 1\nTCP: inuse 1 orphan 0 tw 0 alloc 1 mem 10\n");
	put("proc/slabinfo",
		"slabinfo - version: 2.1\n# name <active_objs>\n"
		"TCP 100 200 2432 13 8 : tunables 0 0 0 : slabdata 1 1 0\n"
		"dentry 1000 1000 192 21 1 : tunables 0 0 0 : slabdata 1 1 0\n"
		"sock_inode_cache 100 100 832 39 8 : tunables 0 0 0 : slabdata 1 1 0\n"
		"ext4_inode_cache 5 5 1000 27 8 : tunables 0 0 0 : slabdata 1 1 0\n"
		"task_struct 50 50 4096 7 8 : tunables 0 0 0 : slabdata 1 1 0\n");
	h = open_host();
	ta_hold_kernel_read(h, &from);
	ta_host_free(h);
	put("proc/meminfo", "Slab: 9100 kB\nKernelStack: 40 kB\n");
	put("proc/net/sockstat", "sockets: used 1\nTCP: inuse 1 orphan 0 tw 0 alloc 1 mem 12\n");
	put("proc/slabinfo",
		"slabinfo - version: 2.1\n# name <active_objs>\n"
		"TCP 2100 2200 2432 13 8 : tunables 0 0 0 : slabdata 1 1 0\n"
		"dentry 9000 9000 192 21 1 : tunables 0 0 0 : slabdata 1 1 0\n"
		"sock_inode_cache 2100 2100 832 39 8 : tunables 0 0 0 : slabdata 1 1 0\n"
		"ext4_inode_cache 5005 5005 1000 27 8 : tunables 0 0 0 : slabdata 1 1 0\n"
		"task_struct 60 60 4096 7 8 : tunables 0 0 0 : slabdata 1 1 0\n");
	h = open_host();
	ta_hold_kernel_read(h, &to);
	ta_host_free(h);
	assert_int_equal(from.n_caches, 5);
	assert_float_equal(ta_hold_cache_each(&from, &to, 0, 1000), 2, 0.001);
	assert_float_equal(ta_hold_cache_each(&from, &to, 1, 1000), 2, 0.001); /* as many as sockets, not 8 */
	assert_float_equal(ta_hold_cache_each(&from, &to, 3, 1000), 0, 0.001); /* files */
	assert_float_equal(ta_hold_cache_each(&from, &to, 4, 1000), 0, 0.001); /* some processes */
	assert_float_equal(ta_hold_kernel_grown(&from, &to, 1000, &by_caches),
		2000 * (8 * 4096. / 13 + 4096. / 21 + 8 * 4096. / 39) + 2 * 4096, 1);
	assert_true(by_caches);
	to.n_caches = 0;
	assert_float_equal(ta_hold_kernel_grown(&from, &to, 1000, &by_caches), 9020 * 1024. + 2 * 4096, 1);
	assert_false(by_caches);
}

/* --- the verdict -------------------------------------------------------------------------- */

static void by(const struct ta_hold_board *b, const struct ta_hold_sum *s, const char *wanted)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	ta_hold_refused_by(b, s, &text);
	if (strncmp(ta_buf_text(&text), wanted, strlen(wanted)) != 0)
		fail_msg("'%s', not '%s'", ta_buf_text(&text), wanted);
}

static void test_verdict(void **state)
{
	struct ta_hold_setup setup = {.plan = {.clients = 1, .servers = 1}, .build_ns = 30 * TA_NS_PER_S};
	struct ta_hold_board *b = ta_hold_board_new(&setup);
	struct ta_hold_sum s = {.held = 5};

	(void)state;
	assert_non_null(b);
	b->outcome.room = large;
	b->outcome.before.known = b->outcome.after.known = true;
	by(b, &s, "nothing");
	s.counts.errors[TA_LOAD_REFUSED] = 64;
	by(b, &s, "the server: nobody listens");
	s = (struct ta_hold_sum){.held = 5};
	s.counts.errors[TA_LOAD_CONNECT_TIMEOUT] = 64;
	by(b, &s, "silence");
	b->outcome.after.v[TA_TCP_LISTEN_OVERFLOWS] = 3;
	by(b, &s, "accept queue: 3 connections");
	b->outcome.room.conntrack_max = 100;
	b->outcome.room.conntrack_used = 100;
	by(b, &s, "nf_conntrack_max: 100");
	s.counts.errors[TA_LOAD_CLOSED] = 2;
	s.counts.errors[TA_LOAD_RESET] = 3;
	by(b, &s, "the server: it ended 5 connections");
	b->outcome.died = 1;
	by(b, &s, "death: 1 process of");
	s.server_limit = EMFILE;
	by(b, &s, "descriptors: a server process has 20000");
	s.client_limit = ENFILE;
	by(b, &s, "fs.file-max: 2466165");
	s.client_limit = EADDRNOTAVAIL;
	by(b, &s, "ports: 28232 local ones");
	s.client_limit = ENOBUFS;
	by(b, &s, "memory: the kernel gave the client");
	s.client_limit = ENOSPC;
	by(b, &s, "fs.epoll.max_user_watches");
	s = (struct ta_hold_sum){0};
	b->outcome.died = 0;
	b->outcome.out_of_time = true;
	by(b, &s, "time: not built within 30 s");
	b->outcome.out_of_time = false;
	atomic_store(&b->stop, 1);
	by(b, &s, "the user");
	ta_hold_board_free(b);
}

static void test_sum(void **state)
{
	struct ta_hold_setup setup = {.plan = {.clients = 2, .servers = 1}};
	struct ta_hold_board *b = ta_hold_board_new(&setup);
	struct ta_hold_sum s;

	(void)state;
	assert_non_null(b);
	for (unsigned i = 0; i < 2; i++) {
		ta_hist_reset(&b->clients[i].connect);
		ta_hist_reset(&b->clients[i].answer);
		ta_hist_add(&b->clients[i].connect, 1000);
		atomic_store(&b->clients[i].open, 10 + i);
		b->clients[i].asked = 4;
		b->clients[i].answered = 3;
		b->clients[i].errors[TA_LOAD_RESET] = i;
		b->clients[i].user_ns = 5;
	}
	b->clients[1].limit = EMFILE;
	b->servers[0].system_ns = 7;
	b->outcome.died = 2;
	ta_hold_sum_up(b, &s);
	assert_int_equal(s.held, 21);
	assert_int_equal(s.asked, 8);
	assert_int_equal(s.answered, 6);
	assert_int_equal(s.connect.n, 2);
	assert_int_equal(s.counts.connects, 2);
	assert_int_equal(s.counts.errors[TA_LOAD_RESET], 1);
	assert_int_equal(s.counts.errors[TA_LOAD_DIED], 2);
	assert_int_equal(s.client_limit, EMFILE);
	assert_int_equal(s.client_user_ns, 10);
	assert_int_equal(s.server_system_ns, 7);
	ta_hold_board_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_million),
		cmocka_unit_test(test_shares_are_whole),
		cmocka_unit_test(test_servers_of_a_peer),
		cmocka_unit_test(test_ports_of_a_peer),
		cmocka_unit_test(test_each_limit_is_named),
		cmocka_unit_test(test_reserved_ports),
		cmocka_unit_test_setup_teardown(test_room, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_counts_by_name, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_user_memory, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_kernel_memory, make_dir, remove_dir),
		cmocka_unit_test(test_verdict),
		cmocka_unit_test(test_sum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
