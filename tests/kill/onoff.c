/*
 * What a trial does to a host without the load between: onoff PLAN STATE makes all changes of a saved plan and puts them back, twice,
 * then each of them alone.
 *
 * 0: done, and everything is put back; 5: something failed, and everything is put back; 6: not everything.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fix/onoff.h"
#include "fix/plan.h"

#define PLAN_MAX (1u << 20)

static int read_plan(const char *path, struct ta_plan *ret)
{
	static char text[PLAN_MAX];
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(text, 1, sizeof(text), f) : 0;
	struct ta_err err = {0};

	if (f)
		fclose(f);
	if (ta_plan_parse(text, n, ret, &err) == 0)
		return 0;
	fprintf(stderr, "onoff: %s\n", err.text);
	return -1;
}

/* Files are for confirm, not for a trial. */
static size_t choose(const struct ta_plan *p, struct ta_apply_item *items)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_actions; i++) {
		const struct ta_step *s = &p->actions[i].step;

		if (ta_knob_order(s->knob, s->target) != TA_ORDER_FILE)
			items[n++] = (struct ta_apply_item){s, p->actions[i].rules.v[0], "why", "none", NULL, NULL};
	}
	return n;
}

static int cycle(struct ta_onoff *o, size_t first, size_t n, struct ta_err *err)
{
	int rc = 0;

	for (size_t i = first; i < first + n && rc == 0; i++)
		rc = ta_onoff_on(o, i, err);
	rc = rc ?: ta_onoff_check(o, err);
	return rc ?: ta_onoff_off(o, err) ?: ta_onoff_check(o, err);
}

static int all(struct ta_onoff *o, size_t n, struct ta_err *err)
{
	int rc = cycle(o, 0, n, err) ?: cycle(o, 0, n, err);

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = cycle(o, i, 1, err);
	return rc;
}

static int run(struct ta_apply *a)
{
	struct ta_onoff o;
	struct ta_err err = {0}, why = {0};
	enum ta_apply_end end;
	int rc, ended;

	if (!ta_onoff_begin(a, &o, &end, &err)) {
		fprintf(stderr, "onoff: not begun: %s\n", err.text);
		ta_onoff_done(&o);
		return 5;
	}
	rc = all(&o, a->n, &err);
	ended = ta_onoff_end(&o, "a test", &why);
	ta_onoff_done(&o);
	if (rc < 0 || ended != 0)
		fprintf(stderr, "onoff: %s; in the end: %s\n", err.text, why.text);
	return ended < 0 ? 6 : rc < 0 || ended ? 5 : 0;
}

int main(int argc, char **argv)
{
	ta_cleanup_plan struct ta_plan plan = {0};
	ta_cleanup_state struct ta_state *state = NULL;
	struct ta_apply a = {.who = "test", .profile = "kill", .tool = "test", .runtime_only = true};
	struct ta_apply_item *items;
	struct ta_err err = {0};
	int code;

	if (argc != 3 || read_plan(argv[1], &plan) < 0)
		return 2;
	items = calloc(plan.n_actions + 1, sizeof(*items));
	if (!items || ta_host_live(&a.host, &err) < 0 || ta_state_open(a.host, argv[2], true, &state, &err) < 0) {
		fprintf(stderr, "onoff: %s\n", err.text);
		return 5;
	}
	a.state = state;
	a.items = items;
	a.n = choose(&plan, items);
	code = a.n ? run(&a) : 2;
	state = ta_state_close(state);
	ta_host_free(a.host);
	free(items);
	return code;
}
