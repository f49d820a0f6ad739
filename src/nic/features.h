/*
 * Offloads: bits whose names the kernel tells, in four words each.
 */
#pragma once

#include <stdint.h>

#include "base/strv.h"
#include "host/host.h"

struct nlmsghdr;

#define TA_ETH_FEATURE_WORDS 8 /* 256 bits; the kernel had 64 of them in 6.12 */

struct ta_eth_features {
	uint32_t known[TA_ETH_FEATURE_WORDS]; /* bits that the answer spoke of */
	uint32_t hw[TA_ETH_FEATURE_WORDS], wanted[TA_ETH_FEATURE_WORDS];
	uint32_t active[TA_ETH_FEATURE_WORDS], nochange[TA_ETH_FEATURE_WORDS];
};

struct ta_eth_names {
	struct ta_strv features, link_modes; /* by bit; "" where the kernel has no name */
};

void ta_eth_names_done(struct ta_eth_names *names);
#define ta_cleanup_eth_names ta_cleanup(ta_eth_names_done)

/* The names of all bits by netlink; they are the same for all interfaces. 0, -EOPNOTSUPP, or what the door said. */
int ta_eth_ask_strings(struct ta_host *h, struct ta_eth_names *names);

/* A reply to STRSET_GET, untrusted. */
int ta_eth_decode_strings(const struct nlmsghdr *nlh, struct ta_eth_names *names);

/* A reply to FEATURES_GET, untrusted. */
void ta_eth_features_decode(const struct nlmsghdr *nlh, struct ta_eth_features *ret);

/* By ioctl, and the names too if there are none yet. */
int ta_eth_features_ioctl(struct ta_host *h, const char *ifname, struct ta_strv *names, struct ta_eth_features *ret);

/* Of one interface with its names, by netlink or ioctl. 0; -ENODEV, -EOPNOTSUPP, or what the door said. */
int ta_eth_features_read(struct ta_host *h, const char *ifname, struct ta_eth_names *names, struct ta_eth_features *ret,
	bool *ret_by_ioctl);

static inline bool ta_eth_has_bit(const uint32_t *words, size_t bit)
{
	return words[bit / 32] >> (bit % 32) & 1;
}

/* Appends the attributes of the request that makes the bits of `mask` what they are in `wanted`. */
void ta_eth_features_request(const char *ifname, size_t n_bits, const uint32_t *mask, const uint32_t *wanted,
	struct ta_buf *b);
