/*
 * features.NAME.works and .why: whether this kernel, here and for this user,
 * does a thing, and how that is known. Shared by the probes that ask.
 *
 * True or false is said only where it was proven. A question that failed for
 * another reason (no memory, no descriptors, not permitted) leaves a reason.
 */
#pragma once

#include "facts/facts.h"
#include "host/host.h"

/* The two rows of a feature. */
#define TA_FEATURE(name, what)                                                                     \
	{"features." name ".works", TA_T_BOOL, "", what, 0, {}},                                    \
	{                                                                                           \
		"features." name ".why", TA_T_STRING, "", "how that is known: " what, TA_F_AGAIN, {}         \
	}

/* A feature that is tried in a child process (ta_host_try()). */
struct ta_feature {
	const char *name;
	int (*fn)(char *text, size_t size); /* 0 it works; -errno; `text` may say more */
	const char *proof; /* what its success shows, for `why` where the text is empty */
	const char *needs; /* what it takes: "Linux 4.5" */
};

void ta_feature_put(struct ta_facts *f, const char *name, bool works, const char *fmt, ...)
	ta_printf(4, 5);
/* Both facts of the feature. */
void ta_feature_absent(struct ta_facts *f, const char *name, enum ta_reason why, const char *fmt, ...)
	ta_printf(4, 5);

/* Asks all in one child and puts what each answered. At most 32. `ret` (n of them) may be NULL. */
void ta_features_try(struct ta_host *h, struct ta_facts *f, const struct ta_feature *v, size_t n,
	struct ta_try_result *ret);

/* Puts one answer. */
void ta_feature_result(struct ta_facts *f, const struct ta_feature *v, const struct ta_try_result *r);

/* True if the answer was the death of the child. */
bool ta_try_killed(const struct ta_try_result *r);

/* The kernel does not know what it was asked for. */
bool ta_try_unknown(int rc);

/* One blank-separated word of the text? */
bool ta_has_word(const char *text, const char *word);
