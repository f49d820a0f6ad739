/*
 * Where CPU time went since boot, and what the hypervisor took of it.
 */
#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "probe/probe.h"

static const struct ta_field fields[] = {
	{"cpu.time.user", TA_T_INT, "ticks", "user time of all CPUs, nice included (/proc/stat)", TA_F_VOLATILE, {}},
	{"cpu.time.system", TA_T_INT, "ticks", "kernel time without interrupts (/proc/stat)", TA_F_VOLATILE, {}},
	{"cpu.time.idle", TA_T_INT, "ticks", "idle time, waiting for disks included (/proc/stat)", TA_F_VOLATILE, {}},
	{"cpu.time.irq", TA_T_INT, "ticks", "time in hard interrupts (/proc/stat)", TA_F_VOLATILE, {}},
	{"cpu.time.softirq", TA_T_INT, "ticks", "time in soft interrupts (/proc/stat)", TA_F_VOLATILE, {}},
	{"cpu.time.steal", TA_T_INT, "ticks", "time in which the hypervisor ran something else (/proc/stat)",
		TA_F_VOLATILE, {}},
	{"cpu.time.steal_percent", TA_T_REAL, "%", "steal of all time since boot", TA_F_VOLATILE, {}},
};

enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, COLUMNS };

static int first_line(const char *line, size_t len, void *ctx)
{
	uint64_t *v = ctx;

	if (strncmp(line, "cpu ", 4))
		return -EBADMSG;
	line += 4;
	for (int i = 0; i < COLUMNS; i++)
		if (ta_next_u64(&line, &v[i]))
			v[i] = 0; /* old kernels have fewer columns */
	return -ECANCELED;
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	uint64_t v[COLUMNS] = {0};
	double all = 0;
	int rc = ta_host_lines(h, "/proc/stat", first_line, v);

	if (rc != -ECANCELED) {
		ta_put_errno(f, rc ? rc : -EBADMSG, "/proc/stat", "cpu", "time");
		return;
	}
	for (int i = 0; i < COLUMNS; i++)
		all += (double)v[i];
	ta_put_u64(f, v[USER] + v[NICE], "cpu", "time", "user");
	ta_put_u64(f, v[SYSTEM], "cpu", "time", "system");
	ta_put_u64(f, v[IDLE] + v[IOWAIT], "cpu", "time", "idle");
	ta_put_u64(f, v[IRQ], "cpu", "time", "irq");
	ta_put_u64(f, v[SOFTIRQ], "cpu", "time", "softirq");
	ta_put_u64(f, v[STEAL], "cpu", "time", "steal");
	/* Tenths are what one can say of a counter of ticks. */
	ta_put_real(f, all > 0 ? (double)(int)((double)v[STEAL] / all * 1000) / 10 : 0, "cpu", "time", "steal_percent");
}

const struct ta_probe ta_probe_cputime = {
	.name = "cputime",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
