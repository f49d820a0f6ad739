/* What may be said of a feature after each kind of answer; the three ways that io_uring can be off. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <json-c/json.h>

#include "facts/schema.h"
#include "probe/feature.h"
#include "probe/probe.h"
#include "tests/unit/tree.h"

extern const struct ta_probe ta_probe_features, ta_probe_features_net, ta_probe_features_uring;

static struct tree t;

static int make(void **state)
{
	return tree_make(&t);
}

static int drop(void **state)
{
	tree_remove(&t);
	return 0;
}

/* The facts of one probe; each value has a row of its type, and each row a value or a reason. */
static struct ta_facts *facts_of(const struct ta_probe *p, struct ta_host *h)
{
	struct ta_table table = {p->name, p->fields, p->n_fields};
	struct ta_facts *f = ta_facts_new();
	struct ta_schema *s = NULL;
	struct ta_err err = {0};

	p->collect(h, f);
	ta_host_free(h);
	assert_int_equal(ta_schema_new(&table, 1, &s, &err), 0);
	if (ta_schema_validate(s, f, &err) < 0)
		fail_msg("%s", err.text);
	ta_schema_free(s);
	for (size_t i = 0; i < p->n_fields; i++) {
		char name[64], leaf[32];
		const char *dot = strrchr(p->fields[i].path, '.');

		snprintf(name, sizeof(name), "%.*s", (int)(dot - p->fields[i].path - 9), p->fields[i].path + 9);
		snprintf(leaf, sizeof(leaf), "%s", dot + 1);
		if (!ta_facts_at(f, TA_KEYS("features", name, leaf)) &&
			!ta_facts_absence(f, p->fields[i].path).detail[0])
			fail_msg("%s: no value and no reason", p->fields[i].path);
	}
	assert_int_equal(ta_facts_error(f), 0);
	return f;
}

static struct ta_facts *captured(const struct ta_probe *p, const char *calls)
{
	struct ta_host *h = NULL;

	tree_file(&t, "calls.json", calls);
	assert_int_equal(ta_host_capture(t.dir, &h, NULL), 0);
	return facts_of(p, h);
}

static void assert_works(struct ta_facts *f, const char *name, bool want, const char *part)
{
	const char *why = ta_facts_get_str(f, TA_KEYS("features", name, "why"));
	bool works = !want;

	assert_true(ta_facts_get_bool(f, TA_KEYS("features", name, "works"), &works));
	assert_int_equal(works, want);
	if (!why || !strstr(why, part))
		fail_msg("%s: \"%s\" lacks \"%s\"", name, why ? why : "", part);
}

static void assert_unknown(struct ta_facts *f, const char *name, enum ta_reason reason, const char *part)
{
	char path[64];

	snprintf(path, sizeof(path), "features.%s.works", name);
	assert_null(ta_facts_at(f, TA_KEYS("features", name, "works")));
	assert_int_equal(ta_facts_absence(f, path).reason, reason);
	if (!strstr(ta_facts_absence(f, path).detail, part))
		fail_msg("%s: \"%s\" lacks \"%s\"", name, ta_facts_absence(f, path).detail, part);
}

static void answers(void **state)
{
	static const struct ta_feature v = {"x", NULL, "it went", "Linux 9.9"};
	struct ta_facts *f = ta_facts_new();

	ta_feature_result(f, &v, &(struct ta_try_result){.rc = 0});
	assert_works(f, "x", true, "it went");
	ta_feature_result(f, &v, &(struct ta_try_result){.rc = 0, .text = "said so"});
	assert_works(f, "x", true, "said so");
	ta_feature_result(f, &v, &(struct ta_try_result){.rc = -ENOPROTOOPT});
	assert_works(f, "x", false, "Linux 9.9");
	ta_feature_result(f, &v, &(struct ta_try_result){.rc = -EPERM, .text = "killed by signal 31"});
	assert_works(f, "x", false, "seccomp");
	f = ta_facts_free(f);

	/* Failures of another kind say nothing of the feature. */
	f = ta_facts_new();
	ta_feature_result(f, &v, &(struct ta_try_result){.rc = -EMFILE});
	assert_unknown(f, "x", TA_NOT_ASKED, "Too many open files");
	ta_feature_result(f, &v, &(struct ta_try_result){.rc = -EACCES, .text = "here"});
	assert_unknown(f, "x", TA_DENIED, "here");
	/* As under RestrictAddressFamilies=. */
	ta_feature_result(f, &v, &(struct ta_try_result){.rc = -EAFNOSUPPORT});
	assert_unknown(f, "x", TA_UNSUPPORTED, "family");
	ta_feature_result(f, &v, &(struct ta_try_result){.rc = -ENODATA});
	assert_unknown(f, "x", TA_NOT_ASKED, "capture");
	f = ta_facts_free(f);

	assert_true(ta_has_word("reno cubic\n", "cubic"));
	assert_false(ta_has_word("reno cubic\n", "cub"));
	assert_false(ta_has_word("", "cub"));
}

static void io_uring_absent(void **state)
{
	struct ta_facts *f = captured(&ta_probe_features_uring,
		"{\"calls\":{\"try/io_uring\":{\"rc\":\"ENOSYS\"}}}");

	assert_works(f, "io_uring", false, "ENOSYS: the kernel has none");
	assert_works(f, "io_uring_send_zc", false, "does not work here");
	assert_int_equal(ta_facts_absence(f, "features.io_uring.opcodes").reason, TA_UNSUPPORTED);
	ta_facts_free(f);
}

static void io_uring_by_sysctl(void **state)
{
	struct ta_facts *f;

	tree_file(&t, "proc/sys/kernel/io_uring_disabled", "2\n");
	f = captured(&ta_probe_features_uring, "{\"calls\":{\"try/io_uring\":{\"rc\":\"EPERM\"}}}");
	assert_works(f, "io_uring", false, "kernel.io_uring_disabled is 2");
	ta_facts_free(f);
}

static void io_uring_by_filter(void **state)
{
	struct ta_facts *f;

	tree_file(&t, "proc/sys/kernel/io_uring_disabled", "0\n");
	f = captured(&ta_probe_features_uring, "{\"calls\":{\"try/io_uring\":{\"rc\":\"EPERM\"}}}");
	assert_works(f, "io_uring", false, "not by kernel.io_uring_disabled");
	f = ta_facts_free(f);
	tree_file(&t, "proc/self/status", "Seccomp:\t2\n");
	f = captured(&ta_probe_features_uring, "{\"calls\":{\"try/io_uring\":{\"rc\":\"EACCES\"}}}");
	assert_works(f, "io_uring", false, "this process has one");
	f = ta_facts_free(f);
	f = captured(&ta_probe_features_uring, "{\"calls\":{\"try/io_uring\":{\"rc\":\"ENOMEM\"}}}");
	assert_unknown(f, "io_uring", TA_NOT_ASKED, "memory");
	assert_unknown(f, "io_uring_napi", TA_NOT_ASKED, "memory");
	f = ta_facts_free(f);
	f = captured(&ta_probe_features_uring, "{}");
	assert_unknown(f, "io_uring", TA_NOT_ASKED, "capture");
	ta_facts_free(f);
}

static void io_uring_works(void **state)
{
	/* "255", and operations 0, 5, 47 and 127 of which the last has no name here. */
	struct ta_facts *f = captured(&ta_probe_features_uring,
		"{\"calls\":{\"try/io_uring\":{\"rc\":0,\"data\":\"323535\"},"
		"\"try/io_uring_opcodes\":{\"rc\":0,\"data\":\"3132303030303030303030383030303030303030303030"
		"303030303030303038\"},\"try/io_uring_napi\":{\"rc\":\"EINVAL\"}}}");

	assert_works(f, "io_uring", true, "made a ring");
	assert_string_equal(json_object_to_json_string_ext(
				    ta_facts_at(f, TA_KEYS("features", "io_uring", "opcodes")),
				    JSON_C_TO_STRING_PLAIN),
		"[\"nop\",\"write_fixed\",\"send_zc\",\"op127\"]");
	assert_works(f, "io_uring_send_zc", true, "supported");
	assert_works(f, "io_uring_recv_zc", false, "Linux 6.15");
	assert_works(f, "io_uring_napi", false, "Linux 6.9");
	assert_unknown(f, "io_uring_ring_fds", TA_NOT_ASKED, "capture");
	ta_facts_free(f);
}

static void by_module(void **state)
{
	struct ta_facts *f;

	tree_file(&t, "proc/sys/net/ipv4/tcp_available_congestion_control", "reno cubic\n");
	tree_file(&t, "proc/sys/net/ipv4/tcp_available_ulp", "tls mptcp\n");
	tree_file(&t, "proc/sys/net/ipv4/tcp_fastopen", "1\n");
	tree_file(&t, "proc/modules", "tls 1 0 - Live 0x0\n");
	tree_file(&t, "proc/sys/kernel/osrelease", "6.1.0\n");
	tree_file(&t, "lib/modules/6.1.0/modules.builtin", "");
	tree_file(&t, "lib/modules/6.1.0/modules.dep", "kernel/net/ipv4/tcp_bbr.ko.xz:\n");
	f = captured(&ta_probe_features_net,
		"{\"calls\":{\"try/ktls\":{\"rc\":0},\"try/tcp_fastopen\":{\"rc\":0},"
		"\"try/tcp_fastopen_connect\":{\"rc\":0},\"try/epoll_pwait2\":{\"rc\":\"ENOSYS\"}}}");
	assert_works(f, "ktls", true, "TCP_ULP");
	assert_unknown(f, "tcp_bbr", TA_NOT_ASKED, "module tcp_bbr is not loaded; available");
	assert_works(f, "tcp_dctcp", false, "no module tcp_dctcp");
	assert_works(f, "tcp_fastopen", false, "net.ipv4.tcp_fastopen is 1");
	assert_works(f, "tcp_fastopen_connect", true, "was set");
	assert_works(f, "epoll_pwait2", false, "Linux 5.11");
	ta_facts_free(f);
}

/* What listeners need is told whatever becomes of io_uring, which is asked in the same child. */
static void listening(void **state)
{
	struct ta_facts *f = captured(&ta_probe_features_uring,
		"{\"calls\":{\"try/epollexclusive\":{\"rc\":\"EOPNOTSUPP\"},\"try/reuseport\":{\"rc\":0},"
		"\"try/io_uring\":{\"rc\":\"ENOSYS\"}}}");

	assert_works(f, "epollexclusive", false, "Linux 4.5");
	assert_works(f, "reuseport", true, "two sockets had one port");
	assert_works(f, "io_uring", false, "ENOSYS");
	ta_facts_free(f);
	f = captured(&ta_probe_features_uring, "{}");
	assert_unknown(f, "epollexclusive", TA_NOT_ASKED, "not in this capture");
	assert_unknown(f, "reuseport", TA_NOT_ASKED, "not in this capture");
	ta_facts_free(f);
}

/* A network namespace other than the first does not list what TCP_ULP knows. */
static void ulp_of_a_child_namespace(void **state)
{
	struct ta_facts *f;

	tree_file(&t, "proc/modules", "tls 1 0 - Live 0x0\n");
	f = captured(&ta_probe_features_net, "{\"calls\":{\"try/ktls\":{\"rc\":0}}}");
	assert_works(f, "ktls", true, "TCP_ULP");
	ta_facts_free(f);
	tree_file(&t, "proc/modules", "nvme 1 0 - Live 0x0\n");
	tree_file(&t, "proc/sys/kernel/osrelease", "6.1.0\n");
	tree_file(&t, "lib/modules/6.1.0/modules.builtin", "");
	tree_file(&t, "lib/modules/6.1.0/modules.dep", "kernel/net/tls/tls.ko.xz:\n");
	f = captured(&ta_probe_features_net, "{\"calls\":{\"try/ktls\":{\"rc\":0}}}");
	assert_unknown(f, "ktls", TA_NOT_ASKED, "module tls is not loaded; available");
	ta_facts_free(f);
	tree_file(&t, "lib/modules/6.1.0/modules.dep", "kernel/fs/ext4/ext4.ko.xz:\n");
	f = captured(&ta_probe_features_net, "{}");
	assert_works(f, "ktls", false, "no module tls");
	ta_facts_free(f);
}

/* A copied tree that lacks a file is no proof; one that was recorded whole is. */
static void by_file(void **state)
{
	struct ta_facts *f;

	tree_file(&t, "proc/sys/net/ipv4/tcp_ecn_option", "2\n");
	tree_file(&t, "proc/net/protocols", "protocol  size\nXDPX 1\nMPTCP 1\n");
	tree_file(&t, "sys/kernel/mm/lru_gen/enabled", "0x0000\n");
	f = captured(&ta_probe_features, "{}");
	assert_works(f, "accurate_ecn", true, "is there");
	assert_unknown(f, "tw_reuse_delay", TA_MISSING, "in this capture");
	assert_unknown(f, "rps", TA_MISSING, "/sys/class/net/lo");
	assert_works(f, "mptcp", true, "MPTCP");
	assert_works(f, "af_xdp", false, "CONFIG_XDP_SOCKETS");
	assert_works(f, "mglru", false, "0x0000");
	f = ta_facts_free(f);
	f = captured(&ta_probe_features,
		"{\"complete\":true,\"exists\":{\"/proc/sys/net/ipv4/tcp_tw_reuse_delay\":false,"
		"\"/proc/sys/net/ipv4\":true}}");
	assert_works(f, "tw_reuse_delay", false, "Linux 6.14");
	ta_facts_free(f);
	/* Others than root do not look into debugfs. */
	f = captured(&ta_probe_features,
		"{\"complete\":true,\"exists\":{\"/sys/kernel/debug/sched/base_slice_ns\":false},"
		"\"errors\":{\"read\":{\"/sys/kernel/debug/sched/base_slice_ns\":\"EACCES\"}}}");
	assert_unknown(f, "eevdf", TA_DENIED, "debug/sched");
	assert_unknown(f, "preempt_dynamic", TA_MISSING, "debug/sched");
	ta_facts_free(f);
}

/* This kernel: whatever it can, every question comes to an answer or a reason. */
static void live(void **state)
{
	const struct ta_probe *const probes[] = {
		&ta_probe_features, &ta_probe_features_net, &ta_probe_features_uring};

	for (size_t i = 0; i < TA_ARRAY_SIZE(probes); i++) {
		struct ta_host *h = NULL;
		struct ta_facts *f;

		assert_int_equal(ta_host_live(&h, NULL), 0);
		f = facts_of(probes[i], h);
		if (i == 1)
			assert_works(f, "tcp_defer_accept", true, "was set");
		ta_facts_free(f);
	}
}

#define host_test(fn) cmocka_unit_test_setup_teardown(fn, make, drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers),
		host_test(io_uring_absent),
		host_test(io_uring_by_sysctl),
		host_test(io_uring_by_filter),
		host_test(io_uring_works),
		host_test(listening),
		host_test(by_module),
		host_test(ulp_of_a_child_namespace),
		host_test(by_file),
		cmocka_unit_test(live),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
