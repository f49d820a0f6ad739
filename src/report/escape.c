#include "report/escape.h"

#include <string.h>

#include "report/text.h"

/* How a language writes one character that it cannot hold as it is; false: as it is. */
typedef bool (*special)(struct ta_buf *b, uint32_t code);

static void escape(struct ta_buf *b, const char *text, special one)
{
	while (*text) {
		uint32_t code;
		size_t n = ta_text_decode(text, &code);

		if (!n)
			ta_buf_printf(b, "\\x%02x", (unsigned char)*text);
		else if (!one(b, code))
			ta_buf_add(b, text, n);
		text += n ? n : 1;
	}
}

static bool is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

static bool add_hex(struct ta_buf *b, uint32_t code)
{
	ta_buf_printf(b, "\\x%02x", code);
	return true;
}

static bool xml(struct ta_buf *b, uint32_t code)
{
	switch (code) {
	case '&': ta_buf_adds(b, "&amp;"); return true;
	case '<': ta_buf_adds(b, "&lt;"); return true;
	case '>': ta_buf_adds(b, "&gt;"); return true;
	case '"': ta_buf_adds(b, "&quot;"); return true;
	case '\'': ta_buf_adds(b, "&#39;"); return true;
	case '\n': ta_buf_adds(b, "&#10;"); return true;
	case '\t': ta_buf_adds(b, "&#9;"); return true;
	case 0xfffe: case 0xffff: return add_hex(b, code);
	default: return is_control(code) && add_hex(b, code);
	}
}

void ta_escape_xml(struct ta_buf *b, const char *text)
{
	escape(b, text, xml);
}

static bool html(struct ta_buf *b, uint32_t code)
{
	bool turns = code == 0x061c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
		     (code >= 0x2066 && code <= 0x2069);

	if (!turns)
		return xml(b, code);
	ta_buf_printf(b, "\\u{%04x}", code);
	return true;
}

void ta_escape_html(struct ta_buf *b, const char *text)
{
	escape(b, text, html);
}

static bool label(struct ta_buf *b, uint32_t code)
{
	if (code == '\n')
		ta_buf_adds(b, "\\n");
	else if (code == '\\' || code == '"')
		ta_buf_printf(b, "\\%c", (int)code);
	else if (is_control(code))
		ta_buf_printf(b, "\\\\x%02x", code);
	else
		return false;
	return true;
}

void ta_escape_label(struct ta_buf *b, const char *text)
{
	ta_cleanup_buf struct ta_buf valid = TA_BUF_INIT;

	/* \xHH of bytes that are no UTF-8 first: their backslash is one of the label's. */
	ta_escape_utf8(&valid, text);
	escape(b, ta_buf_text(&valid), label);
}

static bool nothing(struct ta_buf *b, uint32_t code)
{
	return false;
}

void ta_escape_utf8(struct ta_buf *b, const char *text)
{
	escape(b, text, nothing);
}

static bool message(struct ta_buf *b, uint32_t code)
{
	if (code == '%' || code == '\n' || code == '\r')
		ta_buf_printf(b, "%%%02X", code);
	else if (is_control(code) && code != '\t')
		add_hex(b, code);
	else
		return false;
	return true;
}

static bool property(struct ta_buf *b, uint32_t code)
{
	if (code != ':' && code != ',')
		return message(b, code);
	ta_buf_printf(b, "%%%02X", code);
	return true;
}

void ta_escape_workflow(struct ta_buf *b, const char *text, bool is_property)
{
	escape(b, text, is_property ? property : message);
}

static bool markdown(struct ta_buf *b, uint32_t code)
{
	if (code == '\n' || code == '\t')
		ta_buf_addc(b, ' ');
	else if (is_control(code))
		ta_buf_printf(b, "\\\\x%02x", code);
	else if (code < 0x7f && strchr("\\`*_[]<>|~&#!", (int)code))
		ta_buf_printf(b, "\\%c", (int)code);
	else
		return false;
	return true;
}

void ta_escape_markdown(struct ta_buf *b, const char *text)
{
	ta_cleanup_buf struct ta_buf valid = TA_BUF_INIT;

	ta_escape_utf8(&valid, text);
	escape(b, ta_buf_text(&valid), markdown);
}

static bool code_span(struct ta_buf *b, uint32_t code)
{
	if (code != '\n' && code != '\t')
		return is_control(code) && add_hex(b, code);
	ta_buf_addc(b, ' ');
	return true;
}

static bool code_cell(struct ta_buf *b, uint32_t code)
{
	if (code != '|')
		return code_span(b, code);
	ta_buf_adds(b, "\\|");
	return true;
}

static size_t longest_run(const char *text, char c)
{
	size_t longest = 0;

	for (; *text; text++) {
		size_t n = 0;

		while (text[n] == c)
			n++;
		longest = TA_MAX(longest, n);
		if (n)
			text += n - 1;
	}
	return longest;
}

void ta_escape_code(struct ta_buf *b, const char *text, bool cell)
{
	size_t fence = longest_run(text, '`') + 1;

	if (!*text)
		return;
	for (size_t i = 0; i < fence; i++)
		ta_buf_addc(b, '`');
	if (fence > 1)
		ta_buf_addc(b, ' ');
	escape(b, text, cell ? code_cell : code_span);
	if (fence > 1)
		ta_buf_addc(b, ' ');
	for (size_t i = 0; i < fence; i++)
		ta_buf_addc(b, '`');
}

void ta_escape_uri(struct ta_buf *b, const char *text)
{
	for (; *text; text++) {
		bool plain = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') || (*text >= '0' && *text <= '9') ||
			     strchr("-._~", *text);

		ta_buf_printf(b, plain ? "%c" : "%%%02X", (unsigned char)*text);
	}
}
