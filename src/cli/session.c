#include "cli/session.h"

#include "cli/pause.h"
#include "cli/progress.h"
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

static int pause_between(void *ctx)
{
	const struct ta_source_options *o = ctx;

	ta_progress_end();
	ta_pause((unsigned)o->sample, !o->quiet);
	return 0;
}

int ta_session_collect(
	struct ta_session *s, const struct ta_source_options *o, const struct ta_strv *owners)
{
	struct ta_source_options copy = *o;
	struct ta_sampling sampling = {s->schema, pause_between, &copy};
	struct ta_err err;
	int rc;

	if (o->capture && o->sample)
		return ta_cli_fail(TA_EXIT_USAGE,
			"--sample reads counters twice, and a capture holds one reading; "
			"leave out --sample or --capture");
	rc = o->capture ? ta_host_capture(o->capture, &s->host, &err) : ta_host_live(&s->host, &err);
	if (rc < 0)
		return ta_cli_fail(
			o->capture ? TA_EXIT_USAGE : TA_EXIT_INTERNAL, "%s", err.text);
	ta_progress_begin(o->quiet, o->capture ? "Reading the capture" : "Reading this host");
	rc = ta_collect(s->host, owners, o->sample ? &sampling : NULL, &s->facts, &err);
	ta_progress_end();
	return rc < 0 ? ta_cli_fail(TA_EXIT_INTERNAL, "%s", err.text) : TA_EXIT_OK;
}
