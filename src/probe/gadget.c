/*
 * A gadget stands below its device controller, which tells the speed in …/udc/NAME/current_speed
 * (Documentation/ABI/stable/sysfs-class-udc, 6.12).
 */
#include "probe/gadget.h"

#include <errno.h>
#include <string.h>

#include "probe/nicdev.h"
#include "probe/probe.h"

bool ta_is_gadget(const struct ta_netdev *d)
{
	const char *last = d && d->device ? ta_last_component(d->device) : "";

	/* "gadget", and with a number since 6.0: usb_add_gadget() in drivers/usb/gadget/udc/core.c */
	return strcmp(last, "gadget") == 0 || strncmp(last, "gadget.", strlen("gadget.")) == 0;
}

/* usb_speed_string() in drivers/usb/common/common.c (6.12), whole Mbit/s; -1: "UNKNOWN", not connected. */
static int64_t speed_of(const char *name)
{
	static const struct {
		const char *name;
		int64_t mbps;
	} speeds[] = {{"low-speed", 1}, {"full-speed", 12}, {"high-speed", 480}, {"wireless", 480},
		{"super-speed", 5000}, {"super-speed-plus", 10000}};

	for (size_t i = 0; i < TA_ARRAY_SIZE(speeds); i++)
		if (strcmp(name, speeds[i].name) == 0)
			return speeds[i].mbps;
	return -1;
}

void ta_gadget_put_speed(struct ta_host *h, struct ta_facts *f, const struct ta_netdev *d, const char *name)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	const char *slash = strrchr(d->device, '/');
	int above = (int)(slash ? slash - d->device : 0);
	char file[512];
	int64_t mbps;
	int rc = ta_host_list(h, ta_fmt(&file, "%.*s/udc", above, d->device), &names);

	if (rc == 0 && names.n != 1)
		rc = -ENOENT;
	if (rc == 0)
		rc = ta_host_read(h, ta_fmt(&file, "%.*s/udc/%s/current_speed", above, d->device, names.v[0]), TA_READ_CAP,
			&text);
	ta_buf_rtrim(&text);
	mbps = rc == 0 ? speed_of(ta_buf_text(&text)) : -1;
	if (mbps >= 0)
		ta_put_i64(f, mbps, "nics", name, "usb_mbps");
	else if (rc == 0)
		ta_facts_put_absent(f, TA_KEYS("nics", name, "usb_mbps"), TA_UNSUPPORTED, "not connected");
	else
		ta_put_errno(f, rc, file, "nics", name, "usb_mbps");
}
