/*
 * The score and what each rule costs of it; and small things that several sections draw.
 */
#include <string.h>

#include "report/page/parts.h"
#include "report/parts.h"

#define BAR 140

/* Civil date from days since 1970-01-01 (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms"). */
static void civil(int64_t days, int64_t *year, unsigned *month, unsigned *day)
{
	int64_t era;
	unsigned doe, yoe, doy, mp;

	days += 719468;
	era = days / 146097;
	doe = (unsigned)(days - era * 146097);
	yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	mp = (5 * doy + 2) / 153;
	*day = doy - (153 * mp + 2) / 5 + 1;
	*month = mp < 10 ? mp + 3 : mp - 9;
	*year = (int64_t)yoe + era * 400 + (*month <= 2);
}

void page_time(int64_t seconds, struct ta_buf *b)
{
	unsigned month, day;
	int64_t year;

	/* Up to the year 9999. */
	if (seconds < 0 || seconds > 253402300799)
		return;
	civil(seconds / 86400, &year, &month, &day);
	ta_buf_printf(b, "%04d-%02u-%02u %02d:%02d UTC", (int)year, month, day, (int)(seconds % 86400 / 3600),
		(int)(seconds % 3600 / 60));
}

void page_bar(double share, unsigned width, struct ta_buf *b)
{
	share = TA_MIN(TA_MAX(share, 0.0), 1.0);
	ta_html_tag(b, "svg class=bar viewBox=\"0 0 %u 10\" width=%u height=10 aria-hidden=true", width, width);
	ta_html_tag(b, "rect class=rail width=%u height=10 rx=3 /", width);
	ta_html_tag(b, "rect class=fill width=%.1f height=10 rx=3 /", TA_MAX(share * width, 2.0));
	ta_html_raw(b, "</svg>");
}

/* A ring that is filled as far as the score goes. Circumference of the circle: 100. */
static void ring(int score, struct ta_buf *b)
{
	ta_html_tag(b, "svg class=\"ring r%d\" viewBox=\"0 0 36 36\" aria-hidden=true", score < 0 ? 0 : score >= 90 ? 3 : score >= 70 ? 2 : 1);
	ta_html_raw(b, "<circle class=rail cx=18 cy=18 r=15.9155 />");
	if (score > 0)
		ta_html_tag(b, "circle class=arc cx=18 cy=18 r=15.9155 stroke-dasharray=\"%d 100\" transform=\"rotate(-90 18 18)\" /",
			score);
	ta_html_tag(b, "text x=18 y=22");
	if (score >= 0)
		ta_html_textf(b, "%d", score);
	else
		ta_html_text(b, "\u2013");
	ta_html_raw(b, "</text></svg>");
}

static void add_counts(const struct page_host *h, struct ta_buf *b)
{
	ta_html_raw(b, "<ul class=counts>");
	for (size_t i = 0; i < ta_n_count_words; i++) {
		if (!h->summary[ta_count_words[i].verdict])
			continue;
		ta_html_tag(b, "li class=v%d", (int)ta_count_words[i].verdict);
		ta_html_elf(b, "b", "%zu", h->summary[ta_count_words[i].verdict]);
		ta_html_textf(b, " %s", ta_count_words[i].text);
		ta_html_raw(b, "</li>");
	}
	ta_html_raw(b, "</ul>");
}

static void add_points(double points, struct ta_buf *b)
{
	if (points >= 0.05)
		ta_html_elf(b, "td class=n", "%.1f", points);
	else
		ta_html_el(b, "td class=n", "<0.1");
}

static uint32_t rule_of(const struct ta_page *p, const struct page_host *h, const char *id)
{
	for (size_t i = 0; i < h->n_findings; i++)
		if (p->rules[h->findings[i].rule].id == id && page_is_failing(&h->findings[i]))
			return h->findings[i].rule;
	return UINT32_MAX;
}

static void add_cost(const struct ta_page *p, const struct page_host *h, size_t number, size_t i, struct ta_buf *b)
{
	const struct page_cost *c = &h->rules[i];
	uint32_t rule = rule_of(p, h, c->name);

	ta_html_raw(b, "<tr><td>");
	if (rule != UINT32_MAX) {
		ta_html_tag(b, "a href=\"#h%zu-r%u\"", number, rule);
		ta_html_el(b, "code", c->name);
		ta_html_raw(b, "</a>");
	} else {
		ta_html_el(b, "code", c->name);
	}
	ta_html_raw(b, "<td class=wordy>");
	if (rule != UINT32_MAX)
		ta_html_text(b, p->rules[rule].title);
	add_points(c->points, b);
	ta_html_raw(b, "<td>");
	page_bar(c->points / TA_MAX(h->rules[0].points, 0.1), BAR, b);
	ta_html_raw(b, "</tr>");
}

static void add_costs(const struct ta_page *p, const struct page_host *h, size_t number, struct ta_buf *b)
{
	/* Of many hosts the findings tell. */
	if (!h->n_rules || p->brief)
		return;
	ta_html_raw(b, "<div class=wide tabindex=0 role=group aria-label=\"What each rule costs\"><table class=costs><caption>What each rule "
		       "costs of 100 points</caption><thead><tr><th scope=col>Rule<th scope=col>What is good"
		       "<th scope=col class=n>Points<th scope=col><span class=sr>Share</span></tr></thead><tbody>");
	for (size_t i = 0; i < h->n_rules; i++)
		add_cost(p, h, number, i, b);
	ta_html_raw(b, "</tbody></table></div>");
}

static void add_areas(const struct page_host *h, struct ta_buf *b)
{
	if (!h->n_areas)
		return;
	ta_html_raw(b, "<p class=areas>Lost by area: ");
	for (size_t i = 0; i < h->n_areas; i++)
		ta_html_textf(b, "%s%s %.1f", i ? ", " : "", h->areas[i].name, h->areas[i].points);
	ta_html_raw(b, "</p>");
}

void page_part_score(const struct ta_page *p, const struct page_host *h, size_t number, struct ta_buf *b)
{
	if (!h->profile) {
		ta_html_raw(b, "<p class=note>Facts alone: nothing was judged.</p>");
		return;
	}
	ta_html_raw(b, "<section class=\"card score\"><div class=sum>");
	ring(h->score, b);
	ta_html_raw(b, "<div><h3>");
	if (h->score >= 0)
		ta_html_textf(b, "Score %d of 100", h->score);
	else
		ta_html_text(b, "No score");
	ta_html_raw(b, "</h3><p>");
	ta_html_textf(b, "Profile %s, coverage %u %%: so much of what applies was known.", h->profile, h->coverage);
	ta_html_raw(b, "</p>");
	add_counts(h, b);
	add_areas(h, b);
	ta_html_raw(b, "</div></div>");
	add_costs(p, h, number, b);
	ta_html_raw(b, "</section>");
}
