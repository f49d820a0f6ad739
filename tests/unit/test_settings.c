/* Who sets a sysctl at the next boot: each rule of precedence by itself, on throw-away trees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "probe/setters.h"
#include "probe/sysctld.h"
#include "tests/unit/probes.h"

#define SOMAXCONN "net.core.somaxconn"

extern const struct ta_probe ta_probe_settings, ta_probe_sysctl, ta_probe_modules, ta_probe_tuned, ta_probe_persist;
extern const struct ta_derivation ta_derive_settings;

static int setup(void **state)
{
	struct tree *t = calloc(1, sizeof(*t));

	if (!t || tree_make(t) < 0)
		return -1;
	tree_file(t, "proc/1/comm", "systemd\n");
	tree_file(t, "proc/sys/net/core/somaxconn", "4096\n");
	tree_file(t, "etc/sysctl.d/README.sysctl", "net.core.somaxconn = 1\n");
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	tree_remove(*state);
	free(*state);
	return 0;
}

static struct ta_facts *look(struct tree *t)
{
	static const struct ta_probe *const probes[] = {
		&ta_probe_modules, &ta_probe_persist, &ta_probe_settings, &ta_probe_sysctl, &ta_probe_tuned, NULL};
	static const struct ta_derivation *const derivations[] = {&ta_derive_settings, NULL};

	return probe_tree(t, probes, derivations);
}

/* Who sets KEY: "FILE:LINE VALUE", or "nobody". */
static void assert_winner(struct tree *t, const char *key, const char *want)
{
	ta_cleanup_facts struct ta_facts *f = look(t);
	const char *file = ta_facts_get_str(f, TA_KEYS("settings", key, "file"));
	const char *value = ta_facts_get_str(f, TA_KEYS("settings", key, "value"));
	char got[600];
	int64_t line = 0;

	ta_facts_get_i64(f, TA_KEYS("settings", key, "line"), &line);
	snprintf(got, sizeof(got), "%s:%d %s", file ? file : "", (int)line, value ? value : "");
	assert_string_equal(file ? got : "nobody", want);
}

static void files_go_by_their_names(void **state)
{
	struct tree *t = *state;

	tree_file(t, "usr/lib/sysctl.d/99-vendor.conf", "net.core.somaxconn = 1\n");
	tree_file(t, "etc/sysctl.d/50-own.conf", "\nnet.core.somaxconn = 2\n");
	assert_winner(t, SOMAXCONN, "/usr/lib/sysctl.d/99-vendor.conf:1 1");
	tree_file(t, "run/sysctl.d/zz.conf", "net.core.somaxconn = 3\n");
	assert_winner(t, SOMAXCONN, "/run/sysctl.d/zz.conf:1 3");
	tree_file(t, "usr/local/lib/sysctl.d/zzz.conf", "net.core.somaxconn = 4\nnet.core.somaxconn=5\n");
	assert_winner(t, SOMAXCONN, "/usr/local/lib/sysctl.d/zzz.conf:2 5");
	/* By bytes, not by numbers in names; no hidden ones, no other suffix. */
	tree_file(t, "etc/sysctl.d/9-x.conf", "vm.swappiness = 9\n");
	tree_file(t, "etc/sysctl.d/10-x.conf", "vm.swappiness = 10\n");
	tree_file(t, "etc/sysctl.d/zz.conf.rpmsave", "vm.swappiness = 11\n");
	tree_file(t, "etc/sysctl.d/.zz.conf", "vm.swappiness = 12\n");
	assert_winner(t, "vm.swappiness", "/etc/sysctl.d/9-x.conf:1 9");
}

static void one_name_masks_another(void **state)
{
	struct tree *t = *state;

	tree_file(t, "usr/lib/sysctl.d/50-a.conf", "net.core.somaxconn = 1\nvm.swappiness = 1\n");
	tree_file(t, "etc/sysctl.d/50-a.conf", "vm.swappiness = 2\n");
	assert_winner(t, SOMAXCONN, "nobody");
	assert_winner(t, "vm.swappiness", "/etc/sysctl.d/50-a.conf:1 2");
	tree_file(t, "usr/lib/sysctl.d/60-b.conf", "fs.aio-max-nr = 1\n");
	assert_winner(t, "fs.aio-max-nr", "/usr/lib/sysctl.d/60-b.conf:1 1");
	tree_link(t, "run/sysctl.d/60-b.conf", "/dev/null");
	assert_winner(t, "fs.aio-max-nr", "nobody");
}

static void keys_are_spelt_in_two_ways(void **state)
{
	struct tree *t = *state;

	tree_file(t, "etc/sysctl.d/a.conf",
		"net/core/somaxconn=1\n"
		"/vm//swappiness = 2\n"
		"  -fs.aio-max-nr\t=\t3  \r\n"
		"net.ipv4.conf.all/rp_filter = 4\n"
		"vm.dirty_ratio 5\n"
		"# vm.dirty_ratio = 6\n"
		"; vm.dirty_ratio = 7\n"
		"vm.page-cluster = 1 \\\n"
		"2\n");
	assert_winner(t, SOMAXCONN, "/etc/sysctl.d/a.conf:1 1");
	assert_winner(t, "vm.swappiness", "/etc/sysctl.d/a.conf:2 2");
	assert_winner(t, "fs.aio-max-nr", "/etc/sysctl.d/a.conf:3 3");
	assert_winner(t, "net.ipv4.conf.all.rp_filter", "nobody");
	assert_winner(t, "vm.dirty_ratio", "nobody");
	assert_winner(t, "vm.page-cluster", "/etc/sysctl.d/a.conf:8 1 \\");
}

static void patterns(void **state)
{
	struct tree *t = *state;

	tree_file(t, "etc/sysctl.d/a.conf",
		"net.ipv4.conf.default.rp_filter = 1\n"
		"net.ipv4.conf.*.rp_filter = 2\n"
		"-net.ipv4.conf.all.rp_filter\n");
	assert_winner(t, "net.ipv4.conf.default.rp_filter", "/etc/sysctl.d/a.conf:1 1");
	assert_winner(t, "net.ipv4.conf.all.rp_filter", "nobody");
	{
		ta_cleanup_facts struct ta_facts *f = look(t);

		FACT(f, "false", "settings", "net.ipv4.conf.all.rp_filter", "persisted");
		FACT(f, "[\"/etc/sysctl.d/a.conf:2\"]", "settings", "net.ipv4.conf.all.rp_filter", "ignored");
		FACT(f, "\"/etc/sysctl.d/a.conf:3\"", "settings", "net.ipv4.conf.all.rp_filter", "ignored_by");
		FACT(f, "[\"/etc/sysctl.d/a.conf:2\"]", "settings", "net.ipv4.conf.default.rp_filter", "others");
	}
	/* A later line takes the exclusion back; a pattern after a pattern wins. */
	tree_file(t, "etc/sysctl.d/b.conf", "net.ipv4.conf.all.rp_filter = 0\nvm.sw* = 5\nvm.swap?iness = 6\n");
	assert_winner(t, "net.ipv4.conf.all.rp_filter", "/etc/sysctl.d/b.conf:1 0");
	assert_winner(t, "vm.swappiness", "/etc/sysctl.d/b.conf:3 6");
	/* Given again with its value a pattern keeps its place, with another it goes to the end. */
	tree_file(t, "etc/sysctl.d/c.conf", "vm.sw* = 5\n");
	assert_winner(t, "vm.swappiness", "/etc/sysctl.d/b.conf:3 6");
	tree_file(t, "etc/sysctl.d/d.conf", "vm.sw* = 7\n");
	assert_winner(t, "vm.swappiness", "/etc/sysctl.d/d.conf:1 7");
}

static void matching(void **state)
{
	static const struct {
		const char *pattern, *path;
		bool yes;
	} table[] = {
		{"net/ipv4/conf/*/rp_filter", "net/ipv4/conf/eth0.100/rp_filter", true},
		{"net/*/rp_filter", "net/ipv4/conf/all/rp_filter", false},
		{"*/*/*", "net/core/somaxconn", true},
		{"vm/*", "vm/.hidden", false},
		{"vm/?hidden", "vm/.hidden", false},
		{"vm/.*", "vm/.hidden", true},
		{"vm/*s*s*", "vm/swappiness", true},
		{"vm/*s*x*", "vm/swappiness", false},
		{"vm/[a-z]wappiness", "vm/swappiness", true},
		{"vm/[!a-r]wappiness", "vm/swappiness", true},
		{"vm/[^s]wappiness", "vm/swappiness", false},
		{"vm/[]s]wappiness", "vm/swappiness", true},
		{"vm/[swappiness", "vm/swappiness", false},
		{"vm/[swappiness", "vm/[swappiness", true},
		{"vm/swap\\piness", "vm/swappiness", true},
		{"vm/swappiness*", "vm/swappiness", true},
		{"vm/swappiness?", "vm/swappiness", false},
		{"vm", "vm/swappiness", false},
		{"vm/swappiness/x", "vm/swappiness", false},
		{"*a*a*a*a*a*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(table); i++)
		if (ta_sysctl_matches(table[i].pattern, table[i].path) != table[i].yes)
			fail_msg("%s %s", table[i].pattern, table[i].path);
}

static void sysctl_conf(void **state)
{
	struct tree *t = *state;

	tree_file(t, "etc/sysctl.conf", "net.core.somaxconn = 1\n");
	tree_file(t, "etc/sysctl.d/z.conf", "vm.swappiness = 1\n");
	{
		/* Debian 13: nothing reads it. */
		ta_cleanup_facts struct ta_facts *f = look(t);

		FACT(f, "\"systemd-sysctl\"", "boot", "sysctl_loader");
		FACT(f, "false", "settings", SOMAXCONN, "persisted");
		FACT(f, "[\"/etc/sysctl.conf:1\"]", "settings", SOMAXCONN, "ignored");
		FACT(f, "\"systemd-sysctl, which does not read /etc/sysctl.conf\"", "settings", SOMAXCONN, "ignored_by");
	}
	tree_link(t, "etc/sysctl.d/99-sysctl.conf", "../sysctl.conf");
	assert_winner(t, SOMAXCONN, "/etc/sysctl.conf:1 1");
	tree_file(t, "etc/sysctl.d/99-z.conf", "net.core.somaxconn = 2\n");
	assert_winner(t, SOMAXCONN, "/etc/sysctl.d/99-z.conf:1 2");
	/* sysctl --system reads it last. */
	tree_file(t, "proc/1/comm", "init\n");
	tree_file(t, "etc/init.d/procps", "");
	assert_winner(t, SOMAXCONN, "/etc/sysctl.conf:1 1");
	/* OpenWrt reads it last too, and nothing outside of /etc. */
	tree_file(t, "proc/1/comm", "procd\n");
	tree_file(t, "usr/lib/sysctl.d/zz.conf", "vm.swappiness = 2\n");
	assert_winner(t, SOMAXCONN, "/etc/sysctl.conf:1 1");
	assert_winner(t, "vm.swappiness", "/etc/sysctl.d/z.conf:1 1");
}

static void nobody_applies_them(void **state)
{
	struct tree *t = *state;

	tree_file(t, "etc/sysctl.d/a.conf", "net.core.somaxconn = 1\n");
	tree_file(t, "proc/1/comm", "nginx\n");
	{
		ta_cleanup_facts struct ta_facts *f = look(t);

		FACT(f, "\"none\"", "boot", "sysctl_loader");
		FACT(f, "{}", "settings");
		FACT(f, "[]", "boot", "sysctl_files");
	}
	tree_file(t, "proc/1/comm", "init\n");
	{
		ta_cleanup_facts struct ta_facts *f = look(t);

		HOLE(f, TA_MISSING, "boot.sysctl_loader");
		HOLE(f, TA_MISSING, "settings");
	}
	tree_file(t, "proc/1/comm", "systemd\n");
	tree_link(t, "etc/systemd/system/systemd-sysctl.service", "/dev/null");
	{
		ta_cleanup_facts struct ta_facts *f = look(t);

		FACT(f, "\"none\"", "boot", "sysctl_loader");
	}
}

static void a_copy_without_them(void **state)
{
	struct tree own = {{0}};
	struct ta_facts *f;

	assert_int_equal(tree_make(&own), 0);
	tree_file(&own, "proc/1/comm", "systemd\n");
	f = look(&own);
	HOLE(f, TA_MISSING, "settings");
	HOLE(f, TA_MISSING, "boot.modules");
	ta_facts_free(f);
	tree_remove(&own);
}

static void what_cannot_be_read(void **state)
{
	struct tree *t = *state;
	char path[512];

	tree_file(t, "etc/sysctl.d/10-a.conf", "net.core.somaxconn = 1\nvm.* = 7\n");
	tree_file(t, "etc/sysctl.d/90-z.conf", "fs.aio-max-nr = 1\n");
	/* Its reader cannot read these either. */
	tree_link(t, "etc/sysctl.d/50-loop.conf", "50-loop.conf");
	tree_file(t, "etc/sysctl.d/50-dir.conf/x", "");
	{
		ta_cleanup_facts struct ta_facts *f = look(t);

		FACT(f, "[\"/etc/sysctl.d/50-dir.conf: Is a directory\",\"/etc/sysctl.d/50-loop.conf: Too many levels of symbolic links\"]",
			"boot", "sysctl_broken");
		FACT(f, "true", "settings", SOMAXCONN, "persisted");
		assert_false(ta_facts_incomplete(f, "settings", &(struct ta_absence){0}));
	}
	/* This may name any key: what stands behind it is known, nothing else is. */
	tree_path(t, "etc/sysctl.d/60-fifo.conf", &path);
	assert_int_equal(mkfifo(path, 0600), 0);
	{
		ta_cleanup_facts struct ta_facts *f = look(t);
		struct ta_absence why;

		FACT(f, "true", "settings", "fs.aio-max-nr", "persisted");
		assert_null(ta_facts_at(f, TA_KEYS("settings", SOMAXCONN)));
		assert_null(ta_facts_at(f, TA_KEYS("settings", "vm.swappiness")));
		assert_true(ta_facts_incomplete(f, "settings", &why));
		assert_int_equal(why.reason, TA_MALFORMED);
		assert_non_null(strstr(why.detail, "60-fifo.conf"));
	}
}

static void bytes_that_are_no_text(void **state)
{
	struct tree *t = *state;
	struct ta_absence why;
	struct ta_facts *f;

	tree_bytes(t, "etc/sysctl.d/a.conf", "net.core.somaxconn=1\n\0vm.swappiness=1\n", 37);
	f = look(t);
	assert_null(ta_facts_at(f, TA_KEYS("settings", "vm.swappiness")));
	assert_true(ta_facts_incomplete(f, "settings", &why));
	assert_int_equal(why.reason, TA_MALFORMED);
	ta_facts_free(f);
}

static void many_files_and_lines(void **state)
{
	struct tree *t = *state;
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_facts *f;
	char name[64];

	for (unsigned i = 0; i < 600; i++) {
		snprintf(name, sizeof(name), "etc/sysctl.d/%04u.conf", i);
		tree_file(t, name, "net.core.somaxconn = 1\n");
	}
	for (unsigned i = 0; i < 20000; i++)
		ta_buf_printf(&text, "vm.swap*%u = %u\n-vm.x%u\nvm.swappiness = %u\n", i, i, i, i);
	tree_file(t, "etc/sysctl.d/0.conf", text.data);
	f = look(t);
	FACT(f, "\"/etc/sysctl.d/0599.conf\"", "settings", SOMAXCONN, "file");
	/* So many patterns that not all were kept. */
	assert_true(ta_facts_incomplete(f, "settings", &(struct ta_absence){0}));
	ta_facts_free(f);
}

static void the_kernel_command_line(void **state)
{
	struct tree *t = *state;

	tree_file(t, "proc/cmdline",
		"ro sysctl.net.core.somaxconn=7 sysctl/fs.aio-max-nr=8 sysctl.vm.swappiness=9 sysctl.kernel.modprobe=/x\n");
	tree_file(t, "etc/sysctl.d/a.conf", "vm.swappiness = 1\n");
	assert_winner(t, SOMAXCONN, "/proc/cmdline:0 7");
	assert_winner(t, "fs.aio-max-nr", "/proc/cmdline:0 8");
	assert_winner(t, "vm.swappiness", "/etc/sysctl.d/a.conf:1 1");
}

static void ufw(void **state)
{
	struct tree *t = *state;

	tree_file(t, "etc/sysctl.d/99-a.conf", "net.ipv4.tcp_sack = 1\nnet.core.somaxconn = 5\n-net.ipv4.conf.all.rp_filter\n");
	tree_file(t, "etc/ufw/sysctl.conf", "# x\nnet/ipv4/tcp_sack=0\nnet/ipv4/conf/all/rp_filter=1\n");
	tree_file(t, "etc/ufw/ufw.conf", "ENABLED=no\n");
	tree_file(t, "etc/default/ufw", "IPV6=yes\nIPT_SYSCTL=/etc/ufw/sysctl.conf\n");
	assert_winner(t, "net.ipv4.tcp_sack", "/etc/sysctl.d/99-a.conf:1 1");
	tree_file(t, "etc/ufw/ufw.conf", "# ENABLED=no\nENABLED=\"yes\"\nLOGLEVEL=low\n");
	assert_winner(t, "net.ipv4.tcp_sack", "/etc/ufw/sysctl.conf:2 0");
	assert_winner(t, "net.ipv4.conf.all.rp_filter", "/etc/ufw/sysctl.conf:3 1");
	assert_winner(t, SOMAXCONN, "/etc/sysctl.d/99-a.conf:2 5");
	{
		ta_cleanup_facts struct ta_facts *f = look(t);

		FACT(f, "\"ufw\"", "settings", "net.ipv4.tcp_sack", "set_by");
		FACT(f, "[\"/etc/sysctl.d/99-a.conf:1\"]", "settings", "net.ipv4.tcp_sack", "others");
		FACT(f, "[\"/etc/sysctl.d/99-a.conf:1 sets 1\"]", "settings", "net.ipv4.tcp_sack", "overridden");
	}
	/* Told to use no file, or another one. */
	tree_file(t, "etc/default/ufw", "IPT_SYSCTL=/etc/ufw/sysctl.conf\nIPT_SYSCTL=\n");
	assert_winner(t, "net.ipv4.tcp_sack", "/etc/sysctl.d/99-a.conf:1 1");
	tree_file(t, "etc/sysctl.conf", "net.ipv4.tcp_sack=2\n");
	tree_file(t, "etc/default/ufw", "IPT_SYSCTL=/etc/sysctl.conf\n");
	assert_winner(t, "net.ipv4.tcp_sack", "/etc/sysctl.conf:1 2");
	/* A file that is refused may hold anything. */
	tree_file(t, "etc/default/ufw", "IPT_SYSCTL=/etc/own\n");
	tree_file(t, "etc/own", "net.ipv4.tcp_sack=3\n");
	{
		ta_cleanup_facts struct ta_facts *f = look(t);

		assert_null(ta_facts_at(f, TA_KEYS("settings", "net.ipv4.tcp_sack", "file")));
		assert_true(ta_facts_incomplete(f, "settings", NULL));
	}
}

static void tuned(void **state)
{
	struct tree *t = *state;

	tree_file(t, "etc/tuned/active_profile", "mine\n");
	tree_file(t, "etc/tuned/mine/tuned.conf",
		"[main]\nsummary=x\ninclude = base, nested\n\n[sysctl]\nvm.swappiness=5 # why\nnet.core.somaxconn=>2048\n");
	tree_file(t, "usr/lib/tuned/base/tuned.conf",
		"[sysctl]\nvm.swappiness=6\nvm.dirty_ratio = 40\nkernel.pid_max=1\n[cpu]\ngovernor=performance\n");
	tree_file(t, "usr/lib/tuned/profiles/nested/tuned.conf",
		"[other]\ntype=sysctl\nfs.aio-max-nr=1\n[off]\ntype=sysctl\nenabled=0\nvm.page-cluster=1\n");
	tree_file(t, "etc/sysctl.d/a.conf", "vm.dirty_ratio = 10\n");
	tree_file(t, "usr/lib/sysctl.d/z.conf", "kernel.pid_max = 9\n");
	/* Neither running nor started at boot. */
	tree_file(t, "sys/fs/cgroup/system.slice/x", "");
	tree_file(t, "run/systemd/system/x", "");
	assert_winner(t, "vm.swappiness", "nobody");
	tree_file(t, "sys/fs/cgroup/system.slice/tuned.service/x", "");
	assert_winner(t, "vm.swappiness", "/etc/tuned/mine/tuned.conf:6 5");
	assert_winner(t, SOMAXCONN, "/etc/tuned/mine/tuned.conf:7 >2048");
	assert_winner(t, "fs.aio-max-nr", "/usr/lib/tuned/profiles/nested/tuned.conf:3 1");
	assert_winner(t, "vm.page-cluster", "nobody");
	/* Behind TuneD /etc/sysctl.d is applied again, /usr/lib/sysctl.d is not. */
	assert_winner(t, "vm.dirty_ratio", "/etc/sysctl.d/a.conf:1 10");
	assert_winner(t, "kernel.pid_max", "/usr/lib/tuned/base/tuned.conf:4 1");
	tree_file(t, "etc/tuned/tuned-main.conf", "daemon = 1\nreapply_sysctl = 0\n");
	assert_winner(t, "vm.dirty_ratio", "/usr/lib/tuned/base/tuned.conf:3 40");
	{
		ta_cleanup_facts struct ta_facts *f = look(t);

		FACT(f, "\"mine\"", "tuned", "profile");
		FACT(f, "true", "tuned", "running");
		FACT(f, "true", "tuned", "active");
		FACT(f, "false", "settings", SOMAXCONN, "differs"); /* 4096 is at least 2048 */
		FACT(f, "\"4096\"", "settings", SOMAXCONN, "next_boot");
	}
	/* A profile that includes itself, and one that is not there. */
	tree_file(t, "usr/lib/tuned/mine/tuned.conf", "[main]\ninclude=mine\n[sysctl]\nvm.swappiness=1\nvm.page-cluster=2\n");
	tree_file(t, "etc/tuned/mine/tuned.conf", "[main]\ninclude=mine\n[sysctl]\nvm.swappiness=3\n");
	assert_winner(t, "vm.swappiness", "/etc/tuned/mine/tuned.conf:4 3");
	assert_winner(t, "vm.page-cluster", "/usr/lib/tuned/mine/tuned.conf:5 2");
	tree_file(t, "etc/tuned/mine/tuned.conf", "[main]\ninclude=nothere\n[sysctl]\nvm.swappiness=3\n");
	assert_winner(t, "vm.swappiness", "nobody");
	/* What else the profile sets; included ones below it, sections that are switched off not at all. */
	tree_file(t, "usr/lib/tuned/base/tuned.conf",
		"[cpu]\ngovernor=powersave\nforce_latency=1\n[vm]\ntransparent_hugepages=never\n[disk]\nenabled=false\nreadahead=4096\n");
	tree_file(t, "etc/tuned/mine/tuned.conf", "[main]\ninclude=base\n[cpu]\ngovernor=performance\n[sysctl]\nvm.swappiness=1\n");
	{
		ta_cleanup_facts struct ta_facts *f = look(t);

		FACT(f, "[\"cpu.governor=performance (/etc/tuned/mine/tuned.conf:4)\",\"cpu.force_latency=1 (/usr/lib/tuned/base/tuned.conf:3)\","
			"\"vm.transparent_hugepages=never (/usr/lib/tuned/base/tuned.conf:5)\"]", "tuned", "sets");
	}
}

static void lines_that_lose(void **state)
{
	struct tree *t = *state;
	struct ta_facts *f;

	tree_file(t, "usr/lib/sysctl.d/10-v.conf", "net.core.somaxconn = 1\n");
	tree_file(t, "etc/sysctl.d/20-a.conf", "net.core.somaxconn = 2\n");
	tree_file(t, "etc/sysctl.d/30-b.conf", "net.core.somaxconn = 3\nnet.ipv4.tcp_rmem = 1 2 3\n");
	tree_file(t, "etc/sysctl.d/40-c.conf", "net.core.somaxconn = 3\nnet.ipv4.tcp_rmem = 1 2\t3\n");
	f = look(t);
	FACT(f, "[\"/usr/lib/sysctl.d/10-v.conf:1\",\"/etc/sysctl.d/20-a.conf:1\",\"/etc/sysctl.d/30-b.conf:1\"]", "settings",
		SOMAXCONN, "others");
	FACT(f, "[\"/etc/sysctl.d/20-a.conf:1 sets 2\"]", "settings", SOMAXCONN, "overridden");
	FACT(f, "[]", "settings", "net.ipv4.tcp_rmem", "overridden");
	ta_facts_free(f);
}

static void two_names_of_one_variable(void **state)
{
	struct tree *t = *state;

	tree_file(t, "etc/sysctl.d/a.conf", "net.nf_conntrack_max = 5\nnet.ipv4.ip_forward = 1\nnet.ipv4.conf.all.forwarding=0\n");
	assert_winner(t, "net.netfilter.nf_conntrack_max", "/etc/sysctl.d/a.conf:1 5");
	assert_winner(t, "net.ipv4.ip_forward", "/etc/sysctl.d/a.conf:3 0");
}

/* --- against what runs ------------------------------------------------------------------- */

static void assert_boot(const char *running, const char *line, const char *boot, const char *differs)
{
	struct tree t = {{0}};
	struct ta_facts *f;
	char text[200], file[200];

	assert_int_equal(tree_make(&t), 0);
	tree_file(&t, "proc/1/comm", "systemd\n");
	snprintf(file, sizeof(file), "proc/sys/%.*s", (int)strcspn(line, " ="), line);
	for (char *c = file; *c; c++)
		*c = *c == '.' ? '/' : *c;
	tree_file(&t, file, running);
	snprintf(text, sizeof(text), "%s\n", line);
	tree_file(&t, "etc/sysctl.d/a.conf", text);
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(line, " ="), line);
	f = look(&t);
	if (boot)
		FACT(f, boot, "settings", text, "next_boot");
	else
		assert_null(ta_facts_at(f, TA_KEYS("settings", text, "next_boot")));
	if (differs)
		FACT(f, differs, "settings", text, "differs");
	else
		assert_null(ta_facts_at(f, TA_KEYS("settings", text, "differs")));
	ta_facts_free(f);
	tree_remove(&t);
}

static void as_the_kernel_reads_it(void **state)
{
	assert_boot("4096\n", "net.core.somaxconn = 4096", "\"4096\"", "false");
	assert_boot("4096\n", "net.core.somaxconn = 1024", "\"1024\"", "true");
	assert_boot("4096\n", "net.core.somaxconn = 0x1000", "\"4096\"", "false");
	assert_boot("8\n", "net.core.somaxconn = 010", "\"8\"", "false");
	assert_boot("0\n", "net.core.somaxconn = 0", "\"0\"", "false");
	assert_boot("4096\n", "net.core.somaxconn = 4096 # a comment", "\"4096\"", "false");
	assert_boot("4096\n", "net.core.somaxconn = 4096#", NULL, NULL);
	assert_boot("4096\n", "net.core.somaxconn = 4k", NULL, NULL);
	assert_boot("4096\n", "net.core.somaxconn = 08", NULL, NULL);
	assert_boot("4096\n", "net.core.somaxconn = 0x", NULL, NULL);
	assert_boot("4096\n", "net.core.somaxconn =", NULL, NULL);
	assert_boot("4096\n", "net.core.somaxconn = \"4096\"", NULL, NULL);
	assert_boot("9223372036854775807\n", "fs.file-max = 18446744073709551616", NULL, NULL);
	assert_boot("9223372036854775807\n", "fs.file-max = 9223372036854775807", "\"9223372036854775807\"", "false");
	assert_boot("4096\t131072\t6291456\n", "net.ipv4.tcp_rmem = 4096 131072\t 6291456", "\"4096 131072 6291456\"", "false");
	assert_boot("4096\t131072\t6291456\n", "net.ipv4.tcp_rmem = 4096 131072", "\"4096 131072 6291456\"", "false");
	assert_boot("4096\t131072\t6291456\n", "net.ipv4.tcp_rmem = 8192 131072", "\"8192 131072 6291456\"", "true");
	assert_boot("4096\t131072\t6291456\n", "net.ipv4.tcp_rmem = 4096 131072 6291456 7", "\"4096 131072 6291456\"", "false");
	assert_boot("4096\t131072\t6291456\n", "net.ipv4.tcp_rmem = 4096,131072,6291456", NULL, NULL);
	assert_boot("4096\t131072\t6291456\n", "net.ipv4.tcp_rmem = 4096 131072 \\", NULL, NULL);
	assert_boot("4294967295\n", "net.ipv4.tcp_notsent_lowat = -1", "\"4294967295\"", "false");
	assert_boot("cubic\n", "net.ipv4.tcp_congestion_control = bbr", "\"bbr\"", "true");
	/* Numbers that it does not take. */
	assert_boot("60\n", "vm.swappiness = 200", "\"200\"", "true");
	assert_boot("60\n", "vm.swappiness = 201", NULL, NULL);
	assert_boot("212992\n", "net.core.rmem_max = 100", NULL, NULL);
	assert_boot("4096\n", "net.core.somaxconn = 99999999999", NULL, NULL);
	assert_boot("32768\t60999\n", "net.ipv4.ip_local_port_range = 1024 70000", NULL, NULL);
	assert_boot("8000\n", "net.core.netdev_budget_usecs = 1500", NULL, NULL);
	assert_boot("1500\n", "net.core.netdev_budget_usecs = 1500", "\"1500\"", "false");
	assert_boot("2000\n", "net.core.netdev_budget_usecs = 8000", "\"8000\"", "true");
	/* Written and read back are not the same. */
	assert_boot("65536\n", "net.core.rps_sock_flow_entries = 50000", NULL, NULL);
	assert_boot("65536\n", "net.core.rps_sock_flow_entries = 65536", "\"65536\"", "false");
}

static void pairs(void **state)
{
	struct tree *t = *state;
	struct ta_facts *f;

	tree_file(t, "proc/sys/vm/dirty_ratio", "0\n");
	tree_file(t, "proc/sys/vm/dirty_bytes", "1048576\n");
	tree_file(t, "etc/sysctl.d/a.conf", "vm.dirty_ratio = 10\nvm.dirty_bytes = 1048576\n");
	f = look(t);
	HOLE(f, TA_UNSUPPORTED, "settings[\"vm.dirty_ratio\"].differs");
	ta_facts_free(f);
}

/* tmpfiles.d comes after sysctl.d, and the kernel raises the reserve where huge pages are switched on. */
static void raised_by_huge_pages(void **state)
{
	static const char thp[] = "sys/kernel/mm/transparent_hugepage/enabled";
	struct tree *t = *state;
	struct ta_facts *f;

	tree_file(t, "proc/sys/vm/min_free_kbytes", "2048\n");
	tree_file(t, thp, "always madvise [never]\n");
	tree_file(t, "etc/sysctl.d/a.conf", "vm.min_free_kbytes = 2048\n");
	tree_file(t, "etc/tmpfiles.d/a.conf", "w /sys/kernel/mm/transparent_hugepage/enabled - - - - madvise\n");
	f = look(t);
	HOLE(f, TA_UNSUPPORTED, "settings[\"vm.min_free_kbytes\"].next_boot");
	ta_facts_free(f);
	tree_file(t, "etc/tmpfiles.d/a.conf", "w /sys/kernel/mm/transparent_hugepage/enabled - - - - never\n");
	f = look(t);
	FACT(f, "\"2048\"", "settings", "vm.min_free_kbytes", "next_boot");
	ta_facts_free(f);
}

static void modules_that_come_later(void **state)
{
	struct tree *t = *state;

	tree_file(t, "proc/sys/net/netfilter/nf_conntrack_max", "262144\n");
	tree_file(t, "proc/sys/kernel/osrelease", "6.1.0\n");
	tree_file(t, "proc/modules", "nf_conntrack 1 0 - Live 0\n");
	tree_file(t, "etc/sysctl.d/a.conf", "net.netfilter.nf_conntrack_max = 524288\n");
	{
		ta_cleanup_facts struct ta_facts *f = look(t);

		FACT(f, "\"nf_conntrack\"", "settings", "net.netfilter.nf_conntrack_max", "module");
		FACT(f, "false", "settings", "net.netfilter.nf_conntrack_max", "in_time");
		HOLE(f, TA_MISSING, "settings[\"net.netfilter.nf_conntrack_max\"].next_boot");
	}
	/* udev may apply the files once more when the module comes; of another tree that is nothing. */
	tree_file(t, "etc/udev/rules.d/90-a.rules",
		"ACTION==\"add\", SUBSYSTEM==\"module\", KERNEL==\"nf_conntrack\", RUN+=\"/usr/lib/systemd/systemd-sysctl --prefix=/net/bridge\"\n"
		"ACTION==\"add\", SUBSYSTEM==\"module\", KERNEL==\"br_netfilter\", RUN+=\"/usr/lib/systemd/systemd-sysctl --prefix=/net\"\n");
	{
		ta_cleanup_facts struct ta_facts *f = look(t);

		FACT(f, "[]", "boot", "sysctl_again");
		FACT(f, "false", "settings", "net.netfilter.nf_conntrack_max", "in_time");
	}
	tree_file(t, "etc/udev/rules.d/91-a.rules",
		"ACTION==\"add\", SUBSYSTEM==\"module\", KERNEL==\"nf_conntrack\", RUN+=\"/usr/lib/systemd/systemd-sysctl --prefix=/net/netfilter\"\n");
	{
		ta_cleanup_facts struct ta_facts *f = look(t);

		FACT(f, "[\"nf_conntrack\"]", "boot", "sysctl_again");
		FACT(f, "true", "settings", "net.netfilter.nf_conntrack_max", "in_time");
		FACT(f, "\"524288\"", "settings", "net.netfilter.nf_conntrack_max", "next_boot");
	}
	tree_link(t, "etc/udev/rules.d/92-a.rules", "/dev/null");
	tree_file(t, "etc/udev/rules.d/91-a.rules", "");
	tree_file(t, "etc/modules-load.d/a.conf", "# x\nnf-conntrack\n");
	{
		ta_cleanup_facts struct ta_facts *f = look(t);

		FACT(f, "[\"nf_conntrack\"]", "boot", "modules");
		FACT(f, "true", "settings", "net.netfilter.nf_conntrack_max", "in_time");
		FACT(f, "true", "settings", "net.netfilter.nf_conntrack_max", "differs");
	}
}

static void set_by_hand(void **state)
{
	struct tree *t = *state;
	struct ta_facts *f;

	tree_file(t, "proc/sys/net/core/somaxconn", "65535\n");
	tree_file(t, "proc/sys/net/core/rmem_max", "212992\n");
	tree_file(t, "proc/sys/net/ipv4/ip_local_port_range", "1024\t60999\n");
	tree_file(t, "proc/sys/vm/dirty_ratio", "0\n");
	tree_file(t, "proc/sys/vm/swappiness", "10\n");
	tree_file(t, "proc/sys/net/core/busy_poll", "0\n");
	tree_file(t, "proc/sys/net/ipv4/tcp_sack", "0\n");
	tree_file(t, "etc/sysctl.d/a.conf", "vm.swappiness = 10\n");
	f = look(t);
	FACT(f, "true", "settings", SOMAXCONN, "by_hand");
	FACT(f, "false", "settings", SOMAXCONN, "persisted");
	FACT(f, "\"65535\"", "settings", SOMAXCONN, "running");
	FACT(f, "true", "settings", "net.ipv4.ip_local_port_range", "by_hand");
	FACT(f, "true", "settings", "net.ipv4.tcp_sack", "by_hand");
	FACT(f, "false", "settings", "vm.swappiness", "by_hand");
	assert_null(ta_facts_at(f, TA_KEYS("settings", "net.core.rmem_max")));
	assert_null(ta_facts_at(f, TA_KEYS("settings", "net.core.busy_poll")));
	assert_null(ta_facts_at(f, TA_KEYS("settings", "vm.dirty_ratio")));
	ta_facts_free(f);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(files_go_by_their_names),
		TEST(one_name_masks_another),
		TEST(keys_are_spelt_in_two_ways),
		TEST(patterns),
		cmocka_unit_test(matching),
		TEST(sysctl_conf),
		TEST(nobody_applies_them),
		TEST(a_copy_without_them),
		TEST(what_cannot_be_read),
		TEST(bytes_that_are_no_text),
		TEST(many_files_and_lines),
		TEST(the_kernel_command_line),
		TEST(ufw),
		TEST(tuned),
		TEST(lines_that_lose),
		TEST(two_names_of_one_variable),
		cmocka_unit_test(as_the_kernel_reads_it),
		TEST(pairs),
		TEST(raised_by_huge_pages),
		TEST(modules_that_come_later),
		TEST(set_by_hand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
