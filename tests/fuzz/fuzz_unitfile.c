/*
 * Units, .link files, limits of logins, irqbalance's configurations and what cloud-init leaves, from any bytes, as they
 * are and as they come out of the filter of secrets. The first byte chooses.
 */
#include <stdlib.h>
#include <string.h>

#include "host/redact.h"
#include "probe/irqbalance.h"
#include "probe/pamlimits.h"
#include "probe/unitfile.h"
#include "probe/unitset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int on_line(const struct ta_unit_line *l, void *ctx)
{
	struct ta_rlimit_text r;

	if (!l->line || strchr(l->key, '\n') || strchr(l->value, '\n'))
		abort();
	if (ta_rlimit_parse(l->value, &r) == 0 && r.soft > r.hard)
		abort();
	return ++*(unsigned *)ctx > 100000 ? 1 : 0;
}

static void irqbalance(const char *text, bool uci)
{
	struct ta_irqbalance c = {.oneshot = false};
	bool enabled;

	(void)(uci ? ta_irqbalance_parse_uci(text, &c, &enabled) : ta_irqbalance_parse(text, &c));
	(void)ta_irqbalance_assign(&c, text);
	if (c.n_irqs > TA_IRQBALANCE_IRQS)
		abort();
	ta_cpuset_done(&c.cpus);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const paths[] = {"/etc/systemd/system/a.service", "/etc/systemd/network/a.link",
		"/etc/security/limits.conf", "/etc/config/irqbalance", "/etc/default/irqbalance"};
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_pam_limits limits = {.more = false};
	unsigned kind, lines = 0;

	if (!size)
		return 0;
	kind = data[0] % TA_ARRAY_SIZE(paths);
	ta_buf_add(&text, data + 1, size - 1);
	if (data[0] & 0x80)
		ta_redact(paths[kind], &text);
	if (kind < 2)
		(void)ta_unit_parse(ta_buf_text(&text), text.len, 0, on_line, &lines);
	else if (kind == 2)
		ta_pam_limits_parse(ta_buf_text(&text), paths[kind], &limits);
	else
		irqbalance(ta_buf_text(&text), kind == 3);
	return 0;
}
