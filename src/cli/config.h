/*
 * /etc/tuneaudit/config: what the owner of this host wants without asking for it each time. Lines of NAME = VALUE, `#` begins a
 * comment. A file that others than root may write is left out, which is said.
 */
#pragma once

#include <stdbool.h>

#define TA_CONFIG_FILE "/etc/tuneaudit/config"

struct ta_config {
	bool verify_load; /* verify-load = yes: `apply` does as with --verify-load */
};

/* An exit code: no such file is no fault, an unknown name or value is. Prints its own messages. */
int ta_config_read(struct ta_config *ret);
