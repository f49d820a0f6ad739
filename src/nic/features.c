/*
 * Bitsets in compact form, as words of 32 bits, and the names of their bits once for all devices
 * (Documentation/networking/ethtool-netlink.rst); the ioctl's blocks are the same words in another order.
 */
#include "nic/features.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <stdlib.h>
#include <string.h>

#include "nic/abi.h"
#include "nic/ask.h"
#include "nic/attr.h"

#define MAX_STRINGS 1024 /* of one set; the largest had 121 in 6.12 */
#define STRING_BYTES 32	 /* ETH_GSTRING_LEN */

void ta_eth_names_done(struct ta_eth_names *names)
{
	ta_strv_done(&names->features);
	ta_strv_done(&names->link_modes);
}

/* --- names of bits ------------------------------------------------------------------ */

static int decode_string(const struct nlattr *string, struct ta_strv *ret)
{
	const struct nlattr *index = ta_nic_attr_nested(string, TA_ETH_A_STRING_INDEX);
	const struct nlattr *value = ta_nic_attr_nested(string, TA_ETH_A_STRING_VALUE);
	int64_t i;

	if (!index || !value || ta_nic_attr_number(index, 4, &i) < 0 || i >= MAX_STRINGS)
		return -EBADMSG;
	/* In rising order; a number left out has no name. */
	while (ret->error == 0 && (int64_t)ret->n < i)
		ta_strv_add(ret, "");
	if ((int64_t)ret->n == i)
		ta_strv_addn(ret, mnl_attr_get_payload(value),
			strnlen(mnl_attr_get_payload(value), mnl_attr_get_payload_len(value)));
	return ret->error;
}

static int decode_set(const struct nlattr *set, struct ta_eth_names *names)
{
	const struct nlattr *id = ta_nic_attr_nested(set, TA_ETH_A_STRINGSET_ID), *a;
	const struct nlattr *strings = ta_nic_attr_nested(set, TA_ETH_A_STRINGSET_STRINGS);
	struct ta_strv *to;
	int64_t which = -1;
	int rc = 0;

	if (id)
		ta_nic_attr_number(id, 4, &which);
	if (!strings || (which != TA_ETH_SS_FEATURES && which != TA_ETH_SS_LINK_MODES))
		return 0;
	to = which == TA_ETH_SS_FEATURES ? &names->features : &names->link_modes;
	mnl_attr_for_each_nested (a, strings) {
		if (rc == 0 && mnl_attr_get_type(a) == TA_ETH_A_STRINGS_STRING)
			rc = decode_string(a, to);
	}
	return rc;
}

int ta_eth_decode_strings(const struct nlmsghdr *nlh, struct ta_eth_names *names)
{
	const struct nlattr *sets, *a;
	int rc = 0;

	if (!ta_nic_is_reply(nlh, TA_ETH_STRSET_GET_REPLY))
		return 0;
	sets = ta_nic_attr_genl(nlh, TA_ETH_A_STRSET_STRINGSETS);
	if (!sets)
		return -EBADMSG;
	mnl_attr_for_each_nested (a, sets) {
		if (rc == 0 && mnl_attr_get_type(a) == TA_ETH_A_STRINGSETS_STRINGSET)
			rc = decode_set(a, names);
	}
	return rc;
}

static int on_strings(const struct nlmsghdr *nlh, void *ctx)
{
	return ta_eth_decode_strings(nlh, ctx);
}

int ta_eth_ask_strings(struct ta_host *h, struct ta_eth_names *names)
{
	static const uint32_t ids[] = {TA_ETH_SS_FEATURES, TA_ETH_SS_LINK_MODES};
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_genl request = {.family = "ethtool", .cmd = TA_ETH_STRSET_GET, .version = 1};
	size_t sets;

	ta_nic_put_header(&b, NULL, 0);
	sets = ta_nic_put_nest(&b, TA_ETH_A_STRSET_STRINGSETS);
	for (size_t i = 0; i < TA_ARRAY_SIZE(ids); i++) {
		size_t set = ta_nic_put_nest(&b, TA_ETH_A_STRINGSETS_STRINGSET);

		ta_nic_put_u32(&b, TA_ETH_A_STRINGSET_ID, ids[i]);
		ta_nic_put_end(&b, set);
	}
	ta_nic_put_end(&b, sets);
	if (b.error)
		return b.error;
	request.attrs = b.data;
	request.attrs_len = b.len;
	return ta_host_genl(h, "ethtool/strings", &request, on_strings, names);
}

/* --- bits ------------------------------------------------------------------------------ */

void ta_eth_features_decode(const struct nlmsghdr *nlh, struct ta_eth_features *ret)
{
	const struct {
		unsigned attr;
		uint32_t *words;
	} sets[] = {
		{TA_ETH_A_FEATURES_HW, ret->hw},
		{TA_ETH_A_FEATURES_WANTED, ret->wanted},
		{TA_ETH_A_FEATURES_ACTIVE, ret->active},
		{TA_ETH_A_FEATURES_NOCHANGE, ret->nochange},
	};

	memset(ret->known, 0xff, sizeof(ret->known));
	for (size_t i = 0; i < TA_ARRAY_SIZE(sets); i++) {
		const struct nlattr *a = ta_nic_attr_genl(nlh, sets[i].attr);

		if (a)
			ta_nic_attr_bits(a, TA_ETH_A_BITSET_VALUE, sets[i].words, TA_ETH_FEATURE_WORDS);
	}
}

/* Asked of one interface, the same for all. */
static int ask_names(struct ta_host *h, const char *ifname, struct ta_strv *names)
{
	struct {
		uint32_t cmd, reserved;
		uint64_t mask;
		uint32_t n;
	} __attribute__((packed))
	info = {TA_ETHTOOL_GSSET_INFO, 0, UINT64_C(1) << TA_ETH_SS_FEATURES, 0};
	uint32_t head[3] = {TA_ETHTOOL_GSTRINGS, TA_ETH_SS_FEATURES, 0};
	unsigned char *data;
	int rc;

	rc = ta_host_ethtool(h, ifname, &info, sizeof(info));
	if (rc < 0 || !info.mask || info.n == 0 || info.n > MAX_STRINGS)
		return rc < 0 ? rc : -EOPNOTSUPP;
	head[2] = info.n;
	data = calloc(1, sizeof(head) + (size_t)info.n * STRING_BYTES);
	if (!data)
		return -ENOMEM;
	memcpy(data, head, sizeof(head));
	rc = ta_host_ethtool(h, ifname, data, sizeof(head) + (size_t)info.n * STRING_BYTES);
	for (size_t i = 0; rc == 0 && i < info.n; i++) {
		const char *name = (const char *)data + sizeof(head) + i * STRING_BYTES;

		ta_strv_addn(names, name, strnlen(name, STRING_BYTES));
	}
	free(data);
	return rc < 0 ? rc : names->error;
}

int ta_eth_features_ioctl(struct ta_host *h, const char *ifname, struct ta_strv *names, struct ta_eth_features *ret)
{
	/* Blocks of available, requested, active, never_changed (struct ethtool_get_features_block). */
	uint32_t data[2 + 4 * TA_ETH_FEATURE_WORDS] = {TA_ETHTOOL_GFEATURES, 0};
	size_t blocks;
	int rc = 0;

	if (!names->n)
		rc = ask_names(h, ifname, names);
	if (rc < 0)
		return rc;
	memset(ret->known, 0xff, sizeof(ret->known));
	blocks = TA_MIN((names->n + 31) / 32, (size_t)TA_ETH_FEATURE_WORDS);
	data[1] = (uint32_t)blocks;
	rc = ta_host_ethtool(h, ifname, data, (2 + 4 * blocks) * sizeof(*data));
	for (size_t i = 0; rc == 0 && i < blocks; i++) {
		ret->hw[i] = data[2 + 4 * i];
		ret->wanted[i] = data[3 + 4 * i];
		ret->active[i] = data[4 + 4 * i];
		ret->nochange[i] = data[5 + 4 * i];
	}
	return rc;
}

static int on_features(const struct nlmsghdr *nlh, void *ctx)
{
	ta_eth_features_decode(nlh, ctx);
	return 0;
}

int ta_eth_features_read(struct ta_host *h, const char *ifname, struct ta_eth_names *names, struct ta_eth_features *ret,
	bool *ret_by_ioctl)
{
	struct ta_eth_features got = {0};
	int rc = ta_eth_ask_strings(h, names), by_ioctl;

	if (rc == 0)
		rc = ta_nic_ask(h, "ethtool/features", TA_ETH_FEATURES_GET, TA_ETH_FEATURES_GET_REPLY, ifname,
			on_features, &got);
	*ret_by_ioctl = rc == -EOPNOTSUPP || rc == -ENODATA;
	if (*ret_by_ioctl) {
		by_ioctl = ta_eth_features_ioctl(h, ifname, &names->features, &got);
		rc = by_ioctl == -ENODEV || by_ioctl == -ENODATA ? rc : by_ioctl;
	}
	if (rc == 0)
		*ret = got;
	return rc;
}

void ta_eth_features_request(const char *ifname, size_t n_bits, const uint32_t *mask, const uint32_t *wanted,
	struct ta_buf *b)
{
	uint32_t value[TA_ETH_FEATURE_WORDS];
	size_t n_words = (n_bits + 31) / 32, nest;

	for (size_t i = 0; i < n_words; i++)
		value[i] = wanted[i] & mask[i];
	ta_nic_put_header(b, ifname, TA_ETH_FLAG_COMPACT_BITSETS | TA_ETH_FLAG_OMIT_REPLY);
	nest = ta_nic_put_nest(b, TA_ETH_A_FEATURES_WANTED);
	ta_nic_put_u32(b, TA_ETH_A_BITSET_SIZE, (uint32_t)n_bits);
	ta_nic_put(b, TA_ETH_A_BITSET_VALUE, value, n_words * sizeof(*value));
	ta_nic_put(b, TA_ETH_A_BITSET_MASK, mask, n_words * sizeof(*mask));
	ta_nic_put_end(b, nest);
}
