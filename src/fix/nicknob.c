/*
 * Numbers of a driver: what is equal already is not sent, since some drivers take the link down for any request; of the rest
 * only the fields that differ are named, since one that a driver does not know makes it refuse all.
 */
#include "fix/nicknob.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>

#include "base/num.h"
#include "host/change.h"
#include "nic/link.h"

int ta_nic_target_parse(const char *target, bool fields, struct ta_nic_target *ret, struct ta_err *err)
{
	size_t len = strcspn(target, " ");

	if (!ta_nic_name_valid(target, len))
		return ta_err_set(err, -EINVAL, "'%.40s' can be no interface", target);
	memcpy(ret->ifname, target, len);
	ret->ifname[len] = '\0';
	ret->field = target[len] ? target + len + 1 : NULL;
	if (ret->field && !fields)
		return ta_err_set(err, -EINVAL, "'%.40s' can be no interface", target);
	return 0;
}

static const char *reason(int rc)
{
	switch (rc) {
	case -EOPNOTSUPP:
		return "its driver cannot";
	case -EPERM:
	case -EACCES:
		return "not permitted; it takes CAP_NET_ADMIN in its network namespace";
	case -ENODEV:
		return "there is no such interface in this network namespace";
	case -EBUSY:
		return "the device is busy";
	case -ENODATA:
		return "this capture does not hold it";
	}
	return ta_errno_text(rc);
}

int ta_nic_fail(struct ta_err *err, int rc, const char *ifname, const char *what)
{
	struct ta_err kernel = {0};

	/* "Invalid argument (requested channel count exceeds maximum)" */
	if (err && strchr(err->text, '('))
		kernel = *err;
	if (kernel.text[0])
		return ta_err_set(err, rc, "%s: %s: %.300s", ifname, what, kernel.text);
	return ta_err_set(err, rc, "%s: %s: %s", ifname, what, reason(rc));
}

/* "CapEff:\t000001ffffffffff" of /proc/self/status */
static int find_capabilities(const char *line, size_t len, void *ctx)
{
	static const char key[] = "CapEff:\t";

	if (strncmp(line, key, strlen(key)) == 0)
		ta_parse_hex(line + strlen(key), ctx);
	return 0;
}

int ta_nic_may(struct ta_host *h, const char *target)
{
	uint64_t capabilities = 0;
	int rc = ta_host_lines(h, "/proc/self/status", find_capabilities, &capabilities);

	if (rc < 0) /* then it has to be tried */
		return 0;
	return capabilities >> CAP_NET_ADMIN & 1 ? 0 : -EPERM;
}

bool ta_nic_add_ethtool(struct ta_buf *b, const char *option, const char *ifname)
{
	/* netlink/netlink.c of ethtool: WILDCARD_DEVNAME */
	if (strcmp(ifname, "*") == 0) {
		ta_buf_adds(b, "# ethtool takes '*' for all interfaces: give it another name first (ip link set dev '*' name …)\n");
		return false;
	}
	ta_buf_printf(b, "ethtool %s ", option);
	ta_shell_quote(b, ifname);
	return true;
}

/* --- groups -------------------------------------------------------------------- */

/* The value of a target: all fields, or the one. */
static int parse(const struct ta_nic_group *g, const struct ta_nic_target *t, const char *value, struct ta_nic_values *ret)
{
	struct ta_nic_values want = {0};
	int param, rc;

	if (!t->field)
		return ta_nic_values_parse(g, value, ret);
	param = ta_nic_param_find(g, t->field);
	if (param < 0)
		return -EINVAL;
	rc = ta_nic_param_parse(g, param, value, &want.v[param]);
	want.have = 1u << param;
	if (rc == 0)
		*ret = want;
	return rc;
}

int ta_nic_group_overlay(const struct ta_nic_group *g, const struct ta_nic_target *t, const char *value,
	struct ta_nic_values *ret)
{
	struct ta_nic_values want;
	int rc = parse(g, t, value, &want);

	for (size_t i = 0; rc == 0 && i < g->n; i++)
		if (want.have & 1u << i)
			ret->v[i] = want.v[i];
	if (rc == 0)
		ret->have |= want.have;
	return rc;
}

int ta_nic_group_check(const struct ta_nic_group *g, const char *target, const char *value, enum ta_value_use use,
	struct ta_err *err)
{
	struct ta_nic_values want;
	struct ta_nic_target t;
	int rc = ta_nic_target_parse(target, true, &t, err);

	if (rc < 0)
		return rc;
	if (t.field && ta_nic_param_find(g, t.field) < 0)
		return ta_err_set(err, -EPERM, "%s: '%.40s' is none of its %s that may be written", t.ifname, t.field,
			g->name);
	if (value && parse(g, &t, value, &want) < 0)
		return ta_err_set(err, -EINVAL, "%s: '%.60s' can be no value of its %s", t.ifname, value,
			t.field ? t.field : g->name);
	for (size_t i = 0; value && use == TA_VALUE_WISHED && i < g->n; i++)
		if (want.have & 1u << i && want.v[i] > g->most_wished)
			return ta_err_set(err, -EINVAL, "%s: %s = %u is more than %u", t.ifname, g->params[i].name,
				want.v[i], g->most_wished);
	return 0;
}

int ta_nic_group_read(const struct ta_nic_group *g, struct ta_host *h, const char *target, struct ta_buf *ret,
	struct ta_err *err)
{
	struct ta_nic_values now;
	struct ta_nic_target t;
	int rc = ta_nic_target_parse(target, true, &t, err), param = -1;

	ta_buf_reset(ret);
	if (rc < 0)
		return rc;
	rc = ta_nic_values_read(h, g, t.ifname, &now);
	if (rc == 0 && t.field) {
		param = ta_nic_param_find(g, t.field);
		if (param < 0 || !(now.have & 1u << param))
			rc = -EOPNOTSUPP;
	}
	if (rc < 0) {
		ta_cleanup_buf struct ta_buf what = TA_BUF_INIT;

		ta_buf_printf(&what, "%s cannot be read", t.field ? t.field : g->name);
		return ta_nic_fail(err, rc, t.ifname, ta_buf_text(&what));
	}
	if (t.field)
		ta_nic_param_format(g, param, now.v[param], ret);
	else
		ta_nic_values_format(g, &now, ret);
	return ret->error;
}

/* What the device has not, and what is above its maximum, with the numbers that the kernel's EINVAL does not tell. */
static int check_limits(const struct ta_nic_group *g, const char *ifname, const struct ta_nic_values *now,
	const struct ta_nic_values *want, uint32_t which, struct ta_err *err)
{
	for (size_t i = 0; i < g->n; i++) {
		const char *name = g->params[i].name;

		if (!(which & 1u << i))
			continue;
		if (!(now->have & 1u << i))
			return ta_err_set(err, -EOPNOTSUPP, "%s: its driver has no %s %s", ifname, g->name, name);
		if (now->have_max & 1u << i && want->v[i] > now->max[i])
			return ta_err_set(err, -EINVAL, "%s: %s %s %u: %u at most", ifname, g->name, name, want->v[i],
				now->max[i]);
	}
	return 0;
}

static int send_netlink(struct ta_host *h, const struct ta_nic_group *g, const char *ifname,
	const struct ta_nic_values *want, uint32_t which, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf attrs = TA_BUF_INIT;
	struct ta_genl request = {.family = "ethtool", .cmd = g->set, .version = 1};

	ta_nic_values_request(g, ifname, want, which, &attrs);
	if (attrs.error)
		return attrs.error;
	request.attrs = attrs.data;
	request.attrs_len = attrs.len;
	return ta_host_set_genl(h, &request, err);
}

static int send_ioctl(struct ta_host *h, const struct ta_nic_group *g, const char *ifname,
	const struct ta_nic_values *want, uint32_t which)
{
	uint32_t words[32] = {g->ioctl_get};
	int rc = ta_host_ethtool(h, ifname, words, g->n_words * sizeof(*words));

	if (rc < 0)
		return rc;
	words[0] = g->ioctl_set;
	ta_nic_values_put_words(g, want, which, words);
	return ta_host_set_ethtool(h, ifname, words, g->n_words * sizeof(*words));
}

/* "channels cannot be set to combined=8" */
static void add_what(const struct ta_nic_group *g, const struct ta_nic_values *want, uint32_t which, struct ta_buf *b)
{
	struct ta_nic_values some = *want;

	some.have = which;
	ta_buf_printf(b, "%s cannot be set to ", g->name);
	ta_nic_values_format(g, &some, b);
}

int ta_nic_group_write(const struct ta_nic_group *g, struct ta_host *h, const char *target, const char *value,
	struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf what = TA_BUF_INIT;
	struct ta_nic_values now, want;
	struct ta_nic_target t;
	uint32_t which;
	int rc = ta_nic_target_parse(target, true, &t, err);

	if (rc == 0 && parse(g, &t, value, &want) < 0)
		rc = ta_err_set(err, -EINVAL, "%s: '%.60s' can be no value of its %s", t.ifname, value, g->name);
	if (rc < 0)
		return rc;
	rc = ta_nic_values_read(h, g, t.ifname, &now);
	if (rc < 0) {
		ta_buf_printf(&what, "%s cannot be read", g->name);
		return ta_nic_fail(err, rc, t.ifname, ta_buf_text(&what));
	}
	which = ta_nic_values_differ(&now, &want);
	if (!which)
		return 0;
	rc = check_limits(g, t.ifname, &now, &want, which, err);
	if (rc < 0)
		return rc;
	rc = now.by_ioctl ? send_ioctl(h, g, t.ifname, &want, which)
			  : send_netlink(h, g, t.ifname, &want, which, err);
	if (rc < 0) {
		add_what(g, &want, which, &what);
		return ta_nic_fail(err, rc, t.ifname, ta_buf_text(&what));
	}
	return 0;
}

void ta_nic_group_command(const struct ta_nic_group *g, const char *target, const char *value, struct ta_buf *b)
{
	struct ta_nic_values want;
	struct ta_nic_target t;

	if (ta_nic_target_parse(target, true, &t, NULL) < 0 || parse(g, &t, value, &want) < 0 ||
		!ta_nic_add_ethtool(b, g->option, t.ifname))
		return;
	for (size_t i = 0; i < g->n; i++) {
		if (!(want.have & 1u << i))
			continue;
		ta_buf_printf(b, " %s ", g->params[i].name);
		ta_nic_param_format(g, (int)i, want.v[i], b);
	}
	ta_buf_addc(b, '\n');
}
