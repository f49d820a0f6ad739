#include "probe/bootnic.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/strv.h"

/* Names of ethtool(8) and of .link files for the offloads of the kernel (ethtool's off_flag_def[], src/shared/ethtool-util.c). */
static const char *const features[][3] = {
	{"gso", "GenericSegmentationOffload", "tx-generic-segmentation"},
	{"gro", "GenericReceiveOffload", "rx-gro"},
	{"lro", "LargeReceiveOffload", "rx-lro"},
	{"tso", "TCPSegmentationOffload", "tx-tcp-segmentation"},
	{"", "TCP6SegmentationOffload", "tx-tcp6-segmentation"},
	{"rx", "ReceiveChecksumOffload", "rx-checksum"},
	{"sg", "", "tx-scatter-gather"},
	{"rxhash", "", "rx-hashing"},
	{"ntuple", "NTupleFilter", "rx-ntuple-filter"},
	{"rxvlan", "ReceiveVLANCTAGHardwareAcceleration", "rx-vlan-hw-parse"},
	{"txvlan", "TransmitVLANCTAGHardwareAcceleration", "tx-vlan-hw-insert"},
	{"", "ReceiveVLANCTAGFilter", "rx-vlan-filter"},
	{"", "TransmitVLANSTAGHardwareAcceleration", "tx-vlan-stag-hw-insert"},
	{"", "GenericReceiveOffloadHardware", "rx-gro-hw"},
};

/* --- ethtool ----------------------------------------------------------------------------------- */

static const struct {
	const char *shorter, *longer, *kind;
} options[] = {
	{"-L", "--set-channels", "channels"},
	{"-G", "--set-ring", "rings"},
	{"-C", "--coalesce", "coalesce"},
	{"-K", "--features", "features"},
	{"-K", "--offload", "features"},
	{"-X", "--set-rxfh-indir", "rss"},
	{"-X", "--rxfh", "rss"},
};

struct adding {
	struct ta_boot_list *l;
	enum ta_boot_by by;
	const char *ifname, *file;
	unsigned line;
	bool maybe;
};

static void add(const struct adding *a, const char *kind, const char *setting, const char *value)
{
	char target[160];
	struct ta_boot_line *x;

	snprintf(target, sizeof(target), "%s %s%s%s", a->ifname, kind, *setting ? " " : "", setting);
	x = ta_boot_list_add(a->l, a->by, target, a->file, a->line, value);
	if (x)
		x->maybe = a->maybe;
}

static const char *feature_of(const char *name, size_t column)
{
	for (size_t i = 0; i < TA_ARRAY_SIZE(features); i++)
		if (*features[i][column] && !strcmp(features[i][column], name))
			return features[i][2];
	return name;
}

static void add_feature(const struct adding *a, const char *name, size_t column, const char *value)
{
	const char *feature = feature_of(name, column);

	add(a, "features", feature, value);
	/* ethtool means both by it */
	if (!column && !strcmp(name, "tso"))
		add(a, "features", "tx-tcp6-segmentation", value);
}

static void add_words(const struct adding *a, const char *kind, const struct ta_strv *words, size_t from)
{
	if (!strcmp(kind, "rss")) {
		ta_cleanup_buf struct ta_buf all = TA_BUF_INIT;

		for (size_t i = from; i < words->n; i++)
			ta_buf_printf(&all, "%s%s", i > from ? " " : "", words->v[i]);
		add(a, kind, "", ta_buf_text(&all));
		return;
	}
	for (size_t i = from; i + 1 < words->n; i += 2) {
		const char *value = words->v[i + 1];
		int64_t n;

		if (!strcmp(kind, "features"))
			add_feature(a, words->v[i], 0, value);
		else
			add(a, kind, words->v[i], !ta_parse_i64(value, &n) || !strcmp(value, "on") || !strcmp(value, "off") ? value : NULL);
	}
}

bool ta_boot_ethtool(struct ta_boot_list *l, const char *run, const char *ifname, const char *file, unsigned line, bool maybe)
{
	const struct adding a = {l, TA_BY_RUN, ifname, file, line, maybe};
	ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;
	const char *slash;

	ta_strv_split(&words, run, " ");
	if (!words.n)
		return false;
	slash = strrchr(words.v[0], '/');
	if (strcmp(slash ? slash + 1 : words.v[0], "ethtool") != 0)
		return false;
	for (size_t i = 0; words.n > 3 && i < TA_ARRAY_SIZE(options); i++) {
		if (strcmp(words.v[1], options[i].shorter) && strcmp(words.v[1], options[i].longer))
			continue;
		if (strcmp(words.v[2], ifname) != 0)
			return false;
		add_words(&a, options[i].kind, &words, 3);
		return true;
	}
	return words.n > 1;
}

/* --- .link files --------------------------------------------------------------------------------- */

enum form { NUMBER, SECONDS, SWITCH };

static const struct {
	const char *key, *kind, *setting;
	enum form form;
} keys[] = {
	{"MTUBytes", "mtu", "", NUMBER},
	{"TransmitQueueLength", "txqueuelen", "", NUMBER},
	{"RxBufferSize", "rings", "rx", NUMBER},
	{"RxMiniBufferSize", "rings", "rx-mini", NUMBER},
	{"RxJumboBufferSize", "rings", "rx-jumbo", NUMBER},
	{"TxBufferSize", "rings", "tx", NUMBER},
	{"RxChannels", "channels", "rx", NUMBER},
	{"TxChannels", "channels", "tx", NUMBER},
	{"OtherChannels", "channels", "other", NUMBER},
	{"CombinedChannels", "channels", "combined", NUMBER},
	{"RxCoalesceSec", "coalesce", "rx-usecs", SECONDS},
	{"TxCoalesceSec", "coalesce", "tx-usecs", SECONDS},
	{"RxMaxCoalescedFrames", "coalesce", "rx-frames", NUMBER},
	{"TxMaxCoalescedFrames", "coalesce", "tx-frames", NUMBER},
	{"RxCoalesceIrqSec", "coalesce", "rx-usecs-irq", SECONDS},
	{"TxCoalesceIrqSec", "coalesce", "tx-usecs-irq", SECONDS},
	{"RxMaxCoalescedIrqFrames", "coalesce", "rx-frames-irq", NUMBER},
	{"TxMaxCoalescedIrqFrames", "coalesce", "tx-frames-irq", NUMBER},
	{"UseAdaptiveRxCoalesce", "coalesce", "adaptive-rx", SWITCH},
	{"UseAdaptiveTxCoalesce", "coalesce", "adaptive-tx", SWITCH},
};

/* parse_boolean(), src/basic/parse-util.c */
static const char *switch_of(const char *value)
{
	static const char *const on[] = {"1", "yes", "y", "true", "t", "on"}, *const off[] = {"0", "no", "n", "false", "f", "off"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(on); i++) {
		if (!strcasecmp(value, on[i]))
			return "on";
		if (!strcasecmp(value, off[i]))
			return "off";
	}
	return NULL;
}

static void add_key(const struct adding *a, size_t i, const char *value)
{
	char text[32];
	int64_t n;

	if (keys[i].form == SWITCH) {
		value = switch_of(value);
		if (value)
			add(a, keys[i].kind, keys[i].setting, value);
	} else if (keys[i].form == NUMBER && !strcmp(value, "max")) {
		add(a, keys[i].kind, keys[i].setting, value);
	} else if (!(keys[i].form == SECONDS ? ta_link_usecs(value, &n) : ta_link_number(value, &n))) {
		/* A zero of rings and channels is no value (config_parse_ring_buffer_or_channel()). */
		if (!n && (!strcmp(keys[i].kind, "rings") || !strcmp(keys[i].kind, "channels")))
			return;
		snprintf(text, sizeof(text), "%lld", (long long)n);
		add(a, keys[i].kind, keys[i].setting, text);
	}
}

void ta_boot_link(struct ta_boot_list *l, const struct ta_link_conf *c, const char *ifname, bool maybe)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct ta_link_line *x = &c->v[i];
		const struct adding a = {l, TA_BY_LINK, ifname, c->files.v[x->file], x->number, maybe};
		const char *on;

		if (x->match || ta_link_last(c, x->key) != x)
			continue;
		for (size_t k = 0; k < TA_ARRAY_SIZE(keys); k++)
			if (!strcmp(x->key, keys[k].key))
				add_key(&a, k, x->value);
		for (size_t k = 0; k < TA_ARRAY_SIZE(features); k++)
			if (!strcmp(x->key, features[k][1]) && (on = switch_of(x->value)))
				add(&a, "features", features[k][2], on);
	}
}
