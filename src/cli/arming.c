#include "cli/arming.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/state.h"
#include "host/supervisor.h"

/* The directory by its whole name, since the supervisor stands elsewhere. */
int ta_arming_start(unsigned run, void *ctx, struct ta_err *err)
{
	struct ta_arming *a = ctx;
	ta_cleanup_buf struct ta_buf maker = TA_BUF_INIT, number = TA_BUF_INIT, name = TA_BUF_INIT;
	char *dir = realpath(a->dir ? a->dir : TA_STATE_DIR, NULL);
	enum ta_supervisor_kind kind = TA_SUPERVISOR_PROCESS;
	struct ta_process me = {0};
	struct ta_err service = {0};
	int rc = dir ? ta_process_read(a->host, getpid(), &me) : -errno;

	ta_buf_printf(&maker, "%lld:%lld", (long long)me.pid, (long long)me.start);
	ta_buf_printf(&number, "%u", run);
	ta_buf_printf(&name, "tuneaudit-confirm-%u-%lld", run, (long long)me.pid);
	if (rc == 0)
		rc = ta_supervisor_start(a->host, ta_buf_text(&name),
			(const char *[]){"supervise", ta_buf_text(&number), "--state", dir, "--maker", ta_buf_text(&maker), NULL},
			&kind, &service, err);
	else
		ta_err_set(err, rc, "%s", ta_errno_text(rc));
	free(dir);
	if (rc < 0)
		return ta_err_prefix(err, rc, "who would undo it cannot be started");
	if (*service.text && !a->cli->quiet)
		ta_cli_fail(0, "systemd does not run what would undo it (%s): it is a process, which a logout may end "
			"(KillUserProcesses= in logind.conf(5))", service.text);
	return 0;
}
