#include "load/serve.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/buf.h"
#include "load/admit.h"
#include "load/serve_conn.h"
#include "load/uring.h"

#define BLOCK_BYTES (32u << 10)

static int make_reply(unsigned body_bytes, struct ta_serve_reply *ret)
{
	ta_cleanup_buf struct ta_buf one = TA_BUF_INIT, block = TA_BUF_INIT;
	size_t times;

	ta_buf_printf(&one, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %u\r\n\r\n", body_bytes);
	ret->head_len = one.len;
	for (unsigned i = 0; i < body_bytes; i++)
		ta_buf_addc(&one, "tuneaudit "[i % 10]);
	times = one.len < BLOCK_BYTES ? BLOCK_BYTES / one.len : 1;
	for (size_t i = 0; i < times; i++)
		ta_buf_add(&block, one.data, one.len);
	ret->len = one.len;
	ret->block_len = block.len;
	ret->block = ta_buf_steal(&block);
	return one.error || !ret->block ? -ENOMEM : 0;
}

static int listen_on(const struct ta_server_options *o, struct ta_serve *s, struct ta_err *err)
{
	int one = 1, rc;

	s->listener = socket(o->addr.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (s->listener < 0)
		return ta_err_set(err, -errno, "no socket for the server: %s", ta_errno_text(-errno));
	setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	rc = ta_admit_only(s->listener, &o->only);
	if (rc < 0)
		return ta_err_set(err, rc, "the server cannot be kept to one client: %s", ta_errno_text(rc));
	if (bind(s->listener, (const struct sockaddr *)&o->addr, o->addr_len) < 0 || listen(s->listener, 65535) < 0)
		return ta_err_set(err, -errno, "the server cannot listen there: %s", ta_errno_text(-errno));
	s->addr_len = sizeof(s->addr);
	if (getsockname(s->listener, (struct sockaddr *)&s->addr, &s->addr_len) < 0)
		return ta_err_set(err, -errno, "the server's address is not known: %s", ta_errno_text(-errno));
	return 0;
}

int ta_serve_start(const struct ta_server_options *o, struct ta_serve *ret, struct ta_err *err)
{
	void *(*thread)(void *arg) = ta_uring_usable(NULL) == 0 && !o->no_uring ? ta_serve_uring_main : ta_serve_epoll_main;
	int rc;

	*ret = (struct ta_serve){.listener = -1, .wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	rc = ret->wake < 0 ? ta_err_set(err, -errno, "eventfd: %s", ta_errno_text(-errno)) : listen_on(o, ret, err);
	if (rc >= 0)
		rc = make_reply(o->body_bytes, &ret->reply);
	while (rc >= 0 && ret->n_threads < TA_MIN(o->threads, (unsigned)TA_SERVE_THREADS_MAX)) {
		int error = pthread_create(&ret->threads[ret->n_threads], NULL, thread, ret);

		if (error)
			rc = ta_err_set(err, -error, "no thread for the server: %s", ta_errno_text(-error));
		else
			ret->n_threads++;
	}
	if (rc < 0)
		ta_serve_stop(ret);
	return rc;
}

void ta_serve_stop(struct ta_serve *s)
{
	uint64_t one = 1;

	if (s->n_threads)
		(void)!write(s->wake, &one, sizeof(one));
	for (unsigned i = 0; i < s->n_threads; i++)
		pthread_join(s->threads[i], NULL);
	s->n_threads = 0;
	if (s->listener >= 0)
		close(s->listener);
	if (s->wake >= 0)
		close(s->wake);
	free(s->reply.block);
	s->reply.block = NULL;
	s->listener = s->wake = -1;
}
