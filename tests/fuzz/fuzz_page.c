/*
 * Results as `report` reads them: any bytes, several of them with a NUL between. A page comes out of what was taken, and
 * nothing of it opens a tag that is not ours.
 */
#include <stdlib.h>
#include <string.h>

#include "report/page/page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Texts are escaped: markup begins with a letter of ours, a slash or the one exclamation mark. */
static void check_markup(const struct ta_buf *b)
{
	const char *end = strstr(ta_buf_text(b), "<script>");

	for (const char *s = ta_buf_text(b); s && s < end && (s = memchr(s, '<', (size_t)(end - s))); s++)
		if (!strchr("!/abcdefhilmnoprstu", s[1]) || strncmp(s, "<script", 7) == 0 || strncmp(s, "<img", 4) == 0)
			abort();
	if (b->error || !end)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct ta_page_options o = {.tool_version = "0"};
	ta_cleanup_buf struct ta_buf html = TA_BUF_INIT;
	struct ta_page *p = ta_page_new();
	const char *s = (const char *)data;

	while (p && size) {
		const char *end = memchr(s, '\0', size);
		size_t n = end ? (size_t)(end - s) : size;
		struct ta_err err = {0};

		if (ta_page_add(p, "x", s, n, &err) < 0)
			ta_page_add_broken(p, "x", err.text);
		n = TA_MIN(n + 1, size);
		s += n;
		size -= n;
	}
	if (p) {
		ta_page_write(p, &o, &html);
		check_markup(&html);
	}
	ta_page_free(p);
	return 0;
}
