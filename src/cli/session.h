/*
 * What several commands have in common: the schema, the host, its facts. Each step prints its own
 * message and returns an exit code; TA_EXIT_OK is 0.
 */
#pragma once

#include "cli/command.h"
#include "facts/schema.h"
#include "host/host.h"

struct ta_session {
	struct ta_schema *schema;
	struct ta_host *host;
	struct ta_facts *facts;
};

#define TA_SESSION_INIT                                                                            \
	{                                                                                          \
		0                                                                                  \
	}
#define ta_cleanup_session ta_cleanup(ta_session_done)
void ta_session_done(struct ta_session *s);

int ta_session_schema(struct ta_session *s);

/* Where facts come from. */
struct ta_source_options {
	const char *capture; /* a directory, or NULL: this host */
	int64_t sample;	     /* seconds between two readings of counters, 0: one reading */
	bool quiet;	     /* no word while it waits */
};

/* The facts of `owners` (NULL: all). */
int ta_session_collect(
	struct ta_session *s, const struct ta_source_options *o, const struct ta_strv *owners);

#define TA_SAMPLE_MAX 60

/* The option of commands that can wait for rates; `member` is an int64_t of their values. */
#define TA_OPTION_SAMPLE(type, member)                                                             \
	{                                                                                          \
		.name = "sample", .arg = "SECONDS", .kind = TA_OPT_NUMBER,                         \
		.help = "read counters twice, so long apart (1 to 60), and tell how fast they "    \
			"rise now",                                                                \
		.offset = offsetof(type, member), .min = 1, .max = TA_SAMPLE_MAX                   \
	}
