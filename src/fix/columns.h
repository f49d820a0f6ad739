/*
 * Three columns of what a rule's fix would change: what runs, what is written down for the boot, what the next boot leaves.
 * From the facts alone: settings (sysctls), persist (devices and memory), units (limits of services), boot.modules.
 */
#pragma once

#include "audit/audit.h"
#include "facts/facts.h"

/*
 * Of everything that `call` names, whether its arguments have values or not. Nothing where the facts hold none of it: they were not
 * asked for, or it is of a container. 0 or -ENOMEM. The caller frees with ta_columns_done().
 */
int ta_columns_of(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_columns *ret);
