/*
 * Expressions back to text.
 */
#include <string.h>

#include "rule/explain.h"

bool ta_expr_is_path(const struct ta_expr *e)
{
	switch (e->node) {
	case TA_N_NAME:
	case TA_N_VAR:
	case TA_N_PARAM:
	case TA_N_FACT:
	case TA_N_MEMBER:
	case TA_N_KEY:
	case TA_N_INDEX:
	case TA_N_STAR:
		return true;
	default:
		return false;
	}
}

bool ta_expr_has_facts(const struct ta_expr *e)
{
	if (e->node == TA_N_FACT || e->node == TA_N_VAR)
		return true;
	for (const struct ta_expr *x = e->child; x; x = x->next)
		if (ta_expr_has_facts(x))
			return true;
	return false;
}

static void print_quoted(const char *s, struct ta_buf *b)
{
	struct ta_value v = {.kind = TA_VAL_STRING, .s = s};

	ta_value_format(&v, b);
}

static void print_index(struct ta_eval *ev, const struct ta_expr *e, struct ta_buf *b)
{
	const struct ta_expr *index = e->child->next;
	struct ta_value v = {.kind = TA_VAL_UNKNOWN};

	ta_buf_addc(b, '[');
	if (ev)
		v = ta_eval(ev, index);
	if (v.kind == TA_VAL_INT && e->child->type.kind == TA_K_OBJECT)
		ta_buf_printf(b, "\"%s%llu\"", v.i.negative ? "-" : "", (unsigned long long)v.i.mag);
	else if (v.kind == TA_VAL_INT || v.kind == TA_VAL_STRING)
		ta_value_format(&v, b);
	else
		ta_expr_print(ev, index, b);
	ta_buf_addc(b, ']');
}

static void print_path(struct ta_eval *ev, const struct ta_expr *e, struct ta_buf *b)
{
	switch (e->node) {
	case TA_N_MEMBER:
		ta_expr_print(ev, e->child, b);
		ta_buf_printf(b, ".%s", e->text);
		break;
	case TA_N_KEY:
		ta_expr_print(ev, e->child, b);
		ta_buf_adds(b, ".key");
		break;
	case TA_N_INDEX:
		ta_expr_print(ev, e->child, b);
		print_index(ev, e, b);
		break;
	case TA_N_STAR:
		ta_expr_print(ev, e->child, b);
		ta_buf_adds(b, "[*]");
		break;
	default:
		ta_buf_adds(b, e->text);
		break;
	}
}

/* Inside a loop its variable has no value: indexes are printed as they are written. */
static void print_loop(const struct ta_expr *e, struct ta_buf *b)
{
	const struct ta_expr *value = e->has_value ? e->child->next : NULL;
	const struct ta_expr *condition = e->has_condition ? (value ? value->next : e->child->next) : NULL;

	ta_buf_printf(b, "%s(", ta_fn_names[e->fn]);
	if (value) {
		ta_expr_print(NULL, value, b);
		ta_buf_adds(b, " for ");
	}
	ta_buf_printf(b, "%s in ", e->text);
	ta_expr_print(NULL, e->child, b);
	if (condition) {
		ta_buf_adds(b, value ? " if " : " : ");
		ta_expr_print(NULL, condition, b);
	}
	ta_buf_addc(b, ')');
}

/* Operands with what stands between them; NULL: the link of each. */
static void print_operands(struct ta_eval *ev, const struct ta_expr *e, const char *between, struct ta_buf *b)
{
	for (const struct ta_expr *x = e->child; x; x = x->next) {
		if (x != e->child)
			ta_buf_printf(b, strcmp(between, ",") == 0 ? "%s " : " %s ",
				*between ? between : ta_compare_texts[x->link]);
		ta_expr_print(ev, x, b);
	}
}

static void print_node(struct ta_eval *ev, const struct ta_expr *e, struct ta_buf *b)
{
	struct ta_value v = {.kind = TA_VAL_INT, .i = e->i};

	switch (e->node) {
	case TA_N_INT:
		ta_value_format(&v, b);
		break;
	case TA_N_REAL:
		ta_buf_printf(b, "%g", e->r);
		break;
	case TA_N_STRING:
		print_quoted(e->text, b);
		break;
	case TA_N_BOOL:
		ta_buf_adds(b, e->b ? "true" : "false");
		break;
	case TA_N_UNLIMITED:
		ta_buf_adds(b, "unlimited");
		break;
	case TA_N_AUTO:
		ta_buf_adds(b, "auto");
		break;
	case TA_N_LIST:
		ta_buf_addc(b, '[');
		print_operands(ev, e, ",", b);
		ta_buf_addc(b, ']');
		break;
	case TA_N_NEG:
	case TA_N_NOT:
		ta_buf_adds(b, e->node == TA_N_NEG ? "-" : "not ");
		ta_expr_print(ev, e->child, b);
		break;
	case TA_N_IF:
		ta_buf_adds(b, "if ");
		ta_expr_print(ev, e->child, b);
		ta_buf_adds(b, " then ");
		ta_expr_print(ev, e->child->next, b);
		ta_buf_adds(b, " else ");
		ta_expr_print(ev, e->child->next->next, b);
		break;
	case TA_N_CALL:
		ta_buf_printf(b, "%s(", ta_fn_names[e->fn]);
		print_operands(ev, e, ",", b);
		ta_buf_addc(b, ')');
		break;
	case TA_N_LOOP:
		print_loop(e, b);
		break;
	case TA_N_COMPARE:
		print_operands(ev, e, "", b);
		break;
	default:
		print_operands(ev, e, ta_node_operator(e->node), b);
		break;
	}
}

void ta_expr_print(struct ta_eval *ev, const struct ta_expr *e, struct ta_buf *b)
{
	if (ta_expr_is_path(e)) {
		print_path(ev, e, b);
		return;
	}
	if (e->paren)
		ta_buf_addc(b, '(');
	print_node(ev, e, b);
	if (e->paren)
		ta_buf_addc(b, ')');
}
