#include "report/page/model.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

/* More different texts than any fleet has. */
#define MAX_TEXTS (4u << 20)
/* Likewise of rules; those beyond are taken for the last one. */
#define MAX_RULES 8192

struct ta_page *ta_page_new(void)
{
	return calloc(1, sizeof(struct ta_page));
}

struct ta_page *ta_page_free(struct ta_page *p)
{
	if (!p)
		return NULL;
	for (size_t i = 0; i < p->hosts.n; i++)
		ta_way_done(&page_host(p, i)->way);
	for (size_t i = 0; i < p->loads.n; i++)
		json_object_put(((struct page_load *)p->loads.v[i])->fingerprint);
	free(p->table);
	free(p->rule_index);
	free(p->rules);
	free(p->hosts.v);
	free(p->loads.v);
	free(p->trials.v);
	free(p->broken.v);
	ta_arena_done(&p->arena);
	free(p);
	return NULL;
}

static void fail(struct ta_page *p, int rc)
{
	if (!p->error)
		p->error = rc;
}

void *page_room(struct ta_page *p, size_t n, size_t size)
{
	void *room;

	if (size && n > SIZE_MAX / 2 / size) {
		fail(p, -ENOMEM);
		return NULL;
	}
	room = ta_arena_alloc(&p->arena, TA_MAX(n * size, (size_t)1));
	if (!room)
		fail(p, -ENOMEM);
	return room;
}

void page_push(struct ta_page *p, struct page_list *list, void *item)
{
	if (!item)
		return;
	if (list->n == list->cap) {
		size_t cap = list->cap ? list->cap * 2 : 16;
		void **v = reallocarray(list->v, cap, sizeof(*v));

		if (!v) {
			fail(p, -ENOMEM);
			return;
		}
		list->v = v;
		list->cap = cap;
	}
	list->v[list->n++] = item;
}

/* FNV-1a, 64 bits. */
static uint64_t hash_of(const char *text)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3u;
	return h;
}

/* Where the text stands in the table, or the free slot where it will. */
static size_t slot_of(const char **table, size_t size, const char *text)
{
	size_t at = hash_of(text) & (size - 1);

	while (table[at] && strcmp(table[at], text) != 0)
		at = (at + 1) & (size - 1);
	return at;
}

static bool grow(struct ta_page *p)
{
	size_t size = p->table_size ? p->table_size * 2 : 4096;
	const char **table = calloc(size, sizeof(*table));
	uint32_t *index = calloc(size, sizeof(*index));

	if (!table || !index || p->n_texts > MAX_TEXTS) {
		free(table);
		free(index);
		fail(p, -ENOMEM);
		return false;
	}
	for (size_t i = 0; i < p->table_size; i++) {
		size_t at;

		if (!p->table[i])
			continue;
		at = slot_of(table, size, p->table[i]);
		table[at] = p->table[i];
		index[at] = p->rule_index[i];
	}
	free(p->table);
	free(p->rule_index);
	p->table = table;
	p->rule_index = index;
	p->table_size = size;
	return true;
}

const char *page_keep(struct ta_page *p, const char *text)
{
	size_t at;

	if (!text)
		return NULL;
	if (p->n_texts * 2 >= p->table_size && !grow(p))
		return "";
	at = slot_of(p->table, p->table_size, text);
	if (!p->table[at]) {
		p->table[at] = ta_arena_strdup(&p->arena, text);
		if (!p->table[at]) {
			fail(p, -ENOMEM);
			return "";
		}
		p->n_texts++;
	}
	return p->table[at];
}

const char *page_short(struct ta_page *p, const char *file)
{
	ta_cleanup_buf struct ta_buf name = TA_BUF_INIT;
	const char *slash = strrchr(file, '/');

	ta_buf_adds(&name, slash && slash[1] ? slash + 1 : file);
	if (name.len > 5 && strcmp(name.data + name.len - 5, ".json") == 0) {
		name.len -= 5;
		name.data[name.len] = '\0';
	}
	ta_buf_shorten(&name, 0, 60);
	return page_keep(p, ta_buf_text(&name));
}

uint32_t page_rule_number(struct ta_page *p, const char *id)
{
	const char *kept = page_keep(p, id);
	size_t at;

	if (p->error)
		return 0;
	at = slot_of(p->table, p->table_size, kept);
	if (p->rule_index[at])
		return p->rule_index[at] - 1;
	if (p->n_rules == MAX_RULES)
		return MAX_RULES - 1;
	if (p->n_rules == p->cap_rules) {
		size_t cap = p->cap_rules ? p->cap_rules * 2 : 256;
		struct page_rule *rules = reallocarray(p->rules, cap, sizeof(*rules));

		if (!rules) {
			fail(p, -ENOMEM);
			return 0;
		}
		p->rules = rules;
		p->cap_rules = cap;
	}
	p->rules[p->n_rules] = (struct page_rule){.id = kept};
	p->rule_index[at] = (uint32_t)++p->n_rules;
	return (uint32_t)p->n_rules - 1;
}

int ta_page_add_broken(struct ta_page *p, const char *file, const char *why)
{
	struct page_broken *b = page_room(p, 1, sizeof(*b));

	if (b)
		*b = (struct page_broken){page_keep(p, file), page_keep(p, why)};
	page_push(p, &p->broken, b);
	return p->error;
}

size_t ta_page_results(const struct ta_page *p)
{
	return p->hosts.n + p->loads.n + p->trials.n;
}
