/*
 * FNV-1a, 64 bits (Fowler, Noll, Vo): for tables and to tell texts apart, not against somebody who means harm.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define TA_HASH_INIT UINT64_C(14695981039346656037)

static inline uint64_t ta_hash_add(uint64_t hash, const void *data, size_t len)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ p[i]) * UINT64_C(1099511628211);
	return hash;
}
