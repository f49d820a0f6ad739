/*
 * floor: what this machine gives at best, layer by layer, in a few seconds. A layer that cannot be measured says why; the others
 * are measured all the same.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "load/floor.h"
#include "load/stage.h"

#define PART_NS (700 * TA_NS_PER_MS)

static double us(uint64_t ns)
{
	return (double)ns / 1e3;
}

static void add_row(struct ta_load_table *t, const char *what, const struct ta_hist *h)
{
	ta_load_table_text(t, what);
	ta_load_table_number(t, us(ta_hist_percentile(h, 50)), 1);
	ta_load_table_number(t, us(ta_hist_percentile(h, 99)), 1);
	ta_load_table_number(t, us(ta_hist_percentile(h, 99.9)), 1);
	ta_load_table_number(t, us(h->max), 1);
}

static void add_bandwidth(struct ta_figures *f, const char *key, const char *label, double per_second)
{
	ta_figures_number(f, key, label, per_second, "%.2f GB/s", per_second / 1e9);
}

static void add_missing(struct ta_figures *f, const char *key, const char *label, const struct ta_err *err)
{
	ta_figures_text(f, key, label, "not measured: %s", err->text);
}

static void add_memory(struct ta_stage *s)
{
	struct ta_figures *f = &s->result->figures;
	struct ta_floor_memory one, all;
	struct ta_err err;
	unsigned cpus = ta_stage_cpus();
	struct ta_load_table *t;

	if (ta_floor_memory(s->host, 1, PART_NS / 2, &one, &err) < 0) {
		add_missing(f, "memory_missing", "Memory", &err);
		return;
	}
	t = ta_figures_table(f, "memory", "Memory bandwidth, beyond the caches (bytes copied, read, written)",
		"CPUs|copy GB/s|read GB/s|write GB/s");
	ta_load_table_number(t, 1, 0);
	ta_load_table_number(t, one.copy / 1e9, 2);
	ta_load_table_number(t, one.read / 1e9, 2);
	ta_load_table_number(t, one.write / 1e9, 2);
	if (cpus < 2 || ta_floor_memory(s->host, cpus, PART_NS / 2, &all, &err) < 0)
		return;
	ta_load_table_number(t, cpus, 0);
	ta_load_table_number(t, all.copy / 1e9, 2);
	ta_load_table_number(t, all.read / 1e9, 2);
	ta_load_table_number(t, all.write / 1e9, 2);
}

static void add_disk(struct ta_stage *s)
{
	struct ta_figures *f = &s->result->figures;
	struct ta_floor_disk d;
	struct ta_err err;

	if (ta_floor_disk(s->host, s->o->dir, 2 * PART_NS, s->o->stop, &d, &err) < 0) {
		add_missing(f, "disk_missing", "Disk, sequential read", &err);
		return;
	}
	ta_figures_text(f, "disk", "Disk", "%s, %s, under %s; a file of %llu MiB of our own",
		d.device[0] ? d.device : "a device that the file system does not name", d.kind, d.dir,
		(unsigned long long)(d.bytes >> 20));
	ta_figures_text(f, "disk_device", NULL, "%s", d.device);
	ta_figures_text(f, "disk_file_system", NULL, "%s", d.kind);
	ta_figures_number(f, "disk_file_bytes", NULL, (double)d.bytes, "%.0f", (double)d.bytes);
	if (d.direct > 0)
		ta_figures_number(f, "disk_direct_bytes_per_second", "  past the page cache", d.direct, "%.0f MB/s (O_DIRECT)",
			d.direct / 1e6);
	else
		ta_figures_text(f, "disk_direct", "  past the page cache", "not measured: the file system has no O_DIRECT");
	if (d.cold > 0)
		ta_figures_number(f, "disk_cold_bytes_per_second", "  cold, read ahead", d.cold, "%.0f MB/s", d.cold / 1e6);
	else
		ta_figures_text(f, "disk_cold", "  cold, read ahead", "not measured: its pages would not leave memory");
}

static void add_clock(struct ta_stage *s)
{
	struct ta_figures *f = &s->result->figures;
	struct ta_floor_clock c;

	ta_floor_clock(s->host, &c, NULL);
	ta_figures_number(f, "clock_read_ns", "Reading the clock", c.read_ns, "%.0f ns (%s, %s; as a system call %.0f ns)", c.read_ns,
		c.source[0] ? c.source : "clock source not known", c.vdso ? "vDSO" : "a system call each time", c.call_ns);
	ta_figures_text(f, "clock_source", NULL, "%s", c.source);
	ta_figures_text(f, "clock_by", NULL, "%s", c.vdso ? "vdso" : "system-call");
	ta_figures_number(f, "clock_call_ns", NULL, c.call_ns, "%.0f", c.call_ns);
}

static void add_cpu(struct ta_stage *s)
{
	struct ta_figures *f = &s->result->figures;
	struct ta_floor_cpu c = {0};
	struct ta_err err;

	if (ta_floor_cpu(PART_NS / 7, &c, &err) < 0) {
		add_missing(f, "cpu_missing", "System call, switch", &err);
		return;
	}
	ta_figures_number(f, "syscall_ns", "System call", c.syscall_ns, "%.0f ns (getppid, the least one costs)", c.syscall_ns);
	ta_figures_number(f, "context_switch_ns", "Context switch", c.switch_ns, "%.0f ns (two threads on one CPU, by futex)",
		c.switch_ns);
}

/* What has percentiles: waking, and a round trip, which is two wake-ups and TCP. */
static void add_latencies(struct ta_stage *s, const struct ta_floor_loopback *l, struct ta_floor_wake *w)
{
	struct ta_figures *f = &s->result->figures;
	struct ta_load_table *t;
	struct ta_err err;

	if (ta_floor_wake(PART_NS * 2 / 3, w, &err) < 0) {
		add_missing(f, "wake_missing", "Wake-up", &err);
		w = NULL;
	}
	t = ta_figures_table(f, "latencies", "Latencies, us", "what|p50|p99|p99.9|max");
	if (w) {
		add_row(t, w->two_cpus ? "wake a thread on another CPU, futex" : "wake a thread, one CPU, futex", &w->futex);
		add_row(t, w->two_cpus ? "wake a thread on another CPU, eventfd" : "wake a thread, one CPU, eventfd", &w->eventfd);
		add_row(t, "run late after a sleep (timer)", &w->timer);
	}
	if (l)
		add_row(t, "TCP over loopback, a byte and back", &l->round_trip);
}

static int measure(struct ta_stage *s, struct ta_floor_loopback *l, struct ta_floor_wake *w)
{
	struct ta_figures *f = &s->result->figures;
	struct ta_err err;
	bool has_loopback = ta_floor_loopback(PART_NS, l, &err) == 0;

	if (has_loopback)
		add_bandwidth(f, "loopback_bytes_per_second", "TCP over loopback", l->bytes_per_second);
	else
		add_missing(f, "loopback_missing", "TCP over loopback", &err);
	if (!ta_stage_stopped(s))
		add_disk(s);
	add_clock(s);
	add_cpu(s);
	if (!ta_stage_stopped(s))
		add_memory(s);
	if (!ta_stage_stopped(s))
		add_latencies(s, has_loopback ? l : NULL, w);
	s->result->interrupted = ta_stage_stopped(s);
	return 0;
}

static int run(struct ta_stage *s, struct ta_err *err)
{
	struct ta_load_result *r = s->result;
	struct ta_floor_loopback *l = calloc(1, sizeof(*l));
	struct ta_floor_wake *w = calloc(1, sizeof(*w));
	int rc = 0;

	r->workload = "floor";
	r->path = "loopback";
	r->threads = ta_stage_cpus();
	r->pipeline = 1;
	snprintf(r->target, sizeof(r->target), "this machine");
	r->before = calloc(1, sizeof(*r->before));
	r->after = calloc(1, sizeof(*r->after));
	if (!l || !w || !r->before || !r->after)
		rc = -ENOMEM;
	else if (s->o->target)
		rc = ta_err_set(err, -EINVAL, "floor takes no address: it measures this machine");
	if (rc == 0) {
		ta_watch_read(s->host, r->before);
		rc = measure(s, l, w);
		ta_watch_read(s->host, r->after);
	}
	free(l);
	free(w);
	return rc;
}

const struct ta_workload ta_workload_floor = {
	.name = "floor",
	.summary = "what this machine gives at best: loopback, memory, disk, clock, wake-ups",
	.run = run,
};
