/*
 * One connection of a workload that asks and waits: what engines have in common. An engine moves bytes and waits;
 * what they mean, what is counted and what happens next is decided here.
 */
#pragma once

#include "load/load.h"
#include "load/pace.h"

enum ta_conn_state {
	TA_CONN_CLOSED,	    /* waits for `retry_ns` */
	TA_CONN_CONNECTING,
	TA_CONN_IDLE,	    /* connected, nothing asked */
	TA_CONN_SENDING,    /* a part of the batch is not with the kernel yet */
	TA_CONN_WAITING,    /* for replies */
};

struct ta_conn {
	int fd; /* -1: none */
	enum ta_conn_state state;
	bool greeted;	    /* what a new connection says first was answered, or there is nothing */
	const struct ta_batch *batch; /* the present one */
	unsigned turn;	    /* the number of the next one */
	unsigned pending;   /* replies that are still to come */
	unsigned failures;  /* in a row, of connecting */
	size_t sent;	    /* bytes of the batch */
	uint64_t due_ns;    /* when the batch was due */
	uint64_t since_ns;  /* when the state began; for timeouts */
	uint64_t retry_ns;
	struct ta_conn *next_idle;
	bool in_ring; /* rounds.h */
	void *wire; /* the wire's state */
};

/* The connections of a thread. */
struct ta_conns {
	struct ta_worker *worker;
	struct ta_conn *v;
	char *states; /* of the wire, in one piece */
	struct ta_conn *idle; /* connected and without work: open loop only */
	struct ta_pace pace;
	bool brief; /* no batch is longer than what a connection may always send at once */
	uint64_t now; /* the engine sets it when it wakes and before it feeds */
};

int ta_conns_init(struct ta_conns *c, struct ta_worker *w); /* 0 or -ENOMEM */
void ta_conns_done(struct ta_conns *c); /* closes what is open */

/*
 * Begins to connect: a socket that does not block, TCP_NODELAY, for brief batches without BBR. 0, or -errno after having
 * counted the failure and set the time of the next attempt. The engine then watches conn->fd.
 */
int ta_conn_open(struct ta_conns *c, struct ta_conn *conn);

/* The connection stands, or `error` (errno, 0: it does) says why not. */
void ta_conn_opened(struct ta_conns *c, struct ta_conn *conn, int error);

/*
 * Gives an idle connection its next batch if one is due. True: the engine sends what is left of it and then
 * calls ta_conn_sent().
 */
bool ta_conn_begin(struct ta_conns *c, struct ta_conn *conn);
void ta_conn_sent(struct ta_conns *c, struct ta_conn *conn, size_t n);

/* What the engine received. The connection may be closed afterwards (state CLOSED), or have become idle. */
void ta_conn_received(struct ta_conns *c, struct ta_conn *conn, const char *data, size_t len);

/* The connection ended (error 0) or failed (errno). Closed afterwards. */
void ta_conn_ended(struct ta_conns *c, struct ta_conn *conn, int error);

/* What an engine does with a connection. */
struct ta_conn_ops {
	void (*open)(void *engine, struct ta_conn *conn); /* calls ta_conn_open() and watches */
	void (*send)(void *engine, struct ta_conn *conn); /* the batch that ta_conn_begin() gave it */
};

/* Opens those that are closed and whose time has come. */
void ta_conns_open_due(struct ta_conns *c, const struct ta_conn_ops *ops, void *engine);

/* Open loop: as many batches as are due and have a connection. Closed loop: nothing. */
void ta_conns_begin_due(struct ta_conns *c, const struct ta_conn_ops *ops, void *engine);

/* When the engine has to wake at the latest, if its next look at timeouts is at `tick`; ns. */
uint64_t ta_conns_wake(const struct ta_conns *c, uint64_t tick);

#define TA_CONN_TICK_NS (20 * TA_NS_PER_MS) /* how often timeouts and reconnections are looked at */

/* Closes those whose time for connecting or answering is over. The engine calls it some times a second. */
void ta_conns_expire(struct ta_conns *c);

/* At the end of the run: what is due and was never answered. */
void ta_conns_finish(struct ta_conns *c);
