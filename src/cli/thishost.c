#include "cli/thishost.h"

#include "baseline/fingerprint.h"
#include "cli/session.h"
#include "report/parts.h"

/* With `lines` also what these need. */
static int read_host(struct ta_session *s, bool lines, struct json_object **ret)
{
	static const char *const owners_of_it[] = {"host", "kernel", "place", "cpu", "numa", "memory", "nic", "ethtool"};
	ta_cleanup_strv struct ta_strv owners = TA_STRV_INIT;
	const struct ta_source_options source = {.quiet = true};
	int code = ta_session_schema(s);

	if (code != TA_EXIT_OK)
		return code;
	ta_fingerprint_owners(s->schema, &owners);
	for (size_t i = 0; lines && i < TA_ARRAY_SIZE(owners_of_it); i++)
		if (!ta_strv_has(&owners, owners_of_it[i]))
			ta_strv_add(&owners, owners_of_it[i]);
	ta_strv_sort(&owners);
	code = ta_session_collect(s, &source, &owners);
	if (code != TA_EXIT_OK)
		return code;
	*ret = ta_fingerprint_make(s->facts);
	return *ret ? TA_EXIT_OK : ta_cli_fail(TA_EXIT_INTERNAL, "out of memory");
}

int ta_cli_this_host(unsigned columns, struct ta_buf *ret, struct json_object **ret_fingerprint)
{
	ta_cleanup_session struct ta_session s = TA_SESSION_INIT;
	const struct ta_report_options o = {.columns = columns};
	int code = read_host(&s, true, ret_fingerprint);

	if (code == TA_EXIT_OK)
		ta_part_host(s.facts, &o, ret);
	return code;
}

int ta_cli_fingerprint(struct json_object **ret)
{
	ta_cleanup_session struct ta_session s = TA_SESSION_INIT;

	return read_host(&s, false, ret);
}
