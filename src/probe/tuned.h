/*
 * What TuneD will set at boot: its active profiles, those that they include, and the sysctls in them
 * (tuned/profiles/loader.py, merger.py, tuned/plugins/plugin_sysctl.py; TuneD 2.11 to 2.26).
 */
#pragma once

#include "base/strv.h"
#include "host/host.h"

struct ta_tuned_option {
	char *section;
	char *key;
	char *value;
	unsigned file; /* index into files */
	unsigned line;
	bool sysctl; /* the section is one of sysctls */
};

struct ta_tuned {
	char *active;         /* profile names, one blank between them; NULL: none is chosen */
	bool reapply;         /* /etc and /run/sysctl.d are applied again behind it (reapply_sysctl) */
	struct ta_strv files; /* profiles that were read, those included before those that include them */
	struct ta_tuned_option *options;
	size_t n;
	int rc; /* 0, or why something of it is not known; then `hole` is the file */
	char *hole;
};

#define ta_cleanup_tuned ta_cleanup(ta_tuned_done)

/* 0 or -ENOMEM. Where there is no TuneD, `active` is NULL. */
int ta_tuned_read(struct ta_host *h, struct ta_tuned *ret);
void ta_tuned_done(struct ta_tuned *t);

/* Whether it runs: 1, 0, or why that is not known; the same for whether it sets its profile at the next boot. */
int ta_tuned_runs(struct ta_host *h);
int ta_tuned_at_boot(struct ta_host *h);

/*
 * The lines of a profile, without comments: fn(section, key, value, line). Bytes in. A non-zero return of fn stops
 * and is returned; -ENOMEM.
 */
int ta_tuned_parse(const char *text, size_t len,
	int (*fn)(const char *section, const char *key, const char *value, unsigned line, void *ctx), void *ctx);
