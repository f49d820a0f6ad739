/*
 * What is set at the start of the host, on one in memory: devices under other names and numbers, late ones, gone ones.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fix/boot.h"
#include "fix/ownfile.h"
#include "probe/probe.h"
#include "tests/unit/fakehost.h"

#define IRQ(n) "/proc/irq/" #n "/smp_affinity_list"
#define RPS "/sys/class/net/new0/queues/rx-0/rps_cpus"
#define GOVERNOR "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor"

struct bed {
	struct fake_host *fake;
	struct fake_file *conf, *irq40, *irq41, *rps, *governor;
	struct ta_facts *facts;
};

static int setup(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	b->fake = fake_new();
	b->conf = fake_add(b->fake, TA_OWN_BOOT, "");
	b->irq40 = fake_add(b->fake, IRQ(40), "0-3");
	b->irq41 = fake_add(b->fake, IRQ(41), "0-3");
	b->rps = fake_add(b->fake, RPS, "0");
	b->governor = fake_add(b->fake, GOVERNOR, "powersave");
	b->facts = ta_facts_new();
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bed *b = *state;

	ta_facts_free(b->facts);
	ta_host_free(&b->fake->host);
	free(b);
	return 0;
}

static void keep(struct bed *b, const char *lines)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	assert_int_equal(ta_own_put(TA_OWN_BOOT, "absent", 1, lines, &text, NULL), 0);
	assert_true(text.len < sizeof(b->conf->text));
	memcpy(b->conf->text, text.data, text.len + 1);
}

static void put_irq(struct bed *b, const char *number, int64_t queue)
{
	ta_put_str(b->facts, "new0", "irqs", number, "device");
	ta_put_str(b->facts, "combined", "irqs", number, "role");
	ta_put_i64(b->facts, queue, "irqs", number, "queue");
}

static const struct ta_boot_item *item(const struct ta_boot *boot, const char *begin)
{
	for (size_t i = 0; i < boot->n; i++)
		if (!strncmp(boot->v[i].text, begin, strlen(begin)))
			return &boot->v[i];
	fail_msg("there is no line %s", begin);
	return NULL;
}

/* The card has another name than when it was tuned, and its interrupts other numbers. */
static void test_other_names(void **state)
{
	struct bed *b = *state;
	ta_cleanup_boot struct ta_boot boot = {0};
	struct ta_err err = {0};

	keep(b, "irq 0000:01:00.0 eth0 combined 0 = 2\nirq 0000:01:00.0 eth0 combined 1 = 3\n"
		"attr 0000:01:00.0 /sys/class/net/eth0/queues/rx-0/rps_cpus = f\nattr - " GOVERNOR " = performance\n");
	ta_put_str(b->facts, "0000:01:00.0", "nics", "new0", "bus");
	ta_put_str(b->facts, "0000:02:00.0", "nics", "eth0", "bus"); /* the old name is another one's now */
	put_irq(b, "40", 1);
	put_irq(b, "41", 0);
	assert_int_equal(ta_boot_read(&b->fake->host, &boot, &err), 0);
	assert_int_equal(boot.n, 4);
	assert_int_equal(ta_boot_try(&b->fake->host, b->facts, &boot), 0);
	assert_string_equal(b->irq40->text, "3");
	assert_string_equal(b->irq41->text, "2");
	assert_string_equal(b->rps->text, "f");
	assert_string_equal(b->governor->text, "performance");
	/* once more: all is so already */
	ta_boot_done(&boot);
	assert_int_equal(ta_boot_read(&b->fake->host, &boot, &err), 0);
	assert_int_equal(ta_boot_try(&b->fake->host, b->facts, &boot), 0);
	for (size_t i = 0; i < boot.n; i++)
		assert_int_equal(boot.v[i].state, TA_BOOT_WAS);
}

/* Its driver is loaded late, and its interrupts come when it is up; a file that is not there may come, too. */
static void test_late(void **state)
{
	struct bed *b = *state;
	ta_cleanup_boot struct ta_boot boot = {0};
	struct ta_err err = {0};

	keep(b, "irq 0000:01:00.0 eth0 combined 0 = 2\nattr - " GOVERNOR " = performance\n");
	b->governor->gone = true;
	assert_int_equal(ta_boot_read(&b->fake->host, &boot, &err), 0);
	assert_int_equal(ta_boot_try(&b->fake->host, b->facts, &boot), 2);
	assert_string_equal(item(&boot, "irq")->why, "there is no interface at 0000:01:00.0");
	b->governor->gone = false;
	ta_put_str(b->facts, "0000:01:00.0", "nics", "new0", "bus");
	assert_int_equal(ta_boot_try(&b->fake->host, b->facts, &boot), 1);
	assert_int_equal(item(&boot, "attr")->state, TA_BOOT_SET);
	assert_string_equal(item(&boot, "irq")->why, "new0 has no such interrupt (it may have to be up)");
	put_irq(b, "41", 0);
	assert_int_equal(ta_boot_try(&b->fake->host, b->facts, &boot), 0);
	assert_string_equal(b->irq41->text, "2");
}

/* It is told, and not tried for ever. */
static void test_refused(void **state)
{
	struct bed *b = *state;
	ta_cleanup_boot struct ta_boot boot = {0};
	struct ta_err err = {0};

	keep(b, "attr - " GOVERNOR " = performance\n");
	b->governor->write_error = -EINVAL;
	b->governor->errors_left = 9;
	assert_int_equal(ta_boot_read(&b->fake->host, &boot, &err), 0);
	assert_int_equal(ta_boot_try(&b->fake->host, b->facts, &boot), 0);
	assert_int_equal(boot.v[0].state, TA_BOOT_FAILED);
	assert_non_null(boot.v[0].why);
	/* two ports of one device, none of the old name: it is not known which one is meant */
	ta_boot_done(&boot);
	keep(b, "irq 0000:01:00.0 eth0 combined 0 = 2\n");
	ta_put_str(b->facts, "0000:01:00.0", "nics", "new0", "bus");
	ta_put_str(b->facts, "0000:01:00.0", "nics", "new1", "bus");
	put_irq(b, "41", 0);
	assert_int_equal(ta_boot_read(&b->fake->host, &boot, &err), 0);
	assert_int_equal(ta_boot_try(&b->fake->host, b->facts, &boot), 1);
	assert_string_equal(b->irq41->text, "0-3");
}

static void test_not_ours(void **state)
{
	struct bed *b = *state;
	ta_cleanup_boot struct ta_boot boot = {0};
	struct ta_err err = {0};

	memcpy(b->conf->text, "attr - x = y\n", 14);
	assert_int_equal(ta_boot_read(&b->fake->host, &boot, &err), -EBADMSG);
	keep(b, "attr - " GOVERNOR " = performance\n");
	memcpy(strstr(b->conf->text, "= performance") + 2, "p0wersave\n\0", 11);
	assert_int_equal(ta_boot_read(&b->fake->host, &boot, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "is not followed"));
	b->conf->gone = true;
	assert_int_equal(ta_boot_read(&b->fake->host, &boot, &err), 0);
	assert_int_equal(boot.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_other_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_late, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_not_ours, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
