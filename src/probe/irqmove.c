/*
 * Only the attempt to move an interrupt tells for sure, and reading changes
 * nothing. Newer kernels say it before: the file is not writable. A mode is no
 * content, so it is asked for by a call that is recorded.
 */
#include "probe/irqmove.h"

#include <stdio.h>
#include <sys/stat.h>

#include "probe/version.h"

static int call_modes(void *arg, struct ta_buf *ret)
{
	const struct ta_irqvecs *vecs = arg;

	for (size_t i = 0; i < vecs->n; i++) {
		char path[48];
		struct stat st;

		snprintf(path, sizeof(path), "/proc/irq/%u/smp_affinity", vecs->v[i].irq);
		if (stat(path, &st) < 0)
			ta_buf_addc(ret, '?');
		else
			ta_buf_addc(ret, st.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH) ? 'w' : 'r');
	}
	return ret->error;
}

void ta_irqmove_read(struct ta_host *h, const struct ta_irqvecs *vecs, struct ta_irqmove *ret)
{
	int64_t version[3];

	*ret = (struct ta_irqmove)TA_IRQMOVE_INIT;
	if (!vecs->n)
		return;
	if (ta_host_call(h, "irq_modes", call_modes, (void *)vecs, &ret->modes) < 0)
		ta_buf_reset(&ret->modes);
	/* One release later than it came there is no doubt. */
	if (ret->modes.len && ta_kernel_version(h, version) == 0)
		ret->says_all = version[0] > 6 || (version[0] == 6 && version[1] >= 13);
}

enum ta_movable ta_irqmove_of(const struct ta_irqmove *m, size_t vector)
{
	char mode = vector < m->modes.len ? m->modes.data[vector] : '?';

	if (mode == 'r')
		return TA_MOVABLE_NO;
	return mode == 'w' && m->says_all ? TA_MOVABLE_YES : TA_MOVABLE_UNKNOWN;
}

void ta_irqmove_done(struct ta_irqmove *m)
{
	ta_buf_done(&m->modes);
}
