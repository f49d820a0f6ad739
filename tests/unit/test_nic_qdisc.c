/*
 * Queueing disciplines against a kernel that lives in the test: which are left alone, that the kernel's own comes back as it was
 * even under another default, and that no module is loaded on the way.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <libmnl/libmnl.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>

#include "fix/nicknob.h"
#include "fix/step.h"
#include "host/internal.h"
#include "nic/attr.h"
#include "nic/qdisc.h"

#define DEFAULT "/proc/sys/net/core/default_qdisc"
#define INDEX 2
#define QUEUES 4

struct one {
	char kind[16];
	uint32_t handle;
	char options[8];
};

struct kernel {
	struct ta_host host;
	struct one root, leaf[QUEUES];
	size_t queues; /* 1: no mq by default */
	char by_default[16];
	const char *modules; /* /proc/modules; NULL: a kernel without */
	bool filters, other_child;
	unsigned attached, removed, set_default;
	uint32_t next; /* handle */
};

static void attach_default(struct kernel *k)
{
	memset(&k->root, 0, sizeof(k->root));
	memset(k->leaf, 0, sizeof(k->leaf));
	if (k->queues == 1) {
		strcpy(k->root.kind, k->by_default);
		return;
	}
	strcpy(k->root.kind, "mq");
	for (size_t i = 0; i < k->queues; i++)
		strcpy(k->leaf[i].kind, k->by_default);
}

static void message(struct ta_buf *b, const struct nlmsghdr *request, uint16_t type, const void *body, size_t len)
{
	struct nlmsghdr nlh = {.nlmsg_len = (uint32_t)(sizeof(nlh) + len), .nlmsg_type = type, .nlmsg_seq = request->nlmsg_seq,
		.nlmsg_flags = NLM_F_MULTI};

	ta_buf_add(b, &nlh, sizeof(nlh));
	ta_buf_add(b, body, len);
}

static void put_qdisc(struct ta_buf *b, const struct nlmsghdr *request, uint32_t parent, const struct one *q)
{
	ta_cleanup_buf struct ta_buf body = TA_BUF_INIT;
	struct tcmsg tc = {.tcm_ifindex = INDEX, .tcm_parent = parent, .tcm_handle = q->handle};

	ta_buf_add(&body, &tc, sizeof(tc));
	ta_nic_put_text(&body, TCA_KIND, q->kind);
	if (q->options[0])
		ta_nic_put(&body, TCA_OPTIONS, q->options, strlen(q->options));
	message(b, request, RTM_NEWQDISC, body.data, body.len);
}

static void put_link(struct ta_buf *b, const struct nlmsghdr *request)
{
	ta_cleanup_buf struct ta_buf body = TA_BUF_INIT;
	struct ifinfomsg info = {.ifi_index = INDEX};

	ta_buf_add(&body, &info, sizeof(info));
	ta_nic_put_text(&body, IFLA_IFNAME, "eth0");
	ta_nic_put_u32(&body, IFLA_TXQLEN, 1000);
	message(b, request, RTM_NEWLINK, body.data, body.len);
}

static int ask(struct ta_host *h, int protocol, const char *key, struct nlmsghdr *request, struct ta_buf *ret)
{
	struct kernel *k = (struct kernel *)h;
	struct one other = {.kind = "fq"};

	ta_buf_reset(ret);
	if (request->nlmsg_type == RTM_GETLINK)
		put_link(ret, request);
	if (request->nlmsg_type == RTM_GETTFILTER && k->filters)
		message(ret, request, RTM_NEWTFILTER, &(struct tcmsg){0}, sizeof(struct tcmsg));
	if (request->nlmsg_type == RTM_GETQDISC) {
		put_qdisc(ret, request, TC_H_ROOT, &k->root);
		for (size_t i = 0; i < k->queues && k->leaf[i].kind[0]; i++)
			put_qdisc(ret, request, k->root.handle | (uint32_t)(i + 1), &k->leaf[i]);
		if (k->other_child)
			put_qdisc(ret, request, k->root.handle | 1, &other);
	}
	message(ret, request, NLMSG_DONE, &(int){0}, sizeof(int));
	return 0;
}

static int attach(struct kernel *k, const struct nlmsghdr *request)
{
	const struct tcmsg *tc = mnl_nlmsg_get_payload(request);
	const struct nlattr *kind = ta_nic_attr(request, sizeof(*tc), TCA_KIND);
	const struct nlattr *options = ta_nic_attr(request, sizeof(*tc), TCA_OPTIONS);
	bool root = tc->tcm_parent == TC_H_ROOT;
	struct one *q = root ? &k->root : &k->leaf[(tc->tcm_parent & 0xffff) - 1];

	k->attached++;
	assert_int_equal(tc->tcm_ifindex, INDEX);
	if (root)
		memset(k->leaf, 0, sizeof(k->leaf));
	memset(q, 0, sizeof(*q));
	ta_nic_attr_text(kind, q->kind, sizeof(q->kind));
	q->handle = tc->tcm_handle ? tc->tcm_handle : (0x8000u + ++k->next) << 16;
	if (options)
		memcpy(q->options, mnl_attr_get_payload(options), TA_MIN(mnl_attr_get_payload_len(options), 7u));
	else if (strcmp(q->kind, "mq") != 0)
		strcpy(q->options, "abcd"); /* defaults of its own */
	for (size_t i = 0; root && strcmp(q->kind, "mq") == 0 && i < k->queues; i++)
		strcpy(k->leaf[i].kind, k->by_default);
	return 0;
}

static int change(struct ta_host *h, int protocol, struct nlmsghdr *request, struct ta_buf *ret)
{
	struct kernel *k = (struct kernel *)h;
	int error[5] = {0}; /* and the request's header */

	ta_buf_reset(ret);
	if (request->nlmsg_type == RTM_NEWQDISC)
		error[0] = attach(k, request);
	else if (request->nlmsg_type == RTM_DELQDISC && !k->root.handle)
		error[0] = -ENOENT;
	else if (request->nlmsg_type == RTM_DELQDISC) {
		k->removed++;
		attach_default(k);
	}
	message(ret, request, NLMSG_ERROR, error, sizeof(error));
	return 0;
}

static int set(struct ta_host *h, const char *path, const char *text)
{
	struct kernel *k = (struct kernel *)h;

	assert_string_equal(path, DEFAULT);
	snprintf(k->by_default, sizeof(k->by_default), "%s", text);
	k->set_default++;
	return 0;
}

static int read_file(struct ta_host *h, const char *path, size_t cap, struct ta_buf *ret)
{
	struct kernel *k = (struct kernel *)h;

	ta_buf_reset(ret);
	if (strcmp(path, DEFAULT) == 0)
		ta_buf_printf(ret, "%s\n", k->by_default);
	else if (strcmp(path, "/proc/sys/kernel/osrelease") == 0)
		ta_buf_adds(ret, "6.1\n");
	else
		return -ENOENT;
	return 0;
}

static int lines(struct ta_host *h, const char *path, ta_line_fn *fn, void *ctx)
{
	struct kernel *k = (struct kernel *)h;
	static const char builtin[] = "kernel/net/sched/sch_fq_pie.ko";

	if (strcmp(path, "/proc/modules") == 0 && k->modules)
		return fn(k->modules, strlen(k->modules), ctx);
	if (strcmp(path, "/lib/modules/6.1/modules.builtin") == 0)
		return fn(builtin, strlen(builtin), ctx);
	return -ENOENT;
}

static int exists(struct ta_host *h, const char *path)
{
	return strcmp(path, "/proc/modules") == 0 && ((struct kernel *)h)->modules ? 0 : -ENOENT;
}

static void done(struct ta_host *h)
{
}

static struct kernel *make(size_t queues, const char *by_default)
{
	static const struct ta_change_ops changes = {.netlink = change, .set = set};
	static const struct ta_host_ops ops = {.change = &changes, .done = done, .netlink = ask, .read = read_file,
		.lines = lines, .exists = exists};
	struct kernel *k = ta_host_new(sizeof(*k), &ops, true);

	if (!k)
		abort();
	k->queues = queues;
	strcpy(k->by_default, by_default);
	k->modules = "sch_fq 24576 2 - Live 0x0";
	attach_default(k);
	return k;
}

static void is(struct kernel *k, const char *want)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_err err = {0};
	int rc = ta_knob_qdisc.read(&k->host, "eth0", &b, &err);

	assert_string_equal(rc < 0 ? err.text : ta_buf_text(&b), want);
	if (rc == 0)
		assert_int_equal(ta_knob_check("qdisc", "eth0", want, TA_VALUE_FOUND, NULL), 0);
}

static void writes(struct kernel *k, const char *value, const char *error)
{
	struct ta_err err = {0};
	int rc = ta_knob_qdisc.write(&k->host, "eth0", value, &err);

	assert_string_equal(err.text, error);
	assert_int_equal(rc == 0, !*error);
}

static void one_queue(void **state)
{
	struct kernel *k = make(1, "pfifo_fast");

	is(k, "default pfifo_fast");
	writes(k, "fq", "");
	is(k, "fq handle=8001 options=61626364");
	writes(k, "fq", ""); /* it is there */
	assert_int_equal(k->attached, 1);
	writes(k, "default pfifo_fast", "");
	is(k, "default pfifo_fast");
	assert_int_equal(k->removed, 1);
	assert_int_equal(k->set_default, 0);
	/* Somebody's own with its options goes and comes back. */
	strcpy(k->root.kind, "pfifo");
	k->root.handle = 0x10000;
	strcpy(k->root.options, "l100");
	is(k, "pfifo handle=1 options=6c313030");
	writes(k, "fq", "");
	writes(k, "pfifo handle=1 options=6c313030", "");
	is(k, "pfifo handle=1 options=6c313030");
	ta_host_free(&k->host);
}

static void several_queues(void **state)
{
	struct kernel *k = make(QUEUES, "pfifo_fast");

	is(k, "default mq/pfifo_fast");
	writes(k, "mq/fq", "");
	assert_int_equal(k->attached, 1 + QUEUES);
	is(k, "mq/fq handle=8001");
	/* The default has become another one meanwhile, and what the kernel attached before comes back all the same. */
	strcpy(k->by_default, "fq");
	writes(k, "default mq/pfifo_fast", "");
	is(k, "default mq/pfifo_fast");
	assert_string_equal(k->by_default, "fq");
	assert_int_equal(k->set_default, 2);
	/* As when queues come into use that had another one. */
	strcpy(k->leaf[3].kind, "fq");
	is(k, "default mq/fq,pfifo_fast");
	writes(k, "default mq/pfifo_fast", "");
	is(k, "default mq/pfifo_fast");
	ta_host_free(&k->host);
}

static void left_alone(void **state)
{
	struct kernel *k = make(QUEUES, "pfifo_fast");

	k->leaf[1].handle = 0x20000;
	writes(k, "mq/fq", "eth0: its queueing discipline mq was built by somebody; it is left alone");
	k->leaf[1].handle = 0;
	strcpy(k->root.kind, "htb");
	k->root.handle = 0x10000;
	is(k, "eth0: its queueing discipline htb was built by somebody; it is left alone");
	writes(k, "mq/fq", "eth0: its queueing discipline htb was built by somebody; it is left alone");
	memset(k->leaf, 0, sizeof(k->leaf));
	strcpy(k->root.kind, "fq");
	k->filters = true;
	writes(k, "pfifo_fast", "eth0: its queueing discipline fq has filters; it is left alone");
	k->filters = false;
	k->other_child = true;
	is(k, "eth0: its queueing discipline fq has others below it; it is left alone");
	assert_int_equal(k->attached + k->removed, 0);
	ta_host_free(&k->host);
}

static void no_module_by_the_way(void **state)
{
	struct kernel *k = make(1, "pfifo_fast");

	writes(k, "cake", "eth0: queueing discipline cake is not loaded; 'modprobe sch_cake' first, where this kernel has it");
	writes(k, "fq_codel", "eth0: queueing discipline fq_codel is not loaded; 'modprobe sch_fq_codel' first, where this kernel has it");
	assert_int_equal(k->attached, 0);
	writes(k, "fq_pie", ""); /* built in */
	writes(k, "fq", "");	 /* loaded */
	k->modules = NULL;
	writes(k, "cake", ""); /* nothing can be loaded: the kernel says whether it has it */
	ta_host_free(&k->host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_queue),
		cmocka_unit_test(several_queues),
		cmocka_unit_test(left_alone),
		cmocka_unit_test(no_module_by_the_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
