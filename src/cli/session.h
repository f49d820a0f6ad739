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

/* This host, or a capture's directory; then the facts of `owners` (NULL: all). */
int ta_session_collect(struct ta_session *s, const char *capture, const struct ta_strv *owners);
