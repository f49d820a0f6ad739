/*
 * Many hosts side by side: those with the same fingerprint together, and within them those that are judged alike.
 */
#pragma once

#include "report/page/model.h"

/* Hosts of one group whose rules are all judged alike, `n` neighbours in ta_page.hosts. */
struct page_alike {
	size_t first, n;
	size_t odd; /* rules in which they differ from most of the group */
};

struct page_group {
	const char *fingerprint; /* what they are, a newline, how they were judged */
	size_t first, n; /* neighbours in ta_page.hosts */
	struct page_alike *rows; /* those that differ most first */
	size_t n_rows;
	uint8_t *usual;	    /* what most of the group have, by number of the rule */
	uint32_t *columns;  /* rules that fail on one of them at least, the most frequent first */
	size_t n_columns;
};

/*
 * Fills ta_page.groups. Sorts ta_page.hosts so that groups, and rows in them, are neighbours; small groups first. Errors stick in
 * the page.
 */
void page_groups(struct ta_page *p);
