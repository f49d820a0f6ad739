#include "host/livemodule.h"

#include <errno.h>
#include <unistd.h>

#include "host/child.h"

/* A module may wait for its device and for firmware, for which the kernel waits 60 s (fw_fallback_config in drivers/base/firmware_loader). */
#define PATIENCE_MS 120000

int ta_live_modprobe(struct ta_host *h, const char *name, struct ta_err *err)
{
	static const char *const places[] = {"/usr/sbin/modprobe", "/sbin/modprobe"};
	char *const argv[] = {(char *)"modprobe", (char *)"--", (char *)name, NULL};
	char words[TA_CHILD_WORDS_MAX];

	for (size_t i = 0; i < TA_ARRAY_SIZE(places); i++) {
		int rc;

		if (access(places[i], X_OK) != 0)
			continue;
		rc = ta_child_run(places[i], argv, PATIENCE_MS, &words);
		if (rc == 0)
			return 0;
		return ta_err_set(err, rc, "%s", *words ? ta_strip(words) : rc == -EIO ? "modprobe failed" : ta_errno_text(rc));
	}
	return ta_err_set(err, -ENOENT, "there is no modprobe(8) on this host");
}
