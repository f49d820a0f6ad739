#include "probe/systemdver.h"

#include <errno.h>
#include <string.h>

#include "base/num.h"

#define SHARED "libsystemd-shared-"

/* Debian's and Ubuntu's stand below the name of the architecture. */
static const char *const dirs[] = {"/usr/lib/x86_64-linux-gnu/systemd", "/usr/lib/aarch64-linux-gnu/systemd",
	"/usr/lib/arm-linux-gnueabihf/systemd", "/usr/lib/riscv64-linux-gnu/systemd", "/usr/lib/powerpc64le-linux-gnu/systemd",
	"/usr/lib/s390x-linux-gnu/systemd", "/usr/lib/i386-linux-gnu/systemd", "/usr/lib/systemd", "/usr/lib64/systemd", "/lib/systemd"};

/* The number behind the name: "libsystemd-shared-255.4-1.fc40.so" is 255. 0: another file. */
static int version_of(const char *name)
{
	int v = 0;

	if (strncmp(name, SHARED, sizeof(SHARED) - 1) != 0)
		return 0;
	for (name += sizeof(SHARED) - 1; ta_is_digit(*name) && v < 100000; name++)
		v = v * 10 + (*name - '0');
	return v < 100000 ? v : 0;
}

int ta_systemd_version(struct ta_host *h)
{
	int worst = -ENOENT;

	for (size_t i = 0; i < TA_ARRAY_SIZE(dirs); i++) {
		ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
		int rc = ta_host_list(h, dirs[i], &names);

		for (size_t k = 0; rc == 0 && k < names.n; k++)
			if (version_of(names.v[k]))
				return version_of(names.v[k]);
		if (rc < 0 && rc != -ENOENT)
			worst = rc;
	}
	return worst;
}
