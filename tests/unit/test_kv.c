/* The table of the built-in kv service, what it answers, and the requests of the workload read back by it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "load/kv/answer.h"
#include "load/kv/kv.h"
#include "load/run.h"

static struct ta_kv_text text(const char *s)
{
	return (struct ta_kv_text){s, strlen(s)};
}

/* Against a plain array: 200 keys, all lengths, set, replaced and removed at random. */
static void table_keeps_what_it_is_given(void **state)
{
	struct ta_kv_table *t = ta_kv_table_new();
	static char values[200][40];
	uint64_t seed = 7;
	size_t there = 0;

	memset(values, 0, sizeof(values));
	for (unsigned i = 0; i < 50000; i++) {
		char key[64], want[64];
		ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
		unsigned k, n;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		k = (unsigned)(seed >> 40) % 200;
		n = (unsigned)(seed >> 33) % 39;
		snprintf(key, sizeof(key), "%*u", (int)(k % 30 + 1), k);
		if (n < 10) {
			assert_int_equal(ta_kv_table_remove(t, text(key)), values[k][0] != 0);
			values[k][0] = '\0';
		} else {
			memset(values[k], 'a' + (int)(i % 26), n);
			values[k][n] = '\0';
			assert_int_equal(ta_kv_table_set(t, text(key), text(values[k])), 0);
		}
		assert_int_equal(ta_kv_table_get(t, text(key), &b), values[k][0] != 0);
		snprintf(want, sizeof(want), "$%zu\r\n%.39s\r\n", strlen(values[k]), values[k]);
		assert_string_equal(ta_buf_text(&b), values[k][0] ? want : "");
	}
	for (unsigned k = 0; k < 200; k++)
		there += values[k][0] != 0;
	assert_int_equal(ta_kv_table_keys(t), there);
	ta_kv_table_clear(t);
	assert_int_equal(ta_kv_table_keys(t), 0);
	assert_int_equal(ta_kv_table_bytes(t), 0);
	ta_kv_table_free(t);
}

static void table_is_bounded(void **state)
{
	struct ta_kv_table *t = ta_kv_table_new();
	char *value = calloc(1, TA_KV_VALUE_MAX);
	unsigned n = 0;
	int rc;

	do {
		char key[16];

		snprintf(key, sizeof(key), "%u", n);
		rc = ta_kv_table_set(t, text(key), (struct ta_kv_text){value, TA_KV_VALUE_MAX});
	} while (rc == 0 && ++n < 1000);
	assert_int_equal(rc, -ENOSPC);
	assert_in_range(n, 250, 256);
	assert_true(ta_kv_table_bytes(t) <= TA_KV_TABLE_BYTES);
	assert_int_equal(ta_kv_table_set(t, text("0"), (struct ta_kv_text){value, TA_KV_VALUE_MAX}), 0); /* the same length */
	assert_true(ta_kv_table_remove(t, text("1")));
	assert_int_equal(ta_kv_table_set(t, text("new"), text("value")), 0);
	ta_kv_table_free(t);
	free(value);
}

/* Answers all requests in `bytes`; the replies, in `ret`. */
static void ask(struct ta_kv_table *t, const char *bytes, size_t len, struct ta_buf *ret)
{
	while (len) {
		struct ta_resp_request r;
		size_t used;

		assert_int_equal(ta_resp_request_read(bytes, len, &r, &used), TA_RESP_REQUEST_WHOLE);
		ta_kv_answer(t, &r, ret);
		bytes += used;
		len -= used;
	}
}

static void commands_are_answered(void **state)
{
	static const struct {
		const char *ask, *want;
	} all[] = {
		{"GET k\n", "$-1\r\n"},
		{"SET k abc\n", "+OK\r\n"},
		{"get k\n", "$3\r\nabc\r\n"},
		{"exists k k x\n", ":2\r\n"},
		{"set k abc EX 10\n", "-ERR syntax error: this server takes no options of SET\r\n"},
		{"get k x\n", "-ERR wrong number of arguments for 'get' command\r\n"},
		{"getx k\n", "-ERR unknown command 'getx'\r\n"},
		{"*1\r\n$5\r\na\r\nb\x80\r\n", "-ERR unknown command 'a??b?'\r\n"},
		{"dbsize\n", ":1\r\n"},
		{"unlink k x\n", ":1\r\n"},
		{"hello 3\n", "-NOPROTO unsupported protocol version\r\n"},
		{"select 0\n", "+OK\r\n"},
		{"config get save\n", "*2\r\n$4\r\nsave\r\n$0\r\n\r\n"},
		{"config set save x\n", "-ERR this server has no settings\r\n"},
		{"\r\n", ""},
	};
	struct ta_kv_table *t = ta_kv_table_new();

	for (size_t i = 0; i < TA_ARRAY_SIZE(all); i++) {
		ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

		ask(t, all[i].ask, strlen(all[i].ask), &b);
		assert_string_equal(ta_buf_text(&b), all[i].want);
	}
	ta_kv_table_free(t);
}

/* What the workload sends is what the service reads, and the greeting is in it only where it is needed. */
static void requests_are_what_they_should(void **state)
{
	struct ta_kv_table *t = ta_kv_table_new();
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT, replies = TA_BUF_INIT;

	ta_kv_add_set(&b, 12, 40);
	ta_kv_add_get(&b, 12);
	ta_kv_add_get(&b, 13);
	ta_kv_add_del(&b, 0, 50);
	ask(t, b.data, b.len, &replies);
	assert_string_equal(ta_buf_text(&replies),
		"+OK\r\n$40\r\nabcdefghijklmnopqrstuvwxyz0123456789abcd\r\n$-1\r\n:1\r\n");
	ta_kv_table_free(t);
}

static void greetings_name_what_is_needed(void **state)
{
	struct ta_target target = {.path = "/"};
	struct ta_load_options load = {0};
	struct ta_workload_options o = {.load = &load, .target = &target};
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_err err;

	assert_int_equal(ta_kv_greeting(&o, &b, &err), 0);
	assert_int_equal(b.len, 0);
	load.kv.password = "a b\r\n";
	snprintf(target.path, sizeof(target.path), "/12");
	assert_int_equal(ta_kv_greeting(&o, &b, &err), 2);
	assert_string_equal(ta_buf_text(&b),
		"*2\r\n$4\r\nAUTH\r\n$5\r\na b\r\n\r\n*2\r\n$6\r\nSELECT\r\n$2\r\n12\r\n");
	snprintf(target.path, sizeof(target.path), "/1x");
	assert_int_equal(ta_kv_greeting(&o, &b, &err), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_keeps_what_it_is_given),
		cmocka_unit_test(table_is_bounded),
		cmocka_unit_test(commands_are_answered),
		cmocka_unit_test(requests_are_what_they_should),
		cmocka_unit_test(greetings_name_what_is_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
