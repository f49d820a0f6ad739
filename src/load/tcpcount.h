/*
 * The kernel's own counts of how connections were made and lost, of one network namespace: /proc/net/netstat and
 * /proc/net/snmp, by the names that they have there.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "host/host.h"

enum ta_tcp_count {
	TA_TCP_LISTEN_OVERFLOWS, /* accept queue full: the SYN or the last ACK was dropped */
	TA_TCP_LISTEN_DROPS,	 /* the same and other reasons */
	TA_TCP_REQ_FULL_DROP,
	TA_TCP_REQ_FULL_COOKIES,
	TA_TCP_COOKIES_SENT,
	TA_TCP_COOKIES_RECEIVED,
	TA_TCP_SYN_RETRANS,
	TA_TCP_TW,	    /* ended their time in TIME_WAIT */
	TA_TCP_TW_OVERFLOW, /* tcp_max_tw_buckets */
	TA_TCP_ABORT_ON_MEMORY, /* tcp_mem, tcp_max_orphans */
	TA_TCP_ACTIVE_OPENS,
	TA_TCP_PASSIVE_OPENS,
	TA_TCP_RETRANS,
	TA_TCP_COUNTS
};

struct ta_tcp_counts {
	bool known;
	uint64_t v[TA_TCP_COUNTS];
};

void ta_tcp_counts_read(struct ta_host *h, struct ta_tcp_counts *ret);

/* What came in between; 0 where it is not known. */
uint64_t ta_tcp_counts_grown(const struct ta_tcp_counts *from, const struct ta_tcp_counts *to, enum ta_tcp_count which);

const char *ta_tcp_count_name(enum ta_tcp_count which); /* "ListenOverflows" */
