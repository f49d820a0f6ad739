/*
 * Modules behind which udev applies sysctl files once more, so that their sysctls are set although the module comes late
 * (sysctl.d(5), examples): ACTION=="add", SUBSYSTEM=="module", KERNEL=="br_netfilter", RUN+="…/systemd-sysctl --prefix=/net/bridge"
 */
#pragma once

#include "base/strv.h"
#include "host/host.h"

/* Of `modules`, ended by NULL, those of which it is certain. 0 or -ENOMEM. */
int ta_sysctl_again(struct ta_host *h, const char *const *modules, struct ta_strv *ret);

/* The directory of its sysctls, "/net/bridge"; NULL: it is not known for any. */
const char *ta_sysctl_module_prefix(const char *module);
