/*
 * irqbalance is told by its socket what to leave alone: held against a stand-in that answers as the real one does, on a /run of
 * its own.
 */
#include <errno.h>
#include <glob.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "fix/step.h"
#include "host/change.h"
#include "tests/unit/namespace.h"

#define BAN "settings ban irqs "

/* As irqbalance.c does: root alone, one message a connection, a list replaces the one before, which is forgotten. */
static void answer(int fd, char *banned, size_t size)
{
	char buf[500], control[256], reply[1200] = "SLEEP 10 ";
	struct iovec iov = {buf, sizeof(buf) - 1};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(fd, &msg, 0);
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	struct ucred who;

	if (n <= 0 || !c || c->cmsg_type != SCM_CREDENTIALS)
		return;
	memcpy(&who, CMSG_DATA(c), sizeof(who));
	buf[n] = '\0';
	if (who.uid)
		return;
	if (!strncmp(buf, BAN, strlen(BAN)))
		snprintf(banned, size, "%s", strcmp(buf + strlen(BAN), "NONE") ? buf + strlen(BAN) : "");
	if (strcmp(buf, "setup") != 0)
		return;
	for (const char *word = banned; *word; word += strcspn(word, " "), word += *word == ' ')
		snprintf(reply + strlen(reply), sizeof(reply) - strlen(reply), "IRQ %.*s LOAD 0 DIFF 0 CLASS 0 ",
			(int)strcspn(word, " "), word);
	snprintf(reply + strlen(reply), sizeof(reply) - strlen(reply), "BANNED 00000000,00000000");
	(void)!send(fd, reply, strlen(reply), 0);
}

/* A busy one is late, and dies of SIGPIPE if who asked has gone meanwhile. */
static _Noreturn void serve_after(int ready, useconds_t late_us)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int one = 1, listener = socket(AF_UNIX, SOCK_STREAM, 0);
	char banned[512] = "7 3";

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "irqbalance");
	snprintf(addr.sun_path, sizeof(addr.sun_path), "/run/irqbalance/irqbalance%d.sock", (int)getpid());
	setsockopt(listener, SOL_SOCKET, SO_PASSCRED, &one, sizeof(one));
	if (bind(listener, (struct sockaddr *)&addr, sizeof(addr)) < 0 || listen(listener, 5) < 0)
		_exit(1);
	(void)!write(ready, "", 1);
	for (;;) {
		int fd = accept(listener, NULL, NULL);

		usleep(late_us);
		answer(fd, banned, sizeof(banned));
		close(fd);
	}
}

static _Noreturn void serve(int ready)
{
	serve_after(ready, 0);
}

static _Noreturn void serve_late(int ready)
{
	serve_after(ready, 2500000);
}

static void unlink_socket(pid_t pid)
{
	char path[80];

	snprintf(path, sizeof(path), "/run/irqbalance/irqbalance%d.sock", (int)pid);
	assert_int_equal(unlink(path), 0);
}

static pid_t start(void (*server)(int ready))
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid)
		server(ready[1]);
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static void expect_read(struct ta_host *h, const char *want)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_err err = {0};

	assert_int_equal(ta_knob_irqban.read(h, "irqbalance", &text, &err), 0);
	assert_string_equal(ta_buf_text(&text), want);
}

/* One of this machine's own: it runs, and its socket is on another /run. */
static bool one_runs_here(void)
{
	glob_t all;
	bool found = false;

	if (glob("/proc/[0-9]*/comm", 0, NULL, &all))
		return false;
	for (size_t i = 0; i < all.gl_pathc && !found; i++) {
		char comm[16] = "";
		FILE *f = fopen(all.gl_pathv[i], "r");

		if (!f)
			continue;
		found = fread(comm, 1, sizeof(comm) - 1, f) && !strcmp(comm, "irqbalance\n");
		fclose(f);
	}
	globfree(&all);
	return found;
}

static void test_told_and_undone(void **state)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_host *h;
	pid_t pid;

	if (one_runs_here())
		skip();

	if (!namespace_enter())
		skip();
	assert_int_equal(ta_host_live(&h, NULL), 0);
	expect_read(h, "none"); /* nobody who could have been told anything */
	assert_int_equal(mkdir("/run/irqbalance", 0755), 0);
	expect_read(h, "none");
	assert_int_equal(ta_knob_irqban.write(h, "irqbalance", "7", NULL), -ESRCH);
	pid = start(serve);
	expect_read(h, "3 7");
	assert_int_equal(ta_knob_irqban.write(h, "irqbalance", "3 7 24 25", NULL), 0);
	expect_read(h, "3 7 24 25");
	assert_int_equal(ta_knob_irqban.write(h, "irqbalance", "none", NULL), 0);
	expect_read(h, "none");
	unlink_socket(pid);
	assert_int_equal(ta_knob_irqban.read(h, "irqbalance", &text, NULL), -ENOENT);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	expect_read(h, "none");
	ta_host_free(h);
}

/* It would die if we went before it has answered. */
static void test_waited_for(void **state)
{
	struct ta_host *h;
	pid_t pid;
	int status;

	if (!namespace_enter())
		skip();
	assert_int_equal(ta_host_live(&h, NULL), 0);
	assert_int_equal(mkdir("/run/irqbalance", 0755), 0);
	pid = start(serve_late);
	expect_read(h, "3 7");
	expect_read(h, "3 7");
	assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	ta_host_free(h);
}

static void expect_join(const char *before, const char *wish, const char *want)
{
	ta_cleanup_buf struct ta_buf both = TA_BUF_INIT;

	assert_int_equal(ta_knob_irqban.join(before, wish, &both), 0);
	assert_string_equal(ta_buf_text(&both), want);
}

static void test_lists(void **state)
{
	static const char *const bad[] = {"", " ", "1 ", "2 1", "1 1", "01", "1,2", "-1", "1\n2", "all", "NONE", "$(id)"};
	ta_cleanup_buf struct ta_buf many = TA_BUF_INIT, both = TA_BUF_INIT;

	expect_join("none", "25 24", "24 25");
	expect_join("7 30", "24 7", "7 24 30");
	expect_join("7 30", "none", "7 30");
	expect_join("none", "none", "none");
	assert_int_equal(ta_knob_irqban.join("7", "x", &both), -EINVAL);
	assert_int_equal(ta_knob_check("irqban", "irqbalance", "7 24", TA_VALUE_WISHED, NULL), 0);
	assert_int_equal(ta_knob_check("irqban", "irqbalance", "none", TA_VALUE_FOUND, NULL), 0);
	assert_int_equal(ta_knob_check("irqban", "tuned", "7", TA_VALUE_WISHED, NULL), -EPERM);
	for (size_t i = 0; i < TA_ARRAY_SIZE(bad); i++)
		assert_int_equal(ta_knob_check("irqban", "irqbalance", bad[i], TA_VALUE_FOUND, NULL), -EINVAL);
	for (unsigned i = 100; i < 170; i++)
		ta_buf_printf(&many, "%s%u", many.len ? " " : "", i);
	assert_int_equal(ta_knob_check("irqban", "irqbalance", ta_buf_text(&many), TA_VALUE_WISHED, NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_told_and_undone),
		cmocka_unit_test(test_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
