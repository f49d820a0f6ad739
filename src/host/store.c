/*
 * The tree of a capture and its calls.json as one source of answers.
 *
 * calls.json goes first: it holds what files cannot, the errors. Then the
 * tree. A file that is in neither was, in a capture of ours, never asked for;
 * in a tree that a script copied it was not there.
 */
#include "host/store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "host/redact.h"

#define CAPTURE_JSON_CAP (64u << 10)
#define NETLINK_CAP (64u << 20)

static int read_file(const struct ta_root *root, const char *path, size_t cap, struct ta_buf *ret)
{
	ta_cleanup_fd int fd = ta_root_open_file(root, path);

	ta_buf_reset(ret);
	return fd < 0 ? fd : ta_fd_read(fd, cap, ret);
}

/* A file of ours in the capture: it may be missing, but what is there must be sound. 1: missing. */
static int read_own(const struct ta_root *root, const char *path, size_t cap, struct ta_buf *ret,
	struct ta_err *err)
{
	int rc = read_file(root, path, cap, ret);

	if (rc == -ENOENT)
		return 1;
	if (rc < 0)
		return ta_err_set(err, rc, "cannot be read: %s", ta_errno_text(rc));
	return 0;
}

static int load_calls(struct ta_store *s, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = read_own(&s->root, "/calls.json", TA_CALLS_CAP, &text, err);

	if (rc == 0)
		rc = ta_calls_parse(ta_buf_text(&text), text.len, &s->calls, err);
	if (rc == 1) {
		rc = ta_calls_new(&s->calls);
		s->calls.complete = false;
		if (rc < 0)
			ta_err_set(err, rc, "out of memory");
	}
	return rc < 0 ? ta_err_prefix(err, rc, "calls.json") : 0;
}

static int load_capture(struct ta_store *s, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = read_own(&s->root, "/capture.json", CAPTURE_JSON_CAP, &text, err);

	if (rc == 0)
		rc = ta_capture_json_parse(ta_buf_text(&text), text.len, &s->has_taken, &s->taken, err);
	return rc < 0 ? ta_err_prefix(err, rc, "capture.json") : 0;
}

int ta_store_open(const char *dir, struct ta_store *ret, struct ta_err *err)
{
	struct ta_store s = TA_STORE_INIT;
	int rc = ta_root_enter(AT_FDCWD, dir, &s.root);

	if (rc < 0)
		return ta_err_set(err, rc, "cannot open the capture %s: %s", dir, ta_errno_text(rc));
	rc = load_calls(&s, err);
	if (rc == 0)
		rc = load_capture(&s, err);
	if (rc < 0) {
		ta_store_close(&s);
		return ta_err_prefix(err, rc, "the capture %s", dir);
	}
	*ret = s;
	return 0;
}

void ta_store_close(struct ta_store *s)
{
	ta_calls_done(&s->calls);
	ta_root_leave(&s->root);
}

/* True if `rc` from the tree only says that nobody asked. */
static bool was_not_asked(const struct ta_store *s, int rc)
{
	return s->calls.complete && (rc == -ENOENT || rc == -ENOTDIR);
}

bool ta_store_read(struct ta_store *s, const char *path, size_t cap, struct ta_buf *ret, int *ret_rc)
{
	ta_buf_reset(ret);
	if (ta_calls_error(&s->calls, TA_ASK_READ, path, ret_rc))
		return true;
	*ret_rc = read_file(&s->root, path, cap, ret);
	if (*ret_rc == 0)
		ta_redact(path, ret);
	return !was_not_asked(s, *ret_rc);
}

bool ta_store_lines(struct ta_store *s, const char *path, ta_line_fn *fn, void *ctx, int *ret_rc)
{
	ta_cleanup_fd int fd = -1;

	if (ta_calls_error(&s->calls, TA_ASK_LINES, path, ret_rc))
		return true;
	if (ta_redact_kind(path) == TA_REDACT_FILTER) {
		ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

		if (!ta_store_read(s, path, TA_READ_CAP, &text, ret_rc))
			return false;
		if (*ret_rc == 0)
			*ret_rc = ta_text_lines(&text, fn, ctx);
		return true;
	}
	fd = ta_root_open_file(&s->root, path);
	*ret_rc = fd < 0 ? fd : ta_fd_lines(fd, fn, ctx);
	return fd >= 0 || !was_not_asked(s, fd);
}

bool ta_store_list(struct ta_store *s, const char *path, struct ta_strv *ret, int *ret_rc)
{
	int fd;

	if (ta_calls_error(&s->calls, TA_ASK_LIST, path, ret_rc) ||
		ta_calls_list(&s->calls, path, ret, ret_rc))
		return true;
	/* The tree of a complete capture holds what was asked, not all that was there. */
	if (s->calls.complete)
		return false;
	fd = ta_root_open(&s->root, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
	*ret_rc = fd < 0 ? fd : ta_fd_list(fd, ret);
	return true;
}

bool ta_store_readlink(struct ta_store *s, const char *path, struct ta_buf *ret, int *ret_rc)
{
	ta_cleanup_fd int fd = -1;

	if (ta_calls_error(&s->calls, TA_ASK_LINK, path, ret_rc) ||
		ta_calls_link(&s->calls, path, ret, ret_rc))
		return true;
	fd = ta_root_open(&s->root, path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	*ret_rc = fd < 0 ? fd : ta_fd_readlink(fd, ret);
	/* In a complete capture, directories stand where links were. */
	return !was_not_asked(s, *ret_rc) && !(s->calls.complete && *ret_rc == -EINVAL);
}

bool ta_store_exists(struct ta_store *s, const char *path, bool *ret)
{
	ta_cleanup_fd int fd = -1;

	if (ta_calls_exists(&s->calls, path, ret))
		return true;
	fd = ta_root_open(&s->root, path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	*ret = fd >= 0;
	return !was_not_asked(s, fd);
}

bool ta_store_call(struct ta_store *s, const char *key, struct ta_buf *ret, int *ret_rc)
{
	return ta_calls_call(&s->calls, key, ret, ret_rc);
}

bool ta_store_try(struct ta_store *s, const char *name, struct ta_try_result *ret)
{
	ta_cleanup_buf struct ta_buf key = TA_BUF_INIT, text = TA_BUF_INIT;

	ta_buf_printf(&key, "try/%s", name);
	*ret = (struct ta_try_result){0};
	if (!ta_store_call(s, ta_buf_text(&key), &text, &ret->rc))
		return false;
	memcpy(ret->text, ta_buf_text(&text), TA_MIN(text.len, sizeof(ret->text) - 1));
	return true;
}

bool ta_store_ethtool(struct ta_store *s, const char *ifname, void *data, size_t len, int *ret_rc)
{
	ta_cleanup_buf struct ta_buf key = TA_BUF_INIT, out = TA_BUF_INIT;

	ta_ethtool_key(ifname, data, len, &key);
	if (!ta_store_call(s, ta_buf_text(&key), &out, ret_rc))
		return false;
	if (*ret_rc >= 0 && out.len > len)
		*ret_rc = -EBADMSG;
	if (*ret_rc >= 0) {
		memset(data, 0, len);
		memcpy(data, ta_buf_text(&out), out.len);
	}
	return true;
}

void ta_store_netlink_path(const char *key, struct ta_buf *b)
{
	ta_buf_adds(b, "/netlink/");
	ta_escape(key, true, b);
	ta_buf_adds(b, ".bin");
}

bool ta_store_netlink(struct ta_store *s, const char *key, struct ta_buf *ret, int *ret_rc)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;

	ta_buf_reset(ret);
	if (ta_calls_error(&s->calls, TA_ASK_NETLINK, key, ret_rc))
		return true;
	ta_store_netlink_path(key, &path);
	*ret_rc = path.error ?: read_file(&s->root, ta_buf_text(&path), NETLINK_CAP, ret);
	if (*ret_rc == 0 && s->calls.foreign)
		*ret_rc = -EBADMSG;
	return *ret_rc != -ENOENT && *ret_rc != -ENOTDIR;
}
