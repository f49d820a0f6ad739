/*
 * One file per command in src/cli/cmds/:  const struct ta_command ta_command_NAME.
 * The option table is the only place where an option is named: it drives
 * parsing, --help, completion (complete.h) and the manual pages (tools/mkman.c).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/strv.h"

/* Exit codes: the table of docs/exit-codes.md. */
enum {
	TA_EXIT_OK = 0,
	TA_EXIT_FINDINGS = 1,
	TA_EXIT_USAGE = 2,
	TA_EXIT_COVERAGE = 3,
	TA_EXIT_DRIFT = 4,
	TA_EXIT_RESTORED = 5,
	TA_EXIT_STUCK = 6,
	TA_EXIT_INTERNAL = 70,
	TA_EXIT_LOCKED = 75,
	TA_EXIT_SIGNAL = 128, /* and its number */
};

enum ta_option_kind {
	TA_OPT_FLAG,
	TA_OPT_STRING,
	TA_OPT_NUMBER, /* min … max, whole */
	TA_OPT_SECONDS, /* the same in milliseconds, written as seconds with at most three decimals */
	TA_OPT_LIST,   /* comma-separated, repeatable */
	TA_OPT_TEXTS,  /* repeatable, each as it is */
};

struct ta_option {
	const char *name; /* without the dashes */
	char letter;	  /* -c VALUE or -cVALUE means the same; 0: none */
	const char *arg;  /* "DIR", NULL for flags; completion offers what takes.h makes of it */
	enum ta_option_kind kind;
	const char *help;
	/* into the values struct: bool, const char *, int64_t, struct ta_strv */
	size_t offset;
	int64_t unset; /* numbers: the value where the option is not given */
	int64_t min, max; /* numbers: the smallest and the largest allowed */
};

struct ta_cli {
	const char *program; /* as it was called, a shell word; for commands to be copied */
	bool quiet;
	bool verbose;
	unsigned columns;
	bool color;
	struct ta_buf out; /* goes to stdout when the command has run, in one piece */
	const char *unseen; /* what has happened all the same, if `out` cannot be written; or NULL */
};

struct ta_command {
	const char *name;
	const char *args;     /* "[AREA...]"; completion offers what takes.h makes of it */
	bool internal;	      /* started by the program itself: not among the commands that it lists */
	const char *summary;  /* one line */
	const char *about;    /* paragraphs for --help */
	const char *exits;    /* lines of CODE, tab, meaning */
	const char *examples; /* lines of a command, tab, what it does */
	const struct ta_option *options;
	size_t n_options;
	size_t values_size;
	/* -1: any number of arguments */
	int min_args, max_args;
	int (*run)(struct ta_cli *cli, void *values, const struct ta_strv *args); /* an exit code */
};

extern const struct ta_command *const ta_commands[]; /* generated */
extern const size_t ta_n_commands;

/* "tuneaudit: …" on stderr, made safe; the only thing besides `out` that a command says. Returns
 * `code`. */
int ta_cli_fail(int code, const char *fmt, ...) ta_printf(2, 3);

/* Text on stderr as it is, but safe line by line: diagnostics that carry their own position. */
void ta_cli_say(const char *text);

/* The index of `value` in `choices` (ended by NULL; a value of NULL is the first), or -1 after a message. */
int ta_cli_choose(const char *option, const char *value, const char *const *choices);
