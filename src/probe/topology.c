/*
 * Cores and packages with as few reads as the answer needs: the sibling list
 * of one thread speaks for all of its core, the sibling list of one CPU for
 * all of its package. 512 CPUs in two packages cost 260 reads, not 1,536.
 */
#include "probe/topology.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "probe/cpuinfo.h"
#include "probe/probe.h"

#define CPU_DIR "/sys/devices/system/cpu"

struct sibling_file {
	const char *name;
	bool is_mask;
};

/* The newer name first (5.3); lists since 2.6.26. */
static const struct sibling_file core_files[] = {
	{"core_cpus_list", false}, {"thread_siblings_list", false}, {"thread_siblings", true}};
static const struct sibling_file package_files[] = {
	{"package_cpus_list", false}, {"core_siblings_list", false}, {"core_siblings", true}};

long ta_topology_index(const struct ta_topology *t, unsigned cpu)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (t->cpu[mid] < cpu)
			low = mid + 1;
		else
			high = mid;
	}
	return low < t->n && t->cpu[low] == cpu ? (long)low : -1;
}

static int read_int(struct ta_host *h, unsigned cpu, const char *name, int64_t *ret)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	char path[512];
	int rc = ta_host_read(h, ta_fmt(&path, CPU_DIR "/cpu%u/topology/%s", cpu, name), TA_READ_CAP, &text);

	return rc ? rc : ta_parse_i64(ta_buf_text(&text), ret);
}

/* Reads the first of `files` that is there; *from skips those that were not, for the next CPU. */
static int read_siblings(struct ta_host *h, unsigned cpu, const struct sibling_file files[3], size_t *from,
	struct ta_cpuset *ret)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	char path[512];
	int rc = -ENOENT;

	for (size_t i = *from; i < 3; i++) {
		rc = ta_host_read(h, ta_fmt(&path, CPU_DIR "/cpu%u/topology/%s", cpu, files[i].name), TA_READ_CAP,
			&text);
		if (rc == -ENOENT)
			continue;
		*from = i;
		if (rc)
			return rc;
		rc = files[i].is_mask ? ta_cpuset_parse_mask(ret, ta_buf_text(&text)) :
					ta_cpuset_parse_list(ret, ta_buf_text(&text));
		/* At least the CPU itself is in it. */
		return rc == 0 && ta_cpuset_count(ret) == 0 ? -EBADMSG : rc;
	}
	return rc;
}

/* Gives `value` to `i` and to every online member of `with` that has none yet. */
static void assign(const struct ta_topology *t, int64_t *vector, size_t i, const struct ta_cpuset *with, int64_t value)
{
	vector[i] = value;
	for (int c = -1; (c = ta_cpuset_next(with, c + 1)) >= 0;) {
		long k = ta_topology_index(t, (unsigned)c);

		if (k >= 0 && vector[k] < 0)
			vector[k] = value;
	}
}

static void forget(const struct ta_topology *t, int64_t *vector)
{
	for (size_t i = 0; i < t->n; i++)
		vector[i] = -1;
}

/*
 * An architecture that never fills its topology in leaves core_id −1 on all CPUs, and a sibling list
 * made of "the same core_id" then names every CPU (seen on RISC-V before 6.1).
 */
static bool is_default_list(struct ta_host *h, const struct ta_topology *t, unsigned cpu, const struct ta_cpuset *with)
{
	int64_t id;

	return t->smt_active < 0 && ta_cpuset_count(with) > 1 && read_int(h, cpu, "core_id", &id) == 0 && id == -1;
}

static bool cores_from_siblings(struct ta_host *h, struct ta_topology *t)
{
	ta_cleanup_cpuset struct ta_cpuset with = TA_CPUSET_INIT;
	size_t from = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (t->core[i] >= 0)
			continue;
		if (read_siblings(h, t->cpu[i], core_files, &from, &with)) {
			snprintf(t->no_cores, sizeof(t->no_cores), "no sibling list in " CPU_DIR "/cpu%u/topology",
				t->cpu[i]);
			return false;
		}
		if (is_default_list(h, t, t->cpu[i], &with)) {
			snprintf(t->no_cores, sizeof(t->no_cores),
				"core_id of cpu%u is -1: this kernel does not know its cores", t->cpu[i]);
			return false;
		}
		assign(t, t->core, i, &with, t->cpu[i]);
	}
	return true;
}

struct core_name {
	int64_t package, id;
	size_t i;
};

static int compare_names(const void *a, const void *b)
{
	const struct core_name *x = a, *y = b;

	if (x->package != y->package)
		return x->package < y->package ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->i > y->i) - (x->i < y->i);
}

/* Numbers cores by package and core id: the lowest CPU with the same two. ids[i] < 0: not known. */
static bool cores_from_ids(struct ta_topology *t, const int64_t *ids)
{
	struct core_name *names = calloc(t->n + 1, sizeof(*names));
	bool known = names && t->has_packages;

	for (size_t i = 0; known && i < t->n; i++) {
		names[i] = (struct core_name){t->package[i], ids[i], i};
		known = ids[i] >= 0;
	}
	if (known)
		qsort(names, t->n, sizeof(*names), compare_names);
	for (size_t k = 0; known && k < t->n; k++) {
		bool same = k > 0 && names[k].package == names[k - 1].package && names[k].id == names[k - 1].id;

		t->core[names[k].i] = same ? t->core[names[k - 1].i] : t->cpu[names[k].i];
	}
	free(names);
	return known;
}

static bool cores_from_core_id(struct ta_host *h, struct ta_topology *t, int64_t *ids)
{
	for (size_t i = 0; i < t->n; i++)
		if (read_int(h, t->cpu[i], "core_id", &ids[i]) || ids[i] < 0)
			return false;
	return cores_from_ids(t, ids);
}

static bool packages_from_sysfs(struct ta_host *h, struct ta_topology *t)
{
	ta_cleanup_cpuset struct ta_cpuset with = TA_CPUSET_INIT;
	size_t from = 0;
	int64_t id;
	unsigned unset = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (t->package[i] >= 0)
			continue;
		if (read_int(h, t->cpu[i], "physical_package_id", &id)) {
			snprintf(t->no_packages, sizeof(t->no_packages),
				"no physical_package_id in " CPU_DIR "/cpu%u/topology", t->cpu[i]);
			return false;
		}
		if (id < 0) {
			snprintf(t->no_packages, sizeof(t->no_packages),
				"physical_package_id of cpu%u is %lld: this kernel does not know its packages",
				t->cpu[i], (long long)id);
			return false;
		}
		if (read_siblings(h, t->cpu[i], package_files, &from, &with))
			ta_cpuset_done(&with);
		assign(t, t->package, i, &with, id);
		unset += id == UINT16_MAX;
	}
	/* s390 keeps the id in 16 bits: its −1 reads 65535. */
	if (unset && ta_topology_packages(t) == 1) {
		snprintf(t->no_packages, sizeof(t->no_packages), "physical_package_id is 65535 on all CPUs: not known");
		return false;
	}
	return true;
}

/* What sysfs lacks, from the ids in /proc/cpuinfo. */
static void fill_from_cpuinfo(struct ta_host *h, struct ta_topology *t, int64_t *ids)
{
	ta_cleanup_cpuinfo struct ta_cpuinfo ci = TA_CPUINFO_INIT;
	bool packages = true;

	if (ta_cpuinfo_read(h, false, &ci))
		return;
	forget(t, ids);
	for (size_t i = 0; i < ci.n_cpus; i++) {
		long k = ta_topology_index(t, ci.cpus[i].cpu);

		if (k < 0)
			continue;
		ids[k] = ci.cpus[i].core;
		if (!t->has_packages)
			t->package[k] = ci.cpus[i].package;
	}
	for (size_t i = 0; i < t->n; i++)
		packages = packages && t->package[i] >= 0;
	t->has_packages = packages;
	if (!t->has_cores)
		t->has_cores = cores_from_ids(t, ids);
}

/* One CPU is one core of one package whatever is written about it; threads of one core share its package. */
static void fill_trivial(struct ta_topology *t)
{
	if (!t->has_cores && t->n == 1) {
		t->core[0] = t->cpu[0];
		t->has_cores = true;
	}
	if (!t->has_packages && t->has_cores && ta_topology_cores(t) == 1) {
		for (size_t i = 0; i < t->n; i++)
			t->package[i] = 0;
		t->has_packages = true;
	}
}

static void read_smt(struct ta_host *h, struct ta_topology *t)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int64_t v;

	if (ta_host_read(h, CPU_DIR "/smt/active", TA_READ_CAP, &text) == 0 &&
		ta_parse_i64(ta_buf_text(&text), &v) == 0 && (v == 0 || v == 1))
		t->smt_active = (int)v;
}

static int make_vectors(struct ta_topology *t)
{
	t->n = 0;
	t->cpu = calloc(ta_cpuset_count(&t->online) + 1, sizeof(*t->cpu));
	t->core = calloc(ta_cpuset_count(&t->online) + 1, sizeof(*t->core));
	t->package = calloc(ta_cpuset_count(&t->online) + 1, sizeof(*t->package));
	if (!t->cpu || !t->core || !t->package)
		return -ENOMEM;
	for (int c = -1; (c = ta_cpuset_next(&t->online, c + 1)) >= 0;)
		t->cpu[t->n++] = (unsigned)c;
	forget(t, t->core);
	forget(t, t->package);
	return 0;
}

int ta_topology_read(struct ta_host *h, struct ta_topology *t)
{
	int64_t *ids;
	int rc = make_vectors(t);

	if (rc)
		return rc;
	ids = calloc(t->n + 1, sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	read_smt(h, t);
	t->has_packages = packages_from_sysfs(h, t);
	if (!t->has_packages)
		forget(t, t->package);
	if (t->smt_active == 0) {
		for (size_t i = 0; i < t->n; i++)
			t->core[i] = t->cpu[i];
		t->has_cores = true;
	} else {
		t->has_cores = cores_from_siblings(h, t);
		if (!t->has_cores) {
			forget(t, t->core);
			t->has_cores = cores_from_core_id(h, t, ids);
		}
	}
	if (!t->has_cores || !t->has_packages)
		fill_from_cpuinfo(h, t, ids);
	fill_trivial(t);
	free(ids);
	return 0;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

unsigned ta_topology_packages(const struct ta_topology *t)
{
	int64_t *sorted = calloc(t->n + 1, sizeof(*sorted));
	unsigned n = 0;

	for (size_t i = 0; sorted && i < t->n; i++)
		sorted[i] = t->package[i];
	if (sorted)
		qsort(sorted, t->n, sizeof(*sorted), compare);
	for (size_t i = 0; sorted && i < t->n; i++)
		n += i == 0 || sorted[i] != sorted[i - 1];
	free(sorted);
	return n;
}

unsigned ta_topology_cores(const struct ta_topology *t)
{
	unsigned n = 0;

	/* A core is named by one of its CPUs. */
	for (size_t i = 0; i < t->n; i++)
		n += t->core[i] == t->cpu[i];
	return n;
}

void ta_topology_threads(const struct ta_topology *t, unsigned *min, unsigned *max)
{
	unsigned *threads = calloc(t->n + 1, sizeof(*threads));

	*min = *max = 0;
	for (size_t i = 0; threads && i < t->n; i++) {
		long k = ta_topology_index(t, (unsigned)t->core[i]);

		if (k >= 0)
			threads[k]++;
	}
	for (size_t i = 0; threads && i < t->n; i++) {
		if (threads[i] > *max)
			*max = threads[i];
		if (threads[i] && (!*min || threads[i] < *min))
			*min = threads[i];
	}
	free(threads);
}

void ta_topology_done(struct ta_topology *t)
{
	ta_cpuset_done(&t->online);
	free(t->cpu);
	free(t->core);
	free(t->package);
	*t = (struct ta_topology)TA_TOPOLOGY_INIT;
}
