/*
 * As next_arg() in lib/cmdline.c: blanks separate, double quotes hold
 * together, the first '=' ends the key.
 */
#include "probe/kcmdline.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define WORDS_MAX 1024

int ta_kcmdline_parse(const char *text, size_t len, int (*fn)(const char *key, const char *value, void *ctx), void *ctx)
{
	const char *p = text, *end = text + len;
	char word[256];

	for (unsigned i = 0; i < WORDS_MAX; i++) {
		bool quoted = false;
		size_t n = 0;
		char *value;
		int rc;

		while (p < end && isspace((unsigned char)*p))
			p++;
		if (p == end || !*p)
			return 0;
		for (; p < end && *p && (quoted || !isspace((unsigned char)*p)); p++) {
			if (*p == '"')
				quoted = !quoted;
			else if (n < sizeof(word) - 1)
				word[n++] = *p;
		}
		word[n] = '\0';
		if (!strcmp(word, "--"))
			return 0;
		value = strchr(word, '=');
		if (value)
			*value++ = '\0';
		for (char *k = word; *k; k++)
			if (*k == '-')
				*k = '_';
		rc = *word ? fn(word, value ? value : "", ctx) : 0;
		if (rc)
			return rc;
	}
	return 0;
}
