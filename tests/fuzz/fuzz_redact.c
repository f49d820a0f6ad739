/*
 * What is left out of files, and other names in them. The first byte chooses the file.
 */
#include <stdlib.h>
#include <string.h>

#include "host/anon.h"
#include "host/redact.h"

static const char *const paths[] = {
	"/proc/cmdline", "/proc/1/cmdline", "/etc/os-release", "/etc/sysctl.conf", "/etc/security/limits.conf",
	"/etc/modprobe.d/a.conf", "/etc/systemd/system.conf", "/proc/net/tcp", "/proc/net/tcp6", "/proc/mounts",
	"/sys/class/net/eth0/address", "/sys/class/dmi/id/product_serial", "/proc/sys/kernel/hostname",
	"/etc/default/irqbalance", "/etc/tuned/active_profile", "/etc/systemd/system/a.service",
	"/etc/systemd/network/a.link", "/etc/config/irqbalance", "/etc/tmpfiles.d/a.conf", "/etc/udev/rules.d/a.rules",
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ta_cleanup_buf struct ta_buf once = TA_BUF_INIT, twice = TA_BUF_INIT;
	struct ta_anon anon;
	const char *path;

	if (!size)
		return 0;
	path = paths[data[0] % TA_ARRAY_SIZE(paths)];
	ta_buf_add(&once, data + 1, size - 1);
	ta_redact(path, &once);
	if (once.len > size - 1 || once.data[once.len])
		abort();
	ta_buf_add(&twice, once.data, once.len);
	ta_redact(path, &twice);
	if (twice.len != once.len || memcmp(twice.data, once.data, once.len) != 0)
		abort();
	ta_anon_init(&anon, "web1.corp");
	ta_anon_text(&anon, path, &once);
	ta_anon_done(&anon);
	return 0;
}
