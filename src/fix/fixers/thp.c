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

static int add(const struct ta_fix_call *call, const char *name, const char *const *words, struct ta_steps *ret,
	struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;
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
	ta_buf_printf(&path, THP "%s", name);
	ta_steps_add(ret, &ta_knob_attr, ta_buf_text(&path), word);
	return path.error ?: ret->error;
}

static int steps(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_steps *ret, struct ta_err *err)
{
	int rc = add(call, "enabled", enabled_words, ret, err);

	if (rc >= 0)
		rc = add(call, "defrag", defrag_words, ret, err);
	if (rc >= 0 && !ret->n)
		rc = ta_err_set(err, -EINVAL, "thp.set: nothing to set");
	return rc;
}

static int describe(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_fix_text *ret,
	struct ta_err *err)
{
	ta_cleanup_steps struct ta_steps list = TA_STEPS_INIT;
	int rc = steps(call, facts, &list, err);

	if (rc < 0)
		return rc;
	if (ta_fix_in_container(facts))
		ta_buf_adds(&ret->command, "# on the host: a container cannot change this\n");
	ta_steps_commands(&list, &ret->command);
	ta_fix_keep_steps(ret, &list, facts);
	return 0;
}

const struct ta_fixer ta_fixer_thp = {
	.sigs = sigs,
	.n_sigs = TA_ARRAY_SIZE(sigs),
	.disruption = TA_DISRUPT_NONE,
	.steps = steps,
	.describe = describe,
};
