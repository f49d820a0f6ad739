/*
 * TuneD: whether it runs, and by which profiles. What they set stands in settings.
 */
#include <errno.h>
#include <string.h>

#include "probe/probe.h"
#include "probe/tuned.h"

static const struct ta_field fields[] = {
	{"tuned.running", TA_T_BOOL, "", "TuneD runs", TA_F_WRITTEN, {}},
	{"tuned.profile", TA_T_STRING, "", "its active profiles (/etc/tuned/active_profile); \"\" = none", TA_F_WRITTEN, {}},
	{"tuned.sets", TA_T_STRINGS, "",
		"what they set of CPUs, memory, drives and interfaces, with FILE:LINE; sysctls stand in settings", TA_F_PLACES | TA_F_WRITTEN, {}},
	{"tuned.active", TA_T_BOOL, "", "a profile is chosen, and TuneD runs or is started at boot", TA_F_WRITTEN, {}},
};

/* Options that say how sections belong together, and not what is set. */
static bool is_meta(const char *key)
{
	static const char *const keys[] = {"type", "enabled", "replace", "include", "devices", "dynamic"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(keys); i++)
		if (!strcmp(key, keys[i]))
			return true;
	return false;
}

static bool is_off(const struct ta_tuned *t, const char *section)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->options[i].section, section) && !strcmp(t->options[i].key, "enabled"))
			return strchr("0fFnN", t->options[i].value[0]) && strcasecmp(t->options[i].value, "on") != 0;
	return false;
}

static void put_sets(struct ta_facts *f, const struct ta_tuned *t)
{
	ta_cleanup_strv struct ta_strv sets = TA_STRV_INIT;
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	for (size_t i = 0; i < t->n; i++) {
		const struct ta_tuned_option *o = &t->options[i];

		if (o->sysctl || is_meta(o->key) || is_off(t, o->section))
			continue;
		ta_buf_reset(&text);
		ta_buf_printf(&text, "%s.%s=%s (%s:%u)", o->section, o->key, o->value, t->files.v[o->file], o->line);
		ta_strv_add(&sets, ta_buf_text(&text));
	}
	ta_facts_put_strs(f, TA_KEYS("tuned", "sets"), sets.v, sets.n);
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_tuned struct ta_tuned t = {0};
	int runs = ta_tuned_runs(h), at_boot, rc = ta_tuned_read(h, &t);

	/* That a copied tree has no profile says little of the host. */
	if (!rc && !t.rc && !t.active && !ta_host_is_whole(h) && !ta_host_exists(h, "/etc/tuned"))
		rc = -ENODATA;
	if (runs >= 0)
		ta_put_bool(f, runs, "tuned", "running");
	else
		ta_put_errno(f, runs, "the processes", "tuned", "running");
	if (!rc && (t.active || !t.rc))
		ta_put_str(f, t.active ? t.active : "", "tuned", "profile");
	else
		ta_put_errno(f, rc ? rc : t.rc, rc ? "TuneD" : t.hole, "tuned", "profile");
	if (!rc && !t.rc)
		put_sets(f, &t);
	else
		ta_put_errno(f, rc ? rc : t.rc, rc ? "TuneD" : t.hole, "tuned", "sets");
	at_boot = rc ? rc : t.active ? ta_tuned_at_boot(h) : t.rc;
	if (at_boot >= 0)
		ta_put_bool(f, at_boot, "tuned", "active");
	else
		ta_put_errno(f, at_boot, "TuneD", "tuned", "active");
}

const struct ta_probe ta_probe_tuned = {
	.name = "tuned",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
