/*
 * Questions that may kill: asked in a child process, which leaves one answer
 * after the other in memory that it shares with us. In the good case one fork serves the
 * whole batch, and we are woken once, by its end. When the child dies or hangs, the question
 * that it was at has its answer, and a new child goes on with the next.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/live.h"

#define TRY_MS 1000
#define SLICE_MS 50 /* a new answer is noticed this late; the child's end at once */

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

/* Shared with the child: an answer counts once `known` says so, after it is whole. */
struct answers {
	_Atomic size_t known;
	struct ta_try_result v[];
};

static void answer_all(const struct ta_try *tries, size_t n, struct answers *answers)
{
	for (size_t i = 0; i < n; i++) {
		struct ta_try_result result = {0};

		result.rc = tries[i].fn(result.text, sizeof(result.text));
		answers->v[i] = result;
		answers->known = i + 1;
	}
	_exit(0);
}

/* The child holds the other end of *ret_fd, which so tells its end. */
static int start_child(const struct ta_try *tries, size_t n, struct answers *answers, pid_t *ret_pid, int *ret_fd)
{
	pid_t parent = getpid(), pid;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		ta_child_prepare(parent);
		answer_all(tries, n, answers);
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

/* 0 when the child has ended, -ETIMEDOUT when an answer did not come in time, or another -errno. */
static int wait_for_end(int fd, const struct answers *answers)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	unsigned slices = 0;
	size_t before = 0;

	while (slices < TRY_MS / SLICE_MS) {
		int rc = poll(&p, 1, SLICE_MS);

		if (rc > 0)
			return 0;
		if (rc < 0 && errno != EINTR)
			return -errno;
		slices = answers->known == before ? slices + (rc == 0) : 0;
		before = answers->known;
	}
	return -ETIMEDOUT;
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

/* What it means that no answer came; `rc` as of wait_for_end(). */
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
static ssize_t run_child(const struct ta_try *tries, size_t n, struct answers *answers, struct ta_try_result *results)
{
	int fd = -1, rc, status;
	pid_t pid = -1;
	size_t known;

	answers->known = 0;
	rc = start_child(tries, n, answers, &pid, &fd);
	if (rc < 0)
		return rc;
	rc = wait_for_end(fd, answers);
	if (rc < 0)
		kill(pid, SIGKILL);
	close(fd);
	status = reap(pid);
	known = answers->known;
	for (size_t i = 0; i < known; i++) {
		results[i] = answers->v[i];
		results[i].text[sizeof(results[i].text) - 1] = '\0';
	}
	if (known < n)
		explain(rc, status, &results[known++]);
	return (ssize_t)known;
}

int ta_live_tries(struct ta_host *h, const struct ta_try *tries, size_t n, struct ta_try_result *results)
{
	size_t size = sizeof(struct answers) + n * sizeof(struct ta_try_result);
	struct answers *answers = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ssize_t known = 0;

	if (answers == MAP_FAILED)
		return -errno;
	for (size_t i = 0; i < n && known >= 0; i += (size_t)TA_MAX(known, 0))
		known = run_child(tries + i, n - i, answers, results + i);
	munmap(answers, size);
	return known < 0 ? (int)known : 0;
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
