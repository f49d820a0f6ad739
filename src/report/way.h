/*
 * A packet's way through a host: queues of network interfaces, their interrupts, the CPUs that serve them, the NUMA nodes these
 * belong to. Made from facts alone, drawn by printers (report/waytext.c, report/page/waysvg.c). What is a fault is what
 * rules/irq.rules says; here it is put onto the queue and the CPU that it is about.
 */
#pragma once

#include <stdint.h>

#include "facts/facts.h"

enum {
	TA_WAY_CPU0 = 1 << 0,     /* CPU 0 serves all that receives, of an interface with several such interrupts */
	TA_WAY_ONE_CPU = 1 << 1,  /* the same by another CPU */
	TA_WAY_SHARED = 1 << 2,   /* two receiving queues of an interface on one CPU, while one that could serve has none */
	TA_WAY_FAR = 1 << 3,      /* served by a CPU of another node than the interface's */
	TA_WAY_ISOLATED = 1 << 4, /* served by a CPU that was set apart for other work */
	TA_WAY_FAULTS = 5,        /* how many kinds there are */
};

struct ta_way_irq {
	char *queue; /* "rx-3", "combined-0" */
	char *number;
	bool receives;
	struct ta_cpuset cpus; /* that serve it: chosen by the kernel, else where it fired; empty: not known */
	int64_t node;          /* of its CPUs; -1: of several, or not known */
	unsigned faults;
};

struct ta_way_nic {
	char *name;
	char *about; /* "ixgbe, 10 Gbit/s, node 0" */
	int64_t node; /* -1: not known */
	bool down;
	struct ta_way_irq *irqs; /* in the order of their queues */
	size_t n_irqs;
	size_t left_out; /* more than are kept */
	unsigned faults;
	char *steering; /* "RPS hands packets on to CPUs 0-7", or NULL */
};

struct ta_way_cpu {
	unsigned number;
	int64_t node; /* -1: not known */
	bool isolated;
	unsigned queues; /* that it serves alone or with others, receiving ones */
	unsigned sends;  /* the same of those that only send */
	unsigned faults; /* of these */
	double softirq;  /* its share of all receive softirqs, 0 … 1; below 0: not known */
};

struct ta_way {
	struct ta_way_nic *nics;
	size_t n_nics;
	struct ta_way_cpu *cpus; /* by node, then rising */
	size_t n_cpus;
	size_t n_nodes;     /* 0: not known */
	unsigned faults;    /* of all */
	bool softirq_now;   /* `softirq` is of the seconds that were sampled, not since boot */
	char *why_not;      /* nothing to draw, and why; NULL: there is */
};

/* 0 or -ENOMEM. The caller frees with ta_way_done(). */
int ta_way_of(const struct ta_facts *f, struct ta_way *ret);
void ta_way_done(struct ta_way *w);
#define ta_cleanup_way ta_cleanup(ta_way_done)

/* What a bit means, in a few words: "all on CPU 0"; and in a sentence. NULL for none of the above. */
const char *ta_way_fault_name(unsigned bit);
const char *ta_way_fault_meaning(unsigned bit);

/* "all on CPU 0, other node" of the bits; nothing for 0. */
void ta_way_fault_names(unsigned bits, struct ta_buf *ret);

/*
 * What is alike in neighbours is one row of a picture: a run of interrupts with the same faults, a run of CPUs that do the
 * same. With few of them each has its own.
 */
struct ta_way_row {
	const struct ta_way_irq *first, *last;
	size_t n;
	struct ta_cpuset cpus;
	unsigned faults;
	bool one_each; /* as many CPUs as interrupts */
};

/* At most about `most` rows, owned by the caller: ta_way_rows_free(). NULL: none, or out of memory. */
struct ta_way_row *ta_way_rows(const struct ta_way_nic *nic, size_t most, size_t *ret_n);
void ta_way_rows_free(struct ta_way_row *rows, size_t n);

struct ta_way_box {
	size_t first, n; /* in ta_way.cpus; neighbours there, of one node */
};

/* Likewise; CPUs that serve nothing are always one box with their neighbours. The caller frees. */
struct ta_way_box *ta_way_boxes(const struct ta_way *w, size_t most, size_t *ret_n);

/* The numbers of the CPUs in a box: "0-3,8". */
void ta_way_box_name(const struct ta_way *w, const struct ta_way_box *box, struct ta_buf *ret);

/* The picture in lines of ASCII, or with Unicode's box drawing. */
void ta_way_text(const struct ta_way *w, unsigned columns, bool unicode, struct ta_buf *ret);
