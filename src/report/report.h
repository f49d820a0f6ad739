/*
 * Formats: a result in, bytes out. They compute nothing (law 2).
 * To add one: src/report/formats/NAME.c with  const struct ta_format ta_format_NAME.
 */
#pragma once

#include "baseline/drift.h"

/* Of a finding whose evidence is known to be false; these words, in every format. */
#define TA_REPORT_NOT_SEEN "set below the guide, but nothing shows that it hurts here"

struct ta_report_options {
	unsigned columns; /* width for text; at least 20 */
	bool color;
	bool unicode; /* the terminal shows UTF-8 */
	int verbosity; /* -1 quiet, 0, 1 verbose */
	const char *tool_version;
	const char *program; /* as it was called, a shell word: "tuneaudit", "build/tuneaudit" */
	const char *how;     /* options to repeat in suggested commands: " --profile gateway", "" */
	const char *no_root; /* how to ask with more rights: "sudo tuneaudit check"; NULL: we have
				them */
	int exit_code; /* that the command ends with if this can be printed */
	const struct ta_drift *drift; /* since the baseline; NULL: nobody asked */
	const struct ta_strv *profiles; /* to choose from; NULL: the user has chosen */
};

struct ta_format {
	const char *name;
	const char *summary; /* for --help */
	bool explains_passes; /* not only with -v */
	const char *const *owners; /* probes and derivations whose facts it shows besides those that rules read, ended by NULL; or NULL */
	void (*check)(const struct ta_audit *a, const struct ta_facts *facts,
		const struct ta_report_options *o, struct ta_buf *ret);
};

extern const struct ta_format *const ta_formats[]; /* generated */
extern const size_t ta_n_formats;
