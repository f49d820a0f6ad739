#include "load/connect/plan.h"

#include <errno.h>
#include <math.h>

#define FASTEST 200000.0 /* a second: what loopback may come to, for a run without a rate */
#define SOURCES_MAX 60000.0 /* 127.1.0.1 and on */

/* How long a port is not free after its connection. */
static double wait_s(const struct ta_room *room, const struct ta_connect_want *want)
{
	if (want->close != TA_CLOSE_CLIENT)
		return 0;
	if (room->tw_reuse == 1 || (room->tw_reuse == 2 && want->many_addresses))
		return TA_TIME_WAIT_REUSE_S;
	return TA_TIME_WAIT_S;
}

static int refuse(const struct ta_room *room, const struct ta_connect_want *want, double need, double wait, struct ta_err *err)
{
	double free_for_waiting = room->ports > want->in_flight ? room->ports - want->in_flight : 0;

	if (want->in_flight > room->ports)
		return ta_err_set(err, -E2BIG, "%u connections at a time need as many local ports towards one address; there are %u "
					       "(ip_local_port_range %u-%u)", want->in_flight, room->ports, room->port_low, room->port_high);
	return ta_err_set(err, -E2BIG, "%.0f connections a second need %.0f local ports, since each waits %.0f s in TIME_WAIT here; "
				       "there are %u (ip_local_port_range %u-%u): at most %.0f a second, or --close reset",
		want->rate, need, wait, room->ports, room->port_low, room->port_high,
		free_for_waiting / TA_MIN(wait, want->seconds));
}

/*
 * Half of the range is found quickly, see hold/plan.c: with sources to spare no more is taken of one.
 */
int ta_connect_plan(const struct ta_room *room, const struct ta_connect_want *want, struct ta_connect_plan *ret,
	struct ta_err *err)
{
	double wait = wait_s(room, want), ports = room->ports;
	double rate = want->rate > 0 ? want->rate : want->many_addresses ? FASTEST : 0;
	double need = want->in_flight + rate * TA_MIN(wait, want->seconds);

	*ret = (struct ta_connect_plan){0};
	if (ports < 1)
		return ta_err_set(err, -E2BIG, "there are no local ports (ip_local_port_range)");
	if (!want->many_addresses) {
		if (need > ports)
			return refuse(room, want, need, wait, err);
		ret->most_per_second = wait > 0 ? (ports - want->in_flight) / wait : 0;
		return 0;
	}
	if (need > ports / 2)
		ret->sources = (unsigned)TA_MIN(ceil(need / (ports / 2)), SOURCES_MAX);
	return 0;
}
