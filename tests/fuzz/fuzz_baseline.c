/*
 * Saved baselines: any bytes. What is read is written the same way again, has not moved against itself, and can be held
 * against another one and told.
 */
#include <stdlib.h>
#include <string.h>

#include "baseline/drift.h"
#include "baseline/fingerprint.h"
#include "probe/collect.h"
#include "report/drift.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct ta_schema *schema;
static struct ta_rules *rules;

static const char rule_text[] =
	"rule net.a\n title \"t\"\n why \"w\"\n ref \"r\"\n severity error\n weight 1\n risk none\n"
	" want sysctl[\"net.core.somaxconn\"] >= 1024\n"
	" case pass \"p\" { sysctl[\"net.core.somaxconn\"] = 4096 }\n case fail \"f\" { sysctl[\"net.core.somaxconn\"] = 1 }\n"
	" case unknown \"u\" { absent sysctl[\"net.core.somaxconn\"] denied \"d\" }\nend\n"
	"profile base\n title \"t\"\n rules net.*\nend\n";

static void begin(void)
{
	struct ta_diags diags = {0};
	struct ta_err err;

	if (schema)
		return;
	rules = ta_rules_new();
	if (ta_collect_schema(&schema, &err) < 0 ||
		ta_rules_add_text(rules, "f", rule_text, strlen(rule_text), TA_RULES_TRUSTED, &diags) < 0 ||
		ta_rules_resolve(rules, schema, NULL, 0, &diags) < 0)
		abort();
}

/* How much moved between them; told in both forms. */
static size_t tell(const struct ta_baseline *a, const struct ta_baseline *b)
{
	const struct ta_drift_options o = {.schema = schema, .rules = rules, .profile = ta_rules_profile(rules, "base")};
	const struct ta_report_options report = {.columns = 80, .program = "t", .tool_version = "1"};
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT, json = TA_BUF_INIT;
	ta_cleanup_drift struct ta_drift d = {0};

	if (ta_drift_find(a, b, &o, &d) < 0)
		abort();
	ta_report_drift(&d, &report, &text);
	ta_report_drift_json(&d, "1", &json);
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.data[i] >= 0x7f || (text.data[i] < ' ' && text.data[i] != '\n'))
			abort();
	return d.n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char empty[] = "{\"schema\":\"tuneaudit.baseline/1\",\"tool\":\"1\",\"rules\":\"0\",\"profile\":\"base\","
				    "\"fingerprint\":{},\"facts\":{},\"absent\":{},\"incomplete\":[],\"findings\":[]}";
	ta_cleanup_baseline struct ta_baseline b = {0}, again = {0}, none = {0};
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT, line = TA_BUF_INIT;
	ta_cleanup_strv struct ta_strv reasons = TA_STRV_INIT;
	struct ta_err err = {0};

	begin();
	if (ta_baseline_parse((const char *)data, size, &b, &err) < 0) {
		if (!*err.text)
			abort();
		return 0;
	}
	ta_baseline_format(&b, &text);
	if (ta_baseline_parse(ta_buf_text(&text), text.len, &again, &err) < 0 || again.n_facts != b.n_facts)
		abort();
	if (ta_baseline_parse(empty, sizeof(empty) - 1, &none, &err) < 0)
		abort();
	(void)tell(&b, &again);
	(void)tell(&none, &b);
	(void)tell(&b, &none);
	ta_fingerprint_format(b.fingerprint, &line);
	ta_fingerprint_compare(b.fingerprint, none.fingerprint, &reasons);
	return 0;
}
