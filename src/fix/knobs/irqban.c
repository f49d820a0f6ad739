/*
 * "irqbalance" = "24 25 26" or "none": the interrupts that a running irqbalance is told to leave alone. It goes on with
 * all others, and forgets what it was told when it is started again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "fix/step.h"
#include "host/change.h"

/* Of more it would take a part: newer ones read 255 bytes of the list, older ones 500 of the message (irqbalance.c: sock_handle()). */
#define LIST_MAX 250

struct list {
	uint64_t v[LIST_MAX];
	size_t n;
};

static void add_number(struct list *l, uint64_t irq)
{
	size_t at = 0;

	while (at < l->n && l->v[at] < irq)
		at++;
	if ((at < l->n && l->v[at] == irq) || l->n == LIST_MAX)
		return;
	memmove(l->v + at + 1, l->v + at, (l->n - at) * sizeof(*l->v));
	l->v[at] = irq;
	l->n++;
}

static bool add_list(struct list *l, const char *text)
{
	uint64_t irq;
	int rc;

	if (!strcmp(text, "none"))
		return true;
	while ((rc = ta_next_u64(&text, &irq)) == 0)
		add_number(l, irq);
	return rc == -ENODATA;
}

static void print(const struct list *l, struct ta_buf *ret)
{
	ta_buf_reset(ret);
	if (!l->n)
		ta_buf_adds(ret, "none");
	for (size_t i = 0; i < l->n; i++)
		ta_buf_printf(ret, "%s%llu", i ? " " : "", (unsigned long long)l->v[i]);
}

static int check(const char *target, const char *value, enum ta_value_use use, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf again = TA_BUF_INIT;
	struct list list = {.n = 0};

	if (strcmp(target, "irqbalance") != 0)
		return ta_err_set(err, -EPERM, "irqban: '%.80s' is not irqbalance", target);
	if (!value)
		return 0;
	if (add_list(&list, value))
		print(&list, &again);
	if (strcmp(ta_buf_text(&again), value) != 0)
		return ta_err_set(err, -EINVAL, "irqban: '%.80s' is no list of interrupts", value);
	if (strlen(value) > LIST_MAX)
		return ta_err_set(err, -EINVAL, "irqbalance cannot be told to leave so many interrupts alone: stop it (systemctl "
						"disable --now irqbalance), then apply again");
	return 0;
}

static int read_value(struct ta_host *h, const char *target, struct ta_buf *ret, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct list list = {.n = 0};
	int rc = ta_host_irqbalance(h, &text);

	if (rc == -ESRCH) { /* and what it was told is forgotten */
		print(&list, ret);
		return ret->error;
	}
	if (rc == -ENOENT)
		return ta_err_set(err, rc, "irqbalance runs, but has no socket to be told by: stop it (systemctl disable --now "
					   "irqbalance), then apply again");
	if (rc < 0)
		return ta_err_set(err, rc, "irqbalance does not tell what it leaves alone: %s", ta_errno_text(rc));
	for (const char *at = ta_buf_text(&text); (at = strstr(at, "IRQ "));) {
		uint64_t irq;

		at += strlen("IRQ ");
		if (ta_next_u64(&at, &irq) < 0)
			return ta_err_set(err, -EBADMSG, "irqbalance answers in a form that is not known");
		add_number(&list, irq);
	}
	print(&list, ret);
	return ret->error;
}

static int write_value(struct ta_host *h, const char *target, const char *value, struct ta_err *err)
{
	int rc = ta_host_set_irqbalance(h, strcmp(value, "none") ? value : "");

	return rc < 0 ? ta_err_set(err, rc, "irqbalance cannot be told what to leave alone: %s", ta_errno_text(rc)) : 0;
}

static int join(const char *before, const char *wish, struct ta_buf *ret)
{
	struct list list = {.n = 0};

	if (!add_list(&list, before) || !add_list(&list, wish))
		return -EINVAL;
	print(&list, ret);
	return ret->error;
}

static void command(const char *target, const char *value, struct ta_buf *b)
{
	ta_buf_adds(b, "# irqbalance is told by its socket to leave these alone; after its next start it has forgotten that\n"
		       "printf 'settings ban irqs ");
	ta_buf_printf(b, "%s' | socat - UNIX-CONNECT:$(ls /run/irqbalance/irqbalance*.sock)\n",
		strcmp(value, "none") ? value : "NONE");
}

const struct ta_knob ta_knob_irqban = {
	.name = "irqban",
	.order = TA_ORDER_RSS, /* before the interrupts are placed */
	.check = check,
	.read = read_value,
	.write = write_value,
	.join = join,
	.command = command,
};
