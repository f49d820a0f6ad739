/*
 * What a workload found beyond requests and latencies: named numbers and tables. Reports print them as they are, so
 * that a workload adds what it measures without a line in any format.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/strv.h"

struct ta_figure {
	char *key;   /* of the JSON, at its top: "held", "user_bytes_per_connection" */
	char *label; /* for people: "Held"; NULL: JSON alone has it */
	char *text;  /* for people: "60000 connections"; and the JSON's value if it is no number */
	double value;
	bool is_number;
};

struct ta_load_cell {
	char *text;
	double value;
	bool is_number; /* the JSON has the value, else the text */
};

struct ta_load_table {
	char *key;   /* in the JSON: "acceptors" */
	char *title; /* for people: "How connections were accepted" */
	struct ta_strv heads; /* "MB/s"; the first column is aligned left, all others right */
	struct ta_load_cell *cells; /* row by row */
	size_t n_cells;
	int error; /* 0 or -ENOMEM; sticks */
};

struct ta_figures {
	struct ta_figure *v;
	size_t n;
	struct ta_load_table *tables;
	size_t n_tables;
	int error; /* 0 or -ENOMEM; sticks */
};

/* `text`: printf for people. */
void ta_figures_number(struct ta_figures *f, const char *key, const char *label, double value, const char *text, ...)
	ta_printf(5, 6);
void ta_figures_text(struct ta_figures *f, const char *key, const char *label, const char *text, ...) ta_printf(4, 5);

/* A table with these heads, "path|MB/s|CPU us/MB"; NULL: out of memory. Valid until the next one is added. */
struct ta_load_table *ta_figures_table(struct ta_figures *f, const char *key, const char *title, const char *heads);
/* The next cell. `t` may be NULL. */
void ta_load_table_text(struct ta_load_table *t, const char *text);
void ta_load_table_number(struct ta_load_table *t, double value, unsigned decimals);

/* 0 or -ENOMEM: something is missing. */
int ta_figures_error(const struct ta_figures *f);
void ta_figures_done(struct ta_figures *f);
