/*
 * Other names and addresses for those of the machine, the same one always for
 * the same; what a recording with `anonymize` keeps and gives to the probes.
 *
 *   MAC addresses          02:61:6e:00:00:01 …; multicast, all-zero and all-one ones stay
 *   IP addresses           198.18.0.1 …, 2001:db8::1 …; of sock_diag, /proc/net/{tcp,udp,raw}*, routes,
 *                          neighbours, mounts; loopback, wildcard and multicast ones stay
 *   host and domain name   "anonhost…" of the same length
 *   serial numbers, UUIDs  of DMI, NVMe and disks, by the name of their file: "anon-1" …
 *   interface names        stay, unless made of a MAC address (enx…): they follow it
 *   tables of addresses    of /proc/net that are not listed above: not read (-ENODATA)
 *
 * What is asked by such another name is looked up by the real one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

#define TA_ANON_HOST_MAX 256

struct ta_anon_address {
	unsigned len; /* 4, 6 or 16 */
	uint8_t real[16], fake[16];
};

struct ta_anon {
	char host[TA_ANON_HOST_MAX]; /* "" if it has none worth hiding */
	struct ta_anon_address *addresses;
	size_t n_addresses;
	char **serials;
	size_t n_serials;
	int error; /* 0 or -ENOMEM; nothing may be written then */
};

/* `host`: the host name of this machine. */
void ta_anon_init(struct ta_anon *a, const char *host);
void ta_anon_done(struct ta_anon *a);

/* The other address of `len` bytes for `real`, made if it is new. */
void ta_anon_address(struct ta_anon *a, const uint8_t *real, unsigned len, uint8_t *fake);

/* The same for the last five bytes of a longer hardware address (InfiniBand), in place: the port's own part. */
void ta_anon_port(struct ta_anon *a, uint8_t *last);

bool ta_anon_refuses(const char *path);

/* A file's text; names of a directory, targets of links and results of calls go with path NULL and keep their length. */
void ta_anon_text(struct ta_anon *a, const char *path, struct ta_buf *text);

/* Bytes of a call or an ioctl: known MAC addresses, and the host name where it stands alone between NULs. */
void ta_anon_bytes(struct ta_anon *a, void *data, size_t len);
void ta_anon_ethtool(struct ta_anon *a, void *data, size_t len);

/* A netlink answer, in place. */
void ta_anon_netlink(struct ta_anon *a, int protocol, void *bytes, size_t len);

/* The way back: the real interface names in a path, a name, or the bytes of a request; in place. */
void ta_anon_reveal(const struct ta_anon *a, void *data, size_t len);
