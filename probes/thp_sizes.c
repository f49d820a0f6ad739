/*
 * Transparent huge pages of each size the kernel can make (since 6.8).
 */
#include <string.h>

#include "probe/probe.h"

#define THP_DIR "/sys/kernel/mm/transparent_hugepage"

static const struct ta_field fields[] = {
	{"memory.thp.sizes.*", TA_T_STRING, "",
		"by the KiB of the size: always, inherit, madvise or never (hugepages-NkB/enabled)", 0, {}},
};

static void collect(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	char path[512], key[512];
	int rc = ta_host_list(h, THP_DIR, &names);

	if (rc) {
		ta_put_errno(f, rc, THP_DIR, "memory", "thp", "sizes");
		return;
	}
	ta_put_object(f, "memory", "thp", "sizes");
	for (size_t i = 0; i < names.n; i++) {
		size_t digits;

		if (strncmp(names.v[i], "hugepages-", 10))
			continue;
		digits = strspn(names.v[i] + 10, "0123456789");
		if (!digits || strcmp(names.v[i] + 10 + digits, "kB"))
			continue;
		/* Sizes that only shmem knows have no such file. */
		if (ta_host_exists(h, ta_fmt(&path, THP_DIR "/%s/enabled", names.v[i])))
			ta_read_choice(h, f, path,
				TA_KEYS("memory", "thp", "sizes", ta_fmt(&key, "%.*s", (int)digits, names.v[i] + 10)));
	}
}

const struct ta_probe ta_probe_thp_sizes = {
	.name = "thp_sizes",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
