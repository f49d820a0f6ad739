/*
 * The conductor of a hold run. A few clients have their turn at a time, since more would only wait for the CPUs; one that ends
 * before its share is made says what the limit is, and no other begins.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/space.h"
#include "load/children.h"
#include "load/hold/board.h"

#define READY_MS 10000
#define LOOK_S 20 /* that a peer's memory is waited for */

struct conductor {
	struct ta_hold_board *board;
	struct ta_host *host;
	struct ta_child *children; /* the servers, then the clients */
	struct pollfd *polls;
	unsigned n, n_servers; /* n: that were started */
	unsigned next; /* who is started */
};

static struct ta_hold_outcome *outcome(struct conductor *c)
{
	return &c->board->outcome;
}

static bool is_stopped(const struct conductor *c)
{
	return atomic_load(&c->board->stop);
}

/* --- processes ------------------------------------------------------------------- */

static void child_fn(void *arg, int control)
{
	struct conductor *c = arg;

	if (c->next < c->board->setup.plan.servers)
		ta_hold_server_main(c->board, c->next, control);
	else
		ta_hold_client_main(c->board, c->next - c->board->setup.plan.servers, control);
}

/* What a process had is gone with it. */
static void died(struct conductor *c, unsigned i)
{
	struct ta_child *child = &c->children[i];

	ta_child_end(child);
	child->busy = false;
	outcome(c)->died++;
	atomic_store(&c->board->enough, 1);
	if (i >= c->n_servers)
		atomic_store(&c->board->clients[i - c->n_servers].open, 0);
}

/* Waits at most `ms` for words from the processes, and hears of their deaths. */
static void listen_to(struct conductor *c, int ms)
{
	for (unsigned i = 0; i < c->n; i++)
		c->polls[i] = (struct pollfd){.fd = c->children[i].control, .events = POLLIN};
	if (poll(c->polls, c->n, ms) <= 0)
		return;
	for (unsigned i = 0; i < c->n; i++) {
		char word;

		if (!c->polls[i].revents)
			continue;
		if (recv(c->children[i].control, &word, 1, MSG_DONTWAIT) == 1)
			c->children[i].busy = false;
		else
			died(c, i);
	}
}

static unsigned n_busy(const struct conductor *c)
{
	unsigned n = 0;

	for (unsigned i = 0; i < c->n; i++)
		n += c->children[i].busy;
	return n;
}

static int start_one(struct conductor *c, struct ta_err *err)
{
	struct ta_child *child = &c->children[c->n];
	uint64_t until = ta_load_now() + READY_MS * TA_NS_PER_MS;
	int rc;

	c->next = c->n;
	rc = ta_child_start(child_fn, c, c->children, c->n, child, err);
	if (rc < 0)
		return rc;
	c->n++;
	child->busy = true;
	while (child->busy && ta_load_now() < until && !is_stopped(c))
		listen_to(c, 100);
	if (is_stopped(c))
		return -EINTR;
	if (child->busy || child->control < 0)
		return ta_err_set(err, -EIO, "process %u of the run did not start", c->n);
	if (c->n > c->n_servers || c->board->servers[c->n - 1].rc == 0)
		return 0;
	rc = c->board->servers[c->n - 1].rc;
	return ta_err_set(err, rc, "a server of the run cannot listen: %s", ta_errno_text(rc));
}

static int start_all(struct conductor *c, struct ta_err *err)
{
	const struct ta_hold_plan *p = &c->board->setup.plan;
	int rc = 0;

	c->n_servers = p->servers;
	c->children = calloc(p->servers + p->clients, sizeof(*c->children));
	c->polls = calloc(p->servers + p->clients, sizeof(*c->polls));
	if (!c->children || !c->polls)
		return ta_err_set(err, -ENOMEM, "out of memory");
	while (c->n < p->servers + p->clients && rc == 0)
		rc = start_one(c, err);
	return rc;
}

static void end_some(struct conductor *c, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		ta_child_kill(&c->children[i]);
	for (unsigned i = from; i < to; i++)
		ta_child_end(&c->children[i]);
}

/* Clients first: their connections end by RST, and nothing waits for anything. */
static void end_all(struct conductor *c)
{
	end_some(c, TA_MIN(c->n_servers, c->n), c->n);
	end_some(c, 0, TA_MIN(c->n_servers, c->n));
	free(c->children);
	free(c->polls);
}

static void tell(struct conductor *c, unsigned i, char command)
{
	if (c->children[i].control < 0)
		return;
	if (send(c->children[i].control, &command, 1, MSG_NOSIGNAL) == 1)
		c->children[i].busy = true;
	else
		died(c, i);
}

/* All from `from` to `to` do that, `at_once` at a time, until the time is over; then those that are at it are told to stop. */
static void give_turns(struct conductor *c, unsigned from, unsigned to, unsigned at_once, char command, uint64_t until)
{
	unsigned next = from;

	while (next < to || n_busy(c)) {
		bool over = is_stopped(c) || (command == TA_HOLD_BUILD && atomic_load(&c->board->enough));

		if (ta_load_now() > until && !over) {
			outcome(c)->out_of_time = true;
			atomic_store(command == TA_HOLD_BUILD ? &c->board->enough : &c->board->stop, 1);
			continue;
		}
		if (over)
			next = to;
		while (next < to && n_busy(c) < at_once)
			tell(c, next++, command);
		if (n_busy(c))
			listen_to(c, 100);
	}
}

/* --- the run ------------------------------------------------------------------------- */

static void user_memory(struct conductor *c, struct ta_hold_user *ret)
{
	for (unsigned i = 0; i < c->n; i++)
		if (c->children[i].control >= 0)
			ta_hold_user_add(c->host, c->children[i].pid, ret);
}

/* A client that did not get all is the sign for the others. */
static void build(struct conductor *c)
{
	const struct ta_hold_setup *s = &c->board->setup;
	uint64_t start = ta_load_now();

	give_turns(c, c->n_servers, c->n, s->at_once, TA_HOLD_BUILD, start + s->build_ns);
	outcome(c)->built_ns = ta_load_now() - start;
}

/* A peer has yet to say what they take there. */
static bool is_looked_at(const struct conductor *c, uint64_t now, uint64_t until)
{
	return c->board->setup.is_peer && !atomic_load(&c->board->looked) && now < until;
}

static void hold(struct conductor *c)
{
	uint64_t start = ta_load_now(), until = start + c->board->setup.hold_ns, now = start;
	uint64_t look_until = start + LOOK_S * TA_NS_PER_S;

	atomic_store(&c->board->phase, TA_HOLD_HOLDING);
	while ((now < until || is_looked_at(c, now, look_until)) && !is_stopped(c) && ta_hold_open(c->board)) {
		listen_to(c, now < until ? (int)TA_MIN((until - now) / TA_NS_PER_MS + 1, (uint64_t)100) : 20);
		now = ta_load_now();
	}
	atomic_store(&c->board->phase, TA_HOLD_CHECKING);
	outcome(c)->held_ns = now - start;
}

static void check(struct conductor *c)
{
	const struct ta_hold_setup *s = &c->board->setup;
	uint64_t until = ta_load_now() + s->build_ns + 4 * s->timeout_ns;

	give_turns(c, 0, c->n_servers, c->n_servers, TA_HOLD_TIMES, until);
	give_turns(c, c->n_servers, c->n, s->probe == TA_HOLD_KEEPALIVE ? c->n : s->at_once, TA_HOLD_CHECK, until);
}

/* The namespace has ports of its own to reckon with. */
static int enter_namespace(struct conductor *c)
{
	struct ta_hold_outcome *o = outcome(c);
	struct ta_hold_setup *s = &c->board->setup;
	int rc = 0;

	if (s->in_namespace) {
		rc = ta_space_enter(&o->has_namespace, &o->err);
		if (rc < 0 && o->has_namespace)
			return rc;
		if (rc < 0)
			snprintf(o->no_namespace, sizeof(o->no_namespace), "%.150s", o->err.text);
	}
	rc = ta_room_read(c->host, &o->room);
	return rc < 0 ? rc : ta_hold_plan(&o->room, &s->want, &s->plan, &o->err);
}

void ta_hold_conduct(struct ta_hold_board *b, struct ta_host *h)
{
	struct conductor c = {.board = b, .host = h};
	struct ta_hold_outcome *o = &b->outcome;

	o->rc = enter_namespace(&c);
	if (o->rc == 0)
		o->rc = start_all(&c, &o->err);
	if (o->rc == 0) {
		user_memory(&c, &o->user_idle);
		ta_hold_kernel_read(h, &o->idle);
		ta_tcp_counts_read(h, &o->before);
		build(&c);
		hold(&c);
		ta_hold_kernel_read(h, &o->full);
		check(&c);
		user_memory(&c, &o->user_held);
		ta_tcp_counts_read(h, &o->after);
	}
	end_all(&c);
	o->ended = true;
}
