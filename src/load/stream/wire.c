#include "load/stream/wire.h"

#include <errno.h>
#include <string.h>

#include "base/num.h"

static const char *const kinds[] = {
	[TA_STREAM_SEND] = "SEND",
	[TA_STREAM_DISCARD] = "DISCARD",
	[TA_STREAM_RECEIVE] = "RECEIVE",
	[TA_STREAM_BOTH] = "BOTH",
};

void ta_stream_order_print(const struct ta_stream_order *o, struct ta_buf *b)
{
	if (o->kind == TA_STREAM_DATAGRAMS)
		ta_buf_printf(b, "DATAGRAMS %s %u %u %d\n", o->to_client ? "RECEIVE" : "SEND", o->bytes, o->rate, o->segments);
	else
		ta_buf_printf(b, "%s\n", kinds[o->kind]);
}

/* The word, and a blank behind it. */
static bool skip_word(const char **at, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*at, word, n) || (*at)[n] != ' ')
		return false;
	*at += n + 1;
	return true;
}

/* Nothing but digits and one blank between them, `n` numbers up to the end. */
static int read_numbers(const char *at, uint64_t *ret, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!ta_is_digit(*at) || ta_next_u64(&at, &ret[i]) < 0 || (i + 1 < n && *at++ != ' '))
			return -EINVAL;
	return *at ? -EINVAL : 0;
}

static int read_datagrams(const char *at, struct ta_stream_order *ret)
{
	struct ta_stream_order o = {.kind = TA_STREAM_DATAGRAMS};
	uint64_t v[3];

	if (skip_word(&at, "RECEIVE"))
		o.to_client = true;
	else if (!skip_word(&at, "SEND"))
		return -EINVAL;
	if (read_numbers(at, v, 3) < 0 || v[0] < TA_DATAGRAM_LEAST || v[0] > TA_DATAGRAM_MOST || v[1] > TA_DATAGRAM_RATE_MAX || v[2] > 1)
		return -EINVAL;
	o.bytes = (unsigned)v[0];
	o.rate = (unsigned)v[1];
	o.segments = v[2];
	*ret = o;
	return 0;
}

int ta_stream_order_read(const char *line, struct ta_stream_order *ret)
{
	for (unsigned i = 0; i < TA_ARRAY_SIZE(kinds); i++) {
		if (!strcmp(line, kinds[i])) {
			*ret = (struct ta_stream_order){.kind = (enum ta_stream_kind)i};
			return 0;
		}
	}
	return skip_word(&line, "DATAGRAMS") ? read_datagrams(line, ret) : -EINVAL;
}

void ta_stream_offer_print(const struct ta_stream_offer *o, struct ta_buf *b)
{
	ta_buf_printf(b, "PORT %u TOKEN %016llx SEGMENTS %d\n", o->port, (unsigned long long)o->token, o->segments);
}

int ta_stream_offer_read(const char *line, struct ta_stream_offer *ret)
{
	char hex[17] = "";
	uint64_t port, token;
	const char *end = line;

	if (!skip_word(&line, "PORT") || !ta_is_digit(*line) || ta_next_u64(&line, &port) < 0 || *line++ != ' ' || !port || port > 65535)
		return -EINVAL;
	if (!skip_word(&line, "TOKEN") || strlen(line) != 16 + strlen(" SEGMENTS 0"))
		return -EINVAL;
	memcpy(hex, line, 16);
	end = line + 16;
	if (ta_parse_hex(hex, &token) < 0 || strncmp(end, " SEGMENTS ", 10) || (end[10] != '0' && end[10] != '1'))
		return -EINVAL;
	*ret = (struct ta_stream_offer){(unsigned)port, token, end[10] == '1'};
	return 0;
}

void ta_stream_report_print(const struct ta_stream_report *r, struct ta_buf *b)
{
	ta_buf_printf(b, "GOT %llu %llu %llu %llu %llu\n", (unsigned long long)r->packets, (unsigned long long)r->bytes,
		(unsigned long long)r->duplicates, (unsigned long long)r->reordered, (unsigned long long)r->jitter_ns);
}

int ta_stream_report_read(const char *line, struct ta_stream_report *ret)
{
	uint64_t v[5];

	if (!skip_word(&line, "GOT") || read_numbers(line, v, 5) < 0)
		return -EINVAL;
	*ret = (struct ta_stream_report){v[0], v[1], v[2], v[3], v[4]};
	return 0;
}

int ta_stream_number_read(const char *line, const char *word, uint64_t *ret)
{
	return skip_word(&line, word) ? read_numbers(line, ret, 1) : -EINVAL;
}
