#include "load/server.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "load/load.h"
#include "load/pin.h"
#include "load/service.h"

/* What the child says first. */
struct hello {
	int rc;
	struct ta_err err;
	struct sockaddr_storage addr;
	socklen_t addr_len;
};

struct cpu_times {
	uint64_t user_ns, system_ns;
};

static uint64_t ns_of(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * TA_NS_PER_S + (uint64_t)t->tv_usec * 1000;
}

static int write_all(int fd, const void *data, size_t len)
{
	ssize_t n = send(fd, data, len, MSG_NOSIGNAL);

	return n == (ssize_t)len ? 0 : -EIO;
}

#define HELLO_MS 10000
#define ANSWER_MS 2000

/* The messages are small and sent at once; SOCK_SEQPACKET keeps them whole. */
static int read_all(int fd, void *data, size_t len, int ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	if (poll(&p, 1, ms) <= 0)
		return -ETIMEDOUT;
	return recv(fd, data, len, 0) == (ssize_t)len ? 0 : -EIO;
}

/* Answers each byte with the CPU times, until the other end is gone. */
static void answer_parent(int control, const struct ta_service *service, struct ta_served *served)
{
	char question;

	while (recv(control, &question, 1, 0) == 1) {
		struct rusage used;
		struct cpu_times times;

		getrusage(RUSAGE_SELF, &used);
		times = (struct cpu_times){ns_of(&used.ru_utime), ns_of(&used.ru_stime)};
		if (service->times)
			service->times(served, &times.user_ns, &times.system_ns);
		if (write_all(control, &times, sizeof(times)) < 0)
			return;
	}
}

/* What the process that starts it has open is nothing to a server: sessions with other clients, and descriptors that it may have itself. */
static void close_others(int control)
{
#ifdef SYS_close_range
	if (control > 3)
		syscall(SYS_close_range, 3u, (unsigned)control - 1, 0u);
	syscall(SYS_close_range, (unsigned)control + 1, 1023u, 0u);
#endif
}

static _Noreturn void child_main(const struct ta_server_options *o, int control, pid_t parent)
{
	struct hello hello = {0};
	struct ta_served served;

	/* A terminal's Ctrl-C is for the parent, which then ends this one. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	close_others(control);
	if (o->pin)
		hello.rc = ta_pin_end(TA_PIN_SERVER, &hello.err);
	if (hello.rc == 0)
		hello.rc = o->service->start(o, &served, &hello.err);
	if (hello.rc == 0) {
		hello.addr = served.addr;
		hello.addr_len = served.addr_len;
	}
	if (write_all(control, &hello, sizeof(hello)) == 0 && hello.rc == 0)
		answer_parent(control, o->service, &served);
	_exit(0);
}

int ta_server_start(const struct ta_server_options *o, struct ta_server *ret, struct ta_err *err)
{
	pid_t parent = getpid();
	struct hello hello;
	int pair[2];
	int rc;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return ta_err_set(err, -errno, "no socket pair: %s", ta_errno_text(-errno));
	ret->pid = fork();
	if (ret->pid == 0) {
		close(pair[0]);
		child_main(o, pair[1], parent);
	}
	rc = -errno;
	close(pair[1]);
	if (ret->pid < 0) {
		close(pair[0]);
		ret->pid = 0; /* kill(-1) would mean everybody */
		return ta_err_set(err, rc, "no process for the server: %s", ta_errno_text(rc));
	}
	ret->control = pair[0];
	rc = read_all(ret->control, &hello, sizeof(hello), HELLO_MS);
	if (rc == 0)
		rc = hello.rc;
	else
		ta_err_set(&hello.err, rc, "the server did not start");
	if (rc < 0) {
		ta_server_stop(ret);
		return ta_err_set(err, rc, "%s", hello.err.text);
	}
	ret->addr = hello.addr;
	ret->addr_len = hello.addr_len;
	return 0;
}

int ta_server_cpu(struct ta_server *s, uint64_t *ret_user, uint64_t *ret_system)
{
	struct cpu_times times;
	int rc = write_all(s->control, "", 1);

	if (rc == 0)
		rc = read_all(s->control, &times, sizeof(times), ANSWER_MS);
	if (rc < 0)
		return rc;
	*ret_user = times.user_ns;
	*ret_system = times.system_ns;
	return 0;
}

void ta_server_stop(struct ta_server *s)
{
	close(s->control);
	kill(s->pid, SIGKILL);
	while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
		;
	s->pid = 0;
}

int ta_server_run(const struct ta_server_options *o, const volatile sig_atomic_t *stop,
	void (*ready)(const struct sockaddr *addr, socklen_t len, void *ctx), void *ctx, struct ta_err *err)
{
	struct ta_served served;
	int rc = o->service->start(o, &served, err);

	if (rc < 0)
		return rc;
	if (ready)
		ready((const struct sockaddr *)&served.addr, served.addr_len, ctx);
	while (!*stop)
		poll(NULL, 0, 200);
	o->service->stop(&served);
	return 0;
}

void ta_server_on_loopback(struct ta_server_options *ret, unsigned port)
{
	struct sockaddr_in *in = (struct sockaddr_in *)&ret->addr;

	*in = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons((uint16_t)port)};
	ret->addr_len = sizeof(*in);
}
