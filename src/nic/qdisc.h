/*
 * The root queueing discipline of an interface, and its text:
 *   default pfifo_fast             attached by the kernel; "default mq/fq_codel" with what is below it
 *   fq, mq/fq                      asked for by kind alone
 *   fq handle=8001 options=0800…   as it is found: options are the bytes that the kernel tells, and takes
 *   mq/fq handle=8001
 */
#pragma once

#include <stdint.h>

#include "host/host.h"

struct nlmsghdr;

#define TA_QDISC_KIND 16      /* IFNAMSIZ: struct Qdisc_ops.id */
#define TA_QDISC_LEAVES 4     /* different kinds below one root */
#define TA_QDISC_OPTIONS 1024 /* bytes */

struct ta_nic_qdisc {
	bool by_kernel; /* the kernel attached it */
	char kind[TA_QDISC_KIND];
	uint16_t handle; /* the part before ':'; 0: not said */
	char leaves[TA_QDISC_LEAVES][TA_QDISC_KIND]; /* below mq, sorted, each once */
	size_t n_leaves;
	unsigned char options[TA_QDISC_OPTIONS];
	size_t n_options;

	/* only where it was read */
	int ifindex;
	size_t n_queues;   /* leaves that there are, of whatever kind */
	bool leaves_set; /* somebody attached one of them */
	bool too_much;	   /* more kinds or options than fit: it cannot be put back */
};

/* The kinds that can be put back as they are found: none has classes. NULL-ended rows of kind and whether every kernel has it. */
struct ta_qdisc_kind {
	const char *name;
	bool always; /* never a module */
	bool wished; /* may be asked for */
};
extern const struct ta_qdisc_kind ta_qdisc_kinds[];
extern const size_t ta_n_qdisc_kinds;
const struct ta_qdisc_kind *ta_qdisc_kind(const char *name, size_t len);

/* Of the interface with that index. 0; -ENODEV (nothing is attached), or what the door said. */
int ta_nic_qdisc_read(struct ta_host *h, int ifindex, struct ta_nic_qdisc *ret);

/* One message of the dump, untrusted: into `q` what is about q->ifindex. */
void ta_nic_qdisc_decode(const struct nlmsghdr *nlh, struct ta_nic_qdisc *q);
void ta_nic_qdisc_sort(struct ta_nic_qdisc *q); /* behind the last one */

/* True if filters hang on it; they go with it. 0, 1, or what the door said. */
int ta_nic_qdisc_has_filters(struct ta_host *h, int ifindex, uint16_t handle);

/* Takes what formatting gives, and kinds alone. 0 or -EINVAL. */
int ta_nic_qdisc_parse(const char *text, struct ta_nic_qdisc *ret);
void ta_nic_qdisc_format(const struct ta_nic_qdisc *q, struct ta_buf *b);

/* Complete messages: attach at the root or below it (`parent` as tcm_parent), take the root away. */
void ta_nic_qdisc_attach(int ifindex, uint32_t parent, const struct ta_nic_qdisc *q, struct ta_buf *b);
void ta_nic_qdisc_remove(int ifindex, struct ta_buf *b);
