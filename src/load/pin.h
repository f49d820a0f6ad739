/*
 * Each end of a load run on CPUs of its own: the scheduler then moves neither, and what one end costs is not what the other end
 * does to its caches. Of the CPUs that this process may use the built-in server has the first half, the client the rest.
 */
#pragma once

#include <pthread.h>
#include <sched.h>

#include "base/err.h"

enum ta_pin_end { TA_PIN_SERVER, TA_PIN_CLIENT };

/* The half of `all` that an end has. 0, or -EINVAL with the text: there is only one CPU. */
int ta_pin_half(const cpu_set_t *all, enum ta_pin_end end, cpu_set_t *ret, struct ta_err *err);

/* The calling thread, and the threads that it starts from then on. 0 or -errno with the text. */
int ta_pin_end(enum ta_pin_end end, struct ta_err *err);

/* The `index`-th of several threads to one of the CPUs that the calling thread may use; more threads than those share them. */
int ta_pin_thread(pthread_t thread, unsigned index);
