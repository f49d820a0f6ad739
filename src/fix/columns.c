#include "fix/columns.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "fix/describe.h"

#define COLUMNS_MAX 256 /* of one finding: an interface has some hundred queues */

struct filling {
	const struct ta_facts *facts;
	struct ta_columns *ret;
	int rc;
};

static char *copy(struct filling *f, const char *text)
{
	char *s = text ? strdup(text) : NULL;

	if (text && !s)
		f->rc = -ENOMEM;
	return s;
}

/* The next row, with what is known of it; texts are copied. */
static struct ta_column *add(struct filling *f, const char *target)
{
	struct ta_column *v;

	if (f->rc || f->ret->n == COLUMNS_MAX)
		return NULL;
	v = reallocarray(f->ret->v, f->ret->n + 1, sizeof(*v));
	if (!v) {
		f->rc = -ENOMEM;
		return NULL;
	}
	f->ret->v = v;
	v += f->ret->n++;
	*v = (struct ta_column){.target = copy(f, target), .differs = -1};
	return v;
}

/* --- facts as text ---------------------------------------------------------------------------- */

/* Lists with blanks, switches as on and off; false: there is none. */
static bool text_at(const struct ta_facts *facts, const char *const *path, struct ta_buf *ret)
{
	struct json_object *o = ta_facts_at(facts, path);

	ta_buf_reset(ret);
	if (!o || json_object_is_type(o, json_type_object))
		return false;
	if (json_object_is_type(o, json_type_boolean)) {
		ta_buf_adds(ret, json_object_get_boolean(o) ? "on" : "off");
	} else if (json_object_is_type(o, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(o); i++)
			ta_buf_printf(ret, "%s%s", i ? " " : "", json_object_get_string(json_object_array_get_idx(o, i)));
	} else {
		ta_buf_adds(ret, json_object_get_string(o));
	}
	return true;
}

static char *fact(struct filling *f, const char *const *path)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	return text_at(f->facts, path, &text) ? copy(f, ta_buf_text(&text)) : NULL;
}

#define FACT(f, ...) fact((f), TA_KEYS(__VA_ARGS__))

static char *place_of(struct filling *f, const char *collection, const char *key)
{
	const char *file = ta_facts_get_str(f->facts, TA_KEYS(collection, key, "file"));
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	int64_t line;

	if (!file)
		return NULL;
	ta_buf_adds(&b, file);
	if (ta_facts_get_i64(f->facts, TA_KEYS(collection, key, "line"), &line))
		ta_buf_printf(&b, ":%lld", (long long)line);
	return copy(f, ta_buf_text(&b));
}

static bool is_true(const struct ta_facts *facts, const char *collection, const char *key, const char *name)
{
	bool v = false;

	return ta_facts_get_bool(facts, TA_KEYS(collection, key, name), &v) && v;
}

/* Why the last column is empty: the reason of the fact, else of the collection. */
static char *why_of(struct filling *f, const char *collection, const char *key)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;
	struct ta_absence why;

	if (!ta_facts_at(f->facts, TA_KEYS(collection, key))) {
		if (ta_facts_incomplete(f->facts, collection, &why))
			return copy(f, why.detail);
		return copy(f, strcmp(collection, "persist") ? "nothing sets it at boot" : "no file that is looked into sets it at boot");
	}
	ta_path_format(&path, TA_KEYS(collection, key, "next_boot"));
	return copy(f, ta_facts_absence(f->facts, ta_buf_text(&path)).detail);
}

/* A row of settings or persist. */
static void fill(struct filling *f, struct ta_column *c, const char *collection, const char *key)
{
	bool differs;

	free(c->running);
	c->running = FACT(f, collection, key, "running");
	c->place = place_of(f, collection, key);
	c->value = FACT(f, collection, key, "value");
	c->next_boot = FACT(f, collection, key, "next_boot");
	if (!c->next_boot)
		c->detail = why_of(f, collection, key);
	if (ta_facts_get_bool(f->facts, TA_KEYS(collection, key, "differs"), &differs))
		c->differs = differs;
	else if (is_true(f->facts, collection, key, "by_hand"))
		c->differs = 1;
}

/* --- one kind each ------------------------------------------------------------------------------ */

static void of_sysctl(struct filling *f, const char *key)
{
	struct ta_column *c = ta_facts_at(f->facts, TA_KEYS("settings")) ? add(f, key) : NULL;

	if (!c)
		return;
	fill(f, c, "settings", key);
	if (!c->running)
		c->running = FACT(f, "sysctl", key);
}

/* `running`: the fact that tells it where nothing of persist does; may be NULL. */
static void of_target(struct filling *f, const char *target, const char *const *running)
{
	struct ta_column *c = ta_facts_at(f->facts, TA_KEYS("persist")) ? add(f, target) : NULL;

	if (!c)
		return;
	fill(f, c, "persist", target);
	if (!c->running && running)
		c->running = fact(f, running);
}

/* Every entry of persist whose name begins and ends so; else one row for all of them. */
static void of_all(struct filling *f, const char *begin, const char *end)
{
	struct json_object *all = ta_facts_at(f->facts, TA_KEYS("persist"));
	ta_cleanup_buf struct ta_buf name = TA_BUF_INIT;
	size_t before = f->ret->n;

	if (!json_object_is_type(all, json_type_object))
		return;
	json_object_object_foreach(all, key, unused)
	{
		size_t n = strlen(key), k = strlen(end);

		(void)unused;
		if (n >= k && !strncmp(key, begin, strlen(begin)) && !strcmp(key + n - k, end))
			of_target(f, key, NULL);
	}
	ta_buf_printf(&name, "%s*%s", begin, end);
	if (f->ret->n == before)
		of_target(f, ta_buf_text(&name), NULL);
}

static const char *str_arg(const struct ta_fix_call *call, const char *name)
{
	struct json_object *v = ta_fix_arg(call, name);

	return json_object_is_type(v, json_type_string) ? json_object_get_string(v) : NULL;
}

static void of_thp(struct filling *f, const struct ta_fix_call *call)
{
	for (size_t i = 0; i < call->n_args; i++) {
		ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;

		ta_buf_printf(&path, "/sys/kernel/mm/transparent_hugepage/%s", call->args[i].name);
		of_target(f, ta_buf_text(&path), TA_KEYS("memory", "thp", call->args[i].name));
	}
}

static void of_block(struct filling *f, const struct ta_fix_call *call)
{
	const char *disk = str_arg(call, "disk");

	for (size_t i = 0; disk && i < call->n_args; i++) {
		ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;

		if (!strcmp(call->args[i].name, "disk"))
			continue;
		ta_buf_printf(&path, "/sys/block/%s/queue/%s", disk, call->args[i].name);
		of_target(f, ta_buf_text(&path), TA_KEYS("disks", disk, call->args[i].name));
	}
}

static void of_nvme(struct filling *f, const struct ta_fix_call *call)
{
	const char *device = str_arg(call, "device");
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;

	if (!device)
		return;
	ta_buf_printf(&path, "/sys/class/nvme/%s/power/pm_qos_latency_tolerance_us", device);
	of_target(f, ta_buf_text(&path), TA_KEYS("nvme", device, "latency_tolerance_us"));
}

/* "nic.rings(ifname, rx)": "eth0 rings rx" */
static void of_nic_group(struct filling *f, const struct ta_fix_call *call, const char *nic)
{
	const char *kind = call->fixer + strlen("nic.");

	for (size_t i = 0; i < call->n_args; i++) {
		ta_cleanup_buf struct ta_buf target = TA_BUF_INIT;
		const char *name = call->args[i].name;

		if (!strcmp(name, "ifname"))
			continue;
		ta_buf_printf(&target, "%s %s ", nic, kind);
		for (const char *c = name; *c; c++)
			ta_buf_addc(&target, *c == '_' ? '-' : *c); /* as ethtool calls it */
		if (!strcmp(kind, "coalesce"))
			of_target(f, ta_buf_text(&target), TA_KEYS("nics", nic, kind, name));
		else
			of_target(f, ta_buf_text(&target), TA_KEYS("nics", nic, kind, name, "current"));
	}
}

static void of_nic(struct filling *f, const struct ta_fix_call *call)
{
	const char *nic = str_arg(call, "ifname"), *feature = str_arg(call, "name"), *verb = strchr(call->fixer, '.') + 1;
	ta_cleanup_buf struct ta_buf target = TA_BUF_INIT;

	if (!nic)
		return;
	if (!strcmp(verb, "channels") || !strcmp(verb, "rings") || !strcmp(verb, "coalesce")) {
		of_nic_group(f, call, nic);
		return;
	}
	if (!strcmp(verb, "features") && feature) {
		ta_buf_printf(&target, "%s features %s", nic, feature);
		of_target(f, ta_buf_text(&target), TA_KEYS("nics", nic, "features", feature));
	} else if (!strcmp(verb, "qdisc") || !strcmp(verb, "txqueuelen")) {
		ta_buf_printf(&target, "%s %s", nic, verb);
		of_target(f, ta_buf_text(&target), TA_KEYS("nics", nic, verb));
	} else if (!strcmp(verb, "rss")) {
		ta_buf_printf(&target, "%s rss", nic);
		of_target(f, ta_buf_text(&target), NULL);
	}
}

static void of_steering(struct filling *f, const struct ta_fix_call *call)
{
	const char *nic = str_arg(call, "ifname"), *end = "/rps_cpus";
	ta_cleanup_buf struct ta_buf begin = TA_BUF_INIT;

	if (!nic)
		return;
	if (!strcmp(call->fixer, "rfs.set")) {
		of_sysctl(f, "net.core.rps_sock_flow_entries");
		end = "/rps_flow_cnt";
	} else if (!strcmp(call->fixer, "xps.set")) {
		end = "/xps_cpus";
	}
	ta_buf_printf(&begin, "/sys/class/net/%s/queues/%cx-", nic, end[1] == 'x' ? 't' : 'r');
	of_all(f, ta_buf_text(&begin), end);
}

/* What the next start of the service gets. What runs is the process's affair: it stands in the finding. */
static void of_unit(struct filling *f, const struct ta_fix_call *call)
{
	const char *unit = str_arg(call, "unit"), *place;
	struct ta_column *c = unit && ta_facts_at(f->facts, TA_KEYS("units", unit)) ? add(f, unit) : NULL;

	if (!c)
		return;
	place = ta_facts_get_str(f->facts, TA_KEYS("units", unit, "nofile_set_by"));
	c->next_boot = FACT(f, "units", unit, "nofile_soft");
	c->place = place && *place ? copy(f, place) : NULL;
	c->value = c->place ? FACT(f, "units", unit, "nofile_soft") : NULL;
	if (!c->next_boot)
		c->detail = copy(f, "what its next start gives is not known");
}

static void of_module(struct filling *f, const struct ta_fix_call *call)
{
	const char *name = str_arg(call, "name");
	struct json_object *list = ta_facts_at(f->facts, TA_KEYS("boot", "modules"));
	struct ta_column *c = name && list ? add(f, name) : NULL;
	bool named = false;

	for (size_t i = 0; c && i < json_object_array_length(list); i++)
		named = named || !strcmp(json_object_get_string(json_object_array_get_idx(list, i)), name);
	if (!c)
		return;
	c->running = FACT(f, "modules", "state", name);
	c->next_boot = named ? copy(f, "loaded") : NULL;
	c->detail = named ? NULL : copy(f, "no file of modules-load.d names it");
}

#define CPUS "/sys/devices/system/cpu/"

int ta_columns_of(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_columns *ret)
{
	struct filling f = {.facts = facts, .ret = ret};
	const char *fixer = call->fixer, *key = str_arg(call, "key"), *target = str_arg(call, "target");

	/* Of another network namespace, or in a container: both are kept elsewhere. */
	if (!fixer || ta_fix_in_container(facts) || ta_fix_arg(call, "netns"))
		return 0;
	if (key)
		of_sysctl(&f, key);
	else if (target)
		of_target(&f, target, NULL);
	else if (!strcmp(fixer, "thp.set"))
		of_thp(&f, call);
	else if (!strcmp(fixer, "block.set"))
		of_block(&f, call);
	else if (!strcmp(fixer, "nvme.apst"))
		of_nvme(&f, call);
	else if (!strncmp(fixer, "nic.", 4))
		of_nic(&f, call);
	else if (!strcmp(fixer, "rps.set") || !strcmp(fixer, "xps.set") || !strcmp(fixer, "rfs.set"))
		of_steering(&f, call);
	else if (!strcmp(fixer, "nofile.service"))
		of_unit(&f, call);
	else if (!strcmp(fixer, "module.load"))
		of_module(&f, call);
	else if (!strcmp(fixer, "governor.set"))
		of_all(&f, CPUS "cpufreq/policy", "/scaling_governor");
	else if (!strcmp(fixer, "epp.set"))
		of_all(&f, CPUS "cpufreq/policy", "/energy_performance_preference");
	else if (!strcmp(fixer, "clocksource.set"))
		of_target(&f, "/sys/devices/system/clocksource/clocksource0/current_clocksource",
			TA_KEYS("kernel", "clocksource", "current"));
	return f.rc;
}
