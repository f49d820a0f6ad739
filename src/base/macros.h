/*
 * The few macros everything uses.
 */
#pragma once

#include <stddef.h>

#define TA_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* A variable marked so is given to `fn` (a pointer to it) when its scope ends. */
#define ta_cleanup(fn) __attribute__((cleanup(fn)))

#define ta_printf(fmt, first) __attribute__((format(printf, fmt, first)))

#define TA_MIN(a, b) ((a) < (b) ? (a) : (b))
#define TA_MAX(a, b) ((a) > (b) ? (a) : (b))

/* A list of keys, ended by NULL: TA_KEYS("nics", name, "mtu"). */
#define TA_KEYS(...) ((const char *const[]){__VA_ARGS__, NULL})
