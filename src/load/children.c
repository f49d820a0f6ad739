#include "load/children.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void raise_descriptors(void)
{
	struct rlimit l = {.rlim_max = 0};

	if (getrlimit(RLIMIT_NOFILE, &l) < 0)
		return;
	l.rlim_cur = l.rlim_max;
	setrlimit(RLIMIT_NOFILE, &l);
}

static _Noreturn void child_main(void (*fn)(void *arg, int control), void *arg, int control, pid_t parent)
{
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	raise_descriptors();
	fn(arg, control);
	_exit(0);
}

int ta_child_start(void (*fn)(void *arg, int control), void *arg, const struct ta_child *others, unsigned n,
	struct ta_child *ret, struct ta_err *err)
{
	pid_t parent = getpid();
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return ta_err_set(err, -errno, "no socket pair: %s", ta_errno_text(-errno));
	*ret = (struct ta_child){.pid = fork(), .control = pair[0]};
	if (ret->pid == 0) {
		close(pair[0]);
		for (unsigned i = 0; i < n; i++)
			if (others[i].control >= 0)
				close(others[i].control);
		child_main(fn, arg, pair[1], parent);
	}
	close(pair[1]);
	if (ret->pid < 0) {
		int rc = -errno;

		close(pair[0]);
		return ta_err_set(err, rc, "no more processes: %s", ta_errno_text(rc));
	}
	return 0;
}

void ta_child_kill(const struct ta_child *c)
{
	if (c->pid > 0)
		kill(c->pid, SIGKILL);
}

void ta_child_end(struct ta_child *c)
{
	if (c->control >= 0)
		close(c->control);
	c->control = -1;
	if (c->pid <= 0)
		return;
	ta_child_kill(c);
	while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
		;
	c->pid = 0;
}
