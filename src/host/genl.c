/*
 * Netlink questions of the probes, and on top of them generic netlink.
 *
 * Family numbers come from one dump of all families. Asking for a family by its
 * name would make the kernel load a module that might have it
 * (net/netlink/genetlink.c: ctrl_getfamily()), and reading changes nothing.
 */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <string.h>

#include "host/internal.h"
#include "host/netlink.h"

#define FAMILIES_KEY "genl-families"
#define NO_ID 0 /* a capture answers by key; the number is not looked at */

int ta_host_netlink(struct ta_host *h, int protocol, const char *key, struct nlmsghdr *request, ta_nl_fn *fn,
	void *ctx)
{
	ta_cleanup_buf struct ta_buf answer = TA_BUF_INIT;
	int rc;

	h->operations++;
	rc = h->ops->netlink(h, protocol, key, request, &answer);
	return rc < 0 ? rc : ta_nl_parse(answer.data, answer.len, fn, ctx);
}

/* One message of the dump: a family's name and number. */
static int add_family(const struct nlmsghdr *nlh, void *ctx)
{
	struct ta_host *h = ctx;
	struct ta_genl_family f = {0};
	const struct nlattr *attr;

	mnl_attr_for_each (attr, nlh, sizeof(struct genlmsghdr)) {
		unsigned type = mnl_attr_get_type(attr);

		if (type == CTRL_ATTR_FAMILY_ID && mnl_attr_validate(attr, MNL_TYPE_U16) == 0)
			f.id = mnl_attr_get_u16(attr);
		if (type == CTRL_ATTR_FAMILY_NAME && mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) == 0 &&
			mnl_attr_get_payload_len(attr) <= sizeof(f.name))
			memcpy(f.name, mnl_attr_get_payload(attr), mnl_attr_get_payload_len(attr));
	}
	if (f.id && f.name[0] && h->n_families < TA_GENL_FAMILIES)
		h->families[h->n_families++] = f;
	return 0;
}

static int ask_families(struct ta_host *h)
{
	struct {
		struct nlmsghdr nlh;
		struct genlmsghdr genl;
	} request = {
		.nlh = {
			.nlmsg_len = sizeof(request),
			.nlmsg_type = GENL_ID_CTRL,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		},
		.genl = {.cmd = CTRL_CMD_GETFAMILY, .version = 1},
	};

	h->n_families = 0;
	return ta_host_netlink(h, NETLINK_GENERIC, FAMILIES_KEY, &request.nlh, add_family, h);
}

int ta_genl_family(struct ta_host *h, const char *name, uint16_t *ret)
{
	if (h->families_rc > 0)
		h->families_rc = ask_families(h);
	if (h->families_rc == -ENODATA && !h->live) {
		*ret = NO_ID;
		return 0;
	}
	if (h->families_rc < 0)
		return h->families_rc;
	for (unsigned i = 0; i < h->n_families; i++) {
		if (strcmp(h->families[i].name, name) == 0) {
			*ret = h->families[i].id;
			return 0;
		}
	}
	return -EOPNOTSUPP;
}

int ta_genl_message(const struct ta_genl *request, uint16_t family, struct ta_buf *ret)
{
	struct genlmsghdr genl = {.cmd = request->cmd, .version = request->version};
	struct nlmsghdr nlh = {.nlmsg_flags = NLM_F_REQUEST | request->flags, .nlmsg_type = family};

	nlh.nlmsg_len = (uint32_t)(sizeof(nlh) + sizeof(genl) + request->attrs_len);
	ta_buf_reset(ret);
	ta_buf_add(ret, &nlh, sizeof(nlh));
	ta_buf_add(ret, &genl, sizeof(genl));
	ta_buf_add(ret, request->attrs, request->attrs_len);
	return ret->error;
}

int ta_host_genl(struct ta_host *h, const char *key, const struct ta_genl *request, ta_nl_fn *fn, void *ctx)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	uint16_t id;
	int rc = ta_genl_family(h, request->family, &id);

	if (rc == 0)
		rc = ta_genl_message(request, id, &b);
	if (rc < 0)
		return rc;
	return ta_host_netlink(h, NETLINK_GENERIC, key, (struct nlmsghdr *)(void *)b.data, fn, ctx);
}
