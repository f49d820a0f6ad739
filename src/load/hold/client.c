/*
 * A client of a hold run: makes its share of the connections, keeps them, and in the end looks which of them are still there. All that
 * it has for one is a bit: that the descriptor of this number is one of them.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load/hold/board.h"
#include "load/source.h"

#define PENDING 128	/* connections that are begun and not made */
#define CHUNK 512	/* looked at together */
#define SPARE 4096	/* descriptors that this process may have had before */
#define IN_A_ROW 64	/* failures after which the target is left alone */
#define ANSWER_BYTES 4096

struct pending {
	int fd;
	uint64_t since;
};

struct client {
	struct ta_hold_board *board;
	struct ta_hold_client *self;
	struct sockaddr_storage to;
	socklen_t to_len;
	_Atomic uint64_t *accepted; /* by our server; NULL: it is not ours */
	uint64_t share, made;
	/*
	 * A lane is a source address, or one of a peer's ports: each has local ports of its own. on_lane: connections of this one so far,
	 * lane_room: that it has.
	 */
	unsigned lane, last_lane;
	uint64_t on_lane, lane_room;
	uint64_t first; /* a peer: how many connections the clients before this one have */
	unsigned failed;			 /* in a row */
	bool done;				 /* there cannot be more */
	unsigned char *ours; /* a bit to each descriptor */
	int end;	     /* of those */
	int last;	     /* the highest that was one */
	struct pending pending[PENDING];
	unsigned n_pending;
};

static bool is_stopped(const struct client *c)
{
	return atomic_load_explicit(&c->board->stop, memory_order_relaxed);
}

static bool is_ours(const struct client *c, int fd)
{
	return c->ours[fd / 8] >> fd % 8 & 1;
}

static void set_ours(struct client *c, int fd, bool on)
{
	unsigned char bit = (unsigned char)(1u << fd % 8);

	c->ours[fd / 8] = (unsigned char)(on ? c->ours[fd / 8] | bit : c->ours[fd / 8] & ~bit);
}

/* --- making them -------------------------------------------------------------- */

static void made(struct client *c, int fd, uint64_t since)
{
	ta_hist_add(&c->self->connect, ta_load_now() - since);
	set_ours(c, fd, true);
	c->last = TA_MAX(c->last, fd);
	c->failed = 0;
	c->made++;
	atomic_fetch_add_explicit(&c->self->open, 1, memory_order_relaxed);
}

/* sin_port and sin6_port stand at the same place. */
static void set_port(struct client *c, uint16_t port)
{
	((struct sockaddr_in *)&c->to)->sin_port = htons(port);
}

/* What is left of a peer's port for this client. */
static void enter_lane(struct client *c)
{
	const struct ta_hold_setup *s = &c->board->setup;
	uint64_t until, begin;

	c->on_lane = 0;
	c->lane_room = s->plan.per_source;
	if (!s->is_peer)
		return;
	set_port(c, c->board->ports[c->lane]);
	until = ta_hold_until_port(s->plan.connections, s->peer_ports, c->lane);
	begin = c->lane ? ta_hold_until_port(s->plan.connections, s->peer_ports, c->lane - 1) : 0;
	c->lane_room = until - TA_MAX(begin, c->first);
}

static void next_lane(struct client *c)
{
	c->lane++;
	enter_lane(c);
}

/* The first: its own source address, or the peer's port where the client before it ended. */
static void choose_lanes(struct client *c, unsigned index)
{
	const struct ta_hold_setup *s = &c->board->setup;
	const struct ta_hold_plan *p = &s->plan;

	if (s->is_peer) {
		for (unsigned i = 0; i < index; i++)
			c->first += ta_hold_share(p, i);
		while (ta_hold_until_port(p->connections, s->peer_ports, c->lane) <= c->first)
			c->lane++;
		c->last_lane = s->peer_ports - 1;
	} else if (s->want.many_addresses) {
		c->lane = 1 + index * p->sources_per_client;
		c->last_lane = c->lane + p->sources_per_client - 1;
	}
	if (p->servers)
		set_port(c, c->board->ports[index]);
	enter_lane(c);
}

/* Limits of this host end it; a target that says no has several chances. */
static void failed(struct client *c, int error)
{
	enum ta_load_error e = ta_load_connect_error(error);

	if (e == TA_LOAD_NO_PORTS && c->lane < c->last_lane) {
		next_lane(c);
		return;
	}
	c->self->errors[e]++;
	if (e == TA_LOAD_NO_PORTS || e == TA_LOAD_NO_DESCRIPTORS || e == TA_LOAD_NO_MEMORY) {
		c->self->limit = error;
		c->done = true;
	}
	if (++c->failed >= IN_A_ROW)
		c->done = true;
	if (c->done)
		atomic_store(&c->board->enough, 1);
}

/* Neither more than the server has taken and a part of its backlog, nor more than its share. */
static bool may_begin(const struct client *c)
{
	uint64_t begun = c->made + c->n_pending;

	if (c->done || c->n_pending == PENDING || begun >= c->share || is_stopped(c) ||
		atomic_load_explicit(&c->board->enough, memory_order_relaxed))
		return false;
	if (c->board->setup.is_peer)
		begun = atomic_load_explicit(&c->board->begun, memory_order_relaxed);
	else if (!c->accepted)
		return true;
	return begun < atomic_load_explicit(c->accepted, memory_order_relaxed) + (uint64_t)TA_MAX(c->board->setup.backlog / 2, 1);
}

/* One that was begun is no more: others may begin in its place. */
static void give_up(struct client *c, int fd)
{
	close(fd);
	atomic_fetch_sub_explicit(&c->board->begun, 1, memory_order_relaxed);
}

static void begin(struct client *c)
{
	const struct sockaddr *to = (const struct sockaddr *)&c->to;
	uint64_t since = ta_load_now();
	int fd, rc;

	if (c->on_lane >= c->lane_room && c->lane < c->last_lane)
		next_lane(c);
	fd = ta_source_connect(to, c->to_len, c->board->setup.is_peer ? 0 : c->lane, true);
	if (fd >= c->end) { /* the kernel takes the lowest that is free: far more are open than we know of */
		close(fd);
		fd = -EMFILE;
	}
	if (fd < 0) {
		failed(c, -fd);
		return;
	}
	c->on_lane++;
	atomic_fetch_add_explicit(&c->board->begun, 1, memory_order_relaxed);
	rc = ta_source_connected(fd, to, c->to_len);
	if (rc == 0) {
		made(c, fd, since);
	} else if (rc == -EINPROGRESS) {
		c->pending[c->n_pending++] = (struct pending){fd, since};
	} else {
		give_up(c, fd);
		failed(c, -rc);
	}
}

/* True: no longer pending. Where a connection that is under way goes is not looked at any more (inet_stream_connect): the lane may be another. */
static bool settle_one(struct client *c, const struct pending *p, uint64_t now)
{
	int rc = ta_source_connected(p->fd, (const struct sockaddr *)&c->to, c->to_len);

	if (rc == -EINPROGRESS && now - p->since < c->board->setup.timeout_ns)
		return false;
	if (rc == 0) {
		made(c, p->fd, p->since);
		return true;
	}
	give_up(c, p->fd);
	failed(c, rc == -EINPROGRESS ? ETIMEDOUT : -rc);
	return true;
}

static void settle(struct client *c)
{
	struct pollfd polls[PENDING];
	unsigned left = 0;
	uint64_t now;

	for (unsigned i = 0; i < c->n_pending; i++)
		polls[i] = (struct pollfd){.fd = c->pending[i].fd, .events = POLLOUT};
	poll(polls, c->n_pending, 20);
	now = ta_load_now();
	for (unsigned i = 0; i < c->n_pending; i++) {
		bool ready = polls[i].revents || now - c->pending[i].since >= c->board->setup.timeout_ns;

		if (!ready || !settle_one(c, &c->pending[i], now))
			c->pending[left++] = c->pending[i];
	}
	c->n_pending = left;
}

static void drop_pending(struct client *c)
{
	for (unsigned i = 0; i < c->n_pending; i++)
		give_up(c, c->pending[i].fd);
	c->n_pending = 0;
}

static bool is_building(const struct client *c)
{
	return c->n_pending || (!c->done && c->made < c->share && !atomic_load(&c->board->enough));
}

static void build(struct client *c)
{
	while (is_building(c) && !is_stopped(c)) {
		while (may_begin(c))
			begin(c);
		if (c->n_pending)
			settle(c);
		else if (is_building(c))
			poll(NULL, 0, 1); /* the server has to accept first */
		if (atomic_load(&c->board->enough))
			drop_pending(c);
	}
	drop_pending(c);
}

/* --- looking after them ---------------------------------------------------------- */

static void gone(struct client *c, int fd, enum ta_load_error e)
{
	close(fd);
	set_ours(c, fd, false);
	c->self->errors[e]++;
	atomic_fetch_sub_explicit(&c->self->open, 1, memory_order_relaxed);
}

static void look_at(struct client *c, const struct pollfd *p)
{
	if (p->revents & (POLLERR | POLLHUP)) {
		int error = 0;
		socklen_t len = sizeof(error);

		getsockopt(p->fd, SOL_SOCKET, SO_ERROR, &error, &len);
		gone(c, p->fd, error == ETIMEDOUT ? TA_LOAD_TIMEOUT : error ? TA_LOAD_RESET : TA_LOAD_CLOSED);
	} else if (p->revents & POLLRDHUP) {
		gone(c, p->fd, TA_LOAD_CLOSED);
	}
}

/* Which of them ended meanwhile. */
static void sweep(struct client *c)
{
	struct pollfd polls[CHUNK];
	int fd = 0;

	while (fd <= c->last) {
		unsigned n = 0;

		for (; fd <= c->last && n < CHUNK; fd++)
			if (is_ours(c, fd))
				polls[n++] = (struct pollfd){.fd = fd, .events = POLLRDHUP};
		if (poll(polls, n, 0) <= 0)
			continue;
		for (unsigned i = 0; i < n; i++)
			if (polls[i].revents)
				look_at(c, &polls[i]);
	}
}

/* An answer or its end. */
static void take_answer(struct client *c, int fd, uint64_t since)
{
	bool http = c->board->setup.probe == TA_HOLD_HTTP;
	char data[ANSWER_BYTES];
	ssize_t n = recv(fd, data, sizeof(data), 0);

	if (n <= 0) {
		gone(c, fd, n < 0 ? TA_LOAD_RESET : TA_LOAD_CLOSED);
		return;
	}
	ta_hist_add(&c->self->answer, ta_load_now() - since);
	if (http ? n >= 7 && !memcmp(data, "HTTP/1.", 7) : n == 1 && data[0] == '?') {
		c->self->answered++;
		return;
	}
	snprintf(c->self->bad_reply, sizeof(c->self->bad_reply), "%s", http ? "no HTTP/1 reply" : "not what was sent");
	gone(c, fd, TA_LOAD_BAD_REPLY);
}

/* False: it is gone. */
static bool ask(struct client *c, int fd)
{
	const char *text = c->board->setup.probe == TA_HOLD_HTTP ? c->board->setup.request : "?";

	c->self->asked++;
	if (send(fd, text, strlen(text), MSG_NOSIGNAL) > 0)
		return true;
	gone(c, fd, errno == EAGAIN ? TA_LOAD_TIMEOUT : TA_LOAD_RESET);
	return false;
}

/*
 * `n` connections at a time, so that the times are not those of a queue of thousands. False: not one of them answered, and
 * there is no point in waiting as long for the next ones.
 */
static bool ask_some(struct client *c, struct pollfd *polls, unsigned n)
{
	uint64_t before = c->self->answered, since = ta_load_now(), until = since + c->board->setup.timeout_ns;
	unsigned waiting = 0;

	for (unsigned i = 0; i < n; i++) {
		if (ask(c, polls[i].fd))
			waiting++;
		else
			polls[i].fd = -1;
	}
	while (waiting && ta_load_now() < until && !is_stopped(c)) {
		if (poll(polls, n, 20) <= 0)
			continue;
		for (unsigned i = 0; i < n; i++) {
			if (polls[i].fd < 0 || !polls[i].revents)
				continue;
			take_answer(c, polls[i].fd, since);
			polls[i].fd = -1;
			waiting--;
		}
	}
	for (unsigned i = 0; i < n && !is_stopped(c); i++)
		if (polls[i].fd >= 0)
			gone(c, polls[i].fd, TA_LOAD_TIMEOUT);
	return c->self->answered > before;
}

#define ASKED_TOGETHER 32

/* Our share of TA_HOLD_PROBED_MAX, evenly over the descriptors: the next one to ask from `fd` on, -1: there are no more. */
static int next_sampled(const struct client *c, int fd)
{
	uint64_t most = TA_MAX(TA_HOLD_PROBED_MAX / c->board->setup.plan.clients, 1u);
	int step = (int)(((uint64_t)c->last + most) / most);

	for (fd += step - fd % step; fd <= c->last; fd += step)
		if (is_ours(c, fd))
			return fd;
	return -1;
}

static void ask_sample(struct client *c)
{
	struct pollfd polls[ASKED_TOGETHER];
	unsigned n = 0;

	for (int fd = next_sampled(c, 0); fd >= 0 && !is_stopped(c); fd = next_sampled(c, fd)) {
		polls[n++] = (struct pollfd){.fd = fd, .events = POLLIN};
		if (n == ASKED_TOGETHER) {
			if (!ask_some(c, polls, n))
				return;
			n = 0;
		}
	}
	ask_some(c, polls, n);
}

#define KEEPALIVE_SECONDS 1 /* of silence, and between its questions */
#define KEEPALIVE_TIMES 2

/* True: an ACK came within the last `ms`; for an idle connection that is the answer (tcp_get_info in net/ipv4/tcp.c). */
static bool was_heard(int fd, uint64_t ms)
{
	struct tcp_info info = {0};
	socklen_t len = sizeof(info);

	return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) == 0 && info.tcpi_last_ack_recv < ms;
}

static void keep_alive(struct client *c)
{
	const int on = 1, seconds = KEEPALIVE_SECONDS, times = KEEPALIVE_TIMES;

	for (int fd = next_sampled(c, 0); fd >= 0; fd = next_sampled(c, fd)) {
		setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof(seconds));
		setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &seconds, sizeof(seconds));
		setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof(times));
		setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
		c->self->asked++;
	}
}

/* How many answered within the last `ms`; *ret_silent: those that are still there and did not. */
static uint64_t count_heard(const struct client *c, uint64_t ms, uint64_t *ret_silent)
{
	uint64_t heard = 0;

	*ret_silent = 0;
	for (int fd = next_sampled(c, 0); fd >= 0; fd = next_sampled(c, fd)) {
		if (was_heard(fd, ms))
			heard++;
		else
			++*ret_silent;
	}
	return heard;
}

/* Where the protocol is not known, TCP itself asks: an end that lost the connection resets it, one that is away times out. */
static void ask_by_keepalive(struct client *c)
{
	uint64_t start = ta_load_now(), until = start + (KEEPALIVE_SECONDS * (KEEPALIVE_TIMES + 1) + 1) * TA_NS_PER_S, silent = 1;

	keep_alive(c);
	while (silent && ta_load_now() < until && !is_stopped(c)) {
		poll(NULL, 0, 100);
		sweep(c);
		c->self->answered = count_heard(c, (ta_load_now() - start) / TA_NS_PER_MS, &silent);
	}
}

static void check(struct client *c)
{
	if (c->last < 0)
		return;
	sweep(c);
	if (c->board->setup.probe == TA_HOLD_KEEPALIVE)
		ask_by_keepalive(c);
	else
		ask_sample(c);
}

/* ---------------------------------------------------------------------------------- */

static bool command(struct client *c, int control)
{
	char what;

	if (recv(control, &what, 1, 0) != 1)
		return false;
	if (what == TA_HOLD_BUILD)
		build(c);
	else if (what == TA_HOLD_CHECK)
		check(c);
	ta_hold_times(&c->self->user_ns, &c->self->system_ns);
	return send(control, &what, 1, MSG_NOSIGNAL) == 1;
}

void ta_hold_client_main(struct ta_hold_board *b, unsigned index, int control)
{
	const struct ta_hold_plan *p = &b->setup.plan;
	struct client c = {.board = b, .self = &b->clients[index], .share = ta_hold_share(p, index), .last = -1};
	char ready = TA_HOLD_READY;

	c.to = b->setup.to;
	c.to_len = b->setup.to_len;
	if (p->servers)
		c.accepted = &b->servers[index].accepted;
	else if (b->setup.is_peer)
		c.accepted = &b->peer_accepted;
	choose_lanes(&c, index);
	c.end = (int)c.share + SPARE;
	c.ours = calloc((size_t)c.end / 8 + 1, 1);
	if (!c.ours)
		return;
	ta_hist_reset(&c.self->connect);
	ta_hist_reset(&c.self->answer);
	if (send(control, &ready, 1, MSG_NOSIGNAL) != 1)
		return;
	while (command(&c, control))
		;
	free(c.ours);
}
