/*
 * A classic BPF program of a few comparisons. It runs for each packet that the socket is given: a SYN of somebody else is dropped as
 * if nobody listened. Family and address are read at the network header (SKF_NET_OFF), the version from its first byte:
 * a socket of AF_INET6 may get IPv4.
 */
#include "load/admit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <string.h>

#include "base/macros.h"

#define TAKE 0xffffffffu

static int attach(int fd, struct sock_filter *code, size_t n)
{
	struct sock_fprog program = {.len = (unsigned short)n, .filter = code};

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) < 0 ? -errno : 0;
}

/* IPv4: the source is at 12. */
static int admit_four(int fd, uint32_t address)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, (uint32_t)SKF_NET_OFF),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xf0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x40, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)SKF_NET_OFF + 12),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, address, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, TAKE),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};

	return attach(fd, code, TA_ARRAY_SIZE(code));
}

/* IPv6: the source is at 8, four words. */
static int admit_six(int fd, const struct in6_addr *address)
{
	uint32_t words[4];
	struct sock_filter code[13] = {
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, (uint32_t)SKF_NET_OFF),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xf0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x60, 0, 9),
		[11] = BPF_STMT(BPF_RET | BPF_K, TAKE),
		[12] = BPF_STMT(BPF_RET | BPF_K, 0),
	};

	memcpy(words, address, sizeof(words));
	for (uint32_t i = 0; i < 4; i++) {
		code[3 + 2 * i] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)SKF_NET_OFF + 8 + 4 * i);
		code[4 + 2 * i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ntohl(words[i]), 0, (uint8_t)(7 - 2 * i));
	}
	return attach(fd, code, TA_ARRAY_SIZE(code));
}

int ta_admit_only(int fd, const struct sockaddr_storage *only)
{
	const struct sockaddr_in *four = (const void *)only;
	const struct sockaddr_in6 *six = (const void *)only;
	uint32_t mapped;

	if (only->ss_family == AF_INET)
		return admit_four(fd, ntohl(four->sin_addr.s_addr));
	if (only->ss_family != AF_INET6)
		return only->ss_family ? -EAFNOSUPPORT : 0;
	if (!IN6_IS_ADDR_V4MAPPED(&six->sin6_addr))
		return admit_six(fd, &six->sin6_addr);
	memcpy(&mapped, six->sin6_addr.s6_addr + 12, sizeof(mapped));
	return admit_four(fd, ntohl(mapped));
}
