/* Outputs of the ethtool command from any bytes; the first one says which. */
#include <stdlib.h>

#include "probe/drvinfo.h"
#include "probe/ethtool.h"
#include "probe/nicstat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_eth_names names = {0};
	struct ta_ethtool e = {0};
	ta_cleanup_nicstats struct ta_nicstats stats = TA_NICSTATS_INIT;
	struct ta_drvinfo info;

	if (size == 0)
		return 0;
	ta_buf_add(&text, data + 1, size - 1);
	ta_eth_parse_text(
		(enum ta_eth_msg)(data[0] % TA_ETH_N_MSGS), ta_buf_text(&text), &names, &e);
	ta_nicstats_parse_text(ta_buf_text(&text), &stats);
	ta_drvinfo_parse_text(ta_buf_text(&text), &info);
	for (size_t i = 0; i < TA_ETH_N_VALUES; i++)
		if (e.v[i].rc == 0 && e.v[i].v < 0)
			abort();
	if (names.features.n > TA_ETH_FEATURE_WORDS * 32)
		abort();
	ta_cpuset_done(&e.rss.queues);
	ta_strv_done(&names.features);
	return 0;
}
