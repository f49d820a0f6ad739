/*
 * The words of a kernel command line.
 */
#pragma once

#include <stddef.h>

/*
 * Calls fn for each word: `key` with '-' as '_' (the kernel takes them for the same, parameq() in
 * kernel/params.c), `value` without the quotes, "" if there is none. A word that comes twice is given twice,
 * the later one counts. Stops at "--" (the rest is init's), at 1024 words, or when fn returns non-zero, which
 * is returned. Words of more than 255 bytes are cut.
 */
int ta_kcmdline_parse(const char *text, size_t len, int (*fn)(const char *key, const char *value, void *ctx), void *ctx);
