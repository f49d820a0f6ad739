/*
 * Runs a program and stops it at the n-th call that writes something: killer [OPTION…] PROGRAM ARGUMENT…
 *
 *   --kill N          SIGKILL before the N-th writing call is made
 *   --term N          SIGTERM comes before the N-th writing call is made
 *   --fail N ERRNO    the N-th writing call is not made and fails so (a number)
 *   --short N         the N-th writing call, if it writes several words, writes all but the last
 *   --count FILE      writes the number of writing calls into FILE; with --list also what each one was, a line each
 *   --fake PATH KIND  the kernel's part for a file that stands in for a sysctl: see fakes below
 *
 * Writing calls are: write and its kin to anything but 0 … 2, what makes, renames, removes, cuts and syncs files, requests to
 * rtnetlink and ethtool that change something. What children do is not looked at.
 *
 * The exit code is that of the program; 137 where it was killed.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/ethtool.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define NO_SYSCALL (-1L)

static struct {
	long kill_at, term_at, fail_at, short_at;
	int error;
	const char *count_file;
	bool list;
} opt;

static pid_t child;
static long calls;
static FILE *list_file;

static void die(const char *what)
{
	perror(what);
	if (child > 0)
		kill(child, SIGKILL);
	exit(99);
}

/* --- the child's memory and registers ------------------------------------------- */

static size_t peek(uint64_t address, void *to, size_t len)
{
	struct iovec local = {to, len}, remote = {(void *)(uintptr_t)address, len};
	ssize_t n = process_vm_readv(child, &local, 1, &remote, 1, 0);

	return n < 0 ? 0 : (size_t)n;
}

static void peek_text(uint64_t address, char *to, size_t size)
{
	size_t n = 0;

	while (n + 1 < size && peek(address + n, to + n, 1) == 1 && to[n])
		n++;
	to[n] = '\0';
}

#if defined(__x86_64__)
typedef struct user_regs_struct regs_t;

static void get_regs(regs_t *r)
{
	if (ptrace(PTRACE_GETREGS, child, NULL, r) < 0)
		die("registers");
}

static void set_regs(const regs_t *r)
{
	if (ptrace(PTRACE_SETREGS, child, NULL, r) < 0)
		die("registers");
}

static void skip_call(void)
{
	regs_t r;

	get_regs(&r);
	r.orig_rax = (unsigned long long)NO_SYSCALL;
	set_regs(&r);
}

static void set_result(long v)
{
	regs_t r;

	get_regs(&r);
	r.rax = (unsigned long long)v;
	set_regs(&r);
}

static void set_length(uint64_t len)
{
	regs_t r;

	get_regs(&r);
	r.rdx = len;
	set_regs(&r);
}
#elif defined(__aarch64__)
static void with_regs(struct user_regs_struct *r, bool set)
{
	struct iovec v = {r, sizeof(*r)};

	if (ptrace(set ? PTRACE_SETREGSET : PTRACE_GETREGSET, child, NT_PRSTATUS, &v) < 0)
		die("registers");
}

static void skip_call(void)
{
	int none = (int)NO_SYSCALL;
	struct iovec v = {&none, sizeof(none)};

	if (ptrace(PTRACE_SETREGSET, child, NT_ARM_SYSTEM_CALL, &v) < 0)
		die("system call");
}

static void set_result(long v)
{
	struct user_regs_struct r;

	with_regs(&r, false);
	r.regs[0] = (unsigned long long)v;
	with_regs(&r, true);
}

static void set_length(uint64_t len)
{
	struct user_regs_struct r;

	with_regs(&r, false);
	r.regs[2] = len;
	with_regs(&r, true);
}
#else
#error "the kill test knows x86-64 and aarch64"
#endif

/* --- what writes ------------------------------------------------------------------------- */

struct call {
	uint64_t nr, args[6];
	char what[512]; /* for the list; "" if it does not write */
};

static void fd_path(int fd, char (*ret)[400])
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/fd/%d", (int)child, fd);
	n = readlink(link, *ret, sizeof(*ret) - 1);
	(*ret)[n < 0 ? 0 : n] = '\0';
}

static int socket_protocol(int fd)
{
	int domain = 0, protocol = -1, own = -1, pidfd = (int)syscall(SYS_pidfd_open, child, 0);
	socklen_t len = sizeof(domain);

	if (pidfd >= 0)
		own = (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0);
	if (own >= 0 && (getsockopt(own, SOL_SOCKET, SO_DOMAIN, &domain, &len) < 0 || domain != AF_NETLINK ||
				getsockopt(own, SOL_SOCKET, SO_PROTOCOL, &protocol, &len) < 0))
		protocol = -1;
	if (own >= 0)
		close(own);
	if (pidfd >= 0)
		close(pidfd);
	return protocol;
}

/* Commands of ethtool that set something (include/uapi/linux/ethtool_netlink.h). */
static bool is_ethtool_set(uint8_t cmd)
{
	static const uint8_t set[] = {3, 5, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 27, 30, 34, 36, 38, 42, 43, 48, 49, 50};

	for (size_t i = 0; i < sizeof(set); i++)
		if (set[i] == cmd)
			return true;
	return false;
}

static void look_at_message(struct call *c, int fd, uint64_t address)
{
	struct {
		struct nlmsghdr nlh;
		uint8_t cmd;
	} m;
	int protocol = socket_protocol(fd);

	if (protocol < 0 || peek(address, &m, sizeof(m)) < sizeof(m) ||
		(m.nlh.nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP)
		return;
	if (protocol == NETLINK_ROUTE && (m.nlh.nlmsg_type & 3) != 2) /* NEW, DEL, GET, SET of each kind */
		snprintf(c->what, sizeof(c->what), "rtnetlink message %u", m.nlh.nlmsg_type);
	if (protocol == NETLINK_GENERIC && m.nlh.nlmsg_type > NLMSG_MIN_TYPE && is_ethtool_set(m.cmd))
		snprintf(c->what, sizeof(c->what), "ethtool message %u", m.cmd);
}

static void look_at_sendmsg(struct call *c)
{
	struct msghdr msg;
	struct iovec iov;

	if (peek(c->args[1], &msg, sizeof(msg)) == sizeof(msg) &&
		peek((uintptr_t)msg.msg_iov, &iov, sizeof(iov)) == sizeof(iov))
		look_at_message(c, (int)c->args[0], (uintptr_t)iov.iov_base);
}

static void look_at_ioctl(struct call *c)
{
	static const uint32_t set[] = {ETHTOOL_SCHANNELS, ETHTOOL_SRINGPARAM, ETHTOOL_SCOALESCE, ETHTOOL_SFEATURES,
		ETHTOOL_SRXFHINDIR, ETHTOOL_SRSSH, ETHTOOL_SPFLAGS, ETHTOOL_SSET};
	struct ifreq req;
	uint32_t cmd;

	if (c->args[1] != SIOCETHTOOL || peek(c->args[2], &req, sizeof(req)) != sizeof(req) ||
		peek((uintptr_t)req.ifr_data, &cmd, sizeof(cmd)) != sizeof(cmd))
		return;
	for (size_t i = 0; i < sizeof(set) / sizeof(set[0]); i++)
		if (set[i] == cmd)
			snprintf(c->what, sizeof(c->what), "ethtool ioctl 0x%x", cmd);
}

static void look_at_fd(struct call *c, const char *name)
{
	char path[400];

	if ((int)c->args[0] <= 2)
		return;
	fd_path((int)c->args[0], &path);
	if (path[0] == '/')
		snprintf(c->what, sizeof(c->what), "%s %s", name, path);
}

static void look_at_path(struct call *c, const char *name, uint64_t address)
{
	char path[400];

	peek_text(address, path, sizeof(path));
	snprintf(c->what, sizeof(c->what), "%s %s", name, path);
}

static void look(struct call *c)
{
	switch (c->nr) {
	case SYS_write:
	case SYS_pwrite64:
	case SYS_writev:
		look_at_fd(c, "write");
		break;
	case SYS_fsync:
	case SYS_fdatasync:
	case SYS_syncfs:
		look_at_fd(c, "sync");
		break;
	case SYS_ftruncate:
	case SYS_fchmod:
	case SYS_fchown:
		look_at_fd(c, "cut or mode");
		break;
	case SYS_openat:
		if (c->args[2] & (O_CREAT | O_TRUNC))
			look_at_path(c, "make", c->args[1]);
		break;
#ifdef SYS_mkdir
	case SYS_mkdir:
	case SYS_unlink:
	case SYS_rmdir:
	case SYS_rename:
		look_at_path(c, "directory entry", c->args[0]);
		break;
#endif
	case SYS_mkdirat:
	case SYS_unlinkat:
	case SYS_renameat:
	case SYS_renameat2:
	case SYS_linkat:
	case SYS_symlinkat:
		look_at_path(c, "directory entry", c->args[1]);
		break;
	case SYS_sendto:
		look_at_message(c, (int)c->args[0], c->args[1]);
		break;
	case SYS_sendmsg:
		look_at_sendmsg(c);
		break;
	case SYS_ioctl:
		look_at_ioctl(c);
		break;
	}
}

/* --- files that stand in for sysctls of the whole host ------------------------------------------------ */

#define FAKES 16

static struct fake {
	const char *path;
	/* "plain"; "clamp": up to a power of two, as rps_sock_flow_entries; "bytes:OTHER", "ratio:OTHER": a value makes OTHER 0, and
	 * of bytes 0 is refused (mm/page-writeback.c) */
	const char *kind;
} fakes[FAKES];
static size_t n_fakes;

static const struct fake *find_fake(const struct call *c)
{
	char path[400];

	if (c->nr != SYS_write || (int)c->args[0] <= 2)
		return NULL;
	fd_path((int)c->args[0], &path);
	for (size_t i = 0; i < n_fakes; i++)
		if (!strcmp(fakes[i].path, path))
			return &fakes[i];
	return NULL;
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0 || write(fd, "\n", 1) < 0)
		die(path);
	close(fd);
}

/* What the kernel would do; the result of the call. */
static long emulate(const struct fake *f, const struct call *c)
{
	char text[200] = "";
	size_t len = c->args[2] < sizeof(text) - 1 ? c->args[2] : sizeof(text) - 1;
	const char *other = strchr(f->kind, ':');

	text[peek(c->args[1], text, len)] = '\0';
	if (!strcmp(f->kind, "clamp")) {
		unsigned long v = strtoul(text, NULL, 10), up = 1;

		while (up < v)
			up *= 2;
		snprintf(text, sizeof(text), "%lu", v ? up : 0);
	}
	if (!strncmp(f->kind, "bytes", 5) && !strcmp(text, "0"))
		return -EINVAL;
	put(f->path, text);
	if (other)
		put(other + 1, "0");
	return (long)c->args[2];
}

/* --- the run ------------------------------------------------------------------------------------------ */

/* To the next stop of a system call; false: the program has ended, with this exit code. */
static bool go_on(int *ret_code)
{
	int signal = 0, status;

	for (;;) {
		/* ESRCH: it was killed */
		if ((ptrace(PTRACE_SYSCALL, child, NULL, signal) < 0 && errno != ESRCH) || waitpid(child, &status, 0) < 0)
			die("trace");
		if (WIFEXITED(status) || WIFSIGNALED(status)) {
			*ret_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
			return false;
		}
		if (WSTOPSIG(status) == (SIGTRAP | 0x80))
			return true;
		signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
	}
}

/* The text but for its last word; 0 where it has one alone. */
static uint64_t short_length(const struct call *c)
{
	char text[4096];
	size_t len = c->nr == SYS_write && c->args[2] < sizeof(text) ? c->args[2] : 0;

	len = peek(c->args[1], text, len);
	while (len && text[len - 1] != ' ')
		len--;
	return len ? len - 1 : 0;
}

/* At the entry of a call. True: *ret_result is what it is to give instead of being made. */
static bool decide(struct call *c, long *ret_result)
{
	const struct fake *fake = find_fake(c);
	bool counts;

	look(c);
	counts = c->what[0];
	calls += counts;
	if (counts && list_file)
		fprintf(list_file, "%ld %s\n", calls, c->what);
	if (counts && calls == opt.kill_at) {
		kill(child, SIGKILL);
		return false;
	}
	if (counts && calls == opt.term_at)
		kill(child, SIGTERM);
	if (counts && calls == opt.fail_at) {
		*ret_result = -opt.error;
		return true;
	}
	if (fake) {
		*ret_result = emulate(fake, c);
		return true;
	}
	if (counts && calls == opt.short_at && short_length(c))
		set_length(short_length(c));
	return false;
}

static int trace(void)
{
	struct __ptrace_syscall_info info;
	bool replaced = false;
	long result = 0;
	int code;

	while (go_on(&code)) {
		struct call c = {0};

		if (ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof(info), &info) < 0)
			die("call");
		if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
			c.nr = info.entry.nr;
			memcpy(c.args, info.entry.args, sizeof(c.args));
			replaced = decide(&c, &result);
			if (replaced)
				skip_call();
		} else if (replaced) {
			set_result(result);
			replaced = false;
		}
	}
	return code;
}

static int take_option(char **argv)
{
	if (!strcmp(argv[0], "--kill"))
		return opt.kill_at = strtol(argv[1], NULL, 10), 2;
	if (!strcmp(argv[0], "--term"))
		return opt.term_at = strtol(argv[1], NULL, 10), 2;
	if (!strcmp(argv[0], "--short"))
		return opt.short_at = strtol(argv[1], NULL, 10), 2;
	if (!strcmp(argv[0], "--fail")) {
		opt.fail_at = strtol(argv[1], NULL, 10);
		opt.error = (int)strtol(argv[2], NULL, 10);
		return 3;
	}
	if (!strcmp(argv[0], "--count"))
		return opt.count_file = argv[1], 2;
	if (!strcmp(argv[0], "--list"))
		return opt.list = true, 1;
	if (!strcmp(argv[0], "--fake") && n_fakes < FAKES) {
		fakes[n_fakes++] = (struct fake){argv[1], argv[2]};
		return 3;
	}
	return 0;
}

int main(int argc __attribute__((unused)), char **argv)
{
	int n, status, code;

	for (argv++; *argv && (n = take_option(argv)); argv += n)
		;
	if (opt.count_file && opt.list)
		list_file = fopen(opt.count_file, "we");
	child = fork();
	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		execv(argv[0], argv);
		_exit(98);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0 ||
		ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) < 0)
		die("start");
	code = trace();
	if (opt.count_file && !opt.list) {
		list_file = fopen(opt.count_file, "we");
		fprintf(list_file, "%ld\n", calls);
	}
	if (list_file)
		fclose(list_file);
	return code;
}
