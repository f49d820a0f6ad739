/*
 * What a driver sets up anew with its queues, saved beside a change of them.
 */
#include <errno.h>
#include <string.h>

#include "fix/nicknob.h"
#include "fix/step.h"
#include "nic/link.h"

/* Only what can be read and put back: a single-queue device refuses XPS, a virtual one has no rings. */
static void add(struct ta_host *h, const struct ta_knob *knob, const char *target, struct ta_steps *ret)
{
	ta_cleanup_buf struct ta_buf value = TA_BUF_INIT;

	if (knob->check(target, NULL, TA_VALUE_FOUND, NULL) == 0 && knob->read(h, target, &value, NULL) == 0 &&
		knob->check(target, ta_buf_text(&value), TA_VALUE_FOUND, NULL) == 0)
		ta_steps_add(ret, knob, target, NULL);
}

static void add_file(struct ta_host *h, struct ta_steps *ret, const char *fmt, ...) ta_printf(3, 4);
static void add_file(struct ta_host *h, struct ta_steps *ret, const char *fmt, ...)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	ta_buf_vprintf(&path, fmt, ap);
	va_end(ap);
	if (path.error)
		ret->error = path.error;
	else
		add(h, &ta_knob_attr, ta_buf_text(&path), ret);
}

static void add_maps(struct ta_host *h, const char *ifname, struct ta_steps *ret)
{
	static const char *const rx[] = {"rps_cpus", "rps_flow_cnt"}, *const tx[] = {"xps_cpus", "xps_rxqs"};
	ta_cleanup_buf struct ta_buf dir = TA_BUF_INIT;
	ta_cleanup_strv struct ta_strv queues = TA_STRV_INIT;

	ta_buf_printf(&dir, "/sys/class/net/%s/queues", ifname);
	if (dir.error || ta_host_list(h, ta_buf_text(&dir), &queues) < 0)
		return;
	for (size_t i = 0; i < queues.n; i++)
		for (size_t k = 0; k < TA_ARRAY_SIZE(rx); k++)
			add_file(h, ret, "%s/%s/%s", ta_buf_text(&dir), queues.v[i],
				strncmp(queues.v[i], "rx-", 3) == 0 ? rx[k] : tx[k]);
}

/* The directory of its PCI function: of a virtio device it is the one above it. */
static int find_irqs(struct ta_host *h, const char *ifname, struct ta_strv *ret)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT, link = TA_BUF_INIT;
	char *cut;
	int rc;

	ta_buf_printf(&path, "/sys/class/net/%s", ifname);
	rc = path.error ? path.error : ta_host_readlink(h, ta_buf_text(&path), &link);
	if (rc < 0)
		return rc;
	/* "../../devices/pci0000:00/0000:00:03.0/virtio0/net/eth0" */
	if (strncmp(ta_buf_text(&link), "../../devices/", strlen("../../devices/")) != 0)
		return -ENOENT;
	for (int i = 0; i < 2; i++) {
		cut = strrchr(link.data, '/');
		if (cut)
			*cut = '\0';
	}
	for (int i = 0; i < 2; i++) {
		ta_buf_reset(&path);
		ta_buf_printf(&path, "/sys/%s/msi_irqs", link.data + strlen("../../"));
		rc = path.error ? path.error : ta_host_list(h, ta_buf_text(&path), ret);
		cut = strrchr(link.data, '/');
		if (rc == 0 || !cut)
			break;
		*cut = '\0';
	}
	return rc;
}

static void add_irqs(struct ta_host *h, const char *ifname, struct ta_steps *ret)
{
	ta_cleanup_strv struct ta_strv irqs = TA_STRV_INIT;

	if (find_irqs(h, ifname, &irqs) < 0)
		return;
	for (size_t i = 0; i < irqs.n; i++)
		add_file(h, ret, "/proc/irq/%s/smp_affinity_list", irqs.v[i]);
}

int ta_nic_coupled_queues(struct ta_host *h, const char *ifname, const struct ta_knob *but, struct ta_steps *ret)
{
	const struct ta_knob *const knobs[] = {&ta_knob_rings, &ta_knob_coalesce, &ta_knob_features, &ta_knob_rss};
	struct ta_nic_link link;

	for (size_t i = 0; i < TA_ARRAY_SIZE(knobs); i++)
		if (knobs[i] != but)
			add(h, knobs[i], ifname, ret);
	/*
	 * Below mq, queues that are not in use have pfifo_fast, and keep it when they come into use
	 * (net/sched/sch_generic.c: get_default_qdisc_ops()).
	 */
	if (but == &ta_knob_channels)
		add(h, &ta_knob_qdisc, ifname, ret);
	if (ta_nic_link_read(h, ifname, &link) == 0 && ta_nic_link_in_sysfs(h, &link)) {
		add_irqs(h, ifname, ret);
		add_maps(h, ifname, ret);
	}
	return ret->error;
}
