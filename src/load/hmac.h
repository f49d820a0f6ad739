/*
 * HMAC-SHA-256 (RFC 2104, FIPS 180-4): how a peer shows that it knows the token without sending it. Kept here, since no library that
 * the program needs has it, and the kernel's (AF_ALG) is a module that may have to be loaded.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TA_HMAC_BYTES 32u

void ta_sha256(const void *data, size_t len, uint8_t ret[TA_HMAC_BYTES]);
void ta_hmac(const void *key, size_t key_len, const void *data, size_t len, uint8_t ret[TA_HMAC_BYTES]);

/* Takes the same time wherever they differ. */
bool ta_bytes_equal(const void *a, const void *b, size_t len);
