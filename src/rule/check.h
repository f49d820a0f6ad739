/*
 * The checker's common ground.
 */
#pragma once

#include "rule/rules.h"

struct ta_check_var {
	const char *name;
	struct ta_stype type;
	bool used;
};

struct ta_checker {
	struct ta_rules *rs;
	const struct ta_source *src;
	struct ta_diags *diags;
	const char *each_name; /* the first variable, or NULL */
	struct ta_check_var vars[TA_VARS_MAX];
	unsigned n_vars;
	int rc;
};

/* A fault at `e`; gives the type that fits everything, so that one fault stays one. */
struct ta_stype ta_check_fault(struct ta_checker *c, const struct ta_expr *e, const char *fmt, ...) ta_printf(3, 4);
/* The same at bytes [pos, end). */
struct ta_stype ta_check_fault_at(struct ta_checker *c, uint32_t pos, uint32_t end, const char *fmt, ...)
	ta_printf(4, 5);

/* "; did you mean 'x'?" or "", in the caller's buffer. */
struct ta_hint {
	char text[96];
};
const char *ta_hint(struct ta_hint *h, const char *near);

/* Works out and stores the type of `e` and of everything below it. */
struct ta_stype ta_check_expr(struct ta_checker *c, struct ta_expr *e);

/* Paths: NAME, MEMBER, INDEX, STAR (check_path.c). */
struct ta_stype ta_check_path(struct ta_checker *c, struct ta_expr *e);

/* What one member of a collection or list is; a fault at `e` if it has none. */
struct ta_stype ta_check_member_of(struct ta_checker *c, const struct ta_expr *e, struct ta_stype over);

/* Makes a variable; its slot, or −1 after a fault. Give it back with n_vars--. */
int ta_check_push_var(struct ta_checker *c, const struct ta_expr *at, const char *name, struct ta_stype type);

/* "an integer", "a list of strings", "a collection" … */
const char *ta_stype_text(struct ta_stype t);

static inline bool ta_kind_is_number(enum ta_kind k)
{
	return k == TA_K_INT || k == TA_K_REAL || k == TA_K_NUMBER;
}
