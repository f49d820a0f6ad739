/*
 * The sysctls that rules judge, that are coupled with one that they judge, or
 * that a reader needs beside them. One row is one sysctl: its path holds the
 * name, the name gives the file below /proc/sys. What is read is what the
 * network namespace of this process sees.
 *
 * Not listed: names that newer kernels took away (tcp_tw_recycle, the sched_*
 * of before 5.13), names that cost or do something when read (vm.stat_refresh),
 * and secrets (tcp_fastopen_key).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "probe/probe.h"

#define KEY(k) "sysctl[\"" k "\"]"
#define KEY_PREFIX 8 /* sysctl[" */
#define KEY_SUFFIX 2 /* "] */

/* Of the whole host (INT, INTS, STR), or of a network namespace (NET_…). */
#define INT(k, u, m, ...) {KEY(k), TA_T_INT, u, m, 0, {__VA_ARGS__}}
#define INTS(k, u, m) {KEY(k), TA_T_INTS, u, m, 0, {}}
#define STR(k, m) {KEY(k), TA_T_STRING, "", m, 0, {}}
/* What the kernel sizes by memory or CPUs; ABOUT: to the page, so that no two starts agree. */
#define SIZED_INT(k, u, m, ...) {KEY(k), TA_T_INT, u, m, TA_F_SIZED, {__VA_ARGS__}}
#define ABOUT_INT(k, u, m, ...) {KEY(k), TA_T_INT, u, m, TA_F_SIZED | TA_F_WITHIN(1), {__VA_ARGS__}}
#define ABOUT_INTS(k, u, m) {KEY(k), TA_T_INTS, u, m, TA_F_SIZED | TA_F_WITHIN(1), {}}
#define NET_SIZED_INT(k, u, m, ...) {KEY(k), TA_T_INT, u, m, TA_F_SIZED | TA_F_NETNS, {__VA_ARGS__}}
#define NET_SIZED_INTS(k, u, m) {KEY(k), TA_T_INTS, u, m, TA_F_SIZED | TA_F_NETNS, {}}
#define NET_INT(k, u, m, ...) {KEY(k), TA_T_INT, u, m, TA_F_NETNS, {__VA_ARGS__}}
#define NET_INTS(k, u, m) {KEY(k), TA_T_INTS, u, m, TA_F_NETNS, {}}
#define NET_STR(k, m) {KEY(k), TA_T_STRING, "", m, TA_F_NETNS, {}}
#define NOW(k, u, m, f) {KEY(k), TA_T_INT, u, m, TA_F_VOLATILE | (f), {}}

/* clang-format off */
static const struct ta_field fields[] = {
	/* fs: Documentation/admin-guide/sysctl/fs.rst */
	INT("fs.aio-max-nr", "requests",
		"most asynchronous requests (libaio) at a time, all processes together"),
	NOW("fs.aio-nr", "requests", "asynchronous requests (libaio) reserved now", 0),
	ABOUT_INT("fs.epoll.max_user_watches", "watches",
		"most descriptors that one user may watch with epoll"),
	ABOUT_INT("fs.file-max", "files", "most open files of the whole host"),
	INT("fs.inotify.max_queued_events", "events",
		"queued events of one inotify instance before they are dropped"),
	INT("fs.inotify.max_user_instances", "instances", "most inotify instances of one user"),
	ABOUT_INT("fs.inotify.max_user_watches", "watches", "most inotify watches of one user"),
	INT("fs.nr_open", "files", "the highest descriptor limit that a process can be given"),
	INT("fs.pipe-max-size", "bytes", "largest pipe buffer an unprivileged process may ask for"),
	INT("fs.pipe-user-pages-hard", "pages",
		"pipe pages of one user beyond which no pipe is made; 0 = no limit",
		{0, TA_MEANS_UNLIMITED}),
	INT("fs.pipe-user-pages-soft", "pages",
		"pipe pages of one user beyond which new pipes are one page; 0 = no limit",
		{0, TA_MEANS_UNLIMITED}),

	/* kernel: Documentation/admin-guide/sysctl/kernel.rst */
	INT("kernel.bpf_stats_enabled", "",
		"run time and count of every BPF program are measured, which costs"),
	INT("kernel.hung_task_timeout_secs", "s",
		"a task that sleeps uninterruptibly this long is reported; 0 = never",
		{0, TA_MEANS_UNLIMITED}),
	INT("kernel.io_uring_disabled", "",
		"0 = io_uring for all, 1 = for CAP_SYS_ADMIN and io_uring_group, 2 = for nobody"),
	INT("kernel.io_uring_group", "",
		"the group that may use io_uring when io_uring_disabled is 1; -1 = none"),
	INT("kernel.keys.maxkeys", "keys",
		"most keys of one user that is not root; containers each take some"),
	INT("kernel.msgmax", "bytes", "largest System V message"),
	INT("kernel.nmi_watchdog", "",
		"hard lockup detector, which takes a performance counter per CPU"),
	INT("kernel.numa_balancing", "",
		"0 = off, 1 = pages follow the CPU that uses them, 2 = between memory tiers"),
	INT("kernel.panic", "s",
		"seconds from a panic to the reboot; 0 = stands still; below 0 = at once"),
	INT("kernel.panic_on_oops", "", "an oops becomes a panic"),
	INT("kernel.perf_event_paranoid", "", "what unprivileged processes may measure; -1 = all"),
	SIZED_INT("kernel.pid_max", "PIDs", "PIDs stay below this"),
	INT("kernel.sched_autogroup_enabled", "", "one scheduling group per terminal session"),
	INT("kernel.sched_cfs_bandwidth_slice_us", "us",
		"what a CPU takes from a cgroup's CPU quota at a time"),
	INT("kernel.sched_energy_aware", "",
		"the scheduler places tasks by energy on asymmetric cores"),
	INT("kernel.sched_rt_runtime_us", "us",
		"of each sched_rt_period_us for real-time tasks; -1 = all of it",
		{-1, TA_MEANS_UNLIMITED}),
	INTS("kernel.sem", "", "System V semaphores: per set, in all, per call, sets"),
	INT("kernel.shmall", "pages", "System V shared memory, all segments together"),
	INT("kernel.shmmax", "bytes", "largest System V shared memory segment"),
	INT("kernel.shmmni", "segments", "most System V shared memory segments"),
	{KEY("kernel.tainted"), TA_T_INT, "",
		"bits that tell why this kernel is not a clean one (tainted-kernels.rst); 0 = "
		"clean", TA_F_SYSTEM, {}},
	ABOUT_INT("kernel.threads-max", "tasks", "most tasks (threads) of the whole host"),
	INT("kernel.timer_migration", "", "timers of idle CPUs move to busy ones"),
	INT("kernel.unprivileged_bpf_disabled", "",
		"0 = everybody may load BPF, 1 = only root, for good, 2 = only root"),
	INT("kernel.watchdog", "", "soft and hard lockup detectors"),
	INT("kernel.watchdog_thresh", "s", "threshold of the lockup detectors; 0 = off"),

	/* net.core: Documentation/admin-guide/sysctl/net.rst */
	INT("net.core.bpf_jit_enable", "",
		"BPF programs are compiled: 0 = no, 1 = yes, 2 = yes and dumped to the log"),
	INT("net.core.bpf_jit_harden", "",
		"constants in compiled BPF are blinded: 0 = no, 1 = of unprivileged users, 2 = "
		"of all"),
	INT("net.core.bpf_jit_limit", "bytes",
		"memory for compiled BPF programs of unprivileged users"),
	INT("net.core.busy_poll", "us", "poll and select busy-poll the device this long; 0 = off"),
	INT("net.core.busy_read", "us",
		"reads of a socket busy-poll the device this long; 0 = off"),
	STR("net.core.default_qdisc", "queueing discipline that new devices get"),
	INT("net.core.dev_weight", "packets",
		"packets that one NAPI poll may take of a non-NAPI or RPS backlog"),
	INT("net.core.dev_weight_rx_bias", "", "dev_weight is multiplied by this for receiving"),
	INT("net.core.dev_weight_tx_bias", "", "dev_weight is multiplied by this for sending"),
	STR("net.core.flow_limit_cpu_bitmap", "CPUs whose backlog limits single flows, a mask"),
	INT("net.core.flow_limit_table_len", "entries", "size of the flow limit's hash table"),
	INT("net.core.gro_normal_batch", "packets", "packets that GRO hands up in one go"),
	INT("net.core.high_order_alloc_disable", "", "socket buffers are made of single pages"),
	INT("net.core.max_skb_frags", "fragments", "most fragments of one socket buffer"),
	INT("net.core.netdev_budget", "packets",
		"packets of all devices in one run of the receive softirq"),
	INT("net.core.netdev_budget_usecs", "us", "longest run of the receive softirq"),
	INT("net.core.netdev_max_backlog", "packets",
		"per-CPU queue of packets from RPS, veth, loopback and non-NAPI drivers"),
	INT("net.core.netdev_tstamp_prequeue", "", "time stamps are taken before RPS, not after"),
	NET_INT("net.core.optmem_max", "bytes",
		"ancillary memory of one socket: control messages, zero-copy notifications"),
	INT("net.core.rmem_default", "bytes", "receive buffer of new sockets that are not TCP"),
	INT("net.core.rmem_max", "bytes",
		"largest receive buffer that SO_RCVBUF can ask for; no bound on TCP's own sizing"),
	NET_STR("net.core.rps_default_mask",
		"CPUs that new receive queues spread packets over, a mask"),
	INT("net.core.rps_sock_flow_entries", "entries",
		"size of the RFS flow table of the host; 0 = RFS is off"),
	INT("net.core.skb_defer_max", "buffers",
		"socket buffers that are sent back to the CPU that made them, per batch"),
	NET_INT("net.core.somaxconn", "connections", "upper bound on the backlog of listen()"),
	NET_INT("net.core.txrehash", "", "a flow that stalls changes its transmit hash"),
	INT("net.core.wmem_default", "bytes", "send buffer of new sockets that are not TCP"),
	INT("net.core.wmem_max", "bytes",
		"largest send buffer that SO_SNDBUF can ask for; no bound on TCP's own sizing"),

	/* net.ipv4: Documentation/networking/ip-sysctl.rst */
	NET_INT("net.ipv4.conf.all.forwarding", "", "IPv4 packets are forwarded, all interfaces"),
	NET_INT("net.ipv4.conf.all.rp_filter", "",
		"reverse path filter, all interfaces: 0 = off, 1 = strict, 2 = loose; the larger "
		"of this and the interface's own holds"),
	NET_INT("net.ipv4.conf.default.rp_filter", "", "reverse path filter of new interfaces"),
	NET_INT("net.ipv4.ip_early_demux", "", "sockets are looked up before routing"),
	NET_INT("net.ipv4.ip_forward", "", "IPv4 packets are forwarded"),
	NET_INTS("net.ipv4.ip_local_port_range", "",
		"first and last local port for outgoing connections"),
	NET_INT("net.ipv4.ip_local_port_step_width", "ports",
		"step between the ports tried for outgoing connections"),
	NET_STR("net.ipv4.ip_local_reserved_ports",
		"ports and ranges never used for outgoing connections"),
	NET_INT("net.ipv4.ip_no_pmtu_disc", "",
		"path MTU discovery: 0 = on, above = off or limited"),
	NET_INT("net.ipv4.ip_nonlocal_bind", "",
		"bind() to addresses that are not here is allowed"),
	NET_INT("net.ipv4.ip_unprivileged_port_start", "port",
		"ports below this need CAP_NET_BIND_SERVICE"),
	NET_INT("net.ipv4.ipfrag_high_thresh", "bytes", "memory for reassembling IPv4 fragments"),
	INT("net.ipv4.neigh.default.gc_thresh1", "entries",
		"the ARP table is not cleaned below this many entries"),
	INT("net.ipv4.neigh.default.gc_thresh2", "entries",
		"ARP entries above this live at most 5 s"),
	INT("net.ipv4.neigh.default.gc_thresh3", "entries",
		"most ARP entries; beyond: neighbour table overflow"),
	NET_INT("net.ipv4.tcp_abort_on_overflow", "", "a full accept queue answers with a reset"),
	NET_INT("net.ipv4.tcp_adv_win_scale", "",
		"share of the receive buffer that is not offered as window (obsolete since 6.6)"),
	STR("net.ipv4.tcp_allowed_congestion_control",
		"congestion controls that unprivileged processes may choose"),
	NET_INT("net.ipv4.tcp_autocorking", "",
		"small writes wait while earlier packets of the flow are in the queue"),
	{KEY("net.ipv4.tcp_available_congestion_control"), TA_T_STRING, "", "congestion controls that are there now; modules add to it", TA_F_AGAIN, {}},
	{KEY("net.ipv4.tcp_available_ulp"), TA_T_STRING, "", "upper layer protocols of TCP (tls, mptcp) that are there now", TA_F_AGAIN, {}},
	NET_INT("net.ipv4.tcp_backlog_ack_defer", "",
		"packets of the socket backlog share one acknowledgement"),
	NET_INT("net.ipv4.tcp_base_mss", "bytes", "where path MTU probing starts"),
	NET_INT("net.ipv4.tcp_challenge_ack_limit", "per second",
		"challenge ACKs of the namespace"),
	NET_INT("net.ipv4.tcp_child_ehash_entries", "entries",
		"connection hash of child namespaces; 0 = they share the host's",
		{0, TA_MEANS_AUTO}),
	NET_INT("net.ipv4.tcp_comp_sack_delay_ns", "ns", "longest delay of compressed SACKs"),
	NET_INT("net.ipv4.tcp_comp_sack_nr", "SACKs", "most SACKs compressed into one; 0 = off"),
	NET_STR("net.ipv4.tcp_congestion_control", "congestion control of new connections"),
	NET_INT("net.ipv4.tcp_dsack", "", "duplicate SACKs are sent"),
	NET_INT("net.ipv4.tcp_early_demux", "", "TCP sockets are looked up before routing"),
	NET_INT("net.ipv4.tcp_early_retrans", "", "tail loss probes; 0 = off"),
	NET_INT("net.ipv4.tcp_ecn", "",
		"explicit congestion notification: 0 = off, 1 = asked and given, 2 = given when "
		"asked, above = accurate ECN"),
	NET_INT("net.ipv4.tcp_ecn_fallback", "",
		"connections whose ECN request fails go on without"),
	NET_INT("net.ipv4.tcp_ecn_option", "",
		"accurate ECN option: 0 = never sent, 1 = minimal, 2 = on all acknowledgements"),
	NET_INT("net.ipv4.tcp_ehash_entries", "entries",
		"size of the connection hash table; below 0 = the host's is shared"),
	NET_INT("net.ipv4.tcp_fastopen", "",
		"bits: 1 = client, 2 = server, 0x400 = all listeners without a socket option"),
	NET_INT("net.ipv4.tcp_fastopen_blackhole_timeout_sec", "s",
		"fast open rests this long after a black hole; 0 = no detection"),
	NET_INT("net.ipv4.tcp_fin_timeout", "s",
		"orphaned connections stay in FIN-WAIT-2 this long; no bound on TIME-WAIT"),
	NET_INT("net.ipv4.tcp_frto", "", "spurious timeouts are detected (F-RTO)"),
	NET_INT("net.ipv4.tcp_invalid_ratelimit", "ms",
		"least time between acknowledgements of invalid segments"),
	NET_INT("net.ipv4.tcp_keepalive_intvl", "s", "time between keep-alive probes"),
	NET_INT("net.ipv4.tcp_keepalive_probes", "probes",
		"unanswered probes before the connection is dropped"),
	NET_INT("net.ipv4.tcp_keepalive_time", "s",
		"idle time before the first keep-alive probe (sockets with SO_KEEPALIVE)"),
	NET_INT("net.ipv4.tcp_limit_output_bytes", "bytes",
		"unsent bytes of one socket in qdisc and device (TCP small queues)"),
	SIZED_INT("net.ipv4.tcp_max_orphans", "sockets",
		"most connections without a process; beyond: reset"),
	NET_INT("net.ipv4.tcp_max_reordering", "segments",
		"most reordering that a connection may learn to tolerate"),
	NET_SIZED_INT("net.ipv4.tcp_max_syn_backlog", "requests",
		"half-open connections of a listener when SYN cookies are off"),
	NET_SIZED_INT("net.ipv4.tcp_max_tw_buckets", "sockets",
		"most sockets in TIME-WAIT; beyond they are destroyed at once"),
	ABOUT_INTS("net.ipv4.tcp_mem", "pages", "memory of all TCP sockets: no pressure, pressure, most"),
	NET_INT("net.ipv4.tcp_migrate_req", "",
		"connections not yet accepted move to another socket of a SO_REUSEPORT group "
		"when theirs closes"),
	NET_INT("net.ipv4.tcp_min_rtt_wlen", "s", "window of the smallest round trip time"),
	NET_INT("net.ipv4.tcp_min_snd_mss", "bytes",
		"smallest segment size that a peer may ask for"),
	NET_INT("net.ipv4.tcp_min_tso_segs", "segments", "fewest segments of a TSO packet"),
	NET_INT("net.ipv4.tcp_moderate_rcvbuf", "", "TCP sizes receive buffers by itself"),
	NET_INT("net.ipv4.tcp_mtu_probing", "",
		"path MTU probing: 0 = off, 1 = after a black hole, 2 = always"),
	NET_INT("net.ipv4.tcp_no_metrics_save", "",
		"what a connection learned of its path is not kept for the next"),
	NET_INT("net.ipv4.tcp_no_ssthresh_metrics_save", "",
		"the slow start threshold is not kept for the next connection"),
	NET_INT("net.ipv4.tcp_notsent_lowat", "bytes",
		"unsent bytes above which a socket is not writable; -1 or 4294967295 = no bound",
		{-1, TA_MEANS_UNLIMITED}, {4294967295, TA_MEANS_UNLIMITED}),
	NET_INT("net.ipv4.tcp_orphan_retries", "retries",
		"tries before an orphaned connection is killed; 0 = 8", {0, TA_MEANS_AUTO}),
	NET_INT("net.ipv4.tcp_pacing_ca_ratio", "percent",
		"pacing rate against the current one, in congestion avoidance"),
	NET_INT("net.ipv4.tcp_pacing_ss_ratio", "percent",
		"pacing rate against the current one, in slow start"),
	NET_INT("net.ipv4.tcp_pingpong_thresh", "packets",
		"exchanges after which a connection counts as interactive"),
	NET_INT("net.ipv4.tcp_plb_enabled", "",
		"protective load balancing: congested flows change their path"),
	NET_INT("net.ipv4.tcp_recovery", "", "bits of RACK loss detection; 1 = on"),
	NET_INT("net.ipv4.tcp_reflect_tos", "",
		"answers take the type of service of the connection's SYN"),
	NET_INT("net.ipv4.tcp_reordering", "segments",
		"reordering tolerated at the start of a connection"),
	NET_INT("net.ipv4.tcp_retries1", "retries", "retransmissions before the route is reported"),
	NET_INT("net.ipv4.tcp_retries2", "retries",
		"retransmissions before a connection is given up"),
	NET_INT("net.ipv4.tcp_rfc1337", "", "resets for sockets in TIME-WAIT are dropped"),
	NET_SIZED_INTS("net.ipv4.tcp_rmem", "bytes",
		"receive buffer of a TCP socket: least, at the start, most"),
	NET_INT("net.ipv4.tcp_rto_max_ms", "ms", "longest retransmission timeout"),
	NET_INT("net.ipv4.tcp_rto_min_us", "us", "shortest retransmission timeout"),
	NET_INT("net.ipv4.tcp_sack", "", "selective acknowledgements"),
	NET_INT("net.ipv4.tcp_shrink_window", "", "the offered window may shrink"),
	NET_INT("net.ipv4.tcp_slow_start_after_idle", "",
		"the congestion window falls back after an idle time"),
	NET_INT("net.ipv4.tcp_syn_linear_timeouts", "retries",
		"SYN retransmissions at even distance before it doubles"),
	NET_INT("net.ipv4.tcp_syn_retries", "retries",
		"retransmissions of the first SYN of an outgoing connection"),
	NET_INT("net.ipv4.tcp_synack_retries", "retries",
		"retransmissions of SYN-ACK to an incoming one"),
	NET_INT("net.ipv4.tcp_syncookies", "",
		"SYN cookies: 0 = never, 1 = when the queue is full, 2 = always"),
	NET_INT("net.ipv4.tcp_thin_linear_timeouts", "", "thin flows retransmit at even distance"),
	NET_INT("net.ipv4.tcp_timestamps", "",
		"time stamps: 0 = off, 1 = with random offset, 2 = without"),
	NET_INT("net.ipv4.tcp_tso_rtt_log", "",
		"TSO packets grow for near peers: 2^this us; 0 = off"),
	NET_INT("net.ipv4.tcp_tso_win_divisor", "",
		"share of the window that one TSO packet may take"),
	NET_INT("net.ipv4.tcp_tw_recycle", "",
		"ports in TIME-WAIT are taken again at once, by time stamps of each peer (removed in 4.12)"),
	NET_INT("net.ipv4.tcp_tw_reuse", "",
		"ports in TIME-WAIT serve new outgoing connections: 0 = no, 1 = yes, 2 = on "
		"loopback"),
	NET_INT("net.ipv4.tcp_tw_reuse_delay", "ms",
		"age in TIME-WAIT from which a port may be used again"),
	NET_INT("net.ipv4.tcp_window_scaling", "", "windows above 64 KiB"),
	NET_SIZED_INTS("net.ipv4.tcp_wmem", "bytes",
		"send buffer of a TCP socket: least, at the start, most"),
	NET_INT("net.ipv4.udp_early_demux", "", "UDP sockets are looked up before routing"),
	ABOUT_INTS("net.ipv4.udp_mem", "pages", "memory of all UDP sockets: no pressure, pressure, most"),
	NET_INT("net.ipv4.udp_rmem_min", "bytes",
		"receive memory a UDP socket has even under pressure"),
	NET_INT("net.ipv4.udp_wmem_min", "bytes",
		"send memory a UDP socket has even under pressure"),

	/* net.ipv6, net.unix, net.mptcp, net.bridge */
	NET_INT("net.ipv6.bindv6only", "", "IPv6 sockets do not take IPv4 connections"),
	NET_INT("net.ipv6.conf.all.disable_ipv6", "", "IPv6 is off on all interfaces"),
	NET_INT("net.ipv6.conf.all.forwarding", "", "IPv6 packets are forwarded, all interfaces"),
	NET_INT("net.ipv6.ip6frag_high_thresh", "bytes", "memory for reassembling IPv6 fragments"),
	INT("net.ipv6.neigh.default.gc_thresh1", "entries",
		"the IPv6 neighbour table is not cleaned below this many entries"),
	INT("net.ipv6.neigh.default.gc_thresh2", "entries",
		"IPv6 neighbours above this live at most 5 s"),
	INT("net.ipv6.neigh.default.gc_thresh3", "entries",
		"most IPv6 neighbours; beyond: neighbour table overflow"),
	NET_SIZED_INT("net.ipv6.route.max_size", "entries",
		"most IPv6 routes in the cache (no bound since 6.3)"),
	NET_INT("net.mptcp.enabled", "", "multipath TCP sockets may be made"),
	NET_INT("net.unix.max_dgram_qlen", "datagrams",
		"queue of a Unix datagram socket, as the syslog socket is one"),
	NET_INT("net.bridge.bridge-nf-call-arptables", "", "bridged ARP packets pass arptables"),
	NET_INT("net.bridge.bridge-nf-call-ip6tables", "", "bridged IPv6 packets pass ip6tables"),
	NET_INT("net.bridge.bridge-nf-call-iptables", "", "bridged IPv4 packets pass iptables"),

	/* net.netfilter: Documentation/networking/nf_conntrack-sysctl.rst */
	NET_INT("net.netfilter.nf_conntrack_acct", "",
		"packets and bytes are counted per connection"),
	SIZED_INT("net.netfilter.nf_conntrack_buckets", "buckets",
		"size of the connection tracking hash table"),
	NET_INT("net.netfilter.nf_conntrack_checksum", "", "checksums are verified for tracking"),
	NOW("net.netfilter.nf_conntrack_count", "connections",
		"connections tracked now", TA_F_NETNS),
	NET_INT("net.netfilter.nf_conntrack_events", "",
		"events for user space: 0 = never, 1 = always, 2 = when somebody listens"),
	SIZED_INT("net.netfilter.nf_conntrack_expect_max", "entries", "most expected connections"),
	NET_INT("net.netfilter.nf_conntrack_generic_timeout", "s",
		"life of connections of other protocols"),
	NET_INT("net.netfilter.nf_conntrack_log_invalid", "",
		"invalid packets of this protocol are logged; 255 = of all"),
	SIZED_INT("net.netfilter.nf_conntrack_max", "connections",
		"most tracked connections; 0 = no limit", {0, TA_MEANS_UNLIMITED}),
	NET_INT("net.netfilter.nf_conntrack_tcp_be_liberal", "",
		"only resets outside the window are invalid"),
	NET_INT("net.netfilter.nf_conntrack_tcp_loose", "",
		"connections that were there before are picked up"),
	NET_INT("net.netfilter.nf_conntrack_tcp_timeout_close", "s", "life of closed connections"),
	NET_INT("net.netfilter.nf_conntrack_tcp_timeout_close_wait", "s",
		"life of connections in CLOSE-WAIT"),
	NET_INT("net.netfilter.nf_conntrack_tcp_timeout_established", "s",
		"life of idle established connections"),
	NET_INT("net.netfilter.nf_conntrack_tcp_timeout_fin_wait", "s",
		"life of connections in FIN-WAIT"),
	NET_INT("net.netfilter.nf_conntrack_tcp_timeout_syn_recv", "s",
		"life of connections in SYN-RECV"),
	NET_INT("net.netfilter.nf_conntrack_tcp_timeout_time_wait", "s",
		"life of connections in TIME-WAIT"),
	NET_INT("net.netfilter.nf_conntrack_timestamp", "",
		"start and end of connections are noted"),
	NET_INT("net.netfilter.nf_conntrack_udp_timeout", "s",
		"life of UDP exchanges seen in one direction"),
	NET_INT("net.netfilter.nf_conntrack_udp_timeout_stream", "s",
		"life of UDP exchanges seen in both directions"),

	/* vm: Documentation/admin-guide/sysctl/vm.rst */
	INT("vm.compaction_proactiveness", "",
		"how hard memory is compacted in the background, 0 to 100"),
	INT("vm.dirty_background_bytes", "bytes",
		"dirty memory at which writing back starts; 0 = dirty_background_ratio holds",
		{0, TA_MEANS_AUTO}),
	INT("vm.dirty_background_ratio", "percent",
		"dirty share of available memory at which writing back starts; 0 = "
		"dirty_background_bytes holds", {0, TA_MEANS_AUTO}),
	INT("vm.dirty_bytes", "bytes",
		"dirty memory at which writers must write back themselves; 0 = dirty_ratio holds",
		{0, TA_MEANS_AUTO}),
	INT("vm.dirty_expire_centisecs", "1/100 s", "age at which dirty memory is written back"),
	INT("vm.dirty_ratio", "percent",
		"dirty share of available memory at which writers must write back themselves; 0 "
		"= dirty_bytes holds", {0, TA_MEANS_AUTO}),
	INT("vm.dirty_writeback_centisecs", "1/100 s",
		"time between runs of the writing back; 0 = none"),
	INT("vm.max_map_count", "maps", "most memory mappings of one process"),
	ABOUT_INT("vm.min_free_kbytes", "KiB", "memory kept free for allocations that cannot wait"),
	INT("vm.min_unmapped_ratio", "percent",
		"zone reclaim runs only above this share of unmapped file pages"),
	INT("vm.nr_hugepages", "pages", "huge pages reserved for the whole host"),
	INT("vm.nr_overcommit_hugepages", "pages", "huge pages that may be added when asked for"),
	INT("vm.overcommit_kbytes", "KiB",
		"with overcommit_memory 2: commit limit beyond swap; 0 = overcommit_ratio holds",
		{0, TA_MEANS_AUTO}),
	INT("vm.overcommit_memory", "",
		"0 = heuristic, 1 = always, 2 = never beyond the commit limit"),
	INT("vm.overcommit_ratio", "percent",
		"with overcommit_memory 2: share of memory that counts to the commit limit"),
	INT("vm.page-cluster", "", "2^this pages are read from swap at a time"),
	INT("vm.panic_on_oom", "", "out of memory is a panic"),
	INT("vm.percpu_pagelist_high_fraction", "",
		"1/this of a zone may lie in per-CPU lists; 0 = by the zone's watermarks",
		{0, TA_MEANS_AUTO}),
	INT("vm.stat_interval", "s", "time between updates of the memory statistics"),
	INT("vm.swappiness", "",
		"cost of swapping against dropping file pages, 0 to 200 (100 before 5.8)"),
	INT("vm.vfs_cache_pressure", "percent",
		"how readily dentries and inodes are dropped; 100 = like pages"),
	INT("vm.watermark_boost_factor", "1/10000",
		"watermarks rise by this share after fragmentation"),
	INT("vm.watermark_scale_factor", "1/10000",
		"distance between the watermarks of kswapd, share of memory"),
	INT("vm.zone_reclaim_mode", "",
		"bits: 1 = memory of the own node is reclaimed before another node's is used"),
};
/* clang-format on */

/* What a file comes with, where more can be said than that it is not there. */
static const struct {
	const char *prefix;
	const char *with;
} hints[] = {
	{"kernel.io_uring_", "Linux 6.6"},
	{"kernel.numa_balancing", "a kernel built with NUMA balancing"},
	{"kernel.sched_energy_aware", "asymmetric CPUs, since Linux 5.0"},
	{"net.bridge.bridge-nf-", "module br_netfilter"},
	{"net.ipv6.", "IPv6"},
	{"net.mptcp.", "a kernel built with MPTCP"},
	{"net.netfilter.nf_conntrack", "module nf_conntrack"},
	{"vm.min_unmapped_ratio", "a kernel built with NUMA"},
	{"vm.zone_reclaim_mode", "a kernel built with NUMA"},
};

/* "net.core.somaxconn" -> "/proc/sys/net/core/somaxconn" */
static void file_of(const char *key, char (*file)[512])
{
	ta_fmt(file, "/proc/sys/%s", key);
	for (char *c = *file + strlen("/proc/sys/"); *c; c++)
		if (*c == '.')
			*c = '/';
}

static void put_number(struct ta_facts *f, const char *key, const char *text)
{
	int64_t i;
	uint64_t u;

	if (ta_parse_i64(text, &i) == 0)
		ta_put_i64(f, i, "sysctl", key);
	else if (ta_parse_u64(text, &u) == 0)
		ta_put_u64(f, u, "sysctl", key);
	else
		ta_facts_put_absent(f, TA_KEYS("sysctl", key), TA_MALFORMED, "not a number");
}

static void put_numbers(struct ta_facts *f, const char *key, const char *text)
{
	int64_t v[16];
	size_t n = 0;
	int rc = 0;

	while (n < TA_ARRAY_SIZE(v) && (rc = ta_next_i64(&text, &v[n])) == 0)
		n++;
	if (rc == -ENODATA && n > 0)
		ta_facts_put_ints(f, TA_KEYS("sysctl", key), v, n);
	else
		ta_facts_put_absent(
			f, TA_KEYS("sysctl", key), TA_MALFORMED, "not a list of numbers");
}

/* A namespace made later does not show what is the whole host's, save for a few read-only files. */
static bool hidden_in_child(const struct ta_field *row, const char *key)
{
	return !(row->flags & TA_F_NETNS) && strncmp(key, "net.", 4) == 0 &&
	       strncmp(key, "net.netfilter.", 14) != 0;
}

static void put_missing(struct ta_facts *f, const char *key, const char *file)
{
	const char *const *path = TA_KEYS("sysctl", key);

	for (size_t i = 0; i < TA_ARRAY_SIZE(hints); i++) {
		if (strncmp(key, hints[i].prefix, strlen(hints[i].prefix)) == 0) {
			ta_facts_put_absent(f, path, TA_MISSING, "no %s, which comes with %s", file,
				hints[i].with);
			return;
		}
	}
	ta_facts_put_absent(f, path, TA_MISSING, "no %s", file);
}

/* What a network namespace other than the first does not show: the host's own, and of a user namespace's all of net.core. */
enum hidden { HIDDEN_NOTHING, HIDDEN_HOST, HIDDEN_CORE };

static bool is_hidden(enum hidden hidden, const struct ta_field *row, const char *key)
{
	return (hidden == HIDDEN_CORE && strncmp(key, "net.core.", strlen("net.core.")) == 0) ||
	       (hidden != HIDDEN_NOTHING && hidden_in_child(row, key));
}

/* sysctl_core_net_init() in net/core/sysctl_net_core.c (6.1) gives namespaces of unprivileged users none. */
static enum hidden what_is_hidden(struct ta_host *h)
{
	if (ta_host_exists(h, "/proc/sys/net/core/netdev_max_backlog"))
		return HIDDEN_NOTHING;
	if (ta_host_exists(h, "/proc/sys/net/core/somaxconn"))
		return HIDDEN_HOST;
	return ta_host_is_whole(h) && ta_host_exists(h, "/proc/sys/net/ipv4/tcp_rmem") ? HIDDEN_CORE : HIDDEN_NOTHING;
}

static void read_row(struct ta_host *h, struct ta_facts *f, const struct ta_field *row, enum hidden hidden,
	struct ta_buf *text)
{
	char key[128], file[512];

	snprintf(key, sizeof(key), "%.*s", (int)(strlen(row->path) - KEY_PREFIX - KEY_SUFFIX),
		row->path + KEY_PREFIX);
	file_of(key, &file);

	int rc = ta_host_read(h, file, TA_READ_CAP, text);
	bool empty = rc == 0 && text->len == 0; /* the kernel ends even an empty word with a newline */

	if (rc == 0 && !empty && memchr(text->data, '\0', text->len))
		rc = -EBADMSG;
	ta_buf_rtrim(text);
	if ((rc == -ENOENT || rc == -ENOTDIR) && is_hidden(hidden, row, key))
		ta_facts_put_absent(f, TA_KEYS("sysctl", key), TA_MISSING,
			"%s is not visible in this network namespace", file);
	else if (rc == -ENOENT || rc == -ENOTDIR)
		put_missing(f, key, file);
	else if (rc < 0)
		ta_put_errno(f, rc, file, "sysctl", key);
	else if (row->type == TA_T_INT && text->len == 0)
		/* As sched_energy_aware on symmetric CPUs: sched_energy_aware_handler(), kernel/sched/topology.c. */
		ta_facts_put_absent(f, TA_KEYS("sysctl", key), TA_UNSUPPORTED,
			"%s is empty: it does not apply to this machine", file);
	else if (row->type == TA_T_INT)
		put_number(f, key, ta_buf_text(text));
	else if (row->type == TA_T_INTS)
		put_numbers(f, key, ta_buf_text(text));
	else if (empty)
		ta_facts_put_absent(f, TA_KEYS("sysctl", key), TA_MALFORMED, "%s is empty", file);
	else
		ta_put_str(f, ta_buf_text(text), "sysctl", key);
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	enum hidden hidden = what_is_hidden(h);

	if (!ta_host_exists(h, "/proc/sys")) {
		ta_facts_put_absent(f, TA_KEYS("sysctl"), TA_MISSING, "no /proc/sys");
		return;
	}
	for (size_t i = 0; i < TA_ARRAY_SIZE(fields); i++)
		read_row(h, f, &fields[i], hidden, &text);
}

const struct ta_probe ta_probe_sysctl = {
	.name = "sysctl",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
