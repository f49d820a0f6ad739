/*
 * Baselines: what is kept and under which name, what counts as the same, of what kind a move is, and texts that are none.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <json-c/json.h>

#include "baseline/compare.h"
#include "baseline/drift.h"
#include "baseline/fingerprint.h"
#include "probe/collect.h"

static struct ta_schema *schema;
static struct ta_rules *rules;

static const char rule_text[] =
	"rule net.somaxconn\n title \"t\"\n why \"w\"\n ref \"r\"\n severity error\n weight 1\n risk none\n"
	" defaults \"128 up to 5.3, 4096 since\"\n"
	" want sysctl[\"net.core.somaxconn\"] >= 1024\n"
	" case pass \"p\" { sysctl[\"net.core.somaxconn\"] = 4096 }\n case fail \"f\" { sysctl[\"net.core.somaxconn\"] = 1 }\n"
	" case unknown \"u\" { absent sysctl[\"net.core.somaxconn\"] denied \"d\" }\nend\n"
	"rule net.drops\n title \"t\"\n why \"w\"\n ref \"r\"\n severity info\n weight 1\n risk none\n"
	" want counters.tcpext.ListenDrops == 0\n"
	" case pass \"p\" { counters.tcpext.ListenDrops = 0 }\n case fail \"f\" { counters.tcpext.ListenDrops = 1 }\n"
	" case unknown \"u\" { absent counters.tcpext.ListenDrops denied \"d\" }\nend\n"
	"profile base\n title \"t\"\n rules net.*\nend\n";

static int setup(void **state)
{
	struct ta_diags diags = {0};
	struct ta_err err;

	assert_int_equal(ta_collect_schema(&schema, &err), 0);
	rules = ta_rules_new();
	assert_int_equal(ta_rules_add_text(rules, "t.rules", rule_text, strlen(rule_text), TA_RULES_TRUSTED, &diags), 0);
	assert_int_equal(ta_rules_resolve(rules, schema, NULL, 0, &diags), 0);
	return 0;
}

static int teardown(void **state)
{
	ta_rules_free(rules);
	ta_schema_free(schema);
	return 0;
}

/* A server; each test moves something of it. */
static struct ta_facts *host(void)
{
	struct ta_facts *f = ta_facts_new();
	const int64_t cpus[] = {0, 1, 2, 3};
	static const char *const pids[] = {"10", "11", "12"};

	ta_put_str(f, "web1", "host", "name");
	ta_put_i64(f, 1800000000, "host", "time");
	ta_put_str(f, "6.1.0", "kernel", "release");
	ta_put_i64(f, 4, "cpu", "present");
	ta_put_i64(f, 4, "cpu", "online");
	ta_facts_put_ints(f, TA_KEYS("cpu", "online_list"), cpus, 4);
	ta_put_str(f, "EPYC", "cpu", "model");
	ta_put_i64(f, 100000000000, "memory", "total_bytes");
	ta_put_i64(f, 60, "memory", "swappiness");
	ta_put_i64(f, 60, "sysctl", "vm.swappiness");
	ta_put_i64(f, 4096, "sysctl", "net.core.somaxconn");
	ta_put_i64(f, 7, "counters", "tcpext", "ListenDrops");
	ta_put_bool(f, true, "nics", "eth0", "physical");
	ta_put_str(f, "ixgbe", "nics", "eth0", "driver");
	ta_put_i64(f, 512, "nics", "eth0", "rings", "rx", "current");
	ta_put_bool(f, false, "nics", "veth1", "physical");
	ta_put_i64(f, 1500, "nics", "veth1", "mtu");
	for (size_t i = 0; i < TA_ARRAY_SIZE(pids); i++) {
		ta_put_str(f, "nginx.service", "processes", pids[i], "subject");
		ta_put_str(f, "nginx", "processes", pids[i], "comm");
		ta_put_i64(f, i == 2 ? 1024 : 65536, "processes", pids[i], "nofile_soft");
		ta_put_i64(f, (int64_t)i, "processes", pids[i], "nofile_used");
	}
	ta_put_str(f, "eth0 rx-0", "irqs", "30", "subject");
	ta_put_str(f, "eth0", "irqs", "30", "device");
	ta_facts_put_ints(f, TA_KEYS("irqs", "30", "wanted"), cpus, 4);
	ta_facts_put_absent(f, TA_KEYS("processes", "10", "nofile_hard"), TA_DENIED, "d");
	ta_facts_put_absent(f, TA_KEYS("counters", "tcpext", "OfoPruned"), TA_DENIED, "d");
	assert_int_equal(ta_facts_error(f), 0);
	return f;
}

static void make(const struct ta_facts *f, struct ta_baseline *ret)
{
	struct ta_audit audit;
	struct ta_audit_options o = {.profile = ta_rules_profile(rules, "base")};

	assert_int_equal(ta_audit_run(rules, &o, f, &audit), 0);
	assert_int_equal(ta_baseline_make(f, schema, &audit, ta_rules_digest(rules), "0.1.0", ret), 0);
	ta_audit_done(&audit);
}

/* What moved between the host as it is and `f`, which is given away. */
static void moved(struct ta_facts *f, struct ta_drift *ret)
{
	struct ta_facts *before = host();
	struct ta_baseline was, is;
	struct ta_drift_options o = {.schema = schema, .rules = rules, .profile = ta_rules_profile(rules, "base"), .facts = f};

	make(before, &was);
	make(f, &is);
	assert_int_equal(ta_drift_find(&was, &is, &o, ret), 0);
	ta_baseline_done(&was);
	ta_baseline_done(&is);
	ta_facts_free(before);
	ta_facts_free(f);
}

static const struct ta_drift_entry *entry(const struct ta_drift *d, const char *path)
{
	for (size_t i = 0; i < d->n; i++)
		if (strcmp(d->entries[i].path, path) == 0)
			return &d->entries[i];
	return NULL;
}

static void assert_kind(struct ta_facts *f, const char *path, enum ta_drift_kind kind)
{
	ta_cleanup_drift struct ta_drift d = {0};

	moved(f, &d);
	assert_non_null(entry(&d, path));
	assert_string_equal(ta_drift_kind_name(entry(&d, path)->kind), ta_drift_kind_name(kind));
}

static void test_what_is_kept(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();
	ta_cleanup_baseline struct ta_baseline b = {0};

	make(f, &b);
	assert_non_null(ta_baseline_find(&b, "sysctl[\"vm.swappiness\"]"));
	assert_null(ta_baseline_find(&b, "memory.swappiness"));
	assert_null(ta_baseline_find(&b, "host.time"));
	assert_null(ta_baseline_find(&b, "host.name"));
	assert_null(ta_baseline_find(&b, "counters.tcpext.ListenDrops"));
	assert_null(ta_baseline_find(&b, "counters.tcpext.OfoPruned"));
	assert_string_equal(b.host, "web1");
	/* Workers that are alike are one; the one that is not stands beside them. */
	assert_non_null(ta_baseline_find(&b, "processes[\"nginx.service\"].nofile_soft"));
	assert_non_null(ta_baseline_find(&b, "processes[\"nginx.service#2\"].nofile_soft"));
	assert_null(ta_baseline_find(&b, "processes[\"nginx.service#3\"].nofile_soft"));
	assert_null(ta_baseline_find(&b, "processes[\"nginx.service\"].nofile_used"));
	assert_non_null(ta_baseline_find(&b, "irqs[\"eth0 rx-0\"].wanted"));
	/* A rule about counters has no verdict that stays. */
	assert_int_equal(b.n_verdicts, 1);
	assert_string_equal(b.verdicts[0].rule, "net.somaxconn");
	assert_int_equal(b.verdicts[0].verdict, TA_V_PASS);
}

static void test_there_and_back(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();
	ta_cleanup_baseline struct ta_baseline b = {0}, back = {0};
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT, again = TA_BUF_INIT;

	make(f, &b);
	ta_baseline_format(&b, &text);
	assert_int_equal(ta_baseline_parse(ta_buf_text(&text), text.len, &back, NULL), 0);
	ta_baseline_format(&back, &again);
	assert_string_equal(ta_buf_text(&text), ta_buf_text(&again));
}

static void test_nothing_moved(void **state)
{
	ta_cleanup_drift struct ta_drift d = {0};
	struct ta_facts *f = host();

	ta_put_i64(f, 99, "counters", "tcpext", "ListenDrops");
	ta_put_i64(f, 99500000000, "memory", "total_bytes");
	ta_put_str(f, "nginx.service", "processes", "13", "subject");
	ta_put_str(f, "nginx", "processes", "13", "comm");
	ta_put_i64(f, 65536, "processes", "13", "nofile_soft");
	moved(f, &d);
	assert_int_equal(d.n, 0);
	assert_int_equal(d.n_holes, 0);
}

static void test_setting(void **state)
{
	ta_cleanup_drift struct ta_drift d = {0};
	struct ta_facts *f = host();
	const struct ta_drift_entry *e;

	ta_put_i64(f, 128, "sysctl", "net.core.somaxconn");
	moved(f, &d);
	assert_int_equal(d.n, 1);
	e = entry(&d, "sysctl[\"net.core.somaxconn\"]");
	assert_string_equal(e->was, "4096");
	assert_string_equal(e->is, "128");
	assert_int_equal(e->kind, TA_DRIFT_SETTING);
	assert_string_equal(e->rule->id, "net.somaxconn");
	assert_int_equal(e->severity, TA_SEV_ERROR);
	assert_int_equal(e->verdict_was, TA_V_PASS);
	assert_int_equal(e->verdict_is, TA_V_FAIL);
	assert_null(e->note);
	assert_int_equal(d.n_verdicts, 1);
}

static void test_kinds(void **state)
{
	struct ta_facts *f = host();

	ta_put_str(f, "6.12.0", "kernel", "release");
	assert_kind(f, "kernel.release", TA_DRIFT_KERNEL);
	f = host();
	ta_put_i64(f, 50000000000, "memory", "total_bytes");
	assert_kind(f, "memory.total_bytes", TA_DRIFT_HARDWARE);
	f = host();
	ta_put_i64(f, 2, "cpu", "online"); /* the machine is the same: somebody took them out */
	assert_kind(f, "cpu.online", TA_DRIFT_SETTING);
	f = host();
	ta_put_i64(f, 2, "cpu", "online");
	ta_put_i64(f, 2, "cpu", "present");
	assert_kind(f, "cpu.online", TA_DRIFT_HARDWARE);
	f = host();
	ta_put_i64(f, 256, "nics", "eth0", "rings", "rx", "current");
	assert_kind(f, "nics.eth0.rings.rx.current", TA_DRIFT_SETTING);
	f = host();
	ta_put_i64(f, 256, "nics", "eth0", "rings", "rx", "current");
	ta_put_str(f, "mlx5_core", "nics", "eth0", "driver");
	assert_kind(f, "nics.eth0.rings.rx.current", TA_DRIFT_HARDWARE);
	f = host();
	ta_put_str(f, "many", "sysctl", "net.core.somaxconn"); /* of another type than the row's */
	assert_kind(f, "sysctl[\"net.core.somaxconn\"]", TA_DRIFT_TOOL);
}

static void test_kernel_default(void **state)
{
	ta_cleanup_drift struct ta_drift d = {0}, written = {0};
	struct ta_facts *f = host();

	ta_put_str(f, "5.4.0", "kernel", "release");
	ta_put_i64(f, 128, "sysctl", "net.core.somaxconn");
	moved(f, &d);
	assert_int_equal(entry(&d, "sysctl[\"net.core.somaxconn\"]")->kind, TA_DRIFT_KERNEL);
	assert_non_null(strstr(entry(&d, "sysctl[\"net.core.somaxconn\"]")->note, "4096 since"));
	f = host();
	ta_put_str(f, "5.4.0", "kernel", "release");
	ta_put_i64(f, 128, "sysctl", "net.core.somaxconn");
	ta_put_str(f, "/etc/sysctl.d/a.conf", "settings", "net.core.somaxconn", "file");
	ta_put_str(f, "128", "settings", "net.core.somaxconn", "value");
	ta_put_i64(f, 12, "settings", "net.core.somaxconn", "line");
	moved(f, &written);
	assert_int_equal(entry(&written, "sysctl[\"net.core.somaxconn\"]")->kind, TA_DRIFT_SETTING);
	assert_non_null(strstr(entry(&written, "sysctl[\"net.core.somaxconn\"]")->by, "/etc/sysctl.d/a.conf:12 sets 128"));
}

/* A line that is new in a file is one move, not one for each of its parts; where irqbalance came, interrupts are its own. */
static void test_told_once(void **state)
{
	ta_cleanup_drift struct ta_drift d = {0};
	struct ta_facts *f = host();

	ta_put_str(f, "/etc/sysctl.d/a.conf", "settings", "vm.swappiness", "file");
	ta_put_str(f, "60", "settings", "vm.swappiness", "value");
	ta_put_bool(f, true, "irqbalance", "running");
	moved(f, &d);
	assert_int_equal(d.n, 1);
	assert_string_equal(d.entries[0].path, "settings[\"vm.swappiness\"].value");
	assert_string_equal(d.entries[0].was, "missing");
}

static void test_members(void **state)
{
	ta_cleanup_drift struct ta_drift d = {0};
	struct ta_facts *f = host();

	json_object_object_del(ta_facts_at(f, TA_KEYS("nics")), "eth0");
	json_object_object_del(ta_facts_at(f, TA_KEYS("nics")), "veth1");
	ta_put_bool(f, true, "nics", "eth1", "physical");
	ta_put_str(f, "igb", "nics", "eth1", "driver");
	ta_put_bool(f, false, "nics", "veth2", "physical");
	moved(f, &d);
	assert_int_equal(d.n, 2);
	assert_string_equal(entry(&d, "nics.eth0")->is, "missing");
	assert_string_equal(entry(&d, "nics.eth1")->was, "missing");
	assert_int_equal(entry(&d, "nics.eth1")->kind, TA_DRIFT_HARDWARE);
	assert_int_equal(d.came.n, 1);
	assert_string_equal(d.gone.v[0], "nics.veth1");
}

static void test_not_read(void **state)
{
	ta_cleanup_drift struct ta_drift d = {0}, gone = {0};
	struct ta_facts *f = host();

	ta_facts_put_absent(f, TA_KEYS("sysctl", "net.core.somaxconn"), TA_DENIED, "not today");
	ta_facts_put_absent(f, TA_KEYS("nics"), TA_DENIED, "no netlink");
	json_object_object_del(ta_facts_root(f), "nics");
	moved(f, &d);
	assert_int_equal(d.n, 0);
	assert_int_equal(d.n_holes, 3);
	assert_string_equal(d.holes[0].path, "nics.eth0");
	assert_string_equal(d.holes[0].was, "there");
	assert_string_equal(d.holes[0].detail, "no netlink");
	assert_string_equal(d.holes[2].path, "sysctl[\"net.core.somaxconn\"]");
	assert_string_equal(d.holes[2].was, "4096");
	assert_string_equal(d.holes[2].detail, "not today");
	f = host();
	ta_facts_put_absent(f, TA_KEYS("sysctl", "net.core.somaxconn"), TA_MISSING, "no such file");
	moved(f, &gone);
	assert_int_equal(gone.n, 1);
	assert_string_equal(gone.entries[0].is, "missing");
	assert_non_null(strstr(gone.entries[0].by, "not loaded any more"));
}

static void test_ignore(void **state)
{
	static const struct {
		const char *word;
		size_t left;
	} rows[] = {{"setting", 1}, {"kernel", 1}, {"sysctl", 1}, {"sysctl[\"net.core.somaxconn\"]", 1}, {"nics.*.mtu", 2}};

	for (size_t i = 0; i < TA_ARRAY_SIZE(rows); i++) {
		struct ta_facts *before = host(), *f = host();
		ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;
		struct ta_drift_options o = {schema, rules, ta_rules_profile(rules, "base"), NULL, NULL, &words};
		struct ta_baseline was, is;
		struct ta_drift d;

		ta_strv_add(&words, rows[i].word);
		assert_true(ta_drift_may_ignore(schema, rows[i].word));
		ta_put_i64(f, 128, "sysctl", "net.core.somaxconn");
		ta_put_str(f, "systemd-sysctl", "boot", "sysctl_loader");
		ta_put_str(before, "procps", "boot", "sysctl_loader");
		make(before, &was);
		make(f, &is);
		assert_int_equal(ta_drift_find(&was, &is, &o, &d), 0);
		assert_int_equal(d.n, rows[i].left);
		assert_int_equal(d.n + d.n_ignored, 2);
		ta_drift_done(&d);
		ta_baseline_done(&was);
		ta_baseline_done(&is);
		ta_facts_free(before);
		ta_facts_free(f);
	}
	assert_false(ta_drift_may_ignore(schema, "nothing.like.it"));
	assert_false(ta_drift_may_ignore(schema, ""));
}

static void test_values(void **state)
{
	static const struct ta_field unlimited = {"a", TA_T_INT, "", "", TA_F_UNLIMITED, {{-1, TA_MEANS_UNLIMITED}}};
	static const struct ta_field cpus = {"a", TA_T_INTS, "", "", TA_F_CPUS, {{0}}};
	static const struct ta_field within = {"a", TA_T_INT, "", "", TA_F_WITHIN(1), {{0}}};
	static const struct ta_field plain = {"a", TA_T_INTS, "", "", 0, {{0}}};
	static const struct {
		const struct ta_field *field;
		const char *a, *b;
		bool same;
	} rows[] = {
		{&unlimited, "-1", "\"unlimited\"", true},
		{&unlimited, "-1", "5", false},
		{&unlimited, "5", "\"unlimited\"", false},
		{&cpus, "[0,1,3]", "[3,1,0]", true},
		{&cpus, "[0,1]", "[0,1,2]", false},
		{&plain, "[0,1]", "[1,0]", false},
		{&within, "1000", "1010", true},
		{&within, "1000", "1011", false},
		{&within, "0", "1", false},
		{&within, "18446744073709551615", "18446744073709551614", true},
		{&plain, "18446744073709551615", "18446744073709551614", false},
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(rows); i++) {
		struct json_object *a = json_tokener_parse(rows[i].a), *b = json_tokener_parse(rows[i].b);

		assert_int_equal(ta_value_same(a, b, rows[i].field), rows[i].same);
		assert_int_equal(ta_value_same(b, a, rows[i].field), rows[i].same);
		json_object_put(a);
		json_object_put(b);
	}
}

#define HEAD "{\"schema\":\"tuneaudit.baseline/1\",\"tool\":\"1\",\"rules\":\"0\",\"profile\":\"base\",\"host\":null,\"fingerprint\":{},"
#define TAIL "\"absent\":{},\"incomplete\":[],\"findings\":[]}"

static void test_refused(void **state)
{
	static const struct {
		const char *text;
		int rc;
	} rows[] = {
		{HEAD "\"facts\":{}," TAIL, 0},
		{HEAD "\"facts\":{\"cpu.online\":2}," TAIL, 0},
		{"", -EBADMSG},
		{"[]", -EBADMSG},
		{"{}", -EBADMSG},
		{"{\"schema\":\"tuneaudit.check/1\"}", -EBADMSG},
		{"{\"schema\":\"tuneaudit.baseline/2\"}", -EBADMSG},
		{HEAD TAIL, -EBADMSG},
		{HEAD "\"facts\":[]," TAIL, -EBADMSG},
		{HEAD "\"facts\":{\"cpu.online\":2,\"cpu.online\":3}," TAIL, -EBADMSG},
		{HEAD "\"facts\":{\"cpu online\":2}," TAIL, -EBADMSG},
		{HEAD "\"facts\":{\"nics.*.mtu\":2}," TAIL, -EBADMSG},
		{HEAD "\"facts\":{\"\":2}," TAIL, -EBADMSG},
		{HEAD "\"facts\":{\"cpu.online\":null}," TAIL, -EBADMSG},
		{HEAD "\"facts\":{\"cpu.online\":{}}," TAIL, -EBADMSG},
		{HEAD "\"facts\":{\"cpu.online\":[[1]]}," TAIL, -EBADMSG},
		{HEAD "\"facts\":{\"cpu.online\":99999999999999999999}," TAIL, -ERANGE},
		{HEAD "\"facts\":{},\"absent\":{\"cpu\":\"bored\"},\"incomplete\":[],\"findings\":[]}", -EBADMSG},
		{HEAD "\"facts\":{},\"absent\":{},\"incomplete\":[1],\"findings\":[]}", -EBADMSG},
		{HEAD "\"facts\":{},\"absent\":{},\"incomplete\":[],\"findings\":[{}]}", -EBADMSG},
		{HEAD "\"facts\":{},\"absent\":{},\"incomplete\":[],\"findings\":[{\"rule\":\"a\",\"subject\":\"b\",\"verdict\":\"c\"}]}",
			-EBADMSG},
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(rows); i++) {
		struct ta_baseline b;
		struct ta_err err = {0};
		int rc = ta_baseline_parse(rows[i].text, strlen(rows[i].text), &b, &err);

		if (rc != rows[i].rc)
			print_message("%s: %s\n", rows[i].text, err.text);
		assert_int_equal(rc, rows[i].rc);
		assert_true(rc == 0 || *err.text);
		ta_baseline_done(&b);
	}
}

static void test_fingerprint(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host(), *g = host();
	struct json_object *a = ta_fingerprint_make(f), *b;
	ta_cleanup_strv struct ta_strv same = TA_STRV_INIT, other = TA_STRV_INIT;
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;

	ta_put_i64(g, 100000100000, "memory", "total_bytes"); /* a few pages */
	b = ta_fingerprint_make(g);
	ta_fingerprint_compare(a, b, &same);
	assert_int_equal(same.n, 0);
	assert_string_equal(json_object_get_string(json_object_object_get(a, "id")),
		json_object_get_string(json_object_object_get(b, "id")));
	json_object_put(b);
	ta_put_str(g, "6.12.0", "kernel", "release");
	b = ta_fingerprint_make(g);
	ta_fingerprint_compare(a, b, &other);
	assert_int_equal(other.n, 1);
	assert_string_equal(other.v[0], "kernel: 6.1.0 against 6.12.0");
	assert_string_not_equal(json_object_get_string(json_object_object_get(a, "id")),
		json_object_get_string(json_object_object_get(b, "id")));
	ta_fingerprint_format_line(a, &line);
	assert_non_null(strstr(ta_buf_text(&line), "EPYC"));
	assert_null(strchr(ta_buf_text(&line), '\n'));
	json_object_put(a);
	json_object_put(b);
}

/* A row that says "another name of a sysctl" must hold the same values in every document: else drift of it would be lost. */
static void note_alias(const struct ta_field *field, const char *owner, void *ctx)
{
	ta_cleanup_buf struct ta_buf other = TA_BUF_INIT;

	/* What is called so moves by itself, whatever its row says. */
	if (!strncmp(field->path, "counters.", 9) || !strncmp(field->path, "pressure.", 9) || !strncmp(field->path, "rates.", 6) ||
		strstr(field->path, ".cur_khz") || strstr(field->path, "_used") || !strcmp(field->path, "listeners.*.pids"))
		assert_true(ta_baseline_leaves_out(schema, ta_schema_find_text(schema, field->path)));
	if (ta_baseline_alias(schema, field, &other)) {
		(*(size_t *)ctx)++;
		assert_int_equal(field->type, ta_schema_field(ta_schema_find_text(schema, ta_buf_text(&other)))->type);
	}
}

static void test_aliases(void **state)
{
	size_t n = 0;

	ta_schema_leaves(ta_schema_root(schema), note_alias, &n);
	assert_in_range(n, 10, 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_kept),
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_nothing_moved),
		cmocka_unit_test(test_setting),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_kernel_default),
		cmocka_unit_test(test_told_once),
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_not_read),
		cmocka_unit_test(test_ignore),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_fingerprint),
		cmocka_unit_test(test_aliases),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
