/*
 * nofile.service(unit, value): the descriptor limit of a service, by a drop-in of its unit. limits.conf would
 * change nothing: it is for logins (pam_limits(8)). The service has to be restarted, which ends its connections.
 */
#include <errno.h>
#include <string.h>

#include "fix/describe.h"

static const struct ta_fix_param params[] = {
	{"unit", TA_T_STRING, true},
	{"value", TA_T_INT, true},
};

static const char *const reads[] = {"place.init", "limits.nr_open", NULL};
static const struct ta_fix_sig sigs[] = {{"nofile.service", params, TA_ARRAY_SIZE(params), reads}};

static int check_place(const char *unit, int64_t value, const struct ta_facts *facts, struct ta_err *err)
{
	const char *init = ta_facts_get_str(facts, TA_KEYS("place", "init"));
	int64_t nr_open;

	if (!ta_unit_name_valid(unit, ".service"))
		return ta_err_set(err, -EINVAL, "'%s' is no service: raise the limit where the process is started", unit);
	if (init && strcmp(init, "systemd") != 0)
		return ta_err_set(err, -EINVAL, "no systemd here: raise the limit where %s is started", unit);
	if (ta_facts_get_i64(facts, TA_KEYS("limits", "nr_open"), &nr_open) && value > nr_open)
		return ta_err_set(err, -EINVAL, "nofile.service: %lld is above fs.nr_open (%lld), which must be raised first",
			(long long)value, (long long)nr_open);
	return 0;
}

static int describe(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_fix_text *ret,
	struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf dir = TA_BUF_INIT;
	const char *unit;
	int64_t value;
	int rc = ta_fix_arg_str(call, "unit", &unit, err);

	if (rc >= 0)
		rc = ta_fix_arg_i64(call, "value", 1024, 1 << 30, &value, err);
	if (rc >= 0)
		rc = check_place(unit, value, facts, err);
	if (rc < 0)
		return rc;
	ta_buf_printf(&dir, "/etc/systemd/system/%s.d", unit);
	ta_buf_printf(&ret->persist_file, "%s/50-tuneaudit.conf", ta_buf_text(&dir));
	ta_buf_printf(&ret->persist_text, "[Service]\nLimitNOFILE=%lld\n", (long long)value);
	ta_buf_adds(&ret->command, "mkdir -p ");
	ta_shell_quote(&ret->command, ta_buf_text(&dir));
	ta_buf_printf(&ret->command, "\nprintf '[Service]\\nLimitNOFILE=%lld\\n' > ", (long long)value);
	ta_shell_quote(&ret->command, ta_buf_text(&ret->persist_file));
	ta_buf_adds(&ret->command, "\nsystemctl daemon-reload\n# the restart ends its connections\nsystemctl restart -- ");
	ta_shell_quote(&ret->command, unit);
	ta_buf_addc(&ret->command, '\n');
	return dir.error;
}

const struct ta_fixer ta_fixer_nofile = {
	.sigs = sigs,
	.n_sigs = TA_ARRAY_SIZE(sigs),
	.disruption = TA_DISRUPT_FLOW_RESET,
	.describe = describe,
};
