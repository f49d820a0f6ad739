/*
 * Throw-away directory trees for tests.
 */
#pragma once

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct tree {
	char dir[64];
};

static inline int tree_make(struct tree *t)
{
	snprintf(t->dir, sizeof(t->dir), "/tmp/tuneaudit-test.XXXXXX");
	return mkdtemp(t->dir) ? 0 : -errno;
}

/* Makes the directories that `name` needs; its full path. */
static inline void tree_path(struct tree *t, const char *name, char (*ret)[512])
{
	snprintf(*ret, sizeof(*ret), "%s/%s", t->dir, name);
	for (char *p = strchr(*ret + strlen(t->dir) + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		if (mkdir(*ret, 0700) < 0 && errno != EEXIST)
			abort();
		*p = '/';
	}
}

static inline void tree_bytes(struct tree *t, const char *name, const void *data, size_t len)
{
	char path[512];
	FILE *f;

	tree_path(t, name, &path);
	f = fopen(path, "we");
	if (!f || fwrite(data, 1, len, f) != len || fclose(f) != 0)
		abort();
}

static inline void tree_file(struct tree *t, const char *name, const char *text)
{
	tree_bytes(t, name, text, strlen(text));
}

static inline void tree_link(struct tree *t, const char *name, const char *target)
{
	char path[512];

	tree_path(t, name, &path);
	if (symlink(target, path) < 0)
		abort();
}

static inline int tree_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

static inline void tree_remove(struct tree *t)
{
	nftw(t->dir, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
