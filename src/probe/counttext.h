/*
 * The kernel's protocol counters as commands print them: bytes in, no host.
 */
#pragma once

#include "host/host.h"
#include "probe/netcount.h"

/* `nstat -a`: "TcpExtListenOverflows  12  0.0". fn for every counter. 0, or -EBADMSG: none in the
 * text. */
int ta_nstat_each(
	const char *text, size_t len, void (*fn)(const struct ta_mib *m, void *ctx), void *ctx);

/*
 * `netstat -s`, which words most counters and leaves out those that are 0: fn also for those, where
 * the group is whole and every kernel counts them. 0, or -EBADMSG: none in the text.
 */
int ta_netstat_each(
	const char *text, size_t len, void (*fn)(const struct ta_mib *m, void *ctx), void *ctx);

/* The first of the two that is in a capture. 0, -ENOENT: neither, -EBADMSG. */
int ta_counttext_read(struct ta_host *h, void (*fn)(const struct ta_mib *m, void *ctx), void *ctx);
