/*
 * File systems on block devices and the options they are mounted with. The rest
 * of a mount table (proc, overlays of containers, network mounts) is left out.
 */
#include <errno.h>
#include <string.h>

#include "probe/mountinfo.h"
#include "probe/probe.h"

/* clang-format off */
static const struct ta_field fields[] = {
	{"mounts.*.device", TA_T_STRING, "", "block device, as it was mounted", 0, {}},
	{"mounts.*.fstype", TA_T_STRING, "", "file system", 0, {}},
	{"mounts.*.options", TA_T_STRINGS, "", "options that bear on speed or safety", TA_F_WRITTEN, {}},
};
/* clang-format on */

#define MAX_MOUNTS 1024

struct seen {
	struct ta_facts *f;
	struct ta_mount m;
	unsigned n;
};

static int on_line(const char *line, size_t len, void *ctx)
{
	struct seen *s = ctx;
	int rc = ta_mount_parse(line, &s->m);
	const char *point;

	if (rc == -ENOMEM)
		return rc;
	if (rc < 0 || strncmp(ta_buf_text(&s->m.source), "/dev/", 5) != 0)
		return 0;
	/* The same file system again. */
	if (s->m.is_part && strcmp(ta_buf_text(&s->m.fstype), "btrfs") != 0)
		return 0;
	if (++s->n > MAX_MOUNTS)
		return -EFBIG;
	point = ta_buf_text(&s->m.point);
	ta_put_str(s->f, ta_buf_text(&s->m.source), "mounts", point, "device");
	ta_put_str(s->f, ta_buf_text(&s->m.fstype), "mounts", point, "fstype");
	ta_facts_put_strs(
		s->f, TA_KEYS("mounts", point, "options"), s->m.options.v, s->m.options.n);
	return 0;
}

static void mounts_collect(struct ta_host *h, struct ta_facts *f)
{
	struct seen s = {.f = f};
	int rc = ta_host_lines(h, "/proc/self/mountinfo", on_line, &s);

	if (rc == -EFBIG)
		ta_facts_put_incomplete(f, TA_KEYS("mounts"), TA_MALFORMED,
			"more than %d file systems", MAX_MOUNTS);
	else if (rc < 0)
		ta_put_errno(f, rc, "/proc/self/mountinfo", "mounts");
	else if (!s.n)
		ta_put_object(f, "mounts");
	ta_mount_done(&s.m);
}

const struct ta_probe ta_probe_mounts = {
	.name = "mounts",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = mounts_collect,
};
