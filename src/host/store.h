/*
 * A capture directory as answers to questions; read by the capture kind, read
 * and written by the recording kind.
 *
 * Getters return true if the answer is held: *ret_rc is then 0 or the -errno that
 * belongs to it. In a tree copied by a script ("complete" is not set in its
 * calls.json, or it has none) everything that is not there is an answer: ENOENT.
 */
#pragma once

#include "host/calls.h"
#include "host/internal.h"

struct ta_store {
	struct ta_root root;
	struct ta_calls calls;
	bool has_taken;
	int64_t taken; /* seconds since the epoch */
};

#define TA_STORE_INIT {.root = TA_ROOT_INIT}

/* -ENOENT, -ENOTDIR, -EACCES …: of the directory; -EBADMSG, -EFBIG: of calls.json or capture.json in it. */
int ta_store_open(const char *dir, struct ta_store *ret, struct ta_err *err);
void ta_store_close(struct ta_store *s);

bool ta_store_read(struct ta_store *s, const char *path, size_t cap, struct ta_buf *ret, int *ret_rc);
bool ta_store_lines(struct ta_store *s, const char *path, ta_line_fn *fn, void *ctx, int *ret_rc);
bool ta_store_list(struct ta_store *s, const char *path, struct ta_strv *ret, int *ret_rc);
bool ta_store_readlink(struct ta_store *s, const char *path, struct ta_buf *ret, int *ret_rc);
bool ta_store_exists(struct ta_store *s, const char *path, bool *ret);
bool ta_store_call(struct ta_store *s, const char *key, struct ta_buf *ret, int *ret_rc);
bool ta_store_try(struct ta_store *s, const char *name, struct ta_try_result *ret);
bool ta_store_ethtool(struct ta_store *s, const char *ifname, void *data, size_t len, int *ret_rc);
bool ta_store_netlink(struct ta_store *s, const char *key, struct ta_buf *ret, int *ret_rc);

/* Appends the path in a capture ("/netlink/KEY.bin") of a netlink answer. */
void ta_store_netlink_path(const char *key, struct ta_buf *b);

/*
 * What capture.json says. 0 or -EBADMSG. *ret_taken is left alone (and *ret_has_taken false) where it says nothing.
 * `text` must be followed by a NUL.
 */
int ta_capture_json_parse(const char *text, size_t len, bool *ret_has_taken, int64_t *ret_taken,
	struct ta_err *err);
void ta_capture_json_format(const char *kernel, const char *arch, const char *tool, int64_t taken,
	struct ta_buf *b);

/* "2026-01-31T12:00:00Z", UTC, years 1970 to 9999. */
int ta_time_parse(const char *text, int64_t *ret);
void ta_time_format(int64_t time, struct ta_buf *b);
