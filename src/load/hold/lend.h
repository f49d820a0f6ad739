/*
 * What a peer has of a hold run: the servers, on a board that the session and the processes share.
 */
#pragma once

#include "load/control.h"
#include "load/hold/board.h"
#include "load/server.h"

/*
 * Works out how many processes and ports it takes for `connections`, at most `each` to a port, at the address and for the client of `at`,
 * and makes a board for them. 0, or -errno with the text: -E2BIG with the numbers of what does not suffice.
 */
int ta_hold_lend(struct ta_host *h, uint64_t connections, uint64_t each, const struct ta_server_options *at,
	struct ta_hold_board **ret, struct ta_err *err);

/* When all listen and nobody has come: the memory to compare with. */
void ta_hold_lent(struct ta_host *h, struct ta_hold_board *b);

/* HELD: how many were accepted and are open, and the limit that was met. */
void ta_hold_tell_held(const struct ta_hold_board *b, struct ta_control *ret);

/* TOOK: memory of the processes and of the kernel. */
void ta_hold_tell_took(struct ta_host *h, struct ta_hold_board *b, struct ta_control *ret);
