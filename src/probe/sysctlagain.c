#include "probe/sysctlagain.h"

#include <string.h>

#include "probe/probe.h"
#include "probe/udevrules.h"

const char *ta_sysctl_module_prefix(const char *module)
{
	static const char *const prefixes[][2] = {{"nf_conntrack", "/net/netfilter"}, {"br_netfilter", "/net/bridge"}};

	for (size_t i = 0; i < TA_ARRAY_SIZE(prefixes); i++)
		if (!strcmp(module, prefixes[i][0]))
			return prefixes[i][1];
	return NULL;
}

struct looking {
	const char *prefix;
	bool found;
};

/* Without a prefix it applies all of them; one with a prefix those below it. */
static bool applies(const char *run, const char *prefix)
{
	static const char option[] = "--prefix=";
	ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;
	bool any = false;

	ta_strv_split(&words, run, " ");
	for (size_t i = 1; i < words.n; i++) {
		const char *p = words.v[i];

		if (strncmp(p, option, sizeof(option) - 1) != 0)
			continue;
		any = true;
		p += sizeof(option) - 1;
		p += strncmp(p, "/proc/sys", 9) ? 0 : 9;
		if (!strncmp(prefix, p, strlen(p)))
			return true;
	}
	return !any && words.n == 1;
}

static int look(const struct ta_udev_set *set, void *ctx)
{
	struct looking *l = ctx;
	size_t n = set->run && set->value ? strcspn(set->value, " ") : 0;
	static const char name[] = "/systemd-sysctl";

	if (!set->maybe && n >= sizeof(name) - 1 && !strncmp(set->value + n - sizeof(name) + 1, name, sizeof(name) - 1))
		l->found = l->found || applies(set->value, l->prefix);
	return 0;
}

int ta_sysctl_again(struct ta_host *h, const char *const *modules, struct ta_strv *ret)
{
	ta_cleanup_udev_rules struct ta_udev_rules rules = {0};
	int rc = ta_udev_rules_read(h, &rules);

	for (; !rc && *modules; modules++) {
		char dir[512];
		struct ta_udev_device d = {"module", *modules, *modules, ta_fmt(&dir, "/sys/module/%s", *modules), ""};
		struct looking l = {.prefix = ta_sysctl_module_prefix(*modules)};

		rc = l.prefix ? ta_udev_apply(&rules, h, &d, look, &l) : 0;
		if (l.found)
			ta_strv_add(ret, *modules);
	}
	return rc ? rc : ret->error;
}
