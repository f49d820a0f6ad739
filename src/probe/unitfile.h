/*
 * systemd's unit files and their drop-ins, as they hold for one service of the system manager: systemd.unit(5),
 * src/basic/unit-file.c, src/shared/dropin.c, src/core/load-dropin.c, src/shared/conf-parser.c of systemd (252 to 258).
 */
#pragma once

#include "base/strv.h"
#include "host/host.h"

struct ta_unit_line {
	unsigned file; /* index into the files of ta_unit_files */
	unsigned line; /* where it begins */
	const char *section, *key, *value;
};

typedef int ta_unit_fn(const struct ta_unit_line *line, void *ctx);

/*
 * Assignments of a text, in order; lines that go on behind a backslash are joined by a blank. `file` is handed on. A
 * non-zero return of fn stops and is returned; -ENOMEM.
 */
int ta_unit_parse(const char *text, size_t len, unsigned file, ta_unit_fn *fn, void *ctx);

struct ta_unit_files {
	struct ta_strv v; /* the unit's own file, if it has one, then its drop-ins in the order in which they hold */
	bool has_unit;
	/* Something that could not be read and may hold anything: 0 or -errno, and which. */
	int rc;
	char hole[256];
};

#define ta_cleanup_unit_files ta_cleanup(ta_unit_files_done)

/*
 * Finds the files of "nginx.service" or "web@1.service" and calls fn for each of their lines; later ones win. 0, -ENOMEM or
 * what fn returned. A name with a '/' has none.
 */
int ta_unit_files_read(struct ta_host *h, const char *unit, ta_unit_fn *fn, void *ctx, struct ta_unit_files *ret);
void ta_unit_files_done(struct ta_unit_files *u);

/* The same of the manager's own system.conf and its drop-ins. */
int ta_manager_files_read(struct ta_host *h, ta_unit_fn *fn, void *ctx, struct ta_unit_files *ret);
