/*
 * Memory: how much, how much of it is to be had, and the kernel's policies
 * about the rest. Sizes are bytes.
 */
#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "probe/meminfo.h"
#include "probe/probe.h"

#define VM "/proc/sys/vm/"
#define THP_DIR "/sys/kernel/mm/transparent_hugepage"

static const struct ta_field fields[] = {
	{"memory.total_bytes", TA_T_INT, "bytes", "RAM that the kernel has (MemTotal)", TA_F_HARDWARE | TA_F_WITHIN(1), {}},
	{"memory.available_bytes", TA_T_INT, "bytes", "to be had without swapping (MemAvailable, since 3.14)",
		TA_F_VOLATILE, {}},
	{"memory.free_bytes", TA_T_INT, "bytes", "not used at all (MemFree)", TA_F_VOLATILE, {}},
	{"memory.cached_bytes", TA_T_INT, "bytes", "page cache (Cached)", TA_F_VOLATILE, {}},
	{"memory.reclaimable_bytes", TA_T_INT, "bytes", "kernel caches that can be dropped (SReclaimable)",
		TA_F_VOLATILE, {}},
	{"memory.unwritten_bytes", TA_T_INT, "bytes", "waiting to be written (Dirty)", TA_F_VOLATILE, {}},
	{"memory.committed_bytes", TA_T_INT, "bytes", "promised to processes (Committed_AS)", TA_F_VOLATILE, {}},
	{"memory.commit_limit_bytes", TA_T_INT, "bytes", "what overcommit mode 2 would promise (CommitLimit)",
		TA_F_VOLATILE, {}},
	{"memory.hugepages.total", TA_T_INT, "pages", "reserved huge pages (HugePages_Total)", TA_F_AGAIN, {}},
	{"memory.hugepages.free", TA_T_INT, "pages", "those nobody uses (HugePages_Free)", TA_F_VOLATILE, {}},
	{"memory.hugepages.size_bytes", TA_T_INT, "bytes", "size of one (Hugepagesize)", 0, {}},
	{"memory.swap.total_bytes", TA_T_INT, "bytes", "swap space (SwapTotal)", TA_F_SIZED, {}},
	{"memory.swap.free_bytes", TA_T_INT, "bytes", "free swap space (SwapFree)", TA_F_VOLATILE, {}},
	{"memory.swap.devices.*.type", TA_T_STRING, "", "partition or file (/proc/swaps)", 0, {}},
	{"memory.swap.devices.*.size_bytes", TA_T_INT, "bytes", "its size", 0, {}},
	{"memory.swap.devices.*.used_bytes", TA_T_INT, "bytes", "what is swapped out to it", TA_F_VOLATILE, {}},
	{"memory.swap.devices.*.priority", TA_T_INT, "", "the highest is used first", 0, {}},
	{"memory.thp.enabled", TA_T_STRING, "", "always, madvise or never (transparent_hugepage/enabled)", 0, {}},
	{"memory.thp.defrag", TA_T_STRING, "",
		"always, defer, defer+madvise, madvise or never (transparent_hugepage/defrag)", 0, {}},
	{"memory.thp.shmem", TA_T_STRING, "",
		"always, within_size, advise, never, deny or force (transparent_hugepage/shmem_enabled)", 0, {}},
	{"memory.thp.khugepaged_defrag", TA_T_BOOL, "", "khugepaged compacts memory (khugepaged/defrag)", 0, {}},
	{"memory.thp.zero_page", TA_T_BOOL, "", "a huge zero page is used (use_zero_page)", 0, {}},
	{"memory.thp.size_bytes", TA_T_INT, "bytes", "size of a huge page (hpage_pmd_size)", TA_F_SYSTEM, {}},
	{"memory.swappiness", TA_T_INT, "", "how eagerly anonymous pages are swapped (vm.swappiness)", 0, {}},
	{"memory.overcommit_memory", TA_T_INT, "", "0 heuristic, 1 always, 2 never (vm.overcommit_memory)", 0, {}},
	{"memory.overcommit_ratio", TA_T_INT, "%", "of RAM, for mode 2 (vm.overcommit_ratio)", 0, {}},
	{"memory.dirty.ratio", TA_T_INT, "%", "writers wait above it (vm.dirty_ratio); 0: dirty.bytes is in force", TA_F_AGAIN, {}},
	{"memory.dirty.bytes", TA_T_INT, "bytes", "the same in bytes (vm.dirty_bytes); 0: the ratio is in force", 0, {}},
	{"memory.dirty.background_ratio", TA_T_INT, "%", "writing starts above it (vm.dirty_background_ratio)", 0, {}},
	{"memory.dirty.background_bytes", TA_T_INT, "bytes", "the same in bytes (vm.dirty_background_bytes)", 0, {}},
	{"memory.dirty.expire_centisecs", TA_T_INT, "cs", "age at which dirty pages are written", TA_F_AGAIN, {}},
	{"memory.dirty.writeback_centisecs", TA_T_INT, "cs", "how often the flusher wakes up", TA_F_AGAIN, {}},
	{"memory.min_free_kbytes", TA_T_INT, "KiB", "reserve for atomic allocations (vm.min_free_kbytes)", 0, {}},
	{"memory.watermark_scale_factor", TA_T_INT, "", "distance of the watermarks in 1/10000 (vm.watermark_scale_factor)",
		0, {}},
	{"memory.vfs_cache_pressure", TA_T_INT, "%", "how eagerly inodes are dropped (vm.vfs_cache_pressure)", 0, {}},
	{"memory.zone_reclaim_mode", TA_T_INT, "", "reclaim before using a far node (vm.zone_reclaim_mode)", 0, {}},
	{"memory.numa_balancing", TA_T_INT, "", "0 off, 1 on, 2 tiering (kernel.numa_balancing)", 0, {}},
	{"memory.ksm_run", TA_T_INT, "", "1: same pages are merged (mm/ksm/run)", 0, {}},
	{"memory.lru_gen", TA_T_INT, "", "bit mask of multi-generational LRU (mm/lru_gen/enabled)", 0, {}},
};

static void put_meminfo(struct ta_host *h, struct ta_facts *f)
{
	static const struct {
		const char *group, *name; /* group NULL: directly under memory */
		enum ta_meminfo_key key;
	} rows[] = {
		{NULL, "total_bytes", TA_MEM_TOTAL}, {NULL, "available_bytes", TA_MEM_AVAILABLE},
		{NULL, "free_bytes", TA_MEM_FREE}, {NULL, "cached_bytes", TA_MEM_CACHED},
		{NULL, "reclaimable_bytes", TA_MEM_RECLAIMABLE}, {NULL, "unwritten_bytes", TA_MEM_DIRTY},
		{NULL, "committed_bytes", TA_MEM_COMMITTED}, {NULL, "commit_limit_bytes", TA_MEM_COMMIT_LIMIT},
		{"hugepages", "total", TA_MEM_HUGE_TOTAL}, {"hugepages", "free", TA_MEM_HUGE_FREE},
		{"hugepages", "size_bytes", TA_MEM_HUGE_SIZE}, {"swap", "total_bytes", TA_MEM_SWAP_TOTAL},
		{"swap", "free_bytes", TA_MEM_SWAP_FREE},
	};
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_meminfo m = {0};
	int rc = ta_host_read(h, "/proc/meminfo", TA_READ_CAP, &text);

	if (!rc)
		ta_meminfo_parse(ta_buf_text(&text), text.len, &m);
	for (size_t i = 0; i < TA_ARRAY_SIZE(rows); i++) {
		const char *const *path = rows[i].group ? TA_KEYS("memory", rows[i].group, rows[i].name) :
							  TA_KEYS("memory", rows[i].name);

		if (rc)
			ta_facts_put_errno(f, path, rc, "/proc/meminfo");
		else if (m.has[rows[i].key])
			ta_facts_put_u64(f, path, m.value[rows[i].key]);
		else if (m.malformed[rows[i].key])
			ta_facts_put_absent(f, path, TA_MALFORMED, "the %s line of /proc/meminfo holds no number",
				ta_meminfo_name(rows[i].key));
		else
			ta_facts_put_absent(f, path, TA_MISSING, "no %s line in /proc/meminfo%s",
				ta_meminfo_name(rows[i].key),
				rows[i].key == TA_MEM_AVAILABLE ? " (kernels before 3.14 do not estimate it)" : "");
	}
}

/* "/dev/dm-1  partition  8388604  1024  -2", sizes in KiB; a blank in a name is \040. */
static int swap_line(const char *line, size_t len, void *ctx)
{
	ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;
	struct ta_facts *f = ctx;
	uint64_t size, used;
	int64_t priority;

	ta_strv_split(&words, line, " \t");
	if (words.n < 5 || words.v[0][0] != '/' || ta_parse_u64(words.v[2], &size) || ta_parse_u64(words.v[3], &used) ||
		ta_parse_i64(words.v[4], &priority) || size > UINT64_MAX / 1024 || used > UINT64_MAX / 1024)
		return 0;
	ta_put_str(f, words.v[1], "memory", "swap", "devices", words.v[0], "type");
	ta_put_u64(f, size * 1024, "memory", "swap", "devices", words.v[0], "size_bytes");
	ta_put_u64(f, used * 1024, "memory", "swap", "devices", words.v[0], "used_bytes");
	ta_put_i64(f, priority, "memory", "swap", "devices", words.v[0], "priority");
	return 0;
}

static void put_swaps(struct ta_host *h, struct ta_facts *f)
{
	int rc;

	ta_put_object(f, "memory", "swap", "devices");
	rc = ta_host_lines(h, "/proc/swaps", swap_line, f);
	if (rc)
		ta_put_errno(f, rc, "/proc/swaps", "memory", "swap", "devices");
}

static void put_thp(struct ta_host *h, struct ta_facts *f)
{
	ta_read_choice(h, f, THP_DIR "/enabled", TA_KEYS("memory", "thp", "enabled"));
	ta_read_choice(h, f, THP_DIR "/defrag", TA_KEYS("memory", "thp", "defrag"));
	ta_read_choice(h, f, THP_DIR "/shmem_enabled", TA_KEYS("memory", "thp", "shmem"));
	ta_read_bool(h, f, THP_DIR "/khugepaged/defrag", TA_KEYS("memory", "thp", "khugepaged_defrag"));
	ta_read_bool(h, f, THP_DIR "/use_zero_page", TA_KEYS("memory", "thp", "zero_page"));
	ta_read_int(h, f, THP_DIR "/hpage_pmd_size", TA_KEYS("memory", "thp", "size_bytes"));
}

static void put_policies(struct ta_host *h, struct ta_facts *f)
{
	ta_read_int(h, f, VM "swappiness", TA_KEYS("memory", "swappiness"));
	ta_read_int(h, f, VM "overcommit_memory", TA_KEYS("memory", "overcommit_memory"));
	ta_read_int(h, f, VM "overcommit_ratio", TA_KEYS("memory", "overcommit_ratio"));
	ta_read_int(h, f, VM "dirty_ratio", TA_KEYS("memory", "dirty", "ratio"));
	ta_read_int(h, f, VM "dirty_bytes", TA_KEYS("memory", "dirty", "bytes"));
	ta_read_int(h, f, VM "dirty_background_ratio", TA_KEYS("memory", "dirty", "background_ratio"));
	ta_read_int(h, f, VM "dirty_background_bytes", TA_KEYS("memory", "dirty", "background_bytes"));
	ta_read_int(h, f, VM "dirty_expire_centisecs", TA_KEYS("memory", "dirty", "expire_centisecs"));
	ta_read_int(h, f, VM "dirty_writeback_centisecs", TA_KEYS("memory", "dirty", "writeback_centisecs"));
	ta_read_int(h, f, VM "min_free_kbytes", TA_KEYS("memory", "min_free_kbytes"));
	ta_read_int(h, f, VM "watermark_scale_factor", TA_KEYS("memory", "watermark_scale_factor"));
	ta_read_int(h, f, VM "vfs_cache_pressure", TA_KEYS("memory", "vfs_cache_pressure"));
	ta_read_int(h, f, VM "zone_reclaim_mode", TA_KEYS("memory", "zone_reclaim_mode"));
	ta_read_int(h, f, "/proc/sys/kernel/numa_balancing", TA_KEYS("memory", "numa_balancing"));
	ta_read_int(h, f, "/sys/kernel/mm/ksm/run", TA_KEYS("memory", "ksm_run"));
}

/* "0x0007" */
static void put_lru_gen(struct ta_host *h, struct ta_facts *f)
{
	static const char file[] = "/sys/kernel/mm/lru_gen/enabled";
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	uint64_t v;
	int rc = ta_host_read(h, file, TA_READ_CAP, &text);

	ta_buf_rtrim(&text);
	/* The directory comes with CONFIG_LRU_GEN (mm/vmscan.c init_lru_gen()); beside it there are always others. */
	if (rc == -ENOENT && ta_host_exists(h, "/sys/kernel/mm/transparent_hugepage"))
		ta_facts_put_absent(f, TA_KEYS("memory", "lru_gen"), TA_UNSUPPORTED, "this kernel was built without it");
	else if (rc)
		ta_put_errno(f, rc, file, "memory", "lru_gen");
	else if (strncmp(ta_buf_text(&text), "0x", 2) || ta_parse_hex(ta_buf_text(&text) + 2, &v))
		ta_facts_put_absent(f, TA_KEYS("memory", "lru_gen"), TA_MALFORMED, "%s: \"%.60s\"", file,
			ta_buf_text(&text));
	else
		ta_put_u64(f, v, "memory", "lru_gen");
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	put_meminfo(h, f);
	put_swaps(h, f);
	put_thp(h, f);
	put_policies(h, f);
	put_lru_gen(h, f);
}

const struct ta_probe ta_probe_memory = {
	.name = "memory",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
