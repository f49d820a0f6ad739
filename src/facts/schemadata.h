/*
 * The inside of struct ta_schema, for schema.c and the tool that writes one as C data (tools/mkbuiltin.c).
 */
#pragma once

#include "facts/schema.h"

struct ta_schema_node {
	const char *key; /* behind the node; "*" for the members of a collection; NULL for the root */
	const struct ta_field *field;
	const char *owner;
	struct ta_schema_node **children; /* sorted by key */
	size_t n_children;
};

/* A row that no table holds. */
struct ta_made_field {
	struct ta_made_field *next;
	struct ta_field field;
	char text[]; /* path, unit, meaning */
};

struct ta_schema {
	struct ta_schema_node root;
	struct ta_made_field *made;
	bool builtin; /* part of the program: never freed */
};
