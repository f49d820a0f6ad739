/*
 * Pressure stall information: the share of time in which something waited for
 * CPU, memory or I/O. Absent where the kernel was built or started without it.
 */
#include <string.h>

#include "base/num.h"
#include "probe/probe.h"

#define ROW(r, k, what) \
	{"pressure." r "." k ".avg10", TA_T_REAL, "%", what ", last 10 s", TA_F_VOLATILE, {}}, \
	{"pressure." r "." k ".avg60", TA_T_REAL, "%", what ", last minute", TA_F_VOLATILE, {}}, \
	{"pressure." r "." k ".avg300", TA_T_REAL, "%", what ", last 5 minutes", TA_F_VOLATILE, {}}, \
	{"pressure." r "." k ".total_us", TA_T_INT, "us", what ", since boot", TA_F_VOLATILE, {}}

static const struct ta_field fields[] = {
	ROW("cpu", "some", "time in which a task waited for a CPU (/proc/pressure/cpu)"),
	ROW("cpu", "full", "time in which all tasks of a group did, 0 for the host (/proc/pressure/cpu)"),
	ROW("memory", "some", "time in which a task waited for memory (/proc/pressure/memory)"),
	ROW("memory", "full", "time in which all tasks waited for memory (/proc/pressure/memory)"),
	ROW("io", "some", "time in which a task waited for I/O (/proc/pressure/io)"),
	ROW("io", "full", "time in which all tasks waited for I/O (/proc/pressure/io)"),
};

static const char *const resources[] = {"cpu", "memory", "io"};
static const char *const kinds[] = {"some", "full"};
static const char *const values[] = {"avg10", "avg60", "avg300", "total_us"};

/* "some avg10=0.00 avg60=0.12 avg300=0.05 total=123456" */
static void see_line(struct ta_facts *f, const char *resource, const char *line)
{
	ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;
	uint64_t total, v;

	ta_strv_split(&words, line, " ");
	if (words.n < 2 || (strcmp(words.v[0], "some") && strcmp(words.v[0], "full")))
		return;
	for (size_t i = 1; i < words.n; i++) {
		char *value = strchr(words.v[i], '=');

		if (!value)
			continue;
		*value++ = '\0';
		if (!strcmp(words.v[i], "total") && !ta_parse_u64(value, &total))
			ta_put_u64(f, total, "pressure", resource, words.v[0], "total_us");
		for (size_t k = 0; k < 3; k++)
			if (!strcmp(words.v[i], values[k]) && ta_parse_hundredths(value, &v) == 0)
				ta_put_real(f, (double)v / 100, "pressure", resource, words.v[0], values[k]);
	}
}

static void put_holes(struct ta_facts *f, const char *resource, int rc, const char *file)
{
	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < TA_ARRAY_SIZE(values); k++) {
			const char *const *path = TA_KEYS("pressure", resource, kinds[i], values[k]);

			if (ta_facts_at(f, path))
				continue;
			if (rc)
				ta_facts_put_errno(f, path, rc, file);
			else /* "full" of cpu came with 5.13 */
				ta_facts_put_absent(f, path, TA_MISSING, "no %s %s in %s", kinds[i], values[k], file);
		}
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	for (size_t i = 0; i < TA_ARRAY_SIZE(resources); i++) {
		ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
		ta_cleanup_strv struct ta_strv lines = TA_STRV_INIT;
		char file[512];
		int rc = ta_host_read(h, ta_fmt(&file, "/proc/pressure/%s", resources[i]), TA_READ_CAP, &text);

		if (!rc)
			ta_strv_split(&lines, ta_buf_text(&text), "\n");
		for (size_t k = 0; k < lines.n && k < 2; k++)
			see_line(f, resources[i], lines.v[k]);
		put_holes(f, resources[i], rc, file);
	}
}

const struct ta_probe ta_probe_pressure = {
	.name = "pressure",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
