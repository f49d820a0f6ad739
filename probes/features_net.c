/*
 * Sockets and epoll: what this kernel does, tried on sockets of our own that
 * talk to nobody. Where setting an option has an effect beyond the socket it is
 * read instead, which tells as well whether the kernel knows it:
 * TCP_FASTOPEN makes a key for the whole namespace (tcp_fastopen_init_key_once()),
 * UDP_GRO switches code for all sockets (udp_tunnel_encap_enable()).
 */
#include <errno.h>
#include <time.h>

#include <linux/errqueue.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/num.h"
#include "probe/feature.h"
#include "probe/modules.h"
#include "probe/probe.h"

/* Of newer kernels than the headers here may be. */
#define TRY_SYS_EPOLL_PWAIT2 441 /* the same on all architectures but alpha */
#define TRY_EPIOCGPARAMS _IOC(_IOC_READ, 0x8A, 0x02, 8)
#define TRY_SO_BUSY_POLL 46
#define TRY_SO_MAX_PACING_RATE 47
#define TRY_SO_INCOMING_CPU 49
#define TRY_SO_ATTACH_REUSEPORT_CBPF 51
#define TRY_SO_INCOMING_NAPI_ID 56
#define TRY_SO_ZEROCOPY 60
#define TRY_SO_PREFER_BUSY_POLL 69
#define TRY_MSG_ZEROCOPY 0x4000000
#define TRY_TCP_FASTOPEN 23
#define TRY_TCP_NOTSENT_LOWAT 25
#define TRY_TCP_FASTOPEN_CONNECT 30
#define TRY_TCP_ULP 31
#define TRY_UDP_SEGMENT 103
#define TRY_UDP_GRO 104

static const struct ta_field fields[] = {
	TA_FEATURE("epoll_pwait2", "epoll waits with nanosecond time-outs"),
	TA_FEATURE("epoll_busy_poll", "busy polling set for one epoll instance"),
	TA_FEATURE("reuseport_bpf", "a program chooses the socket of a SO_REUSEPORT group"),
	TA_FEATURE("incoming_cpu", "a listener takes connections of one CPU"),
	TA_FEATURE("incoming_napi_id", "a socket tells which receive queue it comes from"),
	TA_FEATURE("msg_zerocopy", "sends without copying"),
	TA_FEATURE("tcp_fastopen", "listeners take data with the SYN"),
	TA_FEATURE("tcp_fastopen_connect", "connections send data with the SYN"),
	TA_FEATURE("tcp_defer_accept", "accept() waits for the first data"),
	TA_FEATURE("tcp_notsent_lowat", "a bound on the unsent bytes of a socket"),
	TA_FEATURE("pacing", "a bound on the rate of a socket"),
	TA_FEATURE("busy_poll", "reads busy-poll the device"),
	TA_FEATURE("prefer_busy_poll", "interrupts stay off while an application polls"),
	TA_FEATURE("udp_gso", "one send makes many UDP packets"),
	TA_FEATURE("udp_gro", "one receive takes many UDP packets"),
	TA_FEATURE("sendfile", "files are sent without a copy through the process"),
	TA_FEATURE("ktls", "the kernel encrypts TLS"),
	TA_FEATURE("tcp_bbr", "congestion control bbr"),
	TA_FEATURE("tcp_dctcp", "congestion control dctcp"),
	{"features.congestion_control.available", TA_T_STRINGS, "",
		"congestion controls that are there without loading one", 0, {}},
	{"features.congestion_control.allowed", TA_T_STRINGS, "",
		"congestion controls that unprivileged processes may choose", 0, {}},
};

/* --- epoll --------------------------------------------------------------------- */

static int try_epoll_pwait2(char *text, size_t size)
{
	struct timespec us = {.tv_nsec = 1000};
	struct epoll_event ev;
	int ep = epoll_create1(EPOLL_CLOEXEC);
	int rc = ep < 0 ? -errno : 0;

	if (rc == 0 && syscall(TRY_SYS_EPOLL_PWAIT2, ep, &ev, 1, &us, NULL, 0) < 0)
		rc = -errno;
	close(ep);
	return rc;
}

static int try_epoll_busy_poll(char *text, size_t size)
{
	uint8_t params[8];
	int ep = epoll_create1(EPOLL_CLOEXEC);
	int rc = ep < 0 ? -errno : 0;

	if (rc == 0 && ioctl(ep, TRY_EPIOCGPARAMS, params) < 0)
		rc = -errno;
	close(ep);
	return rc;
}

/* --- options -------------------------------------------------------------------- */

static int try_set(int type, int level, int option, int value)
{
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
	int rc = fd < 0 ? -errno : 0;

	if (rc == 0 && setsockopt(fd, level, option, &value, sizeof(value)) < 0)
		rc = -errno;
	close(fd);
	return rc;
}

static int try_get(int type, int level, int option)
{
	int value = 0;
	socklen_t len = sizeof(value);
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
	int rc = fd < 0 ? -errno : 0;

	if (rc == 0 && getsockopt(fd, level, option, &value, &len) < 0)
		rc = -errno;
	close(fd);
	return rc;
}

static int try_incoming_cpu(char *text, size_t size)
{
	return try_set(SOCK_STREAM, SOL_SOCKET, TRY_SO_INCOMING_CPU, 0);
}

static int try_incoming_napi_id(char *text, size_t size)
{
	return try_get(SOCK_STREAM, SOL_SOCKET, TRY_SO_INCOMING_NAPI_ID);
}

static int try_tcp_fastopen(char *text, size_t size)
{
	return try_get(SOCK_STREAM, IPPROTO_TCP, TRY_TCP_FASTOPEN);
}

static int try_tcp_fastopen_connect(char *text, size_t size)
{
	return try_set(SOCK_STREAM, IPPROTO_TCP, TRY_TCP_FASTOPEN_CONNECT, 1);
}

static int try_tcp_defer_accept(char *text, size_t size)
{
	return try_set(SOCK_STREAM, IPPROTO_TCP, TCP_DEFER_ACCEPT, 1);
}

static int try_tcp_notsent_lowat(char *text, size_t size)
{
	return try_set(SOCK_STREAM, IPPROTO_TCP, TRY_TCP_NOTSENT_LOWAT, 16384);
}

static int try_pacing(char *text, size_t size)
{
	return try_set(SOCK_STREAM, SOL_SOCKET, TRY_SO_MAX_PACING_RATE, 1 << 30);
}

/* Reading needs no privilege; setting does, of some kernels and values. */
static int try_privileged(int option, int value, char *text, size_t size)
{
	int rc = try_get(SOCK_STREAM, SOL_SOCKET, option);

	if (rc < 0 || try_set(SOCK_STREAM, SOL_SOCKET, option, value) == 0)
		return rc;
	snprintf(text, size, "the kernel has it; setting it takes CAP_NET_ADMIN");
	return 0;
}

static int try_busy_poll(char *text, size_t size)
{
	return try_privileged(TRY_SO_BUSY_POLL, 50, text, size);
}

static int try_prefer_busy_poll(char *text, size_t size)
{
	return try_privileged(TRY_SO_PREFER_BUSY_POLL, 1, text, size);
}

static int try_udp_gso(char *text, size_t size)
{
	return try_set(SOCK_DGRAM, IPPROTO_UDP, TRY_UDP_SEGMENT, 1400);
}

static int try_udp_gro(char *text, size_t size)
{
	return try_get(SOCK_DGRAM, IPPROTO_UDP, TRY_UDP_GRO);
}

static int try_reuseport_bpf(char *text, size_t size)
{
	struct sock_filter first = BPF_STMT(BPF_RET | BPF_K, 0);
	struct sock_fprog program = {.len = 1, .filter = &first};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), on = 1;
	int rc = fd < 0 ? -errno : 0;

	if (rc == 0 && (setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) < 0 ||
			       setsockopt(fd, SOL_SOCKET, TRY_SO_ATTACH_REUSEPORT_CBPF, &program,
				       sizeof(program)) < 0))
		rc = -errno;
	close(fd);
	return rc;
}

/* --- on the loopback device -------------------------------------------------------- */

static int try_bind(int fd, struct sockaddr_in *addr)
{
	socklen_t len = sizeof(*addr);

	if (fd < 0 || bind(fd, (struct sockaddr *)addr, sizeof(*addr)) < 0 ||
		getsockname(fd, (struct sockaddr *)addr, &len) < 0)
		return -errno;
	return 0;
}

/* A completion from the kernel is the proof; it also says whether the data was copied after all. */
static int try_completion(int fd, char *text, size_t size)
{
	char control[256];
	struct msghdr msg = {.msg_control = control, .msg_controllen = sizeof(control)};
	struct pollfd p = {.fd = fd};

	if (poll(&p, 1, 50) < 0 || recvmsg(fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
		return -errno;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c)) {
		struct sock_extended_err e;

		if (c->cmsg_len < CMSG_LEN(sizeof(e)))
			continue;
		memcpy(&e, CMSG_DATA(c), sizeof(e));
		if (e.ee_origin != SO_EE_ORIGIN_ZEROCOPY)
			continue;
		snprintf(text, size, "a send over loopback was completed%s",
			e.ee_code & SO_EE_CODE_ZEROCOPY_COPIED ? " (by a copy, as loopback does)" : "");
		return 0;
	}
	return -EBADMSG;
}

/* UDP to itself (since 5.0), so that no counter of TCP moves; before that, TCP only takes the option. */
static int try_msg_zerocopy(char *text, size_t size)
{
	struct sockaddr_in addr = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), on = 1, rc;
	char data[64] = "";

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, TRY_SO_ZEROCOPY, &on, sizeof(on)) < 0) {
		rc = try_set(SOCK_STREAM, SOL_SOCKET, TRY_SO_ZEROCOPY, 1);
		snprintf(text, size, "of TCP sockets only");
		goto out;
	}
	rc = try_bind(fd, &addr);
	if (rc == 0 && (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
			       send(fd, data, sizeof(data), TRY_MSG_ZEROCOPY | MSG_DONTWAIT) < 0))
		rc = -errno;
	if (rc == 0)
		rc = try_completion(fd, text, size);
	if (rc == -ENETUNREACH || rc == -EADDRNOTAVAIL) {
		/* The loopback device is down, as in a new network namespace. */
		snprintf(text, size, "SO_ZEROCOPY was set; there was no way to send");
		rc = 0;
	}
out:
	close(fd);
	return rc;
}

static int try_sendfile(char *text, size_t size)
{
	int memory = memfd_create("tuneaudit", MFD_CLOEXEC), pair[2] = {-1, -1}, rc = 0;

	if (memory < 0 || ftruncate(memory, 1) < 0 ||
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0 ||
		sendfile(pair[0], memory, NULL, 1) != 1)
		rc = -errno;
	close(pair[0]);
	close(pair[1]);
	close(memory);
	return rc;
}

static const struct ta_feature tried[] = {
	{"epoll_pwait2", try_epoll_pwait2, "the system call waited", "Linux 5.11"},
	{"epoll_busy_poll", try_epoll_busy_poll, "EPIOCGPARAMS answers",
		"Linux 6.9 with CONFIG_NET_RX_BUSY_POLL"},
	{"reuseport_bpf", try_reuseport_bpf, "SO_ATTACH_REUSEPORT_CBPF took a program", "Linux 4.5"},
	{"incoming_cpu", try_incoming_cpu, "SO_INCOMING_CPU was set", "Linux 4.4"},
	{"incoming_napi_id", try_incoming_napi_id, "SO_INCOMING_NAPI_ID answers",
		"Linux 4.12 with CONFIG_NET_RX_BUSY_POLL"},
	{"msg_zerocopy", try_msg_zerocopy, "a send over loopback was completed", "Linux 4.14"},
	{"tcp_fastopen", try_tcp_fastopen, "TCP_FASTOPEN answers", "Linux 3.7"},
	{"tcp_fastopen_connect", try_tcp_fastopen_connect, "TCP_FASTOPEN_CONNECT was set", "Linux 4.11"},
	{"tcp_defer_accept", try_tcp_defer_accept, "TCP_DEFER_ACCEPT was set", "Linux 2.4"},
	{"tcp_notsent_lowat", try_tcp_notsent_lowat, "TCP_NOTSENT_LOWAT was set", "Linux 3.12"},
	{"pacing", try_pacing, "SO_MAX_PACING_RATE was set", "Linux 3.13"},
	{"busy_poll", try_busy_poll, "SO_BUSY_POLL was set", "Linux 3.11 with CONFIG_NET_RX_BUSY_POLL"},
	{"prefer_busy_poll", try_prefer_busy_poll, "SO_PREFER_BUSY_POLL was set",
		"Linux 5.11 with CONFIG_NET_RX_BUSY_POLL"},
	{"udp_gso", try_udp_gso, "UDP_SEGMENT was set", "Linux 4.18"},
	{"udp_gro", try_udp_gro, "UDP_GRO answers", "Linux 5.0"},
	{"sendfile", try_sendfile, "a byte of a file went into a socket", "Linux 2.6.33"},
};

/* --- what a sysctl switches off --------------------------------------------------------- */

/* The kernel has it; whether this namespace lets it work is a bit of net.ipv4.tcp_fastopen. */
static void correct_fastopen(struct ta_host *h, struct ta_facts *f, const char *name, int bit)
{
	static const char file[] = "/proc/sys/net/ipv4/tcp_fastopen";
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int64_t value;

	if (!ta_facts_at(f, TA_KEYS("features", name, "works")) ||
		ta_host_read(h, file, TA_READ_CAP, &text) < 0 ||
		ta_parse_i64(ta_buf_text(&text), &value) < 0 || (value & bit))
		return;
	ta_feature_put(f, name, false, "net.ipv4.tcp_fastopen is %lld, without bit %d", (long long)value, bit);
}

/* --- modules ------------------------------------------------------------------------------ */

static int try_bbr(char *text, size_t size)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), rc = fd < 0 ? -errno : 0;

	if (rc == 0 && setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "bbr", 3) < 0)
		rc = -errno;
	close(fd);
	return rc;
}

static int try_dctcp(char *text, size_t size)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), rc = fd < 0 ? -errno : 0;

	if (rc == 0 && setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "dctcp", 5) < 0)
		rc = -errno;
	close(fd);
	return rc;
}

/* A protocol that is not there is ENOENT; one that is there wants a connection first, which we have not. */
static int try_ktls(char *text, size_t size)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), rc = fd < 0 ? -errno : 0;

	if (rc == 0 && setsockopt(fd, IPPROTO_TCP, TRY_TCP_ULP, "tls", 3) < 0 && errno != ENOTCONN)
		rc = -errno;
	close(fd);
	return rc;
}

static const struct by_module {
	struct ta_feature feature;
	const char *word; /* in the list that says it is there */
	const char *list;
	const char *module;
} by_module[] = {
	{{"tcp_bbr", try_bbr, "TCP_CONGESTION took bbr", "module tcp_bbr"}, "bbr",
		"/proc/sys/net/ipv4/tcp_available_congestion_control", "tcp_bbr"},
	{{"tcp_dctcp", try_dctcp, "TCP_CONGESTION took dctcp", "module tcp_dctcp"}, "dctcp",
		"/proc/sys/net/ipv4/tcp_available_congestion_control", "tcp_dctcp"},
	{{"ktls", try_ktls, "TCP_ULP knows tls", "module tls"}, "tls",
		"/proc/sys/net/ipv4/tcp_available_ulp", "tls"},
};

/*
 * Asked for something that is not there, the kernel would load it: so only what the list holds may be tried.
 * True: it may; else what is known has been put.
 */
static bool may_try(struct ta_host *h, struct ta_facts *f, const struct by_module *m)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = ta_host_read(h, m->list, TA_READ_CAP, &text);
	enum ta_module state;

	if (rc == 0 && ta_has_word(ta_buf_text(&text), m->word))
		return true;
	state = ta_module_look(h, m->module);
	/* Network namespaces other than the first have no tcp_available_ulp; what is loaded can be tried there. */
	if (rc == -ENOENT && (state == TA_MODULE_LOADED || state == TA_MODULE_BUILTIN))
		return true;
	if (rc == -ENOENT && ta_module_safe(state))
		rc = 0;
	if (state == TA_MODULE_AVAILABLE)
		ta_feature_absent(f, m->feature.name, TA_NOT_ASKED,
			"module %s is not loaded; available", m->module);
	else if (rc < 0)
		ta_feature_absent(f, m->feature.name, ta_reason_of(rc), "%s: %s", m->list,
			ta_errno_text(rc));
	else if (state == TA_MODULE_UNKNOWN)
		ta_feature_absent(f, m->feature.name, TA_NOT_ASKED,
			"not in %s; whether there is a module %s is not known", m->list, m->module);
	else
		ta_feature_put(f, m->feature.name, false,
			"not in %s, and there is no module %s to load", m->list, m->module);
	return false;
}

static void put_words(struct ta_host *h, struct ta_facts *f, const char *file, const char *name)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;
	int rc = ta_host_read(h, file, TA_READ_CAP, &text);

	if (rc < 0) {
		ta_put_errno(f, rc, file, "features", "congestion_control", name);
		return;
	}
	ta_strv_split(&words, ta_buf_text(&text), " \n");
	ta_strv_sort(&words);
	ta_facts_put_strs(f, TA_KEYS("features", "congestion_control", name), words.v, words.n);
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	struct ta_feature v[TA_ARRAY_SIZE(tried) + TA_ARRAY_SIZE(by_module)];
	size_t n = TA_ARRAY_SIZE(tried);

	memcpy(v, tried, sizeof(tried));
	for (size_t i = 0; i < TA_ARRAY_SIZE(by_module); i++)
		if (may_try(h, f, &by_module[i]))
			v[n++] = by_module[i].feature;
	ta_features_try(h, f, v, n, NULL);
	correct_fastopen(h, f, "tcp_fastopen", 2);
	correct_fastopen(h, f, "tcp_fastopen_connect", 1);
	put_words(h, f, "/proc/sys/net/ipv4/tcp_available_congestion_control", "available");
	put_words(h, f, "/proc/sys/net/ipv4/tcp_allowed_congestion_control", "allowed");
}

const struct ta_probe ta_probe_features_net = {
	.name = "features_net",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
