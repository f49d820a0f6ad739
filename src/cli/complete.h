/*
 * What may stand at the cursor of a shell, by the option tables.
 */
#pragma once

#include "cli/command.h"
#include "cli/takes.h"

struct ta_complete {
	struct ta_buf *out;
	const char *typed; /* what stands before the cursor of the word there */
	const char *keep;  /* with which each line begins: of a comma list what stands before its last comma */
	/* Options before the cursor that say where things are; NULL: not given. */
	const char *rules, *state;
};

/*
 * `words` (from behind the program's name on, the last one is at the cursor, perhaps "") to `ret`: a line
 * "values", "files" or "directories", then a line for each value, perhaps with a tab and what it means. Of --NAME=VALUE the
 * values stand alone. Nothing where there is nothing to offer.
 */
void ta_complete(char *const *words, size_t n, struct ta_buf *ret);

/* A value, if it begins as what is typed. `help` may be NULL. */
void ta_complete_add(const struct ta_complete *c, const char *value, const char *help);

/* All that `takes` can be on this host and with the rules in force. */
void ta_complete_kind(const struct ta_complete *c, enum ta_takes takes);
