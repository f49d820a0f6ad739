/*
 * calls.json and capture.json: whatever is in them, the getters hold, and what is written
 * again reads the same.
 */
#include <stdlib.h>
#include <string.h>

#include "host/store.h"

static void ask_all(struct ta_calls *c, const char *name)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	bool exists;
	int rc;

	for (int ask = TA_ASK_READ; ask <= TA_ASK_NETLINK; ask++)
		if (ta_calls_error(c, (enum ta_ask)ask, name, &rc) && rc >= 0)
			abort();
	if (ta_calls_list(c, name, &names, &rc) && rc < 0)
		abort();
	if (ta_calls_link(c, name, &b, &rc) && rc < 0)
		abort();
	ta_calls_call(c, name, &b, &rc);
	ta_calls_exists(c, name, &exists);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT, again = TA_BUF_INIT, third = TA_BUF_INIT;
	ta_cleanup_calls struct ta_calls calls = TA_CALLS_INIT, reread = TA_CALLS_INIT;
	struct ta_err err;
	bool has_taken;
	int64_t taken;

	ta_buf_add(&text, data, size);
	if (ta_capture_json_parse(ta_buf_text(&text), text.len, &has_taken, &taken, &err) == 0 && has_taken) {
		ta_time_format(taken, &again);
		if (!strstr(ta_buf_text(&text), ta_buf_text(&again)) && !memchr(data, '\\', size))
			abort();
		ta_buf_reset(&again);
	}
	if (ta_calls_parse(ta_buf_text(&text), text.len, &calls, &err) < 0)
		return 0;
	ask_all(&calls, "/a");
	ask_all(&calls, "k");
	ta_calls_format(&calls, &again);
	if (ta_calls_parse(ta_buf_text(&again), again.len, &reread, &err) < 0)
		abort();
	ta_calls_format(&reread, &third);
	if (again.len != third.len || memcmp(again.data, third.data, again.len) != 0)
		abort();
	return 0;
}
