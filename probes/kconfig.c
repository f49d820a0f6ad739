/*
 * How the kernel was built: options that cost speed on every packet, and the
 * timer's rate. Distributions leave the configuration beside the kernel; where
 * they do not, it may have a packed copy in itself (CONFIG_IKCONFIG_PROC).
 */
#include <errno.h>
#include <string.h>

#include "probe/gunzip.h"
#include "probe/probe.h"
#include "probe/version.h"

static const struct ta_field fields[] = {
	{"kernel.config.*", TA_T_STRING, "",
		"y, m, n or the value of an option that matters here (/boot/config-RELEASE, /lib/modules/RELEASE/config, /proc/config.gz)",
		TA_F_SYSTEM, {}},
};

#define PACKED "/proc/config.gz"
#define UNPACKED_MAX (4u << 20)

/* In the order of their bytes: looked up by halves, since a kernel has thousands of options. */
static const char *const options[] = {
	"BQL", "CPU_FREQ", "CPU_ISOLATION", "DEBUG_KMEMLEAK", "DEBUG_LOCK_ALLOC", "DEBUG_PAGEALLOC",
	"EPOLL", "HZ", "IO_URING", "KASAN", "KCSAN", "KFENCE", "NET_RX_BUSY_POLL", "NET_SCH_CAKE",
	"NET_SCH_FQ", "NET_SCH_FQ_CODEL", "NO_HZ_FULL", "NUMA", "NUMA_BALANCING", "PER_VMA_LOCK", "PREEMPT",
	"PREEMPT_DYNAMIC", "PREEMPT_LAZY", "PREEMPT_NONE", "PREEMPT_RT", "PREEMPT_VOLUNTARY",
	"PROVE_LOCKING", "PSI", "RFS_ACCEL", "RPS", "SCHED_SMT", "SLUB_DEBUG_ON", "TCP_CONG_BBR", "TLS",
	"TRANSPARENT_HUGEPAGE", "TRANSPARENT_HUGEPAGE_ALWAYS", "TRANSPARENT_HUGEPAGE_MADVISE",
	"TRANSPARENT_HUGEPAGE_NEVER", "XPS",
};

/* What two characters make of 1024 bits; most lines end here. */
static unsigned two(const char *name)
{
	return ((unsigned)(unsigned char)name[0] * 37 + (unsigned char)name[1]) % 1024;
}

static bool may_be_option(const char *name)
{
	static uint8_t known[1024];

	if (!known[two(options[0])])
		for (size_t i = 0; i < TA_ARRAY_SIZE(options); i++)
			known[two(options[i])] = 1;
	return *name && known[two(name)];
}

/* The option named in a line from `at` on, up to the byte `end`. */
static const char *option_at(const char *at, char end)
{
	size_t low = 0, high = TA_ARRAY_SIZE(options), len;

	if (!may_be_option(at))
		return NULL;
	for (len = 0; at[len] && at[len] != end; len++)
		;
	while (low < high) {
		size_t mid = (low + high) / 2;
		int c = strncmp(at, options[mid], len);

		if (!c && !options[mid][len])
			return options[mid];
		if (c > 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/* "CONFIG_HZ=250", "# CONFIG_KASAN is not set" */
static int on_line(const char *line, size_t len, void *ctx) /* `len` is not looked at */
{
	struct ta_facts *f = ctx;
	const char *name;

	if (*line == 'C' && !strncmp(line, "CONFIG_", 7)) {
		name = option_at(line + 7, '=');
		if (name && line[7 + strlen(name)] == '=')
			ta_put_str(f, line + 8 + strlen(name), "kernel", "config", name);
	} else if (*line == '#' && !strncmp(line, "# CONFIG_", 9)) {
		name = option_at(line + 9, ' ');
		if (name && !strcmp(line + 9 + strlen(name), " is not set"))
			ta_put_str(f, "n", "kernel", "config", name);
	}
	return 0;
}

/* The copy that the kernel carries, line by line. */
static int read_packed(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_buf struct ta_buf packed = TA_BUF_INIT, text = TA_BUF_INIT;
	int rc = ta_host_read(h, PACKED, TA_READ_CAP, &packed);

	if (!rc)
		rc = ta_gunzip(ta_buf_text(&packed), packed.len, UNPACKED_MAX, &text);
	if (!rc && (memchr(ta_buf_text(&text), '\0', text.len) || !strstr(ta_buf_text(&text), "CONFIG_")))
		rc = -EBADMSG;
	for (char *line = text.data, *next; !rc && line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		on_line(line, 0, f);
	}
	return rc;
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	static const char *const places[] = {"/boot/config-%s", "/lib/modules/%s/config", "/usr/lib/modules/%s/config"};
	ta_cleanup_buf struct ta_buf release = TA_BUF_INIT;
	char path[512];
	int rc = ta_kernel_release(h, &release), first = 0, packed;

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
	ta_fmt(&path, "/boot/config-%s", ta_buf_text(&release));
	packed = read_packed(h, f);
	if (!packed)
		return;
	if (packed == -ENOENT || packed == -ENODATA)
		ta_put_errno(f, rc ? rc : first, path, "kernel", "config");
	else
		ta_put_errno(f, packed, PACKED, "kernel", "config");
}

const struct ta_probe ta_probe_kconfig = {
	.name = "kconfig",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
