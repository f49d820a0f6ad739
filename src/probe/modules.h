/*
 * What the kernel would do if something needed a module: a question that loads
 * one changes the host, so it has to be known before the question is asked.
 */
#pragma once

#include "host/host.h"

enum ta_module {
	TA_MODULE_LOADED,    /* in /proc/modules, or /sys/module knows it */
	TA_MODULE_BUILTIN,   /* part of the kernel image (modules.builtin) */
	TA_MODULE_AVAILABLE, /* a file that would be loaded (modules.dep) */
	TA_MODULE_ABSENT,    /* neither: asking loads nothing */
	TA_MODULE_STATIC,    /* the kernel has no loadable modules: asking loads nothing */
	TA_MODULE_UNKNOWN,   /* the lists of this kernel are not there to look at */
};

const char *ta_module_name(enum ta_module m); /* "loaded", "builtin", "available", "absent", "static", "unknown" */

/* True if a question that needs the module can be asked without loading one. */
bool ta_module_safe(enum ta_module m);

/* False only if it is known that this kernel can load no modules. */
bool ta_modules_loadable(struct ta_host *h);

/*
 * The states of `n` modules, names with '_' (file names may have '-'). Reads /lib/modules/RELEASE/ only for
 * those that are not loaded.
 */
void ta_modules_look(struct ta_host *h, const char *const *names, size_t n, enum ta_module *ret);
enum ta_module ta_module_look(struct ta_host *h, const char *name);

/*
 * "kernel/net/tls/tls.ko.xz: …" or "kernel/net/tls/tls.ko": is it the file of module `name`? Bytes in, for lines
 * of modules.dep and modules.builtin.
 */
bool ta_module_line_is(const char *line, const char *name);
