/*
 * Files of drop-in directories in the order in which systemd reads them (conf_files_list_strv(),
 * src/basic/conf-files.c): by name, whatever the directory; of files of one name that in the first directory
 * stands for all, even if it is empty or a link to /dev/null.
 */
#pragma once

#include "host/host.h"

#define TA_CONF_FILES_MAX 4096

struct ta_conf_file {
	char *path; /* to be read */
	char *name; /* by which it is sorted: the last part of where it was found */
};

struct ta_conf_files {
	struct ta_conf_file *v;
	size_t n;
	/* A directory that could not be listed: it may hold anything. 0, or -errno; the first one. */
	int rc;
	const char *unlisted;
};

#define ta_cleanup_conf_files ta_cleanup(ta_conf_files_done)

/*
 * `dirs` in the order of precedence, ended by NULL; borrowed. Files end with `suffix` (".conf") and do not begin with '.'.
 * A link to `link_to` (may be NULL) goes by that path, so that lines are told where people look for them.
 * Above TA_CONF_FILES_MAX files `rc` is -EFBIG. 0 or -ENOMEM.
 */
int ta_conf_files(struct ta_host *h, const char *const *dirs, const char *suffix, const char *link_to,
	struct ta_conf_files *ret);
void ta_conf_files_done(struct ta_conf_files *c);
