/*
 * Preloaded into the program: what cannot be brought about otherwise.
 *
 *   SHIM_STEP=FILE  while FILE is there the wall clock is a day ahead; CLOCK_BOOTTIME is as it is
 *   SHIM_HANG=N     apply hangs for ever in its N-th fsync()
 *   SHIM_NOFORK=1   there can be no more processes
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int is_apply(void)
{
	char words[4096];
	int fd = open("/proc/self/cmdline", O_RDONLY);
	ssize_t n = read(fd, words, sizeof(words));

	close(fd);
	return n > 0 && memmem(words, (size_t)n, "\0apply", 7) != NULL;
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
	const char *step = getenv("SHIM_STEP");
	int rc = (int)syscall(SYS_clock_gettime, clock, t);

	if (rc == 0 && clock == CLOCK_REALTIME && step && access(step, F_OK) == 0)
		t->tv_sec += 86400;
	return rc;
}

int fsync(int fd)
{
	static int calls;
	const char *n = getenv("SHIM_HANG");

	calls++;
	while (n && calls >= atoi(n) && is_apply())
		pause();
	return (int)syscall(SYS_fsync, fd);
}

pid_t fork(void)
{
	if (getenv("SHIM_NOFORK")) {
		errno = EAGAIN;
		return -1;
	}
	return ((pid_t (*)(void))dlsym(RTLD_NEXT, "fork"))();
}
