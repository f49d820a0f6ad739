/*
 * One file per command in src/cli/cmds/:  const struct ta_command ta_command_NAME.
 * The option table is the only place where an option is named: it drives
 * parsing, --help, and later completion and man pages.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "base/strv.h"

/* Exit codes: the table of docs/exit-codes.md. */
enum {
	TA_EXIT_OK = 0,
	TA_EXIT_FINDINGS = 1,
	TA_EXIT_USAGE = 2,
	TA_EXIT_COVERAGE = 3,
	TA_EXIT_DRIFT = 4,
	TA_EXIT_INTERNAL = 70,
};

enum ta_option_kind { TA_OPT_FLAG, TA_OPT_STRING, TA_OPT_NUMBER, TA_OPT_LIST /* comma-separated, repeatable */ };

struct ta_option {
	const char *name; /* without the dashes */
	const char *arg;  /* "DIR", NULL for flags */
	enum ta_option_kind kind;
	const char *help;
	size_t offset; /* into the command's values struct: bool, const char *, int64_t (−1 unset), struct ta_strv */
};

struct ta_cli {
	bool quiet;
	bool verbose;
	unsigned columns;
	bool color;
	FILE *out;
	FILE *err;
};

struct ta_command {
	const char *name;
	const char *args;    /* "[AREA…]" */
	const char *summary; /* one line */
	const char *help;    /* what --help adds below the options, may be NULL */
	const struct ta_option *options;
	size_t n_options;
	size_t values_size;
	int (*run)(struct ta_cli *cli, void *values, const struct ta_strv *args); /* an exit code */
};

extern const struct ta_command *const ta_commands[]; /* generated */
extern const size_t ta_n_commands;
