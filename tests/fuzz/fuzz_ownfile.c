/*
 * Files of ours: any bytes behind the head and its right sum, of the kind that the first byte says. What is taken for ours must come
 * out as it went in, and what a run puts in must be taken out again without a trace.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fix/ownfile.h"
#include "fix/where.h"

/* What stands before the sum, as a file of this program has it. */
static void add_head(const char *path, struct ta_buf *b)
{
	static const char *const lines[] = {"vm.swappiness = 1\n", "w /sys/kernel/mm/transparent_hugepage/defrag - - - - never\n",
		"tcp_bbr\n", "[Match]\nPath=x\n[Link]\nRxBufferSize=512\n", "tuneaudit-boot.service\n", "/tuneaudit boot\n",
		"module - tls = loaded\n", "ACTION==\"add|change\", SUBSYSTEM==\"block\", KERNEL==\"a\", ATTR{queue/nr_requests}=\"8\"\n"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(lines); i++) {
		ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
		const char *sum;

		if (ta_own_check_lines(path, lines[i], TA_VALUE_WISHED, NULL) < 0)
			continue;
		if (ta_own_put(path, TA_OWN_ABSENT, 1, lines[i], &text, NULL) < 0)
			abort();
		sum = strstr(ta_buf_text(&text), "Sum: ");
		ta_buf_add(b, text.data, (size_t)(sum - text.data) + 5);
		return;
	}
	abort();
}

static void check_lines(const char *path, const struct ta_own *o, const char *text)
{
	for (size_t i = 0; i < o->n; i++) {
		ta_cleanup_buf struct ta_buf line = TA_BUF_INIT, more = TA_BUF_INIT;
		struct ta_own_taken taken = {0};

		ta_buf_printf(&line, "%s\n", o->v[i].text);
		if (ta_own_put(path, text, UINT32_MAX, ta_buf_text(&line), &more, NULL) < 0 ||
			ta_own_take(path, text, ta_buf_text(&more), ta_buf_text(&more), NULL, &taken, NULL) < 0 || taken.newer ||
			strcmp(ta_buf_text(&taken.value), text) != 0)
			abort();
		ta_buf_done(&taken.value);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT, rest = TA_BUF_INIT, text = TA_BUF_INIT, again = TA_BUF_INIT;
	ta_cleanup_own struct ta_own o = {0};

	if (size < 2 || memchr(data, '\0', size))
		return 0;
	for (const char *s = ta_own_kinds[(data[0] - 1u) % ta_n_own_kinds].path; *s; s++)
		ta_buf_addc(&path, *s == '*' ? 'x' : *s);
	ta_buf_add(&rest, data + 1, size - 1);
	ta_own_check_lines(ta_buf_text(&path), ta_buf_text(&rest), TA_VALUE_WISHED, NULL);
	add_head(ta_buf_text(&path), &text);
	ta_buf_printf(&text, "%016llx\n%s", (unsigned long long)ta_sum_add(TA_SUM_INIT, ta_buf_text(&rest)), ta_buf_text(&rest));
	if (ta_own_parse(ta_buf_text(&path), ta_buf_text(&text), &o, NULL) < 0 || !o.n)
		return 0;
	if (ta_own_format(&o, &again) < 0 || strcmp(ta_buf_text(&again), ta_buf_text(&text)) != 0)
		abort();
	if (o.n < 100 && o.v[o.n - 1].run != UINT32_MAX)
		check_lines(ta_buf_text(&path), &o, ta_buf_text(&text));
	return 0;
}
