/* What runs, what is written down, what the next boot leaves: for everything that a fix can name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "fix/columns.h"
#include "report/parts.h"

static struct ta_facts *f;

static int setup(void **state)
{
	f = ta_facts_new();
	return f ? 0 : -1;
}

static int teardown(void **state)
{
	f = ta_facts_free(f);
	return 0;
}

/* "FIXER NAME=VALUE …", a name alone has no value: rows as the report shows them, one a line. */
static void assert_rows(const char *text, const char *want)
{
	ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;
	ta_cleanup_buf struct ta_buf got = TA_BUF_INIT;
	struct ta_columns c = {0};
	struct ta_fix_call call = {0};

	ta_strv_split(&words, text, " ");
	call.fixer = words.v[0];
	for (size_t i = 1; i < words.n; i++) {
		char *eq = strchr(words.v[i], '=');

		if (eq)
			*eq++ = '\0';
		call.args[call.n_args].name = words.v[i];
		call.args[call.n_args++].value = eq ? json_object_new_string(eq) : NULL;
	}
	assert_int_equal(ta_columns_of(&call, f, &c), 0);
	for (size_t i = 0; i < c.n; i++) {
		ta_part_column(&c.v[i], &got);
		ta_buf_printf(&got, " [%d]\n", c.v[i].differs);
	}
	assert_string_equal(ta_buf_text(&got), want);
	ta_columns_done(&c);
	for (size_t i = 0; i < call.n_args; i++)
		json_object_put(call.args[i].value);
}

static void put(const char *collection, const char *key, const char *running, const char *file, const char *next)
{
	ta_put_str(f, running, collection, key, "running");
	ta_put_bool(f, next && strcmp(next, running) != 0, collection, key, "differs");
	if (file) {
		ta_put_str(f, file, collection, key, "file");
		ta_put_i64(f, 3, collection, key, "line");
		ta_put_str(f, next, collection, key, "value");
	}
	if (next)
		ta_put_str(f, next, collection, key, "next_boot");
	else
		ta_facts_put_absent(f, TA_KEYS(collection, key, "next_boot"), TA_MISSING, "nothing sets it at boot");
}

static void sysctls(void **state)
{
	/* Not asked for: nothing to say. */
	assert_rows("sysctl.set key=net.core.somaxconn value", "");
	put("settings", "net.core.somaxconn", "65535", "/etc/sysctl.d/a.conf", "4096");
	assert_rows("sysctl.set key=net.core.somaxconn value",
		"net.core.somaxconn: runs 65535, /etc/sysctl.d/a.conf:3 sets 4096, next boot 4096 [1]\n");
	assert_rows("setting.agree key=net.core.somaxconn",
		"net.core.somaxconn: runs 65535, /etc/sysctl.d/a.conf:3 sets 4096, next boot 4096 [1]\n");
	ta_facts_put_ints(f, TA_KEYS("sysctl", "net.ipv4.tcp_rmem"), (const int64_t[]){4096, 131072, 6291456}, 3);
	assert_rows("sysctl.set key=net.ipv4.tcp_rmem index value",
		"net.ipv4.tcp_rmem: runs 4096 131072 6291456, next boot not known: nothing sets it at boot [-1]\n");
	/* A file that may not be read may hold it. */
	ta_facts_put_incomplete(f, TA_KEYS("settings"), TA_DENIED, "/etc/sysctl.d/b.conf: Permission denied");
	assert_rows("sysctl.set key=net.ipv4.tcp_rmem index value",
		"net.ipv4.tcp_rmem: runs 4096 131072 6291456, next boot not known: /etc/sysctl.d/b.conf: Permission denied [-1]\n");
	/* A value without a name is of none of these; another namespace and a container are kept elsewhere. */
	assert_rows("sysctl.set key value", "");
	assert_rows("sysctl.set netns=x key=net.core.somaxconn value", "");
	ta_put_str(f, "docker", "place", "container");
	assert_rows("sysctl.set key=net.core.somaxconn value", "");
}

static void paths(void **state)
{
	static const char thp[] = "/sys/kernel/mm/transparent_hugepage/enabled";

	ta_put_object(f, "persist");
	ta_put_str(f, "always", "memory", "thp", "enabled");
	assert_rows("thp.set enabled=madvise", "/sys/kernel/mm/transparent_hugepage/enabled: runs always, next boot not known: no file that is looked into sets it at boot [-1]\n");
	put("persist", thp, "never", "/etc/tmpfiles.d/a.conf", "never");
	assert_rows("thp.set enabled=madvise", "/sys/kernel/mm/transparent_hugepage/enabled: runs never, /etc/tmpfiles.d/a.conf:3 sets never, next boot never [0]\n");
	assert_rows("persist.lines target=/sys/kernel/mm/transparent_hugepage/enabled",
		"/sys/kernel/mm/transparent_hugepage/enabled: runs never, /etc/tmpfiles.d/a.conf:3 sets never, next boot never [0]\n");
	ta_put_str(f, "none", "disks", "sda", "scheduler");
	put("persist", "/sys/block/sda/queue/read_ahead_kb", "128", "/etc/udev/rules.d/a.rules", "4096");
	assert_rows("block.set disk=sda scheduler read_ahead_kb",
		"/sys/block/sda/queue/scheduler: runs none, next boot not known: no file that is looked into sets it at boot [-1]\n"
		"/sys/block/sda/queue/read_ahead_kb: runs 128, /etc/udev/rules.d/a.rules:3 sets 4096, next boot 4096 [1]\n");
	put("persist", "/sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us", "0", NULL, "100000");
	ta_put_bool(f, true, "persist", "/sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us", "by_hand");
	assert_rows("nvme.apst device=nvme0 latency_us", "/sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us: runs 0, next boot 100000 [1]\n");
	assert_rows("governor.set name=performance", "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor: what runs is not known, next boot not known: no file that is looked into sets it at boot [-1]\n");
}

static void interfaces(void **state)
{
	ta_put_object(f, "persist");
	ta_put_i64(f, 512, "nics", "eth0", "rings", "rx", "current");
	ta_put_bool(f, true, "nics", "eth0", "coalesce", "adaptive_rx");
	ta_put_bool(f, false, "nics", "eth0", "features", "rx-gro");
	put("persist", "eth0 rings tx", "256", "/etc/systemd/network/a.link", "1024");
	assert_rows("nic.rings ifname=eth0 rx tx",
		"eth0 rings rx: runs 512, next boot not known: no file that is looked into sets it at boot [-1]\n"
		"eth0 rings tx: runs 256, /etc/systemd/network/a.link:3 sets 1024, next boot 1024 [1]\n");
	assert_rows("nic.coalesce ifname=eth0 adaptive_rx", "eth0 coalesce adaptive-rx: runs on, next boot not known: no file that is looked into sets it at boot [-1]\n");
	assert_rows("nic.features ifname=eth0 name=rx-gro on", "eth0 features rx-gro: runs off, next boot not known: no file that is looked into sets it at boot [-1]\n");
	assert_rows("nic.rings rx", "");
	put("persist", "/sys/class/net/eth0/queues/rx-0/rps_cpus", "f", NULL, "0");
	put("persist", "/sys/class/net/eth0/queues/rx-1/rps_cpus", "f", NULL, "0");
	assert_rows("rps.set ifname=eth0", "/sys/class/net/eth0/queues/rx-0/rps_cpus: runs f, next boot 0 [1]\n"
		"/sys/class/net/eth0/queues/rx-1/rps_cpus: runs f, next boot 0 [1]\n");
	assert_rows("xps.set ifname=eth0", "/sys/class/net/eth0/queues/tx-*/xps_cpus: what runs is not known, next boot not known: no file that is looked into sets it at boot [-1]\n");
	/* Interrupts are placed anew at each boot, and no file of the host says where. */
	assert_rows("irq.affinity ifname=eth0", "");
}

static void services(void **state)
{
	char name[] = "nf_conntrack", *names[] = {name};

	assert_rows("nofile.service unit=nginx.service value", "");
	ta_put_i64(f, 65536, "units", "nginx.service", "nofile_soft");
	ta_put_str(f, "/etc/systemd/system/nginx.service.d/a.conf:2", "units", "nginx.service", "nofile_set_by");
	assert_rows("nofile.service unit=nginx.service value",
		"nginx.service: what runs is not known, /etc/systemd/system/nginx.service.d/a.conf:2 sets 65536, next start 65536 [-1]\n");
	ta_facts_put_strs(f, TA_KEYS("boot", "modules"), names, 1);
	ta_put_str(f, "loaded", "modules", "state", "tls");
	assert_rows("module.load name=tls", "tls: runs loaded, next boot not known: no file of modules-load.d names it [-1]\n");
	assert_rows("module.load name=nf_conntrack", "nf_conntrack: what runs is not known, next boot loaded [-1]\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {TEST(sysctls), TEST(paths), TEST(interfaces), TEST(services)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
