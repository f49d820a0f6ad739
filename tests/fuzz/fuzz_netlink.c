/*
 * Netlink answers: parsed, cut, and their addresses replaced. The first byte is the protocol.
 */
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <stdlib.h>
#include <string.h>

#include "host/anon.h"
#include "host/netlink.h"

/* Reads what a probe would: every byte of every attribute. */
static int read_message(const struct nlmsghdr *nlh, void *ctx)
{
	const struct nlattr *attr;
	unsigned *sum = ctx;

	mnl_attr_for_each (attr, nlh, sizeof(struct genlmsghdr)) {
		const uint8_t *p = mnl_attr_get_payload(attr);

		for (unsigned i = 0; i < mnl_attr_get_payload_len(attr); i++)
			*sum += p[i];
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ta_nl_progress progress = {0};
	struct ta_anon anon;
	unsigned sum = 0;
	char *copy;
	size_t len;

	if (!size)
		return 0;
	len = size - 1;
	copy = malloc(len ? len : 1);
	if (!copy)
		return 0;
	memcpy(copy, data + 1, len);
	ta_nl_parse(copy, len, read_message, &sum);
	ta_anon_init(&anon, "web1");
	ta_anon_netlink(&anon, data[0], copy, len);
	if (ta_nl_scan(copy, len, 1, &progress) > len)
		abort();
	ta_anon_done(&anon);
	free(copy);
	return 0;
}
