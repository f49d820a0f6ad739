/*
 * lscpu prints KEY: VALUE lines; newer versions indent the keys that belong
 * to another and translate nothing under LC_ALL=C, which is what reports use.
 * From 2.37 on the counts of cores come once for each type of them
 * (sys-utils/lscpu.c print_cputype_info()); on ARM without firmware tables
 * they are counted by clusters.
 */
#include "probe/lscpu.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

/* The counts of one type of cores. */
struct block {
	unsigned threads_per_core, cores_per_group, sockets, clusters;
};

static void end_block(struct ta_lscpu *l, struct block *b)
{
	unsigned groups = b->sockets ? b->sockets : b->clusters;
	unsigned cores = b->cores_per_group * groups, threads = b->threads_per_core;

	if (cores && threads) {
		l->cores += cores;
		l->threads += threads * cores;
		l->min_threads = l->min_threads ? TA_MIN(l->min_threads, threads) : threads;
		l->max_threads = TA_MAX(l->max_threads, threads);
	}
	l->sockets = TA_MAX(l->sockets, b->sockets);
	*b = (struct block){0};
}

static void see(struct ta_lscpu *l, struct block *b, const char *key, const char *value)
{
	const struct {
		const char *key;
		unsigned *to;
		bool of_type;
	} counts[] = {
		{"CPU(s)", &l->cpus, false},
		{"NUMA node(s)", &l->nodes, false},
		{"Thread(s) per core", &b->threads_per_core, true},
		{"Core(s) per socket", &b->cores_per_group, true},
		{"Core(s) per cluster", &b->cores_per_group, true},
		{"Socket(s)", &b->sockets, true},
		{"Cluster(s)", &b->clusters, true},
	};
	uint64_t v;

	for (size_t i = 0; i < TA_ARRAY_SIZE(counts); i++) {
		if (strcmp(key, counts[i].key) || ta_parse_u64(value, &v) || v > 8192)
			continue;
		if (counts[i].of_type && *counts[i].to)
			end_block(l, b);
		*counts[i].to = (unsigned)v;
	}
	if (!strcmp(key, "Model name") && !*l->model && strcmp(value, "-"))
		snprintf(l->model, sizeof(l->model), "%s", value);
	if (!strcmp(key, "Hypervisor vendor") && !*l->hypervisor)
		snprintf(l->hypervisor, sizeof(l->hypervisor), "%s", value);
	if (!strcmp(key, "Architecture") && !*l->arch)
		snprintf(l->arch, sizeof(l->arch), "%s", value);
}

/* The next line that has a colon, cut in two; false at the end. */
static bool next_line(const char **at, const char *end, char *line, size_t size, char **ret_key, char **ret_value)
{
	while (*at < end) {
		const char *nl = memchr(*at, '\n', (size_t)(end - *at));
		char *key = line, *value;
		size_t n;

		nl = nl ? nl : end;
		n = TA_MIN((size_t)(nl - *at), size - 1);
		memcpy(line, *at, n);
		line[n] = '\0';
		*at = nl + 1;
		value = strchr(line, ':');
		if (!value)
			continue;
		*value++ = '\0';
		while (isspace((unsigned char)*key))
			key++;
		while (isspace((unsigned char)*value))
			value++;
		for (n = strlen(value); n && isspace((unsigned char)value[n - 1]); n--)
			value[n - 1] = '\0';
		*ret_key = key;
		*ret_value = value;
		return true;
	}
	return false;
}

void ta_lscpu_parse(const char *text, size_t len, struct ta_lscpu *ret)
{
	const char *end = text + len;
	struct block block = {0};
	char line[256], *key, *value;

	*ret = (struct ta_lscpu){0};
	while (next_line(&text, end, line, sizeof(line), &key, &value))
		see(ret, &block, key, value);
	end_block(ret, &block);
}

static bool read_text(struct ta_host *h, struct ta_buf *ret)
{
	static const char *const files[] = {"/extra/lscpu", "/extra/lscpu_info", "/sos_commands/processor/lscpu"};

	for (size_t i = 0; !ta_host_is_live(h) && i < TA_ARRAY_SIZE(files); i++)
		if (ta_host_read(h, files[i], TA_READ_CAP, ret) == 0)
			return true;
	return false;
}

bool ta_lscpu_read(struct ta_host *h, struct ta_lscpu *ret)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	*ret = (struct ta_lscpu){0};
	if (!read_text(h, &text))
		return false;
	ta_lscpu_parse(ta_buf_text(&text), text.len, ret);
	return true;
}

bool ta_lscpu_fits(const struct ta_lscpu *l, unsigned online)
{
	return l->cores && l->cores <= online && online <= l->threads;
}

int ta_lscpu_list(struct ta_host *h, const char *wanted, struct ta_cpuset *ret)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	char line[4096], *key, *value;
	const char *at, *end;

	if (!read_text(h, &text))
		return -ENOENT;
	at = ta_buf_text(&text);
	end = at + text.len;
	while (next_line(&at, end, line, sizeof(line), &key, &value))
		if (!strcmp(key, wanted))
			return ta_cpuset_parse_list(ret, value) < 0 ? -EBADMSG : 0;
	return -ENOENT;
}
