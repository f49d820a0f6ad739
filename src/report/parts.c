#include "report/parts.h"

#include <string.h>

#include "base/num.h"
#include "report/text.h"

const struct ta_count_word ta_count_words[] = {
	{TA_V_FAIL, "fail"},
	{TA_V_CONFLICT, "in conflict"},
	{TA_V_PENDING_REBOOT, "wait for a reboot"},
	{TA_V_BROKEN, "broken"},
	{TA_V_PASS, "pass"},
	{TA_V_UNKNOWN, "unknown"},
	{TA_V_WAIVED, "waived"},
	{TA_V_UNSUPPORTED, "unsupported"},
	{TA_V_NA, "do not apply"},
};
const size_t ta_n_count_words = TA_ARRAY_SIZE(ta_count_words);

#define LABEL_AT 2
#define TEXT_AT 9

void ta_part_paint(
	struct ta_buf *b, const struct ta_report_options *o, enum ta_paint p, const char *text)
{
	static const char *const codes[] = {
		[TA_PAINT_HEAD] = "1",
		[TA_PAINT_ERROR] = "31",
		[TA_PAINT_WARNING] = "33",
		[TA_PAINT_INFO] = "36",
	};

	if (o->color)
		ta_buf_printf(b, "\033[%sm", codes[p]);
	ta_text_safe(b, text);
	if (o->color)
		ta_buf_adds(b, "\033[0m");
}

/* Narrow terminals have no room for a column of labels. */
static unsigned text_at(unsigned columns)
{
	return columns < 40 ? 4 : TEXT_AT;
}

static unsigned add_label(struct ta_buf *b, const char *label, unsigned at)
{
	size_t start = b->len;

	if (*label || at == TEXT_AT)
		ta_buf_printf(b, "%*s%-*s", LABEL_AT, "", TEXT_AT - LABEL_AT, label);
	else
		ta_text_pad(b, at);
	return (unsigned)(b->len - start);
}

void ta_part_labelled(
	struct ta_buf *b, const struct ta_report_options *o, const char *label, const char *text)
{
	unsigned at = text_at(o->columns), used;

	if (!text || !*text)
		return;
	used = add_label(b, label, at);
	ta_text_wrap(b, text, o->columns, used, at);
	ta_buf_addc(b, '\n');
}

/* To be copied, letter by letter: what the terminal cannot show safely is not shown in a changed
 * form. */
static bool can_be_copied(const char *line)
{
	for (; *line; line++)
		if (*line != '\t' && (*line < 0x20 || *line > 0x7e))
			return false;
	return true;
}

void ta_part_verbatim(struct ta_buf *b, const char *label, const char *lines)
{
	while (*lines) {
		ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;
		size_t n = strcspn(lines, "\n");

		ta_buf_add(&line, lines, n);
		add_label(b, label, TEXT_AT);
		if (can_be_copied(ta_buf_text(&line)))
			ta_buf_add(b, line.data, line.len);
		else
			ta_buf_adds(b, "# holds unusual characters: take it from --format json");
		ta_buf_addc(b, '\n');
		label = "";
		lines += n + (lines[n] == '\n');
	}
}

size_t ta_part_run(const struct ta_audit *a, size_t i)
{
	const struct ta_finding *f = &a->findings[i];
	size_t n = 1;

	while (i + n < a->n_findings && f[n].rule == f->rule &&
		ta_audit_is_failing(f[n].out.verdict) == ta_audit_is_failing(f->out.verdict))
		n++;
	return n;
}

void ta_part_shape(const char *text, const char *subject, struct ta_buf *ret)
{
	size_t len = strcspn(subject, " ");

	while (*text) {
		if (len && strncmp(text, subject, len) == 0) {
			ta_buf_addc(ret, '@');
			text += len;
		} else if (ta_is_digit(*text)) {
			ta_buf_addc(ret, '#');
			while (ta_is_digit(*text))
				text++;
		} else {
			ta_buf_addc(ret, *text++);
		}
	}
}
