/*
 * What an expression is worth: a value, "unknown" with a reason, or "broken".
 *
 * Integers are exact from −2^63 to 2^64−1. `unlimited` is greater than every
 * integer; `auto` (the kernel chooses) can be told from nothing but itself.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "facts/field.h"

struct json_object;
struct ta_arena;

/* Sign and magnitude; zero is never negative, a negative magnitude is at most 2^63. */
struct ta_int {
	uint64_t mag;
	bool negative;
};

/* All return false where the result leaves the range or does not exist. */
bool ta_int_make(uint64_t mag, bool negative, struct ta_int *ret);
bool ta_int_add(struct ta_int a, struct ta_int b, struct ta_int *ret);
bool ta_int_sub(struct ta_int a, struct ta_int b, struct ta_int *ret);
bool ta_int_mul(struct ta_int a, struct ta_int b, struct ta_int *ret);
bool ta_int_mod(struct ta_int a, struct ta_int b, struct ta_int *ret); /* sign of `a`, as in C */
bool ta_int_from_real(double r, struct ta_int *ret);		       /* of integral reals only */
int ta_int_cmp(struct ta_int a, struct ta_int b);
int ta_int_cmp_real(struct ta_int a, double b); /* exact; `b` is finite */
double ta_int_real(struct ta_int a);

enum ta_value_kind {
	TA_VAL_UNKNOWN,
	TA_VAL_BROKEN, /* what and where stands in the evaluator */
	TA_VAL_BOOL,
	TA_VAL_INT,
	TA_VAL_REAL,
	TA_VAL_STRING,
	TA_VAL_UNLIMITED,
	TA_VAL_AUTO,
	TA_VAL_LIST,  /* of values, made here */
	TA_VAL_ARRAY, /* of the facts document */
	TA_VAL_NODE,  /* an object of the facts document, or NULL: not there */
};

struct ta_unknown {
	const char *reason;
	const char *detail;
};

/* Where a value stands in the document, from the end upwards. */
struct ta_path_step {
	const struct ta_path_step *up;
	const char *key; /* NULL: a list's element */
	uint64_t index;
};

struct ta_value {
	enum ta_value_kind kind;
	bool literal; /* UNLIMITED, AUTO: the word of the rule, not a number of the host */
	bool many;    /* LIST: made by [*], members go through it one by one */
	union {
		bool b;
		struct ta_int i; /* INT; UNLIMITED, AUTO: the number that means it, if `special` */
		double r;
		const char *s;
		const struct ta_unknown *unknown;
		struct json_object *o; /* borrowed */
		struct {
			struct ta_value *v;
			size_t n;
		} list;
	};
	bool special;
	const struct ta_unknown *hole; /* LIST: why it may miss elements, or NULL */
	const struct ta_field *field;  /* the row of a fact, or NULL */
	const struct ta_path_step *at;      /* where the fact stands, or NULL */
};

/*
 * A leaf of the facts document as a value, by the type of its row; special
 * numbers get their meaning. False if the document holds another type.
 */
bool ta_value_read(struct json_object *o, const struct ta_field *field, struct ta_value *ret);

/* Lists of both kinds. `i` < length. An array's element of a wrong type is false. */
size_t ta_value_length(const struct ta_value *v);
bool ta_value_element(const struct ta_value *v, size_t i, struct ta_value *ret);

/* Three-valued comparison. */
enum ta_order { TA_LESS, TA_EQUAL, TA_GREATER, TA_DIFFERENT /* not equal, without an order */, TA_NO_ORDER /* unknown */ };

/*
 * Compares values of one type; lists element by element. TA_NO_ORDER: *ret_why tells
 * the unknown that stood in the way (if it is not NULL).
 */
enum ta_order ta_value_compare(const struct ta_value *a, const struct ta_value *b, const struct ta_unknown **ret_why);

/* Equal values have equal hashes. */
uint64_t ta_value_hash(const struct ta_value *v);

/* What it costs to compare it, in steps: long strings and lists are no single step. */
unsigned long ta_value_weight(const struct ta_value *v);

/* For people: 16777216, "text", true, [1, 2, 3], 0-3,8 (CPU lists), 0 (unlimited). Long lists are cut. */
void ta_value_format(const struct ta_value *v, struct ta_buf *b);

/* As JSON, for fix arguments; NULL: out of memory, or a value that has no such form. */
struct json_object *ta_value_json(const struct ta_value *v);
