/* Ports of outgoing connections: what is usable, and who listens among them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <json-c/json.h>

#include "derive/derive.h"

extern const struct ta_derivation ta_derive_ephemeral_ports;

static struct ta_facts *compute(int64_t first, int64_t last, const char *reserved)
{
	struct ta_facts *f = ta_facts_new();
	int64_t range[] = {first, last};

	ta_facts_put_ints(f, TA_KEYS("sysctl", "net.ipv4.ip_local_port_range"), range, 2);
	if (reserved)
		ta_put_str(f, reserved, "sysctl", "net.ipv4.ip_local_reserved_ports");
	ta_put_i64(f, 8080, "listeners", "self tcp 0.0.0.0:8080", "port");
	ta_put_i64(f, 8080, "listeners", "self tcp [::]:8080", "port");
	ta_put_i64(f, 9000, "listeners", "self tcp 0.0.0.0:9000", "port");
	ta_put_i64(f, 9001, "listeners", "web tcp 0.0.0.0:9001", "port");
	ta_derive_ephemeral_ports.compute(f);
	return f;
}

static void assert_ports(struct ta_facts *f, int64_t usable, const char *listened)
{
	struct json_object *v = ta_facts_at(f, TA_KEYS("ephemeral_ports", "listened"));
	int64_t n = -1;

	ta_facts_get_i64(f, TA_KEYS("ephemeral_ports", "usable"), &n);
	assert_int_equal(n, usable);
	assert_string_equal(v ? json_object_to_json_string_ext(v, JSON_C_TO_STRING_PLAIN) : "", listened);
	ta_facts_free(f);
}

static void counts(void **state)
{
	assert_ports(compute(32768, 60999, ""), 28232, "[]");
	assert_ports(compute(1024, 65535, ""), 64512, "[8080,9000]");
	assert_ports(compute(1024, 65535, "8080,30000-32767"), 64512 - 1 - 2768, "[9000]");
	/* Reserved ones outside of the range take nothing from it. */
	assert_ports(compute(9000, 9000, "1-8999,9001-65535"), 1, "[9000]");
	assert_ports(compute(9000, 9000, "9000"), 0, "[]");
}

static void broken(void **state)
{
	assert_ports(compute(1024, 65535, "8080-"), -1, "");
	assert_ports(compute(1024, 65535, "a"), -1, "");
	assert_ports(compute(1024, 65535, "5-4"), -1, "");
	assert_ports(compute(1024, 65535, "65536"), -1, "");
	assert_ports(compute(1024, 65535, "1-2-3"), -1, "");
	assert_ports(compute(1024, 65535, NULL), -1, "");
	assert_ports(compute(60000, 1024, ""), -1, "");
	assert_ports(compute(1024, 70000, ""), -1, "");
}

static void listeners_unknown(void **state)
{
	struct ta_facts *f = ta_facts_new();
	int64_t range[] = {1024, 65535};

	ta_facts_put_ints(f, TA_KEYS("sysctl", "net.ipv4.ip_local_port_range"), range, 2);
	ta_put_str(f, "", "sysctl", "net.ipv4.ip_local_reserved_ports");
	ta_facts_put_absent(f, TA_KEYS("listeners"), TA_DENIED, "not you");
	ta_derive_ephemeral_ports.compute(f);
	assert_int_equal(ta_facts_absence(f, "ephemeral_ports.listened").reason, TA_DENIED);
	assert_ports(f, 64512, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts),
		cmocka_unit_test(broken),
		cmocka_unit_test(listeners_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
