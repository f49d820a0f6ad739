/*
 * How many processes, addresses and ports it takes to hold connections, and whether this host has them: worked out before
 * the first one is made.
 */
#pragma once

#include "base/err.h"
#include "load/room.h"

#define TA_HOLD_PROCESSES_MAX 4096u /* of each end */
#define TA_HOLD_CONNECTIONS_MAX 50000000u
#define TA_HOLD_PORTS_MAX 4096u /* that the servers listen on */
#define TA_HOLD_OWN_DESCRIPTORS 48u /* of a process, that are no held connections */

/*
 * Kernel memory, bytes, that is reckoned with: measured on Linux 6.18 (4.3 KB an end, 0.5 MB a process with its
 * descriptor table), rounded up.
 */
#define TA_HOLD_END_BYTES 4600u
#define TA_HOLD_PROCESS_BYTES (1u << 20)

struct ta_hold_want {
	uint64_t connections;
	bool both_ends;	     /* the server is ours, too */
	bool many_addresses; /* the target is on loopback: 127/8 has sources enough */
	bool many_ports;     /* it is a peer, which listens on as many ports as it takes */
};

struct ta_hold_plan {
	uint64_t connections;
	unsigned clients, servers;   /* processes; as many servers as clients, or none */
	unsigned per_process;	     /* connections of one at most */
	unsigned per_source;	     /* connections of one source address to one server address at most */
	unsigned sources_per_client; /* each client has its own */
	unsigned ports_each; /* of one server */
};

/*
 * 0, or -E2BIG with what is wanted and what is there of everything that does not suffice. Connections are spread evenly:
 * process `i` has ta_hold_share() of them.
 */
int ta_hold_plan(const struct ta_room *room, const struct ta_hold_want *want, struct ta_hold_plan *ret, struct ta_err *err);

/*
 * The servers alone, for a client elsewhere that makes at most `each` connections to one port: process `i` has the ports from
 * i * ports_each on, over all of which connections are spread evenly. As above.
 */
int ta_hold_plan_servers(const struct ta_room *room, uint64_t connections, uint64_t each, struct ta_hold_plan *ret, struct ta_err *err);

/* How many connections from one address to one port are made quickly; what a peer is asked for. At least 1. */
unsigned ta_hold_each_port(const struct ta_room *room);

/* How many of `connections` go to the ports from the first to `port` itself, of `ports`. */
uint64_t ta_hold_until_port(uint64_t connections, unsigned ports, unsigned port);

uint64_t ta_hold_share(const struct ta_hold_plan *p, unsigned process);
