/*
 * Steps of the fixers of interfaces, and their text, which is made from the steps so that what is said and what is written
 * cannot differ.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fix/identity.h"
#include "fix/nicknob.h"

void ta_nic_add(struct ta_steps *s, const struct ta_knob *knob, const char *ifname, const char *field, const char *after)
{
	ta_cleanup_buf struct ta_buf target = TA_BUF_INIT;

	ta_buf_printf(&target, "%s%s%s", ifname, field ? " " : "", field ? field : "");
	if (target.error)
		s->error = target.error;
	else
		ta_steps_add(s, knob, ta_buf_text(&target), after);
}

void ta_nic_add_number(struct ta_steps *s, const struct ta_knob *knob, const char *ifname, const char *field, int64_t after)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)after);
	ta_nic_add(s, knob, ifname, field, text);
}

int ta_nic_check_steps(const struct ta_steps *s, size_t first, struct ta_err *err)
{
	int rc = 0;

	for (size_t i = first; rc == 0 && i < s->n; i++)
		rc = ta_knob_check(s->v[i].knob->name, s->v[i].target, s->v[i].after, TA_VALUE_WISHED, err);
	return rc;
}

int ta_nic_describe(int (*steps)(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_steps *ret,
			    struct ta_err *err),
	const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_fix_text *ret, struct ta_err *err)
{
	ta_cleanup_steps struct ta_steps s = TA_STEPS_INIT;
	int rc = steps(call, facts, &s, err);

	if (rc < 0)
		return rc;
	ta_steps_commands(&s, &ret->command);
	ta_fix_keep_steps(ret, &s, facts);
	return 0;
}
