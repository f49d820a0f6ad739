/*
 * Which systemd this host has: what its files may say depends on that. Its programs would have to be run to tell; the library that they
 * share is named after it (meson.build: libsystemd-shared-252.so).
 */
#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "probe/probe.h"

static const struct ta_field fields[] = {
	{"boot.systemd", TA_T_INT, "", "version of systemd (libsystemd-shared-*.so)", 0, {}},
};

#define SHARED "libsystemd-shared-"

/* Debian's and Ubuntu's stand below the name of the architecture. */
static const char *const dirs[] = {"/usr/lib/x86_64-linux-gnu/systemd", "/usr/lib/aarch64-linux-gnu/systemd",
	"/usr/lib/arm-linux-gnueabihf/systemd", "/usr/lib/riscv64-linux-gnu/systemd", "/usr/lib/powerpc64le-linux-gnu/systemd",
	"/usr/lib/s390x-linux-gnu/systemd", "/usr/lib/i386-linux-gnu/systemd", "/usr/lib/systemd", "/usr/lib64/systemd", "/lib/systemd"};

/* The number behind the name: "libsystemd-shared-255.4-1.fc40.so" is 255. */
static bool parse(const char *name, int64_t *ret)
{
	ta_cleanup_buf struct ta_buf digits = TA_BUF_INIT;

	if (strncmp(name, SHARED, strlen(SHARED)) != 0)
		return false;
	name += strlen(SHARED);
	ta_buf_add(&digits, name, strspn(name, "0123456789"));
	return !digits.error && digits.len && digits.len < 6 && ta_parse_i64(ta_buf_text(&digits), ret) == 0;
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	int worst = -ENOENT;

	for (size_t i = 0; i < TA_ARRAY_SIZE(dirs); i++) {
		ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
		int rc = ta_host_list(h, dirs[i], &names);
		int64_t version;

		for (size_t k = 0; rc == 0 && k < names.n; k++) {
			if (!parse(names.v[k], &version))
				continue;
			ta_put_i64(f, version, "boot", "systemd");
			return;
		}
		if (rc < 0 && rc != -ENOENT)
			worst = rc;
	}
	if (worst == -ENOENT)
		ta_facts_put_absent(f, TA_KEYS("boot", "systemd"), TA_MISSING, "no systemd, or its library is where nobody looked");
	else
		ta_put_errno(f, worst, "the library of systemd", "boot", "systemd");
}

const struct ta_probe ta_probe_systemd = {
	.name = "systemd",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
