/*
 * Whether a change can be kept from where we are: the files are read by the host, before there are namespaces.
 */
#include <errno.h>
#include <string.h>

#include "fix/keep.h"
#include "fix/sinks.h"
#include "host/change.h"

/* Of a user namespace that is not the first, root is somebody else's user (user_namespaces(7)). */
static bool is_first_user_ns(struct ta_host *h)
{
	ta_cleanup_buf struct ta_buf map = TA_BUF_INIT;
	ta_cleanup_strv struct ta_strv w = TA_STRV_INIT;

	if (ta_host_read(h, "/proc/self/uid_map", 4096, &map) < 0)
		return true; /* a kernel without them */
	ta_strv_split(&w, ta_buf_text(&map), " \n");
	return w.n == 3 && !strcmp(w.v[0], "0") && !strcmp(w.v[1], "0") && !strcmp(w.v[2], "4294967295");
}

/* As far as may be seen: without ptrace rights over process 1 it may not. */
static bool is_first_netns(struct ta_host *h)
{
	ta_cleanup_buf struct ta_buf ours = TA_BUF_INIT, first = TA_BUF_INIT;

	return ta_host_readlink(h, "/proc/self/ns/net", &ours) < 0 || ta_host_readlink(h, "/proc/1/ns/net", &first) < 0 ||
	       !strcmp(ta_buf_text(&ours), ta_buf_text(&first));
}

static bool is_of_netns(const struct ta_step *s)
{
	const struct ta_sysctl_sink *sink = s->knob == &ta_knob_sysctl ? ta_sysctl_sink(s->target) : NULL;

	return s->knob->nic || (sink && (sink->flags & TA_SINK_NETNS)) ||
	       (s->knob == &ta_knob_attr && !strncmp(s->target, "/sys/class/net/", 15));
}

/* What the start of the host runs as root must be where nobody else can put another program. */
static bool may_start_us(struct ta_host *h, struct ta_buf *why)
{
	ta_cleanup_buf struct ta_buf program = TA_BUF_INIT;

	if (ta_host_program(h, &program) != -EPERM)
		return true;
	ta_buf_printf(why, "others than root may write %s, or put another in its place, so the start of the host must not run it: "
		"install it", ta_buf_text(&program));
	return false;
}

bool ta_keep_can_from_here(struct ta_host *h, const struct ta_step *step, const char *file, struct ta_buf *why)
{
	if (!ta_host_is_live(h))
		return true;
	if (!is_first_user_ns(h))
		ta_buf_adds(why, "the files that the host reads when it starts cannot be written from this user namespace");
	else if (is_of_netns(step) && !is_first_netns(h))
		ta_buf_adds(why, "this is not the network namespace that the host starts with");
	else
		return strcmp(file, TA_OWN_BOOT) != 0 || may_start_us(h, why);
	return false;
}
