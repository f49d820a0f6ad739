#include "report/page/group.h"

#include <stdlib.h>
#include <string.h>

#include "base/strv.h"
#include "report/page/parts.h"

/* Which of a rule's subjects speaks for it: the worst. */
static unsigned badness(unsigned v)
{
	static const uint8_t of[TA_V_COUNT + 1] = {
		[TA_V_FAIL] = 9,
		[TA_V_CONFLICT] = 8,
		[TA_V_PENDING_REBOOT] = 7,
		[TA_V_BROKEN] = 6,
		[TA_V_UNKNOWN] = 5,
		[TA_V_WAIVED] = 4,
		[TA_V_PASS] = 3,
		[TA_V_UNSUPPORTED] = 2,
		[TA_V_NA] = 1,
		[TA_V_COUNT] = 0,
	};

	return of[v];
}

static void fill_verdicts(struct ta_page *p, struct page_host *h)
{
	h->verdicts = page_room(p, p->n_rules + 1, 1);
	if (!h->verdicts)
		return;
	memset(h->verdicts, TA_V_COUNT, p->n_rules + 1);
	h->n_verdicts = p->n_rules;
	for (size_t i = 0; i < h->n_findings; i++) {
		uint8_t *v = &h->verdicts[h->findings[i].rule];

		if (badness(h->findings[i].verdict) > badness(*v))
			*v = (uint8_t)h->findings[i].verdict;
	}
}

static void fill_fingerprint(struct ta_page *p, struct page_host *h)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	const char *const parts[] = {h->os, h->kernel, h->arch, h->machine ? h->machine : ""};

	for (size_t i = 0; i < TA_ARRAY_SIZE(parts); i++)
		if (*parts[i])
			ta_buf_printf(&b, "%s%s", b.len ? ", " : "", parts[i]);
	if (!b.len)
		ta_buf_adds(&b, "nothing is known of their kind");
	/* Behind the newline: smaller. */
	if (h->profile)
		ta_buf_printf(&b, "\nprofile %s, rules of tuneaudit %s", h->profile, *h->tool ? h->tool : "of unknown version");
	else
		ta_buf_adds(&b, "\nfacts alone");
	h->fingerprint = page_keep(p, ta_buf_text(&b));
}

static int by_fingerprint(const void *a, const void *b)
{
	const struct page_host *x = *(struct page_host *const *)a, *y = *(struct page_host *const *)b;

	return ta_natural_cmp(x->fingerprint, y->fingerprint);
}

/* What most of them have; of two that are as frequent the better one. */
static void fill_usual(const struct ta_page *p, struct page_group *g)
{
	for (size_t r = 0; r < p->n_rules; r++) {
		size_t counts[TA_V_COUNT + 1] = {0}, best = TA_V_COUNT;

		for (size_t i = 0; i < g->n; i++)
			counts[page_host(p, g->first + i)->verdicts[r]]++;
		for (size_t v = 0; v <= TA_V_COUNT; v++)
			if (counts[v] > counts[best] ||
				(counts[v] == counts[best] && badness((unsigned)v) < badness((unsigned)best) && counts[v]))
				best = v;
		g->usual[r] = (uint8_t)best;
	}
	for (size_t i = 0; i < g->n; i++) {
		struct page_host *h = page_host(p, g->first + i);

		h->odd = 0;
		for (size_t r = 0; r < p->n_rules; r++)
			h->odd += h->verdicts[r] != g->usual[r];
	}
}

static int by_oddness(const void *a, const void *b)
{
	const struct page_host *x = *(struct page_host *const *)a, *y = *(struct page_host *const *)b;
	int same;

	if (x->odd != y->odd)
		return x->odd > y->odd ? -1 : 1;
	same = memcmp(x->verdicts, y->verdicts, x->n_verdicts);
	return same ? same : ta_natural_cmp(x->name, y->name);
}

static int fill_rows(struct ta_page *p, struct page_group *g)
{
	g->rows = page_room(p, g->n, sizeof(*g->rows));
	if (!g->rows)
		return -1;
	for (size_t i = 0; i < g->n; i++) {
		const struct page_host *h = page_host(p, g->first + i);
		struct page_alike *last = g->n_rows ? &g->rows[g->n_rows - 1] : NULL;

		if (last && memcmp(page_host(p, last->first)->verdicts, h->verdicts, p->n_rules) == 0)
			last->n++;
		else
			g->rows[g->n_rows++] = (struct page_alike){g->first + i, 1, h->odd};
	}
	return 0;
}

struct column {
	uint32_t rule;
	size_t fails;
	const char *id;
};

static int by_fails(const void *a, const void *b)
{
	const struct column *x = a, *y = b;

	if (x->fails != y->fails)
		return x->fails > y->fails ? -1 : 1;
	return strcmp(x->id, y->id);
}

static void fill_columns(struct ta_page *p, struct page_group *g)
{
	struct column *all = page_room(p, p->n_rules, sizeof(*all));

	g->columns = page_room(p, p->n_rules, sizeof(*g->columns));
	for (size_t r = 0; all && g->columns && r < p->n_rules; r++) {
		size_t fails = 0;

		for (size_t i = 0; i < g->n; i++)
			fails += badness(page_host(p, g->first + i)->verdicts[r]) >= badness(TA_V_BROKEN);
		if (fails)
			all[g->n_columns++] = (struct column){(uint32_t)r, fails, p->rules[r].id};
	}
	if (g->n_columns)
		qsort(all, g->n_columns, sizeof(*all), by_fails);
	for (size_t i = 0; i < g->n_columns; i++)
		g->columns[i] = all[i].rule;
}

static int fill_group(struct ta_page *p, struct page_group *g)
{
	g->usual = page_room(p, p->n_rules + 1, 1);
	if (!g->usual)
		return -1;
	fill_usual(p, g);
	qsort(&p->hosts.v[g->first], g->n, sizeof(*p->hosts.v), by_oddness);
	if (fill_rows(p, g) < 0)
		return -1;
	fill_columns(p, g);
	return p->error ? -1 : 0;
}

static int by_size(const void *a, const void *b)
{
	const struct page_group *x = a, *y = b;

	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	return ta_natural_cmp(x->fingerprint, y->fingerprint);
}

void page_groups(struct ta_page *p)
{
	struct page_group *groups = page_room(p, p->hosts.n, sizeof(*groups));
	size_t n = 0;

	for (size_t i = 0; i < p->hosts.n; i++) {
		fill_verdicts(p, page_host(p, i));
		fill_fingerprint(p, page_host(p, i));
	}
	if (p->error || !groups || !p->hosts.n)
		return;
	qsort(p->hosts.v, p->hosts.n, sizeof(*p->hosts.v), by_fingerprint);
	for (size_t i = 0; i < p->hosts.n; i++) {
		if (!n || groups[n - 1].fingerprint != page_host(p, i)->fingerprint)
			groups[n++] = (struct page_group){.fingerprint = page_host(p, i)->fingerprint, .first = i};
		groups[n - 1].n++;
	}
	for (size_t i = 0; i < n; i++)
		if (fill_group(p, &groups[i]) < 0)
			return;
	qsort(groups, n, sizeof(*groups), by_size);
	p->groups = groups;
	p->n_groups = n;
}
