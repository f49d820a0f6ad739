/*
 * [Match] of .link files against one interface. Lines of one key add up, an empty one begins anew; a '!' at its start is for all
 * patterns of a line, and one of those that is met is a "no" whatever the others say (net_condition_test_strv()).
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "probe/linkconf.h"
#include "probe/netdev.h"
#include "probe/probe.h"
#include "probe/value.h"

enum answer { NO, UNKNOWN, YES };

/* All lines of `key` together; `value` NULL: it has none. */
static enum answer test_lines(const struct ta_link_conf *c, const char *key, const char *value)
{
	bool positive = false, met = false, refused = false;

	for (size_t i = 0; i < c->n; i++) {
		ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;
		const char *text = c->v[i].value;
		bool not = *text == '!';

		if (!c->v[i].match || strcmp(c->v[i].key, key) != 0)
			continue;
		if (!*text)
			positive = met = refused = false;
		ta_strv_split(&words, text + not, " \t");
		for (size_t k = 0; k < words.n; k++) {
			bool is = value && !fnmatch(words.v[k], value, 0);

			positive = positive || !not;
			met = met || (is && !not);
			refused = refused || (is && not);
		}
	}
	return refused || (positive && !met) ? NO : YES;
}

static bool only_star(const struct ta_link_conf *c, const char *key)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].match && !strcmp(c->v[i].key, key) && *c->v[i].value && strcmp(c->v[i].value, "*") != 0)
			return false;
	return true;
}

/* Addresses are written with colons, hyphens or dots; ours has colons. One that was given to it was not there yet. */
static enum answer test_mac(const struct ta_link_conf *c, const char *key, const struct ta_link_nic *nic)
{
	bool odd = false, met = false;

	for (size_t i = 0; i < c->n; i++) {
		ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;

		if (!c->v[i].match || strcmp(c->v[i].key, key) != 0)
			continue;
		if (!*c->v[i].value)
			odd = met = false;
		ta_strv_split(&words, c->v[i].value, " \t");
		for (size_t k = 0; k < words.n; k++) {
			odd = odd || strcspn(words.v[k], ":") != 2;
			met = met || !strcasecmp(words.v[k], nic->mac);
		}
	}
	if (!nic->own_mac)
		return UNKNOWN;
	return met ? YES : odd ? UNKNOWN : NO;
}

static const char *type_of(const struct ta_link_nic *nic)
{
	if (nic->wireless)
		return "wlan";
	if (nic->type == 1 && !nic->is_virtual)
		return "ether";
	return nic->type == 772 ? "loopback" : nic->type == 32 ? "infiniband" : NULL;
}

/* --- conditions on the host: the last line counts, and nothing beside it -------------------------------------- */

static const char *architecture(const char *machine)
{
	static const char *const names[][2] = {{"x86_64", "x86-64"}, {"i686", "x86"}, {"aarch64", "arm64"}, {"armv7l", "arm"},
		{"ppc64le", "ppc64-le"}, {"ppc64", "ppc64"}, {"s390x", "s390x"}, {"riscv64", "riscv64"},
		{"loongarch64", "loongarch64"}};

	for (size_t i = 0; i < TA_ARRAY_SIZE(names); i++)
		if (!strcmp(machine, names[i][0]))
			return names[i][1];
	return NULL;
}

static enum answer test_condition(struct ta_host *h, const char *key, const char *value)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	bool not = *value == '!', is;
	const char *name;

	value += not;
	if (!strcmp(key, "Host")) {
		if (ta_text_read(h, "/proc/sys/kernel/hostname", &text) || strspn(value, "0123456789abcdef-") >= 32)
			return UNKNOWN;
		is = !fnmatch(value, ta_buf_text(&text), FNM_CASEFOLD);
	} else if (!strcmp(key, "Architecture")) {
		if (ta_text_read(h, "/proc/sys/kernel/arch", &text) || !(name = architecture(ta_buf_text(&text))))
			return UNKNOWN;
		is = !strcmp(value, name) || !strcmp(value, "native");
	} else if (!strcmp(key, "KernelVersion")) {
		if (strpbrk(value, "<>=!$ ") || ta_text_read(h, "/proc/sys/kernel/osrelease", &text))
			return UNKNOWN;
		is = !fnmatch(value, ta_buf_text(&text), 0);
	} else {
		return UNKNOWN;
	}
	return is != not ? YES : NO;
}

/* --- all of it ------------------------------------------------------------------------------------ */

static enum answer test_key(struct ta_host *h, const struct ta_link_conf *c, const struct ta_link_line *l,
	const struct ta_link_nic *nic)
{
	const char *key = l->key;

	if (!strcmp(key, "OriginalName")) {
		if (!nic->original)
			return only_star(c, key) ? YES : UNKNOWN;
		return test_lines(c, key, nic->original);
	}
	if (!strcmp(key, "Driver"))
		return *nic->driver ? test_lines(c, key, nic->driver) : UNKNOWN;
	if (!strcmp(key, "Path"))
		return *nic->path ? test_lines(c, key, nic->path) : UNKNOWN;
	if (!strcmp(key, "MACAddress") || !strcmp(key, "PermanentMACAddress"))
		return test_mac(c, key, nic);
	if (!strcmp(key, "Type"))
		return type_of(nic) ? test_lines(c, key, type_of(nic)) : UNKNOWN;
	if (!strcmp(key, "Kind"))
		return nic->is_virtual ? UNKNOWN : test_lines(c, key, NULL);
	return test_condition(h, key, l->value);
}

static bool is_last(const struct ta_link_conf *c, size_t i)
{
	for (size_t k = i + 1; k < c->n; k++)
		if (c->v[k].match && !strcmp(c->v[k].key, c->v[i].key))
			return false;
	return true;
}

/* True if any line of its key has a value that an empty one behind it does not take back. */
static bool asks(const struct ta_link_conf *c, const char *key)
{
	bool any = false;

	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].match && !strcmp(c->v[i].key, key))
			any = *c->v[i].value;
	return any;
}

/* All that [Match] asks for; without any of it the file is passed over. */
static enum answer test_conf(struct ta_host *h, const struct ta_link_conf *c, const struct ta_link_nic *nic)
{
	enum answer all = YES;
	bool any = false;

	for (size_t i = 0; all != NO && i < c->n; i++) {
		const struct ta_link_line *l = &c->v[i];

		if (!l->match || !is_last(c, i) || !asks(c, l->key))
			continue;
		any = true;
		all = TA_MIN(all, test_key(h, c, l, nic));
	}
	return any ? all : NO;
}

const struct ta_link_conf *ta_link_find(struct ta_host *h, const struct ta_link_confs *all, const struct ta_link_nic *nic,
	bool *ret_open)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct ta_link_conf *c = &all->v[i];
		enum answer a = c->masked ? NO : c->rc ? UNKNOWN : test_conf(h, c, nic);

		if (a == NO)
			continue;
		*ret_open = a == UNKNOWN;
		return c;
	}
	*ret_open = false;
	return NULL;
}

/* A name that nobody has given it (NET_NAME_ENUM, NET_NAME_PREDICTABLE: include/uapi/linux/netdevice.h). */
static bool has_kernel_name(struct ta_host *h, const char *name)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	char file[512];

	return !ta_text_read(h, ta_fmt(&file, "/sys/class/net/%s/name_assign_type", name), &text) &&
	       (!strcmp(ta_buf_text(&text), "1") || !strcmp(ta_buf_text(&text), "2"));
}

void ta_link_nic_read(struct ta_host *h, const struct ta_netdev *d, struct ta_link_nic *ret)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	const char *slash;
	char file[512];
	int64_t type;

	*ret = (struct ta_link_nic){.name = d->name, .type = -1, .is_virtual = d->is_virtual};
	ret->original = has_kernel_name(h, d->name) ? d->name : NULL;
	/* virtio stands for nothing in it (builtin_path_id()) */
	if (d->pci && !d->usb)
		snprintf(ret->path, sizeof(ret->path), "pci-%s", d->pci);
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
