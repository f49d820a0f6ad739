/*
 * Where this program is, for who starts it again as root: a place that somebody else may write would make it his program.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/change.h"
#include "host/host.h"

#define DELETED " (deleted)"

/* By root, or by who we are where that is not root: nobody but us starts it then. */
static bool only_ours(const char *path)
{
	struct stat st;

	return fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) == 0 && (st.st_uid == 0 || st.st_uid == geteuid()) &&
	       (!(st.st_mode & (S_IWGRP | S_IWOTH)) || S_ISLNK(st.st_mode));
}

int ta_host_program(struct ta_host *h, struct ta_buf *ret)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;
	int rc = ta_host_is_live(h) ? ta_host_readlink(h, "/proc/self/exe", ret) : -ENODATA;

	if (rc < 0)
		return rc;
	if (ret->len > strlen(DELETED) && !strcmp(ret->data + ret->len - strlen(DELETED), DELETED))
		return -ENOENT;
	ta_buf_adds(&path, ta_buf_text(ret));
	for (char *slash; !path.error && *path.data; *slash = '\0') {
		if (!only_ours(path.data))
			return -EPERM;
		slash = strrchr(path.data, '/');
		if (!slash)
			return -EINVAL;
	}
	return path.error ?: only_ours("/") ? 0 : -EPERM;
}
