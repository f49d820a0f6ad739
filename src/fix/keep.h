/*
 * What keeps a change over a restart of the host: a line in a file of ours, by the kind of change. The only place that says so:
 * plans show, findings tell and `apply` writes these lines.
 */
#pragma once

#include "facts/facts.h"
#include "fix/ownfile.h"
#include "fix/step.h"

/*
 * Appends the line that keeps `step` in the file of ours at `path`; the facts say where an interface is (NULL: for files that ask no
 * facts). 0; -ENOENT: that file is not for such a step, or cannot hold what it names; -ENOMEM.
 */
int ta_keep_line(const char *path, const struct ta_step *step, const struct ta_facts *facts, struct ta_buf *ret);

/*
 * The file that keeps `step` on the host that the facts are of, and its line. 0; -ENOENT: nothing does, with the reason in `why`
 * ("" where nothing needs to: the step writes a file by itself).
 */
int ta_keep_step(const struct ta_step *step, const struct ta_facts *facts, struct ta_buf *ret_file, struct ta_buf *ret_line,
	struct ta_buf *why);

/* False, with the reason: not from the namespaces, or from the place of the program, that we are in. True of a capture. */
bool ta_keep_can_from_here(struct ta_host *h, const struct ta_step *step, const char *file, struct ta_buf *why);

/* True if another line, or TuneD, sets the sysctl after our file was read. */
bool ta_keep_is_overridden(const struct ta_facts *facts, const char *key);

/* A module that sysctls of the table come with, which has to be loaded before they are set at boot. */
bool ta_keep_is_sysctl_module(const char *name);

/* The module that has to be there for a line of a file of ours, or NULL. */
const char *ta_keep_module(const char *path, const char *line);
