/*
 * A fixer knows one kind of knob: its parameters, the command a person would
 * type, and the file that would keep it. One file each in src/fix/fixers/:
 *     const struct ta_fixer ta_fixer_NAME;
 * A rule writes  fix NAME.VERB(param = …) ; `sig.name` is "NAME.VERB".
 */
#pragma once

#include "base/buf.h"
#include "facts/facts.h"
#include "fix/step.h"
#include "rule/fixsig.h"

enum ta_disruption { TA_DISRUPT_NONE, TA_DISRUPT_FLOW_RESET, TA_DISRUPT_LINK_FLAP, TA_DISRUPT_REBOOT };

const char *ta_disruption_name(enum ta_disruption d); /* "none", "flow-reset", "link-flap", "reboot" */

/*
 * What a person would do. Every line of `command` can be pasted into a shell as root; lines that begin
 * with '#' say what no command can. `persist_text` is in the grammar of `persist_file`, a file of ours that
 * other fixes may add lines to; both are empty where no file could keep the change.
 */
struct ta_fix_text {
	struct ta_buf command;      /* shell words, quoted unless plain; several lines if several commands */
	struct ta_buf persist_file; /* where it would be kept, "" if nowhere */
	struct ta_buf persist_text; /* what would stand there, whole lines */
};

void ta_fix_text_done(struct ta_fix_text *t);

struct ta_fixer {
	/* every verb it has, and for each what a person would do. `facts` gives present values (vectors keep their other elements). */
	const struct ta_fix_sig *sigs;
	size_t n_sigs;
	enum ta_disruption disruption; /* of the command */
	/* The steps write only what a later start reads; the command starts it, too. Applying them disturbs nothing. */
	bool later;
	/*
	 * What is to be written, as steps without `before`; the pure part of a plan. NULL: this kind is never written by
	 * the program, only described (kernel command line, lines in other people's files). 0, -EINVAL, -ENOMEM.
	 */
	int (*steps)(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_steps *ret, struct ta_err *err);
	/* 0, -EINVAL (a value outside the knob's range: `err`), -ENOMEM */
	int (*describe)(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_fix_text *ret,
		struct ta_err *err);
};

extern const struct ta_fixer *const ta_fixers[]; /* generated */
extern const size_t ta_n_fixers;

/* All signatures in one array that the caller frees; for ta_rules_resolve(). */
int ta_fixer_sigs(struct ta_fix_sig **ret, size_t *ret_n);

const struct ta_fixer *ta_fixer_find(const char *sig_name);

/*
 * Describes `call` by its fixer: 0, -ENOENT (no such fixer), or what its describe() says. On failure `ret` is empty.
 */
int ta_fix_describe(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_fix_text *ret,
	struct ta_err *err);

/* Appends `word` as one shell word: as it is if plain ([A-Za-z0-9_./:=,@%+-], not empty), else in single quotes. */
void ta_shell_quote(struct ta_buf *b, const char *word);
