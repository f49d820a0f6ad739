#include "load/serve_conn.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load/load.h"
#include "load/request.h"

void ta_serve_conns_init(struct ta_serve_conns *c, const struct ta_serve *serve)
{
	c->serve = serve;
	c->list.next = c->list.prev = &c->list;
	c->now = ta_load_now();
}

static void unlink_conn(struct ta_serve_conn *conn)
{
	conn->link.prev->next = conn->link.next;
	conn->link.next->prev = conn->link.prev;
}

static void link_last(struct ta_serve_conns *c, struct ta_serve_conn *conn)
{
	conn->link.next = &c->list;
	conn->link.prev = c->list.prev;
	conn->link.prev->next = &conn->link;
	c->list.prev = &conn->link;
}

struct ta_serve_conn *ta_serve_conn_new(struct ta_serve_conns *c, int fd)
{
	struct ta_serve_conn *conn = calloc(1, sizeof(*conn));

	if (!conn) {
		close(fd);
		return NULL;
	}
	conn->fd = fd;
	conn->active_ns = c->now;
	link_last(c, conn);
	return conn;
}

void ta_serve_conn_free(struct ta_serve_conn *conn)
{
	unlink_conn(conn);
	close(conn->fd);
	free(conn->partial);
	free(conn);
}

void ta_serve_conn_touch(struct ta_serve_conns *c, struct ta_serve_conn *conn)
{
	conn->active_ns = c->now;
	unlink_conn(conn);
	link_last(c, conn);
}

struct ta_serve_conn *ta_serve_conn_quiet(struct ta_serve_conns *c)
{
	struct ta_serve_conn *first = (struct ta_serve_conn *)c->list.next;

	if (c->list.next == &c->list || c->now - first->active_ns < TA_SERVER_IDLE_S * TA_NS_PER_S)
		return NULL;
	return first;
}

static void refuse(struct ta_serve_conn *conn, enum ta_request_kind kind)
{
	static const char *const texts[] = {
		[TA_REQUEST_BAD] = "400 Bad Request",
		[TA_REQUEST_METHOD] = "405 Method Not Allowed\r\nAllow: GET, HEAD",
		[TA_REQUEST_TOO_LONG] = "431 Request Header Fields Too Large",
	};
	char reply[160];
	int n = snprintf(reply, sizeof(reply), "HTTP/1.1 %s\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", texts[kind]);

	/* Behind replies that are still owed there is no place for it. */
	if (!conn->owed)
		(void)!send(conn->fd, reply, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT);
	conn->closing = true;
}

/* One request. False: nothing more is read from this connection. */
static bool answer(struct ta_serve_conns *c, struct ta_serve_conn *conn, enum ta_request_kind kind)
{
	const struct ta_serve_reply *r = &c->serve->reply;

	switch (kind) {
	case TA_REQUEST_LAST:
		conn->closing = true;
		conn->owed += r->len;
		return false;
	case TA_REQUEST_GET:
		conn->owed += r->len;
		return true;
	case TA_REQUEST_HEAD:
		/* Behind replies that are still owed there is no place for a shorter one. */
		conn->closing = conn->owed || send(conn->fd, r->block, r->head_len, MSG_NOSIGNAL | MSG_DONTWAIT) !=
						      (ssize_t)r->head_len;
		return !conn->closing;
	default:
		refuse(conn, kind);
		return false;
	}
}

static bool keep_partial(struct ta_serve_conn *conn, const char *data, size_t len)
{
	if (!len)
		return true;
	if (!conn->partial)
		conn->partial = malloc(TA_SERVER_HEAD_MAX);
	if (!conn->partial || len > TA_SERVER_HEAD_MAX)
		return false;
	memmove(conn->partial, data, len);
	conn->n_partial = len;
	return true;
}

void ta_serve_conn_feed(struct ta_serve_conns *c, struct ta_serve_conn *conn, const char *data, size_t len)
{
	if (conn->closing)
		return;
	if (conn->n_partial) {
		memcpy(c->buffer, conn->partial, conn->n_partial);
		memcpy(c->buffer + conn->n_partial, data, len);
		data = c->buffer;
		len += conn->n_partial;
		conn->n_partial = 0;
	}
	while (len) {
		size_t used;
		enum ta_request_kind kind = ta_request_read(data, len, &used);

		if (kind == TA_REQUEST_MORE)
			break;
		if (!answer(c, conn, kind))
			return;
		data += used;
		len -= used;
	}
	if (!keep_partial(conn, data, len))
		conn->closing = true;
}

const char *ta_serve_conn_owed(const struct ta_serve_conns *c, const struct ta_serve_conn *conn, size_t *ret_len)
{
	const struct ta_serve_reply *r = &c->serve->reply;

	*ret_len = TA_MIN(conn->owed, r->block_len - conn->at);
	return r->block + conn->at;
}

void ta_serve_conn_sent(const struct ta_serve_conns *c, struct ta_serve_conn *conn, size_t n)
{
	conn->owed -= n;
	conn->at = (conn->at + n) % c->serve->reply.len;
}

void ta_serve_turn_away(const struct ta_serve *serve, int *reserve)
{
	int fd;

	close(*reserve);
	fd = accept4(serve->listener, NULL, NULL, SOCK_CLOEXEC);
	if (fd >= 0)
		close(fd);
	*reserve = fcntl(serve->wake, F_DUPFD_CLOEXEC, 0);
}
