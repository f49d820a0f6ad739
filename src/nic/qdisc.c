/*
 * A root that the kernel attached has handle 0 and cannot be addressed; one that somebody attached hides it and gives way to a
 * new one like it when it is removed (net/sched/sch_api.c, sch_generic.c: attach_default_qdiscs()).
 */
#include "nic/qdisc.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>

#include "nic/attr.h"

const struct ta_qdisc_kind ta_qdisc_kinds[] = {
	{"noqueue", true, false},
	{"pfifo_fast", true, true},
	{"pfifo", true, false},
	{"bfifo", true, false},
	{"mq", true, true},
	{"fq", false, true},
	{"fq_codel", false, true},
	{"fq_pie", false, true},
	{"cake", false, true},
	{"codel", false, false},
	{"pie", false, false},
	{"sfq", false, false},
};
const size_t ta_n_qdisc_kinds = TA_ARRAY_SIZE(ta_qdisc_kinds);

const struct ta_qdisc_kind *ta_qdisc_kind(const char *name, size_t len)
{
	for (size_t i = 0; i < ta_n_qdisc_kinds; i++)
		if (strlen(ta_qdisc_kinds[i].name) == len && memcmp(ta_qdisc_kinds[i].name, name, len) == 0)
			return &ta_qdisc_kinds[i];
	return NULL;
}

/* --- reading ------------------------------------------------------------------------- */

static void take_leaf(struct ta_nic_qdisc *q, const char *kind, uint32_t handle)
{
	q->n_queues++;
	q->leaves_set = q->leaves_set || TC_H_MAJ(handle);
	for (size_t i = 0; i < q->n_leaves; i++)
		if (strcmp(q->leaves[i], kind) == 0)
			return;
	if (q->n_leaves == TA_QDISC_LEAVES) {
		q->too_much = true;
		return;
	}
	memcpy(q->leaves[q->n_leaves++], kind, TA_QDISC_KIND);
}

static void take_root(struct ta_nic_qdisc *q, const char *kind, uint32_t handle, const struct nlattr *options)
{
	size_t n = options ? mnl_attr_get_payload_len(options) : 0;

	memcpy(q->kind, kind, TA_QDISC_KIND);
	q->handle = (uint16_t)(TC_H_MAJ(handle) >> 16);
	q->by_kernel = !q->handle;
	if (n > TA_QDISC_OPTIONS)
		q->too_much = true;
	else if (n && !q->by_kernel)
		memcpy(q->options, mnl_attr_get_payload(options), n);
	q->n_options = q->by_kernel || q->too_much ? 0 : n;
}

void ta_nic_qdisc_decode(const struct nlmsghdr *nlh, struct ta_nic_qdisc *q)
{
	char kind[TA_QDISC_KIND] = "";
	const struct tcmsg *tc;
	const struct nlattr *a;

	if (nlh->nlmsg_type != RTM_NEWQDISC || mnl_nlmsg_get_payload_len(nlh) < sizeof(*tc))
		return;
	tc = mnl_nlmsg_get_payload(nlh);
	a = ta_nic_attr(nlh, sizeof(*tc), TCA_KIND);
	if (tc->tcm_ifindex != q->ifindex || !a)
		return;
	ta_nic_attr_text(a, kind, sizeof(kind));
	if (tc->tcm_parent == TC_H_ROOT)
		take_root(q, kind, tc->tcm_handle, ta_nic_attr(nlh, sizeof(*tc), TCA_OPTIONS));
	else if (tc->tcm_parent != TC_H_INGRESS && TC_H_MIN(tc->tcm_parent))
		take_leaf(q, kind, tc->tcm_handle);
}

static int on_qdisc(const struct nlmsghdr *nlh, void *ctx)
{
	ta_nic_qdisc_decode(nlh, ctx);
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

void ta_nic_qdisc_sort(struct ta_nic_qdisc *q)
{
	qsort(q->leaves, q->n_leaves, sizeof(q->leaves[0]), by_text);
}

int ta_nic_qdisc_read(struct ta_host *h, int ifindex, struct ta_nic_qdisc *ret)
{
	struct {
		struct nlmsghdr nlh;
		struct tcmsg tc;
	} request = {
		.nlh = {
			.nlmsg_len = sizeof(request),
			.nlmsg_type = RTM_GETQDISC,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		},
	};
	struct ta_nic_qdisc q = {.ifindex = ifindex};
	int rc = ta_host_netlink(h, NETLINK_ROUTE, "route/qdisc", &request.nlh, on_qdisc, &q);

	if (rc < 0)
		return rc;
	if (!q.kind[0])
		return -ENODEV;
	ta_nic_qdisc_sort(&q);
	*ret = q;
	return 0;
}

static int count_one(const struct nlmsghdr *nlh, void *ctx)
{
	if (nlh->nlmsg_type == RTM_NEWTFILTER)
		*(int *)ctx = 1;
	return 0;
}

int ta_nic_qdisc_has_filters(struct ta_host *h, int ifindex, uint16_t handle)
{
	struct {
		struct nlmsghdr nlh;
		struct tcmsg tc;
	} request = {
		.nlh = {
			.nlmsg_len = sizeof(request),
			.nlmsg_type = RTM_GETTFILTER,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		},
		.tc = {.tcm_ifindex = ifindex, .tcm_parent = (uint32_t)handle << 16},
	};
	int any = 0, rc = ta_host_netlink(h, NETLINK_ROUTE, "route/filter", &request.nlh, count_one, &any);

	return rc < 0 ? rc : any;
}

/* --- texts --------------------------------------------------------------------------------- */

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int take_kind(const char **text, char (*ret)[TA_QDISC_KIND])
{
	size_t len = strcspn(*text, " /,");
	const struct ta_qdisc_kind *kind = ta_qdisc_kind(*text, len);

	if (!kind)
		return -EINVAL;
	memset(*ret, 0, sizeof(*ret));
	memcpy(*ret, *text, len);
	*text += len;
	return 0;
}

/* "mq/fq,pfifo_fast": the kinds in order. */
static int take_kinds(const char **text, struct ta_nic_qdisc *q)
{
	if (take_kind(text, &q->kind) < 0)
		return -EINVAL;
	for (char before = '/'; **text == before; before = ',') {
		++*text;
		if (q->n_leaves == TA_QDISC_LEAVES || take_kind(text, &q->leaves[q->n_leaves]) < 0)
			return -EINVAL;
		if (q->n_leaves && strcmp(q->leaves[q->n_leaves - 1], q->leaves[q->n_leaves]) >= 0)
			return -EINVAL;
		q->n_leaves++;
	}
	return q->n_leaves && strcmp(q->kind, "mq") != 0 ? -EINVAL : 0;
}

/* "8001": hexadecimal, without zeros before it. */
static int take_handle(const char **text, uint16_t *ret)
{
	const char *s = *text;
	unsigned v = 0;

	if (*s == '0')
		return -EINVAL;
	for (; digit(*s) >= 0; s++) {
		v = v << 4 | (unsigned)digit(*s);
		if (v > UINT16_MAX)
			return -EINVAL;
	}
	if (s == *text || v == UINT16_MAX) /* ffff: is ingress */
		return -EINVAL;
	*text = s;
	*ret = (uint16_t)v;
	return 0;
}

static int take_options(const char **text, struct ta_nic_qdisc *q)
{
	const char *s = *text;

	for (; digit(*s) >= 0; s += 2) {
		if (digit(s[1]) < 0 || q->n_options == TA_QDISC_OPTIONS)
			return -EINVAL;
		q->options[q->n_options++] = (unsigned char)(digit(s[0]) << 4 | digit(s[1]));
	}
	*text = s;
	return q->n_options ? 0 : -EINVAL;
}

static bool take_word(const char **text, const char *word)
{
	if (strncmp(*text, word, strlen(word)) != 0)
		return false;
	*text += strlen(word);
	return true;
}

int ta_nic_qdisc_parse(const char *text, struct ta_nic_qdisc *ret)
{
	struct ta_nic_qdisc q = {.by_kernel = take_word(&text, "default ")};
	int rc = take_kinds(&text, &q);

	if (rc == 0 && !q.by_kernel && take_word(&text, " handle="))
		rc = take_handle(&text, &q.handle);
	if (rc == 0 && q.handle && take_word(&text, " options="))
		rc = take_options(&text, &q);
	if (rc < 0 || *text)
		return -EINVAL;
	*ret = q;
	return 0;
}

void ta_nic_qdisc_format(const struct ta_nic_qdisc *q, struct ta_buf *b)
{
	ta_buf_printf(b, "%s%s", q->by_kernel ? "default " : "", q->kind);
	for (size_t i = 0; i < q->n_leaves; i++)
		ta_buf_printf(b, "%c%s", i ? ',' : '/', q->leaves[i]);
	if (q->handle)
		ta_buf_printf(b, " handle=%x", q->handle);
	if (q->n_options)
		ta_buf_adds(b, " options=");
	for (size_t i = 0; i < q->n_options; i++)
		ta_buf_printf(b, "%02x", q->options[i]);
}

/* --- requests --------------------------------------------------------------------------------- */

static void begin(struct ta_buf *b, uint16_t type, uint16_t flags, const struct tcmsg *tc)
{
	struct nlmsghdr nlh = {.nlmsg_type = type, .nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags)};

	ta_buf_add(b, &nlh, sizeof(nlh));
	ta_buf_add(b, tc, sizeof(*tc));
}

static void end(struct ta_buf *b)
{
	uint32_t len = (uint32_t)b->len;

	if (!b->error)
		memcpy(b->data, &len, sizeof(len));
}

void ta_nic_qdisc_attach(int ifindex, uint32_t parent, const struct ta_nic_qdisc *q, struct ta_buf *b)
{
	struct tcmsg tc = {.tcm_ifindex = ifindex, .tcm_parent = parent, .tcm_handle = (uint32_t)q->handle << 16};

	/*
	 * Without NLM_F_EXCL the kernel would try to change one of the same kind that is there (tc_modify_qdisc()); with it a handle
	 * that is in use is an error.
	 */
	begin(b, RTM_NEWQDISC, NLM_F_CREATE | NLM_F_REPLACE | (q->handle ? 0 : NLM_F_EXCL), &tc);
	ta_nic_put_text(b, TCA_KIND, q->kind);
	if (q->n_options)
		ta_nic_put(b, TCA_OPTIONS, q->options, q->n_options);
	end(b);
}

void ta_nic_qdisc_remove(int ifindex, struct ta_buf *b)
{
	struct tcmsg tc = {.tcm_ifindex = ifindex, .tcm_parent = TC_H_ROOT};

	begin(b, RTM_DELQDISC, 0, &tc);
	end(b);
}
