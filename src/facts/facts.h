/*
 * The facts document: what is known of a host, and a reason for every hole.
 *
 * A tree of json-c objects under the paths of the field table, plus
 *   absent      path -> why there is no value (law 3: absent is a value)
 *   incomplete  path of a collection -> why it may miss members
 *
 * Writers are probes (src/probe, probes/) and derivations (src/derive); they
 * only put. Errors stick inside (out of memory): look at ta_facts_error() once.
 * Key order in the tree is the order of putting; probes walk sorted lists, so
 * the same host gives the same bytes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cpuset.h"
#include "base/err.h"
#include "facts/field.h"

struct json_object;
struct ta_facts;

enum ta_reason {
	TA_MISSING,     /* the kernel, driver or capture has no such thing */
	TA_DENIED,      /* it is there, we may not read it */
	TA_UNSUPPORTED, /* the device or kernel answered that it cannot */
	TA_MALFORMED,   /* it is there, but what came back makes no sense or broke off */
	TA_NOT_ASKED,   /* asking would change the host, nobody asked, or there was nothing to ask with */
};

int ta_reason_parse(const char *name, enum ta_reason *ret); /* 0 or -EINVAL */
const char *ta_reason_name(enum ta_reason r); /* "missing", "denied", … as in docs/facts.md */

struct ta_facts *ta_facts_new(void); /* NULL: out of memory */
struct ta_facts *ta_facts_free(struct ta_facts *f);
void ta_facts_freep(struct ta_facts **f);
#define ta_cleanup_facts ta_cleanup(ta_facts_freep)

/* The document as JSON (docs/json.md) with other trees in the place of its own; each NULL: its own. */
struct ta_facts_parts {
	struct json_object *facts, *absent, *incomplete;
};
void ta_facts_format_parts(const struct ta_facts *f, const struct ta_facts_parts *parts, struct ta_buf *b);

int ta_facts_error(const struct ta_facts *f); /* 0 or the first -errno */

/*
 * Puts. The path is a list of keys, ended by NULL; the macros below write it:
 *     ta_put_i64(f, 1500, "nics", name, "mtu");
 * Missing objects on the way are made. A later put on the same path replaces,
 * and a value takes an absence back. Texts that are not UTF-8 or hold control
 * characters are stored with \xHH escapes.
 */
void ta_facts_put_i64(struct ta_facts *f, const char *const *path, int64_t v);
void ta_facts_put_u64(struct ta_facts *f, const char *const *path, uint64_t v);
void ta_facts_put_real(struct ta_facts *f, const char *const *path, double v);
void ta_facts_put_bool(struct ta_facts *f, const char *const *path, bool v);
void ta_facts_put_str(struct ta_facts *f, const char *const *path, const char *v);
void ta_facts_put_unlimited(struct ta_facts *f, const char *const *path);
void ta_facts_put_ints(struct ta_facts *f, const char *const *path, const int64_t *v, size_t n);
void ta_facts_put_strs(struct ta_facts *f, const char *const *path, char *const *v, size_t n);
/* The members in rising order; equal sets share memory. */
void ta_facts_put_cpus(struct ta_facts *f, const char *const *path, const struct ta_cpuset *v);
/* An empty collection: "none there" differs from "not known". */
void ta_facts_put_object(struct ta_facts *f, const char *const *path);

void ta_facts_put_absent(struct ta_facts *f, const char *const *path, enum ta_reason why,
	const char *fmt, ...) ta_printf(4, 5);
void ta_facts_put_incomplete(struct ta_facts *f, const char *const *path, enum ta_reason why,
	const char *fmt, ...) ta_printf(4, 5);

/*
 * An absence from a -errno of the door: ENOENT, ENOTDIR, ESRCH missing · EACCES, EPERM denied ·
 * EOPNOTSUPP, ENODEV, EINVAL, ENOSYS, ENXIO unsupported · EBADMSG, EFBIG, ERANGE, ELOOP, EISDIR malformed ·
 * ENODATA not-asked (not in this capture); anything else missing. `what` names the source.
 */
void ta_facts_put_errno(struct ta_facts *f, const char *const *path, int rc, const char *what);
enum ta_reason ta_reason_of(int rc);

#define ta_put_i64(f, v, ...) ta_facts_put_i64((f), TA_KEYS(__VA_ARGS__), (v))
#define ta_put_u64(f, v, ...) ta_facts_put_u64((f), TA_KEYS(__VA_ARGS__), (v))
#define ta_put_real(f, v, ...) ta_facts_put_real((f), TA_KEYS(__VA_ARGS__), (v))
#define ta_put_bool(f, v, ...) ta_facts_put_bool((f), TA_KEYS(__VA_ARGS__), (v))
#define ta_put_str(f, v, ...) ta_facts_put_str((f), TA_KEYS(__VA_ARGS__), (v))
#define ta_put_cpus(f, v, ...) ta_facts_put_cpus((f), TA_KEYS(__VA_ARGS__), (v))
#define ta_put_object(f, ...) ta_facts_put_object((f), TA_KEYS(__VA_ARGS__))
#define ta_put_unlimited(f, ...) ta_facts_put_unlimited((f), TA_KEYS(__VA_ARGS__))
#define ta_put_errno(f, rc, what, ...) ta_facts_put_errno((f), TA_KEYS(__VA_ARGS__), (rc), (what))

/* Reading. Objects are borrowed from the document. */
struct json_object *ta_facts_root(const struct ta_facts *f);
struct json_object *ta_facts_at(const struct ta_facts *f, const char *const *path); /* NULL: no value */
bool ta_facts_get_i64(const struct ta_facts *f, const char *const *path, int64_t *ret);
bool ta_facts_get_bool(const struct ta_facts *f, const char *const *path, bool *ret);
const char *ta_facts_get_str(const struct ta_facts *f, const char *const *path); /* NULL: no value */
/* A list of integers; the caller frees *ret. False, and nothing written, unless all of them are int64. */
bool ta_facts_get_ints(const struct ta_facts *f, const char *const *path, int64_t **ret, size_t *n);
/* The same as a set (replaced); false if one of them is no CPU number. */
bool ta_facts_get_cpus(const struct ta_facts *f, const char *const *path, struct ta_cpuset *ret);

struct ta_absence {
	enum ta_reason reason;
	const char *detail; /* borrowed; never NULL */
};

/*
 * Why there is no value at `path` (text form, keys as written by ta_path_add):
 * the entry of the path itself, else of its nearest parent, else "missing".
 */
struct ta_absence ta_facts_absence(const struct ta_facts *f, const char *path);

/* True if the collection at `path` (text form) may miss members. */
bool ta_facts_incomplete(const struct ta_facts *f, const char *path, struct ta_absence *ret);

/* Every entry of `absent`, or of `incomplete`, in the order of putting. */
void ta_facts_each_hole(const struct ta_facts *f, bool incomplete,
	void (*fn)(const char *path, struct ta_absence why, void *ctx), void *ctx);

/* Appends one key of a path in its text form: ".mtu", "[\"eth0.100\"]", or "mtu" if `b` is empty. */
void ta_path_add(struct ta_buf *b, const char *key);
void ta_path_format(struct ta_buf *b, const char *const *path);

/* The whole document as tuneaudit.facts/1 text (docs/facts.md), with the newline at its end. */
void ta_facts_format(const struct ta_facts *f, struct ta_buf *b);

/*
 * Reads such a text (a saved result: untrusted). 0, -EBADMSG with file-less position in `err`,
 * -EFBIG, -ERANGE (an integer outside −2^63 … 2^64−1), -ENOMEM.
 */
int ta_facts_parse(const char *text, size_t len, struct ta_facts **ret, struct ta_err *err);
