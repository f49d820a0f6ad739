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

int ta_knob_check(const char *name, const char *target, const char *value, struct ta_err *err)
{
	const struct ta_knob *knob = ta_knob_find(name);

	if (!knob)
		return ta_err_set(err, -EPERM, "'%s' is no kind of thing that this program writes", name);
	if (value && strlen(value) > TA_KNOB_VALUE_MAX)
		return ta_err_set(err, -EINVAL, "%s %s: the value is too long", name, target);
	return knob->check(target, value, err);
}
