/* Readers of network counters: as kernels of several ages write them, and broken. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/macros.h"
#include "probe/netcount.h"
#include "probe/probe.h"

static void note(const struct ta_mib *m, void *ctx)
{
	char *out = ctx;
	size_t at = strlen(out);

	snprintf(out + at, 400 - at, "%.*s.%.*s=%s%llu ", (int)m->group_len, m->group,
		(int)m->name_len, m->name, m->negative ? "-" : "", (unsigned long long)m->value);
}

static void mib_pairs(void **state)
{
	char out[400] = "";

	assert_int_equal(ta_mib_each("Tcp: MaxConn OutSegs\nTcp: -1 1581\n"
				     "TcpExt: TW  TWRecycled\nTcpExt: 18446744073709551615 0\n",
				 note, out), 0);
	assert_string_equal(out, "Tcp.MaxConn=-1 Tcp.OutSegs=1581 TcpExt.TW=18446744073709551615 "
				 "TcpExt.TWRecycled=0 ");
	out[0] = '\0';
	assert_int_equal(ta_mib_each("", note, out), 0);
	assert_int_equal(ta_mib_each("IpExt:\nIpExt:\n", note, out), 0);
	assert_string_equal(out, "");
}

static void mib_broken(void **state)
{
	static const char *const texts[] = {
		"Tcp: A B\n",                       /* no values */
		"Tcp: A B\nTcp: 1\n",               /* too few */
		"Tcp: A\nTcp: 1 2\n",               /* too many */
		"Tcp: A\nUdp: 1\n",                 /* of another group */
		"Tcp: A\nTcp: x\n",
		"Tcp: A\nTcp: 18446744073709551616\n",
		"Tcp: A\nTcp: -\n",
		"Tcp A\nTcp 1\n",
		": A\n: 1\n",
		"\n\n",
	};
	char out[400] = "";

	for (size_t i = 0; i < TA_ARRAY_SIZE(texts); i++)
		assert_int_equal(ta_mib_each(texts[i], note, out), -EBADMSG);
}

static void softnet_columns(void **state)
{
	struct ta_softnet r;

	/* 9 columns: before RPS. */
	assert_int_equal(ta_softnet_parse("0000000a 00000001 00000002 0 0 0 0 0 00000009", &r), 0);
	assert_true(r.processed == 10 && r.dropped == 1 && r.time_squeeze == 2);
	assert_false(r.has_rps || r.has_flow_limit);
	assert_int_equal(r.cpu, -1);
	/* 11: flow limit; 12 has the backlog's length, but no CPU. */
	assert_int_equal(ta_softnet_parse("ffffffff 0 0 0 0 0 0 0 0 3 4 5", &r), 0);
	assert_true(r.processed == UINT32_MAX && r.has_rps && r.received_rps == 3);
	assert_true(r.has_flow_limit && r.flow_limit == 4);
	assert_int_equal(r.cpu, -1);
	/* 15: the 13th is the CPU. */
	assert_int_equal(ta_softnet_parse("1 2 3 0 0 0 0 0 0 4 5 6 0000000b 7 8", &r), 0);
	assert_int_equal(r.cpu, 11);
	/* More than we know of. */
	assert_int_equal(ta_softnet_parse("1 2 3 0 0 0 0 0 0 4 5 6 7 8 9 a b c", &r), 0);
	assert_int_equal(r.cpu, 7);
}

static void softnet_broken(void **state)
{
	struct ta_softnet r;

	assert_int_equal(ta_softnet_parse("", &r), -EBADMSG);
	assert_int_equal(ta_softnet_parse("1 2 3", &r), -EBADMSG);
	assert_int_equal(ta_softnet_parse("1 2 3 0 0 0 0 0 x", &r), -EBADMSG);
	assert_int_equal(ta_softnet_parse("100000000 2 3 0 0 0 0 0 0", &r), -EBADMSG);
}

static void hex_tables(void **state)
{
	static const char text[] = "entries  searched found early_drop\n"
				   "0000000c 00000001 ffffffff 00000010\n"
				   "0000000c 00000002 00000001 00000020\n";
	uint64_t v;

	assert_int_equal(ta_hex_table_sum(text, "found", &v), 0);
	assert_int_equal(v, 0x100000000);
	assert_int_equal(ta_hex_table_sum(text, "early_drop", &v), 0);
	assert_int_equal(v, 0x30);
	assert_int_equal(ta_hex_table_sum(text, "drop", &v), -ENOENT);
	assert_int_equal(ta_hex_table_sum("", "drop", &v), -ENOENT);
	assert_int_equal(ta_hex_table_sum("a b\n1\n", "b", &v), -EBADMSG);
	assert_int_equal(ta_hex_table_sum("a b\n1 zz\n", "b", &v), -EBADMSG);
	assert_int_equal(ta_hex_table_sum("a b\n", "b", &v), 0);
	assert_int_equal(v, 0);
}

static void sockstat_fields(void **state)
{
	static const char text[] = "sockets: used 17\nTCP: inuse 1 orphan 0 tw 3 alloc 1 mem -2\n"
				   "UDP: inuse 0 mem\nTCP6: inuse x\n";
	int64_t v;

	assert_int_equal(ta_sockstat_find(text, "sockets", "used", &v), 0);
	assert_int_equal(v, 17);
	assert_int_equal(ta_sockstat_find(text, "TCP", "tw", &v), 0);
	assert_int_equal(v, 3);
	assert_int_equal(ta_sockstat_find(text, "TCP", "mem", &v), 0);
	assert_int_equal(v, -2);
	assert_int_equal(ta_sockstat_find(text, "UDP", "mem", &v), -EBADMSG);
	assert_int_equal(ta_sockstat_find(text, "TCP6", "inuse", &v), -EBADMSG);
	assert_int_equal(ta_sockstat_find(text, "UDP", "orphan", &v), -ENOENT);
	assert_int_equal(ta_sockstat_find(text, "RAW", "inuse", &v), -ENOENT);
}

static void softirq_rows(void **state)
{
	ta_cleanup_numbers struct ta_numbers a = {0};

	/* CPU1 is not possible here, as on sparse machines. */
	assert_int_equal(ta_softirqs_header("                    CPU0       CPU2       ", &a), 0);
	assert_int_equal(a.n, 2);
	assert_int_equal(a.v[1], 2);
	assert_int_equal(ta_softirqs_row("      NET_RX:       1335 4294967295", "NET_RX", &a), 0);
	assert_int_equal(a.n, 2);
	assert_int_equal(a.v[1], 4294967295);
	assert_int_equal(ta_softirqs_row("      NET_TX:       1335       2523", "NET_RX", &a), -ENOENT);
	assert_int_equal(ta_softirqs_row("", "NET_RX", &a), -ENOENT);
	assert_int_equal(ta_softirqs_row("NET_RX: 1 -2", "NET_RX", &a), -EBADMSG);
	assert_int_equal(ta_softirqs_header("CPU0 1", &a), -EBADMSG);
	assert_int_equal(ta_softirqs_header("CPU0 CPU", &a), -EBADMSG);
}

/* The search for a counter's row stands on it. */
static void rows_are_sorted(void **state)
{
	extern const struct ta_probe ta_probe_counters;

	for (size_t i = 1; i < ta_probe_counters.n_fields; i++)
		assert_true(strcmp(ta_probe_counters.fields[i - 1].path,
				   ta_probe_counters.fields[i].path) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mib_pairs),
		cmocka_unit_test(mib_broken),
		cmocka_unit_test(softnet_columns),
		cmocka_unit_test(softnet_broken),
		cmocka_unit_test(hex_tables),
		cmocka_unit_test(sockstat_fields),
		cmocka_unit_test(softirq_rows),
		cmocka_unit_test(rows_are_sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
