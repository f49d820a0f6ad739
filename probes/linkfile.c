/*
 * What udev sets of network interfaces at boot: the first .link file whose [Match] is met, and no other
 * (systemd.link(5), src/udev/net/link-config.c). What [Match] asks for and cannot be told from here leaves it open.
 */
#include <string.h>

#include "probe/linkconf.h"
#include "probe/nicset.h"
#include "probe/probe.h"

static const struct ta_field fields[] = {
	{"nics.*.boot.file", TA_T_STRING, "", "the .link file that udev applies to it; \"\" = none", TA_F_WRITTEN, {}},
	{"nics.*.boot.sets", TA_T_STRINGS, "", "what that file sets, with FILE:LINE", TA_F_PLACES | TA_F_WRITTEN, {}},
	{"nics.*.boot.whole", TA_T_BOOL, "", "that is all it sets: it has no other sections, and nothing twice", TA_F_WRITTEN, {}},
	{"nics.*.boot.mtu", TA_T_INT, "bytes", "MTUBytes=", TA_F_WRITTEN, {}},
	{"nics.*.boot.txqueuelen", TA_T_INT, "packets", "TransmitQueueLength=", TA_F_WRITTEN, {}},
	{"nics.*.boot.rx_ring", TA_T_INT, "descriptors", "RxBufferSize=", TA_F_WRITTEN, {}},
	{"nics.*.boot.tx_ring", TA_T_INT, "descriptors", "TxBufferSize=", TA_F_WRITTEN, {}},
	{"nics.*.boot.rx_channels", TA_T_INT, "channels", "RxChannels=", TA_F_WRITTEN, {}},
	{"nics.*.boot.tx_channels", TA_T_INT, "channels", "TxChannels=", TA_F_WRITTEN, {}},
	{"nics.*.boot.combined_channels", TA_T_INT, "channels", "CombinedChannels=", TA_F_WRITTEN, {}},
};

static const struct {
	const char *key, *fact;
} numbers[] = {
	{"MTUBytes", "mtu"}, {"TransmitQueueLength", "txqueuelen"}, {"RxBufferSize", "rx_ring"},
	{"TxBufferSize", "tx_ring"}, {"RxChannels", "rx_channels"}, {"TxChannels", "tx_channels"},
	{"CombinedChannels", "combined_channels"},
};

/* --- facts ------------------------------------------------------------------------------ */

static void put_number(struct ta_facts *f, const char *name, const char *fact, const struct ta_link_line *l)
{
	int64_t v;

	if (l && !ta_link_number(l->value, &v))
		ta_put_i64(f, v, "nics", name, "boot", fact);
	else if (!l)
		ta_facts_put_absent(f, TA_KEYS("nics", name, "boot", fact), TA_MISSING, "no .link file sets it");
	else if (!strcmp(l->value, "max"))
		ta_facts_put_absent(f, TA_KEYS("nics", name, "boot", fact), TA_UNSUPPORTED,
			"%s=max is as much as the device can, and no number", l->key);
	else
		ta_facts_put_absent(f, TA_KEYS("nics", name, "boot", fact), TA_MALFORMED, "%s=%s is no number", l->key,
			l->value);
}

/* What is told of it is all it says: a file that takes its place can say the same. */
static bool is_whole(const struct ta_link_conf *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (!c->v[i].match && ta_link_last(c, c->v[i].key) != &c->v[i])
			return false;
	return !c->more;
}

static void put_file(struct ta_facts *f, const char *name, const struct ta_link_conf *c)
{
	ta_cleanup_strv struct ta_strv sets = TA_STRV_INIT;
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	ta_put_str(f, c ? c->files.v[0] : "", "nics", name, "boot", "file");
	ta_put_bool(f, !c || is_whole(c), "nics", name, "boot", "whole");
	for (size_t i = 0; c && i < c->n; i++) {
		const struct ta_link_line *l = &c->v[i];

		if (l->match || ta_link_last(c, l->key) != l)
			continue;
		ta_buf_reset(&text);
		ta_buf_printf(&text, "%s=%s (%s:%u)", l->key, l->value, c->files.v[l->file], l->number);
		ta_strv_add(&sets, ta_buf_text(&text));
	}
	ta_facts_put_strs(f, TA_KEYS("nics", name, "boot", "sets"), sets.v, sets.n);
	for (size_t i = 0; i < TA_ARRAY_SIZE(numbers); i++)
		put_number(f, name, numbers[i].fact, c ? ta_link_last(c, numbers[i].key) : NULL);
}

static void put_nic(struct ta_host *h, struct ta_facts *f, const struct ta_link_confs *all, const struct ta_netdev *d)
{
	const struct ta_link_conf *c;
	struct ta_link_nic nic;
	bool open;

	ta_link_nic_read(h, d, &nic);
	c = ta_link_find(h, all, &nic, &open);
	if (open)
		ta_facts_put_absent(f, TA_KEYS("nics", d->name, "boot"), c->rc ? ta_reason_of(c->rc) : TA_NOT_ASKED,
			"whether %s is for it cannot be told from here", c->files.v[0]);
	else
		put_file(f, d->name, c);
}

static void put_device(struct ta_host *h, struct ta_facts *f, const struct ta_link_confs *all, int files,
	const struct ta_netdev *d)
{
	if (files || all->rc)
		ta_put_errno(f, files ? files : all->rc, files ? "the .link files" : all->unlisted, "nics", d->name, "boot");
	else if (!all->n && !ta_host_is_whole(h))
		ta_facts_put_absent(
			f, TA_KEYS("nics", d->name, "boot"), TA_MISSING, "the copied tree has no .link files");
	else
		put_nic(h, f, all, d);
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_link_confs struct ta_link_confs all = {0};
	struct ta_nicset set = {0};
	int rc = ta_nicset_read(h, &set), files = rc ? 0 : ta_link_confs_read(h, &all);

	if (!ta_facts_at(f, TA_KEYS("nics")) && rc)
		ta_put_errno(f, rc, "the interfaces", "nics");
	else if (!ta_facts_at(f, TA_KEYS("nics")))
		ta_put_object(f, "nics");
	/* A /sys of another network namespace shows interfaces that are not ours. */
	for (size_t i = 0; !rc && i < set.links.n; i++) {
		const struct ta_netdev *d = ta_nicset_device(&set, h, &set.links.v[i]);

		if (d && !d->is_virtual)
			put_device(h, f, &all, files, d);
	}
	ta_nicset_done(&set);
}

const struct ta_probe ta_probe_linkfile = {
	.name = "linkfile",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
