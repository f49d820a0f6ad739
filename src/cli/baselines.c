#include "cli/baselines.h"

#include <string.h>

#include "base/nearest.h"
#include "cli/system.h"

int ta_baseline_load(const char *path, struct ta_baseline *ret)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_err err = {0};
	bool trusted;

	if (ta_system_read_file(path, TA_BASELINE_MAX, &text, &trusted, &err) < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "%s", err.text);
	if (ta_baseline_parse(ta_buf_text(&text), text.len, ret, &err) < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "%s: %s", path, err.text);
	return TA_EXIT_OK;
}

int ta_baseline_of(const struct ta_session *s, const struct ta_ruleset *rs, const struct ta_audit *audit, struct ta_baseline *ret)
{
	if (ta_baseline_make(s->facts, s->schema, audit, ta_rules_digest(rs->rules), TA_VERSION, ret) < 0)
		return ta_cli_fail(TA_EXIT_INTERNAL, "out of memory");
	return TA_EXIT_OK;
}

int ta_baseline_check_ignore(const struct ta_schema *schema, const struct ta_strv *words)
{
	for (size_t i = 0; i < words->n; i++) {
		struct ta_nearest near = TA_NEAREST(words->v[i]);

		if (ta_drift_may_ignore(schema, words->v[i]))
			continue;
		for (int k = 0; k < TA_DRIFT_KINDS; k++)
			ta_nearest_try(&near, ta_drift_kind_name((enum ta_drift_kind)k));
		if (near.best)
			return ta_cli_fail(TA_EXIT_USAGE, "--ignore '%s': did you mean '%s'?", words->v[i], near.best);
		return ta_cli_fail(TA_EXIT_USAGE,
			"--ignore '%s': neither setting, kernel, hardware, tool nor a path of a fact ('tuneaudit facts' "
			"shows them)",
			words->v[i]);
	}
	return TA_EXIT_OK;
}
