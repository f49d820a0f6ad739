/*
 * Features of the kernel that no question proves, told from what else is known:
 * how it was built, and what the interfaces can.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "derive/derive.h"

#define FEATURE(name, what) \
	{"features." name ".works", TA_T_BOOL, "", what, 0, {}}, \
	{"features." name ".why", TA_T_STRING, "", "how that is known: " what, 0, {}}

static const struct ta_field fields[] = {
	FEATURE("arfs", "a card sends flows to the CPU where the application runs"),
	FEATURE("per_vma_locks", "page faults of threads do not wait for each other"),
};

static const char *const needs[] = {"nics.*.features", "nics.*.features_changeable", "nics.*.physical", "nics.*.driver",
	"kernel.config", "kernel.version", NULL};

static void say(struct ta_facts *f, const char *name, bool works, const char *why)
{
	ta_put_bool(f, works, "features", name, "works");
	ta_put_str(f, why, "features", name, "why");
}

static void not_known(struct ta_facts *f, const char *name, const char *why)
{
	ta_facts_put_absent(f, TA_KEYS("features", name, "works"), TA_MISSING, "%s", why);
	ta_facts_put_absent(f, TA_KEYS("features", name, "why"), TA_MISSING, "%s", why);
}

/* How the option was set; "" if the configuration is known and does not name it, NULL if it is not known. */
static const char *option(const struct ta_facts *f, const char *name)
{
	struct json_object *config = ta_facts_at(f, TA_KEYS("kernel", "config"));
	const char *value = ta_facts_get_str(f, TA_KEYS("kernel", "config", name));

	if (!value && json_object_is_type(config, json_type_object) && json_object_object_length(config))
		return "";
	return value;
}

/* -1: not known */
static int is_before(const struct ta_facts *f, int64_t major, int64_t minor)
{
	int64_t *v = NULL;
	size_t n = 0;
	int ret = -1;

	if (ta_facts_get_ints(f, TA_KEYS("kernel", "version"), &v, &n) && n >= 2)
		ret = v[0] < major || (v[0] == major && v[1] < minor);
	free(v);
	return ret;
}

/* mm/Kconfig, CONFIG_PER_VMA_LOCK (6.4): no file shows it, no call fails without it. */
static void put_per_vma_locks(struct ta_facts *f)
{
	const char *set = option(f, "PER_VMA_LOCK");

	if (set && strcmp(set, "y") == 0)
		say(f, "per_vma_locks", true, "CONFIG_PER_VMA_LOCK=y");
	else if (is_before(f, 6, 4) == 1)
		say(f, "per_vma_locks", false, "the kernel is older than 6.4");
	else if (set)
		say(f, "per_vma_locks", false, "the kernel was built without CONFIG_PER_VMA_LOCK");
	else
		not_known(f, "per_vma_locks", "only the kernel's configuration tells, and it cannot be read");
}

/* Drivers that have ndo_rx_flow_steer (drivers/net, 6.12). */
static bool can_steer(const char *driver)
{
	static const char *const drivers[] = {"mlx5_core", "mlx4_core", "mlx4_en", "bnxt_en", "ice", "qede", "sfc", "enic"};

	for (size_t i = 0; driver && i < TA_ARRAY_SIZE(drivers); i++)
		if (strcmp(drivers[i], driver) == 0)
			return true;
	return false;
}

struct arfs {
	const char *on, *off; /* interfaces that do it, or could */
	bool unknown;
};

static bool names(const struct ta_facts *f, const char *nic, const char *what)
{
	struct json_object *list = ta_facts_at(f, TA_KEYS("nics", nic, "features_changeable"));
	size_t n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;

	for (size_t i = 0; i < n; i++)
		if (strcmp(json_object_get_string(json_object_array_get_idx(list, i)), what) == 0)
			return true;
	return false;
}

static void look_at(const struct ta_facts *f, const char *nic, struct arfs *a)
{
	const char *driver = ta_facts_get_str(f, TA_KEYS("nics", nic, "driver"));
	bool physical, on;

	if (!ta_facts_get_bool(f, TA_KEYS("nics", nic, "physical"), &physical) || !physical)
		return;
	if (!driver || (can_steer(driver) && !ta_facts_at(f, TA_KEYS("nics", nic, "features"))))
		a->unknown = true;
	else if (!can_steer(driver))
		return;
	else if (ta_facts_get_bool(f, TA_KEYS("nics", nic, "features", "rx-ntuple-filter"), &on) && on)
		a->on = nic;
	else if (names(f, nic, "rx-ntuple-filter"))
		a->off = nic;
}

static void put_arfs(struct ta_facts *f)
{
	struct json_object *nics = ta_facts_at(f, TA_KEYS("nics"));
	const char *set = option(f, "RFS_ACCEL");
	struct arfs a = {0};
	char why[256];

	if (set && strcmp(set, "y") != 0) {
		say(f, "arfs", false, "the kernel was built without CONFIG_RFS_ACCEL");
		return;
	}
	if (!json_object_is_type(nics, json_type_object)) {
		not_known(f, "arfs", "the interfaces are not known");
		return;
	}
	json_object_object_foreach(nics, nic, unused)
	{
		(void)unused;
		look_at(f, nic, &a);
	}
	if (a.on && set)
		snprintf(why, sizeof(why), "%s has it, and rx-ntuple-filter is on", a.on);
	else if (a.on)
		snprintf(why, sizeof(why), "%s could; whether the kernel was built with CONFIG_RFS_ACCEL is not known", a.on);
	else if (a.unknown)
		snprintf(why, sizeof(why), "the driver of an interface, or what it offers, is not known");
	else if (a.off)
		snprintf(why, sizeof(why), "%s has it, and rx-ntuple-filter is off", a.off);
	else
		snprintf(why, sizeof(why), "no interface whose driver has it (ndo_rx_flow_steer)");
	if ((a.on && !set) || (!a.on && a.unknown))
		not_known(f, "arfs", why);
	else
		say(f, "arfs", a.on != NULL, why);
}

static void compute(struct ta_facts *f)
{
	put_arfs(f);
	put_per_vma_locks(f);
}

const struct ta_derivation ta_derive_features_derived = {
	.name = "features_derived",
	.needs = needs,
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.compute = compute,
};
