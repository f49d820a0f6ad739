/*
 * How a change of an interface is kept: a udev rule that finds the device again by its address, not its name.
 */
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "fix/describe.h"

/* True if another interface hangs on the same device, as the ports of some cards do. */
static bool bus_is_shared(const struct ta_facts *facts, const char *ifname, const char *bus)
{
	struct json_object *nics = ta_facts_at(facts, TA_KEYS("nics"));

	if (!json_object_is_type(nics, json_type_object))
		return false;
	json_object_object_foreach(nics, key, nic)
	{
		struct json_object *other;

		if (strcmp(key, ifname) && json_object_object_get_ex(nic, "bus", &other) &&
			!strcmp(json_object_get_string(other), bus))
			return true;
	}
	return false;
}

int ta_udev_match_nic(struct ta_buf *b, const struct ta_facts *facts, const char *ifname, struct ta_err *err)
{
	const char *bus = ta_facts_get_str(facts, TA_KEYS("nics", ifname, "bus"));
	ta_cleanup_buf struct ta_buf m = TA_BUF_INIT;
	int rc;

	ta_buf_adds(&m, "ACTION==\"add\", SUBSYSTEM==\"net\", ");
	if (bus) {
		ta_buf_adds(&m, "KERNELS==");
		rc = ta_udev_quote(&m, bus, err);
		if (rc < 0)
			return rc;
	}
	if (!bus || bus_is_shared(facts, ifname, bus)) {
		/* ID_NET_NAME is the name that it gets; KERNEL the one before (net_setup_link) */
		ta_buf_adds(&m, bus ? ", ENV{ID_NET_NAME}==" : "ENV{ID_NET_NAME}==");
		rc = ta_udev_quote(&m, ifname, err);
		if (rc < 0)
			return rc;
	}
	ta_buf_add(b, m.data, m.len);
	return m.error;
}

void ta_persist_nic_run(struct ta_fix_text *ret, const struct ta_facts *facts, const char *ifname, const char *line)
{
	if (ta_udev_match_nic(&ret->persist_text, facts, ifname, NULL) < 0)
		return;
	ta_buf_printf(&ret->persist_text, ", RUN+=\"%s\"\n", line);
	if (!ret->persist_file.len)
		ta_buf_adds(&ret->persist_file, TA_UDEV_FILE);
}

void ta_persist_nic_attr(struct ta_fix_text *ret, const struct ta_facts *facts, const char *ifname, const char *attr,
	const char *value)
{
	if (ta_udev_match_nic(&ret->persist_text, facts, ifname, NULL) < 0)
		return;
	ta_buf_printf(&ret->persist_text, ", ATTR{%s}=\"%s\"\n", attr, value);
	if (!ret->persist_file.len)
		ta_buf_adds(&ret->persist_file, TA_UDEV_FILE);
}
