/*
 * "/etc/sysctl.d/90-tuneaudit.conf" = its whole text, "absent", or "nowhere" where there is not even a directory for it: a file of
 * ours out of the table in ownkinds.c. What stands there and is not ours reads as "foreign" with a sum, and is never written over.
 */
#include <errno.h>
#include <string.h>

#include "fix/ownfile.h"
#include "fix/step.h"
#include "fix/where.h"
#include "host/change.h"

static bool is_foreign(const char *value)
{
	return !strncmp(value, TA_OWN_FOREIGN, strlen(TA_OWN_FOREIGN));
}

static int check(const char *target, const char *value, enum ta_value_use use, struct ta_err *err)
{
	ta_cleanup_own struct ta_own own = {0};
	struct ta_err why = {0};
	int rc;

	if (value && use == TA_VALUE_FOUND && is_foreign(value))
		value = NULL;
	rc = ta_own_parse(target, value ? value : TA_OWN_ABSENT, &own, &why);
	if (rc == -EBADMSG)
		rc = -EINVAL;
	return rc < 0 ? ta_err_set(err, rc, "%s", why.text) : 0;
}

static void add_foreign(struct ta_buf *ret, const char *text)
{
	ta_buf_reset(ret);
	ta_buf_printf(ret, TA_OWN_FOREIGN " %016llx", (unsigned long long)ta_sum_add(TA_SUM_INIT, text));
}

static int read_missing(struct ta_host *h, const char *path, struct ta_buf *ret)
{
	ta_cleanup_buf struct ta_buf dir = TA_BUF_INIT;

	ta_buf_add(&dir, path, (size_t)(strrchr(path, '/') - path));
	ta_buf_adds(ret, ta_host_exists(h, ta_buf_text(&dir)) ? TA_OWN_ABSENT : TA_OWN_NOWHERE);
	return dir.error ?: ret->error;
}

static int read_value(struct ta_host *h, const char *target, struct ta_buf *ret, struct ta_err *err)
{
	ta_cleanup_own struct ta_own own = {0};
	int rc = ta_host_own(h, target, TA_KNOB_VALUE_MAX, ret);

	if (rc == -ENOENT)
		return read_missing(h, target, ret);
	/* A link, a directory, a device in its place, or more than we would write. */
	if (rc == -ELOOP || rc == -EISDIR || rc == -EBADMSG || rc == -EFBIG) {
		add_foreign(ret, ta_errno_text(rc));
		return ret->error;
	}
	if (rc < 0)
		return ta_err_set(err, rc, "cannot read %s: %s", target,
			ta_host_is_live(h) ? ta_errno_text(rc) : "this capture does not hold it");
	rc = strlen(ta_buf_text(ret)) == ret->len ? ta_own_parse(target, ta_buf_text(ret), &own, NULL) : -EBADMSG;
	if (rc == -EBADMSG || (rc == 0 && !own.n)) {
		ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

		ta_buf_adds(&text, ta_buf_text(ret));
		add_foreign(ret, ta_buf_text(&text));
		return text.error ?: ret->error;
	}
	return rc;
}

static int write_value(struct ta_host *h, const char *target, const char *value, struct ta_err *err)
{
	ta_cleanup_own struct ta_own own = {0};
	int rc = ta_own_parse(target, value, &own, err);

	if (rc < 0)
		return rc;
	if (own.n)
		rc = ta_host_put(h, target, value, own.kind->mode, own.made_dir);
	else
		rc = ta_host_unlink(h, target, own.made_dir);
	return rc < 0 ? ta_err_set(err, rc, "cannot write %s: %s", target, ta_errno_text(rc)) : 0;
}

static void command(const char *target, const char *value, struct ta_buf *b)
{
	ta_cleanup_own struct ta_own own = {0};

	if (ta_own_parse(target, value, &own, NULL) < 0)
		return;
	if (!own.n) {
		ta_buf_printf(b, "rm -f %s\n", target);
		return;
	}
	ta_buf_printf(b, "# what %s is to hold again:\n", target);
	for (size_t i = 0; i < own.n; i++)
		ta_buf_printf(b, "#   %s\n", own.v[i].text);
}

const struct ta_knob ta_knob_file = {
	.name = "file",
	.order = TA_ORDER_FILE,
	.leaves_traces = true,
	.text = true,
	.check = check,
	.read = read_value,
	.write = write_value,
	.command = command,
};
