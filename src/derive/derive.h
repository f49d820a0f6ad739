/*
 * Facts computed from facts: pure, one file each, nothing but the document.
 * To add one: src/derive/NAME.c with  const struct ta_derivation ta_derive_NAME.
 *
 * A derivation needs facts of probes only, never of another derivation, so
 * their order does not matter.
 */
#pragma once

#include "facts/facts.h"

struct ta_derivation {
	const char *name;
	const char *const *needs; /* first keys or paths in text form: "nics", "irqs", "cpu.online"; ended by NULL */
	const struct ta_field *fields;
	size_t n_fields;
	void (*compute)(struct ta_facts *f);
};

extern const struct ta_derivation *const ta_derivations[]; /* generated */
extern const size_t ta_n_derivations;
