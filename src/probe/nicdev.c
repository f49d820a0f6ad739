/*
 * From the link and its place in sysfs to kind, driver, bus, NUMA node, PCIe
 * and USB speed. A copy without links leaves some of it untold: then it is
 * absent, not guessed.
 */
#include "probe/nicdev.h"

#include <errno.h>
#include <linux/if_arp.h>
#include <string.h>

#include "probe/drvinfo.h"
#include "probe/gadget.h"
#include "probe/nicset.h"
#include "probe/pcie.h"
#include "probe/probe.h"

/* --- what it is --------------------------------------------------------------- */

static bool has(struct ta_nicdev *n, const char *name, const char *what)
{
	char file[512];

	return ta_host_exists(n->h, ta_fmt(&file, "/sys/class/net/%s/%s", name, what));
}

static int find_devtype(const char *line, size_t len, void *ctx)
{
	static const char key[] = "DEVTYPE=";

	if (strncmp(line, key, strlen(key)) == 0)
		ta_buf_adds(ctx, line + strlen(key));
	return 0;
}

/* DEVTYPE of the uevent file: wlan, bond, bridge, vlan …; "" for plain ones. */
static void read_devtype(struct ta_nicdev *n, const char *name, struct ta_buf *ret)
{
	char file[512];

	ta_host_lines(n->h, ta_fmt(&file, "/sys/class/net/%s/uevent", name), find_devtype, ret);
}

static const char *kind_of_virtual(
	struct ta_nicdev *n, const struct ta_link *l, const char *devtype)
{
	static const char *const same[] = {"bond", "vlan", "bridge"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(same); i++)
		if (strcmp(l->kind, same[i]) == 0 || strcmp(devtype, same[i]) == 0)
			return same[i];
	if (strcmp(l->kind, "team") == 0)
		return "bond";
	if (n->from_netlink)
		return "virtual";
	/* Old kernels and thin copies have no DEVTYPE. */
	return has(n, l->name, "bonding")  ? "bond"
	       : has(n, l->name, "bridge") ? "bridge"
					   : "virtual";
}

static const char *kind_of_physical(struct ta_nicdev *n, const struct ta_link *l,
	const struct ta_netdev *d, const char *devtype)
{
	if (strcmp(devtype, "wlan") == 0 || (!*devtype && has(n, l->name, "phy80211")))
		return "wifi";
	/* The other end of the cable: this machine is the USB device (u_ether.c). */
	if ((d && d->usb) || strcmp(devtype, "gadget") == 0)
		return "usb";
	if (l->type.rc < 0)
		return NULL;
	if (l->type.v == ARPHRD_ETHER)
		return "ethernet";
	return l->type.v == ARPHRD_INFINIBAND ? "infiniband" : "other";
}

void ta_nicdev_put_kind(struct ta_nicdev *n, const struct ta_link *l, const struct ta_netdev *d)
{
	ta_cleanup_buf struct ta_buf devtype = TA_BUF_INIT;
	int physical = ta_nic_is_physical(l, d);
	const char *kind;

	if (physical == 1 || !n->from_netlink)
		read_devtype(n, l->name, &devtype);
	if ((l->type.rc == 0 && l->type.v == ARPHRD_LOOPBACK) || strcmp(l->name, "lo") == 0)
		kind = "loopback";
	else if (physical == 1)
		kind = kind_of_physical(n, l, d, ta_buf_text(&devtype));
	else
		kind = kind_of_virtual(n, l, ta_buf_text(&devtype));
	/* A directory in place of the link does not tell a bare "virtual" from hardware. */
	if (physical < 0 && kind && strcmp(kind, "virtual") != 0)
		physical = 0;
	if (physical < 0) {
		ta_facts_put_absent(n->f, TA_KEYS("nics", l->name, "physical"), TA_MISSING,
			"nothing tells whether a device stands behind it");
		ta_facts_put_absent(n->f, TA_KEYS("nics", l->name, "kind"), TA_MISSING,
			"nothing tells whether a device stands behind it");
		return;
	}
	ta_put_bool(n->f, physical, "nics", l->name, "physical");
	if (kind)
		ta_put_str(n->f, kind, "nics", l->name, "kind");
	else
		ta_put_errno(n->f, l->type.rc, "its hardware type", "nics", l->name, "kind");
}

/* --- the device -------------------------------------------------------------- */

const char *ta_last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* NULL: virtual, or a copy that does not tell. */
static const char *bus_of(const struct ta_link *l, const struct ta_netdev *d)
{
	if (d && d->pci)
		return d->pci;
	if (l->parent)
		return l->parent;
	if (!d || !d->device || strncmp(d->device, "/sys/devices/", strlen("/sys/devices/")) != 0)
		return NULL;
	return ta_last_component(d->device);
}

/* The link of sysfs, else what the driver says itself. */
static void put_hardware_driver(struct ta_nicdev *n, const char *name, const struct ta_netdev *d,
	const struct ta_drvinfo *info)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	const char *driver = NULL;
	char file[512] = "device/driver";
	int rc = -ENOENT;

	if (d && d->driver)
		driver = d->driver;
	else if (d && d->device)
		rc = ta_host_readlink(n->h, ta_fmt(&file, "%s/driver", d->device), &text);
	if (rc == 0)
		driver = ta_last_component(ta_buf_text(&text));
	else if (!driver && info->driver[0])
		driver = info->driver;
	if (driver)
		ta_put_str(n->f, driver, "nics", name, "driver");
	else
		ta_put_errno(n->f, rc, file, "nics", name, "driver");
}

static void put_version(
	struct ta_nicdev *n, const char *name, const char *key, const char *text, int rc)
{
	if (rc < 0)
		ta_put_errno(n->f, rc, "ethtool", "nics", name, key);
	else if (*text)
		ta_put_str(n->f, text, "nics", name, key);
	else
		ta_facts_put_absent(n->f, TA_KEYS("nics", name, key), TA_UNSUPPORTED,
			"its driver does not tell");
}

static void put_driver(struct ta_nicdev *n, const struct ta_link *l, const struct ta_netdev *d)
{
	struct ta_drvinfo info;
	int rc;

	if (ta_nic_is_physical(l, d) != 0) {
		rc = ta_drvinfo_read(n->h, l->name, &info);
		put_hardware_driver(n, l->name, d, &info);
		put_version(n, l->name, "driver_version", info.version, rc);
		put_version(n, l->name, "firmware", info.firmware, rc);
		return;
	}
	if (l->kind[0])
		ta_put_str(n->f, l->kind, "nics", l->name, "driver");
	else
		ta_facts_put_absent(n->f, TA_KEYS("nics", l->name, "driver"), TA_UNSUPPORTED,
			"no device in sysfs");
	put_version(n, l->name, "driver_version", "", 0);
	put_version(n, l->name, "firmware", "", 0);
}

static void put_numa_node(struct ta_nicdev *n, const char *name, const struct ta_netdev *d)
{
	struct ta_val node;
	char file[512];

	node = ta_val_read(n->h, ta_fmt(&file, "%s/numa_node", d->bus_dir));
	ta_put_val(n->f, TA_KEYS("nics", name, "numa_node"), ta_numa_node(node, n->n_nodes), file);
}

static void put_subject(struct ta_nicdev *n, const char *name, const char *bus)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	ta_buf_adds(&text, name);
	if (bus)
		ta_buf_printf(&text, " (%s)", bus);
	ta_put_str(n->f, ta_buf_text(&text), "nics", name, "subject");
}

static void put_pci(struct ta_nicdev *n, const char *name, const struct ta_netdev *d)
{
	if (d && d->pci) {
		ta_pcie_put(n->h, n->f, d->bus_dir, "nics", name);
		ta_iommu_put(n->h, n->f, d->bus_dir, "nics", name);
		return;
	}
	ta_facts_put_absent(n->f, TA_KEYS("nics", name, "pcie"), TA_UNSUPPORTED, "no PCI function");
	ta_facts_put_absent(n->f, TA_KEYS("nics", name, "iommu"), TA_UNSUPPORTED, "no PCI function");
}

/* A copy without links does not tell a card from one of its virtual functions. */
static void put_virtual_function(struct ta_nicdev *n, const char *name, const struct ta_netdev *d)
{
	char file[512];

	if (!d || !d->pci || !d->bus_dir) {
		ta_facts_put_absent(n->f, TA_KEYS("nics", name, "virtual_function"), TA_UNSUPPORTED, "no PCI function");
		return;
	}
	if (ta_host_exists(n->h, ta_fmt(&file, "%s/physfn", d->bus_dir)))
		ta_put_bool(n->f, true, "nics", name, "virtual_function");
	else if (ta_host_is_whole(n->h))
		ta_put_bool(n->f, false, "nics", name, "virtual_function");
	else
		ta_facts_put_absent(n->f, TA_KEYS("nics", name, "virtual_function"), TA_MISSING,
			"no %s in this capture, which may just lack it", file);
}

void ta_nicdev_put(struct ta_nicdev *n, const struct ta_link *l, const struct ta_netdev *d)
{
	const char *bus = bus_of(l, d), *name = l->name;
	char file[512];

	put_subject(n, name, bus);
	put_driver(n, l, d);
	if (bus)
		ta_put_str(n->f, bus, "nics", name, "bus");
	else
		ta_facts_put_absent(
			n->f, TA_KEYS("nics", name, "bus"), TA_UNSUPPORTED, "no device");
	put_pci(n, name, d);
	put_virtual_function(n, name, d);
	if (d && d->usb)
		ta_read_int(n->h, n->f, ta_fmt(&file, "%s/speed", d->usb),
			TA_KEYS("nics", name, "usb_mbps"));
	else if (ta_is_gadget(d))
		ta_gadget_put_speed(n->h, n->f, d, name);
	else
		ta_facts_put_absent(
			n->f, TA_KEYS("nics", name, "usb_mbps"), TA_UNSUPPORTED, "no USB device");
	if (d && d->bus_dir)
		put_numa_node(n, name, d);
	else
		ta_facts_put_absent(
			n->f, TA_KEYS("nics", name, "numa_node"), TA_UNSUPPORTED, "no device");
}
