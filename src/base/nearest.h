/*
 * "Did you mean": the candidate nearest to a word by edit distance.
 *
 *     struct ta_nearest near = TA_NEAREST(word);
 *     for (…) ta_nearest_try(&near, name);
 *     near.best …  NULL if nothing is near
 */
#pragma once

struct ta_nearest {
	const char *word;
	const char *best;  /* borrowed from the candidates */
	unsigned distance; /* of `best`; candidates as near as that do not replace it */
};

#define TA_NEAREST(w)                                                                              \
	{                                                                                          \
		.word = (w)                                                                        \
	}

/* Near is: at most a third of the word's letters (at least one) inserted, dropped, changed or
 * swapped with the next. */
void ta_nearest_try(struct ta_nearest *n, const char *candidate);
