/* Ways to send a file: each brings the same bytes through a TCP connection, and says what the kernel said of copying. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "load/admit.h"
#include "load/files.h"

#define LARGE ((5ull << 20) + 4097)
#define SMALL 5000ull

static struct ta_files files;
static bool has_disk;

static int listen_on(const char *address, struct sockaddr_in *ret)
{
	socklen_t len = sizeof(*ret);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	*ret = (struct sockaddr_in){.sin_family = AF_INET};
	inet_pton(AF_INET, address, &ret->sin_addr);
	assert_int_equal(bind(fd, (struct sockaddr *)ret, len), 0);
	assert_int_equal(listen(fd, 4), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)ret, &len), 0);
	return fd;
}

struct reader {
	int fd;
	char *data;
	size_t n, room;
};

static void *read_all(void *arg)
{
	struct reader *r = arg;
	ssize_t n;

	while (r->n < r->room && (n = recv(r->fd, r->data + r->n, r->room - r->n, 0)) > 0)
		r->n += (size_t)n;
	return NULL;
}

static void send_one(enum ta_file_way way, struct ta_file *file)
{
	struct sockaddr_in at;
	int listener = listen_on("127.0.0.1", &at);
	struct reader r = {.fd = socket(AF_INET, SOCK_STREAM, 0), .room = file->bytes + 10};
	struct ta_file_sender s;
	struct ta_err err;
	char *wanted = malloc(file->bytes);
	pthread_t thread;

	r.data = malloc(r.room);
	assert_int_equal(connect(r.fd, (struct sockaddr *)&at, sizeof(at)), 0);
	ta_file_sender_init(&s, accept(listener, NULL, NULL), &files);
	if (ta_file_sender_ready(&s, way, &err) < 0) {
		assert_true(way == TA_FILE_ZEROCOPY || way == TA_FILE_SEND_ZC);
		assert_true(err.text[0]);
	} else {
		pthread_create(&thread, NULL, read_all, &r);
		assert_int_equal(ta_file_send(&s, way, file), 0);
		shutdown(s.sock, SHUT_WR);
		pthread_join(thread, NULL);
		assert_int_equal(r.n, file->bytes);
		assert_int_equal(ta_scratch_read(file->fd, wanted, file->bytes, 0), file->bytes);
		assert_memory_equal(r.data, wanted, file->bytes);
		ta_file_settle(&s, 1000);
	}
	close(r.fd);
	ta_file_sender_done(&s);
	close(s.sock);
	close(listener);
	free(r.data);
	free(wanted);
}

static void test_same_bytes(void **state)
{
	if (!has_disk)
		skip();
	for (unsigned way = 0; way < TA_FILE_WAYS; way++) {
		/* valgrind lets no other thread run while io_uring_enter waits: the reader would never read. */
		if (way == TA_FILE_SEND_ZC && getenv("TA_VALGRIND"))
			continue;
		send_one(way, &files.large);
		send_one(way, &files.small[1]);
	}
	/* Loopback copies what was to be sent without copying. */
	if (files.counts[TA_FILE_ZEROCOPY].sends) {
		assert_true(files.counts[TA_FILE_ZEROCOPY].copied >= files.counts[TA_FILE_ZEROCOPY].sends);
		assert_int_equal(files.counts[TA_FILE_ZEROCOPY].direct, 0);
	}
	assert_int_equal(files.counts[TA_FILE_SEND_ZC].direct, 0);
}

/* On a busy machine the kernel is not yet done with what was sent: bytes that are left after at most 10 s. */
static uint64_t drop_patiently(bool small)
{
	uint64_t left = 1;

	for (unsigned i = 0; i < 500 && left; i++) {
		if (i)
			usleep(20000);
		assert_int_equal(ta_files_drop(&files, small, &left), 0);
	}
	return left;
}

/* Also what was mapped and sent is dropped. */
static void test_drop(void **state)
{
	uint64_t cached;

	if (!has_disk)
		skip();
	send_one(TA_FILE_ZEROCOPY, &files.large);
	assert_int_equal(ta_scratch_cached(files.large.fd, LARGE, &cached), 0);
	assert_int_equal(cached, LARGE);
	assert_int_equal(drop_patiently(false), 0);
	assert_int_equal(drop_patiently(true), 0);
}

/* A client that went away ends a send; nothing hangs or is killed by a signal. */
static void test_broken(void **state)
{
	for (unsigned way = 0; has_disk && way < TA_FILE_WAYS; way++) {
		struct sockaddr_in at;
		int listener = listen_on("127.0.0.1", &at), client = socket(AF_INET, SOCK_STREAM, 0);
		const struct linger reset = {1, 0};
		struct ta_file_sender s;

		assert_int_equal(connect(client, (struct sockaddr *)&at, sizeof(at)), 0);
		ta_file_sender_init(&s, accept(listener, NULL, NULL), &files);
		setsockopt(client, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
		if (ta_file_sender_ready(&s, way, NULL) == 0) {
			close(client);
			assert_true(ta_file_send(&s, way, &files.large) < 0);
		}
		ta_file_sender_done(&s);
		close(s.sock);
		close(listener);
	}
}

static void test_limits(void **state)
{
	struct ta_files other;
	struct ta_err err;

	ta_files_init(&other, NULL);
	assert_int_equal(ta_files_make(&other, 0, 1, 1, &err), -EINVAL);
	assert_int_equal(ta_files_make(&other, TA_FILES_LARGE_MAX + 1, 1, 1, &err), -EINVAL);
	assert_int_equal(ta_files_make(&other, 1, TA_FILES_MAX + 1, 1, &err), -EINVAL);
	assert_int_equal(ta_files_make(&other, 1, 1, TA_FILES_SMALL_MAX + 1, &err), -EINVAL);
	assert_int_equal(other.large.fd, -1);
	ta_files_done(&other);
	ta_files_init(&other, "/nonexistent");
	assert_int_equal(ta_files_make(&other, 1, 1, 1, &err), -ENOENT);
	ta_files_done(&other);
}

/* True if a connection from that address of ours comes about. */
static bool can_connect(const char *from, const struct sockaddr_in *to)
{
	struct sockaddr_in at = {.sin_family = AF_INET};
	const struct timeval soon = {.tv_usec = 200000};
	int fd = socket(AF_INET, SOCK_STREAM, 0), rc;

	inet_pton(AF_INET, from, &at.sin_addr);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &soon, sizeof(soon));
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	rc = connect(fd, (const struct sockaddr *)to, sizeof(*to));
	close(fd);
	return rc == 0;
}

static void test_admits_one_address(void **state)
{
	struct sockaddr_storage only = {0};
	struct sockaddr_in to;
	int fd = listen_on("127.0.0.1", &to);

	assert_int_equal(ta_admit_only(fd, &only), 0);
	assert_true(can_connect("127.0.0.3", &to));
	*(struct sockaddr_in *)&only = (struct sockaddr_in){.sin_family = AF_INET};
	inet_pton(AF_INET, "127.0.0.2", &((struct sockaddr_in *)&only)->sin_addr);
	assert_int_equal(ta_admit_only(fd, &only), 0);
	assert_true(can_connect("127.0.0.2", &to));
	assert_false(can_connect("127.0.0.3", &to));
	assert_false(can_connect("127.0.0.1", &to));
	close(fd);
}

/* The same where the socket is of IPv6, and the address IPv4's within it. */
static void test_admits_mapped(void **state)
{
	struct sockaddr_in6 at = {.sin6_family = AF_INET6};
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_storage only = {0};
	struct sockaddr_in6 *one = (struct sockaddr_in6 *)&only;
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET6, SOCK_STREAM, 0), off = 0;

	if (fd < 0)
		skip();
	setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (bind(fd, (struct sockaddr *)&at, len) < 0) {
		close(fd);
		skip();
	}
	assert_int_equal(listen(fd, 4), 0);
	getsockname(fd, (struct sockaddr *)&at, &len);
	to.sin_port = at.sin6_port;
	*one = (struct sockaddr_in6){.sin6_family = AF_INET6};
	inet_pton(AF_INET6, "::ffff:127.0.0.2", &one->sin6_addr);
	assert_int_equal(ta_admit_only(fd, &only), 0);
	assert_true(can_connect("127.0.0.2", &to));
	assert_false(can_connect("127.0.0.1", &to));
	inet_pton(AF_INET6, "2001:db8::1", &one->sin6_addr);
	assert_int_equal(ta_admit_only(fd, &only), 0);
	assert_false(can_connect("127.0.0.2", &to));
	close(fd);
}

/* IPv6 proper, on ::1: the only address there is; its neighbours by one bit are not it. */
static void test_admits_six(void **state)
{
	struct sockaddr_in6 at = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	struct sockaddr_storage only = {0};
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET6, SOCK_STREAM, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, len) < 0)
		skip();
	assert_int_equal(listen(fd, 16), 0);
	getsockname(fd, (struct sockaddr *)&at, &len);
	for (int word = -1; word < 4; word++) {
		const struct timeval soon = {.tv_usec = 200000};
		int client = socket(AF_INET6, SOCK_STREAM, 0);

		memcpy(&only, &at, sizeof(at));
		if (word >= 0)
			((struct sockaddr_in6 *)&only)->sin6_addr.s6_addr[4 * word] ^= 0x10;
		assert_int_equal(ta_admit_only(fd, &only), 0);
		setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &soon, sizeof(soon));
		assert_int_equal(connect(client, (struct sockaddr *)&at, len) == 0, word < 0);
		close(client);
	}
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_bytes),
		cmocka_unit_test(test_drop),
		cmocka_unit_test(test_broken),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_admits_one_address),
		cmocka_unit_test(test_admits_mapped),
		cmocka_unit_test(test_admits_six),
	};
	int rc;

	ta_files_init(&files, NULL);
	has_disk = ta_files_make(&files, LARGE, 3, SMALL, NULL) == 0;
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	ta_files_done(&files);
	return rc;
}
