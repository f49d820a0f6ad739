/*
 * The kernel: which one, how it was started, what was done to it.
 *
 * Versions are for people to read; what the kernel can do is tried by the
 * probe of features.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "probe/cpuinfo.h"
#include "probe/kcmdline.h"
#include "probe/lscpu.h"
#include "probe/probe.h"
#include "probe/version.h"

#define PREEMPT_FILE "/sys/kernel/debug/sched/preempt"

static const struct ta_field fields[] = {
	{"kernel.release", TA_T_STRING, "", "as uname -r (/proc/sys/kernel/osrelease)", TA_F_SYSTEM, {}},
	{"kernel.version", TA_T_INTS, "", "major, minor, patch of the release", TA_F_SYSTEM | TA_F_AGAIN, {}},
	{"kernel.arch", TA_T_STRING, "", "as uname -m (/proc/sys/kernel/arch, uname, /proc/cpuinfo)", TA_F_SYSTEM, {}},
	{"kernel.build", TA_T_STRING, "", "as uname -v (/proc/sys/kernel/version)", TA_F_SYSTEM, {}},
	{"kernel.preemption", TA_T_STRING, "",
		"none, voluntary, full, lazy, rt; none-or-voluntary where the build does not tell the two apart", 0, {}},
	{"kernel.tainted", TA_T_INT, "", "bit mask of what taints it (/proc/sys/kernel/tainted)", TA_F_AGAIN, {}},
	{"kernel.cmdline.*", TA_T_STRING, "",
		"parameters it was started with that matter here (/proc/cmdline); empty for those without value", TA_F_WRITTEN, {}},
	{"kernel.sched_ext", TA_T_STRING, "", "BPF scheduler: disabled, enabled … (/sys/kernel/sched_ext/state)", 0, {}},
};

static int call_uname(void *arg, struct ta_buf *ret)
{
	struct utsname u;

	if (uname(&u) < 0)
		return -errno;
	ta_buf_adds(ret, u.machine);
	return ret->error;
}

/* "6.1.172-216.329.amzn2023.aarch64": some distributions end the release with it. */
static const char *arch_of_release(const char *release)
{
	static const char *const known[] = {"x86_64", "aarch64", "ppc64le", "s390x", "riscv64", "i686", "loongarch64"};
	const char *dot = strrchr(release, '.');

	for (size_t i = 0; dot && i < TA_ARRAY_SIZE(known); i++)
		if (!strcmp(dot + 1, known[i]))
			return known[i];
	return NULL;
}

static void put_arch(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	ta_cleanup_cpuinfo struct ta_cpuinfo ci = TA_CPUINFO_INIT;
	const char *arch = NULL;
	struct ta_lscpu l;
	int rc = ta_host_read(h, "/proc/sys/kernel/arch", TA_READ_CAP, &text);

	if (rc)
		rc = ta_host_call(h, "uname", call_uname, NULL, &text);
	ta_buf_rtrim(&text);
	if (!rc && text.len)
		arch = ta_buf_text(&text);
	if (!arch && ta_lscpu_read(h, &l) && *l.arch)
		arch = l.arch;
	if (!arch && ta_kernel_release(h, &text) == 0)
		arch = arch_of_release(ta_buf_text(&text));
	if (!arch && ta_cpuinfo_read(h, true, &ci) == 0)
		arch = ci.arch;
	if (arch)
		ta_put_str(f, arch, "kernel", "arch");
	else
		ta_facts_put_absent(f, TA_KEYS("kernel", "arch"), TA_MISSING,
			"neither uname, the release nor /proc/cpuinfo tells it");
}

static void put_release(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int64_t v[3];
	int rc = ta_kernel_release(h, &text);

	if (rc) {
		ta_put_errno(f, rc, "/proc/sys/kernel/osrelease", "kernel", "release");
		ta_put_errno(f, rc, "/proc/sys/kernel/osrelease", "kernel", "version");
		return;
	}
	ta_put_str(f, ta_buf_text(&text), "kernel", "release");
	if (ta_version_parse(ta_buf_text(&text), v) == 0)
		ta_facts_put_ints(f, TA_KEYS("kernel", "version"), v, 3);
	else
		ta_facts_put_absent(f, TA_KEYS("kernel", "version"), TA_MALFORMED, "release \"%.60s\"",
			ta_buf_text(&text));
}

/* "#1 SMP PREEMPT_DYNAMIC Debian 6.1.55-1 (2023-09-29)", from its own file or behind the rest of /proc/version. */
static int read_build(struct ta_host *h, struct ta_buf *ret)
{
	int rc = ta_host_read(h, "/proc/sys/kernel/version", TA_READ_CAP, ret);
	const char *hash;

	if (rc) {
		if (ta_host_read(h, "/proc/version", TA_READ_CAP, ret))
			return rc;
		hash = strchr(ta_buf_text(ret), '#');
		if (!hash)
			return rc;
		ret->len = strlen(hash);
		memmove(ret->data, hash, ret->len + 1);
	}
	ta_buf_rtrim(ret);
	return 0;
}

static bool build_says(const char *build, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = build; (p = strstr(p, word)); p += len)
		if (p > build && p[-1] == ' ' && (!p[len] || p[len] == ' '))
			return true;
	return false;
}

/* "none voluntary (full) lazy" */
static int put_dynamic(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	char *open, *close;
	int rc = ta_host_read(h, PREEMPT_FILE, TA_READ_CAP, &text);

	if (rc)
		return rc;
	open = strchr(ta_buf_text(&text), '(');
	close = open ? strchr(open, ')') : NULL;
	if (!close)
		return -EBADMSG;
	*close = '\0';
	ta_put_str(f, open + 1, "kernel", "preemption");
	return 0;
}

/* init/Makefile and kernel/sched/core.c: what the build line says, and what a dynamic kernel runs with. */
static void put_preemption(struct ta_host *h, struct ta_facts *f, const char *build)
{
	const char *chosen = ta_facts_get_str(f, TA_KEYS("kernel", "cmdline", "preempt"));

	if (build_says(build, "PREEMPT_RT") || build_says(build, "PREEMPT RT")) {
		ta_put_str(f, "rt", "kernel", "preemption");
	} else if (build_says(build, "PREEMPT_DYNAMIC") || build_says(build, "PREEMPT(DYNAMIC)")) {
		int rc = put_dynamic(h, f);

		if (rc && chosen && *chosen)
			ta_put_str(f, chosen, "kernel", "preemption");
		else if (rc)
			ta_facts_put_absent(f, TA_KEYS("kernel", "preemption"), ta_reason_of(rc),
				"chosen at boot, and " PREEMPT_FILE ", which tells, could not be read");
	} else if (build_says(build, "PREEMPT_LAZY")) {
		ta_put_str(f, "lazy", "kernel", "preemption");
	} else if (build_says(build, "PREEMPT")) {
		ta_put_str(f, "full", "kernel", "preemption");
	} else {
		ta_put_str(f, "none-or-voluntary", "kernel", "preemption");
	}
}

static void put_build(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = read_build(h, &text);

	if (rc) {
		ta_put_errno(f, rc, "/proc/sys/kernel/version", "kernel", "build");
		ta_put_errno(f, rc, "/proc/sys/kernel/version", "kernel", "preemption");
		return;
	}
	ta_put_str(f, ta_buf_text(&text), "kernel", "build");
	put_preemption(h, f, ta_buf_text(&text));
}

static int put_word(const char *key, const char *value, void *ctx)
{
	ta_put_str((struct ta_facts *)ctx, value, "kernel", "cmdline", key);
	return 0;
}

static void put_cmdline(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = ta_host_read(h, "/proc/cmdline", TA_READ_CAP, &text);

	if (rc) {
		ta_put_errno(f, rc, "/proc/cmdline", "kernel", "cmdline");
		return;
	}
	ta_put_object(f, "kernel", "cmdline");
	ta_kcmdline_parse(ta_buf_text(&text), text.len, put_word, f);
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	put_release(h, f);
	put_arch(h, f);
	put_cmdline(h, f);
	put_build(h, f);
	ta_read_int(h, f, "/proc/sys/kernel/tainted", TA_KEYS("kernel", "tainted"));
	ta_read_str(h, f, "/sys/kernel/sched_ext/state", TA_KEYS("kernel", "sched_ext"));
}

const struct ta_probe ta_probe_kernel = {
	.name = "kernel",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
