/*
 * From the text of a class link to the device: its components below
 * "devices/" are looked at from the right, the first PCI function met is the
 * one whose interrupts, NUMA node and PCIe link are the interface's.
 *
 * Copies made by scripts may hold directories instead of links; then the
 * device's uevent file says driver and PCI address.
 */
#include "probe/netdev.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "probe/probe.h"
#include "probe/value.h"

static size_t hex_run(const char *s, const char *end)
{
	size_t n = 0;

	while (s + n < end && strchr("0123456789abcdef", s[n]))
		n++;
	return n;
}

bool ta_is_pci_address(const char *text, size_t len)
{
	const char *end = text + len, *tail = end - strlen("02:00.0");

	/* domain ':' bus ':' device '.' function, drivers/pci/probe.c pci_setup_device() */
	if (len < strlen("0000:02:00.0") || tail[-1] != ':')
		return false;
	return hex_run(text, end) == (size_t)(tail - 1 - text) && hex_run(tail, end) == 2 &&
	       tail[2] == ':' && hex_run(tail + 3, end) == 2 && tail[5] == '.' && tail[6] >= '0' &&
	       tail[6] <= '7';
}

static bool is_usb_interface(const char *s, size_t len)
{
	const char *colon = memchr(s, ':', len);

	/* "1-1.2:1.0": bus-ports:configuration.interface */
	return colon && ta_is_digit(s[0]) && memchr(s, '-', (size_t)(colon - s)) &&
	       memchr(colon, '.', len - (size_t)(colon - s));
}

static int keep(char **ret, const char *prefix, const char *s, size_t len)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	if (*ret)
		return 0;
	ta_buf_adds(&b, prefix);
	ta_buf_add(&b, s, len);
	*ret = ta_buf_steal(&b);
	return *ret ? 0 : -ENOMEM;
}

/* One component of the way, `whole` being everything up to its end. */
static int look_at(const char *whole, const char *s, size_t len, struct ta_netdev *ret)
{
	static const char virtio[] = "virtio";

	/* Above a USB device stands its host controller, whose interrupts are not the interface's.
	 */
	if (ta_is_pci_address(s, len) && !ret->usb && !ret->pci)
		return keep(&ret->pci, "", s, len) < 0
			       ? -ENOMEM
			       : keep(&ret->bus_dir, "/sys/", whole, (size_t)(s + len - whole));
	if (len > strlen(virtio) && memcmp(s, virtio, strlen(virtio)) == 0 && !ret->pci)
		return keep(&ret->virtio, "", s, len);
	if (is_usb_interface(s, len) && s > whole)
		return keep(&ret->usb, "/sys/", whole, (size_t)(s - 1 - whole));
	return 0;
}

int ta_netdev_parse_link(const char *text, const char *class_dir, struct ta_netdev *ret)
{
	const char *start = strstr(text, "devices/"), *end, *s;
	size_t class_len = strlen(class_dir);
	int rc = 0;

	if (!start || (start > text && start[-1] != '/'))
		return -EINVAL;
	end = start + strlen(start);
	while (end > start && end[-1] == '/')
		end--;
	/* Drop the interface's own name and the class directory before it. */
	while (end > start && end[-1] != '/')
		end--;
	if (end <= start + strlen("devices/") + 1)
		return -EINVAL;
	end--;
	if (memcmp(end - class_len, class_dir, class_len) == 0 && end[-(int)class_len - 1] == '/')
		end -= class_len + 1;
	if (strncmp(start, "devices/virtual", strlen("devices/virtual")) == 0) {
		ret->is_virtual = true;
		return 0;
	}
	for (const char *e = end; rc == 0 && e > start; e = s - 1) {
		for (s = e; s > start && s[-1] != '/'; s--)
			;
		if (s == start)
			break;
		rc = look_at(start, s, (size_t)(e - s), ret);
	}
	if (rc == 0)
		rc = keep(&ret->device, "/sys/", start, (size_t)(end - start));
	return rc ? rc : keep(&ret->bus_dir, "/sys/", start, (size_t)(end - start));
}

void ta_netdev_done(struct ta_netdev *d)
{
	free(d->name);
	free(d->device);
	free(d->pci);
	free(d->bus_dir);
	free(d->virtio);
	free(d->usb);
	free(d->driver);
	*d = (struct ta_netdev){0};
}

static int read_uevent_line(const char *line, size_t len, void *ctx)
{
	static const char driver[] = "DRIVER=", slot[] = "PCI_SLOT_NAME=";
	struct ta_netdev *d = ctx;

	if (strncmp(line, driver, strlen(driver)) == 0)
		return keep(&d->driver, "", line + strlen(driver), strlen(line + strlen(driver)));
	if (strncmp(line, slot, strlen(slot)) == 0 &&
		ta_is_pci_address(line + strlen(slot), strlen(line + strlen(slot))))
		return keep(&d->pci, "", line + strlen(slot), strlen(line + strlen(slot)));
	return 0;
}

/* A copy without links: the device is what stands under device/, if anything. */
static int read_copied(struct ta_host *h, const char *class_dir, struct ta_netdev *d)
{
	char file[512];

	ta_fmt(&file, "/sys/class/%s/%s/device", class_dir, d->name);
	if (!ta_host_exists(h, file))
		return 0;
	if (keep(&d->device, "", file, strlen(file)) < 0 ||
		keep(&d->bus_dir, "", file, strlen(file)) < 0)
		return -ENOMEM;
	ta_fmt(&file, "/sys/class/%s/%s/device/uevent", class_dir, d->name);
	return ta_host_lines(h, file, read_uevent_line, d) == -ENOMEM ? -ENOMEM : 0;
}

static int read_one(struct ta_host *h, const char *class_dir, const char *name, struct ta_netdev *d)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	char file[512];
	int rc;

	d->name = strdup(name);
	if (!d->name)
		return -ENOMEM;
	rc = ta_host_readlink(h, ta_fmt(&file, "/sys/class/%s/%s", class_dir, name), &text);
	if (rc == 0)
		rc = ta_netdev_parse_link(ta_buf_text(&text), class_dir, d);
	return rc == -EINVAL ? read_copied(h, class_dir, d) : rc == -ENOMEM ? rc : 0;
}

int ta_netdevs_read_class(struct ta_host *h, const char *class_dir, struct ta_netdevs *ret)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	ta_cleanup_netdevs struct ta_netdevs devs = TA_NETDEVS_INIT;
	char dir[512];
	int rc = ta_host_list(h, ta_fmt(&dir, "/sys/class/%s", class_dir), &names);

	if (rc < 0)
		return rc;
	devs.v = calloc(names.n + 1, sizeof(*devs.v));
	if (!devs.v)
		return -ENOMEM;
	for (size_t i = 0; i < names.n; i++) {
		/* The bonding driver's control file stands among the interfaces. */
		if (strcmp(names.v[i], "bonding_masters") == 0)
			continue;
		rc = read_one(h, class_dir, names.v[i], &devs.v[devs.n++]);
		if (rc < 0)
			return rc;
	}
	*ret = devs;
	devs = (struct ta_netdevs)TA_NETDEVS_INIT;
	return 0;
}

int ta_netdevs_read(struct ta_host *h, struct ta_netdevs *ret)
{
	return ta_netdevs_read_class(h, "net", ret);
}

const struct ta_netdev *ta_netdevs_find(const struct ta_netdevs *d, const char *name)
{
	size_t low = 0, high = d->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int order = ta_natural_cmp(d->v[mid].name, name);

		if (order == 0)
			return &d->v[mid];
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

void ta_netdevs_done(struct ta_netdevs *d)
{
	for (size_t i = 0; i < d->n; i++)
		ta_netdev_done(&d->v[i]);
	free(d->v);
	*d = (struct ta_netdevs)TA_NETDEVS_INIT;
}
