/*
 * The output of `sysctl -a` in a capture that others made, as a stand-in for the
 * files of /proc/sys that were not copied. Bytes in, no files.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct ta_sysctl_line {
	const char *key, *value; /* into the text; not ended by NUL */
	size_t key_len, value_len;
};

struct ta_sysctl_text {
	struct ta_buf text;
	struct ta_sysctl_line *v; /* sorted by key */
	size_t n;
};

/* Takes the bytes of `text` over and looks for "key = value" lines; others are passed over. 0 or
 * -ENOMEM. */
int ta_sysctl_text_parse(struct ta_buf *text, struct ta_sysctl_text *ret);

/*
 * The value of the file `path` (below /proc/sys/) with a newline at its end. 0 or -ENOENT.
 * sysctl writes a dot in a name as '/': net.ipv4.conf.eth0/100.rp_filter.
 */
int ta_sysctl_text_get(const struct ta_sysctl_text *s, const char *path, struct ta_buf *ret);

/* True if `path` is /proc/sys, or a file or directory below it. */
bool ta_sysctl_text_has(const struct ta_sysctl_text *s, const char *path);

void ta_sysctl_text_done(struct ta_sysctl_text *s);
