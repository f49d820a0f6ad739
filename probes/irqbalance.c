/*
 * irqbalance: whether it is there and runs, what it keeps away from, and by which configuration: that of its
 * distribution, what its unit and drop-ins pass it, OpenWrt's. The command line of the process is not read: more
 * than the first word of one is nobody's business.
 */
#include <errno.h>
#include <string.h>

#include "probe/irqbalance.h"
#include "probe/probe.h"
#include "probe/service.h"
#include "probe/unitfile.h"

static const struct ta_field fields[] = {
	{"irqbalance.installed", TA_T_BOOL, "", "its program is there", TA_F_WRITTEN, {}},
	{"irqbalance.running", TA_T_BOOL, "", "it runs", TA_F_WRITTEN, {}},
	{"irqbalance.config_file", TA_T_STRING, "", "where it takes its configuration from; \"\" = there is none", TA_F_WRITTEN, {}},
	{"irqbalance.unit_files", TA_T_STRINGS, "", "its unit and drop-ins, of which the later ones hold", TA_F_WRITTEN, {}},
	{"irqbalance.oneshot", TA_T_BOOL, "",
		"told to place interrupts once and end; on machines with one shared cache it does so by itself", TA_F_WRITTEN, {}},
	{"irqbalance.banned_cpus", TA_T_INTS, "CPUs", "CPUs that it sends no interrupts to", TA_F_CPUS | TA_F_WRITTEN, {}},
	{"irqbalance.bans_given", TA_T_BOOL, "",
		"they come from its configuration, which replaces its own choice: isolated CPUs and those without ticks", TA_F_WRITTEN, {}},
	{"irqbalance.banned_irqs", TA_T_INTS, "", "interrupts that it leaves alone (--banirq)", TA_F_WRITTEN, {}},
	{"irqbalance.policy", TA_T_STRING, "",
		"what it makes of drivers' hints (--hintpolicy): exact, subset, ignore; \"\" = its default", TA_F_WRITTEN, {}},
	{"irqbalance.policy_script", TA_T_BOOL, "", "a script decides for it (--policyscript)", TA_F_WRITTEN, {}},
};

static const char *const programs[] = {"/usr/sbin/irqbalance", "/usr/bin/irqbalance", "/sbin/irqbalance", NULL};
static const struct ta_service service = {"irqbalance.service", "irqbalance", programs, "/run/irqbalance.pid"};
static const char *const configs[] = {"/etc/default/irqbalance", "/etc/sysconfig/irqbalance"};
static const char uci_config[] = "/etc/config/irqbalance";

static void put_state(struct ta_facts *f, int state, const char *name)
{
	if (state >= 0)
		ta_put_bool(f, state, "irqbalance", name);
	else
		ta_put_errno(f, state, "irqbalance", "irqbalance", name);
}

/* 0 and the first of them that is there ("" in `file`: none), or why it cannot be read. */
static int read_config(struct ta_host *h, const char **file, struct ta_buf *text)
{
	*file = "";
	for (size_t i = 0; i < TA_ARRAY_SIZE(configs); i++) {
		int rc = ta_host_read(h, configs[i], TA_READ_CAP, text);

		if (rc == -ENOENT || rc == -ENOTDIR)
			continue;
		*file = configs[i];
		return rc;
	}
	ta_buf_reset(text);
	return 0;
}

struct unit {
	struct ta_irqbalance *c;
};

/* Environment=A=1 "B=2 3": assignments between blanks, quotes around those that hold some. */
static int assign_all(struct ta_irqbalance *c, const char *text)
{
	ta_cleanup_buf struct ta_buf one = TA_BUF_INIT;
	int rc = 0;

	while (!rc && *(text += strspn(text, " \t"))) {
		char quote = *text == '"' || *text == '\'' ? *text++ : '\0';
		size_t n = quote ? strcspn(text, (char[]){quote, '\0'}) : strcspn(text, " \t");

		ta_buf_reset(&one);
		ta_buf_add(&one, text, n);
		text += n + (quote && text[n]);
		rc = one.error ? one.error : ta_irqbalance_assign(c, ta_buf_text(&one));
	}
	return rc;
}

/* What the unit gives it by itself. $IRQBALANCE_ARGS and the like come from the configuration, which is read anyway. */
static int on_unit_line(const struct ta_unit_line *l, void *ctx)
{
	struct unit *u = ctx;

	if (strcmp(l->section, "Service") != 0)
		return 0;
	if (!strcmp(l->key, "Environment"))
		return assign_all(u->c, l->value);
	/* Each ExecStart= takes the place of those before: what it bans is all that is banned so. */
	if (!strcmp(l->key, "ExecStart") && *l->value) {
		u->c->n_irqs = 0;
		return ta_irqbalance_options(u->c, l->value);
	}
	return 0;
}

/* Under systemd the unit is the first to speak, and the environment file over it. */
static int read_unit(struct ta_host *h, struct ta_facts *f, struct ta_irqbalance *c)
{
	ta_cleanup_unit_files struct ta_unit_files files = {0};
	struct unit u = {.c = c};
	int rc = ta_unit_files_read(h, service.unit, on_unit_line, &u, &files);

	if (!rc && files.rc)
		ta_facts_put_absent(f, TA_KEYS("irqbalance", "unit_files"), ta_reason_of(files.rc), "%s", files.hole);
	else if (!rc)
		ta_facts_put_strs(f, TA_KEYS("irqbalance", "unit_files"), files.v.v, files.v.n);
	return rc ? rc : files.rc;
}

static int add_list(struct ta_host *h, const char *file, struct ta_cpuset *ret)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	ta_cleanup_cpuset struct ta_cpuset more = TA_CPUSET_INIT;
	int rc = ta_host_read(h, file, TA_READ_CAP, &text);

	/* Kernels without the file have no such CPUs, as far as irqbalance can see. */
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	rc = ta_cpuset_parse_list(&more, ta_buf_text(&text));
	return rc ? rc : ta_cpuset_or(ret, &more);
}

/* Without a list of its own it keeps off isolated CPUs and those without ticks. */
static int own_choice(struct ta_host *h, struct ta_cpuset *ret)
{
	int rc = add_list(h, "/sys/devices/system/cpu/isolated", ret);

	return rc ? rc : add_list(h, "/sys/devices/system/cpu/nohz_full", ret);
}

static void put_config(struct ta_host *h, struct ta_facts *f, struct ta_irqbalance *c, const char *file)
{
	int rc = c->has_cpus ? c->cpus_rc : own_choice(h, &c->cpus);

	ta_put_str(f, file, "irqbalance", "config_file");
	ta_put_bool(f, c->oneshot, "irqbalance", "oneshot");
	ta_put_bool(f, c->has_cpus, "irqbalance", "bans_given");
	if (rc)
		ta_facts_put_absent(f, TA_KEYS("irqbalance", "banned_cpus"), TA_MALFORMED, "%s: not a list of CPUs",
			c->has_cpus ? file : "isolated, nohz_full");
	else
		ta_put_cpus(f, &c->cpus, "irqbalance", "banned_cpus");
	ta_facts_put_ints(f, TA_KEYS("irqbalance", "banned_irqs"), c->irqs, c->n_irqs);
	ta_put_str(f, c->policy, "irqbalance", "policy");
	ta_put_bool(f, c->policy_script, "irqbalance", "policy_script");
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	static const char *const parts[] = {
		"config_file", "unit_files", "oneshot", "banned_cpus", "bans_given", "banned_irqs", "policy", "policy_script"};
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT, uci = TA_BUF_INIT;
	struct ta_irqbalance c = {.oneshot = false};
	int installed = ta_service_installed(h, &service), rc;
	const char *file;

	put_state(f, installed, "installed");
	put_state(f, ta_service_runs(h, &service), "running");
	rc = read_config(h, &file, &text);
	if (!rc && !*file) {
		bool enabled;

		rc = ta_host_read(h, uci_config, TA_READ_CAP, &uci);
		file = rc ? file : uci_config;
		rc = rc == -ENOENT || rc == -ENOTDIR ? 0 : rc ? rc : ta_irqbalance_parse_uci(ta_buf_text(&uci), &c, &enabled);
	}
	if (!rc)
		rc = read_unit(h, f, &c);
	if (!rc && !*file && installed < 0)
		rc = -ENODATA;
	if (!rc)
		rc = ta_irqbalance_parse(ta_buf_text(&text), &c);
	if (!rc)
		put_config(h, f, &c, file);
	for (size_t i = 0; rc && i < TA_ARRAY_SIZE(parts); i++)
		ta_put_errno(f, rc, *file ? file : "the configuration of irqbalance", "irqbalance", parts[i]);
	ta_cpuset_done(&c.cpus);
}

const struct ta_probe ta_probe_irqbalance = {
	.name = "irqbalance",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
