#include "cli/session.h"

#include "probe/collect.h"

void ta_session_done(struct ta_session *s)
{
	ta_facts_free(s->facts);
	ta_host_free(s->host);
	ta_schema_free(s->schema);
	*s = (struct ta_session)TA_SESSION_INIT;
}

int ta_session_schema(struct ta_session *s)
{
	struct ta_err err;

	if (ta_collect_schema(&s->schema, &err) < 0)
		return ta_cli_fail(TA_EXIT_INTERNAL, "%s", err.text);
	return TA_EXIT_OK;
}

int ta_session_collect(struct ta_session *s, const char *capture, const struct ta_strv *owners)
{
	struct ta_err err;
	int rc = capture ? ta_host_capture(capture, &s->host, &err) : ta_host_live(&s->host, &err);

	if (rc < 0)
		return ta_cli_fail(capture ? TA_EXIT_USAGE : TA_EXIT_INTERNAL, "%s", err.text);
	if (ta_collect(s->host, owners, &s->facts, &err) < 0)
		return ta_cli_fail(TA_EXIT_INTERNAL, "%s", err.text);
	return TA_EXIT_OK;
}
