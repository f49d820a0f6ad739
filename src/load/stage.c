#include "load/stage.h"

#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "load/pin.h"
#include "load/service.h"

static uint64_t ns_of(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * TA_NS_PER_S + (uint64_t)t->tv_usec * 1000;
}

unsigned ta_stage_cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

bool ta_stage_stopped(const struct ta_stage *s)
{
	return *s->o->stop;
}

int ta_stage_serve(struct ta_stage *s, const struct ta_server_options *given, struct ta_err *err)
{
	struct ta_server_options o = given ? *given : (struct ta_server_options){.body_bytes = 2};
	const struct ta_workload *w = s->o->workload;
	int rc;

	o.service = ta_service_find(w->name);
	if (!o.service)
		return ta_err_set(err, -EINVAL, "%s has no server of its own: name a target", w->name);
	if (!o.threads)
		o.threads = TA_MAX(ta_stage_cpus() / 2, 1u);
	if (!o.addr_len)
		ta_server_on_loopback(&o, 0);
	o.pin = s->o->pin;
	rc = ta_server_start(&o, &s->server, err);
	if (rc < 0)
		return rc;
	s->target = (struct ta_target){.addr = s->server.addr, .addr_len = s->server.addr_len, .path = "/"};
	snprintf(s->target.scheme, sizeof(s->target.scheme), "%s", w->scheme);
	snprintf(s->target.host, sizeof(s->target.host), "127.0.0.1");
	snprintf(s->target.port, sizeof(s->target.port), "%u",
		(unsigned)ntohs(((const struct sockaddr_in *)&s->target.addr)->sin_port));
	return 0;
}

bool ta_stage_is_peer(const struct ta_load_options *o)
{
	return ta_peer_is(o->target);
}

int ta_stage_peer(struct ta_stage *s, struct ta_err *err)
{
	const struct ta_load_options *o = s->o;
	int rc = ta_target_parse(o->target, TA_PEER_SCHEME, NULL, &s->target, err);

	return rc < 0 ? rc : ta_peer_open(s->host, &s->target, o->token, o->stop, &s->peer, err);
}

/* sin_port and sin6_port stand at the same place. */
void ta_stage_at_port(struct ta_stage *s, unsigned port)
{
	((struct sockaddr_in *)&s->target.addr)->sin_port = htons((uint16_t)port);
	snprintf(s->target.scheme, sizeof(s->target.scheme), "%s", s->o->workload->scheme);
	snprintf(s->target.port, sizeof(s->target.port), "%u", port);
	snprintf(s->target.path, sizeof(s->target.path), "/");
}

static int open_peer(struct ta_stage *s, const struct ta_server_options *so, struct ta_err *err)
{
	const struct ta_load_options *o = s->o;
	unsigned port, threads = so && so->threads ? so->threads : TA_MAX(ta_stage_cpus(), 1u);
	int rc;

	if (!ta_service_find(o->workload->name))
		return ta_err_set(err, -EINVAL, "%s has no server of its own, and so no peer has one", o->workload->name);
	rc = ta_stage_peer(s, err);
	if (rc == 0)
		rc = ta_peer_serve(&s->peer, &s->target, o->workload->name, threads, so ? so->body_bytes : 2, &port, err);
	if (rc == 0)
		ta_stage_at_port(s, port);
	return rc;
}

/* Where both ends are here they share the CPUs. */
static unsigned choose_threads(const struct ta_load_options *o)
{
	unsigned cpus = ta_stage_cpus();

	if (o->threads)
		return o->threads;
	return TA_MIN(TA_MAX(o->target ? cpus : cpus / 2, 1u), 16u);
}

int ta_stage_set(struct ta_stage *s)
{
	const struct ta_load_options *o = s->o;
	struct ta_load_result *r = s->result;

	r->workload = o->workload->name;
	r->counts = o->workload->counts ? o->workload->counts : "requests";
	r->path = s->peer.is_open ? s->peer.path : ta_target_path_name(&s->target);
	r->built_in = !o->target || s->peer.is_open;
	if (s->peer.is_open) {
		snprintf(r->peer.version, sizeof(r->peer.version), "%s", s->peer.version);
		r->peer.same_machine = s->peer.same_machine;
		r->peer.before = calloc(1, sizeof(*r->peer.before));
		r->peer.after = calloc(1, sizeof(*r->peer.after));
		s->peer_from = calloc(1, sizeof(*s->peer_from));
		if (!r->peer.before || !r->peer.after || !s->peer_from)
			return -ENOMEM;
	}
	r->threads = choose_threads(o);
	r->pipeline = o->pipeline;
	r->rate = o->rate;
	ta_target_print(&s->target, r->target, sizeof(r->target));
	r->points = calloc(o->n_sweep, sizeof(*r->points));
	r->room = r->points ? o->n_sweep : 0;
	r->before = calloc(1, sizeof(*r->before));
	r->after = calloc(1, sizeof(*r->after));
	s->from = calloc(1, sizeof(*s->from));
	return r->points && r->before && r->after && s->from ? 0 : -ENOMEM;
}

/* Beside the built-in server; its threads then have one CPU each (run.c). */
static int pin_client(struct ta_stage *s, struct ta_err *err)
{
	int rc = 0;

	if (sched_getaffinity(0, sizeof(s->cpus), &s->cpus) < 0)
		CPU_ZERO(&s->cpus);
	if (s->server.pid)
		rc = ta_pin_end(TA_PIN_CLIENT, err);
	if (rc == 0)
		ta_strv_add(&s->result->notes, s->server.pid ? "pinned: the server has the first half of the CPUs, the client the rest"
							      : "pinned: each thread of the client has one CPU");
	return rc;
}

int ta_stage_open(struct ta_stage *s, const struct ta_server_options *so, struct ta_err *err)
{
	const struct ta_load_options *o = s->o;
	int rc;

	if (ta_stage_is_peer(o))
		rc = open_peer(s, so, err);
	else if (o->target)
		rc = ta_target_parse(o->target, o->workload->scheme, o->workload->default_port, &s->target, err);
	else
		rc = ta_stage_serve(s, so, err);
	if (rc == 0)
		rc = ta_stage_set(s);
	return rc == 0 && o->pin ? pin_client(s, err) : rc;
}

void ta_stage_close(struct ta_stage *s)
{
	if (s->server.pid)
		ta_server_stop(&s->server);
	free(s->from);
	free(s->peer_from);
	s->from = s->peer_from = NULL;
	if (s->o->pin && CPU_COUNT(&s->cpus))
		sched_setaffinity(0, sizeof(s->cpus), &s->cpus);
	ta_peer_close(&s->peer);
}

void ta_stage_lose_peer(struct ta_stage *s)
{
	ta_peer_close(&s->peer);
	s->result->peer.lost = true;
	ta_strv_add(&s->result->notes, "the peer ended the session before the run was over: what its server used is not known");
}

static void mark(struct ta_stage *s, struct ta_stage_mark *ret)
{
	struct rusage used;

	*ret = (struct ta_stage_mark){.now = ta_load_now()};
	getrusage(RUSAGE_SELF, &used);
	ret->user = ns_of(&used.ru_utime);
	ret->system = ns_of(&used.ru_stime);
	if (s->server.pid)
		ta_server_cpu(&s->server, &ret->server_user, &ret->server_system);
	if (s->peer.is_open && ta_peer_cpu(&s->peer, &ret->server_user, &ret->server_system) < 0)
		ta_stage_lose_peer(s);
}

/* The counters of the peer's machine. */
static void watch_peer(struct ta_stage *s, struct ta_watch_sample *ret)
{
	if (s->peer.is_open && ta_peer_watch(&s->peer, ret) < 0) {
		ret->n_cpus = 0;
		ta_stage_lose_peer(s);
	}
}

void ta_stage_begin(struct ta_stage *s, struct ta_stage_mark *ret)
{
	if (s->peer_from) {
		watch_peer(s, s->peer_from);
		if (!s->result->peer.before->n_cpus)
			*s->result->peer.before = *s->peer_from;
	}
	ta_watch_read(s->host, s->from);
	if (!s->result->before->n_cpus)
		*s->result->before = *s->from;
	mark(s, ret);
}

/* A workload may have a point that is none of the result's. */
static bool is_of_result(const struct ta_stage *s, const struct ta_load_point *p)
{
	return p >= s->result->points && p < s->result->points + s->result->room;
}

static void add_grown(struct ta_watch_sample **sum, const struct ta_watch_sample *from, const struct ta_watch_sample *to)
{
	if (!*sum)
		*sum = calloc(1, sizeof(**sum));
	if (*sum)
		ta_watch_add(*sum, from, to);
}

static void add_watched(struct ta_stage *s, struct ta_load_point *p)
{
	const struct ta_load_peer *peer = &s->result->peer;

	if (!is_of_result(s, p))
		return;
	add_grown(&p->watched, s->from, s->result->after);
	if (s->peer.is_open)
		add_grown(&p->peer_watched, s->peer_from, peer->after);
}

void ta_stage_end(struct ta_stage *s, const struct ta_stage_mark *from, struct ta_load_point *p)
{
	struct ta_stage_mark to;

	mark(s, &to);
	ta_watch_read(s->host, s->result->after);
	if (s->peer_from)
		watch_peer(s, s->result->peer.after);
	add_watched(s, p);
	p->cpu.client_user_s += (double)(to.user - from->user) / 1e9;
	p->cpu.client_system_s += (double)(to.system - from->system) / 1e9;
	if ((!s->server.pid && !s->peer.is_open) || to.server_user < from->server_user)
		return;
	p->cpu.has_server = true;
	p->cpu.server_user_s += (double)(to.server_user - from->server_user) / 1e9;
	p->cpu.server_system_s += (double)(to.server_system - from->server_system) / 1e9;
}
