/*
 * The live host's struct; its operations are spread over live.c, nlsock.c, ethtool.c and try.c.
 */
#pragma once

#include <sys/types.h>

#include "host/internal.h"
#include "host/netlink.h"

struct ta_live {
	struct ta_host host;
	int root;         /* O_PATH of "/" */
	int listed;       /* the directory that was listed last, -1: none */
	char listed_path[128];
	int ioctl_socket; /* -1: not needed yet */
	bool counts_fds;  /* the kernel tells how many descriptors a process has (live_links.c) */
	struct ta_nl_sockets netlink;
};

/* In a new child: signals as at the start of a program, no core file, and death with the parent. */
void ta_child_prepare(pid_t parent);

/* Runs fn(inside, arg, ret) in the network namespace of the process, in a child. Errors as ta_host_netns(). */
struct ta_visit {
	unsigned pid;
	int (*fn)(struct ta_host *inside, void *arg, struct ta_buf *ret);
	void *arg;
};
int ta_live_visit(void *visit, struct ta_buf *ret);

extern const struct ta_change_ops ta_live_changes; /* livechange.c */

/*
 * Where to begin on the way to `path`: behind a list come questions about what stands in it, thousands in
 * /proc, and each step that the kernel need not walk again counts.
 */
int ta_live_nearest(struct ta_live *l, const char *path, const char **ret_rest);

/* struct ta_host_ops.links */
int ta_live_links(struct ta_host *h, const char *path, size_t *ret_n, ta_link_fn *fn, void *ctx);
void ta_live_links_init(struct ta_live *l);

int ta_live_tries(struct ta_host *h, const struct ta_try *tries, size_t n, struct ta_try_result *results);
int ta_live_ethtool(struct ta_host *h, const char *ifname, void *data, size_t len);
