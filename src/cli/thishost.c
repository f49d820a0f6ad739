#include "cli/thishost.h"

#include "baseline/fingerprint.h"
#include "cli/session.h"

int ta_cli_fingerprint(struct json_object **ret)
{
	ta_cleanup_session struct ta_session s = TA_SESSION_INIT;
	ta_cleanup_strv struct ta_strv owners = TA_STRV_INIT;
	const struct ta_source_options source = {.quiet = true};
	int code = ta_session_schema(&s);

	if (code != TA_EXIT_OK)
		return code;
	ta_fingerprint_owners(s.schema, &owners);
	ta_strv_sort(&owners);
	code = ta_session_collect(&s, &source, &owners);
	if (code != TA_EXIT_OK)
		return code;
	*ret = ta_fingerprint_make(s.facts);
	return *ret ? TA_EXIT_OK : ta_cli_fail(TA_EXIT_INTERNAL, "out of memory");
}

int ta_cli_this_host(struct ta_buf *ret, struct json_object **ret_fingerprint)
{
	int code = ta_cli_fingerprint(ret_fingerprint);

	if (code == TA_EXIT_OK)
		ta_fingerprint_format(*ret_fingerprint, ret);
	return code;
}
