#include "fix/step.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fix/describe.h"

static void step_done(struct ta_step *s)
{
	free(s->target);
	free(s->before);
	free(s->after);
	free(s->device);
}

void ta_steps_done(struct ta_steps *s)
{
	for (size_t i = 0; i < s->n; i++)
		step_done(&s->v[i]);
	free(s->v);
	*s = (struct ta_steps)TA_STEPS_INIT;
}

static bool grow(struct ta_steps *s)
{
	size_t size = s->size ? s->size * 2 : 8;
	struct ta_step *v;

	if (s->n < s->size)
		return true;
	v = reallocarray(s->v, size, sizeof(*v));
	if (!v)
		return false;
	s->v = v;
	s->size = size;
	return true;
}

void ta_steps_commands(const struct ta_steps *s, struct ta_buf *b)
{
	for (size_t i = 0; i < s->n; i++)
		s->v[i].knob->command(s->v[i].target, s->v[i].after, b);
	if (s->error && !b->error)
		b->error = s->error;
}

struct ta_step *ta_steps_add(struct ta_steps *s, const struct ta_knob *knob, const char *target, const char *after)
{
	struct ta_step step = {.knob = knob};

	if (s->error)
		return NULL;
	step.target = strdup(target);
	step.after = after ? strdup(after) : NULL;
	if (!step.target || (after && !step.after) || !grow(s)) {
		step_done(&step);
		s->error = -ENOMEM;
		return NULL;
	}
	s->v[s->n] = step;
	return &s->v[s->n++];
}

void ta_step_label(const struct ta_knob *knob, const char *target, struct ta_buf *b)
{
	size_t name = knob->nic ? strcspn(target, " ") : strlen(target);

	ta_buf_add(b, target, name);
	if (knob->nic)
		ta_buf_printf(b, " %s%s", knob->name, target + name);
}
