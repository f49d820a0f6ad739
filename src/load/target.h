/*
 * Where a load goes: http://HOST:PORT/PATH, redis://HOST:PORT, tcp://HOST:PORT.
 */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>

#include "base/err.h"

#define TA_TARGET_MAX 2048

struct ta_target {
	char scheme[12];
	char host[256]; /* without brackets */
	char port[6];
	char path[TA_TARGET_MAX]; /* with its '/', "/" if none was given */
	struct sockaddr_storage addr;
	socklen_t addr_len;
};

/*
 * Reads and resolves (getaddrinfo(3): the first address is taken). `default_port` where none is given, NULL: one must be. 0, -EINVAL
 * (not of this form, or characters that a request line cannot carry), -ENOENT (no such host), each with the text.
 */
int ta_target_parse(const char *text, const char *scheme, const char *default_port, struct ta_target *ret,
	struct ta_err *err);

/* "loopback" or "wire", by the address alone. */
const char *ta_target_path_name(const struct ta_target *t);

/* "http://[::1]:80/path", cut where it does not fit. */
void ta_target_print(const struct ta_target *t, char *ret, size_t size);
