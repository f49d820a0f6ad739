/*
 * hold: how many connections stay open, and what each of them takes. The processes are those of hold/board.h; this starts
 * the conductor, shows how far it is, and makes a result of what it found.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "load/children.h"
#include "load/hold/verdict.h"
#include "load/source.h"
#include "load/stage.h"

#define PROGRESS_NS (500 * TA_NS_PER_MS)
#define BUILD_AT_LEAST 2000 /* connections a second: slower is too slow, and ends it */
#define BUILD_MORE_S 30
#define USUAL 10000.0 /* a second: what the line on a terminal reckons with */
#define STOP_S 60 /* for all processes to end, before they are killed */
#define PEER_LOOK_MS 20
#define PEER_LOOKS 100 /* for the peer to accept all; then it is asked all the same */
#define FEW 5000 /* connections whose kernel memory cannot be told from what else goes on */

struct hold {
	struct ta_stage *stage;
	struct ta_hold_setup setup;
	struct ta_hold_board *board;
	struct ta_child conductor;
	struct ta_control_hold peer; /* what it has for the run, and what came of that; processes 0: there is none */
	bool peer_took;
	unsigned waited; /* looks at a peer that has not accepted all yet */
};

/* --- before --------------------------------------------------------------------- */

static int read_target(struct hold *h, struct ta_err *err)
{
	static const char http[] = "http://";
	struct ta_stage *s = h->stage;
	const char *text = s->o->target;
	struct ta_hold_setup *setup = &h->setup;
	bool six;
	int rc;

	setup->probe = strncmp(text, http, sizeof(http) - 1) ? TA_HOLD_KEEPALIVE : TA_HOLD_HTTP;
	if (setup->probe == TA_HOLD_HTTP)
		rc = ta_target_parse(text, "http", "80", &s->target, err);
	else
		rc = ta_target_parse(text, "tcp", NULL, &s->target, err);
	if (rc < 0)
		return rc;
	memcpy(&setup->to, &s->target.addr, s->target.addr_len);
	setup->to_len = s->target.addr_len;
	setup->want.many_addresses = ta_source_is_many((const struct sockaddr *)&setup->to);
	six = strchr(s->target.host, ':');
	snprintf(setup->request, sizeof(setup->request), "GET %s HTTP/1.1\r\nHost: %s%s%s:%s\r\n\r\n", s->target.path,
		six ? "[" : "", s->target.host, six ? "]" : "", s->target.port);
	return 0;
}

static void set_own_target(struct hold *h)
{
	struct ta_target *t = &h->stage->target;
	struct sockaddr_in *in = (struct sockaddr_in *)&t->addr;
	struct ta_hold_setup *s = &h->setup;

	*t = (struct ta_target){.scheme = "tcp", .host = "127.0.0.1", .port = "*", .addr_len = sizeof(*in)};
	*in = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	memcpy(&s->to, in, sizeof(*in));
	s->listen = s->to;
	s->to_len = s->listen_len = sizeof(*in);
	s->probe = TA_HOLD_ECHO;
	s->want.both_ends = s->want.many_addresses = true;
	s->in_namespace = !h->stage->o->host_network;
}

/* From one address to one port there are as many connections as local ports: a peer listens on several. */
static int order_peer(struct hold *h, struct ta_err *err)
{
	struct ta_stage *s = h->stage;
	struct ta_hold_setup *setup = &h->setup;
	struct ta_control_hold want = {.connections = setup->want.connections, .each = setup->per_port};
	int rc = ta_stage_peer(s, err);

	if (rc == 0)
		rc = ta_peer_hold(&s->peer, &s->target, &want, &h->peer, err);
	if (rc < 0)
		return rc;
	if (h->peer.ports > TA_HOLD_PORTS_MAX || h->peer.ports * want.each < want.connections)
		return ta_err_set(err, -EPROTO, "the peer listens on %llu ports, which is not what it was asked for",
			(unsigned long long)h->peer.ports);
	memcpy(&setup->to, &s->target.addr, s->target.addr_len);
	setup->to_len = s->target.addr_len;
	setup->peer_ports = (unsigned)h->peer.ports;
	setup->backlog = (int)TA_MIN(h->peer.backlog, 65535u);
	return 0;
}

static int prepare(struct hold *h, struct ta_err *err)
{
	const struct ta_load_options *o = h->stage->o;
	struct ta_hold_setup *s = &h->setup;
	struct ta_room room;
	int rc = 0;

	if (o->n_sweep > 1 || o->repeats > 1)
		return ta_err_set(err, -EINVAL, "hold takes one number of connections, once");
	if (o->rate > 0)
		return ta_err_set(err, -EINVAL, "hold makes connections as fast as it can: it takes no --rate");
	s->is_peer = ta_stage_is_peer(o);
	s->want.many_ports = s->is_peer;
	if (o->target && !s->is_peer)
		rc = read_target(h, err);
	else if (!o->target)
		set_own_target(h);
	if (rc < 0)
		return rc;
	s->want.connections = o->sweep[0];
	rc = ta_room_read(h->stage->host, &room);
	if (rc == 0)
		rc = ta_hold_plan(&room, &s->want, &s->plan, err);
	if (rc < 0)
		return rc;
	s->per_port = ta_hold_each_port(&room);
	s->backlog = o->backlog ? (int)o->backlog : (int)room.somaxconn;
	s->at_once = o->threads ? o->threads : TA_MAX(ta_stage_cpus() / (s->want.both_ends ? 2 : 1), 1u);
	s->timeout_ns = o->timeout_ns;
	s->hold_ns = o->duration_ns;
	s->build_ns = (o->sweep[0] / BUILD_AT_LEAST + BUILD_MORE_S) * TA_NS_PER_S + o->timeout_ns;
	return s->is_peer ? order_peer(h, err) : 0;
}

/* --- meanwhile -------------------------------------------------------------------- */

static void conductor_main(void *arg, int control)
{
	struct hold *h = arg;

	setpgid(0, 0);
	ta_hold_conduct(h->board, h->stage->host);
}

static void show(struct hold *h, uint64_t begin, uint64_t *last, uint64_t *seen)
{
	const struct ta_load_options *o = h->stage->o;
	uint64_t now = ta_load_now(), open = ta_hold_open(h->board);
	struct ta_load_progress p = {.connections = (unsigned)open, .repeat = 1};

	if (!o->progress || now < *last + PROGRESS_NS)
		return;
	p.elapsed_s = (double)(now - begin) / 1e9;
	p.total_s = TA_MAX(p.elapsed_s, (double)h->setup.want.connections / USUAL + (double)h->setup.hold_ns / 1e9);
	p.per_second = open > *seen ? (double)(open - *seen) * 1e9 / (double)(now - *last) : 0;
	o->progress(&p, o->progress_ctx);
	*last = now;
	*seen = open;
}

static void lose_peer(struct hold *h)
{
	ta_stage_lose_peer(h->stage);
	atomic_store(&h->board->looked, 1);
	atomic_store(&h->board->enough, 1);
}

/* How many the peer has accepted goes to the clients, which wait for that; what they take there is asked when all are open. */
static void ask_peer(struct hold *h)
{
	struct ta_hold_board *b = h->board;
	struct ta_peer *p = &h->stage->peer;
	struct ta_control c;

	if (!p->is_open)
		return;
	if (ta_peer_held(p, &c) < 0) {
		lose_peer(h);
		return;
	}
	if (!atomic_load(&b->looked)) { /* later they end */
		h->peer.accepted = c.hold.accepted;
		h->peer.open = c.hold.open;
	}
	atomic_store(&b->peer_accepted, c.hold.accepted);
	if (strcmp(c.text, "-") != 0 && !b->peer_limit[0]) {
		snprintf(b->peer_limit, sizeof(b->peer_limit), "%s", c.text);
		atomic_store(&b->enough, 1);
	}
	if (atomic_load(&b->phase) != TA_HOLD_HOLDING || atomic_load(&b->looked))
		return;
	if (c.hold.open < ta_hold_open(b) && ++h->waited < PEER_LOOKS)
		return;
	h->peer_took = ta_peer_took(p, &c.hold) == 0;
	if (!h->peer_took) {
		lose_peer(h);
		return;
	}
	h->peer.idle = c.hold.idle;
	h->peer.held = c.hold.held;
	h->peer.grown = c.hold.grown;
	h->peer.kernel = c.hold.kernel;
	h->peer.by_caches = c.hold.by_caches;
	atomic_store(&b->looked, 1);
}

/* Until the conductor has ended, and with it all others. */
static void follow(struct hold *h)
{
	uint64_t begin = ta_load_now(), last = begin, seen = 0, stopped = 0;
	struct pollfd p = {.fd = h->conductor.control, .events = POLLIN};

	while (poll(&p, 1, h->setup.is_peer ? PEER_LOOK_MS : 100) <= 0) {
		show(h, begin, &last, &seen);
		ask_peer(h);
		if (!ta_stage_stopped(h->stage))
			continue;
		atomic_store(&h->board->stop, 1);
		if (!stopped)
			stopped = ta_load_now();
		if (ta_load_now() > stopped + STOP_S * TA_NS_PER_S)
			break;
	}
	/* Whoever is left is in its group, and the number of the group is taken until it is waited for. */
	kill(-h->conductor.pid, SIGKILL);
	ta_child_end(&h->conductor);
}

static int conduct(struct hold *h, struct ta_err *err)
{
	const struct ta_hold_outcome *o;
	int rc;

	h->board = ta_hold_board_new(&h->setup);
	if (!h->board)
		return -ENOMEM;
	if (h->setup.is_peer && ta_peer_ports(&h->stage->peer, h->setup.peer_ports, h->board->ports) < 0)
		return ta_err_set(err, -EPROTO, "the peer does not say where it listens");
	rc = ta_child_start(conductor_main, h, NULL, 0, &h->conductor, err);
	if (rc < 0)
		return rc;
	setpgid(h->conductor.pid, h->conductor.pid);
	follow(h);
	o = &h->board->outcome;
	if (!o->ended)
		return ta_err_set(err, -EIO, "the process that led the run died");
	return o->rc < 0 ? ta_err_set(err, o->rc, "%s", o->err.text[0] ? o->err.text : ta_errno_text(o->rc)) : 0;
}

/* --- after --------------------------------------------------------------------------- */

static void add_held(const struct hold *h, const struct ta_hold_sum *s, struct ta_figures *f)
{
	const struct ta_hold_outcome *o = &h->board->outcome;
	ta_cleanup_buf struct ta_buf by = TA_BUF_INIT;
	double built = (double)o->built_ns / 1e9;

	ta_hold_refused_by(h->board, s, &by);
	ta_figures_number(f, "held", "Held", (double)s->held, "%llu of %llu connections, for %.1f s",
		(unsigned long long)s->held, (unsigned long long)h->setup.want.connections, (double)o->held_ns / 1e9);
	ta_figures_text(f, "refused_by", "Refused by", "%s", ta_buf_text(&by));
	ta_figures_number(f, "built_s", "Built", built, "in %.2f s, %.0f a second", built,
		built > 0 ? (double)s->counts.connects / built : 0);
}

static void add_alive(const struct hold *h, const struct ta_hold_sum *s, struct ta_figures *f)
{
	if (h->setup.probe == TA_HOLD_KEEPALIVE) {
		ta_figures_number(f, "answered", "Alive", (double)s->answered,
			"%llu of %llu that were asked by keep-alive; none said a word", (unsigned long long)s->answered,
			(unsigned long long)s->asked);
	} else {
		ta_figures_number(f, "answered", "Alive", (double)s->answered,
			"%llu of %llu that were asked, in %.3f ms (p50), %.3f ms (p99)", (unsigned long long)s->answered,
			(unsigned long long)s->asked, (double)ta_hist_percentile(&s->answer, 50) / 1e6,
			(double)ta_hist_percentile(&s->answer, 99) / 1e6);
	}
	ta_figures_number(f, "asked", NULL, (double)s->asked, "%s", "");
}

static void add_memory(const struct hold *h, const struct ta_hold_sum *s, struct ta_figures *f)
{
	const struct ta_hold_outcome *o = &h->board->outcome;
	const struct ta_hold_plan *p = &h->board->setup.plan;
	double grown = (double)ta_hold_user_grown(&o->user_idle, &o->user_held), n = (double)s->held;
	unsigned processes = p->clients + p->servers;
	ta_cleanup_buf struct ta_buf who = TA_BUF_INIT;
	bool by_caches;
	double kernel = ta_hold_kernel_grown(&o->idle, &o->full, s->held, &by_caches);

	if (!s->held)
		return;
	ta_figures_number(f, "user_bytes_per_connection", "User memory", grown / n,
		"%.1f bytes a connection: Pss of %u process%s went from %.2f to %.2f MiB", grown / n, processes,
		processes == 1 ? "" : "es", (double)o->user_idle.pss / (1 << 20), (double)o->user_held.pss / (1 << 20));
	ta_figures_number(f, "user_bytes_idle", NULL, (double)o->user_idle.pss, "%s", "");
	ta_figures_number(f, "user_bytes_held", NULL, (double)o->user_held.pss, "%s", "");
	ta_figures_number(f, "kernel_bytes_per_connection", "Kernel memory", kernel / n, "%.0f bytes a connection%s (%s)", kernel / n,
		p->servers ? ", both ends" : "", by_caches ? "its slab caches" : "all that the kernel took meanwhile, /proc/meminfo");
	ta_figures_text(f, "kernel_bytes_from", NULL, "%s", by_caches ? "slabinfo" : "meminfo");
	ta_buf_printf(&who, "%u client%s with up to %u connections", p->clients, p->clients == 1 ? "" : "s", p->per_process);
	if (p->servers)
		ta_buf_printf(&who, ", %u server%s", p->servers, p->servers == 1 ? "" : "s");
	ta_figures_number(f, "processes", "Processes", processes, "%s", ta_buf_text(&who));
	ta_figures_number(f, "sources", NULL, (double)p->clients * p->sources_per_client, "%s", "");
}

/* Of one kernel both ends' connections are in the same caches. */
static void add_peer(const struct hold *h, const struct ta_hold_sum *s, struct ta_figures *f)
{
	const struct ta_control_hold *p = &h->peer;
	const struct ta_room *room = &h->board->outcome.room;
	double n = TA_MAX((double)p->open, 1.0);

	if (!h->setup.is_peer)
		return;
	ta_figures_number(f, "peer_ports", "Peer", (double)p->ports, "%llu process%s on %llu port%s, since one address makes %u connections to a port with ease (ip_local_port_range %u-%u)",
		(unsigned long long)p->processes, p->processes == 1 ? "" : "es", (unsigned long long)p->ports,
		p->ports == 1 ? "" : "s", h->setup.per_port, room->port_low, room->port_high);
	ta_figures_number(f, "peer_processes", NULL, (double)p->processes, "%s", "");
	ta_figures_number(f, "peer_accepted", NULL, (double)p->accepted, "%s", "");
	ta_figures_number(f, "peer_open", "Peer has", (double)p->open, "%llu connections open, a descriptor each; %llu were accepted",
		(unsigned long long)p->open, (unsigned long long)p->accepted);
	if (!h->peer_took || !s->held)
		return;
	ta_figures_number(f, "peer_user_bytes_per_connection", "Peer user", (double)p->grown / n,
		"%.1f bytes a connection: Pss went from %.2f to %.2f MiB", (double)p->grown / n, (double)p->idle / (1 << 20),
		(double)p->held / (1 << 20));
	ta_figures_number(f, "peer_kernel_bytes_per_connection", "Peer kernel", (double)p->kernel / n, "%.0f bytes a connection%s (%s)",
		(double)p->kernel / n, h->stage->result->peer.same_machine ? ", both ends" : "",
		p->by_caches ? "its slab caches" : "all that the kernel took meanwhile, /proc/meminfo");
	ta_figures_text(f, "peer_kernel_bytes_from", NULL, "%s", p->by_caches ? "slabinfo" : "meminfo");
}

static void add_caches(const struct hold *h, const struct ta_hold_sum *s, struct ta_figures *f)
{
	const struct ta_hold_outcome *o = &h->board->outcome;
	struct ta_load_table *t;

	if (!o->idle.n_caches || s->held < FEW)
		return;
	t = ta_figures_table(f, "kernel_caches", "What a connection takes in the kernel", "cache|objects|bytes");
	for (unsigned i = 0; i < o->full.n_caches; i++) {
		double each = ta_hold_cache_each(&o->idle, &o->full, i, s->held);

		if (each <= 0)
			continue;
		ta_load_table_text(t, o->full.caches[i].name);
		ta_load_table_number(t, each, 2);
		ta_load_table_number(t, each * o->full.caches[i].bytes, 0);
	}
}

static void add_point(const struct hold *h, const struct ta_hold_sum *s, struct ta_load_point *p)
{
	p->connections = (unsigned)h->setup.want.connections;
	p->measured_s = (double)h->board->outcome.built_ns / 1e9;
	p->n_runs = 1;
	p->mean = p->per_second[0] = p->measured_s > 0 ? (double)s->counts.connects / p->measured_s : 0;
	p->counts = s->counts;
	p->hist = s->connect;
	p->cpu = (struct ta_load_cpu){(double)s->client_user_ns / 1e9, (double)s->client_system_ns / 1e9,
		h->setup.want.both_ends, (double)s->server_user_ns / 1e9, (double)s->server_system_ns / 1e9};
	if (p->measured_s > 0)
		p->generator_share = TA_MIN((p->cpu.client_user_s + p->cpu.client_system_s) / p->measured_s / h->setup.at_once, 1.0);
}

static void add_notes(const struct hold *h, const struct ta_hold_sum *s, struct ta_strv *notes)
{
	const struct ta_hold_outcome *o = &h->board->outcome;
	uint64_t overflows = ta_tcp_counts_grown(&o->before, &o->after, TA_TCP_LISTEN_OVERFLOWS);

	if (o->no_namespace[0])
		ta_strv_add(notes, o->no_namespace);
	if (s->held && s->held < FEW)
		ta_strv_add(notes, "the kernel memory of so few connections cannot be told from what else the machine did");
	if (!h->setup.want.both_ends && !h->setup.is_peer)
		ta_strv_add(notes, "user memory is that of the client; what the server takes is to be asked there");
	if (overflows)
		ta_strv_add(notes, "connections found accept queues full, and were made a second later or not at all (ListenOverflows)");
	ta_strv_add(notes, "every connection ends by RST from the client: none stays in TIME_WAIT");
}

/* A peer tells that of its servers itself. */
static void add_server_cpu(struct ta_load_point *p, const struct ta_load_point *used)
{
	if (!used->cpu.has_server)
		return;
	p->cpu.has_server = true;
	p->cpu.server_user_s = used->cpu.server_user_s;
	p->cpu.server_system_s = used->cpu.server_system_s;
}

static void report(struct hold *h, const struct ta_load_point *used, struct ta_load_result *r)
{
	struct ta_hold_sum s;

	ta_hold_sum_up(h->board, &s);
	add_point(h, &s, &r->points[0]);
	r->n_points = 1;
	r->threads = h->board->setup.plan.clients;
	r->interrupted = ta_stage_stopped(h->stage);
	if (h->board->outcome.has_namespace)
		r->path = "namespace";
	add_server_cpu(&r->points[0], used);
	add_held(h, &s, &r->figures);
	add_alive(h, &s, &r->figures);
	add_memory(h, &s, &r->figures);
	add_peer(h, &s, &r->figures);
	add_caches(h, &s, &r->figures);
	add_notes(h, &s, &r->notes);
}

static int run(struct ta_stage *s, struct ta_err *err)
{
	struct hold h = {.stage = s};
	struct ta_load_point used = {0}; /* of this process: nothing; of a peer's server: all */
	struct ta_stage_mark from;
	int rc = prepare(&h, err);

	if (rc == 0)
		rc = ta_stage_set(s);
	if (rc < 0)
		return rc;
	ta_stage_begin(s, &from);
	rc = conduct(&h, err);
	ta_stage_end(s, &from, &used);
	if (rc == 0)
		report(&h, &used, s->result);
	ta_hold_board_free(h.board);
	return rc;
}

const struct ta_workload ta_workload_hold = {
	.name = "hold",
	.summary = "how many connections stay open, and what each of them takes",
	.scheme = "tcp",
	.counts = "connects",
	.default_connections = 10000,
	.max_connections = TA_HOLD_CONNECTIONS_MAX,
	.run = run,
};
