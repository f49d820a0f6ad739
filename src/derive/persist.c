/*
 * What runs against what the next boot leaves, for everything that is no sysctl: both in one form, as the kernel shows it. And what
 * runs although nothing sets it and the kernel begins with something else.
 */
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "base/num.h"
#include "derive/derive.h"

static const struct ta_field fields[] = {
	{"persist.*.running", TA_T_STRING, "", "the value now", 0, {}},
	{"persist.*.next_boot", TA_T_STRING, "",
		"the value that the next boot leaves: of the line that wins, else what the kernel begins with where that is known", 0, {}},
	{"persist.*.differs", TA_T_BOOL, "", "these two are different", 0, {}},
	{"persist.*.comparable", TA_T_BOOL, "", "something sets it, and both are known", 0, {}},
	{"persist.*.refused", TA_T_BOOL, "", "the line is there, but the kernel takes no such value", 0, {}},
	{"persist.*.by_hand", TA_T_BOOL, "",
		"nothing sets it at boot, yet it has a value that the kernel does not begin with", 0, {}},
};

static const char *const needs[] = {"persist", "irqs.*.device", "irqs.*.role", "irqs.*.queue", "irqs.*.wanted", "kernel.config", "nics.*.rings", "nics.*.channels", "nics.*.coalesce",
	"nics.*.features", "nics.*.mtu", "nics.*.txqueuelen", "nics.*.rps", "sysctl[\"net.core.rps_default_mask\"]", NULL};

#define THP "/sys/kernel/mm/transparent_hugepage/"

/* --- one form ----------------------------------------------------------------------------- */

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n >= k && !strcmp(s + n - k, end);
}

static bool is_mask(const char *target)
{
	return ends_with(target, "/rps_cpus") || ends_with(target, "/xps_cpus") || ends_with(target, "/xps_rxqs");
}

/* Sets of CPUs as the plan writes them, numbers without zeros in front, of "a [b] c" the one in brackets. */
static void canonical(const char *target, const char *text, struct ta_buf *ret)
{
	ta_cleanup_cpuset struct ta_cpuset set = TA_CPUSET_INIT;
	const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;
	int64_t n;

	if (is_mask(target) && !ta_cpuset_parse_mask(&set, text))
		ta_cpuset_format_mask(&set, ret);
	else if ((ends_with(target, "/smp_affinity_list") || strstr(target, " irq ")) && !ta_cpuset_parse_list(&set, text))
		ta_cpuset_format(&set, ret);
	else if (close)
		ta_buf_add(ret, open + 1, (size_t)(close - open) - 1);
	else if (!ta_parse_i64(text, &n))
		ta_buf_printf(ret, "%lld", (long long)n);
	else
		ta_buf_adds(ret, text);
}

/* "deadline" is another name of mq-deadline (block/mq-deadline.c); Y and N are what 1 and 0 become in module parameters. */
static const char *by_other_name(const char *target, const char *value)
{
	if (ends_with(target, "/queue/scheduler") && !strcmp(value, "deadline"))
		return "mq-deadline";
	return value;
}

/* Of a file that shows a choice: true if the word is one of it. */
static bool is_offered(const char *choices, const char *word)
{
	size_t n = strlen(word);

	for (const char *c = choices; *c;) {
		size_t k = strcspn(c, " ");

		if ((k == n && !strncmp(c, word, n)) || (k == n + 2 && *c == '[' && !strncmp(c + 1, word, n)))
			return true;
		c += k + (c[k] == ' ');
	}
	return false;
}

/* --- what runs ------------------------------------------------------------------------------ */

static void scalar_text(struct json_object *o, struct ta_buf *ret)
{
	if (json_object_is_type(o, json_type_boolean))
		ta_buf_adds(ret, json_object_get_boolean(o) ? "on" : "off");
	else
		ta_buf_adds(ret, json_object_get_string(o));
}

static void cpus_text(struct json_object *o, struct ta_buf *ret)
{
	ta_cleanup_cpuset struct ta_cpuset set = TA_CPUSET_INIT;

	for (size_t i = 0; i < json_object_array_length(o); i++)
		ta_cpuset_add(&set, (unsigned)json_object_get_int64(json_object_array_get_idx(o, i)));
	ta_cpuset_format(&set, ret);
}

/* "rx 3": the interrupt of that kind and queue; "-" is none. */
static struct json_object *irq_fact(const struct ta_facts *f, const char *nic, const char *setting)
{
	struct json_object *irqs = ta_facts_at(f, TA_KEYS("irqs"));
	size_t n = strcspn(setting, " ");

	if (!json_object_is_type(irqs, json_type_object) || !setting[n])
		return NULL;
	json_object_object_foreach(irqs, number, unused)
	{
		const char *device = ta_facts_get_str(f, TA_KEYS("irqs", number, "device"));
		const char *role = ta_facts_get_str(f, TA_KEYS("irqs", number, "role"));
		int64_t queue = -1, wanted = -1;

		(void)unused;
		if (!device || !role || strcmp(device, nic) || strlen(role) != n || strncmp(role, setting, n) != 0)
			continue;
		ta_facts_get_i64(f, TA_KEYS("irqs", number, "queue"), &queue);
		if (strcmp(setting + n + 1, "-") != 0 && ta_parse_i64(setting + n + 1, &wanted))
			continue;
		if (queue == wanted)
			return ta_facts_at(f, TA_KEYS("irqs", number, "wanted"));
	}
	return NULL;
}

/* The fact that holds what runs of an interface. */
static struct json_object *nic_fact(const struct ta_facts *f, const char *kind, const char *nic, const char *setting,
	const char *member, char (*name)[64])
{
	size_t i = 0;

	if (!strcmp(kind, "mtu") || !strcmp(kind, "txqueuelen"))
		return ta_facts_at(f, TA_KEYS("nics", nic, kind));
	if (!strcmp(kind, "rings") || !strcmp(kind, "channels"))
		return ta_facts_at(f, TA_KEYS("nics", nic, kind, setting, member));
	if (!strcmp(kind, "features"))
		return ta_facts_at(f, TA_KEYS("nics", nic, kind, setting));
	if (strcmp(kind, "coalesce") != 0)
		return NULL;
	/* "rx-usecs" of ethtool is rx_usecs */
	for (; setting[i] && i + 1 < sizeof(*name); i++)
		(*name)[i] = setting[i] == '-' ? '_' : setting[i];
	(*name)[i] = '\0';
	return ta_facts_at(f, TA_KEYS("nics", nic, kind, *name));
}

static bool running_of(const struct ta_facts *f, const char *target, const char *member, struct ta_buf *ret)
{
	const char *kind = ta_facts_get_str(f, TA_KEYS("persist", target, "kind"));
	const char *nic = ta_facts_get_str(f, TA_KEYS("persist", target, "device"));
	const char *setting = ta_facts_get_str(f, TA_KEYS("persist", target, "setting"));
	const char *attr = ta_facts_get_str(f, TA_KEYS("persist", target, "attr"));
	struct json_object *o;
	char name[64];

	if (!kind || !nic || !setting)
		return false;
	if (!strcmp(kind, "attr")) {
		if (attr)
			canonical(target, attr, ret);
		return attr;
	}
	o = !strcmp(kind, "irq") ? irq_fact(f, nic, setting) : nic_fact(f, kind, nic, setting, member, &name);
	if (json_object_is_type(o, json_type_array))
		cpus_text(o, ret);
	else if (o)
		scalar_text(o, ret);
	return o;
}

static void put_running(struct ta_facts *f, const char *target, const struct ta_buf *running, bool known)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;
	struct ta_absence why;

	if (known) {
		ta_put_str(f, ta_buf_text(running), "persist", target, "running");
		return;
	}
	ta_path_format(&path, TA_KEYS("persist", target, "attr"));
	why = ta_facts_absence(f, ta_buf_text(&path));
	ta_facts_put_absent(f, TA_KEYS("persist", target, "running"), why.reason, "%s",
		*why.detail ? why.detail : "the interface does not tell");
}

/* --- the next boot ---------------------------------------------------------------------------- */

static void put_unknown(struct ta_facts *f, const char *target, enum ta_reason why, const char *text)
{
	ta_facts_put_absent(f, TA_KEYS("persist", target, "next_boot"), why, "%s", text);
	ta_facts_put_absent(f, TA_KEYS("persist", target, "differs"), why, "%s", text);
}

/* What a kernel that is told nothing begins with: mm/huge_memory.c (transparent_hugepage_flags, 4.6 and later). */
static const char *start_of(const struct ta_facts *f, const char *target)
{
	static const char *const choices[][2] = {{"TRANSPARENT_HUGEPAGE_ALWAYS", "always"},
		{"TRANSPARENT_HUGEPAGE_MADVISE", "madvise"}, {"TRANSPARENT_HUGEPAGE_NEVER", "never"}};
	const char *y;

	if (!strcmp(target, THP "defrag"))
		return "madvise";
	for (size_t i = 0; !strcmp(target, THP "enabled") && i < TA_ARRAY_SIZE(choices); i++) {
		y = ta_facts_get_str(f, TA_KEYS("kernel", "config", choices[i][0]));
		if (y && !strcmp(y, "y"))
			return choices[i][1];
	}
	return ta_facts_get_str(f, TA_KEYS("persist", target, "start"));
}

static void put_next(struct ta_facts *f, const char *target, const char *next, const char *running)
{
	ta_put_str(f, next, "persist", target, "next_boot");
	if (running)
		ta_put_bool(f, strcmp(next, running) != 0, "persist", target, "differs");
	else
		ta_facts_put_absent(f, TA_KEYS("persist", target, "differs"), TA_MISSING, "what runs is not known");
}

static void put_unset(struct ta_facts *f, const char *target, const char *running)
{
	const char *start = start_of(f, target);
	ta_cleanup_buf struct ta_buf next = TA_BUF_INIT;
	struct ta_absence why;

	if (!start) {
		put_unknown(f, target, TA_MISSING, "no file that is looked into sets it at boot");
		return;
	}
	canonical(target, start, &next);
	put_next(f, target, ta_buf_text(&next), running);
	if (!ta_facts_incomplete(f, "persist", &why))
		ta_put_bool(f, running && strcmp(ta_buf_text(&next), running) != 0, "persist", target, "by_hand");
}

static void put_set(struct ta_facts *f, const char *target, const char *value, const char *running)
{
	const char *attr = ta_facts_get_str(f, TA_KEYS("persist", target, "attr"));
	ta_cleanup_buf struct ta_buf next = TA_BUF_INIT;

	/* As much as the device can */
	if (!strcmp(value, "max")) {
		if (!running_of(f, target, "max", &next)) {
			put_unknown(f, target, TA_MISSING, "how much the device can is not known");
			return;
		}
	} else {
		canonical(target, by_other_name(target, value), &next);
	}
	if (attr && strchr(attr, '[') && !is_offered(attr, ta_buf_text(&next))) {
		put_unknown(f, target, TA_MALFORMED, "the kernel takes no such value");
		ta_put_bool(f, true, "persist", target, "refused");
		return;
	}
	put_next(f, target, ta_buf_text(&next), running);
	ta_put_bool(f, running, "persist", target, "comparable");
}

static void compute_one(struct ta_facts *f, const char *target)
{
	const char *value = ta_facts_get_str(f, TA_KEYS("persist", target, "value"));
	const char *unsure = ta_facts_get_str(f, TA_KEYS("persist", target, "unsure"));
	ta_cleanup_buf struct ta_buf running = TA_BUF_INIT, text = TA_BUF_INIT;
	bool known = running_of(f, target, "current", &running), persisted = false, told;

	put_running(f, target, &running, known);
	told = ta_facts_get_bool(f, TA_KEYS("persist", target, "persisted"), &persisted);
	ta_put_bool(f, false, "persist", target, "comparable");
	ta_put_bool(f, false, "persist", target, "refused");
	ta_put_bool(f, false, "persist", target, "by_hand");
	if (unsure && *unsure) {
		ta_buf_printf(&text, "whether %s holds at boot cannot be told from here", unsure);
		put_unknown(f, target, TA_NOT_ASKED, ta_buf_text(&text));
	} else if (told && !persisted) {
		put_unset(f, target, known ? ta_buf_text(&running) : NULL);
	} else if (!value) {
		put_unknown(f, target, TA_NOT_ASKED, "what is written is known at boot only");
	} else {
		put_set(f, target, value, known ? ta_buf_text(&running) : NULL);
	}
}

/* --- receive steering: off where nothing sets it ------------------------------------------------- */

static void put_steering(struct ta_facts *f, const char *nic, const char *queue, const struct ta_cpuset *cpus)
{
	static const char *const none[] = {"set_by", "file", "line", "value", "attr", "start"};
	ta_cleanup_buf struct ta_buf target = TA_BUF_INIT, mask = TA_BUF_INIT;
	const char *t;

	ta_buf_printf(&target, "/sys/class/net/%s/queues/rx-%s/rps_cpus", nic, queue);
	t = ta_buf_text(&target);
	if (ta_facts_at(f, TA_KEYS("persist", t)))
		return;
	ta_cpuset_format_mask(cpus, &mask);
	ta_put_str(f, "attr", "persist", t, "kind");
	ta_put_str(f, "", "persist", t, "device");
	ta_put_str(f, "", "persist", t, "setting");
	ta_put_bool(f, false, "persist", t, "persisted");
	ta_put_str(f, "", "persist", t, "unsure");
	ta_facts_put_strs(f, TA_KEYS("persist", t, "others"), NULL, 0);
	ta_facts_put_strs(f, TA_KEYS("persist", t, "overridden"), NULL, 0);
	for (size_t i = 0; i < TA_ARRAY_SIZE(none); i++)
		ta_facts_put_absent(f, TA_KEYS("persist", t, none[i]), TA_MISSING, "nothing sets it at boot");
	ta_put_str(f, ta_buf_text(&mask), "persist", t, "running");
	ta_put_str(f, "0", "persist", t, "next_boot");
	ta_put_bool(f, true, "persist", t, "differs");
	ta_put_bool(f, false, "persist", t, "comparable");
	ta_put_bool(f, false, "persist", t, "refused");
	ta_put_bool(f, true, "persist", t, "by_hand");
}

static void steering(struct ta_facts *f)
{
	const char *mask = ta_facts_get_str(f, TA_KEYS("sysctl", "net.core.rps_default_mask"));
	struct json_object *nics = ta_facts_at(f, TA_KEYS("nics")), *rps;

	/* New queues begin with it (net/core/net-sysfs.c, 6.2). */
	if (!json_object_is_type(nics, json_type_object) || (mask && mask[strspn(mask, "0,")]))
		return;
	json_object_object_foreach(nics, nic, unused)
	{
		(void)unused;
		rps = ta_facts_at(f, TA_KEYS("nics", nic, "rps"));
		if (!json_object_is_type(rps, json_type_object))
			continue;
		json_object_object_foreach(rps, queue, also_unused)
		{
			ta_cleanup_cpuset struct ta_cpuset cpus = TA_CPUSET_INIT;

			(void)also_unused;
			if (ta_facts_get_cpus(f, TA_KEYS("nics", nic, "rps", queue), &cpus) && ta_cpuset_count(&cpus))
				put_steering(f, nic, queue, &cpus);
		}
	}
}

static void compute(struct ta_facts *f)
{
	struct json_object *persist = ta_facts_at(f, TA_KEYS("persist"));
	struct ta_absence why;

	if (!persist)
		return;
	json_object_object_foreach(persist, target, unused)
	{
		(void)unused;
		compute_one(f, target);
	}
	if (!ta_facts_incomplete(f, "persist", &why))
		steering(f);
}

const struct ta_derivation ta_derive_persist = {
	.name = "persist_boot",
	.needs = needs,
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.compute = compute,
};
