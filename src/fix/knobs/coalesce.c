/*
 * "eth0 adaptive-rx": one setting of interrupt moderation, "on" or a number; "eth0": all that the driver has. Changed while
 * traffic flows.
 */
#include "fix/nicknob.h"
#include "fix/step.h"

static int check(const char *target, const char *value, enum ta_value_use use, struct ta_err *err)
{
	return ta_nic_group_check(&ta_nic_coalesce, target, value, use, err);
}

static int read_value(struct ta_host *h, const char *target, struct ta_buf *ret, struct ta_err *err)
{
	return ta_nic_group_read(&ta_nic_coalesce, h, target, ret, err);
}

static int write_value(struct ta_host *h, const char *target, const char *value, struct ta_err *err)
{
	return ta_nic_group_write(&ta_nic_coalesce, h, target, value, err);
}

static void command(const char *target, const char *value, struct ta_buf *b)
{
	ta_nic_group_command(&ta_nic_coalesce, target, value, b);
}

/* Drivers with fixed profiles put several numbers where one was asked for. */
static int coupled(struct ta_host *h, const char *target, struct ta_steps *ret, struct ta_err *err)
{
	struct ta_nic_target t;
	int rc = ta_nic_target_parse(target, true, &t, err);

	if (rc < 0)
		return rc;
	if (t.field)
		ta_steps_add(ret, &ta_knob_coalesce, t.ifname, NULL);
	return ret->error;
}

const struct ta_knob ta_knob_coalesce = {
	.name = "coalesce",
	.order = TA_ORDER_NIC,
	.nic = true,
	.check = check,
	.read = read_value,
	.may = ta_nic_may,
	.write = write_value,
	.command = command,
	.coupled = coupled,
};
