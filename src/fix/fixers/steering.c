/*
 * rps.set(ifname): receive work of an interface with one queue shared out to other CPUs in software.
 * xps.set(ifname): a transmit queue for each CPU.
 * rfs.set(ifname, entries): each flow to the CPU where its reader runs; `entries` of the host, shared by the queues. All as Documentation/networking/scaling.rst advises.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fix/describe.h"

static const struct ta_fix_param params[] = {{"ifname", TA_T_STRING, true}};
static const struct ta_fix_param rfs_params[] = {{"ifname", TA_T_STRING, true}, {"entries", TA_T_INT, false}};

static const char *const reads[] = {"irqs.*.device", "nics.*.queues", "nics.*.bus", "nics.*.numa_node", "numa.*.cpus",
	"cpu.online_list", "cpu.core_of", "cpu.isolated", "cpu.fast_cpus", NULL};

static const struct ta_fix_sig sigs[] = {
	{"rps.set", params, TA_ARRAY_SIZE(params), reads},
	{"xps.set", params, TA_ARRAY_SIZE(params), reads},
	{"rfs.set", rfs_params, TA_ARRAY_SIZE(rfs_params), reads},
};

/* The CPU that takes the interrupts of the interface, -1 if that is not known. */
static int64_t interrupt_cpu(const struct ta_facts *facts, const char *ifname)
{
	struct json_object *irqs = ta_facts_at(facts, TA_KEYS("irqs"));
	int64_t cpu = -1;

	if (!json_object_is_type(irqs, json_type_object))
		return -1;
	json_object_object_foreach(irqs, number, irq)
	{
		struct json_object *device, *cpus;

		(void)number;
		if (json_object_object_get_ex(irq, "device", &device) &&
			!strcmp(json_object_get_string(device), ifname) &&
			json_object_object_get_ex(irq, "effective", &cpus) &&
			json_object_is_type(cpus, json_type_array) && json_object_array_length(cpus) == 1)
			ta_fix_json_i64(json_object_array_get_idx(cpus, 0), &cpu);
	}
	return cpu;
}

static void set_queue(struct ta_steps *ret, const char *ifname, const char *attr, const struct ta_cpuset *cpus)
{
	ta_cleanup_buf struct ta_buf file = TA_BUF_INIT, mask = TA_BUF_INIT;

	ta_cpuset_format_mask(cpus, &mask);
	ta_buf_printf(&file, "/sys/class/net/%s/%s", ifname, attr);
	ta_steps_add(ret, &ta_knob_attr, ta_buf_text(&file), ta_buf_text(&mask));
	if (file.error || mask.error)
		ret->error = -ENOMEM;
}

/* All near CPUs but the one that is interrupted; with two both, as the other one alone would gain little. */
static void rps(struct ta_steps *ret, const struct ta_facts *facts, const char *ifname, int64_t queues,
	const unsigned *cpus, size_t n)
{
	ta_cleanup_cpuset struct ta_cpuset set = TA_CPUSET_INIT;
	int64_t busy = queues == 1 && n > 2 ? interrupt_cpu(facts, ifname) : -1;
	char attr[40];

	for (size_t i = 0; i < n; i++)
		if (cpus[i] != busy)
			ta_cpuset_add(&set, cpus[i]);
	for (int64_t q = 0; q < queues; q++) {
		snprintf(attr, sizeof(attr), "queues/rx-%lld/rps_cpus", (long long)q);
		set_queue(ret, ifname, attr, &set);
	}
}

static void xps(struct ta_steps *ret, const char *ifname, int64_t queues, const unsigned *cpus, size_t n)
{
	char attr[40];

	for (int64_t q = 0; q < queues; q++) {
		ta_cleanup_cpuset struct ta_cpuset set = TA_CPUSET_INIT;

		for (size_t i = (size_t)q; i < n; i += (size_t)queues)
			ta_cpuset_add(&set, cpus[i]);
		snprintf(attr, sizeof(attr), "queues/tx-%lld/xps_cpus", (long long)q);
		set_queue(ret, ifname, attr, &set);
	}
}

/* Flows are looked up in one table of the host and one for each queue, whose sizes together are the first one's. */
static int rfs(const struct ta_fix_call *call, struct ta_steps *ret, const char *ifname, int64_t queues, struct ta_err *err)
{
	int64_t entries = 32768;
	int rc = ta_fix_arg_i64_opt(call, "entries", 256, 1 << 20, &entries, err);
	char text[24], path[80];

	if (rc < 0)
		return rc;
	snprintf(text, sizeof(text), "%lld", (long long)entries);
	ta_steps_add(ret, &ta_knob_sysctl, "net.core.rps_sock_flow_entries", text);
	snprintf(text, sizeof(text), "%lld", (long long)TA_MAX(entries / queues, (int64_t)16));
	for (int64_t q = 0; q < queues; q++) {
		snprintf(path, sizeof(path), "/sys/class/net/%.16s/queues/rx-%lld/rps_flow_cnt", ifname, (long long)q);
		ta_steps_add(ret, &ta_knob_attr, path, text);
	}
	return ret->error;
}

static int on_cpus(const struct ta_fix_call *call, const struct ta_facts *facts, const char *ifname, int64_t queues,
	struct ta_steps *ret, struct ta_err *err)
{
	unsigned *cpus;
	size_t n;
	int rc = ta_fix_nic_cpus(facts, ifname, &cpus, &n, err);

	if (rc < 0)
		return rc;
	if (n < 2)
		rc = ta_err_set(err, -EINVAL, "%s: one CPU has nobody to share with", call->fixer);
	else if (call->fixer[0] == 'r')
		rps(ret, facts, ifname, queues, cpus, n);
	else
		xps(ret, ifname, queues, cpus, n);
	free(cpus);
	return rc < 0 ? rc : ret->error;
}

static int steps(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_steps *ret, struct ta_err *err)
{
	const char *ifname, *side = call->fixer[0] == 'r' ? "rx" : "tx";
	int64_t queues;
	int rc = ta_fix_arg_name(call, "ifname", &ifname, err);

	if (rc < 0)
		return rc;
	if (!ta_facts_get_i64(facts, TA_KEYS("nics", ifname, "queues", side), &queues) || queues < 1 || queues > 4096)
		return ta_err_set(err, -EINVAL, "%s: the queues of %s are not known", call->fixer, ifname);
	if (!strcmp(call->fixer, "rfs.set"))
		return rfs(call, ret, ifname, queues, err);
	return on_cpus(call, facts, ifname, queues, ret, err);
}

static int describe(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_fix_text *ret,
	struct ta_err *err)
{
	ta_cleanup_steps struct ta_steps list = TA_STEPS_INIT;
	int rc = steps(call, facts, &list, err);

	if (rc < 0)
		return rc;
	ta_steps_commands(&list, &ret->command);
	ta_fix_keep_steps(ret, &list, facts);
	return 0;
}

const struct ta_fixer ta_fixer_steering = {
	.sigs = sigs,
	.n_sigs = TA_ARRAY_SIZE(sigs),
	.disruption = TA_DISRUPT_NONE,
	.steps = steps,
	.describe = describe,
};
