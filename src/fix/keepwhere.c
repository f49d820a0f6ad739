/*
 * Which file keeps a change, on this host: what reads it at boot has to be there, and to come when what is set is there.
 */
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "fix/describe.h"
#include "fix/keep.h"
#include "fix/linkline.h"

static int nowhere(struct ta_buf *why, const char *text)
{
	ta_buf_adds(why, text);
	return why->error ?: -ENOENT;
}

static bool init_is(const struct ta_facts *facts, const char *name)
{
	const char *init = ta_facts_get_str(facts, TA_KEYS("place", "init"));

	return init && !strcmp(init, name);
}

/* The event is in 6.1 and not in 5.10 (drivers/nvme/host/core.c: nvme_start_ctrl()). */
static bool tells_nvme_connected(const struct ta_facts *facts)
{
	struct json_object *version = ta_facts_at(facts, TA_KEYS("kernel", "version"));
	int64_t major = 0, minor = 0;

	if (!json_object_is_type(version, json_type_array) || json_object_array_length(version) < 2)
		return false;
	ta_fix_json_i64(json_object_array_get_idx(version, 0), &major);
	ta_fix_json_i64(json_object_array_get_idx(version, 1), &minor);
	return major > 6 || (major == 6 && minor >= 1);
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Ours are read by the system when the attribute is there; else it is set by us, later. */
static const char *attr_file(const char *target, const struct ta_facts *facts)
{
	if (begins(target, "/sys/block/"))
		return TA_OWN_UDEV;
	if (begins(target, "/sys/class/nvme/"))
		return tells_nvme_connected(facts) ? TA_OWN_UDEV : TA_OWN_BOOT;
	/* Drivers of the clock's speed come as modules, after systemd-tmpfiles. */
	return begins(target, "/sys/kernel/") || begins(target, "/sys/devices/system/clocksource/") ? TA_OWN_TMPFILES : TA_OWN_BOOT;
}

/* NULL: nothing of the kind starts here. */
static const char *file_for(const struct ta_step *s, const struct ta_facts *facts)
{
	if (s->knob == &ta_knob_sysctl)
		return TA_OWN_SYSCTL;
	if (init_is(facts, "procd"))
		return TA_OWN_BOOT;
	if (ta_facts_get_str(facts, TA_KEYS("place", "init")) && !init_is(facts, "systemd"))
		return NULL;
	if (s->knob == &ta_knob_module)
		return TA_OWN_MODULES;
	return s->knob == &ta_knob_attr ? attr_file(s->target, facts) : TA_OWN_BOOT;
}

bool ta_keep_is_overridden(const struct ta_facts *facts, const char *key)
{
	const char *file = ta_facts_get_str(facts, TA_KEYS("settings", key, "file"));
	const char *by = ta_facts_get_str(facts, TA_KEYS("settings", key, "set_by"));
	const char *loader = ta_facts_get_str(facts, TA_KEYS("boot", "sysctl_loader"));

	if (!file || !by || !strcmp(file, TA_OWN_SYSCTL) || !strrchr(file, '/'))
		return false;
	/* TuneD sets its own when it starts; where it applies the files once more behind them, it is not told as the winner. */
	if (!strcmp(by, "ufw") || !strcmp(by, "tuned"))
		return true;
	if (strcmp(by, "sysctl.d") != 0)
		return false;
	/* sysctl(8) --system reads it last */
	if (!strcmp(file, "/etc/sysctl.conf") && loader && strcmp(loader, "systemd-sysctl"))
		return true;
	return strcmp(strrchr(file, '/') + 1, strrchr(TA_OWN_SYSCTL, '/') + 1) > 0;
}

static int check_sysctl(const struct ta_step *s, const struct ta_facts *facts, struct ta_buf *why)
{
	const char *loader = ta_facts_get_str(facts, TA_KEYS("boot", "sysctl_loader"));
	const char *by = ta_facts_get_str(facts, TA_KEYS("settings", s->target, "set_by"));
	const char *rival = ta_knob_sysctl.rival(s->target);

	if (loader && !strcmp(loader, "none"))
		return nowhere(why, "nothing applies sysctl files when this host starts");
	if (!loader && ta_facts_get_str(facts, TA_KEYS("place", "init")) && !init_is(facts, "systemd") && !init_is(facts, "procd"))
		return nowhere(why, "it is not known what applies sysctl files when this host starts");
	if (rival && ta_keep_is_overridden(facts, rival)) {
		ta_setting_place(facts, rival, why);
		ta_buf_printf(why, " sets %s, which makes it void, and is read after any file of ours: take that line out", rival);
		return why->error ?: -ENOENT;
	}
	if (!ta_keep_is_overridden(facts, s->target))
		return 0;
	ta_setting_place(facts, s->target, why);
	return nowhere(why, !strcmp(by, "tuned") ? " sets it when TuneD starts, which is after any file of ours: change it there"
						 : " sets it, and is read after any file of ours: change that line");
}

int ta_keep_step(const struct ta_step *step, const struct ta_facts *facts, struct ta_buf *ret_file, struct ta_buf *ret_line,
	struct ta_buf *why)
{
	const char *file;
	int rc;

	/* Found in a capture: no kernel gives an interface such a name. */
	if (step->knob->check(step->target, NULL, TA_VALUE_WISHED, NULL) < 0)
		return -ENOENT;
	/* A file already; and irqbalance is told by whoever places the interrupts. */
	if (ta_knob_order(step->knob, step->target) == TA_ORDER_FILE || step->knob == &ta_knob_irqban)
		return -ENOENT;
	if (step->knob == &ta_knob_netsysctl || ta_fix_in_container(facts))
		return nowhere(why, "what a container starts with is set where it is configured");
	rc = step->knob == &ta_knob_sysctl ? check_sysctl(step, facts, why) : 0;
	if (rc < 0)
		return rc;
	file = file_for(step, facts);
	if (file && !init_is(facts, "procd") && ta_link_make(step, facts, ret_file, ret_line) == 0)
		return 0;
	if (!file)
		return nowhere(why, "it takes systemd, or procd, to keep it");
	rc = ta_keep_line(file, step, facts, ret_line);
	if (rc == -ENOENT)
		return nowhere(why, "what it is called at the next start cannot be told");
	ta_buf_adds(ret_file, file);
	return rc ?: ret_file->error;
}

/* --- for who reads it --------------------------------------------------------------------- */

void ta_fix_keep_steps(struct ta_fix_text *ret, const struct ta_steps *steps, const struct ta_facts *facts)
{
	for (size_t i = steps->n; i-- > 0;) {
		ta_cleanup_buf struct ta_buf file = TA_BUF_INIT, line = TA_BUF_INIT, why = TA_BUF_INIT, all = TA_BUF_INIT;

		if (ta_keep_step(&steps->v[i], facts, &file, &line, &why) < 0)
			continue;
		if (!ret->persist_file.len)
			ta_buf_adds(&ret->persist_file, ta_buf_text(&file));
		if (strcmp(ta_buf_text(&ret->persist_file), ta_buf_text(&file)) != 0) {
			ta_buf_printf(&ret->command, "# keep it, too, in %s: %s", ta_buf_text(&file), ta_buf_text(&line));
			continue;
		}
		ta_buf_printf(&all, "%s%s", ta_buf_text(&line), ta_buf_text(&ret->persist_text));
		ta_buf_reset(&ret->persist_text);
		ta_buf_adds(&ret->persist_text, ta_buf_text(&all));
	}
}
