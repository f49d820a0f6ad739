/*
 * "MemTotal:       16316412 kB", or "Node 0 MemTotal: …". kB is 1024 bytes
 * whatever it says (fs/proc/meminfo.c, show_val_kb()).
 */
#include "probe/meminfo.h"

#include <string.h>

#include "base/num.h"

static const char *const names[TA_MEM_KEYS] = {
	[TA_MEM_TOTAL] = "MemTotal", [TA_MEM_FREE] = "MemFree", [TA_MEM_AVAILABLE] = "MemAvailable",
	[TA_MEM_BUFFERS] = "Buffers", [TA_MEM_CACHED] = "Cached", [TA_MEM_RECLAIMABLE] = "SReclaimable",
	[TA_MEM_DIRTY] = "Dirty", [TA_MEM_WRITEBACK] = "Writeback", [TA_MEM_SWAP_TOTAL] = "SwapTotal",
	[TA_MEM_SWAP_FREE] = "SwapFree", [TA_MEM_COMMITTED] = "Committed_AS",
	[TA_MEM_COMMIT_LIMIT] = "CommitLimit", [TA_MEM_HUGE_TOTAL] = "HugePages_Total",
	[TA_MEM_HUGE_FREE] = "HugePages_Free", [TA_MEM_HUGE_SIZE] = "Hugepagesize",
};

const char *ta_meminfo_name(enum ta_meminfo_key key)
{
	return names[key];
}

/* Bytes of "16316412 kB", or a plain count; false, and *ret as it was, if it is neither or too large. */
static bool read_size(const char *text, uint64_t *ret)
{
	uint64_t v;

	if (ta_next_u64(&text, &v))
		return false;
	text += strspn(text, " \t");
	if (!strncmp(text, "kB", 2) && __builtin_mul_overflow(v, 1024, &v))
		return false;
	*ret = v;
	return true;
}

static void see(struct ta_meminfo *m, const char *name, size_t len, const char *value)
{
	for (int k = 0; k < TA_MEM_KEYS; k++) {
		if (strlen(names[k]) != len || memcmp(names[k], name, len) || m->has[k])
			continue;
		m->has[k] = read_size(value, &m->value[k]);
		m->malformed[k] = !m->has[k];
	}
}

void ta_meminfo_parse(const char *text, size_t len, struct ta_meminfo *ret)
{
	const char *end = text + len;
	char line[160];

	*ret = (struct ta_meminfo){0};
	for (const char *p = text, *nl; p < end; p = nl + 1) {
		const char *name = line, *colon;
		size_t n;

		nl = memchr(p, '\n', (size_t)(end - p));
		nl = nl ? nl : end;
		n = TA_MIN((size_t)(nl - p), sizeof(line) - 1);
		memcpy(line, p, n);
		line[n] = '\0';
		colon = strchr(line, ':');
		if (!colon)
			continue;
		for (const char *q = line; q < colon; q++)
			if (*q == ' ')
				name = q + 1; /* behind "Node 0 " */
		see(ret, name, (size_t)(colon - name), colon + 1);
	}
}
