/*
 * Command lines: a small strict parser over the option tables. Pure: it prints nothing.
 *
 *   --name VALUE   --name=VALUE   -h -q -v (also -qv)   --   then only arguments
 *
 * Names are never abbreviated: a script that works today means the same when an option is added.
 */
#pragma once

#include "cli/command.h"

/* What is accepted everywhere, before the command and after it. */
struct ta_globals {
	bool help, version, quiet, verbose;
};

/*
 * `values` (values_size bytes) is filled with what is not given and then with what is. `argv` and
 * its strings are borrowed by values and `args`. 0, -EINVAL with a message that names the option,
 * -ENOMEM. In every case free with ta_options_done().
 */
int ta_options_parse(const struct ta_command *c, char *const *argv, size_t n,
	struct ta_globals *globals, void *values, struct ta_strv *args, struct ta_err *err);
void ta_options_done(const struct ta_command *c, void *values);

/* Options before the command: the index of the command's name in argv, or n. -EINVAL as above. */
int ta_options_globals(char *const *argv, size_t n, struct ta_globals *globals, size_t *ret_next,
	struct ta_err *err);

/*
 * The options that every command takes, from 0 on: what one does, with its name and dashes in `ret_name` and its letter (0:
 * none); NULL behind the last.
 */
const char *ta_options_global(size_t i, struct ta_buf *ret_name, char *ret_letter);

/* What the program is, in a sentence or two. */
extern const char ta_help_about[];

/* The texts of --help, wrapped. */
void ta_help_command(const struct ta_command *c, unsigned columns, struct ta_buf *ret);
/* `program`: as it was called, for the lines to be copied. What to do first; and all there is. */
void ta_help_begin(const char *program, unsigned columns, struct ta_buf *ret);
void ta_help_program(const char *program, unsigned columns, struct ta_buf *ret);
