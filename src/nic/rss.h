/*
 * How received packets are spread over queues: hash function, key, and the table from hash to queue.
 */
#pragma once

#include <stdint.h>

#include "host/host.h"

struct nlmsghdr;

struct ta_nic_rss {
	uint32_t *table; /* queue of each slot */
	size_t n;
	unsigned char *key;
	size_t n_key;
	uint32_t hfunc;	    /* bit mask: 1 toeplitz, 2 xor, 4 crc32; 0: not told */
	uint8_t input_xfrm; /* as the ioctl has it (6.8) */
};

#define TA_NIC_RSS_INIT {0}
#define TA_NIC_RSS_MAX 16384 /* slots, and bytes of a key */
#define ta_cleanup_nic_rss ta_cleanup(ta_nic_rss_done)
void ta_nic_rss_done(struct ta_nic_rss *rss);

/* By ioctl. 0, -EOPNOTSUPP (it has none), or what the door said. */
int ta_nic_rss_ioctl(struct ta_host *h, const char *ifname, struct ta_nic_rss *ret);

/* A reply to RSS_GET (6.2), untrusted: 0, 1 (of another context than the first), -EBADMSG, -ENOMEM. */
int ta_nic_rss_decode(const struct nlmsghdr *nlh, struct ta_nic_rss *ret);

/* Of one interface by whichever way there is. -ENODEV, -EOPNOTSUPP, or what the door said. */
int ta_nic_rss_read(struct ta_host *h, const char *ifname, struct ta_nic_rss *ret);

/*
 * How many receive rings the table may point to (ETHTOOL_GRXRINGS). 0 or -errno.
 */
int ta_nic_rss_rings(struct ta_host *h, const char *ifname, uint32_t *ret);

/* What a request leaves as it is: NULL, or 0 for the function. A table of no slots is the kernel's own spread. */
struct ta_nic_rss_change {
	const uint32_t *table;
	size_t n;
	bool reset;
	const unsigned char *key;
	size_t n_key;
	uint32_t hfunc;
	uint8_t input_xfrm; /* as it was read */
};

/* Appends the structure of ETHTOOL_SRSSH. */
void ta_nic_rss_request(const struct ta_nic_rss_change *change, struct ta_buf *b);
