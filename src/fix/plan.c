/*
 * From failed findings to writes in the order in which they are made.
 */
#include "fix/plan.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "fix/describe.h"
#include "fix/identity.h"
#include "fix/keep.h"
#include "fix/planparts.h"
#include "nic/link.h"

struct work {
	struct ta_host *host;
	const struct ta_facts *facts;
	struct ta_management management;
	struct ta_plan *plan;
};

static void action_done(struct ta_action *a)
{
	ta_strv_done(&a->rules);
	ta_strv_done(&a->owners);
	free(a->fixer);
	free(a->why);
	free(a->subject);
	free(a->step.target);
	free(a->step.before);
	free(a->step.after);
	free(a->step.device);
	free(a->command);
	free(a->persist_file);
	free(a->persist_text);
	free(a->not_kept);
}

void ta_plan_done(struct ta_plan *p)
{
	for (size_t i = 0; i < p->n_actions; i++)
		action_done(&p->actions[i]);
	for (size_t i = 0; i < p->n_conflicts; i++) {
		free(p->conflicts[i].target);
		ta_strv_done(&p->conflicts[i].wishes);
	}
	for (size_t i = 0; i < p->n_manual; i++) {
		free(p->manual[i].rule);
		free(p->manual[i].subject);
		free(p->manual[i].reason);
		free(p->manual[i].command);
		free(p->manual[i].persist_file);
		free(p->manual[i].persist_text);
	}
	free(p->actions);
	free(p->conflicts);
	free(p->manual);
	free(p->profile);
	ta_where_done(&p->where);
	*p = (struct ta_plan){0};
}

/* --- what is only told ------------------------------------------------------------------- */

static int take(struct ta_buf *b, char **ret)
{
	ta_buf_rtrim(b);
	*ret = b->len ? ta_buf_steal(b) : NULL;
	return b->len && !*ret ? -ENOMEM : 0;
}

/* Files are shown as they would be: with the newline at their end. */
static int take_text(struct ta_buf *b, char **ret)
{
	*ret = b->len ? ta_buf_steal(b) : NULL;
	return b->len && !*ret ? -ENOMEM : 0;
}

static enum ta_disruption of_risk(enum ta_risk risk)
{
	switch (risk) {
	case TA_RISK_FLOW_RESET:
		return TA_DISRUPT_FLOW_RESET;
	case TA_RISK_LINK_FLAP:
		return TA_DISRUPT_LINK_FLAP;
	case TA_RISK_REBOOT:
		return TA_DISRUPT_REBOOT;
	default:
		return TA_DISRUPT_NONE; /* low is none; workload has a switch of its own */
	}
}

/* The rule's author knows the effect of this target, the fixer that of its kind: the heavier counts. */
static enum ta_disruption disruption_of(const struct ta_rule *rule, const struct ta_fixer *fixer)
{
	enum ta_disruption risk = of_risk(rule->risk);

	return fixer ? TA_MAX(risk, fixer->disruption) : risk;
}

/* Once for each finding: the first reason, of a fix with a write for each queue. */
static bool is_manual(const struct ta_plan *p, const struct ta_finding *f)
{
	const struct ta_plan_manual *last = p->n_manual ? &p->manual[p->n_manual - 1] : NULL;

	return last && !strcmp(last->rule, f->rule->id) && !strcmp(last->subject, f->out.subject);
}

static int add_manual(struct work *w, const struct ta_finding *f, const char *reason)
{
	struct ta_plan *p = w->plan;
	struct ta_plan_manual *v = is_manual(p, f) ? NULL : reallocarray(p->manual, p->n_manual + 1, sizeof(*v)), *m;
	const struct ta_fixer *fixer = f->out.has_fix ? ta_fixer_find(f->out.fix.fixer) : NULL;
	struct ta_fix_text text = {0};
	int rc = 0;

	if (!v)
		return is_manual(p, f) ? 0 : -ENOMEM;
	p->manual = v;
	m = &v[p->n_manual++];
	*m = (struct ta_plan_manual){
		.rule = strdup(f->rule->id),
		.subject = strdup(f->out.subject),
		.reason = strdup(reason),
		.disruption = ta_disruption_name(disruption_of(f->rule, fixer)),
	};
	if (!m->rule || !m->subject || !m->reason)
		return -ENOMEM;
	if (f->out.has_fix && ta_fix_describe(&f->out.fix, w->facts, &text, NULL) == 0)
		rc = take(&text.command, &m->command) ?: take_text(&text.persist_file, &m->persist_file) ?:
			take_text(&text.persist_text, &m->persist_text);
	ta_fix_text_done(&text);
	return rc;
}

static int add_blocked(struct work *w, const struct ta_finding *f, const char *reason)
{
	int rc = add_manual(w, f, reason);

	if (rc == 0)
		w->plan->manual[w->plan->n_manual - 1].blocked = true;
	return rc;
}

static int add_wish(struct ta_plan_conflict *c, const struct ta_rule *r, const char *target, const char *value)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	ta_buf_printf(&b, "%s (%s:%u) wants %s %s", r->id, r->file, r->line, target, value);
	ta_strv_add(&c->wishes, ta_buf_text(&b));
	return b.error ?: c->wishes.error;
}

/* The action that was there first, and a wish against it. The action goes. */
static int add_conflict(struct work *w, size_t at, const struct ta_finding *f, const char *target, const char *after)
{
	struct ta_plan *p = w->plan;
	struct ta_plan_conflict *v = reallocarray(p->conflicts, p->n_conflicts + 1, sizeof(*v)), *c;
	struct ta_action *a = &p->actions[at];
	int rc;

	if (!v)
		return -ENOMEM;
	p->conflicts = v;
	c = &v[p->n_conflicts++];
	*c = (struct ta_plan_conflict){.target = strdup(a->step.target)};
	if (!c->target)
		return -ENOMEM;
	rc = add_wish(c, a->finding->rule, a->step.target, a->step.after) ?: add_wish(c, f->rule, target, after);
	action_done(a);
	memmove(a, a + 1, (--p->n_actions - at) * sizeof(*a));
	return rc;
}

static struct ta_plan_conflict *find_conflict(struct ta_plan *p, const char *target)
{
	for (size_t i = 0; i < p->n_conflicts; i++)
		if (!strcmp(p->conflicts[i].target, target))
			return &p->conflicts[i];
	return NULL;
}

/* --- one write --------------------------------------------------------------------------- */

/* /sys may show the interfaces of another network namespace than the one we are in. */
static int check_sysfs(struct ta_host *h, const struct ta_step *s, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf name = TA_BUF_INIT;
	struct ta_nic_link link;

	if (s->knob != &ta_knob_attr || ta_identity_ifname(s->knob, s->target, &name) < 0)
		return 0;
	if (ta_nic_link_read(h, ta_buf_text(&name), &link) < 0 || ta_nic_link_in_sysfs(h, &link))
		return 0;
	return ta_err_set(err, -EXDEV, "the /sys that is mounted here shows another network namespace's %s",
		ta_buf_text(&name));
}

/* Where wishes add to what is there: s->after becomes both. */
static int join(struct ta_step *s, const char *present, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf both = TA_BUF_INIT;
	int rc = s->knob->join ? s->knob->join(present, s->after, &both) : 0;

	if (rc < 0 || !s->knob->join)
		return rc;
	free(s->after);
	s->after = ta_buf_steal(&both);
	return s->after ? ta_knob_check(s->knob->name, s->target, s->after, TA_VALUE_WISHED, err) : -ENOMEM;
}

/* Fills before and device: 0, 1 (it is so already), or an error whose text is the reason why it is only told. */
static int look(struct work *w, struct ta_step *s, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf present = TA_BUF_INIT;
	int rc = ta_knob_check(s->knob->name, s->target, s->after, TA_VALUE_WISHED, err);

	if (rc == 0)
		rc = s->knob->read(w->host, s->target, &present, err);
	if (rc == 0)
		rc = join(s, ta_buf_text(&present), err);
	if (rc < 0)
		return rc;
	if (!strcmp(ta_buf_text(&present), s->after))
		return 1;
	if (s->before && strcmp(s->before, ta_buf_text(&present)) != 0)
		return ta_err_set(err, -ESTALE, "%s moved from %s to %s while it was looked at", s->target, s->before,
			ta_buf_text(&present));
	free(s->before);
	s->before = strdup(ta_buf_text(&present));
	if (!s->before)
		return -ENOMEM;
	rc = check_sysfs(w->host, s, err);
	if (rc == 0)
		rc = ta_identity_step(w->host, s, err);
	if (rc == 0 && s->knob->may && ta_host_is_live(w->host)) {
		rc = s->knob->may(w->host, s->target);
		if (rc < 0)
			ta_err_set(err, rc, "%s cannot be written from here: %s", s->target, ta_errno_text(rc));
	}
	return rc;
}

static void weigh(struct work *w, struct ta_action *a, const struct ta_finding *f)
{
	a->disruption = TA_MAX(a->disruption, disruption_of(f->rule, ta_fixer_find(f->out.fix.fixer)));
	a->workload = a->workload || f->rule->risk == TA_RISK_WORKLOAD;
	a->trusted = a->trusted && f->rule->trusted;
	ta_management_weigh(&w->management, a);
}

/* --- a saved one, weighed again ----------------------------------------------------------- */

void ta_plan_weigh(struct ta_plan *p, size_t at, const struct ta_rule *rule)
{
	struct ta_action *a = &p->actions[at];

	a->disruption = TA_MAX(a->disruption, disruption_of(rule, ta_fixer_find(a->fixer)));
	a->workload = a->workload || rule->risk == TA_RISK_WORKLOAD;
	a->trusted = a->trusted && rule->trusted;
}

void ta_plan_weigh_here(struct ta_plan *p, struct ta_host *h, const struct ta_facts *facts, const char *peer)
{
	struct ta_management m;

	ta_management_read(h, facts, peer, &m);
	for (size_t i = 0; i < p->n_actions; i++)
		ta_management_weigh(&m, &p->actions[i]);
	ta_management_done(&m);
}

/* The step becomes the action's own. */
static int add_action(struct work *w, const struct ta_finding *f, struct ta_step *s)
{
	struct ta_plan *p = w->plan;
	struct ta_action *v = reallocarray(p->actions, p->n_actions + 1, sizeof(*v)), *a;

	if (!v)
		return -ENOMEM;
	p->actions = v;
	a = &v[p->n_actions++];
	*a = (struct ta_action){.finding = f, .step = *s, .trusted = true};
	*s = (struct ta_step){0};
	a->fixer = strdup(f->out.fix.fixer);
	a->why = strdup(f->rule->title);
	a->subject = strdup(f->out.subject);
	if (!a->fixer || !a->why || !a->subject)
		return -ENOMEM;
	ta_strv_add(&a->rules, f->rule->id);
	ta_plan_directions(&f->out.fix, &a->direction);
	weigh(w, a, f);
	return a->rules.error;
}

/* The action on the target, or on what a write to it would make void. */
static size_t find_action(const struct ta_plan *p, const struct ta_step *s, bool *ret_rival)
{
	const char *rival = s->knob->rival ? s->knob->rival(s->target) : NULL;
	size_t i;

	for (i = 0; i < p->n_actions; i++) {
		const struct ta_step *other = &p->actions[i].step;

		*ret_rival = rival && other->knob == s->knob && !strcmp(other->target, rival);
		if (*ret_rival || (other->knob == s->knob && !strcmp(other->target, s->target)))
			break;
	}
	return i;
}

/* 0, 1 (it cannot be written from here, which is told), or an error. */
static int take_step(struct work *w, const struct ta_finding *f, struct ta_step *s)
{
	struct ta_plan_conflict *conflict = find_conflict(w->plan, s->target);
	struct ta_err err = {0};
	struct ta_action *a;
	bool rival;
	size_t at;
	int rc = look(w, s, &err);

	if (rc == 1 || rc == -ENOMEM)
		return TA_MIN(rc, 0);
	if (rc < 0)
		return add_blocked(w, f, err.text) ?: 1;
	if (conflict)
		return add_wish(conflict, f->rule, s->target, s->after);
	at = find_action(w->plan, s, &rival);
	if (at == w->plan->n_actions)
		return add_action(w, f, s);
	a = &w->plan->actions[at];
	rc = rival ? -EEXIST : ta_plan_merge(a, f, s->after);
	if (rc == -EEXIST)
		return add_conflict(w, at, f, s->target, s->after);
	if (rc < 0)
		return rc;
	if (!ta_strv_has(&a->rules, f->rule->id))
		ta_strv_add(&a->rules, f->rule->id);
	weigh(w, a, f);
	return a->rules.error;
}

/* --- one finding -------------------------------------------------------------------------- */

/* Why the program does not do it by itself; NULL: it does. */
static const char *only_told(const struct ta_finding *f, const struct ta_fixer *fixer)
{
	if (f->out.verdict == TA_V_PENDING_REBOOT)
		return "set already, and waits for a restart of the host";
	if (disruption_of(f->rule, fixer) == TA_DISRUPT_REBOOT)
		return "takes effect with a restart of the host, which this program does not do";
	if (!fixer || !fixer->steps)
		return "is for a person to do";
	return NULL;
}

static int take_finding(struct work *w, const struct ta_finding *f)
{
	const struct ta_fixer *fixer = f->out.has_fix ? ta_fixer_find(f->out.fix.fixer) : NULL;
	ta_cleanup_steps struct ta_steps steps = TA_STEPS_INIT;
	const char *reason = only_told(f, fixer);
	struct ta_err err = {0};
	int rc;

	if (!f->out.has_fix && !strncmp(f->rule->id, "netns.", 6) && f->rule->advice)
		return add_manual(w, f, f->rule->advice); /* a container's settings belong into its configuration */
	if (!f->out.has_fix && f->out.verdict != TA_V_PENDING_REBOOT)
		return 0; /* its advice is check's to give */
	if (reason)
		return add_manual(w, f, reason);
	rc = fixer->steps(&f->out.fix, w->facts, &steps, &err);
	if (rc == -ENOMEM)
		return rc;
	if (rc < 0)
		return add_manual(w, f, err.text);
	/* What comes after one that cannot be written builds on it. */
	for (size_t i = 0; i < steps.n && rc == 0; i++)
		rc = take_step(w, f, &steps.v[i]);
	return TA_MIN(rc, 0);
}

/* --- the whole -------------------------------------------------------------------------- */

/* By need; sysctls by name, so that fs.file-max comes before fs.nr_open and buckets before what counts in them. */
static int by_order(const void *x, const void *y)
{
	const struct ta_action *a = x, *b = y;
	enum ta_knob_order of_a = ta_knob_order(a->step.knob, a->step.target);
	enum ta_knob_order of_b = ta_knob_order(b->step.knob, b->step.target);

	if (of_a != of_b)
		return of_a < of_b ? -1 : 1;
	if (of_a == TA_ORDER_SYSCTL)
		return strcmp(a->step.target, b->step.target);
	return 0;
}

/* Stable: within a kind the fixer's own order holds. */
static void sort(struct ta_plan *p)
{
	for (size_t i = 1; i < p->n_actions; i++) {
		struct ta_action a = p->actions[i];
		size_t k = i;

		for (; k && by_order(&a, &p->actions[k - 1]) < 0; k--)
			p->actions[k] = p->actions[k - 1];
		p->actions[k] = a;
	}
}

static int keep(struct work *w, struct ta_action *a)
{
	ta_cleanup_buf struct ta_buf file = TA_BUF_INIT, line = TA_BUF_INIT, why = TA_BUF_INIT;
	int rc = ta_keep_step(&a->step, w->facts, &file, &line, &why);

	if (rc == -ENOENT || (rc == 0 && !ta_keep_can_from_here(w->host, &a->step, ta_buf_text(&file), &why)))
		return take(&why, &a->not_kept);
	return rc ?: take_text(&file, &a->persist_file) ?: take_text(&line, &a->persist_text);
}

static int finish(struct work *w, size_t at)
{
	struct ta_action *a = &w->plan->actions[at];
	ta_cleanup_buf struct ta_buf command = TA_BUF_INIT;
	int rc;

	a->step.knob->command(a->step.target, a->step.after, &command);
	rc = take(&command, &a->command) ?: keep(w, a);
	ta_plan_add_owners(a, w->facts);
	return rc ?: a->owners.error;
}

int ta_plan_make(struct ta_host *h, const struct ta_audit *a, const struct ta_facts *facts, const char *peer,
	struct ta_plan *ret)
{
	struct ta_plan plan = {.profile = strdup(ta_profile_name(a->profile))};
	struct work w = {.host = h, .facts = facts, .plan = &plan};
	int rc = plan.profile ? ta_where_read(h, &plan.where) : -ENOMEM;

	ta_management_read(h, facts, peer, &w.management);
	for (size_t i = 0; i < a->n_findings && rc >= 0; i++)
		if (a->findings[i].out.verdict == TA_V_FAIL || a->findings[i].out.verdict == TA_V_PENDING_REBOOT)
			rc = take_finding(&w, &a->findings[i]);
	sort(&plan);
	for (size_t i = 0; i < plan.n_actions && rc >= 0; i++)
		rc = finish(&w, i);
	ta_management_done(&w.management);
	for (size_t i = 0; i < plan.n_actions; i++)
		plan.actions[i].finding = NULL; /* the audit may go before the plan does */
	if (rc < 0)
		ta_plan_done(&plan);
	else
		*ret = plan;
	return rc < 0 ? rc : 0;
}

const char *ta_action_refusal(const struct ta_action *a, enum ta_allow allow, bool allow_workload)
{
	if (!a->trusted)
		return "its rule is from a file that others than root may write";
	if (a->disruption == TA_DISRUPT_REBOOT)
		return "takes effect with a restart of the host";
	if (a->disruption == TA_DISRUPT_LINK_FLAP && allow < TA_ALLOW_LINK_FLAP)
		return "needs --allow link-flap";
	if (a->disruption == TA_DISRUPT_FLOW_RESET && allow < TA_ALLOW_FLOW_RESET)
		return "needs --allow flow-reset";
	if (a->workload && !allow_workload)
		return "needs --allow-workload";
	return NULL;
}
