/*
 * Kernel modules: which are loaded, and whether those that a fix or a feature
 * would need are there. Nothing is loaded to find out.
 */
#include <errno.h>
#include <string.h>

#include "base/strv.h"
#include "probe/modules.h"
#include "probe/probe.h"

#define STATE(name, what)                                                                          \
	{"modules.state." name, TA_T_STRING, "",                                                   \
		what ": loaded, builtin, available, absent, static (no loadable modules) or unknown", \
		0, {}}

static const struct ta_field fields[] = {
	{"modules.loadable", TA_T_BOOL, "", "this kernel can load modules (/proc/modules is there)", TA_F_SYSTEM,
		{}},
	{"modules.loaded", TA_T_STRINGS, "", "names of the loaded modules (/proc/modules)", TA_F_VOLATILE, {}},
	STATE("br_netfilter", "bridged packets pass the firewall"),
	STATE("nf_conntrack", "connection tracking"),
	STATE("nf_flow_table", "forwarding past the firewall's rules (flow table)"),
	STATE("sch_cake", "queueing discipline cake"),
	STATE("sch_fq", "queueing discipline fq"),
	STATE("sch_fq_codel", "queueing discipline fq_codel"),
	STATE("tcp_bbr", "congestion control bbr"),
	STATE("tcp_dctcp", "congestion control dctcp"),
	STATE("tcp_diag", "listeners with their backlogs (sock_diag)"),
	STATE("tls", "kernel TLS"),
};

static int add_name(const char *line, size_t len, void *ctx)
{
	size_t name = strcspn(line, " ");

	if (name == 0 || name == len)
		return -EBADMSG;
	ta_strv_addn(ctx, line, name);
	return 0;
}

static void read_loaded(struct ta_host *h, struct ta_facts *f)
{
	static const char file[] = "/proc/modules";
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	const char *const *path = TA_KEYS("modules", "loaded");
	int rc = ta_host_lines(h, file, add_name, &names);

	if (rc == -ENOENT && !ta_modules_loadable(h)) {
		ta_put_bool(f, false, "modules", "loadable");
		ta_facts_put_strs(f, path, NULL, 0);
		return;
	}
	if (rc < 0) {
		ta_put_errno(f, rc, file, "modules", "loadable");
		ta_facts_put_errno(f, path, rc, file);
		return;
	}
	ta_put_bool(f, true, "modules", "loadable");
	ta_strv_sort(&names);
	ta_facts_put_strs(f, path, names.v, names.n);
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	static const char prefix[] = "modules.state.";
	const char *names[TA_ARRAY_SIZE(fields)];
	enum ta_module states[TA_ARRAY_SIZE(fields)];
	size_t n = 0;

	read_loaded(h, f);
	for (size_t i = 0; i < TA_ARRAY_SIZE(fields); i++)
		if (strncmp(fields[i].path, prefix, strlen(prefix)) == 0)
			names[n++] = fields[i].path + strlen(prefix);
	ta_modules_look(h, names, n, states);
	for (size_t i = 0; i < n; i++)
		ta_put_str(f, ta_module_name(states[i]), "modules", "state", names[i]);
}

const struct ta_probe ta_probe_modules = {
	.name = "modules",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
