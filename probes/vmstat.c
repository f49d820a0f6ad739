/*
 * What memory management did since boot, as far as it slows programs down (/proc/vmstat, mm/vmstat.c).
 * Kernels count allocstall by zone since 4.10 (allocstall_normal …); the sum is what one line told before.
 */
#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "probe/probe.h"

#define COUNTER(name, unit, what) {"counters.vm." name, TA_T_INT, unit, what, TA_F_VOLATILE, {}}

static const struct ta_field fields[] = {
	COUNTER("allocstall", "stalls", "times that a program had to free memory itself before it got some, all zones"),
	COUNTER("compact_stall", "stalls", "times that a program had to compact memory itself for a huge page or large block"),
	COUNTER("oom_kill", "processes", "processes killed because memory was out (since 4.13)"),
	COUNTER("pgmajfault", "faults", "page faults that waited for a disk"),
	COUNTER("pswpin", "pages", "pages read back from swap"),
	COUNTER("pswpout", "pages", "pages written to swap"),
};

#define PREFIX "counters.vm."
#define FILE_NAME "/proc/vmstat"

struct sums {
	uint64_t v[TA_ARRAY_SIZE(fields)];
	bool seen[TA_ARRAY_SIZE(fields)];
};

static const char *name_of(size_t i)
{
	return fields[i].path + strlen(PREFIX);
}

/* "allocstall_normal 12": the field's name, or the name and a zone. */
static bool is_counter(const char *line, const char *name)
{
	size_t n = strlen(name);

	if (strncmp(line, name, n) != 0)
		return false;
	return line[n] == ' ' || (line[n] == '_' && strcmp(name, "allocstall") == 0);
}

static int see_line(const char *line, struct sums *s)
{
	for (size_t i = 0; i < TA_ARRAY_SIZE(fields); i++) {
		const char *at = line + strcspn(line, " \n");
		uint64_t v;

		if (!is_counter(line, name_of(i)))
			continue;
		if (ta_next_u64(&at, &v) < 0 || __builtin_add_overflow(s->v[i], v, &s->v[i]))
			return -EBADMSG;
		s->seen[i] = true;
	}
	return 0;
}

static int see_all(const char *text, struct sums *s)
{
	int rc = 0;

	while (rc == 0 && *text) {
		const char *end = strchr(text, '\n');

		rc = see_line(text, s);
		text = end ? end + 1 : text + strlen(text);
	}
	return rc;
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct sums s = {0};
	int rc = ta_host_read(h, FILE_NAME, TA_READ_CAP, &text);

	if (rc == 0)
		rc = see_all(ta_buf_text(&text), &s);
	for (size_t i = 0; i < TA_ARRAY_SIZE(fields); i++) {
		if (rc == 0 && s.seen[i])
			ta_put_u64(f, s.v[i], "counters", "vm", name_of(i));
		else
			ta_put_errno(f, rc ? rc : -ENOENT, FILE_NAME, "counters", "vm", name_of(i));
	}
}

const struct ta_probe ta_probe_vmstat = {
	.name = "vmstat",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
