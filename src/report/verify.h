/*
 * A load before and after changes, for people and as a member of tuneaudit.apply/1.
 */
#pragma once

#include "report/json.h"
#include "report/report.h"
#include "trial/verify.h"

/* A change, and whether the load could show it. */
struct ta_verify_change {
	char *label;	/* "net.core.somaxconn" */
	char *not_here; /* why not, or NULL */
};

struct ta_verify_report {
	const struct ta_workload *workload;
	const char *target; /* NULL: the built-in server */
	const struct ta_verify_series *before, *after, *again; /* `after`, `again` (with everything put back) NULL: not measured */
	const struct ta_verify_change *changes;
	size_t n_changes;
	bool worse, kept; /* kept: though it is worse */
	const char *why; /* "" unless worse */
	const char *disturbed; /* what else the host did in a series with the changes that was measured anew for it; NULL: none was */
};

void ta_report_verify(const struct ta_verify_report *v, const struct ta_report_options *o, struct ta_buf *ret);
void ta_report_verify_json(const struct ta_verify_report *v, struct ta_json *j);
