/* /proc/interrupts from any bytes, its rows brought together with a few devices. */
#include <stdlib.h>
#include <string.h>

#include "probe/irqvec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char names[3][5] = {"eth0", "eth1", "lo"};
static char pci[] = "0000:01:00.0", dir[] = "/sys/devices/pci0000:00/0000:01:00.0";
static char copied[] = "/sys/class/net/eth1/device", driver[] = "virtio_net";

static struct ta_netdev nets[] = {
	{.name = names[0], .device = dir, .pci = pci, .bus_dir = dir},
	{.name = names[1], .device = copied, .driver = driver},
	{.name = names[2], .is_virtual = true},
};

static void check(const struct ta_irqvec *v)
{
	if (!v->name || v->counts.top > v->counts.total ||
		(v->queue >= 0 && v->role == TA_IRQ_OTHER))
		abort();
	if (v->device && !v->devices.n)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ta_irqdevs devs = {.nets = {.v = nets, .n = TA_ARRAY_SIZE(nets)}};
	struct ta_irqdev dev = {.pci = nets[0].pci, .dir = nets[0].bus_dir};
	struct ta_irqdev_key key = {.kind = 'p', .text = nets[0].pci};
	ta_cleanup_irq_columns struct ta_irq_columns columns = {0};
	ta_cleanup_strv struct ta_strv lines = TA_STRV_INIT;
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT, subject = TA_BUF_INIT;
	struct ta_irqvecs vecs = TA_IRQVECS_INIT;
	struct ta_irq_row row;

	ta_buf_add(&text, data, size);
	ta_strv_split(&lines, ta_buf_text(&text), "\n");
	ta_strv_add(&dev.names, "eth0");
	devs.v = &dev;
	devs.keys = &key;
	devs.n = devs.n_keys = 1;
	for (size_t i = 0; i < lines.n; i++) {
		if (i == 0 && ta_irq_columns_parse(lines.v[i], &columns) == 0)
			continue;
		if (ta_irq_row_parse(lines.v[i], &columns, &row))
			ta_irqvecs_add(&vecs, &devs, &row, &columns);
	}
	if (ta_irqvecs_finish(&vecs, &devs) < 0)
		abort();
	for (size_t i = 0; i < vecs.n; i++) {
		check(&vecs.v[i]);
		ta_irqvec_subject(&vecs.v[i], &subject);
	}
	ta_irqvecs_done(&vecs);
	ta_strv_done(&dev.names);
	return 0;
}
