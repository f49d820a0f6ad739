/*
 * NUMA nodes. Numbers may have holes, nodes may have memory and no CPUs or
 * the other way round, and firmware may be wrong about all of it:
 *
 *   no node directory      a kernel without NUMA: one node, 0, of all online CPUs and all memory
 *   a CPU in two nodes     the tables make no sense (a broken SRAT): one node, 0, of everything
 *   cpulist                of online CPUs since 4.16; some architectures listed offline ones before
 *
 *   no directory, but /proc/buddyinfo names several nodes: a tree that was copied in part; their number is
 *                          known, their CPUs are not
 *   no directory in a copy, but the output of lscpu: what that says
 *
 * numa_source says which of these it was.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "probe/lscpu.h"
#include "probe/meminfo.h"
#include "probe/probe.h"
#include "probe/topology.h"

#define NODE_DIR "/sys/devices/system/node"

static const struct ta_field fields[] = {
	{"numa_nodes", TA_T_INT, "nodes", "NUMA nodes; 1 where the kernel knows no NUMA", TA_F_HARDWARE, {}},
	{"numa_source", TA_T_STRING, "",
		"sysfs; no-directory: so one node; lscpu: its output; buddyinfo: only their number; overlapping: they share CPUs, taken as one",
		TA_F_SYSTEM | TA_F_AGAIN, {}},
	{"numa.*.cpus", TA_T_INTS, "", "CPUs of the node (nodeN/cpulist, cpumap)", TA_F_CPUS | TA_F_SIZED, {}},
	{"numa.*.memory_bytes", TA_T_INT, "bytes", "memory of the node (MemTotal in nodeN/meminfo)", TA_F_HARDWARE | TA_F_WITHIN(1), {}},
	{"numa.*.free_bytes", TA_T_INT, "bytes", "free memory of the node (MemFree in nodeN/meminfo)", TA_F_VOLATILE,
		{}},
	{"numa.*.distance", TA_T_INTS, "", "to each node in rising order, 10 is local (nodeN/distance)", TA_F_HARDWARE, {}},
};

struct node {
	unsigned number;
	struct ta_cpuset cpus;
	int rc; /* of reading cpus */
};

struct nodes {
	struct node *v;
	size_t n;
	bool overlap;
};

static int node_number(const char *name)
{
	int64_t v;

	if (strncmp(name, "node", 4) || !isdigit((unsigned char)name[4]) || ta_parse_i64(name + 4, &v))
		return -1;
	return v < TA_CPU_LIMIT ? (int)v : -1;
}

static int read_node_cpus(struct ta_host *h, unsigned node, struct ta_cpuset *ret)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	char path[512];
	int rc = ta_host_read(h, ta_fmt(&path, NODE_DIR "/node%u/cpulist", node), TA_READ_CAP, &text);

	if (!rc)
		return ta_cpuset_parse_list(ret, ta_buf_text(&text));
	rc = ta_host_read(h, ta_fmt(&path, NODE_DIR "/node%u/cpumap", node), TA_READ_CAP, &text);
	return rc ? rc : ta_cpuset_parse_mask(ret, ta_buf_text(&text));
}

static int compare_nodes(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static int read_nodes(struct ta_host *h, struct nodes *nodes)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	ta_cleanup_cpuset struct ta_cpuset seen = TA_CPUSET_INIT;
	int rc = ta_host_list(h, NODE_DIR, &names);

	if (rc)
		return rc;
	nodes->v = calloc(names.n + 1, sizeof(*nodes->v));
	if (!nodes->v)
		return -ENOMEM;
	for (size_t i = 0; i < names.n; i++) {
		struct node *node = &nodes->v[nodes->n];
		int number = node_number(names.v[i]);

		if (number < 0)
			continue;
		node->number = (unsigned)number;
		node->rc = read_node_cpus(h, node->number, &node->cpus);
		nodes->n++;
		for (int c = -1; (c = ta_cpuset_next(&node->cpus, c + 1)) >= 0;) {
			nodes->overlap = nodes->overlap || ta_cpuset_has(&seen, (unsigned)c);
			(void)ta_cpuset_add(&seen, (unsigned)c);
		}
	}
	qsort(nodes->v, nodes->n, sizeof(*nodes->v), compare_nodes);
	return nodes->n ? 0 : -ENOENT;
}

static int read_memory(struct ta_host *h, unsigned node, struct ta_meminfo *ret)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	char path[512];
	int rc = ta_host_read(h, ta_fmt(&path, NODE_DIR "/node%u/meminfo", node), TA_READ_CAP, &text);

	if (!rc)
		ta_meminfo_parse(ta_buf_text(&text), text.len, ret);
	return rc;
}

static void put_memory(struct ta_facts *f, const char *key, int rc, const char *file, const struct ta_meminfo *m)
{
	static const struct {
		const char *name;
		enum ta_meminfo_key key;
	} rows[] = {{"memory_bytes", TA_MEM_TOTAL}, {"free_bytes", TA_MEM_FREE}};

	for (size_t i = 0; i < TA_ARRAY_SIZE(rows); i++) {
		if (rc)
			ta_put_errno(f, rc, file, "numa", key, rows[i].name);
		else if (!m->has[rows[i].key])
			ta_facts_put_absent(f, TA_KEYS("numa", key, rows[i].name), TA_MISSING, "no such line in %s", file);
		else
			ta_put_u64(f, m->value[rows[i].key], "numa", key, rows[i].name);
	}
}

static void put_node(struct ta_host *h, struct ta_facts *f, const struct node *node, const char *key)
{
	struct ta_meminfo m;
	char path[512];
	int rc;

	ta_put_object(f, "numa", key);
	if (node->rc)
		ta_put_errno(f, node->rc, ta_fmt(&path, NODE_DIR "/node%u/cpulist", node->number), "numa", key, "cpus");
	else
		ta_put_cpus(f, &node->cpus, "numa", key, "cpus");
	rc = read_memory(h, node->number, &m);
	put_memory(f, key, rc, ta_fmt(&path, NODE_DIR "/node%u/meminfo", node->number), &m);
	ta_read_ints(h, f, ta_fmt(&path, NODE_DIR "/node%u/distance", node->number), TA_KEYS("numa", key, "distance"));
}

/* One node of all there is. */
static void put_only_node(struct ta_host *h, struct ta_facts *f, const char *source)
{
	ta_cleanup_cpuset struct ta_cpuset online = TA_CPUSET_INIT;
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_meminfo m;
	const char *file;
	int rc = ta_cpus_online(h, &online, &file);

	ta_put_i64(f, 1, "numa_nodes");
	ta_put_str(f, source, "numa_source");
	if (rc)
		ta_put_errno(f, rc, file, "numa", "0", "cpus");
	else
		ta_put_cpus(f, &online, "numa", "0", "cpus");
	rc = ta_host_read(h, "/proc/meminfo", TA_READ_CAP, &text);
	if (!rc)
		ta_meminfo_parse(ta_buf_text(&text), text.len, &m);
	put_memory(f, "0", rc, "/proc/meminfo", &m);
	ta_facts_put_ints(f, TA_KEYS("numa", "0", "distance"), (const int64_t[]){10}, 1);
}

static int buddy_line(const char *line, size_t len, void *ctx)
{
	char number[16];
	uint64_t v;

	/* "Node 0, zone   Normal  …" */
	if (strncmp(line, "Node ", 5))
		return 0;
	snprintf(number, sizeof(number), "%.*s", (int)strcspn(line + 5, ","), line + 5);
	return ta_parse_u64(number, &v) || v >= TA_CPU_LIMIT ? 0 : ta_cpuset_add(ctx, (unsigned)v);
}

/* Several nodes as lscpu counted and listed them; their numbers may have holes. False without them. */
static bool from_lscpu(struct ta_host *h, struct ta_facts *f)
{
	struct ta_lscpu l;
	unsigned found = 0;
	char key[512];

	if (!ta_lscpu_read(h, &l) || l.nodes < 2)
		return false;
	ta_put_i64(f, l.nodes, "numa_nodes");
	ta_put_str(f, "lscpu", "numa_source");
	for (unsigned n = 0; found < l.nodes && n <= 4 * l.nodes + 16; n++) {
		struct node node = {.number = n};

		if (ta_lscpu_list(h, ta_fmt(&key, "NUMA node%u CPU(s)", n), &node.cpus) == 0) {
			put_node(h, f, &node, ta_fmt(&key, "%u", n));
			found++;
		}
		ta_cpuset_done(&node.cpus);
	}
	return true;
}

static void without_directory(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_cpuset struct ta_cpuset numbers = TA_CPUSET_INIT;
	char key[512];

	if (from_lscpu(h, f))
		return;
	if (ta_host_lines(h, "/proc/buddyinfo", buddy_line, &numbers) || ta_cpuset_count(&numbers) < 2) {
		put_only_node(h, f, "no-directory");
		return;
	}
	ta_put_i64(f, ta_cpuset_count(&numbers), "numa_nodes");
	ta_put_str(f, "buddyinfo", "numa_source");
	for (int n = -1; (n = ta_cpuset_next(&numbers, n + 1)) >= 0;)
		put_node(h, f, &(struct node){.number = (unsigned)n, .rc = -ENOENT}, ta_fmt(&key, "%d", n));
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	struct nodes nodes = {0};
	char key[512];
	int rc = read_nodes(h, &nodes);

	if (!rc && nodes.overlap) {
		put_only_node(h, f, "overlapping");
	} else if (!rc) {
		ta_put_i64(f, (int64_t)nodes.n, "numa_nodes");
		ta_put_str(f, "sysfs", "numa_source");
		for (size_t i = 0; i < nodes.n; i++)
			put_node(h, f, &nodes.v[i], ta_fmt(&key, "%u", nodes.v[i].number));
	} else if (rc == -ENOENT && ta_host_exists(h, "/sys/devices/system/cpu")) {
		without_directory(h, f);
	} else if (rc != -ENOENT || !from_lscpu(h, f)) {
		ta_put_errno(f, rc, NODE_DIR, "numa_nodes");
		ta_put_errno(f, rc, NODE_DIR, "numa_source");
		ta_put_errno(f, rc, NODE_DIR, "numa");
	}
	for (size_t i = 0; i < nodes.n; i++)
		ta_cpuset_done(&nodes.v[i].cpus);
	free(nodes.v);
}

const struct ta_probe ta_probe_numa = {
	.name = "numa",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
