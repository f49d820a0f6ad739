/*
 * tuneaudit.apply/1.
 */
#include "report/verify.h"

#include "report/change.h"

void ta_report_apply_json(const struct ta_run *run, const struct ta_verify_report *v, const char *message, int exit_code, struct ta_buf *ret)
{
	struct ta_json j = {.b = ret};

	ta_json_open(&j, NULL, '{');
	ta_json_str(&j, "schema", "tuneaudit.apply/1");
	ta_json_u64(&j, "exit_code", (uint64_t)exit_code);
	ta_json_str(&j, "message", message);
	if (run)
		ta_report_run_json(&j, "run", run);
	else
		ta_json_null(&j, "run");
	if (v)
		ta_report_verify_json(v, &j);
	else
		ta_json_null(&j, "verify");
	ta_json_close(&j, '}');
	ta_buf_addc(ret, '\n');
}
