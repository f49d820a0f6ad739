/*
 * file: GET of files that the client has had made, sent in the way that it asks for; a thread for each connection, which blocks.
 *
 *   /make/LARGE/N/SMALL  makes one file of LARGE bytes and N of SMALL bytes: where, on what
 *   /drop/large /drop/small  drops their pages: how many bytes are cached still
 *   /WAY/large /WAY/small/I  a file; 501 with the reason where this kernel has no such way
 *   /counts  what the kernel said of sends that it might have made without copying
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/num.h"
#include "base/strv.h"
#include "load/files.h"
#include "load/listen.h"
#include "load/load.h"
#include "load/request.h"
#include "load/service.h"

#define CONNECTIONS_MAX 64u
#define REAP_MS 500 /* that the descriptor of a connection that ended stays open, at most */
#define STALL_S 30 /* a client that takes nothing for so long is given up */

struct conn {
	struct server *server;
	pthread_t thread;
	int fd; /* -1: the place is free */
	_Atomic bool ended;
	struct ta_file_sender sender;
	size_t n_head;
	char head[TA_SERVER_HEAD_MAX + 1];
};

struct server {
	struct ta_files files;
	int listener, wake;
	pthread_t thread;
	struct conn *conns[CONNECTIONS_MAX];
};

/* --- a connection ---------------------------------------------------------------- */

static int say(struct conn *c, unsigned status, const char *text)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	ta_buf_printf(&b, "HTTP/1.1 %u -\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n\r\n%s", status, strlen(text), text);
	return send(c->fd, ta_buf_text(&b), b.len, MSG_NOSIGNAL) == (ssize_t)b.len ? 0 : -EPIPE;
}

static int make(struct conn *c, const struct ta_strv *words)
{
	struct ta_files *f = &c->server->files;
	uint64_t large, n, small;
	struct ta_err err;
	char text[512];

	if (words->n != 4 || ta_parse_u64(words->v[1], &large) < 0 || ta_parse_u64(words->v[2], &n) < 0 ||
		ta_parse_u64(words->v[3], &small) < 0 || n > TA_FILES_MAX)
		return say(c, 400, "make/LARGE/N/SMALL");
	if (ta_files_make(f, large, (unsigned)n, small, &err) < 0)
		return say(c, 507, err.text);
	snprintf(text, sizeof(text), "dir %s\nkind %s\nmemory %d\nmajor %u\nminor %u\n", f->place.path, f->place.kind,
		f->place.in_memory, f->place.major, f->place.minor);
	return say(c, 200, text);
}

static int drop(struct conn *c, const struct ta_strv *words)
{
	uint64_t left;
	char text[64];
	int rc;

	if (words->n != 2)
		return say(c, 404, "");
	ta_file_settle(&c->sender, 100);
	rc = ta_files_drop(&c->server->files, !strcmp(words->v[1], "small"), &left);
	if (rc < 0)
		return say(c, 500, ta_errno_text(rc));
	snprintf(text, sizeof(text), "left %llu\n", (unsigned long long)left);
	return say(c, 200, text);
}

static int tell_counts(struct conn *c)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	ta_file_settle(&c->sender, 500);
	for (unsigned way = TA_FILE_ZEROCOPY; way < TA_FILE_WAYS; way++) {
		const struct ta_file_counts *n = &c->server->files.counts[way];

		ta_buf_printf(&b, "%s.sends %llu\n%s.copied %llu\n%s.direct %llu\n", ta_file_way_name(way),
			(unsigned long long)n->sends, ta_file_way_name(way), (unsigned long long)n->copied, ta_file_way_name(way),
			(unsigned long long)n->direct);
	}
	return say(c, 200, ta_buf_text(&b));
}

/* NULL: there is no such file. */
static struct ta_file *find_file(struct ta_files *f, const struct ta_strv *words)
{
	uint64_t i;

	if (words->n == 2 && !strcmp(words->v[1], "large") && f->large.fd >= 0)
		return &f->large;
	if (words->n == 3 && !strcmp(words->v[1], "small") && ta_parse_u64(words->v[2], &i) == 0 && i < f->n_small)
		return &f->small[i];
	return NULL;
}

static int send_file(struct conn *c, enum ta_file_way way, struct ta_file *file)
{
	struct ta_err err;
	char head[80];
	int n;

	if (!file)
		return say(c, 404, "");
	if (ta_file_sender_ready(&c->sender, way, &err) < 0)
		return say(c, 501, err.text);
	n = snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\nContent-Length: %llu\r\n\r\n", (unsigned long long)file->bytes);
	if (send(c->fd, head, (size_t)n, MSG_NOSIGNAL | MSG_MORE) != n)
		return -EPIPE;
	return ta_file_send(&c->sender, way, file);
}

static int answer(struct conn *c, const char *path, size_t len)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;
	struct ta_files *f = &c->server->files;
	int rc;

	ta_buf_add(&text, path, len);
	ta_strv_split(&words, ta_buf_text(&text), "/");
	if (text.error || words.error || !words.n)
		return say(c, 404, "");
	if (!strcmp(words.v[0], "make"))
		return make(c, &words);
	if (!strcmp(words.v[0], "drop"))
		return drop(c, &words);
	if (!strcmp(words.v[0], "counts"))
		return tell_counts(c);
	for (unsigned way = 0; way < TA_FILE_WAYS; way++) {
		if (strcmp(words.v[0], ta_file_way_name(way)) != 0)
			continue;
		pthread_rwlock_rdlock(&f->lock);
		rc = send_file(c, way, find_file(f, &words));
		pthread_rwlock_unlock(&f->lock);
		return rc;
	}
	return say(c, 404, "");
}

/* The requests that are whole. Negative: the connection ends. */
static int answer_all(struct conn *c)
{
	while (c->n_head) {
		size_t used;
		enum ta_request_kind kind = ta_request_read(c->head, c->n_head, &used);
		const char *path = memchr(c->head, ' ', c->n_head), *end;
		int rc;

		if (kind == TA_REQUEST_MORE)
			return 0;
		if (kind != TA_REQUEST_GET && kind != TA_REQUEST_LAST) {
			say(c, 400, "GET is all there is");
			return -EPROTO;
		}
		end = memchr(path + 1, ' ', used - (size_t)(path + 1 - c->head));
		rc = end ? answer(c, path + 1, (size_t)(end - path - 1)) : -EPROTO;
		if (rc < 0 || kind == TA_REQUEST_LAST)
			return rc < 0 ? rc : -EPIPE;
		memmove(c->head, c->head + used, c->n_head - used);
		c->n_head -= used;
	}
	return 0;
}

/* A head that does not end in its time is no client's. */
static void *conn_main(void *arg)
{
	struct conn *c = arg;
	uint64_t since = ta_load_now();

	for (;;) {
		ssize_t n = recv(c->fd, c->head + c->n_head, TA_SERVER_HEAD_MAX - c->n_head, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || ta_load_now() - since > TA_SERVER_IDLE_S * TA_NS_PER_S)
			break;
		c->n_head += (size_t)n;
		if (answer_all(c) < 0)
			break;
		if (!c->n_head)
			since = ta_load_now();
	}
	shutdown(c->fd, SHUT_RDWR);
	ta_file_sender_done(&c->sender);
	c->ended = true;
	return NULL;
}

/* --- the server ------------------------------------------------------------------- */

static void free_conn(struct conn **place)
{
	pthread_join((*place)->thread, NULL);
	close((*place)->fd);
	free(*place);
	*place = NULL;
}

/* A place for one more, or NULL. Those whose connection has ended are free again. */
static struct conn **find_place(struct server *s)
{
	struct conn **place = NULL;

	for (unsigned i = 0; i < CONNECTIONS_MAX; i++) {
		if (s->conns[i] && s->conns[i]->ended)
			free_conn(&s->conns[i]);
		if (!s->conns[i])
			place = &s->conns[i];
	}
	return place;
}

static void take(struct server *s, int fd)
{
	const struct timeval idle = {.tv_sec = TA_SERVER_IDLE_S}, stall = {.tv_sec = STALL_S};
	struct conn **place = find_place(s), *c = place ? calloc(1, sizeof(*c)) : NULL;
	int one = 1;

	if (!c) {
		close(fd);
		return;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &idle, sizeof(idle));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &stall, sizeof(stall));
	c->server = s;
	c->fd = fd;
	ta_file_sender_init(&c->sender, fd, &s->files);
	if (pthread_create(&c->thread, NULL, conn_main, c) == 0) {
		*place = c;
		return;
	}
	close(fd);
	free(c);
}

static void *accept_main(void *arg)
{
	struct server *s = arg;
	struct pollfd p[] = {{.fd = s->listener, .events = POLLIN}, {.fd = s->wake, .events = POLLIN}};

	while (poll(p, 2, REAP_MS) >= 0 || errno == EINTR) {
		int fd;

		if (p[1].revents)
			break;
		find_place(s);
		if (!p[0].revents)
			continue;
		fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd >= 0)
			take(s, fd);
		else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
			poll(&p[1], 1, 50);
	}
	return NULL;
}

static void stop_server(struct server *s)
{
	for (unsigned i = 0; i < CONNECTIONS_MAX; i++)
		if (s->conns[i])
			shutdown(s->conns[i]->fd, SHUT_RDWR);
	for (unsigned i = 0; i < CONNECTIONS_MAX; i++)
		if (s->conns[i])
			free_conn(&s->conns[i]);
	if (s->listener >= 0)
		close(s->listener);
	if (s->wake >= 0)
		close(s->wake);
	ta_files_done(&s->files);
	free(s);
}

static int start_server(struct server *s, const struct ta_server_options *o, struct ta_served *ret, struct ta_err *err)
{
	int error;

	s->wake = eventfd(0, EFD_CLOEXEC);
	if (s->wake < 0)
		return ta_err_set(err, -errno, "eventfd: %s", ta_errno_text(-errno));
	s->listener = ta_load_listen(o, ret, err);
	if (s->listener < 0)
		return s->listener;
	error = pthread_create(&s->thread, NULL, accept_main, s);
	return error ? ta_err_set(err, -error, "no thread for the server: %s", ta_errno_text(-error)) : 0;
}

static int start(const struct ta_server_options *o, struct ta_served *ret, struct ta_err *err)
{
	struct server *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return ta_err_set(err, -ENOMEM, "out of memory");
	s->listener = s->wake = -1;
	ta_files_init(&s->files, o->dir);
	*ret = (struct ta_served){.state = s};
	rc = start_server(s, o, ret, err);
	if (rc < 0)
		stop_server(s);
	return rc;
}

static void stop(struct ta_served *served)
{
	struct server *s = served->state;

	eventfd_write(s->wake, 1);
	pthread_join(s->thread, NULL);
	stop_server(s);
}

const struct ta_service ta_service_file = {
	.name = "file",
	.start = start,
	.stop = stop,
};
