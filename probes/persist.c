/*
 * What the next boot writes beside sysctls: attributes of disks, NVMe controllers, CPUs and huge pages, settings of interfaces.
 * For each target that anything writes, the line that holds and those that lose; and of attributes what runs now.
 * Nothing is compared here. Sysctls stand in settings, limits of services in units.
 */
#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "probe/bootown.h"
#include "probe/bootudev.h"
#include "probe/probe.h"
#include "probe/value.h"

static const struct ta_field fields[] = {
	{"persist.*.kind", TA_T_STRING, "", "attr (a path in /sys or /proc/irq), channels, rings, coalesce, features, txqueuelen, mtu, rss, irq", TA_F_AGAIN, {}},
	{"persist.*.device", TA_T_STRING, "", "the interface; \"\" of a path", TA_F_AGAIN, {}},
	{"persist.*.setting", TA_T_STRING, "", "which one of that kind, as ethtool calls it; \"\" = there is one", TA_F_AGAIN, {}},
	{"persist.*.persisted", TA_T_BOOL, "", "something sets it at the next boot", TA_F_AGAIN, {}},
	{"persist.*.set_by", TA_T_STRING, "", "what does: cmdline, modprobe.d, tmpfiles.d, udev, link (.link files), unit (this program's), tuned", TA_F_AGAIN, {}},
	{"persist.*.file", TA_T_STRING, "", "the file of the line that wins", TA_F_WRITTEN, {}},
	{"persist.*.line", TA_T_INT, "", "its number", TA_F_AGAIN, {}},
	{"persist.*.value", TA_T_STRING, "", "the value as written there", TA_F_WRITTEN, {}},
	{"persist.*.unsure", TA_T_STRING, "",
		"FILE:LINE of a line that may hold instead: it cannot be told whether it is for this device, or which of two comes last; \"\" = none", TA_F_PLACES | TA_F_WRITTEN, {}},
	{"persist.*.others", TA_T_STRINGS, "", "FILE:LINE of further lines for it, which lose", TA_F_PLACES | TA_F_WRITTEN, {}},
	{"persist.*.overridden", TA_T_STRINGS, "",
		"those of them that somebody of this host wrote (not below /usr/lib) and that want another value", TA_F_PLACES | TA_F_WRITTEN, {}},
	{"persist.*.attr", TA_T_STRING, "", "of a path: what the file says now", TA_F_AGAIN, {}},
	{"persist.*.start", TA_T_STRING, "", "what it begins with where nothing sets it, as far as the running kernel tells", TA_F_AGAIN, {}},
};

#define NVME "/sys/class/nvme/"

/* Paths alone; what runs of interfaces stands in nics. */
static void put_attr(struct ta_host *h, struct ta_facts *f, const char *target)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc;

	if (*target != '/')
		return;
	rc = ta_text_read(h, target, &text);
	if (rc)
		ta_put_errno(f, rc, target, "persist", target, "attr");
	else
		ta_put_str(f, ta_buf_text(&text), "persist", target, "attr");
}

static void put_start(struct ta_host *h, struct ta_facts *f, const char *target)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	if (strncmp(target, NVME, sizeof(NVME) - 1) == 0 &&
		!ta_text_read(h, "/sys/module/nvme_core/parameters/default_ps_max_latency_us", &text))
		ta_put_str(f, ta_buf_text(&text), "persist", target, "start");
	else
		ta_facts_put_absent(f, TA_KEYS("persist", target, "start"), TA_MISSING, "the kernel does not tell");
}

/* What is judged wherever it is, whether anything sets it or not. */
static void put_watched(struct ta_host *h, struct ta_facts *f, const char *path)
{
	if (ta_facts_at(f, TA_KEYS("persist", path)) || !ta_host_exists(h, path))
		return;
	ta_boot_put_unset(f, path);
	put_attr(h, f, path);
	put_start(h, f, path);
}

static void put_all(struct ta_host *h, struct ta_facts *f, struct ta_boot_list *l, const struct ta_strv *nvme,
	const struct ta_boot_hole *hole)
{
	char path[512];

	ta_boot_list_put(l, f);
	for (size_t i = 0; i < l->n; i++) {
		if (i && !strcmp(l->v[i].target, l->v[i - 1].target))
			continue;
		put_attr(h, f, l->v[i].target);
		put_start(h, f, l->v[i].target);
	}
	put_watched(h, f, "/sys/kernel/mm/transparent_hugepage/enabled");
	put_watched(h, f, "/sys/kernel/mm/transparent_hugepage/defrag");
	for (size_t i = 0; i < nvme->n; i++)
		put_watched(h, f, ta_fmt(&path, NVME "%s/power/pm_qos_latency_tolerance_us", nvme->v[i]));
	if (l->error == -EFBIG)
		ta_facts_put_incomplete(f, TA_KEYS("persist"), TA_MALFORMED, "more than %d lines", TA_BOOT_LINES_MAX);
	else if (hole->rc)
		ta_facts_put_incomplete(f, TA_KEYS("persist"), ta_reason_of(hole->rc), "%s", hole->what);
}

struct devices {
	struct ta_strv disks, nvme, nic_names;
	struct ta_nicset nics;
	int rc_nics;
};

static bool is_disk(const char *name)
{
	return !(!strncmp(name, "loop", 4) && ta_is_digit(name[4])) && !(!strncmp(name, "ram", 3) && ta_is_digit(name[3]));
}

static void find_devices(struct ta_host *h, struct devices *d)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;

	ta_host_list(h, "/sys/block", &names);
	for (size_t i = 0; i < names.n; i++)
		if (is_disk(names.v[i]))
			ta_strv_add(&d->disks, names.v[i]);
	ta_host_list(h, "/sys/class/nvme", &d->nvme);
	d->rc_nics = ta_nicset_read(h, &d->nics);
	for (size_t i = 0; !d->rc_nics && i < d->nics.links.n; i++) {
		const struct ta_netdev *dev = ta_nicset_device(&d->nics, h, &d->nics.links.v[i]);

		if (dev && !dev->is_virtual)
			ta_strv_add(&d->nic_names, dev->name);
	}
}

static void devices_done(struct devices *d)
{
	ta_strv_done(&d->disks);
	ta_strv_done(&d->nvme);
	ta_strv_done(&d->nic_names);
	if (!d->rc_nics)
		ta_nicset_done(&d->nics);
}

/* What acts here: nothing of it in a container, this program's unit wherever it was put. */
struct actors {
	bool systemd, udev;
};

static int read_all(struct ta_host *h, const struct actors *who, const struct devices *d, struct ta_boot_list *l,
	struct ta_boot_hole *hole)
{
	int rc = who->udev ? ta_boot_cmdline(h, l) : 0;

	if (!rc && who->udev)
		rc = ta_boot_modprobe(h, l, hole);
	if (!rc && who->systemd)
		rc = ta_boot_tmpfiles(h, l, hole);
	if (!rc && who->udev)
		rc = ta_boot_udev(h, &d->disks, &d->nvme, &d->nics, l, hole);
	if (!rc)
		rc = ta_boot_own(h, &d->nics, l, hole);
	if (!rc && who->udev)
		rc = ta_boot_tuned(h, &d->nic_names, &d->disks, l, hole);
	return rc;
}

static bool any_files(struct ta_host *h)
{
	static const char *const dirs[] = {"/etc/tmpfiles.d", "/usr/lib/tmpfiles.d", "/etc/udev/rules.d", "/usr/lib/udev/rules.d",
		"/lib/udev/rules.d", "/etc/systemd/network", "/usr/lib/systemd/network", "/etc/tuneaudit/boot.conf"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(dirs); i++)
		if (ta_host_exists(h, dirs[i]))
			return true;
	return ta_host_is_whole(h);
}

static void put_found(struct ta_host *h, struct ta_facts *f, const struct actors *who)
{
	ta_cleanup_boot_list struct ta_boot_list l = {0};
	struct devices d = {.rc_nics = -ENODATA};
	struct ta_boot_hole hole = {0};

	find_devices(h, &d);
	if (!read_all(h, who, &d, &l, &hole))
		put_all(h, f, &l, &d.nvme, &hole);
	devices_done(&d);
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_buf struct ta_buf comm = TA_BUF_INIT;
	int rc = ta_text_read(h, "/proc/1/comm", &comm);
	struct actors who = {.systemd = ta_host_exists(h, "/run/systemd/system") || !strcmp(ta_buf_text(&comm), "systemd")};

	who.udev = who.systemd || ta_host_exists(h, "/run/udev");
	if (!any_files(h))
		ta_facts_put_absent(f, TA_KEYS("persist"), TA_MISSING, "the copy has neither tmpfiles.d nor udev rules");
	else if (rc && !who.udev)
		ta_put_errno(f, rc, "what starts this host, by process 1", "persist");
	else if (!who.udev && !ta_host_exists(h, "/etc/tuneaudit/boot.conf"))
		ta_put_object(f, "persist"); /* a container's program, or devices that the kernel alone makes */
	else
		put_found(h, f, &who);
}

const struct ta_probe ta_probe_persist = {
	.name = "persist",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
