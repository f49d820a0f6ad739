/*
 * Two dumps for all interfaces: NAPIs with their interrupts, then queues with their NAPIs.
 */
#include "probe/napi.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <stdlib.h>
#include <string.h>

/* include/uapi/linux/netdev.h, as in 6.12 */
enum {
	CMD_QUEUE_GET = 10,
	CMD_NAPI_GET = 11,

	A_NAPI_IFINDEX = 1,
	A_NAPI_ID = 2,
	A_NAPI_IRQ = 3,

	A_QUEUE_ID = 1,
	A_QUEUE_IFINDEX = 2,
	A_QUEUE_TYPE = 3, /* 0 rx, 1 tx */
	A_QUEUE_NAPI_ID = 4,
	MAX_ATTR = 4,
};

void ta_napis_done(struct ta_napis *n)
{
	free(n->v);
	*n = (struct ta_napis)TA_NAPIS_INIT;
}

/* The first MAX_ATTR attributes that are 32-bit numbers; `has` says which. False: no such reply. */
static bool read_attrs(const struct nlmsghdr *nlh, uint8_t cmd, uint32_t *ret, bool *has)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *a;

	memset(has, 0, (MAX_ATTR + 1) * sizeof(*has));
	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*genl) || genl->cmd != cmd)
		return false;
	mnl_attr_for_each(a, nlh, sizeof(*genl))
	{
		uint16_t type = mnl_attr_get_type(a);

		if (type > MAX_ATTR || mnl_attr_get_payload_len(a) < sizeof(uint32_t))
			continue;
		ret[type] = mnl_attr_get_u32(a);
		has[type] = true;
	}
	return true;
}

int ta_napis_decode_napi(const struct nlmsghdr *nlh, struct ta_napis *n)
{
	uint32_t v[MAX_ATTR + 1];
	bool has[MAX_ATTR + 1];

	if (!read_attrs(nlh, CMD_NAPI_GET, v, has) || !has[A_NAPI_ID] || !has[A_NAPI_IFINDEX])
		return 0;
	if (n->n == n->cap) {
		size_t cap = n->cap ? n->cap * 2 : 64;
		struct ta_napi *grown = reallocarray(n->v, cap, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		n->v = grown;
		n->cap = cap;
	}
	n->v[n->n++] = (struct ta_napi){
		.id = v[A_NAPI_ID],
		.irq = has[A_NAPI_IRQ] ? v[A_NAPI_IRQ] : 0,
		.ifindex = (int)v[A_NAPI_IFINDEX],
		.rx = -1,
		.tx = -1,
	};
	return 0;
}

static int by_id(const void *a, const void *b)
{
	const struct ta_napi *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int by_irq(const void *a, const void *b)
{
	const struct ta_napi *x = a, *y = b;

	return (x->irq > y->irq) - (x->irq < y->irq);
}

void ta_napis_sort_by_id(struct ta_napis *n)
{
	if (n->n)
		qsort(n->v, n->n, sizeof(*n->v), by_id);
}

void ta_napis_sort_by_irq(struct ta_napis *n)
{
	if (n->n)
		qsort(n->v, n->n, sizeof(*n->v), by_irq);
}

int ta_napis_decode_queue(const struct nlmsghdr *nlh, struct ta_napis *n)
{
	uint32_t v[MAX_ATTR + 1];
	bool has[MAX_ATTR + 1];
	struct ta_napi key, *found;
	int *queue;

	if (!read_attrs(nlh, CMD_QUEUE_GET, v, has) || !has[A_QUEUE_ID] || !has[A_QUEUE_TYPE] ||
		!has[A_QUEUE_NAPI_ID] || v[A_QUEUE_ID] > INT32_MAX || !n->n)
		return 0;
	key = (struct ta_napi){.id = v[A_QUEUE_NAPI_ID]};
	found = bsearch(&key, n->v, n->n, sizeof(*n->v), by_id);
	if (!found || v[A_QUEUE_TYPE] > 1)
		return 0;
	queue = v[A_QUEUE_TYPE] == 0 ? &found->rx : &found->tx;
	if (*queue < 0 || (int)v[A_QUEUE_ID] < *queue)
		*queue = (int)v[A_QUEUE_ID];
	return 0;
}

static int on_napi(const struct nlmsghdr *nlh, void *ctx)
{
	return ta_napis_decode_napi(nlh, ctx);
}

static int on_queue(const struct nlmsghdr *nlh, void *ctx)
{
	return ta_napis_decode_queue(nlh, ctx);
}

static int ask(struct ta_host *h, const char *key, uint8_t cmd, ta_nl_fn *fn, struct ta_napis *n)
{
	struct ta_genl request = {
		.family = "netdev", .cmd = cmd, .version = 1, .flags = NLM_F_DUMP};

	return ta_host_genl(h, key, &request, fn, n);
}

int ta_napis_read(struct ta_host *h, struct ta_napis *ret)
{
	ta_cleanup_napis struct ta_napis n = TA_NAPIS_INIT;
	int rc = ask(h, "netdev/napi", CMD_NAPI_GET, on_napi, &n);

	if (rc == 0) {
		ta_napis_sort_by_id(&n);
		rc = ask(h, "netdev/queue", CMD_QUEUE_GET, on_queue, &n);
	}
	if (rc < 0)
		return rc;
	ta_napis_sort_by_irq(&n);
	*ret = n;
	n = (struct ta_napis)TA_NAPIS_INIT;
	return 0;
}

const struct ta_napi *ta_napis_by_irq(const struct ta_napis *n, unsigned irq)
{
	struct ta_napi key = {.irq = irq};

	return irq && n->n ? bsearch(&key, n->v, n->n, sizeof(*n->v), by_irq) : NULL;
}
