/*
 * Which host this is, in a few lines: for what is pasted somewhere else.
 */
#pragma once

#include "cli/command.h"

struct json_object;

/* Appends them; reads what they need. *ret_fingerprint is the caller's. An exit code, after a message. */
int ta_cli_this_host(unsigned columns, struct ta_buf *ret, struct json_object **ret_fingerprint);

/* Only the fingerprint (baseline/fingerprint.h). */
int ta_cli_fingerprint(struct json_object **ret);
