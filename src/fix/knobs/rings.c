/*
 * "eth0 rx": the length of a ring, in packets; "eth0": all of them. Drivers reset their queues for it and some take the link
 * down; what is above 0 and too small is raised by some without a word (igc: 64).
 */
#include "fix/nicknob.h"
#include "fix/step.h"

static int check(const char *target, const char *value, enum ta_value_use use, struct ta_err *err)
{
	return ta_nic_group_check(&ta_nic_rings, target, value, use, err);
}

static int read_value(struct ta_host *h, const char *target, struct ta_buf *ret, struct ta_err *err)
{
	return ta_nic_group_read(&ta_nic_rings, h, target, ret, err);
}

static int write_value(struct ta_host *h, const char *target, const char *value, struct ta_err *err)
{
	return ta_nic_group_write(&ta_nic_rings, h, target, value, err);
}

static void command(const char *target, const char *value, struct ta_buf *b)
{
	ta_nic_group_command(&ta_nic_rings, target, value, b);
}

static int coupled(struct ta_host *h, const char *target, struct ta_steps *ret, struct ta_err *err)
{
	struct ta_nic_target t;
	int rc = ta_nic_target_parse(target, true, &t, err);

	return rc < 0 ? rc : ta_nic_coupled_queues(h, t.ifname, &ta_knob_rings, ret);
}

const struct ta_knob ta_knob_rings = {
	.name = "rings",
	.order = TA_ORDER_QUEUES,
	.nic = true,
	.check = check,
	.read = read_value,
	.may = ta_nic_may,
	.write = write_value,
	.command = command,
	.coupled = coupled,
};
