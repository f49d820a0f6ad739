/*
 * Questions that may kill: asked in a child process, which leaves one answer
 * after the other in memory that it shares with us. In the good case one child serves the
 * whole batch. When it dies or hangs, the question that it was at has its answer, and a new
 * child goes on with the next.
 *
 * The child borrows our memory until it ends (vfork), since copying our page tables
 * would cost more than all questions. So a question uses its own stack and system calls, and
 * leaves nothing of ours changed; what it changes of itself (descriptors, signals, limits) is
 * the child's alone.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
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

/* Shared with the child: an answer counts once `known` says so. */
struct answers {
	_Atomic size_t known;
	struct ta_try_result v[];
};

/* A second for each: the alarm ends a child that hangs, for we sleep until it ends. */
static void answer_all(const struct ta_try *tries, size_t n, struct answers *answers)
{
	const struct itimerval second = {.it_value.tv_sec = TRY_MS / 1000};

	for (size_t i = 0; i < n; i++) {
		struct ta_try_result result = {0};

		setitimer(ITIMER_REAL, &second, NULL);
		result.rc = tries[i].fn(result.text, sizeof(result.text));
		answers->v[i] = result;
		answers->known = i + 1;
	}
	_exit(0);
}

/* How the child ended (as of wait(2)), or -errno. */
static int run_to_end(const struct ta_try *tries, size_t n, struct answers *answers)
{
	pid_t parent = getpid(), pid = vfork(), got;
	int status = 0;

	if (pid == 0) {
		ta_child_prepare(parent);
		answer_all(tries, n, answers);
	}
	if (pid < 0)
		return -errno;
	do
		got = waitpid(pid, &status, 0);
	while (got < 0 && errno == EINTR);
	return got < 0 ? 0 : status;
}

/* What it means that no answer came. */
static void explain(int status, struct ta_try_result *ret)
{
	*ret = (struct ta_try_result){.rc = -EIO};
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
		ret->rc = -ETIMEDOUT;
		snprintf(ret->text, sizeof(ret->text), "no answer within %d ms", TRY_MS);
	} else if (WIFSIGNALED(status)) {
		ret->rc = -EPERM;
		snprintf(ret->text, sizeof(ret->text), "killed by signal %d%s", WTERMSIG(status),
			WTERMSIG(status) == SIGSYS ? " (SIGSYS: a seccomp filter forbids the call)" : "");
	} else {
		snprintf(ret->text, sizeof(ret->text), "ended with status %d before it answered",
			WEXITSTATUS(status));
	}
}

/* Asks with one child; the number of results that are known then, at least one, or -errno. */
static ssize_t run_child(const struct ta_try *tries, size_t n, struct answers *answers, struct ta_try_result *results)
{
	size_t known;
	int status;

	answers->known = 0;
	status = run_to_end(tries, n, answers);
	if (status < 0)
		return status;
	known = answers->known;
	for (size_t i = 0; i < known; i++) {
		results[i] = answers->v[i];
		results[i].text[sizeof(results[i].text) - 1] = '\0';
	}
	if (known < n)
		explain(status, &results[known++]);
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
