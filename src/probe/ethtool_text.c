/*
 * Outputs of the ethtool command, as support tools collect them: in a capture
 * without netlink they stand in for it.
 *
 * "n/a" is what netlink does not have. Older versions print 0 for it: then a
 * maximum of 0 means that there is none, and a zero without a maximum stays
 * unknown. Mail programs put blank lines between the lines.
 */
#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "probe/ethtool.h"
#include "probe/linkmode.h"
#include "probe/pasted.h"

struct text {
	struct ta_strv lines; /* blanks around them dropped, empty ones left out */
	bool has_na;          /* written by a version that tells "cannot" from zero */
};

void ta_eth_plain_text(const char *text, struct ta_buf *ret)
{
	for (const char *s = text; *s; s++) {
		bool no_break = s[0] == '\xc2' && s[1] == '\xa0';

		ta_buf_addc(ret, no_break ? ' ' : *s);
		s += no_break;
	}
}

static int split(const char *text, struct text *ret)
{
	ta_cleanup_buf struct ta_buf plain = TA_BUF_INIT;
	struct ta_strv raw = TA_STRV_INIT;
	int rc;

	ta_eth_plain_text(text, &plain);
	ta_strv_split(&raw, ta_buf_text(&plain), "\r\n");
	for (size_t i = 0; i < raw.n; i++) {
		const char *s = raw.v[i] + strspn(raw.v[i], " \t");
		size_t len = strlen(s);

		while (len && (s[len - 1] == ' ' || s[len - 1] == '\t'))
			len--;
		if (len)
			ta_strv_addn(&ret->lines, s, len);
		ret->has_na = ret->has_na || strstr(s, "n/a");
	}
	rc = plain.error ? plain.error : raw.error ? raw.error : ret->lines.error;
	ta_strv_done(&raw);
	return rc;
}

/* What stands behind "KEY:", or NULL. */
static const char *value_of(const char *line, const char *key)
{
	size_t len = strlen(key);

	if (strncmp(line, key, len) != 0 || line[len] != ':')
		return NULL;
	return line + len + 1 + strspn(line + len + 1, " \t");
}

static bool number_of(const char *text, int64_t *ret)
{
	return ta_parse_i64(text, ret) == 0 && *ret >= 0;
}

/* --- channels and rings ---------------------------------------------------------------- */

struct pair {
	const char *key;
	enum ta_eth_value max, current;
};

static const struct pair channel_pairs[] = {
	{"RX", TA_ETH_V_CHANNELS_RX_MAX, TA_ETH_V_CHANNELS_RX},
	{"TX", TA_ETH_V_CHANNELS_TX_MAX, TA_ETH_V_CHANNELS_TX},
	{"Other", TA_ETH_V_CHANNELS_OTHER_MAX, TA_ETH_V_CHANNELS_OTHER},
	{"Combined", TA_ETH_V_CHANNELS_COMBINED_MAX, TA_ETH_V_CHANNELS_COMBINED},
};

static const struct pair ring_pairs[] = {
	{"RX", TA_ETH_V_RINGS_RX_MAX, TA_ETH_V_RINGS_RX},
	{"TX", TA_ETH_V_RINGS_TX_MAX, TA_ETH_V_RINGS_TX},
};

/* A maximum of 0 is none; where only the present settings were kept, a 0 of them may be that. */
static void drop_unsupported(const struct pair *p, bool max_told, struct ta_ethtool *e)
{
	struct ta_val *max = &e->v[p->max], *current = &e->v[p->current];

	if (max->rc == 0 && max->v == 0)
		max->rc = current->rc = -EOPNOTSUPP;
	if (!max_told && current->rc == 0 && current->v == 0)
		current->rc = -ENOENT;
	if (!max_told)
		max->rc = -ENODATA;
}

static bool has_line(const struct text *t, const char *key)
{
	for (size_t i = 0; i < t->lines.n; i++)
		if (value_of(t->lines.v[i], key))
			return true;
	return false;
}

static bool take_pairs(
	const struct text *t, const struct pair *pairs, size_t n, struct ta_ethtool *e)
{
	bool present = false, max_told = false, any = false;

	/* A line that is not there was cut off; one with "n/a" is an answer. */
	for (size_t k = 0; k < n; k++)
		if (!has_line(t, pairs[k].key))
			e->v[pairs[k].max].rc = e->v[pairs[k].current].rc = -ENODATA;
	for (size_t i = 0; i < t->lines.n; i++) {
		const char *line = t->lines.v[i], *text;
		int64_t v;

		max_told = max_told ||
			   strncmp(line, "Pre-set maximums", strlen("Pre-set maximums")) == 0;
		present = present || strncmp(line, "Current hardware settings",
					     strlen("Current hardware settings")) == 0;
		for (size_t k = 0; k < n; k++) {
			text = value_of(line, pairs[k].key);
			if (!text || !number_of(text, &v))
				continue;
			e->v[present ? pairs[k].current : pairs[k].max] = (struct ta_val){.v = v};
			any = true;
		}
	}
	for (size_t k = 0; k < n && any; k++)
		drop_unsupported(&pairs[k], max_told, e);
	return any;
}

/* --- coalescing, pause, EEE ------------------------------------------------------------------ */

static bool flag_of(const char *text, bool *ret)
{
	*ret = strncmp(text, "on", 2) == 0;
	return *ret || strncmp(text, "off", 3) == 0;
}

static void put_flag(
	const struct text *t, const char *text, enum ta_eth_value value, struct ta_ethtool *e)
{
	bool on;

	if (!text || !flag_of(text, &on))
		return;
	e->v[value] = (struct ta_val){
		.v = on, .rc = !on && ta_eth_rows[value].zero_unsure && !t->has_na ? -ENOENT : 0};
}

static bool take_coalesce(const struct text *t, struct ta_ethtool *e)
{
	static const struct {
		const char *key;
		enum ta_eth_value value;
	} numbers[] = {
		{"rx-usecs", TA_ETH_V_RX_USECS},
		{"rx-frames", TA_ETH_V_RX_FRAMES},
		{"tx-usecs", TA_ETH_V_TX_USECS},
		{"tx-frames", TA_ETH_V_TX_FRAMES},
	};
	bool any = false;

	for (size_t i = 0; i < t->lines.n; i++) {
		const char *adaptive = value_of(t->lines.v[i], "Adaptive RX"), *text;
		int64_t v;

		any = any || adaptive;
		put_flag(t, adaptive, TA_ETH_V_ADAPTIVE_RX, e);
		text = adaptive ? strstr(adaptive, "TX: ") : NULL;
		put_flag(t, text ? text + 4 : NULL, TA_ETH_V_ADAPTIVE_TX, e);
		for (size_t k = 0; k < TA_ARRAY_SIZE(numbers); k++) {
			text = value_of(t->lines.v[i], numbers[k].key);
			if (text && number_of(text, &v))
				e->v[numbers[k].value] = (struct ta_val){
					.v = v, .rc = v == 0 && !t->has_na ? -ENOENT : 0};
			any = any || text;
		}
	}
	return any;
}

static bool take_pause(const struct text *t, struct ta_ethtool *e)
{
	bool any = false;

	for (size_t i = 0; i < t->lines.n; i++) {
		const char *autoneg = value_of(t->lines.v[i], "Autonegotiate");

		any = any || autoneg;
		put_flag(t, autoneg, TA_ETH_V_PAUSE_AUTONEG, e);
		put_flag(t, value_of(t->lines.v[i], "RX"), TA_ETH_V_PAUSE_RX, e);
		put_flag(t, value_of(t->lines.v[i], "TX"), TA_ETH_V_PAUSE_TX, e);
	}
	return any;
}

/* "EEE status: enabled - active", "disabled", "not supported". */
static bool take_eee(const struct text *t, struct ta_ethtool *e)
{
	for (size_t i = 0; i < t->lines.n; i++) {
		const char *status = value_of(t->lines.v[i], "EEE status");

		if (!status || strstr(status, "not supported"))
			continue;
		e->v[TA_ETH_V_EEE_ENABLED] =
			(struct ta_val){.v = strncmp(status, "enabled", 7) == 0};
		e->v[TA_ETH_V_EEE_ACTIVE] =
			(struct ta_val){.v = strstr(status, "- active") != NULL};
		return true;
	}
	return false;
}

/* --- link modes ---------------------------------------------------------------------------------
 */

static int64_t fastest_word(const char *text)
{
	int64_t best = 0;

	while (*text) {
		int64_t speed = ta_linkmode_speed_of_name(text);

		best = TA_MAX(best, speed);
		text += strcspn(text, " \t");
		text += strspn(text, " \t");
	}
	return best;
}

/* The list behind `key` goes on in the lines that follow until one has a ':'. */
static struct ta_val fastest_mode(const struct text *t, const char *key)
{
	int64_t best = 0;
	bool inside = false;

	for (size_t i = 0; i < t->lines.n; i++) {
		const char *text = value_of(t->lines.v[i], key);

		inside = text || (inside && !strchr(t->lines.v[i], ':'));
		if (inside) {
			int64_t speed = fastest_word(text ? text : t->lines.v[i]);

			best = TA_MAX(best, speed);
		}
	}
	return best ? (struct ta_val){.v = best} : (struct ta_val){.rc = -EOPNOTSUPP};
}

/* "1000Mb/s": 1000; "Unknown!": 0. */
static int64_t speed_of(const char *text)
{
	int64_t v = 0;

	for (; ta_is_digit(*text) && v < 100000000; text++)
		v = v * 10 + (*text - '0');
	return strcmp(text, "Mb/s") == 0 ? v : 0;
}

static bool take_settings(const struct text *t, struct ta_ethtool *e)
{
	bool any = false, on;

	for (size_t i = 0; i < t->lines.n; i++) {
		const char *line = t->lines.v[i], *text;

		text = value_of(line, "Speed");
		if (text && speed_of(text))
			e->speed_mbps = (struct ta_val){.v = speed_of(text)};
		any = any || text;
		text = value_of(line, "Duplex");
		if (text && (strcmp(text, "Full") == 0 || strcmp(text, "Half") == 0))
			e->duplex = (struct ta_val){.v = *text == 'F'};
		text = value_of(line, "Auto-negotiation");
		if (text && flag_of(text, &on))
			e->autoneg = (struct ta_val){.v = on};
	}
	e->supported_max_mbps = fastest_mode(t, "Supported link modes");
	e->advertised_max_mbps = fastest_mode(t, "Advertised link modes");
	e->peer_max_mbps = fastest_mode(t, "Link partner advertised link modes");
	return any;
}

/* --- features
 * ---------------------------------------------------------------------------------------- */

/* Names of the command for the kernel's; groups come before their members, which then say it
 * better. */
static const char *const aliases[][2] = {
	{"rx-checksumming", "rx-checksum"},
	{"scatter-gather", "tx-scatter-gather"},
	{"tcp-segmentation-offload", "tx-tcp-segmentation"},
	{"generic-segmentation-offload", "tx-generic-segmentation"},
	{"generic-receive-offload", "rx-gro"},
	{"large-receive-offload", "rx-lro"},
	{"rx-vlan-offload", "rx-vlan-hw-parse"},
	{"tx-vlan-offload", "tx-vlan-hw-insert"},
	{"ntuple-filters", "rx-ntuple-filter"},
	{"receive-hashing", "rx-hashing"},
};

/* Groups that are no feature of the kernel. */
static bool is_group(const char *name, size_t len)
{
	static const char *const groups[] = {"tx-checksumming", "udp-fragmentation-offload", "udp fragmentation offload"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(groups); i++)
		if (strlen(groups[i]) == len && memcmp(groups[i], name, len) == 0)
			return true;
	return false;
}

/* The number of a name's bit; -1: no room for more. */
static int bit_of(struct ta_eth_names *names, const char *name, size_t len)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	for (size_t i = 0; i < len; i++) /* ethtool up to 3.3: "tcp segmentation offload" */
		ta_buf_addc(&b, name[i] == ' ' ? '-' : name[i]);
	for (size_t i = 0; i < TA_ARRAY_SIZE(aliases); i++) {
		if (strcmp(ta_buf_text(&b), aliases[i][0]) == 0) {
			ta_buf_reset(&b);
			ta_buf_adds(&b, aliases[i][1]);
		}
	}
	for (size_t i = 0; i < names->features.n; i++)
		if (strcmp(names->features.v[i], ta_buf_text(&b)) == 0)
			return (int)i;
	if (names->features.n == TA_ETH_FEATURE_WORDS * 32)
		return -1;
	ta_strv_add(&names->features, ta_buf_text(&b));
	return names->features.error || b.error ? -1 : (int)names->features.n - 1;
}

static void set_bit(uint32_t *words, int bit, bool on)
{
	uint32_t mask = UINT32_C(1) << (bit % 32);

	words[bit / 32] = on ? words[bit / 32] | mask : words[bit / 32] & ~mask;
}

/* "generic-segmentation-offload: off [requested on]", "rx-checksumming: on [fixed]". */
static bool take_features(const struct text *t, struct ta_eth_names *names, struct ta_ethtool *e)
{
	bool any = false, on;

	for (size_t i = 0; i < t->lines.n; i++) {
		const char *line = t->lines.v[i], *colon = strchr(line, ':'), *text;
		int bit;

		text = colon ? colon + 1 + strspn(colon + 1, " \t") : "";
		if (!flag_of(text, &on) || is_group(line, (size_t)(colon - line)))
			continue;
		bit = bit_of(names, line, (size_t)(colon - line));
		if (bit < 0)
			continue;
		any = true;
		set_bit(e->features.known, bit, true);
		set_bit(e->features.active, bit, on);
		set_bit(e->features.wanted, bit, on || strstr(text, "[requested on"));
		set_bit(e->features.hw, bit, !strstr(text, "[fixed]"));
		set_bit(e->features.nochange, bit, strstr(text, "[fixed]"));
	}
	return any;
}

/* --- RSS
 * ------------------------------------------------------------------------------------------------
 */

/* "   16:      0     1     2 …": appends the queue numbers of one line; false: no such line. */
static bool take_table_line(const char *line, struct ta_buf *table)
{
	const char *colon = strchr(line, ':'), *s;
	uint64_t v;

	if (!colon || strspn(line, "0123456789") != (size_t)(colon - line) || colon == line)
		return false;
	for (s = colon + 1; ta_next_u64(&s, &v) == 0 && v <= UINT32_MAX;) {
		uint32_t queue = (uint32_t)v;

		ta_buf_add(table, &queue, sizeof(queue));
	}
	return true;
}

static bool take_rss(const struct text *t, struct ta_ethtool *e)
{
	ta_cleanup_buf struct ta_buf table = TA_BUF_INIT;
	bool key = false;

	for (size_t i = 0; i < t->lines.n; i++) {
		const char *line = t->lines.v[i];

		if (key && strlen(line) % 3 == 2 &&
			strspn(line, "0123456789abcdefABCDEF:") == strlen(line))
			e->rss.key_bytes = (int64_t)(strlen(line) + 1) / 3;
		else if (!key)
			take_table_line(line, &table);
		key = strncmp(line, "RSS hash key", strlen("RSS hash key")) == 0;
		if (strcmp(line, "toeplitz: on") == 0)
			e->rss.hfunc = 1;
		else if (strcmp(line, "xor: on") == 0)
			e->rss.hfunc = 2;
		else if (strcmp(line, "crc32: on") == 0)
			e->rss.hfunc = 4;
	}
	if (!table.len || table.error)
		return false;
	return ta_eth_take_table((const uint32_t *)(const void *)table.data,
		       table.len / sizeof(uint32_t), &e->rss) == 0;
}

/* --- one output
 * --------------------------------------------------------------------------------------------- */

static bool take(
	enum ta_eth_msg msg, const struct text *t, struct ta_eth_names *names, struct ta_ethtool *e)
{
	switch (msg) {
	case TA_ETH_LINKMODES:
		return take_settings(t, e);
	case TA_ETH_CHANNELS:
		return take_pairs(t, channel_pairs, TA_ARRAY_SIZE(channel_pairs), e);
	case TA_ETH_RINGS:
		return take_pairs(t, ring_pairs, TA_ARRAY_SIZE(ring_pairs), e);
	case TA_ETH_COALESCE:
		return take_coalesce(t, e);
	case TA_ETH_PAUSE:
		return take_pause(t, e);
	case TA_ETH_EEE:
		return take_eee(t, e);
	case TA_ETH_FEATURES:
		return take_features(t, names, e);
	case TA_ETH_RSS:
		return take_rss(t, e);
	default:
		return false;
	}
}

int ta_eth_parse_text(
	enum ta_eth_msg msg, const char *text, struct ta_eth_names *names, struct ta_ethtool *e)
{
	struct text t = {0};
	int rc = split(text, &t);

	if (rc == 0 && !take(msg, &t, names, e)) {
		rc = strstr(text, "not permitted") ? -EPERM : -EBADMSG;
		if (strstr(text, "not supported"))
			rc = -EOPNOTSUPP;
	}
	ta_strv_done(&t.lines);
	return rc;
}

int ta_eth_text(struct ta_host *h, const char *ifname, const char *option, struct ta_buf *ret)
{
	struct ta_pasted pasted;

	return ta_pasted_open(h, &pasted) ? ta_pasted_ethtool(&pasted, option, ifname, ret) : -ENOENT;
}

void ta_eth_from_text(struct ta_host *h, const char *ifname, enum ta_eth_msg msg,
	struct ta_ethtools *all, struct ta_ethtool *e)
{
	static const char *const options[TA_ETH_N_MSGS] = {
		[TA_ETH_LINKMODES] = "",
		[TA_ETH_CHANNELS] = "-l",
		[TA_ETH_RINGS] = "-g",
		[TA_ETH_COALESCE] = "-c",
		[TA_ETH_PAUSE] = "-a",
		[TA_ETH_EEE] = "--show-eee",
		[TA_ETH_FEATURES] = "-k",
		[TA_ETH_RSS] = "-x",
	};
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	if (ta_eth_text(h, ifname, options[msg], &text) == 0)
		e->rc[msg] = ta_eth_parse_text(msg, ta_buf_text(&text), &all->names, e);
}
