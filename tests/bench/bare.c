/*
 * The floor of a request over loopback: programs that make the calls of one and nothing else, with the host's congestion control. What
 * they take of wrk's and nginx's CPU time is the kernel's.
 *
 *	bare serve				prints its port; answers each receive with the same reply, until killed
 *	bare ask PORT CONNECTIONS SECONDS	asks on all connections in rounds (src/load/rounds.h), reads without looking; prints
 *						how many were answered
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define EVENTS 512 /* at a time, as nginx */
#define CONNECTIONS_MAX 4096u

/* As long as nginx's reply to `return 200 "tu"`. */
static const char reply[] = "HTTP/1.1 200 OK\r\nServer: bare/1.22.1\r\nDate: Tue, 01 Dec 2026 00:00:00 GMT\r\n"
			    "Content-Type: text/plain\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\ntu";
static const char request[] = "GET / HTTP/1.1\r\nHost: 127.0.0.1:8099\r\n\r\n";

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(1);
}

static int tcp_socket(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;

	if (fd < 0 || setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) < 0)
		die("socket");
	return fd;
}

static struct sockaddr_in loopback(unsigned port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET, .sin_port = htons((unsigned short)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static void watch(int epoll, int fd)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.fd = fd};

	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &ev) < 0)
		die("epoll_ctl");
}

static void answer(int fd)
{
	char buffer[16 << 10];

	if (recv(fd, buffer, sizeof(buffer), 0) <= 0 || send(fd, reply, sizeof(reply) - 1, MSG_NOSIGNAL) < 0)
		close(fd);
}

static _Noreturn void serve(void)
{
	struct sockaddr_in at = loopback(0);
	socklen_t len = sizeof(at);
	int listener = tcp_socket(), epoll = epoll_create1(0);

	if (epoll < 0 || bind(listener, (struct sockaddr *)&at, len) < 0 || listen(listener, CONNECTIONS_MAX) < 0 ||
		getsockname(listener, (struct sockaddr *)&at, &len) < 0)
		die("listen");
	watch(epoll, listener);
	printf("%u\n", ntohs(at.sin_port));
	fflush(stdout);
	for (;;) {
		struct epoll_event events[EVENTS];
		int n = epoll_wait(epoll, events, EVENTS, -1);

		for (int i = 0; i < n; i++) {
			if (events[i].data.fd == listener)
				watch(epoll, accept(listener, NULL, NULL));
			else
				answer(events[i].data.fd);
		}
	}
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int ask(unsigned port, unsigned connections, double seconds)
{
	struct sockaddr_in to = loopback(port);
	int fds[CONNECTIONS_MAX];
	unsigned long answered = 0;
	unsigned first = 0, round = connections * 2 / 3;

	for (unsigned i = 0; i < connections; i++) {
		fds[i] = tcp_socket();
		if (connect(fds[i], (struct sockaddr *)&to, sizeof(to)) < 0 || send(fds[i], request, sizeof(request) - 1, 0) < 0)
			die("connect");
	}
	for (double end = now() + seconds; now() < end; answered += round, first = (first + round) % connections) {
		struct pollfd last = {.fd = fds[(first + round - 1) % connections], .events = POLLIN};
		char buffer[16 << 10];

		poll(&last, 1, -1);
		for (unsigned i = 0; i < round; i++)
			if (recv(fds[(first + i) % connections], buffer, sizeof(buffer), 0) <= 0)
				die("recv");
		for (unsigned i = 0; i < round; i++)
			if (send(fds[(first + i) % connections], request, sizeof(request) - 1, 0) < 0)
				die("send");
	}
	printf("%lu\n", answered);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "serve"))
		serve();
	if (argc == 5 && !strcmp(argv[1], "ask")) {
		unsigned connections = (unsigned)strtoul(argv[3], NULL, 10);

		if (connections >= 2 && connections <= CONNECTIONS_MAX)
			return ask((unsigned)strtoul(argv[2], NULL, 10), connections, strtod(argv[4], NULL));
	}
	fprintf(stderr, "usage: bare serve | bare ask PORT CONNECTIONS SECONDS\n");
	return 2;
}
