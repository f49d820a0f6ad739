#include "load/sessions.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load/load.h"
#include "load/visit.h"

#define SLOTS (TA_SESSIONS_MAX + TA_NEWCOMERS_MAX)
#define OFFENDERS 64u
#define TICK_MS 200

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
	struct ta_visit v[SLOTS];
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

static void refuse_and_end(struct ta_visit *s, const char *text)
{
	ta_visit_refuse(s, text);
	ta_visit_end(s);
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

static void take_hello(struct sessions *all, struct ta_visit *s, const struct ta_control *c)
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
	ta_visit_say(s, &welcome);
}

static void take_line(struct sessions *all, struct ta_visit *s, const char *line, size_t len)
{
	struct ta_control c;

	ta_control_parse(line, len, &c);
	if (c.kind == TA_CONTROL_HELLO && !s->admitted)
		take_hello(all, s, &c);
	else if (!s->admitted || !ta_visit_answer(all->host, all->o->dir, s, &c))
		refuse_and_end(s, "that is not what is said here");
}

/* A line that does not end within its limit is no line. */
static void receive(struct sessions *all, struct ta_visit *s)
{
	ssize_t n = recv(s->fd, s->line + s->n, sizeof(s->line) - s->n, MSG_DONTWAIT);
	char *newline;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		ta_visit_end(s);
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
static struct ta_visit *find_place(struct sessions *all)
{
	struct ta_visit *victim = NULL;
	unsigned most = 0;

	for (unsigned i = 0; i < SLOTS && count(all, false) < TA_NEWCOMERS_MAX; i++)
		if (all->v[i].fd < 0)
			return &all->v[i];
	for (unsigned i = 0; i < SLOTS; i++) {
		struct ta_visit *s = &all->v[i];
		unsigned n = s->fd >= 0 && !s->admitted ? count_of(all, &s->peer) : 0;

		if (n > most || (n && n == most && s->since_ns < victim->since_ns)) {
			victim = s;
			most = n;
		}
	}
	if (victim)
		ta_visit_end(victim);
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
	struct ta_visit new = {.since_ns = ta_load_now()}, *s;
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
		ta_visit_end(&new);
		return;
	}
	watch_connection(new.fd);
	*s = new;
	memcpy(greeting.nonce, s->nonce, sizeof(greeting.nonce));
	ta_visit_say(s, &greeting);
}

static void expire(struct sessions *all)
{
	uint64_t now = ta_load_now();

	for (unsigned i = 0; i < SLOTS; i++) {
		struct ta_visit *s = &all->v[i];
		uint64_t age = now - s->since_ns, quiet = now - s->heard_ns;

		if (s->fd < 0)
			continue;
		if (!s->admitted ? age > TA_CONTROL_SECONDS * TA_NS_PER_S :
			age > TA_SESSION_MOST_S * TA_NS_PER_S || (!s->server.pid && quiet > TA_SESSION_IDLE_S * TA_NS_PER_S))
			ta_visit_end(s);
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
		ta_visit_end(&all->v[i]);
	if (rc == 0)
		close(all->listener);
	free(all);
	return rc;
}
