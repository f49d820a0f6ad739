/*
 * thp.set(enabled, defrag): transparent huge pages. Processes keep the pages that they have.
 */
#include <errno.h>
#include <string.h>

#include "fix/describe.h"

#define THP "/sys/kernel/mm/transparent_hugepage/"

static const struct ta_fix_param params[] = {
	{"enabled", TA_T_STRING, false},
	{"defrag", TA_T_STRING, false},
};

static const char *const reads[] = {"place.container", NULL};
static const struct ta_fix_sig sigs[] = {{"thp.set", params, TA_ARRAY_SIZE(params), reads}};

/* Documentation/admin-guide/mm/transhuge.rst */
static const char *const enabled_words[] = {"always", "madvise", "never", NULL};
static const char *const defrag_words[] = {"always", "defer", "defer+madvise", "madvise", "never", NULL};

static int add(const struct ta_fix_call *call, const char *name, const char *const *words, struct ta_fix_text *ret,
	struct ta_err *err)
{
	const char *word;
	int rc;

	if (!ta_fix_arg(call, name))
		return 0;
	rc = ta_fix_arg_str(call, name, &word, err);
	if (rc < 0)
		return rc;
	while (*words && strcmp(*words, word) != 0)
		words++;
	if (!*words)
		return ta_err_set(err, -EINVAL, "thp.set: %s cannot be '%s'", name, word);
	ta_buf_printf(&ret->command, "echo %s > " THP "%s\n", word, name);
	ta_buf_printf(&ret->persist_text, "w " THP "%s - - - - %s\n", name, word);
	return 0;
}

static int describe(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_fix_text *ret,
	struct ta_err *err)
{
	int rc;

	if (ta_fix_in_container(facts))
		ta_buf_adds(&ret->command, "# on the host: a container cannot change this\n");
	rc = add(call, "enabled", enabled_words, ret, err);
	if (rc >= 0)
		rc = add(call, "defrag", defrag_words, ret, err);
	if (rc < 0)
		return rc;
	if (!ret->persist_text.len)
		return ta_err_set(err, -EINVAL, "thp.set: nothing to set");
	ta_buf_adds(&ret->persist_file, TA_TMPFILES_FILE);
	return 0;
}

const struct ta_fixer ta_fixer_thp = {
	.sigs = sigs,
	.n_sigs = TA_ARRAY_SIZE(sigs),
	.disruption = TA_DISRUPT_NONE,
	.describe = describe,
};
