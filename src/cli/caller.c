#include "cli/caller.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "cli/system.h"
#include "report/text.h"

#define ANCESTORS_MAX 64
#define PROC_MAX (1u << 20)

/* A file of /proc; empty where it cannot be read. */
static void read_proc(pid_t pid, const char *name, struct ta_buf *ret)
{
	char path[64];
	int fd;

	ta_buf_reset(ret);
	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && ret->len < PROC_MAX && ta_buf_reserve(ret, 4096) == 0) {
		ssize_t n = read(fd, ret->data + ret->len, 4096);

		if (n <= 0)
			break;
		ret->len += (size_t)n;
		ret->data[ret->len] = '\0';
	}
	if (fd >= 0)
		close(fd);
}

void ta_caller_who(struct ta_buf *ret)
{
	const char *sudo = getenv("SUDO_USER");
	ta_cleanup_buf struct ta_buf login = TA_BUF_INIT, name = TA_BUF_INIT;
	uint64_t id;

	ta_buf_printf(ret, "uid %u", (unsigned)getuid());
	if (sudo && *sudo) {
		ta_buf_printf(&name, "%.64s", sudo);
		ta_buf_adds(ret, ", sudo by ");
		ta_text_safe(ret, ta_buf_text(&name)); /* whatever somebody put into it */
	}
	read_proc(getpid(), "loginuid", &login);
	if (login.len && ta_parse_u64(login.data, &id) == 0 && id != UINT32_MAX && id != getuid())
		ta_buf_printf(ret, ", login uid %llu", (unsigned long long)id);
}

/* The first word of "CLIENT CLIENT-PORT SERVER SERVER-PORT". */
static void add_client(struct ta_buf *ret, const char *connection)
{
	ta_buf_add(ret, connection, strcspn(connection, " "));
}

/* In an environment, "NAME=VALUE" after "NAME=VALUE", each ended by NUL. */
static const char *find_variable(const struct ta_buf *environment, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < environment->len; i += strlen(environment->data + i) + 1)
		if (!strncmp(environment->data + i, name, len))
			return environment->data + i + len;
	return NULL;
}

/* The fourth word of stat, behind the name in brackets, which may hold anything. */
static pid_t parent_of(pid_t pid)
{
	ta_cleanup_buf struct ta_buf stat = TA_BUF_INIT;
	const char *p;
	int64_t parent;

	read_proc(pid, "stat", &stat);
	p = strrchr(ta_buf_text(&stat), ')');
	if (!p || strlen(p) < 4)
		return 0;
	p += 4;
	return ta_next_i64(&p, &parent) == 0 ? (pid_t)parent : 0;
}

void ta_caller_peer(struct ta_buf *ret)
{
	const char *own = getenv("SSH_CONNECTION");
	pid_t pid = getppid();

	if (own && *own) {
		add_client(ret, own);
		return;
	}
	for (int i = 0; i < ANCESTORS_MAX && pid > 1; i++, pid = parent_of(pid)) {
		ta_cleanup_buf struct ta_buf environment = TA_BUF_INIT;
		const char *connection;

		read_proc(pid, "environ", &environment);
		connection = find_variable(&environment, "SSH_CONNECTION=");
		if (connection && *connection) {
			add_client(ret, connection);
			return;
		}
	}
}

bool ta_caller_can_be_asked(void)
{
	return isatty(STDIN_FILENO);
}

static volatile sig_atomic_t stop;

/*
 * One byte of the answer. A signal is seen also where it came before we began to wait: they are let in only while ppoll() waits.
 */
static bool read_byte(const sigset_t *old_mask, char *ret)
{
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};

	return !stop && ppoll(&p, 1, NULL, old_mask) == 1 && !stop && read(STDIN_FILENO, ret, 1) == 1;
}

bool ta_caller_agrees(const char *question)
{
	char answer[8] = "", c = 0;
	sigset_t all, old;
	size_t len = 0;

	if (!ta_caller_can_be_asked())
		return false;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	ta_system_write(STDERR_FILENO, question, strlen(question));
	/* The whole line, so that nothing of it is left for the shell; a signal is a no. */
	while (read_byte(&old, &c) && c != '\n')
		if (len < sizeof(answer) - 1)
			answer[len++] = c;
	sigprocmask(SIG_SETMASK, &old, NULL);
	answer[len] = '\0';
	return c == '\n' && (!strcmp(answer, "y") || !strcmp(answer, "Y") || !strcmp(answer, "yes"));
}

static void note(int signal)
{
	stop = signal;
}

const volatile sig_atomic_t *ta_caller_watch_signals(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

	for (size_t i = 0; i < TA_ARRAY_SIZE(signals); i++) {
		struct sigaction old, act = {.sa_handler = note};

		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &act, NULL);
	}
	return &stop;
}
