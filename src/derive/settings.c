/*
 * What runs against what the next boot sets. A line is read as the kernel reads what is written into the file of a
 * sysctl (proc_get_long(), kernel/sysctl.c): numbers with 0x and 0 in front count as in C, what comes behind
 * the last one that it wants is passed over, a letter behind a digit is refused.
 *
 * And what runs although nothing sets it and no kernel starts with it: somebody set it by hand, or a program that
 * keeps no file. The table of starting values holds only those that depend on neither memory nor CPUs.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/strv.h"
#include "derive/derive.h"

static const struct ta_field fields[] = {
	{"settings.*.running", TA_T_STRING, "", "the value now", 0, {}},
	{"settings.*.next_boot", TA_T_STRING, "", "the value that the next boot sets, as the kernel reads the line", 0, {}},
	{"settings.*.differs", TA_T_BOOL, "", "these two are different", 0, {}},
	{"settings.*.comparable", TA_T_BOOL, "",
		"they can be held against each other: something sets it in time, and the kernel takes it as it is written", 0, {}},
	{"settings.*.refused", TA_T_BOOL, "", "the line is there, but the kernel takes no such value", 0, {}},
	{"settings.*.there", TA_T_BOOL, "", "this kernel has the sysctl now", 0, {}},
	{"settings.*.in_time", TA_T_BOOL, "",
		"the sysctl is there when its line is applied: it needs no module that is loaded later", 0, {}},
	{"settings.*.module", TA_T_STRING, "", "the module that the sysctl comes with; \"\" = the kernel itself", 0, {}},
	{"settings.*.by_hand", TA_T_BOOL, "",
		"nothing sets it at boot, yet it has a value that no kernel starts with", 0, {}},
};

static const char *const needs[] = {"settings", "sysctl", "boot", "modules", "persist", NULL};

/* --- values --------------------------------------------------------------------------- */

/* Integers and lists as text; NULL: none, or another type. */
static bool running_text(struct json_object *o, struct ta_buf *ret)
{
	if (!o)
		return false;
	if (json_object_is_type(o, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(o); i++)
			ta_buf_printf(ret, "%s%s", i ? " " : "", json_object_get_string(json_object_array_get_idx(o, i)));
	} else {
		ta_buf_adds(ret, json_object_get_string(o));
	}
	return true;
}

static int digit(char c)
{
	if (ta_is_digit(c))
		return c - '0';
	if ((c | 32) >= 'a' && (c | 32) <= 'f')
		return (c | 32) - 'a' + 10;
	return 99;
}

/* One number at *text, moved behind it and the blanks that follow. 0, -ENODATA (nothing left), -EINVAL. */
static int next_number(const char **text, struct ta_buf *ret)
{
	const char *c = *text + strspn(*text, " \t");
	bool minus = *c == '-';
	int base = 10, d;
	uint64_t v = 0;

	if (!*c)
		return -ENODATA;
	c += minus;
	if (*c == '0' && (c[1] | 32) == 'x') {
		base = 16;
		c += 2;
	} else if (*c == '0') {
		base = 8;
	}
	if (digit(*c) >= base)
		return -EINVAL;
	for (; (d = digit(*c)) < base; c++) {
		if (v > (UINT64_MAX - (unsigned)d) / (unsigned)base)
			return -EINVAL;
		v = v * (unsigned)base + (unsigned)d;
	}
	if (*c && !strchr(" \t", *c))
		return -EINVAL;
	ta_buf_printf(ret, "%s%s%llu", ret->len ? " " : "", minus && v ? "-" : "", (unsigned long long)v);
	*text = c + strspn(c, " \t");
	return 0;
}

/* What the kernel makes of `value`, of at most `n` numbers; -EINVAL: it refuses it. */
static int written_numbers(const char *value, size_t n, struct ta_buf *ret)
{
	int rc = next_number(&value, ret);

	for (size_t i = 1; !rc && i < n; i++) {
		rc = next_number(&value, ret);
		if (rc == -ENODATA)
			return 0;
	}
	return rc ? -EINVAL : ret->error;
}

static int written(const char *value, struct json_object *running, struct ta_buf *ret)
{
	if (json_object_is_type(running, json_type_array))
		return written_numbers(value, json_object_array_length(running), ret);
	if (json_object_is_type(running, json_type_int))
		return written_numbers(value, 1, ret);
	ta_buf_adds(ret, value);
	return ret->error;
}

/* Elements that a line does not name stay as they are. -1 is what is read back as 4294967295 of unsigned ones. */
static bool same(const char *boot, const char *running)
{
	size_t n = strlen(boot);

	if (!strcmp(boot, "-1") && !strcmp(running, "4294967295"))
		return true;
	return !strncmp(boot, running, n) && (!running[n] || running[n] == ' ');
}

/*
 * Values that the kernel takes of each element; it leaves the sysctl as it is for others (EINVAL). kernel/sysctl.c,
 * net/core/sysctl_net_core.c, net/ipv4/sysctl_net_ipv4.c (6.12). The smallest buffers depend on the size of its structures: what
 * none of them takes.
 */
static const struct taken {
	const char *key;
	int64_t min, max;
} taken[] = {
	{"kernel.pid_max", 301, 4194304},
	{"net.core.bpf_jit_enable", 0, 2},
	{"net.core.rmem_default", 2048, INT32_MAX},
	{"net.core.rmem_max", 2048, INT32_MAX},
	{"net.core.somaxconn", 0, INT32_MAX},
	{"net.core.wmem_default", 4096, INT32_MAX},
	{"net.core.wmem_max", 4096, INT32_MAX},
	{"net.ipv4.ip_local_port_range", 1, 65535},
	{"net.ipv4.tcp_rmem", 1, INT32_MAX},
	{"net.ipv4.tcp_wmem", 1, INT32_MAX},
	{"vm.dirty_background_ratio", 0, 100},
	{"vm.dirty_ratio", 0, 100},
	{"vm.overcommit_memory", 0, 2},
	{"vm.swappiness", 0, 200},
};

static bool is_in_range(const char *key, const char *numbers)
{
	const struct taken *r = NULL;
	ta_cleanup_strv struct ta_strv v = TA_STRV_INIT;
	int64_t n;

	for (size_t i = 0; i < TA_ARRAY_SIZE(taken); i++)
		if (!strcmp(taken[i].key, key))
			r = &taken[i];
	if (!r)
		return true;
	ta_strv_split(&v, numbers, " ");
	for (size_t i = 0; i < v.n; i++)
		if (ta_parse_i64(v.v[i], &n) < 0 || n < r->min || n > r->max)
			return false;
	return true;
}

/*
 * Less than two ticks (8 ms at 250 Hz) is refused since 6.14 and by later releases of older kernels (net/core/sysctl_net_core.c,
 * netdev_budget_usecs_min). Of a value that runs already it is known that it is taken.
 */
static bool may_be_too_short(const char *key, const char *boot, const char *running)
{
	int64_t wished, now;

	return !strcmp(key, "net.core.netdev_budget_usecs") && !ta_parse_i64(boot, &wished) && !ta_parse_i64(running, &now) &&
	       wished < 20000 && wished < now;
}

/* What is read back is not what was written: rounded, put in order, as far as memory or hardware allows. */
static bool is_adjusted(const char *key)
{
	static const char *const keys[] = {"fs.pipe-max-size", "kernel.nmi_watchdog", "kernel.numa_balancing",
		"kernel.watchdog", "net.core.flow_limit_cpu_bitmap", "net.core.rps_default_mask",
		"net.core.rps_sock_flow_entries", "net.ipv4.ip_local_reserved_ports",
		"net.ipv4.tcp_allowed_congestion_control", "net.netfilter.nf_conntrack_buckets", "vm.min_free_kbytes",
		"vm.nr_hugepages", "vm.percpu_pagelist_high_fraction"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(keys); i++)
		if (!strcmp(keys[i], key))
			return true;
	return false;
}

/* --- modules --------------------------------------------------------------------------- */

static const char *module_of(const char *key)
{
	if (!strncmp(key, "net.netfilter.nf_conntrack", 26))
		return "nf_conntrack";
	if (!strncmp(key, "net.bridge.bridge-nf-", 21))
		return "br_netfilter";
	return NULL;
}

static bool list_has(const struct ta_facts *f, const char *const *path, const char *name)
{
	struct json_object *list = ta_facts_at(f, path);

	for (size_t i = 0; list && i < json_object_array_length(list); i++)
		if (!strcmp(json_object_get_string(json_object_array_get_idx(list, i)), name))
			return true;
	return false;
}

/* 1: it is there before sysctls are set, 0: it is not, -1: not known. */
static int is_there_at_boot(const struct ta_facts *f, const char *module)
{
	const char *state = ta_facts_get_str(f, TA_KEYS("modules", "state", module));
	bool loaded_known = ta_facts_at(f, TA_KEYS("modules", "loaded"));

	if (list_has(f, TA_KEYS("boot", "modules"), module) || list_has(f, TA_KEYS("boot", "sysctl_again"), module))
		return 1;
	if (list_has(f, TA_KEYS("modules", "loaded"), module))
		return 0;
	if (!state || !strcmp(state, "unknown"))
		return -1;
	/* What /sys/module has and /proc/modules has not is part of the kernel. */
	if (!strcmp(state, "loaded"))
		return loaded_known ? 1 : -1;
	return !strcmp(state, "builtin") || !strcmp(state, "static");
}

/* True if its line finds the sysctl there. TuneD comes late. */
static bool put_in_time(struct ta_facts *f, const char *key)
{
	const char *module = module_of(key), *by = ta_facts_get_str(f, TA_KEYS("settings", key, "set_by"));
	int there = module && by && strcmp(by, "tuned") ? is_there_at_boot(f, module) : 1;

	ta_put_str(f, module ? module : "", "settings", key, "module");
	if (there >= 0)
		ta_put_bool(f, there, "settings", key, "in_time");
	else
		ta_facts_put_absent(f, TA_KEYS("settings", key, "in_time"), TA_MISSING,
			"whether %s is part of the kernel is not known", module);
	return there > 0;
}

/* --- pairs of which one switches the other off ------------------------------------------- */

static const char *partner(const char *key)
{
	static const char *const pairs[][2] = {
		{"vm.dirty_ratio", "vm.dirty_bytes"},
		{"vm.dirty_background_ratio", "vm.dirty_background_bytes"},
		{"vm.overcommit_ratio", "vm.overcommit_kbytes"},
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(pairs); i++) {
		if (!strcmp(key, pairs[i][0]))
			return pairs[i][1];
		if (!strcmp(key, pairs[i][1]))
			return pairs[i][0];
	}
	return NULL;
}

/* --- one sysctl ---------------------------------------------------------------------------- */

static void put_unknown(struct ta_facts *f, const char *key, enum ta_reason why, const char *text)
{
	ta_facts_put_absent(f, TA_KEYS("settings", key, "next_boot"), why, "%s", text);
	ta_facts_put_absent(f, TA_KEYS("settings", key, "differs"), why, "%s", text);
	ta_put_bool(f, false, "settings", key, "comparable");
}

/* Whoever switches huge pages on comes after the sysctls and has this one raised (mm/khugepaged.c: set_recommended_min_free_kbytes()). */
static bool raised_later(const struct ta_facts *f, const char *key)
{
	static const char thp[] = "/sys/kernel/mm/transparent_hugepage/enabled";
	const char *value = ta_facts_get_str(f, TA_KEYS("persist", thp, "value"));

	return !strcmp(key, "vm.min_free_kbytes") && value && strcmp(value, "never") != 0;
}

static void put_difference(struct ta_facts *f, const char *key, const char *boot, const char *running)
{
	ta_cleanup_buf struct ta_buf whole = TA_BUF_INIT;
	const char *rest = running;

	if (raised_later(f, key)) {
		put_unknown(f, key, TA_UNSUPPORTED, "huge pages, which are switched on later, raise it");
		return;
	}
	if (same(boot, running)) {
		ta_put_str(f, running, "settings", key, "next_boot");
		ta_put_bool(f, false, "settings", key, "differs");
		ta_put_bool(f, true, "settings", key, "comparable");
		return;
	}
	if (is_adjusted(key)) {
		put_unknown(f, key, TA_UNSUPPORTED, "the kernel adjusts what is written to it");
		return;
	}
	/* The elements that the line does not name. */
	for (const char *c = boot; *c && *rest; c++)
		if (*c == ' ')
			rest += strcspn(rest, " ") + (rest[strcspn(rest, " ")] == ' ');
	ta_buf_printf(&whole, "%s%s", boot, rest + strcspn(rest, " "));
	ta_put_str(f, ta_buf_text(&whole), "settings", key, "next_boot");
	ta_put_bool(f, true, "settings", key, "differs");
	ta_put_bool(f, true, "settings", key, "comparable");
}

/* TuneD's ">N" and "<N": at least, at most. */
static void put_bound(struct ta_facts *f, const char *key, const char *value, const char *running)
{
	int64_t bound, now;

	if (ta_parse_i64(value + 1, &bound) || ta_parse_i64(running, &now))
		put_unknown(f, key, TA_UNSUPPORTED, "TuneD works it out when it starts");
	else
		put_difference(f, key, (*value == '>' ? now < bound : now > bound) ? value + 1 : running, running);
}

static void put_next_boot(struct ta_facts *f, const char *key, const char *value, const char *running)
{
	ta_cleanup_buf struct ta_buf boot = TA_BUF_INIT;
	const char *other = partner(key);
	bool persisted = false, refused = false;

	if (other && ta_facts_get_bool(f, TA_KEYS("settings", other, "persisted"), &persisted) && persisted) {
		put_unknown(f, key, TA_UNSUPPORTED, "its counterpart is set too, and the later one switches the other off");
	} else if (*value == '>' || *value == '<') {
		put_bound(f, key, value, running);
	} else if (strstr(value, "${")) {
		put_unknown(f, key, TA_UNSUPPORTED, "TuneD works it out when it starts");
	} else if (written(value, ta_facts_at(f, TA_KEYS("sysctl", key)), &boot) < 0 || !is_in_range(key, ta_buf_text(&boot))) {
		put_unknown(f, key, TA_MALFORMED, "the kernel refuses such a value");
		refused = true;
	} else if (may_be_too_short(key, ta_buf_text(&boot), running)) {
		put_unknown(f, key, TA_UNSUPPORTED, "kernels since 6.14 and later releases of older ones refuse less than two ticks");
	} else {
		put_difference(f, key, ta_buf_text(&boot), running);
	}
	ta_put_bool(f, refused, "settings", key, "refused");
}

/* A sysctl that is there and cannot be read: nor is what comes of the line. */
static void put_unreadable(struct ta_facts *f, const char *key)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;
	struct ta_absence why;

	ta_path_format(&path, TA_KEYS("sysctl", key));
	why = ta_facts_absence(f, ta_buf_text(&path));
	if (why.reason == TA_MISSING) {
		put_unknown(f, key, TA_MISSING, "the sysctl is not there now");
		return;
	}
	put_unknown(f, key, why.reason, why.detail);
	ta_facts_put_absent(f, TA_KEYS("settings", key, "refused"), why.reason, "%s", why.detail);
}

/* Whether the sysctl is there, and its value; false if it is not known to be. */
static bool put_running(struct ta_facts *f, const char *key, struct ta_buf *ret)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;
	struct ta_absence why;

	if (running_text(ta_facts_at(f, TA_KEYS("sysctl", key)), ret)) {
		ta_put_str(f, ta_buf_text(ret), "settings", key, "running");
		ta_put_bool(f, true, "settings", key, "there");
		return true;
	}
	ta_path_format(&path, TA_KEYS("sysctl", key));
	why = ta_facts_absence(f, ta_buf_text(&path));
	ta_facts_put_absent(f, TA_KEYS("settings", key, "running"), why.reason, "%s", why.detail);
	if (why.reason == TA_MISSING)
		ta_put_bool(f, false, "settings", key, "there");
	else
		ta_facts_put_absent(f, TA_KEYS("settings", key, "there"), why.reason, "%s", why.detail);
	return false;
}

/* --- set by hand ----------------------------------------------------------------------------- */

struct range {
	int64_t low, high;
};

struct start {
	const char *key;
	size_t element;
	size_t n; /* ranges */
	struct range r[2]; /* starting values of kernels since 3.0, and what systemd itself writes */
};

/* Compared with the kernel sources 3.18, 5.4, 6.1, 6.12 and systemd 252 (src/core/main.c). */
static const struct start starts[] = {
	{"fs.aio-max-nr", 0, 1, {{65536, 65536}}},
	{"fs.nr_open", 0, 2, {{1048576, 1048576}, {1073741816, 2147483584}}},
	{"net.core.busy_poll", 0, 1, {{0, 0}}},
	{"net.core.busy_read", 0, 1, {{0, 0}}},
	{"net.core.netdev_budget", 0, 1, {{300, 300}}},
	{"net.core.netdev_budget_usecs", 0, 1, {{2000, 20000}}},
	{"net.core.netdev_max_backlog", 0, 1, {{1000, 1000}}},
	{"net.core.rmem_default", 0, 2, {{65536, 262144}, {4194304, 4194304}}},
	{"net.core.rmem_max", 0, 2, {{65536, 262144}, {4194304, 4194304}}},
	{"net.core.rps_sock_flow_entries", 0, 1, {{0, 0}}},
	{"net.core.somaxconn", 0, 2, {{128, 128}, {4096, 4096}}},
	{"net.core.wmem_default", 0, 2, {{65536, 262144}, {4194304, 4194304}}},
	{"net.core.wmem_max", 0, 2, {{65536, 262144}, {4194304, 4194304}}},
	{"net.ipv4.ip_local_port_range", 0, 1, {{32768, 32768}}},
	{"net.ipv4.ip_local_port_range", 1, 1, {{60999, 61000}}},
	{"net.ipv4.tcp_abort_on_overflow", 0, 1, {{0, 0}}},
	{"net.ipv4.tcp_fin_timeout", 0, 1, {{60, 60}}},
	{"net.ipv4.tcp_keepalive_intvl", 0, 1, {{75, 75}}},
	{"net.ipv4.tcp_keepalive_probes", 0, 1, {{9, 9}}},
	{"net.ipv4.tcp_keepalive_time", 0, 1, {{7200, 7200}}},
	{"net.ipv4.tcp_moderate_rcvbuf", 0, 1, {{1, 1}}},
	{"net.ipv4.tcp_mtu_probing", 0, 1, {{0, 0}}},
	{"net.ipv4.tcp_no_metrics_save", 0, 1, {{0, 0}}},
	{"net.ipv4.tcp_notsent_lowat", 0, 2, {{-1, -1}, {4294967295, 4294967295}}},
	{"net.ipv4.tcp_retries2", 0, 1, {{15, 15}}},
	{"net.ipv4.tcp_sack", 0, 1, {{1, 1}}},
	{"net.ipv4.tcp_slow_start_after_idle", 0, 1, {{1, 1}}},
	{"net.ipv4.tcp_synack_retries", 0, 1, {{5, 5}}},
	{"net.ipv4.tcp_timestamps", 0, 1, {{1, 1}}},
	{"net.ipv4.tcp_tw_reuse", 0, 2, {{0, 0}, {2, 2}}},
	{"net.ipv4.tcp_window_scaling", 0, 1, {{1, 1}}},
	{"vm.dirty_background_ratio", 0, 2, {{10, 10}, {0, 0}}},
	{"vm.dirty_ratio", 0, 2, {{20, 20}, {0, 0}}},
	{"vm.max_map_count", 0, 1, {{65530, 65530}}},
	{"vm.overcommit_memory", 0, 1, {{0, 0}}},
	{"vm.swappiness", 0, 1, {{60, 60}}},
	{"vm.vfs_cache_pressure", 0, 1, {{100, 100}}},
};

static bool in_ranges(const struct start *s, int64_t v)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->r[i].low <= v && v <= s->r[i].high)
			return true;
	return false;
}

static struct json_object *element(const struct ta_facts *f, const char *key, size_t i)
{
	struct json_object *o = ta_facts_at(f, TA_KEYS("sysctl", key));

	return json_object_is_type(o, json_type_array) ? json_object_array_get_idx(o, i) : o;
}

static bool starts_otherwise(const struct ta_facts *f, const struct start *s)
{
	struct json_object *o = element(f, s->key, s->element);

	return json_object_is_type(o, json_type_int) && !in_ranges(s, json_object_get_int64(o));
}

static void put_set_by_hand(struct ta_facts *f, const char *key)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	if (!ta_facts_at(f, TA_KEYS("settings", key))) {
		ta_put_bool(f, false, "settings", key, "persisted");
		ta_put_bool(f, false, "settings", key, "unread");
		ta_put_bool(f, false, "settings", key, "refused");
		ta_put_bool(f, false, "settings", key, "comparable");
		ta_put_bool(f, true, "settings", key, "there");
		running_text(ta_facts_at(f, TA_KEYS("sysctl", key)), &text);
		ta_put_str(f, ta_buf_text(&text), "settings", key, "running");
	}
	ta_put_bool(f, true, "settings", key, "by_hand");
}

/* Only where all files were read does "nothing sets it" hold. */
static void put_by_hand(struct ta_facts *f)
{
	struct ta_absence why;
	bool persisted;

	if (ta_facts_incomplete(f, "settings", &why))
		return;
	for (size_t i = 0; i < TA_ARRAY_SIZE(starts); i++) {
		persisted = false;
		ta_facts_get_bool(f, TA_KEYS("settings", starts[i].key, "persisted"), &persisted);
		if (!persisted && starts_otherwise(f, &starts[i]))
			put_set_by_hand(f, starts[i].key);
	}
}

static void compute_one(struct ta_facts *f, const char *key)
{
	ta_cleanup_buf struct ta_buf running = TA_BUF_INIT;
	bool known = put_running(f, key, &running), persisted = false, in_time = put_in_time(f, key);
	const char *value = ta_facts_get_str(f, TA_KEYS("settings", key, "value"));

	ta_facts_get_bool(f, TA_KEYS("settings", key, "persisted"), &persisted);
	ta_put_bool(f, false, "settings", key, "by_hand");
	ta_put_bool(f, false, "settings", key, "refused");
	if (!persisted || !value)
		put_unknown(f, key, TA_MISSING, "nothing sets it at boot");
	else if (!in_time)
		put_unknown(f, key, TA_MISSING, "the module that it comes with is loaded later");
	else if (!known)
		put_unreadable(f, key);
	else
		put_next_boot(f, key, value, ta_buf_text(&running));
}

static void compute(struct ta_facts *f)
{
	struct json_object *settings = ta_facts_at(f, TA_KEYS("settings"));

	if (!settings)
		return;
	json_object_object_foreach(settings, key, setting)
	{
		(void)setting;
		compute_one(f, key);
	}
	put_by_hand(f);
}

const struct ta_derivation ta_derive_settings = {
	.name = "settings_boot",
	.needs = needs,
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.compute = compute,
};
