/*
 * What a load run can put on the wire. One file each in src/load/workloads/:
 *     const struct ta_workload ta_workload_NAME;
 */
#pragma once

#include "base/buf.h"
#include "base/strv.h"
#include "load/load.h"
#include "load/target.h"

struct ta_load_options;
struct ta_load_result;

struct ta_workload_options {
	const struct ta_load_options *load;
	const struct ta_target *target;
	const struct ta_strv *headers; /* "Name: value", http */
	unsigned pipeline;	       /* requests in a batch */
};

struct ta_stage;

struct ta_workload {
	const char *name;    /* "http"; also of the built-in server's service that answers it */
	const char *summary; /* one line */
	const char *scheme;  /* of its targets: "http" */
	const char *default_port; /* NULL: one has to be named */
	const char *counts; /* what a point counts; NULL: "requests" */
	unsigned default_connections, max_connections; /* 0: 50, TA_LOAD_CONNECTIONS_MAX */
	bool no_latencies; /* it measures none: there is no histogram */
	/*
	 * For workloads that ask and wait for answers (run is NULL), over any engine. Fills `ret`; `bytes` keeps what ret->bytes
	 * points to. 0, -EINVAL with the text (a header that would split the request), -ENOMEM.
	 */
	int (*prepare)(const struct ta_workload_options *o, struct ta_buf *bytes, struct ta_wire *ret, struct ta_err *err);
	/*
	 * Before the first measurement (NULL: nothing is to be done). 0, 1 if it left something that finish() takes back, or
	 * -errno with the text where all would be in vain.
	 */
	int (*begin)(const struct ta_workload_options *o, struct ta_err *err);
	/* After the last one, also where it was stopped; adds what it found to the figures. May be NULL. */
	void (*finish)(const struct ta_workload_options *o, bool left_something, struct ta_load_result *r);
	/*
	 * For all others: opens the stage (stage.h), measures, fills s->result: points if it counts replies, figures for what
	 * it finds beside them. 0 or -errno with the text. The caller closes the stage.
	 */
	int (*run)(struct ta_stage *s, struct ta_err *err);
};

extern const struct ta_workload *const ta_workloads[]; /* generated */
extern const size_t ta_n_workloads;

const struct ta_workload *ta_workload_find(const char *name); /* NULL: there is none of that name */
