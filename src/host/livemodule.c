#include "host/livemodule.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/live.h"

#define WORDS_MAX 400

static _Noreturn void run(const char *program, const char *name, int words)
{
	char *const env[] = {NULL};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	dup2(words, STDERR_FILENO);
	execve(program, (char *const[]){(char *)"modprobe", (char *)"--", (char *)name, NULL}, env);
	_exit(127);
}

/* What the child said, in one line; to the end of the pipe, so that it never waits for us. */
static void hear(int fd, char (*ret)[WORDS_MAX])
{
	size_t len = 0;
	ssize_t n;
	char c;

	while ((n = read(fd, &c, 1)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0 && len < sizeof(*ret) - 1)
			(*ret)[len++] = (unsigned char)c < ' ' || c == 0x7f ? ' ' : c;
	(*ret)[len] = '\0';
}

static int run_to_end(const char *program, const char *name, struct ta_err *err)
{
	char words[WORDS_MAX];
	int fds[2], status = 0, rc;
	pid_t parent = getpid(), pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return ta_err_set(err, -errno, "%s", ta_errno_text(-errno));
	pid = fork();
	if (pid == 0) {
		ta_child_prepare(parent);
		run(program, name, fds[1]);
	}
	rc = pid < 0 ? -errno : 0;
	close(fds[1]);
	if (rc < 0) {
		close(fds[0]);
		return ta_err_set(err, rc, "%s", ta_errno_text(rc));
	}
	hear(fds[0], &words);
	close(fds[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status == 0)
		return 0;
	return ta_err_set(err, -EIO, "%s", *words ? ta_strip(words) : "modprobe failed");
}

int ta_live_modprobe(struct ta_host *h, const char *name, struct ta_err *err)
{
	static const char *const places[] = {"/usr/sbin/modprobe", "/sbin/modprobe"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(places); i++)
		if (access(places[i], X_OK) == 0)
			return run_to_end(places[i], name, err);
	return ta_err_set(err, -ENOENT, "there is no modprobe(8) on this host");
}
