/*
 * Where the effect of a rule's fix can be measured at all: the paths a load may go, and the workloads that go there. Comes with
 * rule/rule.h.
 *
 * A measurement that cannot show a change says nothing of it, neither that it helped nor that it did not.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Each says what is at work in the measured time; a run may take several at once. docs/language.md has the same list. */
enum ta_shown_path {
	TA_SHOWN_LOOPBACK,  /* both ends in one network namespace, by lo */
	TA_SHOWN_NAMESPACE, /* two network namespaces of this kernel; what lies between may delay, drop or shape */
	TA_SHOWN_WIRE,	    /* packets of this host's NICs */
	TA_SHOWN_STORAGE,   /* a drive reads or writes while it is measured */
	TA_SHOWN_COLD,	    /* files are read that are not in the page cache */
	TA_SHOWN_PATHS
};

/* The names of `tuneaudit load`. */
enum ta_shown_workload {
	TA_SHOWN_CONNECT,
	TA_SHOWN_FILE,
	TA_SHOWN_HOLD,
	TA_SHOWN_HTTP,
	TA_SHOWN_KV,
	TA_SHOWN_STREAM,
	TA_SHOWN_WORKLOADS
};

#define TA_SHOWN_BIT(what) (1u << (what))

struct ta_shown {
	bool said;	     /* the rule has the key */
	uint8_t paths;	     /* TA_SHOWN_BIT(enum ta_shown_path); 0: no trial shows it */
	uint8_t workloads;   /* TA_SHOWN_BIT(enum ta_shown_workload); 0: whatever goes one of the paths */
	const char *nowhere; /* with paths 0: why, or NULL */
};

const char *ta_shown_path_name(enum ta_shown_path p);	      /* "loopback" … as rules write it */
const char *ta_shown_workload_name(enum ta_shown_workload w); /* "connect" … */

struct ta_rule;

/*
 * True if a run of `workload` (a name of `tuneaudit load`) over `paths` (a set of TA_SHOWN_BIT(path), of what it really does) can
 * show what the fix of the rule does. False: `why` (may be NULL) gets the reason, as a clause without a full stop.
 */
struct ta_buf;
bool ta_rule_is_shown(const struct ta_rule *r, unsigned paths, const char *workload, struct ta_buf *why);

/* "loopback, namespace by connect" or "nowhere: REASON"; nothing if the rule does not say. */
void ta_shown_format(const struct ta_shown *s, struct ta_buf *b);
