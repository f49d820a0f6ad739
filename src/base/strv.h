/*
 * A vector of strings that it owns. Errors stick, as in base/buf.h.
 */
#pragma once

#include <stdbool.h>

#include "base/macros.h"

struct ta_strv {
	char **v; /* n strings; not ended by NULL */
	size_t n;
	size_t cap;
	int error; /* 0 or -ENOMEM */
};

#define TA_STRV_INIT {0}
#define ta_cleanup_strv ta_cleanup(ta_strv_done)

void ta_strv_add(struct ta_strv *s, const char *text);
void ta_strv_addn(struct ta_strv *s, const char *text, size_t len);

/* Splits at any of the bytes in `seps`; empty pieces are left out. */
void ta_strv_split(struct ta_strv *s, const char *text, const char *seps);

bool ta_strv_has(const struct ta_strv *s, const char *text);

/* Sorts in natural order (see ta_natural_cmp) and drops doubles. */
void ta_strv_sort(struct ta_strv *s);

void ta_strv_done(struct ta_strv *s);

/*
 * Bytewise order, except that runs of digits compare as numbers: rx-2 < rx-10.
 * A total order: only equal strings compare equal. No locale.
 */
int ta_natural_cmp(const char *a, const char *b);
