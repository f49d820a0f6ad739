/*
 * Where a fix shows, and what to say where it does not.
 */
#include <string.h>

#include "rule/rule.h"

static const char *const paths[] = {
	[TA_SHOWN_LOOPBACK] = "loopback",
	[TA_SHOWN_NAMESPACE] = "namespace",
	[TA_SHOWN_WIRE] = "wire",
	[TA_SHOWN_STORAGE] = "storage",
	[TA_SHOWN_COLD] = "cold",
};

static const char *const workloads[] = {
	[TA_SHOWN_CONNECT] = "connect",
	[TA_SHOWN_FILE] = "file",
	[TA_SHOWN_HOLD] = "hold",
	[TA_SHOWN_HTTP] = "http",
	[TA_SHOWN_KV] = "kv",
	[TA_SHOWN_STREAM] = "stream",
};

const char *ta_shown_path_name(enum ta_shown_path p)
{
	return paths[p];
}

const char *ta_shown_workload_name(enum ta_shown_workload w)
{
	return workloads[w];
}

static void add_names(struct ta_buf *b, unsigned set, const char *const *names, size_t n, const char *last)
{
	bool first = true;

	for (size_t i = 0; i < n; i++) {
		if (!(set & TA_SHOWN_BIT(i)))
			continue;
		ta_buf_printf(b, "%s%s", first ? "" : set >> (i + 1) ? ", " : last, names[i]);
		first = false;
	}
}

static bool has_workload(const struct ta_shown *s, const char *workload)
{
	for (size_t i = 0; i < TA_SHOWN_WORKLOADS; i++)
		if (!strcmp(workloads[i], workload))
			return !s->workloads || s->workloads & TA_SHOWN_BIT(i);
	return !s->workloads;
}

/* What of it a person has to do otherwise to see something. */
static void say_why_not(const struct ta_shown *s, bool way, bool by, struct ta_buf *why)
{
	if (!s->said) {
		ta_buf_adds(why, "its rule does not say where it shows");
		return;
	}
	if (!s->paths) {
		ta_buf_printf(why, "no trial shows it%s%s", s->nowhere ? ": " : "", s->nowhere ? s->nowhere : "");
		return;
	}
	ta_buf_adds(why, "it shows");
	if (!way) {
		ta_buf_adds(why, " over ");
		add_names(why, s->paths, paths, TA_SHOWN_PATHS, " or ");
	}
	if (!by) {
		ta_buf_adds(why, " with ");
		add_names(why, s->workloads, workloads, TA_SHOWN_WORKLOADS, " or ");
	}
	ta_buf_adds(why, " only");
}

bool ta_rule_is_shown(const struct ta_rule *r, unsigned over, const char *workload, struct ta_buf *why)
{
	bool way = r->shown.paths & over, by = has_workload(&r->shown, workload);

	if (r->shown.said && way && by)
		return true;
	if (why)
		say_why_not(&r->shown, way, by, why);
	return false;
}

void ta_shown_format(const struct ta_shown *s, struct ta_buf *b)
{
	if (!s->said)
		return;
	if (!s->paths)
		ta_buf_printf(b, "nowhere%s%s", s->nowhere ? ": " : "", s->nowhere ? s->nowhere : "");
	add_names(b, s->paths, paths, TA_SHOWN_PATHS, ", ");
	if (s->workloads) {
		ta_buf_adds(b, " by ");
		add_names(b, s->workloads, workloads, TA_SHOWN_WORKLOADS, ", ");
	}
}
