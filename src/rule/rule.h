/*
 * Rules: text in (rules/, --rules, /etc/tuneaudit/rules.d), verdicts out. docs/language.md is the manual of the language.
 *
 *   add_text (any number of times)  ->  resolve (once)  ->  eval (per rule)
 *
 * Total: no text can crash, hang or exceed the limits below; faults of a rule are diagnostics (file:line:column) or, when only
 * the facts show them, the verdict `broken`.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/strv.h"
#include "facts/schema.h"
#include "rule/fixsig.h"
#include "rule/shown.h"

#define TA_RULE_FILE_MAX (256u << 10) /* bytes of one file */
#define TA_RULE_NODES_MAX 2000        /* per rule */
#define TA_RULE_HEIGHT_MAX 64         /* of an expression's tree */
#define TA_RULE_STEPS_MAX 2000000     /* of one evaluation */
#define TA_RULE_MEMORY_MAX (4u << 20)

enum ta_verdict {
	TA_V_PASS,
	TA_V_FAIL,
	TA_V_UNKNOWN,
	TA_V_NA,
	TA_V_UNSUPPORTED, /* the hardware, driver or kernel cannot */
	TA_V_WAIVED,
	TA_V_PENDING_REBOOT,
	TA_V_CONFLICT,
	TA_V_BROKEN, /* the rule's fault */
	TA_V_COUNT,
};

enum ta_severity { TA_SEV_INFO, TA_SEV_WARNING, TA_SEV_ERROR };
enum ta_risk { TA_RISK_NONE, TA_RISK_LOW, TA_RISK_FLOW_RESET, TA_RISK_LINK_FLAP, TA_RISK_REBOOT, TA_RISK_WORKLOAD };

const char *ta_verdict_name(enum ta_verdict v);   /* "pass" … as in the contract */
const char *ta_severity_name(enum ta_severity s); /* "info", "warning", "error" */
const char *ta_risk_name(enum ta_risk r);         /* "none", "low", "flow-reset", "link-flap", "reboot", "workload" */

/* One fault of a rule text. `text` holds message, source line and caret, ready to print. */
struct ta_diag {
	char *file;
	unsigned line, column; /* from 1 */
	char *text;
};

struct ta_diags {
	struct ta_diag *v;
	size_t n; /* capped at 100; more only count */
	size_t total;
};

void ta_diags_done(struct ta_diags *d);

struct ta_expr;
struct ta_case;
struct ta_rule {
	const char *id;       /* "nic.channels.combined" */
	const char *area;     /* its first word, for grouping: nic, irq, cpu, tcp … (key `area` overrides) */
	const char *title;    /* what is good, one line */
	const char *why;      /* why it matters */
	const char *advice;   /* what to do where no fixer can, may be NULL */
	const char *defaults; /* how the kernel's default changed, may be NULL */
	const char *const *refs; /* sources, n_refs of them */
	size_t n_refs;
	unsigned weight; /* 1 … 10 */
	enum ta_severity severity;
	enum ta_risk risk;
	const char *file; /* where it stands */
	unsigned line;
	bool trusted; /* embedded, or from a file that only root may write: `apply` uses no other */
	const struct ta_source *source; /* this and what follows for the rule module only: the parsed parts */
	uint32_t pos;    /* of the id in the source */
	unsigned number; /* in the order of ids */
	bool faulty;     /* it did not pass the check: its verdict is broken */
	bool asleep;     /* noted, not read: only id, file, line and number hold */
	enum ta_direction direction[TA_FIX_ELEMENTS];
	size_t n_directions;
	const char *each_name;
	struct ta_expr *each, *when, *unsupported, *want, *evidence;
	struct ta_fix_expr *fix;
	struct ta_shown shown;
	struct ta_case *cases;
	const char *const *owners; /* what ta_rule_owners() finds, ended by NULL, where that was worked out before */
	struct ta_rule *next;
};

struct ta_rules;
struct ta_rules *ta_rules_new(void); /* NULL: out of memory */
struct ta_rules *ta_rules_free(struct ta_rules *rs);

/*
 * OVERRIDE: a known id replaces instead of being an error. STATIC: the text stays where it is, and is clean UTF-8.
 * LAZY: its rules are noted and sleep until ta_rules_wake(); their `end` stands on a line of its own.
 */
enum { TA_RULES_TRUSTED = 1 << 0, TA_RULES_OVERRIDE = 1 << 1, TA_RULES_STATIC = 1 << 2, TA_RULES_LAZY = 1 << 3 };

/*
 * Parses one file's text: rules, params, profiles, waivers. All faults of the text are added to `diags`; whole stanzas
 * around them stay usable. 0, -EBADMSG (there were faults), -EFBIG, -ENOMEM.
 */
int ta_rules_add_text(struct ta_rules *rs, const char *file, const char *text, size_t len, unsigned flags,
	struct ta_diags *diags);

/*
 * Checks every name and type against the schema and fixers (both borrowed, must outlive rs), also in stanzas that had
 * faults already. `diags`, if it is the one of add_text, is put into the order of places. 0, -EBADMSG, -ENOMEM.
 */
int ta_rules_resolve(struct ta_rules *rs, const struct ta_schema *schema, const struct ta_fix_sig *fixers,
	size_t n_fixers, struct ta_diags *diags);

const struct ta_rule *ta_rules_first(const struct ta_rules *rs); /* by ->next, in the order of ids */
const struct ta_rule *ta_rules_first_replaced(const struct ta_rules *rs); /* by a later file: only checked */
const struct ta_rule *ta_rules_find(const struct ta_rules *rs, const char *id);
const char *ta_rules_nearest(const struct ta_rules *rs, const char *id); /* "did you mean", or NULL */

#include "rule/profile.h"

#include "rule/needs.h"

/* --- evaluation ------------------------------------------------------------ */

/* The verdict of one rule for one subject. All strings are owned; "" where there is nothing to say. */
struct ta_outcome {
	enum ta_verdict verdict;
	char *subject;  /* "eth0", "nginx:80"; "host" for rules without `each` */
	char *reason;   /* unknown, na, unsupported, broken: in a word (missing, denied, empty, not-applicable …) */
	char *detail;   /* … and in a sentence */
	char *actual;   /* value found, text */
	char *wanted;   /* ">= 8" */
	char *because;  /* `nic.channels.combined.current is 4, wanted >= 8 (min of …)` */
	char **evidence; /* the evidence at hand: "softnet.dropped is 12" */
	size_t n_evidence;
	bool evidence_hurts; /* the `evidence` expression is true: counters show that it hurts here */
	bool evidence_known; /* … it could be judged at all */
	bool has_fix;
	/*
	 * Of a failed rule with a `fix`, arguments worked out. Of one that passes (has_fix is false, and not where passes are
	 * brief) what it is about: its arguments by name, with those values that are written out or are the member's key.
	 */
	struct ta_fix_call fix;
};

struct ta_outcomes {
	struct ta_outcome *v;
	size_t n;
};

void ta_outcomes_done(struct ta_outcomes *o);

/*
 * One outcome per subject of `each`, in the collection's order; one (na or unknown) where there is none.
 * `profile` gives the parameters (NULL: their defaults). Pure. 0 or -ENOMEM.
 */
int ta_rule_eval(const struct ta_rules *rs, const struct ta_rule *r, const struct ta_profile *profile,
	const struct ta_facts *facts, struct ta_outcomes *ret);

/* The same for those who look at what does not pass: a pass has no because, actual, wanted and evidence. */
int ta_rule_eval_brief(const struct ta_rules *rs, const struct ta_rule *r, const struct ta_profile *profile,
	const struct ta_facts *facts, struct ta_outcomes *ret);

/*
 * The rule on this host, for people. Lines of LABEL, tab, expression; an empty line; then per subject its verdict
 * and, two blanks deeper each, why, every fact with its value, the target worked out. Not wrapped.
 */
int ta_rule_explain(const struct ta_rules *rs, const struct ta_rule *r, const struct ta_profile *profile,
	const struct ta_facts *facts, struct ta_buf *ret);

/* --- waivers --------------------------------------------------------------- */

struct ta_waiver {
	const char *rule;
	const char *subject; /* NULL: every subject */
	const char *reason;
	const char *until; /* "2027-01-31", or NULL: for ever */
	int64_t until_time; /* seconds since the epoch at the end of that day, UTC; INT64_MAX for ever */
};

/* The waiver for rule and subject, expired or not, or NULL. */
const struct ta_waiver *ta_rules_waiver(const struct ta_rules *rs, const char *rule, const char *subject);

/* --- cases ------------------------------------------------------------------ */

/*
 * Runs the rule's own cases: each must give its verdict. Failures are diagnostics at the case's line;
 * a rule that lacks one of pass, fail, unknown is a failure. *ret_run counts the cases. 0 or -ENOMEM.
 */
int ta_rule_run_cases(const struct ta_rules *rs, const struct ta_rule *r, struct ta_diags *diags, size_t *ret_run);
