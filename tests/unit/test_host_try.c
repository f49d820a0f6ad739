/*
 * Questions asked in a child: answers, deaths, hangs.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "host/host.h"
#include "tests/unit/seccomp.h"
#include "tests/unit/tree.h"

static pid_t last_child;

static int try_works(char *text, size_t size)
{
	snprintf(text, size, "pid %d", (int)getpid());
	return 0;
}

static int try_missing(char *text, size_t size)
{
	return -ENOSYS;
}

static int try_killed(char *text, size_t size)
{
	raise(SIGSYS);
	return 0;
}

static int try_crashes(char *text, size_t size)
{
	signal(SIGSEGV, SIG_DFL); /* a sanitizer's handler would print */
	raise(SIGSEGV);
	return 0;
}

static int try_hangs(char *text, size_t size)
{
	while (size)
		pause();
	return 0;
}

static int try_exits(char *text, size_t size)
{
	_exit(3);
}

static int try_fills_text(char *text, size_t size)
{
	memset(text, 'x', size);
	return 0;
}

static int try_forbidden(char *text, size_t size)
{
	int rc = seccomp_forbid(SYS_sched_yield, SECCOMP_RET_KILL_PROCESS);

	if (rc == 0)
		syscall(SYS_sched_yield);
	return rc;
}

static struct ta_host *live(void)
{
	struct ta_host *h = NULL;

	assert_int_equal(ta_host_live(&h, NULL), 0);
	return h;
}

static void test_one_child_in_the_good_case(void **state)
{
	const struct ta_try tries[] = {{"a", try_works}, {"b", try_missing}, {"c", try_works}};
	struct ta_try_result r[3];
	struct ta_host *h = live();
	char self[32];

	snprintf(self, sizeof(self), "pid %d", (int)getpid());
	assert_int_equal(ta_host_try(h, tries, 3, r), 0);
	assert_int_equal(r[0].rc, 0);
	assert_int_equal(r[1].rc, -ENOSYS);
	assert_string_equal(r[1].text, "");
	assert_int_equal(r[2].rc, 0);
	assert_string_equal(r[0].text, r[2].text);
	assert_string_not_equal(r[0].text, self);
	ta_host_free(h);
}

static void test_deaths(void **state)
{
	const struct ta_try tries[] = {
		{"sys", try_killed}, {"a", try_works}, {"segv", try_crashes}, {"exit", try_exits}, {"b", try_works},
	};
	struct ta_try_result r[5];
	struct ta_host *h = live();

	assert_int_equal(ta_host_try(h, tries, 5, r), 0);
	assert_int_equal(r[0].rc, -EPERM);
	assert_string_equal(r[0].text, "killed by signal 31 (SIGSYS: a seccomp filter forbids the call)");
	assert_int_equal(r[1].rc, 0);
	assert_int_equal(r[2].rc, -EPERM);
	assert_string_equal(r[2].text, "killed by signal 11");
	assert_int_equal(r[3].rc, -EIO);
	assert_string_equal(r[3].text, "ended with status 3 before it answered");
	assert_int_equal(r[4].rc, 0);
	assert_string_not_equal(r[1].text, r[4].text);
	ta_host_free(h);
}

/* The caller's handlers and blocked signals are not the child's. */
static void ignore(int sig)
{
}

static void test_signals_of_the_caller(void **state)
{
	const struct ta_try tries[] = {{"sys", try_killed}};
	void (*old)(int) = signal(SIGSYS, ignore);
	struct ta_try_result r[1];
	struct ta_host *h = live();
	sigset_t set, before;

	sigemptyset(&set);
	sigaddset(&set, SIGSYS);
	sigprocmask(SIG_BLOCK, &set, &before);
	assert_int_equal(ta_host_try(h, tries, 1, r), 0);
	assert_int_equal(r[0].rc, -EPERM);
	sigprocmask(SIG_SETMASK, &before, NULL);
	signal(SIGSYS, old);
	ta_host_free(h);
}

/* A real filter, in the child alone. */
static void test_seccomp(void **state)
{
	const struct ta_try tries[] = {{"forbidden", try_forbidden}, {"a", try_works}};
	struct ta_try_result r[2];
	struct ta_host *h = live();

	assert_int_equal(ta_host_try(h, tries, 2, r), 0);
	if (r[0].rc == -EINVAL) /* no filters here */
		skip();
	assert_int_equal(r[0].rc, -EPERM);
	assert_string_equal(r[0].text, "killed by signal 31 (SIGSYS: a seccomp filter forbids the call)");
	assert_int_equal(r[1].rc, 0);
	assert_int_equal(syscall(SYS_sched_yield), 0);
	ta_host_free(h);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void test_hang(void **state)
{
	const struct ta_try tries[] = {{"a", try_works}, {"hang", try_hangs}, {"b", try_works}};
	struct ta_try_result r[3];
	struct ta_host *h = live();
	double start = seconds(), took;

	assert_int_equal(ta_host_try(h, tries, 3, r), 0);
	took = seconds() - start;
	assert_true(took > 0.9 && took < 5);
	assert_int_equal(r[0].rc, 0);
	assert_int_equal(r[1].rc, -ETIMEDOUT);
	assert_string_equal(r[1].text, "no answer within 1000 ms");
	assert_int_equal(r[2].rc, 0);
	/* No child is left behind. */
	last_child = waitpid(-1, NULL, WNOHANG);
	assert_int_equal(last_child, -1);
	assert_int_equal(errno, ECHILD);
	ta_host_free(h);
}

static void test_text_ends(void **state)
{
	const struct ta_try tries[] = {{"a", try_fills_text}};
	struct ta_try_result r[1];
	struct ta_host *h = live();

	assert_int_equal(ta_host_try(h, tries, 1, r), 0);
	assert_int_equal(strlen(r[0].text), sizeof(r[0].text) - 1);
	assert_int_equal(ta_host_try(h, tries, 0, r), 0);
	ta_host_free(h);
}

static void test_capture(void **state)
{
	const struct ta_try tries[] = {{"a", try_works}, {"b", try_works}, {"c", try_works}};
	struct ta_host *h = NULL;
	struct ta_try_result r[3];
	struct tree t;

	assert_int_equal(tree_make(&t), 0);
	tree_file(&t, "calls.json",
		"{\"calls\":{\"try/a\":{\"rc\":0,\"data\":\"6f6b\"},\"try/b\":{\"rc\":\"ENOSYS\"}}}");
	assert_int_equal(ta_host_capture(t.dir, &h, NULL), 0);
	assert_int_equal(ta_host_try(h, tries, 3, r), 0);
	assert_int_equal(r[0].rc, 0);
	assert_string_equal(r[0].text, "ok");
	assert_int_equal(r[1].rc, -ENOSYS);
	assert_string_equal(r[1].text, "");
	assert_int_equal(r[2].rc, -ENODATA);
	ta_host_free(h);
	tree_remove(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_child_in_the_good_case),
		cmocka_unit_test(test_deaths),
		cmocka_unit_test(test_signals_of_the_caller),
		cmocka_unit_test(test_seccomp),
		cmocka_unit_test(test_hang),
		cmocka_unit_test(test_text_ends),
		cmocka_unit_test(test_capture),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
