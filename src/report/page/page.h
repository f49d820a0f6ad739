/*
 * One self-contained HTML page from JSON results: of check and facts (a host, or many side by side), of load and trial.
 * Results come from files that anybody may have written: they are held against what they must look like before anything of
 * them is kept, and what is wrong with one is said in the page, beside the others.
 *
 * Pure: the same texts in the same order give the same page.
 */
#pragma once

#include "facts/facts.h"

struct ta_page;

struct ta_page *ta_page_new(void); /* NULL: out of memory */
struct ta_page *ta_page_free(struct ta_page *p); /* NULL allowed; returns NULL */

/*
 * A result; its schema tells what it is. Facts and a check that name the same host are put together, in either order. `file` is how the page calls
 * it. 0, -EBADMSG, -EFBIG or -ERANGE with the reason (nothing is kept, the page does not name it: ta_page_add_broken()), -ENOMEM.
 */
int ta_page_add(struct ta_page *p, const char *file, const char *text, size_t len, struct ta_err *err);

/* Facts that are at hand already. 0 or -ENOMEM. */
int ta_page_add_facts(struct ta_page *p, const char *file, const struct ta_facts *f);

/* What could not be taken, and why. 0 or -ENOMEM. */
int ta_page_add_broken(struct ta_page *p, const char *file, const char *why);

size_t ta_page_results(const struct ta_page *p); /* taken */

struct ta_page_options {
	const char *tool_version;
};

/* The whole document. It sorts and groups what was added, once. */
void ta_page_write(struct ta_page *p, const struct ta_page_options *o, struct ta_buf *ret);
