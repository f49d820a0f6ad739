/*
 * A host of a few files in memory that can be written. Some of them behave as the kernel's do: what is written is rounded up
 * to a power of two, makes another file 0, or is refused.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/internal.h"

#define FAKE_FILES 16

struct fake_file {
	const char *path;
	char text[1024];
	bool clamps;
	const char *makes_zero; /* another path */
	const char *takes_away; /* another path, which is gone then */
	const char *loads;	/* the directory of a module */
	int write_error;	/* writing fails so … */
	unsigned errors_left;	/* … so many times */
	bool gone;
	unsigned writes;
};

struct fake_host {
	struct ta_host host;
	struct fake_file files[FAKE_FILES];
	size_t n;
	const char *boot; /* id */
	const char *netns;
	int64_t uptime_ms;
};

static inline struct fake_file *fake_find(struct ta_host *h, const char *path)
{
	struct fake_host *f = (struct fake_host *)h;

	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->files[i].path, path) && !f->files[i].gone)
			return &f->files[i];
	return NULL;
}

static inline int fake_read(struct ta_host *h, const char *path, size_t cap, struct ta_buf *ret)
{
	struct fake_host *f = (struct fake_host *)h;
	const struct fake_file *file = fake_find(h, path);

	if (!strcmp(path, "/proc/sys/kernel/random/boot_id"))
		ta_buf_adds(ret, f->boot);
	else if (!strcmp(path, "/proc/sys/kernel/hostname"))
		ta_buf_adds(ret, "fake");
	else if (file)
		ta_buf_printf(ret, "%s\n", file->text);
	else
		return -ENOENT;
	return ret->error;
}

static inline int fake_exists(struct ta_host *h, const char *path)
{
	return fake_find(h, path) ? 0 : -ENOENT;
}

static inline int fake_list(struct ta_host *h, const char *path, struct ta_strv *ret)
{
	return -ENOENT;
}

static inline int fake_lines(struct ta_host *h, const char *path, ta_line_fn *fn, void *ctx)
{
	return -ENOENT;
}

static inline int fake_readlink(struct ta_host *h, const char *path, struct ta_buf *ret)
{
	if (strcmp(path, "/proc/self/ns/net") != 0)
		return -ENOENT;
	ta_buf_adds(ret, ((struct fake_host *)h)->netns);
	return ret->error;
}

static inline int fake_netlink(struct ta_host *h, int protocol, const char *key, struct nlmsghdr *request,
	struct ta_buf *ret)
{
	return -ENODATA;
}

static inline int fake_call(struct ta_host *h, const char *key, int (*fn)(void *arg, struct ta_buf *ret), void *arg,
	struct ta_buf *ret)
{
	return -ENOSYS;
}

static inline int fake_time(struct ta_host *h, int64_t *ret)
{
	*ret = 1800000000;
	return 0;
}

static inline int fake_uptime_ms(struct ta_host *h, int64_t *ret)
{
	*ret = ((struct fake_host *)h)->uptime_ms;
	return 0;
}

static inline void fake_done(struct ta_host *h)
{
}

static inline int fake_may_set(struct ta_host *h, const char *path)
{
	return fake_exists(h, path);
}

static inline int fake_own(struct ta_host *h, const char *path, size_t cap, struct ta_buf *ret)
{
	const struct fake_file *file = fake_find(h, path);

	if (!file && strcmp(path, "/etc/machine-id") != 0)
		return -ENOENT;
	ta_buf_adds(ret, file ? file->text : "0123456789abcdef0123456789abcdef\n");
	return ret->error;
}

/* One that was added, there or gone. */
static inline struct fake_file *fake_ours(struct ta_host *h, const char *path)
{
	struct fake_host *f = (struct fake_host *)h;

	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->files[i].path, path))
			return &f->files[i];
	return NULL;
}

static inline int fake_write_ours(struct fake_file *file)
{
	if (!file)
		return -ENOENT;
	file->writes++;
	if (!file->errors_left)
		return 0;
	file->errors_left--;
	return file->write_error;
}

static inline int fake_put_file(struct ta_host *h, const char *path, const char *text, mode_t mode, bool parent)
{
	struct fake_file *file = fake_ours(h, path);
	int rc = fake_write_ours(file);

	if (rc == 0) {
		file->gone = false;
		snprintf(file->text, sizeof(file->text), "%s", text);
	}
	return rc;
}

static inline int fake_may_put(struct ta_host *h, const char *path)
{
	return fake_ours(h, path) ? 0 : -ENOENT;
}

static inline int fake_unlink(struct ta_host *h, const char *path, bool parent)
{
	struct fake_file *file = fake_ours(h, path);
	int rc = fake_write_ours(file);

	if (rc == 0)
		file->gone = true;
	return rc;
}

static inline int fake_unload(struct ta_host *h, const char *name, struct ta_err *err)
{
	char path[80];
	struct fake_file *file;

	snprintf(path, sizeof(path), "/sys/module/%s", name);
	file = fake_find(h, path);
	if (!file)
		return ta_err_set(err, -ENOENT, "it is not there");
	file->writes++;
	if (file->errors_left)
		return ta_err_set(err, file->write_error, "it is in use");
	file->gone = true;
	return 0;
}

static inline int fake_load(struct ta_host *h, const char *name, struct ta_err *err)
{
	char path[80];
	struct fake_file *file;

	snprintf(path, sizeof(path), "/sys/module/%s", name);
	file = fake_ours(h, path);
	if (!file)
		return ta_err_set(err, -ENOENT, "there is no such module");
	file->gone = false;
	return 0;
}

static inline int fake_set(struct ta_host *h, const char *path, const char *text)
{
	struct fake_file *file = fake_find(h, path), *other;
	unsigned long v = strtoul(text, NULL, 10), up = 1;

	if (!file)
		return -ENOENT;
	file->writes++;
	if (file->errors_left) {
		file->errors_left--;
		return file->write_error;
	}
	if (file->makes_zero && !strcmp(text, "0"))
		return -EINVAL;
	while (up < v)
		up *= 2;
	if (file->clamps)
		snprintf(file->text, sizeof(file->text), "%lu", v ? up : 0);
	else
		snprintf(file->text, sizeof(file->text), "%s", text);
	other = file->takes_away ? fake_find(h, file->takes_away) : NULL;
	if (other)
		other->gone = true;
	other = file->loads ? fake_ours(h, file->loads) : NULL;
	if (other)
		other->gone = false;
	other = file->makes_zero ? fake_find(h, file->makes_zero) : NULL;
	if (other)
		snprintf(other->text, sizeof(other->text), "0");
	return 0;
}

/* None runs. */
static inline int fake_irqbalance(struct ta_host *h, const char *words, struct ta_buf *ret)
{
	return -ESRCH;
}

static const struct ta_change_ops fake_changes = {.may_set = fake_may_set, .set = fake_set, .own = fake_own,
	.may_put = fake_may_put, .put = fake_put_file, .unlink = fake_unlink, .irqbalance = fake_irqbalance, .load_module = fake_load, .unload_module = fake_unload};

static const struct ta_host_ops fake_ops = {
	.change = &fake_changes,
	.done = fake_done,
	.read = fake_read,
	.lines = fake_lines,
	.list = fake_list,
	.readlink = fake_readlink,
	.exists = fake_exists,
	.call = fake_call,
	.netlink = fake_netlink,
	.time = fake_time,
	.uptime_ms = fake_uptime_ms,
};

static inline struct fake_host *fake_new(void)
{
	struct fake_host *f = ta_host_new(sizeof(*f), &fake_ops, true);

	if (!f)
		abort();
	f->boot = "boot-1";
	f->netns = "net:[1]";
	return f;
}

/* A file of /proc/sys by its path there: "net/core/somaxconn". */
static inline struct fake_file *fake_add(struct fake_host *f, const char *path, const char *text)
{
	struct fake_file *file = &f->files[f->n++];

	*file = (struct fake_file){.path = path};
	snprintf(file->text, sizeof(file->text), "%s", text);
	return file;
}

static inline void fake_put(struct fake_file *file, const char *text)
{
	snprintf(file->text, sizeof(file->text), "%s", text);
}
