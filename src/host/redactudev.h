/*
 * The part of host/redact.h that knows what writes attributes at boot.
 *
 * Of udev rules: of the pairs of a line those stay that say which devices it is for and which
 * attributes of an allow-list it sets; other conditions become one that nobody can answer, so that the line is not
 * taken for one that always holds; other assignments go. Rules that set nothing of it go as a whole.
 */
#pragma once

struct ta_buf;

void ta_redact_udev(struct ta_buf *b);

/* Of tmpfiles.d the lines that write settings of the same allow-list, and sysctls: "w /sys/kernel/mm/… - - - - never". */
void ta_redact_tmpfiles(struct ta_buf *b);
