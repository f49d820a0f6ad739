/*
 * hold: connections that stay open, each byte of which is sent back; in processes of a few thousand each, where one's limit of descriptors
 * makes that necessary. hold/server.c is one of them.
 */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>

#include "load/children.h"
#include "load/hold/board.h"
#include "load/service.h"

#define READY_MS 10000
#define BACKLOG 65535 /* the kernel makes somaxconn of it */

struct holder {
	struct ta_hold_board *board;
	bool is_own; /* the board */
	struct ta_child *children;
	unsigned n; /* that run */
	unsigned next; /* who is started */
};

static void child_main(void *arg, int control)
{
	struct holder *h = arg;

	ta_hold_server_main(h->board, h->next, control);
}

/* Its next word. 0 or -errno. */
static int await(struct ta_child *c)
{
	struct pollfd p = {.fd = c->control, .events = POLLIN};
	char word;

	if (poll(&p, 1, READY_MS) <= 0)
		return -ETIMEDOUT;
	return recv(c->control, &word, 1, 0) == 1 ? 0 : -ECHILD;
}

static int start_one(struct holder *h, struct ta_err *err)
{
	int rc;

	h->next = h->n;
	rc = ta_child_start(child_main, h, h->children, h->n, &h->children[h->n], err);
	if (rc < 0)
		return rc;
	rc = await(&h->children[h->n++]);
	if (rc < 0)
		return ta_err_set(err, rc, "process %u of the server did not start", h->n);
	rc = h->board->servers[h->next].rc;
	return rc < 0 ? ta_err_set(err, rc, "it cannot listen there: %s", ta_errno_text(rc)) : 0;
}

static void stop(struct ta_served *served)
{
	struct holder *h = served->state;

	for (unsigned i = 0; i < h->n; i++)
		ta_child_kill(&h->children[i]);
	for (unsigned i = 0; i < h->n; i++)
		ta_child_end(&h->children[i]);
	if (h->is_own)
		ta_hold_board_free(h->board);
	free(h->children);
	free(h);
}

/* Without an order: one process, one port, as many as it has descriptors for. */
static struct ta_hold_board *own_board(const struct ta_server_options *o)
{
	const struct ta_hold_setup s = {.listen = o->addr, .listen_len = o->addr_len, .only = o->only, .backlog = BACKLOG,
		.plan = {.servers = 1, .ports_each = 1}};

	return ta_hold_board_new(&s);
}

static int start(const struct ta_server_options *o, struct ta_served *ret, struct ta_err *err)
{
	struct holder *h = calloc(1, sizeof(*h));
	int rc = 0;

	if (!h)
		return ta_err_set(err, -ENOMEM, "out of memory");
	h->is_own = !o->hold;
	h->board = o->hold ? o->hold : own_board(o);
	h->children = h->board ? calloc(h->board->setup.plan.servers, sizeof(*h->children)) : NULL;
	*ret = (struct ta_served){.addr = o->addr, .addr_len = o->addr_len, .state = h};
	if (!h->children)
		rc = ta_err_set(err, -ENOMEM, "out of memory");
	while (rc == 0 && h->n < h->board->setup.plan.servers)
		rc = start_one(h, err);
	if (rc < 0) {
		stop(ret);
		return rc;
	}
	/* sin_port and sin6_port stand at the same place. */
	((struct sockaddr_in *)&ret->addr)->sin_port = htons(h->board->ports[0]);
	return 0;
}

/* Of a process that died what it said last. */
static void times(struct ta_served *served, uint64_t *ret_user, uint64_t *ret_system)
{
	const struct holder *h = served->state;
	const char question = TA_HOLD_TIMES;

	*ret_user = *ret_system = 0;
	for (unsigned i = 0; i < h->n; i++)
		if (send(h->children[i].control, &question, 1, MSG_NOSIGNAL) == 1)
			await(&h->children[i]);
	for (unsigned i = 0; i < h->n; i++) {
		*ret_user += h->board->servers[i].user_ns;
		*ret_system += h->board->servers[i].system_ns;
	}
}

const struct ta_service ta_service_hold = {
	.name = "hold",
	.start = start,
	.stop = stop,
	.times = times,
};
