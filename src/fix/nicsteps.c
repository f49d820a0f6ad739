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

/* "ethtool -L X combined 8" for an interface X, with $name in its place: as a udev rule can run it. */
static void add_persist(struct ta_fix_text *ret, const struct ta_facts *facts, const char *ifname, const struct ta_step *step)
{
	ta_cleanup_buf struct ta_buf target = TA_BUF_INIT, line = TA_BUF_INIT, run = TA_BUF_INIT;
	const char *name, *text;

	if (ta_identity_rename(step->knob, step->target, "X", &target) < 0)
		return;
	step->knob->command(ta_buf_text(&target), step->after, &line);
	ta_buf_rtrim(&line);
	text = ta_buf_text(&line);
	name = strstr(text, " X ");
	if (strchr(text, '\n') || !name || (strncmp(text, "ethtool ", 8) != 0 && strncmp(text, "tc ", 3) != 0))
		return;
	ta_buf_printf(&run, "/usr/sbin/%.*s $name%s", (int)(name - text), text, name + strlen(" X"));
	if (!run.error)
		ta_persist_nic_run(ret, facts, ifname, ta_buf_text(&run));
}

int ta_nic_describe(int (*steps)(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_steps *ret,
			    struct ta_err *err),
	const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_fix_text *ret, struct ta_err *err)
{
	ta_cleanup_steps struct ta_steps s = TA_STEPS_INIT;
	int rc = steps(call, facts, &s, err);

	for (size_t i = 0; rc == 0 && i < s.n; i++) {
		ta_cleanup_buf struct ta_buf ifname = TA_BUF_INIT;
		const struct ta_step *step = &s.v[i];

		step->knob->command(step->target, step->after, &ret->command);
		rc = ta_identity_ifname(step->knob, step->target, &ifname);
		if (rc == 0)
			add_persist(ret, facts, ta_buf_text(&ifname), step);
		else
			rc = rc == -ENOENT ? 0 : rc; /* a module, a setting: kept by its own fixer */
	}
	return rc;
}
