/*
 * Reads the outputs of sysctl(8) and nstat(8).
 */
#include "probe/standin.h"

#include <errno.h>
#include <string.h>

#include "base/num.h"

static int read_first(struct ta_host *h, const char *const *files, struct ta_buf *ret)
{
	if (ta_host_is_whole(h))
		return -ENOENT;
	for (; *files; files++)
		if (ta_host_read(h, *files, TA_READ_CAP, ret) == 0)
			return 0;
	return -ENOENT;
}

int ta_standin_sysctl(struct ta_host *h, struct ta_buf *ret)
{
	static const char *const files[] = {"/extra/sysctl_-a", "/sos_commands/kernel/sysctl_-a", NULL};

	return read_first(h, files, ret);
}

int ta_standin_nstat(struct ta_host *h, struct ta_buf *ret)
{
	static const char *const files[] = {"/extra/nstat_-zas", "/sos_commands/networking/nstat_-zas", NULL};

	return read_first(h, files, ret);
}

static const char *next_line(const char *at)
{
	at += strcspn(at, "\n");
	return *at ? at + 1 : at;
}

int ta_sysctl_find(const char *text, const char *key, struct ta_buf *ret)
{
	size_t len = strlen(key);

	for (; *text; text = next_line(text)) {
		if (strncmp(text, key, len) != 0 || strncmp(text + len, " =", 2) != 0)
			continue;
		text += len + 2;
		text += *text == ' ';
		ta_buf_reset(ret);
		ta_buf_add(ret, text, strcspn(text, "\n"));
		ta_buf_rtrim(ret);
		return ret->error;
	}
	return -ENOENT;
}

void ta_nstat_each(const char *text, void (*fn)(const struct ta_mib *m, void *ctx), void *ctx)
{
	/* The longer first: TcpExt begins with Tcp. */
	static const char *const groups[] = {"TcpExt", "IpExt", "Tcp", "Udp", "Ip"};

	for (; *text; text = next_line(text)) {
		size_t len = strcspn(text, " \t\n");
		const char *value = text + len;
		struct ta_mib m = {.name = text};

		if (text[len] != ' ' || ta_next_u64(&value, &m.value) < 0)
			continue;
		for (size_t i = 0; i < TA_ARRAY_SIZE(groups) && !m.group; i++) {
			size_t n = strlen(groups[i]);

			/* "IcmpInMsgs", "Ip6InReceives" are of others; names begin with a capital. */
			if (len <= n || strncmp(text, groups[i], n) != 0 || text[n] < 'A' || text[n] > 'Z')
				continue;
			m.group = groups[i];
			m.group_len = n;
			m.name = text + n;
			m.name_len = len - n;
		}
		if (m.group)
			fn(&m, ctx);
	}
}
