/*
 * The interfaces that this host is reached by. If they cannot be told, every one may be.
 */
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "fix/identity.h"
#include "fix/planparts.h"
#include "nic/route.h"

void ta_management_done(struct ta_management *m)
{
	ta_strv_done(&m->names);
}

static void add(struct ta_management *m, const char *name)
{
	if (*name && strcmp(name, "lo") != 0 && !ta_strv_has(&m->names, name))
		ta_strv_add(&m->names, name);
}

/* "eth0 00000000 …": interface, then destination (net/ipv4/fib_trie.c: fib_route_seq_show()). */
static int route4(const char *line, size_t len, void *ctx)
{
	ta_cleanup_strv struct ta_strv w = TA_STRV_INIT;

	ta_strv_split(&w, line, " \t");
	if (w.n >= 8 && !strcmp(w.v[1], "00000000") && !strcmp(w.v[7], "00000000"))
		add(ctx, w.v[0]);
	return 0;
}

/* Destination, its prefix length, …, interface (net/ipv6/route.c: rt6_info_route()). */
static int route6(const char *line, size_t len, void *ctx)
{
	ta_cleanup_strv struct ta_strv w = TA_STRV_INIT;

	ta_strv_split(&w, line, " \t");
	if (w.n >= 10 && !w.v[0][strspn(w.v[0], "0")] && !strcmp(w.v[1], "00"))
		add(ctx, w.v[9]);
	return 0;
}

/* The interface that the kernel would send to `peer` by. */
static int route_to(struct ta_host *h, const char *peer, struct ta_management *m)
{
	ta_cleanup_buf struct ta_buf name = TA_BUF_INIT;
	int rc = ta_nic_route_to(h, peer, &name);

	if (rc == 0)
		add(m, ta_buf_text(&name));
	return rc;
}

/* What a bond, bridge or VLAN stands on carries its packets. The list grows while it is gone through. */
static void add_lower(const struct ta_facts *facts, struct ta_management *m)
{
	for (size_t i = 0; i < m->names.n; i++) {
		struct json_object *list = ta_facts_at(facts, TA_KEYS("nics", m->names.v[i], "lower"));

		if (!json_object_is_type(list, json_type_array))
			continue;
		for (size_t k = 0; k < json_object_array_length(list); k++)
			add(m, json_object_get_string(json_object_array_get_idx(list, k)));
	}
}

void ta_management_read(struct ta_host *h, const struct ta_facts *facts, const char *peer, struct ta_management *ret)
{
	int rc;

	*ret = (struct ta_management){0};
	rc = ta_host_lines(h, "/proc/net/route", route4, ret);
	if (rc == 0 && ta_host_lines(h, "/proc/net/ipv6_route", route6, ret) == -EACCES)
		rc = -EACCES; /* no such file: no IPv6 */
	if (rc == 0 && peer && *peer)
		rc = route_to(h, peer, ret);
	ret->all = rc < 0 || ret->names.error;
	add_lower(facts, ret);
}

static bool is_meant(const struct ta_management *m, const struct ta_step *s)
{
	ta_cleanup_buf struct ta_buf name = TA_BUF_INIT;

	/* What is set by attributes (steering) takes no link down either. */
	if (!s->knob->nic || s->knob->keeps_link || ta_identity_ifname(s->knob, s->target, &name) < 0)
		return false;
	return m->all || ta_strv_has(&m->names, ta_buf_text(&name));
}

void ta_management_weigh(const struct ta_management *m, struct ta_action *a)
{
	a->management = is_meant(m, &a->step);
	if (a->management)
		a->disruption = TA_MAX(a->disruption, TA_DISRUPT_LINK_FLAP);
}
