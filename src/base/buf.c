#include "base/buf.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool memory_failed;

bool ta_memory_failed(void)
{
	return memory_failed;
}

void ta_memory_note_failure(void)
{
	memory_failed = true;
}

int ta_buf_reserve(struct ta_buf *b, size_t more)
{
	size_t need, cap;
	char *data;

	if (b->error)
		return b->error;
	if (more > SIZE_MAX / 4 || b->len > SIZE_MAX / 4)
		return b->error = -EFBIG;
	need = b->len + more + 1;
	if (need <= b->cap)
		return 0;
	cap = b->cap ? b->cap : 64;
	while (cap < need)
		cap *= 2;
	data = realloc(b->data, cap);
	if (!data) {
		ta_memory_note_failure();
		return b->error = -ENOMEM;
	}
	b->data = data;
	b->cap = cap;
	b->data[b->len] = '\0';
	return 0;
}

void ta_buf_add(struct ta_buf *b, const void *data, size_t len)
{
	/* Mostly there is room; nothing else has to be asked then. */
	if ((b->error || len >= b->cap - b->len) && ta_buf_reserve(b, len) < 0)
		return;
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = '\0';
}

void ta_buf_adds(struct ta_buf *b, const char *text)
{
	ta_buf_add(b, text, strlen(text));
}

void ta_buf_addc(struct ta_buf *b, char c)
{
	ta_buf_add(b, &c, 1);
}

void ta_buf_vprintf(struct ta_buf *b, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	if (ta_buf_reserve(b, 0) < 0)
		return;
	va_copy(again, ap);
	n = vsnprintf(b->data + b->len, b->cap - b->len, fmt, again);
	va_end(again);
	if (n < 0) {
		b->error = -EINVAL;
		return;
	}
	if ((size_t)n >= b->cap - b->len) {
		if (ta_buf_reserve(b, (size_t)n) < 0)
			return;
		vsnprintf(b->data + b->len, b->cap - b->len, fmt, ap);
	}
	b->len += (size_t)n;
}

void ta_buf_printf(struct ta_buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ta_buf_vprintf(b, fmt, ap);
	va_end(ap);
}

void ta_buf_reset(struct ta_buf *b)
{
	b->len = 0;
	b->error = 0;
	if (b->data)
		b->data[0] = '\0';
}

#define BLANKS " \t\r\n"

char *ta_strip(char *text)
{
	size_t n;

	text += strspn(text, BLANKS);
	n = strlen(text);
	while (n && strchr(BLANKS, text[n - 1]))
		n--;
	text[n] = '\0';
	return text;
}

void ta_buf_rtrim(struct ta_buf *b)
{
	while (b->len && strchr(BLANKS, b->data[b->len - 1]))
		b->data[--b->len] = '\0';
}

/* The first byte at or behind `s` that begins a character. */
static char *char_start(char *s)
{
	while ((*s & 0xc0) == 0x80)
		s++;
	return s;
}

void ta_buf_shorten(struct ta_buf *b, size_t from, size_t most)
{
	static const char gap[] = "…";
	char *in, *out;

	if (!b->data || from >= b->len || most < 8)
		return;
	in = out = b->data + from;
	while (*in) {
		size_t n = strcspn(in, BLANKS), blanks;

		if (n > most) {
			char *head = char_start(in + most / 2), *tail = char_start(in + n - most / 4);

			memmove(out, in, (size_t)(head - in));
			out += head - in;
			memcpy(out, gap, sizeof(gap) - 1);
			out += sizeof(gap) - 1;
			n -= (size_t)(tail - in);
			in = tail;
		}
		blanks = strspn(in + n, BLANKS);
		memmove(out, in, n + blanks);
		in += n + blanks;
		out += n + blanks;
	}
	*out = '\0';
	b->len = (size_t)(out - b->data);
}

const char *ta_buf_text(const struct ta_buf *b)
{
	return b->data ? b->data : "";
}

char *ta_buf_steal(struct ta_buf *b)
{
	char *data;

	if (ta_buf_reserve(b, 0) < 0) {
		ta_buf_done(b);
		return NULL;
	}
	data = b->data;
	*b = (struct ta_buf)TA_BUF_INIT;
	return data;
}

void ta_buf_done(struct ta_buf *b)
{
	free(b->data);
	*b = (struct ta_buf)TA_BUF_INIT;
}
