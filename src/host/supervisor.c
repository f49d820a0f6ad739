#include "host/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/num.h"
#include "host/child.h"
#include "host/live.h"

#define WAIT_MS 20000
#define ARGS_MAX 32

/* --- who it is -------------------------------------------------------------------------- */

/* The 22nd word of stat; the name in brackets, the second, may hold anything. */
int ta_process_read(struct ta_host *h, int64_t pid, struct ta_process *ret)
{
	ta_cleanup_buf struct ta_buf stat = TA_BUF_INIT;
	ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;
	char path[40];
	const char *p;
	int rc;

	snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)pid);
	rc = ta_host_read(h, path, 4096, &stat);
	if (rc < 0)
		return rc == -ENOENT ? -ESRCH : rc;
	p = strrchr(ta_buf_text(&stat), ')');
	ta_strv_split(&words, p ? p + 1 : "", " \n");
	if (words.error || words.n < 20)
		return words.error ?: -EBADMSG;
	if (strchr("ZX", *words.v[0]))
		return -ESRCH;
	ret->pid = pid;
	return ta_parse_i64(words.v[19], &ret->start);
}

bool ta_process_lives(struct ta_host *h, const struct ta_process *p)
{
	struct ta_process now;

	return ta_process_read(h, p->pid, &now) == 0 && now.start == p->start;
}

bool ta_process_is_ours(struct ta_host *h, int64_t pid)
{
	ta_cleanup_buf struct ta_buf ours = TA_BUF_INIT, its = TA_BUF_INIT;
	char path[40];

	snprintf(path, sizeof(path), "/proc/%lld/exe", (long long)pid);
	return ta_host_readlink(h, "/proc/self/exe", &ours) == 0 && ta_host_readlink(h, path, &its) == 0 &&
	       !strcmp(ta_buf_text(&ours), ta_buf_text(&its));
}

int ta_process_kill(struct ta_host *h, const struct ta_process *p)
{
	ta_cleanup_fd int fd = (int)syscall(SYS_pidfd_open, (pid_t)p->pid, 0);

	if (fd < 0)
		return -errno;
	/* From here on it is that process or none. */
	if (!ta_process_lives(h, p))
		return -ESRCH;
	return syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) < 0 ? -errno : 0;
}

/* --- a process in its own session ------------------------------------------------------------ */

static int fail(struct ta_err *err, int rc, const char *what, char *words)
{
	return ta_err_set(err, rc, "%s: %s", what, *ta_strip(words) ? ta_strip(words) : ta_errno_text(rc));
}

static void write_word(const char *path, const char *word)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd >= 0) {
		(void)!write(fd, word, strlen(word));
		close(fd);
	}
}

/* Whoever waits for the end of a pipe that we were started with is not to wait for the supervisor. */
static void close_others(void)
{
	long max;

#ifdef SYS_close_range
	if (syscall(SYS_close_range, 3u, ~0u, 0u) == 0)
		return;
#endif
	max = sysconf(_SC_OPEN_MAX);
	for (int fd = 3; fd < TA_MIN(max, 65536L); fd++)
		close(fd);
}

static _Noreturn void become(char *const *argv, int words)
{
	static const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	for (size_t i = 0; i < TA_ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(words, STDOUT_FILENO) < 0 || dup2(words, STDERR_FILENO) < 0 ||
		chdir("/") < 0)
		_exit(126);
	close_others();
	umask(077);
	unsetenv("NOTIFY_SOCKET"); /* of a service that we were called by */
	write_word("/proc/self/oom_score_adj", "-1000");
	execv("/proc/self/exe", argv);
	_exit(127);
}

/* The one between ends at once, so that nobody is waited for as our child. */
static int fork_twice(char *const *argv, int words)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		pid = setsid() < 0 ? -1 : fork();
		if (pid == 0)
			become(argv, words);
		_exit(pid < 0);
	}
	if (pid < 0)
		return -errno;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status ? -EAGAIN : 0;
}

static int start_process(char *const *argv, struct ta_err *err)
{
	char words[TA_CHILD_WORDS_MAX] = "";
	int fds[2], rc;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return ta_err_set(err, -errno, "%s", ta_errno_text(-errno));
	rc = fork_twice(argv, fds[1]);
	close(fds[1]);
	if (rc == 0)
		rc = ta_child_hear(fds[0], WAIT_MS, TA_SUPERVISOR_READY, &words);
	close(fds[0]);
	if (rc == 0 && !strcmp(words, TA_SUPERVISOR_READY))
		return 0;
	return fail(err, rc < 0 ? rc : -EIO, "it does not start", words);
}

/* --- a service of systemd ------------------------------------------------------------------- */

/* Would a service of that systemd see what we see? Of an older kernel, that has not all kinds, those that it has. */
static bool shares_namespaces(struct ta_host *h)
{
	static const char *const kinds[] = {"mnt", "net", "pid", "time", "user", "uts"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(kinds); i++) {
		ta_cleanup_buf struct ta_buf ours = TA_BUF_INIT, its = TA_BUF_INIT;
		char path[40];
		int rc;

		snprintf(path, sizeof(path), "/proc/self/ns/%s", kinds[i]);
		rc = ta_host_readlink(h, path, &ours);
		snprintf(path, sizeof(path), "/proc/1/ns/%s", kinds[i]);
		if (rc == -ENOENT)
			continue;
		if (rc < 0 || ta_host_readlink(h, path, &its) < 0 || strcmp(ta_buf_text(&ours), ta_buf_text(&its)) != 0)
			return false;
	}
	return true;
}

/* sd_booted(3) */
static bool is_booted(void)
{
	struct stat st;

	return lstat("/run/systemd/system", &st) == 0 && S_ISDIR(st.st_mode);
}

/*
 * To its end: for a unit of the type notify that is when the service is ready, or has failed.
 * Nothing of the unit is written to the disk: it goes with a restart of the host, as the change does. Its time is
 * counted by the supervisor itself, since timers of systemd stand still while the host sleeps.
 */
static int start_service(const char *name, const char *self, char *const *args, struct ta_err *err)
{
	static const char *const places[] = {"/usr/bin/systemd-run", "/bin/systemd-run"};
	static const char *const words[] = {"systemd-run", "--quiet", "--collect", "--service-type=notify",
		"--property=NotifyAccess=main", "--property=TimeoutStartSec=10", "--property=TimeoutStopSec=60",
		"--property=Restart=on-failure", "--property=RestartSec=1", "--property=OOMScoreAdjust=-1000",
		"--property=KillMode=process", "--property=UMask=0077", "--description=tuneaudit: undoes what is not confirmed"};
	const char *argv[TA_ARRAY_SIZE(words) + ARGS_MAX + 4];
	ta_cleanup_buf struct ta_buf unit = TA_BUF_INIT;
	char said[TA_CHILD_WORDS_MAX];
	size_t n = TA_ARRAY_SIZE(words);
	int rc;

	memcpy(argv, words, sizeof(words));
	ta_buf_printf(&unit, "--unit=%s", name);
	argv[n++] = ta_buf_text(&unit);
	argv[n++] = "--";
	argv[n++] = self;
	while (*args)
		argv[n++] = *args++;
	argv[n] = NULL;
	for (size_t i = 0; i < TA_ARRAY_SIZE(places); i++) {
		if (access(places[i], X_OK) != 0)
			continue;
		rc = ta_child_run(places[i], (char *const *)argv, WAIT_MS, &said);
		return rc == 0 ? 0 : fail(err, rc, "systemd-run", said);
	}
	return ta_err_set(err, -ENOENT, "there is no systemd-run(1)");
}

/* --- either ---------------------------------------------------------------------------------- */

int ta_supervisor_start(struct ta_host *h, const char *name, const char *const *args, enum ta_supervisor_kind *ret_kind,
	struct ta_err *why_not, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf self = TA_BUF_INIT;
	char *argv[ARGS_MAX + 2] = {(char *)"tuneaudit"};
	size_t n = 1;
	int rc = ta_change_begin(h);

	if (rc < 0)
		return ta_err_set(err, rc, "%s", ta_errno_text(rc));
	while (*args && n <= ARGS_MAX)
		argv[n++] = (char *)*args++;
	if (*args)
		return ta_err_set(err, -E2BIG, "it has too many arguments");
	if (is_booted() && shares_namespaces(h) && ta_host_readlink(h, "/proc/self/exe", &self) == 0) {
		*ret_kind = TA_SUPERVISOR_SERVICE;
		if (start_service(name, ta_buf_text(&self), argv + 1, why_not) == 0)
			return 0;
	}
	*ret_kind = TA_SUPERVISOR_PROCESS;
	return start_process(argv, err);
}

/* --- in the supervisor -------------------------------------------------------------------------- */

/* sd_notify(3) */
static int notify(const char *path, struct ta_err *err)
{
	ta_cleanup_fd int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	size_t len = strlen(path);

	if (fd < 0 || len >= sizeof(to.sun_path))
		return ta_err_set(err, fd < 0 ? -errno : -ENAMETOOLONG, "systemd cannot be told");
	memcpy(to.sun_path, path, len);
	if (*path == '@')
		to.sun_path[0] = '\0';
	if (sendto(fd, "READY=1", 7, MSG_NOSIGNAL, (const struct sockaddr *)&to,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) < 0)
		return ta_err_set(err, -errno, "systemd cannot be told: %s", ta_errno_text(-errno));
	return 0;
}

int ta_supervisor_ready(struct ta_err *err)
{
	const char *socket_path = getenv("NOTIFY_SOCKET");
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), rc = 0;

	/* The program may be on a disk behind the network that was cut. Not what comes: that could be refused later. */
	mlockall(MCL_CURRENT);
	if (socket_path && *socket_path)
		rc = notify(socket_path, err);
	else if (write(STDOUT_FILENO, TA_SUPERVISOR_READY, strlen(TA_SUPERVISOR_READY)) < 0)
		rc = ta_err_set(err, -errno, "nobody waits for it");
	if (null >= 0) {
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		close(null);
	}
	return rc;
}
