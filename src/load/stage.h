/*
 * What load runs of all kinds share: where they go, the built-in server, and what the CPUs and the machine's counters say
 * before and after.
 */
#pragma once

#include <sched.h>

#include "load/peer.h"
#include "load/run.h"
#include "load/server.h"

struct ta_stage {
	struct ta_host *host;
	const struct ta_load_options *o;
	struct ta_load_result *result;
	struct ta_target target;
	struct ta_server server; /* pid 0: none */
	struct ta_watch_sample *from; /* of the present measured time */
	struct ta_watch_sample *peer_from; /* the same of the peer's machine; NULL: there is no peer */
	cpu_set_t cpus; /* that were there before a run with `pin` */
	struct ta_peer peer;	 /* has the server, unless it is not open */
};

/* CPU time at one moment, ns. */
struct ta_stage_mark {
	uint64_t user, system, server_user, server_system;
	uint64_t now;
};

/*
 * Reads the target, has a peer start the service, or starts the built-in server with `so` (its service is that of the workload; NULL: the usual one), and
 * fills what `result` says of that. 0 or -errno with the text.
 */
int ta_stage_open(struct ta_stage *s, const struct ta_server_options *so, struct ta_err *err);
/* The first half of that, without a target: starts the built-in server and sets s->target. 0 or -errno with the text. */
int ta_stage_serve(struct ta_stage *s, const struct ta_server_options *so, struct ta_err *err);
/* The second half, for a workload with servers and targets of its own: from s->target. 0 or -ENOMEM. */
int ta_stage_set(struct ta_stage *s);
/* For a workload that asks a peer for more than a service: */
bool ta_stage_is_peer(const struct ta_load_options *o);
int ta_stage_peer(struct ta_stage *s, struct ta_err *err);   /* reads the target and opens the session. 0 or -errno with the text. */
void ta_stage_at_port(struct ta_stage *s, unsigned port); /* the target is that port of the peer; before ta_stage_set() */
void ta_stage_lose_peer(struct ta_stage *s);		     /* it does not answer any more */
void ta_stage_close(struct ta_stage *s);

/* Before the measured time: also the machine's counters, the first time. */
void ta_stage_begin(struct ta_stage *s, struct ta_stage_mark *ret);
/* After it: adds the CPU times since `from` to `p`, and reads the counters again. */
void ta_stage_end(struct ta_stage *s, const struct ta_stage_mark *from, struct ta_load_point *p);

bool ta_stage_stopped(const struct ta_stage *s);
unsigned ta_stage_cpus(void); /* that this process may run on */
