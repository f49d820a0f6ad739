/*
 * Names to things, by hash. Rules, parameters and profiles are looked up while
 * files are read; nothing here is ever taken out.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "rule/rules.h"

/* The slot of `name`, or the free one where it belongs. */
static struct ta_name_slot *find_slot(struct ta_name_slot *slots, size_t size, const char *name)
{
	size_t i = ta_hash_add(TA_HASH_INIT, name, strlen(name)) & (size - 1);

	while (slots[i].name && strcmp(slots[i].name, name) != 0)
		i = (i + 1) & (size - 1);
	return &slots[i];
}

void *ta_names_get(const struct ta_names *n, const char *name)
{
	return n->size ? find_slot(n->slots, n->size, name)->what : NULL;
}

static bool grow(struct ta_names *n)
{
	size_t size = n->size ? n->size * 2 : 64;
	struct ta_name_slot *slots = calloc(size, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < n->size; i++)
		if (n->slots[i].name)
			*find_slot(slots, size, n->slots[i].name) = n->slots[i];
	free(n->slots);
	n->slots = slots;
	n->size = size;
	return true;
}

bool ta_names_put(struct ta_names *n, const char *name, void *what)
{
	struct ta_name_slot *slot;

	if (n->n * 2 >= n->size && !grow(n))
		return false;
	slot = find_slot(n->slots, n->size, name);
	if (!slot->name)
		n->n++;
	*slot = (struct ta_name_slot){name, what};
	return true;
}
