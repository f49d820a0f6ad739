#include "load/tcpcount.h"

#include "load/watch.h"

/* In the order of the enum, for one table each. */
static const char *const extended[] = {"ListenOverflows", "ListenDrops", "TCPReqQFullDrop", "TCPReqQFullDoCookies",
	"SyncookiesSent", "SyncookiesRecv", "TCPSynRetrans", "TW", "TCPTimeWaitOverflow", "TCPAbortOnMemory", NULL};
static const char *const plain[] = {"ActiveOpens", "PassiveOpens", "RetransSegs", NULL};

#define EXTENDED (TA_ARRAY_SIZE(extended) - 1)

_Static_assert(EXTENDED + TA_ARRAY_SIZE(plain) - 1 == TA_TCP_COUNTS, "a name for each count");

void ta_tcp_counts_read(struct ta_host *h, struct ta_tcp_counts *ret)
{
	uint64_t *to[TA_TCP_COUNTS];

	*ret = (struct ta_tcp_counts){0};
	for (unsigned i = 0; i < TA_TCP_COUNTS; i++)
		to[i] = &ret->v[i];
	ret->known = ta_watch_table(h, "/proc/net/netstat", "TcpExt:", extended, to) &&
		     ta_watch_table(h, "/proc/net/snmp", "Tcp:", plain, to + EXTENDED);
}

uint64_t ta_tcp_counts_grown(const struct ta_tcp_counts *from, const struct ta_tcp_counts *to, enum ta_tcp_count which)
{
	if (!from->known || !to->known || to->v[which] < from->v[which])
		return 0;
	return to->v[which] - from->v[which];
}

const char *ta_tcp_count_name(enum ta_tcp_count which)
{
	return which < EXTENDED ? extended[which] : plain[which - EXTENDED];
}
