/*
 * Listening TCP sockets. sock_diag gives the two numbers that matter, the
 * backlog that listen() got and how many connections wait in it; but the
 * kernel loads tcp_diag for whoever asks (net/core/sock_diag.c), so it is
 * asked only where that is loaded already. /proc/net/tcp needs no module. It
 * lists listeners first (tcp_get_idx() in net/ipv4/tcp_ipv4.c), so reading
 * stops at the first socket of another state: a host may have a million.
 */
#include "probe/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "probe/modules.h"
#include "probe/netcount.h"

#define MOST_LISTENERS 1000000u

void ta_listeners_done(struct ta_listeners *l)
{
	free(l->v);
	*l = (struct ta_listeners){0};
}

int ta_listeners_add(struct ta_listeners *l, const struct ta_listener *one)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 64;
		struct ta_listener *v = reallocarray(l->v, cap, sizeof(*v));

		if (!v || cap > 2 * MOST_LISTENERS) {
			if (!v)
				ta_memory_note_failure();
			l->v = v ?: l->v;
			return -ENOMEM;
		}
		l->v = v;
		l->cap = cap;
	}
	l->v[l->n++] = *one;
	return 0;
}

static int compare(const void *va, const void *vb)
{
	const struct ta_listener *a = va, *b = vb;
	int order;

	if (a->family != b->family)
		return a->family < b->family ? -1 : 1;
	if (a->port != b->port)
		return a->port < b->port ? -1 : 1;
	order = memcmp(a->addr, b->addr, sizeof(a->addr));
	if (order)
		return order;
	if (a->ifindex != b->ifindex)
		return a->ifindex < b->ifindex ? -1 : 1;
	return (a->inode > b->inode) - (a->inode < b->inode);
}

void ta_listeners_sort(struct ta_listeners *l)
{
	if (l->n)
		qsort(l->v, l->n, sizeof(l->v[0]), compare);
}

bool ta_listener_same(const struct ta_listener *a, const struct ta_listener *b)
{
	return a->family == b->family && a->port == b->port && a->ifindex == b->ifindex &&
	       memcmp(a->addr, b->addr, sizeof(a->addr)) == 0;
}

bool ta_listener_loopback(const struct ta_listener *l)
{
	static const uint8_t one[16] = {[15] = 1};
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	if (l->family == AF_INET)
		return l->addr[0] == 127;
	return memcmp(l->addr, one, sizeof(one)) == 0 ||
	       (memcmp(l->addr, mapped, sizeof(mapped)) == 0 && l->addr[12] == 127);
}

void ta_listener_format(const struct ta_listener *l, const char *device, struct ta_buf *b)
{
	char addr[INET6_ADDRSTRLEN] = "?";

	inet_ntop(l->family, l->addr, addr, sizeof(addr));
	ta_buf_printf(b, l->family == AF_INET6 ? "tcp [%s]" : "tcp %s", addr);
	if (device)
		ta_buf_printf(b, "%%%s", device);
	ta_buf_printf(b, ":%u", l->port);
}

/* --- sock_diag ------------------------------------------------------------- */

int ta_listener_of_diag(const struct nlmsghdr *nlh, struct ta_listener *ret)
{
	struct inet_diag_msg m;

	if (nlh->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
		nlh->nlmsg_len < NLMSG_LENGTH(sizeof(struct inet_diag_msg)))
		return -EBADMSG;
	memcpy(&m, NLMSG_DATA(nlh), sizeof(m));
	if (m.idiag_family != AF_INET && m.idiag_family != AF_INET6)
		return -EBADMSG;
	if (m.idiag_state != TCP_LISTEN)
		return -ENOENT;
	*ret = (struct ta_listener){
		.family = m.idiag_family,
		.port = ntohs(m.id.idiag_sport),
		.ifindex = m.id.idiag_if,
		/* Of a listener: sk_max_ack_backlog and sk_ack_backlog (tcp_diag_get_info()). */
		.backlog = m.idiag_wqueue,
		.queued = m.idiag_rqueue,
		.inode = m.idiag_inode,
	};
	memcpy(ret->addr, m.id.idiag_src, m.idiag_family == AF_INET ? 4 : 16);
	return 0;
}

static int add_reply(const struct nlmsghdr *nlh, void *ctx)
{
	struct ta_listener one;
	int rc = ta_listener_of_diag(nlh, &one);

	if (rc == 0)
		rc = ta_listeners_add(ctx, &one);
	return rc == -ENOENT ? 0 : rc;
}

static int by_diag(struct ta_host *h, uint8_t family, const char *key, struct ta_listeners *ret)
{
	struct {
		struct nlmsghdr nlh;
		struct inet_diag_req_v2 r;
	} request = {
		.nlh = {.nlmsg_len = sizeof(request), .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
		.r = {.sdiag_family = family, .sdiag_protocol = IPPROTO_TCP,
			.idiag_states = 1 << TCP_LISTEN},
	};

	return ta_host_netlink(h, NETLINK_SOCK_DIAG, key, &request.nlh, add_reply, ret);
}

/* --- /proc/net/tcp --------------------------------------------------------- */

/* The hexadecimal number at *at, of at most `digits`; moves behind it and the byte `end`. */
static int hex_until(const char **at, char end, size_t digits, uint64_t *ret)
{
	char text[17];
	size_t len = strspn(*at, "0123456789abcdefABCDEF");

	if (len == 0 || len > digits || (*at)[len] != end)
		return -EBADMSG;
	memcpy(text, *at, len);
	text[len] = '\0';
	*at += len + 1;
	return ta_parse_hex(text, ret);
}

/* Addresses are words of 32 bits as the machine that wrote them has them in memory. */
static int proc_address(const char **at, bool big_endian, struct ta_listener *ret)
{
	size_t digits = strspn(*at, "0123456789abcdefABCDEF");

	if (digits != 8 && digits != 32)
		return -EBADMSG;
	ret->family = digits == 8 ? AF_INET : AF_INET6;
	for (size_t i = 0; i < digits / 2; i++) {
		size_t byte = big_endian ? i : (i & ~(size_t)3) + 3 - (i & 3);
		char text[3] = {(*at)[2 * byte], (*at)[2 * byte + 1], '\0'};
		uint64_t v;

		if (ta_parse_hex(text, &v) < 0)
			return -EBADMSG;
		ret->addr[i] = (uint8_t)v;
	}
	*at += digits;
	return 0;
}

int ta_listener_of_proc(const char *line, bool big_endian, struct ta_listener *ret)
{
	struct ta_listener l = {0};
	uint64_t port, state, sent, queued, skip;

	line += strspn(line, " ");
	line += strspn(line, "0123456789");
	if (strncmp(line, ": ", 2) != 0)
		return -EBADMSG;
	line += 2;
	if (proc_address(&line, big_endian, &l) < 0 || *line++ != ':' ||
		hex_until(&line, ' ', 4, &port) < 0)
		return -EBADMSG;
	line += strcspn(line, " ");
	if (*line++ != ' ' || hex_until(&line, ' ', 2, &state) < 0)
		return -EBADMSG;
	if (state != TCP_LISTEN)
		return -ENOENT;
	if (hex_until(&line, ':', 16, &sent) < 0 || hex_until(&line, ' ', 16, &queued) < 0)
		return -EBADMSG;
	/* Behind timer and retransmits stand the user, the timeout and the inode. */
	line += strcspn(line, " ");
	line += strspn(line, " ");
	line += strcspn(line, " ");
	if (ta_next_u64(&line, &skip) < 0 || ta_next_u64(&line, &skip) < 0 ||
		ta_next_u64(&line, &l.inode) < 0)
		return -EBADMSG;
	l.port = (uint16_t)port;
	l.queued = (uint32_t)TA_MIN(queued, UINT32_MAX);
	*ret = l;
	return 0;
}

#define STOP (-ECANCELED)

struct reading {
	struct ta_listeners *to;
	bool header_seen, big_endian;
};

static int add_line(const char *line, size_t len, void *ctx)
{
	struct reading *r = ctx;
	struct ta_listener one;
	int rc;

	if (!r->header_seen) {
		r->header_seen = !strncmp(line + strspn(line, " "), "sl", 2);
		return r->header_seen ? 0 : -EBADMSG;
	}
	rc = ta_listener_of_proc(line, r->big_endian, &one);
	if (rc == 0)
		rc = ta_listeners_add(r->to, &one);
	return rc == -ENOENT ? STOP : rc;
}

static bool is_big_endian(struct ta_host *h)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	return ta_host_read(h, "/sys/kernel/cpu_byteorder", TA_READ_CAP, &text) == 0 &&
	       strncmp(ta_buf_text(&text), "big", 3) == 0;
}

/*
 * True if sockstat counts no socket of that kind. The kernel finds the lines of tcp by walking a table of all
 * namespaces, milliseconds on a large machine (established_get_first in net/ipv4/tcp_ipv4.c); the count is at hand.
 */
static bool has_none(struct ta_host *h, const char *dir, const char *file, const char *group)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int64_t inuse;
	char path[128];

	snprintf(path, sizeof(path), "%.100s/%s", dir, file);
	return ta_host_read(h, path, TA_READ_CAP, &text) == 0 &&
	       ta_sockstat_find(ta_buf_text(&text), group, "inuse", &inuse) == 0 && inuse == 0;
}

bool ta_listeners_none(struct ta_host *h, const char *dir)
{
	return has_none(h, dir, "sockstat", "TCP") && has_none(h, dir, "sockstat6", "TCP6");
}

int ta_listeners_read_proc(struct ta_host *h, const char *dir, struct ta_listeners *ret)
{
	struct reading r = {.to = ret, .big_endian = is_big_endian(h)};
	char file[128];
	int rc = STOP;

	ret->n = 0;
	snprintf(file, sizeof(file), "%.100s/tcp", dir);
	if (!has_none(h, dir, "sockstat", "TCP"))
		rc = ta_host_lines(h, file, add_line, &r);
	if (rc < 0 && rc != STOP)
		return rc;
	r.header_seen = false;
	snprintf(file, sizeof(file), "%.100s/tcp6", dir);
	if (!has_none(h, dir, "sockstat6", "TCP6"))
		rc = ta_host_lines(h, file, add_line, &r);
	/* No such file where IPv6 is off. */
	rc = rc == STOP || rc == -ENOENT ? 0 : rc;
	ta_listeners_sort(ret);
	return rc;
}

static int try_diag(struct ta_host *h, struct ta_listeners *ret)
{
	/* inet_diag serves the family, tcp_diag the protocol: the kernel asks for each in its turn. */
	static const char *const modules[] = {"tcp_diag", "inet_diag"};
	enum ta_module states[TA_ARRAY_SIZE(modules)];
	int rc;

	ta_modules_look(h, modules, TA_ARRAY_SIZE(modules), states);
	for (size_t i = 0; i < TA_ARRAY_SIZE(modules); i++) {
		if (ta_module_safe(states[i]))
			continue;
		ret->no_backlog_rc = -ENODATA;
		snprintf(ret->no_backlog, sizeof(ret->no_backlog),
			states[i] == TA_MODULE_AVAILABLE ? "module %s is not loaded; available"
							 : "whether module %s is loaded is not known",
			modules[i]);
		return -EUNATCH;
	}
	rc = by_diag(h, AF_INET, "sock-diag-tcp4", ret);
	if (rc == 0)
		rc = by_diag(h, AF_INET6, "sock-diag-tcp6", ret);
	/* IPv6 may be off; a torn dump of listeners still has them (they hardly move). */
	if (rc == -ENOENT && ret->n > 0)
		rc = 0;
	ret->no_backlog_rc = rc;
	if (rc < 0)
		snprintf(ret->no_backlog, sizeof(ret->no_backlog), "sock_diag: %s",
			rc == -ENODATA ? "not in this capture" : ta_errno_text(rc));
	return rc;
}

int ta_listeners_read(struct ta_host *h, struct ta_listeners *ret)
{
	int rc;

	ta_listeners_done(ret);
	rc = try_diag(h, ret);
	ret->has_backlog = rc == 0;
	if (rc < 0 && rc != -ENOMEM)
		return ta_listeners_read_proc(h, "/proc/net", ret);
	ta_listeners_sort(ret);
	return rc;
}
