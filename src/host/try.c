/*
 * Questions that may kill: asked in a child process, which writes one answer
 * after the other into a pipe. In the good case one fork serves the whole batch.
 * When the child dies or hangs, the question that it was at has its answer, and a new
 * child goes on with the next.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host/live.h"

#define TRY_MS 1000

/*
 * The child must die quietly of anything: no handler of ours, no core file, and
 * not outlive us when it hangs.
 */
void ta_child_prepare(pid_t parent)
{
	static const int fatal[] = {
		SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGPIPE, SIGALRM,
		SIGTERM, SIGSYS,
	};
	const struct rlimit none = {0};
	sigset_t empty;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	for (size_t i = 0; i < TA_ARRAY_SIZE(fatal); i++)
		signal(fatal[i], SIG_DFL);
	sigemptyset(&empty);
	sigprocmask(SIG_SETMASK, &empty, NULL);
	setrlimit(RLIMIT_CORE, &none);
}

/* In the child: all answers into `fd`. An answer is below PIPE_BUF, so it comes whole or not at all. */
static void answer_all(const struct ta_try *tries, size_t n, int fd)
{
	for (size_t i = 0; i < n; i++) {
		struct ta_try_result result = {0};

		result.rc = tries[i].fn(result.text, sizeof(result.text));
		if (write(fd, &result, sizeof(result)) != (ssize_t)sizeof(result))
			_exit(1);
	}
	_exit(0);
}

static int start_child(const struct ta_try *tries, size_t n, pid_t *ret_pid, int *ret_fd)
{
	pid_t parent = getpid(), pid;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		ta_child_prepare(parent);
		answer_all(tries, n, fds[1]);
	}
	close(fds[1]);
	if (pid < 0) {
		int rc = -errno;

		close(fds[0]);
		return rc;
	}
	*ret_pid = pid;
	*ret_fd = fds[0];
	return 0;
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The next answer: 1 if there is one, 0 if the child ended, -ETIMEDOUT or another -errno. */
static int next_answer(int fd, struct ta_try_result *ret)
{
	int64_t deadline = now_ms() + TRY_MS, left;
	struct pollfd p = {.fd = fd, .events = POLLIN};
	ssize_t n;
	int rc;

	do {
		left = deadline - now_ms();
		rc = poll(&p, 1, left > 0 ? (int)left : 0);
	} while (rc < 0 && errno == EINTR);
	if (rc <= 0)
		return rc < 0 ? -errno : -ETIMEDOUT;
	do
		n = read(fd, ret, sizeof(*ret));
	while (n < 0 && errno == EINTR);
	if (n == (ssize_t)sizeof(*ret)) {
		ret->text[sizeof(ret->text) - 1] = '\0';
		return 1;
	}
	return n < 0 ? -errno : 0;
}

/* Ends the child and says how it had ended before. */
static int reap(pid_t pid)
{
	int status = 0;
	pid_t got;

	do
		got = waitpid(pid, &status, 0);
	while (got < 0 && errno == EINTR);
	return got < 0 ? 0 : status;
}

/* What it means that no answer came; `rc` as of next_answer(). */
static void explain(int rc, int status, struct ta_try_result *ret)
{
	*ret = (struct ta_try_result){.rc = rc};
	if (rc == -ETIMEDOUT) {
		snprintf(ret->text, sizeof(ret->text), "no answer within %d ms", TRY_MS);
	} else if (rc == 0 && WIFSIGNALED(status)) {
		ret->rc = -EPERM;
		snprintf(ret->text, sizeof(ret->text), "killed by signal %d%s", WTERMSIG(status),
			WTERMSIG(status) == SIGSYS ? " (SIGSYS: a seccomp filter forbids the call)" : "");
	} else if (rc == 0) {
		ret->rc = -EIO;
		snprintf(ret->text, sizeof(ret->text), "ended with status %d before it answered",
			WEXITSTATUS(status));
	}
}

/* Asks with one child; the number of results that are known then, at least one, or -errno. */
static ssize_t run_child(const struct ta_try *tries, size_t n, struct ta_try_result *results)
{
	size_t known = 0;
	int fd = -1, rc = 1, status;
	pid_t pid = -1;

	rc = start_child(tries, n, &pid, &fd);
	if (rc < 0)
		return rc;
	do
		rc = next_answer(fd, &results[known]);
	while (rc > 0 && ++known < n);
	if (rc < 0)
		kill(pid, SIGKILL);
	close(fd);
	status = reap(pid);
	if (rc <= 0)
		explain(rc, status, &results[known++]);
	return (ssize_t)known;
}

int ta_live_tries(struct ta_host *h, const struct ta_try *tries, size_t n, struct ta_try_result *results)
{
	for (size_t i = 0; i < n;) {
		ssize_t known = run_child(tries + i, n - i, results + i);

		if (known < 0)
			return (int)known;
		i += (size_t)known;
	}
	return 0;
}

int ta_host_try(struct ta_host *h, const struct ta_try *tries, size_t n, struct ta_try_result *results)
{
	int rc;

	h->operations++;
	rc = h->ops->tries(h, tries, n, results);
	for (size_t i = 0; rc < 0 && i < n; i++)
		results[i] = (struct ta_try_result){.rc = rc};
	return rc;
}
