/* A packet's way as a model: which CPU serves which queue, and what is wrong with it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "report/way.h"

#define HEAD "{\"schema\":\"tuneaudit.facts/1\",\"host\":{},\"absent\":{},\"incomplete\":{},\"facts\":{"
#define TWO_NODES "\"numa_nodes\":2,\"numa\":{\"0\":{\"cpus\":[0,1,2,3]},\"1\":{\"cpus\":[4,5,6,7]}}"
#define ETH0 "\"nics\":{\"eth0\":{\"physical\":true,\"up\":true,\"driver\":\"ixgbe\",\"numa_node\":0,\"speed_mbps\":2500}}"
#define IRQ(n, queue, role, cpus) \
	"\"" #n "\":{\"device\":\"eth0\",\"role\":\"" role "\",\"queue\":" #queue ",\"effective\":[" cpus "],\"counts_total\":9}"

static struct ta_facts *facts(const char *text)
{
	struct ta_facts *f = NULL;
	struct ta_err err = {0};

	if (ta_facts_parse(text, strlen(text), &f, &err) < 0)
		fail_msg("%s", err.text);
	return f;
}

static struct ta_way way(const char *text)
{
	ta_cleanup_facts struct ta_facts *f = facts(text);
	struct ta_way w;

	assert_int_equal(ta_way_of(f, &w), 0);
	return w;
}

static void spread_is_no_fault(void **state)
{
	ta_cleanup_way struct ta_way w = way(HEAD TWO_NODES "," ETH0 ",\"irqs\":{" IRQ(30, 1, "combined", "1") "," IRQ(29, 0, "combined", "0") ","
		"\"31\":{\"device\":\"eth0\",\"role\":\"other\",\"effective\":[5]}}}}");

	assert_null(w.why_not);
	assert_int_equal(w.n_nics, 1);
	assert_string_equal(w.nics[0].about, "ixgbe, 2.5 Gbit/s, node 0");
	/* By queue, and without what is no queue's. */
	assert_int_equal(w.nics[0].n_irqs, 2);
	assert_string_equal(w.nics[0].irqs[0].queue, "combined-0");
	assert_string_equal(w.nics[0].irqs[0].number, "29");
	assert_int_equal(w.faults, 0);
	assert_int_equal(w.n_cpus, 8);
	assert_int_equal(w.cpus[1].queues, 1);
	assert_int_equal(w.cpus[5].queues, 0);
	assert_int_equal(w.cpus[5].node, 1);
}

static void all_on_cpu0(void **state)
{
	ta_cleanup_way struct ta_way w = way(HEAD TWO_NODES "," ETH0 ",\"irqs\":{" IRQ(30, 0, "rx", "0") "," IRQ(31, 1, "rx", "0") ","
		IRQ(32, 0, "tx", "1") "}}}");

	assert_int_equal(w.faults, TA_WAY_CPU0);
	assert_int_equal(w.nics[0].irqs[0].faults, TA_WAY_CPU0);
	/* What sends is not part of it. */
	assert_string_equal(w.nics[0].irqs[2].queue, "tx-0");
	assert_int_equal(w.nics[0].irqs[2].faults, 0);
	assert_int_equal(w.cpus[0].queues, 2);
	assert_int_equal(w.cpus[1].queues, 0);
	assert_int_equal(w.cpus[1].sends, 1);
}

static void far_shared_and_isolated(void **state)
{
	ta_cleanup_way struct ta_way w = way(HEAD "\"cpu\":{\"isolated\":[5]}," TWO_NODES "," ETH0 ",\"irqs\":{" IRQ(30, 0, "rx", "0") ","
		IRQ(31, 1, "rx", "0") "," IRQ(32, 2, "rx", "4") "," IRQ(33, 3, "rx", "5") "}}}");

	assert_int_equal(w.nics[0].irqs[0].faults, TA_WAY_SHARED);
	assert_int_equal(w.nics[0].irqs[1].faults, TA_WAY_SHARED);
	assert_int_equal(w.nics[0].irqs[2].faults, TA_WAY_FAR);
	assert_int_equal(w.nics[0].irqs[3].faults, TA_WAY_FAR | TA_WAY_ISOLATED);
	assert_true(w.cpus[5].isolated);
	assert_int_equal(w.cpus[5].faults, TA_WAY_FAR | TA_WAY_ISOLATED);
}

static void more_queues_than_cpus_is_no_fault(void **state)
{
	ta_cleanup_way struct ta_way w = way(HEAD "\"numa_nodes\":1,\"numa\":{\"0\":{\"cpus\":[0,1]}}," ETH0 ",\"irqs\":{" IRQ(30, 0, "rx", "0") ","
		IRQ(31, 1, "rx", "0") "," IRQ(32, 2, "rx", "1") "}}}");

	assert_int_equal(w.faults, 0);
}

static void a_link_that_is_down_has_no_fault(void **state)
{
	ta_cleanup_way struct ta_way w = way(HEAD TWO_NODES ",\"nics\":{\"eth0\":{\"physical\":true,\"up\":false,\"numa_node\":1}},\"irqs\":{"
		IRQ(30, 0, "rx", "0") "," IRQ(31, 1, "rx", "0") "}}}");

	assert_true(w.nics[0].down);
	assert_int_equal(w.faults, 0);
}

static void where_it_fired_stands_in(void **state)
{
	ta_cleanup_way struct ta_way w = way(HEAD TWO_NODES "," ETH0 ",\"irqs\":{\"7\":{\"device\":\"eth0\",\"role\":\"rx\",\"fired\":[2,3],"
		"\"counts_total\":9},\"8\":{\"device\":\"eth0\",\"role\":\"rx\"}}}}");

	assert_string_equal(w.nics[0].irqs[0].queue, "rx");
	assert_int_equal(ta_cpuset_count(&w.nics[0].irqs[0].cpus), 2);
	assert_int_equal(ta_cpuset_count(&w.nics[0].irqs[1].cpus), 0);
}

static void shares_of_softirqs(void **state)
{
	ta_cleanup_way struct ta_way w = way(HEAD TWO_NODES ",\"counters\":{\"softirq\":{\"cpus\":[0,4],\"net_rx_by_cpu\":[30,10]}}}}");

	assert_string_equal(w.why_not, "the interfaces were not read: ");
	assert_true(w.cpus[0].softirq == 0.75);
	assert_true(w.cpus[4].softirq == 0.25);
	assert_true(w.cpus[1].softirq < 0);
}

/* Values of the wrong type and out of range are no values. */
static void strange_facts(void **state)
{
	ta_cleanup_way struct ta_way w = way(HEAD "\"numa_nodes\":-1,\"numa\":{\"x\":{\"cpus\":[1]},\"-1\":{},\"0\":{\"cpus\":[-1,99999999,\"a\",2]}},"
		"\"nics\":{\"eth0\":{\"physical\":true,\"speed_mbps\":-4,\"driver\":7},\"b\":[]},\"irqs\":{\"9\":{\"device\":\"eth0\",\"role\":\"rx\","
		"\"queue\":\"x\",\"effective\":{\"a\":1}},\"10\":[],\"11\":null}}}");

	assert_int_equal(w.n_cpus, 1);
	assert_int_equal(w.n_nics, 1);
	assert_string_equal(w.nics[0].about, "driver not known");
	assert_int_equal(w.nics[0].n_irqs, 1);
}

static void many_are_folded(void **state)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT, drawn = TA_BUF_INIT;
	struct ta_way w;
	struct ta_way_row *rows;
	struct ta_way_box *boxes;
	size_t n;

	ta_buf_adds(&text, HEAD ETH0 ",\"numa_nodes\":1,\"numa\":{\"0\":{\"cpus\":[");
	for (unsigned i = 0; i < 64; i++)
		ta_buf_printf(&text, "%s%u", i ? "," : "", i);
	ta_buf_adds(&text, "]}},\"irqs\":{");
	for (unsigned i = 0; i < 48; i++)
		ta_buf_printf(&text, "%s\"%u\":{\"device\":\"eth0\",\"role\":\"rx\",\"queue\":%u,\"effective\":[%u],\"counts_total\":1}",
			i ? "," : "", 100 + i, i, i);
	ta_buf_adds(&text, "}}}");
	w = way(ta_buf_text(&text));
	rows = ta_way_rows(&w.nics[0], 16, &n);
	assert_int_equal(n, 1);
	assert_true(rows[0].one_each);
	assert_int_equal(rows[0].n, 48);
	ta_way_rows_free(rows, n);
	rows = ta_way_rows(&w.nics[0], 48, &n);
	assert_int_equal(n, 48);
	ta_way_rows_free(rows, n);
	boxes = ta_way_boxes(&w, 16, &n);
	assert_int_equal(n, 2);
	assert_int_equal(boxes[0].n, 48);
	free(boxes);
	boxes = ta_way_boxes(&w, 48, &n);
	assert_int_equal(n, 49);
	free(boxes);
	ta_way_text(&w, 80, false, &drawn);
	assert_string_equal(ta_buf_text(&drawn), "  eth0: ixgbe, 2.5 Gbit/s\n    rx-0..47          irq 100..147  -----> CPUs 0-47, one each\n"
						 "  CPU 0-47: 1 queue each; 48-63: none\n");
	ta_way_done(&w);
}

static void lines_are_drawn(void **state)
{
	ta_cleanup_way struct ta_way w = way(HEAD TWO_NODES "," ETH0 ",\"irqs\":{" IRQ(30, 0, "rx", "1") "," IRQ(31, 1, "rx", "1") "}}}");
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	ta_way_text(&w, 80, true, &b);
	assert_non_null(strstr(ta_buf_text(&b), "irq 30        \u2500\u2500\u2510\n"));
	assert_non_null(strstr(ta_buf_text(&b), "irq 31        \u2500\u2500\u2534\u2500\u2500\u25b6 CPU 1, node 0  ! all on one CPU\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spread_is_no_fault),
		cmocka_unit_test(all_on_cpu0),
		cmocka_unit_test(far_shared_and_isolated),
		cmocka_unit_test(more_queues_than_cpus_is_no_fault),
		cmocka_unit_test(a_link_that_is_down_has_no_fault),
		cmocka_unit_test(where_it_fired_stands_in),
		cmocka_unit_test(shares_of_softirqs),
		cmocka_unit_test(strange_facts),
		cmocka_unit_test(many_are_folded),
		cmocka_unit_test(lines_are_drawn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
