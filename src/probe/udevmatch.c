/*
 * Rules against one device. Conditions have three answers; the first "no" ends a line, and the cheap ones are asked first.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "probe/probe.h"
#include "probe/udevrules.h"
#include "probe/value.h"

enum answer { NO, UNKNOWN, YES };

#define CHAIN_MAX 32

struct event {
	struct ta_host *h;
	const struct ta_udev_device *d;
	bool connected; /* the event that an NVMe controller has when it is ready (Linux 6.1) */
	/* Directories of the device and of those above it. */
	bool chained;
	int rc_chain;
	struct ta_buf chain[CHAIN_MAX];
	size_t n_chain;
};

/* --- values ------------------------------------------------------------------------------- */

/* Alternatives between '|', each a pattern. */
static bool matches(const struct ta_udev_token *t, const char *value)
{
	const char *list = ta_buf_text(&t->value);
	char one[256];

	for (;; list++) {
		size_t n = strcspn(list, "|");

		if (n < sizeof(one)) {
			memcpy(one, list, n);
			one[n] = '\0';
			if (!fnmatch(one, value, t->fold ? FNM_CASEFOLD : 0))
				return true;
		}
		list += n;
		if (!*list)
			return false;
	}
}

static enum answer answer(const struct ta_udev_token *t, const char *value)
{
	if (!value)
		return UNKNOWN;
	return matches(t, value) == (t->op == TA_UDEV_MATCH) ? YES : NO;
}

static bool starts(const char **c, const char *what)
{
	size_t n = strlen(what);

	if (strncmp(*c, what, n) != 0)
		return false;
	*c += n;
	return true;
}

/* Behind '$' or '%': what stands for itself here. False: it is not known. */
static bool substitute(const struct event *e, const char **c, bool late, struct ta_buf *ret)
{
	const char *name = e->d->name, *kernel = late || !e->d->kernel ? name : e->d->kernel;
	size_t n = strlen(name);
	bool dollar = **c == '$';

	(*c)++;
	if (**c == '$' || **c == '%') {
		ta_buf_addc(ret, *(*c)++);
		return true;
	}
	if (!late && !e->d->kernel)
		return false;
	if (dollar ? starts(c, "kernel") : starts(c, "k")) {
		ta_buf_adds(ret, kernel);
		return true;
	}
	if ((dollar && starts(c, "name")) || starts(c, dollar ? "env{INTERFACE}" : "E{INTERFACE}")) {
		ta_buf_adds(ret, name);
		return true;
	}
	if (dollar ? starts(c, "number") : starts(c, "n")) {
		while (n && ta_is_digit(name[n - 1]))
			n--;
		ta_buf_adds(ret, name + n);
		return true;
	}
	if (dollar ? starts(c, "sys") : starts(c, "S")) {
		ta_buf_adds(ret, "/sys");
		return true;
	}
	return false;
}

/* `late`: it is worked out when the rules are through, and an interface has its name. */
static bool expand(const struct event *e, const char *text, bool late, struct ta_buf *ret)
{
	ta_buf_reset(ret);
	while (*text) {
		if (*text != '$' && *text != '%')
			ta_buf_addc(ret, *text++);
		else if (!substitute(e, &text, late, ret))
			return false;
	}
	return !ret->error;
}

/* --- conditions ------------------------------------------------------------------------------ */

static enum answer match_action(const struct event *e, const struct ta_udev_token *t)
{
	enum answer add = answer(t, e->connected ? "change" : "add");

	/* Further events come, or do not: after a rename, when a disk is written to. */
	if (add == YES || e->connected)
		return add;
	if (answer(t, "change") == YES && !strcmp(e->d->subsystem, "block"))
		return UNKNOWN;
	return answer(t, "move") == YES && !strcmp(e->d->subsystem, "net") ? UNKNOWN : NO;
}

static enum answer match_env(const struct event *e, const struct ta_udev_token *t, bool named)
{
	bool net = !strcmp(e->d->subsystem, "net");

	if (!strcmp(t->attr, "DEVTYPE"))
		return answer(t, e->d->devtype);
	if (!strcmp(t->attr, "NVME_EVENT"))
		return answer(t, e->connected ? "connected" : "");
	if (net && !strcmp(t->attr, "INTERFACE"))
		return answer(t, e->d->kernel);
	/* The name that it has now is the one that it gets again. */
	if (net && !strcmp(t->attr, "ID_NET_NAME"))
		return named ? answer(t, e->d->name) : UNKNOWN;
	return UNKNOWN;
}

static enum answer match_attr(const struct event *e, const struct ta_udev_token *t, const char *dir)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	char path[512];
	int rc;

	if (strpbrk(t->attr, "$%*[]?"))
		return UNKNOWN;
	rc = ta_text_read(e->h, ta_fmt(&path, "%s/%s", dir, t->attr), &text);
	/* What is not there matches nothing, not even a "!=". */
	if (rc == -ENOENT || rc == -ENOTDIR)
		return ta_host_is_whole(e->h) ? NO : UNKNOWN;
	return rc ? UNKNOWN : answer(t, ta_buf_text(&text));
}

static enum answer match_link(const struct event *e, const struct ta_udev_token *t, const char *dir, const char *name)
{
	ta_cleanup_buf struct ta_buf target = TA_BUF_INIT;
	char path[512];
	const char *slash;
	int rc = ta_host_readlink(e->h, ta_fmt(&path, "%s/%s", dir, name), &target);

	if (rc)
		return rc == -ENOENT && ta_host_is_whole(e->h) ? answer(t, "") : UNKNOWN;
	slash = strrchr(ta_buf_text(&target), '/');
	return answer(t, slash ? slash + 1 : ta_buf_text(&target));
}

static enum answer match_test(const struct event *e, const struct ta_udev_token *t)
{
	ta_cleanup_buf struct ta_buf file = TA_BUF_INIT;
	const char *text;
	char path[512];
	bool is_there;

	if (*t->attr || !expand(e, ta_buf_text(&t->value), false, &file))
		return UNKNOWN;
	text = ta_buf_text(&file);
	if (strpbrk(text, "*?[") || strstr(text, "..") || !*text)
		return UNKNOWN;
	if (*text != '/')
		ta_fmt(&path, "%s/%s", e->d->dir, text);
	else
		ta_fmt(&path, "%s", text);
	is_there = ta_host_exists(e->h, path);
	if (!is_there && !ta_host_is_whole(e->h))
		return UNKNOWN;
	return is_there == (t->op == TA_UDEV_MATCH) ? YES : NO;
}

/* What is known without a look at the machine; `named`: net_setup_link has run. */
static enum answer match_known(const struct event *e, const struct ta_udev_token *t, bool named, bool *ret_later)
{
	*ret_later = false;
	if (!strcmp(t->key, "ACTION"))
		return match_action(e, t);
	if (!strcmp(t->key, "SUBSYSTEM"))
		return answer(t, e->d->subsystem);
	if (!strcmp(t->key, "KERNEL"))
		return !strcmp(ta_buf_text(&t->value), "*") ? answer(t, e->d->name) : answer(t, e->d->kernel);
	if (!strcmp(t->key, "NAME"))
		return named ? answer(t, e->d->name) : UNKNOWN;
	if (!strcmp(t->key, "ENV"))
		return match_env(e, t, named);
	*ret_later = true;
	return YES;
}

static bool is_of_parent(const struct ta_udev_token *t)
{
	size_t n = strlen(t->key);

	return n > 1 && t->key[n - 1] == 'S' && strcmp(t->key, "TEST") != 0;
}

static enum answer match_file(const struct event *e, const struct ta_udev_token *t)
{
	if (!strcmp(t->key, "ATTR"))
		return match_attr(e, t, e->d->dir);
	if (!strcmp(t->key, "DRIVER"))
		return match_link(e, t, e->d->dir, "driver");
	if (!strcmp(t->key, "TEST"))
		return match_test(e, t);
	return UNKNOWN;
}

/* --- devices above ------------------------------------------------------------------------------ */

/* "/sys/block/sda" -> "../devices/pci0000:00/…/block/sda": each directory on the way up, below /sys/devices. */
static void make_chain(struct event *e)
{
	ta_cleanup_buf struct ta_buf link = TA_BUF_INIT;
	const char *at;

	e->chained = true;
	e->rc_chain = ta_host_readlink(e->h, e->d->dir, &link);
	at = e->rc_chain ? NULL : strstr(ta_buf_text(&link), "devices/");
	if (!at) {
		e->rc_chain = e->rc_chain ? e->rc_chain : -EINVAL;
		return;
	}
	for (size_t len = strlen(at); e->n_chain < CHAIN_MAX && len > strlen("devices/"); ) {
		ta_buf_printf(&e->chain[e->n_chain++], "/sys/%.*s", (int)len, at);
		while (len && at[len - 1] != '/')
			len--;
		len -= len > 0;
	}
}

static enum answer match_parent(struct event *e, const struct ta_udev_token *t, const char *dir)
{
	const char *name = strrchr(dir, '/') + 1;

	if (!strcmp(t->key, "KERNELS"))
		return dir == ta_buf_text(&e->chain[0]) && !e->d->kernel ? UNKNOWN : answer(t, name);
	if (!strcmp(t->key, "SUBSYSTEMS"))
		return match_link(e, t, dir, "subsystem");
	if (!strcmp(t->key, "DRIVERS"))
		return match_link(e, t, dir, "driver");
	return !strcmp(t->key, "ATTRS") ? match_attr(e, t, dir) : UNKNOWN;
}

/* All such conditions of a line have to hold of one and the same device. */
static enum answer match_parents(struct event *e, const struct ta_udev_rule *r)
{
	enum answer best = NO;

	if (!e->chained)
		make_chain(e);
	if (e->rc_chain)
		return UNKNOWN;
	for (size_t i = 0; best != YES && i < e->n_chain; i++) {
		enum answer all = YES;

		for (size_t k = 0; all != NO && k < r->n; k++)
			if (ta_udev_is_match(&r->v[k]) && is_of_parent(&r->v[k]))
				all = TA_MIN(all, match_parent(e, &r->v[k], ta_buf_text(&e->chain[i])));
		best = TA_MAX(best, all);
	}
	return best;
}

static enum answer match_rule(struct event *e, const struct ta_udev_rule *r, bool named)
{
	enum answer all = YES;
	bool parents = false, later;

	for (size_t i = 0; i < r->n; i++) {
		const struct ta_udev_token *t = &r->v[i];

		if (!strcmp(t->key, "PROGRAM") || !strcmp(t->key, "IMPORT"))
			all = TA_MIN(all, UNKNOWN);
		else if (ta_udev_is_match(t))
			all = TA_MIN(all, match_known(e, t, named, &later));
		if (all == NO)
			return NO;
	}
	for (size_t i = 0; all != NO && i < r->n; i++) {
		const struct ta_udev_token *t = &r->v[i];

		if (!ta_udev_is_match(t))
			continue;
		if (is_of_parent(t)) {
			parents = true;
			continue;
		}
		match_known(e, t, named, &later);
		if (later)
			all = TA_MIN(all, match_file(e, t));
	}
	return all != NO && parents ? TA_MIN(all, match_parents(e, r)) : all;
}

/* --- what is set ----------------------------------------------------------------------------------- */

static int set_all(const struct event *e, const struct ta_udev_file *f, const struct ta_udev_rule *r, bool maybe,
	int (*fn)(const struct ta_udev_set *set, void *ctx), void *ctx)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < r->n; i++) {
		const struct ta_udev_token *t = &r->v[i];
		ta_cleanup_buf struct ta_buf value = TA_BUF_INIT;
		struct ta_udev_set s = {.file = f, .line = r->number, .attr = t->attr, .maybe = maybe};

		if (ta_udev_is_match(t))
			continue;
		s.run = !strcmp(t->key, "RUN") && strcmp(t->attr, "builtin") != 0;
		s.sysctl = !strcmp(t->key, "SYSCTL");
		if (!s.run && !s.sysctl && strcmp(t->key, "ATTR") != 0)
			continue;
		if (s.run)
			s.attr = "";
		if (expand(e, ta_buf_text(&t->value), s.run, &value))
			s.value = ta_buf_text(&value);
		rc = fn(&s, ctx);
	}
	return rc;
}

static const char *jump_of(const struct ta_udev_rule *r, const char *key)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->v[i].key, key))
			return ta_buf_text(&r->v[i].value);
	return NULL;
}

/* Where the line goes on: the next one, or the label that it jumps to. A label that is not there is no jump. */
static size_t next_rule(const struct ta_udev_file *f, size_t i)
{
	const char *to = jump_of(&f->v[i], "GOTO"), *label;

	for (size_t k = i + 1; to && k < f->n; k++)
		if ((label = jump_of(&f->v[k], "LABEL")) && !strcmp(label, to))
			return k;
	return i + 1;
}

static int apply_file(struct event *e, const struct ta_udev_file *f, int (*fn)(const struct ta_udev_set *set, void *ctx),
	void *ctx)
{
	bool named = strcmp(f->name, "80-net-setup-link.rules") > 0;
	size_t maybe_to = 0; /* lines before it are jumped over, perhaps */
	int rc = 0;

	for (size_t i = 0; !rc && i < f->n;) {
		enum answer a = match_rule(e, &f->v[i], named);
		size_t next = next_rule(f, i);

		if (a == NO) {
			i++;
			continue;
		}
		if (i < maybe_to)
			a = UNKNOWN;
		rc = set_all(e, f, &f->v[i], a == UNKNOWN, fn, ctx);
		if (a == UNKNOWN)
			maybe_to = TA_MAX(maybe_to, next);
		i = a == YES ? next : i + 1;
	}
	return rc;
}

int ta_udev_apply(const struct ta_udev_rules *r, struct ta_host *h, const struct ta_udev_device *d,
	int (*fn)(const struct ta_udev_set *set, void *ctx), void *ctx)
{
	struct event e = {.h = h, .d = d};
	int rc = 0;

	for (size_t i = 0; !rc && i < r->n; i++)
		rc = apply_file(&e, &r->v[i], fn, ctx);
	e.connected = !strcmp(d->subsystem, "nvme");
	for (size_t i = 0; !rc && e.connected && i < r->n; i++)
		rc = apply_file(&e, &r->v[i], fn, ctx);
	for (size_t i = 0; i < e.n_chain; i++)
		ta_buf_done(&e.chain[i]);
	return rc;
}
