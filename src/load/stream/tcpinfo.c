/*
 * In a file of its own: <linux/tcp.h> has the fields that the C library's header lacks, and cannot stand beside it.
 */
#include "load/stream/tcpinfo.h"

#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

int ta_tcp_facts_read(int fd, struct ta_tcp_facts *ret)
{
	struct tcp_info info = {0};
	socklen_t len = sizeof(info);

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) < 0)
		return -errno;
	*ret = (struct ta_tcp_facts){
		.acked = info.tcpi_bytes_acked,
		.has_acked = len >= offsetof(struct tcp_info, tcpi_bytes_acked) + sizeof(info.tcpi_bytes_acked),
		.retransmits = info.tcpi_total_retrans,
		.cwnd_bytes = (uint64_t)info.tcpi_snd_cwnd * info.tcpi_snd_mss,
		.rtt_us = info.tcpi_rtt,
	};
	return 0;
}
