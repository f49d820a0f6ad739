/*
 * "net.ipv4.tcp_rmem": a sysctl of the table in sinks.c, of the network namespace that we are in. The canonical value is
 * its numbers with one blank between, or its word.
 */
#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "fix/describe.h"
#include "fix/sinks.h"
#include "fix/step.h"
#include "host/change.h"

static int check_word(const struct ta_sysctl_sink *sink, const char *value, struct ta_err *err)
{
	if (*value && strlen(value) <= 15 && !value[strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789_-")])
		return 0;
	return ta_err_set(err, -EINVAL, "%s: '%.40s' can be no such name", sink->key, value);
}

static bool in_range(const struct ta_sysctl_sink *sink, int64_t v)
{
	return (v >= sink->min && v <= sink->max) || (sink->unlimited != INT64_MIN && v == sink->unlimited);
}

/* Files hold what the kernel printed: unsigned long there may lie above INT64_MAX, and never is wished. */
static int next_number(const char **text, enum ta_value_use use, int64_t *ret)
{
	const char *start = *text;
	uint64_t u;
	int rc = ta_next_i64(text, ret);

	if (rc != -ERANGE || use == TA_VALUE_WISHED)
		return rc;
	*text = start;
	*ret = INT64_MAX;
	return ta_next_u64(text, &u);
}

static int check_numbers(const struct ta_sysctl_sink *sink, const char *value, enum ta_value_use use, struct ta_err *err)
{
	const char *rest = value;
	int64_t v = 0, last = INT64_MIN;

	for (unsigned i = 0; i < sink->n; i++) {
		if (next_number(&rest, use, &v) < 0)
			return ta_err_set(err, -EINVAL, "%s: '%.60s' is not %u number%s", sink->key, value, sink->n,
				sink->n > 1 ? "s" : "");
		if (use == TA_VALUE_FOUND)
			continue;
		if (!in_range(sink, v))
			return ta_err_set(err, -EINVAL, "%s: %lld is outside %lld … %lld", sink->key, (long long)v,
				(long long)sink->min, (long long)sink->max);
		if ((sink->flags & TA_SINK_RISING) && v < last)
			return ta_err_set(err, -EINVAL, "%s: %lld above %lld", sink->key, (long long)last, (long long)v);
		last = v;
	}
	if (rest[strspn(rest, " ")])
		return ta_err_set(err, -EINVAL, "%s: '%.60s' has more than %u element%s", sink->key, value, sink->n,
			sink->n > 1 ? "s" : "");
	return 0;
}

static int check(const char *target, const char *value, enum ta_value_use use, struct ta_err *err)
{
	const struct ta_sysctl_sink *sink = ta_sysctl_forbidden(target) ? NULL : ta_sysctl_sink(target);

	if (!sink)
		return ta_err_set(err, -EPERM, "%.100s is not in the table of sysctls that may be written", target);
	if (!value)
		return 0;
	return sink->flags & TA_SINK_WORD ? check_word(sink, value, err) : check_numbers(sink, value, use, err);
}

static void add_path(struct ta_buf *b, const char *key)
{
	ta_buf_adds(b, "/proc/sys/");
	for (; *key; key++)
		ta_buf_addc(b, *key == '.' ? '/' : *key);
}

/* Words with one blank between. */
static void add_words(struct ta_buf *b, const char *text)
{
	const char *sep = "";

	for (;;) {
		size_t n;

		text += strspn(text, " \t\n");
		n = strcspn(text, " \t\n");
		if (!n)
			return;
		ta_buf_adds(b, sep);
		ta_buf_add(b, text, n);
		text += n;
		sep = " ";
	}
}

static int read_value(struct ta_host *h, const char *target, struct ta_buf *ret, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT, text = TA_BUF_INIT;
	int rc;

	add_path(&path, target);
	rc = path.error ?: ta_host_read(h, ta_buf_text(&path), TA_READ_CAP, &text);
	if (rc < 0)
		return ta_err_set(err, rc, "cannot read %s: %s", target, ta_errno_text(rc));
	ta_buf_reset(ret);
	add_words(ret, ta_buf_text(&text));
	return ret->error;
}

/*
 * Of the two ways to say how much may be dirty the one that is set makes the other 0 (mm/page-writeback.c:
 * dirty_ratio_handler()), and 0 cannot be written.
 */
static const char *const rivals[][2] = {
	{"vm.dirty_bytes", "vm.dirty_ratio"},
	{"vm.dirty_background_bytes", "vm.dirty_background_ratio"},
};

static const char *rival(const char *target)
{
	for (size_t i = 0; i < TA_ARRAY_SIZE(rivals); i++)
		for (size_t k = 0; k < 2; k++)
			if (!strcmp(target, rivals[i][k]))
				return rivals[i][!k];
	return NULL;
}

/*
 * Outside the host's own network namespace only what is in the list of allowed ones can be set (net/ipv4/tcp_cong.c:
 * tcp_set_default_congestion_control()), so what is in use may have no way back.
 */
static int may_come_back(struct ta_host *h)
{
	ta_cleanup_buf struct ta_buf now = TA_BUF_INIT, allowed = TA_BUF_INIT;
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	int rc;

	if (ta_host_exists(h, "/proc/sys/net/core/netdev_max_backlog")) /* of the host's own alone */
		return 0;
	rc = read_value(h, "net.ipv4.tcp_congestion_control", &now, NULL);
	if (rc == 0)
		rc = ta_host_read(h, "/proc/sys/net/ipv4/tcp_allowed_congestion_control", TA_READ_CAP, &allowed);
	ta_strv_split(&names, ta_buf_text(&allowed), " \n");
	return rc < 0 ? rc : ta_strv_has(&names, ta_buf_text(&now)) ? 0 : -EPERM;
}

static int may(struct ta_host *h, const char *target)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;
	int rc;

	add_path(&path, target);
	rc = path.error ?: ta_host_may_set(h, ta_buf_text(&path));
	if (rc == 0 && !strcmp(target, "net.ipv4.tcp_congestion_control"))
		rc = may_come_back(h);
	return rc;
}

static int write_value(struct ta_host *h, const char *target, const char *value, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;
	int rc;

	if (rival(target) && !strcmp(value, "0"))
		return 0;
	add_path(&path, target);
	rc = path.error ?: ta_host_set(h, ta_buf_text(&path), value);
	return rc < 0 ? ta_err_set(err, rc, "cannot set %s to %s: %s", target, value, ta_errno_text(rc)) : 0;
}

static void command(const char *target, const char *value, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf word = TA_BUF_INIT;

	ta_buf_printf(&word, "%s=%s", target, value);
	ta_buf_adds(b, "sysctl -w ");
	ta_shell_quote(b, ta_buf_text(&word));
	ta_buf_addc(b, '\n');
}

static int coupled(struct ta_host *h, const char *target, struct ta_steps *ret, struct ta_err *err)
{
	const char *other = rival(target);

	if (other)
		ta_steps_add(ret, &ta_knob_sysctl, other, NULL);
	/* net/sched/sch_api.c: qdisc_set_default(), net/ipv4/tcp_cong.c: tcp_ca_find_autoload() */
	if (!strcmp(target, "net.core.default_qdisc"))
		ta_modules_coupled("sch_", ret);
	if (!strcmp(target, "net.ipv4.tcp_congestion_control"))
		ta_modules_coupled("tcp_", ret);
	return ret->error;
}

const struct ta_knob ta_knob_sysctl = {
	.name = "sysctl",
	.order = TA_ORDER_SYSCTL,
	.check = check,
	.read = read_value,
	.may = may,
	.write = write_value,
	.rival = rival,
	.command = command,
	.coupled = coupled,
};
