/* Readers of /proc/PID files. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/macros.h"
#include "probe/procpid.h"

static const char limits[] =
	"Limit                     Soft Limit           Hard Limit           Units     \n"
	"Max cpu time              unlimited            unlimited            seconds   \n"
	"Max processes             9                    99                   processes \n"
	"Max open files            1024                 unlimited            files     \n"
	"Max locked memory         18446744073709551614 18446744073709551615 bytes     \n"
	"Max nice priority         0                    0                    \n"
	"Max realtime priority     0\n";

static void limit_rows(void **state)
{
	struct ta_limit soft, hard;

	assert_int_equal(ta_limits_find(limits, "Max open files", &soft, &hard), 0);
	assert_true(!soft.unlimited && soft.value == 1024 && hard.unlimited);
	assert_int_equal(ta_limits_find(limits, "Max processes", &soft, &hard), 0);
	assert_true(soft.value == 9 && !hard.unlimited && hard.value == 99);
	assert_int_equal(ta_limits_find(limits, "Max cpu time", &soft, &hard), 0);
	assert_true(soft.unlimited && hard.unlimited);
	assert_int_equal(ta_limits_find(limits, "Max locked memory", &soft, &hard), 0);
	assert_true(soft.value == UINT64_MAX - 1 && hard.value == UINT64_MAX);
	assert_int_equal(ta_limits_find(limits, "Max nice priority", &soft, &hard), 0);
	assert_int_equal(ta_limits_find(limits, "Max open", &soft, &hard), -EBADMSG);
	assert_int_equal(ta_limits_find(limits, "Max stack size", &soft, &hard), -ENOENT);
	assert_int_equal(ta_limits_find(limits, "Max realtime priority", &soft, &hard), -EBADMSG);
	assert_int_equal(ta_limits_find("Max open files  12a 4\n", "Max open files", &soft, &hard),
		-EBADMSG);
	assert_int_equal(ta_limits_find("Max open files", "Max open files", &soft, &hard), -ENOENT);
}

static void status_fields(void **state)
{
	static const char text[] = "Name:\tredis server\nCapEff:\t000001fffeffffff\nSeccomp:\n";
	ta_cleanup_buf struct ta_buf v = TA_BUF_INIT;

	assert_int_equal(ta_status_find(text, "Name", &v), 0);
	assert_string_equal(ta_buf_text(&v), "redis server");
	assert_int_equal(ta_status_find(text, "CapEff", &v), 0);
	assert_string_equal(ta_buf_text(&v), "000001fffeffffff");
	assert_int_equal(ta_status_find(text, "Seccomp", &v), 0);
	assert_string_equal(ta_buf_text(&v), "");
	assert_int_equal(ta_status_find(text, "Cap", &v), -ENOENT);
}

static void cgroup_paths(void **state)
{
	static const char text[] = "9:name=systemd:/system.slice/a:b.service\n"
				   "4:cpu,cpuacct:/x\n"
				   "broken\n"
				   "0::/user.slice\n";
	ta_cleanup_buf struct ta_buf v = TA_BUF_INIT;

	assert_int_equal(ta_cgroup_path(text, "name=systemd", &v), 0);
	assert_string_equal(ta_buf_text(&v), "/system.slice/a:b.service");
	assert_int_equal(ta_cgroup_path(text, "cpuacct", &v), 0);
	assert_string_equal(ta_buf_text(&v), "/x");
	assert_int_equal(ta_cgroup_path(text, "cpu", &v), 0);
	assert_int_equal(ta_cgroup_path(text, "cpua", &v), -ENOENT);
	assert_int_equal(ta_cgroup_path(text, "", &v), 0);
	assert_string_equal(ta_buf_text(&v), "/user.slice");
	assert_int_equal(ta_cgroup_path("", "", &v), -ENOENT);
}

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void units(void **state)
{
	static const struct {
		const char *text, *name;
		bool container;
	} cases[] = {
		{"0::/system.slice/nginx.service\n", "nginx.service", false},
		{"0::/system.slice/system-getty.slice/getty@tty1.service\n", "getty@tty1.service", false},
		{"0::/user.slice/user-1000.slice/user@1000.service/app.slice/redis.service/x\n",
			"redis.service", false},
		{"0::/user.slice/user-1000.slice/session-3.scope\n", "", false},
		{"0::/\n", "", false},
		{"4:memory:/\n1:name=systemd:/system.slice/sshd.service\n0::/\n", "sshd.service", false},
		{"0::/system.slice/docker-" ID ".scope\n", "0123456789ab", true},
		{"11:cpu,cpuacct:/docker/" ID "\n", "0123456789ab", true},
		{"0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1_2.slice/"
		 "cri-containerd-" ID ".scope\n", "0123456789ab", true},
		{"0::/kubepods/burstable/pod12/" ID "\n", "0123456789ab", true},
		{"0::/machine.slice/libpod-" ID ".scope/container\n", "0123456789ab", true},
		/* A service inside of a container is the container's. */
		{"0::/system.slice/docker-" ID ".scope/system.slice/nginx.service\n", "0123456789ab",
			true},
		{"0::/lxc.payload.web1/system.slice/nginx.service\n", "web1", true},
		{"8:cpuset:/lxc/web2\n", "web2", true},
		{"0::/machine.slice/machine-web3.scope/payload\n", "web3.scope", true},
		{"0::/machine.slice/machine-qemu\\x2d1\\x2dvm.scope/emulator\n", "", false},
		{"0::/machine.slice/systemd-nspawn@\n", "", false},
		{"0::/machine.slice/machine-\n", "", false},
		/* 63 digits are no id. */
		{"0::/docker/123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n", "", false},
		{"nonsense\n:::\n", "", false},
	};
	struct ta_unit u;

	for (size_t i = 0; i < TA_ARRAY_SIZE(cases); i++) {
		ta_unit_of(cases[i].text, &u);
		assert_string_equal(u.name, cases[i].name);
		assert_int_equal(u.container, cases[i].container);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limit_rows),
		cmocka_unit_test(status_fields),
		cmocka_unit_test(cgroup_paths),
		cmocka_unit_test(units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
