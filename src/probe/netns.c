/*
 * A server in a container has its own sysctls. They can be read only from
 * inside, so a child goes there (setns) and comes back with lines:
 *
 *   sysctl NAME VALUE        as the file has it, tabs as blanks
 *   absent NAME REASON       what could not be read though it may be there
 *   listen INODE BACKLOG QUEUED
 *
 * No addresses are in them; those come from /proc/PID/net, which shows the
 * namespace of the process to everybody.
 */
#include "probe/netns.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/num.h"
#include "probe/procfacts.h"
#include "probe/procpid.h"

/* The settings that decide how a server serves; each has a row in the table of probes/processes.c. */
static const struct {
	const char *key;
	enum ta_type type;
} settings[] = {
	{"net.core.somaxconn", TA_T_INT},
	{"net.ipv4.ip_local_port_range", TA_T_INTS},
	{"net.ipv4.tcp_abort_on_overflow", TA_T_INT},
	{"net.ipv4.tcp_congestion_control", TA_T_STRING},
	{"net.ipv4.tcp_fin_timeout", TA_T_INT},
	{"net.ipv4.tcp_keepalive_time", TA_T_INT},
	{"net.ipv4.tcp_max_syn_backlog", TA_T_INT},
	{"net.ipv4.tcp_max_tw_buckets", TA_T_INT},
	{"net.ipv4.tcp_mtu_probing", TA_T_INT},
	{"net.ipv4.tcp_notsent_lowat", TA_T_INT},
	{"net.ipv4.tcp_rmem", TA_T_INTS},
	{"net.ipv4.tcp_sack", TA_T_INT},
	{"net.ipv4.tcp_slow_start_after_idle", TA_T_INT},
	{"net.ipv4.tcp_syncookies", TA_T_INT},
	{"net.ipv4.tcp_timestamps", TA_T_INT},
	{"net.ipv4.tcp_tw_reuse", TA_T_INT},
	{"net.ipv4.tcp_window_scaling", TA_T_INT},
	{"net.ipv4.tcp_wmem", TA_T_INTS},
};

void ta_namespaces_done(struct ta_namespaces *n)
{
	for (size_t i = 0; i < n->n; i++) {
		free(n->v[i].link);
		free(n->v[i].id);
		ta_strv_done(&n->v[i].pids);
	}
	free(n->own);
	*n = (struct ta_namespaces){0};
}

void ta_unseen_note(struct ta_unseen *u, int rc)
{
	if (rc >= 0 || rc == -ENOENT || rc == -ESRCH)
		return;
	u->n++;
	u->rc = rc;
}

/* --- which there are ------------------------------------------------------------- */

int ta_namespaces_start(struct ta_host *h, struct ta_namespaces *n)
{
	ta_cleanup_buf struct ta_buf link = TA_BUF_INIT;
	int rc = ta_host_readlink(h, "/proc/self/ns/net", &link);

	if (rc == 0) {
		n->own = ta_buf_steal(&link);
		rc = n->own ? 0 : -ENOMEM;
	}
	return rc;
}

static bool id_taken(const struct ta_namespaces *n, const char *id)
{
	for (size_t i = 0; i < n->n; i++)
		if (n->v[i].id && strcmp(n->v[i].id, id) == 0)
			return true;
	return strcmp(id, "self") == 0;
}

/* A name that the next start of the service will have too; with a number if it is taken. */
static char *make_id(struct ta_host *h, const struct ta_namespaces *n, const char *pid)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	ta_cleanup_buf struct ta_buf id = TA_BUF_INIT;
	struct ta_unit unit = {0};
	char file[64];
	size_t len;

	if (ta_host_read(h, ta_proc_file(&file, pid, "cgroup"), TA_READ_CAP, &text) == 0)
		ta_unit_of(ta_buf_text(&text), &unit);
	if (unit.name[0]) {
		ta_buf_adds(&id, unit.name);
	} else if (ta_host_read(h, ta_proc_file(&file, pid, "comm"), TA_READ_CAP, &text) == 0) {
		ta_buf_rtrim(&text);
		ta_buf_adds(&id, ta_buf_text(&text));
	}
	/* It becomes a word of a listener's key. */
	for (char *c = id.data; c && *c; c++)
		if (*c == ' ')
			*c = '_';
	if (id.len == 0)
		ta_buf_adds(&id, "unnamed");
	len = id.len;
	for (unsigned i = 2; !id.error && id_taken(n, ta_buf_text(&id)); i++) {
		id.data[len] = '\0';
		id.len = len;
		ta_buf_printf(&id, "-%u", i);
	}
	return ta_buf_steal(&id);
}

bool ta_namespaces_foreign(struct ta_host *h, struct ta_namespaces *n, const char *pid)
{
	ta_cleanup_buf struct ta_buf link = TA_BUF_INIT;
	char file[64];
	int rc;
	size_t i;

	if (!n->own)
		return false;
	rc = ta_host_readlink(h, ta_proc_file(&file, pid, "ns/net"), &link);
	ta_unseen_note(&n->hidden, rc);
	if (rc < 0 || strcmp(ta_buf_text(&link), n->own) == 0)
		return false;
	for (i = 0; i < n->n; i++)
		if (strcmp(n->v[i].link, ta_buf_text(&link)) == 0)
			break;
	if (i == TA_NETNS_MAX) {
		n->not_looked_at++;
		return false;
	}
	if (i == n->n) {
		n->v[i] = (struct ta_netns){.link = ta_buf_steal(&link)};
		if (!n->v[i].link)
			return false;
		n->n++;
	}
	ta_strv_add(&n->v[i].pids, pid);
	return true;
}

/* The line behind the listeners of an answer that names all of them with their addresses. */
#define WHOLE "listeners whole"

/* --- inside ------------------------------------------------------------------------ */

static void setting_file(const char *key, char (*ret)[512])
{
	snprintf(*ret, sizeof(*ret), "/proc/sys/%s", key);
	for (char *c = *ret + strlen("/proc/sys/"); *c; c++)
		if (*c == '.')
			*c = '/';
}

int ta_netns_ask(struct ta_host *inside, void *arg, struct ta_buf *ret)
{
	ta_cleanup_listeners struct ta_listeners l = {0};
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	char file[512];

	for (size_t i = 0; i < TA_ARRAY_SIZE(settings); i++) {
		int rc;

		setting_file(settings[i].key, &file);
		rc = ta_host_read(inside, file, TA_READ_CAP, &text);
		ta_buf_rtrim(&text);
		if (rc == 0)
			ta_buf_printf(ret, "sysctl %s %s\n", settings[i].key, ta_buf_text(&text));
		else if (rc != -ENOENT)
			ta_buf_printf(ret, "absent %s %s\n", settings[i].key, ta_reason_name(ta_reason_of(rc)));
	}
	if (ta_listeners_read(inside, &l) < 0 || !l.has_backlog)
		return ret->error;
	for (size_t i = 0; i < l.n; i++) {
		const struct ta_listener *v = &l.v[i];

		ta_buf_printf(ret, "listen %llu %u %u %u %u %u ", (unsigned long long)v->inode, v->backlog, v->queued,
			v->family, v->port, v->ifindex);
		for (size_t k = 0; k < sizeof(v->addr); k++)
			ta_buf_printf(ret, "%02x", v->addr[k]);
		ta_buf_addc(ret, '\n');
	}
	ta_buf_adds(ret, WHOLE "\n");
	return ret->error;
}

/* --- what came back ------------------------------------------------------------------ */

static const char *behind(const char *line, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(line, prefix, len) == 0 ? line + len : NULL;
}

static void put_setting(struct ta_facts *f, const char *id, const char *key, enum ta_type type,
	const char *value)
{
	const char *const *path = TA_KEYS("netns", id, "sysctl", key);
	int64_t v[8];
	size_t n = 0;
	int rc = 0;

	if (type == TA_T_STRING) {
		ta_facts_put_str(f, path, value);
		return;
	}
	while (n < TA_ARRAY_SIZE(v) && (rc = ta_next_i64(&value, &v[n])) == 0)
		n++;
	if (rc != -ENODATA || n == 0 || (type == TA_T_INT && n != 1))
		ta_facts_put_absent(f, path, TA_MALFORMED, "not a number");
	else if (type == TA_T_INT)
		ta_facts_put_i64(f, path, v[0]);
	else
		ta_facts_put_ints(f, path, v, n);
}

/* "sysctl NAME VALUE" (`words` is what follows the first) or "absent NAME REASON". */
static void apply_setting(const char *words, bool absent, struct ta_facts *f, const char *id, bool *seen)
{
	for (size_t k = 0; words && k < TA_ARRAY_SIZE(settings); k++) {
		const char *value = behind(words, settings[k].key);
		enum ta_reason why;

		if (!value || *value++ != ' ')
			continue;
		if (!absent)
			put_setting(f, id, settings[k].key, settings[k].type, value);
		else if (ta_reason_parse(value, &why) == 0)
			ta_facts_put_absent(f, TA_KEYS("netns", id, "sysctl", settings[k].key), why,
				"could not be read in that network namespace");
		else
			continue;
		seen[k] = true;
	}
}

/* "listen INODE BACKLOG QUEUED" into the listener that it is; true if all was well. */
static bool apply_backlog(const char *words, struct ta_listeners *l)
{
	uint64_t inode, backlog, queued;

	if (ta_next_u64(&words, &inode) < 0 || ta_next_u64(&words, &backlog) < 0 ||
		ta_next_u64(&words, &queued) < 0 || backlog > UINT32_MAX || queued > UINT32_MAX)
		return false;
	for (size_t i = 0; i < l->n; i++) {
		if (l->v[i].inode != inode)
			continue;
		l->v[i].backlog = (uint32_t)backlog;
		l->v[i].queued = (uint32_t)queued;
		return true;
	}
	return false;
}

void ta_netns_apply(const char *answer, struct ta_facts *f, const char *id, struct ta_listeners *l)
{
	ta_cleanup_strv struct ta_strv lines = TA_STRV_INIT;
	bool seen[TA_ARRAY_SIZE(settings)] = {false};
	size_t backlogs = 0;

	ta_strv_split(&lines, answer, "\n");
	for (size_t i = 0; i < lines.n; i++) {
		const char *words = behind(lines.v[i], "listen ");

		if (words)
			backlogs += apply_backlog(words, l);
		apply_setting(behind(lines.v[i], "sysctl "), false, f, id, seen);
		apply_setting(behind(lines.v[i], "absent "), true, f, id, seen);
	}
	for (size_t k = 0; k < TA_ARRAY_SIZE(settings); k++)
		if (!seen[k])
			ta_facts_put_absent(f, TA_KEYS("netns", id, "sysctl", settings[k].key), TA_MISSING,
				"not there in that network namespace");
	l->has_backlog = backlogs == l->n;
	l->no_backlog_rc = -ENODATA;
	if (!l->has_backlog)
		snprintf(l->no_backlog, sizeof(l->no_backlog),
			"sock_diag did not tell in that network namespace");
}

/* "INODE BACKLOG QUEUED FAMILY PORT IFINDEX ADDRESS". */
static int parse_listener(const char *words, struct ta_listener *ret)
{
	uint64_t v[6];

	for (size_t i = 0; i < TA_ARRAY_SIZE(v); i++)
		if (ta_next_u64(&words, &v[i]) < 0 || (i && v[i] > UINT32_MAX))
			return -EBADMSG;
	words += strspn(words, " ");
	if ((v[3] != AF_INET && v[3] != AF_INET6) || v[4] > UINT16_MAX || strlen(words) != 2 * sizeof(ret->addr))
		return -EBADMSG;
	*ret = (struct ta_listener){.inode = v[0], .backlog = (uint32_t)v[1], .queued = (uint32_t)v[2],
		.family = (uint8_t)v[3], .port = (uint16_t)v[4], .ifindex = (uint32_t)v[5]};
	for (size_t i = 0; i < sizeof(ret->addr); i++) {
		const char byte[] = {words[2 * i], words[2 * i + 1], '\0'};
		uint64_t b;

		if (ta_parse_hex(byte, &b) < 0)
			return -EBADMSG;
		ret->addr[i] = (uint8_t)b;
	}
	return 0;
}

int ta_netns_listeners(const char *answer, struct ta_listeners *ret)
{
	ta_cleanup_strv struct ta_strv lines = TA_STRV_INIT;
	struct ta_listener one;
	int rc = 0;

	ret->n = 0;
	ta_strv_split(&lines, answer, "\n");
	if (!ta_strv_has(&lines, WHOLE))
		return -ENODATA;
	for (size_t i = 0; i < lines.n && rc == 0; i++) {
		const char *words = behind(lines.v[i], "listen ");

		if (!words)
			continue;
		rc = parse_listener(words, &one);
		if (rc == 0)
			rc = ta_listeners_add(ret, &one);
	}
	ta_listeners_sort(ret);
	return rc;
}

/* By /proc, for what no child can tell: a copied tree, a kernel without inet_diag, no right to enter. */
static int read_by_proc(struct ta_host *h, const struct ta_netns *ns, struct ta_listeners *ret)
{
	char dir[64];
	int rc = -ESRCH;

	/* The first of them that is still there. */
	for (size_t i = 0; i < ns->pids.n && (rc == -ESRCH || rc == -ENOENT); i++)
		rc = ta_listeners_read_proc(h, ta_proc_file(&dir, ns->pids.v[i], "net"), ret);
	return rc == -ENOENT && !ta_host_is_whole(h) ? -ENODATA : rc;
}

static int ask_inside(struct ta_host *h, const struct ta_netns *ns, struct ta_buf *ret)
{
	int rc = -ESRCH;
	char key[192];

	snprintf(key, sizeof(key), "netns/%.160s", ns->id);
	for (size_t i = 0; i < ns->pids.n && (rc == -ESRCH || rc == -ENOENT); i++) {
		uint64_t number = 0;

		ta_parse_u64(ns->pids.v[i], &number);
		rc = ta_host_netns(h, key, (unsigned)number, ta_netns_ask, NULL, ret);
	}
	return rc;
}

int ta_netns_read(struct ta_host *h, struct ta_facts *f, struct ta_namespaces *all, struct ta_netns *ns,
	struct ta_listeners *ret)
{
	ta_cleanup_buf struct ta_buf answer = TA_BUF_INIT;
	char dir[64];
	int asked, rc;

	if (ta_listeners_none(h, ta_proc_file(&dir, ns->pids.v[0], "net")))
		return 0;
	ns->id = make_id(h, all, ns->pids.v[0]);
	if (!ns->id)
		return -ENOMEM;
	asked = ask_inside(h, ns, &answer);
	rc = asked == 0 ? ta_netns_listeners(ta_buf_text(&answer), ret) : asked;
	if (rc < 0)
		rc = read_by_proc(h, ns, ret);
	ta_unseen_note(&all->unread, rc);
	if (rc < 0 || ret->n == 0) {
		free(ns->id);
		ns->id = NULL;
		return rc;
	}
	ta_put_str(f, ns->id, "netns", ns->id, "owner");
	if (asked == 0) {
		ta_netns_apply(ta_buf_text(&answer), f, ns->id, ret);
		return 0;
	}
	ta_put_errno(f, asked, "its network namespace", "netns", ns->id, "sysctl");
	ret->no_backlog_rc = asked;
	snprintf(ret->no_backlog, sizeof(ret->no_backlog), "its network namespace: %s", ta_errno_text(asked));
	return 0;
}
