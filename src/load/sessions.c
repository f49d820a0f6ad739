#include "load/sessions.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load/hold/lend.h"
#include "load/load.h"
#include "load/service.h"
#include "load/stage.h"

#define SLOTS (TA_SESSIONS_MAX + TA_NEWCOMERS_MAX)
#define OFFENDERS 64u
#define TICK_MS 200

struct session {
	int fd; /* -1: the place is free */
	bool admitted;
	uint64_t since_ns, heard_ns;
	struct sockaddr_storage peer;
	uint8_t nonce[TA_NONCE_BYTES];
	struct ta_server server; /* pid 0: none */
	struct ta_hold_board *hold; /* NULL: it does not hold connections */
	struct ta_watch_sample *machine; /* as it was when it was last asked for; NULL: never */
	size_t n;
	char line[TA_CONTROL_LINE_MAX];
};

/* An address that showed wrong tokens. */
struct offender {
	struct sockaddr_storage addr;
	unsigned wrong;
	uint64_t last_ns;
};

struct sessions {
	const struct ta_sessions_options *o;
	struct ta_host *host;
	struct ta_control here;
	int listener;
	struct session v[SLOTS];
	struct offender offenders[OFFENDERS];
};

void ta_control_here(struct ta_host *h, struct ta_control *ret)
{
	ta_cleanup_buf struct ta_buf boot = TA_BUF_INIT, netns = TA_BUF_INIT;

	snprintf(ret->boot, sizeof(ret->boot), "-");
	snprintf(ret->netns, sizeof(ret->netns), "-");
	if (ta_host_read(h, "/proc/sys/kernel/random/boot_id", 128, &boot) == 0) {
		ta_buf_rtrim(&boot);
		if (boot.len && boot.len < sizeof(ret->boot))
			snprintf(ret->boot, sizeof(ret->boot), "%s", ta_buf_text(&boot));
	}
	if (ta_host_netns_id(h, &netns) == 0 && netns.len && netns.len < sizeof(ret->netns)) {
		snprintf(ret->netns, sizeof(ret->netns), "%s", ta_buf_text(&netns));
		for (char *c = ret->netns; *c; c++)
			if (*c == ' ')
				*c = '/';
	}
}

static bool same_address(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
	const struct sockaddr_in *four = (const void *)a, *other_four = (const void *)b;
	const struct sockaddr_in6 *six = (const void *)a, *other_six = (const void *)b;

	if (a->ss_family != b->ss_family)
		return false;
	return a->ss_family == AF_INET ? four->sin_addr.s_addr == other_four->sin_addr.s_addr :
		!memcmp(&six->sin6_addr, &other_six->sin6_addr, sizeof(six->sin6_addr));
}

/* --- ends -------------------------------------------------------------------------- */

/* shutdown(), since a service that was started later has a copy of the descriptor. */
static void end(struct session *s)
{
	if (s->server.pid)
		ta_server_stop(&s->server);
	ta_hold_board_free(s->hold);
	if (s->fd >= 0) {
		shutdown(s->fd, SHUT_RDWR);
		close(s->fd);
	}
	free(s->machine);
	*s = (struct session){.fd = -1};
}

/* A client that does not take a line of ours is given up. */
static void say(struct session *s, const struct ta_control *c)
{
	char line[TA_CONTROL_LINE_MAX];
	size_t len = ta_control_format(c, line, sizeof(line));

	if (send(s->fd, line, len, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)len)
		end(s);
}

static void refuse(struct session *s, const char *text)
{
	struct ta_control no = {.kind = TA_CONTROL_NO};

	snprintf(no.text, sizeof(no.text), "%s", text);
	say(s, &no);
}

static void refuse_and_end(struct session *s, const char *text)
{
	refuse(s, text);
	end(s);
}

/* --- wrong tokens -------------------------------------------------------------------- */

static struct offender *find_offender(struct sessions *all, const struct sockaddr_storage *addr)
{
	for (unsigned i = 0; i < OFFENDERS; i++)
		if (all->offenders[i].wrong && same_address(&all->offenders[i].addr, addr))
			return &all->offenders[i];
	return NULL;
}

static bool is_shut_out(struct sessions *all, const struct sockaddr_storage *addr, uint64_t now)
{
	struct offender *o = find_offender(all, addr);

	if (o && now - o->last_ns > TA_WRONG_WAIT_S * TA_NS_PER_S)
		o->wrong = 0;
	return o && o->wrong >= TA_WRONG_TOKENS;
}

static void note_offence(struct sessions *all, const struct sockaddr_storage *addr, uint64_t now)
{
	struct offender *o = find_offender(all, addr);

	for (unsigned i = 0; !o && i < OFFENDERS; i++)
		if (!all->offenders[i].wrong)
			o = &all->offenders[i];
	if (!o) {
		o = &all->offenders[0];
		for (unsigned i = 1; i < OFFENDERS; i++)
			if (all->offenders[i].last_ns < o->last_ns)
				o = &all->offenders[i];
		o->wrong = 0;
	}
	o->addr = *addr;
	o->wrong++;
	o->last_ns = now;
}

/* --- what a client says ----------------------------------------------------------------- */

static unsigned count(const struct sessions *all, bool admitted)
{
	unsigned n = 0;

	for (unsigned i = 0; i < SLOTS; i++)
		n += all->v[i].fd >= 0 && all->v[i].admitted == admitted;
	return n;
}

static void take_hello(struct sessions *all, struct session *s, const struct ta_control *c)
{
	const char *token = all->o->token ? all->o->token : "";
	struct ta_control welcome = all->here;
	uint8_t wanted[TA_HMAC_BYTES];
	char text[128];

	if (c->protocol != TA_CONTROL_PROTOCOL) {
		snprintf(text, sizeof(text), "version %u of the control protocol is spoken here (tuneaudit %s)", TA_CONTROL_PROTOCOL, TA_VERSION);
		refuse_and_end(s, text);
		return;
	}
	ta_control_mac(token, "client", s->nonce, c->nonce, wanted);
	if (!ta_bytes_equal(wanted, c->mac, sizeof(wanted))) {
		note_offence(all, &s->peer, ta_load_now());
		refuse_and_end(s, "wrong token");
		return;
	}
	if (count(all, true) >= TA_SESSIONS_MAX) {
		refuse_and_end(s, "as many load runs as it takes are served already");
		return;
	}
	s->admitted = true;
	s->since_ns = ta_load_now();
	welcome.kind = TA_CONTROL_WELCOME;
	ta_control_mac(token, "peer", s->nonce, c->nonce, welcome.mac);
	say(s, &welcome);
}

/* On the address that the client reached, a port of the kernel's choice. False: refused. */
static bool prepare_service(struct sessions *all, struct session *s, const char *name, struct ta_server_options *ret)
{
	*ret = (struct ta_server_options){.service = ta_service_find(name), .dir = all->o->dir, .only = s->peer,
		.addr_len = sizeof(ret->addr)};
	if (!ret->service) {
		refuse(s, "there is no such service here");
		return false;
	}
	if (s->server.pid || getsockname(s->fd, (struct sockaddr *)&ret->addr, &ret->addr_len) < 0) {
		refuse(s, "one service to a session");
		return false;
	}
	/* sin_port and sin6_port stand at the same place. */
	((struct sockaddr_in *)&ret->addr)->sin_port = 0;
	return true;
}

static void start_service(struct sessions *all, struct session *s, const struct ta_control *c)
{
	struct ta_control port = {.kind = TA_CONTROL_PORT};
	struct ta_server_options o;
	struct ta_err err;

	if (!prepare_service(all, s, c->name, &o))
		return;
	o.threads = (unsigned)TA_MIN(TA_MAX(c->threads, 1u), (uint64_t)ta_stage_cpus() * 2);
	o.body_bytes = (unsigned)TA_MIN(c->body, (uint64_t)TA_SERVER_BODY_MAX);
	if (ta_server_start(&o, &s->server, &err) < 0) {
		s->server.pid = 0;
		refuse(s, err.text);
		return;
	}
	port.port = ntohs(((const struct sockaddr_in *)&s->server.addr)->sin_port);
	say(s, &port);
}

/* --- connections that are held ------------------------------------------------------------ */

static void start_holding(struct sessions *all, struct session *s, const struct ta_control *c)
{
	struct ta_control holds = {.kind = TA_CONTROL_HOLDS};
	const struct ta_hold_plan *plan;
	struct ta_server_options o;
	struct ta_err err = {0};
	int rc;

	if (!prepare_service(all, s, "hold", &o))
		return;
	rc = ta_hold_lend(all->host, c->hold.connections, c->hold.each, &o, &s->hold, &err);
	if (rc == 0) {
		o.hold = s->hold;
		rc = ta_server_start(&o, &s->server, &err);
	}
	if (rc < 0) {
		s->server.pid = 0;
		ta_hold_board_free(s->hold);
		s->hold = NULL;
		refuse(s, err.text[0] ? err.text : ta_errno_text(rc));
		return;
	}
	ta_hold_lent(all->host, s->hold);
	plan = &s->hold->setup.plan;
	holds.hold = (struct ta_control_hold){.processes = plan->servers, .ports = (uint64_t)plan->servers * plan->ports_each,
		.backlog = (uint64_t)s->hold->setup.backlog};
	say(s, &holds);
}

static void tell_ports(struct session *s, uint64_t from)
{
	const struct ta_hold_plan *plan = &s->hold->setup.plan;
	uint64_t n = (uint64_t)plan->servers * plan->ports_each;
	struct ta_control c = {.kind = TA_CONTROL_PORTS_ARE, .from = from};

	if (from >= n) {
		refuse(s, "there are no such ports");
		return;
	}
	c.n = (unsigned)TA_MIN(n - from, (uint64_t)TA_CONTROL_PORTS);
	memcpy(c.ports, s->hold->ports + from, c.n * sizeof(*c.ports));
	say(s, &c);
}

/* False: it is no question about them. */
static bool take_hold_line(struct sessions *all, struct session *s, const struct ta_control *c)
{
	struct ta_control answer;

	if (c->kind == TA_CONTROL_HOLD) {
		start_holding(all, s, c);
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
		ta_hold_tell_took(all->host, s->hold, &answer);
	else
		return false;
	say(s, &answer);
	return true;
}

static void tell_cpu(struct session *s)
{
	struct ta_control cpu = {.kind = TA_CONTROL_CPU};

	if (!s->server.pid)
		refuse(s, "no service runs");
	else if (ta_server_cpu(&s->server, &cpu.user_ns, &cpu.system_ns) < 0)
		refuse_and_end(s, "the service has ended");
	else
		say(s, &cpu);
}

static void tell_machine(struct sessions *all, struct session *s)
{
	struct ta_control c = {.kind = TA_CONTROL_MACHINE};
	struct ta_watch_sample *m = s->machine;

	if (!m)
		m = s->machine = malloc(sizeof(*m));
	if (!m || ta_watch_read(all->host, m) < 0) {
		refuse(s, "out of memory");
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
	say(s, &c);
}

static void tell_cpus(struct session *s, uint64_t from)
{
	struct ta_control c = {.kind = TA_CONTROL_CPUS_ARE, .from = from};
	const struct ta_watch_sample *m = s->machine;

	if (!m || from >= m->n_cpus) {
		refuse(s, "there are no such CPUs");
		return;
	}
	c.n = (unsigned)TA_MIN(m->n_cpus - from, (uint64_t)TA_CONTROL_CPUS);
	memcpy(c.cpu, m->cpu + from, c.n * sizeof(*c.cpu));
	say(s, &c);
}

static void take_line(struct sessions *all, struct session *s, const char *line, size_t len)
{
	struct ta_control c;

	ta_control_parse(line, len, &c);
	if (c.kind == TA_CONTROL_HELLO && !s->admitted)
		take_hello(all, s, &c);
	else if (c.kind == TA_CONTROL_SERVE && s->admitted)
		start_service(all, s, &c);
	else if (c.kind == TA_CONTROL_ASK_CPU && s->admitted)
		tell_cpu(s);
	else if (c.kind == TA_CONTROL_ASK_MACHINE && s->admitted)
		tell_machine(all, s);
	else if (c.kind == TA_CONTROL_ASK_CPUS && s->admitted)
		tell_cpus(s, c.from);
	else if (!s->admitted || !take_hold_line(all, s, &c))
		refuse_and_end(s, "that is not what is said here");
}

/* A line that does not end within its limit is no line. */
static void receive(struct sessions *all, struct session *s)
{
	ssize_t n = recv(s->fd, s->line + s->n, sizeof(s->line) - s->n, MSG_DONTWAIT);
	char *newline;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		end(s);
		return;
	}
	s->n += (size_t)n;
	s->heard_ns = ta_load_now();
	while (s->fd >= 0 && (newline = memchr(s->line, '\n', s->n))) {
		char line[TA_CONTROL_LINE_MAX];
		size_t len = (size_t)(newline - s->line);

		memcpy(line, s->line, len);
		s->n -= len + 1;
		memmove(s->line, newline + 1, s->n);
		take_line(all, s, line, len);
	}
	if (s->fd >= 0 && s->n == sizeof(s->line))
		refuse_and_end(s, "that line is too long");
}

/* --- who comes ------------------------------------------------------------------------ */

static unsigned count_of(const struct sessions *all, const struct sockaddr_storage *addr)
{
	unsigned n = 0;

	for (unsigned i = 0; i < SLOTS; i++)
		n += all->v[i].fd >= 0 && !all->v[i].admitted && same_address(&all->v[i].peer, addr);
	return n;
}

/* A free place, made where there is none by the oldest newcomer of the address that has most: a flood drives out itself. */
static struct session *find_place(struct sessions *all)
{
	struct session *victim = NULL;
	unsigned most = 0;

	for (unsigned i = 0; i < SLOTS && count(all, false) < TA_NEWCOMERS_MAX; i++)
		if (all->v[i].fd < 0)
			return &all->v[i];
	for (unsigned i = 0; i < SLOTS; i++) {
		struct session *s = &all->v[i];
		unsigned n = s->fd >= 0 && !s->admitted ? count_of(all, &s->peer) : 0;

		if (n > most || (n && n == most && s->since_ns < victim->since_ns)) {
			victim = s;
			most = n;
		}
	}
	if (victim)
		end(victim);
	return victim;
}

static void watch_connection(int fd)
{
	int on = 1, idle = 10, interval = 5, probes = 3, stall_ms = 20000;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &stall_ms, sizeof(stall_ms));
}

static void take_newcomer(struct sessions *all)
{
	struct session new = {.since_ns = ta_load_now()}, *s;
	struct ta_control greeting = {.kind = TA_CONTROL_GREETING, .needs_token = all->o->token};
	socklen_t len = sizeof(new.peer);

	new.heard_ns = new.since_ns;
	new.fd = accept4(all->listener, (struct sockaddr *)&new.peer, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (new.fd < 0) {
		/* Without a descriptor the next attempt may wait a little. */
		if (errno == EMFILE || errno == ENFILE)
			poll(NULL, 0, 50);
		return;
	}
	if (is_shut_out(all, &new.peer, new.since_ns)) {
		refuse_and_end(&new, "too many wrong tokens from there: wait ten seconds");
		return;
	}
	s = find_place(all);
	if (!s || ta_control_random(new.nonce, sizeof(new.nonce)) < 0) {
		end(&new);
		return;
	}
	watch_connection(new.fd);
	*s = new;
	memcpy(greeting.nonce, s->nonce, sizeof(greeting.nonce));
	say(s, &greeting);
}

static void expire(struct sessions *all)
{
	uint64_t now = ta_load_now();

	for (unsigned i = 0; i < SLOTS; i++) {
		struct session *s = &all->v[i];
		uint64_t age = now - s->since_ns, quiet = now - s->heard_ns;

		if (s->fd < 0)
			continue;
		if (!s->admitted ? age > TA_CONTROL_SECONDS * TA_NS_PER_S :
			age > TA_SESSION_MOST_S * TA_NS_PER_S || (!s->server.pid && quiet > TA_SESSION_IDLE_S * TA_NS_PER_S))
			end(s);
	}
}

/* --- the loop -------------------------------------------------------------------------- */

static void turn(struct sessions *all)
{
	struct pollfd p[SLOTS + 1] = {{.fd = all->listener, .events = POLLIN}};

	for (unsigned i = 0; i < SLOTS; i++)
		p[i + 1] = (struct pollfd){.fd = all->v[i].fd, .events = POLLIN};
	if (poll(p, SLOTS + 1, TICK_MS) > 0) {
		for (unsigned i = 0; i < SLOTS; i++)
			if (p[i + 1].revents && all->v[i].fd == p[i + 1].fd)
				receive(all, &all->v[i]);
		if (p[0].revents)
			take_newcomer(all);
	}
	expire(all);
}

static int listen_there(struct sessions *all, struct ta_err *err)
{
	const struct ta_sessions_options *o = all->o;
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	int one = 1;

	all->listener = socket(o->addr.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (all->listener < 0)
		return ta_err_set(err, -errno, "no socket: %s", ta_errno_text(-errno));
	setsockopt(all->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(all->listener, (const struct sockaddr *)&o->addr, o->addr_len) < 0 || listen(all->listener, 64) < 0 ||
		getsockname(all->listener, (struct sockaddr *)&addr, &len) < 0) {
		int rc = ta_err_set(err, -errno, "it cannot listen there: %s", ta_errno_text(-errno));

		close(all->listener);
		return rc;
	}
	o->ready(&addr, o->ctx);
	return 0;
}

int ta_sessions_run(struct ta_host *h, const struct ta_sessions_options *o, struct ta_err *err)
{
	struct sessions *all = calloc(1, sizeof(*all));
	int rc;

	if (!all)
		return ta_err_set(err, -ENOMEM, "out of memory");
	all->o = o;
	all->host = h;
	for (unsigned i = 0; i < SLOTS; i++)
		all->v[i].fd = -1;
	ta_control_here(h, &all->here);
	rc = listen_there(all, err);
	while (rc == 0 && !*o->stop)
		turn(all);
	for (unsigned i = 0; i < SLOTS; i++)
		end(&all->v[i]);
	if (rc == 0)
		close(all->listener);
	free(all);
	return rc;
}
