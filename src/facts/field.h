/*
 * One row per fact: path, type, unit, meaning. The row stands beside the code
 * that collects or computes the fact; the rule checker, docs/facts.md, reports
 * and drift read it (law 4: declared once).
 *
 * Path patterns: keys joined by '.', "*" for the key of a collection, and
 * ["…"] for keys that are no plain names:
 *     cpu.online    nics.*.channels.rx.current    sysctl["net.core.somaxconn"]
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"

enum ta_type {
	TA_T_NONE = 0,
	TA_T_INT,    /* exact, −2^63 … 2^64−1; the string "unlimited" where TA_F_UNLIMITED */
	TA_T_REAL,
	TA_T_BOOL,
	TA_T_STRING,
	TA_T_INTS,   /* list of integers: vectors and CPU lists */
	TA_T_STRINGS,
	TA_T_OBJECT, /* an inner node: fixed keys or a collection; never a row's own type */
};

enum {
	TA_F_UNLIMITED = 1 << 0, /* may be the string "unlimited" */
	TA_F_VOLATILE = 1 << 1,  /* moves by itself: counters, free memory; left out of baselines */
	TA_F_NETNS = 1 << 2,     /* a sysctl that every network namespace has for itself */
	TA_F_CPUS = 1 << 3,      /* TA_T_INTS that is a set of CPU numbers: printed as 0-3,8 */
	TA_F_LEVEL = 1 << 4,     /* stands among counters, but rises and falls: has no rate */
	TA_F_WRAPS32 = 1 << 5,   /* a 32-bit counter of the kernel, or a sum of such: begins again at 0 */
	/* For baselines (docs/baseline.md): what it means that the value is another one than then. */
	TA_F_HARDWARE = 1 << 6, /* tells what the machine is made of: something was replaced */
	TA_F_LINK = 1 << 7,     /* tells what is at the other end: a cable, a switch, a slot */
	TA_F_SYSTEM = 1 << 8,   /* comes with the kernel or the release of the system */
	TA_F_SIZED = 1 << 9,    /* follows memory and CPUs where nothing sets it */
	TA_F_AGAIN = 1 << 10,   /* says once more what other facts say: left out */
	TA_F_RUN = 1 << 11,     /* about the run of tuneaudit itself: left out */
	TA_F_COMES = 1 << 12,   /* members of its collection come and go with programs; of a bool: those that have it false */
	TA_F_NAMES = 1 << 13,   /* names the member of a collection whose keys are new with every start */
	TA_F_PLACES = 1 << 14,  /* holds FILE:LINE: compares without the number */
	TA_F_WRITTEN = 1 << 16, /* somebody wrote it down or started it: no kernel's default */
	TA_F_PLACED = 1 << 15,  /* irqbalance moves it where it runs: left out then */
};

/* Values that differ by at most so many percent are the same: a flag for `flags`, and back. */
#define TA_F_WITHIN(percent) ((unsigned)(percent) << 24)
#define TA_F_WITHIN_PERCENT(flags) ((flags) >> 24)

enum ta_meaning {
	TA_MEANS_NUMBER = 0,
	TA_MEANS_UNLIMITED, /* greater than every number: nf_conntrack_max 0, tcp_notsent_lowat -1 */
	TA_MEANS_AUTO,      /* the kernel chooses: compares with nothing */
};

struct ta_special {
	int64_t value;
	enum ta_meaning meaning;
};

struct ta_field {
	const char *path;
	enum ta_type type;
	const char *unit;    /* "bytes", "CPUs", "kHz", "" */
	const char *meaning; /* one line: what it is and where it is read */
	unsigned flags;      /* TA_F_* */
	struct ta_special special[2]; /* used slots have a meaning != TA_MEANS_NUMBER */
};
