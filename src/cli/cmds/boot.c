/*
 * tuneaudit boot: what the unit of ours runs when the host starts.
 */
#include <errno.h>
#include <stdio.h>

#include "cli/changing.h"
#include "cli/pause.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "fix/boot.h"
#include "probe/collect.h"

struct values {
	const char *state;
	int64_t wait;
};

static const struct ta_option options[] = {
	{.name = "wait",
		.arg = "SECONDS",
		.kind = TA_OPT_NUMBER,
		.help = "how long to wait for devices that are not there yet (default 30)",
		.offset = offsetof(struct values, wait),
		.unset = 30,
		.min = 0,
		.max = 600},
	TA_OPTION_STATE(struct values, state),
};

/* Another run may be changing the same things: its end is waited for, as long as for devices. */
static int lock(const struct values *v, struct ta_host *h, int64_t *left, struct ta_state **ret)
{
	struct ta_err err = {0};
	int rc;

	if (!ta_changing_is_there(h, v->state))
		return TA_EXIT_OK;
	while ((rc = ta_state_open(h, v->state ? v->state : TA_STATE_DIR, true, ret, &err)) == -EWOULDBLOCK && *left > 0) {
		ta_pause(1, false);
		--*left;
	}
	if (rc == -EWOULDBLOCK)
		return ta_cli_fail(TA_EXIT_LOCKED, "nothing was set: %s", err.text);
	/* A journal that cannot be opened hinders nobody else: there is no run beside us then. */
	return TA_EXIT_OK;
}

static int look(struct ta_host *h, struct ta_facts **ret, struct ta_err *err)
{
	ta_cleanup_strv struct ta_strv owners = TA_STRV_INIT;

	ta_strv_add(&owners, "nic");
	ta_strv_add(&owners, "irq");
	return owners.error ?: ta_collect(h, &owners, NULL, ret, err);
}

static int set_all(struct ta_host *h, struct ta_boot *b, int64_t left)
{
	for (;;) {
		struct ta_facts *facts = NULL;
		struct ta_err err = {0};
		int waiting = look(h, &facts, &err);

		if (waiting < 0)
			return ta_cli_fail(TA_EXIT_INTERNAL, "%s", err.text);
		waiting = ta_boot_try(h, facts, b);
		ta_facts_free(facts);
		if (waiting < 0)
			return ta_cli_fail(TA_EXIT_INTERNAL, "out of memory");
		if (!waiting || left-- <= 0)
			return TA_EXIT_OK;
		ta_pause(1, false);
	}
}

static int tell(struct ta_cli *cli, const struct ta_boot *b)
{
	size_t n[TA_BOOT_FAILED + 1] = {0};

	for (size_t i = 0; i < b->n; i++) {
		const struct ta_boot_item *item = &b->v[i];

		n[item->state]++;
		if (item->state == TA_BOOT_WAITS || item->state == TA_BOOT_FAILED)
			ta_cli_fail(0, "not set: %s: %s", item->text, item->why);
	}
	ta_buf_printf(&cli->out, "%zu set, %zu as they are to be already, %zu not set.\n", n[TA_BOOT_SET], n[TA_BOOT_WAS],
		n[TA_BOOT_WAITS] + n[TA_BOOT_FAILED]);
	return n[TA_BOOT_WAITS] + n[TA_BOOT_FAILED] ? TA_EXIT_FINDINGS : TA_EXIT_OK;
}

static int run(struct ta_cli *cli, void *values, const struct ta_strv *args)
{
	const struct values *v = values;
	ta_cleanup(ta_session_done) struct ta_session session = TA_SESSION_INIT;
	ta_cleanup_state struct ta_state *state = NULL;
	ta_cleanup_boot struct ta_boot b = {0};
	int64_t left = v->wait;
	struct ta_err err = {0};
	int code, rc;

	if (ta_host_live(&session.host, &err) < 0)
		return ta_cli_fail(TA_EXIT_INTERNAL, "%s", err.text);
	ta_progress_begin(cli->quiet, "Waiting for another run");
	code = lock(v, session.host, &left, &state);
	ta_progress_end();
	if (code != TA_EXIT_OK)
		return code;
	if (state)
		ta_changing_settle(session.host, state); /* a journal that cannot be written does not keep the rest from being set */
	rc = ta_boot_read(session.host, &b, &err);
	if (rc < 0)
		return ta_cli_fail(rc == -ENOMEM ? TA_EXIT_INTERNAL : TA_EXIT_USAGE, "nothing was set: %s", err.text);
	ta_progress_begin(cli->quiet, "Setting what is there, waiting for the rest");
	code = set_all(session.host, &b, left);
	ta_progress_end();
	return code == TA_EXIT_OK ? tell(cli, &b) : code;
}

const struct ta_command ta_command_boot = {
	.name = "boot",
	.args = "",
	.summary = "sets what 'apply' left for the start of the host; its unit runs this",
	.about = "Sets what /etc/tuneaudit/boot.conf says: settings that no file of the system can keep over a restart, as the CPUs of "
		 "interrupts. 'apply' writes that file, and the unit tuneaudit-boot.service that runs this command; 'rollback' takes both "
		 "back. Interfaces are found by the address of their device, interrupts by interface and queue. Runs that the restart has "
		 "undone, since nobody had confirmed them, are marked so.\n\n"
		 "What is not there yet is waited for; what could not be set is told, and the start of the host goes on without it.",
	.exits = "0\teverything is set, or there is nothing to set\n"
		 "1\tsomething could not be set: what, and why, is told\n"
		 "2\twrong usage, or the file is not as this program wrote it\n"
		 "70\tinternal error, or the output could not be written\n"
		 "75\tanother run is changing this host\n",
	.examples = "sudo tuneaudit boot --wait 0\twhat the next start will set, now\n",
	.options = options,
	.n_options = TA_ARRAY_SIZE(options),
	.values_size = sizeof(struct values),
	.max_args = 0,
	.run = run,
};
