/*
 * The tree of an expression, as the parser makes it and the checker completes it. There are thousands of nodes, most
 * of them part of the program (tools/mkbuiltin.c): what is a byte takes a byte.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "facts/schema.h"
#include "rule/value.h"

#define TA_LOOP_VARS_MAX 8
#define TA_VARS_MAX (TA_LOOP_VARS_MAX + 1) /* and the one of `each` */

enum ta_node {
	TA_N_INT,
	TA_N_REAL,
	TA_N_STRING,
	TA_N_BOOL,
	TA_N_UNLIMITED,
	TA_N_AUTO,
	TA_N_LIST, /* children: the elements */
	TA_N_NAME, /* before the check; after it one of the next three */
	TA_N_VAR,
	TA_N_PARAM,
	TA_N_FACT,
	TA_N_MEMBER, /* child . text */
	TA_N_KEY,    /* child .key: the key of a collection's element */
	TA_N_INDEX,  /* child [ second child ] */
	TA_N_STAR,   /* child [*] */
	TA_N_NEG,
	TA_N_NOT,
	TA_N_ADD,
	TA_N_SUB,
	TA_N_MUL,
	TA_N_DIV,
	TA_N_MOD,
	TA_N_COMPARE, /* a chain: each child after the first says in `link` how it compares with the one before */
	TA_N_AND,
	TA_N_OR,
	TA_N_IF,   /* condition, then, else */
	TA_N_CALL, /* fn(children) */
	TA_N_LOOP, /* fn over the first child with variable `slot`: [value], then [condition] */
} __attribute__((packed));

enum ta_compare { TA_C_NONE, TA_C_LT, TA_C_LE, TA_C_GT, TA_C_GE, TA_C_EQ, TA_C_NE, TA_C_IN } __attribute__((packed));

enum ta_fn {
	TA_FN_MIN,
	TA_FN_MAX,
	TA_FN_SUM,
	TA_FN_COUNT,
	TA_FN_DISTINCT,
	TA_FN_FLOOR,
	TA_FN_CEIL,
	TA_FN_ALL,
	TA_FN_ANY,
} __attribute__((packed));

extern const char *const ta_fn_names[];	     /* by enum ta_fn */
extern const char *const ta_compare_texts[]; /* by enum ta_compare */

/* Static types. */
enum ta_kind {
	TA_K_FAULT, /* already reported; fits everything */
	TA_K_INT,
	TA_K_REAL,
	TA_K_NUMBER, /* a parameter: integer or real */
	TA_K_BOOL,
	TA_K_STRING,
	TA_K_LIST,
	TA_K_OBJECT,
} __attribute__((packed));

struct ta_stype {
	enum ta_kind kind;
	enum ta_kind elem; /* LIST: of its elements; TA_K_FAULT for [] */
	bool many;	   /* one value for each member that [*] went over */
	bool element;	   /* an element of a collection: has .key */
	const struct ta_schema_node *node; /* facts only */
};

struct ta_expr {
	enum ta_node node;
	enum ta_compare link; /* in a chain: how the previous sibling compares with this one */
	enum ta_fn fn;
	bool has_value, has_condition; /* LOOP */
	bool paren;		       /* written in parentheses */
	bool checked;		       /* `type` stands */
	uint8_t height;
	uint16_t slot; /* VAR, LOOP: of the variable; PARAM: its number */
	uint32_t pos, end; /* bytes of the source */
	struct ta_expr *child, *next;
	const char *text; /* NAME, MEMBER, STRING; LOOP: name of the variable */
	union {
		struct ta_int i;
		double r;
		bool b;
	};
	struct ta_stype type;
};

/* Children by number, NULL beyond the last. */
struct ta_expr *ta_expr_child(const struct ta_expr *e, unsigned n);

/* An operator as it is written between its operands, or NULL. */
const char *ta_node_operator(enum ta_node n);
