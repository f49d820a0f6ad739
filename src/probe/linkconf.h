/*
 * systemd's .link files: systemd.link(5), src/udev/net/link-config.c, src/shared/net-condition.c (252 to 258). Of all files in the
 * order of their names the first whose [Match] is met holds, and no other. A file NAME.link has drop-ins in NAME.link.d/.
 * What [Match] asks for and cannot be told from here leaves it open.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/strv.h"
#include "host/host.h"

struct ta_link_line {
	char *key, *value;
	unsigned file; /* index into ta_link_conf.files */
	unsigned number;
	bool match; /* of [Match]; else of [Link] */
};

struct ta_link_conf {
	struct ta_strv files; /* itself, then its drop-ins */
	char *name;           /* "10-eth0.link" */
	int rc;               /* of reading it or a drop-in of it; then `unread` is that file */
	char *unread;
	bool masked;          /* a link to /dev/null, or empty */
	bool more;            /* it has sections that are not read here */
	struct ta_link_line *v;
	size_t n;
};

struct ta_link_confs {
	struct ta_link_conf *v; /* by name */
	size_t n;
	int rc; /* why a directory could not be listed; 0: all were */
	const char *unlisted;
};

#define ta_cleanup_link_confs ta_cleanup(ta_link_confs_done)

/* 0 or -ENOMEM. */
int ta_link_confs_read(struct ta_host *h, struct ta_link_confs *ret);
void ta_link_confs_done(struct ta_link_confs *all);

/* The last line of [Link] for it, NULL where there is none or it is empty. */
const struct ta_link_line *ta_link_last(const struct ta_link_conf *c, const char *key);

/* "9000", "4K" (of 1024): 0 or -EINVAL, also above 2^31 - 1. */
int ta_link_number(const char *value, int64_t *ret);

/* "50us", "1ms 500us", "0.5" (seconds): 0 or -EINVAL (parse_sec(), src/basic/time-util.c). */
int ta_link_usecs(const char *value, int64_t *ret);

/* What is known of an interface when udev sees it first; "" and NULL: not known. */
struct ta_link_nic {
	const char *name;
	const char *original; /* as the kernel calls it; NULL: not known */
	char path[128];       /* as udev's ID_PATH has it */
	char driver[64], mac[32];
	bool own_mac; /* nobody gave it another one (addr_assign_type) */
	int type; /* ARPHRD; -1 = not known */
	bool is_virtual, wireless;
};

struct ta_netdev;
void ta_link_nic_read(struct ta_host *h, const struct ta_netdev *d, struct ta_link_nic *ret);

/*
 * The file that it gets, NULL: none. *ret_open: it cannot be told whether it is that one, or it could not be read (its rc).
 */
const struct ta_link_conf *ta_link_find(struct ta_host *h, const struct ta_link_confs *all, const struct ta_link_nic *nic,
	bool *ret_open);
