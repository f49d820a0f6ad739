/*
 * One table per driver, made from its source (the file named beside it, Linux 6.12; older names where
 * a driver renamed a counter). Names stand as ta_nicstats_add() leaves them: without queue numbers,
 * brackets and blanks around them.
 *
 * "Missed" is what the card lost in its own memory because bus or host were slow; "no buffer" what it
 * lost because the ring had no free descriptor. Where a driver counts one event twice, one name is here.
 */
#include "probe/nicloss.h"

#include <string.h>

#include "base/macros.h"

const char *const ta_nicloss_names[TA_N_NICLOSS] = {
	[TA_NICLOSS_RX_MISSED] = "rx_missed",
	[TA_NICLOSS_RX_NO_BUFFER] = "rx_no_buffer",
	[TA_NICLOSS_RX_RING_EMPTY] = "rx_ring_empty",
	[TA_NICLOSS_RX_NO_MEMORY] = "rx_no_memory",
	[TA_NICLOSS_RX_DRIVER_DROPS] = "rx_driver_drops",
	[TA_NICLOSS_TX_RING_FULL] = "tx_ring_full",
	[TA_NICLOSS_TX_TIMEOUTS] = "tx_timeouts",
	[TA_NICLOSS_ALLOWANCE_BW_IN] = "allowance_bw_in",
	[TA_NICLOSS_ALLOWANCE_BW_OUT] = "allowance_bw_out",
	[TA_NICLOSS_ALLOWANCE_PPS] = "allowance_pps",
	[TA_NICLOSS_ALLOWANCE_CONNTRACK] = "allowance_conntrack",
	[TA_NICLOSS_ALLOWANCE_LINKLOCAL] = "allowance_linklocal",
};

struct word {
	const char *name;
	enum ta_nicloss means;
};

struct ta_nicloss_driver {
	const char *names[16]; /* of the driver */
	struct word words[12];
};

#define MISSED(s) {s, TA_NICLOSS_RX_MISSED}
#define NO_BUFFER(s) {s, TA_NICLOSS_RX_NO_BUFFER}
#define RING_EMPTY(s) {s, TA_NICLOSS_RX_RING_EMPTY}
#define NO_MEMORY(s) {s, TA_NICLOSS_RX_NO_MEMORY}
#define DROPS(s) {s, TA_NICLOSS_RX_DRIVER_DROPS}
#define TX_FULL(s) {s, TA_NICLOSS_TX_RING_FULL}
#define TIMEOUTS(s) {s, TA_NICLOSS_TX_TIMEOUTS}

/* clang-format off */
static const struct ta_nicloss_driver drivers[] = {
	/* drivers/net/ethernet/mellanox/mlx5/core/en_stats.c */
	{{"mlx5_core", "mlx5e_rep"}, {NO_BUFFER("rx_out_of_buffer"), MISSED("rx_discards_phy"),
		NO_MEMORY("rx_buff_alloc_err"), TX_FULL("tx_queue_stopped")}},
	/* mellanox/mlx4/en_ethtool.c; rx_missed_errors there is the same register again */
	{{"mlx4_core", "mlx4_en"}, {MISSED("rx_fifo_errors"), NO_MEMORY("rx_alloc_failed"),
		TX_FULL("queue_stopped"), TIMEOUTS("tx_timeout")}},
	/* amazon/ena/ena_ethtool.c */
	{{"ena"}, {NO_MEMORY("queue_rx_page_alloc_fail"), NO_MEMORY("queue_rx_skb_alloc_fail"),
		RING_EMPTY("queue_rx_empty_rx_ring"), TX_FULL("queue_tx_queue_stop"), TIMEOUTS("tx_timeout"),
		{"bw_in_allowance_exceeded", TA_NICLOSS_ALLOWANCE_BW_IN},
		{"bw_out_allowance_exceeded", TA_NICLOSS_ALLOWANCE_BW_OUT},
		{"pps_allowance_exceeded", TA_NICLOSS_ALLOWANCE_PPS},
		{"conntrack_allowance_exceeded", TA_NICLOSS_ALLOWANCE_CONNTRACK},
		{"linklocal_allowance_exceeded", TA_NICLOSS_ALLOWANCE_LINKLOCAL}}},
	/* google/gve/gve_ethtool.c; page_alloc_fail is part of rx_buf_alloc_fail */
	{{"gve", "gvnic"}, {NO_BUFFER("rx_no_buffers_posted"), NO_MEMORY("rx_skb_alloc_fail"),
		NO_MEMORY("rx_buf_alloc_fail"), TX_FULL("tx_stop"), TIMEOUTS("tx_timeouts")}},
	/* intel/i40e/i40e_ethtool.c; rx_dropped is what had no descriptor (GLV_RDPC), the port's what
	 * its packet buffer had no room for, renamed in 6.6 */
	{{"i40e"}, {MISSED("port.rx_dropped"), MISSED("port.rx_discards"), NO_BUFFER("rx_dropped"),
		NO_MEMORY("rx_alloc_fail"), NO_MEMORY("rx_pg_alloc_fail"), TX_FULL("tx_busy"),
		TIMEOUTS("port.tx_timeout")}},
	/* intel/iavf/iavf_ethtool.c */
	{{"iavf", "i40evf"}, {NO_BUFFER("rx_discards")}},
	/* intel/ice/ice_ethtool.c */
	{{"ice"}, {MISSED("rx_dropped.nic"), NO_BUFFER("rx_dropped"), NO_MEMORY("rx_alloc_fail"),
		NO_MEMORY("rx_pg_alloc_fail"), TX_FULL("tx_busy"), TIMEOUTS("tx_timeout.nic")}},
	/* intel/ixgbe/ixgbe_ethtool.c */
	{{"ixgbe"}, {MISSED("rx_missed_errors"), NO_BUFFER("rx_no_dma_resources"),
		NO_MEMORY("alloc_rx_page_failed"), NO_MEMORY("alloc_rx_buff_failed"),
		TX_FULL("tx_restart_queue"), TIMEOUTS("tx_timeout_count")}},
	/* intel/ixgbevf/ethtool.c */
	{{"ixgbevf"}, {NO_MEMORY("alloc_rx_page_failed"), NO_MEMORY("alloc_rx_buff_failed"),
		TX_FULL("tx_restart_queue"), TIMEOUTS("tx_timeout_count")}},
	/* intel/igb/igb_ethtool.c, intel/igc/igc_ethtool.c; rx_fifo_errors is the sum of the queues' drops.
	 * rx_no_buffer_count: the card still had room to keep them for a while. */
	{{"igb", "igc"}, {MISSED("rx_missed_errors"), NO_BUFFER("rx_queue_drops"),
		RING_EMPTY("rx_no_buffer_count"), NO_MEMORY("rx_queue_alloc_failed"),
		TX_FULL("tx_queue_restart"), TIMEOUTS("tx_timeout_count")}},
	/* intel/e1000e/ethtool.c, intel/e1000/e1000_ethtool.c */
	{{"e1000e", "e1000"}, {MISSED("rx_missed_errors"), RING_EMPTY("rx_no_buffer_count"),
		NO_MEMORY("alloc_rx_buff_failed"), TX_FULL("tx_restart_queue"), TIMEOUTS("tx_timeout_count")}},
	/* broadcom/bnxt/bnxt_ethtool.c */
	{{"bnxt_en"}, {NO_BUFFER("rx_discards"), MISSED("rx_stat_discard"), NO_MEMORY("rx_total_oom_discards")}},
	/* broadcom/bnx2x/bnx2x_ethtool.c */
	{{"bnx2x"}, {NO_BUFFER("rx_discards"), MISSED("rx_brb_discard"), NO_MEMORY("rx_skb_alloc_discard"),
		TX_FULL("tx_exhaustion_events")}},
	/* broadcom/tg3.c */
	{{"tg3"}, {MISSED("rx_discards")}},
	/* broadcom/bnx2.c; rx_fw_discards: the firmware had no buffer descriptor */
	{{"bnx2"}, {NO_BUFFER("rx_fw_discards"), MISSED("rx_ftq_discards"), MISSED("rx_discards")}},
	/* broadcom/genet/bcmgenet.c, broadcom/bcmsysport.c */
	{{"bcmgenet", "brcm-systemport"}, {MISSED("rbuf_ovflow_cnt"), NO_BUFFER("rdma_ovflow_cnt"),
		NO_MEMORY("alloc_rx_buff_failed")}},
	/* qlogic/qede/qede_ethtool.c */
	{{"qede"}, {NO_BUFFER("no_buff_discards"), MISSED("brb_discards"), NO_MEMORY("rx_alloc_errors"),
		TX_FULL("stopped_cnt")}},
	/* sfc/ef10.c; the generic ones in sfc/nic_common.h */
	{{"sfc"}, {NO_BUFFER("port_rx_nodesc_drops"), MISSED("port_rx_overflow"), NO_MEMORY("rx_noskb_drops")}},
	/* emulex/benet/be_ethtool.c */
	{{"be2net"}, {NO_BUFFER("rxq: rx_drops_no_frags"), MISSED("rx_drops_no_pbuf"),
		NO_MEMORY("rxq: rx_drops_no_skbs")}},
	/* drivers/net/virtio_net.c; hw_: what the device says (virtio 1.3, 5.1.6.5.10) */
	{{"virtio_net"}, {DROPS("rx_queue_drops"), DROPS("rx_drops"), NO_BUFFER("rx_queue_hw_drop_overruns"),
		NO_BUFFER("rx_hw_drop_overruns"), TIMEOUTS("tx_queue_tx_timeouts"), TIMEOUTS("tx_tx_timeouts")}},
	/* drivers/net/vmxnet3/vmxnet3_ethtool.c; each queue has the same names. VMware's own driver spells one out. */
	{{"vmxnet3"}, {NO_BUFFER("pkts rx OOB"), NO_BUFFER("pkts rx out of buf"), NO_MEMORY("rx buf alloc fail"),
		DROPS("drv dropped rx total"), TX_FULL("ring full"), TIMEOUTS("tx timeout count")}},
	/* drivers/net/hyperv/netvsc_drv.c */
	{{"hv_netvsc"}, {NO_MEMORY("rx_no_memory"), TX_FULL("stop_queue")}},
	/* realtek/r8169_main.c; Realtek's own drivers for its newer cards use the same table */
	{{"r8169", "r8101", "r8168", "r8125", "r8126", "r8127"}, {MISSED("rx_missed")}},
	/* aquantia/atlantic/aq_ethtool.c; hw_atl_utils.c counts frames that its DMA had no descriptor for */
	{{"atlantic"}, {NO_BUFFER("InDroppedDma"), NO_MEMORY("Queue AllocFails"), NO_MEMORY("Queue SkbAllocFails")}},
	/* amd/xgbe/xgbe-ethtool.c */
	{{"amd-xgbe"}, {MISSED("rx_fifo_overflow_errors"), RING_EMPTY("rx_buffer_unavailable")}},
	/* cisco/enic/enic_ethtool.c */
	{{"enic"}, {NO_BUFFER("rx_no_bufs")}},
	/* marvell/sky2.c, marvell/skge.c */
	{{"sky2", "skge"}, {MISSED("rx_fifo_overflow")}},
	/* Systems on a chip. marvell/mvneta.c */
	{{"mvneta"}, {NO_BUFFER("rx_discard"), MISSED("rx_overrun"), NO_MEMORY("skb_alloc_error"),
		NO_MEMORY("refill_error")}},
	/* marvell/mvpp2/mvpp2_main.c; bm: the pool of buffers was empty */
	{{"mvpp2"}, {NO_BUFFER("rxq_queue_full_drops"), NO_BUFFER("rxq_packets_bm_drops"),
		MISSED("rx_fifo_overrun"), MISSED("rx_ppv2_overrun")}},
	/* cadence/macb.h */
	{{"macb"}, {NO_BUFFER("rx_resource_errors"), MISSED("rx_overruns")}},
	/* freescale/fec_main.c; frames that found the receive FIFO full (IEEE_R_MACERR) */
	{{"fec"}, {MISSED("IEEE_rx_macerr")}},
	/* freescale/dpaa2/dpaa2-ethtool.c */
	{{"fsl_dpaa2_eth"}, {NO_BUFFER("hw] rx nobuffer discards")}},
	/* stmicro/stmmac/stmmac_ethtool.c; its names by ethtool, then those of the glue to each chip.
	 * rx_missed_cntr: of frames for which the host had no buffer (dwmac1000_dma.c). */
	{{"st_gmac", "st_xgmac", "st_mac100", "rk_gmac-dwmac", "dwmac-sun8i", "meson8b-dwmac", "starfive-dwmac",
		 "intel-eth-pci", "qcom-ethqos", "imx-dwmac", "stm32-dwmac", "socfpga-dwmac", "dwmac-loongson-pci",
		 "dwc-eth-dwmac", "thead-dwmac"},
		{MISSED("mmc_rx_fifo_overflow"), NO_BUFFER("rx_missed_cntr"), RING_EMPTY("rx_buf_unav_irq")}},
	/* drivers/net/xen-netfront.c: it counts one repair of checksums, no losses */
	{{"vif", "xen_netfront"}, {{NULL, 0}}},
};
/* clang-format on */

const struct ta_nicloss_driver *ta_nicloss_driver(const char *name)
{
	for (size_t i = 0; name && i < TA_ARRAY_SIZE(drivers); i++)
		for (size_t k = 0; k < TA_ARRAY_SIZE(drivers[i].names) && drivers[i].names[k]; k++)
			if (strcmp(drivers[i].names[k], name) == 0)
				return &drivers[i];
	return NULL;
}

bool ta_nicloss_of(const struct ta_nicloss_driver *d, const char *name, enum ta_nicloss *ret)
{
	for (size_t i = 0; d && i < TA_ARRAY_SIZE(d->words) && d->words[i].name; i++) {
		if (strcmp(d->words[i].name, name) == 0) {
			*ret = d->words[i].means;
			return true;
		}
	}
	return false;
}

bool ta_nicloss_has(const struct ta_nicloss_driver *d, enum ta_nicloss which)
{
	for (size_t i = 0; d && i < TA_ARRAY_SIZE(d->words) && d->words[i].name; i++)
		if (d->words[i].means == which)
			return true;
	return false;
}
