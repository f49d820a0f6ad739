#include "report/text.h"

#include <stdint.h>
#include <string.h>

static const struct {
	uint32_t code;
	const char *ascii;
} spelled[] = {
	{0xa0, " "},
	{0xb0, "deg"},
	{0xb1, "+-"},
	{0xb2, "^2"},
	{0xb5, "u"},
	{0xb7, "-"},
	{0xd7, "x"},
	{0xf7, "/"},
	{0x3bc, "u"},
	{0x2010, "-"},
	{0x2011, "-"},
	{0x2012, "-"},
	{0x2013, "-"},
	{0x2014, "-"},
	{0x2018, "'"},
	{0x2019, "'"},
	{0x201c, "\""},
	{0x201d, "\""},
	{0x2026, "..."},
	{0x202f, " "},
	{0x2190, "<-"},
	{0x2192, "->"},
	{0x2212, "-"},
	{0x221e, "unlimited"},
	{0x2248, "~"},
	{0x2260, "!="},
	{0x2264, "<="},
	{0x2265, ">="},
};

size_t ta_text_decode(const char *text, uint32_t *ret)
{
	static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *s = (const unsigned char *)text;
	size_t n = s[0] < 0x80             ? 1
		   : (s[0] & 0xe0) == 0xc0 ? 2
		   : (s[0] & 0xf0) == 0xe0 ? 3
		   : (s[0] & 0xf8) == 0xf0 ? 4
					   : 0;
	uint32_t code;

	if (n <= 1) {
		*ret = s[0];
		return n;
	}
	code = s[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3fu);
	}
	if (code < lowest[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	*ret = code;
	return n;
}

static void add_code(struct ta_buf *b, uint32_t code)
{
	if (code >= 0x20 && code < 0x7f) {
		ta_buf_addc(b, (char)code);
		return;
	}
	if (code < 0x80) {
		ta_buf_printf(b, "\\x%02x", code);
		return;
	}
	for (size_t i = 0; i < TA_ARRAY_SIZE(spelled); i++) {
		if (spelled[i].code == code) {
			ta_buf_adds(b, spelled[i].ascii);
			return;
		}
	}
	ta_buf_printf(b, "\\u{%x}", code);
}

static void add_safe(struct ta_buf *b, const char *text, size_t len)
{
	const char *end = text + len;

	while (text < end) {
		uint32_t code;
		size_t n = ta_text_decode(text, &code);

		if (!n)
			ta_buf_printf(b, "\\x%02x", (unsigned char)*text);
		else
			add_code(b, code);
		text += n ? n : 1;
	}
}

void ta_text_safe(struct ta_buf *b, const char *text)
{
	add_safe(b, text, strlen(text));
}

void ta_text_safe_lines(struct ta_buf *b, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		add_safe(b, text, n);
		ta_buf_addc(b, '\n');
		text += n + (text[n] == '\n');
	}
}

void ta_text_pad(struct ta_buf *b, unsigned n)
{
	while (n--)
		ta_buf_addc(b, ' ');
}

/* Where the next line begins: never so far right that words hang on the edge of a narrow terminal.
 */
static unsigned bounded_indent(unsigned indent, unsigned columns)
{
	return TA_MIN(indent, columns / 3);
}

static void new_line(struct ta_buf *b, unsigned indent)
{
	while (b->len && b->data[b->len - 1] == ' ')
		b->data[--b->len] = '\0';
	ta_buf_addc(b, '\n');
	ta_text_pad(b, indent);
}

void ta_text_wrap(
	struct ta_buf *b, const char *text, unsigned columns, unsigned used, unsigned indent)
{
	ta_cleanup_buf struct ta_buf word = TA_BUF_INIT;
	bool fresh = true;

	indent = bounded_indent(indent, columns);
	while (*text) {
		size_t len = strcspn(text, " \n");

		if (!len) {
			if (*text == '\n') {
				new_line(b, indent);
				used = indent;
				fresh = true;
			}
			text++;
			continue;
		}
		ta_buf_reset(&word);
		add_safe(&word, text, len);
		if (used + !fresh + word.len > columns && (!fresh || used > indent)) {
			new_line(b, indent);
			used = indent;
			fresh = true;
		}
		if (!fresh)
			ta_buf_addc(b, ' ');
		used += (unsigned)(word.len + !fresh);
		ta_buf_add(b, word.data, word.len);
		fresh = false;
		text += len;
	}
	if (word.error && !b->error)
		b->error = word.error;
}

void ta_text_term(
	struct ta_buf *b, const char *term, const char *text, unsigned columns, unsigned at)
{
	size_t start = b->len;
	unsigned used;

	at = bounded_indent(at, columns);
	ta_buf_adds(b, "  ");
	ta_text_safe(b, term);
	used = (unsigned)(b->len - start);
	if (used + 2 > at) {
		ta_buf_addc(b, '\n');
		used = 0;
	}
	ta_text_pad(b, at - used);
	ta_text_wrap(b, text, columns, at, at);
	ta_buf_addc(b, '\n');
}
