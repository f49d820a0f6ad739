/*
 * The sysctls that may be written: a closed table, compiled in. Whatever a rule file, a saved plan or a journal
 * asks for is held against it. There is no way to name a program, to weaken protection or to panic the host in it.
 * Nor does a key belong here whose writing moves others that nobody would think of: ip_forward resets
 * accept_redirects and the forwarding of every interface (net/ipv4/devinet.c: inet_forward_change()).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"

#define TA_SINK_ELEMENTS 4

enum {
	TA_SINK_WORD = 1 << 0,   /* a name ([a-z0-9_-]), not numbers */
	TA_SINK_RISING = 1 << 1, /* a vector whose elements may not fall: min, default, max */
	TA_SINK_NETNS = 1 << 2,  /* every network namespace has its own */
	TA_SINK_MODULE = 1 << 3, /* exists only while its module is loaded */
};

struct ta_sysctl_sink {
	const char *key;
	unsigned n; /* elements */
	int64_t min, max; /* of each element; as the kernel checks it, or narrower */
	unsigned flags;
	int64_t unlimited; /* the value that means "no limit", INT64_MIN where there is none */
};

extern const struct ta_sysctl_sink ta_sysctl_sinks[];
extern const size_t ta_n_sysctl_sinks;

/* NULL: not ours to write. */
const struct ta_sysctl_sink *ta_sysctl_sink(const char *key);

/* True for keys that no table of ours may ever hold; for the message, and for the test of the table. */
bool ta_sysctl_forbidden(const char *key);
