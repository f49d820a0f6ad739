/*
 * The grammars of the files of ours. A line is taken apart into what it would set, which is held against the table of that
 * knob, and made again: only a line that comes out the same is one of ours.
 */
#include <errno.h>
#include <string.h>

#include "fix/bootline.h"
#include "fix/keep.h"
#include "fix/linkline.h"
#include "fix/sinks.h"

static int no_line(struct ta_err *err, const char *line)
{
	return ta_err_set(err, -EINVAL, "'%.200s' is no line that this program writes", line);
}

/* Is the line what keeps a step? `head` is its target, `value` what it is set to. */
static int check_step(const char *path, const char *line, const struct ta_knob *knob, const struct ta_buf *target,
	const struct ta_buf *value, enum ta_value_use use, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf again = TA_BUF_INIT;
	struct ta_step step = {.knob = knob, .target = (char *)ta_buf_text(target), .after = (char *)ta_buf_text(value)};
	int rc = target->error ?: value->error ?: ta_knob_check(knob->name, step.target, step.after, use, err);

	if (rc == 0)
		rc = ta_keep_line(path, &step, NULL, &again);
	if (rc < 0)
		return rc == -ENOENT ? no_line(err, line) : rc;
	again.data[again.len - 1] = '\0'; /* its newline */
	return strcmp(again.data, line) ? no_line(err, line) : 0;
}

/* --- sysctl.d(5) --------------------------------------------------------------------- */

#define IS " = "

static size_t sysctl_key(const char *line)
{
	const char *is = strstr(line, IS);

	return is ? (size_t)(is - line) : strlen(line);
}

static int sysctl_check(const char *line, enum ta_value_use use, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf key = TA_BUF_INIT, value = TA_BUF_INIT;
	size_t n = sysctl_key(line);

	if (!line[n])
		return no_line(err, line);
	ta_buf_add(&key, line, n);
	ta_buf_adds(&value, line + n + strlen(IS));
	return check_step(TA_OWN_SYSCTL, line, &ta_knob_sysctl, &key, &value, use, err);
}

/* --- tmpfiles.d(5) -------------------------------------------------------------------- */

#define WRITE "w "
#define NO_MODE " - - - - "

static size_t tmpfiles_key(const char *line)
{
	const char *mode = strstr(line, NO_MODE);

	return mode ? (size_t)(mode - line) : strlen(line);
}

/* Without the doubling of percent signs. */
static void add_plain(struct ta_buf *b, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		ta_buf_addc(b, text[i]);
		i += text[i] == '%' && i + 1 < len && text[i + 1] == '%';
	}
}

static int tmpfiles_check(const char *line, enum ta_value_use use, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT, value = TA_BUF_INIT;
	size_t n = tmpfiles_key(line);

	if (strncmp(line, WRITE, strlen(WRITE)) != 0 || n < strlen(WRITE) || !line[n])
		return no_line(err, line);
	add_plain(&path, line + strlen(WRITE), n - strlen(WRITE));
	add_plain(&value, line + n + strlen(NO_MODE), strlen(line + n + strlen(NO_MODE)));
	return check_step(TA_OWN_TMPFILES, line, &ta_knob_attr, &path, &value, use, err);
}

/* --- modules-load.d(5) ----------------------------------------------------------------- */

static size_t whole_line(const char *line)
{
	return strlen(line);
}

/* Those that are loaded because a rule wants it, and those that sysctls of the table come with. */
static int modules_check(const char *line, enum ta_value_use use, struct ta_err *err)
{
	if (ta_keep_is_sysctl_module(line))
		return 0;
	return ta_knob_check("module", line, "loaded", use, err);
}

/* --- udev(7) ----------------------------------------------------------------------------- */

static size_t udev_key(const char *line)
{
	const char *last = NULL;

	for (const char *s = line; (s = strstr(s, "=\"")); s++)
		last = s;
	return last ? (size_t)(last - line) : strlen(line);
}

/* A new scheduler begins with its own depth: it comes first. */
static int udev_rank(const char *line)
{
	return !strstr(line, "ATTR{queue/scheduler}");
}

/* What stands in quotes, or in braces, behind `before`. */
static bool add_between(struct ta_buf *b, const char *line, const char *before, char end)
{
	const char *from = strstr(line, before), *to;

	from = from ? from + strlen(before) : NULL;
	to = from ? strchr(from, end) : NULL;
	if (to)
		ta_buf_add(b, from, (size_t)(to - from));
	return to;
}

static int udev_check(const char *line, enum ta_value_use use, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf device = TA_BUF_INIT, attr = TA_BUF_INIT, value = TA_BUF_INIT, path = TA_BUF_INIT;
	bool nvme = strstr(line, "SUBSYSTEM==\"nvme\"");

	if (!add_between(&device, line, "KERNEL==\"", '"') || !add_between(&attr, line, "ATTR{", '}') ||
		!add_between(&value, line, "}=\"", '"'))
		return no_line(err, line);
	ta_buf_printf(&path, nvme ? "/sys/class/nvme/%s/%s" : "/sys/block/%s/%s", ta_buf_text(&device), ta_buf_text(&attr));
	return device.error ?: attr.error ?: check_step(TA_OWN_UDEV, line, &ta_knob_attr, &path, &value, use, err);
}

/* --- at boot, by this program --------------------------------------------------------------- */

static int boot_check(const char *line, enum ta_value_use use, struct ta_err *err)
{
	ta_cleanup_boot_line struct ta_boot_line l = {0};

	return ta_boot_line_parse(line, use, &l, err);
}

/* A path of this program, in which neither systemd nor a shell finds more than letters. */
static bool is_program(const char *path, size_t len)
{
	static const char name[] = "/tuneaudit";
	size_t n = sizeof(name) - 1;

	return *path == '/' && len >= n && !strncmp(path + len - n, name, n) &&
	       strspn(path, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+-") == len;
}

static int starter_check(const char *line, enum ta_value_use use, struct ta_err *err)
{
	size_t len = strcspn(line, " ");

	return is_program(line, len) && !strcmp(line + len, " boot") ? 0 : no_line(err, line);
}

static int wants_check(const char *line, enum ta_value_use use, struct ta_err *err)
{
	return !strcmp(line, "tuneaudit-boot.service") ? 0 : no_line(err, line);
}

/* Late, since others set the same things when they start; and never so that the boot waits for what is gone. */
#define UNIT_BEFORE "[Unit]\n" \
	"Description=Settings that tuneaudit keeps (" TA_OWN_BOOT ")\n" \
	"ConditionPathExists=" TA_OWN_BOOT "\n" \
	"After=network.target systemd-sysctl.service systemd-tmpfiles-setup.service irqbalance.service tuned.service\n" \
	"\n" \
	"[Service]\n" \
	"Type=oneshot\n" \
	"ExecStart="
#define UNIT_BEHIND "\n" \
	"TimeoutStartSec=120\n"

/* ------------------------------------------------------------------------------------------ */

const struct ta_own_kind ta_own_kinds[] = {
	{.path = TA_OWN_SYSCTL, .mode = 0644, .key = sysctl_key, .check = sysctl_check},
	{.path = TA_OWN_TMPFILES, .mode = 0644, .key = tmpfiles_key, .check = tmpfiles_check},
	{.path = TA_OWN_MODULES, .mode = 0644, .key = whole_line, .check = modules_check},
	{.path = TA_OWN_UDEV, .mode = 0644, .key = udev_key, .rank = udev_rank, .check = udev_check},
	{.path = TA_OWN_LINK, .mode = 0644, .key = ta_link_key, .check = ta_link_check, .check_base = ta_link_check_base},
	{.path = TA_OWN_BOOT, .mode = 0644, .key = ta_boot_line_key, .check = boot_check},
	{.path = TA_OWN_UNIT, .mode = 0644, .key = whole_line, .check = starter_check, .before = UNIT_BEFORE, .behind = UNIT_BEHIND},
	{.path = TA_OWN_WANTS, .mode = 0644, .key = whole_line, .check = wants_check, .before = "[Unit]\nWants=", .behind = "\n"},
	{.path = TA_OWN_RC, .mode = 0755, .key = whole_line, .check = starter_check, .first = "#!/bin/sh\n",
		.before = "[ \"$1\" = boot ] && exec ", .behind = "\n"},
};

const size_t ta_n_own_kinds = TA_ARRAY_SIZE(ta_own_kinds);
