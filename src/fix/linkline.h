/*
 * A .link file of ours for an interface, systemd.link(5). Of all such files only the first that matches an interface is used, so ours
 * holds what the one that applies now sets, too: above all how the interface is named. The lines for that are the file's base.
 */
#pragma once

#include "facts/facts.h"
#include "fix/step.h"

#define TA_OWN_LINK "/etc/systemd/network/00-tuneaudit-*.link"

/*
 * Appends the file that keeps the step, and its lines: the base, and the one of the step. 0; -ENOENT: a .link file cannot, here (this
 * systemd does not know the setting, or it cannot be told what applies to the interface now); -ENOMEM.
 */
int ta_link_make(const struct ta_step *s, const struct ta_facts *facts, struct ta_buf *ret_file, struct ta_buf *ret_lines);

size_t ta_link_key(const char *line);
/* 0, -EINVAL, -EPERM with text: a line of ours, and one of the base. */
int ta_link_check(const char *line, enum ta_value_use use, struct ta_err *err);
int ta_link_check_base(const char *line, struct ta_err *err);
