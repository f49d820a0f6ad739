/*
 * What tells the time, and what asking it costs. A service that stamps every
 * event asks thousands of times a second: 25 ns through the vDSO, a microsecond
 * and more where the clock source needs a system call or a device.
 */
#include <errno.h>
#include <time.h>

#include "base/num.h"
#include "probe/probe.h"

#define CLOCK_DIR "/sys/devices/system/clocksource/clocksource0"
#define BATCH 64
#define BATCHES 20
#define BATCHES_LEAST 4 /* one may be interrupted for as long as the budget, which says nothing of the clock */
#define BUDGET_NS 500000 /* a check must not stand still where a read takes microseconds */

static const struct ta_field fields[] = {
	{"kernel.clocksource.current", TA_T_STRING, "", "clock source in use (current_clocksource)", 0, {}},
	{"kernel.clocksource.available", TA_T_STRINGS, "", "clock sources to choose from (available_clocksource)", TA_F_SYSTEM, {}},
	{"kernel.clocksource.read_ns", TA_T_INT, "ns",
		"one clock_gettime(CLOCK_MONOTONIC), the best of some batches, measured here", TA_F_VOLATILE, {}},
};

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int call_clock(void *arg, struct ta_buf *ret)
{
	int64_t best = INT64_MAX, start = now_ns();

	for (int i = 0; i < BATCHES && (i < BATCHES_LEAST || now_ns() - start < BUDGET_NS); i++) {
		int64_t from = now_ns(), took;

		for (int k = 1; k < BATCH; k++)
			(void)now_ns();
		took = now_ns() - from;
		best = TA_MIN(best, took / BATCH);
	}
	ta_buf_printf(ret, "%lld", (long long)best);
	return ret->error;
}

static void put_cost(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int64_t ns;
	int rc = ta_host_call(h, "clock_gettime", call_clock, NULL, &text);

	if (!rc)
		rc = ta_parse_i64(ta_buf_text(&text), &ns);
	if (rc)
		ta_put_errno(f, rc, "measuring clock_gettime", "kernel", "clocksource", "read_ns");
	else
		ta_put_i64(f, ns, "kernel", "clocksource", "read_ns");
}

static void put_available(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;
	int rc = ta_host_read(h, CLOCK_DIR "/available_clocksource", TA_READ_CAP, &text);

	if (rc) {
		ta_put_errno(f, rc, CLOCK_DIR "/available_clocksource", "kernel", "clocksource", "available");
		return;
	}
	ta_strv_split(&words, ta_buf_text(&text), " \n");
	ta_facts_put_strs(f, TA_KEYS("kernel", "clocksource", "available"), words.v, words.n);
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	ta_read_str(h, f, CLOCK_DIR "/current_clocksource", TA_KEYS("kernel", "clocksource", "current"));
	put_available(h, f);
	put_cost(h, f);
}

const struct ta_probe ta_probe_clocksource = {
	.name = "clocksource",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
