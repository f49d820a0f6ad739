#include "load/hold/verdict.h"

#include <errno.h>
#include <string.h>

void ta_hold_sum_up(const struct ta_hold_board *b, struct ta_hold_sum *ret)
{
	const struct ta_hold_plan *p = &b->setup.plan;

	*ret = (struct ta_hold_sum){.held = ta_hold_open(b)};
	ta_hist_reset(&ret->connect);
	ta_hist_reset(&ret->answer);
	for (unsigned i = 0; i < p->clients; i++) {
		const struct ta_hold_client *c = &b->clients[i];

		ta_hist_merge(&ret->connect, &c->connect);
		ta_hist_merge(&ret->answer, &c->answer);
		ret->asked += c->asked;
		ret->answered += c->answered;
		for (unsigned e = 0; e < TA_LOAD_ERRORS; e++)
			ret->counts.errors[e] += c->errors[e];
		if (!ret->counts.bad_reply[0])
			memcpy(ret->counts.bad_reply, c->bad_reply, sizeof(c->bad_reply));
		if (!ret->client_limit)
			ret->client_limit = c->limit;
		ret->client_user_ns += c->user_ns;
		ret->client_system_ns += c->system_ns;
	}
	for (unsigned i = 0; i < p->servers; i++) {
		if (!ret->server_limit)
			ret->server_limit = b->servers[i].limit;
		ret->server_user_ns += b->servers[i].user_ns;
		ret->server_system_ns += b->servers[i].system_ns;
	}
	ret->counts.errors[TA_LOAD_DIED] += b->outcome.died;
	ret->counts.connects = ret->connect.n;
	ret->counts.replies = ret->held; /* what was made and is gone stands among the errors */
}

bool ta_hold_limit(const struct ta_room *room, int error, const char *who, struct ta_buf *ret)
{
	switch (error) {
	case EMFILE:
		ta_buf_printf(ret, "descriptors: a %s has %llu (RLIMIT_NOFILE)", who, (unsigned long long)room->descriptors);
		return true;
	case ENFILE:
		ta_buf_printf(ret, "fs.file-max: %llu open files of the host", (unsigned long long)room->files_max);
		return true;
	case EADDRNOTAVAIL:
	case EADDRINUSE:
		ta_buf_printf(ret, "ports: %u local ones towards one address (ip_local_port_range %u-%u)", room->ports,
			room->port_low, room->port_high);
		return true;
	case ENOMEM:
	case ENOBUFS:
		ta_buf_printf(ret, "memory: the kernel gave the %s none for another connection", who);
		return true;
	case ENOSPC:
		ta_buf_printf(ret, "fs.epoll.max_user_watches: the %s can wait for no more", who);
		return true;
	default:
		return false;
	}
}

/* Attempts that nobody answered: was it here that they were lost? */
static void by_silence(const struct ta_hold_board *b, struct ta_buf *ret)
{
	const struct ta_hold_outcome *o = &b->outcome;
	uint64_t overflows = ta_tcp_counts_grown(&o->before, &o->after, TA_TCP_LISTEN_OVERFLOWS);

	if (o->room.conntrack_max && o->room.conntrack_used + ta_hold_open(b) >= o->room.conntrack_max)
		ta_buf_printf(ret, "nf_conntrack_max: %llu connections that are tracked",
			(unsigned long long)o->room.conntrack_max);
	else if (overflows)
		ta_buf_printf(ret, "accept queue: %llu connections found it full (ListenOverflows)", (unsigned long long)overflows);
	else
		ta_buf_adds(ret, "silence: attempts to connect are not answered");
}

static uint64_t errors(const struct ta_hold_sum *s, enum ta_load_error e)
{
	return s->counts.errors[e];
}

static void by_the_other_end(const struct ta_hold_board *b, const struct ta_hold_sum *s, struct ta_buf *ret)
{
	uint64_t ended = errors(s, TA_LOAD_CLOSED) + errors(s, TA_LOAD_RESET);

	if (ended)
		ta_buf_printf(ret, "the server: it ended %llu connections", (unsigned long long)ended);
	else if (errors(s, TA_LOAD_REFUSED))
		ta_buf_adds(ret, "the server: nobody listens there (connection refused)");
	else if (errors(s, TA_LOAD_CONNECT_TIMEOUT))
		by_silence(b, ret);
	else if (errors(s, TA_LOAD_CONNECT_FAILED))
		ta_buf_adds(ret, "the way there: unreachable");
	else if (errors(s, TA_LOAD_TIMEOUT))
		ta_buf_printf(ret, "the server: %llu connections did not answer", (unsigned long long)errors(s, TA_LOAD_TIMEOUT));
	else if (errors(s, TA_LOAD_BAD_REPLY))
		ta_buf_printf(ret, "the server: its answer is %s", s->counts.bad_reply);
	else
		ta_buf_adds(ret, "nothing");
}

void ta_hold_refused_by(const struct ta_hold_board *b, const struct ta_hold_sum *s, struct ta_buf *ret)
{
	const struct ta_room *room = &b->outcome.room;

	if (ta_hold_limit(room, s->client_limit, "client process", ret) || ta_hold_limit(room, s->server_limit, "server process", ret))
		return;
	if (b->peer_limit[0]) {
		ta_buf_adds(ret, b->peer_limit);
		return;
	}
	if (b->outcome.died)
		ta_buf_printf(ret, "death: %u process%s of the run ended before it did", b->outcome.died,
			b->outcome.died == 1 ? "" : "es");
	else if (atomic_load(&b->stop) && !b->outcome.out_of_time)
		ta_buf_adds(ret, "the user, who ended the run");
	else if (b->outcome.out_of_time)
		ta_buf_printf(ret, "time: not built within %llu s", (unsigned long long)(b->setup.build_ns / TA_NS_PER_S));
	else
		by_the_other_end(b, s, ret);
}
