/*
 * Values and targets of the knobs of interfaces, as a plan or a journal that somebody edited may hold them. What is accepted is the
 * one way to write it; its command is one that a shell reads as it is meant.
 */
#include <stdlib.h>
#include <string.h>

#include "fix/nicknob.h"
#include "nic/featuretext.h"
#include "nic/qdisc.h"
#include "nic/rsstext.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct ta_knob *const knobs[] = {&ta_knob_channels, &ta_knob_rings, &ta_knob_coalesce, &ta_knob_features,
	&ta_knob_rss, &ta_knob_qdisc, &ta_knob_txqueuelen};

static void same(const struct ta_buf *b, const char *text)
{
	if (strcmp(ta_buf_text(b), text) != 0)
		abort();
}

static void numbers(const struct ta_nic_group *g, const char *text)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_nic_values v;

	if (ta_nic_values_parse(g, text, &v) < 0)
		return;
	ta_nic_values_format(g, &v, &b);
	same(&b, text);
}

static void table(const char *text)
{
	ta_cleanup_rss_table struct ta_rss_table t = TA_RSS_TABLE_INIT;
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	if (ta_rss_table_parse(text, strlen(text), &t) < 0 || t.spread != TA_RSS_LIST)
		return;
	ta_rss_table_format(t.v, t.n, 0, &b);
	same(&b, text);
}

static void qdisc(const char *text)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT, message = TA_BUF_INIT;
	struct ta_nic_qdisc q;

	if (ta_nic_qdisc_parse(text, &q) < 0)
		return;
	ta_nic_qdisc_format(&q, &b);
	same(&b, text);
	ta_nic_qdisc_attach(1, 0, &q, &message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ta_cleanup_buf struct ta_buf target = TA_BUF_INIT, value = TA_BUF_INIT, command = TA_BUF_INIT;
	const struct ta_knob *knob;
	const uint8_t *end;

	if (size < 2)
		return 0;
	knob = knobs[data[0] % TA_ARRAY_SIZE(knobs)];
	end = memchr(data + 1, '\n', size - 1);
	if (!end)
		return 0;
	ta_buf_add(&target, data + 1, (size_t)(end - data - 1));
	ta_buf_add(&value, end + 1, size - (size_t)(end - data) - 1);
	numbers(&ta_nic_channels, ta_buf_text(&value));
	numbers(&ta_nic_coalesce, ta_buf_text(&value));
	table(ta_buf_text(&value));
	qdisc(ta_buf_text(&value));
	if (ta_knob_check(knob->name, ta_buf_text(&target), ta_buf_text(&value), TA_VALUE_FOUND, NULL) < 0) {
		if (ta_knob_check(knob->name, ta_buf_text(&target), ta_buf_text(&value), TA_VALUE_WISHED, NULL) == 0)
			abort(); /* what may be wished may be put back */
		return 0;
	}
	knob->command(ta_buf_text(&target), ta_buf_text(&value), &command);
	if (!command.len)
		abort();
	return 0;
}
