/*
 * What the kernel counted since it started: protocol counters (TcpExt and its
 * kin), the receive path of each CPU, sockets, connection tracking. A rule's
 * evidence is taken from here. Every collection is one look; two looks with
 * time between them give rates.
 *
 * The table is sorted by path, for the search of 250 kernel names in it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "probe/counttext.h"
#include "probe/netcount.h"
#include "probe/probe.h"

#define PREFIX "counters."
#define NUM(p, u, m) {PREFIX p, TA_T_INT, u, m, TA_F_VOLATILE, {}}
#define NUM32(p, u, m) {PREFIX p, TA_T_INT, u, m, TA_F_VOLATILE | TA_F_WRAPS32, {}} /* unsigned int of each CPU */
#define LEVEL(p, u, m) {PREFIX p, TA_T_INT, u, m, TA_F_VOLATILE | TA_F_LEVEL, {}}
#define LIST(p, u, m) {PREFIX p, TA_T_INTS, u, m, TA_F_VOLATILE, {}}
#define CPUS(p, m) {PREFIX p, TA_T_INTS, "CPUs", m, TA_F_CPUS | TA_F_AGAIN, {}}
#define MIB(p, m) NUM(p, "", m)                  /* of /proc/net/snmp and netstat */
#define TRACK(p, m) NUM32("conntrack." p, "", m) /* of /proc/net/stat/nf_conntrack */

/* clang-format off */
static const struct ta_field fields[] = {
	LEVEL("arp.entries", "entries", "entries of the ARP table now"),
	NUM("arp.forced_gc_runs", "runs",
		"times that the ARP table had to be cleaned to take a new entry"),
	NUM("arp.table_fulls", "entries", "entries refused because the ARP table was full"),
	NUM("arp.unresolved_discards", "packets",
		"packets dropped while their neighbour was looked for (ARP)"),
	TRACK("clashres", "insertions that met the same connection and were resolved"),
	LEVEL("conntrack.count", "connections", "connections tracked now in this network namespace"),
	TRACK("drop", "packets dropped because a connection could not be tracked"),
	TRACK("early_drop", "connections dropped to make room: the table was full"),
	TRACK("found", "lookups that found a connection"),
	TRACK("insert_failed", "connections that could not be inserted"),
	TRACK("invalid", "packets that could not be tracked"),
	{"counters.conntrack.max", TA_T_INT, "connections",
		"most tracked connections of the host; 0 = no limit", TA_F_AGAIN, {{0, TA_MEANS_UNLIMITED}}},
	TRACK("search_restart", "lookups that began again because the table was resized"),
	MIB("ip.ForwDatagrams", "packets forwarded"),
	MIB("ip.FragFails", "packets that could not be fragmented"),
	MIB("ip.InAddrErrors", "packets received for another address"),
	MIB("ip.InDelivers", "packets handed to a protocol"),
	MIB("ip.InDiscards", "received packets dropped for lack of memory"),
	MIB("ip.InHdrErrors", "packets received with a bad header"),
	MIB("ip.InReceives", "packets received"),
	MIB("ip.OutDiscards", "outgoing packets dropped for lack of memory"),
	MIB("ip.OutNoRoutes", "outgoing packets without a route"),
	MIB("ip.OutRequests", "packets sent by protocols"),
	MIB("ip.ReasmFails", "packets that could not be put together"),
	MIB("ip.ReasmTimeout", "packets whose fragments did not all come in time"),
	MIB("ipext.InCEPkts", "packets received with a congestion mark"),
	MIB("ipext.InCsumErrors", "packets received with a wrong IP checksum"),
	MIB("ipext.InNoRoutes", "packets received without a route"),
	MIB("ipext.InOctets", "bytes received"),
	MIB("ipext.InTruncatedPkts", "packets received too short"),
	MIB("ipext.OutOctets", "bytes sent"),
	MIB("ipext.ReasmOverlaps", "overlapping fragments"),
	LEVEL("ndisc.entries", "entries", "entries of the IPv6 neighbour table now"),
	NUM("ndisc.forced_gc_runs", "runs",
		"times that the IPv6 neighbour table had to be cleaned to take a new entry"),
	NUM("ndisc.table_fulls", "entries", "entries refused because the IPv6 neighbour table was full"),
	NUM("ndisc.unresolved_discards", "packets",
		"packets dropped while their neighbour was looked for (IPv6 neighbour)"),
	LEVEL("sockstat.frag_memory", "bytes", "memory of fragments that wait"),
	LEVEL("sockstat.sockets_used", "sockets", "sockets in use, all kinds"),
	LEVEL("sockstat.tcp6_inuse", "sockets", "TCP sockets in use, IPv6"),
	LEVEL("sockstat.tcp_alloc", "sockets", "TCP sockets allocated, in every state, whole host"),
	LEVEL("sockstat.tcp_inuse", "sockets", "TCP sockets in use, IPv4"),
	LEVEL("sockstat.tcp_mem", "pages", "memory of all TCP sockets, as compared with tcp_mem"),
	LEVEL("sockstat.tcp_orphan", "sockets", "TCP connections without a process"),
	LEVEL("sockstat.tcp_tw", "sockets", "TCP sockets in TIME-WAIT"),
	LEVEL("sockstat.udp_inuse", "sockets", "UDP sockets in use, IPv4"),
	LEVEL("sockstat.udp_mem", "pages", "memory of all UDP sockets, as compared with udp_mem"),
	CPUS("softirq.cpus", "CPUs that the lists beside it tell of, in their order"),
	NUM32("softirq.net_rx", "runs", "receive softirqs since boot, all CPUs"),
	LIST("softirq.net_rx_by_cpu", "runs", "the same for each CPU of softirq.cpus"),
	NUM32("softirq.net_tx", "runs", "transmit softirqs since boot, all CPUs"),
	LIST("softirq.net_tx_by_cpu", "runs", "the same for each CPU of softirq.cpus"),
	CPUS("softnet.cpus", "CPUs that the lists beside it tell of, in their order"),
	NUM32("softnet.dropped", "packets",
		"packets dropped because a CPU's backlog was full, all CPUs (32-bit each: wraps)"),
	LIST("softnet.dropped_by_cpu", "packets", "the same for each CPU of softnet.cpus"),
	NUM32("softnet.flow_limit", "packets", "packets dropped by the flow limit, all CPUs"),
	NUM32("softnet.processed", "packets", "packets received, all CPUs (32-bit each: wraps)"),
	LIST("softnet.processed_by_cpu", "packets", "the same for each CPU of softnet.cpus"),
	NUM32("softnet.received_rps", "interrupts",
		"times that RPS woke a CPU for packets of another, all CPUs"),
	LIST("softnet.received_rps_by_cpu", "interrupts", "the same for each CPU of softnet.cpus"),
	NUM32("softnet.time_squeeze", "runs", "receive softirqs that ended with work left, all CPUs"),
	LIST("softnet.time_squeeze_by_cpu", "runs", "the same for each CPU of softnet.cpus"),
	MIB("tcp.ActiveOpens", "outgoing connections"),
	MIB("tcp.AttemptFails", "connections that did not come about"),
	LEVEL("tcp.CurrEstab", "", "connections now"),
	MIB("tcp.EstabResets", "connections reset"),
	MIB("tcp.InCsumErrors", "segments received with a wrong checksum"),
	MIB("tcp.InErrs", "segments received with errors"),
	MIB("tcp.InSegs", "segments received"),
	MIB("tcp.OutRsts", "resets sent"),
	MIB("tcp.OutSegs", "segments sent, without retransmissions"),
	MIB("tcp.PassiveOpens", "incoming connections"),
	MIB("tcp.RetransSegs", "segments sent again"),
	MIB("tcpext.BusyPollRxPackets", "packets received by busy polling"),
	MIB("tcpext.EmbryonicRsts", "resets for half-open connections"),
	MIB("tcpext.IPReversePathFilter", "packets dropped by the reverse path filter"),
	MIB("tcpext.ListenDrops", "SYNs and connections dropped by listeners, overflows included"),
	MIB("tcpext.ListenOverflows", "connections refused because an accept queue was full"),
	MIB("tcpext.OfoPruned", "out-of-order packets pruned for lack of buffer"),
	MIB("tcpext.PAWSActive", "SYN-ACKs refused because of old time stamps"),
	MIB("tcpext.PAWSEstab", "packets of connections refused because of old time stamps"),
	MIB("tcpext.PAWSPassive", "SYNs refused because of old time stamps (tcp_tw_recycle, before 4.12)"),
	MIB("tcpext.PFMemallocDrop", "packets dropped because they were made of emergency memory"),
	MIB("tcpext.PruneCalled", "receive queues pruned because the socket buffer was too small"),
	MIB("tcpext.RcvPruned", "packets pruned from receive queues"),
	MIB("tcpext.SyncookiesFailed", "invalid SYN cookies that came back"),
	MIB("tcpext.SyncookiesRecv", "valid SYN cookies that came back"),
	MIB("tcpext.SyncookiesSent", "SYN cookies sent: a SYN queue was full"),
	MIB("tcpext.TCPACKSkippedSynRecv", "acknowledgements held back in SYN-RECV"),
	MIB("tcpext.TCPAbortFailed", "resets that could not be sent"),
	MIB("tcpext.TCPAbortOnClose", "connections reset because data was unread at close"),
	MIB("tcpext.TCPAbortOnData", "connections reset because data came after close"),
	MIB("tcpext.TCPAbortOnLinger", "connections reset by lingering closes"),
	MIB("tcpext.TCPAbortOnMemory", "connections reset for lack of memory or too many orphans"),
	MIB("tcpext.TCPAbortOnTimeout", "connections given up after their timeouts"),
	MIB("tcpext.TCPAckCompressed", "acknowledgements merged"),
	MIB("tcpext.TCPAutoCorking", "small writes that waited for a fuller packet"),
	MIB("tcpext.TCPBacklogCoalesce", "packets merged in socket backlogs"),
	MIB("tcpext.TCPBacklogDrop", "packets dropped because a socket's backlog was full"),
	MIB("tcpext.TCPChallengeACK", "challenge ACKs sent"),
	MIB("tcpext.TCPDSACKRecv",
		"duplicate SACKs received: retransmissions that were not needed"),
	MIB("tcpext.TCPDeferAcceptDrop", "acknowledgements dropped by TCP_DEFER_ACCEPT"),
	MIB("tcpext.TCPDelivered", "packets that arrived at the peer"),
	MIB("tcpext.TCPDeliveredCE", "packets that arrived with a congestion mark"),
	MIB("tcpext.TCPFastOpenActive", "outgoing connections with data in the SYN"),
	MIB("tcpext.TCPFastOpenActiveFail", "outgoing fast opens that failed"),
	MIB("tcpext.TCPFastOpenBlackhole",
		"times that fast open was switched off because of a black hole"),
	MIB("tcpext.TCPFastOpenListenOverflow", "fast opens beyond the queue of the listener"),
	MIB("tcpext.TCPFastOpenPassive", "incoming connections with data in the SYN"),
	MIB("tcpext.TCPFastOpenPassiveFail", "incoming fast opens that failed"),
	MIB("tcpext.TCPFastRetrans", "fast retransmissions"),
	MIB("tcpext.TCPFromZeroWindowAdv", "times that a closed window was opened"),
	MIB("tcpext.TCPHystartTrainDetect", "slow starts ended by packet trains"),
	MIB("tcpext.TCPKeepAlive", "keep-alive probes sent"),
	MIB("tcpext.TCPLossProbeRecovery", "losses repaired by a probe"),
	MIB("tcpext.TCPLossProbes", "tail loss probes sent"),
	MIB("tcpext.TCPLostRetransmit", "retransmissions that were lost too"),
	MIB("tcpext.TCPMTUPFail", "path MTU probes lost"),
	MIB("tcpext.TCPMTUPSuccess", "path MTU probes that arrived"),
	MIB("tcpext.TCPMemoryPressures", "times that TCP entered memory pressure"),
	MIB("tcpext.TCPMemoryPressuresChrono", "milliseconds in memory pressure"),
	MIB("tcpext.TCPMigrateReqFailure", "connection requests that could not be moved"),
	MIB("tcpext.TCPMigrateReqSuccess", "connection requests moved to another listener"),
	MIB("tcpext.TCPMinTTLDrop", "packets dropped because of their TTL"),
	MIB("tcpext.TCPOFODrop", "out-of-order packets dropped for lack of buffer"),
	MIB("tcpext.TCPOFOMerge", "out-of-order packets that overlapped"),
	MIB("tcpext.TCPOFOQueue", "packets that came out of order"),
	MIB("tcpext.TCPOrigDataSent", "data packets sent, without retransmissions"),
	MIB("tcpext.TCPPLBRehash", "paths changed by protective load balancing"),
	MIB("tcpext.TCPRcvCollapsed", "packets merged in receive queues for lack of buffer"),
	MIB("tcpext.TCPRcvQDrop", "packets dropped because the receive queue was full"),
	MIB("tcpext.TCPReqQFullDoCookies", "full SYN queues answered with cookies"),
	MIB("tcpext.TCPReqQFullDrop", "SYNs dropped because the SYN queue was full"),
	MIB("tcpext.TCPRetransFail", "retransmissions that failed locally"),
	MIB("tcpext.TCPSACKReneging", "peers that took acknowledgements back"),
	MIB("tcpext.TCPSACKReorder", "reordering seen by selective acknowledgements"),
	MIB("tcpext.TCPSYNChallenge", "challenge ACKs for SYNs"),
	MIB("tcpext.TCPSackRecovery", "recoveries by selective acknowledgements"),
	MIB("tcpext.TCPSlowStartRetrans", "retransmissions in slow start"),
	MIB("tcpext.TCPSpuriousRTOs", "timeouts that were not needed"),
	MIB("tcpext.TCPSpuriousRtxHostQueues",
		"retransmissions not sent because the original still waits in this host"),
	MIB("tcpext.TCPSynRetrans", "SYNs and SYN-ACKs sent again"),
	MIB("tcpext.TCPTSReorder", "reordering seen by time stamps"),
	MIB("tcpext.TCPTimeWaitOverflow",
		"sockets not kept in TIME-WAIT because there were too many"),
	MIB("tcpext.TCPTimeouts", "retransmission timeouts"),
	MIB("tcpext.TCPToZeroWindowAdv",
		"times that a window was closed because the reader was slow"),
	MIB("tcpext.TCPWantZeroWindowAdv", "times that a window would have been closed"),
	MIB("tcpext.TCPWinProbe", "probes of closed windows"),
	MIB("tcpext.TCPWqueueTooBig",
		"retransmissions refused because the send queue was too long"),
	MIB("tcpext.TCPZeroWindowDrop", "packets dropped because the window was closed"),
	MIB("tcpext.TW", "sockets that left TIME-WAIT after its time"),
	MIB("tcpext.TWKilled", "sockets in TIME-WAIT killed"),
	MIB("tcpext.TWRecycled", "sockets in TIME-WAIT used again"),
	MIB("udp.InCsumErrors", "datagrams received with a wrong checksum"),
	MIB("udp.InDatagrams", "datagrams received"),
	MIB("udp.InErrors", "datagrams that could not be delivered"),
	MIB("udp.MemErrors", "datagrams dropped because udp_mem was reached"),
	MIB("udp.NoPorts", "datagrams for ports where nobody listens"),
	MIB("udp.OutDatagrams", "datagrams sent"),
	MIB("udp.RcvbufErrors", "datagrams dropped because the receive buffer was full"),
	MIB("udp.SndbufErrors", "datagrams not sent because the send buffer was full"),
};
/* clang-format on */

#define N_FIELDS TA_ARRAY_SIZE(fields)

struct seen {
	struct ta_facts *f;
	bool row[N_FIELDS]; /* the kernel has this counter */
};

static int by_path(const void *key, const void *row)
{
	return strcmp(key, ((const struct ta_field *)row)->path);
}

/* "TcpExt", "TW" -> the row counters.tcpext.TW; all others are left out. */
static void put_mib(const struct ta_mib *m, void *ctx)
{
	struct seen *seen = ctx;
	char group[16], name[64], path[sizeof(PREFIX) + sizeof(group) + sizeof(name)];
	size_t at = strlen(PREFIX);

	if (m->group_len >= sizeof(group) || m->name_len >= sizeof(name))
		return;
	for (size_t i = 0; i <= m->group_len; i++)
		group[i] = i < m->group_len ? (char)(m->group[i] | 0x20) : '\0';
	memcpy(name, m->name, m->name_len);
	name[m->name_len] = '\0';
	memcpy(path, PREFIX, at);
	memcpy(path + at, group, m->group_len);
	at += m->group_len;
	path[at++] = '.';
	memcpy(path + at, name, m->name_len + 1);

	const struct ta_field *row = bsearch(path, fields, N_FIELDS, sizeof(fields[0]), by_path);

	if (!row || m->negative)
		return;
	seen->row[row - fields] = true;
	ta_put_u64(seen->f, m->value, "counters", group, name);
}

static void missing_rows(const struct seen *seen, const char *group, const char *why)
{
	size_t len = strlen(group);

	for (size_t i = 0; i < N_FIELDS; i++) {
		const char *at = fields[i].path + strlen(PREFIX);

		if (!seen->row[i] && strncmp(at, group, len) == 0 && at[len] == '.')
			ta_facts_put_absent(seen->f, TA_KEYS("counters", group, at + len + 1),
				TA_MISSING, "%s", why);
	}
}

/* One file of name and value lines; `groups` are those of its groups that have rows. */
static void read_mib(struct ta_host *h, struct ta_facts *f, const char *file,
	const char *const *groups)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	const char *why = "this kernel does not count it";
	struct seen seen = {.f = f};
	int rc = ta_host_read(h, file, TA_READ_CAP, &text);

	if (rc == 0) {
		rc = ta_mib_each(ta_buf_text(&text), put_mib, &seen);
	} else if (rc == -ENOENT && ta_counttext_read(h, put_mib, &seen) == 0) {
		rc = 0;
		why = "not in the output that was captured: 0, or not counted";
	}
	for (; *groups; groups++) {
		if (rc < 0)
			ta_put_errno(f, rc, file, "counters", *groups);
		else
			missing_rows(&seen, *groups, why);
	}
}

/* --- softnet_stat ---------------------------------------------------------- */

enum { PROCESSED, DROPPED, TIME_SQUEEZE, RECEIVED_RPS, FLOW_LIMIT, N_SOFTNET };

static const char *const softnet_names[] = {
	"processed", "dropped", "time_squeeze", "received_rps", "flow_limit"};
static const char *const softnet_lists[] = {
	"processed_by_cpu", "dropped_by_cpu", "time_squeeze_by_cpu", "received_rps_by_cpu", NULL};

struct softnet {
	struct ta_numbers by_cpu[N_SOFTNET];
	size_t cap, n;
	bool has_cpu, has_rps, has_flow_limit;
	struct ta_numbers cpus;
};

static void softnet_done(struct softnet *s)
{
	for (size_t i = 0; i < N_SOFTNET; i++)
		ta_numbers_done(&s->by_cpu[i]);
	ta_numbers_done(&s->cpus);
}

static int grow(struct ta_numbers *a, size_t cap)
{
	int64_t *v = reallocarray(a->v, cap, sizeof(*v));

	if (!v)
		return -ENOMEM;
	a->v = v;
	return 0;
}

static int softnet_line(const char *line, size_t len, void *ctx)
{
	struct softnet *s = ctx;
	struct ta_softnet row;
	int rc = ta_softnet_parse(line, &row);

	if (rc == 0 && s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 64;
		for (size_t i = 0; rc == 0 && i < N_SOFTNET; i++)
			rc = grow(&s->by_cpu[i], s->cap);
		if (rc == 0)
			rc = grow(&s->cpus, s->cap);
	}
	if (rc < 0)
		return rc;
	s->by_cpu[PROCESSED].v[s->n] = row.processed;
	s->by_cpu[DROPPED].v[s->n] = row.dropped;
	s->by_cpu[TIME_SQUEEZE].v[s->n] = row.time_squeeze;
	s->by_cpu[RECEIVED_RPS].v[s->n] = row.received_rps;
	s->by_cpu[FLOW_LIMIT].v[s->n] = row.flow_limit;
	s->cpus.v[s->n++] = row.cpu;
	s->has_cpu &= row.cpu >= 0;
	s->has_rps &= row.has_rps;
	s->has_flow_limit &= row.has_flow_limit;
	return 0;
}

/* Kernels before 5.10 do not number the rows: they are the online CPUs, in order. */
static bool number_rows(struct ta_host *h, struct softnet *s)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	ta_cleanup_cpuset struct ta_cpuset online = TA_CPUSET_INIT;
	size_t i = 0;

	if (s->has_cpu)
		return true;
	if (ta_host_read(h, "/sys/devices/system/cpu/online", TA_READ_CAP, &text) < 0 ||
		ta_cpuset_parse_list(&online, ta_buf_text(&text)) < 0 ||
		ta_cpuset_count(&online) != s->n)
		return false;
	for (int c = -1; (c = ta_cpuset_next(&online, c + 1)) >= 0;)
		s->cpus.v[i++] = c;
	return true;
}

static void put_softnet(struct ta_facts *f, const struct softnet *s, int column, bool there)
{
	const char *const *path = TA_KEYS("counters", "softnet", softnet_names[column]);
	uint64_t sum = 0;

	if (!there) {
		ta_facts_put_absent(f, path, TA_MISSING, "this kernel does not count it");
		return;
	}
	for (size_t i = 0; i < s->n; i++)
		sum += (uint64_t)s->by_cpu[column].v[i];
	ta_facts_put_u64(f, path, sum);
	if (softnet_lists[column])
		ta_facts_put_ints(f, TA_KEYS("counters", "softnet", softnet_lists[column]),
			s->by_cpu[column].v, s->n);
}

static void read_softnet(struct ta_host *h, struct ta_facts *f)
{
	static const char file[] = "/proc/net/softnet_stat";
	ta_cleanup(softnet_done) struct softnet s = {
		.has_cpu = true, .has_rps = true, .has_flow_limit = true};
	int rc = ta_host_lines(h, file, softnet_line, &s);

	if (rc == 0 && s.n == 0)
		rc = -EBADMSG;
	if (rc < 0) {
		ta_put_errno(f, rc, file, "counters", "softnet");
		return;
	}
	if (number_rows(h, &s))
		ta_facts_put_ints(f, TA_KEYS("counters", "softnet", "cpus"), s.cpus.v, s.n);
	else
		ta_facts_put_absent(f, TA_KEYS("counters", "softnet", "cpus"), TA_MISSING,
			"%s does not number its rows, and there are not as many as CPUs online",
			file);
	for (int i = 0; i < N_SOFTNET; i++)
		put_softnet(f, &s, i,
			i == RECEIVED_RPS ? s.has_rps : i == FLOW_LIMIT ? s.has_flow_limit : true);
}

/* --- softirqs -------------------------------------------------------------- */

struct softirqs {
	bool has_header;
	struct ta_numbers cpus, rx, tx;
};

static void softirqs_done(struct softirqs *s)
{
	ta_numbers_done(&s->cpus);
	ta_numbers_done(&s->rx);
	ta_numbers_done(&s->tx);
}

static int softirqs_line(const char *line, size_t len, void *ctx)
{
	struct softirqs *s = ctx;

	if (!s->has_header) {
		s->has_header = true;
		return ta_softirqs_header(line, &s->cpus);
	}
	int rc = ta_softirqs_row(line, "NET_RX", &s->rx);

	if (rc == -ENOENT)
		rc = ta_softirqs_row(line, "NET_TX", &s->tx);
	return rc == -ENOENT ? 0 : rc;
}

static void put_row(struct ta_facts *f, const struct ta_numbers *row, const char *total,
	const char *list)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < row->n; i++)
		sum += (uint64_t)row->v[i];
	ta_put_u64(f, sum, "counters", "softirq", total);
	ta_facts_put_ints(f, TA_KEYS("counters", "softirq", list), row->v, row->n);
}

static void read_softirqs(struct ta_host *h, struct ta_facts *f)
{
	static const char file[] = "/proc/softirqs";
	ta_cleanup(softirqs_done) struct softirqs s = {0};
	int rc = ta_host_lines(h, file, softirqs_line, &s);

	if (rc == 0 && (s.cpus.n == 0 || s.rx.n != s.cpus.n || s.tx.n != s.cpus.n))
		rc = -EBADMSG;
	if (rc < 0) {
		ta_put_errno(f, rc, file, "counters", "softirq");
		return;
	}
	ta_facts_put_ints(f, TA_KEYS("counters", "softirq", "cpus"), s.cpus.v, s.cpus.n);
	put_row(f, &s.rx, "net_rx", "net_rx_by_cpu");
	put_row(f, &s.tx, "net_tx", "net_tx_by_cpu");
}

/* --- sockets and connection tracking --------------------------------------- */

static const struct {
	const char *fact, *group, *key;
} sockstat[] = {
	{"frag_memory", "FRAG", "memory"},
	{"sockets_used", "sockets", "used"},
	{"tcp_alloc", "TCP", "alloc"},
	{"tcp_inuse", "TCP", "inuse"},
	{"tcp_mem", "TCP", "mem"},
	{"tcp_orphan", "TCP", "orphan"},
	{"tcp_tw", "TCP", "tw"},
	{"udp_inuse", "UDP", "inuse"},
	{"udp_mem", "UDP", "mem"},
};

static void put_sockstat(struct ta_facts *f, const char *text, const char *fact, const char *group,
	const char *key)
{
	const char *const *path = TA_KEYS("counters", "sockstat", fact);
	int64_t v;
	int rc = ta_sockstat_find(text, group, key, &v);

	if (rc == 0)
		ta_facts_put_i64(f, path, TA_MAX(v, 0));
	else
		ta_facts_put_errno(f, path, rc, "/proc/net/sockstat");
}

static void read_sockstat(struct ta_host *h, struct ta_facts *f)
{
	static const char file[] = "/proc/net/sockstat", file6[] = "/proc/net/sockstat6";
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = ta_host_read(h, file, TA_READ_CAP, &text);

	if (rc < 0) {
		ta_put_errno(f, rc, file, "counters", "sockstat");
		return;
	}
	for (size_t i = 0; i < TA_ARRAY_SIZE(sockstat); i++)
		put_sockstat(f, ta_buf_text(&text), sockstat[i].fact, sockstat[i].group,
			sockstat[i].key);
	rc = ta_host_read(h, file6, TA_READ_CAP, &text);
	if (rc == 0)
		put_sockstat(f, ta_buf_text(&text), "tcp6_inuse", "TCP6", "inuse");
	else
		ta_put_errno(f, rc, file6, "counters", "sockstat", "tcp6_inuse");
}

/*
 * Puts the rows counters.GROUP.* from a table below /proc/net/stat: sums over its lines, one for each CPU, of
 * the columns named so; `entries` is the same in every line. `skip` are rows that come from elsewhere.
 */
static void read_table(struct ta_host *h, struct ta_facts *f, const char *file, const char *group,
	const char *const *skip)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int read = ta_host_read(h, file, TA_READ_CAP, &text);
	size_t len = strlen(group);

	for (size_t i = 0; i < N_FIELDS; i++) {
		const char *at = fields[i].path + strlen(PREFIX), *name = at + len + 1;
		const char *const *other = skip;
		uint64_t v;
		int rc = read;

		if (strncmp(at, group, len) != 0 || at[len] != '.')
			continue;
		while (*other && strcmp(name, *other) != 0)
			other++;
		if (*other)
			continue;
		if (rc == 0)
			rc = strcmp(name, "entries") == 0
				     ? ta_hex_table_first(ta_buf_text(&text), name, &v)
				     : ta_hex_table_sum(ta_buf_text(&text), name, &v);
		if (rc == 0)
			ta_put_u64(f, v, "counters", group, name);
		else
			ta_put_errno(f, rc, file, "counters", group, name);
	}
}

static void read_conntrack(struct ta_host *h, struct ta_facts *f)
{
	static const char count[] = "/proc/sys/net/netfilter/nf_conntrack_count";

	if (!ta_host_exists(h, count)) {
		ta_facts_put_absent(f, TA_KEYS("counters", "conntrack"), TA_MISSING,
			"no %s, which comes with module nf_conntrack", count);
		return;
	}
	ta_read_int(h, f, count, TA_KEYS("counters", "conntrack", "count"));
	ta_read_int(h, f, "/proc/sys/net/netfilter/nf_conntrack_max",
		TA_KEYS("counters", "conntrack", "max"));
	read_table(h, f, "/proc/net/stat/nf_conntrack", "conntrack", TA_KEYS("count", "max"));
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	read_mib(h, f, "/proc/net/netstat", (const char *const[]){"tcpext", "ipext", NULL});
	read_mib(h, f, "/proc/net/snmp", (const char *const[]){"ip", "tcp", "udp", NULL});
	read_softnet(h, f);
	read_softirqs(h, f);
	read_sockstat(h, f);
	read_conntrack(h, f);
	read_table(h, f, "/proc/net/stat/arp_cache", "arp", TA_KEYS(NULL));
	read_table(h, f, "/proc/net/stat/ndisc_cache", "ndisc", TA_KEYS(NULL));
}

const struct ta_probe ta_probe_counters = {
	.name = "counters",
	.fields = fields,
	.n_fields = N_FIELDS,
	.collect = collect,
};
