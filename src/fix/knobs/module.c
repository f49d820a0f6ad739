/*
 * "tcp_bbr" = "loaded" or "absent": a kernel module out of a closed table. Undoing removes it again if nothing uses it; the
 * kernel counts the sockets and interfaces that do.
 */
#include <errno.h>
#include <string.h>

#include "fix/step.h"
#include "host/change.h"

static const char *const names[] = {"tcp_bbr", "tcp_cubic", "tcp_htcp", "tls", "sch_fq", "sch_fq_codel", "sch_cake"};

void ta_modules_coupled(const char *prefix, struct ta_steps *ret)
{
	for (size_t i = 0; i < TA_ARRAY_SIZE(names); i++)
		if (!strncmp(names[i], prefix, strlen(prefix)))
			ta_steps_add(ret, &ta_knob_module, names[i], NULL);
}

static int check(const char *target, const char *value, enum ta_value_use use, struct ta_err *err)
{
	size_t i = 0;

	while (i < TA_ARRAY_SIZE(names) && strcmp(names[i], target) != 0)
		i++;
	if (i == TA_ARRAY_SIZE(names))
		return ta_err_set(err, -EPERM, "module.load: '%.80s' is not in the table of modules that may be loaded", target);
	if (value && strcmp(value, "loaded") && (use == TA_VALUE_WISHED || strcmp(value, "absent")))
		return ta_err_set(err, -EINVAL, "module %s cannot be '%.40s'", target, value);
	return 0;
}

/* Modules, and what is built in and has parameters or a version: kernel/params.c, kernel/module/sysfs.c. */
static int read_value(struct ta_host *h, const char *target, struct ta_buf *ret, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;

	ta_buf_printf(&path, "/sys/module/%s", target);
	ta_buf_reset(ret);
	ta_buf_adds(ret, ta_host_exists(h, ta_buf_text(&path)) ? "loaded" : "absent");
	return path.error ?: ret->error;
}

static int write_value(struct ta_host *h, const char *target, const char *value, struct ta_err *err)
{
	if (!strcmp(value, "loaded"))
		return ta_host_load_module(h, target, err);
	return ta_host_unload_module(h, target, err);
}

static void command(const char *target, const char *value, struct ta_buf *b)
{
	ta_buf_printf(b, "modprobe %s%s\n", strcmp(value, "loaded") ? "-r " : "", target);
}

const struct ta_knob ta_knob_module = {
	.name = "module",
	.order = TA_ORDER_MODULE,
	.lingers = true,
	.check = check,
	.read = read_value,
	.write = write_value,
	.command = command,
};
