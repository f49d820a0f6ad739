/*
 * Settings of a driver that are plain numbers: channels, rings, coalescing. A group is one ethtool message; the text of
 * a group is "rx=0 tx=0 other=1 combined=8", what the device has and nothing else, in this order.
 */
#pragma once

#include <stdint.h>

#include "host/host.h"

struct nlmsghdr;

#define TA_NIC_PARAMS_MAX 28

struct ta_nic_param {
	const char *name; /* in texts, and as ethtool(8) takes it: "rx-usecs" */
	uint16_t attr, max_attr; /* of the netlink message; max_attr 0: the kernel tells no maximum */
	uint8_t word, max_word;  /* of the ioctl's structure, the command being word 0; 0: it has none */
	bool flag;		 /* on or off, one byte in netlink */
};

struct ta_nic_group {
	const char *name;   /* "channels" */
	const char *key;    /* of the dump in a capture */
	const char *option; /* of ethtool(8) that sets it: "-L" */
	uint8_t get, reply, set;
	uint32_t ioctl_get, ioctl_set;
	size_t n_words; /* of the ioctl's structure */
	uint32_t most_wished; /* none above it is ever set because a rule wants it */
	size_t n;
	struct ta_nic_param params[TA_NIC_PARAMS_MAX];
};

extern const struct ta_nic_group ta_nic_channels, ta_nic_rings, ta_nic_coalesce;

struct ta_nic_values {
	uint32_t have, have_max; /* a bit for each parameter */
	uint32_t v[TA_NIC_PARAMS_MAX], max[TA_NIC_PARAMS_MAX];
	bool by_ioctl; /* netlink has no such message here: write by ioctl too */
};

/* 0; -ENODEV, -EOPNOTSUPP (the driver has none of it), or what the door said. */
int ta_nic_values_read(struct ta_host *h, const struct ta_nic_group *g, const char *ifname, struct ta_nic_values *ret);

/* One reply, untrusted. */
int ta_nic_values_decode(const struct ta_nic_group *g, const struct nlmsghdr *nlh, struct ta_nic_values *ret);
/* The ioctl's structure. Its zeros mean "cannot" as well, so a maximum of 0 leaves the value out. */
void ta_nic_values_take_words(const struct ta_nic_group *g, const uint32_t *words, struct ta_nic_values *ret);

/* The parameter's number, -1: there is none of that name. */
int ta_nic_param_find(const struct ta_nic_group *g, const char *name);

/* One value: "8", "on". Strict: no sign, no blanks, no leading zeros. 0 or -EINVAL. */
int ta_nic_param_parse(const struct ta_nic_group *g, int param, const char *text, uint32_t *ret);
void ta_nic_param_format(const struct ta_nic_group *g, int param, uint32_t v, struct ta_buf *b);

/* The text of a group. Parsing takes what formatting gives, and no other text: 0 or -EINVAL. */
int ta_nic_values_parse(const struct ta_nic_group *g, const char *text, struct ta_nic_values *ret);
void ta_nic_values_format(const struct ta_nic_group *g, const struct ta_nic_values *v, struct ta_buf *b);

/* Which of `want` differ from `now`: a bit for each. */
uint32_t ta_nic_values_differ(const struct ta_nic_values *now, const struct ta_nic_values *want);

/* Appends the attributes of the request that sets those of `want` whose bit is in `which`. */
void ta_nic_values_request(const struct ta_nic_group *g, const char *ifname, const struct ta_nic_values *want,
	uint32_t which, struct ta_buf *b);
/* The same in the ioctl's structure, which holds the present values. */
void ta_nic_values_put_words(const struct ta_nic_group *g, const struct ta_nic_values *want, uint32_t which,
	uint32_t *words);
