/*
 * Offloads as text: "rx-gro=on tx-gso-partial=off:wanted". What is in effect stands first; ":wanted" and ":unwanted" say that
 * something else was asked for (ethtool(8) prints "[requested on]"): another offload or the driver stands against it, and
 * what was asked for is what is put back.
 */
#pragma once

#include "nic/features.h"

#define TA_FEATURE_NAME_MAX 64

/* True for a name as the kernel makes them: letters a-z, digits and '-'. */
bool ta_feature_name_valid(const char *name, size_t len);

/* "on", "off", "off:wanted", "on:unwanted": what is asked for. 0 or -EINVAL. */
int ta_feature_parse(const char *text, size_t len, bool *ret_wanted);
void ta_feature_format(const struct ta_eth_features *f, size_t bit, struct ta_buf *b);

/* One word of the text of all; moves *text behind it. 0, -ENODATA (its end), -EINVAL. */
int ta_feature_next(const char **text, const char **ret_name, size_t *ret_len, bool *ret_wanted);

/* True if the bit can be switched on this device. */
bool ta_feature_changeable(const struct ta_eth_features *f, size_t bit);

/* All that can be switched, in the kernel's order. */
void ta_features_format(const struct ta_eth_features *f, const struct ta_strv *names, struct ta_buf *b);
