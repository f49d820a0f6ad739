/*
 * What apply would do: the failed findings of an audit as an ordered list of single writes, each with what is there now,
 * what it costs, what a person would type and what would keep it. docs/apply.md is the manual.
 */
#pragma once

#include "audit/audit.h"
#include "fix/fixer.h"
#include "fix/where.h"

struct ta_action {
	struct ta_strv rules; /* whose wish it is: several that agreed */
	char *fixer;	      /* "sysctl.set" */
	char *why;	      /* the first rule's title */
	char *subject;	      /* what it is about: "eth0", "host" */
	struct ta_step step;  /* with before, after and device */
	enum ta_disruption disruption;
	bool workload;	     /* a rule says that some programs may not like it */
	bool trusted;	     /* all rules are from files that only root may write */
	bool management;     /* on an interface that the host is reached by */
	char *command;	     /* shell lines */
	char *persist_file, *persist_text; /* the line of a file of ours that keeps it over a restart; NULL: nothing does */
	char *not_kept; /* why not; NULL: it is kept, or is a file itself */
	struct ta_strv owners; /* who else sets it: "TuneD (profile throughput-performance)", "/etc/sysctl.d/99-x.conf:3" */
	/* while the plan is made: the finding it came from, and which way each element may go */
	const struct ta_finding *finding;
	enum ta_direction direction[TA_FIX_ELEMENTS];
};

/* Two rules that want different things of one target: neither is done. */
struct ta_plan_conflict {
	char *target;
	struct ta_strv wishes; /* "RULE (FILE:LINE) wants VALUE" */
};

/* What the program does not do by itself, and why. */
struct ta_plan_manual {
	char *rule, *subject;
	const char *disruption;
	char *reason;  /* "takes effect after a restart", "cannot be written from here: …" */
	char *command; /* NULL: nothing to type */
	char *persist_file, *persist_text;
	bool blocked; /* the program would, but cannot from here */
};

struct ta_plan {
	char *profile;
	struct ta_where where;
	struct ta_action *actions;
	size_t n_actions;
	struct ta_plan_conflict *conflicts;
	size_t n_conflicts;
	struct ta_plan_manual *manual;
	size_t n_manual;
};

#define ta_cleanup_plan ta_cleanup(ta_plan_done)
void ta_plan_done(struct ta_plan *p);

/*
 * Owners of facts that a plan reads besides those of the rules: who else writes. Adds to `ret`.
 */
void ta_plan_owners(struct ta_strv *ret);

/*
 * Makes the plan from an audit of the facts of `h`. `peer`: the address that the caller's session comes from, or NULL.
 * Reads, changes nothing. 0 or -ENOMEM.
 */
int ta_plan_make(struct ta_host *h, const struct ta_audit *a, const struct ta_facts *facts, const char *peer,
	struct ta_plan *ret);

/*
 * A plan that was saved with --format json: untrusted. 0, -EBADMSG (malformed, edited, outside the tables), -EPROTO (newer),
 * -ENOMEM; with the text for the user.
 */
int ta_plan_parse(const char *text, size_t len, struct ta_plan *ret, struct ta_err *err);

/*
 * A saved plan's costs, held against today: those of the rule, which is one of action `at`, and of the interfaces that this
 * host and `peer` are reached by now (facts of the owner "nic"). What the plan says of itself is never made less.
 */
void ta_plan_weigh(struct ta_plan *p, size_t at, const struct ta_rule *rule);
void ta_plan_weigh_here(struct ta_plan *p, struct ta_host *h, const struct ta_facts *facts, const char *peer);

enum ta_allow { TA_ALLOW_NONE, TA_ALLOW_FLOW_RESET, TA_ALLOW_LINK_FLAP };

/* Why the action is not done under these permissions ("needs --allow link-flap"), or NULL. */
const char *ta_action_refusal(const struct ta_action *a, enum ta_allow allow, bool allow_workload);
