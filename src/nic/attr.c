/*
 * libmnl walks attributes by their lengths and checks each; what it hands out may still be shorter than the number
 * that should stand there.
 */
#include "nic/attr.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <string.h>

const struct nlattr *ta_nic_attr(const struct nlmsghdr *nlh, size_t head, unsigned type)
{
	const struct nlattr *a;

	mnl_attr_for_each (a, nlh, head) {
		if (mnl_attr_get_type(a) == type)
			return a;
	}
	return NULL;
}

const struct nlattr *ta_nic_attr_genl(const struct nlmsghdr *nlh, unsigned type)
{
	return ta_nic_attr(nlh, sizeof(struct genlmsghdr), type);
}

const struct nlattr *ta_nic_attr_nested(const struct nlattr *nest, unsigned type)
{
	const struct nlattr *a;

	mnl_attr_for_each_nested (a, nest) {
		if (mnl_attr_get_type(a) == type)
			return a;
	}
	return NULL;
}

int ta_nic_attr_number(const struct nlattr *a, size_t bytes, int64_t *ret)
{
	if (mnl_attr_get_payload_len(a) < bytes)
		return -EBADMSG;
	*ret = bytes == 1 ? mnl_attr_get_u8(a) : (int64_t)mnl_attr_get_u32(a);
	return 0;
}

void ta_nic_attr_text(const struct nlattr *a, char *ret, size_t size)
{
	size_t len = strnlen(mnl_attr_get_payload(a), mnl_attr_get_payload_len(a));

	len = TA_MIN(len, size - 1);
	memcpy(ret, mnl_attr_get_payload(a), len);
	ret[len] = '\0';
}

size_t ta_nic_attr_bits(const struct nlattr *bitset, unsigned part, uint32_t *ret, size_t n)
{
	const struct nlattr *a = ta_nic_attr_nested(bitset, part);
	size_t words = a ? mnl_attr_get_payload_len(a) / sizeof(uint32_t) : 0;

	memset(ret, 0, n * sizeof(*ret));
	words = TA_MIN(words, n);
	if (words)
		memcpy(ret, mnl_attr_get_payload(a), words * sizeof(*ret));
	return words;
}

bool ta_nic_is_reply(const struct nlmsghdr *nlh, uint8_t cmd)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);

	return mnl_nlmsg_get_payload_len(nlh) >= sizeof(*genl) && genl->cmd == cmd;
}

void ta_nic_put(struct ta_buf *b, unsigned type, const void *data, size_t len)
{
	struct nlattr head = {.nla_len = (uint16_t)(NLA_HDRLEN + len), .nla_type = (uint16_t)type};

	ta_buf_add(b, &head, sizeof(head));
	ta_buf_add(b, data, len);
	while (!b->error && b->len % NLA_ALIGNTO)
		ta_buf_addc(b, '\0');
}

void ta_nic_put_u32(struct ta_buf *b, unsigned type, uint32_t v)
{
	ta_nic_put(b, type, &v, sizeof(v));
}

void ta_nic_put_text(struct ta_buf *b, unsigned type, const char *text)
{
	ta_nic_put(b, type, text, strlen(text) + 1);
}

size_t ta_nic_put_nest(struct ta_buf *b, unsigned type)
{
	size_t at = b->len;

	ta_nic_put(b, type | NLA_F_NESTED, "", 0);
	return at;
}

void ta_nic_put_end(struct ta_buf *b, size_t nest)
{
	uint16_t len;

	if (b->error)
		return;
	len = (uint16_t)(b->len - nest);
	memcpy(b->data + nest, &len, sizeof(len));
}
