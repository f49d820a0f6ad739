/*
 * calls.json of a capture: what a tree of files cannot hold. See docs/captures.md.
 *
 * The text is untrusted; ta_calls_parse() checks the type of everything that the
 * getters rely on. Names and texts stand in it with %HH for '%', control
 * characters and bytes above 0x7e, so that any name of any file is valid JSON.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/strv.h"

struct json_object;

#define TA_CALLS_CAP (16u << 20) /* bytes of calls.json */

struct ta_calls {
	struct json_object *root;
	bool complete; /* holds an answer to everything that was asked */
	bool foreign;  /* bytes of calls and netlink are of another byte order or word size */
	struct ta_buf key;
};

#define TA_CALLS_INIT {0}
#define ta_cleanup_calls ta_cleanup(ta_calls_done)

int ta_calls_new(struct ta_calls *ret); /* empty, of this machine; -ENOMEM */

/* 0, -EBADMSG (with what is wrong in `err`), -EFBIG, -ENOMEM. */
int ta_calls_parse(const char *text, size_t len, struct ta_calls *ret, struct ta_err *err);

/* Appends the whole text, with a newline at its end. */
void ta_calls_format(const struct ta_calls *c, struct ta_buf *b);

void ta_calls_done(struct ta_calls *c);

/* What kind of question an error answers. */
enum ta_ask { TA_ASK_READ, TA_ASK_LINES, TA_ASK_LIST, TA_ASK_LINK, TA_ASK_NETLINK };

/*
 * Getters: true if the answer is held; `ret_rc` is then 0 or the -errno (of calls and ioctls: what they
 * returned), the other results are set if it says so. Out of memory is an answer too.
 */
bool ta_calls_error(struct ta_calls *c, enum ta_ask ask, const char *name, int *ret_rc);
bool ta_calls_list(struct ta_calls *c, const char *path, struct ta_strv *ret, int *ret_rc);
bool ta_calls_link(struct ta_calls *c, const char *path, struct ta_buf *ret, int *ret_rc);
bool ta_calls_exists(struct ta_calls *c, const char *path, bool *ret);
bool ta_calls_call(struct ta_calls *c, const char *key, struct ta_buf *ret, int *ret_rc);

/* Putters: 0 or -ENOMEM. */
int ta_calls_put_error(struct ta_calls *c, enum ta_ask ask, const char *name, int rc);
int ta_calls_put_list(struct ta_calls *c, const char *path, const struct ta_strv *names);
int ta_calls_put_link(struct ta_calls *c, const char *path, const char *target);
int ta_calls_put_exists(struct ta_calls *c, const char *path, bool exists);
int ta_calls_put_call(struct ta_calls *c, const char *key, int rc, const void *data, size_t len);

/* Appends `text` with %HH for what may not stand in JSON, or in one component of a path. */
void ta_escape(const char *text, bool component, struct ta_buf *b);
/* Appends what an escaped text stands for; -EINVAL if it is malformed or holds %00. */
int ta_unescape(const char *text, struct ta_buf *b);
