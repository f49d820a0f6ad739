/*
 * The parser's common ground: one token ahead, faults reported once, no jumps.
 * Every function that returns a pointer returns NULL after a fault; the caller
 * leaves at once, up to the stanza, which skips to the next key and goes on.
 */
#pragma once

#include "rule/lex.h"

struct ta_parser {
	struct ta_lexer lex;
	struct ta_token tok; /* the one ahead */
	struct ta_rules *rs;
	const struct ta_source *src;
	struct ta_arena *arena;
	struct ta_diags *diags;
	unsigned flags;
	unsigned nodes; /* of this rule */
	unsigned depth; /* of open brackets */
	uint32_t line_pos; /* a byte, and the number of its line less one */
	unsigned line;
	bool failed;
};

void ta_parser_init(struct ta_parser *p, struct ta_rules *rs, const struct ta_source *src, struct ta_arena *arena,
	struct ta_diags *diags);
void ta_parser_next(struct ta_parser *p);
/* Moves to byte `pos` and takes the token there. */
void ta_parser_seek(struct ta_parser *p, uint32_t pos);

/* The line of byte `pos`; for rising positions, so that a file is counted once. */
unsigned ta_parser_line(struct ta_parser *p, uint32_t pos);

bool ta_parser_is_char(const struct ta_parser *p, char c);
bool ta_parser_is_id(const struct ta_parser *p, const char *word);
bool ta_parser_take_char(struct ta_parser *p, char c);
bool ta_parser_take_id(struct ta_parser *p, const char *word);
/* The same, or a fault "expected …". */
bool ta_parser_need_char(struct ta_parser *p, char c);
bool ta_parser_need_id(struct ta_parser *p, const char *word);

/* A fault at the token ahead, unless the lexer told of it already. Always false. */
bool ta_parser_fault(struct ta_parser *p, const char *fmt, ...) ta_printf(2, 3);
/* "expected WHAT, got …" */
bool ta_parser_expected(struct ta_parser *p, const char *what);

/*
 * The token ahead as a word of letters, digits and the bytes in `more`; `what` for the fault.
 * Words in the arena.
 */
bool ta_parser_word(struct ta_parser *p, const char *more, const char *what, struct ta_word *ret);

/* Strings side by side, joined by a blank; NULL after a fault. */
const char *ta_parser_text(struct ta_parser *p);

/* True at a key of a rule that begins a line: no expression goes on there (parse_rule.c). */
bool ta_parser_at_rule_key(const struct ta_parser *p);

/* An expression (parse_expr.c). */
struct ta_expr *ta_parse_expr(struct ta_parser *p);
/* A number with sign, string, true, false, unlimited, auto, or a list of these. */
struct ta_expr *ta_parse_literal(struct ta_parser *p);
/* A key behind a dot, as paths are written: letters, digits, '_', and '-' before one of these. */
bool ta_parse_key(struct ta_parser *p, struct ta_word *ret);
