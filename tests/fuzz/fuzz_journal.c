/*
 * Journals: any bytes, and what is read must be in the tables and be freed. Lines get their right sum, so that what is behind
 * that check is reached; a byte 1 in front leaves them as they are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fix/confirm.h"

static void add_summed(struct ta_buf *b, const char *line, size_t len)
{
	ta_cleanup_buf struct ta_buf body = TA_BUF_INIT;

	ta_buf_add(&body, line, len && line[len - 1] == '}' ? len - 1 : len);
	ta_buf_add(b, body.data, body.len);
	ta_buf_printf(b, ",\"sum\":\"%016llx\"}\n", (unsigned long long)ta_sum_add(TA_SUM_INIT, ta_buf_text(&body)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	ta_cleanup_run struct ta_run run = {0};
	const char *s = (const char *)data;
	struct ta_err err = {0};

	if (size && *data == 1) {
		ta_buf_add(&text, data + 1, size - 1);
	} else {
		while (size) {
			const char *end = memchr(s, '\n', size);
			size_t n = end ? (size_t)(end - s) : size;

			add_summed(&text, s, n);
			n += end != NULL;
			s += n;
			size -= n;
		}
	}
	if (ta_run_parse(ta_buf_text(&text), text.len, 1, &run, &err) < 0)
		return 0;
	for (size_t i = 0; i < run.n; i++) {
		const struct ta_change *c = &run.changes[i];

		if (ta_knob_check(c->knob->name, c->target, c->before, TA_VALUE_FOUND, NULL) < 0)
			abort();
		for (size_t k = 0; k < c->n_coupled; k++)
			if (ta_knob_check(c->coupled[k].knob->name, c->coupled[k].target, c->coupled[k].before,
				    TA_VALUE_FOUND, NULL) < 0)
				abort();
	}
	/* What is made of it by who looks at it. */
	if (ta_confirm_is_unfinished(&run) && ta_confirm_next(&run, 0, false) != TA_CONFIRM_OVER)
		abort();
	if (ta_confirm_refresh(&run, &(struct ta_where){.boot = (char *)"another", .machine = run.where.machine,
		    .host = run.where.host, .netns = (char *)""}, 0) == 0 && ta_confirm_is_pending(&run) && run.confirm_within_s &&
		!run.confirmed && *run.where.boot && strcmp(run.where.boot, "another") && *run.where.machine)
		abort();
	return 0;
}
