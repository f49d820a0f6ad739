/*
 * Which host this is, in a few lines: for what is pasted somewhere else.
 */
#pragma once

#include "cli/command.h"

/* Appends them; reads what they need. An exit code, after a message. */
int ta_cli_this_host(unsigned columns, struct ta_buf *ret);
