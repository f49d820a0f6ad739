#include "fix/knob.h"

#include <errno.h>
#include <string.h>

const struct ta_knob *ta_knob_find(const char *name)
{
	for (size_t i = 0; i < ta_n_knobs; i++)
		if (!strcmp(ta_knobs[i]->name, name))
			return ta_knobs[i];
	return NULL;
}

enum ta_knob_order ta_knob_order(const struct ta_knob *knob, const char *target)
{
	return knob->order_of ? knob->order_of(target) : knob->order;
}

static bool is_clean(const char *text, size_t max, const char *but)
{
	size_t n = 0;

	for (; text[n]; n++)
		if ((((unsigned char)text[n] < ' ' || text[n] == 0x7f) && !strchr(but, text[n])) || n == max)
			return false;
	return true;
}

int ta_knob_check(const char *name, const char *target, const char *value, enum ta_value_use use, struct ta_err *err)
{
	const struct ta_knob *knob = ta_knob_find(name);

	if (!knob)
		return ta_err_set(err, -EPERM, "'%.40s' is no kind of thing that this program writes", name);
	if (!is_clean(target, TA_KNOB_TARGET_MAX, ""))
		return ta_err_set(err, -EINVAL, "%s: the target is too long or holds control characters", name);
	if (value && !is_clean(value, TA_KNOB_VALUE_MAX, knob->text ? "\n\t" : ""))
		return ta_err_set(err, -EINVAL, "%s %.200s: the value is too long or holds control characters", name, target);
	return knob->check(target, value, use, err);
}
