/*
 * "eth0": the queueing discipline at its root, by kind; texts as in nic/qdisc.h. One with classes or filters, or with
 * something set below it, is somebody's work that could not be put back: it is not replaced.
 *
 * The kernel loads the module of a kind that is asked for by itself. That would be a change that nobody planned, so a kind
 * that is not there is refused; loading its module is a step of its own.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <string.h>

#include "fix/nicknob.h"
#include "fix/step.h"
#include "host/change.h"
#include "nic/link.h"
#include "nic/qdisc.h"

#define DEFAULT_KEY "net.core.default_qdisc"
#define DEFAULT_FILE "/proc/sys/net/core/default_qdisc"

static int check(const char *target, const char *value, enum ta_value_use use, struct ta_err *err)
{
	struct ta_nic_qdisc want;
	struct ta_nic_target t;
	int rc = ta_nic_target_parse(target, false, &t, err);

	if (rc < 0 || !value)
		return rc;
	if (ta_nic_qdisc_parse(value, &want) < 0)
		return ta_err_set(err, -EINVAL, "%s: '%.60s' is no queueing discipline that can be put there", target, value);
	if (use == TA_VALUE_FOUND)
		return 0;
	if (want.by_kernel || want.handle || !ta_qdisc_kind(want.kind, strlen(want.kind))->wished || want.n_leaves > 1 ||
		(want.n_leaves && !ta_qdisc_kind(want.leaves[0], strlen(want.leaves[0]))->wished) ||
		(!strcmp(want.kind, "mq") && (!want.n_leaves || !strcmp(want.leaves[0], "mq"))))
		return ta_err_set(err, -EINVAL, "%s: '%.60s' is no queueing discipline that is set", target, value);
	return 0;
}

static int read_present(struct ta_host *h, const char *ifname, struct ta_nic_qdisc *ret, struct ta_err *err)
{
	struct ta_nic_link link;
	int rc = ta_nic_link_read(h, ifname, &link);

	if (rc == 0)
		rc = ta_nic_qdisc_read(h, link.ifindex, ret);
	return rc < 0 ? ta_nic_fail(err, rc, ifname, "its queueing discipline cannot be read") : 0;
}

static int not_ours(const char *ifname, const char *kind, const char *why, struct ta_err *err)
{
	return ta_err_set(err, -EBUSY, "%s: its queueing discipline %s %s; it is left alone", ifname, kind, why);
}

static int read_value(struct ta_host *h, const char *target, struct ta_buf *ret, struct ta_err *err)
{
	struct ta_nic_qdisc now;
	struct ta_nic_target t;
	int rc = ta_nic_target_parse(target, false, &t, err);

	ta_buf_reset(ret);
	if (rc == 0)
		rc = read_present(h, t.ifname, &now, err);
	if (rc < 0)
		return rc;
	if (!ta_qdisc_kind(now.kind, strlen(now.kind)) || now.too_much)
		return not_ours(t.ifname, now.kind, "was built by somebody", err);
	if (now.n_leaves && strcmp(now.kind, "mq") != 0)
		return not_ours(t.ifname, now.kind, "has others below it", err);
	for (size_t i = 0; i < now.n_leaves; i++)
		if (!ta_qdisc_kind(now.leaves[i], strlen(now.leaves[i])))
			return not_ours(t.ifname, now.leaves[i], "below mq was built by somebody", err);
	ta_nic_qdisc_format(&now, ret);
	return ret->error;
}

/* --- is the kind there? --------------------------------------------------------------- */

struct line_search {
	const char *text;
	size_t len;
	bool at_start; /* else at the end of the line */
	bool found;
};

static int look(const char *line, size_t len, void *ctx)
{
	struct line_search *s = ctx;

	if (len >= s->len && memcmp(s->at_start ? line : line + len - s->len, s->text, s->len) == 0)
		s->found = true;
	return 0;
}

static bool file_has(struct ta_host *h, const char *path, const struct ta_buf *text, bool at_start)
{
	struct line_search s = {ta_buf_text(text), text->len, at_start, false};

	return !text->error && ta_host_lines(h, path, look, &s) == 0 && s.found;
}

static bool is_there(struct ta_host *h, const char *kind)
{
	ta_cleanup_buf struct ta_buf loaded = TA_BUF_INIT, built_in = TA_BUF_INIT, release = TA_BUF_INIT, path = TA_BUF_INIT;

	/* Nothing can be loaded: what this kernel has is built in. */
	if (!ta_host_exists(h, "/proc/modules"))
		return true;
	ta_buf_printf(&loaded, "sch_%s ", kind);
	ta_buf_printf(&built_in, "/sch_%s.ko", kind);
	if (file_has(h, "/proc/modules", &loaded, true))
		return true;
	if (ta_host_read(h, "/proc/sys/kernel/osrelease", 256, &release) < 0)
		return false;
	ta_buf_rtrim(&release);
	ta_buf_printf(&path, "/lib/modules/%s/modules.builtin", ta_buf_text(&release));
	return !path.error && file_has(h, ta_buf_text(&path), &built_in, false);
}

/* A kind that is in use somewhere needs no look either. */
static int check_kind(struct ta_host *h, const char *ifname, const char *kind, const struct ta_nic_qdisc *now, struct ta_err *err)
{
	bool there = ta_qdisc_kind(kind, strlen(kind))->always || strcmp(kind, now->kind) == 0;

	for (size_t i = 0; !there && i < now->n_leaves; i++)
		there = strcmp(kind, now->leaves[i]) == 0;
	if (there || is_there(h, kind))
		return 0;
	return ta_err_set(err, -ENOENT, "%s: queueing discipline %s is not loaded; 'modprobe sch_%s' first, where this kernel has it",
		ifname, kind, kind);
}

/* --- writing ------------------------------------------------------------------------------ */

static int tell(struct ta_host *h, struct ta_buf *message, struct ta_err *err)
{
	if (message->error)
		return message->error;
	return ta_host_set_netlink(h, NETLINK_ROUTE, (struct nlmsghdr *)(void *)message->data, err);
}

static int attach(struct ta_host *h, int ifindex, uint32_t parent, const struct ta_nic_qdisc *q, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf message = TA_BUF_INIT;

	ta_nic_qdisc_attach(ifindex, parent, q, &message);
	return tell(h, &message, err);
}

static int detach(struct ta_host *h, int ifindex, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf message = TA_BUF_INIT;

	ta_nic_qdisc_remove(ifindex, &message);
	return tell(h, &message, err);
}

/* Lets the kernel attach its default: one that is there by default is hidden first, since it cannot be removed. */
static int attach_default(struct ta_host *h, const struct ta_nic_qdisc *now, struct ta_err *err)
{
	static const struct ta_nic_qdisc hide = {.kind = "pfifo_fast"};
	int rc = now->by_kernel ? attach(h, now->ifindex, TC_H_ROOT, &hide, err) : 0;

	return rc < 0 ? rc : detach(h, now->ifindex, err);
}

static bool same_kinds(const struct ta_nic_qdisc *a, const struct ta_nic_qdisc *b)
{
	if (strcmp(a->kind, b->kind) != 0 || a->n_leaves != b->n_leaves)
		return false;
	for (size_t i = 0; i < a->n_leaves; i++)
		if (strcmp(a->leaves[i], b->leaves[i]) != 0)
			return false;
	return true;
}

/*
 * The default of today may be another than it was when this one was attached: the setting is put back after the interfaces are,
 * where both were changed. It is coupled, so that it is put right even if we die in between.
 */
static int restore_default(struct ta_host *h, const char *ifname, const struct ta_nic_qdisc *want, struct ta_nic_qdisc *now,
	struct ta_err *err)
{
	const char *kind = want->n_leaves ? want->leaves[0] : want->kind;
	ta_cleanup_buf struct ta_buf before = TA_BUF_INIT;
	int rc = attach_default(h, now, err), rc_set;

	if (rc == 0)
		rc = read_present(h, ifname, now, err);
	if (rc < 0 || same_kinds(now, want) || want->n_leaves > 1 || ta_host_read(h, DEFAULT_FILE, 256, &before) < 0)
		return rc;
	ta_buf_rtrim(&before);
	rc = ta_host_set(h, DEFAULT_FILE, kind);
	if (rc < 0)
		return 0; /* what is there now is what is read back, and said */
	rc = attach_default(h, now, err);
	rc_set = ta_host_set(h, DEFAULT_FILE, ta_buf_text(&before));
	if (rc == 0 && rc_set < 0)
		return ta_err_set(err, rc_set, "cannot put " DEFAULT_KEY " back to %s: %s", ta_buf_text(&before),
			ta_errno_text(rc_set));
	return rc;
}

/* Below mq each queue has one of its own; those of another kind than wanted are replaced. */
static int attach_leaves(struct ta_host *h, const char *ifname, const char *kind, struct ta_err *err)
{
	struct ta_nic_qdisc now, leaf = {0};
	int rc = read_present(h, ifname, &now, err);

	memcpy(leaf.kind, kind, strlen(kind) + 1);
	if (rc < 0 || (now.n_leaves == 1 && strcmp(now.leaves[0], kind) == 0))
		return rc;
	for (size_t i = 1; rc == 0 && i <= now.n_queues; i++)
		rc = attach(h, now.ifindex, (uint32_t)now.handle << 16 | (uint32_t)i, &leaf, err);
	return rc;
}

/* A wish, which gives way to what somebody built. */
static int may_replace(struct ta_host *h, const char *ifname, const struct ta_nic_qdisc *now, struct ta_err *err)
{
	int filters = 0;

	if (!ta_qdisc_kind(now->kind, strlen(now->kind)) || now->too_much || now->leaves_set ||
		(now->n_leaves && strcmp(now->kind, "mq") != 0))
		return not_ours(ifname, now->kind, "was built by somebody", err);
	if (!now->by_kernel)
		filters = ta_nic_qdisc_has_filters(h, now->ifindex, now->handle);
	if (filters < 0)
		return ta_nic_fail(err, filters, ifname, "its filters cannot be read");
	return filters ? not_ours(ifname, now->kind, "has filters", err) : 0;
}

static int write_kind(struct ta_host *h, const char *ifname, const struct ta_nic_qdisc *want, const struct ta_nic_qdisc *now,
	struct ta_err *err)
{
	int rc = want->handle ? 0 : may_replace(h, ifname, now, err);

	if (rc == 0)
		rc = check_kind(h, ifname, want->kind, now, err);
	for (size_t i = 0; rc == 0 && i < want->n_leaves; i++)
		rc = check_kind(h, ifname, want->leaves[i], now, err);
	if (rc < 0)
		return rc;
	rc = attach(h, now->ifindex, TC_H_ROOT, want, err);
	if (rc == 0 && want->n_leaves == 1)
		rc = attach_leaves(h, ifname, want->leaves[0], err);
	return rc < 0 ? ta_nic_fail(err, rc, ifname, "its queueing discipline cannot be set") : 0;
}

static bool is_equal(const struct ta_nic_qdisc *now, const struct ta_nic_qdisc *want)
{
	if (!same_kinds(now, want) || now->by_kernel != want->by_kernel)
		return false;
	if (want->by_kernel || !want->handle)
		return true;
	return now->handle == want->handle && now->n_options == want->n_options &&
	       memcmp(now->options, want->options, now->n_options) == 0;
}

static int write_value(struct ta_host *h, const char *target, const char *value, struct ta_err *err)
{
	struct ta_nic_qdisc now, want;
	struct ta_nic_target t;
	int rc = check(target, value, TA_VALUE_FOUND, err);

	if (rc < 0)
		return rc;
	ta_nic_target_parse(target, false, &t, NULL);
	ta_nic_qdisc_parse(value, &want);
	rc = read_present(h, t.ifname, &now, err);
	if (rc < 0 || is_equal(&now, &want))
		return rc;
	if (!want.by_kernel)
		return write_kind(h, t.ifname, &want, &now, err);
	rc = restore_default(h, t.ifname, &want, &now, err);
	return rc < 0 ? ta_nic_fail(err, rc, t.ifname, "the kernel's own queueing discipline cannot be put back") : 0;
}

static void command(const char *target, const char *value, struct ta_buf *b)
{
	struct ta_nic_qdisc want;
	struct ta_nic_target t;

	if (ta_nic_target_parse(target, false, &t, NULL) < 0 || ta_nic_qdisc_parse(value, &want) < 0)
		return;
	ta_buf_printf(b, "tc qdisc %s dev ", want.by_kernel ? "del" : "replace");
	ta_shell_quote(b, t.ifname);
	ta_buf_adds(b, " root");
	if (!want.by_kernel && (want.handle || want.n_leaves))
		ta_buf_printf(b, " handle %x:", want.handle ? want.handle : 1);
	if (!want.by_kernel)
		ta_buf_printf(b, " %s", want.kind);
	ta_buf_addc(b, '\n');
	if (want.by_kernel || want.n_leaves != 1)
		return;
	ta_buf_adds(b, "for q in /sys/class/net/");
	ta_shell_quote(b, t.ifname);
	ta_buf_adds(b, "/queues/tx-*; do tc qdisc replace dev ");
	ta_shell_quote(b, t.ifname);
	ta_buf_printf(b, " parent %x:$(printf %%x $((${q##*-} + 1))) %s; done\n", want.handle ? want.handle : 1, want.leaves[0]);
}

static int coupled(struct ta_host *h, const char *target, struct ta_steps *ret, struct ta_err *err)
{
	if (ta_host_exists(h, DEFAULT_FILE))
		ta_steps_add(ret, &ta_knob_sysctl, DEFAULT_KEY, NULL);
	ta_modules_coupled("sch_", ret); /* net/sched/sch_api.c: qdisc_create() */
	return ret->error;
}

const struct ta_knob ta_knob_qdisc = {
	.name = "qdisc",
	.order = TA_ORDER_NIC,
	.nic = true,
	.keeps_link = true,
	.check = check,
	.read = read_value,
	.may = ta_nic_may,
	.write = write_value,
	.command = command,
	.coupled = coupled,
};
