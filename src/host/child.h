/*
 * What a child of ours says before it is ready or has ended, and the programs of the host that do what only they know
 * (modprobe(8), systemd-run(1)), run to their end.
 */
#pragma once

#define TA_CHILD_WORDS_MAX 400

/*
 * Reads `fd` until `until` was said (NULL: to its end) or the end of the pipe. 0, -ETIMEDOUT (not within `patience_ms`).
 * *ret is `until`, or what was said instead: cut at its size, in one line, with blanks for control characters.
 */
int ta_child_hear(int fd, int patience_ms, const char *until, char (*ret)[TA_CHILD_WORDS_MAX]);

/*
 * Absolute path, empty environment, nothing on its standard input; what it says on standard error goes into *ret_words.
 * 0 (it ended with 0), -EIO (otherwise), -ETIMEDOUT (it was killed then), -errno (it did not start).
 */
int ta_child_run(const char *program, char *const *argv, int patience_ms, char (*ret_words)[TA_CHILD_WORDS_MAX]);
