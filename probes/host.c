/*
 * Who and when: the name the host gives itself, its distribution, the time.
 */
#include <string.h>

#include "probe/probe.h"

static const struct ta_field fields[] = {
	{"host.name", TA_T_STRING, "", "host name (/proc/sys/kernel/hostname)", TA_F_AGAIN, {}},
	{"host.os", TA_T_STRING, "", "distribution and release (PRETTY_NAME of /etc/os-release)", TA_F_SYSTEM, {}},
	{"host.time", TA_T_INT, "s", "seconds since the epoch when the host was read", TA_F_VOLATILE, {}},
};

/* The value of NAME="…" in os-release(5) text, quotes dropped; false if the line is not there. */
static bool find_value(const char *text, const char *name, struct ta_buf *ret)
{
	size_t len = strlen(name);

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *v = line + len + 1;
		size_t n;

		if (strncmp(line, name, len) != 0 || line[len] != '=')
			continue;
		n = strcspn(v, "\n");
		if (n >= 2 && (v[0] == '"' || v[0] == '\'') && v[n - 1] == v[0]) {
			v++;
			n -= 2;
		}
		ta_buf_add(ret, v, n);
		return true;
	}
	return false;
}

static void collect_os(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT, value = TA_BUF_INIT;
	int rc = ta_host_read(h, "/etc/os-release", TA_READ_CAP, &text);

	/* os-release(5): /usr/lib is where the vendor's copy lies. */
	if (rc < 0)
		rc = ta_host_read(h, "/usr/lib/os-release", TA_READ_CAP, &text);
	if (rc < 0)
		ta_put_errno(f, rc, "/etc/os-release", "host", "os");
	else if (find_value(ta_buf_text(&text), "PRETTY_NAME", &value))
		ta_put_str(f, ta_buf_text(&value), "host", "os");
	else
		ta_facts_put_absent(f, TA_KEYS("host", "os"), TA_MISSING, "/etc/os-release: no PRETTY_NAME");
}

/* include/linux/uts.h (6.12): __NEW_UTS_LEN. A longer one is of no kernel, and formats repeat it with each finding. */
#define HOST_NAME_BYTES 64

static void collect_name(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = ta_host_read(h, "/proc/sys/kernel/hostname", TA_READ_CAP, &text);
	const char *name = text.data ? ta_strip(text.data) : "";

	if (rc < 0)
		ta_put_errno(f, rc, "/proc/sys/kernel/hostname", "host", "name");
	else if (strlen(name) > HOST_NAME_BYTES)
		ta_facts_put_absent(f, TA_KEYS("host", "name"), TA_MALFORMED,
			"/proc/sys/kernel/hostname: longer than the 64 bytes that a kernel keeps");
	else
		ta_put_str(f, name, "host", "name");
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	int64_t now;
	int rc;

	collect_name(h, f);
	collect_os(h, f);
	rc = ta_host_time(h, &now);
	if (rc < 0)
		ta_put_errno(f, rc, "time of the capture", "host", "time");
	else
		ta_put_i64(f, now, "host", "time");
}

const struct ta_probe ta_probe_host = {
	.name = "host",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
