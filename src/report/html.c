#include "report/html.h"

#include <errno.h>
#include <string.h>

#include "load/hmac.h"
#include "report/escape.h"

void ta_html_raw(struct ta_buf *b, const char *markup)
{
	ta_buf_adds(b, markup);
}

/* Conversions of numbers alone: no text gets into a tag unescaped. */
static bool only_numbers(const char *fmt)
{
	for (; *fmt; fmt++) {
		if (*fmt != '%')
			continue;
		fmt += 1 + strspn(fmt + 1, "0123456789.lz");
		if (!*fmt || !strchr("dugf%", *fmt))
			return false;
	}
	return true;
}

void ta_html_tag(struct ta_buf *b, const char *fmt, ...)
{
	va_list ap;

	if (!only_numbers(fmt)) {
		b->error = b->error ? b->error : -EINVAL;
		return;
	}
	ta_buf_addc(b, '<');
	va_start(ap, fmt);
	ta_buf_vprintf(b, fmt, ap);
	va_end(ap);
	ta_buf_addc(b, '>');
}

void ta_html_tag_with(struct ta_buf *b, const char *tag, const char *name, const char *value)
{
	ta_buf_printf(b, "<%s %s=\"", tag, name);
	ta_html_text(b, value);
	ta_buf_adds(b, "\">");
}

void ta_html_whole(struct ta_buf *b, const char *text)
{
	ta_escape_html(b, text);
}

/* A limit within a UTF-8 character moves to its beginning. */
static size_t cut_at(const char *text, size_t limit)
{
	while (limit && ((unsigned char)text[limit] & 0xc0) == 0x80)
		limit--;
	return limit;
}

void ta_html_text(struct ta_buf *b, const char *text)
{
	ta_cleanup_buf struct ta_buf head = TA_BUF_INIT;
	size_t len = strnlen(text, TA_HTML_TEXT_MAX + 1);

	if (len <= TA_HTML_TEXT_MAX) {
		ta_escape_html(b, text);
		return;
	}
	ta_buf_add(&head, text, cut_at(text, TA_HTML_TEXT_MAX));
	ta_escape_html(b, ta_buf_text(&head));
	ta_buf_printf(b, " \u2026 (%zu bytes in all)", strlen(text));
}

static ta_printf(2, 0) void add_formatted(struct ta_buf *b, const char *fmt, va_list ap)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	ta_buf_vprintf(&text, fmt, ap);
	ta_html_text(b, ta_buf_text(&text));
}

void ta_html_textf(struct ta_buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_formatted(b, fmt, ap);
	va_end(ap);
}

static void close_tag(struct ta_buf *b, const char *tag)
{
	ta_buf_adds(b, "</");
	ta_buf_add(b, tag, strcspn(tag, " "));
	ta_buf_addc(b, '>');
}

void ta_html_el(struct ta_buf *b, const char *tag, const char *text)
{
	ta_buf_printf(b, "<%s>", tag);
	if (text)
		ta_html_text(b, text);
	close_tag(b, tag);
}

void ta_html_elf(struct ta_buf *b, const char *tag, const char *fmt, ...)
{
	va_list ap;

	ta_buf_printf(b, "<%s>", tag);
	va_start(ap, fmt);
	add_formatted(b, fmt, ap);
	va_end(ap);
	close_tag(b, tag);
}

void ta_html_hash(struct ta_buf *b, const char *text)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint8_t sum[TA_HMAC_BYTES + 1] = {0};

	ta_sha256(text, strlen(text), sum);
	ta_buf_adds(b, "sha256-");
	for (size_t i = 0; i < TA_HMAC_BYTES; i += 3) {
		unsigned v = (unsigned)sum[i] << 16 | (unsigned)sum[i + 1] << 8 | (i + 2 < TA_HMAC_BYTES ? sum[i + 2] : 0u);

		for (unsigned k = 0; k < 4; k++)
			ta_buf_addc(b, i + k > TA_HMAC_BYTES ? '=' : digits[v >> (18 - 6 * k) & 63]);
	}
}
