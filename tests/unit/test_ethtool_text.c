/* What the ethtool command printed, in the versions and shapes in which people keep it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "probe/drvinfo.h"
#include "probe/ethtool.h"
#include "probe/nicstat.h"

static struct ta_ethtool fresh(void)
{
	struct ta_ethtool e = {0};

	for (size_t i = 0; i < TA_ETH_N_VALUES; i++)
		e.v[i].rc = -EOPNOTSUPP;
	e.speed_mbps.rc = e.duplex.rc = e.autoneg.rc = -EOPNOTSUPP;
	return e;
}

static struct ta_ethtool parse(
	enum ta_eth_msg msg, const char *text, int want, struct ta_eth_names *names)
{
	struct ta_eth_names none = {0};
	struct ta_ethtool e = fresh();

	assert_int_equal(ta_eth_parse_text(msg, text, names ? names : &none, &e), want);
	return e;
}

#define is(e, which, want)                                                                         \
	do {                                                                                       \
		assert_int_equal((e).v[which].rc, 0);                                              \
		assert_int_equal((e).v[which].v, want);                                            \
	} while (0)

static void channels(void **state)
{
	struct ta_ethtool e = parse(TA_ETH_CHANNELS,
		"Channel parameters for a:\nPre-set "
		"maximums:\nRX:\t\t0\nTX:\t\t0\nOther:\t\t1\nCombined:\t8\n"
		"Current hardware settings:\nRX:\t\t0\nTX:\t\t0\nOther:\t\t1\nCombined:\t4\n",
		0, NULL);

	is(e, TA_ETH_V_CHANNELS_COMBINED_MAX, 8);
	is(e, TA_ETH_V_CHANNELS_COMBINED, 4);
	assert_int_equal(e.v[TA_ETH_V_CHANNELS_RX].rc, -EOPNOTSUPP);
	assert_int_equal(e.v[TA_ETH_V_CHANNELS_RX_MAX].rc, -EOPNOTSUPP);

	/* A 0 of today where there could be more is a 0. */
	e = parse(TA_ETH_CHANNELS,
		"Pre-set maximums:\nRX: 64\nCombined: 64\nCurrent hardware settings:\nRX: "
		"0\nCombined: 64\n",
		0, NULL);
	is(e, TA_ETH_V_CHANNELS_RX, 0);

	/* Without the maximums a number is a number, a 0 may be nothing. */
	e = parse(TA_ETH_CHANNELS,
		"Current hardware settings:\n\nRX:\xc2\xa0 n/a\n\nOther: "
		"0\n\nCombined:\xc2\xa0\xc2\xa0 8\n",
		0, NULL);
	is(e, TA_ETH_V_CHANNELS_COMBINED, 8);
	assert_int_equal(e.v[TA_ETH_V_CHANNELS_OTHER].rc, -ENOENT);
	assert_int_equal(e.v[TA_ETH_V_CHANNELS_COMBINED_MAX].rc, -ENODATA);

	parse(TA_ETH_CHANNELS,
		"Cannot get device channel parameters\n: Operation not supported\nChannel "
		"parameters for a:\n",
		-EOPNOTSUPP, NULL);
	parse(TA_ETH_CHANNELS, "Cannot get it: Operation not permitted\n", -EPERM, NULL);
	parse(TA_ETH_CHANNELS, "", -EBADMSG, NULL);
	parse(TA_ETH_CHANNELS, "RX: many\nTX: -1\n", -EBADMSG, NULL);
}

static void rings(void **state)
{
	struct ta_ethtool e = parse(TA_ETH_RINGS,
		"Ring parameters for a:\r\nPre-set maximums:\r\nRX:  2047\r\nRX Mini: 0\r\nRX "
		"Jumbo: 0\r\nTX: 511\r\n"
		"Current hardware settings:\r\nRX: 200\r\nRX Mini: 0\r\nRX Jumbo: 0\r\nTX: 511\r\n",
		0, NULL);

	is(e, TA_ETH_V_RINGS_RX_MAX, 2047);
	is(e, TA_ETH_V_RINGS_RX, 200);
	is(e, TA_ETH_V_RINGS_TX, 511);
}

static void coalesce(void **state)
{
	/* An old version: zero or unsupported. */
	struct ta_ethtool e = parse(TA_ETH_COALESCE,
		"Adaptive RX: on  TX: off\n\nrx-usecs: 50\nrx-frames: 0\ntx-usecs: 0\n", 0, NULL);

	is(e, TA_ETH_V_ADAPTIVE_RX, 1);
	assert_int_equal(e.v[TA_ETH_V_ADAPTIVE_TX].rc, -ENOENT);
	is(e, TA_ETH_V_RX_USECS, 50);
	assert_int_equal(e.v[TA_ETH_V_RX_FRAMES].rc, -ENOENT);
	/* A new one says what is not there. */
	e = parse(TA_ETH_COALESCE, "Adaptive RX: off  TX: n/a\nrx-usecs:\t0\nrx-frames:\tn/a\n", 0,
		NULL);
	is(e, TA_ETH_V_ADAPTIVE_RX, 0);
	assert_int_equal(e.v[TA_ETH_V_ADAPTIVE_TX].rc, -EOPNOTSUPP);
	is(e, TA_ETH_V_RX_USECS, 0);
	assert_int_equal(e.v[TA_ETH_V_RX_FRAMES].rc, -EOPNOTSUPP);
}

static void pause_and_eee(void **state)
{
	struct ta_ethtool e = parse(TA_ETH_PAUSE,
		"Pause parameters for a:\nAutonegotiate:\ton\nRX:\t\toff\nTX:\t\ton\n", 0, NULL);

	is(e, TA_ETH_V_PAUSE_AUTONEG, 1);
	is(e, TA_ETH_V_PAUSE_RX, 0);
	is(e, TA_ETH_V_PAUSE_TX, 1);
	e = parse(TA_ETH_EEE, "EEE settings for a:\n\tEEE status: enabled - inactive\n", 0, NULL);
	is(e, TA_ETH_V_EEE_ENABLED, 1);
	is(e, TA_ETH_V_EEE_ACTIVE, 0);
	parse(TA_ETH_EEE, "EEE settings for a:\n\tEEE status: not supported\n", -EOPNOTSUPP, NULL);
}

static void settings(void **state)
{
	struct ta_ethtool e = parse(TA_ETH_LINKMODES,
		"Cannot get wake-on-lan settings: Operation not permitted\nSettings for "
		"a:\n\tSupported ports: [ TP ]\n"
		"\tSupported link modes:   10baseT/Half 10baseT/Full\n\t                        "
		"2500baseT/Full\n"
		"\tSupported pause frame use: No\n\tAdvertised link modes:  1000baseT/Full\n"
		"\tLink partner advertised link modes:  100baseT/Full\n\tLink partner advertised "
		"pause frame use: No\n"
		"\tSpeed: 100Mb/s\n\tDuplex: Half\n\tAuto-negotiation: on\n",
		0, NULL);

	assert_int_equal(e.speed_mbps.rc, 0);
	assert_int_equal(e.speed_mbps.v, 100);
	assert_int_equal(e.duplex.v, 0);
	assert_int_equal(e.autoneg.v, 1);
	assert_int_equal(e.supported_max_mbps.v, 2500);
	assert_int_equal(e.advertised_max_mbps.v, 1000);
	assert_int_equal(e.peer_max_mbps.v, 100);
	e = parse(TA_ETH_LINKMODES,
		"Speed: Unknown!\nDuplex: Unknown! (255)\nSupported link modes:   Not reported\n",
		0, NULL);
	assert_int_equal(e.speed_mbps.rc, -EOPNOTSUPP);
	assert_int_equal(e.duplex.rc, -EOPNOTSUPP);
	assert_int_equal(e.supported_max_mbps.rc, -EOPNOTSUPP);
}

static bool feature(const struct ta_eth_names *names, const uint32_t *words, const char *name)
{
	for (size_t i = 0; i < names->features.n; i++)
		if (strcmp(names->features.v[i], name) == 0)
			return words[i / 32] >> (i % 32) & 1;
	fail_msg("no %s", name);
	return false;
}

static void features(void **state)
{
	struct ta_eth_names names = {0};
	struct ta_ethtool e = parse(TA_ETH_FEATURES,
		"Features for a:\nrx-checksumming: off [fixed]\ntx-checksumming: "
		"on\n\ttx-checksum-ipv4: on\nscatter-gather: on\n"
		"\ttx-scatter-gather: off\ngeneric-segmentation-offload: off [requested "
		"on]\nlarge-receive-offload: on\n",
		0, &names);

	assert_int_equal(names.features.n, 5);
	assert_false(feature(&names, e.features.active, "rx-checksum"));
	assert_true(feature(&names, e.features.nochange, "rx-checksum"));
	assert_true(feature(&names, e.features.active, "tx-checksum-ipv4"));
	assert_false(feature(&names, e.features.active, "tx-scatter-gather"));
	assert_true(feature(&names, e.features.wanted, "tx-generic-segmentation"));
	assert_true(feature(&names, e.features.active, "rx-lro"));
	/* ethtool up to 3.3 */
	e = parse(TA_ETH_FEATURES,
		"Offload parameters for a:\nCannot get device flags: Operation not supported\nrx-checksumming: on\n"
		"tcp segmentation offload: on\nudp fragmentation offload: off\ngeneric segmentation offload: off\n",
		0, &names);
	assert_true(feature(&names, e.features.active, "tx-tcp-segmentation"));
	assert_true(feature(&names, e.features.known, "tx-generic-segmentation"));
	assert_false(feature(&names, e.features.active, "tx-generic-segmentation"));
	assert_int_equal(names.features.n, 6);
	/* A second interface that says less is not spoken for. */
	e = parse(TA_ETH_FEATURES, "rx-gro: on\n", 0, &names);
	assert_true(feature(&names, e.features.known, "rx-gro"));
	assert_false(feature(&names, e.features.known, "rx-lro"));
	ta_strv_done(&names.features);
}

static void rss(void **state)
{
	struct ta_ethtool e = parse(TA_ETH_RSS,
		"RX flow hash indirection table for a with 4 RX ring(s):\n    0:      0     1     "
		"2     0\n    4:      1     2     0     1\n"
		"RSS hash key:\n6d:5a:56:da\nRSS hash function:\n    toeplitz: on\n    xor: off\n",
		0, NULL);

	assert_int_equal(e.rss.slots, 8);
	assert_int_equal(ta_cpuset_count(&e.rss.queues), 3);
	assert_int_equal(e.rss.fewest, 2);
	assert_int_equal(e.rss.most, 3);
	assert_int_equal(e.rss.key_bytes, 4);
	assert_int_equal(e.rss.hfunc, 1);
	ta_cpuset_done(&e.rss.queues);
	e = parse(TA_ETH_RSS, "    0:      0     1\nRSS hash function:\n    toeplitz: off\n    xor: off\n    crc32: on\n", 0, NULL);
	assert_int_equal(e.rss.hfunc, 4);
	ta_cpuset_done(&e.rss.queues);
	parse(TA_ETH_RSS,
		"RX flow hash indirection table for a with 1 RX ring(s):\nOperation not "
		"supported\n",
		-EOPNOTSUPP, NULL);
	parse(TA_ETH_RSS, "0: 99999999\n", -EBADMSG, NULL);
}

static void drvinfo(void **state)
{
	struct ta_drvinfo info;

	ta_drvinfo_parse_text("driver: igb\nversion: 5.6.0-k\nfirmware-version: \nbus-info: "
			      "0000:01:00.0\nsupports-test: yes\n",
		&info);
	assert_string_equal(info.driver, "igb");
	assert_string_equal(info.version, "5.6.0-k");
	assert_string_equal(info.firmware, "");
	assert_string_equal(info.bus, "0000:01:00.0");
	ta_drvinfo_parse_text("", &info);
	assert_string_equal(info.driver, "");
}

static uint64_t stat_of(const struct ta_nicstats *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->v[i].name, name) == 0)
			return s->v[i].value;
	fail_msg("no %s", name);
	return 0;
}

static void statistics(void **state)
{
	ta_cleanup_nicstats struct ta_nicstats s = TA_NICSTATS_INIT, none = TA_NICSTATS_INIT;

	assert_int_equal(
		ta_nicstats_parse_text(
			"NIC statistics:\n     rx_queue_0_drops: 3\n     rx_queue_1_drops: 4\n"
			"     rx-0.dropped: 1\n     rx-17.dropped: 2\n     rx0_out_of_buffer: 5\n"
			"     rx_missed_errors: 18446744073709551615\n     rx_long_byte_count: 9\n"
			"\xc2\xa0    bw_in_allowance_exceeded: 6\n     rx_packets: 7\n",
			&s),
		0);
	assert_int_equal(s.n, 5);
	assert_int_equal(stat_of(&s, "rx_queue_drops"), 7);
	assert_int_equal(stat_of(&s, "rx.dropped"), 3);
	assert_int_equal(stat_of(&s, "rx_out_of_buffer"), 5);
	assert_int_equal(stat_of(&s, "bw_in_allowance_exceeded"), 6);
	assert_int_equal(ta_nicstats_add(&s, "rx_missed_errors", strlen("rx_missed_errors"), 1), 0);
	assert_true(stat_of(&s, "rx_missed_errors") == UINT64_MAX);
	assert_int_equal(ta_nicstats_add(&s, "rx_queue_drops", strlen("rx_queue_drops"), 5), 0);
	assert_int_equal(ta_nicstats_add(&s, "rx_queue_3_drops", strlen("rx_queue_3_drops"), 9), 0);
	assert_int_equal(stat_of(&s, "rx_queue_drops"), 5); /* the driver's total, not our sum */
	assert_int_equal(ta_nicstats_add(&none, "  pkts tx discard", 17, 2), 0);
	assert_int_equal(ta_nicstats_add(&none, "  pkts tx discard", 17, 3), 0);
	assert_int_equal(stat_of(&none, "pkts tx discard"), 5);
	ta_nicstats_done(&none);
	assert_int_equal(ta_nicstats_parse_text("no stats available\n", &none), -EOPNOTSUPP);
	assert_int_equal(ta_nicstats_parse_text("0: 1\n: 2\n", &none), 0);
	assert_int_equal(none.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(channels),
		cmocka_unit_test(rings),
		cmocka_unit_test(coalesce),
		cmocka_unit_test(pause_and_eee),
		cmocka_unit_test(settings),
		cmocka_unit_test(features),
		cmocka_unit_test(rss),
		cmocka_unit_test(drvinfo),
		cmocka_unit_test(statistics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
