/*
 * Which NIC a connection leaves by, from the routing table in /proc, and what that one can carry.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "base/num.h"
#include "load/stream/client.h"

/* The most specific route of IPv4 so far. */
struct route {
	uint32_t to; /* the address, network byte order */
	uint32_t mask;
	bool found;
	char ifname[16];
};

/* "Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT", hex as the CPU has it: net/ipv4/fib_trie.c */
static int route_line(const char *line, size_t len, void *ctx)
{
	struct route *r = ctx;
	size_t n;
	char words[8][16] = {{0}};
	uint64_t destination, mask;

	for (unsigned i = 0; i < TA_ARRAY_SIZE(words); i++) {
		n = strcspn(line, "\t ");
		if (!n || n >= sizeof(words[i]))
			return 0;
		memcpy(words[i], line, n);
		line += n;
		line += strspn(line, "\t ");
	}
	if (ta_parse_hex(words[1], &destination) < 0 || ta_parse_hex(words[7], &mask) < 0 || (r->to & mask) != destination)
		return 0;
	if (r->found && ntohl((uint32_t)mask) <= ntohl(r->mask))
		return 0;
	r->found = true;
	r->mask = (uint32_t)mask;
	memcpy(r->ifname, words[0], sizeof(r->ifname));
	return 0;
}

static int read_number(struct ta_host *h, const char *ifname, const char *file, uint64_t *ret)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT, text = TA_BUF_INIT;
	int rc;

	ta_buf_printf(&path, "/sys/class/net/%s/%s", ifname, file);
	rc = ta_host_read(h, ta_buf_text(&path), 64, &text);
	return rc < 0 ? rc : ta_parse_u64(ta_buf_text(&text), ret);
}

void ta_stream_link_read(struct ta_stage *s, int fd, struct ta_stream_link *ret)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT, text = TA_BUF_INIT;
	struct sockaddr_storage peer;
	socklen_t len = sizeof(peer);
	struct route route = {0};
	struct ta_stream_link l = {0};

	*ret = l;
	if (!strcmp(s->result->path, "loopback") || getpeername(fd, (struct sockaddr *)&peer, &len) < 0 || peer.ss_family != AF_INET)
		return;
	route.to = ((const struct sockaddr_in *)&peer)->sin_addr.s_addr;
	if (ta_host_lines(s->host, "/proc/net/route", route_line, &route) < 0 || !route.found)
		return;
	ta_buf_printf(&path, "/sys/class/net/%s/device/uevent", route.ifname);
	if (ta_host_read(s->host, ta_buf_text(&path), 4096, &text) < 0 || read_number(s->host, route.ifname, "speed", &l.mbit) < 0 ||
		read_number(s->host, route.ifname, "mtu", &l.mtu) < 0 || !l.mbit || l.mbit > 10000000 || l.mtu < 576)
		return;
	memcpy(l.name, route.ifname, sizeof(l.name));
	*ret = l;
}

void ta_stream_link_tell(const struct ta_stream_link *l, double bytes_per_second, struct ta_figures *f)
{
	double payload = (double)(l->mtu - 52) / (double)(l->mtu + 38), share = bytes_per_second * 8 / ((double)l->mbit * 1e6 * payload);

	if (!l->name[0])
		return;
	ta_figures_number(f, "link_share", "Of the link", share, "%.1f %% of what %s can carry: %.4g Gbit/s, of which %.2f %% are payload at an MTU of %llu",
		share * 100, l->name, (double)l->mbit / 1000, payload * 100, (unsigned long long)l->mtu);
}
