/*
 * Where a capture keeps outputs of commands.
 */
#include "probe/pasted.h"

#include <errno.h>

#include "probe/probe.h"

bool ta_pasted_open(struct ta_host *h, struct ta_pasted *ret)
{
	*ret = (struct ta_pasted){.h = h};
	if (ta_host_is_live(h) || ta_host_is_whole(h))
		return false;
	ret->sos = ta_host_exists(h, "/sos_commands");
	ret->extra = ta_host_exists(h, "/extra");
	return ret->sos || ret->extra;
}

int ta_pasted_read(
	const struct ta_pasted *p, const char *group, const char *name, struct ta_buf *ret)
{
	char file[512];
	int rc = -ENOENT;

	if (p->sos)
		rc = ta_host_read(
			p->h, ta_fmt(&file, "/sos_commands/%s/%s", group, name), TA_READ_CAP, ret);
	if (rc < 0 && p->extra)
		rc = ta_host_read(p->h, ta_fmt(&file, "/extra/%s", name), TA_READ_CAP, ret);
	return rc;
}

int ta_pasted_read_any(
	const struct ta_pasted *p, const char *group, const char *const *names, struct ta_buf *ret)
{
	int rc = -ENOENT;

	for (; *names && rc < 0; names++)
		rc = ta_pasted_read(p, group, *names, ret);
	return rc;
}

int ta_pasted_ethtool(
	const struct ta_pasted *p, const char *option, const char *nic, struct ta_buf *ret)
{
	char name[512];
	int rc;

	rc = ta_pasted_read(p, "networking",
		ta_fmt(&name, "ethtool_%s%s%s", option, *option ? "_" : "", nic), ret);
	if (rc < 0 && p->extra)
		rc = ta_host_read(
			p->h, ta_fmt(&name, "/extra/ethtool%s/%s", option, nic), TA_READ_CAP, ret);
	return rc;
}
