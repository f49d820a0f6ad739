/*
 * The lexer. It holds no state but its position, so the parser can look at the
 * same bytes as an expression, as a dotted word or as a key of a path.
 */
#include "rule/lex.h"

#include <string.h>

#include "facts/text.h"

enum { C_SPACE = 1, C_LETTER = 2, C_DIGIT = 4, C_PUNCT = 8 };

static const uint8_t class_of[256] = {
	[' '] = C_SPACE,
	['\t'] = C_SPACE,
	['\r'] = C_SPACE,
	['\n'] = C_SPACE,
	['0' ... '9'] = C_DIGIT,
	['a' ... 'z'] = C_LETTER,
	['A' ... 'Z'] = C_LETTER,
	['_'] = C_LETTER,
	['+'] = C_PUNCT,
	['-'] = C_PUNCT,
	['*'] = C_PUNCT,
	['/'] = C_PUNCT,
	['%'] = C_PUNCT,
	['('] = C_PUNCT,
	[')'] = C_PUNCT,
	['['] = C_PUNCT,
	[']'] = C_PUNCT,
	['{'] = C_PUNCT,
	['}'] = C_PUNCT,
	['.'] = C_PUNCT,
	[','] = C_PUNCT,
	[':'] = C_PUNCT,
	['='] = C_PUNCT,
};

bool ta_is_word_char(char c)
{
	return class_of[(unsigned char)c] & (C_LETTER | C_DIGIT);
}

static unsigned class_at(const struct ta_lexer *l, uint32_t pos)
{
	return class_of[(unsigned char)l->src->text[pos]];
}

static void fault(struct ta_lexer *l, struct ta_token *t, const char *message)
{
	t->tok = TA_TOK_BAD;
	l->failed = true;
	if (!l->quiet)
		ta_diag_add(l->diags, l->src, t->pos, t->end, "%s", message);
}

/* Blanks and comments; true if a line ended on the way or the text starts here. */
static bool skip_blanks(struct ta_lexer *l)
{
	const char *s = l->src->text;
	bool first = l->pos == 0;

	for (;;) {
		while (class_at(l, l->pos) & C_SPACE)
			first |= s[l->pos++] == '\n';
		if (s[l->pos] != '#')
			return first;
		while (l->pos < l->src->len && s[l->pos] != '\n')
			l->pos++;
	}
}

static void lex_string(struct ta_lexer *l, struct ta_token *t)
{
	const char *s = l->src->text;
	uint32_t p = t->pos + 1;
	bool bad_escape = false;

	while (p += (uint32_t)strcspn(s + p, "\"\n\\"), s[p] != '"' && s[p] != '\n' && p < l->src->len) {
		if (s[p] == '\\' && s[p + 1] != '\n' && s[p + 1]) {
			p++;
			bad_escape |= s[p] != '"' && s[p] != '\\';
		}
		p++;
	}
	t->tok = TA_TOK_STRING;
	if (s[p] != '"') {
		t->end = l->pos = p;
		fault(l, t, "the string does not end on its line");
		return;
	}
	t->end = l->pos = p + 1;
	if (bad_escape)
		fault(l, t, "only \\\" and \\\\ may follow a backslash in a string");
}

static uint64_t suffix_factor(const char *s, size_t n)
{
	static const struct {
		const char *text;
		uint64_t factor;
	} suffixes[] = {
		{"", 1},
		{"k", 1000},
		{"M", 1000000},
		{"G", 1000000000},
		{"Ki", UINT64_C(1) << 10},
		{"Mi", UINT64_C(1) << 20},
		{"Gi", UINT64_C(1) << 30},
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(suffixes); i++)
		if (strlen(suffixes[i].text) == n && memcmp(suffixes[i].text, s, n) == 0)
			return suffixes[i].factor;
	return 0;
}

/*
 * The digits behind a point, on top of those before it. All of them as one integer, divided once, is
 * rounded right as long as the integer is exact; digits beyond that say nothing.
 */
static double lex_fraction(const char *s, uint32_t *p, uint64_t before)
{
	double digits = (double)before, scale = 1;

	for (; s[*p] >= '0' && s[*p] <= '9'; (*p)++) {
		if (digits >= (double)(UINT64_C(1) << 53) / 10 - 1)
			continue;
		digits = digits * 10 + (s[*p] - '0');
		scale *= 10;
	}
	return digits / scale;
}

static void finish_real(struct ta_token *t, double v)
{
	struct ta_int i;

	/* 1.5Gi is an integer. */
	if (ta_int_from_real(v, &i) && v < (double)(UINT64_C(1) << 53)) {
		t->tok = TA_TOK_INT;
		t->number = i.mag;
		return;
	}
	t->tok = TA_TOK_REAL;
	t->real = v;
}

static void lex_number(struct ta_lexer *l, struct ta_token *t)
{
	const char *s = l->src->text;
	uint32_t p = t->pos, suffix;
	uint64_t v = 0, factor;
	bool too_big = false, is_real;
	double real = 0;

	for (; s[p] >= '0' && s[p] <= '9'; p++)
		too_big |= __builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, s[p] - '0', &v);
	is_real = s[p] == '.' && s[p + 1] >= '0' && s[p + 1] <= '9';
	if (is_real) {
		p++;
		real = lex_fraction(s, &p, v);
	}
	for (suffix = p; ta_is_word_char(s[p]);)
		p++;
	t->tok = TA_TOK_INT;
	t->end = l->pos = p;
	factor = suffix_factor(s + suffix, p - suffix);
	if (!factor)
		fault(l, t, "no such unit; numbers may end in k, M, G (powers of 1000) or Ki, Mi, Gi (of 1024)");
	else if (is_real && !too_big)
		finish_real(t, real * (double)factor);
	else if (too_big || __builtin_mul_overflow(v, factor, &t->number))
		fault(l, t, "the number is greater than 18446744073709551615");
}

static void lex_operator(struct ta_lexer *l, struct ta_token *t, char c)
{
	bool equals = l->src->text[t->pos + 1] == '=';

	t->end = t->pos + 1 + equals;
	l->pos = t->end;
	if (c == '<')
		t->tok = equals ? TA_TOK_LE : TA_TOK_LT;
	else if (c == '>')
		t->tok = equals ? TA_TOK_GE : TA_TOK_GT;
	else if (c == '=' && equals)
		t->tok = TA_TOK_EQ;
	else if (c == '!' && equals)
		t->tok = TA_TOK_NE;
	else if (c == '!')
		fault(l, t, "no such operator; write `not` or `!=`");
	else
		t->tok = TA_TOK_CHAR;
}

void ta_lex_next(struct ta_lexer *l, struct ta_token *t)
{
	unsigned class;
	char c;

	*t = (struct ta_token){.first = skip_blanks(l)};
	c = t->c = l->src->text[l->pos];
	class = class_at(l, l->pos);
	t->pos = l->pos;
	if (l->pos >= l->src->len) {
		t->end = l->pos;
		t->tok = TA_TOK_END;
	} else if (class & C_LETTER) {
		while (class_at(l, l->pos) & (C_LETTER | C_DIGIT))
			l->pos++;
		t->end = l->pos;
		t->tok = TA_TOK_ID;
	} else if (class & C_DIGIT) {
		lex_number(l, t);
	} else if (c == '"') {
		lex_string(l, t);
	} else if (c == '<' || c == '>' || c == '=' || c == '!') {
		lex_operator(l, t, c);
	} else {
		t->tok = TA_TOK_CHAR;
		t->end = ++l->pos;
		while ((l->src->text[l->pos] & 0xc0) == 0x80)
			t->end = ++l->pos;
		if (!(class & C_PUNCT))
			fault(l, t, "this character has no place here");
	}
}

size_t ta_lex_word(struct ta_lexer *l, uint32_t pos, const char *more, uint32_t *ret_start)
{
	const char *s = l->src->text;
	uint32_t p;

	l->pos = pos;
	skip_blanks(l);
	for (p = l->pos; ta_is_word_char(s[p]) || (s[p] && strchr(more, s[p]));)
		p++;
	*ret_start = l->pos;
	return p - l->pos;
}

void ta_lex_string(const struct ta_lexer *l, const struct ta_token *t, struct ta_buf *ret)
{
	const char *s = l->src->text + t->pos + 1, *end = l->src->text + t->end - 1;

	while (s < end) {
		const char *escape = memchr(s, '\\', (size_t)(end - s)), *stop = escape ? escape : end;

		ta_buf_add(ret, s, (size_t)(stop - s));
		s = stop;
		if (escape) {
			ta_buf_addc(ret, escape[1]);
			s += 2;
		}
	}
}

/* True at a line that only a rule's end or start can be: a brace is missing before it. */
static bool leaves_rule(const char *line)
{
	return (strncmp(line, "end", 3) == 0 && (line[3] == '\n' || !line[3])) || strncmp(line, "rule ", 5) == 0;
}

uint32_t ta_lex_skip_braces(const struct ta_lexer *l, uint32_t pos)
{
	const char *s = l->src->text;
	uint32_t end = pos + TA_MIN((uint32_t)l->src->len - pos, TA_CASE_MAX);
	unsigned depth = 1;

	for (; pos < end; pos++) {
		switch (s[pos]) {
		case '"':
			for (pos++; pos < end && s[pos] != '"' && s[pos] != '\n'; pos++)
				pos += s[pos] == '\\' && s[pos + 1] && s[pos + 1] != '\n';
			pos -= s[pos] == '\n';
			break;
		case '#':
			while (pos + 1 < end && s[pos + 1] != '\n')
				pos++;
			break;
		case '\n':
			if (leaves_rule(s + pos + 1))
				return 0;
			break;
		case '{':
			depth++;
			break;
		case '}':
			if (--depth == 0)
				return pos + 1;
			break;
		}
	}
	return 0;
}

/* How many bytes from `text` on are printable ASCII; eight at a time, rule files are hardly anything else. */
static size_t plain_run(const char *text, size_t len)
{
	const uint64_t high = UINT64_C(0x8080808080808080);
	size_t i = 0;

	for (uint64_t w; i + 8 <= len; i += 8) {
		memcpy(&w, text + i, 8);
		/* No byte of 0x80 and above, none below 0x20 (it would borrow), none of 0x7f (it would carry). */
		if ((w | (w - high / 4) | (w + high / 128)) & high)
			break;
	}
	while (i < len && text[i] >= 0x20 && text[i] < 0x7f)
		i++;
	return i;
}

bool ta_text_is_clean(const char *text, size_t len, size_t *ret_bad)
{
	for (size_t i = 0; i < len;) {
		unsigned char c;
		size_t n;

		i += plain_run(text + i, len - i);
		if (i == len)
			break;
		c = (unsigned char)text[i];
		n = c < 0x80 ? c == '\t' || c == '\n' || c == '\r' : ta_printable_char(text + i);
		if (!n) {
			*ret_bad = i;
			return false;
		}
		i += n;
	}
	return true;
}
