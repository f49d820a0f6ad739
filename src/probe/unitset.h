/*
 * What a service gets at its next start: units.NAME, from its unit files and those of the manager.
 */
#pragma once

#include "facts/facts.h"
#include "host/host.h"

struct ta_rlimit_text {
	bool soft_unlimited, hard_unlimited;
	uint64_t soft, hard;
};

/* "65536", "1024:512K", "infinity" (rlimit_parse(), src/basic/rlimit-util.c). 0 or -EINVAL. */
int ta_rlimit_parse(const char *text, struct ta_rlimit_text *ret);

/* What the manager gives to units that say nothing themselves; read once. */
struct ta_unit_defaults {
	bool asked;
	int rc;
	char hole[256];
	char nofile[64], nofile_from[512]; /* DefaultLimitNOFILE= and its FILE:LINE; "" = not given */
};

/* Puts every field of units.NAME. */
void ta_unit_put(struct ta_host *h, struct ta_facts *f, struct ta_unit_defaults *d, const char *unit);
