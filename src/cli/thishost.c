#include "cli/thishost.h"

#include "cli/session.h"
#include "report/parts.h"

int ta_cli_this_host(unsigned columns, struct ta_buf *ret)
{
	static const char *const owners_of_it[] = {"host", "kernel", "place", "cpu", "numa", "memory", "nic", "ethtool"};
	ta_cleanup_session struct ta_session s = TA_SESSION_INIT;
	ta_cleanup_strv struct ta_strv owners = TA_STRV_INIT;
	const struct ta_source_options source = {.quiet = true};
	const struct ta_report_options o = {.columns = columns};
	int code = ta_session_schema(&s);

	for (size_t i = 0; i < TA_ARRAY_SIZE(owners_of_it); i++)
		ta_strv_add(&owners, owners_of_it[i]);
	if (code == TA_EXIT_OK)
		code = ta_session_collect(&s, &source, &owners);
	if (code == TA_EXIT_OK)
		ta_part_host(s.facts, &o, ret);
	return code;
}
