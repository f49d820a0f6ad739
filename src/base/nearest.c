#include "base/nearest.h"

#include <stdint.h>
#include <string.h>

#include "base/macros.h"

/* Longer words are compared by nobody: two typed names of that length differ in more than a slip.
 */
#define MAX_WORD 63

/* Optimal string alignment distance; three rows are enough for swaps of neighbours. */
static unsigned distance(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned rows[3][MAX_WORD + 1];
	unsigned *before = rows[0], *last = rows[1], *now = rows[2];

	for (size_t j = 0; j <= nb; j++)
		last[j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned *spare = before;

		now[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			unsigned change = last[j - 1] + (a[i - 1] != b[j - 1]);

			now[j] = TA_MIN(change, TA_MIN(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = TA_MIN(now[j], before[j - 2] + 1);
		}
		before = last;
		last = now;
		now = spare;
	}
	return last[nb];
}

/* One bit per letter in it, five bits of each. A changed letter changes two of these bits at most. */
static uint32_t letters(const char *word)
{
	uint32_t set = 0;

	for (; *word; word++)
		set |= UINT32_C(1) << (*word & 31);
	return set;
}

void ta_nearest_try(struct ta_nearest *n, const char *candidate)
{
	size_t word = strlen(n->word), other = strlen(candidate);
	unsigned limit = (unsigned)TA_MAX(word / 3, (size_t)1), d;

	if (!word || word > MAX_WORD || other > MAX_WORD)
		return;
	/* Words are many and slips are few: what cannot be near is not measured. */
	if (TA_MAX(word, other) - TA_MIN(word, other) > limit ||
		(unsigned)__builtin_popcount(letters(n->word) ^ letters(candidate)) > 2 * limit)
		return;
	d = distance(n->word, word, candidate, other);
	if (d > limit || (n->best && d >= n->distance))
		return;
	n->best = candidate;
	n->distance = d;
}
