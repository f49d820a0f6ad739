/* Unit files and drop-ins: which hold, in which order, and what the next start of a service gets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probe/unitfile.h"
#include "probe/unitset.h"
#include "tests/unit/probes.h"

#define NGINX "nginx.service"

static struct tree t;

static int setup(void **state)
{
	return tree_make(&t);
}

static int teardown(void **state)
{
	tree_remove(&t);
	return 0;
}

/* "SOFT:HARD by FILE:LINE" of a unit. */
static void assert_nofile(const char *unit, const char *want)
{
	struct ta_unit_defaults d = {.asked = false};
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();
	ta_cleanup_buf struct ta_buf got = TA_BUF_INIT;
	struct ta_host *h = NULL;
	static const char *const keys[] = {"nofile_soft", "nofile_hard", "nofile_set_by"};

	assert_int_equal(ta_host_capture(t.dir, &h, NULL), 0);
	ta_unit_put(h, f, &d, unit);
	ta_host_free(h);
	for (size_t i = 0; i < TA_ARRAY_SIZE(keys); i++) {
		struct json_object *v = ta_facts_at(f, TA_KEYS("units", unit, keys[i]));

		ta_buf_printf(&got, "%s%s", i == 1 ? ":" : i ? " by " : "", v ? json_object_get_string(v) : "?");
	}
	assert_string_equal(ta_buf_text(&got), want);
}

static void limits(void **state)
{
	static const struct {
		const char *text;
		uint64_t soft, hard;
	} good[] = {
		{"65536", 65536, 65536}, {"1024:524288", 1024, 524288}, {"64K", 65536, 65536}, {"1K:1M", 1024, 1048576},
		{"infinity", UINT64_MAX, UINT64_MAX}, {"0:infinity", 0, UINT64_MAX}, {"512KB", 524288, 524288},
	};
	static const char *const bad[] = {"", ":", "5:", ":5", "2:1", "infinity:5", "x", "1 2", "-1", "1.5K", "1KK", "K",
		"99999999999999999999", "99999999999999999T", "1024:524288:1"};
	struct ta_rlimit_text r;

	for (size_t i = 0; i < TA_ARRAY_SIZE(good); i++) {
		assert_int_equal(ta_rlimit_parse(good[i].text, &r), 0);
		assert_int_equal(r.soft, good[i].soft);
		assert_int_equal(r.hard, good[i].hard);
		assert_int_equal(r.hard_unlimited, good[i].hard == UINT64_MAX);
	}
	for (size_t i = 0; i < TA_ARRAY_SIZE(bad); i++)
		if (!ta_rlimit_parse(bad[i], &r))
			fail_msg("'%s' is no limit", bad[i]);
}

static int note(const struct ta_unit_line *l, void *ctx)
{
	ta_buf_printf(ctx, "%u:[%s]%s=%s|", l->line, l->section, l->key, l->value);
	return 0;
}

static void text(void **state)
{
	static const char unit[] = "# c\n[Unit]\nA = b = c \n;x=y\n[Service]\nE=one \\\n# in between\n  two\\\n\nB=\nno line\n[X\nC=d";
	ta_cleanup_buf struct ta_buf got = TA_BUF_INIT;

	assert_int_equal(ta_unit_parse(unit, sizeof(unit) - 1, 0, note, &got), 0);
	assert_string_equal(ta_buf_text(&got), "3:[Unit]A=b = c|6:[Service]E=one    two|10:[Service]B=|13:[X]C=d|");
}

static void the_unit_itself(void **state)
{
	assert_nofile(NGINX, "?:? by ?");
	tree_file(&t, "usr/lib/systemd/system/nginx.service", "[Service]\nExecStart=/x\nLimitNOFILE=1024\n");
	assert_nofile(NGINX, "1024:1024 by /usr/lib/systemd/system/nginx.service:3");
	/* The whole file of /etc stands for that of the package. */
	tree_file(&t, "etc/systemd/system/nginx.service", "[Service]\nExecStart=/y\n[Install]\nLimitNOFILE=7\n");
	assert_nofile(NGINX, "?:? by ");
	tree_file(&t, "etc/systemd/system.conf", "[Manager]\n#DefaultLimitNOFILE=5\nDefaultLimitNOFILE=2048:4096\n");
	assert_nofile(NGINX, "2048:4096 by /etc/systemd/system.conf:3");
	tree_file(&t, "usr/lib/systemd/system.conf.d/10-a.conf", "[Manager]\nDefaultLimitNOFILE=4096:8192\n");
	tree_file(&t, "etc/systemd/system.conf.d/05-b.conf", "[Manager]\nDefaultLimitNOFILE=1:2\n");
	assert_nofile(NGINX, "4096:8192 by /usr/lib/systemd/system.conf.d/10-a.conf:2");
}

static void drop_ins(void **state)
{
	tree_file(&t, "usr/lib/systemd/system/nginx.service", "[Service]\nLimitNOFILE=1\n");
	tree_file(&t, "usr/lib/systemd/system/nginx.service.d/50-a.conf", "[Service]\nLimitNOFILE=2\n");
	tree_file(&t, "run/systemd/system/nginx.service.d/40-b.conf", "[Service]\nLimitNOFILE=3\n");
	assert_nofile(NGINX, "2:2 by /usr/lib/systemd/system/nginx.service.d/50-a.conf:2");
	/* By name, whatever the directory; of one name that in /etc. */
	tree_file(&t, "etc/systemd/system/nginx.service.d/50-a.conf", "[Service]\n\nLimitNOFILE=4\n");
	assert_nofile(NGINX, "4:4 by /etc/systemd/system/nginx.service.d/50-a.conf:3");
	tree_file(&t, "etc/systemd/system/service.d/60-all.conf", "[Service]\nLimitNOFILE=5\n");
	assert_nofile(NGINX, "5:5 by /etc/systemd/system/service.d/60-all.conf:2");
	tree_file(&t, "etc/systemd/system.control/nginx.service.d/70.conf", "[Service]\nLimitNOFILE=6\n");
	assert_nofile(NGINX, "6:6 by /etc/systemd/system.control/nginx.service.d/70.conf:2");
	/* Masked by a link; not a drop-in by its name; what makes no sense changes nothing. */
	tree_link(&t, "etc/systemd/system.control/nginx.service.d/80.conf", "/dev/null");
	tree_file(&t, "usr/lib/systemd/system/nginx.service.d/80.conf", "[Service]\nLimitNOFILE=7\n");
	tree_file(&t, "etc/systemd/system/nginx.service.d/90.conf.bak", "[Service]\nLimitNOFILE=8\n");
	tree_file(&t, "etc/systemd/system/nginx.service.d/91.conf", "[Service]\nLimitNOFILE=lots\n[Unit]\nLimitNOFILE=9\n");
	assert_nofile(NGINX, "6:6 by /etc/systemd/system.control/nginx.service.d/70.conf:2");
	/* Nothing behind '=' takes all of it back. */
	tree_file(&t, "etc/systemd/system/nginx.service.d/99.conf", "[Service]\nLimitNOFILE=\n");
	assert_nofile(NGINX, "?:? by ");
}

static void templates_and_prefixes(void **state)
{
	tree_file(&t, "usr/lib/systemd/system/web@.service", "[Service]\nLimitNOFILE=1\n");
	assert_nofile("web@1.service", "1:1 by /usr/lib/systemd/system/web@.service:2");
	tree_file(&t, "etc/systemd/system/web@.service.d/a.conf", "[Service]\nLimitNOFILE=2\n");
	assert_nofile("web@1.service", "2:2 by /etc/systemd/system/web@.service.d/a.conf:2");
	tree_file(&t, "etc/systemd/system/web@1.service.d/b.conf", "[Service]\nLimitNOFILE=3\n");
	assert_nofile("web@1.service", "3:3 by /etc/systemd/system/web@1.service.d/b.conf:2");
	assert_nofile("web@2.service", "2:2 by /etc/systemd/system/web@.service.d/a.conf:2");
	tree_file(&t, "usr/lib/systemd/system/my-web-app.service", "[Service]\nLimitNOFILE=4\n");
	tree_file(&t, "etc/systemd/system/my-.service.d/a.conf", "[Service]\nLimitNOFILE=5\n");
	assert_nofile("my-web-app.service", "5:5 by /etc/systemd/system/my-.service.d/a.conf:2");
	tree_file(&t, "etc/systemd/system/my-web-.service.d/a.conf", "[Service]\nLimitNOFILE=6\n");
	assert_nofile("my-web-app.service", "6:6 by /etc/systemd/system/my-web-.service.d/a.conf:2");
	assert_nofile("../my-.service", "?:? by ?");
	assert_nofile("plain", "?:? by ?");
}

static void unreadable(void **state)
{
	tree_file(&t, "usr/lib/systemd/system/nginx.service", "[Service]\nLimitNOFILE=1\n");
	tree_file(&t, "calls.json", "{\"errors\":{\"list\":{\"/etc/systemd/system/nginx.service.d\":\"EACCES\"}}}");
	assert_nofile(NGINX, "?:? by ?");
	tree_file(&t, "calls.json", "{\"errors\":{\"read\":{\"/etc/systemd/system.conf\":\"EACCES\"}}}");
	assert_nofile(NGINX, "1:1 by /usr/lib/systemd/system/nginx.service:2");
	tree_file(&t, "usr/lib/systemd/system/nginx.service", "[Service]\n");
	assert_nofile(NGINX, "?:? by ?");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(limits), TEST(text), TEST(the_unit_itself), TEST(drop_ins), TEST(templates_and_prefixes), TEST(unreadable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
