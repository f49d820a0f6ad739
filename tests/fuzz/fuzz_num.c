/* Strict numbers and CPU sets from any bytes; what is read and written again must be the same set. */
#include <stdlib.h>
#include <string.h>

#include "base/cpuset.h"
#include "base/num.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	ta_cleanup_buf struct ta_buf again = TA_BUF_INIT;
	ta_cleanup_cpuset struct ta_cpuset set = TA_CPUSET_INIT;
	ta_cleanup_cpuset struct ta_cpuset same = TA_CPUSET_INIT;
	int64_t i;
	uint64_t u;

	ta_buf_add(&text, data, size);
	ta_parse_i64(ta_buf_text(&text), &i);
	ta_parse_u64(ta_buf_text(&text), &u);
	ta_parse_hex(ta_buf_text(&text), &u);
	ta_cpuset_parse_mask(&set, ta_buf_text(&text));
	if (ta_cpuset_parse_list(&set, ta_buf_text(&text)) == 0) {
		ta_cpuset_format(&set, &again);
		if (ta_cpuset_parse_list(&same, ta_buf_text(&again)) != 0 || !ta_cpuset_equal(&set, &same))
			abort();
	}
	return 0;
}
