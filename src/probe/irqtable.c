/*
 * The table line by line, each kept row with its device.
 */
#include "probe/irqtable.h"

#include <errno.h>

static int on_line(const char *line, size_t len, void *ctx)
{
	struct ta_irqtable *t = ctx;
	struct ta_irq_row row;
	int rc;

	if (!t->header_seen) {
		t->header_seen = true;
		rc = ta_irq_columns_parse(line, &t->columns);
		if (rc != -EINVAL)
			return rc;
	}
	if (!ta_irq_row_parse(line, &t->columns, &row))
		return 0;
	t->row_seen = true;
	return ta_irqvecs_add(&t->vecs, &t->devs, &row, &t->columns);
}

/* Names that say nothing are rare: only then is it worth two more questions. */
static int ask_kernel(struct ta_host *h, struct ta_irqtable *t)
{
	ta_cleanup_napis struct ta_napis napis = TA_NAPIS_INIT;
	ta_cleanup_links struct ta_links links = TA_LINKS_INIT;
	int rc = ta_napis_read(h, &napis);

	if (rc == 0)
		rc = ta_links_netlink(h, &links);
	if (rc == 0)
		rc = ta_irqvecs_use_napis(&t->vecs, &napis, &links);
	return rc == -ENOMEM ? rc : 0;
}

int ta_irqtable_read(struct ta_host *h, struct ta_irqtable *t)
{
	int rc = ta_irqdevs_read(h, &t->devs);

	if (rc == 0)
		rc = ta_host_lines(h, "/proc/interrupts", on_line, t);
	/* No bytes, or lines with neither CPUs nor an interrupt: that is no table without interrupts. */
	if (rc == 0 && !t->columns.known && !t->row_seen)
		rc = -EBADMSG;
	if (rc == 0)
		rc = ta_irqvecs_finish(&t->vecs, &t->devs);
	return rc < 0 || !ta_irqvecs_unsettled(&t->vecs) ? rc : ask_kernel(h, t);
}

void ta_irqtable_done(struct ta_irqtable *t)
{
	ta_irqvecs_done(&t->vecs);
	ta_irq_columns_done(&t->columns);
	ta_irqdevs_done(&t->devs);
}
