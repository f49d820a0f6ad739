/*
 * A line that ends with a backslash goes on in the next one, whatever that looks like: of a line that is left out the
 * backslash stays, so that its rest is not taken for a line of its own.
 */
#include "host/redactini.h"

#include <string.h>

#include "base/buf.h"
#include "base/num.h"

#define BLANKS " \t\r"

static const char *const unit_keys[] = {
	"Limit*", "DefaultLimit*", "Tasks*", "CPUQuota", "CPUQuotaPeriodSec", "CPUWeight", "CPUShares", "CPUAffinity",
	"CPUScheduling*", "AllowedCPUs", "AllowedMemoryNodes", "Memory*", "NUMAPolicy", "NUMAMask", "IOWeight",
	"IOScheduling*", "Nice", "OOMScoreAdjust", "Slice", "Delegate", "TimerSlackNSec", NULL,
};

static const char *const irqbalance_keys[] = {"Environment", "EnvironmentFile", "ExecStart", NULL};

static const char *const link_keys[] = {
	"MACAddress", "PermanentMACAddress", "Path", "Driver", "Type", "Kind", "Property", "OriginalName", "Host",
	"Virtualization", "KernelCommandLine", "KernelVersion", "Credential", "Architecture", "Firmware", "MTUBytes",
	"BitsPerSecond", "Duplex", "AutoNegotiation", "WakeOnLan", "Port", "Advertise", "TransmitQueues", "ReceiveQueues",
	"TransmitQueueLength", "ReceiveChecksumOffload", "TransmitChecksumOffload", "TCPSegmentationOffload",
	"TCP6SegmentationOffload", "Generic*", "PartialGenericSegmentationOffload", "LargeReceiveOffload", "Receive*",
	"Transmit*", "NTupleFilter", "RxChannels", "TxChannels", "OtherChannels", "CombinedChannels", "RxBufferSize",
	"RxMiniBufferSize", "RxJumboBufferSize", "TxBufferSize", "RxFlowControl", "TxFlowControl",
	"AutoNegotiationFlowControl", "UseAdaptive*", "RxCoalesce*", "TxCoalesce*", "RxMaxCoalesced*", "TxMaxCoalesced*",
	"Coalesce*", "StatisticsBlockCoalesceSec", "MDI", "SR-IOVVirtualFunctions", "NamePolicy", "AlternativeNamesPolicy",
	"MACAddressPolicy", NULL,
};

static bool matches(const char *pattern, const char *name, size_t len)
{
	size_t i = strcspn(pattern, "*");

	return len >= i && !strncmp(pattern, name, i) && (pattern[i] || len == i);
}

static bool is_listed(const char *const *lists[], const char *name, size_t len)
{
	for (; *lists; lists++)
		for (const char *const *p = *lists; *p; p++)
			if (matches(*p, name, len))
				return true;
	return false;
}

/* "[Service]" or "Key = value" with a key of the lists. */
static bool is_public(const char *const *lists[], const char *line, size_t len)
{
	size_t from = 0, to;
	const char *eq = memchr(line, '=', len);

	while (from < len && strchr(BLANKS, line[from]))
		from++;
	if (from < len && line[from] == '[')
		return true;
	to = eq ? (size_t)(eq - line) : from;
	while (to > from && strchr(BLANKS, line[to - 1]))
		to--;
	return to > from && is_listed(lists, line + from, to - from);
}

/* Of a line of others: "Alias=" says that the file sets one; 0: it has no key. */
static size_t key_of(const char *line, size_t len)
{
	size_t n = 0;

	while (n < len && (((line[n] | 32) >= 'a' && (line[n] | 32) <= 'z') || ta_is_digit(line[n]) || line[n] == '-'))
		n++;
	return n && n < len && line[n] == '=' ? n + 1 : 0;
}

/* `keys`: those of others are kept without their values, so that whoever takes the place of such a file knows of them. */
static void filter(struct ta_buf *b, const char *const *lists[], bool keys)
{
	bool goes_on = false, keep = false;
	char *in = b->data, *end = in + b->len, *out = in;

	while (in < end) {
		char *newline = memchr(in, '\n', (size_t)(end - in));
		size_t len = (size_t)((newline ? newline : end) - in);
		bool comment = len && strchr("#;", in[strspn(in, BLANKS)]);
		bool more = len && in[len - 1] == '\\' && !comment, hidden = memchr(in, '\0', len);

		if (!goes_on)
			keep = !comment && !hidden && is_public(lists, in, len);
		if (keep && !comment && !hidden) {
			memmove(out, in, len);
			out += len;
		} else if (keys && !goes_on && !comment && !hidden && key_of(in, len)) {
			size_t n = key_of(in, len);

			memmove(out, in, n);
			out += n;
			if (more)
				*out++ = '\\';
		} else if (more || (comment && goes_on)) {
			*out++ = '\\'; /* a comment in the middle of a value does not end it */
		}
		goes_on = more || (comment && goes_on);
		if (newline)
			*out++ = '\n';
		in += len + (newline ? 1 : 0);
	}
	*out = '\0';
	b->len = (size_t)(out - b->data);
}

void ta_redact_unit(struct ta_buf *b)
{
	filter(b, (const char *const *[]){unit_keys, NULL}, false);
}

void ta_redact_irqbalance_unit(struct ta_buf *b)
{
	filter(b, (const char *const *[]){unit_keys, irqbalance_keys, NULL}, false);
}

void ta_redact_link_file(struct ta_buf *b)
{
	filter(b, (const char *const *[]){link_keys, NULL}, true);
}
