/* Settings, limits, counters, modules and processes of small captured hosts. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>
#include <json-c/json.h>

#include "derive/derive.h"
#include "facts/schema.h"
#include "probe/modules.h"
#include "probe/probe.h"
#include "tests/unit/tree.h"

extern const struct ta_probe ta_probe_sysctl, ta_probe_limits, ta_probe_counters, ta_probe_modules,
	ta_probe_processes, ta_probe_irq, ta_probe_nic;
extern const struct ta_derivation ta_derive_listener_pids;

static struct tree t;

static int make(void **state)
{
	return tree_make(&t);
}

static int drop(void **state)
{
	tree_remove(&t);
	return 0;
}

/* The facts of one probe; every value has a row of its type. */
static struct ta_facts *facts_of(const struct ta_probe *p, const struct ta_derivation *d)
{
	struct ta_table tables[] = {{p->name, p->fields, p->n_fields},
		{d ? d->name : "", d ? d->fields : NULL, d ? d->n_fields : 0}};
	struct ta_facts *f = ta_facts_new();
	struct ta_schema *s = NULL;
	struct ta_host *h = NULL;
	struct ta_err err = {0};

	assert_int_equal(ta_host_capture(t.dir, &h, &err), 0);
	p->collect(h, f);
	if (d)
		d->compute(f);
	ta_host_free(h);
	assert_int_equal(ta_schema_new(tables, d ? 2 : 1, &s, &err), 0);
	if (ta_schema_validate(s, f, &err) < 0)
		fail_msg("%s", err.text);
	ta_schema_free(s);
	assert_int_equal(ta_facts_error(f), 0);
	return f;
}

static void assert_json(struct ta_facts *f, const char *const *path, const char *want)
{
	struct json_object *v = ta_facts_at(f, path);

	assert_string_equal(
		v ? json_object_to_json_string_ext(v, JSON_C_TO_STRING_PLAIN) : "(none)", want);
}

#define assert_fact(f, want, ...) assert_json(f, TA_KEYS(__VA_ARGS__), want)

static void assert_absent(struct ta_facts *f, const char *path, enum ta_reason reason, const char *part)
{
	struct ta_absence a = ta_facts_absence(f, path);

	assert_int_equal(a.reason, reason);
	if (!strstr(a.detail, part))
		fail_msg("%s: \"%s\" lacks \"%s\"", path, a.detail, part);
}

static void sysctls(void **state)
{
	struct ta_facts *f;

	tree_file(&t, "proc/sys/net/core/somaxconn", "4096\n");
	tree_file(&t, "proc/sys/net/core/netdev_max_backlog", "abc\n");
	tree_file(&t, "proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n");
	tree_file(&t, "proc/sys/net/ipv4/tcp_wmem", "4096 x\n");
	tree_file(&t, "proc/sys/net/ipv4/tcp_congestion_control", "bbr\n");
	tree_file(&t, "proc/sys/net/ipv4/ip_local_reserved_ports", "\n");
	tree_file(&t, "proc/sys/net/ipv4/tcp_notsent_lowat", "4294967295\n");
	tree_file(&t, "proc/sys/fs/file-max", "18446744073709551615\n");
	tree_file(&t, "proc/sys/kernel/sched_energy_aware", "");
	f = facts_of(&ta_probe_sysctl, NULL);
	assert_fact(f, "4096", "sysctl", "net.core.somaxconn");
	assert_fact(f, "[4096,131072,6291456]", "sysctl", "net.ipv4.tcp_rmem");
	assert_fact(f, "\"bbr\"", "sysctl", "net.ipv4.tcp_congestion_control");
	assert_fact(f, "\"\"", "sysctl", "net.ipv4.ip_local_reserved_ports");
	assert_fact(f, "4294967295", "sysctl", "net.ipv4.tcp_notsent_lowat");
	assert_fact(f, "18446744073709551615", "sysctl", "fs.file-max");
	assert_absent(f, "sysctl[\"net.core.netdev_max_backlog\"]", TA_MALFORMED, "");
	assert_absent(f, "sysctl[\"kernel.sched_energy_aware\"]", TA_UNSUPPORTED, "is empty");
	assert_absent(f, "sysctl[\"net.ipv4.tcp_wmem\"]", TA_MALFORMED, "");
	assert_absent(f, "sysctl[\"net.netfilter.nf_conntrack_max\"]", TA_MISSING, "nf_conntrack");
	assert_absent(f, "sysctl[\"net.ipv4.tcp_mem\"]", TA_MISSING, "no /proc/sys/net/ipv4/tcp_mem");
	ta_facts_free(f);
}

static void sysctls_of_a_child_namespace(void **state)
{
	struct ta_facts *f;

	tree_file(&t, "proc/sys/net/core/somaxconn", "4096\n");
	f = facts_of(&ta_probe_sysctl, NULL);
	assert_absent(f, "sysctl[\"net.core.netdev_max_backlog\"]", TA_MISSING,
		"not visible in this network namespace");
	/* Its own settings are there or not for other reasons. */
	assert_absent(f, "sysctl[\"net.ipv4.tcp_rmem\"]", TA_MISSING, "no /proc/sys/net/ipv4/tcp_rmem");
	assert_absent(f, "sysctl[\"vm.swappiness\"]", TA_MISSING, "no /proc/sys/vm/swappiness");
	ta_facts_free(f);

	/* In a namespace of an unprivileged user none of net.core is there; only a whole capture tells that from a thin one. */
	tree_remove(&t);
	assert_int_equal(tree_make(&t), 0);
	tree_file(&t, "proc/sys/net/ipv4/tcp_rmem", "4096 131072 6291456\n");
	f = facts_of(&ta_probe_sysctl, NULL);
	assert_absent(f, "sysctl[\"net.core.somaxconn\"]", TA_MISSING, "no /proc/sys/net/core/somaxconn");
	ta_facts_free(f);
	tree_file(&t, "calls.json",
		"{\"schema\":\"tuneaudit.calls/1\",\"complete\":true,\"exists\":{\"/proc/sys\":true,"
		"\"/proc/sys/net/core/netdev_max_backlog\":false,\"/proc/sys/net/core/somaxconn\":false},"
		"\"errors\":{\"read\":{\"/proc/sys/net/core/somaxconn\":\"ENOENT\","
		"\"/proc/sys/net/ipv4/udp_mem\":\"ENOENT\"}}}");
	f = facts_of(&ta_probe_sysctl, NULL);
	assert_absent(f, "sysctl[\"net.core.somaxconn\"]", TA_MISSING, "not visible in this network namespace");
	assert_absent(f, "sysctl[\"net.ipv4.udp_mem\"]", TA_MISSING, "not visible in this network namespace");
	ta_facts_free(f);
}

/* A file of no bytes is what a failed copy leaves; it is neither "" nor the wrong choice. */
static void empty_files(void **state)
{
	struct ta_facts *f = ta_facts_new();
	struct ta_host *h = NULL;

	tree_file(&t, "sys/word", "");
	tree_file(&t, "sys/list", "\n");
	assert_int_equal(ta_host_capture(t.dir, &h, NULL), 0);
	ta_read_str(h, f, "/sys/word", TA_KEYS("a", "word"));
	ta_read_cpulist(h, f, "/sys/word", TA_KEYS("a", "cpus"));
	ta_read_cpulist(h, f, "/sys/list", TA_KEYS("a", "list"));
	assert_absent(f, "a.word", TA_MALFORMED, "/sys/word is empty");
	assert_absent(f, "a.cpus", TA_MALFORMED, "/sys/word is empty");
	assert_fact(f, "[]", "a", "list");
	ta_host_free(h);
	ta_facts_free(f);

	tree_file(&t, "proc/sys/net/ipv4/tcp_congestion_control", "");
	tree_file(&t, "proc/sys/net/ipv4/ip_local_port_range", "");
	tree_bytes(&t, "proc/sys/net/ipv4/tcp_available_congestion_control", "cubic\0x\n", 8);
	tree_file(&t, "proc/sys/net/core/default_qdisc", "\n");
	f = facts_of(&ta_probe_sysctl, NULL);
	assert_absent(f, "sysctl[\"net.ipv4.tcp_congestion_control\"]", TA_MALFORMED, "empty");
	assert_absent(f, "sysctl[\"net.ipv4.ip_local_port_range\"]", TA_MALFORMED, "");
	assert_absent(f, "sysctl[\"net.ipv4.tcp_available_congestion_control\"]", TA_MALFORMED, "");
	assert_fact(f, "\"\"", "sysctl", "net.core.default_qdisc");
	ta_facts_free(f);
}

static void empty_table_of_interrupts(void **state)
{
	static const char *const broken[] = {"", "\n", " \n", "\n\n\n", "NMI: 0 0\n", "gone\n"};
	static const char *const tables[] = {"           CPU0\n", "  0:  3  IO-APIC  2-edge  timer\n"};
	struct ta_facts *f;

	for (size_t i = 0; i < TA_ARRAY_SIZE(broken); i++) {
		tree_file(&t, "proc/interrupts", broken[i]);
		f = facts_of(&ta_probe_irq, NULL);
		assert_absent(f, "irqs", TA_MALFORMED, "/proc/interrupts");
		ta_facts_free(f);
	}
	for (size_t i = 0; i < TA_ARRAY_SIZE(tables); i++) {
		tree_file(&t, "proc/interrupts", tables[i]);
		f = facts_of(&ta_probe_irq, NULL);
		assert_fact(f, "{}", "irqs");
		ta_facts_free(f);
	}
}

/* Not every card is one of Ethernet. */
static void interface_without_a_type(void **state)
{
	struct ta_facts *f;

	tree_link(&t, "sys/class/net/ib0", "../../devices/pci0/0000:82:00.0/net/ib0");
	tree_file(&t, "sys/devices/pci0/0000:82:00.0/net/ib0/type", "32\n");
	tree_file(&t, "sys/devices/pci0/0000:82:00.0/net/ib0/mtu", "2044\n");
	tree_link(&t, "sys/devices/pci0/0000:82:00.0/net/ib0/device", "../../../0000:82:00.0");
	tree_file(&t, "sys/devices/pci0/0000:82:00.0/uevent", "DRIVER=mlx4_core\n");
	f = facts_of(&ta_probe_nic, NULL);
	assert_fact(f, "\"infiniband\"", "nics", "ib0", "kind");
	assert_fact(f, "true", "nics", "ib0", "physical");
	ta_facts_free(f);
	tree_file(&t, "sys/devices/pci0/0000:82:00.0/net/ib0/type", "");
	f = facts_of(&ta_probe_nic, NULL);
	assert_absent(f, "nics.ib0.kind", TA_MALFORMED, "type");
	assert_fact(f, "true", "nics", "ib0", "physical");
	ta_facts_free(f);
}

static void sysctls_of_nothing(void **state)
{
	struct ta_facts *f = facts_of(&ta_probe_sysctl, NULL);

	assert_absent(f, "sysctl", TA_MISSING, "/proc/sys");
	ta_facts_free(f);
}

/* A sosreport: outputs of commands instead of files. A file that is there counts. */
static void standins(void **state)
{
	struct ta_facts *f;

	tree_file(&t, "proc/sys/net/core/somaxconn", "128\n");
	tree_file(&t, "sos_commands/kernel/sysctl_-a",
		"sysctl: permission denied on key 'fs.protected_fifos'\nnet.core.somaxconn = 4096\n"
		"net.ipv4.tcp_rmem = 4096\t131072\t6291456\nnet.ipv4.ip_local_reserved_ports = \n"
		"net.ipv4.tcp_congestion_control = bbr\nnet.ipv4.tcp_sack = \nvm.swappiness=7\n");
	tree_file(&t, "extra/nstat_-zas",
		"#kernel\nIpInReceives                    265936             0.0\nIcmpInMsgs 1 0.0\n"
		"Ip6InReceives 9 0.0\nTcpExtListenOverflows 3 0.0\nTcpOutSegs 4 0.0\nIpExtInOctets 5 0.0\n"
		"UdpMemErrors x 0.0\nTcp 1 0\nTcpRetransSegs\n");
	f = facts_of(&ta_probe_sysctl, NULL);
	assert_fact(f, "128", "sysctl", "net.core.somaxconn");
	assert_fact(f, "[4096,131072,6291456]", "sysctl", "net.ipv4.tcp_rmem");
	assert_fact(f, "\"\"", "sysctl", "net.ipv4.ip_local_reserved_ports");
	assert_fact(f, "\"bbr\"", "sysctl", "net.ipv4.tcp_congestion_control");
	assert_absent(f, "sysctl[\"net.ipv4.tcp_sack\"]", TA_UNSUPPORTED, "empty");
	assert_absent(f, "sysctl[\"vm.swappiness\"]", TA_MISSING, "no /proc/sys/vm/swappiness");
	f = ta_facts_free(f);
	f = facts_of(&ta_probe_counters, NULL);
	assert_fact(f, "265936", "counters", "ip", "InReceives");
	assert_fact(f, "3", "counters", "tcpext", "ListenOverflows");
	assert_fact(f, "4", "counters", "tcp", "OutSegs");
	assert_fact(f, "5", "counters", "ipext", "InOctets");
	assert_absent(f, "counters.udp.MemErrors", TA_MISSING, "");
	assert_absent(f, "counters.tcp.RetransSegs", TA_MISSING, "");
	ta_facts_free(f);
}

static void limits(void **state)
{
	struct ta_facts *f;

	tree_file(&t, "proc/sys/fs/file-max", "9223372036854775807\n");
	tree_file(&t, "proc/sys/fs/nr_open", "1048576\n");
	tree_file(&t, "proc/sys/fs/file-nr", "583\t0\t9223372036854775807\n");
	tree_file(&t, "proc/loadavg", "12.03 0.01 0.05 3/286 12345\n");
	tree_file(&t, "proc/self/limits",
		"Limit                     Soft Limit           Hard Limit           Units     \n"
		"Max open files            20000                unlimited            files     \n");
	tree_file(&t, "proc/self/status", "Name:\tx\nCapEff:\t000001ffffffffff\n");
	tree_file(&t, "proc/self/uid_map", "         0          0 4294967295\n");
	f = facts_of(&ta_probe_limits, NULL);
	assert_fact(f, "9223372036854775807", "limits", "file_max");
	assert_fact(f, "583", "limits", "file_used");
	assert_fact(f, "286", "limits", "tasks");
	assert_fact(f, "12.03", "limits", "load1");
	assert_fact(f, "20000", "limits", "self_nofile_soft");
	assert_fact(f, "\"unlimited\"", "limits", "self_nofile_hard");
	assert_fact(f, "true", "limits", "can_raise_nofile");
	assert_absent(f, "limits.threads_max", TA_MISSING, "threads-max");
	assert_absent(f, "limits.init_nofile_hard", TA_MISSING, "/proc/1/limits");
	ta_facts_free(f);

	/* Root in a container's user namespace has every capability, but not over limits. */
	tree_file(&t, "proc/self/uid_map", "0 100000 65536\n");
	f = facts_of(&ta_probe_limits, NULL);
	assert_fact(f, "false", "limits", "can_raise_nofile");
	ta_facts_free(f);
	tree_file(&t, "proc/self/uid_map", "0 0 4294967295\n");
	tree_file(&t, "proc/self/status", "CapEff:\t000001fffeffffff\n");
	tree_file(&t, "proc/sys/fs/file-nr", "many\n");
	tree_file(&t, "proc/loadavg", "0.0 0.01 0.05 3/286 12345\n");
	f = facts_of(&ta_probe_limits, NULL);
	assert_fact(f, "false", "limits", "can_raise_nofile");
	assert_absent(f, "limits.file_used", TA_MALFORMED, "file-nr");
	assert_absent(f, "limits.load1", TA_MALFORMED, "loadavg");
	assert_absent(f, "limits.tasks", TA_MALFORMED, "loadavg");
	ta_facts_free(f);
}

static void counters(void **state)
{
	struct ta_facts *f;

	tree_file(&t, "proc/net/netstat",
		"TcpExt: TW NoSuchName ListenOverflows\nTcpExt: 7 8 18446744073709551615\n"
		"IpExt: InOctets\nIpExt: 1\n");
	tree_file(&t, "proc/net/snmp", "Tcp: MaxConn OutSegs\nTcp: -1 x\n");
	/* Four rows of an old kernel, CPU 2 of five offline. */
	tree_file(&t, "proc/net/softnet_stat",
		"00000001 00000000 00000001 0 0 0 0 0 0 2\n0000000a 00000012 00000002 0 0 0 0 0 0 0\n"
		"00000001 00000000 00000003 0 0 0 0 0 0 0\n00000001 000000ff 00000004 0 0 0 0 0 0 0\n");
	tree_file(&t, "sys/devices/system/cpu/online", "0-1,3-4\n");
	tree_file(&t, "proc/softirqs", "   CPU0 CPU1\n NET_TX: 1 2\n NET_RX: 10 0\n RCU: 1 1\n");
	tree_file(&t, "proc/net/sockstat", "sockets: used 17\nTCP: inuse 1 orphan 0 tw 3 alloc 1 mem -2\n");
	f = facts_of(&ta_probe_counters, NULL);
	assert_fact(f, "7", "counters", "tcpext", "TW");
	assert_fact(f, "18446744073709551615", "counters", "tcpext", "ListenOverflows");
	assert_absent(f, "counters.tcpext.ListenDrops", TA_MISSING, "does not count");
	assert_fact(f, "1", "counters", "ipext", "InOctets");
	assert_absent(f, "counters.tcp.OutSegs", TA_MALFORMED, "snmp");
	assert_fact(f, "273", "counters", "softnet", "dropped");
	assert_fact(f, "[0,18,0,255]", "counters", "softnet", "dropped_by_cpu");
	assert_fact(f, "[0,1,3,4]", "counters", "softnet", "cpus");
	assert_fact(f, "2", "counters", "softnet", "received_rps");
	assert_absent(f, "counters.softnet.flow_limit", TA_MISSING, "does not count");
	assert_fact(f, "[10,0]", "counters", "softirq", "net_rx_by_cpu");
	assert_fact(f, "3", "counters", "softirq", "net_tx");
	assert_fact(f, "3", "counters", "sockstat", "tcp_tw");
	assert_fact(f, "0", "counters", "sockstat", "tcp_mem");
	assert_absent(f, "counters.sockstat.tcp6_inuse", TA_MISSING, "sockstat6");
	assert_absent(f, "counters.conntrack.drop", TA_MISSING, "nf_conntrack");
	assert_absent(f, "counters.ndisc.table_fulls", TA_MISSING, "ndisc_cache");
	ta_facts_free(f);

	/* Rows that nobody can number, a table cut short, tracking of connections. */
	tree_file(&t, "sys/devices/system/cpu/online", "0-4\n");
	tree_file(&t, "proc/softirqs", "   CPU0 CPU1\n NET_TX: 1 2\n NET_RX: 10\n");
	tree_file(&t, "proc/sys/net/netfilter/nf_conntrack_count", "12\n");
	tree_file(&t, "proc/sys/net/netfilter/nf_conntrack_max", "0\n");
	tree_file(&t, "proc/net/stat/nf_conntrack", "entries drop\n0000000c 00000001\n0000000c 00000010\n");
	tree_file(&t, "proc/net/stat/arp_cache", "entries  table_fulls\n0000000c 00000001\n0000000c 00000010\n");
	f = facts_of(&ta_probe_counters, NULL);
	assert_fact(f, "12", "counters", "arp", "entries");
	assert_fact(f, "17", "counters", "arp", "table_fulls");
	assert_absent(f, "counters.arp.forced_gc_runs", TA_MISSING, "arp_cache");
	assert_absent(f, "counters.softnet.cpus", TA_MISSING, "number");
	assert_fact(f, "273", "counters", "softnet", "dropped");
	assert_absent(f, "counters.softirq.net_rx", TA_MALFORMED, "softirqs");
	assert_fact(f, "12", "counters", "conntrack", "count");
	assert_fact(f, "0", "counters", "conntrack", "max");
	assert_fact(f, "17", "counters", "conntrack", "drop");
	ta_facts_free(f);
}

static void modules(void **state)
{
	static const char *const names[] = {
		"nf_conntrack", "tls", "tcp_bbr", "tcp_dctcp", "sch_fq_codel"};
	enum ta_module states[TA_ARRAY_SIZE(names)];
	struct ta_host *h = NULL;
	struct ta_facts *f;

	tree_file(&t, "proc/modules", "nf_conntrack 172032 2 xt_a,b, Live 0x0000000000000000\n"
				      "igb 1 0 - Live 0x0\n");
	tree_file(&t, "proc/sys/kernel/osrelease", "6.1.0-57-amd64\n");
	assert_int_equal(ta_host_capture(t.dir, &h, NULL), 0);
	/* Without /sys the list of loaded ones still tells. */
	ta_modules_look(h, names, TA_ARRAY_SIZE(names), states);
	assert_int_equal(states[0], TA_MODULE_LOADED);
	assert_int_equal(states[1], TA_MODULE_UNKNOWN);
	tree_file(&t, "sys/module/nf_conntrack/refcnt", "2\n");
	ta_modules_look(h, names, TA_ARRAY_SIZE(names), states);
	assert_int_equal(states[0], TA_MODULE_LOADED);
	assert_int_equal(states[1], TA_MODULE_UNKNOWN);
	assert_false(ta_module_safe(states[1]));
	tree_file(&t, "lib/modules/6.1.0-57-amd64/modules.builtin", "kernel/net/sched/sch_fq-codel.ko\n");
	tree_file(&t, "lib/modules/6.1.0-57-amd64/modules.dep",
		"kernel/net/tls/tls.ko.xz:\nkernel/net/ipv4/tcp_bbr.ko: kernel/x/tcp_dctcp.ko\n");
	ta_modules_look(h, names, TA_ARRAY_SIZE(names), states);
	assert_int_equal(states[1], TA_MODULE_AVAILABLE);
	assert_int_equal(states[2], TA_MODULE_AVAILABLE);
	assert_int_equal(states[3], TA_MODULE_ABSENT);
	assert_int_equal(states[4], TA_MODULE_BUILTIN);
	assert_false(ta_module_safe(states[2]));
	assert_true(ta_module_safe(states[3]));
	h = ta_host_free(h);

	f = facts_of(&ta_probe_modules, NULL);
	assert_fact(f, "[\"igb\",\"nf_conntrack\"]", "modules", "loaded");
	assert_fact(f, "true", "modules", "loadable");
	assert_fact(f, "\"available\"", "modules", "state", "tls");
	ta_facts_free(f);
	assert_true(ta_module_line_is("kernel/a/nf-conntrack.ko.zst: x", "nf_conntrack"));
	assert_false(ta_module_line_is("kernel/a/nf_conntrack_ftp.ko: x", "nf_conntrack"));
	assert_false(ta_module_line_is("kernel/a/b.ko: kernel/a/nf_conntrack.ko", "nf_conntrack"));
	assert_false(ta_module_line_is("", "nf_conntrack"));
}

static void kernel_without_modules(void **state)
{
	struct ta_facts *f;

	tree_file(&t, "proc/sys/kernel/osrelease", "6.18.0\n");
	f = facts_of(&ta_probe_modules, NULL);
	/* Somebody's copy may just lack the file. */
	assert_absent(f, "modules.loaded", TA_MISSING, "/proc/modules");
	assert_fact(f, "\"unknown\"", "modules", "state", "tls");
	f = ta_facts_free(f);
	tree_file(&t, "calls.json",
		"{\"complete\":true,\"errors\":{\"lines\":{\"/proc/modules\":\"ENOENT\"}}}");
	f = facts_of(&ta_probe_modules, NULL);
	assert_fact(f, "[]", "modules", "loaded");
	assert_fact(f, "false", "modules", "loadable");
	assert_fact(f, "\"static\"", "modules", "state", "tls");
	ta_facts_free(f);
}

#define LISTEN(n, addr, port, inode)                                                               \
	"   " n ": " addr ":" port " 00000000:0000 0A 00000000:00000001 00:00000000 00000000 0 0 " inode " 1\n"

static void a_server(struct tree *tree, const char *pid, const char *comm)
{
	char name[128];

	snprintf(name, sizeof(name), "proc/%s/comm", pid);
	tree_file(tree, name, comm);
	snprintf(name, sizeof(name), "proc/%s/limits", pid);
	tree_file(tree, name,
		"Max open files            1024                 unlimited            files     \n");
	snprintf(name, sizeof(name), "proc/%s/status", pid);
	tree_file(tree, name, "Threads:\t3\nCpus_allowed_list:\t0-1,4\nTHP_enabled:\t0\n");
	snprintf(name, sizeof(name), "proc/%s/cgroup", pid);
	tree_file(tree, name, "0::/system.slice/web.service\n");
}

static void processes(void **state)
{
	struct ta_facts *f;

	tree_file(&t, "proc/net/tcp",
		"  sl\n" LISTEN("0", "00000000", "0050", "500") LISTEN("1", "00000000", "0050", "501")
			LISTEN("2", "0100007F", "18EB", "502"));
	a_server(&t, "1", "init\n");
	tree_link(&t, "proc/1/fd/0", "/dev/null");
	a_server(&t, "20", "we\x01ird\nname\n");
	tree_link(&t, "proc/20/fd/6", "socket:[501]");
	a_server(&t, "100", "redis-server\n"); /* does not listen, but rules ask for it */
	tree_link(&t, "proc/100/fd/0", "socket:[77]");
	tree_file(&t, "proc/30/comm", "kworker/0:1\n");
	tree_file(&t, "proc/30/fd/.x", ""); /* makes the directory */
	tree_file(&t, "proc/notapid/comm", "x\n");
	f = facts_of(&ta_probe_processes, &ta_derive_listener_pids);
	assert_fact(f, "{\"sockets\":2,\"queued_max\":1,\"queued_sum\":2,\"netns\":\"self\",\"port\":80,"
		       "\"loopback\":false,\"pids\":[20]}", "listeners", "self tcp 0.0.0.0:80");
	assert_absent(f, "listeners[\"self tcp 0.0.0.0:80\"].backlog_min", TA_NOT_ASKED, "tcp_diag");
	assert_fact(f, "true", "listeners", "self tcp 127.0.0.1:6379", "loopback");
	assert_fact(f, "[]", "listeners", "self tcp 127.0.0.1:6379", "pids");
	assert_fact(f, "\"we\\\\x01ird\\\\x0aname\"", "processes", "20", "comm");
	assert_fact(f, "[\"self tcp 0.0.0.0:80\"]", "processes", "20", "listens");
	assert_fact(f, "\"web.service\"", "processes", "20", "subject");
	assert_fact(f, "1024", "processes", "20", "nofile_soft");
	assert_fact(f, "\"unlimited\"", "processes", "20", "nofile_hard");
	assert_absent(f, "processes.20.memlock_soft", TA_MISSING, "limits");
	assert_fact(f, "[0,1,4]", "processes", "20", "cpus_allowed");
	assert_fact(f, "false", "processes", "20", "thp_enabled");
	assert_fact(f, "false", "processes", "100", "listening");
	assert_fact(f, "(none)", "processes", "1");
	assert_false(ta_facts_incomplete(f, "processes", NULL));
	ta_facts_free(f);
}

static void assert_incomplete(const struct ta_facts *f, const char *path, enum ta_reason reason)
{
	struct ta_absence why;

	assert_true(ta_facts_incomplete(f, path, &why));
	assert_int_equal(why.reason, reason);
}

/* A container: its listeners and processes by its own name, its settings from a child that was there. */
static void foreign_namespace(void **state)
{
	struct ta_facts *f;

	tree_link(&t, "proc/self/ns/net", "net:[1]");
	tree_file(&t, "proc/net/tcp", "  sl\n" LISTEN("0", "00000000", "0050", "500"));
	a_server(&t, "1", "init\n");
	tree_link(&t, "proc/1/ns/net", "net:[1]");
	tree_link(&t, "proc/1/fd/0", "socket:[500]");
	a_server(&t, "7", "redis-server\n");
	tree_link(&t, "proc/7/ns/net", "net:[2]");
	/* Its own socket, and one that it was started with. */
	tree_link(&t, "proc/7/fd/0", "socket:[600]");
	tree_link(&t, "proc/7/fd/1", "socket:[500]");
	tree_file(&t, "proc/7/net/tcp", "  sl\n" LISTEN("0", "00000000", "18EB", "600"));
	/* Nobody listens in the third. */
	a_server(&t, "8", "envoy\n");
	tree_link(&t, "proc/8/ns/net", "net:[3]");
	tree_link(&t, "proc/8/fd/0", "socket:[700]");
	tree_file(&t, "proc/8/net/tcp", "  sl\n");
	tree_file(&t, "calls.json",
		"{\"calls\":{\"netns/web.service\":{\"rc\":0,\"data\":\""
		/* "sysctl net.core.somaxconn 200\nlisten 600 128 3\nlisten 9 x\n" */
		"73797363746c206e65742e636f72652e736f6d6178636f6e6e203230300a"
		"6c697374656e203630302031323820330a6c697374656e203920780a\"}}}");
	f = facts_of(&ta_probe_processes, &ta_derive_listener_pids);
	assert_fact(f, "128", "listeners", "web.service tcp 0.0.0.0:6379", "backlog_min");
	assert_fact(f, "3", "listeners", "web.service tcp 0.0.0.0:6379", "queued_max");
	assert_fact(f, "[7]", "listeners", "web.service tcp 0.0.0.0:6379", "pids");
	assert_fact(f, "[1,7]", "listeners", "self tcp 0.0.0.0:80", "pids");
	assert_fact(f, "\"web.service\"", "netns", "web.service", "owner");
	assert_fact(f, "200", "netns", "web.service", "sysctl", "net.core.somaxconn");
	assert_absent(f, "netns[\"web.service\"].sysctl[\"net.ipv4.tcp_rmem\"]", TA_MISSING, "not there");
	assert_fact(f, "\"web.service\"", "processes", "7", "netns");
	assert_fact(f, "\"other\"", "processes", "8", "netns");
	assert_false(ta_facts_incomplete(f, "netns", NULL));
	ta_facts_free(f);

	/* The child could not go there. */
	tree_file(&t, "calls.json", "{\"calls\":{\"netns/web.service\":{\"rc\":\"EPERM\"}}}");
	f = facts_of(&ta_probe_processes, NULL);
	assert_absent(f, "netns[\"web.service\"].sysctl[\"net.core.somaxconn\"]", TA_DENIED, "not permitted");
	assert_absent(f, "listeners[\"web.service tcp 0.0.0.0:6379\"].backlog_min", TA_DENIED, "not permitted");
	assert_fact(f, "1", "listeners", "web.service tcp 0.0.0.0:6379", "queued_max");
	ta_facts_free(f);

	/* It got there, and one file refused. */
	tree_file(&t, "calls.json",
		"{\"calls\":{\"netns/web.service\":{\"rc\":0,\"data\":\""
		/* "absent net.core.somaxconn denied\n" */
		"616273656e74206e65742e636f72652e736f6d6178636f6e6e2064656e6965640a\"}}}");
	f = facts_of(&ta_probe_processes, NULL);
	assert_absent(f, "netns[\"web.service\"].sysctl[\"net.core.somaxconn\"]", TA_DENIED, "");
	assert_absent(f, "netns[\"web.service\"].sysctl[\"net.ipv4.tcp_sack\"]", TA_MISSING, "not there");
	ta_facts_free(f);

	/* Who listens there is not known: then nothing is whole. */
	tree_file(&t, "calls.json", "{\"errors\":{\"lines\":{\"/proc/7/net/tcp\":\"EACCES\"}}}");
	f = facts_of(&ta_probe_processes, NULL);
	assert_incomplete(f, "netns", TA_DENIED);
	assert_incomplete(f, "listeners", TA_DENIED);
	assert_incomplete(f, "processes", TA_DENIED);
	ta_facts_free(f);
	tree_file(&t, "calls.json", "{\"errors\":{\"link\":{\"/proc/7/ns/net\":\"EIO\"}}}");
	f = facts_of(&ta_probe_processes, NULL);
	assert_incomplete(f, "netns", TA_MALFORMED);
	assert_incomplete(f, "listeners", TA_MALFORMED);
	ta_facts_free(f);
}

static void hidden_processes(void **state)
{
	struct ta_facts *f;

	tree_file(&t, "proc/net/tcp", "  sl\n" LISTEN("0", "00000000", "0050", "500"));
	a_server(&t, "20", "sh\n");
	tree_link(&t, "proc/20/fd/0", "/dev/null");
	f = facts_of(&ta_probe_processes, &ta_derive_listener_pids);
	assert_true(ta_facts_incomplete(f, "processes", NULL));
	/* Nobody in sight has it: that is no news. */
	assert_absent(f, "listeners[\"self tcp 0.0.0.0:80\"].pids", TA_DENIED, "hidepid");
	ta_facts_free(f);
}

static void relink(const char *name, const char *target)
{
	char path[512];

	tree_path(&t, name, &path);
	assert_int_equal(unlink(path), 0);
	tree_link(&t, name, target);
}

/* A container on the network of its host: the sockets of others are there, they themselves are not. */
static void shared_network(void **state)
{
	struct ta_facts *f;

	tree_file(&t, "proc/net/tcp", "  sl\n" LISTEN("0", "00000000", "0050", "500"));
	a_server(&t, "1", "sh\n");
	tree_link(&t, "proc/1/fd/0", "/dev/null");
	tree_link(&t, "proc/self/ns/pid", "pid:[4026531836]");
	f = facts_of(&ta_probe_processes, &ta_derive_listener_pids);
	assert_false(ta_facts_incomplete(f, "processes", NULL));
	assert_fact(f, "[]", "listeners", "self tcp 0.0.0.0:80", "pids");
	ta_facts_free(f);
	relink("proc/self/ns/pid", "pid:[4026532281]");
	f = facts_of(&ta_probe_processes, &ta_derive_listener_pids);
	assert_incomplete(f, "processes", TA_DENIED);
	assert_absent(f, "listeners[\"self tcp 0.0.0.0:80\"].pids", TA_DENIED, "PID namespace");
	ta_facts_free(f);
	relink("proc/1/fd/0", "socket:[500]");
	f = facts_of(&ta_probe_processes, NULL);
	assert_false(ta_facts_incomplete(f, "processes", NULL));
	ta_facts_free(f);
}

/* As some tools copy /proc: limits and status, neither names nor descriptors. */
static void half_copied_processes(void **state)
{
	struct ta_facts *f;

	tree_file(&t, "proc/1/status", "Name:\tsystemd\n");
	tree_file(&t, "proc/20/status", "Name:\tredis-server\nThreads:\t4\n");
	tree_file(&t, "proc/20/limits",
		"Max open files            1024                 4096                 files     \n");
	f = facts_of(&ta_probe_processes, NULL);
	assert_fact(f, "\"redis-server\"", "processes", "20", "comm");
	assert_fact(f, "4096", "processes", "20", "nofile_hard");
	assert_fact(f, "(none)", "processes", "20", "listening");
	assert_absent(f, "processes.20.listening", TA_NOT_ASKED, "");
	assert_fact(f, "(none)", "processes", "1");
	assert_true(ta_facts_incomplete(f, "processes", NULL));
	ta_facts_free(f);
}

/* A proxy whose first thousands of descriptors are connections may listen on a later one. */
static void many_descriptors(void **state)
{
	struct ta_facts *f;
	char path[64];

	tree_file(&t, "proc/1/comm", "init\n");
	tree_file(&t, "proc/20/comm", "nginx\n");
	tree_file(&t, "proc/net/tcp",
		"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
		"   0: 00000000:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 77 1 0\n");
	for (int i = 0; i < 4200; i++) {
		snprintf(path, sizeof(path), "proc/20/fd/%d", i);
		tree_link(&t, path, "socket:[5]");
	}
	f = facts_of(&ta_probe_processes, NULL);
	assert_absent(f, "processes.20.listening", TA_NOT_ASKED, "4200 descriptors");
	assert_fact(f, "4200", "processes", "20", "nofile_used");
	assert_true(ta_facts_incomplete(f, "processes", NULL));
	ta_facts_free(f);
}

/* Whatever fails, nobody is left out in silence. */
static void failing_processes(void **state)
{
	struct ta_facts *f;

	tree_link(&t, "proc/self/ns/net", "net:[1]");
	tree_file(&t, "proc/net/tcp", "  sl\n" LISTEN("0", "00000000", "0050", "500"));
	tree_file(&t, "proc/self/cgroup", "0::/\n");
	a_server(&t, "1", "init\n");
	tree_link(&t, "proc/1/fd/0", "/dev/null");
	a_server(&t, "20", "server\n");
	tree_link(&t, "proc/20/fd/0", "socket:[500]");
	f = facts_of(&ta_probe_processes, NULL);
	assert_fact(f, "\"server\"", "processes", "20", "comm");
	assert_false(ta_facts_incomplete(f, "processes", NULL));
	/* No group is mounted: there is one, of which nothing is known. */
	assert_fact(f, "{}", "cgroups", "self");
	ta_facts_free(f);

	tree_file(&t, "calls.json", "{\"errors\":{\"read\":{\"/proc/20/comm\":\"EACCES\"}}}");
	f = facts_of(&ta_probe_processes, NULL);
	assert_incomplete(f, "processes", TA_DENIED);
	ta_facts_free(f);

	tree_file(&t, "calls.json", "{\"errors\":{\"list\":{\"/proc/20/fd\":\"EIO\"}}}");
	f = facts_of(&ta_probe_processes, NULL);
	assert_incomplete(f, "processes", TA_MALFORMED);
	ta_facts_free(f);

	tree_file(&t, "calls.json",
		"{\"errors\":{\"list\":{\"/proc\":\"EACCES\"},\"read\":{\"/proc/self/cgroup\":\"EACCES\"}}}");
	f = facts_of(&ta_probe_processes, NULL);
	assert_absent(f, "processes", TA_DENIED, "/proc");
	assert_absent(f, "netns", TA_DENIED, "/proc");
	assert_absent(f, "cgroups", TA_DENIED, "/proc/self/cgroup");
	ta_facts_free(f);
}

static void no_processes(void **state)
{
	struct ta_facts *f;

	tree_file(&t, "proc/meminfo", "x\n");
	f = facts_of(&ta_probe_processes, NULL);
	assert_absent(f, "processes", TA_MISSING, "no processes");
	assert_absent(f, "listeners", TA_MISSING, "/proc/net/tcp");
	assert_absent(f, "cgroups", TA_MISSING, "cgroup");
	ta_facts_free(f);
}

#define host_test(fn) cmocka_unit_test_setup_teardown(fn, make, drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		host_test(sysctls),
		host_test(sysctls_of_a_child_namespace),
		host_test(empty_files),
		host_test(empty_table_of_interrupts),
		host_test(interface_without_a_type),
		host_test(sysctls_of_nothing),
		host_test(standins),
		host_test(limits),
		host_test(counters),
		host_test(modules),
		host_test(kernel_without_modules),
		host_test(processes),
		host_test(foreign_namespace),
		host_test(hidden_processes),
		host_test(shared_network),
		host_test(half_copied_processes),
		host_test(many_descriptors),
		host_test(failing_processes),
		host_test(no_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
