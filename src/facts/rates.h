/*
 * How fast counters rise: two readings of `counters` and the time between them make `rates`, with the same
 * keys behind it (rates.tcpext.ListenOverflows). What is a counter the rows say: see ta_schema_add_rates().
 */
#pragma once

#include "facts/schema.h"

#define TA_RATES_FROM "counters"
#define TA_RATES_TO "rates"

/*
 * `f` holds the second reading, `before` the first, `seconds` (above 0) earlier. Per second, to thousandths. A
 * counter that went backwards is malformed; one that only one of the readings has is missing, or absent for the
 * reason that the second reading gives.
 */
void ta_rates_put(struct ta_facts *f, const struct ta_schema *schema, const struct ta_facts *before, double seconds);

/* There was no second reading. */
void ta_rates_not_asked(struct ta_facts *f, const char *why);

/* The rate of the counter at `path` (text form). False: no counter, or no rate of it. */
bool ta_rates_of(const struct ta_facts *f, const char *path, double *ret);
