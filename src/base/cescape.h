/*
 * Escapes of C in the texts of systemd's files.
 */
#pragma once

#include "base/buf.h"

/*
 * Takes one escape apart: *text stands behind its backslash and is moved behind it; the byte is appended. -EINVAL: octal ones,
 * \u and \U, which no setting needs, and none at all. A byte 0 is none either.
 */
int ta_cescape_next(const char **text, struct ta_buf *ret);
