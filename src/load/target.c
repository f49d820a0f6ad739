#include "load/target.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

/* The part up to `end` into `ret`; -EINVAL if it is empty or does not fit. */
static int take(const char *from, const char *end, char *ret, size_t size)
{
	size_t n = (size_t)(end - from);

	if (!n || n >= size)
		return -EINVAL;
	memcpy(ret, from, n);
	ret[n] = '\0';
	return 0;
}

/* "HOST", "HOST:PORT", "[V6]:PORT" up to `end`. */
static int split_authority(const char *at, const char *end, const char *default_port, struct ta_target *ret)
{
	const char *host_end, *colon;
	uint64_t port;

	if (*at == '[') {
		host_end = memchr(at, ']', (size_t)(end - at));
		if (!host_end || take(at + 1, host_end, ret->host, sizeof(ret->host)) < 0)
			return -EINVAL;
		colon = host_end + 1;
	} else {
		colon = memchr(at, ':', (size_t)(end - at));
		host_end = colon ? colon : end;
		if (take(at, host_end, ret->host, sizeof(ret->host)) < 0)
			return -EINVAL;
		colon = host_end;
	}
	if (colon == end) {
		if (!default_port)
			return -EINVAL;
		snprintf(ret->port, sizeof(ret->port), "%s", default_port);
		return 0;
	}
	if (*colon != ':' || take(colon + 1, end, ret->port, sizeof(ret->port)) < 0)
		return -EINVAL;
	return ta_parse_u64(ret->port, &port) < 0 || !port || port > 65535 ? -EINVAL : 0;
}

/* What would end or split a request line, or is no ASCII, does not belong into one. */
static bool is_printable(const char *text)
{
	for (; *text; text++)
		if (*text <= ' ' || *text >= 0x7f)
			return false;
	return true;
}

static int resolve(struct ta_target *t, struct ta_err *err)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV}, *list;
	int rc = getaddrinfo(t->host, t->port, &hints, &list);

	if (rc)
		return ta_err_set(err, -ENOENT, "%s: %s", t->host, gai_strerror(rc));
	memcpy(&t->addr, list->ai_addr, list->ai_addrlen);
	t->addr_len = list->ai_addrlen;
	freeaddrinfo(list);
	return 0;
}

int ta_target_parse(const char *text, const char *scheme, const char *default_port, struct ta_target *ret,
	struct ta_err *err)
{
	size_t n = strlen(scheme);
	const char *at, *end;

	*ret = (struct ta_target){0};
	snprintf(ret->scheme, sizeof(ret->scheme), "%s", scheme);
	if (strlen(text) >= TA_TARGET_MAX || !is_printable(text) || strncmp(text, scheme, n) || strncmp(text + n, "://", 3))
		return ta_err_set(err, -EINVAL, "'%.80s' is no address of the form %s://HOST:PORT", text, scheme);
	at = text + n + 3;
	end = at + strcspn(at, "/?#");
	if (strchr(at, '@') && strchr(at, '@') < end)
		return ta_err_set(err, -EINVAL, "user names and passwords in addresses are not supported");
	if (split_authority(at, end, default_port, ret) < 0)
		return ta_err_set(err, -EINVAL, "'%.80s': a host and a port from 1 to 65535 are wanted", text);
	snprintf(ret->path, sizeof(ret->path), "%s%.*s", *end == '/' ? "" : "/", (int)strcspn(end, "#"), end);
	return resolve(ret, err);
}

static bool is_loopback(const struct sockaddr_storage *a)
{
	const struct sockaddr_in6 *six = (const void *)a;
	const struct sockaddr_in *four = (const void *)a;

	if (a->ss_family == AF_INET)
		return (ntohl(four->sin_addr.s_addr) >> 24) == 127;
	if (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr))
		return six->sin6_addr.s6_addr[12] == 127;
	return IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

const char *ta_target_path_name(const struct ta_target *t)
{
	return is_loopback(&t->addr) ? "loopback" : "wire";
}

void ta_target_print(const struct ta_target *t, char *ret, size_t size)
{
	bool six = strchr(t->host, ':');

	snprintf(ret, size, "%s://%s%s%s:%s%s", t->scheme, six ? "[" : "", t->host, six ? "]" : "", t->port, t->path);
}
