/*
 * TCP sockets that listen: by sock_diag where that loads no module, else by
 * /proc/net/tcp, which does not tell the backlog.
 */
#pragma once

#include "host/host.h"

struct ta_listener {
	uint8_t family; /* AF_INET or AF_INET6 */
	uint8_t addr[16]; /* network order; the first 4 of AF_INET */
	uint16_t port;
	uint32_t ifindex; /* 0: any */
	uint32_t backlog; /* what listen() asked for, cut to somaxconn */
	uint32_t queued;  /* connections that wait for accept() */
	uint64_t inode;   /* "socket:[INODE]" in /proc/PID/fd */
};

struct ta_listeners {
	struct ta_listener *v;
	size_t n, cap;
	bool has_backlog;
	int no_backlog_rc;    /* why not: -ENODATA nobody asked, else the -errno of asking … */
	char no_backlog[160]; /* … in words */
};

void ta_listeners_done(struct ta_listeners *l);
#define ta_cleanup_listeners ta_cleanup(ta_listeners_done)

/*
 * All of the network namespace that `h` reads, sorted by family, port, address, interface.
 * 0, -errno of the door, -EBADMSG, -ENOMEM.
 */
int ta_listeners_read(struct ta_host *h, struct ta_listeners *ret);

/* The same by the files in `dir` alone: "/proc/net", or "/proc/PID/net" for the namespace of a process. */
int ta_listeners_read_proc(struct ta_host *h, const char *dir, struct ta_listeners *ret);

/* True if the counts in `dir` (as above) say that no TCP socket is open there; false also where they cannot be read. */
bool ta_listeners_none(struct ta_host *h, const char *dir);

int ta_listeners_add(struct ta_listeners *l, const struct ta_listener *one); /* 0, -ENOMEM */
void ta_listeners_sort(struct ta_listeners *l);

/* True if both are one SO_REUSEPORT group: the same address, port and interface. */
bool ta_listener_same(const struct ta_listener *a, const struct ta_listener *b);

/* 127.0.0.0/8, ::1 and the mapped 127.0.0.0/8. */
bool ta_listener_loopback(const struct ta_listener *l);

/* Appends "tcp 0.0.0.0:80", "tcp [::]:80", "tcp [fe80::1]%eth0:80". `device` may be NULL. */
void ta_listener_format(const struct ta_listener *l, const char *device, struct ta_buf *b);

/* Readers of one reply and of one line, for which no length is trusted. 0, -ENOENT (does not listen), -EBADMSG. */
int ta_listener_of_diag(const struct nlmsghdr *nlh, struct ta_listener *ret);
int ta_listener_of_proc(const char *line, bool big_endian, struct ta_listener *ret);
