/*
 * "web net.core.somaxconn": a sysctl of another network namespace, that of the unit or container "web". The name is what the
 * facts call it (netns.ID); the namespace is looked for anew each time, since inode numbers are used again and processes come and go.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/unit.h"
#include "fix/describe.h"
#include "fix/sinks.h"
#include "host/change.h"

#define ID_MAX 127

struct target {
	char id[ID_MAX + 1];
	const char *key;
};

static bool split(const char *target, struct target *ret)
{
	size_t n = strcspn(target, " ");

	if (!n || n > ID_MAX || target[n] != ' ')
		return false;
	memcpy(ret->id, target, n);
	ret->id[n] = '\0';
	ret->key = target + n + 1;
	return true;
}

static int check(const char *target, const char *value, enum ta_value_use use, struct ta_err *err)
{
	const struct ta_sysctl_sink *sink;
	struct target t;

	if (!split(target, &t))
		return ta_err_set(err, -EPERM, "'%.200s' names no namespace and sysctl", target);
	sink = ta_sysctl_sink(t.key);
	if (!sink || !(sink->flags & TA_SINK_NETNS))
		return ta_err_set(err, -EPERM, "%.100s is not in the table of sysctls that each network namespace has", t.key);
	return ta_knob_sysctl.check(t.key, value, use, err);
}

/* --- where it is ----------------------------------------------------------------------- */

struct search {
	const char *id;
	char own[64], found[64]; /* "net:[4026532281]" */
	unsigned pid;
	bool several;
};

static int link_of(struct ta_host *h, const char *pid, char (*ret)[64])
{
	ta_cleanup_buf struct ta_buf link = TA_BUF_INIT;
	char path[64];
	int rc;

	snprintf(path, sizeof(path), "/proc/%.20s/ns/net", pid);
	rc = ta_host_readlink(h, path, &link);
	if (rc == 0)
		snprintf(*ret, sizeof(*ret), "%s", ta_buf_text(&link));
	return rc;
}

/* As the facts make their names: the unit or container, else the program. */
static bool is_called(struct ta_host *h, const char *pid, const char *id)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_unit unit = {0};
	char path[64];

	snprintf(path, sizeof(path), "/proc/%.20s/cgroup", pid);
	if (ta_host_read(h, path, TA_READ_CAP, &text) == 0)
		ta_unit_of(ta_buf_text(&text), &unit);
	if (!unit.name[0]) {
		snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
		if (ta_host_read(h, path, TA_READ_CAP, &text) < 0)
			return false;
		ta_buf_rtrim(&text);
		snprintf(unit.name, sizeof(unit.name), "%s", ta_buf_text(&text));
	}
	for (char *c = unit.name; *c; c++)
		if (*c == ' ')
			*c = '_';
	return !strcmp(unit.name, id);
}

static void consider(struct ta_host *h, const char *pid, struct search *s)
{
	char link[64];
	uint64_t number;

	if (ta_parse_u64(pid, &number) < 0 || number > INT32_MAX || link_of(h, pid, &link) < 0 || !strcmp(link, s->own) ||
		!strcmp(link, s->found) || !is_called(h, pid, s->id))
		return;
	s->several = s->found[0];
	s->pid = (unsigned)number;
	memcpy(s->found, link, sizeof(link));
}

/* A process that lives there. -ENODEV: there is none; -ENOTUNIQ: two namespaces are called so, and none is to be guessed at. */
static int find(struct ta_host *h, const char *id, unsigned *ret, struct ta_err *err)
{
	ta_cleanup_strv struct ta_strv pids = TA_STRV_INIT;
	struct search s = {.id = id};
	int rc = link_of(h, "self", &s.own);

	if (rc == 0)
		rc = ta_host_list(h, "/proc", &pids);
	if (rc < 0)
		return ta_err_set(err, rc, "the processes of this host: %s", ta_errno_text(rc));
	for (size_t i = 0; i < pids.n && !s.several; i++)
		consider(h, pids.v[i], &s);
	if (s.several)
		return ta_err_set(err, -ENOTUNIQ, "several network namespaces are called %s", id);
	if (!s.pid)
		return ta_err_set(err, -ENODEV, "there is no process of %s in a network namespace of its own", id);
	*ret = s.pid;
	return 0;
}

/* --- reading and writing there ------------------------------------------------------------ */

static int read_inside(struct ta_host *inside, void *arg, struct ta_buf *ret)
{
	return ta_knob_sysctl.read(inside, arg, ret, NULL);
}

static int read_value(struct ta_host *h, const char *target, struct ta_buf *ret, struct ta_err *err)
{
	struct target t;
	unsigned pid;
	int rc = split(target, &t) ? find(h, t.id, &pid, err) : -EINVAL;

	ta_buf_reset(ret);
	if (rc < 0)
		return rc;
	rc = ta_host_netns(h, "netns-knob", pid, read_inside, (void *)t.key, ret);
	return rc < 0 ? ta_err_set(err, rc, "cannot read %s of %s: %s", t.key, t.id, ta_errno_text(rc)) : 0;
}

static int write_value(struct ta_host *h, const char *target, const char *value, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;
	struct target t;
	unsigned pid;
	int rc = split(target, &t) ? find(h, t.id, &pid, err) : -EINVAL;

	if (rc < 0)
		return rc;
	ta_buf_adds(&path, "/proc/sys/");
	for (const char *c = t.key; *c; c++)
		ta_buf_addc(&path, *c == '.' ? '/' : *c);
	rc = path.error ?: ta_host_set_netns(h, pid, ta_buf_text(&path), value);
	return rc < 0 ? ta_err_set(err, rc, "cannot set %s of %s to %s: %s", t.key, t.id, value, ta_errno_text(rc)) : 0;
}

static void command(const char *target, const char *value, struct ta_buf *b)
{
	struct target t;

	if (!split(target, &t))
		return;
	ta_buf_printf(b, "# in the network namespace of %s (nsenter --net --target PID)\n", t.id);
	ta_knob_sysctl.command(t.key, value, b);
}

const struct ta_knob ta_knob_netsysctl = {
	.name = "netsysctl",
	.order = TA_ORDER_SYSCTL,
	.check = check,
	.read = read_value,
	.write = write_value,
	.command = command,
};
