/*
 * Names move: a card in another slot, a new udev rule or a second driver gives eth0 to somebody else, and what was
 * saved for one card must never be written to another.
 */
#include "fix/identity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nic/abi.h"
#include "nic/link.h"

#define NET_DIR "/sys/class/net/"

/* The name of its device from sysfs, for kernels that do not tell it by netlink: the same word. */
static void find_parent(struct ta_host *h, struct ta_nic_link *l)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT, link = TA_BUF_INIT;
	const char *name;

	ta_buf_printf(&path, NET_DIR "%s/device", l->name);
	if (l->parent[0] || !ta_nic_link_in_sysfs(h, l) || ta_host_readlink(h, ta_buf_text(&path), &link) < 0)
		return;
	name = strrchr(ta_buf_text(&link), '/');
	if (name && strlen(name + 1) < sizeof(l->parent))
		memcpy(l->parent, name + 1, strlen(name));
}

/* Before 5.6 only the ioctl tells the address that it was made with. */
static void find_permanent(struct ta_host *h, struct ta_nic_link *l)
{
	struct {
		uint32_t cmd, size;
		unsigned char address[32];
	} ask = {.cmd = TA_ETHTOOL_GPERMADDR, .size = 32};
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	unsigned char any = 0;

	if (l->permanent[0] || !l->parent[0] || ta_host_ethtool(h, l->name, &ask, sizeof(ask)) < 0 || ask.size != 6)
		return;
	for (size_t i = 0; i < 6; i++) {
		ta_buf_printf(&text, "%s%02x", i ? ":" : "", ask.address[i]);
		any |= ask.address[i];
	}
	if (any && text.len < sizeof(l->permanent))
		memcpy(l->permanent, ta_buf_text(&text), text.len + 1);
}

static const char *address_of(const struct ta_nic_link *l)
{
	return l->permanent[0] ? l->permanent : l->mac;
}

/* A device may be named with blanks, a word of ours may not. */
static void add_word(struct ta_buf *b, const char *word)
{
	if (!*word)
		ta_buf_addc(b, '-');
	for (; *word; word++)
		ta_buf_addc(b, (unsigned char)*word <= ' ' || *word == 0x7f ? '_' : *word);
}

static void format(const struct ta_nic_link *l, struct ta_buf *b)
{
	add_word(b, l->parent);
	ta_buf_addc(b, ' ');
	add_word(b, address_of(l));
}

static int no_such(struct ta_err *err, const char *ifname, int rc)
{
	if (rc == -ENODEV)
		return ta_err_set(err, rc, "there is no interface %s", ifname);
	return ta_err_set(err, rc, "%s: %s", ifname, ta_errno_text(rc));
}

int ta_identity_read(struct ta_host *h, const char *ifname, struct ta_buf *ret, struct ta_err *err)
{
	struct ta_nic_link l;
	int rc = ta_nic_link_read(h, ifname, &l);

	if (rc < 0)
		return no_such(err, ifname, rc);
	find_parent(h, &l);
	find_permanent(h, &l);
	/* The loopback's address is zeros. */
	if (!l.parent[0] && !address_of(&l)[strspn(address_of(&l), "0:")])
		return ta_err_set(err, -ENODATA, "%s has neither a device nor an address of its own", ifname);
	format(&l, ret);
	return ret->error;
}

/* --- finding it again ------------------------------------------------------------- */

struct search {
	const char *bus, *mac, *was;
	struct ta_nic_link *v;
	size_t n, size;
};

static int keep(const struct ta_nic_link *l, void *ctx)
{
	struct search *s = ctx;

	if (s->n == s->size) {
		size_t size = s->size ? s->size * 2 : 16;
		struct ta_nic_link *v = reallocarray(s->v, size, sizeof(*v));

		if (!v)
			return -ENOMEM;
		s->v = v;
		s->size = size;
	}
	s->v[s->n++] = *l;
	return 0;
}

static bool same_word(const char *identity, const char *text)
{
	ta_cleanup_buf struct ta_buf word = TA_BUF_INIT;

	add_word(&word, text);
	return !word.error && strcmp(identity, ta_buf_text(&word)) == 0;
}

/* The only one that fits, or of several the one of the old name. */
static const struct ta_nic_link *choose(const struct search *s, bool *ret_several)
{
	const struct ta_nic_link *found = NULL;

	*ret_several = false;
	for (size_t i = 0; i < s->n; i++) {
		const struct ta_nic_link *l = &s->v[i];

		if (!same_word(s->bus, l->parent) || !same_word(s->mac, address_of(l)))
			continue;
		if (strcmp(l->name, s->was) == 0)
			return l;
		*ret_several = found != NULL;
		found = l;
	}
	return *ret_several ? NULL : found;
}

static int gone(const struct search *s, bool several, struct ta_err *err)
{
	if (several)
		return ta_err_set(err, -ENODEV, "several interfaces are %s %s, and none is called %s any more", s->bus,
			s->mac, s->was);
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->bus, "-") != 0 && same_word(s->bus, s->v[i].parent))
			return ta_err_set(err, -ENODEV, "%s (%s, %s) is gone; in its place is %s (%s)", s->was, s->bus,
				s->mac, s->v[i].name, address_of(&s->v[i]));
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->was, s->v[i].name) == 0)
			return ta_err_set(err, -ENODEV, "%s (%s, %s) is gone; another interface has its name (%s, %s)",
				s->was, s->bus, s->mac, s->v[i].parent[0] ? s->v[i].parent : "-",
				address_of(&s->v[i]));
	return ta_err_set(err, -ENODEV, "%s (%s, %s) is gone", s->was, s->bus, s->mac);
}

static int search(struct ta_host *h, struct search *s, struct ta_buf *ret, struct ta_err *err)
{
	const struct ta_nic_link *found;
	bool several;
	int rc = ta_nic_links_each(h, keep, s);

	if (rc < 0)
		return ta_err_set(err, rc, "the interfaces of this host: %s", ta_errno_text(rc));
	for (size_t i = 0; i < s->n; i++) {
		find_parent(h, &s->v[i]);
		find_permanent(h, &s->v[i]);
	}
	found = choose(s, &several);
	if (!found)
		return gone(s, several, err);
	ta_buf_adds(ret, found->name);
	return ret->error;
}

int ta_identity_find(struct ta_host *h, const char *identity, const char *was, struct ta_buf *ret, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct search s = {.was = was};
	char *blank;
	int rc;

	ta_buf_adds(&text, identity);
	if (text.error)
		return text.error;
	blank = text.data ? strchr(text.data, ' ') : NULL;
	if (!blank || blank == text.data || !blank[1] || strchr(blank + 1, ' '))
		return ta_err_set(err, -EINVAL, "'%s' does not say which interface is meant", identity);
	*blank = '\0';
	s.bus = text.data;
	s.mac = blank + 1;
	rc = search(h, &s, ret, err);
	free(s.v);
	return rc;
}

/* --- targets --------------------------------------------------------------------------- */

/* The part of `target` that is the interface's name. */
static bool find_name(const struct ta_knob *knob, const char *target, const char **ret, size_t *ret_len)
{
	const char *name = target;

	if (strncmp(target, NET_DIR, strlen(NET_DIR)) == 0)
		name = target + strlen(NET_DIR);
	else if (!knob->nic)
		return false;
	*ret = name;
	*ret_len = strcspn(name, knob->nic ? " " : "/");
	return ta_nic_name_valid(name, *ret_len);
}

int ta_identity_ifname(const struct ta_knob *knob, const char *target, struct ta_buf *ret)
{
	const char *name;
	size_t len;

	if (!find_name(knob, target, &name, &len))
		return -ENOENT;
	ta_buf_add(ret, name, len);
	return ret->error;
}

int ta_identity_rename(const struct ta_knob *knob, const char *target, const char *now, struct ta_buf *ret)
{
	const char *name;
	size_t len;

	if (!find_name(knob, target, &name, &len))
		return -ENOENT;
	if (!ta_nic_name_valid(now, strlen(now)))
		return -EINVAL;
	ta_buf_add(ret, target, (size_t)(name - target));
	ta_buf_adds(ret, now);
	ta_buf_adds(ret, name + len);
	return ret->error;
}

int ta_identity_step(struct ta_host *h, struct ta_step *step, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf name = TA_BUF_INIT, identity = TA_BUF_INIT;
	bool irq = ta_identity_is_irq(step->knob, step->target);
	int rc = irq ? ta_identity_irq(h, step->target, &identity) : ta_identity_ifname(step->knob, step->target, &name);

	if (rc == -ENOENT || (irq && rc < 0 && rc != -ENOMEM))
		return 0;
	if (rc >= 0 && !irq)
		rc = ta_identity_read(h, ta_buf_text(&name), &identity, err);
	if (rc == -ENODATA)
		return 0;
	if (rc < 0)
		return rc;
	free(step->device);
	step->device = ta_buf_steal(&identity);
	return step->device ? 0 : -ENOMEM;
}
