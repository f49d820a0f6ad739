/*
 * Losses that drivers count for themselves: drops per queue, packets missed for
 * want of buffers, what a cloud's allowance cut off. As the driver names them
 * (nic_driver), and in words that are the same for all drivers (nic_loss). Some
 * cards ask their firmware for these, so it is a probe of its own, run only
 * where it is needed.
 */
#include <errno.h>

#include "probe/drvinfo.h"
#include "probe/nicdev.h"
#include "probe/nicset.h"
#include "probe/nicstat.h"
#include "probe/probe.h"

#define LOSS(key, unit, meaning)                                                                   \
	{                                                                                          \
		"counters.nic_loss.*." key, TA_T_INT, unit, meaning, TA_F_VOLATILE, {{0}}          \
	}

static const struct ta_field fields[] = {
	{"counters.nic_driver.*.*", TA_T_INT, "",
		"a driver's own counter of lost packets (ethtool -S), those of queues added up "
		"under one name",
		TA_F_VOLATILE, {{0}}},
	LOSS("rx_lost", "packets",
		"received packets lost because this host was too slow for them: the largest of what kernel "
		"(rx_missed_errors, rx_fifo_errors) and driver count, which may be the same packets"),
	LOSS("rx_missed", "packets", "lost on the card: its memory was full, bus or host came too late"),
	LOSS("rx_no_buffer", "packets", "lost because the receive ring had no free descriptor"),
	LOSS("rx_ring_empty", "", "times that a receive ring had none left; packets may have waited"),
	LOSS("rx_no_memory", "", "times that the driver got no memory for receive buffers"),
	LOSS("rx_driver_drops", "packets", "arrived, then dropped by the driver"),
	LOSS("tx_ring_full", "", "times that a transmit queue had to stop because its ring was full"),
	LOSS("tx_timeouts", "", "times that a transmit queue hung and was reset"),
	LOSS("allowance_bw_in", "packets", "queued or dropped above the instance's inbound bandwidth"),
	LOSS("allowance_bw_out", "packets", "queued or dropped above the instance's outbound bandwidth"),
	LOSS("allowance_pps", "packets", "queued or dropped above the instance's packets per second"),
	LOSS("allowance_conntrack", "packets", "dropped above the instance's tracked connections"),
	LOSS("allowance_linklocal", "packets", "dropped above what local services (DNS, time, metadata) may get"),
};

/* --- in the driver's words ------------------------------------------------------- */

static void put_driver_words(struct ta_facts *f, const char *nic, const struct ta_nicstats *stats, int rc)
{
	if (rc == -EOPNOTSUPP)
		ta_facts_put_absent(f, TA_KEYS("counters", "nic_driver", nic), TA_UNSUPPORTED,
			"its driver has none");
	else if (rc < 0)
		ta_put_errno(f, rc, "ethtool", "counters", "nic_driver", nic);
	else
		ta_put_object(f, "counters", "nic_driver", nic);
	for (size_t i = 0; i < stats->n; i++)
		ta_put_u64(f, stats->v[i].value, "counters", "nic_driver", nic, stats->v[i].name);
}

/* --- in ours ---------------------------------------------------------------------- */

struct loss {
	uint64_t v[TA_N_NICLOSS];
	bool known[TA_N_NICLOSS];
};

static void translate(const struct ta_nicstats *stats, struct loss *ret)
{
	enum ta_nicloss means;

	for (size_t i = 0; i < stats->n; i++) {
		if (!ta_nicloss_of(stats->driver, stats->v[i].name, &means))
			continue;
		ret->known[means] = true;
		if (__builtin_add_overflow(ret->v[means], stats->v[i].value, &ret->v[means]))
			ret->v[means] = UINT64_MAX;
	}
}

static void put_hole(struct ta_facts *f, const char *nic, enum ta_nicloss which, const struct ta_nicstats *stats,
	const char *driver, int rc)
{
	const char *const *path = TA_KEYS("counters", "nic_loss", nic, ta_nicloss_names[which]);

	if (rc < 0 && rc != -EOPNOTSUPP)
		ta_facts_put_errno(f, path, rc, "ethtool");
	else if (rc < 0)
		ta_facts_put_absent(f, path, TA_UNSUPPORTED, "its driver has no counters of its own");
	else if (!*driver)
		ta_facts_put_absent(f, path, TA_MISSING, "its driver is not known, nor what its counters mean");
	else if (!stats->driver)
		ta_facts_put_absent(f, path, TA_MISSING, "what the counters of %s mean is not known here", driver);
	else if (ta_nicloss_has(stats->driver, which))
		ta_facts_put_absent(f, path, TA_UNSUPPORTED, "this version of %s does not count it", driver);
	else
		ta_facts_put_absent(f, path, TA_UNSUPPORTED, "%s does not count it", driver);
}

/* A counter that is there and cannot be read may be the largest: then nothing is known (*ret_rc). */
static void take_larger(struct ta_val v, uint64_t *ret, bool *ret_known, int *ret_rc)
{
	enum ta_reason why = v.rc < 0 ? ta_reason_of(v.rc) : TA_MISSING;

	if (why == TA_MALFORMED || why == TA_DENIED)
		*ret_rc = v.rc;
	if (v.rc < 0)
		return;
	*ret = TA_MAX(*ret, (uint64_t)v.v);
	*ret_known = true;
}

static void put_lost(struct ta_facts *f, const struct ta_link *l, const struct loss *loss)
{
	uint64_t lost = TA_MAX(loss->v[TA_NICLOSS_RX_MISSED], loss->v[TA_NICLOSS_RX_NO_BUFFER]);
	bool known = loss->known[TA_NICLOSS_RX_MISSED] || loss->known[TA_NICLOSS_RX_NO_BUFFER];

	int rc = 0;

	take_larger(l->counters[TA_LINK_RX_MISSED_ERRORS], &lost, &known, &rc);
	take_larger(l->counters[TA_LINK_RX_FIFO_ERRORS], &lost, &known, &rc);
	if (known && rc == 0)
		ta_put_u64(f, lost, "counters", "nic_loss", l->name, "rx_lost");
	else
		ta_put_errno(f, rc ?: l->counters[TA_LINK_RX_MISSED_ERRORS].rc, "statistics", "counters", "nic_loss",
			l->name, "rx_lost");
}

static const char *driver_of(struct ta_host *h, const struct ta_link *l, const struct ta_netdev *d, struct ta_buf *text,
	struct ta_drvinfo *info)
{
	char file[512];

	if (d && d->driver)
		return d->driver;
	if (d && d->device && ta_host_readlink(h, ta_fmt(&file, "%s/driver", d->device), text) == 0)
		return ta_last_component(ta_buf_text(text));
	return ta_drvinfo_read(h, l->name, info) == 0 ? info->driver : "";
}

static void put_nic(struct ta_host *h, struct ta_facts *f, const struct ta_link *l, const struct ta_netdev *d)
{
	ta_cleanup_nicstats struct ta_nicstats stats = TA_NICSTATS_INIT;
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_drvinfo info;
	const char *driver = driver_of(h, l, d, &text, &info);
	struct loss loss = {0};
	int rc = ta_nicstats_read(h, l->name, ta_nicloss_driver(driver), &stats);

	put_driver_words(f, l->name, &stats, rc);
	translate(&stats, &loss);
	put_lost(f, l, &loss);
	for (size_t i = 0; i < TA_N_NICLOSS; i++) {
		if (loss.known[i])
			ta_put_u64(f, loss.v[i], "counters", "nic_loss", l->name, ta_nicloss_names[i]);
		else
			put_hole(f, l->name, (enum ta_nicloss)i, &stats, driver, rc);
	}
}

static void nic_stats_collect(struct ta_host *h, struct ta_facts *f)
{
	struct ta_nicset set = {0};
	int rc = ta_nicset_read(h, &set);

	if (rc < 0) {
		ta_put_errno(f, rc, "/sys/class/net and rtnetlink", "counters", "nic_driver");
		ta_put_errno(f, rc, "/sys/class/net and rtnetlink", "counters", "nic_loss");
		return;
	}
	ta_put_object(f, "counters", "nic_driver");
	ta_put_object(f, "counters", "nic_loss");
	for (size_t i = 0; i < set.links.n; i++) {
		const struct ta_link *l = &set.links.v[i];
		const struct ta_netdev *d = ta_nicset_device(&set, h, l);

		if (ta_nic_is_physical(l, d) != 0)
			put_nic(h, f, l, d);
	}
	ta_nicset_done(&set);
}

const struct ta_probe ta_probe_nic_stats = {
	.name = "nic_stats",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = nic_stats_collect,
};
