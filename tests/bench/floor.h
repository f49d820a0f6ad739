/*
 * What tests/bench/record.py makes of a recording, and tests/bench/floor.c repeats.
 */
#pragma once

#include <stddef.h>

enum floor_kind {
	/* text: a path; a: 1 if it begins in the directory that was opened or listed last */
	FLOOR_READ,     /* open; fstat if `look`; c times read of b bytes, the kernel clears as much for each; close */
	FLOOR_LIST,     /* open, getdents to the end; closed when the next one is listed */
	FLOOR_DIR,      /* open as a place to begin at, fstat; closed like a listed one */
	FLOOR_LINK,     /* readlink */
	FLOOR_STAT,     /* stat */
	FLOOR_SOCKET,   /* a, b, c: socket(); its number is the count of sockets so far in this process */
	FLOOR_SEND,     /* a: socket; text, len: a netlink request; answers are read until they end */
	FLOOR_SOCKET_CLOSE, /* a: socket */
	FLOOR_CALL,     /* a: number of a system call, args: its arguments */
	FLOOR_CHILD,    /* the next a operations are done by a child that is waited for */
};

struct floor_op {
	enum floor_kind kind;
	long a, b, c;
	int look;
	const char *text;
	size_t len;
	long args[6];
};

/* Arguments that only the running floor knows: a pointer (to scratch memory), a socket by its count. */
#define FLOOR_SCRATCH (-0x7fff0000L)
#define FLOOR_SOCKET_0 (-0x7ffe0000L)

extern const struct floor_op floor_ops[];
extern const size_t n_floor_ops;
