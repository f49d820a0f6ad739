#include "load/visit.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "load/hold/lend.h"
#include "load/service.h"
#include "load/stage.h"

static void forget_counts(struct ta_visit *s)
{
	if (s->accept.counts)
		munmap(s->accept.counts, TA_ACCEPT_THREADS_MAX * sizeof(*s->accept.counts));
	s->accept.counts = NULL;
}

/* shutdown(), since a service that was started later has a copy of the descriptor. */
void ta_visit_end(struct ta_visit *s)
{
	if (s->server.pid)
		ta_server_stop(&s->server);
	ta_hold_board_free(s->hold);
	forget_counts(s);
	if (s->fd >= 0) {
		shutdown(s->fd, SHUT_RDWR);
		close(s->fd);
	}
	free(s->machine);
	*s = (struct ta_visit){.fd = -1};
}

void ta_visit_say(struct ta_visit *s, const struct ta_control *c)
{
	char line[TA_CONTROL_LINE_MAX];
	size_t len = ta_control_format(c, line, sizeof(line));

	if (send(s->fd, line, len, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)len)
		ta_visit_end(s);
}

void ta_visit_refuse(struct ta_visit *s, const char *text)
{
	struct ta_control no = {.kind = TA_CONTROL_NO};

	snprintf(no.text, sizeof(no.text), "%s", text);
	ta_visit_say(s, &no);
}

/* --- services ------------------------------------------------------------------------------- */

/* On the address that the client reached, a port of the kernel's choice. False: refused. */
static bool prepare_service(const char *dir, struct ta_visit *s, const char *name, struct ta_server_options *ret)
{
	*ret = (struct ta_server_options){.service = ta_service_find(name), .dir = dir, .only = s->peer,
		.addr_len = sizeof(ret->addr)};
	if (!ret->service) {
		ta_visit_refuse(s, "there is no such service here");
		return false;
	}
	if (s->server.pid || getsockname(s->fd, (struct sockaddr *)&ret->addr, &ret->addr_len) < 0) {
		ta_visit_refuse(s, "one service to a session");
		return false;
	}
	/* sin_port and sin6_port stand at the same place. */
	((struct sockaddr_in *)&ret->addr)->sin_port = 0;
	return true;
}

static void start_service(const char *dir, struct ta_visit *s, const struct ta_control *c)
{
	struct ta_control port = {.kind = TA_CONTROL_PORT};
	struct ta_server_options o;
	struct ta_err err;

	if (!prepare_service(dir, s, c->name, &o))
		return;
	o.threads = (unsigned)TA_MIN(TA_MAX(c->threads, 1u), (uint64_t)ta_stage_cpus() * 2);
	o.body_bytes = (unsigned)TA_MIN(c->body, (uint64_t)TA_SERVER_BODY_MAX);
	if (ta_server_start(&o, &s->server, &err) < 0) {
		s->server.pid = 0;
		ta_visit_refuse(s, err.text);
		return;
	}
	port.port = ntohs(((const struct sockaddr_in *)&s->server.addr)->sin_port);
	ta_visit_say(s, &port);
}

/* --- connections that are held ------------------------------------------------------------ */

static void start_holding(struct ta_host *h, struct ta_visit *s, const struct ta_control *c)
{
	struct ta_control holds = {.kind = TA_CONTROL_HOLDS};
	const struct ta_hold_plan *plan;
	struct ta_server_options o;
	struct ta_err err = {0};
	int rc;

	if (!prepare_service(NULL, s, "hold", &o))
		return;
	rc = ta_hold_lend(h, c->hold.connections, c->hold.each, &o, &s->hold, &err);
	if (rc == 0) {
		o.hold = s->hold;
		rc = ta_server_start(&o, &s->server, &err);
	}
	if (rc < 0) {
		s->server.pid = 0;
		ta_hold_board_free(s->hold);
		s->hold = NULL;
		ta_visit_refuse(s, err.text[0] ? err.text : ta_errno_text(rc));
		return;
	}
	ta_hold_lent(h, s->hold);
	plan = &s->hold->setup.plan;
	holds.hold = (struct ta_control_hold){.processes = plan->servers, .ports = (uint64_t)plan->servers * plan->ports_each,
		.backlog = (uint64_t)s->hold->setup.backlog};
	ta_visit_say(s, &holds);
}

static void tell_ports(struct ta_visit *s, uint64_t from)
{
	const struct ta_hold_plan *plan = &s->hold->setup.plan;
	uint64_t n = (uint64_t)plan->servers * plan->ports_each;
	struct ta_control c = {.kind = TA_CONTROL_PORTS_ARE, .from = from};

	if (from >= n) {
		ta_visit_refuse(s, "there are no such ports");
		return;
	}
	c.n = (unsigned)TA_MIN(n - from, (uint64_t)TA_CONTROL_PORTS);
	memcpy(c.ports, s->hold->ports + from, c.n * sizeof(*c.ports));
	ta_visit_say(s, &c);
}

/* False: it is no question about them. */
static bool take_hold_line(struct ta_host *h, struct ta_visit *s, const struct ta_control *c)
{
	struct ta_control answer;

	if (c->kind == TA_CONTROL_HOLD) {
		start_holding(h, s, c);
		return true;
	}
	if (!s->hold)
		return false;
	if (c->kind == TA_CONTROL_ASK_PORTS) {
		tell_ports(s, c->from);
		return true;
	}
	if (c->kind == TA_CONTROL_ASK_HELD)
		ta_hold_tell_held(s->hold, &answer);
	else if (c->kind == TA_CONTROL_ASK_TOOK)
		ta_hold_tell_took(h, s->hold, &answer);
	else
		return false;
	ta_visit_say(s, &answer);
	return true;
}

/* --- ways to accept, one after the other ------------------------------------------------------ */

static int start_accepting(struct ta_visit *s, const struct ta_control *c, struct ta_server_options *o, struct ta_err *err)
{
	size_t bytes = TA_ACCEPT_THREADS_MAX * sizeof(*s->accept.counts);
	struct ta_accept_counts *counts = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int rc;

	if (counts == MAP_FAILED)
		return ta_err_set(err, -ENOMEM, "out of memory");
	s->accept = (struct ta_accept){.how = (enum ta_accept_how)c->how, .close = (enum ta_close)c->close, .counts = counts};
	o->accept = &s->accept;
	o->backlog = (unsigned)TA_MIN(c->backlog, (uint64_t)65535);
	o->threads = c->threads ? (unsigned)TA_MIN(c->threads, (uint64_t)TA_ACCEPT_THREADS_MAX) : ta_accept_threads(ta_stage_cpus());
	s->acceptors = s->accept.how == TA_ACCEPT_SINGLE ? 1 : o->threads;
	rc = ta_server_start(o, &s->server, err);
	if (rc < 0)
		s->server.pid = 0;
	return rc;
}

static void take_accept(struct ta_visit *s, const struct ta_control *c)
{
	struct ta_control answer = {.kind = TA_CONTROL_ACCEPTS_ARE};
	struct ta_server_options o;
	struct ta_err err;

	if (c->how >= TA_ACCEPT_HOWS || c->close > TA_CLOSE_CLIENT) {
		ta_visit_refuse(s, "there is no such way to accept");
		return;
	}
	if (s->server.pid && s->accept.counts) {
		ta_server_stop(&s->server);
		forget_counts(s);
	}
	if (!prepare_service(NULL, s, "connect", &o))
		return;
	if (start_accepting(s, c, &o, &err) < 0) {
		forget_counts(s);
		ta_visit_refuse(s, err.text);
		return;
	}
	answer.port = ntohs(((const struct sockaddr_in *)&s->server.addr)->sin_port);
	answer.threads = s->acceptors;
	ta_visit_say(s, &answer);
}

static void tell_accepted(struct ta_visit *s, uint64_t from)
{
	struct ta_control c = {.kind = TA_CONTROL_ACCEPTED, .from = from};

	if (!s->accept.counts || from >= s->acceptors) {
		ta_visit_refuse(s, "there are no such threads");
		return;
	}
	for (; c.n < TA_CONTROL_ACCEPTS && from + c.n < s->acceptors; c.n++) {
		const struct ta_accept_counts *a = &s->accept.counts[from + c.n];

		c.accepted[c.n] = (struct ta_control_accepted){atomic_load(&a->accepted), atomic_load(&a->wakeups), atomic_load(&a->in_vain)};
	}
	ta_visit_say(s, &c);
}

/* --- what the machine did --------------------------------------------------------------------- */

static void tell_cpu(struct ta_visit *s)
{
	struct ta_control cpu = {.kind = TA_CONTROL_CPU};

	if (!s->server.pid) {
		ta_visit_refuse(s, "no service runs");
	} else if (ta_server_cpu(&s->server, &cpu.user_ns, &cpu.system_ns) < 0) {
		ta_visit_refuse(s, "the service has ended");
		ta_visit_end(s);
	} else {
		ta_visit_say(s, &cpu);
	}
}

static void tell_machine(struct ta_host *h, struct ta_visit *s)
{
	struct ta_control c = {.kind = TA_CONTROL_MACHINE};
	struct ta_watch_sample *m = s->machine;

	if (!m)
		m = s->machine = malloc(sizeof(*m));
	if (!m || ta_watch_read(h, m) < 0) {
		ta_visit_refuse(s, "out of memory");
		return;
	}
	c.n_cpus = m->n_cpus;
	c.has_snmp = m->has_snmp;
	c.has_netstat = m->has_netstat;
	c.has_softnet = m->has_softnet;
	c.retransmits = m->retransmits;
	c.listen_overflows = m->listen_overflows;
	c.listen_drops = m->listen_drops;
	c.softnet_dropped = m->softnet_dropped;
	c.time_squeeze = m->time_squeeze;
	ta_visit_say(s, &c);
}

static void tell_cpus(struct ta_visit *s, uint64_t from)
{
	struct ta_control c = {.kind = TA_CONTROL_CPUS_ARE, .from = from};
	const struct ta_watch_sample *m = s->machine;

	if (!m || from >= m->n_cpus) {
		ta_visit_refuse(s, "there are no such CPUs");
		return;
	}
	c.n = (unsigned)TA_MIN(m->n_cpus - from, (uint64_t)TA_CONTROL_CPUS);
	memcpy(c.cpu, m->cpu + from, c.n * sizeof(*c.cpu));
	ta_visit_say(s, &c);
}

bool ta_visit_answer(struct ta_host *h, const char *dir, struct ta_visit *s, const struct ta_control *c)
{
	switch (c->kind) {
	case TA_CONTROL_SERVE:
		start_service(dir, s, c);
		return true;
	case TA_CONTROL_ASK_CPU:
		tell_cpu(s);
		return true;
	case TA_CONTROL_ASK_MACHINE:
		tell_machine(h, s);
		return true;
	case TA_CONTROL_ASK_CPUS:
		tell_cpus(s, c->from);
		return true;
	case TA_CONTROL_ACCEPT:
		take_accept(s, c);
		return true;
	case TA_CONTROL_ASK_ACCEPTED:
		tell_accepted(s, c->from);
		return true;
	default:
		return take_hold_line(h, s, c);
	}
}
