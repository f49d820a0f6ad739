/*
 * A result that goes to a file the user named: whole, or not at all.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"

/*
 * Written beside the file, fsync'd and renamed over it: whoever reads sees the old text or the new one, and after a full disk or a
 * kill the old one stays. A link is followed, the mode of a file that is there is kept. What is no regular file (/dev/stdout, a
 * pipe) is written as it is. 0 or -errno, with a message that names the path.
 */
int ta_outfile_write(const char *path, const struct ta_buf *text, struct ta_err *err);
