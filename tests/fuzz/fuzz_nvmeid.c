/* What an NVMe controller says of its power states, from any bytes: the first is the length of the first answer. */
#include <stdlib.h>

#include "probe/nvmeid.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ta_nvme_power p = {.n = TA_NVME_STATES};
	size_t n = size ? data[0] : 0;

	if (size < 1 + n)
		return 0;
	if (ta_nvme_identify_parse(data + 1, n, &p) == 0 && (!p.n || p.n > TA_NVME_STATES))
		abort();
	if (ta_nvme_table_parse(data + 1 + n, size - 1 - n, &p) < 0 && p.enabled)
		abort();
	for (size_t i = 0; i < p.n; i++)
		if (p.v[i].next > 31 || p.v[i].idle_ms > 0xffffff)
			abort();
	return 0;
}
