/*
 * Counters of nstat (iproute2) and netstat -s (net-tools).
 *
 * The wordings are those of statistics.c in net-tools 1.60 to 2.10, tried
 * with a counter of each name; counters without one are printed by their names.
 */
#include "probe/counttext.h"

#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "probe/kvline.h"
#include "probe/pasted.h"

typedef void mib_fn(const struct ta_mib *m, void *ctx);

static void emit(mib_fn *fn, void *ctx, const char *group, const char *name, uint64_t value)
{
	struct ta_mib m = {.group = group,
		.group_len = strlen(group),
		.name = name,
		.name_len = strlen(name),
		.value = value};

	fn(&m, ctx);
}

/* --- nstat ----------------------------------------------------- */

/* Groups before those whose names begin alike: UdpLite before Udp. */
static const char *const groups[] = {"TcpExt", "IpExt", "UdpLite6", "UdpLite", "Udp6", "Ip6",
	"Icmp6", "IcmpMsg", "Icmp", "MPTcpExt", "Tcp", "Udp", "Ip"};

static const char *group_of(const char *name)
{
	for (size_t i = 0; i < TA_ARRAY_SIZE(groups); i++)
		if (strncmp(name, groups[i], strlen(groups[i])) == 0)
			return groups[i];
	return NULL;
}

int ta_nstat_each(const char *text, size_t len, mib_fn *fn, void *ctx)
{
	const char *at = text, *end = text + len;
	struct ta_kvline line;
	bool any = false;

	while (ta_kvline_next(&at, end, &line)) {
		size_t n = strcspn(line.key, " \t");
		const char *value = line.key + n, *group;
		uint64_t v;

		if (ta_next_u64(&value, &v) < 0)
			continue;
		line.key[n] = '\0';
		group = group_of(line.key);
		if (!group || !line.key[strlen(group)])
			continue;
		emit(fn, ctx, group, line.key + strlen(group), v);
		any = true;
	}
	return any ? 0 : -EBADMSG;
}

/* --- netstat -s ----------------------------------------------------- */

/* clang-format off */
/* A counter in words: its number stands where the '#' is. */
static const struct wording {
	const char *group, *text, *name;
	bool always; /* every kernel since 2.6.12 counts it, so that what is left out is 0 */
} wordings[] = {
	{"Ip", "# total packets received", "InReceives", false},
	{"Ip", "# with invalid headers", "InHdrErrors", false},
	{"Ip", "# with invalid addresses", "InAddrErrors", false},
	{"Ip", "# forwarded", "ForwDatagrams", false},
	{"Ip", "# incoming packets discarded", "InDiscards", false},
	{"Ip", "# incoming packets delivered", "InDelivers", false},
	{"Ip", "# requests sent out", "OutRequests", false},
	{"Ip", "# outgoing packets dropped", "OutDiscards", false},
	{"Ip", "# dropped because of missing route", "OutNoRoutes", false},
	{"Ip", "# fragments dropped after timeout", "ReasmTimeout", false},
	{"Ip", "# packet reassemblies failed", "ReasmFails", false},
	{"Ip", "# packet reassembles failed", "ReasmFails", false},
	{"Ip", "# outgoing packets failed fragmentation", "FragFails", false},
	{"Ip", "# fragments failed", "FragFails", false},
	{"Tcp", "# active connection openings", "ActiveOpens", false},
	{"Tcp", "# active connections openings", "ActiveOpens", false},
	{"Tcp", "# passive connection openings", "PassiveOpens", false},
	{"Tcp", "# failed connection attempts", "AttemptFails", false},
	{"Tcp", "# connection resets received", "EstabResets", false},
	{"Tcp", "# connections established", "CurrEstab", false},
	{"Tcp", "# segments received", "InSegs", false},
	{"Tcp", "# segments sent out", "OutSegs", false},
	{"Tcp", "# segments send out", "OutSegs", false},
	{"Tcp", "# segments retransmitted", "RetransSegs", false},
	{"Tcp", "# segments retransmited", "RetransSegs", false},
	{"Tcp", "# bad segments received", "InErrs", false},
	{"Tcp", "# resets sent", "OutRsts", false},
	{"Udp", "# packets received", "InDatagrams", false},
	{"Udp", "# packets to unknown port received", "NoPorts", false},
	{"Udp", "# packet receive errors", "InErrors", false},
	{"Udp", "# packets sent", "OutDatagrams", false},
	{"Udp", "# receive buffer errors", "RcvbufErrors", false},
	{"Udp", "# send buffer errors", "SndbufErrors", false},
	{"TcpExt", "# SYN cookies sent", "SyncookiesSent", true},
	{"TcpExt", "# SYN cookies received", "SyncookiesRecv", true},
	{"TcpExt", "# invalid SYN cookies received", "SyncookiesFailed", true},
	{"TcpExt", "# resets received for embryonic SYN_RECV sockets", "EmbryonicRsts", true},
	{"TcpExt", "# packets pruned from receive queue because of socket buffer overrun", "PruneCalled", true},
	{"TcpExt", "# packets pruned from receive queue", "RcvPruned", true},
	{"TcpExt", "# packets dropped from out-of-order queue because of socket buffer overrun", "OfoPruned", true},
	{"TcpExt", "# TCP sockets finished time wait in fast timer", "TW", true},
	{"TcpExt", "# time wait sockets recycled by time stamp", "TWRecycled", true},
	{"TcpExt", "# TCP sockets finished time wait in slow timer", "TWKilled", false},
	{"TcpExt", "# passive connections rejected because of time stamp", "PAWSPassive", true},
	{"TcpExt", "# active connections rejected because of time stamp", "PAWSActive", true},
	{"TcpExt", "# packets rejected in established connections because of timestamp", "PAWSEstab", false},
	{"TcpExt", "# packets rejects in established connections because of timestamp", "PAWSEstab", false},
	{"TcpExt", "# times the listen queue of a socket overflowed", "ListenOverflows", true},
	{"TcpExt", "# SYNs to LISTEN sockets dropped", "ListenDrops", false},
	{"TcpExt", "# SYNs to LISTEN sockets ignored", "ListenDrops", false},
	{"TcpExt", "# times recovered from packet loss by selective acknowledgements", "TCPSackRecovery", false},
	{"TcpExt", "# bad SACK blocks received", "TCPSACKReneging", false},
	{"TcpExt", "Detected reordering # times using SACK", "TCPSACKReorder", false},
	{"TcpExt", "Detected reordering # times using time stamp", "TCPTSReorder", false},
	{"TcpExt", "# fast retransmits", "TCPFastRetrans", true},
	{"TcpExt", "# retransmits in slow start", "TCPSlowStartRetrans", true},
	{"TcpExt", "# other TCP timeouts", "TCPTimeouts", false},
	{"TcpExt", "# packets collapsed in receive queue due to low socket buffer", "TCPRcvCollapsed", true},
	{"TcpExt", "# DSACKs received", "TCPDSACKRecv", false},
	{"TcpExt", "# connections reset due to unexpected data", "TCPAbortOnData", true},
	{"TcpExt", "# connections reset due to early user close", "TCPAbortOnClose", true},
	{"TcpExt", "# connections aborted due to memory pressure", "TCPAbortOnMemory", true},
	{"TcpExt", "# connections aborted due to timeout", "TCPAbortOnTimeout", true},
	{"TcpExt", "# connections aborted after user close in linger timeout", "TCPAbortOnLinger", true},
	{"TcpExt", "# times unable to send RST due to no memory", "TCPAbortFailed", false},
	{"TcpExt", "# times unabled to send RST due to no memory", "TCPAbortFailed", false},
	{"TcpExt", "TCP ran low on memory # times", "TCPMemoryPressures", true},
};
/* clang-format on */

/* The number in `line` if the rest of it is the wording; a full stop at the end does not count. */
static bool match(const char *line, const char *wording, uint64_t *ret)
{
	size_t head = strcspn(wording, "#"), digits, len = strlen(line);
	char number[24];

	if (len && line[len - 1] == '.')
		len--;
	if (len < head || strncmp(line, wording, head) != 0)
		return false;
	digits = strspn(line + head, "0123456789");
	if (digits == 0 || digits >= sizeof(number) ||
		len - head - digits != strlen(wording + head + 1) ||
		strncmp(line + head + digits, wording + head + 1, len - head - digits) != 0)
		return false;
	memcpy(number, line + head, digits);
	number[digits] = '\0';
	return ta_parse_u64(number, ret) == 0;
}

struct netstat {
	mib_fn *fn;
	void *ctx;
	bool seen[TA_ARRAY_SIZE(wordings)];
	bool any;
};

static void take_line(struct netstat *n, const char *group, const struct ta_kvline *line)
{
	uint64_t v;

	if (!*group || !*line->key)
		return;
	if (*line->value && ta_parse_u64(line->value, &v) == 0) {
		emit(n->fn, n->ctx, group, line->key, v);
		for (size_t i = 0; i < TA_ARRAY_SIZE(wordings); i++)
			n->seen[i] |= strcmp(wordings[i].name, line->key) == 0;
		n->any = true;
		return;
	}
	for (size_t i = 0; i < TA_ARRAY_SIZE(wordings); i++) {
		if (strcmp(wordings[i].group, group) != 0 ||
			!match(line->key, wordings[i].text, &v))
			continue;
		emit(n->fn, n->ctx, group, wordings[i].name, v);
		n->seen[i] = n->any = true;
	}
}

int ta_netstat_each(const char *text, size_t len, mib_fn *fn, void *ctx)
{
	const char *at = text, *end = text + len;
	struct netstat n = {.fn = fn, .ctx = ctx};
	struct ta_kvline line;
	char group[16] = "";
	bool had_tcpext = false, whole = false;

	while (ta_kvline_next(&at, end, &line)) {
		if (line.indent > 0) {
			take_line(&n, group, &line);
			continue;
		}
		had_tcpext |= strcmp(group, "TcpExt") == 0;
		whole |= had_tcpext && strcmp(line.key, "IpExt") == 0;
		*group = '\0';
		if (strlen(line.key) < sizeof(group))
			memcpy(group, line.key, strlen(line.key) + 1);
	}
	for (size_t i = 0; i < TA_ARRAY_SIZE(wordings); i++)
		if (whole && wordings[i].always && !n.seen[i])
			emit(fn, ctx, wordings[i].group, wordings[i].name, 0);
	return n.any ? 0 : -EBADMSG;
}

/* --- in a capture ----------------------------------------------------- */

int ta_counttext_read(struct ta_host *h, mib_fn *fn, void *ctx)
{
	/* Without -a nstat tells what came since it ran last. */
	static const char *const nstat[] = {
		"nstat_-zas", "nstat_-az", "nstat_-as", "nstat_-a", NULL};
	static const char *const netstat[] = {"netstat_-s", NULL};
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_pasted pasted;

	if (!ta_pasted_open(h, &pasted))
		return -ENOENT;
	if (ta_pasted_read_any(&pasted, "networking", nstat, &text) == 0)
		return ta_nstat_each(ta_buf_text(&text), text.len, fn, ctx);
	if (ta_pasted_read_any(&pasted, "networking", netstat, &text) == 0)
		return ta_netstat_each(ta_buf_text(&text), text.len, fn, ctx);
	return -ENOENT;
}
