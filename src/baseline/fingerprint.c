/*
 * One table says what a fingerprint holds: it is made, told and compared by it.
 */
#include "baseline/fingerprint.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "facts/text.h"

/* What stands in it, in its order. */
enum how { PLAIN, MEMORY, NICS, GOVERNORS };

static const struct part {
	const char *key, *label;
	const char *path[5]; /* the fact, or (NICS, GOVERNORS) the collection */
	enum how how;
} parts[] = {
	{"cpu", "CPU model", {"cpu", "model"}, PLAIN},
	{"sockets", "CPU sockets", {"cpu", "sockets"}, PLAIN},
	{"cores", "CPU cores", {"cpu", "physical_cores"}, PLAIN},
	{"cpus", "CPUs online", {"cpu", "online"}, PLAIN},
	{"numa_nodes", "NUMA nodes", {"numa_nodes"}, PLAIN},
	{"memory_bytes", "memory", {"memory", "total_bytes"}, MEMORY},
	{"nics", "network interfaces", {"nics"}, NICS},
	{"kernel", "kernel", {"kernel", "release"}, PLAIN},
	{"arch", "architecture", {"kernel", "arch"}, PLAIN},
	{"preemption", "preemption", {"kernel", "preemption"}, PLAIN},
	{"mitigations", "mitigations", {"kernel", "cmdline", "mitigations"}, PLAIN},
	{"os", "system", {"host", "os"}, PLAIN},
	{"virtualization", "virtualization", {"place", "virtualization"}, PLAIN},
	{"container", "container", {"place", "container"}, PLAIN},
	{"cloud", "cloud", {"place", "cloud"}, PLAIN},
	{"instance_type", "instance type", {"place", "instance_type"}, PLAIN},
	{"governor", "CPU governor", {"cpu", "policies"}, GOVERNORS},
	{"boost", "turbo", {"cpu", "boost"}, PLAIN},
	{"smt", "SMT", {"cpu", "smt", "active"}, PLAIN},
	{"isolated", "isolated CPUs", {"cpu", "isolated"}, PLAIN},
	{"clocksource", "clock source", {"kernel", "clocksource", "current"}, PLAIN},
	{"thp", "transparent huge pages", {"memory", "thp", "enabled"}, PLAIN},
	{"numa_balancing", "NUMA balancing", {"memory", "numa_balancing"}, PLAIN},
	{"congestion_control", "congestion control", {"sysctl", "net.ipv4.tcp_congestion_control"}, PLAIN},
	{"qdisc", "default queueing discipline", {"sysctl", "net.core.default_qdisc"}, PLAIN},
	{"somaxconn", "net.core.somaxconn", {"sysctl", "net.core.somaxconn"}, PLAIN},
	{"tcp_rmem", "net.ipv4.tcp_rmem", {"sysctl", "net.ipv4.tcp_rmem"}, PLAIN},
	{"tcp_wmem", "net.ipv4.tcp_wmem", {"sysctl", "net.ipv4.tcp_wmem"}, PLAIN},
	{"irqbalance", "irqbalance", {"irqbalance", "running"}, PLAIN},
	{"tuned", "TuneD profile", {"tuned", "profile"}, PLAIN},
};

#define WITHIN_PERCENT 1 /* of memory: what the kernel keeps for itself differs from start to start */

static struct json_object *get(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	if (json_object_is_type(o, json_type_object))
		json_object_object_get_ex(o, key, &v);
	return v;
}

/* --- making --------------------------------------------------------------------------- */

/* The interfaces that a device stands behind and that are up: their names may differ from host to host, and that is told too. */
static struct json_object *make_nics(const struct ta_facts *f)
{
	struct json_object *list = json_object_new_array(), *nics = ta_facts_at(f, TA_KEYS("nics"));
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;

	if (!nics) {
		json_object_put(list);
		return NULL;
	}
	json_object_object_foreach(nics, key, nic)
	{
		if (json_object_get_boolean(get(nic, "physical")) && json_object_get_boolean(get(nic, "up")))
			ta_strv_add(&names, key);
	}
	ta_strv_sort(&names);
	for (size_t i = 0; i < names.n; i++) {
		struct json_object *one = json_object_new_object(), *nic_of = get(nics, names.v[i]);

		json_object_object_add(one, "name", json_object_new_string(names.v[i]));
		json_object_object_add(one, "driver", json_object_get(get(nic_of, "driver")));
		json_object_object_add(one, "speed_mbps", json_object_get(get(nic_of, "speed_mbps")));
		json_object_array_add(list, one);
	}
	return list;
}

/* Each governor once: they hardly ever differ. */
static struct json_object *make_governors(const struct ta_facts *f)
{
	struct json_object *policies = ta_facts_at(f, TA_KEYS("cpu", "policies"));
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	if (!json_object_is_type(policies, json_type_object))
		return NULL;
	json_object_object_foreach(policies, key, policy)
	{
		struct json_object *governor = get(policy, "governor");

		if (json_object_is_type(governor, json_type_string))
			ta_strv_add(&names, json_object_get_string(governor));
		(void)key;
	}
	ta_strv_sort(&names);
	for (size_t i = 0; i < names.n; i++)
		ta_buf_printf(&text, "%s%s", i ? ", " : "", names.v[i]);
	return text.len ? json_object_new_string(ta_buf_text(&text)) : NULL;
}

/* FNV-1a over everything but the digits of memory below 1 GiB. */
static uint64_t digest(struct json_object *o)
{
	uint64_t hash = TA_HASH_INIT;

	json_object_object_foreach(o, key, value)
	{
		ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

		ta_buf_printf(&text, "%s=", key);
		if (strcmp(key, "memory_bytes") == 0)
			ta_buf_printf(&text, "%lld", ((long long)json_object_get_int64(value) + (1 << 29)) >> 30);
		else
			ta_buf_adds(&text, json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN));
		hash = ta_hash_add(hash, ta_buf_text(&text), text.len + 1);
	}
	return hash;
}

struct json_object *ta_fingerprint_make(const struct ta_facts *f)
{
	struct json_object *o = json_object_new_object();
	char id[17];

	for (size_t i = 0; o && i < TA_ARRAY_SIZE(parts); i++) {
		const struct part *p = &parts[i];
		struct json_object *v;

		if (p->how == NICS)
			v = make_nics(f);
		else if (p->how == GOVERNORS)
			v = make_governors(f);
		else
			v = json_object_get(ta_facts_at(f, p->path));
		json_object_object_add(o, p->key, v);
	}
	if (!o)
		return NULL;
	snprintf(id, sizeof(id), "%016llx", (unsigned long long)digest(o));
	json_object_object_add(o, "id", json_object_new_string(id));
	return o;
}

static void add_owner(const struct ta_field *field, const char *owner, void *ctx)
{
	if (!ta_strv_has(ctx, owner))
		ta_strv_add(ctx, owner);
	(void)field;
}

void ta_fingerprint_owners(const struct ta_schema *schema, struct ta_strv *ret)
{
	static const char *const more[] = {
		"host.name", "nics.*.driver", "nics.*.physical", "nics.*.up", "nics.*.speed_mbps", "cpu.policies.*.governor"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(parts); i++) {
		const struct ta_schema_node *node = ta_schema_find(schema, parts[i].path);

		if (node && parts[i].how != NICS && parts[i].how != GOVERNORS)
			ta_schema_leaves(node, add_owner, ret);
	}
	for (size_t i = 0; i < TA_ARRAY_SIZE(more); i++)
		ta_schema_leaves(ta_schema_find_text(schema, more[i]), add_owner, ret);
}

/* --- telling -------------------------------------------------------------------------- */

static void add_nics(struct json_object *v, struct ta_buf *b)
{
	size_t n = json_object_array_length(v);

	if (!n)
		ta_buf_adds(b, "none");
	for (size_t i = 0; i < n; i++) {
		struct json_object *nic = json_object_array_get_idx(v, i), *speed = get(nic, "speed_mbps");
		const char *name = json_object_get_string(get(nic, "name")), *driver = json_object_get_string(get(nic, "driver"));

		ta_buf_printf(b, "%s%s (%s", i ? ", " : "", name ? name : "?", driver ? driver : "driver not known");
		if (json_object_is_type(speed, json_type_int))
			ta_buf_printf(b, ", %s Mbit/s", json_object_get_string(speed));
		ta_buf_addc(b, ')');
	}
}

static void add_list(struct json_object *v, struct ta_buf *b)
{
	size_t n = json_object_array_length(v);

	if (!n)
		ta_buf_adds(b, "none");
	for (size_t i = 0; i < n; i++) {
		struct json_object *item = json_object_array_get_idx(v, i);

		ta_buf_printf(b, "%s%s", i ? " " : "", item ? json_object_get_string(item) : "?");
	}
}

static void add_value(const struct part *p, struct json_object *v, struct ta_buf *b)
{
	if (!v)
		ta_buf_adds(b, "not known");
	else if (p->how == MEMORY && json_object_is_type(v, json_type_int))
		ta_buf_printf(b, "%.1f GiB", (double)json_object_get_int64(v) / (1 << 30));
	else if (p->how == NICS && json_object_is_type(v, json_type_array))
		add_nics(v, b);
	else if (json_object_is_type(v, json_type_boolean))
		ta_buf_adds(b, json_object_get_boolean(v) ? "on" : "off");
	else if (json_object_is_type(v, json_type_array))
		add_list(v, b);
	else
		ta_buf_adds(b, *json_object_get_string(v) ? json_object_get_string(v) : "none");
}

static const struct part *part_of(const char *key)
{
	for (size_t i = 0; i < TA_ARRAY_SIZE(parts); i++)
		if (strcmp(parts[i].key, key) == 0)
			return &parts[i];
	return NULL;
}

/* Known parts between two keys of the table, "label value, label value". */
static void add_range(struct json_object *o, const char *from, const char *to, bool labels, struct ta_buf *b)
{
	const char *comma = "";

	for (const struct part *p = part_of(from), *end = part_of(to) + 1; p < end; p++) {
		struct json_object *v = get(o, p->key);

		if (!v || (json_object_is_type(v, json_type_string) && !json_object_get_string_len(v)) ||
			(!labels && json_object_is_type(v, json_type_string) && strcmp(json_object_get_string(v), "none") == 0))
			continue;
		ta_buf_adds(b, comma);
		if (labels)
			ta_buf_printf(b, "%s ", p->label);
		add_value(p, v, b);
		comma = ", ";
	}
}

static void add_count(struct json_object *o, const char *key, const char *one, const char *many, struct ta_buf *b)
{
	struct json_object *v = get(o, key);

	if (json_object_is_type(v, json_type_int))
		ta_buf_printf(b, ", %s %s", json_object_get_string(v), json_object_get_int64(v) == 1 ? one : many);
}

static void add_machine(struct json_object *o, struct ta_buf *b)
{
	add_value(part_of("cpu"), get(o, "cpu"), b);
	add_count(o, "sockets", "socket", "sockets", b);
	add_count(o, "cores", "core", "cores", b);
	add_count(o, "cpus", "CPU", "CPUs", b);
	add_count(o, "numa_nodes", "NUMA node", "NUMA nodes", b);
	ta_buf_adds(b, ", memory ");
	add_value(part_of("memory_bytes"), get(o, "memory_bytes"), b);
}

static void add_system(struct json_object *o, struct ta_buf *b)
{
	ta_buf_adds(b, "Linux ");
	add_range(o, "kernel", "arch", false, b);
	if (get(o, "os")) {
		ta_buf_adds(b, ", ");
		add_value(part_of("os"), get(o, "os"), b);
	}
	if (get(o, "virtualization")) {
		ta_buf_adds(b, ", ");
		add_range(o, "virtualization", "instance_type", true, b);
	}
}

static const char *id_of(struct json_object *o)
{
	const char *id = json_object_get_string(get(o, "id"));

	return id ? id : "not known";
}

void ta_fingerprint_format(struct json_object *fingerprint, struct ta_buf *ret)
{
	struct json_object *o = fingerprint;

	ta_buf_printf(ret, "fingerprint %s\nmachine     ", id_of(o));
	add_machine(o, ret);
	ta_buf_adds(ret, "\nsystem      ");
	add_system(o, ret);
	ta_buf_adds(ret, "\nnetwork     ");
	add_value(part_of("nics"), get(o, "nics"), ret);
	ta_buf_adds(ret, "\nsettings    ");
	add_range(o, "preemption", "mitigations", true, ret);
	ta_buf_adds(ret, get(o, "preemption") || get(o, "mitigations") ? ", " : "");
	add_range(o, "governor", "tuned", true, ret);
	ta_buf_addc(ret, '\n');
}

void ta_fingerprint_format_line(struct json_object *fingerprint, struct ta_buf *ret)
{
	add_machine(fingerprint, ret);
	ta_buf_adds(ret, "; ");
	add_system(fingerprint, ret);
	ta_buf_adds(ret, "; ");
	add_value(part_of("nics"), get(fingerprint, "nics"), ret);
	ta_buf_printf(ret, "; fingerprint %s", id_of(fingerprint));
}

void ta_fingerprint_format_json(struct json_object *fingerprint, struct ta_buf *ret)
{
	const char *comma = "";

	ta_buf_adds(ret, "{\"schema\":\"tuneaudit.fingerprint/1\",\"fingerprint\":{");
	json_object_object_foreach(fingerprint, key, value)
	{
		ta_buf_printf(ret, "%s\n\"%s\":%s", comma, key,
			json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
		comma = ",";
	}
	ta_buf_adds(ret, "\n}}\n");
}

/* --- comparing ------------------------------------------------------------------------ */

static bool same(const struct part *p, struct json_object *a, struct json_object *b)
{
	if (p->how == MEMORY && json_object_is_type(a, json_type_int) && json_object_is_type(b, json_type_int)) {
		double x = (double)json_object_get_int64(a), y = (double)json_object_get_int64(b);

		return (x > y ? x - y : y - x) * 100 <= (x > y ? x : y) * WITHIN_PERCENT;
	}
	return json_object_equal(a, b);
}

void ta_fingerprint_compare(struct json_object *a, struct json_object *b, struct ta_strv *ret)
{
	for (size_t i = 0; i < TA_ARRAY_SIZE(parts); i++) {
		ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;
		struct json_object *x = get(a, parts[i].key), *y = get(b, parts[i].key);

		if (same(&parts[i], x, y))
			continue;
		ta_buf_printf(&line, "%s: ", parts[i].label);
		add_value(&parts[i], x, &line);
		ta_buf_adds(&line, " against ");
		add_value(&parts[i], y, &line);
		ta_strv_add(ret, ta_buf_text(&line));
	}
}
