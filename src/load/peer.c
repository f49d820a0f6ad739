#include "load/peer.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "load/load.h"
#include "load/sessions.h"

#define TICK_MS 100
#define SERVICE_SECONDS 15 /* until it listens */

bool ta_peer_is(const char *target)
{
	return target && !strncmp(target, TA_PEER_SCHEME "://", strlen(TA_PEER_SCHEME "://"));
}

/* 0, -ETIMEDOUT or -EINTR. */
static int await(struct ta_peer *p, short events, uint64_t end)
{
	struct pollfd one = {.fd = p->fd, .events = events};

	while (poll(&one, 1, TICK_MS) <= 0) {
		if (*p->stop)
			return -EINTR;
		if (ta_load_now() >= end)
			return -ETIMEDOUT;
	}
	return 0;
}

static int reach(struct ta_peer *p, const struct ta_target *at)
{
	uint64_t end = ta_load_now() + TA_CONTROL_SECONDS * TA_NS_PER_S;
	int error = 0, one = 1, rc;
	socklen_t len = sizeof(error);

	if (connect(p->fd, (const struct sockaddr *)&at->addr, at->addr_len) < 0 && errno != EINPROGRESS)
		return -errno;
	rc = await(p, POLLOUT, end);
	if (rc < 0)
		return rc;
	if (getsockopt(p->fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0 || error)
		return error ? -error : -EIO;
	setsockopt(p->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return 0;
}

/* One line within `seconds`, however it trickles. -EPROTO: longer than a line may be, -ECONNRESET: the end. */
static int read_line(struct ta_peer *p, unsigned seconds, struct ta_control *ret)
{
	uint64_t end = ta_load_now() + seconds * TA_NS_PER_S;
	char *newline;

	while (!(newline = memchr(p->line, '\n', p->n))) {
		ssize_t n;
		int rc;

		if (p->n == sizeof(p->line))
			return -EPROTO;
		rc = await(p, POLLIN, end);
		if (rc < 0)
			return rc;
		n = recv(p->fd, p->line + p->n, sizeof(p->line) - p->n, MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (n <= 0)
			return -ECONNRESET;
		p->n += (size_t)n;
		if (ta_load_now() >= end)
			return -ETIMEDOUT;
	}
	ta_control_parse(p->line, (size_t)(newline - p->line), ret);
	p->n -= (size_t)(newline - p->line) + 1;
	memmove(p->line, newline + 1, p->n);
	return 0;
}

static int say(struct ta_peer *p, const struct ta_control *c)
{
	char line[TA_CONTROL_LINE_MAX];
	size_t len = ta_control_format(c, line, sizeof(line));

	return send(p->fd, line, len, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)len ? 0 : -ECONNRESET;
}

/* What came instead of what was wanted, in words. */
static int complain(const struct ta_target *at, int rc, const struct ta_control *c, struct ta_err *err)
{
	if (rc == -EINTR)
		return ta_err_set(err, rc, "stopped");
	if (rc == -ETIMEDOUT)
		return ta_err_set(err, rc, "the peer at %s:%s did not answer within %u s", at->host, at->port, TA_CONTROL_SECONDS);
	if (rc == -ECONNRESET)
		return ta_err_set(err, rc, "the peer at %s:%s ended the connection", at->host, at->port);
	if (rc == 0 && c->kind == TA_CONTROL_NO && strstr(c->text, "token"))
		return ta_err_set(err, -EACCES, "the peer at %s:%s refuses: %s", at->host, at->port, c->text);
	if (rc == 0 && c->kind == TA_CONTROL_NO)
		return ta_err_set(err, -EOPNOTSUPP, "the peer at %s:%s refuses: %s", at->host, at->port, c->text);
	if (rc == 0 || rc == -EPROTO)
		return ta_err_set(err, -EPROTO, "what answers at %s:%s is no 'tuneaudit load serve --listen'", at->host, at->port);
	return ta_err_set(err, rc, "the peer at %s:%s: %s", at->host, at->port, ta_errno_text(rc));
}

static int greet(struct ta_peer *p, const struct ta_target *at, const char *token, struct ta_control *ret_welcome, struct ta_err *err)
{
	struct ta_control greeting, hello = {.kind = TA_CONTROL_HELLO};
	uint8_t wanted[TA_HMAC_BYTES];
	int rc = read_line(p, TA_CONTROL_SECONDS, &greeting);

	if (rc < 0 || greeting.kind != TA_CONTROL_GREETING)
		return complain(at, rc, &greeting, err);
	if (greeting.protocol != TA_CONTROL_PROTOCOL)
		return ta_err_set(err, -EPROTO,
			"the peer at %s:%s is tuneaudit %s and speaks version %llu of the control protocol, this one (%s) version %u: use the "
			"same version at both ends", at->host, at->port, greeting.version, (unsigned long long)greeting.protocol, TA_VERSION,
			TA_CONTROL_PROTOCOL);
	if (greeting.needs_token && !token)
		return ta_err_set(err, -EACCES, "the peer at %s:%s wants its token: put it into a file for --token-file, or into the "
			"environment variable TUNEAUDIT_TOKEN", at->host, at->port);
	snprintf(p->version, sizeof(p->version), "%s", greeting.version);
	token = greeting.needs_token ? token : "";
	rc = ta_control_random(hello.nonce, sizeof(hello.nonce));
	if (rc == 0) {
		ta_control_mac(token, "client", greeting.nonce, hello.nonce, hello.mac);
		rc = say(p, &hello);
	}
	if (rc == 0)
		rc = read_line(p, TA_CONTROL_SECONDS, ret_welcome);
	if (rc < 0 || ret_welcome->kind != TA_CONTROL_WELCOME)
		return complain(at, rc, ret_welcome, err);
	ta_control_mac(token, "peer", greeting.nonce, hello.nonce, wanted);
	if (!ta_bytes_equal(wanted, ret_welcome->mac, sizeof(wanted)))
		return ta_err_set(err, -EACCES, "what answers at %s:%s does not know the token itself: it is not that peer", at->host, at->port);
	return 0;
}

/* Where the packets go is known by what both ends say of themselves: an address may be anything. */
static const char *path_of(struct ta_host *h, const struct ta_control *there, const struct ta_target *at, bool *ret_same)
{
	struct ta_control here = {0};

	ta_control_here(h, &here);
	*ret_same = false;
	if (!strcmp(here.boot, "-") || !strcmp(there->boot, "-")) {
		*ret_same = !strcmp(ta_target_path_name(at), "loopback");
		return ta_target_path_name(at);
	}
	*ret_same = !strcmp(here.boot, there->boot);
	if (!*ret_same)
		return "wire";
	if (!strcmp(here.netns, "-") || !strcmp(there->netns, "-"))
		return strcmp(ta_target_path_name(at), "loopback") ? "namespace" : "loopback";
	return strcmp(here.netns, there->netns) ? "namespace" : "loopback";
}

int ta_peer_open(struct ta_host *h, const struct ta_target *at, const char *token, const volatile sig_atomic_t *stop,
	struct ta_peer *ret, struct ta_err *err)
{
	struct ta_control answer = {0};
	int rc;

	*ret = (struct ta_peer){.stop = stop, .fd = socket(at->addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
	if (ret->fd < 0)
		return ta_err_set(err, -errno, "no socket: %s", ta_errno_text(-errno));
	ret->is_open = true;
	rc = reach(ret, at);
	if (rc < 0)
		complain(at, rc, &answer, err);
	else
		rc = greet(ret, at, token, &answer, err);
	if (rc < 0)
		ta_peer_close(ret);
	else
		ret->path = path_of(h, &answer, at, &ret->same_machine);
	return rc;
}

static int ask_for(struct ta_peer *p, unsigned seconds, const struct ta_control *question, enum ta_control_kind want, struct ta_control *ret)
{
	int rc = say(p, question);

	if (rc == 0)
		rc = read_line(p, seconds, ret);
	return rc == 0 && ret->kind != want ? -EPROTO : rc;
}

/* A question and its answer. */
static int ask(struct ta_peer *p, const struct ta_control *question, enum ta_control_kind want, struct ta_control *ret)
{
	return ask_for(p, TA_CONTROL_SECONDS, question, want, ret);
}

/* A service, that has to begin first. */
static int order(struct ta_peer *p, const struct ta_target *at, const struct ta_control *what, enum ta_control_kind want,
	struct ta_control *ret, struct ta_err *err)
{
	int rc = ask_for(p, SERVICE_SECONDS, what, want, ret);

	return rc == 0 ? 0 : complain(at, rc == -EPROTO ? 0 : rc, ret, err);
}

int ta_peer_serve(struct ta_peer *p, const struct ta_target *at, const char *service, unsigned threads, unsigned body_bytes,
	unsigned *ret_port, struct ta_err *err)
{
	struct ta_control serve = {.kind = TA_CONTROL_SERVE, .threads = threads, .body = body_bytes}, answer = {0};
	int rc;

	snprintf(serve.name, sizeof(serve.name), "%s", service);
	rc = order(p, at, &serve, TA_CONTROL_PORT, &answer, err);
	if (rc == 0)
		*ret_port = (unsigned)answer.port;
	return rc;
}

int ta_peer_hold(struct ta_peer *p, const struct ta_target *at, const struct ta_control_hold *want, struct ta_control_hold *ret,
	struct ta_err *err)
{
	struct ta_control answer = {0};
	int rc = order(p, at, &(struct ta_control){.kind = TA_CONTROL_HOLD, .hold = *want}, TA_CONTROL_HOLDS, &answer, err);

	if (rc == 0 && (!answer.hold.ports || !answer.hold.processes))
		return complain(at, 0, &answer, err);
	if (rc == 0)
		*ret = answer.hold;
	return rc;
}

int ta_peer_ports(struct ta_peer *p, unsigned n, uint16_t *ret)
{
	unsigned got = 0;

	while (got < n) {
		struct ta_control c;
		int rc = ask(p, &(struct ta_control){.kind = TA_CONTROL_ASK_PORTS, .from = got}, TA_CONTROL_PORTS_ARE, &c);

		if (rc < 0)
			return rc;
		if (c.from != got || c.n > n - got)
			return -EPROTO;
		memcpy(ret + got, c.ports, c.n * sizeof(*ret));
		got += c.n;
	}
	return 0;
}

int ta_peer_accept(struct ta_peer *p, const struct ta_target *at, const struct ta_accept *how, unsigned backlog, unsigned *ret_port,
	unsigned *ret_threads, struct ta_err *err)
{
	struct ta_control want = {.kind = TA_CONTROL_ACCEPT, .how = how->how, .close = how->close, .backlog = backlog}, answer = {0};
	int rc = order(p, at, &want, TA_CONTROL_ACCEPTS_ARE, &answer, err);

	if (rc == 0 && (!answer.threads || answer.threads > TA_ACCEPT_THREADS_MAX))
		return complain(at, 0, &answer, err);
	if (rc < 0)
		return rc;
	*ret_port = (unsigned)answer.port;
	*ret_threads = (unsigned)answer.threads;
	return 0;
}

int ta_peer_accepted(struct ta_peer *p, unsigned threads, struct ta_accept_counts *ret)
{
	unsigned got = 0;

	while (got < threads) {
		struct ta_control c;
		int rc = ask(p, &(struct ta_control){.kind = TA_CONTROL_ASK_ACCEPTED, .from = got}, TA_CONTROL_ACCEPTED, &c);

		if (rc < 0)
			return rc;
		if (c.from != got || c.n > threads - got)
			return -EPROTO;
		for (unsigned i = 0; i < c.n; i++) {
			atomic_store(&ret[got + i].accepted, c.accepted[i].accepted);
			atomic_store(&ret[got + i].wakeups, c.accepted[i].wakeups);
			atomic_store(&ret[got + i].in_vain, c.accepted[i].in_vain);
		}
		got += c.n;
	}
	return 0;
}

int ta_peer_held(struct ta_peer *p, struct ta_control *ret)
{
	return ask(p, &(struct ta_control){.kind = TA_CONTROL_ASK_HELD}, TA_CONTROL_HELD, ret);
}

int ta_peer_took(struct ta_peer *p, struct ta_control_hold *ret)
{
	struct ta_control c;
	int rc = ask_for(p, SERVICE_SECONDS, &(struct ta_control){.kind = TA_CONTROL_ASK_TOOK}, TA_CONTROL_TOOK, &c);

	if (rc == 0)
		*ret = c.hold;
	return rc;
}

int ta_peer_cpu(struct ta_peer *p, uint64_t *ret_user, uint64_t *ret_system)
{
	struct ta_control answer;
	int rc = ask(p, &(struct ta_control){.kind = TA_CONTROL_ASK_CPU}, TA_CONTROL_CPU, &answer);

	if (rc < 0)
		return rc;
	*ret_user = answer.user_ns;
	*ret_system = answer.system_ns;
	return 0;
}

#define ASKED_AT_ONCE 16u /* lines: on a long way each would cost a round trip */

static int ask_cpus(struct ta_peer *p, unsigned from, struct ta_watch_sample *ret)
{
	unsigned end = TA_MIN(ret->n_cpus, from + ASKED_AT_ONCE * TA_CONTROL_CPUS);
	int rc = 0;

	for (unsigned i = from; i < end && rc == 0; i += TA_CONTROL_CPUS)
		rc = say(p, &(struct ta_control){.kind = TA_CONTROL_ASK_CPUS, .from = i});
	for (unsigned i = from; i < end && rc == 0; i += TA_CONTROL_CPUS) {
		struct ta_control answer;

		rc = read_line(p, TA_CONTROL_SECONDS, &answer);
		if (rc == 0 && (answer.kind != TA_CONTROL_CPUS_ARE || answer.from != i || i + answer.n > ret->n_cpus))
			rc = -EPROTO;
		if (rc == 0)
			memcpy(ret->cpu + i, answer.cpu, answer.n * sizeof(*answer.cpu));
	}
	return rc;
}

int ta_peer_watch(struct ta_peer *p, struct ta_watch_sample *ret)
{
	struct ta_control c;
	int rc = ask(p, &(struct ta_control){.kind = TA_CONTROL_ASK_MACHINE}, TA_CONTROL_MACHINE, &c);

	if (rc < 0)
		return rc;
	*ret = (struct ta_watch_sample){.n_cpus = (unsigned)c.n_cpus, .has_snmp = c.has_snmp, .has_netstat = c.has_netstat,
		.has_softnet = c.has_softnet, .retransmits = c.retransmits, .listen_overflows = c.listen_overflows,
		.listen_drops = c.listen_drops, .softnet_dropped = c.softnet_dropped, .time_squeeze = c.time_squeeze};
	for (unsigned i = 0; i < ret->n_cpus && rc == 0; i += ASKED_AT_ONCE * TA_CONTROL_CPUS)
		rc = ask_cpus(p, i, ret);
	return rc;
}

void ta_peer_close(struct ta_peer *p)
{
	if (p->is_open)
		close(p->fd);
	p->is_open = false;
}
