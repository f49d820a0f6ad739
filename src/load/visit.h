/*
 * One session of `load serve --listen`: what it has, and what is answered to a client that has shown the token (control.h).
 */
#pragma once

#include "load/connect/accept.h"
#include "load/control.h"
#include "load/hold/board.h"
#include "load/server.h"

struct ta_visit {
	int fd; /* -1: the place is free */
	bool admitted;
	uint64_t since_ns, heard_ns;
	struct sockaddr_storage peer;
	uint8_t nonce[TA_NONCE_BYTES];
	struct ta_server server; /* pid 0: none */
	struct ta_hold_board *hold; /* NULL: it does not hold connections */
	struct ta_accept accept; /* counts NULL: it does not compare ways to accept */
	unsigned acceptors;
	struct ta_watch_sample *machine; /* as it was when it was last asked for; NULL: never */
	size_t n;
	char line[TA_CONTROL_LINE_MAX];
};

/* A client that does not take a line of ours is given up. */
void ta_visit_say(struct ta_visit *s, const struct ta_control *c);
void ta_visit_refuse(struct ta_visit *s, const char *text);

/* Its service and its memory are gone with it. */
void ta_visit_end(struct ta_visit *s);

/* A question or an order of who has shown the token; `dir` is for files of a service. False: that is none. */
bool ta_visit_answer(struct ta_host *h, const char *dir, struct ta_visit *s, const struct ta_control *c);
