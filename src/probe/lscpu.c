/*
 * lscpu prints KEY: VALUE lines; newer versions indent the keys that belong
 * to another and translate nothing under LC_ALL=C, which is what reports use.
 */
#include "probe/lscpu.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

static void see(struct ta_lscpu *l, const char *key, const char *value)
{
	const struct {
		const char *key;
		unsigned *to;
	} counts[] = {
		{"CPU(s)", &l->cpus}, {"Thread(s) per core", &l->threads_per_core},
		{"Core(s) per socket", &l->cores_per_socket}, {"Socket(s)", &l->sockets}, {"NUMA node(s)", &l->nodes},
	};
	uint64_t v;

	for (size_t i = 0; i < TA_ARRAY_SIZE(counts); i++)
		if (!strcmp(key, counts[i].key) && !ta_parse_u64(value, &v) && v <= 65536)
			*counts[i].to = (unsigned)v;
	if (!strcmp(key, "Model name") && !*l->model && strcmp(value, "-"))
		snprintf(l->model, sizeof(l->model), "%s", value);
	if (!strcmp(key, "Hypervisor vendor") && !*l->hypervisor)
		snprintf(l->hypervisor, sizeof(l->hypervisor), "%s", value);
	if (!strcmp(key, "Architecture") && !*l->arch)
		snprintf(l->arch, sizeof(l->arch), "%s", value);
}

void ta_lscpu_parse(const char *text, size_t len, struct ta_lscpu *ret)
{
	const char *end = text + len;
	char line[256];

	*ret = (struct ta_lscpu){0};
	for (const char *p = text, *nl; p < end; p = nl + 1) {
		size_t n;
		char *key = line, *value;

		nl = memchr(p, '\n', (size_t)(end - p));
		nl = nl ? nl : end;
		n = TA_MIN((size_t)(nl - p), sizeof(line) - 1);
		memcpy(line, p, n);
		line[n] = '\0';
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
		see(ret, key, value);
	}
}

bool ta_lscpu_read(struct ta_host *h, struct ta_lscpu *ret)
{
	static const char *const files[] = {"/extra/lscpu", "/extra/lscpu_info", "/sos_commands/processor/lscpu"};
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	*ret = (struct ta_lscpu){0};
	if (ta_host_is_live(h))
		return false;
	for (size_t i = 0; i < TA_ARRAY_SIZE(files); i++)
		if (ta_host_read(h, files[i], TA_READ_CAP, &text) == 0) {
			ta_lscpu_parse(ta_buf_text(&text), text.len, ret);
			return true;
		}
	return false;
}

bool ta_lscpu_is_uniform(const struct ta_lscpu *l, unsigned online)
{
	return l->threads_per_core && l->cores_per_socket && l->sockets &&
	       (uint64_t)l->threads_per_core * l->cores_per_socket * l->sockets == online;
}
