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

/* True for an interface of which one reason says why next to nothing is known: it gets no reasons more. */
static inline bool ta_derive_skips_nic(const struct ta_facts *f, const char *nic)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;

	ta_path_format(&path, TA_KEYS("nics", nic));
	return *ta_facts_absence(f, ta_buf_text(&path)).detail != '\0';
}
