/*
 * The tables: attributes of include/uapi/linux/ethtool_netlink.h, words of the structures in ethtool.h (6.12). What
 * later kernels add is left alone: nothing of it is changed by a request that does not name it.
 */
#include "nic/params.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <string.h>

#include "base/num.h"
#include "nic/abi.h"
#include "nic/ask.h"
#include "nic/attr.h"

/* net/ethtool/channels.c */
const struct ta_nic_group ta_nic_channels = {
	.name = "channels",
	.key = "ethtool/channels",
	.option = "-L",
	.get = TA_ETH_CHANNELS_GET,
	.reply = TA_ETH_CHANNELS_GET_REPLY,
	.set = TA_ETH_CHANNELS_SET,
	.ioctl_get = TA_ETHTOOL_GCHANNELS,
	.ioctl_set = TA_ETHTOOL_SCHANNELS,
	.n_words = 9,
	.most_wished = 1 << 12,
	.n = 4,
	.params = {
		{"rx", .attr = 6, .max_attr = 2, .word = 5, .max_word = 1},
		{"tx", .attr = 7, .max_attr = 3, .word = 6, .max_word = 2},
		{"other", .attr = 8, .max_attr = 4, .word = 7, .max_word = 3},
		{"combined", .attr = 9, .max_attr = 5, .word = 8, .max_word = 4},
	},
};

/* net/ethtool/rings.c */
const struct ta_nic_group ta_nic_rings = {
	.name = "rings",
	.key = "ethtool/rings",
	.option = "-G",
	.get = TA_ETH_RINGS_GET,
	.reply = TA_ETH_RINGS_GET_REPLY,
	.set = TA_ETH_RINGS_SET,
	.ioctl_get = TA_ETHTOOL_GRINGPARAM,
	.ioctl_set = TA_ETHTOOL_SRINGPARAM,
	.n_words = 9,
	.most_wished = 1 << 16,
	.n = 9,
	.params = {
		{"rx", .attr = 6, .max_attr = 2, .word = 5, .max_word = 1},
		{"rx-mini", .attr = 7, .max_attr = 3, .word = 6, .max_word = 2},
		{"rx-jumbo", .attr = 8, .max_attr = 4, .word = 7, .max_word = 3},
		{"tx", .attr = 9, .max_attr = 5, .word = 8, .max_word = 4},
		{"rx-buf-len", .attr = 10},
		{"cqe-size", .attr = 12},
		{"tx-push", .attr = 13, .flag = true},
		{"rx-push", .attr = 14, .flag = true},
		{"tx-push-buf-len", .attr = 15, .max_attr = 16},
	},
};

/* net/ethtool/coalesce.c */
const struct ta_nic_group ta_nic_coalesce = {
	.name = "coalesce",
	.key = "ethtool/coalesce",
	.option = "-C",
	.get = TA_ETH_COALESCE_GET,
	.reply = TA_ETH_COALESCE_GET_REPLY,
	.set = TA_ETH_COALESCE_SET,
	.ioctl_get = TA_ETHTOOL_GCOALESCE,
	.ioctl_set = TA_ETHTOOL_SCOALESCE,
	.n_words = 23,
	.most_wished = 1000000,
	.n = 27,
	.params = {
		{"adaptive-rx", .attr = 11, .word = 10, .flag = true},
		{"adaptive-tx", .attr = 12, .word = 11, .flag = true},
		{"stats-block-usecs", .attr = 10, .word = 9},
		{"sample-interval", .attr = 23, .word = 22},
		{"pkt-rate-low", .attr = 13, .word = 12},
		{"pkt-rate-high", .attr = 18, .word = 17},
		{"rx-usecs", .attr = 2, .word = 1},
		{"rx-frames", .attr = 3, .word = 2},
		{"rx-usecs-irq", .attr = 4, .word = 3},
		{"rx-frames-irq", .attr = 5, .word = 4},
		{"tx-usecs", .attr = 6, .word = 5},
		{"tx-frames", .attr = 7, .word = 6},
		{"tx-usecs-irq", .attr = 8, .word = 7},
		{"tx-frames-irq", .attr = 9, .word = 8},
		{"rx-usecs-low", .attr = 14, .word = 13},
		{"rx-frames-low", .attr = 15, .word = 14},
		{"tx-usecs-low", .attr = 16, .word = 15},
		{"tx-frames-low", .attr = 17, .word = 16},
		{"rx-usecs-high", .attr = 19, .word = 18},
		{"rx-frames-high", .attr = 20, .word = 19},
		{"tx-usecs-high", .attr = 21, .word = 20},
		{"tx-frames-high", .attr = 22, .word = 21},
		{"cqe-mode-rx", .attr = 25, .flag = true},
		{"cqe-mode-tx", .attr = 24, .flag = true},
		{"tx-aggr-max-bytes", .attr = 26},
		{"tx-aggr-max-frames", .attr = 27},
		{"tx-aggr-time-usecs", .attr = 28},
	},
};

/* --- reading ------------------------------------------------------------------------ */

static int take_number(const struct nlmsghdr *nlh, unsigned attr, bool flag, uint32_t *ret, uint32_t *have, uint32_t bit)
{
	const struct nlattr *a = attr ? ta_nic_attr_genl(nlh, attr) : NULL;
	int64_t v;

	if (!a)
		return 0;
	if (ta_nic_attr_number(a, flag ? 1 : 4, &v) < 0)
		return -EBADMSG;
	*ret = flag ? v != 0 : (uint32_t)v;
	*have |= bit;
	return 0;
}

int ta_nic_values_decode(const struct ta_nic_group *g, const struct nlmsghdr *nlh, struct ta_nic_values *ret)
{
	struct ta_nic_values got = {0};

	for (size_t i = 0; i < g->n; i++) {
		const struct ta_nic_param *p = &g->params[i];
		uint32_t bit = 1u << i;

		if (take_number(nlh, p->attr, p->flag, &got.v[i], &got.have, bit) < 0 ||
			take_number(nlh, p->max_attr, false, &got.max[i], &got.have_max, bit) < 0)
			return -EBADMSG;
	}
	*ret = got;
	return 0;
}

void ta_nic_values_take_words(const struct ta_nic_group *g, const uint32_t *words, struct ta_nic_values *ret)
{
	struct ta_nic_values got = {.by_ioctl = true};

	for (size_t i = 0; i < g->n; i++) {
		const struct ta_nic_param *p = &g->params[i];

		if (!p->word || (p->max_word && !words[p->max_word]))
			continue;
		got.have |= 1u << i;
		got.v[i] = p->flag ? words[p->word] != 0 : words[p->word];
		if (p->max_word) {
			got.have_max |= 1u << i;
			got.max[i] = words[p->max_word];
		}
	}
	*ret = got;
}

struct reading {
	const struct ta_nic_group *g;
	struct ta_nic_values *ret;
};

static int on_reply(const struct nlmsghdr *nlh, void *ctx)
{
	struct reading *r = ctx;

	return ta_nic_values_decode(r->g, nlh, r->ret);
}

int ta_nic_values_read(struct ta_host *h, const struct ta_nic_group *g, const char *ifname, struct ta_nic_values *ret)
{
	struct ta_nic_values got = {0};
	struct reading r = {g, &got};
	uint32_t words[32] = {g->ioctl_get};
	int rc = ta_nic_ask(h, g->key, g->get, g->reply, ifname, on_reply, &r);

	if (rc == -EOPNOTSUPP || rc == -ENODATA) {
		int by_ioctl = ta_host_ethtool(h, ifname, words, g->n_words * sizeof(*words));

		if (by_ioctl < 0) /* in a namespace whose /sys is another's the door does not let this through */
			return by_ioctl == -ENODEV || by_ioctl == -ENODATA ? rc : by_ioctl;
		ta_nic_values_take_words(g, words, &got);
		rc = 0;
	}
	if (rc == 0 && !got.have)
		rc = -EOPNOTSUPP;
	if (rc == 0)
		*ret = got;
	return rc;
}

/* --- texts ---------------------------------------------------------------------------- */

int ta_nic_param_find(const struct ta_nic_group *g, const char *name)
{
	for (size_t i = 0; i < g->n; i++)
		if (strcmp(g->params[i].name, name) == 0)
			return (int)i;
	return -1;
}

static int parse_value(const struct ta_nic_group *g, size_t i, const char *text, size_t len, uint32_t *ret)
{
	uint64_t v = 0;

	if (g->params[i].flag) {
		if (len != 2 && len != 3)
			return -EINVAL;
		*ret = len == 2 && memcmp(text, "on", 2) == 0;
		return *ret || (len == 3 && memcmp(text, "off", 3) == 0) ? 0 : -EINVAL;
	}
	if (len == 0 || len > 10 || (*text == '0' && len > 1))
		return -EINVAL;
	for (; len; text++, len--) {
		if (*text < '0' || *text > '9')
			return -EINVAL;
		v = v * 10 + (uint64_t)(*text - '0');
	}
	if (v > UINT32_MAX)
		return -EINVAL;
	*ret = (uint32_t)v;
	return 0;
}

int ta_nic_param_parse(const struct ta_nic_group *g, int param, const char *text, uint32_t *ret)
{
	return parse_value(g, (size_t)param, text, strlen(text), ret);
}

void ta_nic_param_format(const struct ta_nic_group *g, int param, uint32_t v, struct ta_buf *b)
{
	if (g->params[param].flag)
		ta_buf_adds(b, v ? "on" : "off");
	else
		ta_buf_printf(b, "%u", v);
}

/* The parameter at or behind number `from` that `text` begins with the name of; g->n: none. */
static size_t next_param(const struct ta_nic_group *g, size_t from, const char *text, size_t name_len)
{
	while (from < g->n && (strlen(g->params[from].name) != name_len ||
				      memcmp(g->params[from].name, text, name_len) != 0))
		from++;
	return from;
}

int ta_nic_values_parse(const struct ta_nic_group *g, const char *text, struct ta_nic_values *ret)
{
	struct ta_nic_values got = {0};

	for (size_t i = 0; i < g->n; i++) {
		size_t name_len = strcspn(text, "= "), len;

		i = next_param(g, i, text, name_len);
		if (i == g->n || text[name_len] != '=')
			return -EINVAL;
		text += name_len + 1;
		len = strcspn(text, " ");
		if (parse_value(g, i, text, len, &got.v[i]) < 0)
			return -EINVAL;
		got.have |= 1u << i;
		text += len;
		if (!*text) {
			*ret = got;
			return 0;
		}
		text++;
	}
	return -EINVAL;
}

void ta_nic_values_format(const struct ta_nic_group *g, const struct ta_nic_values *v, struct ta_buf *b)
{
	const char *blank = "";

	for (size_t i = 0; i < g->n; i++) {
		if (!(v->have & 1u << i))
			continue;
		ta_buf_printf(b, "%s%s=", blank, g->params[i].name);
		ta_nic_param_format(g, (int)i, v->v[i], b);
		blank = " ";
	}
}

uint32_t ta_nic_values_differ(const struct ta_nic_values *now, const struct ta_nic_values *want)
{
	uint32_t which = 0;

	for (size_t i = 0; i < TA_NIC_PARAMS_MAX; i++)
		if (want->have & 1u << i && (!(now->have & 1u << i) || now->v[i] != want->v[i]))
			which |= 1u << i;
	return which;
}

/* --- requests ---------------------------------------------------------------------------- */

void ta_nic_values_request(const struct ta_nic_group *g, const char *ifname, const struct ta_nic_values *want,
	uint32_t which, struct ta_buf *b)
{
	ta_nic_put_header(b, ifname, 0);
	for (size_t i = 0; i < g->n; i++) {
		if (!(which & 1u << i))
			continue;
		if (g->params[i].flag)
			ta_nic_put(b, g->params[i].attr, &(uint8_t){want->v[i] != 0}, 1);
		else
			ta_nic_put_u32(b, g->params[i].attr, want->v[i]);
	}
}

void ta_nic_values_put_words(const struct ta_nic_group *g, const struct ta_nic_values *want, uint32_t which,
	uint32_t *words)
{
	for (size_t i = 0; i < g->n; i++)
		if (which & 1u << i && g->params[i].word)
			words[g->params[i].word] = want->v[i];
}
