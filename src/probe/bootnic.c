#include "probe/bootnic.h"

#include <stdio.h>
#include <string.h>

#include "base/cpuset.h"
#include "base/num.h"
#include "base/strv.h"

/* Names of ethtool(8) and of .link files for the offloads of the kernel (ethtool's off_flag_def[], src/shared/ethtool-util.c). */
static const struct {
	const char *ethtool, *link, *feature;
	int since; /* of systemd */
} features[] = {
	{"gso", "GenericSegmentationOffload", "tx-generic-segmentation", 232},
	{"gro", "GenericReceiveOffload", "rx-gro", 232},
	{"lro", "LargeReceiveOffload", "rx-lro", 232},
	{"tso", "TCPSegmentationOffload", "tx-tcp-segmentation", 232},
	{"", "TCP6SegmentationOffload", "tx-tcp6-segmentation", 235},
	{"rx", "ReceiveChecksumOffload", "rx-checksum", 245},
	{"sg", "", "tx-scatter-gather", 0},
	{"rxhash", "", "rx-hashing", 0},
	{"ntuple", "NTupleFilter", "rx-ntuple-filter", 250},
	{"rxvlan", "ReceiveVLANCTAGHardwareAcceleration", "rx-vlan-hw-parse", 250},
	{"txvlan", "TransmitVLANCTAGHardwareAcceleration", "tx-vlan-hw-insert", 250},
	{"", "ReceiveVLANCTAGFilter", "rx-vlan-filter", 250},
	{"", "TransmitVLANSTAGHardwareAcceleration", "tx-vlan-stag-hw-insert", 250},
	{"", "GenericReceiveOffloadHardware", "rx-gro-hw", 250},
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
	bool maybe, too_new;
};

static void add(const struct adding *a, const char *kind, const char *setting, const char *value)
{
	char target[160];
	struct ta_boot_line *x;

	snprintf(target, sizeof(target), "%s %s%s%s", a->ifname, kind, *setting ? " " : "", setting);
	x = ta_boot_list_add(a->l, a->by, target, a->file, a->line, value);
	if (!x)
		return;
	x->maybe = a->maybe;
	x->void_ = a->too_new; /* what systemd does not know it passes over */
}

static void add_feature(const struct adding *a, const char *name, const char *value)
{
	const char *feature = name;

	for (size_t i = 0; i < TA_ARRAY_SIZE(features); i++)
		if (!strcmp(features[i].ethtool, name))
			feature = features[i].feature;
	add(a, "features", feature, value);
	/* it means both by it */
	if (!strcmp(name, "tso"))
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
			add_feature(a, words->v[i], value);
		else
			add(a, kind, words->v[i], !ta_parse_i64(value, &n) || !strcmp(value, "on") || !strcmp(value, "off") ? value : NULL);
	}
}

bool ta_boot_ethtool(struct ta_boot_list *l, const char *run, const char *ifname, const char *file, unsigned line, bool maybe)
{
	const struct adding a = {l, TA_BY_RUN, ifname, file, line, maybe, false};
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

#define STEERING "ReceivePacketSteeringCPUMask"

enum form { NUMBER, SECONDS, SWITCH };

static const struct {
	const char *key, *kind, *setting;
	enum form form;
	int since;
} keys[] = {
	{"MTUBytes", "mtu", "", NUMBER, 211},
	{"TransmitQueueLength", "txqueuelen", "", NUMBER, 248},
	{"RxBufferSize", "rings", "rx", NUMBER, 244},
	{"RxMiniBufferSize", "rings", "rx-mini", NUMBER, 244},
	{"RxJumboBufferSize", "rings", "rx-jumbo", NUMBER, 244},
	{"TxBufferSize", "rings", "tx", NUMBER, 244},
	{"RxChannels", "channels", "rx", NUMBER, 239},
	{"TxChannels", "channels", "tx", NUMBER, 239},
	{"OtherChannels", "channels", "other", NUMBER, 239},
	{"CombinedChannels", "channels", "combined", NUMBER, 239},
	{"RxCoalesceSec", "coalesce", "rx-usecs", SECONDS, 250},
	{"TxCoalesceSec", "coalesce", "tx-usecs", SECONDS, 250},
	{"RxMaxCoalescedFrames", "coalesce", "rx-frames", NUMBER, 250},
	{"TxMaxCoalescedFrames", "coalesce", "tx-frames", NUMBER, 250},
	{"RxCoalesceIrqSec", "coalesce", "rx-usecs-irq", SECONDS, 250},
	{"TxCoalesceIrqSec", "coalesce", "tx-usecs-irq", SECONDS, 250},
	{"RxMaxCoalescedIrqFrames", "coalesce", "rx-frames-irq", NUMBER, 250},
	{"TxMaxCoalescedIrqFrames", "coalesce", "tx-frames-irq", NUMBER, 250},
	{"UseAdaptiveRxCoalesce", "coalesce", "adaptive-rx", SWITCH, 250},
	{"UseAdaptiveTxCoalesce", "coalesce", "adaptive-tx", SWITCH, 250},
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

/* "0-3,5" for every receive queue; more lines than one add up, "all" is worked out at boot. */
static void add_steering(struct adding *a, const struct ta_link_conf *c, const char *value, const struct ta_strv *queues)
{
	ta_cleanup_cpuset struct ta_cpuset set = TA_CPUSET_INIT;
	ta_cleanup_buf struct ta_buf list = TA_BUF_INIT, mask = TA_BUF_INIT;
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += !c->v[i].match && !strcmp(c->v[i].key, STEERING);
	for (const char *p = value; *p; p++)
		ta_buf_addc(&list, *p == ' ' || *p == '\t' ? ',' : *p);
	if (!strcmp(value, "disable"))
		ta_buf_adds(&mask, "0");
	else if (n == 1 && !ta_cpuset_parse_list(&set, ta_buf_text(&list)))
		ta_cpuset_format_mask(&set, &mask);
	for (size_t i = 0; i < queues->n; i++) {
		char target[160];
		struct ta_boot_line *x;

		if (strncmp(queues->v[i], "rx-", 3) != 0)
			continue;
		snprintf(target, sizeof(target), "/sys/class/net/%.32s/queues/%.32s/rps_cpus", a->ifname, queues->v[i]);
		x = ta_boot_list_add(a->l, a->by, target, a->file, a->line, mask.len ? mask.data : NULL);
		if (!x)
			return;
		x->maybe = a->maybe;
		x->void_ = a->too_new;
	}
}

void ta_boot_link(struct ta_boot_list *l, const struct ta_link_conf *c, const struct ta_link_target *t)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct ta_link_line *x = &c->v[i];
		struct adding a = {l, TA_BY_LINK, t->ifname, c->files.v[x->file], x->number, t->maybe, false};
		const char *on;

		if (x->match || ta_link_last(c, x->key) != x)
			continue;
		for (size_t k = 0; k < TA_ARRAY_SIZE(keys); k++) {
			a.too_new = t->version && keys[k].since > t->version;
			if (!strcmp(x->key, keys[k].key))
				add_key(&a, k, x->value);
		}
		for (size_t k = 0; k < TA_ARRAY_SIZE(features); k++) {
			a.too_new = t->version && features[k].since > t->version;
			if (!strcmp(x->key, features[k].link) && (on = switch_of(x->value)))
				add(&a, "features", features[k].feature, on);
		}
		a.too_new = t->version && t->version < 256;
		if (!strcmp(x->key, STEERING))
			add_steering(&a, c, x->value, t->queues);
	}
}
