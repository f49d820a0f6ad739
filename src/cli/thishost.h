/*
 * Which host this is: its fingerprint (baseline/fingerprint.h), for what is held against another host or pasted somewhere else.
 */
#pragma once

#include "cli/command.h"

struct json_object;

/* Appends its five lines, not yet safe; reads what they need. *ret_fingerprint is the caller's. An exit code, after a message. */
int ta_cli_this_host(struct ta_buf *ret, struct json_object **ret_fingerprint);

/* Without the lines. */
int ta_cli_fingerprint(struct json_object **ret);
