/*
 * A path with a round trip time, where the kernel has no netem: delay MS NS_A NS_B
 *
 * Makes a tun interface (10.9.0.1/24 and 10.9.0.2/24, MTU 9000) in each of two network namespaces, named by files as /proc/PID/ns/net, and
 * carries packets from one to the other, each MS milliseconds after it came. At most 16 MiB are on the way in each
 * direction; what comes beyond that is lost, as in a router. Says "ready" and runs until stdin is closed. See
 * Documentation/networking/tuntap.rst.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define MTU 9000
#define ROOM 4096 /* packets on the way */

struct packet {
	uint64_t due_ns;
	size_t len;
	char *data;
};

struct way {
	int from, to;
	struct packet ring[ROOM];
	size_t first, n;
};

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "delay: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void set(int fd, unsigned long request, struct ifreq *r, const char *what)
{
	if (ioctl(fd, request, r) < 0)
		die(what);
}

static int open_tun(const char *ns, const char *address)
{
	struct ifreq r = {.ifr_flags = IFF_TUN | IFF_NO_PI};
	struct sockaddr_in *in = (struct sockaddr_in *)&r.ifr_addr;
	int home = open(ns, O_RDONLY | O_CLOEXEC), tun, ask;

	if (home < 0 || setns(home, CLONE_NEWNET) < 0)
		die(ns);
	close(home);
	tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (tun < 0)
		die("/dev/net/tun");
	strcpy(r.ifr_name, "path");
	set(tun, TUNSETIFF, &r, "TUNSETIFF");
	ask = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	r.ifr_mtu = MTU;
	set(ask, SIOCSIFMTU, &r, "SIOCSIFMTU");
	memset(in, 0, sizeof(*in));
	in->sin_family = AF_INET;
	inet_pton(AF_INET, address, &in->sin_addr);
	set(ask, SIOCSIFADDR, &r, "SIOCSIFADDR");
	inet_pton(AF_INET, "255.255.255.0", &in->sin_addr);
	set(ask, SIOCSIFNETMASK, &r, "SIOCSIFNETMASK");
	r.ifr_flags = IFF_UP | IFF_RUNNING;
	set(ask, SIOCSIFFLAGS, &r, "SIOCSIFFLAGS");
	close(ask);
	return tun;
}

static void take(struct way *w, uint64_t delay_ns)
{
	char data[MTU + 64];
	ssize_t len;

	while ((len = read(w->from, data, sizeof(data))) > 0) {
		struct packet *p = &w->ring[(w->first + w->n) % ROOM];

		if (w->n == ROOM)
			continue;
		p->due_ns = now_ns() + delay_ns;
		p->len = (size_t)len;
		p->data = malloc(p->len);
		if (!p->data)
			continue;
		memcpy(p->data, data, p->len);
		w->n++;
	}
}

static void give(struct way *w)
{
	while (w->n && w->ring[w->first].due_ns <= now_ns()) {
		struct packet *p = &w->ring[w->first];

		if (write(w->to, p->data, p->len) < 0 && errno != EAGAIN && errno != EINVAL)
			die("write");
		free(p->data);
		w->first = (w->first + 1) % ROOM;
		w->n--;
	}
}

static uint64_t wait_ns(const struct way *ways, uint64_t most)
{
	uint64_t now = now_ns(), until = now + most;

	for (int i = 0; i < 2; i++)
		if (ways[i].n && ways[i].ring[ways[i].first].due_ns < until)
			until = ways[i].ring[ways[i].first].due_ns;
	return until > now ? until - now : 0;
}

int main(int argc, char **argv)
{
	static struct way ways[2];
	uint64_t delay_ns;
	int a, b;

	if (argc != 4) {
		fprintf(stderr, "usage: delay MS NETNS NETNS\n");
		return 2;
	}
	delay_ns = strtoull(argv[1], NULL, 10) * 1000000u;
	a = open_tun(argv[2], "10.9.0.1");
	b = open_tun(argv[3], "10.9.0.2");
	ways[0].from = ways[1].to = a;
	ways[0].to = ways[1].from = b;
	puts("ready");
	fflush(stdout);
	for (;;) {
		struct pollfd p[] = {{.fd = a, .events = POLLIN}, {.fd = b, .events = POLLIN}, {.fd = 0, .events = POLLIN}};
		uint64_t ns = wait_ns(ways, 1000000000u);
		struct timespec t = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};

		if (ppoll(p, 3, &t, NULL) < 0 && errno != EINTR)
			die("poll");
		if (p[2].revents)
			return 0;
		for (int i = 0; i < 2; i++) {
			take(&ways[i], delay_ns);
			give(&ways[i]);
		}
	}
}
