/* What peers say to each other: digests against the published vectors, lines there and back, and what is no line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/control.h"

static void hex(const uint8_t *data, char ret[65])
{
	for (unsigned i = 0; i < TA_HMAC_BYTES; i++)
		snprintf(ret + 2 * i, 3, "%02x", data[i]);
}

/* FIPS 180-4's examples, and one for each length around a block. */
static void test_sha256(void **state)
{
	char *million = malloc(1000000), text[65];
	uint8_t sum[TA_HMAC_BYTES];

	memset(million, 'a', 1000000);
	ta_sha256("abc", 3, sum);
	hex(sum, text);
	assert_string_equal(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	ta_sha256("", 0, sum);
	hex(sum, text);
	assert_string_equal(text, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	ta_sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, sum);
	hex(sum, text);
	assert_string_equal(text, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	ta_sha256(million, 1000000, sum);
	hex(sum, text);
	assert_string_equal(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	/* 55, 56, 63, 64 and 65 bytes 'a' (as sha256sum(1) has them). */
	ta_sha256(million, 55, sum);
	hex(sum, text);
	assert_string_equal(text, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
	ta_sha256(million, 64, sum);
	hex(sum, text);
	assert_string_equal(text, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
	free(million);
}

/* RFC 4231, cases 1, 2, 4 and 6. */
static void test_hmac(void **state)
{
	uint8_t key[131], data[50], sum[TA_HMAC_BYTES];
	char text[65];

	memset(key, 0x0b, 20);
	ta_hmac(key, 20, "Hi There", 8, sum);
	hex(sum, text);
	assert_string_equal(text, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
	ta_hmac("Jefe", 4, "what do ya want for nothing?", 28, sum);
	hex(sum, text);
	assert_string_equal(text, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
	for (unsigned i = 0; i < 25; i++)
		key[i] = (uint8_t)(i + 1);
	memset(data, 0xcd, sizeof(data));
	ta_hmac(key, 25, data, sizeof(data), sum);
	hex(sum, text);
	assert_string_equal(text, "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b");
	memset(key, 0xaa, sizeof(key));
	ta_hmac(key, sizeof(key), "Test Using Larger Than Block-Size Key - Hash Key First", 54, sum);
	hex(sum, text);
	assert_string_equal(text, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

static void test_equal(void **state)
{
	uint8_t a[32] = {0}, b[32] = {0};

	assert_true(ta_bytes_equal(a, b, 32));
	for (unsigned bit = 0; bit < 256; bit++) {
		b[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_false(ta_bytes_equal(a, b, 32));
		b[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}

static struct ta_control parse(const char *line)
{
	struct ta_control c;

	ta_control_parse(line, strlen(line), &c);
	return c;
}

/* What is formatted is read as the same. */
static void there_and_back(const struct ta_control *c)
{
	char line[TA_CONTROL_LINE_MAX];
	size_t len = ta_control_format(c, line, sizeof(line));
	struct ta_control got;

	assert_true(len < TA_CONTROL_LINE_MAX);
	assert_int_equal(line[len - 1], '\n');
	ta_control_parse(line, len - 1, &got);
	assert_int_equal(got.kind, c->kind);
	assert_memory_equal(got.nonce, c->nonce, sizeof(got.nonce));
	assert_memory_equal(got.mac, c->mac, sizeof(got.mac));
	assert_int_equal(got.needs_token, c->needs_token);
	assert_string_equal(got.text, c->text);
	assert_string_equal(got.name, c->name);
	assert_int_equal(got.port, c->port);
	assert_int_equal(got.threads, c->threads);
	assert_int_equal(got.body, c->body);
	assert_true(got.user_ns == c->user_ns && got.system_ns == c->system_ns);
	assert_string_equal(got.boot, c->boot);
	assert_string_equal(got.netns, c->netns);
	assert_true(got.from == c->from && got.n == c->n && got.n_cpus == c->n_cpus);
	assert_memory_equal(got.cpu, c->cpu, sizeof(got.cpu));
	assert_memory_equal(got.ports, c->ports, sizeof(got.ports));
	assert_memory_equal(&got.hold, &c->hold, sizeof(got.hold));
	assert_memory_equal(got.accepted, c->accepted, sizeof(got.accepted));
	assert_true(got.how == c->how && got.close == c->close && got.backlog == c->backlog);
	assert_true(got.retransmits == c->retransmits && got.listen_overflows == c->listen_overflows &&
		got.listen_drops == c->listen_drops && got.softnet_dropped == c->softnet_dropped && got.time_squeeze == c->time_squeeze);
	assert_true(got.has_snmp == c->has_snmp && got.has_netstat == c->has_netstat && got.has_softnet == c->has_softnet);
}

static void test_lines(void **state)
{
	struct ta_control c = {.kind = TA_CONTROL_GREETING, .needs_token = true, .nonce = {1, 2, 0xff}};

	there_and_back(&c);
	c.needs_token = false;
	there_and_back(&c);
	c = (struct ta_control){.kind = TA_CONTROL_HELLO, .nonce = {7}, .mac = {0xab, [31] = 0xcd}};
	there_and_back(&c);
	c = (struct ta_control){.kind = TA_CONTROL_WELCOME, .mac = {9}, .boot = "a-b", .netns = "net:[1]"};
	there_and_back(&c);
	there_and_back(&(struct ta_control){.kind = TA_CONTROL_SERVE, .name = "http", .threads = 2, .body = 1 << 20});
	there_and_back(&(struct ta_control){.kind = TA_CONTROL_PORT, .port = 65535});
	there_and_back(&(struct ta_control){.kind = TA_CONTROL_ASK_CPU});
	there_and_back(&(struct ta_control){.kind = TA_CONTROL_CPU, .user_ns = UINT64_MAX, .system_ns = 1});
	there_and_back(&(struct ta_control){.kind = TA_CONTROL_NO, .text = "not  today"});
}

/* What a machine did: each number at its place, the largest ones in one line, what is not known apart from 0. */
static void test_machines(void **state)
{
	struct ta_control c = {.kind = TA_CONTROL_CPUS_ARE, .from = TA_WATCH_CPUS - TA_CONTROL_CPUS, .n = TA_CONTROL_CPUS};
	const uint64_t most = 999999999999;
	char line[TA_CONTROL_LINE_MAX];

	there_and_back(&(struct ta_control){.kind = TA_CONTROL_ASK_MACHINE});
	there_and_back(&(struct ta_control){.kind = TA_CONTROL_MACHINE, .n_cpus = TA_WATCH_CPUS, .retransmits = 1, .listen_overflows = 2,
		.listen_drops = 3, .softnet_dropped = 4, .time_squeeze = UINT64_MAX, .has_snmp = true, .has_netstat = true,
		.has_softnet = true});
	there_and_back(&(struct ta_control){.kind = TA_CONTROL_MACHINE, .n_cpus = 2, .has_netstat = true});
	there_and_back(&(struct ta_control){.kind = TA_CONTROL_ASK_CPUS, .from = 8});
	for (unsigned i = 0; i < TA_CONTROL_CPUS; i++)
		c.cpu[i] = (struct ta_watch_cpu){most, most - 1, most - 2, most - 3, most - 4, most - 5, most - i, 0};
	there_and_back(&c);
	c.cpu[0].user = UINT64_MAX; /* is cut, and the line still fits */
	assert_true(ta_control_format(&c, line, sizeof(line)) < sizeof(line));
	assert_true(parse("machine 2 7 - - 0 0").has_snmp);
	assert_false(parse("machine 2 7 - - 0 0").has_netstat);
}

static void test_accepting(void **state)
{
	struct ta_control c = {.kind = TA_CONTROL_ACCEPTED, .from = 56, .n = TA_CONTROL_ACCEPTS};
	const uint64_t most = 999999999999;

	there_and_back(&(struct ta_control){.kind = TA_CONTROL_ACCEPT, .how = 1, .close = 2, .threads = 3, .backlog = 4});
	there_and_back(&(struct ta_control){.kind = TA_CONTROL_ACCEPTS_ARE, .port = 65535, .threads = 64});
	there_and_back(&(struct ta_control){.kind = TA_CONTROL_ASK_ACCEPTED, .from = 8});
	for (unsigned i = 0; i < TA_CONTROL_ACCEPTS; i++)
		c.accepted[i] = (struct ta_control_accepted){most - i, most - 10 - i, most - 20 - i};
	there_and_back(&c);
}

static void test_holding(void **state)
{
	struct ta_control c = {.kind = TA_CONTROL_PORTS_ARE, .from = 64, .n = TA_CONTROL_PORTS};

	there_and_back(&(struct ta_control){.kind = TA_CONTROL_HOLD, .hold = {.connections = 1000000, .each = 12705}});
	there_and_back(&(struct ta_control){.kind = TA_CONTROL_HOLDS, .hold = {.processes = 51, .ports = 102, .backlog = 4096}});
	there_and_back(&(struct ta_control){.kind = TA_CONTROL_ASK_PORTS, .from = 32});
	for (unsigned i = 0; i < TA_CONTROL_PORTS; i++)
		c.ports[i] = (uint16_t)(65535 - i);
	there_and_back(&c);
	there_and_back(&(struct ta_control){.kind = TA_CONTROL_ASK_HELD});
	there_and_back(&(struct ta_control){.kind = TA_CONTROL_HELD, .text = "-", .hold = {.accepted = 10, .open = 9}});
	there_and_back(&(struct ta_control){.kind = TA_CONTROL_HELD, .text = "descriptors:  a server has 64",
		.hold = {.accepted = UINT64_MAX, .open = UINT64_MAX}});
	there_and_back(&(struct ta_control){.kind = TA_CONTROL_ASK_TOOK});
	there_and_back(&(struct ta_control){.kind = TA_CONTROL_TOOK,
		.hold = {.idle = 1, .held = 2, .grown = 3, .kernel = UINT64_MAX, .by_caches = true}});
}

static void test_what_is_no_line(void **state)
{
	static const char *const bad[] = {
		"", " ", "x", "cpu ", " cpu", "cpu 1", "cpu 1 2 3", "cpu -1 2", "cpu 01 2", "cpu 1  2", "cpu 18446744073709551616 1",
		"port", "port 0", "port 65536", "port 80 80", "port x", "no", "no ", "serve http", "serve http 1", "serve http 1 2 3",
		"serve abcdefghijklmnopq 1 2", "serve http 1 +2", "welcome", "welcome 00 a b", "hello", "hello 2", "hello 2 0.1 aa bb",
		"tuneaudit-peer", "tuneaudit-peer 2 0.1", "tuneaudit-peer 2 0.1 maybe 000102030405060708090a0b0c0d0e0f",
		"tuneaudit-peer 2 0.1 token 000102030405060708090A0b0c0d0e0f", "tuneaudit-peer 2 0.1 token 00", "GET / HTTP/1.1",
		"machine 1", "machine 1025 1 1 1 1 1", "machine 1 1 1 - 1 1", "machine 1 1 1 1 - 1", "machine 1 -1 1 1 1 1", "machine 1 1 1 1 1 1 1",
		"cpus", "cpus 1024", "cpus x", "cpus 0 1", "cpus 0 1 2 3 4 5 6", "cpus 1023 1 2 3 4 5 6 7 1 2 3 4 5 6 7",
		"cpus 0 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7", "hold", "hold 1", "hold 1 2 3", "hold -1 2",
		"holds 1 2", "ports", "ports x", "ports 0 0", "ports 0 65536", "ports 0 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
		"accept", "accept 1 2 3", "accept 1 2 3 4 5", "accept 1 2 3 -4", "accepts 1", "accepts 0 1", "accepts 65536 1", "accepts 1 2 3", "accepted",
		"accepted x", "accepted 0 1", "accepted 0 1 2", "accepted 0 1 2 x", "accepted 0 1 2 3 4",
		"held 1", "held 1 2", "held 1 2 ", "held 1 x -", "held 1  2 -", "held 1 2 \x01", "took 1 2 3 4", "took 1 2 3 4 guess", "took 1 2 3 slabinfo 4",
		"cpu\r", "cpu\t1 2", "\x80", "no \x01", "a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g h i j k l m n o p",
	};
	char line[TA_CONTROL_LINE_MAX + 1];

	for (size_t i = 0; i < TA_ARRAY_SIZE(bad); i++)
		assert_int_equal(parse(bad[i]).kind, TA_CONTROL_BAD);
	memset(line, 'a', sizeof(line));
	memcpy(line, "no ", 3);
	line[TA_CONTROL_LINE_MAX] = '\0';
	assert_int_equal(parse(line).kind, TA_CONTROL_BAD);
}

/* Whatever else it says: who speaks another protocol is told of it. */
static void test_other_protocols(void **state)
{
	struct ta_control c = parse("tuneaudit-peer 3 9.9 more words than now");

	assert_int_equal(c.kind, TA_CONTROL_GREETING);
	assert_int_equal(c.protocol, 3);
	assert_string_equal(c.version, "9.9");
	c = parse("hello 7 8.0");
	assert_int_equal(c.kind, TA_CONTROL_HELLO);
	assert_int_equal(c.protocol, 7);
}

/* Each part of what is signed changes the signature. */
static void test_mac(void **state)
{
	uint8_t one[TA_NONCE_BYTES] = {1}, two[TA_NONCE_BYTES] = {2}, a[TA_HMAC_BYTES], b[TA_HMAC_BYTES];

	ta_control_mac("a token of some length", "client", one, two, a);
	ta_control_mac("a token of some length", "client", one, two, b);
	assert_memory_equal(a, b, sizeof(a));
	ta_control_mac("a token of some lengtH", "client", one, two, b);
	assert_memory_not_equal(a, b, sizeof(a));
	ta_control_mac("a token of some length", "peer", one, two, b);
	assert_memory_not_equal(a, b, sizeof(a));
	ta_control_mac("a token of some length", "client", two, one, b);
	assert_memory_not_equal(a, b, sizeof(a));
}

static void test_no_is_one_line(void **state)
{
	struct ta_control c = {.kind = TA_CONTROL_NO}, got;
	char line[TA_CONTROL_LINE_MAX];
	size_t len;

	snprintf(c.text, sizeof(c.text), "a\nb\x7f\xc3\xa4");
	len = ta_control_format(&c, line, sizeof(line));
	ta_control_parse(line, len - 1, &got);
	assert_int_equal(got.kind, TA_CONTROL_NO);
	assert_string_equal(got.text, "a?b???");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sha256),
		cmocka_unit_test(test_hmac),
		cmocka_unit_test(test_equal),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_machines),
		cmocka_unit_test(test_accepting),
		cmocka_unit_test(test_holding),
		cmocka_unit_test(test_what_is_no_line),
		cmocka_unit_test(test_other_protocols),
		cmocka_unit_test(test_mac),
		cmocka_unit_test(test_no_is_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
