/*
 * Listening sockets from any bytes, as the first of them says: an answer of sock_diag, lines of /proc/net/tcp, the
 * answer of a child that was in another network namespace, lines of modules.dep. One reader for each input: what the
 * answer of a child puts into the document costs more than all the others.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/strv.h"
#include "host/netlink.h"
#include "probe/listen.h"
#include "probe/modules.h"
#include "probe/netns.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct ta_listener *l)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	if (l->family != AF_INET && l->family != AF_INET6)
		abort();
	ta_listener_format(l, NULL, &b);
	if (strchr(ta_buf_text(&b), '?'))
		abort();
	ta_listener_loopback(l);
}

static int one_reply(const struct nlmsghdr *nlh, void *ctx)
{
	struct ta_listener l;

	if (ta_listener_of_diag(nlh, &l) == 0) {
		check(&l);
		return ta_listeners_add(ctx, &l);
	}
	return 0;
}

static void listeners_of(const struct ta_strv *lines, struct ta_listeners *all)
{
	struct ta_listener l;

	for (size_t i = 0; i < lines->n; i++) {
		ta_listener_of_proc(lines->v[i], true, &l);
		if (ta_listener_of_proc(lines->v[i], false, &l) == 0) {
			check(&l);
			ta_listeners_add(all, &l);
		}
	}
}

static void lines_of(const char *text, bool modules, struct ta_listeners *all)
{
	ta_cleanup_strv struct ta_strv lines = TA_STRV_INIT;

	ta_strv_split(&lines, text, "\n");
	if (!modules)
		listeners_of(&lines, all);
	else
		for (size_t i = 0; i < lines.n; i++)
			ta_module_line_is(lines.v[i], "tcp_bbr");
}

static int answer_of_child(const char *text, struct ta_listeners *all)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();

	if (!f)
		return 0;
	ta_netns_apply(text, f, "x", all);
	return ta_facts_error(f) ? -1 : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ta_cleanup_listeners struct ta_listeners all = {0};
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = 0;

	if (!size || size > 65536)
		return 0;
	ta_buf_add(&text, data + 1, size - 1);
	if (data[0] % 4 == 0)
		ta_nl_parse(text.data, text.len, one_reply, &all);
	else if (data[0] % 4 == 2)
		rc = answer_of_child(ta_buf_text(&text), &all);
	else
		lines_of(ta_buf_text(&text), data[0] % 4 == 3, &all);
	ta_listeners_sort(&all);
	for (size_t i = 1; i < all.n; i++)
		if (all.v[i - 1].family > all.v[i].family)
			abort();
	return rc;
}
