#include "fix/sinks.h"

#include <string.h>

#define NO INT64_MIN
#define INT INT32_MAX
#define NETNS TA_SINK_NETNS
#define RISING TA_SINK_RISING
#define MODULE TA_SINK_MODULE

/* Ranges: net/ipv4/sysctl_net_ipv4.c, net/core/sysctl_net_core.c, kernel/sysctl.c, fs/file_table.c (6.12). */
const struct ta_sysctl_sink ta_sysctl_sinks[] = {
	{"fs.aio-max-nr", 1, 1024, INT64_MAX, 0, NO},
	{"fs.epoll.max_user_watches", 1, 1024, INT64_MAX, 0, NO},
	{"fs.file-max", 1, 8192, INT64_MAX, 0, NO},
	{"fs.inotify.max_user_instances", 1, 128, INT, 0, NO},
	{"fs.inotify.max_user_watches", 1, 8192, INT, 0, NO},
	{"fs.nr_open", 1, 1024, INT, 0, NO},
	{"fs.pipe-user-pages-soft", 1, 0, INT, 0, 0},
	{"kernel.io_uring_disabled", 1, 0, 2, 0, NO},
	{"kernel.numa_balancing", 1, 0, 2, 0, NO},
	{"kernel.pid_max", 1, 301, 4194304, 0, NO},
	{"kernel.threads-max", 1, 20, INT, 0, NO},
	{"net.core.bpf_jit_enable", 1, 0, 1, 0, NO},
	{"net.core.busy_poll", 1, 0, INT, 0, NO},
	{"net.core.busy_read", 1, 0, INT, 0, NO},
	{"net.core.default_qdisc", 1, 0, 0, TA_SINK_WORD, NO},
	{"net.core.netdev_budget", 1, 1, INT, 0, NO},
	{"net.core.netdev_budget_usecs", 1, 1, INT, 0, NO},
	{"net.core.netdev_max_backlog", 1, 1, INT, 0, NO},
	{"net.core.optmem_max", 1, 4096, INT, NETNS, NO},
	{"net.core.rmem_default", 1, 2304, INT, 0, NO},
	{"net.core.rmem_max", 1, 2304, INT, 0, NO},
	{"net.core.rps_sock_flow_entries", 1, 0, 1 << 29, 0, NO},
	{"net.core.somaxconn", 1, 128, INT, NETNS, NO},
	{"net.core.wmem_default", 1, 4608, INT, 0, NO},
	{"net.core.wmem_max", 1, 4608, INT, 0, NO},
	{"net.ipv4.ip_local_port_range", 2, 1, 65535, NETNS | RISING, NO},
	{"net.ipv4.neigh.default.gc_thresh1", 1, 0, INT, 0, NO},
	{"net.ipv4.neigh.default.gc_thresh2", 1, 0, INT, 0, NO},
	{"net.ipv4.neigh.default.gc_thresh3", 1, 0, INT, 0, NO},
	{"net.ipv4.tcp_abort_on_overflow", 1, 0, 1, NETNS, NO},
	{"net.ipv4.tcp_congestion_control", 1, 0, 0, NETNS | TA_SINK_WORD, NO},
	{"net.ipv4.tcp_ecn", 1, 0, 5, NETNS, NO},
	{"net.ipv4.tcp_fastopen", 1, 0, INT, NETNS, NO},
	{"net.ipv4.tcp_fin_timeout", 1, 5, 3600, NETNS, NO},
	{"net.ipv4.tcp_keepalive_time", 1, 60, 32767, NETNS, NO},
	{"net.ipv4.tcp_limit_output_bytes", 1, 65536, INT, NETNS, NO},
	{"net.ipv4.tcp_max_orphans", 1, 1024, INT, 0, NO},
	{"net.ipv4.tcp_max_syn_backlog", 1, 128, INT, NETNS, NO},
	{"net.ipv4.tcp_max_tw_buckets", 1, 1024, INT, NETNS, NO},
	{"net.ipv4.tcp_mem", 3, 1, INT64_MAX, RISING, NO},
	{"net.ipv4.tcp_moderate_rcvbuf", 1, 0, 1, NETNS, NO},
	{"net.ipv4.tcp_mtu_probing", 1, 0, 2, NETNS, NO},
	{"net.ipv4.tcp_notsent_lowat", 1, 4096, UINT32_MAX, NETNS, UINT32_MAX},
	{"net.ipv4.tcp_rmem", 3, 4096, INT, NETNS | RISING, NO},
	{"net.ipv4.tcp_sack", 1, 0, 1, NETNS, NO},
	{"net.ipv4.tcp_slow_start_after_idle", 1, 0, 1, NETNS, NO},
	{"net.ipv4.tcp_syncookies", 1, 0, 1, NETNS, NO}, /* 2 is for tests only */
	{"net.ipv4.tcp_timestamps", 1, 0, 1, NETNS, NO},
	{"net.ipv4.tcp_tw_recycle", 1, 0, 0, NETNS, NO}, /* before 4.12; never right */
	{"net.ipv4.tcp_tw_reuse", 1, 0, 2, NETNS, NO},
	{"net.ipv4.tcp_window_scaling", 1, 0, 1, NETNS, NO},
	{"net.ipv4.tcp_wmem", 3, 4096, INT, NETNS | RISING, NO},
	{"net.ipv4.udp_mem", 3, 1, INT64_MAX, RISING, NO},
	{"net.ipv4.udp_rmem_min", 1, 4096, INT, NETNS, NO},
	{"net.netfilter.nf_conntrack_buckets", 1, 1024, INT, MODULE, NO},
	{"net.netfilter.nf_conntrack_max", 1, 1024, INT, MODULE, 0},
	{"net.netfilter.nf_conntrack_tcp_timeout_established", 1, 600, INT, NETNS | MODULE, NO},
	{"net.netfilter.nf_conntrack_tcp_timeout_time_wait", 1, 1, INT, NETNS | MODULE, NO},
	{"vm.dirty_background_bytes", 1, 4096, INT64_MAX, 0, NO},
	{"vm.dirty_background_ratio", 1, 1, 100, 0, NO},
	{"vm.dirty_bytes", 1, 8192, INT64_MAX, 0, NO},
	{"vm.dirty_ratio", 1, 1, 100, 0, NO},
	{"vm.max_map_count", 1, 65530, INT, 0, NO},
	{"vm.min_free_kbytes", 1, 1024, 4 << 20, 0, NO},
	{"vm.overcommit_memory", 1, 0, 1, 0, NO}, /* 2 breaks what reserves address space */
	{"vm.swappiness", 1, 1, 200, 0, NO},
	{"vm.vfs_cache_pressure", 1, 1, 1000, 0, NO}, /* 0 never frees */
	{"vm.watermark_scale_factor", 1, 1, 1000, 0, NO},
	{"vm.zone_reclaim_mode", 1, 0, 7, 0, NO},
};

const size_t ta_n_sysctl_sinks = TA_ARRAY_SIZE(ta_sysctl_sinks);

const struct ta_sysctl_sink *ta_sysctl_sink(const char *key)
{
	for (size_t i = 0; i < ta_n_sysctl_sinks; i++)
		if (!strcmp(ta_sysctl_sinks[i].key, key))
			return &ta_sysctl_sinks[i];
	return NULL;
}

/* They name a program, switch protection off, load code, or stop the host. */
static const char *const forbidden[] = {
	"dev.tty.ldisc_autoload",
	"fs.binfmt_misc",
	"fs.protected_",
	"fs.suid_dumpable",
	"kernel.acpi_video_flags",
	"kernel.cap_last_cap",
	"kernel.core_pattern",
	"kernel.core_pipe_limit",
	"kernel.dmesg_restrict",
	"kernel.hotplug",
	"kernel.kexec_load",
	"kernel.kptr_restrict",
	"kernel.modprobe",
	"kernel.modules_disabled",
	"kernel.panic",
	"kernel.perf_event_paranoid",
	"kernel.poweroff_cmd",
	"kernel.randomize_va_space",
	"kernel.sysrq",
	"kernel.unprivileged_",
	"kernel.usermodehelper",
	"kernel.yama",
	"net.core.bpf_jit_harden",
	"user.max_",
	"vm.drop_caches",
	"vm.mmap_min_addr",
	"vm.panic_on_oom",
	"vm.unprivileged_",
};

bool ta_sysctl_forbidden(const char *key)
{
	for (size_t i = 0; i < TA_ARRAY_SIZE(forbidden); i++)
		if (!strncmp(key, forbidden[i], strlen(forbidden[i])))
			return true;
	return false;
}
