/*
 * A page for people: the result in JSON, as `report` would read it from a file, beside the facts.
 */
#include <errno.h>

#include "report/page/page.h"
#include "report/report.h"

extern const struct ta_format ta_format_json;

/* What the pictures are made of, whatever rules were selected. */
static const char *const owners[] = {"irq", "nic", "nic_queues", "nic_irq", "nic_steering", "numa", "cpu", "counters", NULL};

static void check(const struct ta_audit *a, const struct ta_facts *facts, const struct ta_report_options *o, struct ta_buf *ret)
{
	const struct ta_page_options options = {.tool_version = o->tool_version};
	ta_cleanup_buf struct ta_buf json = TA_BUF_INIT;
	struct ta_page *page = ta_page_new();
	int rc = page ? 0 : -ENOMEM;

	ta_format_json.check(a, facts, o, &json);
	if (rc == 0)
		rc = json.error ? json.error : ta_page_add(page, "this host", ta_buf_text(&json), json.len, NULL);
	if (rc == 0)
		rc = ta_page_add_facts(page, "this host", facts);
	if (rc == 0)
		ta_page_write(page, &options, ret);
	else if (!ret->error)
		ret->error = rc;
	ta_page_free(page);
}

const struct ta_format ta_format_html = {
	.name = "html",
	.summary = "a page to look at and to send around",
	.explains_passes = true,
	.owners = owners,
	.check = check,
};
