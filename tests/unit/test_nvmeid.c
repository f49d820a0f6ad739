/* Identify Controller and the table of power-state transitions, and what the probe makes of either. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probe/nvmeid.h"
#include "tests/unit/probes.h"

extern const struct ta_probe ta_probe_nvme;

static const uint8_t identify[2 + 2 * 32] = {1, 1,
	/* 25.00 W */ 0xc4, 0x09, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, [34] = /* 5.0 mW by MXPS, not operational */
	0x32, 0, 0, 3, 0x98, 0x3a, 0, 0, 0x30, 0x75, 0, 0};

static const uint8_t table[260] = {1, 0, 0, 0, /* 0 -> 1 after 2000 ms */ 1 << 3, 0xd0, 0x07, 0};

static void test_parse(void **state)
{
	struct ta_nvme_power p = {0};

	assert_int_equal(ta_nvme_identify_parse(identify, sizeof(identify), &p), 0);
	assert_true(p.capable);
	assert_false(p.enabled);
	assert_int_equal(p.n, 2);
	assert_true(p.v[0].operational);
	assert_int_equal(p.v[0].max_power_uw, 25000000);
	assert_false(p.v[1].operational);
	assert_int_equal(p.v[1].max_power_uw, 5000);
	assert_int_equal(p.v[1].entry_us, 15000);
	assert_int_equal(p.v[1].exit_us, 30000);
	assert_int_equal(ta_nvme_table_parse(table, sizeof(table), &p), 0);
	assert_true(p.enabled);
	assert_int_equal(p.v[0].next, 1);
	assert_int_equal(p.v[0].idle_ms, 2000);
	assert_int_equal(p.v[1].idle_ms, 0);
}

static void test_short(void **state)
{
	static const uint8_t many[4096] = {32, 1};
	struct ta_nvme_power p = {.n = 7};

	for (size_t n = 0; n < sizeof(identify); n++)
		assert_int_equal(ta_nvme_identify_parse(identify, n, &p), -EBADMSG);
	assert_int_equal(ta_nvme_identify_parse(many, sizeof(many), &p), -EBADMSG);
	assert_int_equal(p.n, 7);
	for (size_t n = 0; n < sizeof(table); n++)
		assert_int_equal(ta_nvme_table_parse(table, n, &p), -EBADMSG);
	assert_false(p.enabled);
}

static struct ta_facts *facts_of(const char *tolerance, bool power_dir, const char *calls)
{
	static const struct ta_derivation *const none[] = {NULL};
	static const struct ta_probe *const probes[] = {&ta_probe_nvme, NULL};
	struct ta_facts *f;
	struct tree t;

	assert_int_equal(tree_make(&t), 0);
	tree_file(&t, "sys/class/nvme/nvme0/model", "SSD\n");
	tree_file(&t, "sys/class/nvme/nvme0/state", "live\n");
	if (power_dir)
		tree_file(&t, "sys/class/nvme/nvme0/power/control", "on\n");
	if (tolerance)
		tree_file(&t, "sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us", tolerance);
	if (calls)
		tree_file(&t, "calls.json", calls);
	f = probe_tree(&t, probes, none);
	tree_remove(&t);
	return f;
}

#define ONE_STATE "01" /* NPSS 0, APSTA 1 */                                                                        \
	"c40900000000000000000000000000000000000000000000000000000000000000"
#define CALLS(identify, apst)                                                                                        \
	"{\"calls\":{\"nvme/nvme0/identify\":{\"rc\":" identify "},\"nvme/nvme0/apst\":{\"rc\":" apst "}}}"

/* What is not permitted, not there or refused is told as such, and the driver's word taken where there is one. */
static void test_reasons(void **state)
{
	struct ta_facts *f = facts_of("100000\n", true, CALLS("\"EACCES\"", "0"));

	FACT(f, "true", "nvme", "nvme0", "apst_supported");
	FACT(f, "true", "nvme", "nvme0", "apst_enabled");
	FACT(f, "\"driver\"", "nvme", "nvme0", "apst_source");
	HOLE(f, TA_DENIED, "nvme.nvme0.apst_capable");
	HOLE(f, TA_DENIED, "nvme.nvme0.power_states");
	HOLE(f, TA_DENIED, "nvme.nvme0.apst_exit_us");
	ta_facts_free(f);

	f = facts_of("0\n", true, CALLS("\"ENOENT\"", "0"));
	FACT(f, "false", "nvme", "nvme0", "apst_enabled");
	HOLE(f, TA_MISSING, "nvme.nvme0.power_states");
	ta_facts_free(f);

	f = facts_of("any\n", true, NULL);
	FACT(f, "\"unlimited\"", "nvme", "nvme0", "latency_tolerance_us");
	HOLE(f, TA_NOT_ASKED, "nvme.nvme0.power_states");
	ta_facts_free(f);

	f = facts_of("-5\n", true, NULL);
	HOLE(f, TA_MALFORMED, "nvme.nvme0.latency_tolerance_us");
	HOLE(f, TA_MALFORMED, "nvme.nvme0.apst_supported");
	HOLE(f, TA_MALFORMED, "nvme.nvme0.apst_enabled");
	ta_facts_free(f);

	f = facts_of(NULL, true, CALLS("0", "0"));
	FACT(f, "false", "nvme", "nvme0", "apst_supported");
	HOLE(f, TA_MALFORMED, "nvme.nvme0.apst_capable");
	HOLE(f, TA_UNSUPPORTED, "nvme.nvme0.apst_enabled");
	ta_facts_free(f);
}

/* Without CONFIG_PM there is no file for any drive: then the drive alone knows. */
static void test_without_power_management(void **state)
{
	struct ta_facts *f = facts_of(NULL, false, NULL);

	HOLE(f, TA_MISSING, "nvme.nvme0.apst_supported");
	HOLE(f, TA_UNSUPPORTED, "nvme.nvme0.latency_tolerance_us");
	ta_facts_free(f);

	f = facts_of(NULL, false,
		"{\"calls\":{\"nvme/nvme0/identify\":{\"rc\":0,\"data\":\"00" ONE_STATE "\"},"
		"\"nvme/nvme0/apst\":{\"rc\":\"EOPNOTSUPP\"}}}");
	FACT(f, "true", "nvme", "nvme0", "apst_capable");
	FACT(f, "true", "nvme", "nvme0", "apst_supported");
	HOLE(f, TA_UNSUPPORTED, "nvme.nvme0.apst_enabled");
	FACT(f, "25000000", "nvme", "nvme0", "power_states", "0", "max_power_uw");
	HOLE(f, TA_UNSUPPORTED, "nvme.nvme0.power_states.0.idle_ms");
	ta_facts_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_without_power_management),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
