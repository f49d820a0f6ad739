/* Names of drivers' counters: what is left of them, and what they mean. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/macros.h"
#include "probe/nicstat.h"

/* One counter as the driver prints it, and the word for it. */
static const struct {
	const char *driver, *name, *word;
} counters[] = {
	{"mlx5_core", "rx_out_of_buffer", "rx_no_buffer"},
	{"mlx5_core", "rx_discards_phy", "rx_missed"},
	{"mlx4_core", "rx_fifo_errors", "rx_missed"},
	{"mlx4_en", "queue_stopped", "tx_ring_full"},
	{"ena", "queue_31_rx_skb_alloc_fail", "rx_no_memory"},
	{"ena", "conntrack_allowance_exceeded", "allowance_conntrack"},
	{"gve", "rx_no_buffers_posted[15]", "rx_no_buffer"},
	{"gvnic", "tx_stop[0]", "tx_ring_full"},
	{"i40e", "port.rx_dropped", "rx_missed"},
	{"i40e", "port.rx_discards", "rx_missed"},
	{"i40e", "rx_dropped", "rx_no_buffer"},
	{"iavf", "rx_discards", "rx_no_buffer"},
	{"ice", "rx_dropped.nic", "rx_missed"},
	{"ice", "tx_timeout.nic", "tx_timeouts"},
	{"ixgbe", "rx_no_dma_resources", "rx_no_buffer"},
	{"ixgbevf", "tx_restart_queue", "tx_ring_full"},
	{"igb", "rx_no_buffer_count", "rx_ring_empty"},
	{"igc", "rx_queue_3_drops", "rx_no_buffer"},
	{"igc", "tx_queue_0_restart", "tx_ring_full"},
	{"e1000e", "alloc_rx_buff_failed", "rx_no_memory"},
	{"e1000", "rx_missed_errors", "rx_missed"},
	{"bnxt_en", "[7]: rx_discards", "rx_no_buffer"},
	{"bnxt_en", "rx_total_oom_discards", "rx_no_memory"},
	{"bnx2x", "[12]: tx_exhaustion_events", "tx_ring_full"},
	{"bnx2x", "rx_brb_discard", "rx_missed"},
	{"tg3", "rx_discards", "rx_missed"},
	{"qede", "3: rx_alloc_errors", "rx_no_memory"},
	{"qede", "no_buff_discards", "rx_no_buffer"},
	{"sfc", "port_rx_nodesc_drops", "rx_no_buffer"},
	{"sfc", "rx_noskb_drops", "rx_no_memory"},
	{"be2net", "rxq0: rx_drops_no_frags", "rx_no_buffer"},
	{"be2net", "rxq11: rx_drops_no_skbs", "rx_no_memory"},
	{"virtio_net", "rx_queue_0_drops", "rx_driver_drops"},
	{"virtio_net", "rx0_drops", "rx_driver_drops"},
	{"virtio_net", "rx3_hw_drop_overruns", "rx_no_buffer"},
	{"virtio_net", "tx_queue_0_tx_timeouts", "tx_timeouts"},
	{"virtio_net", "tx0_tx_timeouts", "tx_timeouts"},
	{"vmxnet3", "  pkts rx OOB", "rx_no_buffer"},
	{"vmxnet3", "  ring full", "tx_ring_full"},
	{"vmxnet3", "tx timeout count", "tx_timeouts"},
	{"hv_netvsc", "stop_queue", "tx_ring_full"},
	{"hv_netvsc", "rx_no_memory", "rx_no_memory"},
	{"r8169", "rx_missed", "rx_missed"},
	{"r8125", "rx_missed", "rx_missed"},
	{"bnx2", "rx_fw_discards", "rx_no_buffer"},
	{"bnx2", "rx_ftq_discards", "rx_missed"},
	{"bcmgenet", "rbuf_ovflow_cnt", "rx_missed"},
	{"brcm-systemport", "rdma_ovflow_cnt", "rx_no_buffer"},
	{"atlantic", "InDroppedDma", "rx_no_buffer"},
	{"atlantic", "Queue[3] AllocFails", "rx_no_memory"},
	{"amd-xgbe", "rx_fifo_overflow_errors", "rx_missed"},
	{"amd-xgbe", "rx_buffer_unavailable", "rx_ring_empty"},
	{"enic", "rx_no_bufs", "rx_no_buffer"},
	{"sky2", "rx_fifo_overflow", "rx_missed"},
	{"mvneta", "rx_discard", "rx_no_buffer"},
	{"mvpp2", "rxq_2_packets_bm_drops", "rx_no_buffer"},
	{"mvpp2", "rxq_0_queue_full_drops", "rx_no_buffer"},
	{"macb", "rx_resource_errors", "rx_no_buffer"},
	{"macb", "rx_overruns", "rx_missed"},
	{"fec", "IEEE_rx_macerr", "rx_missed"},
	{"fsl_dpaa2_eth", "[hw] rx nobuffer discards", "rx_no_buffer"},
	{"rk_gmac-dwmac", "mmc_rx_fifo_overflow", "rx_missed"},
	{"st_gmac", "rx_missed_cntr", "rx_no_buffer"},
	/* What looks like a loss and is none of these. */
	{"vif", "rx_dropped", NULL},
	{"mvpp2", "txq_0_queue_full_drops", NULL},
	{"fec", "IEEE_rx_drop", NULL},
	{"nobody", "rx_missed", NULL},
	{"mlx5_core", "rx_packets", NULL},
	{"ena", "queue_0_rx_cnt", NULL},
	{"mlx5_core", "tx_xdp_full", NULL},
};

static void words(void **state)
{
	for (size_t i = 0; i < TA_ARRAY_SIZE(counters); i++) {
		ta_cleanup_nicstats struct ta_nicstats s = {.driver = ta_nicloss_driver(counters[i].driver)};
		enum ta_nicloss means = TA_N_NICLOSS;

		assert_int_equal(ta_nicstats_add(&s, counters[i].name, strlen(counters[i].name), 7), 0);
		if (s.n && ta_nicloss_of(s.driver, s.v[0].name, &means)) {
			assert_non_null(counters[i].word);
			assert_string_equal(ta_nicloss_names[means], counters[i].word);
			assert_true(ta_nicloss_has(s.driver, means));
			assert_int_equal(s.v[0].value, 7);
		} else if (counters[i].word) {
			fail_msg("%s %s: no word for it", counters[i].driver, counters[i].name);
		}
	}
}

static uint64_t after(const char *driver, const char *const *names, size_t n, const char *key)
{
	ta_cleanup_nicstats struct ta_nicstats s = {.driver = ta_nicloss_driver(driver)};

	for (size_t i = 0; i < n; i++)
		assert_int_equal(ta_nicstats_add(&s, names[i], strlen(names[i]), i + 1), 0);
	for (size_t i = 0; i < s.n; i++)
		if (strcmp(s.v[i].name, key) == 0)
			return s.v[i].value;
	fail_msg("no %s", key);
	return 0;
}

#define AFTER(driver, key, ...) \
	after(driver, (const char *const[]){__VA_ARGS__}, \
		sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *), key)

/* The third name counts 3, and so on. */
static void totals(void **state)
{
	/* The driver's total is not added to its queues, wherever it stands. */
	assert_int_equal(AFTER("mlx5_core", "rx_buff_alloc_err", "rx_buff_alloc_err", "rx0_buff_alloc_err"), 1);
	assert_int_equal(AFTER("bnx2x", "rx_discards", "[0]: rx_discards", "[1]: rx_discards", "rx_discards"), 3);
	assert_int_equal(AFTER("igb", "rx_queue_drops", "rx_queue_0_drops", "rx_queue_1_drops"), 3);
	/* Names that come again without a number are queues too. */
	assert_int_equal(AFTER("vmxnet3", "ring full", "  ring full", "  ring full", "  ring full"), 6);
	/* Numbers at the end are no queues. */
	assert_int_equal(AFTER(NULL, "rx_drop_64", "rx_drop_64", "rx_drop_128"), 1);
}

static void unknown_drivers(void **state)
{
	enum ta_nicloss means;

	assert_null(ta_nicloss_driver(""));
	assert_null(ta_nicloss_driver(NULL));
	assert_false(ta_nicloss_of(NULL, "rx_missed", &means));
	assert_false(ta_nicloss_has(ta_nicloss_driver("vif"), TA_NICLOSS_RX_MISSED));
	assert_false(ta_nicloss_has(NULL, TA_NICLOSS_RX_MISSED));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
		cmocka_unit_test(totals),
		cmocka_unit_test(unknown_drivers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
