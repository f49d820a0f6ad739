/* What bounded a load run, and what is to be known of it, from counters: each layer, and which of two comes first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fakehost.h"
#include "load/run.h"
#include "report/load.h"

static struct ta_load_point point;
static struct ta_watch_sample watched, before, after;
static struct ta_load_result result;

/* Four CPUs that were idle for one second, 50 connections, a loop that is closed. */
static void fresh(void)
{
	watched = (struct ta_watch_sample){.n_cpus = 4};
	before = after = (struct ta_watch_sample){.n_cpus = 4};
	for (unsigned i = 0; i < 4; i++)
		watched.cpu[i] = (struct ta_watch_cpu){.user = 1, .idle = 99};
	point = (struct ta_load_point){.connections = 50, .n_runs = 1, .mean = 1000, .measured_s = 1, .watched = &watched};
	ta_hist_reset(&point.hist);
	ta_hist_add(&point.hist, 2000000);
	result = (struct ta_load_result){.workload = "http", .path = "wire", .counts = "requests", .target = "x", .threads = 1,
		.pipeline = 1, .points = &point, .n_points = 1, .before = &before, .after = &after};
}

static void says(const char *want)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	ta_load_bound_by(&result, &b);
	if (!strstr(ta_buf_text(&b), want))
		fail_msg("'%s', wanted '%s'", ta_buf_text(&b), want);
}

static void busy(unsigned cpu, unsigned softirq)
{
	watched.cpu[cpu] = (struct ta_watch_cpu){.system = 99 - softirq, .softirq = softirq, .idle = 1};
}

/* From the last of the layers to the first: each is told although those before hold, too. */
static void test_layers(void **state)
{
	fresh();
	says("waiting for replies: nothing on this machine was full; half of them took longer than 2.000 ms");
	busy(2, 10);
	says("CPU2: busy for 99 % of the time (softirq 10 %)");
	for (unsigned i = 0; i < 4; i++)
		busy(i, 10);
	says("the CPUs: all 4 were busy (99 %)");
	point.cpu.has_server = true;
	point.cpu.server_system_s = 0.5;
	says("all 4 were busy (99 %), 87 % of that with other work than this run");
	point.cpu.server_system_s = 0.97;
	says("the built-in server: it used 0.97 CPUs");
	busy(1, 85);
	says("softirq of CPU1: 85 % of its time");
	for (unsigned i = 0; i < 4; i++)
		watched.cpu[i].steal = 20;
	says("the hypervisor: it took 17 % of the CPUs away");
	watched.n_links = 1;
	watched.links[0] = (struct ta_watch_link){.name = "eth0", .tx_bytes = 118000000, .mbit = 1000};
	says("the link eth0: it sent 944 of its 1000 Mb/s");
	snprintf(result.bound, sizeof(result.bound), "what it knows itself");
	says("what it knows itself");
	point.generator_share = 0.99;
	says("the load generator: a thread of it used 99 % of a CPU");
	result.rate = 1000;
	says("the rate that was asked for");
}

/* Four CPUs of another machine. */
static struct ta_watch_sample there, there_before, there_after;

static void with_peer(bool same_machine)
{
	fresh();
	there = (struct ta_watch_sample){.n_cpus = 4};
	there_before = there_after = (struct ta_watch_sample){.n_cpus = 4, .has_snmp = true, .has_netstat = true, .has_softnet = true};
	for (unsigned i = 0; i < 4; i++)
		there.cpu[i] = (struct ta_watch_cpu){.user = 1, .idle = 99};
	point.peer_watched = &there;
	result.threads = 8;
	result.peer = (struct ta_load_peer){.version = TA_VERSION, .same_machine = same_machine, .before = &there_before,
		.after = &there_after};
}

/* As above: each before the one above it. What this machine is full of comes before the same of the peer. */
static void test_layers_of_a_peer(void **state)
{
	with_peer(false);
	says("nothing on this machine or the peer's was full");
	there.cpu[2] = (struct ta_watch_cpu){.system = 89, .softirq = 10, .idle = 1};
	says("the peer's CPU2: busy for 99 % of the time (softirq 10 %)");
	busy(1, 10);
	says("CPU1: busy for 99 %");
	for (unsigned i = 0; i < 4; i++)
		there.cpu[i] = (struct ta_watch_cpu){.system = 89, .softirq = 10, .idle = 1};
	says("the peer's CPUs: all 4 were busy (99 %)");
	point.cpu.has_server = true;
	point.cpu.server_system_s = 3.7; /* four CPUs are all that eight threads have there */
	says("the peer's CPUs: all 4");
	point.cpu.server_system_s = 3.85;
	says("the peer's server: it used 3.85 CPUs");
	there.cpu[3] = (struct ta_watch_cpu){.softirq = 85, .idle = 15};
	says("softirq of the peer's CPU3: 85 % of its time");
	for (unsigned i = 0; i < 4; i++)
		there.cpu[i].steal = 20;
	says("the peer's hypervisor: it took 17 % of the CPUs there away");
	busy(1, 85);
	says("softirq of CPU1: 85 % of its time");
}

/* Its server's time is none of this machine's; where it is, the machine's CPUs are told once. */
static void test_whose_cpus(void **state)
{
	with_peer(false);
	for (unsigned i = 0; i < 4; i++)
		busy(i, 10);
	point.cpu.has_server = true;
	point.cpu.client_system_s = 3.9;
	point.cpu.server_system_s = 3.5;
	says("the CPUs: all 4 were busy (99 %)");
	point.cpu.client_system_s = 1;
	says("75 % of that with other work than this run");
	with_peer(true);
	there.cpu[2] = (struct ta_watch_cpu){.softirq = 99, .idle = 1};
	says("waiting for replies: nothing on this machine was full");
}

static unsigned notes_of(struct ta_strv *ret)
{
	ta_strv_done(ret);
	ta_load_notes(&result, ret);
	return (unsigned)ret->n;
}

static void test_notes_of_a_peer(void **state)
{
	ta_cleanup_strv struct ta_strv notes = TA_STRV_INIT;

	with_peer(false);
	assert_int_equal(notes_of(&notes), 0);
	there_after.retransmits = 3;
	there_after.listen_overflows = 4;
	there_after.listen_drops = 6;
	there_after.softnet_dropped = 5;
	there_after.time_squeeze = 7;
	there_after.cpu[1].core_throttled = 8;
	there.cpu[0].steal = 10;
	snprintf(result.peer.version, sizeof(result.peer.version), "9.9");
	assert_int_equal(notes_of(&notes), 8);
	assert_string_equal(notes.v[0], "the peer is tuneaudit 9.9, this is " TA_VERSION);
	assert_string_equal(notes.v[1], "the peer's hypervisor took up to 9 % of a CPU away (steal)");
	assert_string_equal(notes.v[2], "the peer's CPUs were throttled for heat 8 times");
	assert_string_equal(notes.v[3], "3 TCP segments sent again on the peer during the run");
	assert_string_equal(notes.v[4], "4 connections lost to full accept queues (ListenOverflows) on the peer during the run");
	assert_non_null(strstr(notes.v[5], "2 connection attempts dropped"));
	assert_non_null(strstr(notes.v[6], "5 packets dropped from a CPU's backlog on the peer"));
	assert_non_null(strstr(notes.v[7], "7 times that softirq ended"));
	/* Another network namespace of this machine has counters of TCP of its own, and no CPUs. */
	result.peer.same_machine = true;
	result.path = "namespace";
	assert_int_equal(notes_of(&notes), 4);
	assert_string_equal(notes.v[1], "3 TCP segments sent again on the peer's network namespace during the run");
	result.path = "loopback";
	assert_int_equal(notes_of(&notes), 2);
}

static void test_peer_is_reported(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	const char *json;

	with_peer(false);
	there.cpu[1] = (struct ta_watch_cpu){.softirq = 30, .steal = 10, .idle = 60};
	there_after.listen_overflows = 2;
	there_after.has_softnet = false;
	point.cpu.has_server = true;
	point.cpu.server_user_s = 0.25;
	ta_report_load_text(&result, NULL, 80, &b);
	assert_non_null(strstr(ta_buf_text(&b), "http against the server of a peer, x, wire"));
	assert_non_null(strstr(ta_buf_text(&b), "peer       tuneaudit " TA_VERSION ", 4 CPUs, 8 % busy; softirq CPU1 30 %"));
	ta_buf_reset(&b);
	ta_report_load_json(&result, NULL, &b);
	json = ta_buf_text(&b);
	assert_non_null(strstr(json, "\"peer\":{\"version\":\"" TA_VERSION "\",\"same_machine\":false,\"lost\":false,\"server_share\":0.25,"));
	assert_non_null(strstr(json, "\"softirq_share\":{\"0\":0,\"1\":0.3,\"2\":0,\"3\":0},\"steal_share\":{\"0\":0,\"1\":0.1"));
	assert_non_null(strstr(json, "\"listen_overflows\":2,\"listen_drops\":0,\"backlog_dropped\":null,\"time_squeeze\":null}"));
	fresh();
	ta_buf_reset(&b);
	ta_report_load_json(&result, NULL, &b);
	assert_non_null(strstr(ta_buf_text(&b), "\"peer\":null"));
}

/* Almost is not yet. */
static void test_not_full(void **state)
{
	fresh();
	for (unsigned i = 0; i < 4; i++)
		watched.cpu[i] = (struct ta_watch_cpu){.system = 90, .idle = 10};
	watched.n_links = 1;
	watched.links[0] = (struct ta_watch_link){.name = "eth0", .rx_bytes = 110000000, .mbit = 1000};
	point.generator_share = 0.94;
	result.rate = 1100;
	says("");
	result.rate = 0;
	says("waiting for replies");
}

static void test_first(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	ta_cleanup_strv struct ta_strv notes = TA_STRV_INIT;
	const char *first;

	fresh();
	point.generator_share = 1;
	after.retransmits = 3;
	after.listen_overflows = after.listen_drops = 4;
	after.softnet_dropped = 5;
	after.time_squeeze = 6;
	after.cpu[0].core_throttled = 7;
	point.during = (struct ta_watch_during){.looks = 4, .n_mhz = 2, .mhz_sum = 5000, .mhz_min = 2000, .mhz_max = 3000};
	ta_load_notes(&result, &notes);
	assert_int_equal(notes.n, 7);
	assert_string_equal(notes.v[0], TA_LOAD_GENERATOR_FULL);
	assert_string_equal(notes.v[1], "CPUs were throttled for heat 7 times");
	assert_string_equal(notes.v[2], "3 TCP segments sent again on this host during the run");
	assert_non_null(strstr(notes.v[3], "4 connections lost to full accept queues"));
	assert_non_null(strstr(notes.v[4], "5 packets dropped"));
	assert_non_null(strstr(notes.v[5], "6 times that softirq ended"));
	assert_string_equal(notes.v[6], "the clocks of busy CPUs went down to 2000 MHz from 3000");
	ta_report_load_text(&result, NULL, 80, &b);
	first = ta_buf_text(&b);
	assert_int_equal(strncmp(first, "First      the generator is at its limit", 40), 0);
	assert_null(strstr(strchr(first, '\n'), "is at its limit"));
	assert_non_null(strstr(first, "clock      2000 MHz at least, 2500 in the mean"));
}

static struct fake_host host(void)
{
	struct fake_host f = {.n = 8, .files = {
		{.path = "/proc/stat", .text = "cpu  1 2\ncpu0 10 1 20 30 5 6 7 8\ncpu2 1 0 2 3 0 0 0 0\nintr 1"},
		{.path = "/proc/net/netstat", .text = "TcpExt: A ListenOverflows ListenDrops\nTcpExt: 1 2 3"},
		{.path = "/proc/net/snmp", .text = "Tcp: RetransSegs\nTcp: 44"},
		{.path = "/proc/net/softnet_stat", .text = "00000010 00000002 00000003 0\n00000010 0000000a 00000001 0"},
		{.path = "/proc/net/dev", .text = "Inter-|   Receive\n face |bytes\n    lo: 9 1 0 0 0 0 0 0 9 1 0 0 0 0 0 0\n"
						  "  eth0:100 1 0 0 0 0 0 0 200 1 0 0 0 0 0 0\n br0: 5 1 0 0 0 0 0 0 6 1 0 0 0 0 0 0"},
		{.path = "/sys/class/net/eth0/device/uevent", .text = "DRIVER=x"},
		{.path = "/sys/class/net/eth0/speed", .text = "2500"},
		{.path = "/sys/devices/system/cpu/cpu2/cpufreq/scaling_cur_freq", .text = "1800000"},
	}};

	return f;
}

static int read_lines(struct ta_host *h, const char *path, int (*line)(const char *, size_t, void *), void *ctx)
{
	const struct fake_file *file = fake_find(h, path);
	char text[1024], *save = NULL;

	if (!file)
		return -ENOENT;
	memcpy(text, file->text, sizeof(text));
	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
		line(l, strlen(l), ctx);
	return 0;
}

static const struct ta_host_ops ops = {.read = fake_read, .lines = read_lines};

static void test_reads(void **state)
{
	struct fake_host f = host();
	struct ta_watch_sample s, later, sum = {0};
	struct ta_watch_during during = {0};

	f.host.ops = &ops;
	assert_int_equal(ta_watch_read(&f.host, &s), 0);
	assert_int_equal(s.n_cpus, 3);
	assert_int_equal(s.cpu[0].user, 11);
	assert_int_equal(s.cpu[0].idle, 35);
	assert_int_equal(s.cpu[0].steal, 8);
	assert_int_equal(s.listen_overflows, 2);
	assert_int_equal(s.retransmits, 44);
	assert_int_equal(s.softnet_dropped, 12);
	assert_int_equal(s.time_squeeze, 4);
	assert_int_equal(s.n_links, 1); /* lo and the bridge are no devices */
	assert_string_equal(s.links[0].name, "eth0");
	assert_int_equal(s.links[0].tx_bytes, 200);
	assert_int_equal(s.links[0].mbit, 2500);
	later = s;
	later.cpu[2].user += 80;
	later.cpu[2].softirq += 20;
	later.links[0].tx_bytes += 1000;
	later.retransmits++;
	ta_watch_add(&sum, &s, &later);
	ta_watch_add(&sum, &s, &later);
	assert_int_equal(sum.cpu[2].user, 160);
	assert_int_equal(sum.links[0].tx_bytes, 2000);
	assert_int_equal(sum.links[0].mbit, 2500);
	assert_int_equal(sum.retransmits, 2);
	ta_watch_look(&during, &s, &later);
	assert_int_equal(during.softirq_cpu, 2);
	assert_true(during.softirq > 0.19 && during.softirq < 0.21);
	assert_int_equal(during.n_mhz, 1);
	assert_true(during.mhz_min == 1800);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layers),
		cmocka_unit_test(test_layers_of_a_peer),
		cmocka_unit_test(test_whose_cpus),
		cmocka_unit_test(test_notes_of_a_peer),
		cmocka_unit_test(test_peer_is_reported),
		cmocka_unit_test(test_not_full),
		cmocka_unit_test(test_first),
		cmocka_unit_test(test_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
