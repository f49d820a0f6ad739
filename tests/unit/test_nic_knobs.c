/*
 * Knobs of interfaces against a driver that lives in the test: what is read, what is sent and what is not, and what is said
 * when it is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "fake_nic.h"
#include "fix/nicknob.h"
#include "fix/step.h"

static void reads(struct fake_nic *f, const char *knob, const char *target, const char *want)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_err err = {0};
	int rc = ta_knob_find(knob)->read(&f->host, target, &b, &err);

	assert_string_equal(err.text, "");
	assert_int_equal(rc, 0);
	assert_string_equal(ta_buf_text(&b), want);
	assert_int_equal(ta_knob_check(knob, target, want, TA_VALUE_FOUND, &err), 0);
}

static void fails_to_read(struct fake_nic *f, const char *knob, const char *target, int want, const char *text)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_err err = {0};

	assert_int_equal(ta_knob_find(knob)->read(&f->host, target, &b, &err), want);
	assert_string_equal(err.text, text);
	assert_int_equal(b.len, 0);
}

/* Written, with so many requests. */
static void writes(struct fake_nic *f, const char *knob, const char *target, const char *value, unsigned requests)
{
	unsigned before = f->sent;
	struct ta_err err = {0};
	int rc = ta_knob_find(knob)->write(&f->host, target, value, &err);

	assert_string_equal(err.text, "");
	assert_int_equal(rc, 0);
	assert_int_equal(f->sent - before, requests);
}

static void fails_to_write(struct fake_nic *f, const char *knob, const char *target, const char *value, int want,
	const char *text)
{
	struct ta_err err = {0};

	assert_int_equal(ta_knob_find(knob)->write(&f->host, target, value, &err), want);
	assert_string_equal(err.text, text);
}

static uint32_t bit(const struct ta_nic_group *g, const char *name)
{
	return 1u << ta_nic_param_find(g, name);
}

static void remarks(struct fake_nic *f, const char *knob, const char *target, const char *text)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	ta_knob_find(knob)->remark(&f->host, target, &b);
	assert_string_equal(ta_buf_text(&b), text);
}

/* --- numbers ---------------------------------------------------------------- */

static void channels(void **state)
{
	struct fake_nic *f = fake_make();

	reads(f, "channels", "eth0", "other=1 combined=4");
	reads(f, "channels", "eth0 combined", "4");
	writes(f, "channels", "eth0", "other=1 combined=4", 0); /* equal: no link goes down for it */
	writes(f, "channels", "eth0 combined", "4", 0);
	writes(f, "channels", "eth0", "other=1 combined=8", 1);
	assert_int_equal(f->last, bit(&ta_nic_channels, "combined"));
	assert_int_equal(f->by_ioctl, 0);
	reads(f, "channels", "eth0 combined", "8");
	fails_to_write(f, "channels", "eth0 combined", "9", -EINVAL, "eth0: channels combined 9: 8 at most");
	fails_to_write(f, "channels", "eth0 rx", "2", -EOPNOTSUPP, "eth0: its driver has no channels rx");
	fails_to_read(f, "channels", "eth0 rx", -EOPNOTSUPP, "eth0: rx cannot be read: its driver cannot");
	assert_int_equal(f->sent, 1);
	ta_host_free(&f->host);
}

static void without_netlink(void **state)
{
	struct fake_nic *f = fake_make();

	f->no_netlink = true;
	reads(f, "channels", "eth0", "other=1 combined=4");
	writes(f, "channels", "eth0 combined", "2", 1);
	reads(f, "channels", "eth0", "other=1 combined=2");
	reads(f, "rings", "eth0", "rx=256 tx=256");
	writes(f, "rings", "eth0 tx", "512", 1);
	reads(f, "rings", "eth0", "rx=256 tx=512");
	writes(f, "rings", "eth0 tx", "512", 0);
	writes(f, "coalesce", "eth0 adaptive-rx", "on", 1);
	reads(f, "coalesce", "eth0 adaptive-rx", "on");
	reads(f, "coalesce", "eth0 rx-usecs", "3");
	reads(f, "features", "eth0 rx-gro", "off");
	writes(f, "features", "eth0 rx-gro", "on", 1);
	assert_int_equal(f->last, 2);
	reads(f, "features", "eth0 rx-gro", "on");
	assert_int_equal(f->by_ioctl, f->sent);
	ta_host_free(&f->host);
}

static void rings_and_coalesce(void **state)
{
	struct fake_nic *f = fake_make();

	reads(f, "rings", "eth0", "rx=256 tx=256");
	writes(f, "rings", "eth0", "rx=1024 tx=256", 1);
	assert_int_equal(f->last, bit(&ta_nic_rings, "rx"));
	fails_to_write(f, "rings", "eth0 rx", "8192", -EINVAL, "eth0: rings rx 8192: 4096 at most");
	reads(f, "coalesce", "eth0", "adaptive-rx=off rx-usecs=3");
	/* One attribute that a driver does not know makes it refuse all. */
	writes(f, "coalesce", "eth0 adaptive-rx", "on", 1);
	assert_int_equal(f->last, bit(&ta_nic_coalesce, "adaptive-rx"));
	writes(f, "coalesce", "eth0", "adaptive-rx=off rx-usecs=30", 1);
	assert_int_equal(f->last, bit(&ta_nic_coalesce, "adaptive-rx") | bit(&ta_nic_coalesce, "rx-usecs"));
	reads(f, "coalesce", "eth0", "adaptive-rx=off rx-usecs=30");
	ta_host_free(&f->host);
}

static void refused(void **state)
{
	static const struct {
		int error;
		const char *words, *text;
	} cases[] = {
		{EBUSY, NULL, "eth0: channels cannot be set to combined=2: the device is busy"},
		{EPERM, NULL, "eth0: channels cannot be set to combined=2: not permitted; it takes CAP_NET_ADMIN in its network namespace"},
		{ENODEV, NULL, "eth0: channels cannot be set to combined=2: there is no such interface in this network namespace"},
		{EOPNOTSUPP, NULL, "eth0: channels cannot be set to combined=2: its driver cannot"},
		{EINVAL, "because", "eth0: channels cannot be set to combined=2: Invalid argument (because)"},
	};
	struct fake_nic *f = fake_make();

	f->n_slots = 0;
	for (size_t i = 0; i < TA_ARRAY_SIZE(cases); i++) {
		f->refuse = cases[i].error;
		f->words = cases[i].words;
		fails_to_write(f, "channels", "eth0 combined", "2", -cases[i].error, cases[i].text);
	}
	reads(f, "channels", "eth0 combined", "4");
	/* A table that was set by hand and points at a queue that would go: the kernel refuses, and it is said why. */
	f->n_slots = FAKE_SLOTS;
	f->refuse = EINVAL;
	f->words = "requested channel counts are too low for existing indirection table settings";
	fails_to_write(f, "channels", "eth0 combined", "2", -EINVAL,
		"its RSS table points at queue 3; if it was set by hand, 'ethtool -X eth0 default' gives it back: eth0: channels "
		"cannot be set to combined=2: Invalid argument (requested channel counts are too low for existing indirection "
		"table settings)");
	ta_host_free(&f->host);
}

static void missing(void **state)
{
	struct fake_nic *f = fake_make();

	f->coalesce.have = 0;
	fails_to_read(f, "coalesce", "eth0", -EOPNOTSUPP, "eth0: coalesce cannot be read: its driver cannot");
	fails_to_write(f, "coalesce", "eth0 rx-usecs", "5", -EOPNOTSUPP, "eth0: coalesce cannot be read: its driver cannot");
	f->n_slots = 0;
	fails_to_read(f, "rss", "eth0 table", -EOPNOTSUPP, "eth0: its RSS table cannot be read: its driver cannot");
	fails_to_read(f, "channels", "a/b", -EINVAL, "'a/b' can be no interface");
	assert_int_equal(f->sent, 0);
	ta_host_free(&f->host);
}

/* --- offloads ------------------------------------------------------------------ */

static void features(void **state)
{
	struct fake_nic *f = fake_make();

	reads(f, "features", "eth0", "tx-scatter-gather=on rx-gro=off tx-tcp-segmentation=on");
	reads(f, "features", "eth0 rx-lro", "off");
	writes(f, "features", "eth0 rx-gro", "off", 0);
	writes(f, "features", "eth0 rx-gro", "on", 1);
	assert_int_equal(f->last, 2);
	/* What depends on it goes too, and comes back with it. */
	writes(f, "features", "eth0 tx-scatter-gather", "off", 1);
	reads(f, "features", "eth0", "tx-scatter-gather=off rx-gro=on tx-tcp-segmentation=off:wanted");
	remarks(f, "features", "eth0 tx-tcp-segmentation", "asked for, and not in effect: its driver or another offload stands against it");
	remarks(f, "features", "eth0 rx-gro", "");
	remarks(f, "features", "eth0", "");
	fails_to_write(f, "features", "eth0 tx-tcp-segmentation", "on", -EOPNOTSUPP,
		"eth0: tx-tcp-segmentation on is asked for already, but its driver or another offload stands against it");
	/* That it is asked for is put back by asking, not by switching off what is off. */
	writes(f, "features", "eth0 tx-tcp-segmentation", "off:wanted", 0);
	writes(f, "features", "eth0 tx-tcp-segmentation", "off", 1);
	reads(f, "features", "eth0 tx-tcp-segmentation", "off");
	writes(f, "features", "eth0 tx-tcp-segmentation", "off:wanted", 1);
	reads(f, "features", "eth0 tx-tcp-segmentation", "off:wanted");
	writes(f, "features", "eth0", "tx-scatter-gather=on rx-gro=off tx-tcp-segmentation=on", 1);
	assert_int_equal(f->last, 1 | 2);
	reads(f, "features", "eth0", "tx-scatter-gather=on rx-gro=off tx-tcp-segmentation=on");
	fails_to_write(f, "features", "eth0 rx-lro", "on", -EOPNOTSUPP, "eth0: its driver does not let rx-lro be switched");
	writes(f, "features", "eth0 rx-lro", "off", 0);
	fails_to_write(f, "features", "eth0 nosuch", "on", -EOPNOTSUPP, "eth0: this kernel has no offload nosuch");
	ta_host_free(&f->host);
}

/* --- RSS ---------------------------------------------------------------------------- */

static void rss(void **state)
{
	struct fake_nic *f = fake_make();

	reads(f, "rss", "eth0", "table=default hfunc=toeplitz key=6d5a00ff");
	reads(f, "rss", "eth0 table", "default");
	writes(f, "rss", "eth0 table", "default", 0);
	writes(f, "rss", "eth0 table", "equal:2", 1);
	assert_true(f->configured);
	reads(f, "rss", "eth0 table", "equal:2");
	writes(f, "rss", "eth0", "table=0*4,3,1*3 hfunc=xor key=00000001", 1);
	reads(f, "rss", "eth0", "table=0*4,3,1*3 hfunc=xor key=00000001");
	writes(f, "rss", "eth0", "table=0*4,3,1*3 hfunc=xor key=00000001", 0);
	/* Back to what follows the queues, not to a table that only looks like it. */
	writes(f, "rss", "eth0", "table=default hfunc=toeplitz key=6d5a00ff", 1);
	assert_false(f->configured);
	reads(f, "rss", "eth0", "table=default hfunc=toeplitz key=6d5a00ff");
	/* What a driver left behind when queues went is its own, and not sent anew. */
	f->channels.v[3] = 2;
	reads(f, "rss", "eth0 table", "default");
	writes(f, "rss", "eth0 table", "default", 0);
	f->channels.v[3] = 8;
	reads(f, "rss", "eth0 table", "equal:4");
	f->channels.v[3] = 4;
	fails_to_write(f, "rss", "eth0 table", "equal:5", -EINVAL, "eth0: there is no queue 4 for its RSS table, it has 4");
	fails_to_write(f, "rss", "eth0 table", "0*4,1", -EINVAL, "eth0: its RSS table has 8 slots, not 5");
	assert_int_equal(f->sent, 3);
	ta_host_free(&f->host);
}

/* --- what may stand in a plan ---------------------------------------------------------- */

static void tables(void **state)
{
	static const struct {
		const char *knob, *target, *value;
		int wished, found;
	} cases[] = {
		{"channels", "eth0", "rx=0 tx=0 other=1 combined=8", 0, 0},
		{"channels", "eth0", "combined=8 other=1", -EINVAL, -EINVAL}, /* another order */
		{"channels", "eth0", "combined=8 combined=8", -EINVAL, -EINVAL},
		{"channels", "eth0", "combined=08", -EINVAL, -EINVAL},
		{"channels", "eth0", "combined=+8", -EINVAL, -EINVAL},
		{"channels", "eth0", "combined=8 ", -EINVAL, -EINVAL},
		{"channels", "eth0", " combined=8", -EINVAL, -EINVAL},
		{"channels", "eth0", "combined=", -EINVAL, -EINVAL},
		{"channels", "eth0", "", -EINVAL, -EINVAL},
		{"channels", "eth0", "combined=99999999999", -EINVAL, -EINVAL},
		{"channels", "eth0", "rx=0 tx=4", -EINVAL, -EINVAL},
		{"channels", "eth0 combined", "0", -EINVAL, 0},
		{"channels", "eth0 combined", "5000", -EINVAL, 0},
		{"channels", "eth0 combined", "8\n", -EINVAL, -EINVAL},
		{"channels", "eth0 frobs", "8", -EPERM, -EPERM},
		{"channels", "eth0 rx tx", "8", -EPERM, -EPERM},
		{"channels", "../etc", "combined=8", -EINVAL, -EINVAL},
		{"channels", "0123456789abcdef", "combined=8", -EINVAL, -EINVAL},
		{"channels", "$(id)`*\"'\\%-", "combined=8", 0, 0},
		{"rings", "eth0 rx", "4096", 0, 0},
		{"rings", "eth0 rx", "100000", -EINVAL, 0},
		{"rings", "eth0 tx-push", "on", 0, 0},
		{"rings", "eth0 tx-push", "1", -EINVAL, -EINVAL},
		{"coalesce", "eth0 rx-usecs", "4294967295", -EINVAL, 0},
		{"coalesce", "eth0 rx-usecs", "4294967296", -EINVAL, -EINVAL},
		{"features", "eth0 rx-gro", "on", 0, 0},
		{"features", "eth0 rx-gro", "off:wanted", -EINVAL, 0},
		{"features", "eth0 rx-gro", "maybe", -EINVAL, -EINVAL},
		{"features", "eth0 Rx;id", "on", -EPERM, -EPERM},
		{"features", "eth0", "a=on b=off:wanted", 0, 0},
		{"features", "eth0", "a=on b", -EINVAL, -EINVAL},
		{"features", "eth0", "a=on ", -EINVAL, -EINVAL},
		{"rss", "eth0 table", "equal:4", 0, 0},
		{"rss", "eth0 table", "equal:0", -EINVAL, -EINVAL},
		{"rss", "eth0 table", "equal:4x", -EINVAL, -EINVAL},
		{"rss", "eth0 table", "0,1,2,3", -EINVAL, -EINVAL}, /* that is equal:4 */
		{"rss", "eth0 table", "0*2,0", -EINVAL, -EINVAL},   /* and this 0*3 */
		{"rss", "eth0 table", "0*3,1", 0, 0},
		{"rss", "eth0 table", "0*3,", -EINVAL, -EINVAL},
		{"rss", "eth0 table", "0*99999", -EINVAL, -EINVAL},
		{"rss", "eth0 table", "70000", -EINVAL, -EINVAL},
		{"rss", "eth0", "table=default hfunc=crc32", -EPERM, 0},
		{"rss", "eth0", "hfunc=crc32 table=default", -EPERM, -EINVAL},
		{"rss", "eth0", "key=abc", -EPERM, -EINVAL},
		{"rss", "eth0 key", "abcd", -EPERM, -EPERM},
		{"qdisc", "eth0", "fq", 0, 0},
		{"qdisc", "eth0", "mq/fq", 0, 0},
		{"qdisc", "eth0", "mq", -EINVAL, 0},
		{"qdisc", "eth0", "default mq/fq_codel,pfifo_fast", -EINVAL, 0},
		{"qdisc", "eth0", "default mq/pfifo_fast,fq_codel", -EINVAL, -EINVAL},
		{"qdisc", "eth0", "default fq handle=1", -EINVAL, -EINVAL},
		{"qdisc", "eth0", "fq handle=8001 options=0800ff", -EINVAL, 0},
		{"qdisc", "eth0", "fq handle=8001 options=080", -EINVAL, -EINVAL},
		{"qdisc", "eth0", "fq handle=08001", -EINVAL, -EINVAL},
		{"qdisc", "eth0", "fq handle=ffff", -EINVAL, -EINVAL},
		{"qdisc", "eth0", "fq/fq", -EINVAL, -EINVAL},
		{"qdisc", "eth0", "htb", -EINVAL, -EINVAL},
		{"qdisc", "eth0", "fq; id", -EINVAL, -EINVAL},
		{"qdisc", "eth0 root", "fq", -EINVAL, -EINVAL},
		{"txqueuelen", "eth0", "1000", 0, 0},
		{"txqueuelen", "eth0", "0", -EINVAL, 0},
		{"txqueuelen", "eth0", "-1", -EINVAL, -EINVAL},
		{"txqueuelen", "eth0", " 1", -EINVAL, -EINVAL},
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(cases); i++) {
		struct ta_err err = {0};
		int wished = ta_knob_check(cases[i].knob, cases[i].target, cases[i].value, TA_VALUE_WISHED, &err);
		int found = ta_knob_check(cases[i].knob, cases[i].target, cases[i].value, TA_VALUE_FOUND, &err);

		if (wished != cases[i].wished || found != cases[i].found)
			fail_msg("%s '%s' '%s': %d and %d", cases[i].knob, cases[i].target, cases[i].value, wished, found);
		assert_true((err.text[0] != '\0') == (wished < 0 || found < 0));
	}
}

static void commands(void **state)
{
	static const struct {
		const char *knob, *target, *value, *text;
	} cases[] = {
		{"channels", "eth0", "other=1 combined=8", "ethtool -L eth0 other 1 combined 8\n"},
		{"channels", "$(id)`'\"", "combined=8", "ethtool -L '$(id)`'\\''\"' combined 8\n"},
		{"channels", "* combined", "8",
			"# ethtool takes '*' for all interfaces: give it another name first (ip link set dev '*' name …)\n"},
		{"rings", "a\\b rx", "512", "ethtool -G 'a\\b' rx 512\n"},
		{"coalesce", "-x adaptive-rx", "off", "ethtool -C -x adaptive-rx off\n"},
		{"features", "eth0", "a=on b=off:wanted c=off", "ethtool -K eth0 a on b on c off\n"},
		{"rss", "eth0 table", "equal:4", "ethtool -X eth0 equal 4\n"},
		{"rss", "eth0 table", "default", "ethtool -X eth0 default\n"},
		{"rss", "eth0 table", "0*3,1", "# no option of ethtool sets such a table slot by slot\n"},
		{"qdisc", "-x*", "fq", "tc qdisc replace dev '-x*' root fq\n"},
		{"qdisc", "eth0", "default mq/fq", "tc qdisc del dev eth0 root\n"},
		{"qdisc", "e 0", "fq", ""},
		{"qdisc", "e'0", "mq/fq",
			"tc qdisc replace dev 'e'\\''0' root handle 1: mq\n"
			"for q in /sys/class/net/'e'\\''0'/queues/tx-*; do tc qdisc replace dev 'e'\\''0' parent 1:$(printf %x "
			"$((${q##*-} + 1))) fq; done\n"},
		{"txqueuelen", "$x", "1000", "ip link set dev '$x' txqueuelen 1000\n"},
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(cases); i++) {
		ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

		ta_knob_find(cases[i].knob)->command(cases[i].target, cases[i].value, &b);
		assert_string_equal(ta_buf_text(&b), cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(channels),
		cmocka_unit_test(without_netlink),
		cmocka_unit_test(rings_and_coalesce),
		cmocka_unit_test(refused),
		cmocka_unit_test(missing),
		cmocka_unit_test(features),
		cmocka_unit_test(rss),
		cmocka_unit_test(tables),
		cmocka_unit_test(commands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
