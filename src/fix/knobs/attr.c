/*
 * "/sys/block/sda/queue/scheduler": an attribute of the table in attrs.c, its target the path.
 */
#include <errno.h>
#include <string.h>

#include "base/cpuset.h"
#include "base/num.h"
#include "fix/attrs.h"
#include "fix/describe.h"
#include "fix/step.h"
#include "host/change.h"

static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word);

	while (words && *words) {
		size_t n = strcspn(words, " ");

		if (n == len && !strncmp(words, word, n))
			return true;
		words += n + (words[n] == ' ');
	}
	return false;
}

static bool is_word(const char *s)
{
	return *s && strlen(s) < 64 &&
	       !s[strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-")];
}

static bool number_fits(const struct ta_attr *a, const char *value, enum ta_value_use use)
{
	int64_t v;

	if (has_word(a->words, value))
		return true;
	if (ta_parse_i64(value, &v) < 0 || value[strspn(value, "-0123456789")])
		return false;
	return use == TA_VALUE_FOUND || (v >= a->min && v <= a->max);
}

/* Digits, commas and dashes alone, so that no other way to write a set passes. */
static bool set_fits(const struct ta_attr *a, const char *value, enum ta_value_use use)
{
	ta_cleanup_cpuset struct ta_cpuset set = TA_CPUSET_INIT;
	bool mask = a->form == TA_ATTR_MASK;
	int rc;

	if (value[strspn(value, mask ? "0123456789abcdef," : "0123456789,-")])
		return false;
	rc = mask ? ta_cpuset_parse_mask(&set, value) : ta_cpuset_parse_list(&set, value);
	/* no CPU at all switches RPS and XPS off; an interrupt needs one */
	return rc == 0 && (mask || use == TA_VALUE_FOUND || ta_cpuset_count(&set));
}

static bool fits(const struct ta_attr *a, const char *value, enum ta_value_use use)
{
	switch (a->form) {
	case TA_ATTR_NUMBER:
		return number_fits(a, value, use);
	case TA_ATTR_WORD:
		return has_word(a->words, value) || (use == TA_VALUE_FOUND && is_word(value));
	default:
		return set_fits(a, value, use);
	}
}

static int check(const char *target, const char *value, enum ta_value_use use, struct ta_err *err)
{
	const struct ta_attr *a = ta_attr_find(target);

	if (!a || (value && a->found_only && use == TA_VALUE_WISHED))
		return ta_err_set(err, -EPERM, "%.200s is not in the table of attributes that may be written", target);
	if (value && !fits(a, value, use))
		return ta_err_set(err, -EINVAL, "%.200s cannot be '%.60s'", target, value);
	return 0;
}

static enum ta_knob_order order_of(const char *target)
{
	return ta_attr_find(target)->order;
}

/* "a [b] c": b; a text without brackets as it is. Cut in place. */
static const char *chosen(char *text)
{
	char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;

	if (!close)
		return text;
	*close = '\0';
	return open + 1;
}

static int canonical(const struct ta_attr *a, char *text, struct ta_buf *ret)
{
	ta_cleanup_cpuset struct ta_cpuset set = TA_CPUSET_INIT;
	int rc;

	switch (a->form) {
	case TA_ATTR_MASK:
		rc = ta_cpuset_parse_mask(&set, text);
		if (rc == 0)
			ta_cpuset_format_mask(&set, ret);
		return rc;
	case TA_ATTR_LIST:
		rc = ta_cpuset_parse_list(&set, text);
		if (rc == 0)
			ta_cpuset_format(&set, ret);
		return rc;
	case TA_ATTR_WORD:
		ta_buf_adds(ret, chosen(text));
		return 0;
	default:
		ta_buf_adds(ret, text);
		return 0;
	}
}

static int read_value(struct ta_host *h, const char *target, struct ta_buf *ret, struct ta_err *err)
{
	const struct ta_attr *a = ta_attr_find(target);
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = a ? ta_host_read(h, target, TA_READ_CAP, &text) : -EPERM;

	ta_buf_reset(ret);
	if (rc == 0)
		rc = text.len ? canonical(a, ta_strip(text.data), ret) : -ENODATA;
	if (rc == 0 && !fits(a, ta_buf_text(ret), TA_VALUE_FOUND))
		rc = -EBADMSG;
	if (rc < 0)
		return ta_err_set(err, rc, "cannot read %s: %s", target, ta_errno_text(rc));
	return ret->error;
}

/* In a user namespace of its own "root" may not steer packets: net/core/net-sysfs.c asks capable(), not ns_capable(). */
static bool is_host_root(struct ta_host *h)
{
	ta_cleanup_buf struct ta_buf map = TA_BUF_INIT;
	ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;

	if (ta_host_read(h, "/proc/self/uid_map", TA_READ_CAP, &map) < 0)
		return true; /* a kernel without user namespaces */
	ta_strv_split(&words, ta_buf_text(&map), " \n");
	return words.n == 3 && !strcmp(words.v[0], "0") && !strcmp(words.v[1], "0") && !strcmp(words.v[2], "4294967295");
}

static int may(struct ta_host *h, const char *target)
{
	const struct ta_attr *a = ta_attr_find(target);

	if (a && a->order == TA_ORDER_STEERING && !is_host_root(h))
		return -EPERM;
	return ta_host_may_set(h, target);
}

static int write_value(struct ta_host *h, const char *target, const char *value, struct ta_err *err)
{
	const struct ta_attr *a = ta_attr_find(target);
	int rc = ta_host_set(h, target, value);
	const char *why = rc < 0 && a && a->error ? a->error(rc) : NULL;

	return rc < 0 ? ta_err_set(err, rc, "cannot set %s to %s: %s", target, value, why ? why : ta_errno_text(rc)) : 0;
}

static int settle_s(struct ta_host *h, const char *target)
{
	const struct ta_attr *a = ta_attr_find(target);

	return a && a->settle_s ? a->settle_s(h) : -1;
}

static void remark(struct ta_host *h, const char *target, struct ta_buf *b)
{
	const struct ta_attr *a = ta_attr_find(target);

	if (a && a->remark)
		a->remark(h, target, b);
}

static void command(const char *target, const char *value, struct ta_buf *b)
{
	ta_shell_write(b, value, target);
}

static int coupled(struct ta_host *h, const char *target, struct ta_steps *ret, struct ta_err *err)
{
	const struct ta_attr *a = ta_attr_find(target);

	return a && a->coupled ? a->coupled(h, target, ret) : 0;
}

const struct ta_knob ta_knob_attr = {
	.name = "attr",
	.order_of = order_of,
	.check = check,
	.read = read_value,
	.may = may,
	.write = write_value,
	.settle_s = settle_s,
	.remark = remark,
	.command = command,
	.coupled = coupled,
};
