/*
 * A probe collects one group of facts and judges nothing (law 2).
 *
 * To add one: write probes/NAME.c with a field table and
 *     const struct ta_probe ta_probe_NAME = { … };
 * The Makefile finds the file; a missing symbol is a link error.
 *
 * collect() puts for every field of its table a value or an absence. It may
 * leave out the members of a collection that is empty or absent as a whole.
 */
#pragma once

#include "facts/facts.h"
#include "host/host.h"

struct ta_probe {
	const char *name;
	const struct ta_field *fields;
	size_t n_fields;
	void (*collect)(struct ta_host *h, struct ta_facts *f);
};

extern const struct ta_probe *const ta_probes[]; /* generated; in the order of names */
extern const size_t ta_n_probes;

/* --- typed readers: one file, one fact; a value or the reason ------------- */

/* A decimal integer; "max" becomes unlimited if `max_is_unlimited`. */
void ta_read_int(struct ta_host *h, struct ta_facts *f, const char *file, const char *const *path);
void ta_read_int_or_max(struct ta_host *h, struct ta_facts *f, const char *file, const char *const *path);
/* One line of text, blanks at its end dropped. */
void ta_read_str(struct ta_host *h, struct ta_facts *f, const char *file, const char *const *path);
/* "0"/"1" or "N"/"Y". */
void ta_read_bool(struct ta_host *h, struct ta_facts *f, const char *file, const char *const *path);
/* Blank-separated integers. */
void ta_read_ints(struct ta_host *h, struct ta_facts *f, const char *file, const char *const *path);
/* A CPU list or mask. */
void ta_read_cpulist(struct ta_host *h, struct ta_facts *f, const char *file, const char *const *path);
void ta_read_cpumask(struct ta_host *h, struct ta_facts *f, const char *file, const char *const *path);
/* The bracketed word of "always [madvise] never". */
void ta_read_choice(struct ta_host *h, struct ta_facts *f, const char *file, const char *const *path);

/* Formats a path into the caller's buffer and returns it: ta_read_int(h, f, ta_fmt(&p, "/sys/class/net/%s/mtu", name), …). */
const char *ta_fmt(char (*buf)[512], const char *fmt, ...) ta_printf(2, 3);
