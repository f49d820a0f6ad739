/*
 * Fixers: what a person is told to type. Exact texts, since they are pasted into a root shell; the closed tables; and
 * that nothing moves against its direction.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <errno.h>
#include <cmocka.h>

#include <json-c/json.h>

#include "fix/describe.h"
#include "fix/sinks.h"
#include "probe/collect.h"

/* A call is written as FIXER, directions, {"name": value …}. */
struct call {
	struct ta_fix_call c;
	struct json_object *args;
};

static struct call make_call(const char *fixer, const char *directions, const char *args)
{
	struct call call = {.c = {.fixer = fixer}, .args = json_tokener_parse(args)};

	assert_non_null(call.args);
	for (; *directions; directions++)
		call.c.direction[call.c.n_directions++] = *directions == 'r'   ? TA_DIR_RAISE
							  : *directions == 'l' ? TA_DIR_LOWER
							  : *directions == '-' ? TA_DIR_LEAVE
									       : TA_DIR_EXACT;
	json_object_object_foreach(call.args, name, value)
	{
		call.c.args[call.c.n_args].name = name;
		call.c.args[call.c.n_args++].value = value;
	}
	return call;
}

static int describe(const struct ta_facts *f, const char *fixer, const char *directions, const char *args,
	struct ta_fix_text *ret, struct ta_err *err)
{
	struct call call = make_call(fixer, directions, args);
	int rc = ta_fix_describe(&call.c, f, ret, err);

	json_object_put(call.args);
	return rc;
}

static void expect(const struct ta_facts *f, const char *fixer, const char *directions, const char *args,
	const char *command)
{
	struct ta_fix_text text = {0};
	struct ta_err err = {0};
	int rc = describe(f, fixer, directions, args, &text, &err);

	assert_string_equal(err.text, "");
	assert_int_equal(rc, 0);
	assert_string_equal(ta_buf_text(&text.command), command);
	ta_fix_text_done(&text);
}

static void expect_persist(const struct ta_facts *f, const char *fixer, const char *directions, const char *args,
	const char *file, const char *persist)
{
	struct ta_fix_text text = {0};
	struct ta_err err = {0};

	assert_int_equal(describe(f, fixer, directions, args, &text, &err), 0);
	assert_string_equal(ta_buf_text(&text.persist_file), file);
	assert_string_equal(ta_buf_text(&text.persist_text), persist);
	ta_fix_text_done(&text);
}

/* Refused, with a text that says `why`, and nothing in the result. */
static void refuse(const struct ta_facts *f, const char *fixer, const char *directions, const char *args,
	const char *why)
{
	struct ta_fix_text text = {0};
	struct ta_err err = {0};

	assert_int_equal(describe(f, fixer, directions, args, &text, &err), -EINVAL);
	if (!strstr(err.text, why))
		assert_string_equal(err.text, why);
	assert_string_equal(ta_buf_text(&text.command), "");
	assert_string_equal(ta_buf_text(&text.persist_file), "");
}

#define RMEM "{\"key\":\"net.ipv4.tcp_rmem\","

static struct ta_facts *sysctl_facts(void)
{
	struct ta_facts *f = ta_facts_new();

	ta_facts_put_ints(f, TA_KEYS("sysctl", "net.ipv4.tcp_rmem"), (const int64_t[]){4096, 131072, 6291456}, 3);
	ta_facts_put_ints(f, TA_KEYS("sysctl", "net.ipv4.ip_local_port_range"), (const int64_t[]){32768, 60999}, 2);
	ta_put_i64(f, 4096, "sysctl", "net.core.somaxconn");
	ta_put_u64(f, INT64_MAX, "sysctl", "fs.file-max");
	ta_put_i64(f, 0, "sysctl", "net.netfilter.nf_conntrack_max");
	ta_put_str(f, "cubic", "sysctl", "net.ipv4.tcp_congestion_control");
	return f;
}

static void test_sysctl_raises(void **state)
{
	ta_cleanup_facts struct ta_facts *f = sysctl_facts();

	expect(f, "sysctl.set", "r", "{\"key\":\"net.core.somaxconn\",\"value\":65535}", "sysctl -w net.core.somaxconn=65535");
	expect_persist(f, "sysctl.set", "r", "{\"key\":\"net.core.somaxconn\",\"value\":65535}",
		"/etc/sysctl.d/90-tuneaudit.conf", "net.core.somaxconn = 65535\n");
	expect(f, "sysctl.set", "r", RMEM "\"index\":2,\"value\":33554432}",
		"sysctl -w 'net.ipv4.tcp_rmem=4096 131072 33554432'");
	expect(f, "sysctl.set", "r", "{\"key\":\"net.core.somaxconn\",\"value\":8000.2}", "sysctl -w net.core.somaxconn=8001");
}

static int steps_of(const struct ta_facts *f, const char *fixer, const char *args, struct ta_steps *ret, struct ta_err *err)
{
	struct call call = make_call(fixer, "", args);
	int rc = ta_fixer_find(fixer)->steps(&call.c, f, ret, err);

	json_object_put(call.args);
	return rc;
}

/* One that the kernel lacks would be refused, and with it everything else. */
static void test_words_that_need_a_module(void **state)
{
	static const char *const refused[] = {"absent", "static"};
	static const char fq[] = "{\"key\":\"net.core.default_qdisc\",\"value\":\"fq_codel\"}";
	ta_cleanup_facts struct ta_facts *f = sysctl_facts();
	struct ta_err err = {0};

	for (size_t i = 0; i < TA_ARRAY_SIZE(refused); i++) {
		ta_cleanup_steps struct ta_steps none = TA_STEPS_INIT;

		ta_put_str(f, refused[i], "modules", "state", "sch_fq_codel");
		assert_int_equal(steps_of(f, "sysctl.set", fq, &none, &err), -EINVAL);
		assert_int_equal(none.n, 0);
	}
	for (unsigned i = 0; i < 2; i++) {
		ta_cleanup_steps struct ta_steps list = TA_STEPS_INIT;

		ta_put_str(f, i ? "available" : "builtin", "modules", "state", "sch_fq_codel");
		assert_int_equal(steps_of(f, "sysctl.set", fq, &list, &err), 0);
		assert_int_equal(list.n, 1 + i);
		assert_ptr_equal(list.v[0].knob, i ? &ta_knob_module : &ta_knob_sysctl);
		assert_string_equal(list.v[i].after, "fq_codel");
	}
}

/* Where a line of somebody's stands, and that one of ours would be read before it. */
static void test_sysctl_names_the_line(void **state)
{
	static const char args[] = "{\"key\":\"net.core.somaxconn\",\"value\":65535}";
	ta_cleanup_facts struct ta_facts *f = sysctl_facts();

	ta_put_str(f, "sysctl.d", "settings", "net.core.somaxconn", "set_by");
	ta_put_str(f, "/etc/sysctl.d/10-own.conf", "settings", "net.core.somaxconn", "file");
	ta_put_i64(f, 3, "settings", "net.core.somaxconn", "line");
	expect(f, "sysctl.set", "r", args, "# /etc/sysctl.d/10-own.conf:3 sets it now\nsysctl -w net.core.somaxconn=65535");
	expect_persist(f, "sysctl.set", "r", args, "/etc/sysctl.d/90-tuneaudit.conf", "net.core.somaxconn = 65535\n");
	ta_put_str(f, "/usr/lib/sysctl.d/99-v.conf", "settings", "net.core.somaxconn", "file");
	expect(f, "sysctl.set", "r", args,
		"# /usr/lib/sysctl.d/99-v.conf:3 sets it and is read last: a file of its name in /etc/sysctl.d takes its place\nsysctl -w net.core.somaxconn=65535");
	expect_persist(f, "sysctl.set", "r", args, "", "");
	ta_put_str(f, "/etc/sysctl.d/99-x.conf", "settings", "net.core.somaxconn", "file");
	expect(f, "sysctl.set", "r", args, "# /etc/sysctl.d/99-x.conf:3 sets it: change that line too\nsysctl -w net.core.somaxconn=65535");
	ta_put_str(f, "/etc/sysctl.d/90-tuneaudit.conf", "settings", "net.core.somaxconn", "file");
	expect(f, "sysctl.set", "r", args, "sysctl -w net.core.somaxconn=65535");
}

static void test_lines_of_sysctls(void **state)
{
	static const char args[] = "{\"key\":\"net.core.somaxconn\"}", odd[] = "{\"key\":\"kernel.core_pattern\"}";
	char text[] = "/etc/sysctl.d/10-a.conf:1 sets 1024", *lost[] = {text};
	ta_cleanup_facts struct ta_facts *f = sysctl_facts();

	refuse(f, "setting.keep", "", args, "table");
	refuse(f, "setting.module", "", args, "no module");
	ta_put_str(f, "65535", "settings", "net.core.somaxconn", "running");
	expect(f, "setting.keep", "", args, "");
	expect_persist(f, "setting.keep", "", args, "/etc/sysctl.d/90-tuneaudit.conf", "net.core.somaxconn = 65535\n");
	ta_put_str(f, "/etc/sysctl.d/20-b.conf", "settings", "net.core.somaxconn", "file");
	ta_put_i64(f, 3, "settings", "net.core.somaxconn", "line");
	ta_put_str(f, "0x1000 #", "settings", "net.core.somaxconn", "value");
	/* A limit is not lowered because an old line would. */
	ta_put_str(f, "4096", "settings", "net.core.somaxconn", "next_boot");
	expect(f, "setting.agree", "", args,
		"# /etc/sysctl.d/20-b.conf:3 sets net.core.somaxconn to 0x1000, below what runs: take it out or raise it");
	ta_put_str(f, "131072", "settings", "net.core.somaxconn", "next_boot");
	ta_facts_put_strs(f, TA_KEYS("settings", "net.core.somaxconn", "overridden"), lost, 1);
	expect(f, "setting.agree", "", args,
		"# /etc/sysctl.d/20-b.conf:3 sets net.core.somaxconn to 0x1000; if what runs is right change that line, else\n"
		"sysctl -w net.core.somaxconn=131072");
	expect(f, "setting.lines", "", args,
		"# /etc/sysctl.d/20-b.conf:3 sets net.core.somaxconn to 0x1000\n"
		"# /etc/sysctl.d/10-a.conf:1 sets 1024 and is overridden");
	/* What came from a file is no command. */
	ta_put_str(f, "$(id)", "settings", "net.core.somaxconn", "next_boot");
	expect(f, "setting.agree", "", args,
		"# /etc/sysctl.d/20-b.conf:3 sets net.core.somaxconn to 0x1000: make that line and what runs agree");
	ta_put_str(f, "x", "settings", "kernel.core_pattern", "running");
	refuse(f, "setting.keep", "", odd, "table");
	ta_put_str(f, "nf_conntrack", "settings", "net.core.somaxconn", "module");
	expect_persist(f, "setting.module", "", args, "/etc/modules-load.d/tuneaudit.conf", "nf_conntrack\n");
}

static void test_sysctl_never_lowers(void **state)
{
	ta_cleanup_facts struct ta_facts *f = sysctl_facts();

	refuse(f, "sysctl.set", "r", "{\"key\":\"net.core.somaxconn\",\"value\":1024}", "is 4096 already");
	refuse(f, "sysctl.set", "r", "{\"key\":\"fs.file-max\",\"value\":1020000}", "already");
	refuse(f, "sysctl.set", "r", RMEM "\"index\":2,\"value\":4194304}", "is 4096 131072 6291456 already");
	/* 0 is "no limit" */
	refuse(f, "sysctl.set", "r", "{\"key\":\"net.netfilter.nf_conntrack_max\",\"value\":262144}", "already");
	/* without the present value a promise not to lower cannot be kept */
	refuse(f, "sysctl.set", "r", "{\"key\":\"fs.nr_open\",\"value\":2000000}", "present value is not known");
	expect(f, "sysctl.set", "", "{\"key\":\"fs.nr_open\",\"value\":2000000}", "sysctl -w fs.nr_open=2000000");
}

static void test_sysctl_vector_by_element(void **state)
{
	ta_cleanup_facts struct ta_facts *f = sysctl_facts();

	expect(f, "sysctl.set", "lr", "{\"key\":\"net.ipv4.ip_local_port_range\",\"value\":[1024,64999]}",
		"sysctl -w 'net.ipv4.ip_local_port_range=1024 64999'");
	expect(f, "sysctl.set", "lr", "{\"key\":\"net.ipv4.ip_local_port_range\",\"value\":[40000,64999]}",
		"sysctl -w 'net.ipv4.ip_local_port_range=32768 64999'");
	refuse(f, "sysctl.set", "lr", "{\"key\":\"net.ipv4.ip_local_port_range\",\"value\":[40000,50000]}", "already");
	expect(f, "sysctl.set", "--r", RMEM "\"value\":[1,1,8388608]}", "sysctl -w 'net.ipv4.tcp_rmem=4096 131072 8388608'");
	/* min <= default <= max holds */
	expect(f, "sysctl.set", "r", RMEM "\"index\":1,\"value\":8388608}",
		"sysctl -w 'net.ipv4.tcp_rmem=4096 8388608 8388608'");
	refuse(f, "sysctl.set", "", RMEM "\"value\":[4096,87380,8192]}", "87380 above 8192");
	refuse(f, "sysctl.set", "r", RMEM "\"value\":33554432}", "other elements");
	refuse(f, "sysctl.set", "r", RMEM "\"index\":3,\"value\":33554432}", "outside");
	refuse(f, "sysctl.set", "r", RMEM "\"value\":[4096,87380]}", "has 3 elements");
}

static void test_sysctl_closed_table(void **state)
{
	static const char *const never[] = {"kernel.core_pattern", "kernel.modprobe", "kernel.hotplug", "fs.suid_dumpable",
		"vm.mmap_min_addr", "kernel.randomize_va_space", "kernel.yama.ptrace_scope", "vm.drop_caches",
		"kernel.unprivileged_bpf_disabled", "kernel.panic"};
	ta_cleanup_facts struct ta_facts *f = sysctl_facts();
	char args[128];

	for (size_t i = 0; i < TA_ARRAY_SIZE(never); i++) {
		snprintf(args, sizeof(args), "{\"key\":\"%s\",\"value\":1}", never[i]);
		refuse(f, "sysctl.set", "", args, "never written");
	}
	refuse(f, "sysctl.set", "", "{\"key\":\"kernel.sem\",\"value\":1}", "not in the table");
	refuse(f, "sysctl.set", "", "{\"key\":\"net.core.somaxconn;id\",\"value\":1}", "not in the table");
	refuse(f, "sysctl.set", "", "{\"key\":\"net.ipv4.tcp_congestion_control\",\"value\":\"bbr; id\"}", "no such name");
	refuse(f, "sysctl.set", "", "{\"key\":\"net.ipv4.tcp_syncookies\",\"value\":2}", "outside 0 … 1");
	refuse(f, "sysctl.set", "", "{\"key\":\"vm.overcommit_memory\",\"value\":2}", "outside");
	refuse(f, "sysctl.set", "", "{\"key\":\"net.core.somaxconn\",\"value\":\"many\"}", "not a number");
	refuse(f, "sysctl.set", "", "{\"key\":\"net.core.somaxconn\",\"value\":18446744073709551615}", "not a number");
	refuse(f, "sysctl.set", "", "{\"value\":1}", "key is missing");
	expect(f, "sysctl.set", "", "{\"key\":\"net.ipv4.tcp_congestion_control\",\"value\":\"bbr\"}",
		"sysctl -w net.ipv4.tcp_congestion_control=bbr");
	refuse(f, "sysctl.set", "", "{\"key\":\"net.ipv4.tcp_congestion_control\",\"value\":\"cubic\"}", "already");
}

static const struct ta_field *sysctl_field(const char *key)
{
	char path[128];

	snprintf(path, sizeof(path), "sysctl[\"%s\"]", key);
	for (size_t i = 0; i < ta_n_probes; i++)
		for (size_t k = 0; k < ta_probes[i]->n_fields; k++)
			if (!strcmp(ta_probes[i]->fields[k].path, path))
				return &ta_probes[i]->fields[k];
	return NULL;
}

/* What is written is also read, and both tables tell the same of it. */
static void test_sinks_agree_with_the_facts(void **state)
{
	for (size_t i = 0; i < ta_n_sysctl_sinks; i++) {
		const struct ta_sysctl_sink *s = &ta_sysctl_sinks[i];
		const struct ta_field *f = sysctl_field(s->key);
		bool found = s->unlimited == INT64_MIN;

		if (!f)
			fail_msg("%s is no fact", s->key);
		if (ta_sysctl_forbidden(s->key))
			fail_msg("%s may never be written", s->key);
		assert_int_equal(!!(s->flags & TA_SINK_NETNS), !!(f->flags & TA_F_NETNS));
		assert_int_equal(s->flags & TA_SINK_WORD ? TA_T_STRING : s->n > 1 ? TA_T_INTS : TA_T_INT, f->type);
		for (size_t k = 0; k < TA_ARRAY_SIZE(f->special); k++)
			if (f->special[k].meaning == TA_MEANS_UNLIMITED)
				found = found || f->special[k].value == s->unlimited;
		for (size_t k = 0; k < TA_ARRAY_SIZE(f->special) && s->unlimited == INT64_MIN; k++)
			found = found && f->special[k].meaning != TA_MEANS_UNLIMITED;
		if (!found)
			fail_msg("%s: special values differ", s->key);
		if (i)
			assert_true(strcmp(ta_sysctl_sinks[i - 1].key, s->key) < 0);
	}
}

static void test_sysctl_in_a_container(void **state)
{
	ta_cleanup_facts struct ta_facts *f = sysctl_facts();

	ta_put_str(f, "none", "place", "container");
	expect(f, "sysctl.set", "r", "{\"key\":\"net.core.somaxconn\",\"value\":65535}", "sysctl -w net.core.somaxconn=65535");
	ta_put_str(f, "docker", "place", "container");
	expect(f, "sysctl.set", "r", "{\"key\":\"net.core.somaxconn\",\"value\":65535}",
		"sysctl -w net.core.somaxconn=65535\n"
		"# to keep it, start the container with --sysctl net.core.somaxconn=65535");
	expect_persist(f, "sysctl.set", "r", "{\"key\":\"net.core.somaxconn\",\"value\":65535}", "", "");
	expect(f, "sysctl.set", "", "{\"key\":\"fs.nr_open\",\"value\":2000000}",
		"# on the host: a container cannot change this\nsysctl -w fs.nr_open=2000000");
}

static struct ta_facts *nic_facts(const char *name)
{
	struct ta_facts *f = ta_facts_new();

	ta_put_str(f, "0000:03:00.0", "nics", name, "bus");
	ta_put_i64(f, 1, "nics", name, "numa_node");
	ta_put_i64(f, 2, "nics", name, "channels", "combined", "current");
	ta_put_i64(f, 8, "nics", name, "channels", "combined", "max");
	ta_put_i64(f, 512, "nics", name, "rings", "rx", "current");
	ta_put_i64(f, 4096, "nics", name, "rings", "rx", "max");
	ta_put_i64(f, 1, "nics", name, "queues", "rx");
	ta_put_i64(f, 3, "nics", name, "queues", "tx");
	return f;
}

static void put_cpus(struct ta_facts *f, const char *text, const char *const *path)
{
	ta_cleanup_cpuset struct ta_cpuset set = TA_CPUSET_INIT;

	assert_int_equal(ta_cpuset_parse_list(&set, text), 0);
	ta_facts_put_cpus(f, path, &set);
}

static void put_irq(struct ta_facts *f, const char *irq, const char *device, int64_t queue, const char *effective)
{
	ta_put_str(f, device, "irqs", irq, "device");
	if (queue >= 0)
		ta_put_i64(f, queue, "irqs", irq, "queue");
	put_cpus(f, effective, TA_KEYS("irqs", irq, "effective"));
}

static void test_nic_queues(void **state)
{
	ta_cleanup_facts struct ta_facts *f = nic_facts("eth0");

	expect(f, "nic.channels", "", "{\"ifname\":\"eth0\",\"combined\":8}", "ethtool -L eth0 combined 8");
	expect_persist(f, "nic.channels", "", "{\"ifname\":\"eth0\",\"combined\":8}",
		"/etc/tuneaudit/boot.conf", "channels 0000:03:00.0 eth0 combined = 8\n");
	refuse(f, "nic.channels", "", "{\"ifname\":\"eth0\",\"combined\":16}", "8 combined at most");
	refuse(f, "nic.channels", "", "{\"ifname\":\"eth0\",\"combined\":0}", "outside");
	refuse(f, "nic.channels", "", "{\"ifname\":\"eth0\",\"rx\":4}", "does not say");
	refuse(f, "nic.channels", "", "{\"ifname\":\"eth0\"}", "nothing to change");
	expect(f, "nic.channels", "", "{\"ifname\":\"eth0\",\"combined\":4}", "ethtool -L eth0 combined 4");
	expect(f, "nic.rings", "", "{\"ifname\":\"eth0\",\"rx\":4096}", "ethtool -G eth0 rx 4096");
	refuse(f, "nic.rings", "", "{\"ifname\":\"eth0\",\"rx\":256}", "has 512 already");
	refuse(f, "nic.rings", "", "{\"ifname\":\"eth0\",\"rx\":512}", "nothing to change");
	refuse(f, "nic.rings", "", "{\"ifname\":\"eth0\",\"rx\":8}", "outside");
	assert_int_equal(ta_fixer_find("nic.channels")->disruption, TA_DISRUPT_LINK_FLAP);
}

static void test_hostile_names(void **state)
{
	ta_cleanup_facts struct ta_facts *f = nic_facts("$(id)");

	expect(f, "nic.channels", "", "{\"ifname\":\"$(id)\",\"combined\":4}", "ethtool -L '$(id)' combined 4");
	expect_persist(f, "nic.channels", "", "{\"ifname\":\"$(id)\",\"combined\":4}",
		"/etc/tuneaudit/boot.conf", "channels 0000:03:00.0 $(id) combined = 4\n");
	put_cpus(f, "0-1", TA_KEYS("numa", "1", "cpus"));
	expect(f, "rps.set", "", "{\"ifname\":\"$(id)\"}", "echo 3 > '/sys/class/net/$(id)/queues/rx-0/rps_cpus'");
	put_irq(f, "45", "$(id)", 0, "0");
	/* which interrupt of the queue it is has to be known: its number is another one after the next start */
	expect_persist(f, "irq.affinity", "", "{\"ifname\":\"$(id)\"}", "", "");
	ta_put_str(f, "combined", "irqs", "45", "role");
	expect_persist(f, "irq.affinity", "", "{\"ifname\":\"$(id)\"}", "/etc/tuneaudit/boot.conf",
		"irq 0000:03:00.0 $(id) combined 0 = 0\n");
	/* no address to find it by: its name is all there is */
	ta_put_str(f, "", "nics", "$(id)", "bus");
	expect(f, "nic.channels", "", "{\"ifname\":\"$(id)\",\"combined\":4}", "ethtool -L '$(id)' combined 4");
	expect_persist(f, "nic.channels", "", "{\"ifname\":\"$(id)\",\"combined\":4}", "/etc/tuneaudit/boot.conf",
		"channels - $(id) combined = 4\n");
	expect_persist(f, "irq.affinity", "", "{\"ifname\":\"$(id)\"}", "", "");
	refuse(f, "nic.channels", "", "{\"ifname\":\"a/b\",\"combined\":4}", "can be no ifname");
	refuse(f, "nic.channels", "", "{\"ifname\":\"..\",\"combined\":4}", "can be no ifname");
	refuse(f, "nic.channels", "", "{\"ifname\":\"a\\nb\",\"combined\":4}", "can be no ifname");
	refuse(f, "nic.features", "", "{\"ifname\":\"e\",\"name\":\"rx gro; id\",\"on\":true}", "no feature");
}

static void test_two_ports_of_one_device(void **state)
{
	ta_cleanup_facts struct ta_facts *f = nic_facts("eth6");

	ta_put_str(f, "0000:03:00.0", "nics", "eth7", "bus");
	expect_persist(f, "nic.features", "", "{\"ifname\":\"eth6\",\"name\":\"rx-gro\",\"on\":true}",
		"/etc/tuneaudit/boot.conf", "features 0000:03:00.0 eth6 rx-gro = on\n");
}

#define DEFAULT_LINK "/usr/lib/systemd/network/99-default.link"
#define OUR_LINK "/etc/systemd/network/00-tuneaudit-0000:03:00.0.link"
#define BASE "[Match]\nPath=pci-0000:03:00.0\n[Link]\n# as " DEFAULT_LINK " sets it, in whose place this file is read:\n" \
	     "NamePolicy=keep kernel (a) path\nMACAddressPolicy=persistent\n"

/* A line that would not hold is not written. */
static void test_overridden(void **state)
{
	const char *args = "{\"key\":\"vm.dirty_bytes\",\"value\":500000000}", *line = "vm.dirty_bytes = 500000000\n";
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();

	ta_put_i64(f, 0, "sysctl", "vm.dirty_bytes");
	expect_persist(f, "sysctl.set", "", args, "/etc/sysctl.d/90-tuneaudit.conf", line);
	ta_put_str(f, "sysctl.d", "settings", "vm.dirty_ratio", "set_by");
	ta_put_str(f, "/etc/sysctl.d/10-a.conf", "settings", "vm.dirty_ratio", "file");
	expect_persist(f, "sysctl.set", "", args, "/etc/sysctl.d/90-tuneaudit.conf", line);
	ta_put_str(f, "/etc/sysctl.d/99-a.conf", "settings", "vm.dirty_ratio", "file");
	expect_persist(f, "sysctl.set", "", args, "", ""); /* that makes ours void */
	ta_put_str(f, "/etc/sysctl.d/10-a.conf", "settings", "vm.dirty_ratio", "file");
	ta_put_str(f, "tuned", "settings", "vm.dirty_bytes", "set_by");
	ta_put_str(f, "/usr/lib/tuned/a/tuned.conf", "settings", "vm.dirty_bytes", "file");
	expect_persist(f, "sysctl.set", "", args, "", "");
	ta_put_str(f, "sysctl.d", "settings", "vm.dirty_bytes", "set_by");
	ta_put_str(f, "/etc/sysctl.conf", "settings", "vm.dirty_bytes", "file");
	ta_put_str(f, "procps", "boot", "sysctl_loader");
	expect_persist(f, "sysctl.set", "", args, "", "");
	ta_put_str(f, "none", "boot", "sysctl_loader");
	expect_persist(f, "sysctl.set", "", "{\"key\":\"vm.swappiness\",\"value\":10}", "", "");
}

/* Nothing is said to be kept where nothing would read it; procd reads sysctls, and starts the rest. */
static void test_other_inits(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();

	ta_put_str(f, "openrc", "place", "init");
	expect_persist(f, "thp.set", "", "{\"enabled\":\"madvise\"}", "", "");
	expect_persist(f, "sysctl.set", "", "{\"key\":\"vm.swappiness\",\"value\":10}", "", "");
	ta_put_str(f, "procps", "boot", "sysctl_loader");
	expect_persist(f, "sysctl.set", "", "{\"key\":\"vm.swappiness\",\"value\":10}", "/etc/sysctl.d/90-tuneaudit.conf",
		"vm.swappiness = 10\n");
	ta_put_str(f, "procd", "place", "init");
	expect_persist(f, "thp.set", "", "{\"enabled\":\"madvise\"}", "/etc/tuneaudit/boot.conf",
		"attr - /sys/kernel/mm/transparent_hugepage/enabled = madvise\n");
	expect_persist(f, "module.load", "", "{\"name\":\"tcp_bbr\"}", "/etc/tuneaudit/boot.conf", "module - tcp_bbr = loaded\n");
	expect_persist(f, "sysctl.set", "", "{\"key\":\"vm.swappiness\",\"value\":10}", "/etc/sysctl.d/90-tuneaudit.conf",
		"vm.swappiness = 10\n");
	ta_put_str(f, "systemd", "place", "init");
	ta_put_str(f, "lxc", "place", "container");
	expect_persist(f, "thp.set", "", "{\"enabled\":\"madvise\"}", "", "");
}

/* The only .link file that is read must go on to say how the interface is named. */
static void test_link_files(void **state)
{
	static const char *const sets[] = {"NamePolicy=keep kernel (a) path (" DEFAULT_LINK ":12)",
		"MACAddressPolicy=persistent (" DEFAULT_LINK ":14)"};
	const char *boot = "/etc/tuneaudit/boot.conf", *args = "{\"ifname\":\"eth0\",\"combined\":8}";
	ta_cleanup_facts struct ta_facts *f = nic_facts("eth0");

	ta_put_str(f, "igb", "nics", "eth0", "driver");
	ta_put_str(f, DEFAULT_LINK, "nics", "eth0", "boot", "file");
	ta_facts_put_strs(f, TA_KEYS("nics", "eth0", "boot", "sets"), (char *const *)sets, 2);
	ta_put_bool(f, true, "nics", "eth0", "boot", "whole");
	expect_persist(f, "nic.channels", "", args, boot, "channels 0000:03:00.0 eth0 combined = 8\n"); /* which systemd? */
	ta_put_i64(f, 252, "boot", "systemd");
	expect_persist(f, "nic.channels", "", args, OUR_LINK, BASE "CombinedChannels=8\n");
	expect_persist(f, "nic.rings", "", "{\"ifname\":\"eth0\",\"rx\":4096}", OUR_LINK, BASE "RxBufferSize=4096\n");
	expect_persist(f, "nic.txqueuelen", "", "{\"ifname\":\"eth0\",\"packets\":2000}", OUR_LINK, BASE "TransmitQueueLength=2000\n");
	expect_persist(f, "nic.features", "", "{\"ifname\":\"eth0\",\"name\":\"rx-gro\",\"on\":false}", OUR_LINK,
		BASE "GenericReceiveOffload=no\n");
	expect_persist(f, "nic.features", "", "{\"ifname\":\"eth0\",\"name\":\"rx-hashing\",\"on\":true}", boot,
		"features 0000:03:00.0 eth0 rx-hashing = on\n");
	expect_persist(f, "nic.coalesce", "", "{\"ifname\":\"eth0\",\"rx_usecs\":8}", OUR_LINK, BASE "RxCoalesceSec=8us\n");
	expect_persist(f, "nic.coalesce", "", "{\"ifname\":\"eth0\",\"adaptive_rx\":true}", OUR_LINK, BASE "UseAdaptiveRxCoalesce=yes\n");
	/* older than the setting */
	ta_put_i64(f, 249, "boot", "systemd");
	expect_persist(f, "nic.coalesce", "", "{\"ifname\":\"eth0\",\"rx_usecs\":8}", boot, "coalesce 0000:03:00.0 eth0 rx-usecs = 8\n");
	/* ours applies already: its base stays */
	ta_put_str(f, OUR_LINK, "nics", "eth0", "boot", "file");
	expect_persist(f, "nic.channels", "", args, OUR_LINK, "CombinedChannels=8\n");
	/* what comes before ours, sets more than is known, or is not known to apply */
	ta_put_str(f, "/etc/systemd/network/00-a.link", "nics", "eth0", "boot", "file");
	expect_persist(f, "nic.channels", "", args, boot, "channels 0000:03:00.0 eth0 combined = 8\n");
	ta_put_str(f, DEFAULT_LINK, "nics", "eth0", "boot", "file");
	ta_put_bool(f, false, "nics", "eth0", "boot", "whole");
	expect_persist(f, "nic.channels", "", args, boot, "channels 0000:03:00.0 eth0 combined = 8\n");
	ta_put_bool(f, true, "nics", "eth0", "boot", "whole");
	ta_put_str(f, "", "nics", "eth0", "boot", "file");
	expect_persist(f, "nic.channels", "", args, boot, "channels 0000:03:00.0 eth0 combined = 8\n");
	ta_put_str(f, DEFAULT_LINK, "nics", "eth0", "boot", "file");
	/* a path that is another one's too, or that udev makes otherwise */
	ta_put_str(f, "0000:03:00.0", "nics", "eth7", "bus");
	expect_persist(f, "nic.channels", "", args, boot, "channels 0000:03:00.0 eth0 combined = 8\n");
	ta_put_str(f, "0000:04:00.0", "nics", "eth7", "bus");
	ta_put_str(f, "virtio_net", "nics", "eth0", "driver");
	expect_persist(f, "nic.channels", "", args, boot, "channels 0000:03:00.0 eth0 combined = 8\n");
}

static void test_features_and_moderation(void **state)
{
	ta_cleanup_facts struct ta_facts *f = nic_facts("eth0");

	expect(f, "nic.features", "", "{\"ifname\":\"eth0\",\"name\":\"tx-tcp-segmentation\",\"on\":true}",
		"ethtool -K eth0 tx-tcp-segmentation on");
	expect(f, "nic.coalesce", "", "{\"ifname\":\"eth0\",\"adaptive_rx\":false,\"rx_usecs\":8}",
		"ethtool -C eth0 adaptive-rx off\nethtool -C eth0 rx-usecs 8");
	refuse(f, "nic.coalesce", "", "{\"ifname\":\"eth0\"}", "nothing to set");
}

static void expect_steps(const struct ta_facts *f, const char *fixer, const char *args, const char *want)
{
	ta_cleanup_steps struct ta_steps steps = TA_STEPS_INIT;
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct call call = make_call(fixer, "", args);
	struct ta_err err = {0};
	int rc = ta_fixer_find(fixer)->steps(&call.c, f, &steps, &err);

	for (size_t i = 0; rc == 0 && i < steps.n; i++) {
		ta_buf_printf(&text, "%s%s[%s]=%s", i ? "; " : "", steps.v[i].knob->name, steps.v[i].target, steps.v[i].after);
		/* what is written is what is told */
		assert_int_equal(ta_knob_check(steps.v[i].knob->name, steps.v[i].target, steps.v[i].after, TA_VALUE_WISHED, NULL), 0);
	}
	assert_string_equal(rc < 0 ? err.text : ta_buf_text(&text), want);
	json_object_put(call.args);
}

static void test_steps_of_interfaces(void **state)
{
	ta_cleanup_facts struct ta_facts *f = nic_facts("$(id)");

	expect_steps(f, "nic.channels", "{\"ifname\":\"$(id)\",\"combined\":8}", "channels[$(id) combined]=8");
	expect_steps(f, "nic.rings", "{\"ifname\":\"$(id)\",\"rx\":4096}", "rings[$(id) rx]=4096");
	expect_steps(f, "nic.features", "{\"ifname\":\"e\",\"name\":\"rx-gro\",\"on\":true}", "features[e rx-gro]=on");
	expect_steps(f, "nic.coalesce", "{\"ifname\":\"e\",\"rx_usecs\":8,\"adaptive_rx\":false}",
		"coalesce[e adaptive-rx]=off; coalesce[e rx-usecs]=8");
	expect_steps(f, "nic.rss", "{\"ifname\":\"e\"}", "rss[e table]=default");
	expect_steps(f, "nic.rss", "{\"ifname\":\"e\",\"queues\":4}", "rss[e table]=equal:4");
	expect_steps(f, "nic.txqueuelen", "{\"ifname\":\"e\",\"packets\":2000}", "txqueuelen[e]=2000");
	expect_steps(f, "nic.channels", "{\"ifname\":\"0123456789abcdef\",\"combined\":8}",
		"nic.channels: the driver of 0123456789abcdef does not say how many are possible (combined)");
	expect_steps(f, "nic.rss", "{\"ifname\":\"0123456789abcdef\"}", "'0123456789abcdef table' can be no interface");
	expect_steps(f, "nic.rss", "{\"ifname\":\"a:b\"}", "'a:b table' can be no interface");
	ta_put_i64(f, 0, "nics", "$(id)", "rss", "slots");
	expect_steps(f, "nic.rss", "{\"ifname\":\"$(id)\"}", "nic.rss: $(id) has no table to set");
	expect(f, "nic.rss", "", "{\"ifname\":\"$x\"}", "ethtool -X '$x' default");
	expect_persist(f, "nic.txqueuelen", "", "{\"ifname\":\"e\",\"packets\":2000}", "/etc/tuneaudit/boot.conf",
		"txqueuelen - e = 2000\n");
	ta_put_i64(f, 2000, "nics", "e", "txqueuelen");
	refuse(f, "nic.txqueuelen", "", "{\"ifname\":\"e\",\"packets\":2000}", "has 2000 already");
}

static void test_queueing_disciplines(void **state)
{
	ta_cleanup_facts struct ta_facts *f = nic_facts("eth0");

	ta_put_i64(f, 1, "nics", "eth1", "queues", "tx");
	ta_put_str(f, "0000:04:00.0", "nics", "eth1", "bus");
	expect_steps(f, "nic.qdisc", "{\"ifname\":\"eth0\",\"kind\":\"fq\"}", "qdisc[eth0]=mq/fq");
	expect_steps(f, "nic.qdisc", "{\"ifname\":\"eth1\",\"kind\":\"fq\"}", "qdisc[eth1]=fq");
	expect_steps(f, "nic.qdisc", "{\"ifname\":\"eth0\",\"kind\":\"cake\"}", "qdisc[eth0]=cake");
	refuse(f, "nic.qdisc", "", "{\"ifname\":\"eth0\",\"kind\":\"htb\"}", "is set");
	refuse(f, "nic.qdisc", "", "{\"ifname\":\"eth0\",\"kind\":\"fq; id\"}", "is set");
	/* Its module is loaded as a step of the plan, not by the kernel on the way. */
	ta_put_str(f, "available", "modules", "state", "sch_fq");
	expect_steps(f, "nic.qdisc", "{\"ifname\":\"eth1\",\"kind\":\"fq\"}", "module[sch_fq]=loaded; qdisc[eth1]=fq");
	expect(f, "nic.qdisc", "", "{\"ifname\":\"eth1\",\"kind\":\"fq\"}",
		"modprobe sch_fq\ntc qdisc replace dev eth1 root fq\n"
		"# keep it, too, in /etc/modules-load.d/tuneaudit.conf: sch_fq");
	expect_persist(f, "nic.qdisc", "", "{\"ifname\":\"eth1\",\"kind\":\"fq\"}", "/etc/tuneaudit/boot.conf",
		"qdisc 0000:04:00.0 eth1 = fq\n");
	ta_put_str(f, "absent", "modules", "state", "sch_cake");
	refuse(f, "nic.qdisc", "", "{\"ifname\":\"eth0\",\"kind\":\"cake\"}", "this kernel has no cake");
	ta_put_str(f, "static", "modules", "state", "sch_fq_codel");
	expect_steps(f, "nic.qdisc", "{\"ifname\":\"eth1\",\"kind\":\"fq_codel\"}",
		"nic.qdisc: this kernel does not tell whether it has fq_codel");
	expect(f, "nic.qdisc", "", "{\"ifname\":\"eth1\",\"kind\":\"fq_codel\"}", "tc qdisc replace dev eth1 root fq_codel");
}

/* Node 1 has cores 4-7, each with a sibling 12-15; 6 and 14 are isolated. */
static void test_interrupts_near_and_apart(void **state)
{
	ta_cleanup_facts struct ta_facts *f = nic_facts("eth0");

	put_cpus(f, "0-3,8-11", TA_KEYS("numa", "0", "cpus"));
	put_cpus(f, "4-7,12-15", TA_KEYS("numa", "1", "cpus"));
	put_cpus(f, "0-15", TA_KEYS("cpu", "online_list"));
	ta_facts_put_ints(f, TA_KEYS("cpu", "core_of"), (const int64_t[]){0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7}, 16);
	put_cpus(f, "6,14", TA_KEYS("cpu", "isolated"));
	put_irq(f, "100", "eth0", -1, "0");
	put_irq(f, "101", "eth0", 0, "0");
	put_irq(f, "102", "eth0", 1, "0");
	put_irq(f, "103", "eth0", 1, "0"); /* the same queue's other half */
	put_irq(f, "104", "eth0", 2, "0");
	put_irq(f, "105", "eth0", 3, "0");
	put_irq(f, "106", "eth1", 0, "0");
	expect(f, "irq.affinity", "", "{\"ifname\":\"eth0\"}",
		"for x in 101:4 102:5 103:5 104:7 105:12; do echo ${x#*:} > /proc/irq/${x%:*}/smp_affinity_list; done");
	ta_put_str(f, "irqbalance", "processes", "612", "comm");
	ta_put_bool(f, true, "irqs", "105", "managed");
	expect(f, "irq.affinity", "", "{\"ifname\":\"eth0\"}",
		"# irqbalance is told by its socket to leave these alone; after its next start it has forgotten that\n"
		"printf 'settings ban irqs 101 102 103 104' | socat - UNIX-CONNECT:$(ls /run/irqbalance/irqbalance*.sock)\n"
		"for x in 101:4 102:5 103:5 104:7; do echo ${x#*:} > /proc/irq/${x%:*}/smp_affinity_list; done");
	refuse(f, "irq.affinity", "", "{\"ifname\":\"eth2\"}", "no queue interrupts known");
	ta_put_bool(f, true, "irqs", "106", "managed");
	refuse(f, "irq.affinity", "", "{\"ifname\":\"eth1\"}", "cannot be moved");
}

static void test_interfaces_do_not_share_cpus(void **state)
{
	ta_cleanup_facts struct ta_facts *f = nic_facts("eth0");

	ta_put_i64(f, 2, "nics", "eth0", "irq", "rx_vectors");
	ta_put_i64(f, 1, "nics", "eth1", "numa_node");
	put_cpus(f, "4-7", TA_KEYS("numa", "1", "cpus"));
	put_irq(f, "20", "eth0", 0, "4");
	put_irq(f, "21", "eth0", 1, "4");
	put_irq(f, "30", "eth1", 0, "4");
	put_irq(f, "31", "eth1", 1, "4");
	put_irq(f, "32", "eth1", 2, "4");
	expect(f, "irq.affinity", "", "{\"ifname\":\"eth1\"}",
		"for x in 30:6 31:7 32:4; do echo ${x#*:} > /proc/irq/${x%:*}/smp_affinity_list; done");
}

static void test_fast_cores_first(void **state)
{
	ta_cleanup_facts struct ta_facts *f = nic_facts("eth0");

	ta_put_i64(f, 0, "nics", "eth0", "numa_node");
	put_cpus(f, "0-7", TA_KEYS("numa", "0", "cpus"));
	put_cpus(f, "0-7", TA_KEYS("cpu", "online_list"));
	ta_facts_put_ints(f, TA_KEYS("cpu", "core_of"), (const int64_t[]){0, 1, 2, 3, 4, 5, 6, 7}, 8);
	put_cpus(f, "4-7", TA_KEYS("cpu", "fast_cpus"));
	put_irq(f, "20", "eth0", 0, "0");
	put_irq(f, "21", "eth0", 1, "0");
	expect(f, "irq.affinity", "", "{\"ifname\":\"eth0\"}",
		"for x in 20:4 21:5; do echo ${x#*:} > /proc/irq/${x%:*}/smp_affinity_list; done");
}

static void test_steering(void **state)
{
	ta_cleanup_facts struct ta_facts *f = nic_facts("eth0");
	ta_cleanup_facts struct ta_facts *one = nic_facts("eth0");

	refuse(f, "rps.set", "", "{\"ifname\":\"eth0\"}", "which CPUs");
	put_cpus(f, "0-3,32-35,64", TA_KEYS("numa", "1", "cpus"));
	put_irq(f, "20", "eth0", 0, "2");
	expect(f, "rps.set", "", "{\"ifname\":\"eth0\"}", "echo 1,0000000f,0000000b > /sys/class/net/eth0/queues/rx-0/rps_cpus");
	expect_persist(f, "rps.set", "", "{\"ifname\":\"eth0\"}", "/etc/tuneaudit/boot.conf",
		"attr 0000:03:00.0 /sys/class/net/eth0/queues/rx-0/rps_cpus = 1,0000000f,0000000b\n");
	expect(f, "xps.set", "", "{\"ifname\":\"eth0\"}",
		"echo 4,00000009 > /sys/class/net/eth0/queues/tx-0/xps_cpus\n"
		"echo 9,00000002 > /sys/class/net/eth0/queues/tx-1/xps_cpus\n"
		"echo 1,00000002,00000004 > /sys/class/net/eth0/queues/tx-2/xps_cpus");
	put_cpus(one, "0", TA_KEYS("numa", "1", "cpus"));
	refuse(one, "rps.set", "", "{\"ifname\":\"eth0\"}", "nobody to share with");
	/* a node without CPUs, and two CPUs: both, the interrupted one too */
	put_cpus(one, "", TA_KEYS("numa", "1", "cpus"));
	put_cpus(one, "1-2", TA_KEYS("cpu", "online_list"));
	put_irq(one, "20", "eth0", 0, "1");
	expect(one, "rps.set", "", "{\"ifname\":\"eth0\"}", "echo 6 > /sys/class/net/eth0/queues/rx-0/rps_cpus");
}

static void test_words_of_sysfs(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();

	refuse(f, "governor.set", "", "{\"name\":\"performance\"}", "not known");
	for (unsigned i = 0; i < 2; i++) {
		ta_put_str(f, "ondemand", "cpu", "policies", i ? "policy4" : "policy0", "governor");
		ta_put_str(f, "power", "cpu", "policies", i ? "policy4" : "policy0", "epp");
	}
	expect(f, "governor.set", "", "{\"name\":\"performance\",\"policy\":\"policy4\"}",
		"echo performance > /sys/devices/system/cpu/cpufreq/policy4/scaling_governor");
	expect(f, "governor.set", "", "{\"name\":\"schedutil\"}",
		"for f in /sys/devices/system/cpu/cpufreq/policy*/scaling_governor; do echo schedutil > $f; done");
	expect_persist(f, "governor.set", "", "{\"name\":\"schedutil\"}", "/etc/tuneaudit/boot.conf",
		"attr - /sys/devices/system/cpu/cpufreq/policy0/scaling_governor = schedutil\n"
		"attr - /sys/devices/system/cpu/cpufreq/policy4/scaling_governor = schedutil\n");
	refuse(f, "governor.set", "", "{\"name\":\"ondemand\"}", "nothing to set");
	expect(f, "epp.set", "", "{\"name\":\"balance_performance\"}",
		"for f in /sys/devices/system/cpu/cpufreq/policy*/energy_performance_preference; do echo balance_performance > $f; done");
	refuse(f, "epp.set", "", "{\"name\":\"power\"}", "no preference");
	expect(f, "boost.set", "", "{\"on\":true}", "echo 1 > /sys/devices/system/cpu/cpufreq/boost");
	ta_put_str(f, "intel_pstate", "cpu", "policies", "policy0", "driver");
	expect(f, "boost.set", "", "{\"on\":true}", "echo 0 > /sys/devices/system/cpu/intel_pstate/no_turbo");
	refuse(f, "governor.set", "", "{\"name\":\"userspace\"}", "no governor");
	refuse(f, "governor.set", "", "{\"name\":\"performance\",\"policy\":\"policy*\"}", "no policy");
	refuse(f, "governor.set", "", "{\"name\":\"performance\",\"policy\":\"../x\"}", "no policy");
	expect(f, "thp.set", "", "{\"enabled\":\"madvise\"}", "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled");
	expect_persist(f, "thp.set", "", "{\"defrag\":\"defer+madvise\"}", "/etc/tmpfiles.d/tuneaudit.conf",
		"w /sys/kernel/mm/transparent_hugepage/defrag - - - - defer+madvise\n");
	refuse(f, "thp.set", "", "{\"enabled\":\"defer\"}", "cannot be 'defer'");
	refuse(f, "thp.set", "", "{}", "nothing to set");
	expect(f, "block.set", "", "{\"disk\":\"sda\",\"scheduler\":\"mq-deadline\",\"read_ahead_kb\":1024}",
		"echo mq-deadline > /sys/block/sda/queue/scheduler\necho 1024 > /sys/block/sda/queue/read_ahead_kb");
	expect_persist(f, "block.set", "", "{\"disk\":\"sda\",\"scheduler\":\"none\"}", "/etc/udev/rules.d/90-tuneaudit.rules",
		"ACTION==\"add|change\", SUBSYSTEM==\"block\", KERNEL==\"sda\", ATTR{queue/scheduler}=\"none\"\n");
	/* a udev rule would take it for all of them */
	expect_persist(f, "block.set", "", "{\"disk\":\"sd*\",\"scheduler\":\"none\"}", "", "");
	refuse(f, "block.set", "", "{\"disk\":\"sda\",\"scheduler\":\"noop\"}", "no I/O scheduler");
}

static void test_nvme(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();

	expect(f, "nvme.apst", "", "{\"device\":\"nvme0\",\"latency_us\":0}",
		"echo 0 > /sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us");
	expect_persist(f, "nvme.apst", "", "{\"device\":\"nvme0\",\"latency_us\":2000}", "/etc/tuneaudit/boot.conf",
		"attr - /sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us = 2000\n");
	ta_facts_put_ints(f, TA_KEYS("kernel", "version"), (const int64_t[]){6, 1, 192}, 3);
	expect_persist(f, "nvme.apst", "", "{\"device\":\"nvme0\",\"latency_us\":0}", "/etc/udev/rules.d/90-tuneaudit.rules",
		"ACTION==\"change\", SUBSYSTEM==\"nvme\", ENV{NVME_EVENT}==\"connected\", KERNEL==\"nvme0\", "
		"ATTR{power/pm_qos_latency_tolerance_us}=\"0\"\n");
	refuse(f, "nvme.apst", "", "{\"device\":\"nvme0n1\",\"latency_us\":0}", "no NVMe controller");
	refuse(f, "nvme.apst", "", "{\"device\":\"nvme0\",\"latency_us\":-1}", "outside");
}

static void test_descriptor_limit(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();

	ta_put_str(f, "systemd", "place", "init");
	ta_put_i64(f, 1048576, "limits", "nr_open");
	expect(f, "nofile.service", "", "{\"unit\":\"nginx.service\",\"value\":65536}",
		"mkdir -p /etc/systemd/system/nginx.service.d\n"
		"printf '# From tuneaudit, whose rollback takes it back.\\n[Service]\\nLimitNOFILE=65536\\n' > /etc/systemd/system/nginx.service.d/50-tuneaudit.conf\n"
		"systemctl daemon-reload\n# the restart ends its connections\nsystemctl restart -- nginx.service");
	expect_persist(f, "nofile.service", "", "{\"unit\":\"my\\\\x20app.service\",\"value\":65536}",
		"/etc/systemd/system/my\\x20app.service.d/50-tuneaudit.conf", "# From tuneaudit, whose rollback takes it back.\n[Service]\nLimitNOFILE=65536\n");
	expect(f, "nofile.login", "", "{\"value\":65536}",
		"mkdir -p /etc/security/limits.d\n"
		"printf '# From tuneaudit, whose rollback takes it back.\\n* - nofile 65536\\nroot - nofile 65536\\n' > /etc/security/limits.d/90-tuneaudit.conf");
	refuse(f, "nofile.service", "", "{\"unit\":\"session-3.scope\",\"value\":65536}", "is no service");
	refuse(f, "nofile.service", "", "{\"unit\":\"my app.service\",\"value\":65536}", "is no service");
	refuse(f, "nofile.service", "", "{\"unit\":\"../x.service\",\"value\":65536}", "is no service");
	/* a limit above fs.nr_open is refused as a whole: that comes first */
	expect(f, "nofile.login", "", "{\"value\":2000000}",
		"# keep it: fs.nr_open = 2000000 in /etc/sysctl.d/90-tuneaudit.conf\n"
		"sysctl -w fs.nr_open=2000000\n"
		"mkdir -p /etc/security/limits.d\n"
		"printf '# From tuneaudit, whose rollback takes it back.\\n* - nofile 2000000\\nroot - nofile 2000000\\n' > /etc/security/limits.d/90-tuneaudit.conf");
	ta_put_str(f, "openrc", "place", "init");
	refuse(f, "nofile.service", "", "{\"unit\":\"nginx.service\",\"value\":65536}", "no systemd here");
}

static void test_boot_and_modules(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();
	char tsc[] = "tsc", hpet[] = "hpet";

	expect(f, "module.load", "", "{\"name\":\"tcp_bbr\"}", "modprobe tcp_bbr");
	refuse(f, "module.load", "", "{\"name\":\"evil\"}", "not in the table");
	expect_persist(f, "kernel.cmdline", "", "{\"arg\":\"psi=1\"}", "/etc/default/grub.d/90-tuneaudit.cfg",
		"GRUB_CMDLINE_LINUX=\"$GRUB_CMDLINE_LINUX psi=1\"\n");
	refuse(f, "kernel.cmdline", "", "{\"arg\":\"mitigations=off\"}", "not in the table");
	refuse(f, "kernel.cmdline", "", "{\"arg\":\"psi=1 init=/bin/sh\"}", "not in the table");
	refuse(f, "kernel.cmdline", "", "{\"arg\":\"psi=\"}", "not in the table");
	refuse(f, "clocksource.set", "", "{\"name\":\"tsc\"}", "does not offer");
	ta_facts_put_strs(f, TA_KEYS("kernel", "clocksource", "available"), (char *[]){tsc, hpet}, 2);
	expect(f, "clocksource.set", "", "{\"name\":\"tsc\"}",
		"echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource");
}

static void test_shell_words(void **state)
{
	static const char *const words[][2] = {{"eth0", "eth0"}, {"", "''"}, {"a b", "'a b'"}, {"it's", "'it'\\''s'"},
		{"$(id)", "'$(id)'"}, {"~", "'~'"}, {"a\nb", "'a\nb'"}, {"#x", "'#x'"}, {"enp1s0.100@if2", "enp1s0.100@if2"}};

	for (size_t i = 0; i < TA_ARRAY_SIZE(words); i++) {
		ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

		ta_shell_quote(&b, words[i][0]);
		assert_string_equal(ta_buf_text(&b), words[i][1]);
	}
}

/* What a udev rule would take for more than letters is in none. */
static void test_udev_words(void **state)
{
	static const char *const bad[] = {"a\"b", "a\\b", "$(id)", "%k", "*", "eth?", "[a]", "a|b", "a\nb", "\x7f"};
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	for (size_t i = 0; i < TA_ARRAY_SIZE(bad); i++)
		assert_int_equal(ta_udev_quote(&b, bad[i], NULL), -EINVAL);
	assert_int_equal(b.len, 0);
	assert_int_equal(ta_udev_quote(&b, "eth0.100:1'x y", NULL), 0);
	assert_string_equal(ta_buf_text(&b), "\"eth0.100:1'x y\"");
}

/* Every verb has its own name and fewer parameters than a call can carry, and looks up facts that there are. */
static void test_registry(void **state)
{
	struct ta_schema *schema;
	struct ta_fix_sig *sigs;
	size_t n;

	assert_int_equal(ta_collect_schema(&schema, NULL), 0);
	assert_int_equal(ta_fixer_sigs(&sigs, &n), 0);
	assert_true(n >= 15);
	for (size_t i = 0; i < n; i++) {
		assert_true(sigs[i].n_params <= 8);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(sigs[i].name, sigs[k].name);
		for (size_t k = 0; sigs[i].reads && sigs[i].reads[k]; k++) {
			assert_true(k < 16);
			if (!ta_schema_find_text(schema, sigs[i].reads[k]))
				fail_msg("%s looks up %s, which no probe has", sigs[i].name, sigs[i].reads[k]);
		}
	}
	ta_schema_free(schema);
	free(sigs);
	assert_null(ta_fixer_find("sysctl"));
	assert_string_equal(ta_disruption_name(TA_DISRUPT_FLOW_RESET), "flow-reset");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sysctl_raises),
		cmocka_unit_test(test_words_that_need_a_module),
		cmocka_unit_test(test_sysctl_names_the_line),
		cmocka_unit_test(test_lines_of_sysctls),
		cmocka_unit_test(test_sysctl_never_lowers),
		cmocka_unit_test(test_sysctl_vector_by_element),
		cmocka_unit_test(test_sysctl_closed_table),
		cmocka_unit_test(test_sinks_agree_with_the_facts),
		cmocka_unit_test(test_sysctl_in_a_container),
		cmocka_unit_test(test_nic_queues),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_two_ports_of_one_device),
		cmocka_unit_test(test_overridden),
		cmocka_unit_test(test_other_inits),
		cmocka_unit_test(test_link_files),
		cmocka_unit_test(test_features_and_moderation),
		cmocka_unit_test(test_steps_of_interfaces),
		cmocka_unit_test(test_queueing_disciplines),
		cmocka_unit_test(test_interrupts_near_and_apart),
		cmocka_unit_test(test_interfaces_do_not_share_cpus),
		cmocka_unit_test(test_fast_cores_first),
		cmocka_unit_test(test_steering),
		cmocka_unit_test(test_words_of_sysfs),
		cmocka_unit_test(test_nvme),
		cmocka_unit_test(test_descriptor_limit),
		cmocka_unit_test(test_boot_and_modules),
		cmocka_unit_test(test_shell_words),
		cmocka_unit_test(test_udev_words),
		cmocka_unit_test(test_registry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
