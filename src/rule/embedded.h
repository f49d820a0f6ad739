/*
 * The rule files of rules/, in the binary (made by tools/mkrules.sh).
 */
#pragma once

#include <stddef.h>

struct ta_embedded_rules {
	const char *file; /* "rules/nic.rules" */
	const char *text;
};

/* The same, read and checked against ta_builtin_schema when the program was built; NULL in builders' tools. */
struct ta_rules;
extern struct ta_rules *const ta_builtin_rules;

extern const struct ta_embedded_rules ta_embedded_rules[];
extern const size_t ta_n_embedded_rules;
