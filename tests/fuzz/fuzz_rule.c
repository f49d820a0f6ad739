/*
 * Rule texts from any bytes, up to their verdicts. Behind a line "====" a facts
 * document may follow; without one a small host is judged. What is held:
 * nothing crashes, hangs or leaks; the same text gives the same verdict twice;
 * an expression that is printed reads back as what it was.
 */
#include <stdlib.h>
#include <string.h>

#include "rule/explain.h"
#include "rule/rules.h"
#include "tests/unit/rule_tables.h"

#define SEPARATOR "\n====\n"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char host[] =
	"{\"schema\":\"tuneaudit.facts/1\",\"facts\":{"
	"\"cpu\":{\"online\":4,\"isolated\":[2,3],\"policies\":{\"policy0\":{\"governor\":\"powersave\"}}},"
	"\"kernel\":{\"version\":[5,10,0],\"release\":\"5.10.0\"},\"modules\":{\"loaded\":[\"tls\",\"nf_conntrack\"]},"
	"\"pressure\":{\"cpu\":{\"some\":{\"avg10\":0.5}}},"
	"\"numa\":{\"0\":{\"physical_cores\":16,\"cpus\":[0,1,2,3]},\"1\":{\"physical_cores\":18446744073709551615}},"
	"\"limits\":{\"file_max\":\"unlimited\",\"nr_open\":-9223372036854775808},"
	"\"nics\":{\"eth0\":{\"up\":true,\"physical\":true,\"mtu\":1500,\"driver\":\"x\",\"numa_node\":0,"
	"\"channels\":{\"combined\":{\"current\":4,\"max\":8}},\"features\":{\"tso\":true},\"rps\":{\"rx-0\":[0,1]}},"
	"\"eth0.100\":{\"up\":false,\"mtu\":\"big\"}},"
	"\"processes\":{\"1\":{\"comm\":\"a\",\"nofile_hard\":\"unlimited\",\"subject\":\"a:80\"},"
	"\"2\":{\"comm\":\"b\",\"nofile_hard\":1024,\"subject\":\"a:80\"}},\"listeners\":{},"
	"\"irqs\":{\"24\":{\"device\":\"eth0\",\"effective\":[0]},\"25\":{\"device\":\"eth0\",\"effective\":[1]}},"
	"\"counters\":{\"softnet\":{\"dropped\":12}},"
	"\"sysctl\":{\"net.core.somaxconn\":128,\"net.ipv4.tcp_rmem\":[4096,131072,6291456],"
	"\"net.ipv4.ip_local_port_range\":[32768,60999],\"net.netfilter.nf_conntrack_max\":0,"
	"\"net.ipv4.tcp_notsent_lowat\":0}},"
	"\"absent\":{\"counters.softnet.time_squeeze\":{\"reason\":\"denied\",\"detail\":\"no\"},"
	"\"nics[\\\"eth0.100\\\"].channels\":{\"reason\":\"unsupported\",\"detail\":\"none\"}},"
	"\"incomplete\":{\"processes\":{\"reason\":\"denied\",\"detail\":\"hidepid\"}}}";

/* What `want` of the only rule in `text` looks like when it is printed; false: there is none. */
static bool print_want(const char *text, size_t len, struct ta_buf *ret)
{
	struct ta_rules *rs = ta_rules_new();
	struct ta_diags diags = {0};
	bool ok = rs && ta_rules_add_text(rs, "again", text, len, 0, &diags) == 0 && rs->n_rules == 1;

	if (ok)
		ta_expr_print(NULL, rs->rules[0]->want, ret);
	ta_rules_free(rs);
	ta_diags_done(&diags);
	return ok;
}

static bool has_real(const struct ta_expr *e)
{
	if (e->node == TA_N_REAL)
		return true;
	for (const struct ta_expr *x = e->child; x; x = x->next)
		if (has_real(x))
			return true;
	return false;
}

static void check_printing(const struct ta_rule *r)
{
	ta_cleanup_buf struct ta_buf once = TA_BUF_INIT, text = TA_BUF_INIT, twice = TA_BUF_INIT;

	/* Real numbers are printed rounded, long strings cut. */
	if (has_real(r->want))
		return;
	ta_expr_print(NULL, r->want, &once);
	if (strstr(ta_buf_text(&once), "…"))
		return;
	ta_buf_printf(&text, "rule a title \"t\" want %s end", ta_buf_text(&once));
	if (!print_want(text.data, text.len, &twice) || strcmp(ta_buf_text(&once), ta_buf_text(&twice)) != 0)
		abort();
}

static void judge(const struct ta_rules *rs, const struct ta_rule *r, const struct ta_profile *profile,
	const struct ta_facts *f)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_outcomes one = {0}, two = {0};

	if (ta_rule_eval(rs, r, profile, f, &one) < 0 || ta_rule_eval(rs, r, profile, f, &two) < 0 || one.n != two.n)
		abort();
	for (size_t i = 0; i < one.n; i++)
		if (one.v[i].verdict != two.v[i].verdict || strcmp(one.v[i].because, two.v[i].because) != 0)
			abort();
	if (ta_rule_explain(rs, r, profile, f, &text) < 0)
		abort();
	ta_outcomes_done(&one);
	ta_outcomes_done(&two);
}

static void judge_all(const struct ta_rules *rs, const struct ta_facts *f)
{
	for (const struct ta_rule *r = ta_rules_first(rs); r; r = r->next) {
		ta_cleanup_strv struct ta_strv owners = TA_STRV_INIT, paths = TA_STRV_INIT;
		struct ta_diags diags = {0};
		size_t n;

		judge(rs, r, NULL, f);
		for (const struct ta_profile *p = rs->profiles; p; p = p->next)
			judge(rs, r, p, f);
		ta_rule_owners(r, &owners);
		ta_rule_paths(r, &paths);
		ta_rules_waiver(rs, r->id, "host");
		ta_rule_run_cases(rs, r, &diags, &n);
		ta_diags_done(&diags);
		check_printing(r);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct ta_table tables[] = {
		{"nic", kit_nic_fields, TA_ARRAY_SIZE(kit_nic_fields)},
		{"ethtool", kit_ethtool_fields, TA_ARRAY_SIZE(kit_ethtool_fields)},
		{"other", kit_other_fields, TA_ARRAY_SIZE(kit_other_fields)},
		{"sysctl", kit_sysctl_fields, TA_ARRAY_SIZE(kit_sysctl_fields)},
	};
	static struct ta_schema *schema;
	static struct ta_facts *small;
	const uint8_t *rest = size ? memmem(data, size, SEPARATOR, strlen(SEPARATOR)) : NULL;
	size_t len = rest ? (size_t)(rest - data) : size;
	ta_cleanup_facts struct ta_facts *f = NULL;
	struct ta_rules *rs = ta_rules_new();
	struct ta_diags diags = {0};
	const char *json = rest ? (const char *)rest + strlen(SEPARATOR) : NULL;

	if (!schema && (ta_schema_new(tables, TA_ARRAY_SIZE(tables), &schema, NULL) < 0 ||
			       ta_facts_parse(host, strlen(host), &small, NULL) < 0))
		abort();
	if (json)
		ta_facts_parse(json, size - len - strlen(SEPARATOR), &f, NULL);
	/* Exactly as long as it is, so that reading beyond it is seen. */
	char *text = malloc(len + 1);

	memcpy(text, data, len);
	ta_rules_add_text(rs, "fuzz.rules", text, len, 0, &diags);
	free(text);
	ta_rules_resolve(rs, schema, kit_fixers, TA_ARRAY_SIZE(kit_fixers), &diags);
	judge_all(rs, f ? f : small);
	ta_rules_free(rs);
	ta_diags_done(&diags);
	return 0;
}
