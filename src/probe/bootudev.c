#include "probe/bootudev.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "host/tuningpath.h"
#include "probe/bootnic.h"
#include "probe/probe.h"
#include "probe/systemdver.h"
#include "probe/udevrules.h"

#define LINK_SETUP "80-net-setup-link.rules"

/* One device. Programs run behind all rules, and a .link file is applied from within one of them. */
struct device {
	struct ta_host *h;
	struct ta_udev_device d;
	struct ta_boot_list *l, runs;
	const struct ta_link_conf *link; /* still to come; NULL: none, or done */
	bool link_open;
	int version; /* of systemd */
};

static void add_link(struct device *x)
{
	ta_cleanup_strv struct ta_strv queues = TA_STRV_INIT;
	const struct ta_link_target t = {x->d.name, x->link_open, x->version, &queues};
	char path[512];

	if (!x->link)
		return;
	ta_host_list(x->h, ta_fmt(&path, "/sys/class/net/%s/queues", x->d.name), &queues);
	ta_boot_link(x->l, x->link, &t);
	x->link = NULL;
}

/* "sh -c 'echo VALUE > PATH'" */
static void add_echo(struct device *x, const struct ta_udev_set *s)
{
	ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;
	ta_cleanup_buf struct ta_buf value = TA_BUF_INIT;
	struct ta_boot_line *line;
	size_t i = 0;

	ta_strv_split(&words, strstr(s->value, "echo "), " '\"");
	for (i = 1; i < words.n && *words.v[i] != '>'; i++)
		ta_buf_printf(&value, "%s%s", i > 1 ? " " : "", words.v[i]);
	if (i + (i < words.n && !words.v[i][1]) >= words.n)
		return;
	line = ta_boot_add_path(&x->runs, TA_BY_RUN, words.v[i][1] ? words.v[i] + 1 : words.v[i + 1], s->file->path, s->line,
		ta_buf_text(&value));
	if (line)
		line->maybe = s->maybe;
}

static void add_run(struct device *x, const struct ta_udev_set *s)
{
	if (!s->value)
		return;
	if (strstr(s->value, "echo ")) {
		add_echo(x, s);
		return;
	}
	if (!strcmp(x->d.subsystem, "net"))
		ta_boot_ethtool(&x->runs, s->value, x->d.name, s->file->path, s->line, s->maybe);
}

static int add_set(const struct ta_udev_set *s, void *ctx)
{
	struct device *x = ctx;
	struct ta_boot_line *line;
	char path[512];

	if (strcmp(s->file->name, LINK_SETUP) > 0)
		add_link(x);
	if (s->run) {
		add_run(x, s);
		return 0;
	}
	if (s->sysctl || strpbrk(s->attr, "*?[$%") || strstr(s->attr, "..") || !ta_is_tuning_attr(s->attr))
		return 0;
	ta_fmt(&path, "%s/%s", x->d.dir, s->attr);
	/* What is not there is not written. */
	if (!ta_host_exists(x->h, path))
		return 0;
	line = ta_boot_add_path(x->l, TA_BY_UDEV, path, s->file->path, s->line, s->value);
	if (line)
		line->maybe = s->maybe;
	return 0;
}

static int one_device(struct ta_host *h, const struct ta_udev_rules *rules, struct device *x)
{
	int rc = ta_udev_apply(rules, h, &x->d, add_set, x);

	add_link(x);
	for (size_t i = 0; !rc && i < x->runs.n; i++) {
		const struct ta_boot_line *r = &x->runs.v[i];
		struct ta_boot_line *line = ta_boot_list_add(x->l, r->by, r->target, r->file, r->line, r->value);

		if (line)
			line->maybe = r->maybe;
	}
	if (x->runs.error && !x->l->error)
		x->l->error = x->runs.error;
	ta_boot_list_done(&x->runs);
	return rc ? rc : x->l->error == -ENOMEM ? -ENOMEM : 0;
}

static int of_class(struct ta_host *h, const struct ta_udev_rules *rules, const struct ta_strv *names, const char *subsystem,
	const char *dir, const char *devtype, struct ta_boot_list *l)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < names->n; i++) {
		char path[512];
		struct device x = {.h = h, .l = l};

		x.d = (struct ta_udev_device){subsystem, names->v[i], names->v[i], ta_fmt(&path, "%s/%s", dir, names->v[i]), devtype};
		rc = one_device(h, rules, &x);
	}
	return rc;
}

static int of_nic(struct ta_host *h, const struct ta_udev_rules *rules, const struct ta_link_confs *links, int version,
	const struct ta_netdev *d, struct ta_boot_list *l)
{
	char path[512];
	struct ta_link_nic nic;
	struct device x = {.h = h, .l = l, .version = version};

	ta_link_nic_read(h, d, &nic);
	x.d = (struct ta_udev_device){"net", d->name, nic.original, ta_fmt(&path, "/sys/class/net/%s", d->name),
		nic.wireless ? "wlan" : nic.type == 1 ? "" : NULL};
	if (rules->has_link_setup || !ta_host_is_whole(h))
		x.link = ta_link_find(h, links, &nic, &x.link_open);
	return one_device(h, rules, &x);
}

int ta_boot_udev(struct ta_host *h, const struct ta_strv *disks, const struct ta_strv *nvme, const struct ta_nicset *nics,
	struct ta_boot_list *l, struct ta_boot_hole *hole)
{
	ta_cleanup_udev_rules struct ta_udev_rules rules = {0};
	ta_cleanup_link_confs struct ta_link_confs links = {0};
	int rc = ta_udev_rules_read(h, &rules), version = 0;

	if (!rc)
		rc = ta_link_confs_read(h, &links);
	if (rules.rc)
		ta_boot_hole_note(hole, rules.rc, rules.hole);
	if (links.rc)
		ta_boot_hole_note(hole, links.rc, links.unlisted);
	if (!rc && rules.n)
		rc = of_class(h, &rules, disks, "block", "/sys/block", "disk", l);
	if (!rc && rules.n)
		rc = of_class(h, &rules, nvme, "nvme", "/sys/class/nvme", "", l);
	if (!rc && links.n)
		version = TA_MAX(ta_systemd_version(h), 0);
	for (size_t i = 0; !rc && (rules.n || links.n) && i < nics->links.n; i++) {
		const struct ta_netdev *d = ta_nicset_device(nics, h, &nics->links.v[i]);

		if (d && !d->is_virtual)
			rc = of_nic(h, &rules, &links, version, d, l);
	}
	return rc;
}
