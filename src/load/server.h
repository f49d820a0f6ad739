/*
 * The built-in server: a process of its own, so that its CPU time and its death are its own. It answers one service (service.h)
 * on the address that it is given, and nothing else to nobody else. Everything that a client can make it hold is bounded.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "base/err.h"

struct ta_service;
struct ta_accept;
struct ta_hold_board;

struct ta_server_options {
	const struct ta_service *service; /* what is answered */
	struct sockaddr_storage addr; /* port 0: the kernel chooses */
	socklen_t addr_len;
	unsigned threads;
	unsigned backlog; /* connections that wait to be accepted; 0: as many as the host allows */
	const struct ta_accept *accept; /* connect: how (connect/accept.h); NULL: the usual way */
	struct ta_hold_board *hold; /* hold: what is to be held, shared with the server (hold/board.h); NULL: as much as goes */
	unsigned body_bytes; /* of a reply, at most TA_SERVER_BODY_MAX */
	bool no_uring;	     /* epoll also where io_uring could be used */
	bool pin;	     /* on the first half of the CPUs (pin.h) */
	struct sockaddr_storage only; /* whoever may reach it (admit.h); ss_family 0: all who can */
	const char *dir;     /* for files of its own; NULL: chosen */
};

/* 127.0.0.1 and a port that the kernel chooses, in `ret->addr`. */
void ta_server_on_loopback(struct ta_server_options *ret, unsigned port);

#define TA_SERVER_BODY_MAX (1u << 20)
#define TA_SERVER_HEAD_MAX 16384u /* bytes of a request; longer ones end the connection with 431 */
#define TA_SERVER_IDLE_S 60	  /* a connection that says nothing for so long is closed */

struct ta_server {
	pid_t pid;
	int control; /* answers with its CPU times; its end ends the server */
	struct sockaddr_storage addr; /* with the port that it has */
	socklen_t addr_len;
};

/* 0 when it listens, or -errno with the text. It dies with the caller. */
int ta_server_start(const struct ta_server_options *o, struct ta_server *ret, struct ta_err *err);

/* CPU time that it used so far, ns. */
int ta_server_cpu(struct ta_server *s, uint64_t *ret_user, uint64_t *ret_system);

/* Ends it and waits for that. */
void ta_server_stop(struct ta_server *s);

/* Runs the service in this process, until `stop` becomes set: `load serve`. `ready` (may be NULL) is told the address. 0 or -errno. */
int ta_server_run(const struct ta_server_options *o, const volatile sig_atomic_t *stop,
	void (*ready)(const struct sockaddr *addr, socklen_t len, void *ctx), void *ctx, struct ta_err *err);
