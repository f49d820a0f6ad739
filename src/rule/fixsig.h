/*
 * What the rule checker has to know of a fixer: its name and parameters.
 * The fixers themselves are src/fix/fixers/, above the rules.
 */
#pragma once

#include <stdbool.h>

#include "facts/field.h"

struct json_object;

struct ta_fix_param {
	const char *name;
	enum ta_type type; /* TA_T_NONE: any scalar */
	bool required;
};

struct ta_fix_sig {
	const char *name; /* "sysctl.set", "nic.channels" */
	const struct ta_fix_param *params;
	size_t n_params;
	const char *const *reads; /* paths of the facts that its text is made of, ended by NULL; NULL: arguments alone */
};

/* What a fix may do to a value; per element of a vector (law 9: never lower). */
enum ta_direction {
	TA_DIR_EXACT, /* that value, whatever stands there */
	TA_DIR_RAISE, /* at least that value: a higher one stays */
	TA_DIR_LOWER, /* at most that value: a lower one stays */
	TA_DIR_LEAVE, /* this element is not touched */
};

#define TA_FIX_ELEMENTS 4

/* A fix of a rule for one subject, its arguments worked out. */
struct ta_fix_call {
	const char *fixer;
	enum ta_direction direction[TA_FIX_ELEMENTS]; /* of argument `value`; a scalar uses the first */
	size_t n_directions;
	size_t n_args;
	struct {
		const char *name;
		struct json_object *value; /* a reference */
	} args[8];
};
