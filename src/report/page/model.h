/*
 * What the page knows, taken out of the results; texts are kept once, whoever says them, since a thousand hosts say the same.
 * Private to src/report/page.
 */
#pragma once

#include "report/page/page.h"
#include "report/way.h"
#include "rule/arena.h"
#include "rule/rule.h"

struct json_object;
struct page_group;

struct page_rule {
	const char *id, *area, *title, *why, *advice; /* advice NULL: none */
	const char **refs;
	size_t n_refs;
	enum ta_severity worst; /* of what fails */
};

/* What runs, what is written down, what comes with the next boot; NULL as in tuneaudit.check/1. */
struct page_setting {
	const char *target, *running, *place, *value, *next_boot, *detail;
	int differs; /* -1: not known */
};

struct page_finding {
	uint32_t rule; /* in page.rules */
	enum ta_severity severity;
	enum ta_verdict verdict;
	const char *subject, *reason, *detail, *until, *actual, *wanted, *because;
	const char **evidence;
	size_t n_evidence;
	const char *command, *disruption, *persist_file, *persist_text; /* NULL: none */
	int hurts;						       /* -1: not known */
	struct page_setting *settings;
	size_t n_settings;
};

/* What differs from the baseline. `rule` NULL: no rule reads it; texts NULL: there is none. */
struct page_move {
	const char *path, *was, *is, *kind, *rule, *severity, *verdict_was, *verdict_is, *by, *note;
};

struct page_cost {
	const char *name; /* rule or area */
	double points;
};

struct page_host {
	const char *name, *file;
	const char *label; /* the name, and the file's where several results have the name */
	const char *os, *kernel, *arch; /* "": not known */
	int64_t time;			/* -1: not known */
	/* of a check; profile NULL: there is none, only facts */
	const char *profile, *tool;
	int score; /* -1: none */
	unsigned coverage;
	size_t summary[TA_V_COUNT];
	struct page_finding *findings;
	size_t n_findings;
	struct page_cost *areas, *rules;
	size_t n_areas, n_rules;
	bool has_baseline; /* it was held against one */
	struct page_move *moves;
	size_t n_moves;
	/* of facts */
	bool has_facts;
	struct ta_way way;
	const char *machine; /* "8 CPUs, 1 node; igb": what the fingerprint adds where facts are known */
	/* worked out for many hosts side by side */
	const char *fingerprint;
	uint8_t *verdicts; /* the worst of each rule, by number of the rule; TA_V_COUNT: not judged */
	size_t n_verdicts;
	bool has_section;  /* in the page */
	size_t odd;	   /* rules in which it differs from most of its group */
};

#define PAGE_PERCENTILES 8

struct page_share {
	const char *name; /* "3" of CPU 3 */
	double share;
};

struct page_load {
	const char *file, *label, *workload, *engine, *path, *target, *bound_by;
	int64_t connections, requests, errors;
	double seconds, mean, stddev, bytes_per_second;
	double *runs;
	size_t n_runs;
	double latency[PAGE_PERCENTILES]; /* µs, of page_percentiles; below 0: not told */
	bool has_latency;
	struct page_share *softirq;
	size_t n_softirq;
	const char **notes;
	size_t n_notes;
	struct json_object *fingerprint; /* of the host that sent the load, as it stands in the result; NULL: not told */
};
extern const char *const page_percentiles[PAGE_PERCENTILES];

struct page_effect {
	bool known;
	double percent, low, high;
};

enum { PAGE_THROUGHPUT, PAGE_P50, PAGE_P99, PAGE_CPU, PAGE_EFFECTS };

/* All rounds without, or with, what was tried. */
struct page_side {
	bool known;
	int64_t replies, errors;
	double latency[PAGE_PERCENTILES];
	bool has_latency;
	double softirq_top; /* the busiest CPU's share of receive softirqs; below 0: not told */
};

struct page_unit {
	const char *verdict;
	struct page_effect effects[PAGE_EFFECTS];
	double smallest; /* percent; below 0: not told */
	int64_t pairs;	 /* below 0: not told */
	struct page_side without, with;
};

struct page_change {
	const char *rule, *target, *before, *after, *why_not; /* "": not told */
	const char *workload; /* that it was tried with */
	bool together; /* measured with all others, not by itself */
	int kept;      /* -1: not told */
	struct page_unit unit;
};

/* What was measured with one workload. Texts "": not told. */
struct page_part {
	const char *workload, *path, *ended, *remark;
	const char **warnings; /* of the look before it */
	size_t n_warnings;
	bool has_together;
	struct page_unit together;
};

struct page_trial {
	const char *label, *profile, *host, *target, *not_kept; /* likewise */
	int64_t rounds;
	int restored; /* -1: not told */
	struct page_part *parts;
	size_t n_parts;
	struct page_change *changes;
	size_t n_changes;
};

struct page_broken {
	const char *file, *why;
};

struct page_list {
	void **v;
	size_t n, cap;
};

struct ta_page {
	struct ta_arena arena;
	const char **table; /* of texts that are kept */
	size_t table_size, n_texts;
	struct page_rule *rules;
	size_t n_rules, cap_rules;
	uint32_t *rule_index; /* number + 1 by the text's slot */
	struct page_list hosts, loads, trials, broken;
	struct page_group *groups; /* of the hosts, when they are written */
	size_t n_groups;
	bool brief; /* of each host only what is its own: what a rule says stands once, for all */
	int error;
};

/* The one copy of a text; "" after an error, which sticks in `p`. */
const char *page_keep(struct ta_page *p, const char *text);
/* Zeroed room that lives as long as the page; NULL after an error. */
void *page_room(struct ta_page *p, size_t n, size_t size);
/* Appends; nothing where `item` is NULL. */
void page_push(struct ta_page *p, struct page_list *list, void *item);

static inline struct page_host *page_host(const struct ta_page *p, size_t i)
{
	return p->hosts.v[i];
}

/* What a file is called where its directory is of no interest: "before" of "runs/before.json". Kept. */
const char *page_short(struct ta_page *p, const char *file);

/* The number of the rule of that name; its texts are the first that were told. */
uint32_t page_rule_number(struct ta_page *p, const char *id);
