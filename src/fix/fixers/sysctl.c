/*
 * sysctl.set(key, value, index): one value or elements of a vector. Elements that are not named keep their
 * present value, none moves against its direction, and the vector stays in order; so two rules on tcp_rmem's
 * maximum and default can both be followed.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "fix/describe.h"
#include "fix/keep.h"
#include "fix/sinks.h"

static const struct ta_fix_param params[] = {
	{"key", TA_T_STRING, true},
	{"value", TA_T_NONE, true}, /* a number, a word, or a list for a whole vector */
	{"index", TA_T_INT, false}, /* the one element that is meant, from 0 */
	{"netns", TA_T_STRING, false}, /* of this other network namespace (netns.ID) */
};

static const char *const reads[] = {"sysctl[\"net.core.somaxconn\"]", "place.container", "settings.*.file",
	"modules.state", NULL};

static const struct ta_fix_sig sigs[] = {{"sysctl.set", params, TA_ARRAY_SIZE(params), reads}};

struct vector {
	const struct ta_sysctl_sink *sink;
	const char *netns; /* NULL: ours */
	bool known; /* the present values */
	int64_t now[TA_SINK_ELEMENTS];
	int64_t next[TA_SINK_ELEMENTS];
};

/* The namespace that is meant: its name in the facts, NULL for ours. */
static const char *netns_of(const struct ta_fix_call *call)
{
	const char *id = NULL;

	if (ta_fix_arg(call, "netns"))
		ta_fix_arg_str(call, "netns", &id, NULL);
	return id;
}

static struct json_object *present(const struct ta_facts *facts, const char *netns, const char *key)
{
	return netns ? ta_facts_at(facts, TA_KEYS("netns", netns, "sysctl", key)) : ta_facts_at(facts, TA_KEYS("sysctl", key));
}

static void read_present(struct vector *v, const struct ta_facts *facts)
{
	struct json_object *o = present(facts, v->netns, v->sink->key);
	bool list = json_object_is_type(o, json_type_array);

	if (!o || (list && json_object_array_length(o) != v->sink->n) || (!list && v->sink->n != 1))
		return;
	if (json_object_is_type(o, json_type_string)) { /* "unlimited" */
		v->now[0] = v->sink->unlimited;
		v->known = v->sink->unlimited != INT64_MIN;
		return;
	}
	for (unsigned i = 0; i < v->sink->n; i++) {
		struct json_object *e = list ? json_object_array_get_idx(o, i) : o;

		if (!e || (ta_fix_json_i64(e, &v->now[i]) == -EINVAL))
			return;
		if (ta_fix_json_i64(e, &v->now[i]) == -ERANGE)
			v->now[i] = INT64_MAX;
	}
	v->known = true;
}

static bool below(const struct ta_sysctl_sink *sink, int64_t a, int64_t b)
{
	if (a == b || (a == sink->unlimited && sink->unlimited != INT64_MIN))
		return false;
	return (b == sink->unlimited && sink->unlimited != INT64_MIN) || a < b;
}

static void move(struct vector *v, unsigned i, int64_t wanted, enum ta_direction dir)
{
	if (dir == TA_DIR_LEAVE)
		return;
	if (v->known && dir == TA_DIR_RAISE && !below(v->sink, v->now[i], wanted))
		return;
	if (v->known && dir == TA_DIR_LOWER && !below(v->sink, wanted, v->now[i]))
		return;
	v->next[i] = wanted;
}

static enum ta_direction direction(const struct ta_fix_call *call, unsigned i)
{
	return i < call->n_directions ? call->direction[i] : TA_DIR_EXACT;
}

static int wanted_value(const struct vector *v, struct json_object *o, int64_t *ret, struct ta_err *err)
{
	if (ta_fix_json_i64(o, ret) < 0)
		return ta_err_set(err, -EINVAL, "%s: the value is not a number", v->sink->key);
	if (*ret != v->sink->unlimited && (*ret < v->sink->min || *ret > v->sink->max))
		return ta_err_set(err, -EINVAL, "%s: %lld is outside %lld … %lld", v->sink->key, (long long)*ret,
			(long long)v->sink->min, (long long)v->sink->max);
	return 0;
}

/* Without the present value nothing can promise not to move it the wrong way. */
static int may_move(const struct vector *v, enum ta_direction dir, struct ta_err *err)
{
	if (v->known || dir == TA_DIR_EXACT)
		return 0;
	return ta_err_set(err, -EINVAL, "%s: its present value is not known", v->sink->key);
}

static int move_list(struct vector *v, const struct ta_fix_call *call, struct json_object *list, struct ta_err *err)
{
	if (json_object_array_length(list) != v->sink->n)
		return ta_err_set(err, -EINVAL, "%s has %u elements", v->sink->key, v->sink->n);
	for (unsigned i = 0; i < v->sink->n; i++) {
		enum ta_direction dir = direction(call, i);
		int64_t wanted = 0;
		int rc = may_move(v, dir, err);

		if (rc >= 0 && dir != TA_DIR_LEAVE)
			rc = wanted_value(v, json_object_array_get_idx(list, i), &wanted, err);
		if (rc < 0)
			return rc;
		move(v, i, wanted, dir);
	}
	return 0;
}

static int move_one(struct vector *v, const struct ta_fix_call *call, struct json_object *value, struct ta_err *err)
{
	int64_t index = 0, wanted;
	int rc = ta_fix_arg_i64_opt(call, "index", 0, v->sink->n - 1, &index, err);

	if (rc >= 0)
		rc = wanted_value(v, value, &wanted, err);
	if (rc >= 0)
		rc = may_move(v, direction(call, 0), err);
	if (rc < 0)
		return rc;
	if (v->sink->n > 1 && (!v->known || !ta_fix_arg(call, "index")))
		return ta_err_set(err, -EINVAL, "%s: its other elements are not known", v->sink->key);
	move(v, (unsigned)index, wanted, direction(call, 0));
	return 0;
}

/* min ≤ default ≤ max: what was raised lifts what stands above it. */
static int keep_order(struct vector *v, struct ta_err *err)
{
	for (unsigned i = 1; i < v->sink->n; i++) {
		if (v->next[i - 1] <= v->next[i])
			continue;
		if (v->known && v->next[i] != v->now[i])
			return ta_err_set(err, -EINVAL, "%s: %lld above %lld", v->sink->key, (long long)v->next[i - 1],
				(long long)v->next[i]);
		v->next[i] = v->next[i - 1];
	}
	return 0;
}

/* Where the next boot takes the value from now, and whether a line of ours would be lost there. */
static void add_present_line(struct ta_fix_text *ret, const struct ta_facts *facts, const char *key)
{
	const char *file = ta_facts_get_str(facts, TA_KEYS("settings", key, "file"));
	bool later = ta_keep_is_overridden(facts, key);

	if (!file || !ta_facts_get_str(facts, TA_KEYS("settings", key, "set_by")) || !strcmp(file, TA_OWN_SYSCTL))
		return;
	ta_buf_adds(&ret->command, "# ");
	ta_setting_place(facts, key, &ret->command);
	if (later && !strncmp(file, "/usr/", 5))
		ta_buf_adds(&ret->command, " sets it and is read last: a file of its name in /etc/sysctl.d takes its place\n");
	else
		ta_buf_adds(&ret->command, later ? " sets it: change that line too\n" : " sets it now\n");
}

/* Inside a container most of /proc/sys is read-only or someone else's: say where the line belongs. */
static void add_text(struct ta_fix_text *ret, const struct ta_facts *facts, const struct ta_sysctl_sink *sink,
	const char *value)
{
	ta_cleanup_buf struct ta_buf word = TA_BUF_INIT;
	ta_cleanup_steps struct ta_steps step = TA_STEPS_INIT;
	bool container = ta_fix_in_container(facts);

	add_present_line(ret, facts, sink->key);
	if (container && !(sink->flags & TA_SINK_NETNS))
		ta_buf_adds(&ret->command, "# on the host: a container cannot change this\n");
	ta_buf_printf(&word, "%s=%s", sink->key, value);
	ta_buf_adds(&ret->command, "sysctl -w ");
	ta_shell_quote(&ret->command, ta_buf_text(&word));
	ta_buf_addc(&ret->command, '\n');
	if (container && (sink->flags & TA_SINK_NETNS)) {
		ta_buf_adds(&ret->command, "# to keep it, start the container with --sysctl ");
		ta_shell_quote(&ret->command, ta_buf_text(&word));
		return;
	}
	ta_steps_add(&step, &ta_knob_sysctl, sink->key, value);
	ta_fix_keep_steps(ret, &step, facts);
	if (ret->persist_file.len && (sink->flags & TA_SINK_MODULE))
		ta_buf_printf(&ret->command, "# and nf_conntrack in %s, so that it is there when the file is read\n", TA_OWN_MODULES);
}

/* What keeps it is where the container is configured, which no file of ours reaches. */
static void add_netns_text(struct ta_fix_text *ret, const char *netns, const struct ta_sysctl_sink *sink, const char *value)
{
	ta_cleanup_buf struct ta_buf target = TA_BUF_INIT, word = TA_BUF_INIT;

	ta_buf_printf(&target, "%s %s", netns, sink->key);
	ta_knob_netsysctl.command(ta_buf_text(&target), value, &ret->command);
	ta_buf_printf(&word, "%s=%s", sink->key, value);
	ta_buf_adds(&ret->command, "# to keep it, in the configuration of the container: --sysctl ");
	ta_shell_quote(&ret->command, ta_buf_text(&word));
	ta_buf_addc(&ret->command, '\n');
}

static int work_out_word(const struct ta_fix_call *call, const struct ta_facts *facts,
	const struct ta_sysctl_sink *sink, struct ta_buf *ret, struct ta_err *err)
{
	struct json_object *now = present(facts, netns_of(call), sink->key);
	const char *word;
	int rc = ta_fix_arg_str(call, "value", &word, err);

	if (rc >= 0)
		rc = ta_knob_check("sysctl", sink->key, word, TA_VALUE_WISHED, err);
	if (rc < 0)
		return rc;
	if (json_object_is_type(now, json_type_string) && !strcmp(json_object_get_string(now), word))
		return ta_err_set(err, -EINVAL, "%s is %s already", sink->key, word);
	ta_buf_adds(ret, word);
	return ret->error;
}

static int work_out_numbers(const struct ta_fix_call *call, const struct ta_facts *facts,
	const struct ta_sysctl_sink *sink, struct ta_buf *ret, struct ta_err *err)
{
	struct json_object *value = ta_fix_arg(call, "value");
	struct vector v = {.sink = sink, .netns = netns_of(call)};
	int rc;

	read_present(&v, facts);
	memcpy(v.next, v.now, sizeof(v.next));
	rc = json_object_is_type(value, json_type_array) ? move_list(&v, call, value, err)
							 : move_one(&v, call, value, err);
	if (rc >= 0 && (sink->flags & TA_SINK_RISING))
		rc = keep_order(&v, err);
	if (rc < 0)
		return rc;
	for (unsigned i = 0; i < sink->n; i++)
		ta_buf_printf(ret, "%s%lld", i ? " " : "", (long long)v.next[i]);
	if (v.known && !memcmp(v.now, v.next, sizeof(v.now)))
		return ta_err_set(err, -EINVAL, "%s is %s already", sink->key, ta_buf_text(ret));
	return ret->error;
}

/* The key's row and the whole new value. */
static int work_out(const struct ta_fix_call *call, const struct ta_facts *facts,
	const struct ta_sysctl_sink **ret_sink, struct ta_buf *ret, struct ta_err *err)
{
	const struct ta_sysctl_sink *sink;
	const char *key;
	int rc = ta_fix_arg_str(call, "key", &key, err);

	if (rc < 0)
		return rc;
	if (ta_sysctl_forbidden(key))
		return ta_err_set(err, -EINVAL, "%s is never written by this program", key);
	sink = ta_sysctl_sink(key);
	if (!sink)
		return ta_err_set(err, -EINVAL, "%s is not in the table of sysctls that may be written", key);
	if (netns_of(call) && !(sink->flags & TA_SINK_NETNS))
		return ta_err_set(err, -EINVAL, "%s is one for the whole host", key);
	*ret_sink = sink;
	if (sink->flags & TA_SINK_WORD)
		return work_out_word(call, facts, sink, ret, err);
	return work_out_numbers(call, facts, sink, ret, err);
}

/* What the wish was worked out from, so that a host that moved since the facts were read is noticed; NULL: not known. */
static char *present_text(const struct ta_sysctl_sink *sink, const struct ta_facts *facts, const char *netns)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct vector v = {.sink = sink, .netns = netns};

	if (!(sink->flags & TA_SINK_WORD))
		read_present(&v, facts);
	for (unsigned i = 0; v.known && i < sink->n; i++) {
		if (v.now[i] == INT64_MAX) /* it may be more: read_present() */
			return NULL;
		ta_buf_printf(&b, "%s%lld", i ? " " : "", (long long)v.now[i]);
	}
	return v.known ? ta_buf_steal(&b) : NULL;
}

/* The module that a value of a word sysctl comes with; "" if it is none of those that are loaded for it. */
static void module_of(const struct ta_sysctl_sink *sink, const char *value, struct ta_buf *ret)
{
	if (!strcmp(sink->key, "net.core.default_qdisc"))
		ta_buf_printf(ret, "sch_%s", value);
	else if (!strcmp(sink->key, "net.ipv4.tcp_congestion_control"))
		ta_buf_printf(ret, "tcp_%s", value);
}

/*
 * A kernel without such a thing refuses its name, and one refused step puts all others back. Where the facts do not say, the
 * kernel will.
 */
static int need_module(const struct ta_facts *facts, const struct ta_sysctl_sink *sink,
	const char *value, struct ta_steps *ret, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf module = TA_BUF_INIT;
	int rc = 0;

	module_of(sink, value, &module);
	if (module.len)
		rc = ta_fix_module_told(sink->key, facts, ta_buf_text(&module), value, err);
	if (rc == 0 && module.len)
		rc = ta_fix_need_module(sink->key, facts, ta_buf_text(&module), value, ret, err);
	return rc ?: module.error;
}

static int steps(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_steps *ret, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf value = TA_BUF_INIT, target = TA_BUF_INIT;
	const char *netns = netns_of(call);
	const struct ta_sysctl_sink *sink;
	int rc = work_out(call, facts, &sink, &value, err);

	struct ta_step *step;

	if (rc >= 0)
		rc = need_module(facts, sink, ta_buf_text(&value), ret, err);
	if (rc < 0)
		return rc;
	if (netns)
		ta_buf_printf(&target, "%s ", netns);
	ta_buf_adds(&target, sink->key);
	step = ta_steps_add(ret, netns ? &ta_knob_netsysctl : &ta_knob_sysctl, ta_buf_text(&target), ta_buf_text(&value));
	if (step)
		step->before = present_text(sink, facts, netns);
	return ret->error;
}

static int describe(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_fix_text *ret,
	struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf value = TA_BUF_INIT;
	const struct ta_sysctl_sink *sink;
	int rc = work_out(call, facts, &sink, &value, err);

	if (rc >= 0 && netns_of(call))
		add_netns_text(ret, netns_of(call), sink, ta_buf_text(&value));
	else if (rc >= 0)
		add_text(ret, facts, sink, ta_buf_text(&value));
	return rc;
}

const struct ta_fixer ta_fixer_sysctl = {
	.sigs = sigs,
	.n_sigs = TA_ARRAY_SIZE(sigs),
	.disruption = TA_DISRUPT_NONE,
	.steps = steps,
	.describe = describe,
};
