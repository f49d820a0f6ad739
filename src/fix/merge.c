/*
 * Two rules, one target. A vector is as many targets as it has elements; "at least" and "at least" agree on the larger.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "fix/describe.h"
#include "fix/planparts.h"

void ta_plan_directions(const struct ta_fix_call *call, enum ta_direction (*ret)[TA_FIX_ELEMENTS])
{
	int64_t index = -1;

	ta_fix_arg_i64_opt(call, "index", 0, TA_FIX_ELEMENTS - 1, &index, NULL);
	for (size_t i = 0; i < TA_FIX_ELEMENTS; i++) {
		size_t at = index >= 0 ? 0 : i;

		if (index >= 0 && (size_t)index != i)
			(*ret)[i] = TA_DIR_RAISE;
		else
			(*ret)[i] = at < call->n_directions ? call->direction[at] : TA_DIR_EXACT;
	}
}

/* The numbers of a value; false if it is something else. */
static bool numbers(const char *text, int64_t (*ret)[TA_FIX_ELEMENTS], size_t *ret_n)
{
	size_t n = 0;

	while (text[strspn(text, " ")]) {
		if (n == TA_FIX_ELEMENTS || ta_next_i64(&text, &(*ret)[n]) < 0)
			return false;
		n++;
	}
	*ret_n = n;
	return n > 0;
}

/* The element that both wishes are served by, or -EEXIST. */
static int agree(int64_t before, int64_t *x, enum ta_direction *x_dir, int64_t y, enum ta_direction y_dir)
{
	if (*x == y || y == before)
		return 0;
	if (*x == before) {
		*x = y;
		*x_dir = y_dir;
		return 0;
	}
	if (*x_dir != y_dir || (y_dir != TA_DIR_RAISE && y_dir != TA_DIR_LOWER))
		return -EEXIST;
	*x = y_dir == TA_DIR_RAISE ? TA_MAX(*x, y) : TA_MIN(*x, y);
	return 0;
}

/* `x` becomes the value that serves both. */
static int merge_elements(struct ta_action *a, const struct ta_finding *second, const char *after, struct ta_buf *ret)
{
	int64_t before[TA_FIX_ELEMENTS], x[TA_FIX_ELEMENTS], y[TA_FIX_ELEMENTS];
	enum ta_direction dir[TA_FIX_ELEMENTS];
	size_t n, n_x, n_y;

	if (!numbers(a->step.before, &before, &n) || !numbers(a->step.after, &x, &n_x) || !numbers(after, &y, &n_y) ||
		n != n_x || n != n_y)
		return -EEXIST;
	ta_plan_directions(&second->out.fix, &dir);
	for (size_t i = 0; i < n; i++) {
		int rc = agree(before[i], &x[i], &a->direction[i], y[i], dir[i]);

		if (rc < 0)
			return rc;
		ta_buf_printf(ret, "%s%lld", i ? " " : "", (long long)x[i]);
	}
	return ret->error;
}

int ta_plan_merge(struct ta_action *a, const struct ta_finding *second, const char *after)
{
	ta_cleanup_buf struct ta_buf merged = TA_BUF_INIT;
	char *copy;
	int rc;

	if (!strcmp(a->step.after, after))
		return 0;
	rc = a->step.knob->join ? a->step.knob->join(a->step.after, after, &merged) : merge_elements(a, second, after, &merged);
	/* An order that neither would keep with the other's elements is a contradiction too. */
	if (rc == 0 && a->step.knob->check(a->step.target, ta_buf_text(&merged), TA_VALUE_WISHED, NULL) < 0)
		rc = -EEXIST;
	if (rc < 0)
		return rc;
	copy = ta_buf_steal(&merged);
	if (!copy)
		return -ENOMEM;
	free(a->step.after);
	a->step.after = copy;
	return 0;
}
