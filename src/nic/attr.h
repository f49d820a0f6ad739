/*
 * Netlink attributes: found in messages that may be anybody's bytes, and laid out for requests.
 */
#pragma once

#include <stdint.h>

#include "host/host.h"

struct nlattr;
struct nlmsghdr;

/* --- reading: every length is checked, NULL where there is none --------------- */

/* The first attribute of that type behind `head` bytes of the payload (the family's own header). */
const struct nlattr *ta_nic_attr(const struct nlmsghdr *nlh, size_t head, unsigned type);
/* The same of a message of generic netlink. */
const struct nlattr *ta_nic_attr_genl(const struct nlmsghdr *nlh, unsigned type);
const struct nlattr *ta_nic_attr_nested(const struct nlattr *nest, unsigned type);

/* A number of `bytes` bytes (1 or 4); a longer payload is cut, a shorter one is -EBADMSG. */
int ta_nic_attr_number(const struct nlattr *a, size_t bytes, int64_t *ret);

/* Its text, which ends at the first NUL or with the payload; cut to the buffer. */
void ta_nic_attr_text(const struct nlattr *a, char *ret, size_t size);

/* One part (TA_ETH_A_BITSET_VALUE, …) of a compact bitset into `ret`, the rest of it zero; the number of words there were. */
size_t ta_nic_attr_bits(const struct nlattr *bitset, unsigned part, uint32_t *ret, size_t n);

/* True for a message of generic netlink with this command. */
bool ta_nic_is_reply(const struct nlmsghdr *nlh, uint8_t cmd);

/* --- laying out ------------------------------------------------------------------ */

/* Appends an attribute, padded to NLA_ALIGNTO. `len` is below 60,000. */
void ta_nic_put(struct ta_buf *b, unsigned type, const void *data, size_t len);
void ta_nic_put_u32(struct ta_buf *b, unsigned type, uint32_t v);
void ta_nic_put_text(struct ta_buf *b, unsigned type, const char *text); /* with its NUL */

/* Begins a nest; the result is for ta_nic_put_end(). */
size_t ta_nic_put_nest(struct ta_buf *b, unsigned type);
void ta_nic_put_end(struct ta_buf *b, size_t nest);
