/*
 * persist.lines(target): the lines that set it at boot, those that lose, and what to type where what runs is to be kept or taken
 * back. Which file would keep a value is what the fixer of its rule says; here only lines that are there are named.
 */
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "fix/attrs.h"
#include "fix/describe.h"

static const struct ta_fix_param params[] = {{"target", TA_T_STRING, true}};
static const char *const reads[] = {"persist.*.file", "persist.*.running", "nics.*.bus", NULL};
static const struct ta_fix_sig sigs[] = {{"persist.lines", params, TA_ARRAY_SIZE(params), reads}};

static const char *text_of(const struct ta_facts *facts, const char *target, const char *name)
{
	const char *text = ta_facts_get_str(facts, TA_KEYS("persist", target, name));

	return text ? text : "";
}

static void add_winner(struct ta_buf *b, const struct ta_facts *facts, const char *target)
{
	const char *file = text_of(facts, target, "file");
	int64_t line;

	if (!*file)
		return;
	ta_buf_printf(b, "# %s", file);
	if (ta_facts_get_i64(facts, TA_KEYS("persist", target, "line"), &line))
		ta_buf_printf(b, ":%lld", (long long)line);
	ta_buf_printf(b, " sets %s to %s\n", target, text_of(facts, target, "value"));
}

static void add_losers(struct ta_buf *b, const struct ta_facts *facts, const char *target)
{
	struct json_object *list = ta_facts_at(facts, TA_KEYS("persist", target, "overridden"));

	for (size_t i = 0; json_object_is_type(list, json_type_array) && i < json_object_array_length(list); i++)
		ta_buf_printf(b, "# %s and is overridden\n", json_object_get_string(json_object_array_get_idx(list, i)));
}

/* What the next boot leaves, now; of attributes that are ours to write. */
static void add_agree(struct ta_buf *b, const struct ta_facts *facts, const char *target)
{
	const char *next = text_of(facts, target, "next_boot");
	bool differs = false;

	if (!ta_facts_get_bool(facts, TA_KEYS("persist", target, "differs"), &differs) || !differs)
		return;
	if (ta_attr_find(target) && !ta_knob_attr.check(target, next, TA_VALUE_WISHED, NULL)) {
		ta_buf_adds(b, "# if what runs is right change the file, else\n");
		ta_knob_attr.command(target, next, b);
	} else {
		ta_buf_printf(b, "# runs %s, the next boot leaves %s: make them agree\n", text_of(facts, target, "running"), next);
	}
}

/* The same line as 'apply' would write. */
static int keep(struct ta_fix_text *ret, const struct ta_facts *facts, const char *target, const char *value)
{
	ta_cleanup_steps struct ta_steps step = TA_STEPS_INIT;

	if (!ta_attr_find(target) || ta_knob_attr.check(target, value, TA_VALUE_FOUND, NULL))
		return 0;
	ta_steps_add(&step, &ta_knob_attr, target, value);
	ta_fix_keep_steps(ret, &step, facts);
	return step.error;
}

static int describe(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_fix_text *ret,
	struct ta_err *err)
{
	const char *target;
	bool by_hand = false;
	int rc = ta_fix_arg_str(call, "target", &target, err);

	if (rc < 0)
		return rc;
	add_winner(&ret->command, facts, target);
	add_losers(&ret->command, facts, target);
	ta_facts_get_bool(facts, TA_KEYS("persist", target, "by_hand"), &by_hand);
	if (by_hand)
		return keep(ret, facts, target, text_of(facts, target, "running"));
	add_agree(&ret->command, facts, target);
	return 0;
}

const struct ta_fixer ta_fixer_persist = {
	.sigs = sigs,
	.n_sigs = TA_ARRAY_SIZE(sigs),
	.disruption = TA_DISRUPT_NONE,
	.describe = describe,
};
