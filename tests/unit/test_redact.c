/*
 * Planted secrets: none may come through, and what tunes must.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "host/redact.h"

static void assert_filter_bytes(const char *path, const char *in, size_t in_len, const char *out)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	assert_int_equal(ta_redact_kind(path), TA_REDACT_FILTER);
	for (int twice = 0; twice < 2; twice++) {
		if (!twice)
			ta_buf_add(&b, in, in_len);
		ta_redact(path, &b);
		assert_string_equal(ta_buf_text(&b), out);
		assert_int_equal(b.len, strlen(out));
	}
}

static void assert_filter(const char *path, const char *in, const char *out)
{
	assert_filter_bytes(path, in, strlen(in), out);
}

static void test_kernel_cmdline(void **state)
{
	assert_filter("/proc/cmdline",
		"BOOT_IMAGE=/vmlinuz root=UUID=1-2 ro quiet nfsroot=10.0.0.1:/x rd.luks.key=hunter2\n", "ro quiet\n");
	assert_filter("/proc/cmdline",
		"isolcpus=2-7 nohz_full=2-7 rcu_nocbs=2-7 mitigations=off transparent_hugepage=never "
		"intel_idle.max_cstate=1 processor.max_cstate=1 idle=poll intel_pstate=disable amd_pstate=active "
		"cpufreq.default_governor=performance nvme_core.default_ps_max_latency_us=0 pcie_aspm=off "
		"hugepagesz=1G hugepages=16 default_hugepagesz=1G numa_balancing=disable irqaffinity=0-1 audit=0 "
		"clocksource=tsc tsc=reliable preempt=full selinux=0 apparmor=0 systemd.unified_cgroup_hierarchy=1 "
		"cgroup_no_v1=all skew_tick=1 nosmt maxcpus=4 nr_cpus=8 mem=4G\n",
		"isolcpus=2-7 nohz_full=2-7 rcu_nocbs=2-7 mitigations=off transparent_hugepage=never "
		"intel_idle.max_cstate=1 processor.max_cstate=1 idle=poll intel_pstate=disable amd_pstate=active "
		"cpufreq.default_governor=performance nvme_core.default_ps_max_latency_us=0 pcie_aspm=off "
		"hugepagesz=1G hugepages=16 default_hugepagesz=1G numa_balancing=disable irqaffinity=0-1 audit=0 "
		"clocksource=tsc tsc=reliable preempt=full selinux=0 apparmor=0 systemd.unified_cgroup_hierarchy=1 "
		"cgroup_no_v1=all skew_tick=1 nosmt maxcpus=4 nr_cpus=8 mem=4G\n");
	/* '-' and '_' are one to the kernel; names are whole. */
	assert_filter("/proc/cmdline", "intel-idle.max-cstate=1 quiet2 xquiet quie", "intel-idle.max-cstate=1\n");
	/* Quotes hold a value together, its end is not a word of its own. */
	assert_filter("/proc/cmdline", "secret=\"a quiet b\" quiet \"ro\"\n", "quiet\n");
	assert_filter("/proc/cmdline", "secret=\"a quiet\n", "\n");
	/* What is for init is not ours. */
	assert_filter("/proc/cmdline", "quiet -- quiet token=x\n", "quiet\n");
	assert_filter("/proc/cmdline", "", "");
	assert_filter("/proc/cmdline", "\n", "\n");
	assert_filter("/proc/cmdline", "quiet", "quiet");
	assert_filter_bytes("/proc/cmdline", "quiet\0token=x", 13, "quiet\n");
}

static void test_argv(void **state)
{
	static const char *const paths[] = {
		"/proc/1/cmdline", "/proc/self/cmdline", "/proc/thread-self/cmdline", "/proc/12/task/13/cmdline",
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(paths); i++) {
		assert_filter_bytes(paths[i], "mysqld\0-phunter2\0", 17, "mysqld");
		assert_filter(paths[i], "postgres: bob secretdb 10.0.0.1(4711) idle", "postgres:");
		assert_filter(paths[i], "", "");
	}
}

static void test_os_release(void **state)
{
	static const char in[] = "NAME=\"x\"\nID=debian\nVERSION_ID=\"12\"\nMACHINE=hunter2\n PRETTY_NAME=\"Debian 12\"\n#ID=x\nID";

	assert_filter("/etc/os-release", in, "\nID=debian\nVERSION_ID=\"12\"\n\n PRETTY_NAME=\"Debian 12\"\n\n");
	assert_filter("/usr/lib/os-release", "ID=x", "ID=x");
	assert_filter_bytes("/etc/os-release", "ID=a\0PASS=x\nID=b\n", 17, "\nID=b\n");
}

static void test_sysctl(void **state)
{
	static const char *const paths[] = {
		"/etc/sysctl.conf", "/etc/sysctl.d/99-x.conf", "/run/sysctl.d/a.conf", "/usr/lib/sysctl.d/50-default.conf",
		"/usr/local/lib/sysctl.d/a.conf", "/lib/sysctl.d/a.conf",
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(paths); i++)
		assert_filter(paths[i],
			"# password hunter2\n"
			"net.core.somaxconn=1024\n"
			"  vm/swappiness = 10\n"
			"-net.ipv4.conf.*.rp_filter = 2\n"
			"-net.ipv4.conf.eth0.rp_filter\n"
			"net/ipv4/conf/eth0.100/rp_filter = 1\n"
			"kernel.core_pattern=|/usr/bin/crash --token=hunter2\n"
			"kernel/core_pattern=|/usr/bin/crash --token=hunter2\n"
			"-kernel.hostname = web1\n"
			"net.ipv4.tcp_fastopen_key=1-2-3-4\n"
			"net.ipv6.conf.eth0.stable_secret = ::1\n"
			"net/ipv6/conf/eth0/stable_secret = ::1\n"
			"password = hunter2\n"
			"hunter2\n"
			"; net.x = 1\n"
			"vm.swappiness = 10 # hunter2\n"
			"net.core.default_qdisc = fq|hunter2\n"
			"/net//core/somaxconn = 1\n"
			"- net.core.rmem_max = 1\n"
			"net.*.somaxconn = 5\n"
			"kernel.host* = hunter2\n"
			"*.host* = hunter2\n"
			"*.somaxconn = 7 # hunter2\n",
			"\n"
			"net.core.somaxconn=1024\n"
			"  vm/swappiness = 10\n"
			"-net.ipv4.conf.*.rp_filter = 2\n"
			"-net.ipv4.conf.eth0.rp_filter\n"
			"net/ipv4/conf/eth0.100/rp_filter = 1\n"
			"\n\n\n\n\n\n\n\n\n"
			"vm.swappiness = 10 #\n"
			"net.core.default_qdisc = fq|\n"
			"/net//core/somaxconn = 1\n"
			"- net.core.rmem_max = 1\n"
			"net.*.somaxconn = 5\n"
			"\n\n"
			"*.somaxconn = 7 #\n");
}

/* Where lines end is not told by '\n' alone: the one byte that stays says so. */
static void test_sysctl_bytes(void **state)
{
	static const char in[] = "vm.a=1\0hunter2\nvm.b=2\r\nvm.c=3\rhunter2\nvm.d=4";
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	ta_buf_add(&b, in, sizeof(in) - 1);
	for (int twice = 0; twice < 2; twice++) {
		ta_redact("/etc/sysctl.d/a.conf", &b);
		assert_int_equal(b.len, 2 + 8 + 2 + 6);
		assert_memory_equal(b.data, "\0\nvm.b=2\r\n\0\nvm.d=4", b.len);
	}
}

static void test_other_settings(void **state)
{
	assert_filter("/etc/security/limits.conf", "# hunter2\n* soft nofile 1024 # hunter2\n\n@adm - nofile 5\n",
		"\n* soft nofile 1024 \n\n@adm - nofile 5\n");
	assert_filter("/etc/modprobe.d/x.conf",
		"options nvme_core default_ps_max_latency_us=0\noptions cifs pass=hunter2\n"
		"options  nvme-core x=1\ninstall nvme_core /bin/x hunter2\noptionsnvme x\noptions\n",
		"options nvme_core default_ps_max_latency_us=0\n\noptions  nvme-core x=1\n\n\n\n");
	assert_filter("/etc/default/irqbalance", "# x\nIRQBALANCE_BANNED_CPULIST=0-1\nTOKEN=hunter2\n",
		"\nIRQBALANCE_BANNED_CPULIST=0-1\n\n");
	assert_filter("/proc/cmdline", "sysctl.net.core.somaxconn=1 sysctl.kernel.core_pattern=|/x sysctl/vm.swappiness=2 sysctl=3\n",
		"sysctl.net.core.somaxconn=1 sysctl/vm.swappiness=2\n");
	assert_filter("/usr/lib/tuned/mine/tuned.conf",
		"# hunter2\n[main]\nsummary=hunter2\ninclude=base\n[sysctl] hunter2\nvm.swappiness=>5 # hunter2\n"
		"kernel.hostname=hunter2\n  net.x = hunter2\n[script]\nscript=${i:PROFILE_DIR}/hunter2\n",
		"\n[main]\n\ninclude=base\n[sysctl]\nvm.swappiness=>5 \n\n\n[script]\n\n");
	assert_filter("/etc/tuned/mine/tuned.conf",
		"[cpu]\ngovernor=performance\nforce_latency=cstate.id:1|3\n[sysfs]\n/sys/bus/x=1\n/proc/x=hunter2\n[net]\nchannels=combined 4\n"
		"[bootloader]\ncmdline_x=+token=hunter2\n[variables]\nkey=hunter2\n",
		"[cpu]\ngovernor=performance\nforce_latency=cstate.id:1|3\n[sysfs]\n/sys/bus/x=1\n\n[net]\nchannels=combined 4\n"
		"[bootloader]\n\n[variables]\n\n");
	assert_filter("/etc/modules-load.d/a.conf", "nf_conntrack\n# hunter2\n", "nf_conntrack\n\n");
	assert_filter("/etc/tuned/active_profile", "network-latency my_own.1\nPASS=hunter2\n",
		"network-latency my_own.1\n\n");
	assert_filter("/etc/systemd/system.conf", "[Manager]\nDefaultLimitNOFILE=1024:524288\nDefaultEnvironment=T=hunter2\n",
		"\nDefaultLimitNOFILE=1024:524288\n\n");
}

static void test_units(void **state)
{
	static const char unit[] =
		"[Unit]\nDescription=hunter2\n# LimitNOFILE=1\n[Service]\nEnvironment=T=hunter2 \\\nLimitNOFILE=hunter2\n"
		"LimitNOFILE = 1024:2048\nExecStart=/x hunter2 \\\n# CPUQuota=5%\n  LimitNOFILE=hunter2\nCPUQuota=\\\n; hunter2\n 50%\n"
		"LoadCredential=hunter2\nPassEnvironment=hunter2\nMemoryMax=1G";
	static const char kept[] = "[Unit]\n\n\n[Service]\n\\\n\nLimitNOFILE = 1024:2048\n\\\n\\\n\nCPUQuota=\\\n\\\n 50%\n\n\nMemoryMax=1G";

	assert_filter("/etc/systemd/system/nginx.service", unit, kept);
	assert_filter("/usr/lib/systemd/system/nginx.service", unit, kept);
	assert_filter("/run/systemd/system/nginx.service.d/a.conf", unit, kept);
	assert_filter("/etc/systemd/system/irqbalance.service.d/a.conf", "[Service]\nEnvironment=IRQBALANCE_BANNED_CPULIST=0\nUser=hunter2\n",
		"[Service]\nEnvironment=IRQBALANCE_BANNED_CPULIST=0\n\n");
	assert_filter("/etc/systemd/network/10-a.link",
		"[Match]\nDriver=igb\n[Link]\nWakeOnLan=off\nWakeOnLanPassword=hunter2\nAlias=hunter2\nRxBufferSize=4096\nMTUBytes=9000\n",
		"[Match]\nDriver=igb\n[Link]\nWakeOnLan=off\nWakeOnLanPassword=\nAlias=\nRxBufferSize=4096\nMTUBytes=9000\n");
	/* Whoever takes the place of the file has to leave its names as they are, and to know of what is not told. */
	assert_filter("/usr/lib/systemd/network/99-default.link",
		"[Link]\n# hunter2\nNamePolicy=keep path\nAlternativeNamesPolicy=path\nMACAddressPolicy=persistent\nAlias=a\\\nhunter2\n",
		"[Link]\n\nNamePolicy=keep path\nAlternativeNamesPolicy=path\nMACAddressPolicy=persistent\nAlias=\\\n\n");
	assert_filter("/etc/ufw/sysctl.conf", "net/ipv4/tcp_sack=1\nkernel/core_pattern=|hunter2\n", "net/ipv4/tcp_sack=1\n\n");
	assert_filter("/etc/ufw/ufw.conf", "ENABLED=yes\nLOGLEVEL=hunter2\n", "ENABLED=yes\n\n");
	assert_filter("/etc/config/irqbalance", "config irqbalance 'irqbalance'\n\toption enabled '1'\n#hunter2\n\tlist banirq '36'\n",
		"config irqbalance 'irqbalance'\n\toption enabled '1'\n\n\tlist banirq '36'\n");
}

static void test_refused(void **state)
{
	static const char *const paths[] = {
		"/etc/shadow", "/etc/passwd", "/etc/hostname", "/etc/ssl/private/key.pem", "/etc/sysctl.d.old/x",
		"/etc/machine-id", "/proc/1/environ", "/proc/self/environ", "/proc/1/task/1/environ", "/proc/1/mem",
		"/proc/1/root/etc/shadow", "/proc/self/root/etc/os-release", "/proc/1/cwd/.env", "/proc/self/fd/3",
		"/proc/1/task/2/root/etc/shadow", "/proc/thread-self/cwd/x", "/proc/1/map_files/1-2", "/proc/kcore",
		"/proc/sys/net/ipv4/tcp_fastopen_key", "/proc/sys/net/ipv6/conf/eth0/stable_secret", "/proc/1/exe",
	};
	static const char *const fine[] = {
		"/proc/1/status", "/proc/1/limits", "/proc/self/net/tcp", "/proc/net/tcp", "/proc/1/cgroup", "/proc/1/fdinfo/3",
		"/sys/class/net/eth0/mtu", "/proc/sys/net/core/somaxconn", "/proc/1x/environ", "/proc/stat", "/proc/self",
		"/proc", "/",
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(paths); i++)
		if (ta_redact_kind(paths[i]) != TA_REDACT_REFUSE)
			fail_msg("%s may be read", paths[i]);
	for (size_t i = 0; i < TA_ARRAY_SIZE(fine); i++)
		if (ta_redact_kind(fine[i]) != TA_REDACT_NONE)
			fail_msg("%s may not be read", fine[i]);
}

static void test_links(void **state)
{
	static const char *const cases[][3] = {
		{"/proc/7/fd/3", "socket:[42]", "socket:[42]"},
		{"/proc/7/fd/3", "anon_inode:[eventpoll]", "anon_inode:[eventpoll]"},
		{"/proc/7/fd/3", /* a name that tells */ "/srv/diagnosis.pdf", "file"},
		{"/proc/7/fd/3", "/memfd:key (deleted)", "file"},
		{"/proc/self/task/8/fd/3", "/x", "file"},
		{"/proc/7/ns/net", "net:[1]", "net:[1]"},
		{"/sys/class/net/eth0", "../../devices/x", "../../devices/x"},
		{"/sys/class/net/fd/1", "/x", "/x"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

		ta_buf_adds(&b, cases[i][1]);
		ta_redact_link(cases[i][0], &b);
		ta_redact_link(cases[i][0], &b);
		assert_string_equal(ta_buf_text(&b), cases[i][2]);
	}
}

static void test_tmpfiles(void **state)
{
	assert_filter("/etc/tmpfiles.d/a.conf",
		"# secret\nd /home/bob 0700 bob bob\nw /sys/kernel/mm/transparent_hugepage/enabled - - - - never\n"
		"f+ /etc/token - - - - hunter2\nw /etc/token - - - - hunter2\n  w! /sys/block/sd*/queue/scheduler - - - - none # x\n"
		"w /proc/sys/net/core/somaxconn - - - - 4096\nw /proc/sys/kernel/core_pattern - - - - |/bin/x\n",
		"\n\nw /sys/kernel/mm/transparent_hugepage/enabled - - - - never\n\n\n"
		"  w! /sys/block/sd*/queue/scheduler - - - - none #\nw /proc/sys/net/core/somaxconn - - - - 4096\n\n");
	assert_filter_bytes("/usr/lib/tmpfiles.d/a.conf", "w /sys/block/sda/queue/x\0 - - - - 1\n", 36, "\n");
}

static void test_udev(void **state)
{
	static const char path[] = "/etc/udev/rules.d/90-a.rules";

	/* Nothing of interest: nothing at all. */
	assert_filter(path, "ATTRS{serial}==\"hunter2\", MODE=\"0600\", OWNER=\"bob\"\n", "");
	assert_filter(path, "", "");
	assert_filter(path,
		"# bob's disk\nACTION==\"add|change\", KERNEL==\"sda\", ENV{ID_SERIAL}==\"hunter2\", ATTR{queue/scheduler}=\"none\", "
		"SYMLINK+=\"bob\", ENV{TOKEN}=\"hunter2\"\nKERNEL==\"x\", MODE=\"0600\"\n",
		"\nACTION==\"add|change\",KERNEL==\"sda\",TAG==\"?\",ATTR{queue/scheduler}=\"none\"\n\n");
	/* A condition that is not known stays one. */
	assert_filter(path, "PROGRAM=\"/bin/x hunter2\", IMPORT{program}=\"y\", ATTR{queue/nr_requests}=\"64\"",
		"TAG==\"?\",TAG==\"?\",ATTR{queue/nr_requests}=\"64\"\n");
	assert_filter(path, "SUBSYSTEM==\"net\", RUN+=\"/usr/sbin/ethtool -K $name gro on\"\n",
		"SUBSYSTEM==\"net\",RUN+=\"/usr/sbin/ethtool -K $name gro on\"\n");
	assert_filter(path, "SUBSYSTEM==\"net\", RUN+=\"/bin/sh -c 'ethtool -K $name gro on; curl http://u:hunter2@x'\"\n",
		"SUBSYSTEM==\"net\",RUN+=\"ethtool\"\n");
	assert_filter(path, "RUN+=\"/bin/sh -c 'echo 64 > /sys/block/%k/queue/nr_requests'\"\n",
		"RUN+=\"/bin/sh -c 'echo 64 > /sys/block/%k/queue/nr_requests'\"\n");
	assert_filter(path, "RUN+=\"/bin/sh -c 'echo hunter2 > /etc/token; echo 1 > /sys/block/sda/queue/x'\"\n", "");
	/* Jumps, joined lines, and lines that are void. */
	assert_filter(path, "KERNEL!=\"sd*\", GOTO=\"end\"\nATTR{queue/nomerges}=\\\n # x\n  \"2\"\nLABEL=\"end\"\nATTR{queue/x}=\"1\n",
		"KERNEL!=\"sd*\",GOTO=\"end\"\nATTR{queue/nomerges}=\"2\"\n\n\nLABEL=\"end\"\n\n");
	/* Never longer than it was. */
	assert_filter(path, "TAG==\"\"TAG==\"a\"ATTR{mtu}=\"1\"", "TAG==\"\"TAG==\"?\"ATTR{mtu}=\"1\"");
	assert_filter(path, "SYSCTL{net/core/somaxconn}=\"4096\"\nSYSCTL{kernel/core_pattern}=\"|x\"\n",
		"SYSCTL{net/core/somaxconn}=\"4096\"\n\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_cmdline),
		cmocka_unit_test(test_argv),
		cmocka_unit_test(test_os_release), cmocka_unit_test(test_tmpfiles), cmocka_unit_test(test_udev),
		cmocka_unit_test(test_sysctl),
		cmocka_unit_test(test_sysctl_bytes),
		cmocka_unit_test(test_other_settings),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_links),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
