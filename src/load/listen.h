/*
 * A listening TCP socket of a service.
 */
#pragma once

#include "load/service.h"

/* Where `o` says, for whom it says; fills the address that it got. The descriptor (does not block, closed on exec), or -errno with the text. */
int ta_load_listen(const struct ta_server_options *o, struct ta_served *ret, struct ta_err *err);
