/*
 * The ports that outgoing connections are made from: how many the range
 * leaves, and which services listen inside of it without being kept out of
 * harm's way. After a restart such a service may find its port taken.
 */
#include "derive/derive.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/strv.h"

#define PORTS 65536

static const struct ta_field fields[] = {
	{"ephemeral_ports.usable", TA_T_INT, "ports",
		"ports for outgoing connections: ip_local_port_range without ip_local_reserved_ports", 0, {}},
	{"ephemeral_ports.listened", TA_T_INTS, "",
		"ports inside that range, not reserved, that a service of this network namespace listens on",
		0, {}},
};

static const char *const needs[] = {"sysctl", "listeners", NULL};

/* One piece of the kernel's "8080,30000-32767": a port or a range. */
static bool mark(const char *piece, bool *reserved)
{
	ta_cleanup_strv struct ta_strv ends = TA_STRV_INIT;
	uint64_t first, last;

	ta_strv_split(&ends, piece, "-");
	if (ends.n != (strchr(piece, '-') ? 2 : 1) || ta_parse_u64(ends.v[0], &first) < 0 ||
		ta_parse_u64(ends.v[ends.n - 1], &last) < 0 || first > last || last >= PORTS)
		return false;
	for (uint64_t p = first; p <= last; p++)
		reserved[p] = true;
	return true;
}

static bool mark_all(const char *text, bool *reserved)
{
	ta_cleanup_strv struct ta_strv pieces = TA_STRV_INIT;

	ta_strv_split(&pieces, text, ",");
	for (size_t i = 0; i < pieces.n; i++)
		if (!mark(pieces.v[i], reserved))
			return false;
	return true;
}

static bool get_range(struct ta_facts *f, int64_t *first, int64_t *last)
{
	struct json_object *range = ta_facts_at(f, TA_KEYS("sysctl", "net.ipv4.ip_local_port_range"));

	if (!range || json_object_array_length(range) != 2)
		return false;
	*first = json_object_get_int64(json_object_array_get_idx(range, 0));
	*last = json_object_get_int64(json_object_array_get_idx(range, 1));
	return *first >= 0 && *first <= *last && *last < PORTS;
}

static void put_listened(struct ta_facts *f, const bool *reserved, int64_t first, int64_t last)
{
	struct json_object *listeners = ta_facts_at(f, TA_KEYS("listeners"));
	bool *listened = calloc(PORTS, sizeof(*listened));
	int64_t *v = calloc(PORTS, sizeof(*v));
	size_t n = 0;

	if (listeners && listened && v) {
		json_object_object_foreach(listeners, key, l)
		{
			int64_t port = -1;

			if (strncmp(key, "self ", 5) == 0 && json_object_is_type(l, json_type_object))
				ta_facts_get_i64(f, TA_KEYS("listeners", key, "port"), &port);
			if (port >= first && port <= last && !reserved[port])
				listened[port] = true;
		}
		for (int64_t p = first; p <= last; p++)
			if (listened[p])
				v[n++] = p;
		ta_facts_put_ints(f, TA_KEYS("ephemeral_ports", "listened"), v, n);
	} else {
		struct ta_absence why = ta_facts_absence(f, "listeners");

		ta_facts_put_absent(f, TA_KEYS("ephemeral_ports", "listened"), why.reason, "listeners: %s", why.detail);
	}
	free(v);
	free(listened);
}

static void compute(struct ta_facts *f)
{
	const char *text = ta_facts_get_str(f, TA_KEYS("sysctl", "net.ipv4.ip_local_reserved_ports"));
	bool *reserved = calloc(PORTS, sizeof(*reserved));
	int64_t first, last, usable = 0;

	if (!reserved || !get_range(f, &first, &last)) {
		ta_facts_put_absent(f, TA_KEYS("ephemeral_ports"), TA_MISSING, "no range of local ports is known");
	} else if (!text || !mark_all(text, reserved)) {
		ta_facts_put_absent(f, TA_KEYS("ephemeral_ports"), text ? TA_MALFORMED : TA_MISSING,
			"which ports are reserved is not known");
	} else {
		for (int64_t p = first; p <= last; p++)
			usable += !reserved[p];
		ta_put_i64(f, usable, "ephemeral_ports", "usable");
		put_listened(f, reserved, first, last);
	}
	free(reserved);
}

const struct ta_derivation ta_derive_ephemeral_ports = {
	.name = "ephemeral_ports",
	.needs = needs,
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.compute = compute,
};
