/*
 * A host with one interface, "eth0", whose driver lives in the test: it answers ethtool by netlink, by ioctl, or both, and
 * keeps what it was asked to change.
 */
#pragma once

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <string.h>

#include "host/internal.h"
#include "nic/abi.h"
#include "nic/attr.h"
#include "nic/params.h"

#define FAKE_FAMILY 0x20
#define FAKE_SLOTS 8
#define FAKE_KEY 4

struct fake_nic {
	struct ta_host host;
	struct ta_nic_values channels, rings, coalesce;
	uint32_t hw, wanted, active; /* the 5 features below */
	uint32_t depends;	     /* bits that are active only with bit 0 */
	uint32_t table[FAKE_SLOTS], n_slots, hfunc;
	unsigned char key[FAKE_KEY];
	bool configured;  /* somebody set the table */
	bool no_netlink;  /* a kernel without the family */
	int refuse;	  /* every change fails with this errno … */
	const char *words; /* … and the kernel says so */
	unsigned sent, by_ioctl;
	uint32_t last; /* parameters named in the last request, a bit each */
};

static const char *const fake_features[] = {"tx-scatter-gather", "rx-gro", "tx-tcp-segmentation", "", "rx-lro"};

static inline struct ta_nic_values *fake_values(struct fake_nic *f, const struct ta_nic_group *g)
{
	return g == &ta_nic_channels ? &f->channels : g == &ta_nic_rings ? &f->rings : &f->coalesce;
}

static inline const struct ta_nic_group *fake_group(uint8_t cmd, bool *set)
{
	const struct ta_nic_group *const all[] = {&ta_nic_channels, &ta_nic_rings, &ta_nic_coalesce};

	for (size_t i = 0; i < 3; i++) {
		*set = cmd == all[i]->set;
		if (cmd == all[i]->get || cmd == all[i]->set)
			return all[i];
	}
	return NULL;
}

static inline void fake_message(struct ta_buf *b, const struct nlmsghdr *request, uint16_t type, uint8_t cmd, const void *attrs,
	size_t len)
{
	struct genlmsghdr genl = {.cmd = cmd, .version = 1};
	struct nlmsghdr nlh = {.nlmsg_len = (uint32_t)(sizeof(nlh) + sizeof(genl) + len), .nlmsg_type = type,
		.nlmsg_seq = request->nlmsg_seq};

	ta_buf_add(b, &nlh, sizeof(nlh));
	ta_buf_add(b, &genl, sizeof(genl));
	ta_buf_add(b, attrs, len);
}

/* The end of every answer: 0 or an error, with the kernel's words. */
static inline void fake_ack(struct ta_buf *b, const struct nlmsghdr *request, int error, const char *words)
{
	ta_cleanup_buf struct ta_buf body = TA_BUF_INIT;
	struct nlmsghdr nlh = {.nlmsg_type = NLMSG_ERROR, .nlmsg_seq = request->nlmsg_seq,
		.nlmsg_flags = words ? NLM_F_ACK_TLVS | NLM_F_CAPPED : 0};

	ta_buf_add(&body, &error, sizeof(error));
	ta_buf_add(&body, request, sizeof(*request));
	if (words)
		ta_nic_put_text(&body, NLMSGERR_ATTR_MSG, words);
	nlh.nlmsg_len = (uint32_t)(sizeof(nlh) + body.len);
	ta_buf_add(b, &nlh, sizeof(nlh));
	ta_buf_add(b, body.data, body.len);
}

static inline void fake_header(struct ta_buf *b)
{
	size_t nest = ta_nic_put_nest(b, TA_ETH_A_HEADER);

	ta_nic_put_u32(b, TA_ETH_A_HEADER_DEV_INDEX, 2);
	ta_nic_put_text(b, TA_ETH_A_HEADER_DEV_NAME, "eth0");
	ta_nic_put_end(b, nest);
}

static inline int fake_get_group(struct fake_nic *f, const struct ta_nic_group *g, struct ta_buf *attrs)
{
	const struct ta_nic_values *v = fake_values(f, g);

	if (!v->have)
		return -EOPNOTSUPP;
	fake_header(attrs);
	for (size_t i = 0; i < g->n; i++) {
		if (!(v->have & 1u << i))
			continue;
		if (v->have_max & 1u << i)
			ta_nic_put_u32(attrs, g->params[i].max_attr, v->max[i]);
		if (g->params[i].flag)
			ta_nic_put(attrs, g->params[i].attr, &(uint8_t){v->v[i] != 0}, 1);
		else
			ta_nic_put_u32(attrs, g->params[i].attr, v->v[i]);
	}
	return 0;
}

static inline void fake_put_bits(struct ta_buf *b, unsigned attr, uint32_t bits)
{
	size_t nest = ta_nic_put_nest(b, attr);

	ta_nic_put_u32(b, TA_ETH_A_BITSET_SIZE, 5);
	ta_nic_put_u32(b, TA_ETH_A_BITSET_VALUE, bits);
	ta_nic_put_end(b, nest);
}

static inline int fake_get(struct fake_nic *f, uint8_t cmd, uint8_t *reply, struct ta_buf *attrs)
{
	bool set;
	const struct ta_nic_group *g = fake_group(cmd, &set);
	size_t sets, one, strings;

	if (g) {
		*reply = g->reply;
		return fake_get_group(f, g, attrs);
	}
	*reply = cmd;
	if (cmd == TA_ETH_FEATURES_GET) {
		fake_header(attrs);
		fake_put_bits(attrs, TA_ETH_A_FEATURES_HW, f->hw);
		fake_put_bits(attrs, TA_ETH_A_FEATURES_WANTED, f->wanted);
		fake_put_bits(attrs, TA_ETH_A_FEATURES_ACTIVE, f->active);
		fake_put_bits(attrs, TA_ETH_A_FEATURES_NOCHANGE, 0);
		return 0;
	}
	if (cmd != TA_ETH_STRSET_GET)
		return -EOPNOTSUPP;
	sets = ta_nic_put_nest(attrs, TA_ETH_A_STRSET_STRINGSETS);
	one = ta_nic_put_nest(attrs, TA_ETH_A_STRINGSETS_STRINGSET);
	ta_nic_put_u32(attrs, TA_ETH_A_STRINGSET_ID, TA_ETH_SS_FEATURES);
	strings = ta_nic_put_nest(attrs, TA_ETH_A_STRINGSET_STRINGS);
	for (uint32_t i = 0; i < TA_ARRAY_SIZE(fake_features); i++) {
		size_t nest = ta_nic_put_nest(attrs, TA_ETH_A_STRINGS_STRING);

		ta_nic_put_u32(attrs, TA_ETH_A_STRING_INDEX, i);
		ta_nic_put_text(attrs, TA_ETH_A_STRING_VALUE, fake_features[i]);
		ta_nic_put_end(attrs, nest);
	}
	ta_nic_put_end(attrs, strings);
	ta_nic_put_end(attrs, one);
	ta_nic_put_end(attrs, sets);
	return 0;
}

static inline void fake_families(const struct nlmsghdr *request, bool none, struct ta_buf *ret)
{
	ta_cleanup_buf struct ta_buf attrs = TA_BUF_INIT;

	ta_nic_put(&attrs, CTRL_ATTR_FAMILY_ID, &(uint16_t){FAKE_FAMILY}, 2);
	ta_nic_put_text(&attrs, CTRL_ATTR_FAMILY_NAME, none ? "other" : "ethtool");
	fake_message(ret, request, GENL_ID_CTRL, CTRL_CMD_NEWFAMILY, attrs.data, attrs.len);
	fake_ack(ret, request, 0, NULL);
}

static inline uint8_t fake_cmd(const struct nlmsghdr *request)
{
	return ((const struct genlmsghdr *)mnl_nlmsg_get_payload(request))->cmd;
}

static inline int fake_netlink(struct ta_host *h, int protocol, const char *key, struct nlmsghdr *request, struct ta_buf *ret)
{
	struct fake_nic *f = (struct fake_nic *)h;
	ta_cleanup_buf struct ta_buf attrs = TA_BUF_INIT;
	uint8_t reply;
	int rc;

	ta_buf_reset(ret);
	if (protocol != NETLINK_GENERIC)
		return -EPROTONOSUPPORT;
	if (request->nlmsg_type == GENL_ID_CTRL) {
		fake_families(request, f->no_netlink, ret);
		return 0;
	}
	rc = fake_get(f, fake_cmd(request), &reply, &attrs);
	if (rc == 0)
		fake_message(ret, request, FAKE_FAMILY, reply, attrs.data, attrs.len);
	fake_ack(ret, request, rc, NULL);
	return 0;
}

static inline void fake_apply_features(struct fake_nic *f, uint32_t mask, uint32_t value)
{
	f->wanted = (f->wanted & ~mask) | (value & mask & f->hw);
	f->active = f->wanted & ~(f->wanted & 1 ? 0 : f->depends);
}

static inline void fake_set_group(struct fake_nic *f, const struct ta_nic_group *g, const struct nlmsghdr *request)
{
	struct ta_nic_values *v = fake_values(f, g);

	f->last = 0;
	for (size_t i = 0; i < g->n; i++) {
		const struct nlattr *a = ta_nic_attr_genl(request, g->params[i].attr);
		int64_t n;

		if (!a || ta_nic_attr_number(a, g->params[i].flag ? 1 : 4, &n) < 0)
			continue;
		f->last |= 1u << i;
		v->v[i] = (uint32_t)n;
	}
}

static inline int fake_set_netlink(struct ta_host *h, int protocol, struct nlmsghdr *request, struct ta_buf *ret)
{
	struct fake_nic *f = (struct fake_nic *)h;
	bool set = false;
	const struct ta_nic_group *g = fake_group(fake_cmd(request), &set);
	const struct nlattr *bits = ta_nic_attr_genl(request, TA_ETH_A_FEATURES_WANTED);
	uint32_t value = 0, mask = 0;

	ta_buf_reset(ret);
	f->sent++;
	if (g && set && !f->refuse)
		fake_set_group(f, g, request);
	else if (fake_cmd(request) == TA_ETH_FEATURES_SET && bits && !f->refuse) {
		ta_nic_attr_bits(bits, TA_ETH_A_BITSET_VALUE, &value, 1);
		ta_nic_attr_bits(bits, TA_ETH_A_BITSET_MASK, &mask, 1);
		f->last = mask;
		fake_apply_features(f, mask, value);
	}
	fake_ack(ret, request, -f->refuse, f->refuse ? f->words : NULL);
	return 0;
}

/* --- ioctl ----------------------------------------------------------------- */

static inline int fake_get_words(struct fake_nic *f, const struct ta_nic_group *g, uint32_t *words)
{
	const struct ta_nic_values *v = fake_values(f, g);

	if (!v->have)
		return -EOPNOTSUPP;
	for (size_t i = 0; i < g->n; i++) {
		if (g->params[i].word)
			words[g->params[i].word] = v->v[i];
		if (g->params[i].max_word)
			words[g->params[i].max_word] = v->max[i];
	}
	return 0;
}

static inline int fake_get_rss(struct fake_nic *f, uint32_t *words, size_t len)
{
	if (!f->n_slots)
		return -EOPNOTSUPP;
	if (len > 6 * 4) {
		memcpy(words + 6, f->table, f->n_slots * 4);
		memcpy(words + 6 + f->n_slots, f->key, FAKE_KEY);
	}
	words[2] = f->n_slots;
	words[3] = FAKE_KEY;
	words[4] = f->hfunc;
	return 0;
}

static inline int fake_ethtool(struct ta_host *h, const char *ifname, void *data, size_t len)
{
	struct fake_nic *f = (struct fake_nic *)h;
	const struct ta_nic_group *const all[] = {&ta_nic_channels, &ta_nic_rings, &ta_nic_coalesce};
	uint32_t *words = data;

	if (strcmp(ifname, "eth0") != 0)
		return -ENODEV;
	for (size_t i = 0; i < 3; i++)
		if (words[0] == all[i]->ioctl_get)
			return fake_get_words(f, all[i], words);
	switch (words[0]) {
	case TA_ETHTOOL_GRSSH:
		return fake_get_rss(f, words, len);
	case TA_ETHTOOL_GRXRINGS:
		words[2] = f->channels.v[0] + f->channels.v[3];
		return 0;
	case TA_ETHTOOL_GSSET_INFO:
		words[4] = TA_ARRAY_SIZE(fake_features);
		return 0;
	case TA_ETHTOOL_GSTRINGS:
		for (size_t i = 0; i < TA_ARRAY_SIZE(fake_features); i++)
			memcpy((char *)data + 12 + i * 32, fake_features[i], strlen(fake_features[i]));
		return 0;
	case TA_ETHTOOL_GFEATURES:
		words[2] = f->hw;
		words[3] = f->wanted;
		words[4] = f->active;
		return 0;
	}
	return -EOPNOTSUPP;
}

static inline int fake_set_rss(struct fake_nic *f, const uint32_t *words)
{
	const uint32_t *after = words + 6;

	if (words[2] == 0) {
		for (uint32_t i = 0; i < f->n_slots; i++)
			f->table[i] = i % (f->channels.v[0] + f->channels.v[3]);
		f->configured = false;
	} else if (words[2] == f->n_slots) {
		memcpy(f->table, after, f->n_slots * 4);
		after += f->n_slots;
		f->configured = true;
	}
	if (words[3] == FAKE_KEY)
		memcpy(f->key, after, FAKE_KEY);
	if (words[4] & 0xff)
		f->hfunc = words[4] & 0xff;
	return 0;
}

static inline int fake_set_ethtool(struct ta_host *h, const char *ifname, void *data, size_t len)
{
	struct fake_nic *f = (struct fake_nic *)h;
	const struct ta_nic_group *const all[] = {&ta_nic_channels, &ta_nic_rings, &ta_nic_coalesce};
	const uint32_t *words = data;

	f->sent++;
	f->by_ioctl++;
	if (f->refuse)
		return -f->refuse;
	for (size_t i = 0; i < 3; i++) {
		if (words[0] != all[i]->ioctl_set)
			continue;
		for (size_t k = 0; k < all[i]->n; k++)
			if (all[i]->params[k].word)
				fake_values(f, all[i])->v[k] = words[all[i]->params[k].word];
		return 0;
	}
	if (words[0] == TA_ETHTOOL_SRSSH)
		return fake_set_rss(f, words);
	if (words[0] != TA_ETHTOOL_SFEATURES)
		return -EOPNOTSUPP;
	f->last = words[2];
	fake_apply_features(f, words[2], words[3]);
	return 0;
}

static inline void fake_done(struct ta_host *h)
{
}

static inline void fake_set(struct ta_nic_values *v, const struct ta_nic_group *g, const char *name, uint32_t now, uint32_t max)
{
	int i = ta_nic_param_find(g, name);

	v->have |= 1u << i;
	v->v[i] = now;
	v->max[i] = max;
	if (max)
		v->have_max |= 1u << i;
}

/* As an igb with four of eight queues: one other vector, adaptive moderation off, table [0 1 2 3 0 1 2 3]. */
static inline struct fake_nic *fake_make(void)
{
	static const struct ta_change_ops change = {.netlink = fake_set_netlink, .ethtool = fake_set_ethtool};
	static const struct ta_host_ops ops = {.change = &change, .done = fake_done, .netlink = fake_netlink,
		.ethtool = fake_ethtool};
	struct fake_nic *f = ta_host_new(sizeof(*f), &ops, true);

	if (!f)
		abort();
	fake_set(&f->channels, &ta_nic_channels, "combined", 4, 8);
	fake_set(&f->channels, &ta_nic_channels, "other", 1, 1);
	fake_set(&f->rings, &ta_nic_rings, "rx", 256, 4096);
	fake_set(&f->rings, &ta_nic_rings, "tx", 256, 4096);
	fake_set(&f->coalesce, &ta_nic_coalesce, "adaptive-rx", 0, 0);
	fake_set(&f->coalesce, &ta_nic_coalesce, "rx-usecs", 3, 0);
	f->hw = 1 | 2 | 4;
	f->wanted = f->active = 1 | 4;
	f->depends = 4;
	f->n_slots = FAKE_SLOTS;
	for (uint32_t i = 0; i < FAKE_SLOTS; i++)
		f->table[i] = i % 4;
	f->hfunc = 1;
	memcpy(f->key, "\x6d\x5a\x00\xff", FAKE_KEY);
	return f;
}
