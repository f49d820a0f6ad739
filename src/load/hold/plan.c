#include "load/hold/plan.h"

#include <errno.h>
#include <string.h>

/* Some of what is left stays for everybody else: a host whose file-max or memory is used up fails elsewhere first. */
#define FILES_KEPT(max) TA_MIN((max) / 50, (uint64_t)16384)
#define MEMORY_KEPT ((uint64_t)512 << 20)
#define TASKS_KEPT 64u

/*
 * A port is looked for from where the last one was found, first among those of the parity of the range's start
 * (__inet_hash_connect in net/ipv4/inet_hashtables.c). When these are gone, each search goes over all of them: half of
 * the range is quick, the other half takes a walk each time.
 */
static unsigned quick_ports(const struct ta_room *room)
{
	return TA_MAX(room->ports / 2 - room->ports / 20, 1u);
}

static void lack(struct ta_buf *b, const char *what, uint64_t need, uint64_t have, const char *unit, const char *more)
{
	ta_buf_printf(b, "; %s: %llu%s wanted, %llu%s there%s", what, (unsigned long long)need, unit,
		(unsigned long long)have, unit, more);
}

static void check_files(const struct ta_room *room, const struct ta_hold_plan *p, unsigned ends, struct ta_buf *b)
{
	uint64_t kept = FILES_KEPT(room->files_max), used = room->files_used + kept;
	uint64_t have = room->files_max > used ? room->files_max - used : 0;
	uint64_t need = p->connections * ends + (uint64_t)(p->clients + p->servers) * TA_HOLD_OWN_DESCRIPTORS;

	if (need > have)
		lack(b, "open files of the host (fs.file-max)", need, have, "", "");
}

static uint64_t memory_need(const struct ta_hold_plan *p, unsigned ends)
{
	return p->connections * ends * TA_HOLD_END_BYTES + (uint64_t)(p->clients + p->servers) * TA_HOLD_PROCESS_BYTES;
}

static void check_memory(const struct ta_room *room, const struct ta_hold_plan *p, unsigned ends, struct ta_buf *b)
{
	uint64_t need = memory_need(p, ends), have = room->memory > MEMORY_KEPT ? room->memory - MEMORY_KEPT : 0;

	if (need > have)
		lack(b, room->memory_by_cgroup ? "memory of this control group" : "memory", need >> 20, have >> 20, " MiB", "");
}

static void check_tasks(const struct ta_room *room, const struct ta_hold_plan *p, struct ta_buf *b)
{
	uint64_t need = (uint64_t)p->clients + p->servers, have = room->tasks > TASKS_KEPT ? room->tasks - TASKS_KEPT : 0;

	if (need > have)
		lack(b, "processes", need, have, "", "");
	/* One process leads all others, over a socket to each. */
	if (need + TA_HOLD_OWN_DESCRIPTORS > room->descriptors)
		lack(b, "descriptors of the process that leads the others (ulimit -Hn)", need + TA_HOLD_OWN_DESCRIPTORS,
			room->descriptors, "", "");
	if (p->clients > TA_HOLD_PROCESSES_MAX)
		lack(b, "processes of each end", p->clients, TA_HOLD_PROCESSES_MAX, "",
			" (a higher limit of descriptors, ulimit -Hn, needs fewer)");
}

static void check_ports(const struct ta_room *room, const struct ta_hold_want *want, struct ta_buf *b)
{
	uint64_t most = (uint64_t)quick_ports(room) * TA_HOLD_PORTS_MAX;

	if (want->many_ports && want->connections > most)
		lack(b, "connections from one address", want->connections, most, "",
			" (ip_local_port_range, to as many ports as a peer listens on)");
	else if (!want->many_ports && !want->many_addresses && want->connections > room->ports)
		lack(b, "local ports towards one address (ip_local_port_range)", want->connections, room->ports, "", "");
	if (!room->ports)
		lack(b, "local ports (ip_local_port_range)", 1, 0, "", "");
}

static void spread(const struct ta_room *room, const struct ta_hold_want *want, uint64_t each, struct ta_hold_plan *p)
{
	uint64_t n = (want->connections + each - 1) / each;

	p->connections = want->connections;
	p->clients = (unsigned)TA_MIN(n, (uint64_t)TA_HOLD_PROCESSES_MAX + 1);
	p->servers = want->both_ends ? p->clients : 0;
	p->per_process = (unsigned)((want->connections + p->clients - 1) / p->clients);
	p->ports_each = 1;
	p->per_source = want->many_addresses ? quick_ports(room) : TA_MAX(room->ports, 1u);
	p->sources_per_client = want->many_addresses ? (p->per_process + p->per_source - 1) / p->per_source : 1;
}

static int check_descriptors(const struct ta_room *room, struct ta_err *err)
{
	if (room->descriptors > TA_HOLD_OWN_DESCRIPTORS)
		return 0;
	return ta_err_set(err, -E2BIG, "a process may have %llu descriptors here (ulimit -Hn): too few to hold any connection",
		(unsigned long long)room->descriptors);
}

int ta_hold_plan(const struct ta_room *room, const struct ta_hold_want *want, struct ta_hold_plan *ret, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	unsigned ends = want->both_ends ? 2 : 1;
	struct ta_hold_plan p;
	int rc = check_descriptors(room, err);

	if (rc < 0)
		return rc;
	spread(room, want, TA_MIN(room->descriptors - TA_HOLD_OWN_DESCRIPTORS, (uint64_t)1 << 30), &p);
	check_ports(room, want, &b);
	check_files(room, &p, ends, &b);
	check_memory(room, &p, ends, &b);
	check_tasks(room, &p, &b);
	if (b.error)
		return b.error;
	if (b.len)
		return ta_err_set(err, -E2BIG, "%llu connections do not fit%s", (unsigned long long)want->connections,
			ta_buf_text(&b));
	*ret = p;
	return 0;
}

/* So many processes that each has room for its ports' connections and the ports themselves. False: there are too many. */
static bool spread_servers(const struct ta_room *room, uint64_t connections, uint64_t each, struct ta_hold_plan *p)
{
	uint64_t room_each = TA_MIN(room->descriptors - TA_HOLD_OWN_DESCRIPTORS, (uint64_t)1 << 30);
	uint64_t n = (connections + room_each - 1) / room_each;

	for (; n <= TA_HOLD_PROCESSES_MAX; n++) {
		uint64_t of_process = (connections + n - 1) / n, ports = (of_process + each - 1) / each;
		uint64_t of_port = (connections + n * ports - 1) / (n * ports);

		if (n * ports > TA_HOLD_PORTS_MAX)
			break;
		if (ports * of_port + ports > room_each)
			continue;
		*p = (struct ta_hold_plan){.connections = connections, .servers = (unsigned)n, .ports_each = (unsigned)ports,
			.per_process = (unsigned)(ports * of_port)};
		return true;
	}
	return false;
}

int ta_hold_plan_servers(const struct ta_room *room, uint64_t connections, uint64_t each, struct ta_hold_plan *ret, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_hold_plan p;
	int rc = check_descriptors(room, err);

	if (rc < 0)
		return rc;
	if (!connections || !each || connections > TA_HOLD_CONNECTIONS_MAX || !spread_servers(room, connections, TA_MIN(each, 65535u), &p))
		return ta_err_set(err, -E2BIG, "%llu connections, %llu to a port, take more than %u processes or ports",
			(unsigned long long)connections, (unsigned long long)each, TA_HOLD_PORTS_MAX);
	check_files(room, &p, 1, &b);
	check_memory(room, &p, 1, &b);
	check_tasks(room, &p, &b);
	if ((uint64_t)p.servers * p.ports_each > room->ports)
		lack(&b, "ports to listen on (ip_local_port_range)", (uint64_t)p.servers * p.ports_each, room->ports, "", "");
	if (b.error)
		return b.error;
	if (b.len)
		return ta_err_set(err, -E2BIG, "%llu connections do not fit%s", (unsigned long long)connections, ta_buf_text(&b));
	*ret = p;
	return 0;
}

unsigned ta_hold_each_port(const struct ta_room *room)
{
	return quick_ports(room);
}

uint64_t ta_hold_until_port(uint64_t connections, unsigned ports, unsigned port)
{
	return connections / ports * (port + 1) + TA_MIN((uint64_t)port + 1, connections % ports);
}

uint64_t ta_hold_share(const struct ta_hold_plan *p, unsigned process)
{
	return p->connections / p->clients + (process < p->connections % p->clients);
}
