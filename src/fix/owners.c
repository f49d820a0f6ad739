/*
 * Who else writes it: what is applied now may be undone by these, now or at the next start.
 */
#include <json-c/json.h>
#include <string.h>

#include "fix/describe.h"
#include "fix/ownfile.h"
#include "fix/planparts.h"

void ta_plan_owners(struct ta_strv *ret)
{
	static const char *const owners[] = {"agents", "irqbalance", "settings", "tuned", "place", "nic"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(owners); i++)
		ta_strv_add(ret, owners[i]);
}

static bool is_true(const struct ta_facts *facts, const char *const *path)
{
	bool v;

	return ta_facts_get_bool(facts, path, &v) && v;
}

static void add(struct ta_action *a, const char *before, const char *what, const char *behind)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	ta_buf_printf(&b, "%s%s%s", before, what, behind);
	if (!ta_strv_has(&a->owners, ta_buf_text(&b)))
		ta_strv_add(&a->owners, ta_buf_text(&b));
}

/* The line that sets the sysctl at boot, unless it is ours. */
static void add_line(struct ta_action *a, const struct ta_facts *facts)
{
	const char *key = a->step.target, *by = ta_facts_get_str(facts, TA_KEYS("settings", key, "set_by"));
	const char *file = ta_facts_get_str(facts, TA_KEYS("settings", key, "file"));
	ta_cleanup_buf struct ta_buf place = TA_BUF_INIT;

	if (!file || !strcmp(file, TA_OWN_SYSCTL))
		return;
	ta_setting_place(facts, key, &place);
	add(a, by && !strcmp(by, "tuned") ? "TuneD, " : "", ta_buf_text(&place), "");
}

static void add_tuned(struct ta_action *a, const struct ta_facts *facts)
{
	const char *profile = ta_facts_get_str(facts, TA_KEYS("tuned", "profile"));

	if (is_true(facts, TA_KEYS("tuned", "active")) && profile && *profile)
		add(a, "TuneD (profile ", profile, ")");
}

/* Agents say in words what they write; of interest is whether the target is meant. */
static void add_agents(struct ta_action *a, const struct ta_facts *facts)
{
	struct json_object *agents = ta_facts_at(facts, TA_KEYS("agents"));
	enum ta_knob_order order = ta_knob_order(a->step.knob, a->step.target);
	bool nic = order >= TA_ORDER_QUEUES && order <= TA_ORDER_STEERING;

	if (!json_object_is_type(agents, json_type_object))
		return;
	json_object_object_foreach(agents, name, agent)
	{
		const char *writes = ta_facts_get_str(facts, TA_KEYS("agents", name, "writes"));
		bool running;

		(void)agent;
		if (!writes || (ta_facts_get_bool(facts, TA_KEYS("agents", name, "running"), &running) && !running))
			continue;
		if (strstr(writes, a->step.target) || (nic && !strcmp(name, "google-guest-agent")))
			add(a, "", name, "");
	}
}

void ta_plan_add_owners(struct ta_action *a, const struct ta_facts *facts)
{
	enum ta_knob_order order = ta_knob_order(a->step.knob, a->step.target);

	if (a->step.knob == &ta_knob_sysctl)
		add_line(a, facts);
	else
		add_tuned(a, facts); /* its profiles set these by their own words, which are not looked through here */
	if (order == TA_ORDER_IRQ && is_true(facts, TA_KEYS("irqbalance", "running")))
		add(a, "", "irqbalance", "");
	add_agents(a, facts);
}
