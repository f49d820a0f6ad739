/*
 * Expressions, by precedence climbing.
 *
 *     or < and < not < comparison chain < + - < * / % < unary - < . [] [*]
 *
 * Recursion happens only inside brackets and behind prefixes, and is counted;
 * chains of one operator are loops. What a tree costs later (every walk over it
 * is recursive) is bounded by its height, counted as it is built.
 */
#include "rule/parse.h"

#include <string.h>

const char *const ta_fn_names[] = {
	[TA_FN_MIN] = "min",
	[TA_FN_MAX] = "max",
	[TA_FN_SUM] = "sum",
	[TA_FN_COUNT] = "count",
	[TA_FN_DISTINCT] = "distinct",
	[TA_FN_FLOOR] = "floor",
	[TA_FN_CEIL] = "ceil",
	[TA_FN_ALL] = "all",
	[TA_FN_ANY] = "any",
};

const char *const ta_compare_texts[] = {
	[TA_C_NONE] = "",
	[TA_C_LT] = "<",
	[TA_C_LE] = "<=",
	[TA_C_GT] = ">",
	[TA_C_GE] = ">=",
	[TA_C_EQ] = "==",
	[TA_C_NE] = "!=",
	[TA_C_IN] = "in",
};

enum { P_OR = 1, P_AND, P_NOT, P_COMPARE, P_SUM, P_MUL, P_UNARY };

static struct ta_expr *parse_level(struct ta_parser *p, int level);

struct ta_expr *ta_expr_child(const struct ta_expr *e, unsigned n)
{
	struct ta_expr *c = e->child;

	while (c && n--)
		c = c->next;
	return c;
}

const char *ta_node_operator(enum ta_node n)
{
	switch (n) {
	case TA_N_ADD:
		return "+";
	case TA_N_SUB:
		return "-";
	case TA_N_MUL:
		return "*";
	case TA_N_DIV:
		return "/";
	case TA_N_MOD:
		return "%";
	case TA_N_AND:
		return "and";
	case TA_N_OR:
		return "or";
	default:
		return NULL;
	}
}

/* A node at the token ahead, with `child` below it (NULL: none). */
static struct ta_expr *new_node(struct ta_parser *p, enum ta_node node, struct ta_expr *child)
{
	struct ta_expr *e;

	if (++p->nodes > TA_RULE_NODES_MAX) {
		ta_parser_fault(p, "the rule is too long: more than %u operations and operands", TA_RULE_NODES_MAX);
		return NULL;
	}
	e = ta_arena_new(p->arena, struct ta_expr);
	if (!e)
		return NULL;
	e->node = node;
	e->pos = child ? child->pos : p->tok.pos;
	e->end = p->tok.end;
	e->child = child;
	e->height = child ? child->height + 1 : 1;
	return e;
}

/* Makes `child` the one behind `last` (a child of `e`, or NULL). False: too high. */
static bool adopt(struct ta_parser *p, struct ta_expr *e, struct ta_expr *last, struct ta_expr *child)
{
	if (last)
		last->next = child;
	else
		e->child = child;
	e->height = TA_MAX(e->height, (uint8_t)(child->height + 1));
	e->end = TA_MAX(e->end, child->end);
	if (e->height > TA_RULE_HEIGHT_MAX)
		return ta_parser_fault(p, "the expression is nested deeper than %d", TA_RULE_HEIGHT_MAX);
	return true;
}

/* Ends `e` where the token before the one ahead ended. */
static struct ta_expr *finish(struct ta_parser *p, struct ta_expr *e, uint32_t end)
{
	e->end = end;
	if (e->height > TA_RULE_HEIGHT_MAX) {
		ta_parser_fault(p, "the expression is nested deeper than %d", TA_RULE_HEIGHT_MAX);
		return NULL;
	}
	return e;
}

/* An expression inside brackets. */
static struct ta_expr *parse_nested(struct ta_parser *p, int level)
{
	struct ta_expr *e;

	if (p->depth >= TA_RULE_HEIGHT_MAX) {
		ta_parser_fault(p, "the expression is nested deeper than %d", TA_RULE_HEIGHT_MAX);
		return NULL;
	}
	p->depth++;
	e = parse_level(p, level);
	p->depth--;
	return e;
}

struct ta_expr *ta_parse_expr(struct ta_parser *p)
{
	return parse_nested(p, P_OR);
}

/* Takes a closing bracket and gives its end; 0 after a fault. */
static uint32_t close_bracket(struct ta_parser *p, char c)
{
	uint32_t end = p->tok.end;

	return ta_parser_need_char(p, c) ? end : 0;
}

/* Expressions with commas up to `close`, as children of `e`. */
static struct ta_expr *parse_list(struct ta_parser *p, struct ta_expr *e, char close)
{
	struct ta_expr *last = e->child;
	uint32_t end;

	if (!last && ta_parser_is_char(p, close))
		return finish(p, e, close_bracket(p, close));
	if (last && !ta_parser_take_char(p, ','))
		goto closing;
	do {
		struct ta_expr *c = parse_nested(p, P_OR);

		if (!c || !adopt(p, e, last, c))
			return NULL;
		last = c;
	} while (ta_parser_take_char(p, ','));
closing:
	end = close_bracket(p, close);
	return end ? finish(p, e, end) : NULL;
}

static bool find_fn(struct ta_parser *p, const struct ta_word *name, enum ta_fn *ret)
{
	struct ta_nearest near = TA_NEAREST(name->text);

	for (size_t i = 0; i <= TA_FN_ANY; i++) {
		if (strcmp(ta_fn_names[i], name->text) == 0) {
			*ret = (enum ta_fn)i;
			return true;
		}
	}
	for (size_t i = 0; i <= TA_FN_ANY; i++)
		ta_nearest_try(&near, ta_fn_names[i]);
	p->failed = true;
	ta_diag_add(p->diags, p->src, name->pos, name->end, "no function '%s'%s%s%s", name->text,
		near.best ? "; did you mean '" : "", near.best ? near.best : "", near.best ? "'?" : "");
	return false;
}

/* `ID in COLLECTION` at the token ahead, as first child and variable of `e`. */
static bool parse_loop_head(struct ta_parser *p, struct ta_expr *e)
{
	struct ta_word name;
	struct ta_expr *over;

	if (!ta_parser_word(p, "", "the name of a variable", &name) || !ta_parser_need_id(p, "in"))
		return false;
	e->text = name.text;
	over = parse_nested(p, P_SUM);
	if (!over)
		return false;
	over->next = e->child;
	e->child = over;
	e->height = TA_MAX(e->height, (uint8_t)(over->height + 1));
	return true;
}

/* all(x in c : condition), also any and count. */
static struct ta_expr *parse_quantifier(struct ta_parser *p, struct ta_expr *e)
{
	struct ta_expr *condition;
	uint32_t end;

	e->node = TA_N_LOOP;
	e->has_condition = true;
	if (!parse_loop_head(p, e) || !ta_parser_need_char(p, ':'))
		return NULL;
	condition = parse_nested(p, P_OR);
	if (!condition || !adopt(p, e, e->child, condition))
		return NULL;
	end = close_bracket(p, ')');
	return end ? finish(p, e, end) : NULL;
}

/* fn(value for x in c if condition): the value is a child of `e` already. */
static struct ta_expr *parse_generator(struct ta_parser *p, struct ta_expr *e)
{
	struct ta_expr *value = e->child;
	uint32_t end;

	e->node = TA_N_LOOP;
	e->has_value = true;
	if (!parse_loop_head(p, e))
		return NULL;
	if (ta_parser_take_id(p, "if")) {
		struct ta_expr *condition = parse_nested(p, P_OR);

		e->has_condition = true;
		if (!condition || !adopt(p, e, value, condition))
			return NULL;
	}
	end = close_bracket(p, ')');
	return end ? finish(p, e, end) : NULL;
}

/* True if the two tokens ahead are `ID in`: a loop's head, and not an operand of `in`. */
static bool at_loop_head(struct ta_parser *p)
{
	struct ta_lexer ahead = p->lex;
	struct ta_token second;

	if (p->tok.tok != TA_TOK_ID)
		return false;
	ahead.quiet = true;
	ta_lex_next(&ahead, &second);
	return second.tok == TA_TOK_ID && second.end - second.pos == 2 &&
		memcmp(p->src->text + second.pos, "in", 2) == 0;
}

/* fn( … ; the token ahead is the bracket. */
static struct ta_expr *parse_call(struct ta_parser *p, const struct ta_word *name)
{
	struct ta_expr *e, *first;
	enum ta_fn fn;

	if (!find_fn(p, name, &fn))
		return NULL;
	e = new_node(p, TA_N_CALL, NULL);
	if (!e)
		return NULL;
	e->pos = name->pos;
	e->fn = fn;
	ta_parser_next(p);
	if (fn == TA_FN_ALL || fn == TA_FN_ANY || (fn == TA_FN_COUNT && at_loop_head(p)))
		return parse_quantifier(p, e);
	if (ta_parser_is_char(p, ')'))
		return parse_list(p, e, ')');
	first = parse_nested(p, P_OR);
	if (!first || !adopt(p, e, NULL, first))
		return NULL;
	if (ta_parser_take_id(p, "for"))
		return parse_generator(p, e);
	return parse_list(p, e, ')');
}

static bool is_reserved(const struct ta_word *w)
{
	static const char *const words[] = {"and", "or", "in", "then", "else", "for", "end"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(words); i++)
		if (strcmp(words[i], w->text) == 0)
			return true;
	return false;
}

static struct ta_expr *parse_if(struct ta_parser *p)
{
	struct ta_expr *e = new_node(p, TA_N_IF, NULL), *last = NULL;
	static const char *const words[] = {"then", "else", NULL};

	if (!e)
		return NULL;
	ta_parser_next(p);
	for (size_t i = 0; i < TA_ARRAY_SIZE(words); i++) {
		struct ta_expr *c = parse_nested(p, P_OR);

		if (!c || !adopt(p, e, last, c) || (words[i] && !ta_parser_need_id(p, words[i])))
			return NULL;
		last = c;
	}
	return finish(p, e, last->end);
}

/* A name: a constant's, a function's, or one that the checker looks up. */
static struct ta_expr *parse_name(struct ta_parser *p)
{
	struct ta_word name;
	struct ta_expr *e;

	if (ta_parser_is_id(p, "if"))
		return parse_if(p);
	if (ta_parser_is_id(p, "true") || ta_parser_is_id(p, "false") || ta_parser_is_id(p, "unlimited") ||
		ta_parser_is_id(p, "auto"))
		return ta_parse_literal(p);
	name = (struct ta_word){ta_arena_strndup(p->arena, p->src->text + p->tok.pos, p->tok.end - p->tok.pos),
		p->tok.pos, p->tok.end};
	if (!name.text)
		return NULL;
	if (is_reserved(&name) || ta_parser_at_rule_key(p)) {
		ta_parser_expected(p, "a value");
		return NULL;
	}
	e = new_node(p, TA_N_NAME, NULL);
	if (!e)
		return NULL;
	e->text = name.text;
	ta_parser_next(p);
	return ta_parser_is_char(p, '(') ? parse_call(p, &name) : e;
}

static struct ta_expr *parse_primary(struct ta_parser *p)
{
	struct ta_expr *e;
	uint32_t pos = p->tok.pos, end;

	if (p->tok.tok == TA_TOK_ID)
		return parse_name(p);
	if (p->tok.tok == TA_TOK_INT || p->tok.tok == TA_TOK_REAL || p->tok.tok == TA_TOK_STRING)
		return ta_parse_literal(p);
	if (ta_parser_is_char(p, '[')) {
		e = new_node(p, TA_N_LIST, NULL);
		ta_parser_next(p);
		return e ? parse_list(p, e, ']') : NULL;
	}
	if (!ta_parser_take_char(p, '(')) {
		ta_parser_expected(p, "a value");
		return NULL;
	}
	e = parse_nested(p, P_OR);
	end = e ? close_bracket(p, ')') : 0;
	if (!end)
		return NULL;
	e->paren = true;
	e->pos = pos;
	e->end = end;
	return e;
}

bool ta_parse_key(struct ta_parser *p, struct ta_word *ret)
{
	const char *s = p->src->text;
	uint32_t pos = p->tok.end, end = pos;

	while (ta_is_word_char(s[end]) || (s[end] == '-' && ta_is_word_char(s[end + 1])))
		end++;
	if (end == pos) {
		ta_parser_next(p);
		return ta_parser_expected(p, ta_parser_is_char(p, '*') ? "a name (all members are written [*])" : "a name");
	}
	*ret = (struct ta_word){ta_arena_strndup(p->arena, s + pos, end - pos), pos, end};
	ta_parser_seek(p, end);
	return ret->text;
}

static struct ta_expr *parse_member(struct ta_parser *p, struct ta_expr *of)
{
	struct ta_word key;
	struct ta_expr *e = new_node(p, TA_N_MEMBER, of);

	if (!e || !ta_parse_key(p, &key))
		return NULL;
	e->text = key.text;
	return finish(p, e, key.end);
}

static struct ta_expr *parse_index(struct ta_parser *p, struct ta_expr *of)
{
	struct ta_expr *e = new_node(p, TA_N_INDEX, of), *index;
	uint32_t end;

	if (!e)
		return NULL;
	ta_parser_next(p);
	if (ta_parser_take_char(p, '*')) {
		e->node = TA_N_STAR;
	} else {
		index = parse_nested(p, P_OR);
		if (!index || !adopt(p, e, of, index))
			return NULL;
	}
	end = close_bracket(p, ']');
	return end ? finish(p, e, end) : NULL;
}

static struct ta_expr *parse_postfix(struct ta_parser *p)
{
	struct ta_expr *e = parse_primary(p);

	/* "1G.5" is neither a number nor a path. */
	if (e && (e->node == TA_N_INT || e->node == TA_N_REAL) && ta_parser_is_char(p, '.')) {
		ta_parser_fault(p, "a number has no members");
		return NULL;
	}
	while (e) {
		if (ta_parser_is_char(p, '.'))
			e = parse_member(p, e);
		else if (ta_parser_is_char(p, '['))
			e = parse_index(p, e);
		else
			break;
	}
	return e;
}

/* What a prefix of `level` stands before. */
static struct ta_expr *parse_prefix(struct ta_parser *p, enum ta_node node, int level)
{
	struct ta_expr *e = new_node(p, node, NULL), *c;

	ta_parser_next(p);
	c = e ? parse_nested(p, level) : NULL;
	return c && adopt(p, e, NULL, c) ? finish(p, e, c->end) : NULL;
}

static struct ta_expr *parse_operand(struct ta_parser *p, int level)
{
	if (ta_parser_is_id(p, "not")) {
		if (level <= P_NOT)
			return parse_prefix(p, TA_N_NOT, P_COMPARE);
		ta_parser_fault(p, "`not` needs parentheses here: (not …)");
		return NULL;
	}
	if (ta_parser_is_char(p, '-'))
		return parse_prefix(p, TA_N_NEG, P_UNARY);
	return parse_postfix(p);
}

struct op {
	int level;
	enum ta_node node;
	enum ta_compare link;
};

/* The operator ahead; level 0 if there is none. */
static struct op operator_ahead(const struct ta_parser *p)
{
	switch (p->tok.tok) {
	case TA_TOK_LT:
		return (struct op){P_COMPARE, TA_N_COMPARE, TA_C_LT};
	case TA_TOK_LE:
		return (struct op){P_COMPARE, TA_N_COMPARE, TA_C_LE};
	case TA_TOK_GT:
		return (struct op){P_COMPARE, TA_N_COMPARE, TA_C_GT};
	case TA_TOK_GE:
		return (struct op){P_COMPARE, TA_N_COMPARE, TA_C_GE};
	case TA_TOK_EQ:
		return (struct op){P_COMPARE, TA_N_COMPARE, TA_C_EQ};
	case TA_TOK_NE:
		return (struct op){P_COMPARE, TA_N_COMPARE, TA_C_NE};
	case TA_TOK_ID:
		if (ta_parser_is_id(p, "and"))
			return (struct op){P_AND, TA_N_AND, TA_C_NONE};
		if (ta_parser_is_id(p, "or"))
			return (struct op){P_OR, TA_N_OR, TA_C_NONE};
		if (ta_parser_is_id(p, "in"))
			return (struct op){P_COMPARE, TA_N_COMPARE, TA_C_IN};
		return (struct op){0};
	case TA_TOK_CHAR:
		switch (p->tok.c) {
		case '+':
			return (struct op){P_SUM, TA_N_ADD, TA_C_NONE};
		case '-':
			return (struct op){P_SUM, TA_N_SUB, TA_C_NONE};
		case '*':
			return (struct op){P_MUL, TA_N_MUL, TA_C_NONE};
		case '/':
			return (struct op){P_MUL, TA_N_DIV, TA_C_NONE};
		case '%':
			return (struct op){P_MUL, TA_N_MOD, TA_C_NONE};
		}
		return (struct op){0};
	default:
		return (struct op){0};
	}
}

/* Everything that binds at least as strongly as `level`. */
static struct ta_expr *parse_level(struct ta_parser *p, int level)
{
	struct ta_expr *left = parse_operand(p, level), *last = NULL;
	struct op open = {0};

	while (left) {
		struct op op = operator_ahead(p);
		struct ta_expr *right;

		if (op.level < level || !op.level)
			return left;
		/* `and`, `or` and comparisons of one chain stand side by side; the rest leans to the left. */
		if (!(last && op.level == open.level && op.level <= P_COMPARE)) {
			last = left;
			left = new_node(p, op.node, left);
		}
		open = op;
		ta_parser_next(p);
		right = left ? parse_level(p, op.level + 1) : NULL;
		if (!right || !adopt(p, left, last, right))
			return NULL;
		right->link = op.link;
		last = right;
	}
	return NULL;
}

static struct ta_expr *parse_scalar(struct ta_parser *p)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_expr *e = new_node(p, TA_N_INT, NULL);

	if (!e)
		return NULL;
	if (p->tok.tok == TA_TOK_INT) {
		e->i = (struct ta_int){p->tok.number, false};
	} else if (p->tok.tok == TA_TOK_REAL) {
		e->node = TA_N_REAL;
		e->r = p->tok.real;
	} else if (p->tok.tok == TA_TOK_STRING) {
		e->node = TA_N_STRING;
		ta_lex_string(&p->lex, &p->tok, &b);
		e->text = ta_arena_strndup(p->arena, ta_buf_text(&b), b.len);
		e = e->text ? e : NULL;
	} else if (ta_parser_is_id(p, "true") || ta_parser_is_id(p, "false")) {
		e->node = TA_N_BOOL;
		e->b = ta_parser_is_id(p, "true");
	} else if (ta_parser_is_id(p, "unlimited")) {
		e->node = TA_N_UNLIMITED;
	} else if (ta_parser_is_id(p, "auto")) {
		e->node = TA_N_AUTO;
	} else {
		ta_parser_expected(p, "a value");
		return NULL;
	}
	ta_parser_next(p);
	return e;
}

/* A negative number as one literal. */
static struct ta_expr *parse_negative(struct ta_parser *p)
{
	uint32_t pos = p->tok.pos;
	struct ta_expr *e;

	ta_parser_next(p);
	if (p->tok.tok != TA_TOK_INT && p->tok.tok != TA_TOK_REAL) {
		ta_parser_expected(p, "a number");
		return NULL;
	}
	if (p->tok.tok == TA_TOK_INT && p->tok.number > UINT64_C(1) << 63) {
		ta_parser_fault(p, "the number is less than -9223372036854775808");
		return NULL;
	}
	e = parse_scalar(p);
	if (!e)
		return NULL;
	e->pos = pos;
	if (e->node == TA_N_REAL)
		e->r = -e->r;
	else
		e->i.negative = e->i.mag != 0;
	return e;
}

struct ta_expr *ta_parse_literal(struct ta_parser *p)
{
	struct ta_expr *e, *last = NULL;
	uint32_t end;

	if (!ta_parser_is_char(p, '['))
		return ta_parser_is_char(p, '-') ? parse_negative(p) : parse_scalar(p);
	e = new_node(p, TA_N_LIST, NULL);
	ta_parser_next(p);
	while (e && !ta_parser_is_char(p, ']')) {
		struct ta_expr *c;

		if (last && !ta_parser_need_char(p, ','))
			return NULL;
		c = ta_parser_is_char(p, '-') ? parse_negative(p) : parse_scalar(p);
		if (!c || !adopt(p, e, last, c))
			return NULL;
		last = c;
	}
	end = e ? close_bracket(p, ']') : 0;
	return end ? finish(p, e, end) : NULL;
}
