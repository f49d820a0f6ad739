/* Network counters from any bytes: no crash, and sums that cannot be more than their parts allow. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/strv.h"
#include "probe/netcount.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(const struct ta_mib *m, void *ctx)
{
	const struct ta_buf *text = ctx;

	if (m->name_len == 0 || m->name < text->data || m->name + m->name_len > text->data + text->len)
		abort();
}

static void one_line(const char *line)
{
	struct ta_softnet row;
	ta_cleanup_numbers struct ta_numbers v = {0};

	if (ta_softnet_parse(line, &row) == 0 && row.cpu < -1)
		abort();
	ta_softirqs_header(line, &v);
	ta_softirqs_row(line, "NET_RX", &v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	ta_cleanup_strv struct ta_strv lines = TA_STRV_INIT;
	uint64_t u;
	int64_t i;

	if (size == 0 || size > 65536)
		return 0;
	ta_buf_add(&text, data, size);
	ta_mib_each(ta_buf_text(&text), look, &text);
	ta_hex_table_sum(ta_buf_text(&text), "drop", &u);
	ta_sockstat_find(ta_buf_text(&text), "TCP", "mem", &i);
	ta_strv_split(&lines, ta_buf_text(&text), "\n");
	for (size_t k = 0; k < lines.n; k++)
		one_line(lines.v[k]);
	return 0;
}
