#include "host/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host/live.h"

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int in_one_line(char *words, int rc)
{
	for (; *words; words++)
		if ((unsigned char)*words < ' ' || *words == 0x7f)
			*words = ' ';
	return rc;
}

int ta_child_hear(int fd, int patience_ms, const char *until, char (*ret)[TA_CHILD_WORDS_MAX])
{
	int64_t end = now_ms() + patience_ms;
	size_t len = 0;

	(*ret)[0] = '\0';
	for (;;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		int64_t left = end - now_ms();
		int ready = left > 0 ? poll(&p, 1, (int)left) : 0;
		ssize_t n;
		char c;

		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0)
			return in_one_line(*ret, -ETIMEDOUT);
		n = read(fd, &c, 1);
		if (n <= 0)
			return in_one_line(*ret, 0);
		/* What is more than fits is read all the same, so that it never waits for us. */
		if (len < sizeof(*ret) - 1)
			(*ret)[len++] = c;
		(*ret)[len] = '\0';
		if (until && !strcmp(*ret, until))
			return 0;
	}
}

static _Noreturn void become(const char *program, char *const *argv, int words)
{
	char *const env[] = {NULL};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	dup2(words, STDERR_FILENO);
	execve(program, argv, env);
	_exit(127);
}

int ta_child_run(const char *program, char *const *argv, int patience_ms, char (*ret_words)[TA_CHILD_WORDS_MAX])
{
	int fds[2], status = 0, rc;
	pid_t parent = getpid(), pid;

	(*ret_words)[0] = '\0';
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid == 0) {
		ta_child_prepare(parent);
		become(program, argv, fds[1]);
	}
	rc = pid < 0 ? -errno : 0;
	close(fds[1]);
	if (rc == 0)
		rc = ta_child_hear(fds[0], patience_ms, NULL, ret_words);
	close(fds[0]);
	if (rc < 0 && pid > 0)
		kill(pid, SIGKILL);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return rc < 0 ? rc : status ? -EIO : 0;
}
