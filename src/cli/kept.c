#include "cli/kept.h"

#include <string.h>

#include "cli/changing.h"

static bool is_done(const struct ta_plan_view *v, const struct ta_action *a)
{
	return !ta_action_refusal(a, v->allow, v->allow_workload);
}

/* What a restart of the host takes away again, with each reason once. */
static void tell_lost(const struct ta_plan *p, const struct ta_plan_view *v, struct ta_buf *out)
{
	for (size_t i = 0; i < p->n_actions; i++) {
		const char *why = is_done(v, &p->actions[i]) ? p->actions[i].not_kept : NULL;
		ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
		bool told = !why;

		for (size_t k = 0; k < i && !told; k++)
			told = p->actions[k].not_kept && is_done(v, &p->actions[k]) && !strcmp(p->actions[k].not_kept, why);
		if (told)
			continue;
		ta_buf_adds(&text, "Not kept over a restart of the host: ");
		for (size_t k = i; k < p->n_actions; k++) {
			const struct ta_action *a = &p->actions[k];

			if (!a->not_kept || !is_done(v, a) || strcmp(a->not_kept, why) != 0)
				continue;
			ta_buf_adds(&text, k > i ? ", " : "");
			ta_step_label(a->step.knob, a->step.target, &text);
		}
		ta_buf_printf(&text, "; %s.", why);
		ta_changing_say(v->o, ta_buf_text(&text), out);
	}
}

/* What of it may not hold, though it is kept. */
static void tell_others(const struct ta_plan *p, const struct ta_plan_view *v, struct ta_buf *out)
{
	for (size_t i = 0; i < p->n_actions; i++) {
		const struct ta_action *a = &p->actions[i];
		ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

		if (!a->persist_file || !a->owners.n || !is_done(v, a))
			continue;
		ta_step_label(a->step.knob, a->step.target, &text);
		ta_buf_adds(&text, " is also set by ");
		for (size_t k = 0; k < a->owners.n; k++)
			ta_buf_printf(&text, "%s%s", k ? ", " : "", a->owners.v[k]);
		ta_buf_addc(&text, '.');
		ta_changing_say(v->o, ta_buf_text(&text), out);
	}
}

void ta_kept_tell(const struct ta_plan *p, const struct ta_plan_view *v, bool runtime_only, struct ta_buf *out)
{
	if (runtime_only) {
		ta_changing_say(v->o, "Nothing of this is kept over a restart of the host, as asked for.", out);
		return;
	}
	tell_lost(p, v, out);
	tell_others(p, v, out);
}
