/*
 * msi_irqs is a directory with one entry per vector: one listing per function
 * tells all numbers. Line interrupts have theirs in the file irq. Both are
 * missing for Xen, platform and USB devices and in thin copies.
 */
#include "probe/irqdev.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "probe/pastednic.h"
#include "probe/probe.h"
#include "probe/value.h"

static int add_device(struct ta_irqdevs *d, const struct ta_netdev *net, bool is_nvme)
{
	struct ta_irqdev *dev = NULL;

	if (!net->device || d->n == TA_IRQDEVS_MAX)
		return 0;
	/* Both ports of some cards are one function. */
	for (size_t i = 0; i < d->n && net->bus_dir && !dev; i++)
		if (d->v[i].dir && strcmp(d->v[i].dir, net->bus_dir) == 0)
			dev = &d->v[i];
	for (size_t i = 0; i < d->n && net->pci && !dev; i++)
		if (d->v[i].pci && strcmp(d->v[i].pci, net->pci) == 0 && !d->v[i].virtio)
			dev = &d->v[i];
	if (!dev) {
		dev = &d->v[d->n++];
		*dev = (struct ta_irqdev){
			.pci = net->pci,
			.dir = net->bus_dir,
			.virtio = net->virtio,
			.is_nvme = is_nvme,
		};
	}
	ta_strv_add(&dev->names, net->name);
	return dev->names.error;
}

static int add_owner(struct ta_irqdevs *d, unsigned irq, size_t dev)
{
	if (d->n_owners == d->cap_owners) {
		size_t cap = d->cap_owners ? d->cap_owners * 2 : 64;
		struct ta_irq_owner *v = reallocarray(d->owners, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		d->owners = v;
		d->cap_owners = cap;
	}
	d->owners[d->n_owners++] = (struct ta_irq_owner){.irq = irq, .dev = dev};
	return 0;
}

static int read_vectors(struct ta_host *h, struct ta_irqdevs *d, size_t dev)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	struct ta_val line;
	char file[512];
	int64_t irq;
	int rc;

	if (!d->v[dev].dir || !d->v[dev].pci)
		return 0;
	rc = ta_host_list(h, ta_fmt(&file, "%s/msi_irqs", d->v[dev].dir), &names);
	for (size_t i = 0; rc == 0 && i < names.n; i++)
		if (ta_parse_i64(names.v[i], &irq) == 0 && irq > 0 && irq < 100000000)
			rc = add_owner(d, (unsigned)irq, dev);
	if (rc == -ENOMEM || names.n)
		return rc == -ENOMEM ? rc : 0;
	line = ta_val_read(h, ta_fmt(&file, "%s/irq", d->v[dev].dir));
	if (line.rc == 0 && line.v > 0 && line.v < 100000000)
		return add_owner(d, (unsigned)line.v, dev);
	return 0;
}

static int by_irq(const void *a, const void *b)
{
	const struct ta_irq_owner *x = a, *y = b;

	return (x->irq > y->irq) - (x->irq < y->irq);
}

static int cmp_key(const void *a, const void *b)
{
	const struct ta_irqdev_key *x = a, *y = b;

	return x->kind != y->kind ? x->kind - y->kind : strcmp(x->text, y->text);
}

static void add_key(struct ta_irqdevs *d, char kind, const char *text, size_t dev)
{
	if (text)
		d->keys[d->n_keys++] =
			(struct ta_irqdev_key){.kind = kind, .text = text, .dev = dev};
}

static int make_keys(struct ta_irqdevs *d)
{
	d->keys = calloc(d->nets.n + d->nvmes.n + 3 * d->n + 1, sizeof(*d->keys));
	if (!d->keys)
		return -ENOMEM;
	for (size_t i = 0; i < d->n; i++) {
		const struct ta_irqdev *dev = &d->v[i];
		const char *slash = dev->dir ? strrchr(dev->dir, '/') : NULL;

		add_key(d, 'p', dev->pci, i);
		add_key(d, 'v', dev->virtio, i);
		add_key(d, 'd', slash && !dev->pci ? slash + 1 : NULL, i);
		for (size_t k = 0; k < dev->names.n; k++)
			add_key(d, dev->is_nvme ? 'V' : 'n', dev->names.v[k], i);
	}
	if (d->n_keys)
		qsort(d->keys, d->n_keys, sizeof(*d->keys), cmp_key);
	return 0;
}

static int take_link(struct ta_netdev *net, const struct ta_link *l)
{
	char dir[512];

	net->name = strdup(l->name);
	net->is_virtual = !l->parent && l->kind[0];
	if (!l->parent)
		return net->name ? 0 : -ENOMEM;
	net->device = strdup(ta_fmt(&dir, "/sys/class/net/%s/device", l->name));
	net->pci = ta_is_pci_address(l->parent, strlen(l->parent)) ? strdup(l->parent) : NULL;
	return net->name && net->device ? 0 : -ENOMEM;
}

/* Interfaces that only outputs of commands name: `ethtool -i` tells their PCI function. 0 or -ENOMEM. */
static int nets_of_outputs(struct ta_host *h, struct ta_netdevs *ret)
{
	ta_cleanup_links struct ta_links links = TA_LINKS_INIT;
	int rc = ta_pastednic_links(h, &links);

	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	rc = ta_pastednic_devices(h, ret, &links);
	ret->v = calloc(links.n + 1, sizeof(*ret->v));
	if (!ret->v)
		rc = -ENOMEM;
	for (size_t i = 0; rc == 0 && i < links.n; i++)
		rc = take_link(&ret->v[ret->n++], &links.v[i]);
	return rc;
}

static int read_all(struct ta_host *h, struct ta_irqdevs *d)
{
	int rc = ta_netdevs_read(h, &d->nets);

	if (rc < 0 && rc != -ENOMEM && !ta_host_is_live(h))
		rc = nets_of_outputs(h, &d->nets);
	if (rc == -ENOMEM)
		return rc;
	if (ta_netdevs_read_class(h, "nvme", &d->nvmes) == -ENOMEM)
		return -ENOMEM;
	d->v = calloc(d->nets.n + d->nvmes.n + 1, sizeof(*d->v));
	if (!d->v)
		return -ENOMEM;
	for (size_t i = 0; i < d->nets.n; i++)
		if (add_device(d, &d->nets.v[i], false) < 0)
			return -ENOMEM;
	for (size_t i = 0; i < d->nvmes.n; i++)
		if (add_device(d, &d->nvmes.v[i], true) < 0)
			return -ENOMEM;
	for (size_t i = 0; i < d->n; i++)
		if (read_vectors(h, d, i) < 0)
			return -ENOMEM;
	if (d->n_owners)
		qsort(d->owners, d->n_owners, sizeof(*d->owners), by_irq);
	return make_keys(d);
}

int ta_irqdevs_read(struct ta_host *h, struct ta_irqdevs *ret)
{
	int rc;

	*ret = (struct ta_irqdevs)TA_IRQDEVS_INIT;
	rc = read_all(h, ret);
	if (rc < 0)
		ta_irqdevs_done(ret);
	return rc;
}

void ta_irqdevs_done(struct ta_irqdevs *d)
{
	for (size_t i = 0; i < d->n; i++) {
		ta_strv_done(&d->v[i].names);
		free(d->v[i].driver);
	}
	free(d->v);
	free(d->owners);
	free(d->keys);
	ta_netdevs_done(&d->nets);
	ta_netdevs_done(&d->nvmes);
	*d = (struct ta_irqdevs)TA_IRQDEVS_INIT;
}

const struct ta_irqdev *ta_irqdevs_by_irq(const struct ta_irqdevs *d, unsigned irq)
{
	struct ta_irq_owner key = {.irq = irq}, *found;

	if (!d->n_owners)
		return NULL;
	found = bsearch(&key, d->owners, d->n_owners, sizeof(*d->owners), by_irq);
	return found ? &d->v[found->dev] : NULL;
}

static const struct ta_irqdev *by_key(const struct ta_irqdevs *d, char kind, const char *text)
{
	struct ta_irqdev_key key = {.kind = kind, .text = text}, *found;

	if (!*text || !d->n_keys)
		return NULL;
	found = bsearch(&key, d->keys, d->n_keys, sizeof(*d->keys), cmp_key);
	return found ? &d->v[found->dev] : NULL;
}

const struct ta_irqdev *ta_irqdevs_by_pci(const struct ta_irqdevs *d, const char *pci)
{
	return by_key(d, 'p', pci);
}

/* The one interface of a driver; two are nobody's. */
static const struct ta_irqdev *by_driver(const struct ta_irqdevs *d, const char *driver)
{
	const struct ta_netdev *only = NULL;

	for (size_t i = 0; *driver && i < d->nets.n; i++) {
		const struct ta_netdev *net = &d->nets.v[i];

		if (!net->driver || strcmp(net->driver, driver) != 0)
			continue;
		if (only)
			return NULL;
		only = net;
	}
	return only ? by_key(d, 'n', only->name) : NULL;
}

const struct ta_irqdev *ta_irqdevs_by_name(
	const struct ta_irqdevs *d, const struct ta_irq_name *name)
{
	const struct ta_irqdev *dev = by_key(d, 'v', name->virtio);

	dev = dev ? dev : by_key(d, 'V', name->nvme);
	dev = dev ? dev : by_key(d, 'n', name->ifname);
	dev = dev ? dev : by_key(d, 'd', name->platform);
	return dev ? dev : by_driver(d, name->driver);
}

const char *ta_irqdev_driver(struct ta_host *h, const struct ta_irqdevs *d, const char *ifname)
{
	const struct ta_netdev *net = ta_netdevs_find(&d->nets, ifname);
	struct ta_irqdev_key key = {.kind = 'n', .text = ifname}, *found;
	ta_cleanup_buf struct ta_buf link = TA_BUF_INIT;
	struct ta_irqdev *dev;
	const char *slash;
	char file[512];

	found = d->n_keys ? bsearch(&key, d->keys, d->n_keys, sizeof(*d->keys), cmp_key) : NULL;
	if (!net || !found)
		return "";
	if (net->driver)
		return net->driver;
	dev = &d->v[found->dev];
	if (!dev->driver_asked && net->device &&
		ta_host_readlink(h, ta_fmt(&file, "%s/driver", net->device), &link) == 0) {
		slash = strrchr(ta_buf_text(&link), '/');
		dev->driver = strdup(slash ? slash + 1 : ta_buf_text(&link));
	}
	dev->driver_asked = true;
	return dev->driver ? dev->driver : "";
}
