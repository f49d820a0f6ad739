/* Listening sockets: one reply, one line, and the owners of sockets in a small /proc. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "probe/listen.h"
#include "probe/netns.h"
#include "probe/procscan.h"
#include "tests/unit/tree.h"

struct reply {
	struct nlmsghdr nlh;
	struct inet_diag_msg m;
};

static struct reply reply_of(uint8_t family, uint8_t state, uint16_t port)
{
	return (struct reply){
		.nlh = {.nlmsg_len = sizeof(struct reply), .nlmsg_type = SOCK_DIAG_BY_FAMILY},
		.m = {.idiag_family = family, .idiag_state = state, .idiag_rqueue = 3,
			.idiag_wqueue = 511, .idiag_inode = 4242,
			.id = {.idiag_sport = htons(port), .idiag_if = 7}},
	};
}

static void one_reply(void **state)
{
	struct reply r = reply_of(AF_INET, TCP_LISTEN, 8080);
	struct ta_listener l;

	r.m.id.idiag_src[0] = htonl(0x7f000001);
	r.m.id.idiag_src[1] = 0xffffffff; /* not of an IPv4 address */
	assert_int_equal(ta_listener_of_diag(&r.nlh, &l), 0);
	assert_true(l.port == 8080 && l.backlog == 511 && l.queued == 3 && l.inode == 4242);
	assert_true(l.ifindex == 7 && l.addr[0] == 127 && l.addr[3] == 1 && l.addr[4] == 0);
	assert_true(ta_listener_loopback(&l));

	r = reply_of(AF_INET6, TCP_LISTEN, 1);
	r.m.id.idiag_src[3] = htonl(1);
	assert_int_equal(ta_listener_of_diag(&r.nlh, &l), 0);
	assert_true(ta_listener_loopback(&l));

	r = reply_of(AF_INET, TCP_ESTABLISHED, 1);
	assert_int_equal(ta_listener_of_diag(&r.nlh, &l), -ENOENT);
	r = reply_of(AF_UNIX, TCP_LISTEN, 1);
	assert_int_equal(ta_listener_of_diag(&r.nlh, &l), -EBADMSG);
	r = reply_of(AF_INET, TCP_LISTEN, 1);
	r.nlh.nlmsg_len--;
	assert_int_equal(ta_listener_of_diag(&r.nlh, &l), -EBADMSG);
	r = reply_of(AF_INET, TCP_LISTEN, 1);
	r.nlh.nlmsg_type++;
	assert_int_equal(ta_listener_of_diag(&r.nlh, &l), -EBADMSG);
}

#define TAIL " 00:00000000 00000000  1000        0 98765 1 0000000000000000 100 0 0 10 0"

static void one_line(void **state)
{
	struct ta_listener l;

	assert_int_equal(ta_listener_of_proc("   0: 0100007F:1F90 00000000:0000 0A 00000000:00000002" TAIL,
				 false, &l), 0);
	assert_true(l.family == AF_INET && l.port == 8080 && l.queued == 2 && l.inode == 98765);
	assert_true(l.addr[0] == 127 && l.addr[3] == 1);
	assert_int_equal(ta_listener_of_proc("   0: 7F000001:1F90 00000000:0000 0A 00000000:00000002" TAIL,
				 true, &l), 0);
	assert_true(l.addr[0] == 127 && l.addr[3] == 1);
	assert_int_equal(ta_listener_of_proc("12345: 00000000000000000000000001000000:0016 "
					     "00000000000000000000000000000000:0000 0A 00000000:00000000" TAIL,
				 false, &l), 0);
	assert_true(l.family == AF_INET6 && l.port == 22 && ta_listener_loopback(&l));
	assert_int_equal(ta_listener_of_proc("   0: 0100007F:1F90 0100007F:1234 01 00000000:00000002" TAIL,
				 false, &l), -ENOENT);
}

static void broken_lines(void **state)
{
	static const char *const lines[] = {
		"", "   0:", "   0: ", "x: 0100007F:1F90", "   0: 0100007F", "   0: 0100007F:1F90",
		"   0: 0100007G:1F90 00000000:0000 0A 00000000:00000002" TAIL,
		"   0: 0100007F:11F90 00000000:0000 0A 00000000:00000002" TAIL,
		"   0: 0100007F:1F90 00000000:0000 0A 00000000" TAIL,
		"   0: 0100007F:1F90 00000000:0000 0A 00000000:00000002",
		"   0: 0100007F:1F90 00000000:0000 0A 00000000:00000002 00:00000000 00000000  1000 0 x",
	};
	struct ta_listener l;

	for (size_t i = 0; i < TA_ARRAY_SIZE(lines); i++)
		assert_int_equal(ta_listener_of_proc(lines[i], false, &l), -EBADMSG);
}

static void names(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_listener l = {.family = AF_INET, .port = 80, .addr = {10, 0, 0, 1}};

	ta_listener_format(&l, NULL, &b);
	assert_string_equal(ta_buf_text(&b), "tcp 10.0.0.1:80");
	l.family = AF_INET6;
	memcpy(l.addr, (uint8_t[16]){0xfe, 0x80, [15] = 1}, 16);
	ta_buf_reset(&b);
	ta_listener_format(&l, "eth0", &b);
	assert_string_equal(ta_buf_text(&b), "tcp [fe80::1]%eth0:80");
}

/* A capture that tells no backlog: the state before sock_diag, and the first other state ends it. */
static void from_proc(void **state)
{
	ta_cleanup_listeners struct ta_listeners all = {0};
	struct ta_host *h = NULL;
	struct tree t;

	assert_int_equal(tree_make(&t), 0);
	tree_file(&t, "proc/net/tcp",
		"  sl  local_address rem_address   st tx_queue rx_queue …\n"
		"   0: 00000000:0050 00000000:0000 0A 00000000:00000001" TAIL "\n"
		"   1: 00000000:0016 00000000:0000 0A 00000000:00000000" TAIL "\n"
		"   2: 0100007F:1F90 0100007F:1234 01 00000000:00000002" TAIL "\n"
		"nonsense that nobody reads\n");
	assert_int_equal(ta_host_capture(t.dir, &h, NULL), 0);
	assert_int_equal(ta_listeners_read(h, &all), 0);
	assert_int_equal(all.n, 2);
	assert_false(all.has_backlog);
	assert_true(all.no_backlog[0]);
	assert_true(all.v[0].port == 22 && all.v[1].port == 80);
	assert_false(ta_listener_same(&all.v[0], &all.v[1]));

	/* Where none are counted the long table is not read; one that is counted is found. */
	tree_file(&t, "proc/net/sockstat", "sockets: used 9\nTCP: inuse 0 orphan 0 tw 0 alloc 0 mem 0\n");
	assert_int_equal(ta_listeners_read_proc(h, "/proc/net", &all), 0);
	assert_int_equal(all.n, 0);
	tree_file(&t, "proc/net/sockstat", "sockets: used 9\nTCP: inuse 1 orphan 0 tw 0 alloc 0 mem 0\n");
	assert_int_equal(ta_listeners_read_proc(h, "/proc/net", &all), 0);
	assert_int_equal(all.n, 2);
	/* Digits in place of the table are no empty table. */
	tree_file(&t, "proc/net/tcp", "99999\n");
	assert_int_equal(ta_listeners_read_proc(h, "/proc/net", &all), -EBADMSG);
	h = ta_host_free(h);
	tree_remove(&t);
}

/* What a child in another network namespace answers. */
static void from_child(void **state)
{
	static const char whole[] =
		"sysctl net.core.somaxconn 128\n"
		"listen 7 511 3 2 8080 0 7f000001000000000000000000000000\n"
		"listen 8 128 0 10 443 4 20010db8000000000000000000000001\n"
		"listeners whole\n";
	static const char *const bad[] = {
		"listen 7 511 3 2 8080 0 7f0000010000000000000000000000\nlisteners whole\n",
		"listen 7 511 3 2 8080 0 7f00000100000000000000000000000g\nlisteners whole\n",
		"listen 7 511 3 3 8080 0 7f000001000000000000000000000000\nlisteners whole\n",
		"listen 7 511 3 2 65536 0 7f000001000000000000000000000000\nlisteners whole\n",
		"listen 7 511 3 2 8080 4294967296 7f000001000000000000000000000000\nlisteners whole\n",
		"listen 7 511\nlisteners whole\n",
	};
	ta_cleanup_listeners struct ta_listeners l = {0};

	assert_int_equal(ta_netns_listeners(whole, &l), 0);
	assert_int_equal(l.n, 2);
	assert_true(l.v[0].family == AF_INET && l.v[0].port == 8080 && l.v[0].inode == 7 && l.v[0].backlog == 511 &&
		    l.v[0].queued == 3 && l.v[0].addr[0] == 127 && l.v[0].addr[3] == 1);
	assert_true(l.v[1].family == AF_INET6 && l.v[1].port == 443 && l.v[1].ifindex == 4 && l.v[1].addr[15] == 1);
	/* As earlier versions recorded it: no addresses. */
	assert_int_equal(ta_netns_listeners("listen 7 511 3\n", &l), -ENODATA);
	assert_int_equal(ta_netns_listeners("listeners whole\n", &l), 0);
	assert_int_equal(l.n, 0);
	for (size_t i = 0; i < TA_ARRAY_SIZE(bad); i++)
		assert_int_equal(ta_netns_listeners(bad[i], &l), -EBADMSG);
}

static void inodes(void **state)
{
	uint64_t v;

	assert_int_equal(ta_socket_inode("socket:[18446744073709551615]", &v), 0);
	assert_int_equal(v, UINT64_MAX);
	assert_int_equal(ta_socket_inode("socket:[12", &v), -EINVAL);
	assert_int_equal(ta_socket_inode("socket:[]", &v), -EINVAL);
	assert_int_equal(ta_socket_inode("socket:[1]2", &v), -EINVAL);
	assert_int_equal(ta_socket_inode("socket:[184467440737095516160]", &v), -EINVAL);
	assert_int_equal(ta_socket_inode("/dev/null", &v), -EINVAL);
}

static void owners(void **state)
{
	struct ta_socket v[] = {{30, 2}, {10, 0}, {20, 1}};
	struct ta_sockets s = {v, 3};
	struct ta_proc_sockets p;
	struct ta_host *h = NULL;
	char name[64];
	struct tree t;

	ta_sockets_sort(&s);
	assert_int_equal(ta_sockets_find(&s, 20), 1);
	assert_int_equal(ta_sockets_find(&s, 21), -1);
	assert_int_equal(ta_sockets_find(&(struct ta_sockets){0}, 21), -1);

	assert_int_equal(tree_make(&t), 0);
	tree_link(&t, "proc/7/fd/0", "/dev/null");
	tree_link(&t, "proc/7/fd/3", "socket:[20]");
	tree_link(&t, "proc/7/fd/10", "socket:[20]");
	tree_link(&t, "proc/7/fd/11", "socket:[30]");
	tree_link(&t, "proc/8/fd/0", "socket:[99]");
	/* A server with many connections: what is far behind its listeners is not looked for. */
	tree_link(&t, "proc/9/fd/5", "socket:[10]");
	for (int i = 6; i < 400; i++) {
		snprintf(name, sizeof(name), "proc/9/fd/%d", i);
		tree_link(&t, name, i == 399 ? "socket:[20]" : "socket:[77]");
	}
	assert_int_equal(ta_host_capture(t.dir, &h, NULL), 0);
	assert_int_equal(ta_proc_sockets_read(h, "7", &s, &p), 0);
	assert_true(p.n_groups == 2 && p.groups[0] == 1 && p.groups[1] == 2);
	assert_true(p.descriptors == 4 && p.whole);
	assert_int_equal(ta_proc_sockets_read(h, "8", &s, &p), 0);
	assert_int_equal(p.n_groups, 0);
	assert_int_equal(ta_proc_sockets_read(h, "9", &s, &p), 0);
	assert_true(p.n_groups == 1 && p.groups[0] == 0 && p.descriptors == 395 && !p.whole);
	assert_int_equal(ta_proc_sockets_read(h, "10", &s, &p), -ENOENT);
	h = ta_host_free(h);
	tree_remove(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_reply),
		cmocka_unit_test(one_line),
		cmocka_unit_test(broken_lines),
		cmocka_unit_test(names),
		cmocka_unit_test(from_proc),
		cmocka_unit_test(from_child),
		cmocka_unit_test(inodes),
		cmocka_unit_test(owners),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
