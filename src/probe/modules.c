/*
 * Modules: loaded ones by /sys/module (a directory each; parts of the kernel
 * image only if they have parameters) or /proc/modules, then the two lists that depmod and the
 * build leave beside the modules of a release. The lists are long, so all names
 * are looked up in one pass.
 */
#include "probe/modules.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const names_of[] = {
	[TA_MODULE_LOADED] = "loaded",
	[TA_MODULE_BUILTIN] = "builtin",
	[TA_MODULE_AVAILABLE] = "available",
	[TA_MODULE_ABSENT] = "absent",
	[TA_MODULE_STATIC] = "static",
	[TA_MODULE_UNKNOWN] = "unknown",
};

const char *ta_module_name(enum ta_module m)
{
	return names_of[m];
}

bool ta_module_safe(enum ta_module m)
{
	return m != TA_MODULE_AVAILABLE && m != TA_MODULE_UNKNOWN;
}

bool ta_module_line_is(const char *line, const char *name)
{
	size_t path = strcspn(line, ":"), base = path;

	while (base > 0 && line[base - 1] != '/')
		base--;
	for (line += base; *name; line++, name++)
		if (*line != *name && !(*line == '-' && *name == '_'))
			return false;
	return strncmp(line, ".ko", 3) == 0;
}

bool ta_modules_loadable(struct ta_host *h)
{
	/* Both files come with CONFIG_MODULES; a copied tree may just lack them. */
	return ta_host_exists(h, "/proc/modules") || ta_host_exists(h, "/proc/sys/kernel/modprobe") ||
	       !ta_host_is_whole(h);
}

struct pass {
	const char *const *names;
	size_t n;
	enum ta_module *states;
	enum ta_module found; /* what a line of this list means */
};

static int look_at_line(const char *line, size_t len, void *ctx)
{
	struct pass *p = ctx;

	for (size_t i = 0; i < p->n; i++)
		if (p->states[i] == TA_MODULE_UNKNOWN && ta_module_line_is(line, p->names[i]))
			p->states[i] = p->found;
	return 0;
}

/* "nf_conntrack 180224 3 nf_nat,…" of /proc/modules. */
static int look_at_loaded(const char *line, size_t len, void *ctx)
{
	struct pass *p = ctx;
	size_t name = strcspn(line, " ");

	for (size_t i = 0; i < p->n; i++)
		if (p->states[i] == TA_MODULE_UNKNOWN && strlen(p->names[i]) == name &&
			memcmp(line, p->names[i], name) == 0)
			p->states[i] = TA_MODULE_LOADED;
	return 0;
}

static bool any_unknown(const struct pass *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->states[i] == TA_MODULE_UNKNOWN)
			return true;
	return false;
}

/* False if the list is not there. */
static bool look_in(struct ta_host *h, const char *release, const char *list, struct pass *p,
	enum ta_module found)
{
	char file[320];

	p->found = found;
	snprintf(file, sizeof(file), "/lib/modules/%s/%s", release, list);
	return ta_host_lines(h, file, look_at_line, p) == 0;
}

static bool release_of(struct ta_host *h, char (*release)[128])
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	if (ta_host_read(h, "/proc/sys/kernel/osrelease", TA_READ_CAP, &text) < 0)
		return false;
	ta_buf_rtrim(&text);
	/* It becomes part of a path. */
	if (text.len == 0 || text.len >= sizeof(*release) || strchr(ta_buf_text(&text), '/'))
		return false;
	snprintf(*release, sizeof(*release), "%s", ta_buf_text(&text));
	return true;
}

void ta_modules_look(struct ta_host *h, const char *const *names, size_t n, enum ta_module *ret)
{
	struct pass p = {.names = names, .n = n, .states = ret};
	char path[320], release[128];
	bool loadable = ta_modules_loadable(h);

	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "/sys/module/%s", names[i]);
		ret[i] = ta_host_exists(h, path)
				 ? (loadable ? TA_MODULE_LOADED : TA_MODULE_BUILTIN)
				 : (loadable ? TA_MODULE_UNKNOWN : TA_MODULE_STATIC);
	}
	/* Where /sys is not mounted or may not be looked into, as in some containers. */
	if (any_unknown(&p))
		ta_host_lines(h, "/proc/modules", look_at_loaded, &p);
	if (!any_unknown(&p) || !release_of(h, &release) ||
		!look_in(h, release, "modules.builtin", &p, TA_MODULE_BUILTIN) || !any_unknown(&p) ||
		!look_in(h, release, "modules.dep", &p, TA_MODULE_AVAILABLE))
		return;
	for (size_t i = 0; i < n; i++)
		if (ret[i] == TA_MODULE_UNKNOWN)
			ret[i] = TA_MODULE_ABSENT;
}

enum ta_module ta_module_look(struct ta_host *h, const char *name)
{
	enum ta_module state;

	ta_modules_look(h, &name, 1, &state);
	return state;
}
