/*
 * Readers of the kernel's network counters: bytes in, numbers out, no host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * /proc/net/snmp and /proc/net/netstat: pairs of lines "Tcp: A B …" and
 * "Tcp: 1 2 …" (net/ipv4/proc.c). Names are not ended by NUL.
 */
struct ta_mib {
	const char *group; /* "Tcp", "TcpExt" */
	size_t group_len;
	const char *name;
	size_t name_len;
	bool negative; /* MaxConn is -1; value is its magnitude */
	uint64_t value;
};

/* fn for every counter. 0, or -EBADMSG if lines do not pair up or a value is no number; what came before stands. */
int ta_mib_each(const char *text, void (*fn)(const struct ta_mib *m, void *ctx), void *ctx);

/*
 * One row of /proc/net/softnet_stat (net/core/net-procfs.c): 32-bit counters in hexadecimal that wrap.
 * Rows grew: 9 columns, 10 with received_rps (2.6.35), 11 with flow_limit (3.11), 13 with the CPU number (5.10), 15.
 */
struct ta_softnet {
	uint32_t processed, dropped, time_squeeze, received_rps, flow_limit;
	bool has_rps, has_flow_limit;
	int cpu; /* −1: the row does not say */
};

/* 0 or -EBADMSG. */
int ta_softnet_parse(const char *line, struct ta_softnet *ret);

/*
 * /proc/net/stat/nf_conntrack: a line of names, then one line of hexadecimal 32-bit counters per CPU.
 * The sum of column `name` into *ret. 0, -ENOENT (no such column) or -EBADMSG.
 */
int ta_hex_table_sum(const char *text, const char *name, uint64_t *ret);

/* A column's first row: `entries` is the same number in every row. Errors as above; -ENODATA without rows. */
int ta_hex_table_first(const char *text, const char *name, uint64_t *ret);

/*
 * One field of /proc/net/sockstat: the number behind `key` in the line that begins with `group`,
 * "TCP: inuse 1 orphan 0". Memory may be a little below 0 (per-CPU shares). 0, -ENOENT or -EBADMSG.
 */
int ta_sockstat_find(const char *text, const char *group, const char *key, int64_t *ret);

/* A row of numbers that the caller frees. */
struct ta_numbers {
	int64_t *v;
	size_t n;
};
void ta_numbers_done(struct ta_numbers *a);
#define ta_cleanup_numbers ta_cleanup(ta_numbers_done)

/*
 * /proc/softirqs: the CPU numbers of its first line ("CPU0 CPU2 …"), and a row "NET_RX: 1 2 …".
 * 0, -ENOENT (another row), -EBADMSG, -ENOMEM. Replaces what `ret` held.
 */
int ta_softirqs_header(const char *line, struct ta_numbers *ret);
int ta_softirqs_row(const char *line, const char *name, struct ta_numbers *ret);
