/*
 * Diagnostics: a message, the line it is about, and a caret under the place.
 *
 *     nic.rules:4:16: error: no such fact 'chanels'; did you mean 'channels'?
 *         want  nic.chanels.combined.current >= 4
 *                   ^~~~~~~
 *
 * Only the first hundred are kept, so that a file of garbage costs no more
 * than one with a few faults.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rule/rules.h"

#define KEPT_MAX 100
#define WINDOW 96 /* bytes of the source line that are shown */
#define WORD_MAX 120 /* … and of a word that the message tells again */

void ta_source_place(const struct ta_source *src, uint32_t pos, unsigned *ret_line, unsigned *ret_column)
{
	unsigned line = 1, column = 1;
	const char *start = src->text, *newline;
	const char *at = src->text + TA_MIN((size_t)pos, src->len);

	while ((newline = memchr(start, '\n', (size_t)(at - start)))) {
		line++;
		start = newline + 1;
	}
	for (; start < at; start++)
		column += (*start & 0xc0) != 0x80; /* a character, not its further bytes */
	*ret_line = line;
	*ret_column = column;
}

static bool is_continuation(char c)
{
	return (c & 0xc0) == 0x80;
}

/* The source line around [pos, end) and a caret line. */
static void add_excerpt(struct ta_buf *b, const struct ta_source *src, uint32_t pos, uint32_t end)
{
	size_t from = TA_MIN((size_t)pos, src->len), to = from, start = from;

	while (start && src->text[start - 1] != '\n')
		start--;
	if (from - start > WINDOW / 2)
		start = from - WINDOW / 2;
	while (start < from && is_continuation(src->text[start]))
		start++;
	while (to < src->len && src->text[to] != '\n' && (to - start < WINDOW || is_continuation(src->text[to])))
		to++;
	ta_buf_adds(b, "\n    ");
	ta_buf_add(b, src->text + start, to - start);
	ta_buf_rtrim(b);
	ta_buf_adds(b, "\n    ");
	for (size_t i = start; i < from; i++)
		if (!is_continuation(src->text[i]))
			ta_buf_addc(b, src->text[i] == '\t' ? '\t' : ' ');
	ta_buf_addc(b, '^');
	for (size_t i = from + 1; i < TA_MIN((size_t)end, to); i++)
		if (!is_continuation(src->text[i]))
			ta_buf_addc(b, '~');
}

/* Room for one more, or NULL: enough are kept, or there is no memory (*rc). */
static struct ta_diag *new_diag(struct ta_diags *d, int *rc)
{
	*rc = -EBADMSG;
	d->total++;
	if (d->n >= KEPT_MAX)
		return NULL;
	if (!d->v)
		d->v = calloc(KEPT_MAX, sizeof(*d->v));
	if (!d->v) {
		*rc = -ENOMEM;
		return NULL;
	}
	return &d->v[d->n];
}

static int keep(struct ta_diags *d, struct ta_diag *diag, const char *file, struct ta_buf *text)
{
	diag->file = strdup(file);
	diag->text = ta_buf_steal(text);
	if (!diag->file || !diag->text) {
		free(diag->file);
		free(diag->text);
		*diag = (struct ta_diag){0};
		return -ENOMEM;
	}
	d->n++;
	return -EBADMSG;
}

int ta_diag_add(struct ta_diags *d, const struct ta_source *src, uint32_t pos, uint32_t end, const char *fmt, ...)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	int rc;
	struct ta_diag *diag = new_diag(d, &rc);
	size_t message;
	va_list ap;

	if (!diag)
		return rc;
	ta_source_place(src, pos, &diag->line, &diag->column);
	ta_buf_printf(&b, "%s:%u:%u: error: ", src->file, diag->line, diag->column);
	message = b.len;
	va_start(ap, fmt);
	ta_buf_vprintf(&b, fmt, ap);
	va_end(ap);
	ta_buf_shorten(&b, message, WORD_MAX);
	add_excerpt(&b, src, pos, end);
	return keep(d, diag, src->file, &b);
}

int ta_diag_add_file(struct ta_diags *d, const char *file, const char *fmt, ...)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	int rc;
	struct ta_diag *diag = new_diag(d, &rc);
	va_list ap;

	if (!diag)
		return rc;
	diag->line = diag->column = 1;
	ta_buf_printf(&b, "%s: error: ", file);
	va_start(ap, fmt);
	ta_buf_vprintf(&b, fmt, ap);
	va_end(ap);
	return keep(d, diag, file, &b);
}

static int cmp_diags(const void *va, const void *vb)
{
	const struct ta_diag *a = va, *b = vb;
	int c = strcmp(a->file, b->file);

	if (c)
		return c;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->column != b->column)
		return a->column < b->column ? -1 : 1;
	return strcmp(a->text, b->text);
}

void ta_diags_sort(struct ta_diags *d, size_t from)
{
	if (from < d->n)
		qsort(d->v + from, d->n - from, sizeof(*d->v), cmp_diags);
}

void ta_diags_done(struct ta_diags *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->v[i].file);
		free(d->v[i].text);
	}
	free(d->v);
	*d = (struct ta_diags){0};
}
