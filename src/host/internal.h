/*
 * What the files of src/host share; nobody else includes this (tests do).
 *
 * Each kind of host is one struct that begins with `struct ta_host` and one
 * table of operations. host.c checks arguments, counts, and calls the table;
 * the kinds may therefore trust that paths are clean: absolute, no empty,
 * "." or ".." component, below 4096 bytes.
 */
#pragma once

#include "host/change.h"

typedef int ta_line_fn(const char *line, size_t len, void *ctx);

/* The writing half. The front (change.c) has checked paths and names, and counted. */
struct ta_change_ops {
	/* Asked before every change, those of the state directory too; a negative answer is the change's. NULL: 0 */
	int (*begin)(struct ta_host *h);
	int (*may_set)(struct ta_host *h, const char *path); /* no begin() */
	int (*set)(struct ta_host *h, const char *path, const char *text);
	/* One request and its raw answer, which ends with an ACK or an error; never sent twice. */
	int (*netlink)(struct ta_host *h, int protocol, struct nlmsghdr *request, struct ta_buf *ret);
	int (*ethtool)(struct ta_host *h, const char *ifname, void *data, size_t len);
	int (*set_netns)(struct ta_host *h, unsigned pid, const char *path, const char *text);
	int (*own)(struct ta_host *h, const char *path, size_t cap, struct ta_buf *ret); /* reads; no begin() */
	int (*may_put)(struct ta_host *h, const char *path); /* no begin() */
	int (*put)(struct ta_host *h, const char *path, const char *text, mode_t mode, bool parent);
	int (*unlink)(struct ta_host *h, const char *path, bool parent);
	int (*load_module)(struct ta_host *h, const char *name, struct ta_err *err);
	int (*unload_module)(struct ta_host *h, const char *name, struct ta_err *err);
	int (*irqbalance)(struct ta_host *h, const char *words, struct ta_buf *ret);
};

struct ta_host_ops {
	const struct ta_change_ops *change; /* NULL: nothing can be changed here, -EROFS */
	void (*done)(struct ta_host *h); /* frees what the kind holds, not `h` */
	int (*read)(struct ta_host *h, const char *path, size_t cap, struct ta_buf *ret);
	int (*lines)(struct ta_host *h, const char *path, ta_line_fn *fn, void *ctx);
	int (*list)(struct ta_host *h, const char *path, struct ta_strv *ret);
	int (*readlink)(struct ta_host *h, const char *path, struct ta_buf *ret);
	/* May be NULL: a list, and a question for each link. */
	int (*links)(struct ta_host *h, const char *path, size_t *ret_n, ta_link_fn *fn, void *ctx);
	int (*exists)(struct ta_host *h, const char *path); /* 0: it does */
	int (*call)(struct ta_host *h, const char *key, int (*fn)(void *arg, struct ta_buf *ret),
		void *arg, struct ta_buf *ret);
	int (*tries)(struct ta_host *h, const struct ta_try *tries, size_t n,
		struct ta_try_result *results);
	/* The raw replies, datagram after datagram, each padded to NLMSG_ALIGNTO. */
	int (*netlink)(struct ta_host *h, int protocol, const char *key, struct nlmsghdr *request,
		struct ta_buf *ret);
	int (*ethtool)(struct ta_host *h, const char *ifname, void *data, size_t len);
	int (*time)(struct ta_host *h, int64_t *ret);
	int (*uptime_ms)(struct ta_host *h, int64_t *ret); /* NULL: -ENODATA */
};

#define TA_GENL_FAMILIES 64

struct ta_genl_family {
	char name[16]; /* GENL_NAMSIZ */
	uint16_t id;
};

struct ta_host {
	const struct ta_host_ops *ops;
	bool live;
	bool whole; /* see ta_host_is_whole() */
	unsigned operations;
	unsigned changes; /* asked for; they are not among the operations */
	int families_rc; /* 1: not asked for yet */
	unsigned n_families;
	struct ta_genl_family families[TA_GENL_FAMILIES];
};

/* Zeroed memory for a kind's struct, its head filled in; NULL: out of memory. */
void *ta_host_new(size_t size, const struct ta_host_ops *ops, bool live);

/* Counts a change that is about to be made: 0, -EROFS, or what a fault host has in store for it. */
int ta_change_begin(struct ta_host *h);

/* 0 for a path that is written in the one way (host.h), else -EINVAL. */
int ta_path_check(const char *path);

/* The number of a generic-netlink family; -EOPNOTSUPP: none of that name. */
int ta_genl_family(struct ta_host *h, const char *name, uint16_t *ret);
/* The request's message, header to attributes. */
int ta_genl_message(const struct ta_genl *request, uint16_t family, struct ta_buf *ret);

/* --- reading from descriptors (read.c) ------------------------------------ */

/* 0 if `fd` is a regular file, else -EISDIR or -EBADMSG. */
int ta_fd_check_regular(int fd);

/* The rest of the file into `ret`; -EFBIG above `cap` bytes. */
int ta_fd_read(int fd, size_t cap, struct ta_buf *ret);

/* The same where the kernel writes the whole text at once: a read that gives less than was asked for is the last. */
int ta_fd_read_at_once(int fd, size_t cap, struct ta_buf *ret);
int ta_fd_lines(int fd, ta_line_fn *fn, void *ctx);
int ta_fd_names(int fd, struct ta_strv *ret); /* of a directory, from its start */
int ta_fd_list(int fd, struct ta_strv *ret);  /* the same; takes `fd` over */

/* Where the link that `fd` (O_PATH|O_NOFOLLOW) is points. -EINVAL: no link. */
int ta_fd_readlink(int fd, struct ta_buf *ret);

/* Where the link at `path` below `dir` points; its folders may be links. -EINVAL: no link. */
int ta_link_at(int dir, const char *path, struct ta_buf *ret);

/* The lines of a text in memory, with the same limits as ta_fd_lines(). Changes `text`. */
int ta_text_lines(struct ta_buf *text, ta_line_fn *fn, void *ctx);

void ta_close(int *fd);
#define ta_cleanup_fd ta_cleanup(ta_close)

/* --- entering a directory tree that nobody vouches for (root.c) ----------- */

struct ta_root {
	int fd;
	bool walk; /* our own walk instead of openat2() */
};

#define TA_ROOT_INIT {.fd = -1}

/* `dir` relative to `at` (or AT_FDCWD). 0 or -errno of the open. */
int ta_root_enter(int at, const char *dir, struct ta_root *ret);

/*
 * Opens `path` inside the root, whatever links are on the way; a descriptor or
 * -errno. ELOOP: more than 40 links, or a link of procfs that leads anywhere.
 */
int ta_root_open(const struct ta_root *r, const char *path, int flags);

/* A regular file for reading. Other kinds are not even opened: a device may act on it. */
int ta_root_open_file(const struct ta_root *r, const char *path);
void ta_root_leave(struct ta_root *r);

/* From now on no openat2() on this capture, as on kernels before 5.6. For tests. */
void ta_host_capture_walk(struct ta_host *h);

/* --- errno by name (errname.c) --------------------------------------------- */

/* Numbers differ between architectures, names do not. "EACCES"; "E4095" for one without a name. */
void ta_errno_format(int error, struct ta_buf *b);
int ta_errno_parse(const char *name); /* the positive errno, or -EINVAL */

/* --- what a capture calls a question ---------------------------------------- */

/* Appends the key of an ethtool question; `len` is at least 4. */
void ta_ethtool_key(const char *ifname, const void *data, size_t len, struct ta_buf *b);

/* The host that a fault host wraps; NULL if `h` is of another kind. */
struct ta_host *ta_fault_inner(struct ta_host *h);
