/* /proc/cpuinfo and lscpu from any bytes; the same text line by line must give the same CPUs. */
#include <stdlib.h>
#include <string.h>

#include "probe/cpuinfo.h"
#include "probe/lscpu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ta_cleanup_cpuinfo struct ta_cpuinfo ci = TA_CPUINFO_INIT, first = TA_CPUINFO_INIT;
	struct ta_lscpu l;

	if (ta_cpuinfo_parse(&ci, (const char *)data, size) == 0) {
		if (ta_cpuset_count(&ci.processors) != ci.n_cpus || strlen(ci.model) >= sizeof(ci.model))
			abort();
		for (size_t i = 0; i < ci.n_cpus; i++)
			if (ci.cpus[i].cpu >= TA_CPU_LIMIT)
				abort();
	}
	first.first_only = true;
	if (ta_cpuinfo_parse(&first, (const char *)data, size) == 0 && first.n_cpus > ci.n_cpus)
		abort();
	for (size_t i = 0; i < first.n_cpus; i++)
		(void)ta_arm_part_name(first.cpus[i].implementer, first.cpus[i].part);
	ta_lscpu_parse((const char *)data, size, &l);
	(void)ta_lscpu_fits(&l, l.cpus);
	return 0;
}
