/*
 * Judging one row at a time is not enough: "eth3" is the link's interrupt
 * beside eth3-TxRx-0 and the only queue's where it stands alone; ena-mgmnt@pci:…
 * names a function whose interface only its neighbours name. So the rows that
 * are kept are looked at once more when all are in.
 */
#include "probe/irqvec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A host of 1,152 CPUs has 1,034 rows. */
#define MAX_VECTORS 100000

static void vec_done(struct ta_irqvec *v)
{
	free(v->name);
	free(v->device);
	ta_strv_done(&v->devices);
	ta_cpuset_done(&v->counts.fired);
}

void ta_irqvecs_done(struct ta_irqvecs *vecs)
{
	for (size_t i = 0; i < vecs->n; i++)
		vec_done(&vecs->v[i]);
	free(vecs->v);
	*vecs = (struct ta_irqvecs)TA_IRQVECS_INIT;
}

/* The device of one action, as far as this host's lists and the row tell. */
static const struct ta_irqdev *find_device(const struct ta_irqdevs *devs,
	const struct ta_irq_row *row, const char *row_pci, const struct ta_irq_name *name)
{
	const struct ta_irqdev *dev = ta_irqdevs_by_irq(devs, row->irq);

	if (!dev)
		dev = ta_irqdevs_by_pci(devs, row_pci);
	if (!dev)
		dev = ta_irqdevs_by_pci(devs, name->pci);
	return dev ? dev : ta_irqdevs_by_name(devs, name);
}

/* A virtual interface of that name is ours, the interrupt is somebody else's (we are in a
 * container). */
static bool is_other_hosts(const struct ta_irqdevs *devs, const char *ifname)
{
	const struct ta_netdev *net = ta_netdevs_find(&devs->nets, ifname);

	return net && net->is_virtual;
}

/* What to call a device that this host does not list. NULL: no device of ours. */
static const char *unlisted_device(const struct ta_irqdevs *devs, const char *row_pci,
	const struct ta_irq_name *name, bool *ret_by_address)
{
	const char *const addresses[] = {
		name->virtio, name->pci, row_pci, name->platform, name->driver};

	*ret_by_address = false;
	if (name->nvme[0])
		return name->nvme;
	if (name->ifname[0] && (name->is_net || ta_looks_like_ifname(name->ifname)) &&
		!is_other_hosts(devs, name->ifname))
		return name->ifname;
	*ret_by_address = true;
	for (size_t i = 0; i < TA_ARRAY_SIZE(addresses) && name->is_net; i++)
		if (addresses[i][0])
			return addresses[i];
	return NULL;
}

static bool is_named(const struct ta_irqdev *dev, const struct ta_irq_name *name)
{
	return name->is_net || (name->ifname[0] && ta_strv_has(&dev->names, name->ifname)) ||
	       (name->nvme[0] && ta_strv_has(&dev->names, name->nvme)) ||
	       (name->virtio[0] && dev->virtio && strcmp(dev->virtio, name->virtio) == 0);
}

static int set_device(struct ta_irqvec *v, const char *device)
{
	ta_strv_add(&v->devices, device);
	if (!v->device)
		v->device = strdup(device);
	return v->device ? v->devices.error : -ENOMEM;
}

/* Adds what one action says. `alone`: the line has no other. Sets *ret_ours. */
static int add_action(struct ta_irqvec *v, const struct ta_irqdevs *devs,
	const struct ta_irq_row *row, const char *action, size_t len, bool alone, bool *ret_ours)
{
	const struct ta_irqdev *dev;
	struct ta_irq_name name;
	const char *device = NULL;
	bool by_address = false;

	ta_irq_name_parse(action, len, &name);
	dev = find_device(devs, row, v->pci, &name);
	/* On a shared line the number says that one of the actions is the device's, not which. */
	if (dev && !alone && !is_named(dev, &name))
		return 0;
	if (!dev)
		device = unlisted_device(devs, v->pci, &name, &by_address);
	else if (dev->names.n == 1)
		device = dev->names.v[0];
	else if (name.ifname[0] && ta_strv_has(&dev->names, name.ifname))
		device = name.ifname;
	if (!dev && !device && !name.is_net && !ta_looks_like_ifname(name.ifname))
		return 0;
	/* The first data queue of the line is the line's. */
	if (!*ret_ours || v->role == TA_IRQ_OTHER || v->role == TA_IRQ_UNKNOWN) {
		v->role = name.role;
		v->queue = name.queue;
		v->by_address = by_address;
	}
	if (!v->pci[0])
		memcpy(v->pci, name.pci, sizeof(v->pci));
	*ret_ours = true;
	return device ? set_device(v, device) : 0;
}

static int add_actions(struct ta_irqvec *v, const struct ta_irqdevs *devs,
	const struct ta_irq_row *row, bool *ret_ours)
{
	const char *s = row->actions, *end = s + row->actions_len;
	bool alone = !memchr(s, ',', row->actions_len);

	while (s < end) {
		const char *comma = s;
		int rc;

		while (comma < end && !(comma[0] == ',' && comma + 1 < end && comma[1] == ' '))
			comma++;
		rc = add_action(v, devs, row, s, (size_t)(comma - s), alone, ret_ours);
		if (rc < 0)
			return rc;
		s = comma + 2;
	}
	return 0;
}

static int append(struct ta_irqvecs *vecs, const struct ta_irqvec *v)
{
	if (vecs->n == MAX_VECTORS)
		return -EFBIG;
	if (vecs->n == vecs->cap) {
		size_t cap = vecs->cap ? vecs->cap * 2 : 64;
		struct ta_irqvec *grown = reallocarray(vecs->v, cap, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		vecs->v = grown;
		vecs->cap = cap;
	}
	vecs->v[vecs->n++] = *v;
	return 0;
}

int ta_irqvecs_add(struct ta_irqvecs *vecs, const struct ta_irqdevs *devs,
	const struct ta_irq_row *row, const struct ta_irq_columns *columns)
{
	struct ta_irqvec v = {.irq = row->irq, .queue = -1};
	bool ours = false;
	int rc;

	ta_irq_row_pci(row, v.pci, sizeof(v.pci));
	rc = add_actions(&v, devs, row, &ours);
	if (rc == 0 && ours) {
		v.name = strndup(row->actions, row->actions_len);
		rc = v.name ? ta_irq_count(row, columns, &v.counts) : -ENOMEM;
	}
	if (rc == 0 && ours)
		rc = append(vecs, &v);
	if (rc < 0 || !ours)
		vec_done(&v);
	return rc;
}

/* --- what one row says of another -------------------------------------------- */

static int cmp_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int by_pci(const void *a, const void *b)
{
	const struct ta_irqvec *const *x = a, *const *y = b;

	return strcmp((*x)->pci, (*y)->pci);
}

static int by_device(const void *a, const void *b)
{
	const struct ta_irqvec *const *x = a, *const *y = b;

	return cmp_text((*x)->device, (*y)->device);
}

/* Calls fn for each run of rows that compare equal. */
static int each_group(struct ta_irqvec **sorted, size_t n, int (*cmp)(const void *, const void *),
	int (*fn)(struct ta_irqvec **group, size_t n))
{
	int rc = 0;

	qsort(sorted, n, sizeof(*sorted), cmp);
	for (size_t start = 0, end; rc == 0 && start < n; start = end) {
		for (end = start + 1; end < n && cmp(&sorted[start], &sorted[end]) == 0; end++)
			;
		rc = fn(sorted + start, end - start);
	}
	return rc;
}

/* The interface in place of the address that was known so far. */
static int rename_device(struct ta_irqvec *v, const char *device)
{
	free(v->device);
	ta_strv_done(&v->devices);
	v->device = NULL;
	v->by_address = false;
	return set_device(v, device);
}

/* Rows of one function: the one interface that some name is everybody's; two are nobody's. */
static int share_device(struct ta_irqvec **group, size_t n)
{
	const char *found = NULL;

	for (size_t i = 0; i < n && group[0]->pci[0]; i++) {
		if (group[i]->by_address || !group[i]->device)
			continue;
		if (found && strcmp(found, group[i]->device) != 0)
			return 0;
		found = group[i]->device;
	}
	for (size_t i = 0; i < n && found; i++) {
		if (group[i]->by_address && rename_device(group[i], found) < 0)
			return -ENOMEM;
	}
	return 0;
}

/*
 * Rows of one device. A name without a queue is the link's beside queues, and the only queue's
 * without. Several such names alike are several devices of one driver; different ones remain
 * unknown.
 */
static int settle_roles(struct ta_irqvec **group, size_t n)
{
	const struct ta_irqvec *first = NULL;
	bool queues = false, differ = false;

	for (size_t i = 0; i < n; i++) {
		const struct ta_irqvec *v = group[i];

		queues = queues || v->queue >= 0;
		if (v->role != TA_IRQ_UNKNOWN)
			continue;
		differ = differ || (first && strcmp(first->name, v->name) != 0);
		first = v;
	}
	for (size_t i = 0; i < n && first && (queues || !differ) && group[0]->device; i++) {
		if (group[i]->role != TA_IRQ_UNKNOWN)
			continue;
		group[i]->role = queues ? TA_IRQ_OTHER : TA_IRQ_COMBINED;
		group[i]->queue = queues ? -1 : 0;
	}
	return 0;
}

static bool is_gve_block(const struct ta_irqvec *v)
{
	return v->queue >= 0 && (strncmp(v->name, "gve-ntfy-blk", 12) == 0 || strstr(v->name, "-ntfy-block."));
}

/*
 * The blocks of a gve card: the lower half is for sending, the upper half for receiving, whether or not there are queues
 * for all of them (drivers/net/ethernet/google/gve/gve.h gve_tx_idx_to_ntfy(), gve_rx_idx_to_ntfy(), 6.12). An odd
 * number is no whole table.
 */
static int split_gve_blocks(struct ta_irqvec **group, size_t n)
{
	size_t blocks = 0;

	for (size_t i = 0; i < n; i++)
		blocks += is_gve_block(group[i]);
	for (size_t i = 0; i < n && blocks % 2 == 0; i++) {
		int half = (int)(blocks / 2);

		if (!is_gve_block(group[i]))
			continue;
		group[i]->role = group[i]->queue < half ? TA_IRQ_TX : TA_IRQ_RX;
		group[i]->queue -= group[i]->queue < half ? 0 : half;
	}
	return 0;
}

/* A copy without links: the one virtio interface and the one virtio device with receive queues are
 * the same. */
static int name_only_virtio(struct ta_irqvecs *vecs, const struct ta_irqdevs *devs)
{
	const struct ta_netdev *only = NULL;
	const char *virtio = NULL;
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; i < devs->nets.n; i++) {
		const struct ta_netdev *net = &devs->nets.v[i];

		if (net->driver && !net->virtio && strcmp(net->driver, "virtio_net") == 0) {
			only = net;
			n++;
		}
	}
	for (size_t i = 0; i < vecs->n && n == 1; i++) {
		const struct ta_irqvec *v = &vecs->v[i];

		if (!v->by_address || strncmp(v->device, "virtio", 6) != 0)
			continue;
		if (virtio && strcmp(virtio, v->device) != 0)
			return 0;
		virtio = v->device;
	}
	for (size_t i = 0; i < vecs->n && virtio && rc == 0; i++)
		if (vecs->v[i].by_address && strncmp(vecs->v[i].device, "virtio", 6) == 0)
			rc = rename_device(&vecs->v[i], only->name);
	return rc;
}

int ta_irqvecs_finish(struct ta_irqvecs *vecs, const struct ta_irqdevs *devs)
{
	struct ta_irqvec **sorted = calloc(vecs->n + 1, sizeof(*sorted));
	int rc;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < vecs->n; i++)
		sorted[i] = &vecs->v[i];
	rc = each_group(sorted, vecs->n, by_pci, share_device);
	if (rc == 0)
		rc = name_only_virtio(vecs, devs);
	if (rc == 0)
		rc = each_group(sorted, vecs->n, by_device, settle_roles);
	if (rc == 0)
		rc = each_group(sorted, vecs->n, by_device, split_gve_blocks);
	free(sorted);
	return rc;
}

static bool is_unsettled(const struct ta_irqvec *v)
{
	return !v->device || v->role == TA_IRQ_UNKNOWN;
}

bool ta_irqvecs_unsettled(const struct ta_irqvecs *vecs)
{
	for (size_t i = 0; i < vecs->n; i++)
		if (is_unsettled(&vecs->v[i]))
			return true;
	return false;
}

int ta_irqvecs_use_napis(
	struct ta_irqvecs *vecs, const struct ta_napis *napis, const struct ta_links *links)
{
	for (size_t i = 0; i < vecs->n; i++) {
		struct ta_irqvec *v = &vecs->v[i];
		const struct ta_napi *napi =
			is_unsettled(v) ? ta_napis_by_irq(napis, v->irq) : NULL;
		const struct ta_link *l = napi ? ta_links_by_index(links, napi->ifindex) : NULL;

		if (!l)
			continue;
		if (!v->device && set_device(v, l->name) < 0)
			return -ENOMEM;
		if (v->role != TA_IRQ_UNKNOWN || (napi->rx < 0 && napi->tx < 0))
			continue;
		v->queue = napi->rx >= 0 ? napi->rx : napi->tx;
		v->role = napi->rx < 0 ? TA_IRQ_TX : napi->tx < 0 ? TA_IRQ_RX : TA_IRQ_COMBINED;
	}
	return 0;
}

void ta_irqvec_subject(const struct ta_irqvec *v, struct ta_buf *ret)
{
	const char *role = ta_irq_role_name(v->role);

	if (v->device)
		ta_buf_printf(ret, "%s ", v->device);
	if (role && v->queue >= 0)
		ta_buf_printf(ret, "%s-%d", role, v->queue);
	else if (role && v->device && strcmp(v->device, v->name) == 0)
		ta_buf_adds(ret, role);
	else
		ta_buf_adds(ret, v->name);
}
