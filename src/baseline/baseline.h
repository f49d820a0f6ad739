/*
 * A host as it is meant to be, in a file that people keep and review: its facts without what moves by itself, the verdicts on
 * it, who wrote it. One fact a line, in the order of paths, so that two saves of a host that did not change are the same bytes
 * and a change is a line. docs/baseline.md is the manual.
 *
 * Which facts are left out, and within what they count as the same, stands in their rows (facts/field.h).
 */
#pragma once

#include "audit/audit.h"

struct json_object;

#define TA_BASELINE_SCHEMA "tuneaudit.baseline/1"
#define TA_BASELINE_MAX (16u << 20) /* bytes of a file */

/* A fact under its path in text form, or why there is none. */
struct ta_baseline_fact {
	char *path;
	struct json_object *value; /* NULL: absent */
	enum ta_reason reason;     /* then */
};

struct ta_baseline_verdict {
	char *rule, *subject;
	enum ta_verdict verdict;
};

struct ta_baseline {
	char *tool;    /* version of the program that wrote it */
	char *rules;   /* what it judged by: ta_rules_digest() in hexadecimal */
	char *profile;
	char *host;    /* name of the host, NULL: not known */
	struct json_object *fingerprint; /* baseline/fingerprint.h; NULL: none */
	struct ta_baseline_fact *facts;  /* in the order of ta_natural_cmp() on paths */
	size_t n_facts;
	struct ta_strv incomplete;       /* paths of collections that may miss members */
	struct ta_baseline_verdict *verdicts; /* by rule, then subject */
	size_t n_verdicts;
};

void ta_baseline_done(struct ta_baseline *b);
#define ta_cleanup_baseline ta_cleanup(ta_baseline_done)

/* The facts of a host and the verdicts on it. 0 or -ENOMEM; free in every case. */
int ta_baseline_make(const struct ta_facts *f, const struct ta_schema *schema, const struct ta_audit *audit,
	uint64_t rules, const char *tool, struct ta_baseline *ret);

/* As a file, with the newline at its end. */
void ta_baseline_format(const struct ta_baseline *b, struct ta_buf *ret);

/*
 * A file that anybody may have written. 0, -EBADMSG (what is wrong is in `err`), -EFBIG, -ERANGE, -ENOMEM; free in every case.
 */
int ta_baseline_parse(const char *text, size_t len, struct ta_baseline *ret, struct ta_err *err);

/* The fact of this path, or NULL. */
const struct ta_baseline_fact *ta_baseline_find(const struct ta_baseline *b, const char *path);
const char *ta_baseline_str(const struct ta_baseline *b, const char *path); /* NULL: no text there */

/* The sysctl that the row's fact is a second name of (its meaning ends "(vm.swappiness)"); false: it is none. */
bool ta_baseline_alias(const struct ta_schema *schema, const struct ta_field *field, struct ta_buf *ret);

/* True for facts that no baseline holds: they move by themselves, or follow from others. */
bool ta_baseline_leaves_out(const struct ta_schema *schema, const struct ta_schema_node *leaf);
