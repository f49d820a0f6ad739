/*
 * A small field table and two fixers, for the tests and the fuzz target of the rule language.
 */
#pragma once

#include "facts/schema.h"
#include "rule/fixsig.h"

static const struct ta_field kit_nic_fields[] = {
	{"nics.*.up", TA_T_BOOL, "", "", 0, {}},
	{"nics.*.physical", TA_T_BOOL, "", "", 0, {}},
	{"nics.*.mtu", TA_T_INT, "bytes", "", 0, {}},
	{"nics.*.driver", TA_T_STRING, "", "", 0, {}},
	{"nics.*.numa_node", TA_T_INT, "", "", 0, {}},
};

static const struct ta_field kit_ethtool_fields[] = {
	{"nics.*.channels.combined.current", TA_T_INT, "", "", 0, {}},
	{"nics.*.channels.combined.max", TA_T_INT, "", "", 0, {}},
	{"nics.*.features.*", TA_T_BOOL, "", "", 0, {}},
	{"nics.*.rps.*", TA_T_INTS, "CPUs", "", TA_F_CPUS, {}},
};

static const struct ta_field kit_other_fields[] = {
	{"kernel.version", TA_T_INTS, "", "", 0, {}},
	{"kernel.release", TA_T_STRING, "", "", 0, {}},
	{"cpu.online", TA_T_INT, "CPUs", "", 0, {}},
	{"pressure.cpu.some.avg10", TA_T_REAL, "%", "", 0, {}},
	{"cpu.isolated", TA_T_INTS, "CPUs", "", TA_F_CPUS, {}},
	{"cpu.policies.*.governor", TA_T_STRING, "", "", 0, {}},
	{"numa.*.physical_cores", TA_T_INT, "", "", 0, {}},
	{"numa.*.cpus", TA_T_INTS, "CPUs", "", TA_F_CPUS, {}},
	{"modules.loaded", TA_T_STRINGS, "", "", 0, {}},
	{"limits.file_max", TA_T_INT, "", "", TA_F_UNLIMITED, {}},
	{"limits.nr_open", TA_T_INT, "", "", 0, {}},
	{"processes.*.comm", TA_T_STRING, "", "", 0, {}},
	{"processes.*.nofile_hard", TA_T_INT, "", "", TA_F_UNLIMITED, {}},
	{"processes.*.subject", TA_T_STRING, "", "", 0, {}},
	{"listeners.*.backlog_min", TA_T_INT, "", "", 0, {}},
	{"irqs.*.device", TA_T_STRING, "", "", 0, {}},
	{"irqs.*.effective", TA_T_INTS, "CPUs", "", TA_F_CPUS, {}},
	{"counters.softnet.dropped", TA_T_INT, "", "", TA_F_VOLATILE, {}},
	{"counters.softnet.time_squeeze", TA_T_INT, "", "", TA_F_VOLATILE, {}},
};

static const struct ta_field kit_sysctl_fields[] = {
	{"sysctl[\"net.core.somaxconn\"]", TA_T_INT, "", "", 0, {}},
	{"sysctl[\"net.ipv4.tcp_rmem\"]", TA_T_INTS, "bytes", "", 0, {}},
	{"sysctl[\"net.ipv4.ip_local_port_range\"]", TA_T_INTS, "", "", 0, {}},
	{"sysctl[\"net.netfilter.nf_conntrack_max\"]", TA_T_INT, "", "", 0, {{0, TA_MEANS_UNLIMITED}}},
	{"sysctl[\"net.ipv4.tcp_notsent_lowat\"]", TA_T_INT, "", "", 0, {{-1, TA_MEANS_UNLIMITED}, {0, TA_MEANS_AUTO}}},
};

static const struct ta_table kit_tables[] = {
	{"nic", kit_nic_fields, TA_ARRAY_SIZE(kit_nic_fields)},
	{"ethtool", kit_ethtool_fields, TA_ARRAY_SIZE(kit_ethtool_fields)},
	{"other", kit_other_fields, TA_ARRAY_SIZE(kit_other_fields)},
	{"sysctl", kit_sysctl_fields, TA_ARRAY_SIZE(kit_sysctl_fields)},
};

static const struct ta_fix_param kit_sysctl_params[] = {
	{"key", TA_T_STRING, true},
	{"value", TA_T_NONE, true},
	{"index", TA_T_INT, false},
};

static const struct ta_fix_param kit_channel_params[] = {
	{"ifname", TA_T_STRING, true},
	{"combined", TA_T_INT, false},
	{"rx", TA_T_INT, false},
};

static const struct ta_fix_sig kit_fixers[] = {
	{"sysctl.set", kit_sysctl_params, TA_ARRAY_SIZE(kit_sysctl_params), NULL},
	{"nic.channels", kit_channel_params, TA_ARRAY_SIZE(kit_channel_params), NULL},
};
