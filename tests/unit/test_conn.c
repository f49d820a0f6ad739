/* A client's sockets: which congestion control they have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "load/conn.h"

static void congestion_control_of(int fd, char name[16])
{
	socklen_t len = 15;

	memset(name, 0, 16);
	assert_int_equal(getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &len), 0);
}

static void reset(void *state)
{
}

/* Of a connection whose batches are so long. */
static void opened_with(size_t batch, size_t greeting, char name[16])
{
	struct ta_batch batches[] = {{.len = 100, .replies = 1}, {.len = batch, .replies = 1}};
	struct ta_wire wire = {.batches = batches, .n_batches = 2, .greeting.len = greeting, .reset = reset, .done = reset};
	struct ta_load_plan plan = {.wire = &wire, .threads = 1, .connections = 1, .to_len = sizeof(struct sockaddr_in)};
	struct ta_worker worker = {.plan = &plan, .connections = 1};
	struct sockaddr_in *to = (struct sockaddr_in *)&plan.to;
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	struct ta_conns conns;

	to->sin_family = AF_INET;
	to->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(listener, (struct sockaddr *)to, plan.to_len), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)to, &plan.to_len), 0);
	assert_int_equal(ta_conns_init(&conns, &worker), 0);
	assert_int_equal(ta_conn_open(&conns, &conns.v[0]), 0);
	congestion_control_of(conns.v[0].fd, name);
	ta_conns_done(&conns);
	close(listener);
}

/* Only BBR is done without, and only where it had nothing to decide. */
static void test_bbr_only_for_long_requests(void **state)
{
	char own[16], name[16];
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	congestion_control_of(fd, own);
	close(fd);
	opened_with(5360, 0, name);
	assert_string_equal(name, strcmp(own, "bbr") ? own : "reno");
	opened_with(5361, 0, name);
	assert_string_equal(name, own);
	opened_with(100, 5361, name);
	assert_string_equal(name, own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_bbr_only_for_long_requests)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
