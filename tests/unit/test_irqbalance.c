/* irqbalance: its configuration as it reads it, and whether it runs. And other agents that are there. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "probe/irqbalance.h"
#include "tests/unit/probes.h"

extern const struct ta_probe ta_probe_irqbalance, ta_probe_agents;

static void assert_config(const char *text, const char *cpus, int cpus_rc, bool oneshot, const char *policy, size_t n_irqs)
{
	struct ta_irqbalance c = {.oneshot = false};
	ta_cleanup_buf struct ta_buf list = TA_BUF_INIT;

	assert_int_equal(ta_irqbalance_parse(text, &c), 0);
	ta_cpuset_format(&c.cpus, &list);
	assert_int_equal(c.cpus_rc, cpus_rc);
	if (!cpus_rc)
		assert_string_equal(ta_buf_text(&list), cpus);
	assert_int_equal(c.oneshot, oneshot);
	assert_string_equal(c.policy, policy);
	assert_int_equal(c.n_irqs, n_irqs);
	ta_cpuset_done(&c.cpus);
}

static void configuration(void **state)
{
	assert_config("", "", 0, false, "", 0);
	assert_config("#IRQBALANCE_ONESHOT=\n#IRQBALANCE_BANNED_CPULIST=1\n", "", 0, false, "", 0);
	assert_config("IRQBALANCE_BANNED_CPULIST=0,2-3\n", "0,2-3", 0, false, "", 0);
	assert_config("IRQBALANCE_BANNED_CPULIST=\"0,2-3\"\r\n", "0,2-3", 0, false, "", 0);
	assert_config("IRQBALANCE_BANNED_CPUS=fc\nIRQBALANCE_BANNED_CPULIST=0\n", "2-7", 0, false, "", 0);
	assert_config("IRQBALANCE_BANNED_CPULIST=x\n", "", -EINVAL, false, "", 0);
	/* Later lines replace earlier ones. */
	assert_config("IRQBALANCE_BANNED_CPULIST=1\nIRQBALANCE_BANNED_CPULIST=2\n", "2", 0, false, "", 0);
	/* Its being there counts, not its value. */
	assert_config("IRQBALANCE_ONESHOT=0\n", "", 0, true, "", 0);
	assert_config("IRQBALANCE_ARGS=\"--oneshot --hintpolicy=ignore --banirq=24 -i 25 -i26\"\n", "", 0, true, "ignore", 3);
	assert_config("OPTIONS='-o -h exact --banirq 7'\n", "", 0, true, "exact", 1);
	assert_config("IRQBALANCE_ARGS=--banirq\n", "", 0, false, "", 0);
	assert_config("IRQBALANCE_ARGS=--banirq=x --policyscript=/x\n", "", 0, false, "", 0);
}

static struct ta_facts *look(struct tree *t)
{
	static const struct ta_probe *const probes[] = {&ta_probe_irqbalance, NULL};
	static const struct ta_derivation *const none[] = {NULL};

	return probe_tree(t, probes, none);
}

static void state_of_it(void **state)
{
	struct tree t = {{0}};
	struct ta_facts *f;

	assert_int_equal(tree_make(&t), 0);
	f = look(&t);
	HOLE(f, TA_NOT_ASKED, "irqbalance.installed");
	HOLE(f, TA_NOT_ASKED, "irqbalance.oneshot");
	ta_facts_free(f);
	/* One process that was copied is not all of them. */
	tree_file(&t, "proc/1/comm", "systemd\n");
	tree_file(&t, "etc/default/irqbalance", "IRQBALANCE_BANNED_CPULIST=2\n");
	tree_file(&t, "sys/devices/system/cpu/isolated", "2-3\n");
	f = look(&t);
	HOLE(f, TA_NOT_ASKED, "irqbalance.running");
	FACT(f, "[2]", "irqbalance", "banned_cpus");
	FACT(f, "true", "irqbalance", "bans_given");
	ta_facts_free(f);
	tree_file(&t, "proc/77/comm", "irqbalance\n");
	tree_file(&t, "usr/sbin/irqbalance", "");
	tree_file(&t, "etc/default/irqbalance", "# nothing\n");
	f = look(&t);
	FACT(f, "true", "irqbalance", "running");
	FACT(f, "true", "irqbalance", "installed");
	FACT(f, "[2,3]", "irqbalance", "banned_cpus");
	ta_facts_free(f);
	/* systemd knows its units. */
	tree_file(&t, "run/systemd/system/x", "");
	tree_file(&t, "sys/fs/cgroup/system.slice/x.service/x", "");
	f = look(&t);
	FACT(f, "false", "irqbalance", "running");
	ta_facts_free(f);
	tree_file(&t, "sys/fs/cgroup/system.slice/irqbalance.service/x", "");
	f = look(&t);
	FACT(f, "true", "irqbalance", "running");
	ta_facts_free(f);
	tree_remove(&t);
}

/* What its unit and drop-ins pass it, under what its distribution's file says; and OpenWrt's configuration. */
static void units_and_uci(void **state)
{
	struct tree t = {{0}};
	struct ta_facts *f;

	assert_int_equal(tree_make(&t), 0);
	tree_file(&t, "proc/1/comm", "systemd\n");
	tree_file(&t, "usr/sbin/irqbalance", "");
	tree_file(&t, "usr/lib/systemd/system/irqbalance.service",
		"[Service]\nEnvironmentFile=-/etc/default/irqbalance\nExecStart=/usr/sbin/irqbalance --foreground --banirq=5 $OPTIONS\n");
	f = look(&t);
	FACT(f, "[5]", "irqbalance", "banned_irqs");
	FACT(f, "false", "irqbalance", "bans_given");
	FACT(f, "[\"/usr/lib/systemd/system/irqbalance.service\"]", "irqbalance", "unit_files");
	ta_facts_free(f);
	tree_file(&t, "etc/systemd/system/irqbalance.service.d/bans.conf",
		"[Service]\nEnvironment=A=1 \"IRQBALANCE_BANNED_CPULIST=2-3,5\" B=\nExecStart=\n"
		"ExecStart=/usr/sbin/irqbalance --foreground --hintpolicy=exact -i 7\n");
	f = look(&t);
	FACT(f, "[7]", "irqbalance", "banned_irqs");
	FACT(f, "[2,3,5]", "irqbalance", "banned_cpus");
	FACT(f, "true", "irqbalance", "bans_given");
	FACT(f, "\"exact\"", "irqbalance", "policy");
	ta_facts_free(f);
	/* The file of the environment goes over what the unit says itself. */
	tree_file(&t, "etc/default/irqbalance", "IRQBALANCE_BANNED_CPULIST=1\n");
	f = look(&t);
	FACT(f, "[1]", "irqbalance", "banned_cpus");
	ta_facts_free(f);
	tree_file(&t, "calls.json", "{\"errors\":{\"read\":{\"/etc/systemd/system/irqbalance.service.d/bans.conf\":\"EACCES\"}}}");
	f = look(&t);
	HOLE(f, TA_DENIED, "irqbalance.banned_cpus");
	ta_facts_free(f);
	tree_remove(&t);

	assert_int_equal(tree_make(&t), 0);
	tree_file(&t, "usr/sbin/irqbalance", "");
	tree_file(&t, "etc/config/irqbalance",
		"config irqbalance 'irqbalance'\n\toption enabled '1'\n\t# list banirq '1'\n\tlist banirq '36'\n\tlist banirq 69\n\toption interval '10'\n");
	f = look(&t);
	FACT(f, "\"/etc/config/irqbalance\"", "irqbalance", "config_file");
	FACT(f, "[36,69]", "irqbalance", "banned_irqs");
	ta_facts_free(f);
	tree_remove(&t);
}

static void agents(void **state)
{
	static const struct ta_probe *const probes[] = {&ta_probe_agents, NULL};
	static const struct ta_derivation *const none[] = {NULL};
	struct tree t = {{0}};
	struct ta_facts *f;

	assert_int_equal(tree_make(&t), 0);
	f = probe_tree(&t, probes, none);
	HOLE(f, TA_NOT_ASKED, "agents");
	ta_facts_free(f);
	tree_file(&t, "usr/sbin/ufw", "");
	tree_file(&t, "usr/bin/google_guest_agent", "");
	tree_file(&t, "proc/9/comm", "google_guest_ag\n");
	f = probe_tree(&t, probes, none);
	FACT(f, "true", "agents", "google-guest-agent", "running");
	HOLE(f, TA_UNSUPPORTED, "agents.ufw.running");
	assert_null(ta_facts_at(f, TA_KEYS("agents", "kubelet")));
	ta_facts_free(f);
	tree_remove(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(configuration),
		cmocka_unit_test(state_of_it),
		cmocka_unit_test(units_and_uci),
		cmocka_unit_test(agents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
