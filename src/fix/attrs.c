#include "fix/attrs.h"

#include <errno.h>
#include <string.h>

#include "base/cpuset.h"
#include "fix/step.h"
#include "host/change.h"

#define CPU "/sys/devices/system/cpu/"
#define NET "/sys/class/net/%i/"
#define QUEUE "/sys/block/%s/queue/"
#define THP "/sys/kernel/mm/transparent_hugepage/"
#define GOVERNOR "/scaling_governor"

/* --- what moves with what ---------------------------------------------------- */

/* khugepaged raises vm.min_free_kbytes when huge pages come on (mm/khugepaged.c: set_recommended_min_free_kbytes()). */
static int with_thp(struct ta_host *h, const char *path, struct ta_steps *ret)
{
	ta_steps_add(ret, &ta_knob_sysctl, "vm.min_free_kbytes", NULL);
	return ret->error;
}

/* `path` with its last component replaced, if there is such a file. */
static void add_sibling(struct ta_host *h, const char *path, const char *name, struct ta_steps *ret)
{
	ta_cleanup_buf struct ta_buf other = TA_BUF_INIT;

	ta_buf_add(&other, path, (size_t)(strrchr(path, '/') - path) + 1);
	ta_buf_adds(&other, name);
	if (!other.error && ta_host_exists(h, ta_buf_text(&other)))
		ta_steps_add(ret, &ta_knob_attr, ta_buf_text(&other), NULL);
	if (other.error)
		ret->error = other.error;
}

/* The governor "performance" takes the preference over (drivers/cpufreq/intel_pstate.c, amd-pstate.c). */
static int with_governor(struct ta_host *h, const char *path, struct ta_steps *ret)
{
	add_sibling(h, path, "energy_performance_preference", ret);
	return ret->error;
}

/*
 * A new scheduler starts with its own depth and tunables (block/blk-mq-sched.c: blk_mq_init_sched()), and bfq
 * switches writeback throttling off (block/bfq-iosched.c).
 */
static int with_scheduler(struct ta_host *h, const char *path, struct ta_steps *ret)
{
	ta_cleanup_buf struct ta_buf dir = TA_BUF_INIT;
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;

	add_sibling(h, path, "nr_requests", ret);
	add_sibling(h, path, "wbt_lat_usec", ret);
	ta_buf_add(&dir, path, (size_t)(strrchr(path, '/') - path));
	ta_buf_adds(&dir, "/iosched");
	if (dir.error || ta_host_list(h, ta_buf_text(&dir), &names) < 0)
		return dir.error ?: ret->error; /* "none" has no tunables */
	for (size_t i = 0; i < names.n; i++) {
		ta_cleanup_buf struct ta_buf name = TA_BUF_INIT;

		ta_buf_printf(&name, "iosched/%s", names.v[i]);
		add_sibling(h, path, ta_buf_text(&name), ret);
	}
	return ret->error;
}

/* --- interrupts ------------------------------------------------------------------ */

/* kernel/irq/proc.c: write_irq_affinity(), irq_select_affinity_usr() */
static const char *irq_error(int rc)
{
	switch (rc) {
	case -EIO:
	case -EPERM:
		return "the kernel places this interrupt itself (managed), and nobody else may";
	case -ENOSPC:
		return "no interrupt vector is free on these CPUs";
	case -EOVERFLOW:
		return "there is no such CPU";
	case -EINVAL:
		return "none of these CPUs is online";
	default:
		return NULL;
	}
}

#define IRQBALANCE_INTERVAL_S 10 /* its default */

static int irq_settle_s(struct ta_host *h)
{
	ta_cleanup_buf struct ta_buf answer = TA_BUF_INIT;

	int rc = ta_host_irqbalance(h, &answer);

	return rc == 0 || rc == -ETIMEDOUT ? IRQBALANCE_INTERVAL_S + 1 : 0;
}

static bool read_cpus(struct ta_host *h, const char *path, struct ta_cpuset *ret)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	return ta_host_read(h, path, TA_READ_CAP, &text) == 0 && text.len && ta_cpuset_parse_list(ret, ta_strip(text.data)) == 0;
}

/* Some controllers move an interrupt only when it fires next (IRQD_MOVE_PCNTXT not set: kernel/irq/migration.c). */
static void irq_remark(struct ta_host *h, const char *path, struct ta_buf *b)
{
	ta_cleanup_cpuset struct ta_cpuset wanted = TA_CPUSET_INIT, effective = TA_CPUSET_INIT;
	ta_cleanup_buf struct ta_buf other = TA_BUF_INIT;
	int cpu;

	ta_buf_printf(&other, "%.*seffective_affinity_list", (int)(strrchr(path, '/') - path) + 1, path);
	if (!read_cpus(h, path, &wanted) || !read_cpus(h, ta_buf_text(&other), &effective))
		return;
	cpu = ta_cpuset_next(&effective, 0);
	if (cpu >= 0 && !ta_cpuset_has(&wanted, (unsigned)cpu))
		ta_buf_printf(b, "it still interrupts CPU %d, and moves when it fires next", cpu);
}

/* --- the table ----------------------------------------------------------------- */

#define WORDS(text) .form = TA_ATTR_WORD, .words = (text)
#define NUMBER(from, to) .form = TA_ATTR_NUMBER, .min = (from), .max = (to)

const struct ta_attr ta_attrs[] = {
	{THP "enabled", TA_ORDER_REST, WORDS("always madvise never"), .coupled = with_thp},
	{THP "defrag", TA_ORDER_REST, WORDS("always defer defer+madvise madvise never"), .coupled = with_thp},
	{QUEUE "scheduler", TA_ORDER_REST, WORDS("none mq-deadline kyber bfq"), .coupled = with_scheduler},
	{QUEUE "nr_requests", TA_ORDER_REST, NUMBER(4, 65536)},
	{QUEUE "read_ahead_kb", TA_ORDER_REST, NUMBER(0, 1 << 20)},
	{QUEUE "wbt_lat_usec", TA_ORDER_REST, NUMBER(0, INT32_MAX), .found_only = true},
	{QUEUE "iosched/%w", TA_ORDER_REST, NUMBER(0, INT32_MAX), .found_only = true},
	/* "userspace" hands the clock to a program */
	{CPU "cpufreq/policy%n" GOVERNOR, TA_ORDER_REST, WORDS("performance schedutil ondemand conservative powersave"),
		.coupled = with_governor},
	{CPU "cpufreq/policy%n/energy_performance_preference", TA_ORDER_REST, NUMBER(0, 255),
		.words = "default performance balance_performance balance_power power"},
	{CPU "cpufreq/boost", TA_ORDER_REST, NUMBER(0, 1)},
	{CPU "intel_pstate/no_turbo", TA_ORDER_REST, NUMBER(0, 1)},
	{"/sys/devices/system/clocksource/clocksource0/current_clocksource", TA_ORDER_REST,
		WORDS("tsc kvm-clock arch_sys_counter hyperv_clocksource_tsc_page xen")},
	{"/sys/class/nvme/nvme%n/power/pm_qos_latency_tolerance_us", TA_ORDER_REST, NUMBER(0, 10000000), .words = "auto any"},
	{NET "queues/rx-%n/rps_cpus", TA_ORDER_STEERING, .form = TA_ATTR_MASK},
	{NET "queues/rx-%n/rps_flow_cnt", TA_ORDER_STEERING, NUMBER(0, 1 << 20)},
	{NET "queues/tx-%n/xps_cpus", TA_ORDER_STEERING, .form = TA_ATTR_MASK},
	{NET "queues/tx-%n/xps_rxqs", TA_ORDER_STEERING, .form = TA_ATTR_MASK, .found_only = true},
	{"/proc/irq/%n/smp_affinity_list", TA_ORDER_IRQ, .form = TA_ATTR_LIST, .error = irq_error, .settle_s = irq_settle_s,
		.remark = irq_remark},
};

const size_t ta_n_attrs = TA_ARRAY_SIZE(ta_attrs);

#define DIGITS "0123456789"
#define WORD_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

/* How many bytes of `s`, up to `len`, the placeholder `kind` takes; 0: none. */
static size_t take(char kind, const char *s, size_t len)
{
	if (kind == 'n')
		return TA_MIN(strspn(s, DIGITS), 10u);
	if (kind == 'w')
		return TA_MIN(strspn(s, WORD_CHARS), len);
	if ((kind == 'i' && len > 15) || len > 255 || (*s == '.' && (len == 1 || (len == 2 && s[1] == '.'))))
		return 0;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)s[i] <= ' ' || s[i] == 0x7f)
			return 0;
	return len;
}

static bool matches(const char *pattern, const char *path)
{
	while (*pattern) {
		size_t n;

		if (*pattern != '%') {
			if (*pattern++ != *path++)
				return false;
			continue;
		}
		n = take(pattern[1], path, strcspn(path, "/"));
		if (!n)
			return false;
		pattern += 2;
		path += n;
	}
	return !*path;
}

const struct ta_attr *ta_attr_find(const char *path)
{
	for (size_t i = 0; i < ta_n_attrs; i++)
		if (matches(ta_attrs[i].pattern, path))
			return &ta_attrs[i];
	return NULL;
}
