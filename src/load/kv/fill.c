/*
 * One connection beside the run: it asks whether the server lets us in, writes the keys before and removes them after. All
 * waiting has the same deadline as a request of the run.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "load/kv/kv.h"
#include "load/resp.h"
#include "load/run.h"

#define CHUNK_BYTES (64u << 10) /* sent before the replies are read */
#define DEL_KEYS 50u		/* of one command */

struct talk {
	const struct ta_workload_options *o;
	int fd;
	struct ta_resp_reply reply;
	struct ta_buf out;
	unsigned owed; /* replies to what is in `out` */
	const char *asked; /* what that is, for people */
	bool wrote;
	struct ta_err *err;
};

/* Also returns at once when the user wants to stop; the deadline is for each wait. */
static int wait_for(struct talk *t, short events)
{
	struct pollfd p = {.fd = t->fd, .events = events};
	uint64_t end = ta_load_now() + t->o->load->timeout_ns;

	for (;;) {
		uint64_t now = ta_load_now();

		if (now >= end)
			return -ETIMEDOUT;
		if (poll(&p, 1, (int)TA_MIN((end - now) / TA_NS_PER_MS + 1, 100ull)) > 0)
			return 0;
	}
}

static int talk_open(struct talk *t)
{
	const struct ta_target *to = t->o->target;
	socklen_t len = sizeof(int);
	int error = 0, rc, one = 1;

	t->fd = socket(to->addr.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (t->fd < 0)
		return -errno;
	setsockopt(t->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (connect(t->fd, (const struct sockaddr *)&to->addr, to->addr_len) == 0)
		return 0;
	if (errno != EINPROGRESS)
		return -errno;
	rc = wait_for(t, POLLOUT);
	if (rc == 0 && getsockopt(t->fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
		error = errno;
	return rc ? rc : -error;
}

static int said_no(const struct talk *t)
{
	const char *word = t->reply.word, *advice = "";

	if (!strcmp(word, "NOAUTH"))
		advice = ": it wants a password; put it into the environment variable REDISCLI_AUTH";
	else if (!strcmp(word, "WRONGPASS"))
		advice = ": the password in the environment variable REDISCLI_AUTH is not the right one";
	else if (!strcmp(word, "LOADING"))
		advice = ": it is still reading its data; try again later";
	else if (!strcmp(word, "READONLY"))
		advice = ": a replica takes no writes; --set 0 only reads";
	else if (!strcmp(word, "MOVED") || !strcmp(word, "CROSSSLOT"))
		advice = ": a node of a cluster answers for some of the keys only; this load run does not follow to others";
	return ta_err_set(t->err, -EPERM, "the server says %s to %s%s", *word ? word : "no", t->asked, advice);
}

/* Replies to all that was asked. */
static int read_replies(struct talk *t)
{
	char data[16384];

	while (t->owed) {
		ssize_t n = recv(t->fd, data, sizeof(data), 0);
		size_t at = 0;
		int rc;

		if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
			rc = wait_for(t, POLLIN);
			if (rc < 0)
				return rc;
			continue;
		}
		if (n <= 0)
			return n < 0 ? -errno : -ECONNRESET;
		while (at < (size_t)n && t->owed) {
			size_t used;

			rc = ta_resp_reply_feed(&t->reply, data + at, (size_t)n - at, &used);
			if (rc < 0)
				return -EPROTO;
			at += used;
			t->owed -= rc == 1;
			if (rc == 1 && t->reply.is_error)
				return said_no(t);
		}
	}
	return 0;
}

static int talk_flush(struct talk *t)
{
	size_t sent = 0;

	if (t->out.error)
		return t->out.error;
	while (sent < t->out.len) {
		ssize_t n = send(t->fd, t->out.data + sent, t->out.len - sent, MSG_NOSIGNAL);

		if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
			int rc = wait_for(t, POLLOUT);

			if (rc < 0)
				return rc;
			continue;
		}
		if (n < 0)
			return -errno;
		sent += (size_t)n;
	}
	ta_buf_reset(&t->out);
	return read_replies(t);
}

static int greet(struct talk *t)
{
	int n = ta_kv_greeting(t->o, &t->out, t->err);

	if (n < 0)
		return n;
	ta_buf_adds(&t->out, "*1\r\n$4\r\nPING\r\n");
	t->owed = (unsigned)n + 1;
	t->asked = n == 0 ? "PING" : n == 1 && !strcmp(t->o->target->path, "/") ? "AUTH or PING" : "AUTH, SELECT or PING";
	return talk_flush(t);
}

/* Writes the keys, or removes them. */
static int walk(struct talk *t, bool remove)
{
	const struct ta_kv_options *kv = &t->o->load->kv;
	int rc = 0;

	t->asked = remove ? "DEL" : "SET";
	for (uint32_t key = 0; key < kv->keys && rc == 0;) {
		uint32_t n = remove ? TA_MIN(kv->keys - key, DEL_KEYS) : 1;

		if (remove)
			ta_kv_add_del(&t->out, key, n);
		else
			ta_kv_add_set(&t->out, key, kv->value_bytes);
		t->owed++;
		key += n;
		if (t->out.len >= CHUNK_BYTES || key == kv->keys)
			rc = talk_flush(t);
		t->wrote = true;
		if (!remove && *t->o->load->stop)
			break;
	}
	return rc;
}

enum what { GREET, FILL, CLEAR };

static int talk(const struct ta_workload_options *o, enum what what, bool *ret_wrote, struct ta_err *err)
{
	struct talk t = {.o = o, .fd = -1, .err = err};
	int rc = talk_open(&t);

	if (rc == 0)
		rc = greet(&t);
	if (rc == 0 && what != GREET)
		rc = walk(&t, what == CLEAR);
	if (rc < 0 && rc != -EPERM && rc != -EINVAL)
		ta_err_set(err, rc, "%s", ta_errno_text(rc));
	*ret_wrote = t.wrote;
	if (t.fd >= 0)
		close(t.fd);
	ta_buf_done(&t.out);
	return rc;
}

int ta_kv_fill(const struct ta_workload_options *o, bool *ret_wrote, struct ta_err *err)
{
	return talk(o, FILL, ret_wrote, err);
}

int ta_kv_clear(const struct ta_workload_options *o, struct ta_err *err)
{
	bool ignored;

	return talk(o, CLEAR, &ignored, err);
}

int ta_kv_greet(const struct ta_workload_options *o, struct ta_err *err)
{
	bool ignored;

	return talk(o, GREET, &ignored, err);
}
