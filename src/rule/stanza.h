/*
 * Stanzas: `rule`, `param`, `profile`, `waive`. Each parser starts behind its word and
 * returns false after a fault that it could not get over; a stanza with faults is dropped,
 * the ones around it stay.
 */
#pragma once

#include "rule/parse.h"

/* One key of a stanza; `parse` starts behind the key. */
struct ta_stanza_key {
	const char *name;
	bool (*parse)(struct ta_parser *p, void *stanza);
	bool repeats;
};

/*
 * The keys of a stanza up to and with its `end`. Tells of unknown and repeated keys, goes on
 * behind every fault. *ret_seen has bit i set if keys[i] was there. False: there were faults.
 */
bool ta_stanza_keys(struct ta_parser *p, const struct ta_stanza_key *keys, size_t n_keys, void *stanza,
	const char *what, uint64_t *ret_seen);

/* Skips to the next `end`, or word at the start of a line that begins a stanza or is one of the keys. */
void ta_stanza_sync(struct ta_parser *p, const struct ta_stanza_key *keys, size_t n_keys);

/* The word ahead as one of `names`; its number, or −1 after a fault. */
int ta_parse_choice(struct ta_parser *p, const char *const *names, size_t n, const char *what);
/* An integer between the bounds; −1 after a fault. */
int64_t ta_parse_number(struct ta_parser *p, uint64_t low, uint64_t high, const char *what);

#define TA_ID_CHARS ".-"       /* of ids, besides letters, digits and '_' */
#define TA_PATTERN_CHARS ".-*" /* of patterns of ids */

bool ta_parse_rule(struct ta_parser *p);
bool ta_parse_param(struct ta_parser *p);
bool ta_parse_profile(struct ta_parser *p);
bool ta_parse_waive(struct ta_parser *p);
