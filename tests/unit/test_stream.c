/* Stream runs: the lines that both ends say, what is counted of datagrams, and datagrams through the kernel. */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "load/run.h"
#include "load/stream/datagram.h"
#include "tests/unit/seccomp.h"

static const struct {
	const char *line;
	int rc;
	struct ta_stream_order want;
} orders[] = {
	{"SEND", 0, {.kind = TA_STREAM_SEND}},
	{"DISCARD", 0, {.kind = TA_STREAM_DISCARD}},
	{"RECEIVE", 0, {.kind = TA_STREAM_RECEIVE}},
	{"BOTH", 0, {.kind = TA_STREAM_BOTH}},
	{"DATAGRAMS SEND 1448 0 1", 0, {TA_STREAM_DATAGRAMS, false, 1448, 0, true}},
	{"DATAGRAMS RECEIVE 32 100000000 0", 0, {TA_STREAM_DATAGRAMS, true, 32, 100000000, false}},
	{"", -EINVAL, {0}},
	{"SENDX", -EINVAL, {0}},
	{"send", -EINVAL, {0}},
	{"DATAGRAMS", -EINVAL, {0}},
	{"DATAGRAMS SEND", -EINVAL, {0}},
	{"DATAGRAMS BOTH 1448 0 1", -EINVAL, {0}},
	{"DATAGRAMS SEND 31 0 1", -EINVAL, {0}},
	{"DATAGRAMS SEND 8973 0 1", -EINVAL, {0}},
	{"DATAGRAMS SEND 1448 100000001 1", -EINVAL, {0}},
	{"DATAGRAMS SEND 1448 0 2", -EINVAL, {0}},
	{"DATAGRAMS SEND 1448 0", -EINVAL, {0}},
	{"DATAGRAMS SEND 1448 0 1 1", -EINVAL, {0}},
	{"DATAGRAMS SEND -1 0 1", -EINVAL, {0}},
	{"DATAGRAMS SEND 1448  0 1", -EINVAL, {0}},
	{"DATAGRAMS SEND 99999999999999999999 0 1", -EINVAL, {0}},
};

static void orders_are_read(void **state)
{
	for (size_t i = 0; i < TA_ARRAY_SIZE(orders); i++) {
		ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
		struct ta_stream_order o;

		if (ta_stream_order_read(orders[i].line, &o) != orders[i].rc)
			fail_msg("'%s'", orders[i].line);
		if (orders[i].rc)
			continue;
		assert_int_equal(o.kind, orders[i].want.kind);
		assert_int_equal(o.bytes, orders[i].want.bytes);
		assert_int_equal(o.rate, orders[i].want.rate);
		assert_int_equal(o.to_client, orders[i].want.to_client);
		assert_int_equal(o.segments, orders[i].want.segments);
		ta_stream_order_print(&o, &b);
		assert_int_equal(b.len, strlen(orders[i].line) + 1);
		assert_memory_equal(b.data, orders[i].line, b.len - 1);
	}
}

static void answers_are_read(void **state)
{
	static const char *const bad[] = {"", "PORT", "PORT 0 TOKEN 0123456789abcdef SEGMENTS 0", "PORT 65536 TOKEN 0123456789abcdef SEGMENTS 0",
		"PORT 1 TOKEN 0123456789abcde SEGMENTS 0", "PORT 1 TOKEN 0123456789abcdeg SEGMENTS 0",
		"PORT 1 TOKEN 0123456789abcdef SEGMENTS 2", "PORT 1 TOKEN 0123456789abcdef SEGMENTS 00", "PORT  1 TOKEN 0123456789abcdef SEGMENTS 0"};
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_stream_offer offer;
	struct ta_stream_report report;
	uint64_t n;

	ta_stream_offer_print(&(struct ta_stream_offer){65535, 0xfedcba9876543210, true}, &b);
	b.data[b.len - 1] = '\0';
	assert_int_equal(ta_stream_offer_read(b.data, &offer), 0);
	assert_true(offer.port == 65535 && offer.token == 0xfedcba9876543210 && offer.segments);
	for (size_t i = 0; i < TA_ARRAY_SIZE(bad); i++)
		if (ta_stream_offer_read(bad[i], &offer) != -EINVAL)
			fail_msg("'%s'", bad[i]);
	ta_buf_reset(&b);
	ta_stream_report_print(&(struct ta_stream_report){1, UINT64_MAX, 3, 4, 5}, &b);
	b.data[b.len - 1] = '\0';
	assert_int_equal(ta_stream_report_read(b.data, &report), 0);
	assert_true(report.packets == 1 && report.bytes == UINT64_MAX && report.duplicates == 3 && report.reordered == 4 && report.jitter_ns == 5);
	assert_int_equal(ta_stream_report_read("GOT 1 2 3 4", &report), -EINVAL);
	assert_int_equal(ta_stream_report_read("GOT 1 2 3 4 5 6", &report), -EINVAL);
	assert_int_equal(ta_stream_report_read("GOT 1 2 3 4 x", &report), -EINVAL);
	assert_int_equal(ta_stream_number_read("SENT 12", "SENT", &n), 0);
	assert_int_equal(n, 12);
	assert_int_equal(ta_stream_number_read("SENT", "SENT", &n), -EINVAL);
	assert_int_equal(ta_stream_number_read("END 12", "SENT", &n), -EINVAL);
}

/* --- arrivals ----------------------------------------------------------------------- */

static uint64_t seed = 1;

static unsigned any(unsigned below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % below;
}

/* Numbers, some left out, some twice, some moved: held against counting them one by one. */
static void arrivals_are_counted(void **state)
{
	enum { N = 3000 };
	static uint64_t order[2 * N];
	static bool came[N];

	for (unsigned round = 0; round < 200; round++) {
		struct ta_arrivals *a = calloc(1, sizeof(*a));
		struct ta_stream_report want = {0}, got;
		uint64_t highest = 0;
		unsigned n = 0;

		memset(came, 0, sizeof(came));
		for (unsigned i = 0; i < N; i++) {
			if (any(10))
				order[n++] = i;
			if (!any(20))
				order[n++] = i;
		}
		for (unsigned i = 0; i < n / 10; i++) {
			unsigned x = any(n), y = TA_MIN(x + any(30), n - 1);
			uint64_t t = order[x];

			order[x] = order[y];
			order[y] = t;
		}
		for (unsigned i = 0; i < n; i++) {
			if (came[order[i]]) {
				want.duplicates++;
			} else {
				want.packets++;
				want.bytes += 100;
				want.reordered += i && order[i] < highest;
			}
			came[order[i]] = true;
			highest = TA_MAX(highest, order[i]);
			ta_arrivals_add(a, order[i], i * 1000, i * 1000 + 5, 100);
		}
		ta_arrivals_report(a, &got);
		assert_int_equal(got.packets, want.packets);
		assert_int_equal(got.bytes, want.bytes);
		assert_int_equal(got.duplicates, want.duplicates);
		assert_int_equal(got.reordered, want.reordered);
		assert_int_equal(got.jitter_ns, 0); /* all took as long */
		free(a);
	}
}

/* RFC 3550: J += (|D| - J) / 16. Transit times that go back and forth by 16 us end at 16 us. */
static void jitter_is_that_of_rfc_3550(void **state)
{
	struct ta_arrivals *a = calloc(1, sizeof(*a));
	struct ta_stream_report r;

	ta_arrivals_add(a, 0, 0, 1000000, 1);
	ta_arrivals_add(a, 1, 0, 1016000, 1);
	ta_arrivals_report(a, &r);
	assert_int_equal(r.jitter_ns, 1000);
	ta_arrivals_add(a, 2, 0, 1000000, 1);
	ta_arrivals_report(a, &r);
	assert_int_equal(r.jitter_ns, 1937); /* 1000 + (16000 - 1000) / 16 */
	for (unsigned i = 3; i < 400; i++)
		ta_arrivals_add(a, i, 0, i % 2 ? 1016000 : 1000000, 1);
	ta_arrivals_report(a, &r);
	assert_in_range(r.jitter_ns, 15990, 16000);
	free(a);
}

static void far_numbers_do_no_harm(void **state)
{
	struct ta_arrivals *a = calloc(1, sizeof(*a));
	struct ta_stream_report r;

	ta_arrivals_add(a, UINT64_MAX, 0, 0, 1);
	ta_arrivals_add(a, 0, 0, 0, 1);
	ta_arrivals_add(a, UINT64_MAX - 1, 0, 0, 1);
	ta_arrivals_add(a, UINT64_MAX - 1, 0, 0, 1);
	ta_arrivals_report(a, &r);
	assert_int_equal(r.packets, 3);
	assert_int_equal(r.reordered, 2);
	assert_int_equal(r.duplicates, 1);
	free(a);
}

/* --- datagrams ------------------------------------------------------------------------ */

static int udp(struct sockaddr_in *ret)
{
	struct sockaddr_in addr = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(addr);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), size = 4 << 20;

	assert_true(fd >= 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&addr, &len), 0);
	*ret = addr;
	return fd;
}

static void *send_main(void *arg)
{
	ta_datagram_send(arg);
	return NULL;
}

/* 1000 a second for a fifth of one, whole or cut and joined by the kernel: all arrive, once, in order. Others' do not count. */
static void datagrams_arrive(bool segments)
{
	struct sockaddr_in to, from;
	int in_fd = udp(&to), out_fd = udp(&from), other_fd = udp(&from);
	bool cut = segments && ta_datagram_segments(out_fd, 500) == 0, joined = segments && ta_datagram_join(in_fd) == 0;
	struct ta_datagram_out out = {.fd = out_fd, .token = 0x1122334455667788, .bytes = 500, .rate = 1000, .segments = cut};
	struct ta_datagram_in *in = ta_datagram_in_new(in_fd, out.token, joined);
	struct ta_stream_head wrong = {.token = htobe64(1), .counts = htobe32(1)};
	struct ta_stream_report r;
	pthread_t thread;

	assert_int_equal(connect(out_fd, (struct sockaddr *)&to, sizeof(to)), 0);
	assert_int_equal(sendto(other_fd, &wrong, sizeof(wrong), 0, (struct sockaddr *)&to, sizeof(to)), sizeof(wrong));
	assert_int_equal(sendto(other_fd, "x", 1, 0, (struct sockaddr *)&to, sizeof(to)), 1);
	assert_int_equal(pthread_create(&thread, NULL, send_main, &out), 0);
	for (unsigned i = 0; i < 5; i++)
		ta_datagram_receive(in, 20);
	atomic_store(&out.counts, true);
	while (atomic_load(&out.sent) < 200)
		ta_datagram_receive(in, 20);
	atomic_store(&out.ending, true);
	pthread_join(thread, NULL);
	while (ta_datagram_receive(in, 50) > 0)
		;
	ta_datagram_report(in, &r);
	assert_int_equal(atomic_load(&out.error), 0);
	assert_int_equal(r.packets, atomic_load(&out.sent));
	assert_int_equal(r.bytes, r.packets * 500);
	assert_int_equal(r.duplicates + r.reordered, 0);
	ta_datagram_in_free(in);
	close(in_fd);
	close(out_fd);
	close(other_fd);
}

static void datagrams_arrive_whole(void **state)
{
	datagrams_arrive(false);
}

static void datagrams_are_cut_and_joined(void **state)
{
	datagrams_arrive(true);
}

/* --- a kernel without GSO and GRO -------------------------------------------------------- */

extern const struct ta_workload ta_workload_stream;

/* setsockopt(2) of UDP_SEGMENT (103) and UDP_GRO (104) at the level of UDP (17) fails as it does before Linux 4.18. */
static int forbid_segments(void)
{
	const uint32_t level = offsetof(struct seccomp_data, args[1]), name = offsetof(struct seccomp_data, args[2]);
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_setsockopt, 0, 6),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, level),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 17, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, name),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 103, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 104, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOPROTOOPT),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = TA_ARRAY_SIZE(filter), .filter = filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		return -errno;
	return 0;
}

static const char *figure(const struct ta_load_result *r, const char *key)
{
	for (size_t i = 0; i < r->figures.n; i++)
		if (!strcmp(r->figures.v[i].key, key))
			return r->figures.v[i].text;
	return "";
}

/* 0, or the number of what is not as it should be. */
static int run_without_segments(bool down)
{
	static const volatile sig_atomic_t stop;
	static const unsigned streams = 1;
	const struct ta_load_options o = {.workload = &ta_workload_stream, .sweep = &streams, .n_sweep = 1, .repeats = 1, .pipeline = 1,
		.rate = 2000, .duration_ns = 100 * TA_NS_PER_MS, .timeout_ns = 5 * TA_NS_PER_S, .stop = &stop,
		.stream = {.udp = true, .datagram_bytes = 100, .direction = down ? TA_STREAM_DOWN : TA_STREAM_UP}};
	struct ta_load_result r;
	struct ta_host *h;
	struct ta_err err;

	if (ta_host_live(&h, &err) < 0 || forbid_segments() < 0)
		return 1;
	if (ta_load_run(h, &o, &r, &err) < 0)
		return 2;
	if (!strstr(figure(&r, "gso_missing"), "UDP_SEGMENT") || !strstr(figure(&r, "gro_missing"), "UDP_GRO"))
		return 3;
	if (r.figures.n_tables != 1 || r.figures.tables[0].n_cells != 40)
		return 4;
	/* The fourth line wanted both, has neither, and measured all the same. */
	if (strcmp(r.figures.tables[0].cells[30].text, "none") || strcmp(r.figures.tables[0].cells[31].text, "none") ||
		!(r.figures.tables[0].cells[33].value > 0))
		return 5;
	return ta_load_counts_errors(&r.failures) ? 6 : 0;
}

static void what_a_kernel_lacks_is_told(void **state)
{
	if (getenv("TA_VALGRIND")) /* its own system calls are not in the filter */
		skip();
	for (int down = 0; down < 2; down++) {
		int status;
		pid_t pid = fork();

		if (pid == 0)
			_exit(run_without_segments(down));
		assert_true(pid > 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_are_read),
		cmocka_unit_test(answers_are_read),
		cmocka_unit_test(arrivals_are_counted),
		cmocka_unit_test(jitter_is_that_of_rfc_3550),
		cmocka_unit_test(far_numbers_do_no_harm),
		cmocka_unit_test(datagrams_arrive_whole),
		cmocka_unit_test(datagrams_are_cut_and_joined),
		cmocka_unit_test(what_a_kernel_lacks_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
