/*
 * Which process has which of the listening sockets: /proc/PID/fd against socket inodes.
 */
#pragma once

#include "host/host.h"
#include "probe/listen.h"

/* A socket that listens, and the group (address and port) that it belongs to. */
struct ta_socket {
	uint64_t inode;
	uint32_t group;
};

struct ta_sockets {
	struct ta_socket *v; /* sorted by inode */
	size_t n;
};

/* The group of a socket, or −1. */
int ta_sockets_find(const struct ta_sockets *s, uint64_t inode);
void ta_sockets_sort(struct ta_sockets *s);

#define TA_GROUPS_MAX 64 /* of one process; more are not told */

struct ta_proc_sockets {
	uint32_t groups[TA_GROUPS_MAX]; /* each once, in the order of descriptors */
	size_t n_groups;
	size_t descriptors; /* open now */
	size_t sockets;     /* of any kind, among those that were looked at */
	bool whole;         /* all descriptors were looked at */
	bool cut;           /* … no, because there are too many and none listens so far */
};

/*
 * Looks through the descriptors of a process. A server with 100,000 connections has its listening sockets among
 * the first ones: the search ends some way behind the last that was found, or after many without any.
 * Threads of the kernel have none. 0, -EACCES, or -ENOENT and -ESRCH when it is gone.
 */
int ta_proc_sockets_read(struct ta_host *h, const char *pid, const struct ta_sockets *s, struct ta_proc_sockets *ret);

/* "socket:[123]" -> 123. 0 or -EINVAL (something else). */
int ta_socket_inode(const char *link, uint64_t *ret);
