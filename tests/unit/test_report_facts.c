#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/facts.h"

static const struct ta_field nic_fields[] = {
	{"nics.*.mtu", TA_T_INT, "bytes", "largest packet", 0, {{0}}},
	{"nics.*.driver", TA_T_STRING, "", "kernel driver", 0, {{0}}},
	{"nics.*.cpus", TA_T_INTS, "", "near CPUs", TA_F_CPUS, {{0}}},
	{"nics.*.speed_mbps", TA_T_INT, "megabits", "speed", 0, {{0}}},
};
static const struct ta_field sys_fields[] = {
	{"sysctl[\"net.ipv4.tcp_rmem\"]", TA_T_INTS, "bytes", "receive buffer", 0, {{0}}},
	{"limit", TA_T_INT, "entries", "a limit", TA_F_UNLIMITED,
		{{0, TA_MEANS_UNLIMITED}, {-1, TA_MEANS_AUTO}}},
};
static const struct ta_table tables[] = {{"nic", nic_fields, 4}, {"sys", sys_fields, 2}};

struct world {
	struct ta_schema *schema;
	struct ta_facts *facts;
};

static int make(void **state)
{
	static struct world w;
	struct ta_cpuset set = TA_CPUSET_INIT;

	assert_int_equal(ta_schema_new(tables, 2, &w.schema, NULL), 0);
	w.facts = ta_facts_new();
	ta_put_i64(w.facts, 1500, "nics", "eth0", "mtu");
	ta_put_str(w.facts, "odd\033[1m", "nics", "eth0", "driver");
	assert_int_equal(ta_cpuset_parse_list(&set, "0-3,8"), 0);
	ta_put_cpus(w.facts, &set, "nics", "eth0", "cpus");
	ta_put_i64(w.facts, 9000, "nics", "a.b", "mtu");
	ta_facts_put_absent(
		w.facts, TA_KEYS("nics", "eth0", "speed_mbps"), TA_UNSUPPORTED, "the link is down");
	ta_facts_put_ints(w.facts, TA_KEYS("sysctl", "net.ipv4.tcp_rmem"),
		(int64_t[]){4096, 131072, 6291456}, 3);
	ta_put_i64(w.facts, 1, "nics", "a.b", "speed_mbps");
	ta_put_i64(w.facts, 0, "limit");
	ta_facts_put_incomplete(w.facts, TA_KEYS("nics"), TA_DENIED, "not all seen");
	ta_cpuset_done(&set);
	*state = &w;
	return 0;
}

static int drop(void **state)
{
	struct world *w = *state;

	ta_facts_free(w->facts);
	ta_schema_free(w->schema);
	return 0;
}

static void prints(const struct world *w, const char *key, const char *owner,
	struct ta_facts_style style, const char *want)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_facts_selection sel = {0};

	if (key)
		ta_strv_add(&sel.keys, key);
	if (owner)
		ta_strv_add(&sel.owners, owner);
	ta_report_facts(w->facts, w->schema, &sel, &style, &b);
	assert_string_equal(ta_buf_text(&b), want);
	ta_strv_done(&sel.keys);
	ta_strv_done(&sel.owners);
}

#define NICS                                                                                       \
	"nics.eth0.mtu          = 1500 bytes\n"                                                    \
	"nics.eth0.driver       = odd\\x1b[1m\n"                                                   \
	"nics.eth0.cpus         = 0-3,8\n"                                                         \
	"nics[\"a.b\"].mtu        = 9000 bytes\n"                                                  \
	"nics[\"a.b\"].speed_mbps = 1 megabit\n"
#define HOLES                                                                                      \
	"\nNot complete:\n  nics: denied, not all seen\n"                                          \
	"\nNot known:\n  nics.eth0.speed_mbps: unsupported, the link is down\n"

static void everything(void **state)
{
	prints(*state, NULL, NULL, (struct ta_facts_style){.columns = 80, .holes = true},
		NICS "sysctl[\"net.ipv4.tcp_rmem\"] = 4096 131072 6291456 bytes\n"
		     "limit = 0 entries (unlimited)\n" HOLES);
}

static void one_area(void **state)
{
	prints(*state, "nics", NULL, (struct ta_facts_style){.columns = 80, .holes = true},
		NICS HOLES);
	prints(*state, "limit", NULL, (struct ta_facts_style){.columns = 80, .holes = true},
		"limit = 0 entries (unlimited)\n");
	prints(*state, "limit", NULL, (struct ta_facts_style){.columns = 80, .meanings = true},
		"limit = 0 entries (unlimited)  # a limit\n");
}

static void one_owner(void **state)
{
	prints(*state, NULL, "nic", (struct ta_facts_style){.columns = 80, .holes = true},
		NICS HOLES);
	prints(*state, NULL, "sys", (struct ta_facts_style){.columns = 80, .holes = true},
		"sysctl[\"net.ipv4.tcp_rmem\"] = 4096 131072 6291456 bytes\n"
		"limit = 0 entries (unlimited)\n");
}

static void narrow_terminals_lose_the_alignment_only(void **state)
{
	prints(*state, "nics", NULL, (struct ta_facts_style){.columns = 20},
		"nics.eth0.mtu = 1500 bytes\n"
		"nics.eth0.driver = odd\\x1b[1m\n"
		"nics.eth0.cpus = 0-3,8\n"
		"nics[\"a.b\"].mtu = 9000 bytes\n"
		"nics[\"a.b\"].speed_mbps = 1 megabit\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(everything, make, drop),
		cmocka_unit_test_setup_teardown(one_area, make, drop),
		cmocka_unit_test_setup_teardown(one_owner, make, drop),
		cmocka_unit_test_setup_teardown(
			narrow_terminals_lose_the_alignment_only, make, drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
