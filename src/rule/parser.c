/*
 * The small things every part of the parser needs.
 */
#include "rule/parse.h"

#include <errno.h>
#include <string.h>

void ta_parser_init(struct ta_parser *p, struct ta_rules *rs, const struct ta_source *src, struct ta_arena *arena,
	struct ta_diags *diags)
{
	*p = (struct ta_parser){
		.lex = {.src = src, .diags = diags},
		.rs = rs,
		.src = src,
		.arena = arena,
		.diags = diags,
	};
	ta_parser_next(p);
}

void ta_parser_next(struct ta_parser *p)
{
	ta_lex_next(&p->lex, &p->tok);
	p->failed |= p->lex.failed;
}

void ta_parser_seek(struct ta_parser *p, uint32_t pos)
{
	p->lex.pos = pos;
	ta_parser_next(p);
}

unsigned ta_parser_line(struct ta_parser *p, uint32_t pos)
{
	const char *text = p->src->text, *newline;

	while (p->line_pos < pos && (newline = memchr(text + p->line_pos, '\n', pos - p->line_pos))) {
		p->line++;
		p->line_pos = (uint32_t)(newline - text) + 1;
	}
	p->line_pos = pos;
	return p->line + 1;
}

bool ta_parser_is_char(const struct ta_parser *p, char c)
{
	return p->tok.tok == TA_TOK_CHAR && p->tok.c == c;
}

bool ta_parser_is_id(const struct ta_parser *p, const char *word)
{
	const char *text = p->src->text + p->tok.pos;
	size_t n = p->tok.end - p->tok.pos;

	return p->tok.tok == TA_TOK_ID && *text == *word && strncmp(text, word, n) == 0 && !word[n];
}

bool ta_parser_take_char(struct ta_parser *p, char c)
{
	if (!ta_parser_is_char(p, c))
		return false;
	ta_parser_next(p);
	return true;
}

bool ta_parser_take_id(struct ta_parser *p, const char *word)
{
	if (!ta_parser_is_id(p, word))
		return false;
	ta_parser_next(p);
	return true;
}

bool ta_parser_fault(struct ta_parser *p, const char *fmt, ...)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	va_list ap;

	p->failed = true;
	if (p->tok.tok == TA_TOK_BAD)
		return false;
	va_start(ap, fmt);
	ta_buf_vprintf(&b, fmt, ap);
	va_end(ap);
	ta_diag_add(p->diags, p->src, p->tok.pos, p->tok.end, "%s", ta_buf_text(&b));
	return false;
}

bool ta_parser_expected(struct ta_parser *p, const char *what)
{
	int n = (int)TA_MIN(p->tok.end - p->tok.pos, 40u);

	if (p->tok.tok == TA_TOK_END)
		return ta_parser_fault(p, "expected %s, got the end of the file", what);
	if (p->tok.tok == TA_TOK_STRING)
		return ta_parser_fault(p, "expected %s, got a string", what);
	return ta_parser_fault(p, "expected %s, got '%.*s'", what, n, p->src->text + p->tok.pos);
}

bool ta_parser_need_char(struct ta_parser *p, char c)
{
	char what[] = {'\'', c, '\'', '\0'};

	return ta_parser_take_char(p, c) || ta_parser_expected(p, what);
}

bool ta_parser_need_id(struct ta_parser *p, const char *word)
{
	char what[32];

	if (ta_parser_take_id(p, word))
		return true;
	memset(what, 0, sizeof(what));
	what[0] = '`';
	for (size_t i = 0; word[i] && i < sizeof(what) - 3; i++) {
		what[i + 1] = word[i];
		what[i + 2] = '`';
	}
	return ta_parser_expected(p, what);
}

bool ta_parser_word(struct ta_parser *p, const char *more, const char *what, struct ta_word *ret)
{
	uint32_t start;
	size_t n;

	if (p->tok.tok != TA_TOK_ID)
		return ta_parser_expected(p, what);
	n = ta_lex_word(&p->lex, p->tok.pos, more, &start);
	if (n > TA_WORD_MAX)
		return ta_parser_fault(p, "%s has %zu bytes, at most %d are taken", what, n, TA_WORD_MAX);
	*ret = (struct ta_word){ta_arena_strndup(p->arena, p->src->text + start, n), start, start + (uint32_t)n};
	ta_parser_seek(p, start + (uint32_t)n);
	return ret->text;
}

const char *ta_parser_text(struct ta_parser *p)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	if (p->tok.tok != TA_TOK_STRING) {
		ta_parser_expected(p, "a string");
		return NULL;
	}
	while (p->tok.tok == TA_TOK_STRING) {
		if (b.len)
			ta_buf_addc(&b, ' ');
		ta_lex_string(&p->lex, &p->tok, &b);
		ta_parser_next(p);
	}
	return ta_arena_strndup(p->arena, ta_buf_text(&b), b.len);
}
