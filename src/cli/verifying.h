/*
 * apply --verify-load: a load before the changes and one after, and whether it is worse for it.
 */
#pragma once

#include "cli/command.h"
#include "fix/plan.h"
#include "report/verify.h"

struct ta_verifying {
	struct ta_cli *cli;
	struct ta_host *host;
	bool on, keep_anyway;
	struct ta_verify_options o;
	struct ta_verify_series before, after, again;
	bool has_before, has_after, has_again, worse;
	struct ta_buf why, token, disturbed; /* disturbed: what else the host did in a series that was measured anew */
	struct ta_verify_change *changes;
	const struct ta_action **actions; /* of the changes */
	size_t n_changes;
	const char *rules, *profile; /* to look up where each change shows */
};

void ta_verifying_done(struct ta_verifying *v);

/*
 * Chooses the workload of the profile (`rules`: a directory of rules, or NULL) and reads the token. An exit code, after a
 * message.
 */
int ta_verifying_begin(struct ta_verifying *v, const struct ta_schema *schema, const char *target, const char *token_file);

/* One of the changes, by its action, which is borrowed. An exit code. */
int ta_verifying_add(struct ta_verifying *v, const struct ta_action *a);

/* The first series. An exit code, after a message: then nothing is to be changed. */
int ta_verifying_before(struct ta_verifying *v);

/* The second one: 0, or -errno with the text if it is worse, and was not to be kept anyway, or could not be measured. */
int ta_verifying_after(struct ta_verifying *v, struct ta_err *err);

/* A third one, when all is put back because it was worse: was it the changes? */
void ta_verifying_again(struct ta_verifying *v);

/* What came of it, to be printed with report/verify.h; false: nothing was measured. `schema` is that of begin(). */
bool ta_verifying_tell(struct ta_verifying *v, const struct ta_schema *schema, struct ta_verify_report *ret);
