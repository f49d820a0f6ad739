/*
 * What all fixers share: the table of their signatures, and the way from a call to its text.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fix/fixer.h"

const char *ta_disruption_name(enum ta_disruption d)
{
	static const char *const names[] = {
		[TA_DISRUPT_NONE] = "none",
		[TA_DISRUPT_FLOW_RESET] = "flow-reset",
		[TA_DISRUPT_LINK_FLAP] = "link-flap",
		[TA_DISRUPT_REBOOT] = "reboot",
	};

	return names[d];
}

void ta_fix_text_done(struct ta_fix_text *t)
{
	ta_buf_done(&t->command);
	ta_buf_done(&t->persist_file);
	ta_buf_done(&t->persist_text);
}

int ta_fixer_sigs(struct ta_fix_sig **ret, size_t *ret_n)
{
	struct ta_fix_sig *sigs;
	size_t n = 0, at = 0;

	for (size_t i = 0; i < ta_n_fixers; i++)
		n += ta_fixers[i]->n_sigs;
	sigs = calloc(n ? n : 1, sizeof(*sigs));
	if (!sigs)
		return -ENOMEM;
	for (size_t i = 0; i < ta_n_fixers; i++)
		for (size_t k = 0; k < ta_fixers[i]->n_sigs; k++)
			sigs[at++] = ta_fixers[i]->sigs[k];
	*ret = sigs;
	*ret_n = n;
	return 0;
}

const struct ta_fixer *ta_fixer_find(const char *sig_name)
{
	for (size_t i = 0; i < ta_n_fixers; i++)
		for (size_t k = 0; k < ta_fixers[i]->n_sigs; k++)
			if (!strcmp(ta_fixers[i]->sigs[k].name, sig_name))
				return ta_fixers[i];
	return NULL;
}

static int text_error(const struct ta_fix_text *t)
{
	if (t->command.error)
		return t->command.error;
	return t->persist_file.error ? t->persist_file.error : t->persist_text.error;
}

int ta_fix_describe(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_fix_text *ret,
	struct ta_err *err)
{
	const struct ta_fixer *fixer = ta_fixer_find(call->fixer);
	struct ta_fix_text text = {0};
	int rc;

	if (!fixer)
		return ta_err_set(err, -ENOENT, "no fixer '%s'", call->fixer);
	rc = fixer->describe(call, facts, &text, err);
	if (rc >= 0)
		rc = text_error(&text);
	if (rc < 0) {
		ta_fix_text_done(&text);
		return rc;
	}
	ta_buf_rtrim(&text.command);
	*ret = text;
	return 0;
}
