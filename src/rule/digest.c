/*
 * Which rules judged: FNV-1a over their texts. The files of others count by their text alone, wherever they lie.
 */
#include <string.h>

#include "base/hash.h"
#include "rule/embedded.h"
#include "rule/rules.h"

static uint64_t add(uint64_t hash, const char *text, size_t len)
{
	return ta_hash_add(ta_hash_add(hash, text, len), "\xff", 1);
}

uint64_t ta_rules_digest(const struct ta_rules *rs)
{
	uint64_t hash = TA_HASH_INIT;

	for (size_t i = 0; i < ta_n_embedded_rules; i++)
		hash = add(hash, ta_embedded_rules[i].text, strlen(ta_embedded_rules[i].text));
	for (const struct ta_source *s = rs->sources; s; s = s->next)
		if (!s->ours)
			hash = add(hash, s->text, s->len);
	return hash;
}
