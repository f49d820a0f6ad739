/*
 * What udev rules set when a device appears: the rules of all directories in their order, held against one device,
 * as far as that can be told from here. udev(7), src/udev/udev-rules.c and udev-event.c of systemd (252 to 258).
 *
 * A condition that cannot be answered (programs, tags, properties that other rules give) makes what its line sets
 * possible, not certain.
 */
#pragma once

#include "host/host.h"
#include "host/udevtext.h"

struct ta_udev_rule {
	unsigned number; /* of its line */
	struct ta_udev_token *v;
	size_t n;
};

struct ta_udev_file {
	char *path, *name;
	struct ta_udev_rule *v; /* those that set something, or jump */
	size_t n;
};

struct ta_udev_rules {
	struct ta_udev_file *v; /* files that hold something, by name */
	size_t n;
	bool has_link_setup; /* 80-net-setup-link.rules is there and not masked */
	/* A file or directory that could not be read: 0 or -errno, and which. */
	int rc;
	char hole[256];
};

#define ta_cleanup_udev_rules ta_cleanup(ta_udev_rules_done)

/* 0 or -ENOMEM. */
int ta_udev_rules_read(struct ta_host *h, struct ta_udev_rules *ret);
void ta_udev_rules_done(struct ta_udev_rules *r);

/* Adds the lines of one file. 0 or -ENOMEM. */
int ta_udev_rules_add(struct ta_udev_rules *r, const char *path, const char *text, size_t len);

struct ta_udev_device {
	const char *subsystem; /* "block", "net", "nvme", "module" */
	const char *name;      /* what it is called now */
	const char *kernel;    /* what the kernel calls it when it appears; NULL: not known */
	const char *dir;       /* "/sys/class/net/eth0" */
	const char *devtype;   /* "disk"; "" = it has none, NULL: not known */
};

struct ta_udev_set {
	const struct ta_udev_file *file;
	unsigned line;
	bool run;          /* `attr` is "", `value` the program with its arguments */
	const char *attr;  /* below the device's directory, or the sysctl of SYSCTL{} */
	bool sysctl;
	const char *value; /* NULL: it depends on what is not known here */
	bool maybe;
};

/* Calls fn for each thing that is set for the device, in order. 0, -ENOMEM or what fn returned. */
int ta_udev_apply(const struct ta_udev_rules *r, struct ta_host *h, const struct ta_udev_device *d,
	int (*fn)(const struct ta_udev_set *set, void *ctx), void *ctx);
