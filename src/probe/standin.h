/*
 * Outputs of commands that stand in a copied tree where the files are missing:
 * a sosreport, or a folder extra/ beside proc/ and sys/. Never on this machine.
 */
#pragma once

#include "host/host.h"
#include "probe/netcount.h"

/* `sysctl -a`: 0 and its text, or -ENOENT. */
int ta_standin_sysctl(struct ta_host *h, struct ta_buf *ret);

/* The value behind "key = " in it, without blanks at its end. 0 or -ENOENT. Replaces what `ret` held. */
int ta_sysctl_find(const char *text, const char *key, struct ta_buf *ret);

/* `nstat -zas`: 0 and its text, or -ENOENT. */
int ta_standin_nstat(struct ta_host *h, struct ta_buf *ret);

/* fn for each of its counters that is of TcpExt, IpExt, Tcp, Udp or Ip; other lines are left out. */
void ta_nstat_each(const char *text, void (*fn)(const struct ta_mib *m, void *ctx), void *ctx);
