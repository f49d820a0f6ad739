/*
 * What systemd-sysctl makes of the text of its files: sysctl.d(5), src/sysctl/sysctl.c and
 * src/basic/sysctl-util.c of systemd (252 to 258). Functions take bytes and read nothing.
 *
 * Of a line only '=' matters: there are no continuations, no quotes, and no comment behind a value. A line ends
 * at \n, \r or \r\n. "-KEY = V" is set and failing is no fault; "-KEY" alone keeps patterns away from KEY.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct ta_sysctl_line {
	unsigned number; /* of the line, from 1 */
	const char *key; /* as a path below /proc/sys: "net/ipv4/conf/eth0.100/rp_filter" */
	const char *value; /* without the blanks around it; NULL: the key is only kept from patterns */
	bool pattern; /* the key holds *, ? or [ */
};

/*
 * Calls fn for each assignment and exclusion, in order; a non-zero return of it stops and is returned.
 * -EBADMSG: a NUL byte; what stood before it was given. -ENOMEM.
 */
int ta_sysctld_parse(const char *text, size_t len, int (*fn)(const struct ta_sysctl_line *line, void *ctx), void *ctx);

/*
 * The key as a path, in place: if its first separator is a dot, dots become slashes and slashes dots; doubled,
 * leading and closing slashes go.
 */
void ta_sysctl_path(char *key);

/* As glob(3) has it: '*', '?' and [set] match no '/' and, where a name begins, no '.'. */
bool ta_sysctl_matches(const char *pattern, const char *path);
