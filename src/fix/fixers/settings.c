/*
 * What to do about the lines that set a sysctl:
 *     setting.agree(key)    the line and what runs are different: take the line's value now
 *     setting.keep(key)     what runs and is written nowhere
 *     setting.lines(key)    lines that have no effect, and why
 *     setting.module(key)   the module that has to be loaded before
 * All of them name files and lines, which no rule can.
 */
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "base/num.h"
#include "fix/describe.h"
#include "fix/ownfile.h"
#include "fix/sinks.h"

static const struct ta_fix_param params[] = {{"key", TA_T_STRING, true}};
static const char *const reads[] = {"settings.*.file", "settings.*.running", NULL};

static const struct ta_fix_sig sigs[] = {
	{"setting.agree", params, TA_ARRAY_SIZE(params), reads},
	{"setting.keep", params, TA_ARRAY_SIZE(params), reads},
	{"setting.lines", params, TA_ARRAY_SIZE(params), reads},
	{"setting.module", params, TA_ARRAY_SIZE(params), reads},
};

static const char *text_of(const struct ta_facts *facts, const char *key, const char *name)
{
	const char *text = ta_facts_get_str(facts, TA_KEYS("settings", key, name));

	return text ? text : "";
}

/* Ours to write, and nothing but numbers and names in it. */
static bool may_write(const char *key, const char *value)
{
	return ta_sysctl_sink(key) && !ta_sysctl_forbidden(key) && *value &&
	       !value[strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789_- ")];
}

/* Without what is left of a comment behind the value. */
static void add_line(struct ta_buf *b, const struct ta_facts *facts, const char *key)
{
	const char *value = text_of(facts, key, "value");

	ta_buf_adds(b, "# ");
	ta_setting_place(facts, key, b);
	ta_buf_printf(b, " sets %s to ", key);
	ta_buf_add(b, value, strcspn(value, "#"));
	ta_buf_rtrim(b);
}

/*
 * Limits of which more is never worse: a line that would lower what runs is old advice (systemd lifts fs.file-max out of
 * the way since 240; the kernel's own defaults grow), so lowering is not offered.
 */
static bool would_lower(const char *key, const char *running, const char *boot)
{
	static const char *const limits[] = {"fs.file-max", "fs.nr_open", "fs.inotify.max_user_watches", "fs.aio-max-nr",
		"kernel.pid_max", "kernel.threads-max", "vm.max_map_count", "net.core.somaxconn", "net.core.rmem_max",
		"net.core.wmem_max", "net.netfilter.nf_conntrack_max", "net.ipv4.tcp_max_orphans",
		"net.ipv4.tcp_max_tw_buckets", "net.ipv4.tcp_max_syn_backlog"};
	uint64_t now, then;

	for (size_t i = 0; i < TA_ARRAY_SIZE(limits); i++)
		if (strcmp(key, limits[i]) == 0)
			return ta_parse_u64(running, &now) == 0 && ta_parse_u64(boot, &then) == 0 && then < now;
	return false;
}

static int agree(const char *key, const struct ta_facts *facts, struct ta_fix_text *ret, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf word = TA_BUF_INIT;
	const char *boot = text_of(facts, key, "next_boot");

	add_line(&ret->command, facts, key);
	if (!may_write(key, boot)) {
		ta_buf_adds(&ret->command, ": make that line and what runs agree\n");
		return 0;
	}
	if (would_lower(key, text_of(facts, key, "running"), boot)) {
		ta_buf_printf(&ret->command, ", below what runs: take it out or raise it%s\n",
			strncmp(text_of(facts, key, "file"), "/usr/", 5) ? "" : " in a file of /etc/sysctl.d");
		return 0;
	}
	ta_buf_printf(&ret->command, "; if what runs is right %s, else\n",
		strncmp(text_of(facts, key, "file"), "/usr/", 5) ? "change that line" : "set it in /etc/sysctl.d");
	ta_buf_printf(&word, "%s=%s", key, boot);
	ta_buf_adds(&ret->command, "sysctl -w ");
	ta_shell_quote(&ret->command, ta_buf_text(&word));
	ta_buf_addc(&ret->command, '\n');
	return word.error;
}

static int keep(const char *key, const struct ta_facts *facts, struct ta_fix_text *ret, struct ta_err *err)
{
	const char *running = text_of(facts, key, "running");

	if (!may_write(key, running))
		return ta_err_set(err, -EINVAL, "%s is not in the table of sysctls that may be written", key);
	ta_buf_adds(&ret->persist_file, TA_OWN_SYSCTL);
	ta_buf_printf(&ret->persist_text, "%s = %s\n", key, running);
	return 0;
}

static void add_list(struct ta_buf *b, const struct ta_facts *facts, const char *key, const char *name, const char *why)
{
	struct json_object *list = ta_facts_at(facts, TA_KEYS("settings", key, name));

	if (!json_object_is_type(list, json_type_array))
		return;
	for (size_t i = 0; i < json_object_array_length(list); i++)
		ta_buf_printf(b, "# %s%s\n", json_object_get_string(json_object_array_get_idx(list, i)), why);
}

static int lines(const char *key, const struct ta_facts *facts, struct ta_fix_text *ret, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf why = TA_BUF_INIT;

	if (*text_of(facts, key, "file")) {
		add_line(&ret->command, facts, key);
		ta_buf_addc(&ret->command, '\n');
	}
	add_list(&ret->command, facts, key, "overridden", " and is overridden");
	ta_buf_printf(&why, " wants to set %s", key);
	add_list(&ret->command, facts, key, "ignored", ta_buf_text(&why));
	return why.error;
}

/* The table is that of the modules which sysctls come with. */
static int module(const char *key, const struct ta_facts *facts, struct ta_fix_text *ret, struct ta_err *err)
{
	const char *name = text_of(facts, key, "module");

	if (strcmp(name, "nf_conntrack") && strcmp(name, "br_netfilter"))
		return ta_err_set(err, -EINVAL, "setting.module: no module is known that %s comes with", key);
	add_line(&ret->command, facts, key);
	ta_buf_printf(&ret->command, " before %s is loaded\n", name);
	ta_buf_adds(&ret->persist_file, TA_OWN_MODULES);
	ta_buf_printf(&ret->persist_text, "%s\n", name);
	return 0;
}

static int describe(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_fix_text *ret,
	struct ta_err *err)
{
	static int (*const verbs[])(const char *key, const struct ta_facts *facts, struct ta_fix_text *ret,
		struct ta_err *err) = {agree, keep, lines, module};
	const char *key;
	int rc = ta_fix_arg_str(call, "key", &key, err);

	for (size_t i = 0; rc >= 0 && i < TA_ARRAY_SIZE(sigs); i++)
		if (!strcmp(call->fixer, sigs[i].name))
			return verbs[i](key, facts, ret, err);
	return rc < 0 ? rc : -EINVAL;
}

const struct ta_fixer ta_fixer_settings = {
	.sigs = sigs,
	.n_sigs = TA_ARRAY_SIZE(sigs),
	.disruption = TA_DISRUPT_NONE,
	.describe = describe,
};
