#include "load/hold/lend.h"

#include <errno.h>
#include <stdio.h>

#include "load/hold/verdict.h"

int ta_hold_lend(struct ta_host *h, uint64_t connections, uint64_t each, const struct ta_server_options *at,
	struct ta_hold_board **ret, struct ta_err *err)
{
	struct ta_hold_setup s = {.listen = at->addr, .listen_len = at->addr_len, .only = at->only};
	struct ta_room room;
	int rc = ta_room_read(h, &room);

	if (rc == 0)
		rc = ta_hold_plan_servers(&room, connections, each, &s.plan, err);
	if (rc < 0)
		return rc;
	s.backlog = (int)room.somaxconn;
	*ret = ta_hold_board_new(&s);
	if (!*ret)
		return ta_err_set(err, -ENOMEM, "out of memory");
	(*ret)->outcome.room = room;
	return 0;
}

static void user_memory(struct ta_host *h, const struct ta_hold_board *b, struct ta_hold_user *ret)
{
	*ret = (struct ta_hold_user){0};
	for (unsigned i = 0; i < b->setup.plan.servers; i++)
		ta_hold_user_add(h, b->servers[i].pid, ret);
}

void ta_hold_lent(struct ta_host *h, struct ta_hold_board *b)
{
	user_memory(h, b, &b->outcome.user_idle);
	ta_hold_kernel_read(h, &b->outcome.idle);
}

void ta_hold_tell_held(const struct ta_hold_board *b, struct ta_control *ret)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	*ret = (struct ta_control){.kind = TA_CONTROL_HELD};
	ta_hold_accepted(b, &ret->hold.accepted, &ret->hold.open);
	for (unsigned i = 0; i < b->setup.plan.servers && !text.len; i++)
		ta_hold_limit(&b->outcome.room, atomic_load(&b->servers[i].limit), "server process of the peer", &text);
	snprintf(ret->text, sizeof(ret->text), "%s", text.len ? ta_buf_text(&text) : "-");
}

void ta_hold_tell_took(struct ta_host *h, struct ta_hold_board *b, struct ta_control *ret)
{
	struct ta_hold_outcome *o = &b->outcome;
	struct ta_control_hold *t = &ret->hold;
	double kernel;

	*ret = (struct ta_control){.kind = TA_CONTROL_TOOK};
	user_memory(h, b, &o->user_held);
	ta_hold_kernel_read(h, &o->full);
	ta_hold_accepted(b, &t->accepted, &t->open);
	kernel = t->open ? ta_hold_kernel_grown(&o->idle, &o->full, t->open, &t->by_caches) : 0;
	t->idle = o->user_idle.pss;
	t->held = o->user_held.pss;
	t->grown = ta_hold_user_grown(&o->user_idle, &o->user_held);
	t->kernel = kernel > 0 ? (uint64_t)kernel : 0;
}
