/*
 * What the kernel knows of a TCP connection: getsockopt(TCP_INFO), net/ipv4/tcp.c: tcp_get_info().
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ta_tcp_facts {
	uint64_t acked; /* bytes that the other kernel took */
	bool has_acked; /* since 4.1 */
	uint32_t retransmits; /* segments sent again */
	uint64_t cwnd_bytes;
	uint32_t rtt_us; /* smoothed */
};

int ta_tcp_facts_read(int fd, struct ta_tcp_facts *ret); /* 0 or -errno */
