#include "probe/bootown.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/macros.h"

#define CONF "/etc/tuneaudit/boot.conf"
#define NET "/sys/class/net/"
#define IS " = "

/* Whether anything follows it: what makes the unit start with the others, or procd's script. */
static bool is_started(struct ta_host *h)
{
	return ta_host_exists(h, "/etc/systemd/system/multi-user.target.d/50-tuneaudit.conf") ||
	       ta_host_exists(h, "/etc/systemd/system/multi-user.target.wants/tuneaudit-boot.service") ||
	       ta_host_exists(h, "/etc/rc.d/S99tuneaudit");
}

/* "eth0 rx" of rings: "eth0 rings rx", under the name that it has now. */
static void nic_target(struct ta_buf *b, const char *knob, const char *target, const char *now)
{
	size_t n = strcspn(target, " ");

	if (now)
		ta_buf_adds(b, now);
	else
		ta_buf_add(b, target, n);
	ta_buf_printf(b, " %s%s", knob, target + n);
}

static void attr_target(struct ta_buf *b, const char *target, const char *now)
{
	const char *rest = strncmp(target, NET, sizeof(NET) - 1) ? NULL : strchr(target + sizeof(NET) - 1, '/');

	if (now && rest)
		ta_buf_printf(b, NET "%s%s", now, rest);
	else
		ta_buf_adds(b, target);
}

void ta_boot_own_line(const char *text, unsigned number, const char *(*ifname)(const char *bus, void *ctx), void *ctx,
	struct ta_boot_list *l)
{
	ta_cleanup_buf struct ta_buf target = TA_BUF_INIT, copy = TA_BUF_INIT;
	char *knob, *bus, *what, *is;
	const char *now = NULL;

	ta_buf_adds(&copy, text);
	if (copy.error || !copy.data)
		return;
	knob = copy.data;
	bus = strchr(knob, ' ');
	what = bus ? strchr(bus + 1, ' ') : NULL;
	is = what ? strstr(what + 1, IS) : NULL;
	if (*knob == '#' || !is)
		return;
	*bus++ = *what++ = *is = '\0';
	if (strcmp(bus, "-") != 0) {
		now = ifname(bus, ctx);
		if (!now) /* it has gone: nothing is set */
			return;
	}
	if (!strcmp(knob, "attr"))
		attr_target(&target, what, now);
	else
		nic_target(&target, knob, what, now);
	if (!target.error)
		ta_boot_list_add(l, TA_BY_UNIT, ta_buf_text(&target), CONF, number, is + strlen(IS));
}

struct looking {
	struct ta_host *h;
	const struct ta_nicset *nics;
};

/* The address of the PCI function, or the last part of its device's path. */
static const char *ifname_of(const char *bus, void *ctx)
{
	const struct looking *k = ctx;

	for (size_t i = 0; i < k->nics->links.n; i++) {
		const struct ta_netdev *d = ta_nicset_device(k->nics, k->h, &k->nics->links.v[i]);
		const char *slash = d && d->device ? strrchr(d->device, '/') : NULL;

		if (d && ((d->pci && !strcmp(d->pci, bus)) || (slash && !strcmp(slash + 1, bus))))
			return d->name;
	}
	return NULL;
}

int ta_boot_own(struct ta_host *h, const struct ta_nicset *nics, struct ta_boot_list *l, struct ta_boot_hole *hole)
{
	struct looking k = {h, nics};
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = ta_host_read(h, CONF, TA_READ_CAP, &text);
	size_t first = l->n;
	unsigned number = 0;

	if (rc == -ENOMEM)
		return rc;
	if (rc && rc != -ENOENT && rc != -ENOTDIR)
		ta_boot_hole_note(hole, rc, CONF);
	if (rc)
		return 0;
	for (char *line = text.data, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		ta_boot_own_line(line, ++number, ifname_of, &k, l);
	}
	for (bool started = is_started(h); first < l->n; first++)
		l->v[first].void_ = !started;
	return l->error == -ENOMEM ? -ENOMEM : 0;
}
