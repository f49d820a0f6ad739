/*
 * A directory that is there whole or not at all: written under another name
 * beside its place and renamed into it.
 */
#pragma once

#include <stddef.h>

#include "base/err.h"

struct ta_newdir {
	int parent;     /* the directory that it will stand in; -1: nothing was made */
	int fd;         /* it itself, readable */
	char name[256]; /* its name in `parent` in the end … */
	char temporary[256]; /* … and until then */
	char given[256]; /* as the user wrote it, for messages; may be cut */
};

#define TA_NEWDIR_INIT {.parent = -1, .fd = -1}

/* Makes it (0700). The place must be free or hold an empty directory. Removes what killed runs of ours left for it. */
int ta_newdir_make(const char *path, struct ta_newdir *ret, struct ta_err *err);

/* Writes a new file (0600) at "/a/b/name" in it, with the directories it needs. A file that could not be written whole is removed. */
int ta_newdir_write(struct ta_newdir *d, const char *path, const void *data, size_t len);

/* Makes all of it durable and gives it its name. On failure it is removed. */
int ta_newdir_finish(struct ta_newdir *d, struct ta_err *err);

/* Removes it if it has not its name yet; closes. */
void ta_newdir_drop(struct ta_newdir *d);
