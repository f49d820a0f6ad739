/*
 * What options and arguments take, by the words that stand for it in the tables: "FILE", "none|flow-reset|link-flap",
 * "list | check FILE...". These texts are what --help and the manual pages show, so completion cannot offer anything else.
 */
#pragma once

#include <stdbool.h>

#include "base/strv.h"

enum ta_takes {
	TA_TAKES_ANYTHING, /* numbers, addresses: nothing to offer */
	TA_TAKES_FILE,
	TA_TAKES_DIR,
	TA_TAKES_WORDS, /* choices that stand in the table */
	TA_TAKES_RULE,
	TA_TAKES_RULES, /* a comma list */
	TA_TAKES_AREA,
	TA_TAKES_PROFILE,
	TA_TAKES_FORMAT, /* of check */
	TA_TAKES_WORKLOAD,
	TA_TAKES_ENGINE,
	TA_TAKES_RUN,
	TA_TAKES_COMMAND,
	TA_TAKES_KINDS
};

/* "DIR", "ADDR[:PORT]", "up|down|both"; NULL is anything. Words in lower case are words to be typed: they are added to `words`. */
enum ta_takes ta_takes_of(const char *text, struct ta_strv *words);

/*
 * What may stand behind the arguments `before`, by a usage text: alternatives have " | " between them, brackets and dots are
 * as usual. The kinds are set in ret_kinds, words that may be typed are added to `words`. Not to be called with arguments
 * that hold an option.
 */
void ta_takes_next(const char *usage, char *const *before, size_t n, bool ret_kinds[TA_TAKES_KINDS], struct ta_strv *words);
