#include "host/tuningpath.h"

#include <string.h>

#include "base/macros.h"

bool ta_is_tuning_path(const char *path, size_t len)
{
	static const char *const prefixes[] = {"/sys/kernel/mm/", "/sys/block/", "/sys/class/block/", "/sys/class/nvme/",
		"/sys/class/net/", "/sys/devices/system/", "/sys/module/nvme_core/parameters/", "/sys/module/nvme/parameters/",
		"/sys/module/nf_conntrack/parameters/", "/sys/module/tcp_", "/sys/module/zswap/parameters/",
		"/sys/devices/virtual/net/", "/sys/devices/virtual/workqueue/", "/sys/bus/workqueue/", "/proc/irq/"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(prefixes); i++) {
		size_t n = strlen(prefixes[i]);

		if (len > n && !strncmp(path, prefixes[i], n))
			return true;
	}
	return false;
}

bool ta_is_tuning_attr(const char *attr)
{
	static const char *const prefixes[] = {"queue/", "queues/", "bdi/", "iosched/",
		"power/pm_qos_latency_tolerance_us", "device/queue_depth", "gro_flush_timeout", "napi_defer_hard_irqs", "threaded", "tx_queue_len", "mtu"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(prefixes); i++)
		if (!strncmp(attr, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}
