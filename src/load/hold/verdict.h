/*
 * Which limit a hold run met first.
 */
#pragma once

#include "load/hold/board.h"

/* What the processes found, summed up. */
struct ta_hold_sum {
	uint64_t held, asked, answered;
	struct ta_load_counts counts;
	struct ta_hist connect, answer;
	int client_limit, server_limit; /* errno; 0: none */
	uint64_t client_user_ns, client_system_ns, server_user_ns, server_system_ns;
};

void ta_hold_sum_up(const struct ta_hold_board *b, struct ta_hold_sum *ret);

/* The limit of this host that an errno of socket(), accept() or epoll_ctl() stands for; `who`: "client process". False: none. */
bool ta_hold_limit(const struct ta_room *room, int error, const char *who, struct ta_buf *ret);

/* "nothing", or the limit with its number: "fs.file-max: 2466165 open files of the host". */
void ta_hold_refused_by(const struct ta_hold_board *b, const struct ta_hold_sum *s, struct ta_buf *ret);
