/*
 * This machine, with every answer kept in a capture.
 *
 * A question is put to the machine once. Asked again, it gets the kept answer,
 * as it will from the capture; so the facts of the recording run and those read
 * back are the same, also where the machine moved in between.
 *
 * What cannot be kept (a full disk) does not disturb the answers; the first
 * such error is told at the end, and nothing of the capture remains.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "host/anon.h"
#include "host/internal.h"
#include "host/newdir.h"
#include "host/redact.h"
#include "host/store.h"

#define FILE_CAP (64u << 20)

struct record {
	struct ta_host host;
	struct ta_host *live;
	struct ta_store store; /* the directory as far as it is written */
	struct ta_newdir dir;
	bool anonymize;
	struct ta_anon anon;
	int64_t time;
	struct utsname uname;
	int error; /* the first -errno of keeping something */
	struct ta_err why;
};

static struct record *record(struct ta_host *h)
{
	return (struct record *)h;
}

static void note(struct record *r, int rc, const char *what)
{
	if (rc == 0)
		rc = r->anon.error;
	if (rc == 0 || r->error)
		return;
	r->error = rc;
	ta_err_set(&r->why, rc, "cannot keep %s: %s", what, ta_errno_text(rc));
}

static void keep_file(struct record *r, const char *path, const struct ta_buf *content)
{
	if (!r->error)
		note(r, ta_newdir_write(&r->dir, path, content->data, content->len), path);
}

static void keep_error(struct record *r, enum ta_ask ask, const char *name, int rc)
{
	if (!r->error)
		note(r, ta_calls_put_error(&r->store.calls, ask, name, rc), name);
}

/* The path or name as this machine knows it. */
static const char *real_name(struct record *r, const char *name, struct ta_buf *b)
{
	ta_buf_reset(b);
	ta_buf_adds(b, name);
	if (b->error)
		return NULL;
	if (r->anonymize)
		ta_anon_reveal(&r->anon, b->data, b->len);
	return ta_buf_text(b);
}

/* Asks the machine for a whole file and keeps it, or why there is none. */
static int read_and_keep(struct record *r, enum ta_ask ask, const char *path, size_t cap, struct ta_buf *ret)
{
	ta_cleanup_buf struct ta_buf real = TA_BUF_INIT;
	int rc = -ENOMEM;

	if (r->anonymize && ta_anon_refuses(path))
		rc = -ENODATA;
	else if (real_name(r, path, &real))
		rc = ta_host_read(r->live, ta_buf_text(&real), cap, ret);
	if (rc < 0) {
		ta_buf_reset(ret);
		keep_error(r, ask, path, rc);
		return rc;
	}
	if (r->anonymize)
		ta_anon_text(&r->anon, path, ret);
	keep_file(r, path, ret);
	return 0;
}

static int record_read(struct ta_host *h, const char *path, size_t cap, struct ta_buf *ret)
{
	struct record *r = record(h);
	int rc;

	if (ta_redact_kind(path) == TA_REDACT_REFUSE)
		return -EPERM;
	return ta_store_read(&r->store, path, cap, ret, &rc) ? rc
							     : read_and_keep(r, TA_ASK_READ, path, cap, ret);
}

static int record_lines(struct ta_host *h, const char *path, ta_line_fn *fn, void *ctx)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct record *r = record(h);
	enum ta_redact kind = ta_redact_kind(path);
	int rc;

	if (kind == TA_REDACT_REFUSE)
		return -EPERM;
	if (kind == TA_REDACT_FILTER) {
		rc = record_read(h, path, TA_READ_CAP, &text);
		return rc < 0 ? rc : ta_text_lines(&text, fn, ctx);
	}
	if (ta_store_lines(&r->store, path, fn, ctx, &rc))
		return rc;
	rc = read_and_keep(r, TA_ASK_LINES, path, FILE_CAP, &text);
	return rc < 0 ? rc : ta_text_lines(&text, fn, ctx);
}

static int anon_names(struct record *r, struct ta_strv *names)
{
	struct ta_strv out = TA_STRV_INIT;
	ta_cleanup_buf struct ta_buf name = TA_BUF_INIT;

	for (size_t i = 0; i < names->n; i++) {
		ta_buf_reset(&name);
		ta_buf_adds(&name, names->v[i]);
		ta_anon_text(&r->anon, NULL, &name);
		ta_strv_add(&out, ta_buf_text(&name));
	}
	ta_strv_sort(&out);
	ta_strv_done(names);
	*names = out;
	return name.error ?: out.error;
}

static int record_list(struct ta_host *h, const char *path, struct ta_strv *ret)
{
	ta_cleanup_buf struct ta_buf real = TA_BUF_INIT;
	struct record *r = record(h);
	int rc;

	if (ta_store_list(&r->store, path, ret, &rc))
		return rc;
	rc = real_name(r, path, &real) ? ta_host_list(r->live, ta_buf_text(&real), ret) : -ENOMEM;
	if (rc == 0 && r->anonymize)
		rc = anon_names(r, ret);
	if (rc < 0)
		keep_error(r, TA_ASK_LIST, path, rc);
	else if (!r->error)
		note(r, ta_calls_put_list(&r->store.calls, path, ret), path);
	return rc;
}

static int record_readlink(struct ta_host *h, const char *path, struct ta_buf *ret)
{
	ta_cleanup_buf struct ta_buf real = TA_BUF_INIT;
	struct record *r = record(h);
	int rc;

	if (ta_store_readlink(&r->store, path, ret, &rc))
		return rc;
	rc = real_name(r, path, &real) ? ta_host_readlink(r->live, ta_buf_text(&real), ret) : -ENOMEM;
	if (rc < 0) {
		keep_error(r, TA_ASK_LINK, path, rc);
		return rc;
	}
	if (r->anonymize)
		ta_anon_text(&r->anon, NULL, ret);
	if (!r->error)
		note(r, ta_calls_put_link(&r->store.calls, path, ta_buf_text(ret)), path);
	return ret->error;
}

static int record_exists(struct ta_host *h, const char *path)
{
	ta_cleanup_buf struct ta_buf real = TA_BUF_INIT;
	struct record *r = record(h);
	bool exists;

	if (ta_store_exists(&r->store, path, &exists))
		return exists ? 0 : -ENOENT;
	exists = real_name(r, path, &real) && ta_host_exists(r->live, ta_buf_text(&real));
	if (!r->error)
		note(r, ta_calls_put_exists(&r->store.calls, path, exists), path);
	return exists ? 0 : -ENOENT;
}

static int record_call(struct ta_host *h, const char *key, int (*fn)(void *arg, struct ta_buf *ret),
	void *arg, struct ta_buf *ret)
{
	struct record *r = record(h);
	int rc;

	if (ta_store_call(&r->store, key, ret, &rc))
		return rc;
	rc = ta_host_call(r->live, key, fn, arg, ret);
	if (r->anonymize)
		ta_anon_text(&r->anon, NULL, ret);
	if (!r->error)
		note(r, ta_calls_put_call(&r->store.calls, key, rc, ret->data, ret->len), key);
	return rc;
}

static void keep_try(struct record *r, const char *name, const struct ta_try_result *result)
{
	ta_cleanup_buf struct ta_buf key = TA_BUF_INIT;

	ta_buf_printf(&key, "try/%s", name);
	if (!r->error)
		note(r,
			key.error ?: ta_calls_put_call(&r->store.calls, ta_buf_text(&key), result->rc,
					     result->text, strlen(result->text)),
			name);
}

static int record_tries(struct ta_host *h, const struct ta_try *tries, size_t n,
	struct ta_try_result *results)
{
	struct record *r = record(h);

	for (size_t i = 0; i < n;) {
		size_t new = 0;
		int rc;

		while (i < n && ta_store_try(&r->store, tries[i].name, &results[i]))
			i++;
		while (i + new < n && !ta_store_try(&r->store, tries[i + new].name, &results[i + new]))
			new++;
		rc = ta_host_try(r->live, tries + i, new, results + i);
		if (rc < 0)
			return rc;
		for (; new > 0; new--, i++)
			keep_try(r, tries[i].name, &results[i]);
	}
	return 0;
}

static int record_netlink(struct ta_host *h, int protocol, const char *key, struct nlmsghdr *request,
	struct ta_buf *ret)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;
	struct record *r = record(h);
	int rc;

	if (ta_store_netlink(&r->store, key, ret, &rc))
		return rc;
	if (r->anonymize)
		ta_anon_reveal(&r->anon, request, request->nlmsg_len);
	r->live->operations++;
	rc = r->live->ops->netlink(r->live, protocol, key, request, ret);
	if (rc < 0) {
		keep_error(r, TA_ASK_NETLINK, key, rc);
		return rc;
	}
	if (r->anonymize)
		ta_anon_netlink(&r->anon, protocol, ret->data, ret->len);
	ta_store_netlink_path(key, &path);
	keep_file(r, ta_buf_text(&path), ret);
	return 0;
}

static int record_ethtool(struct ta_host *h, const char *ifname, void *data, size_t len)
{
	ta_cleanup_buf struct ta_buf key = TA_BUF_INIT, real = TA_BUF_INIT;
	struct record *r = record(h);
	size_t used = len;
	int rc;

	if (ta_store_ethtool(&r->store, ifname, data, len, &rc))
		return rc;
	ta_ethtool_key(ifname, data, len, &key);
	rc = real_name(r, ifname, &real) ? ta_host_ethtool(r->live, ta_buf_text(&real), data, len) : -ENOMEM;
	if (rc >= 0 && r->anonymize)
		ta_anon_ethtool(&r->anon, data, len);
	while (used && (rc < 0 || !((const char *)data)[used - 1]))
		used--;
	if (!r->error)
		note(r, key.error ?: ta_calls_put_call(&r->store.calls, ta_buf_text(&key), rc, data, used), ifname);
	return rc;
}

static int record_time(struct ta_host *h, int64_t *ret)
{
	*ret = record(h)->time;
	return 0;
}

static void record_done(struct ta_host *h)
{
	struct record *r = record(h);

	ta_host_free(r->live);
	ta_store_close(&r->store);
	ta_newdir_drop(&r->dir);
	ta_anon_done(&r->anon);
}

static const struct ta_host_ops record_ops = {
	.done = record_done,
	.read = record_read,
	.lines = record_lines,
	.list = record_list,
	.readlink = record_readlink,
	.exists = record_exists,
	.call = record_call,
	.tries = record_tries,
	.netlink = record_netlink,
	.ethtool = record_ethtool,
	.time = record_time,
};

static int start(struct record *r, const char *dir, bool anonymize, struct ta_err *err)
{
	int rc = ta_host_live(&r->live, err);

	if (rc == 0)
		rc = ta_newdir_make(dir, &r->dir, err);
	if (rc < 0)
		return rc;
	rc = ta_calls_new(&r->store.calls);
	if (rc == 0)
		rc = ta_root_enter(r->dir.fd, ".", &r->store.root);
	if (rc == 0)
		rc = ta_host_time(r->live, &r->time);
	if (rc == 0 && uname(&r->uname) < 0)
		rc = -errno;
	if (rc < 0)
		return ta_err_set(err, rc, "cannot begin a capture: %s", ta_errno_text(rc));
	r->anonymize = anonymize;
	ta_anon_init(&r->anon, r->uname.nodename);
	return 0;
}

int ta_host_record(const char *dir, bool anonymize, struct ta_host **ret, struct ta_err *err)
{
	struct record *r = ta_host_new(sizeof(*r), &record_ops, true);
	int rc;

	if (!r)
		return ta_err_set(err, -ENOMEM, "out of memory");
	r->store = (struct ta_store)TA_STORE_INIT;
	r->dir = (struct ta_newdir)TA_NEWDIR_INIT;
	rc = start(r, dir, anonymize, err);
	if (rc < 0) {
		ta_host_free(&r->host);
		return rc;
	}
	*ret = &r->host;
	return 0;
}

/* Keeps what ta_host_record_finish() adds to the answers: calls.json and capture.json. */
static void keep_rest(struct record *r, const char *tool_version)
{
	ta_cleanup_buf struct ta_buf calls = TA_BUF_INIT, about = TA_BUF_INIT;
	ta_cleanup_calls struct ta_calls again = TA_CALLS_INIT;

	ta_calls_format(&r->store.calls, &calls);
	/* What nobody could read back, for it is above the limits of a reader, is no capture. */
	if (!calls.error)
		note(r, ta_calls_parse(ta_buf_text(&calls), calls.len, &again, NULL), "calls.json");
	ta_capture_json_format(r->uname.release, r->uname.machine, tool_version, r->time, &about);
	note(r, calls.error ?: about.error, "calls.json");
	keep_file(r, "/calls.json", &calls);
	keep_file(r, "/capture.json", &about);
}

int ta_host_record_finish(struct ta_host *h, const char *tool_version, struct ta_err *err)
{
	struct record *r;

	while (h && h->ops != &record_ops)
		h = ta_fault_inner(h);
	if (!h)
		return ta_err_set(err, -EINVAL, "nothing is being recorded");
	r = record(h);
	if (r->dir.fd < 0)
		return ta_err_set(err, -EINVAL, "the capture is finished already");
	keep_rest(r, tool_version);
	if (r->error) {
		ta_newdir_drop(&r->dir);
		return ta_err_set(err, r->error, "%s", r->why.text);
	}
	return ta_newdir_finish(&r->dir, err);
}
