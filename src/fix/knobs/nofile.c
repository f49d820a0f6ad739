/*
 * "nginx.service" = "65536" or "none": the descriptor limit in a drop-in of ours for a unit of systemd. "login": in a file of ours
 * for pam_limits(8). A file of that name with other text in it is somebody else's: it is not read as a value, and so
 * never written over.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "fix/describe.h"
#include "host/change.h"

#define LOGIN "login"
#define LOGIN_FILE "/etc/security/limits.d/90-tuneaudit.conf"
#define VALUE_MAX (1 << 30) /* fs.nr_open cannot be more, fs/file.c: sysctl_nr_open_max */
#define FILE_CAP 4096

static bool is_login(const char *target)
{
	return !strcmp(target, LOGIN);
}

static bool is_limit(const char *value)
{
	int64_t n;

	return !value[strspn(value, "0123456789")] && ta_parse_i64(value, &n) == 0 && n >= 1024 && n <= VALUE_MAX;
}

static int check(const char *target, const char *value, enum ta_value_use use, struct ta_err *err)
{
	if (!is_login(target) && !ta_unit_name_valid(target, ".service"))
		return ta_err_set(err, -EPERM, "'%.200s' is no service", target);
	if (value && !is_limit(value) && (use == TA_VALUE_WISHED || strcmp(value, "none")))
		return ta_err_set(err, -EINVAL, "the descriptor limit of %s cannot be '%.40s'", target, value);
	return 0;
}

static void add_path(const char *target, struct ta_buf *b)
{
	if (is_login(target))
		ta_buf_adds(b, LOGIN_FILE);
	else
		ta_buf_printf(b, "/etc/systemd/system/%s.d/50-tuneaudit.conf", target);
}

/* Whose it is; without quotes and digits, which would end the command, or be the value. */
#define MARK "# From tuneaudit, whose rollback takes it back.\n"

/* For root by name: "*" does not mean it (limits.conf(5)). */
static void add_text(const char *target, const char *value, struct ta_buf *b)
{
	if (is_login(target))
		ta_buf_printf(b, MARK "* - nofile %s\nroot - nofile %s\n", value, value);
	else
		ta_buf_printf(b, MARK "[Service]\nLimitNOFILE=%s\n", value);
}

void ta_nofile_file(const char *target, const char *value, struct ta_buf *path, struct ta_buf *text)
{
	add_path(target, path);
	add_text(target, value, text);
}

/* The number in a text of ours: the text is made again from it and must be the same. */
static int value_of(const char *target, const char *text, struct ta_buf *ret)
{
	ta_cleanup_buf struct ta_buf again = TA_BUF_INIT;
	const char *digits = text + strcspn(text, "0123456789");

	ta_buf_add(ret, digits, strspn(digits, "0123456789"));
	if (ret->error || !is_limit(ta_buf_text(ret)))
		return -EBADMSG;
	add_text(target, ta_buf_text(ret), &again);
	return again.error ?: strcmp(ta_buf_text(&again), text) ? -EBADMSG : 0;
}

static int read_value(struct ta_host *h, const char *target, struct ta_buf *ret, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT, text = TA_BUF_INIT;
	int rc;

	ta_buf_reset(ret);
	add_path(target, &path);
	rc = path.error ?: ta_host_own(h, ta_buf_text(&path), FILE_CAP, &text);
	if (rc == -ENOENT) {
		ta_buf_adds(ret, "none");
		return ret->error;
	}
	if (rc == 0)
		rc = value_of(target, ta_buf_text(&text), ret);
	if (rc == -EBADMSG)
		return ta_err_set(err, rc, "%s is there, and not from this program", ta_buf_text(&path));
	return rc < 0 ? ta_err_set(err, rc, "cannot read %s: %s", ta_buf_text(&path),
				ta_host_is_live(h) ? ta_errno_text(rc) : "this capture does not hold it") : 0;
}

static int write_value(struct ta_host *h, const char *target, const char *value, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT, text = TA_BUF_INIT;
	bool parent = !is_login(target);
	int rc;

	ta_nofile_file(target, value, &path, &text);
	rc = path.error ?: text.error;
	if (rc == 0 && strcmp(value, "none"))
		rc = ta_host_put(h, ta_buf_text(&path), ta_buf_text(&text), 0644, parent);
	else if (rc == 0)
		rc = ta_host_unlink(h, ta_buf_text(&path), parent);
	return rc < 0 ? ta_err_set(err, rc, "cannot write %s: %s", ta_buf_text(&path), ta_errno_text(rc)) : 0;
}

static void add_printf(struct ta_buf *b, const char *text, const char *path)
{
	ta_buf_adds(b, "printf '");
	for (; *text; text++) {
		if (*text == '\n')
			ta_buf_adds(b, "\\n");
		else
			ta_buf_addc(b, *text);
	}
	ta_buf_adds(b, "' > ");
	ta_shell_quote(b, path);
	ta_buf_addc(b, '\n');
}

static void add_restart(const char *target, struct ta_buf *b)
{
	ta_buf_adds(b, "systemctl daemon-reload\n# the restart ends its connections\nsystemctl restart -- ");
	ta_shell_quote(b, target);
	ta_buf_addc(b, '\n');
}

static void command(const char *target, const char *value, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT, text = TA_BUF_INIT, dir = TA_BUF_INIT;
	bool none = !strcmp(value, "none");

	ta_nofile_file(target, value, &path, &text);
	ta_buf_add(&dir, path.data, (size_t)(strrchr(ta_buf_text(&path), '/') - path.data));
	if (none) {
		ta_buf_adds(b, "rm -f ");
		ta_shell_quote(b, ta_buf_text(&path));
		ta_buf_addc(b, '\n');
	} else {
		ta_buf_adds(b, "mkdir -p ");
		ta_shell_quote(b, ta_buf_text(&dir));
		ta_buf_addc(b, '\n');
		add_printf(b, ta_buf_text(&text), ta_buf_text(&path));
	}
	if (!is_login(target))
		add_restart(target, b);
}

const struct ta_knob ta_knob_nofile = {
	.name = "nofile",
	.order = TA_ORDER_FILE,
	.leaves_traces = true,
	.check = check,
	.read = read_value,
	.write = write_value,
	.command = command,
};
