/*
 * The rule files of rules/, in the binary (made by tools/mkrules.sh).
 */
#pragma once

#include <stddef.h>

struct ta_embedded_rules {
	const char *file; /* "rules/nic.rules" */
	const char *text;
};

extern const struct ta_embedded_rules ta_embedded_rules[];
extern const size_t ta_n_embedded_rules;
