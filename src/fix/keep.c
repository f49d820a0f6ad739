#include "fix/keep.h"

#include <errno.h>
#include <string.h>

#include "fix/bootline.h"
#include "fix/describe.h"
#include "fix/sinks.h"

#define BLOCK "/sys/block/"
#define NVME "/sys/class/nvme/"

/* --- lines ------------------------------------------------------------------------------ */

/* Paths and values of the attribute table have no blanks, and percent signs only where a specifier would be read. */
static void add_tmpfiles_word(struct ta_buf *b, const char *word)
{
	for (; *word; word++)
		ta_buf_printf(b, *word == '%' ? "%%%%" : "%c", *word);
}

static int sysctl_line(const struct ta_step *s, struct ta_buf *ret)
{
	if (s->knob != &ta_knob_sysctl)
		return -ENOENT;
	ta_buf_printf(ret, "%s = %s\n", s->target, s->after);
	return ret->error;
}

static int tmpfiles_line(const struct ta_step *s, struct ta_buf *ret)
{
	if (s->knob != &ta_knob_attr)
		return -ENOENT;
	ta_buf_adds(ret, "w ");
	add_tmpfiles_word(ret, s->target);
	ta_buf_adds(ret, " - - - - ");
	add_tmpfiles_word(ret, s->after);
	ta_buf_addc(ret, '\n');
	return ret->error;
}

static int modules_line(const struct ta_step *s, struct ta_buf *ret)
{
	if (s->knob != &ta_knob_module)
		return -ENOENT;
	ta_buf_printf(ret, "%s\n", s->target);
	return ret->error;
}

/*
 * An attribute of a drive or of an NVMe controller. The latter's appears after the "add" event; the event that follows it is
 * NVME_EVENT=connected (drivers/nvme/host/core.c: nvme_start_ctrl(), since 5.18).
 */
static int udev_line(const struct ta_step *s, struct ta_buf *ret)
{
	bool nvme = !strncmp(s->target, NVME, strlen(NVME));
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT, device = TA_BUF_INIT;
	const char *name, *attr;

	if (s->knob != &ta_knob_attr || (!nvme && strncmp(s->target, BLOCK, strlen(BLOCK)) != 0))
		return -ENOENT;
	name = s->target + strlen(nvme ? NVME : BLOCK);
	attr = strchr(name, '/');
	if (!attr)
		return -ENOENT;
	ta_buf_add(&device, name, (size_t)(attr - name));
	ta_buf_adds(&line, nvme ? "ACTION==\"change\", SUBSYSTEM==\"nvme\", ENV{NVME_EVENT}==\"connected\", KERNEL=="
				: "ACTION==\"add|change\", SUBSYSTEM==\"block\", KERNEL==");
	if (ta_udev_quote(&line, ta_buf_text(&device), NULL) < 0)
		return -ENOENT;
	ta_buf_printf(&line, ", ATTR{%s}=\"%s\"\n", attr + 1, s->after);
	ta_buf_adds(ret, ta_buf_text(&line));
	return device.error ?: line.error ?: ret->error;
}

int ta_keep_line(const char *path, const struct ta_step *step, const struct ta_facts *facts, struct ta_buf *ret)
{
	static const struct {
		const char *path;
		int (*line)(const struct ta_step *s, struct ta_buf *ret);
	} files[] = {
		{TA_OWN_SYSCTL, sysctl_line},
		{TA_OWN_TMPFILES, tmpfiles_line},
		{TA_OWN_MODULES, modules_line},
		{TA_OWN_UDEV, udev_line},
	};

	if (!strcmp(path, TA_OWN_BOOT))
		return ta_boot_line_make(step, facts, ret);
	for (size_t i = 0; i < TA_ARRAY_SIZE(files); i++)
		if (!strcmp(files[i].path, path))
			return files[i].line(step, ret);
	return -ENOENT;
}

/* --- modules that have to be there -------------------------------------------------------- */

/* net/netfilter/nf_conntrack_standalone.c; the other one that sysctls come with has none in the table. */
#define CONNTRACK "nf_conntrack"

bool ta_keep_is_sysctl_module(const char *name)
{
	return !strcmp(name, CONNTRACK);
}

const char *ta_keep_module(const char *path, const char *line)
{
	const struct ta_sysctl_sink *sink;
	ta_cleanup_buf struct ta_buf key = TA_BUF_INIT;

	if (strcmp(path, TA_OWN_SYSCTL) != 0)
		return NULL;
	ta_buf_add(&key, line, strcspn(line, " "));
	sink = key.error ? NULL : ta_sysctl_sink(ta_buf_text(&key));
	return sink && (sink->flags & TA_SINK_MODULE) ? CONNTRACK : NULL;
}
