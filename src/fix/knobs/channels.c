/*
 * "eth0 combined": how many queues of a kind an interface has; "eth0": all its counts in one request, "rx=0 tx=0 other=1
 * combined=8". Most drivers reset all queues for it, many take the link down for seconds.
 */
#include <errno.h>
#include <string.h>

#include "fix/nicknob.h"
#include "fix/step.h"
#include "nic/rss.h"

static uint32_t count(const struct ta_nic_values *v, const char *name)
{
	int param = ta_nic_param_find(&ta_nic_channels, name);

	return v->have & 1u << param ? v->v[param] : 0;
}

static int check(const char *target, const char *value, enum ta_value_use use, struct ta_err *err)
{
	struct ta_nic_values want;
	int rc = ta_nic_group_check(&ta_nic_channels, target, value, use, err);

	if (rc < 0 || !value)
		return rc;
	/* Of one kind alone there may be none where the others are enough: the kernel knows. Nobody wishes for none. */
	if (use == TA_VALUE_WISHED && strcmp(value, "0") == 0)
		return ta_err_set(err, -EINVAL, "%s: no queue at all is nothing to wish for", target);
	if (strchr(target, ' '))
		return 0;
	ta_nic_values_parse(&ta_nic_channels, value, &want);
	/* net/ethtool/channels.c */
	if (!count(&want, "combined") && (!count(&want, "rx") || !count(&want, "tx")))
		return ta_err_set(err, -EINVAL, "%s: '%.60s' leaves no queue to receive or none to send", target, value);
	return 0;
}

static int read_value(struct ta_host *h, const char *target, struct ta_buf *ret, struct ta_err *err)
{
	return ta_nic_group_read(&ta_nic_channels, h, target, ret, err);
}

/* The highest queue that the RSS table points to, -1: none. */
static int64_t last_of_table(struct ta_host *h, const char *ifname)
{
	ta_cleanup_nic_rss struct ta_nic_rss rss = TA_NIC_RSS_INIT;
	int64_t last = -1;

	if (ta_nic_rss_read(h, ifname, &rss) < 0)
		return -1;
	for (size_t i = 0; i < rss.n; i++)
		last = TA_MAX(last, (int64_t)rss.table[i]);
	return last;
}

/*
 * A table that somebody set is kept by the kernel, and counts that do not fit it are refused (net/ethtool/channels.c:
 * ethtool_check_max_channel()). It was his choice: it is not thrown away here.
 */
static int explain(struct ta_host *h, const char *target, const char *value, int rc, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf name = TA_BUF_INIT;
	struct ta_nic_values rest = {0};
	struct ta_nic_target t;
	int64_t last;

	ta_nic_target_parse(target, true, &t, NULL);
	ta_nic_values_read(h, &ta_nic_channels, t.ifname, &rest);
	if (ta_nic_group_overlay(&ta_nic_channels, &t, value, &rest) < 0)
		return rc;
	last = rc == -EINVAL ? last_of_table(h, t.ifname) : -1;
	if (last < (int64_t)count(&rest, "rx") + count(&rest, "combined"))
		return rc;
	ta_shell_quote(&name, t.ifname);
	return ta_err_prefix(err, rc, "its RSS table points at queue %lld; if it was set by hand, 'ethtool -X %s default' gives it back",
		(long long)last, ta_buf_text(&name));
}

static int write_value(struct ta_host *h, const char *target, const char *value, struct ta_err *err)
{
	int rc = ta_nic_group_write(&ta_nic_channels, h, target, value, err);

	return rc < 0 ? explain(h, target, value, rc, err) : 0;
}

static void command(const char *target, const char *value, struct ta_buf *b)
{
	ta_nic_group_command(&ta_nic_channels, target, value, b);
}

static int coupled(struct ta_host *h, const char *target, struct ta_steps *ret, struct ta_err *err)
{
	struct ta_nic_target t;
	int rc = ta_nic_target_parse(target, true, &t, err);

	return rc < 0 ? rc : ta_nic_coupled_queues(h, t.ifname, &ta_knob_channels, ret);
}

const struct ta_knob ta_knob_channels = {
	.name = "channels",
	.order = TA_ORDER_QUEUES,
	.nic = true,
	.check = check,
	.read = read_value,
	.may = ta_nic_may,
	.write = write_value,
	.command = command,
	.coupled = coupled,
};
