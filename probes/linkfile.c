/*
 * What udev sets of network interfaces at boot: the first .link file whose [Match] is met, and no other
 * (systemd.link(5), src/udev/net/link-config.c). What [Match] asks for and cannot be told from here leaves it open.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "probe/conffiles.h"
#include "probe/nicset.h"
#include "probe/probe.h"
#include "probe/unitfile.h"
#include "probe/value.h"

static const struct ta_field fields[] = {
	{"nics.*.boot.file", TA_T_STRING, "", "the .link file that udev applies to it; \"\" = none", 0, {}},
	{"nics.*.boot.sets", TA_T_STRINGS, "", "what that file sets, with FILE:LINE", 0, {}},
	{"nics.*.boot.mtu", TA_T_INT, "bytes", "MTUBytes=", 0, {}},
	{"nics.*.boot.txqueuelen", TA_T_INT, "packets", "TransmitQueueLength=", 0, {}},
	{"nics.*.boot.rx_ring", TA_T_INT, "descriptors", "RxBufferSize=", 0, {}},
	{"nics.*.boot.tx_ring", TA_T_INT, "descriptors", "TxBufferSize=", 0, {}},
	{"nics.*.boot.rx_channels", TA_T_INT, "channels", "RxChannels=", 0, {}},
	{"nics.*.boot.tx_channels", TA_T_INT, "channels", "TxChannels=", 0, {}},
	{"nics.*.boot.combined_channels", TA_T_INT, "channels", "CombinedChannels=", 0, {}},
};

static const struct {
	const char *key, *fact;
} numbers[] = {
	{"MTUBytes", "mtu"}, {"TransmitQueueLength", "txqueuelen"}, {"RxBufferSize", "rx_ring"},
	{"TxBufferSize", "tx_ring"}, {"RxChannels", "rx_channels"}, {"TxChannels", "tx_channels"},
	{"CombinedChannels", "combined_channels"},
};

static const char *const dirs[] = {"/etc/systemd/network", "/run/systemd/network", "/usr/local/lib/systemd/network",
	"/usr/lib/systemd/network", "/lib/systemd/network", NULL};

/* --- files ------------------------------------------------------------------------------ */

struct line {
	char *key, *value;
	unsigned number;
	bool match; /* of [Match]; else of [Link] */
};

struct link_file {
	const char *path;
	int rc; /* of reading it */
	struct line *v;
	size_t n;
};

struct link_files {
	struct ta_conf_files names;
	struct link_file *v;
};

static int add_line(const struct ta_unit_line *l, void *ctx)
{
	struct link_file *file = ctx;
	bool match = !strcmp(l->section, "Match");
	struct line *v;

	if (!match && strcmp(l->section, "Link") != 0)
		return 0;
	v = reallocarray(file->v, file->n + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	file->v = v;
	v += file->n;
	*v = (struct line){strdup(l->key), strdup(l->value), l->line, match};
	file->n++;
	return v->key && v->value ? 0 : -ENOMEM;
}

static void files_done(struct link_files *all)
{
	for (size_t i = 0; all->v && i < all->names.n; i++) {
		for (size_t k = 0; k < all->v[i].n; k++) {
			free(all->v[i].v[k].key);
			free(all->v[i].v[k].value);
		}
		free(all->v[i].v);
	}
	free(all->v);
	ta_conf_files_done(&all->names);
}

static int read_files(struct ta_host *h, struct link_files *ret)
{
	int rc = ta_conf_files(h, dirs, ".link", NULL, &ret->names);

	ret->v = rc ? NULL : calloc(ret->names.n + 1, sizeof(*ret->v));
	for (size_t i = 0; ret->v && i < ret->names.n; i++) {
		ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
		struct link_file *file = &ret->v[i];

		file->path = ret->names.v[i].path;
		file->rc = ta_host_read(h, file->path, TA_READ_CAP, &text);
		if (!file->rc)
			file->rc = ta_unit_parse(ta_buf_text(&text), text.len, 0, add_line, file);
		if (file->rc == -ENOMEM)
			return -ENOMEM;
	}
	return rc ? rc : ret->v ? 0 : -ENOMEM;
}

/* --- does it match? ----------------------------------------------------------------------- */

struct nic {
	const char *name, *path; /* `path` as udev's ID_PATH has it; "" = not known */
	char driver[64], mac[32];
	bool own_mac; /* nobody gave it another one (addr_assign_type) */
	int type; /* ARPHRD; -1 = not known */
	bool is_virtual, wireless;
};

enum answer { NO, YES, UNKNOWN };

/* One of the blank-separated patterns; '!' before the first turns it around. */
static enum answer glob_list(const char *list, const char *value, bool fold)
{
	ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;
	bool not = *list == '!', any = false;

	ta_strv_split(&words, list + not, " \t");
	for (size_t i = 0; i < words.n; i++)
		any = any || fnmatch(words.v[i], value, fold ? FNM_CASEFOLD : 0) == 0;
	return any != not ? YES : NO;
}

static enum answer match_type(const char *list, const struct nic *nic)
{
	if (nic->wireless)
		return glob_list(list, "wlan", false);
	if (nic->type == 1 && !nic->is_virtual)
		return glob_list(list, "ether", false);
	return nic->type == 772 ? glob_list(list, "loopback", false) : UNKNOWN;
}

static enum answer match_line(const struct line *l, const struct nic *nic)
{
	if (!strcmp(l->key, "OriginalName"))
		return !strcmp(l->value, "*") ? YES : UNKNOWN; /* what it was called then is gone */
	if (!strcmp(l->key, "Driver"))
		return *nic->driver ? glob_list(l->value, nic->driver, false) : UNKNOWN;
	if (!strcmp(l->key, "Path"))
		return *nic->path ? glob_list(l->value, nic->path, false) : UNKNOWN;
	/* An address that was given to it was not there yet; they are written with colons, hyphens or dots. */
	if (!strcmp(l->key, "MACAddress") || !strcmp(l->key, "PermanentMACAddress"))
		return nic->own_mac && strcspn(l->value, ":") == 2 ? glob_list(l->value, nic->mac, true) : UNKNOWN;
	if (!strcmp(l->key, "Type"))
		return match_type(l->value, nic);
	if (!strcmp(l->key, "Kind"))
		return nic->is_virtual ? UNKNOWN : *l->value == '!' ? YES : NO;
	return UNKNOWN;
}

/* All that [Match] asks for; without any of it the file is passed over. */
static enum answer match_file(const struct link_file *file, const struct nic *nic)
{
	enum answer all = NO;

	for (size_t i = 0; i < file->n; i++) {
		enum answer one;

		if (!file->v[i].match || !*file->v[i].value)
			continue;
		one = match_line(&file->v[i], nic);
		if (one == NO)
			return NO;
		all = all == UNKNOWN || one == UNKNOWN ? UNKNOWN : YES;
	}
	return all;
}

/* --- facts ------------------------------------------------------------------------------ */

/* "9000", "4K" of 1024 for sizes; "max" of rings and channels is no number. */
static int parse_number(const char *value, int64_t *ret)
{
	size_t n = strlen(value);
	char copy[32];
	int64_t factor = 1;

	if (!n || n >= sizeof(copy))
		return -EINVAL;
	memcpy(copy, value, n + 1);
	if (copy[n - 1] == 'K' || copy[n - 1] == 'M')
		factor = copy[n - 1] == 'K' ? 1024 : 1024 * 1024;
	if (factor > 1)
		copy[n - 1] = '\0';
	if (ta_parse_i64(copy, ret) || *ret < 0 || *ret > INT32_MAX)
		return -EINVAL;
	*ret *= factor;
	return 0;
}

static const struct line *last_of(const struct link_file *file, const char *key)
{
	const struct line *found = NULL;

	for (size_t i = 0; file && i < file->n; i++)
		if (!file->v[i].match && !strcmp(file->v[i].key, key))
			found = &file->v[i];
	return found && *found->value ? found : NULL;
}

static void put_file(struct ta_facts *f, const char *name, const struct link_file *file)
{
	ta_cleanup_strv struct ta_strv sets = TA_STRV_INIT;
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	ta_put_str(f, file ? file->path : "", "nics", name, "boot", "file");
	for (size_t i = 0; file && i < file->n; i++) {
		const struct line *l = &file->v[i];

		if (l->match || last_of(file, l->key) != l)
			continue;
		ta_buf_reset(&text);
		ta_buf_printf(&text, "%s=%s (%s:%u)", l->key, l->value, file->path, l->number);
		ta_strv_add(&sets, ta_buf_text(&text));
	}
	ta_facts_put_strs(f, TA_KEYS("nics", name, "boot", "sets"), sets.v, sets.n);
	for (size_t i = 0; i < TA_ARRAY_SIZE(numbers); i++) {
		const struct line *l = last_of(file, numbers[i].key);
		int64_t v;

		if (l && !parse_number(l->value, &v))
			ta_put_i64(f, v, "nics", name, "boot", numbers[i].fact);
		else if (!l)
			ta_facts_put_absent(f, TA_KEYS("nics", name, "boot", numbers[i].fact), TA_MISSING, "no .link file sets it");
		else if (!strcmp(l->value, "max"))
			ta_facts_put_absent(f, TA_KEYS("nics", name, "boot", numbers[i].fact), TA_UNSUPPORTED,
				"%s=max is as much as the device can, and no number", l->key);
		else
			ta_facts_put_absent(f, TA_KEYS("nics", name, "boot", numbers[i].fact), TA_MALFORMED, "%s=%s is no number",
				l->key, l->value);
	}
}

static void put_nic(struct ta_facts *f, const struct link_files *all, const struct nic *nic)
{
	for (size_t i = 0; i < all->names.n; i++) {
		const struct link_file *file = &all->v[i];
		enum answer a = file->rc ? UNKNOWN : match_file(file, nic);

		/* A link to /dev/null masks the file of that name. */
		if (file->rc == -EBADMSG || file->rc == -ENOENT || a == NO)
			continue;
		if (a == YES)
			put_file(f, nic->name, file);
		else
			ta_facts_put_absent(f, TA_KEYS("nics", nic->name, "boot"),
				file->rc ? ta_reason_of(file->rc) : TA_NOT_ASKED,
				"whether %s is for it cannot be told from here", file->path);
		return;
	}
	put_file(f, nic->name, NULL);
}

static void read_nic(struct ta_host *h, const struct ta_netdev *d, struct nic *ret, char (*path)[128])
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	const char *slash;
	char file[512];
	int64_t type;

	*ret = (struct nic){.name = d->name, .path = *path, .type = -1, .is_virtual = d->is_virtual};
	(*path)[0] = '\0';
	if (d->pci && !d->usb && !d->virtio)
		snprintf(*path, sizeof(*path), "pci-%s", d->pci);
	if (d->driver)
		snprintf(ret->driver, sizeof(ret->driver), "%s", d->driver);
	else if (!ta_host_readlink(h, ta_fmt(&file, "/sys/class/net/%s/device/driver", d->name), &text) &&
		 (slash = strrchr(ta_buf_text(&text), '/')))
		snprintf(ret->driver, sizeof(ret->driver), "%s", slash + 1);
	if (!ta_text_read(h, ta_fmt(&file, "/sys/class/net/%s/address", d->name), &text))
		snprintf(ret->mac, sizeof(ret->mac), "%s", ta_buf_text(&text));
	ret->own_mac = *ret->mac && !ta_text_read(h, ta_fmt(&file, "/sys/class/net/%s/addr_assign_type", d->name), &text) &&
		       !strcmp(ta_buf_text(&text), "0");
	if (!ta_text_read(h, ta_fmt(&file, "/sys/class/net/%s/type", d->name), &text) &&
		!ta_parse_i64(ta_buf_text(&text), &type))
		ret->type = (int)type;
	ret->wireless = ta_host_exists(h, ta_fmt(&file, "/sys/class/net/%s/phy80211", d->name));
}

static void put_device(struct ta_host *h, struct ta_facts *f, const struct link_files *all, int files,
	const struct ta_netdev *d)
{
	char path[128];
	struct nic nic;

	if (files || all->names.rc) {
		ta_put_errno(f, files ? files : all->names.rc, files ? "the .link files" : all->names.unlisted, "nics",
			d->name, "boot");
	} else if (!all->names.n && !ta_host_is_whole(h)) {
		ta_facts_put_absent(
			f, TA_KEYS("nics", d->name, "boot"), TA_MISSING, "the copied tree has no .link files");
	} else {
		read_nic(h, d, &nic, &path);
		put_nic(f, all, &nic);
	}
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup(files_done) struct link_files all = {.v = NULL};
	struct ta_nicset set = {0};
	int rc = ta_nicset_read(h, &set), files = rc ? 0 : read_files(h, &all);

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
