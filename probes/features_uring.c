/*
 * What the loop of a server is built on: one waiter woken, one port shared, io_uring. Rules for every host ask for
 * these, so that they stand together and apart from the rest: one child tries them.
 *
 * io_uring: off in three ways that take three different cures, so they are told
 * apart. ENOSYS: the kernel has none. EPERM with kernel.io_uring_disabled: the
 * sysctl. EPERM without it: a filter (seccomp, as container engines set it) or a
 * security module, here and for this user; on the host itself it may work.
 *
 * Then what it can do, each tried on a ring of its own; system calls directly,
 * since the library would have to be as new as the kernel.
 */
#include <errno.h>
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/num.h"
#include "probe/feature.h"
#include "probe/probe.h"
#include "probe/procpid.h"

/* Numbers of include/uapi/linux/io_uring.h (7.3) that headers here may not have yet; system calls are the same on
 * all architectures but alpha. */
#define TRY_SYS_SETUP 425
#define TRY_SYS_ENTER 426
#define TRY_SYS_REGISTER 427
#define TRY_SETUP_SQPOLL (1u << 1)
#define TRY_SETUP_COOP_TASKRUN (1u << 8)
#define TRY_SETUP_SINGLE_ISSUER (1u << 12)
#define TRY_SETUP_DEFER_TASKRUN (1u << 13)
#define TRY_REGISTER_PROBE 8
#define TRY_REGISTER_RING_FDS 20
#define TRY_REGISTER_PBUF_RING 22
#define TRY_REGISTER_NAPI 27
#define TRY_ACCEPT_MULTISHOT (1u << 0)
#define TRY_RECV_MULTISHOT (1u << 1)
#define TRY_ENTRIES 8

#define TRY_EPOLLEXCLUSIVE (1u << 28)

static const struct ta_field fields[] = {
	TA_FEATURE("epollexclusive", "one of several epoll waiters wakes for a shared listener"),
	TA_FEATURE("reuseport", "several sockets listen on one port"),
	TA_FEATURE("io_uring", "io_uring, for this user in this place"),
	{"features.io_uring.opcodes", TA_T_STRINGS, "", "operations that io_uring has (IORING_REGISTER_PROBE)",
		0, {}},
	{"features.io_uring.setup_features", TA_T_INT, "",
		"bits that io_uring_setup() tells (IORING_FEAT_*)", 0, {}},
	TA_FEATURE("io_uring_sqpoll", "a kernel thread submits"),
	TA_FEATURE("io_uring_coop_taskrun", "completions do not interrupt the task"),
	TA_FEATURE("io_uring_defer_taskrun", "completions are worked on when asked for"),
	TA_FEATURE("io_uring_pbuf_ring", "a ring of buffers to receive into"),
	TA_FEATURE("io_uring_multishot_accept", "one request accepts many connections"),
	TA_FEATURE("io_uring_multishot_recv", "one request receives many times"),
	TA_FEATURE("io_uring_ring_fds", "the ring's descriptor is registered"),
	TA_FEATURE("io_uring_napi", "busy polling of the device"),
	TA_FEATURE("io_uring_send_zc", "sends without copying"),
	TA_FEATURE("io_uring_sendmsg_zc", "scattered sends without copying"),
	TA_FEATURE("io_uring_recv_zc", "receives without copying, with a NIC that splits headers"),
};

/* By number, enum io_uring_op. */
static const char *const opcodes[] = {
	"nop", "readv", "writev", "fsync", "read_fixed", "write_fixed", "poll_add", "poll_remove",
	"sync_file_range", "sendmsg", "recvmsg", "timeout", "timeout_remove", "accept", "async_cancel",
	"link_timeout", "connect", "fallocate", "openat", "close", "files_update", "statx", "read", "write",
	"fadvise", "madvise", "send", "recv", "openat2", "epoll_ctl", "splice", "provide_buffers",
	"remove_buffers", "tee", "shutdown", "renameat", "unlinkat", "mkdirat", "symlinkat", "linkat",
	"msg_ring", "fsetxattr", "setxattr", "fgetxattr", "getxattr", "socket", "uring_cmd", "send_zc",
	"sendmsg_zc", "read_multishot", "waitid", "futex_wait", "futex_wake", "futex_waitv",
	"fixed_fd_install", "ftruncate", "bind", "listen", "recv_zc", "epoll_wait", "readv_fixed",
	"writev_fixed", "pipe", "nop128", "uring_cmd128"};

#define OPCODES_MAX 128 /* room for more */

/* --- listeners ------------------------------------------------------------------ */

/* Kernels before 4.5 take the unknown bit and ignore it: that MOD refuses it is the proof. */
static int try_epollexclusive(char *text, size_t size)
{
	int ep = epoll_create1(EPOLL_CLOEXEC), fd = eventfd(0, EFD_CLOEXEC), rc = 0;
	struct epoll_event ev = {.events = EPOLLIN | TRY_EPOLLEXCLUSIVE};

	if (ep < 0 || fd < 0 || epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev) < 0)
		rc = -errno;
	else if (epoll_ctl(ep, EPOLL_CTL_MOD, fd, &ev) == 0)
		rc = -EOPNOTSUPP;
	else if (errno != EINVAL)
		rc = -errno;
	if (rc == -EOPNOTSUPP)
		snprintf(text, size, "the flag is taken and ignored");
	close(fd);
	close(ep);
	return rc;
}

static int try_bind_port(int fd, bool reuse, struct sockaddr_in *addr)
{
	int on = 1;
	socklen_t len = sizeof(*addr);

	if (fd < 0 || (reuse && setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) < 0) ||
		bind(fd, (struct sockaddr *)addr, sizeof(*addr)) < 0 ||
		getsockname(fd, (struct sockaddr *)addr, &len) < 0)
		return -errno;
	return 0;
}

/* Two sockets share a port; one that does not ask for it must be refused. */
static int try_reuseport(char *text, size_t size)
{
	struct sockaddr_in addr = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd[3], rc = 0;

	for (int i = 0; i < 3; i++)
		fd[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	rc = try_bind_port(fd[0], true, &addr);
	if (rc == 0)
		rc = try_bind_port(fd[1], true, &addr);
	if (rc == 0 && try_bind_port(fd[2], false, &addr) != -EADDRINUSE)
		rc = -EBADMSG;
	for (int i = 0; i < 3; i++)
		close(fd[i]);
	return rc;
}

static const struct ta_feature listening[] = {
	{"epollexclusive", try_epollexclusive,
		"EPOLL_CTL_ADD takes the flag and EPOLL_CTL_MOD refuses it, as it must", "Linux 4.5"},
	{"reuseport", try_reuseport,
		"two sockets had one port, and a third that did not ask was refused", "Linux 3.9"},
};

/* --- questions ------------------------------------------------------------------ */

/* A ring, or -errno. */
static int try_ring(unsigned flags, struct io_uring_params *ret)
{
	struct io_uring_params p = {.flags = flags, .sq_thread_idle = 1};
	long fd = syscall(TRY_SYS_SETUP, TRY_ENTRIES, &p);

	if (ret)
		*ret = p;
	return fd < 0 ? -errno : (int)fd;
}

static int try_flags(unsigned flags)
{
	int fd = try_ring(flags, NULL);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* What a registration says, on a plain ring. */
static int try_register(unsigned what, void *arg, unsigned n)
{
	int fd = try_ring(0, NULL), rc = 0;

	if (fd < 0)
		return fd;
	if (syscall(TRY_SYS_REGISTER, fd, what, arg, n) < 0)
		rc = -errno;
	close(fd);
	return rc;
}

static int try_io_uring(char *text, size_t size)
{
	struct io_uring_params p;
	int fd = try_ring(0, &p);

	if (fd < 0)
		return fd;
	close(fd);
	snprintf(text, size, "%u", p.features);
	return 0;
}

/* The supported ones as text: hexadecimal digits, the first for operations 0 to 3. */
static int try_opcodes(char *text, size_t size)
{
	union {
		struct io_uring_probe probe;
		char room[sizeof(struct io_uring_probe) + OPCODES_MAX * sizeof(struct io_uring_probe_op)];
	} all = {.room = ""};
	int rc = try_register(TRY_REGISTER_PROBE, &all, OPCODES_MAX);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < OPCODES_MAX / 4 && i + 1 < size; i++) {
		unsigned bits = 0;

		for (size_t k = 0; k < 4; k++)
			bits |= (all.probe.ops[4 * i + k].flags & IO_URING_OP_SUPPORTED ? 1u : 0u) << k;
		text[i] = "0123456789abcdef"[bits];
	}
	return 0;
}

static int try_sqpoll(char *text, size_t size)
{
	return try_flags(TRY_SETUP_SQPOLL);
}

static int try_coop_taskrun(char *text, size_t size)
{
	return try_flags(TRY_SETUP_COOP_TASKRUN);
}

/* Alone it must be refused: it needs SINGLE_ISSUER. */
static int try_defer_taskrun(char *text, size_t size)
{
	int rc = try_flags(TRY_SETUP_SINGLE_ISSUER | TRY_SETUP_DEFER_TASKRUN);

	if (rc == 0 && try_flags(TRY_SETUP_DEFER_TASKRUN) != -EINVAL)
		rc = -EBADMSG;
	return rc;
}

static int try_pbuf_ring(char *text, size_t size)
{
	/* struct io_uring_buf_reg */
	struct {
		uint64_t addr;
		uint32_t entries;
		uint16_t group, flags;
		uint64_t reserved[3];
	} reg = {.entries = TRY_ENTRIES, .group = 1};
	long page = sysconf(_SC_PAGESIZE);
	void *ring = mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int rc;

	if (ring == MAP_FAILED)
		return -errno;
	reg.addr = (uintptr_t)ring;
	rc = try_register(TRY_REGISTER_PBUF_RING, &reg, 1);
	munmap(ring, (size_t)page);
	return rc;
}

static int try_ring_fds(char *text, size_t size)
{
	/* struct io_uring_rsrc_update: any slot, and the ring's own descriptor */
	struct {
		uint32_t offset, reserved;
		uint64_t data;
	} update = {.offset = UINT32_MAX};
	int fd = try_ring(0, NULL), rc = 0;

	if (fd < 0)
		return fd;
	update.data = (uint64_t)fd;
	if (syscall(TRY_SYS_REGISTER, fd, TRY_REGISTER_RING_FDS, &update, 1) != 1)
		rc = errno ? -errno : -EBADMSG;
	close(fd);
	return rc;
}

static int try_napi(char *text, size_t size)
{
	/* struct io_uring_napi */
	struct {
		uint32_t busy_poll_us;
		uint8_t prefer, opcode, pad[2];
		uint32_t tracking, reserved;
	} napi = {.busy_poll_us = 1};

	return try_register(TRY_REGISTER_NAPI, &napi, 1);
}

/*
 * Submits one request to a ring and looks at once for its completion: a request that the kernel does not know
 * fails with -EINVAL, one that waits for something to come has none yet. The result, or 0.
 */
static int try_submit(const struct io_uring_sqe *request)
{
	struct io_uring_params p;
	int fd = try_ring(0, &p), rc = 0;
	size_t sq_len = p.sq_off.array + p.sq_entries * sizeof(unsigned);
	size_t cq_len = p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe);
	char *sq, *cq;
	struct io_uring_sqe *sqes;

	if (fd < 0)
		return fd;
	sq = mmap(NULL, sq_len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQ_RING);
	cq = mmap(NULL, cq_len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_CQ_RING);
	sqes = mmap(NULL, p.sq_entries * sizeof(*sqes), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		IORING_OFF_SQES);
	if (sq == MAP_FAILED || cq == MAP_FAILED || sqes == MAP_FAILED) {
		rc = -errno;
		goto out;
	}
	sqes[0] = *request;
	((unsigned *)(sq + p.sq_off.array))[0] = 0;
	__atomic_store_n((unsigned *)(sq + p.sq_off.tail), 1, __ATOMIC_RELEASE);
	if (syscall(TRY_SYS_ENTER, fd, 1, 0, 0, NULL, 0) < 0)
		rc = -errno;
	else if (__atomic_load_n((unsigned *)(cq + p.cq_off.tail), __ATOMIC_ACQUIRE) > 0)
		rc = TA_MIN(((struct io_uring_cqe *)(cq + p.cq_off.cqes))[0].res, 0);
out:
	/* The end of the process unmaps. */
	close(fd);
	return rc;
}

/* On a Unix socket without a name of ours, so that no port is opened. */
static int try_multishot_accept(char *text, size_t size)
{
	struct sockaddr_un any = {.sun_family = AF_UNIX};
	struct io_uring_sqe request = {.opcode = IORING_OP_ACCEPT, .ioprio = TRY_ACCEPT_MULTISHOT};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), rc;

	if (fd < 0 || bind(fd, (struct sockaddr *)&any, sizeof(any.sun_family)) < 0 || listen(fd, 1) < 0) {
		rc = -errno;
	} else {
		request.fd = fd;
		rc = try_submit(&request);
	}
	close(fd);
	return rc;
}

static int try_multishot_recv(char *text, size_t size)
{
	struct io_uring_sqe request = {.opcode = IORING_OP_RECV, .ioprio = TRY_RECV_MULTISHOT,
		.flags = IOSQE_BUFFER_SELECT, .buf_group = 1};
	int pair[2], rc;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	request.fd = pair[0];
	rc = try_submit(&request);
	/* The flag was taken, and then there were no buffers, as none were given. */
	if (rc == -ENOBUFS)
		rc = 0;
	close(pair[0]);
	close(pair[1]);
	return rc;
}

enum { BASE, OPCODES };

static const struct ta_feature tried[] = {
	[BASE] = {"io_uring", try_io_uring, "io_uring_setup() made a ring", "Linux 5.1"},
	[OPCODES] = {"io_uring_opcodes", try_opcodes, "", "Linux 5.6"},
	{"io_uring_sqpoll", try_sqpoll, "IORING_SETUP_SQPOLL was taken", "Linux 5.11"},
	{"io_uring_coop_taskrun", try_coop_taskrun, "IORING_SETUP_COOP_TASKRUN was taken", "Linux 5.19"},
	{"io_uring_defer_taskrun", try_defer_taskrun,
		"IORING_SETUP_DEFER_TASKRUN was taken with SINGLE_ISSUER and refused alone, as it must",
		"Linux 6.1"},
	{"io_uring_pbuf_ring", try_pbuf_ring, "IORING_REGISTER_PBUF_RING was taken", "Linux 5.19"},
	{"io_uring_multishot_accept", try_multishot_accept, "IORING_ACCEPT_MULTISHOT waits for connections",
		"Linux 5.19"},
	{"io_uring_multishot_recv", try_multishot_recv, "IORING_RECV_MULTISHOT was taken", "Linux 6.0"},
	{"io_uring_ring_fds", try_ring_fds, "IORING_REGISTER_RING_FDS was taken", "Linux 5.18"},
	{"io_uring_napi", try_napi, "IORING_REGISTER_NAPI was taken", "Linux 6.9"},
};

static const struct {
	const char *name, *opcode, *needs;
} by_opcode[] = {
	{"io_uring_send_zc", "send_zc", "Linux 6.0"},
	{"io_uring_sendmsg_zc", "sendmsg_zc", "Linux 6.1"},
	{"io_uring_recv_zc", "recv_zc", "Linux 6.15"},
};

/* --- answers ---------------------------------------------------------------------- */

/* The mode of the seccomp filter that this process runs under, 0 if there is none or it is not known. */
static int64_t seccomp_mode(struct ta_host *h)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	ta_cleanup_buf struct ta_buf value = TA_BUF_INIT;
	int64_t mode = 0;

	if (ta_host_read(h, "/proc/self/status", TA_READ_CAP, &text) == 0 &&
		ta_status_find(ta_buf_text(&text), "Seccomp", &value) == 0)
		ta_parse_i64(ta_buf_text(&value), &mode);
	return mode;
}

/* Why the ring was refused, for people. */
static void put_refused(struct ta_host *h, struct ta_facts *f, const struct ta_try_result *r)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = ta_host_read(h, "/proc/sys/kernel/io_uring_disabled", TA_READ_CAP, &text);
	bool filtered = seccomp_mode(h) == 2;
	int64_t disabled = 0;

	if (rc == 0 && ta_parse_i64(ta_buf_text(&text), &disabled) < 0)
		disabled = 0;
	if (r->rc == -ENOSYS && filtered)
		ta_feature_put(f, "io_uring", false,
			"ENOSYS: the kernel has none (Linux 5.1, CONFIG_IO_URING), or the seccomp filter of this process says so");
	else if (r->rc == -ENOSYS)
		ta_feature_put(f, "io_uring", false,
			"ENOSYS: the kernel has none (it takes Linux 5.1 with CONFIG_IO_URING)");
	else if (r->rc == -EPERM && disabled > 0)
		ta_feature_put(f, "io_uring", false, "EPERM: kernel.io_uring_disabled is %lld%s",
			(long long)disabled,
			disabled == 1 ? ", which leaves it to CAP_SYS_ADMIN and the io_uring_group" : "");
	else if (r->rc == -EPERM || r->rc == -EACCES)
		ta_feature_put(f, "io_uring", false, "%s, and not by kernel.io_uring_disabled: a %s refuses it here",
			r->rc == -EPERM ? "EPERM" : "EACCES",
			filtered ? "seccomp filter (this process has one) or security module"
				 : "security module or seccomp filter");
}

static void put_opcodes(struct ta_facts *f, const struct ta_try_result *r)
{
	const char *const *path = TA_KEYS("features", "io_uring", "opcodes");
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	char number[16];

	if (r->rc < 0) {
		ta_facts_put_errno(f, path, r->rc, "IORING_REGISTER_PROBE");
		return;
	}
	for (size_t i = 0; i < 4 * strlen(r->text); i++) {
		const char *at = strchr("0123456789abcdef", r->text[i / 4]);

		if (!at || !((unsigned)(at - "0123456789abcdef") >> (i % 4) & 1))
			continue;
		snprintf(number, sizeof(number), "op%zu", i);
		ta_strv_add(&names, i < TA_ARRAY_SIZE(opcodes) ? opcodes[i] : number);
	}
	ta_facts_put_strs(f, path, names.v, names.n);
	for (size_t i = 0; i < TA_ARRAY_SIZE(by_opcode); i++) {
		bool has = ta_strv_has(&names, by_opcode[i].opcode);

		ta_feature_put(f, by_opcode[i].name, has, "operation %s is %s%s", by_opcode[i].opcode,
			has ? "supported" : "not supported; it takes ", has ? "" : by_opcode[i].needs);
	}
}

/* Without rings there is nothing else; the reason is the same. */
static void put_rest_as_base(struct ta_facts *f)
{
	bool works = false, known = ta_facts_get_bool(f, TA_KEYS("features", "io_uring", "works"), &works);
	struct ta_absence a = ta_facts_absence(f, "features.io_uring.works");

	for (size_t i = OPCODES + 1; i < TA_ARRAY_SIZE(tried) + TA_ARRAY_SIZE(by_opcode); i++) {
		const char *name = i < TA_ARRAY_SIZE(tried) ? tried[i].name
							    : by_opcode[i - TA_ARRAY_SIZE(tried)].name;

		if (known)
			ta_feature_put(f, name, false, "io_uring does not work here");
		else
			ta_feature_absent(f, name, a.reason, "%s", a.detail);
	}
	ta_facts_put_absent(f, TA_KEYS("features", "io_uring", "opcodes"), known ? TA_UNSUPPORTED : a.reason,
		"io_uring does not work here");
	ta_facts_put_absent(f, TA_KEYS("features", "io_uring", "setup_features"),
		known ? TA_UNSUPPORTED : a.reason, "io_uring does not work here");
}

/* Asks `n` in one child. What kept the child from being made is every answer. */
static void ask(struct ta_host *h, const struct ta_try *asked, size_t n, struct ta_try_result *ret)
{
	int rc = ta_host_try(h, asked, n, ret);

	for (size_t i = 0; rc < 0 && i < n; i++)
		ret[i] = (struct ta_try_result){.rc = rc};
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	enum { LISTENING = TA_ARRAY_SIZE(listening), ALL = LISTENING + TA_ARRAY_SIZE(tried) };
	struct ta_try_result all[ALL], *r = all + LISTENING;
	struct ta_try asked[ALL];
	uint64_t bits;

	for (size_t i = 0; i < ALL; i++) {
		const struct ta_feature *one = i < LISTENING ? &listening[i] : &tried[i - LISTENING];

		asked[i] = (struct ta_try){one->name, one->fn};
	}
	ask(h, asked, ALL, all);
	for (size_t i = 0; i < LISTENING; i++)
		ta_feature_result(f, &listening[i], &all[i]);
	if (r[BASE].rc < 0) {
		ta_feature_result(f, &tried[BASE], &r[BASE]);
		if (!ta_try_killed(&r[BASE]))
			put_refused(h, f, &r[BASE]);
		put_rest_as_base(f);
		return;
	}
	ta_feature_put(f, "io_uring", true, "%s", tried[BASE].proof);
	if (ta_parse_u64(r[BASE].text, &bits) == 0)
		ta_put_u64(f, bits, "features", "io_uring", "setup_features");
	else
		ta_facts_put_absent(f, TA_KEYS("features", "io_uring", "setup_features"), TA_MALFORMED,
			"no number");
	put_opcodes(f, &r[OPCODES]);
	if (r[OPCODES].rc < 0)
		for (size_t i = 0; i < TA_ARRAY_SIZE(by_opcode); i++)
			ta_feature_result(f, &(struct ta_feature){.name = by_opcode[i].name,
				.needs = by_opcode[i].needs}, &r[OPCODES]);
	for (size_t i = OPCODES + 1; i < TA_ARRAY_SIZE(tried); i++)
		ta_feature_result(f, &tried[i], &r[i]);
}

const struct ta_probe ta_probe_features_uring = {
	.name = "features_uring",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
