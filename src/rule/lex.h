/*
 * Bytes of a rule text to tokens, one at a time. Faults (stray characters,
 * strings that do not end, numbers out of range) are reported here, once.
 */
#pragma once

#include "rule/rules.h"

enum ta_tok {
	TA_TOK_END,
	TA_TOK_BAD, /* already reported */
	TA_TOK_ID,
	TA_TOK_INT,
	TA_TOK_REAL,
	TA_TOK_STRING,
	TA_TOK_LT,
	TA_TOK_LE,
	TA_TOK_GT,
	TA_TOK_GE,
	TA_TOK_EQ,
	TA_TOK_NE,
	TA_TOK_CHAR, /* one of + - * / % ( ) [ ] { } . , : =, in `c` */
};

struct ta_token {
	enum ta_tok tok;
	char c;
	bool first; /* of its line */
	uint32_t pos, end;
	uint64_t number; /* INT */
	double real;	 /* REAL */
};

struct ta_lexer {
	const struct ta_source *src;
	struct ta_diags *diags;
	uint32_t pos;
	bool quiet; /* skipping after a fault: report nothing more */
	bool failed;
};

bool ta_is_word_char(char c); /* a letter, a digit or '_' */

void ta_lex_next(struct ta_lexer *l, struct ta_token *ret);

/*
 * From `pos`, behind blanks: the longest run of letters, digits and the bytes in `more`;
 * its length, 0 if there is none. For what is no expression: dotted ids, patterns, keys of a path.
 */
size_t ta_lex_word(struct ta_lexer *l, uint32_t pos, const char *more, uint32_t *ret_start);

/* Appends the text of a STRING token without quotes and escapes. */
void ta_lex_string(const struct ta_lexer *l, const struct ta_token *t, struct ta_buf *ret);

#define TA_CASE_MAX (16u << 10) /* bytes of a case: one that is not closed costs no more to find */

/*
 * `pos` stands behind the `{` of a case: the byte behind its `}`, or 0 if it does not end.
 * Only strings, comments and braces are looked at, so that loading does not pay for cases.
 */
uint32_t ta_lex_skip_braces(const struct ta_lexer *l, uint32_t pos);

/*
 * UTF-8 without control characters other than tab and line ends (`text` ends with NUL): diagnostics
 * quote the text on terminals. False with the first byte that is not in *ret_bad.
 */
bool ta_text_is_clean(const char *text, size_t len, size_t *ret_bad);
