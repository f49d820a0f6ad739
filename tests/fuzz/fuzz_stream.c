/*
 * The lines of stream runs from any bytes: what is read is what is printed again. And numbers of datagrams in any order.
 */
#include <stdlib.h>
#include <string.h>

#include "load/stream/arrivals.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_lines(const char *line)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_stream_order order, order_again;
	struct ta_stream_offer offer, offer_again;
	struct ta_stream_report report;
	uint64_t n;

	if (ta_stream_order_read(line, &order) == 0) {
		ta_stream_order_print(&order, &b);
		b.data[b.len - 1] = '\0';
		if (ta_stream_order_read(b.data, &order_again) < 0 || order.bytes != order_again.bytes || order.rate != order_again.rate)
			abort();
	}
	ta_buf_reset(&b);
	if (ta_stream_offer_read(line, &offer) == 0) {
		ta_stream_offer_print(&offer, &b);
		b.data[b.len - 1] = '\0';
		if (ta_stream_offer_read(b.data, &offer_again) < 0 || offer.token != offer_again.token || offer.port != offer_again.port)
			abort();
	}
	ta_stream_report_read(line, &report);
	ta_stream_number_read(line, "SENT", &n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ta_arrivals a;
	struct ta_stream_report r;
	char line[TA_STREAM_LINE_MAX + 1];
	size_t n = TA_MIN(size, (size_t)TA_STREAM_LINE_MAX);

	memcpy(line, data, n);
	line[n] = '\0';
	read_lines(line);
	memset(&a, 0, sizeof(a));
	for (size_t at = 0; at + 8 <= size; at += 8) {
		uint64_t number;

		memcpy(&number, data + at, 8);
		ta_arrivals_add(&a, number >> (number & 63), number, at, 1);
	}
	ta_arrivals_report(&a, &r);
	if (r.packets + r.duplicates != size / 8 || r.reordered > r.packets)
		abort();
	return 0;
}
