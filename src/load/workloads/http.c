/*
 * http: GET over connections that stay open, HTTP/1.1.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "load/http.h"
#include "load/workload.h"

static void reset(void *state)
{
	ta_http_reply_reset(state);
}

static void done(void *state)
{
	ta_http_reply_done(state);
}

/* Of all connections of a thread: the same server answers them. */
static _Thread_local struct ta_http_memo memo;

static int feed(void *state, const char *data, size_t len, size_t *used)
{
	struct ta_http_reply *r = state;
	int rc;

	r->memo = &memo;
	rc = ta_http_reply_feed(r, data, len, used);

	return rc == TA_FED_REPLY && r->status >= 400 ? TA_FED_NO : rc;
}

static int end(void *state)
{
	const struct ta_http_reply *r = state;
	int rc = ta_http_reply_end(state);

	return rc == TA_FED_REPLY && r->status >= 400 ? TA_FED_NO : rc;
}

static bool may_reuse(const void *state)
{
	return ((const struct ta_http_reply *)state)->keep_alive;
}

static const char *error_name(int n)
{
	return ta_http_error_name((enum ta_http_error)n);
}

/* "Name: value" that stays one field. The length of the body and of the connection are ours to say. */
static int check_header(const char *text, struct ta_err *err)
{
	static const char *const ours[] = {"content-length", "transfer-encoding", "connection", "expect", "upgrade"};
	size_t n = strcspn(text, ":");

	if (!n || !text[n])
		return ta_err_set(err, -EINVAL, "header '%.80s': 'Name: value' is wanted", text);
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("!#$%&'*+-.^_`|~", text[i]))
			return ta_err_set(err, -EINVAL, "header '%.80s': a name cannot hold that", text);
	for (const char *c = text + n; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return ta_err_set(err, -EINVAL, "header '%.*s': control characters in its value", (int)n, text);
	for (size_t i = 0; i < TA_ARRAY_SIZE(ours); i++)
		if (n == strlen(ours[i]) && !strncasecmp(text, ours[i], n))
			return ta_err_set(err, -EINVAL, "header %s cannot be set: the load run needs it itself", ours[i]);
	return 0;
}

static bool has_host(const struct ta_strv *headers)
{
	for (size_t i = 0; i < headers->n; i++)
		if (!strncasecmp(headers->v[i], "host:", 5))
			return true;
	return false;
}

static int build_request(const struct ta_workload_options *o, struct ta_buf *b, struct ta_err *err)
{
	const struct ta_target *t = o->target;
	bool six = strchr(t->host, ':');

	ta_buf_printf(b, "GET %s HTTP/1.1\r\n", t->path);
	if (!has_host(o->headers))
		ta_buf_printf(b, "Host: %s%s%s:%s\r\n", six ? "[" : "", t->host, six ? "]" : "", t->port);
	for (size_t i = 0; i < o->headers->n; i++) {
		int rc = check_header(o->headers->v[i], err);

		if (rc < 0)
			return rc;
		ta_buf_printf(b, "%s\r\n", o->headers->v[i]);
	}
	ta_buf_adds(b, "\r\n");
	return b->error;
}

static int prepare(const struct ta_workload_options *o, struct ta_buf *bytes, struct ta_wire *ret, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf one = TA_BUF_INIT;
	int rc = build_request(o, &one, err);

	if (rc < 0)
		return rc;
	for (unsigned i = 0; i < o->pipeline; i++)
		ta_buf_add(bytes, one.data, one.len);
	if (bytes->error)
		return bytes->error;
	*ret = (struct ta_wire){
		.bytes = bytes->data,
		.state_size = sizeof(struct ta_http_reply),
		.reset = reset,
		.done = done,
		.feed = feed,
		.end = end,
		.may_reuse = may_reuse,
		.error_name = error_name,
	};
	return ta_wire_add(ret, 0, bytes->len, o->pipeline);
}

const struct ta_workload ta_workload_http = {
	.name = "http",
	.summary = "GET requests over connections that stay open",
	.scheme = "http",
	.default_port = "80",
	.prepare = prepare,
};
