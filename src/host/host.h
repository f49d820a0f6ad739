/*
 * The one door to the machine (law 1). Everything a probe learns comes through
 * these calls, so that the same probe reads a live host, a captured one, is
 * recorded, or is made to fail at its n-th question.
 *
 *   live     this machine
 *   capture  a directory: proc/… sys/… etc/… netlink/… calls.json capture.json;
 *            entered with openat2(RESOLVE_IN_ROOT|RESOLVE_NO_MAGICLINKS), or an
 *            O_NOFOLLOW walk of our own where that is ENOSYS or EPERM
 *   record   live, and writes what was asked into such a directory
 *   fault    wraps any of them; its n-th operation fails with a chosen errno
 *
 * Paths are absolute ("/proc/cpuinfo"), without ".", ".." and empty components
 * (-EINVAL): the one way to write them. All calls return 0 or -errno; buffers that results go to
 * are emptied first. A tree copied by a script is whole as far as we know: what is not
 * there is -ENOENT. A recording of ours says -ENODATA of what was not asked then, and
 * every capture says so of calls and netlink. Not safe for use by several threads.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/strv.h"

struct ta_host;

int ta_host_live(struct ta_host **ret, struct ta_err *err);
int ta_host_capture(const char *dir, struct ta_host **ret, struct ta_err *err);

/*
 * `dir` is made (0700) and must be new or empty. Nothing is there under its own
 * name before ta_host_record_finish() renames it into place: an interrupted
 * capture leaves no half one. `anonymize` replaces names and addresses, the
 * same one always by the same other.
 */
int ta_host_record(const char *dir, bool anonymize, struct ta_host **ret, struct ta_err *err);
int ta_host_record_finish(struct ta_host *h, const char *tool_version, struct ta_err *err);

struct ta_fault {
	unsigned at;        /* fails at this operation, counted from 1; 0 never */
	int rc;             /* with this -errno … */
	bool all_after;     /* … and at every later one */
	unsigned change_at; /* the same for changes (host/change.h), which are counted apart */
};

/* Takes `inner` over. */
int ta_host_fault(struct ta_host *inner, const struct ta_fault *plan, struct ta_host **ret);
unsigned ta_host_operations(const struct ta_host *h); /* asked so far */
unsigned ta_host_changes(const struct ta_host *h);    /* asked for so far, made or not */

struct ta_host *ta_host_free(struct ta_host *h); /* NULL allowed; returns NULL */

bool ta_host_is_live(const struct ta_host *h); /* live or recording: this machine is being read */

/*
 * True if what is not there is known not to be: this machine, or a capture that holds an answer to
 * everything that was asked. A tree that a script copied may just lack it.
 */
bool ta_host_is_whole(const struct ta_host *h);

/* Seconds since the epoch; of a capture when it was taken, -ENODATA if it does not say. */
int ta_host_time(struct ta_host *h, int64_t *ret);

/*
 * Milliseconds that this machine is up, those that it slept included (CLOCK_BOOTTIME): no step of the wall clock
 * moves it. -ENODATA of a capture.
 */
int ta_host_uptime_ms(struct ta_host *h, int64_t *ret);

/* --- files ------------------------------------------------------------- */

#define TA_READ_CAP (1u << 20) /* for files that have no reason to be larger */

/*
 * The whole file, replacing what `ret` held. Opened O_NONBLOCK|O_NOCTTY|O_CLOEXEC, refused unless it
 * is a regular file. -EFBIG above `cap` bytes, -EISDIR, -EBADMSG (FIFO, device), or what the kernel said
 * (sysfs: EINVAL for the speed of a link that is down). Secrets are left out here:
 * see host/redact.h.
 */
int ta_host_read(struct ta_host *h, const char *path, size_t cap, struct ta_buf *ret);

/*
 * Line by line in constant memory, for /proc/interrupts of large machines.
 * `line` ends with NUL, without its newline; lines above 1 MiB give -EFBIG, NUL bytes -EBADMSG.
 * A negative return of `fn` stops and is returned.
 */
int ta_host_lines(struct ta_host *h, const char *path,
	int (*fn)(const char *line, size_t len, void *ctx), void *ctx);

/* The names in a directory, without . and .., in natural order. At most 200,000 (-EFBIG). */
int ta_host_list(struct ta_host *h, const char *path, struct ta_strv *ret);

/* Where a symbolic link points, as written in it. -EINVAL: no link. */
int ta_host_readlink(struct ta_host *h, const char *path, struct ta_buf *ret);

/*
 * Where the links in a directory point, in natural order of their names: fn(target, rc, ctx) with what
 * ta_host_readlink() says of each. *ret_n is how many entries there are, told before the first of them is given. A
 * negative return of `fn` stops and is returned; else 0 or what ta_host_list() says.
 */
typedef int ta_link_fn(const char *target, int rc, void *ctx);
int ta_host_links(struct ta_host *h, const char *path, size_t *ret_n, ta_link_fn *fn, void *ctx);

/* True if there is a file, directory or link of that name. */
bool ta_host_exists(struct ta_host *h, const char *path);

/* --- system calls whose result is a fact -------------------------------- */

/*
 * Runs fn(arg, ret) on a live host and keeps its return value and bytes under
 * `key` when recording; a capture gives both back. `fn` may open sockets and
 * the like for itself and must close them; it changes nothing (law 11).
 */
int ta_host_call(struct ta_host *h, const char *key, int (*fn)(void *arg, struct ta_buf *ret),
	void *arg, struct ta_buf *ret);

/*
 * The same for questions whose answer may be the death of the asker (seccomp filters that kill):
 * all `n` are asked in a child process, a new one after each death. results[i].rc is what fn
 * returned, -EPERM with text "killed by signal N" when the child died in it, -ETIMEDOUT after 1 s.
 */
struct ta_try {
	const char *name; /* the key is "try/NAME" */
	int (*fn)(char *text, size_t size); /* 0 or -errno; `text` (may stay empty) says more */
};

struct ta_try_result {
	int rc;
	char text[128];
};

int ta_host_try(struct ta_host *h, const struct ta_try *tries, size_t n, struct ta_try_result *results);

/*
 * Asks in the network namespace of process `pid`: a child enters it (setns(2), which takes CAP_SYS_ADMIN) and runs
 * fn(inside, arg, ret), where `inside` reads this machine from there: /proc/sys/net and netlink are those of the
 * namespace. What fn put into `ret` comes back; key and capture as in ta_host_call(). -EPERM, -ESRCH or -ENOENT
 * (the process is gone), -ETIMEDOUT after 2 s, or what fn returned.
 */
int ta_host_netns(struct ta_host *h, const char *key, unsigned pid,
	int (*fn)(struct ta_host *inside, void *arg, struct ta_buf *ret), void *arg, struct ta_buf *ret);

/* What tells the network namespace that we are in from others of this boot: "net:[4026531840] 1". */
int ta_host_netns_id(struct ta_host *h, struct ta_buf *ret);

/* --- netlink -------------------------------------------------------------- */

struct nlmsghdr;

/*
 * Called for each reply message (not for ACK, DONE and errors). Attributes are raw: look with libmnl, trust no length.
 * A negative return stops and is returned.
 */
typedef int ta_nl_fn(const struct nlmsghdr *nlh, void *ctx);

/*
 * Sends one request and gives its replies to `fn`. `key` names the answer in a
 * capture (netlink/KEY.bin). `protocol` is NETLINK_ROUTE, NETLINK_SOCK_DIAG …; the request is a
 * complete message (nlmsg_len set); sequence and port are set here. -EINTR: the dump was interrupted
 * (NLM_F_DUMP_INTR) three times; what `fn` saw may be torn. Kernel errors come back as they are.
 */
int ta_host_netlink(struct ta_host *h, int protocol, const char *key, struct nlmsghdr *request, ta_nl_fn *fn,
	void *ctx);

/*
 * A generic-netlink request: family by name (resolved once), command, flags
 * (NLM_F_DUMP …) and attributes already laid out (may be NULL). -EOPNOTSUPP: the kernel has
 * no such family. The reply's genl header is at mnl_nlmsg_get_payload().
 */
struct ta_genl {
	const char *family;
	uint8_t cmd;
	uint8_t version;
	uint16_t flags;
	const void *attrs;
	size_t attrs_len;
};
int ta_host_genl(struct ta_host *h, const char *key, const struct ta_genl *request, ta_nl_fn *fn, void *ctx);

/*
 * SIOCETHTOOL: `data` (its first word is the command) goes in and out, `len`
 * bytes. The fallback where netlink or the message is missing. Key: ethtool/IFNAME/COMMAND.
 */
int ta_host_ethtool(struct ta_host *h, const char *ifname, void *data, size_t len);
