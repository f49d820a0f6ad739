/*
 * How the kernel was built, where a distribution leaves its configuration
 * beside it: options that cost speed on every packet, and the timer's rate.
 */
#include <errno.h>
#include <string.h>

#include "probe/probe.h"
#include "probe/version.h"

static const struct ta_field fields[] = {
	{"kernel.config.*", TA_T_STRING, "",
		"y, m, n or the value of an option that matters here (/boot/config-RELEASE, /lib/modules/RELEASE/config)",
		0, {}},
};

static const char *const options[] = {
	"HZ", "NO_HZ_FULL", "PREEMPT", "PREEMPT_DYNAMIC", "PREEMPT_LAZY", "PREEMPT_NONE", "PREEMPT_RT",
	"PREEMPT_VOLUNTARY", "DEBUG_KMEMLEAK", "DEBUG_LOCK_ALLOC", "DEBUG_PAGEALLOC", "KASAN", "KCSAN", "KFENCE",
	"PROVE_LOCKING", "SLUB_DEBUG_ON", "NUMA", "NUMA_BALANCING", "SCHED_SMT", "TRANSPARENT_HUGEPAGE", "CPU_FREQ",
	"CPU_ISOLATION", "RPS", "XPS", "BQL", "NET_RX_BUSY_POLL", "IO_URING", "EPOLL", "TLS", "TCP_CONG_BBR",
	"NET_SCH_FQ", "NET_SCH_FQ_CODEL", "NET_SCH_CAKE", "PSI",
};

/* The option named in `line` from `at` on, up to a byte of `ends`. */
static const char *option_at(const char *at, const char *ends)
{
	size_t len = strcspn(at, ends);

	for (size_t i = 0; i < TA_ARRAY_SIZE(options); i++)
		if (strlen(options[i]) == len && !memcmp(options[i], at, len))
			return options[i];
	return NULL;
}

/* "CONFIG_HZ=250", "# CONFIG_KASAN is not set" */
static int on_line(const char *line, size_t len, void *ctx)
{
	const char *name;

	if (!strncmp(line, "CONFIG_", 7) && strchr(line, '=')) {
		name = option_at(line + 7, "=");
		if (name)
			ta_put_str((struct ta_facts *)ctx, strchr(line, '=') + 1, "kernel", "config", name);
	} else if (!strncmp(line, "# CONFIG_", 9) && strstr(line, " is not set")) {
		name = option_at(line + 9, " ");
		if (name)
			ta_put_str((struct ta_facts *)ctx, "n", "kernel", "config", name);
	}
	return 0;
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	static const char *const places[] = {"/boot/config-%s", "/lib/modules/%s/config", "/usr/lib/modules/%s/config"};
	ta_cleanup_buf struct ta_buf release = TA_BUF_INIT;
	char path[512];
	int rc = ta_kernel_release(h, &release), first = 0;

	ta_put_object(f, "kernel", "config");
	if (!rc && (strchr(ta_buf_text(&release), '/') || !release.len))
		rc = -EBADMSG;
	for (size_t i = 0; !rc && i < TA_ARRAY_SIZE(places); i++) {
		size_t at = strcspn(places[i], "%");

		ta_fmt(&path, "%.*s%s%s", (int)at, places[i], ta_buf_text(&release), places[i] + at + 2);
		rc = ta_host_lines(h, path, on_line, f);
		if (!rc)
			return;
		first = first ? first : rc;
		rc = rc == -ENOENT ? 0 : rc;
	}
	rc = rc ? rc : first;
	ta_fmt(&path, "/boot/config-%s", ta_buf_text(&release));
	if (rc == -ENOENT && ta_host_exists(h, "/proc/config.gz"))
		ta_facts_put_absent(f, TA_KEYS("kernel", "config"), TA_UNSUPPORTED,
			"only /proc/config.gz is there, and it is compressed");
	else
		ta_put_errno(f, rc, path, "kernel", "config");
}

const struct ta_probe ta_probe_kconfig = {
	.name = "kconfig",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
