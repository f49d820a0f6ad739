/*
 * /proc/meminfo and a node's meminfo, which puts "Node 0 " before each line.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"

enum ta_meminfo_key {
	TA_MEM_TOTAL,
	TA_MEM_FREE,
	TA_MEM_AVAILABLE, /* since 3.14 */
	TA_MEM_BUFFERS,
	TA_MEM_CACHED,
	TA_MEM_RECLAIMABLE, /* SReclaimable */
	TA_MEM_DIRTY,
	TA_MEM_WRITEBACK,
	TA_MEM_SWAP_TOTAL,
	TA_MEM_SWAP_FREE,
	TA_MEM_COMMITTED,
	TA_MEM_COMMIT_LIMIT,
	TA_MEM_HUGE_TOTAL, /* pages */
	TA_MEM_HUGE_FREE,  /* pages */
	TA_MEM_HUGE_SIZE,
	TA_MEM_KEYS,
};

struct ta_meminfo {
	bool has[TA_MEM_KEYS];
	bool malformed[TA_MEM_KEYS]; /* the line is there and holds no number */
	uint64_t value[TA_MEM_KEYS]; /* bytes, but for counts of pages */
};

/* The bytes of the file. Lines it does not know are passed over. */
void ta_meminfo_parse(const char *text, size_t len, struct ta_meminfo *ret);

/* The line's name: "MemAvailable". */
const char *ta_meminfo_name(enum ta_meminfo_key key);
