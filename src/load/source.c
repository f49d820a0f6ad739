#include "load/source.h"

#include <errno.h>
#include <netinet/in.h>
#include <unistd.h>

#ifndef IP_BIND_ADDRESS_NO_PORT
#define IP_BIND_ADDRESS_NO_PORT 24 /* linux/in.h; musl has it since 1.1.13 */
#endif

#define FIRST_SOURCE 0x7f010001u /* 127.1.0.1: whoever listens at 127.0.0.x is not met */

/* The port is chosen by connect(), for this destination: bind() would take one for all. */
static int bind_source(int fd, unsigned source)
{
	const struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(FIRST_SOURCE + source - 1)};
	int one = 1;

	setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof(one));
	return bind(fd, (const struct sockaddr *)&from, sizeof(from)) < 0 ? -errno : 0;
}

int ta_source_connect(const struct sockaddr *to, socklen_t len, unsigned source, bool reset)
{
	const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
	int fd = socket(to->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), rc = 0;

	if (fd < 0)
		return -errno;
	if (reset)
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	if (source)
		rc = bind_source(fd, source);
	if (rc == 0 && connect(fd, to, len) < 0 && errno != EINPROGRESS)
		rc = -errno;
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}

/*
 * On loopback the handshake is over when connect() returns, which nonetheless says EINPROGRESS. Asked again it says 0 once, and
 * later EISCONN (inet_stream_connect in net/ipv4/af_inet.c).
 */
int ta_source_connected(int fd, const struct sockaddr *to, socklen_t len)
{
	if (connect(fd, to, len) == 0 || errno == EISCONN)
		return 0;
	return errno == EALREADY || errno == EINPROGRESS ? -EINPROGRESS : -errno;
}

bool ta_source_is_many(const struct sockaddr *to)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)to;

	return to->sa_family == AF_INET && ntohl(in->sin_addr.s_addr) >> 24 == 127;
}
