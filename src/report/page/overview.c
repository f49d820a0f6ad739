/*
 * Many hosts in one look: how their scores are spread, and what is wrong with the ways of packets.
 */
#include "report/page/parts.h"

#define BINS 10
#define BIN_W 52
#define TOP 120

static void histogram(const struct ta_page *p, struct ta_buf *b)
{
	size_t bins[BINS] = {0}, most = 1, without = 0;

	for (size_t i = 0; i < p->hosts.n; i++) {
		int score = page_host(p, i)->score;

		if (score < 0)
			without++;
		else
			bins[TA_MIN((size_t)score / 10, (size_t)BINS - 1)]++;
	}
	for (size_t i = 0; i < BINS; i++)
		most = TA_MAX(most, bins[i]);
	ta_html_raw(b, "<figure><figcaption>Hosts by score</figcaption><svg class=histogram role=img aria-label=\"");
	for (size_t i = 0; i < BINS; i++)
		if (bins[i])
			ta_html_textf(b, "score %zu to %zu: %zu hosts; ", i * 10, i == BINS - 1 ? 100 : i * 10 + 9, bins[i]);
	ta_html_textf(b, "without a score: %zu", without);
	ta_buf_printf(b, "\" viewBox=\"0 0 %d %d\">", BINS * BIN_W, TOP + 40);
	for (size_t i = 0; i < BINS; i++) {
		int height = (int)(bins[i] * (TOP - 8) / most);

		ta_html_tag(b, "rect class=b%u x=%zu y=%d width=%d height=%d rx=3 /", i >= 9 ? 3u : i >= 7 ? 2u : 1u, i * BIN_W + 4,
			TOP + 16 - TA_MAX(height, 1), BIN_W - 8, TA_MAX(height, 1));
		if (bins[i]) {
			ta_html_tag(b, "text class=\"mid strong\" x=%zu y=%d", i * BIN_W + BIN_W / 2, TOP + 10 - height);
			ta_html_textf(b, "%zu", bins[i]);
			ta_html_raw(b, "</text>");
		}
		ta_html_tag(b, "text class=\"tick mid\" x=%zu y=%d", i * BIN_W + BIN_W / 2, TOP + 34);
		ta_html_textf(b, "%zu\u2013%zu", i * 10, i == BINS - 1 ? 100 : i * 10 + 9);
		ta_html_raw(b, "</text>");
	}
	ta_html_raw(b, "</svg></figure>");
	if (without)
		ta_html_elf(b, "p class=note", "%zu without a score", without);
}

static void ways(const struct ta_page *p, struct ta_buf *b)
{
	size_t known = 0, hosts[TA_WAY_FAULTS] = {0}, clean = 0;

	for (size_t i = 0; i < p->hosts.n; i++) {
		const struct page_host *h = page_host(p, i);

		if (!h->has_facts || h->way.why_not)
			continue;
		known++;
		clean += !h->way.faults;
		for (size_t k = 0; k < TA_WAY_FAULTS; k++)
			hosts[k] += (h->way.faults & 1u << k) != 0;
	}
	if (!known)
		return;
	ta_html_raw(b, "<div><p class=label>Ways of packets</p><table class=ways><tbody><tr><th scope=row>no fault");
	ta_html_elf(b, "td class=n", "%zu host%s", clean, clean == 1 ? "" : "s");
	ta_html_raw(b, "</tr>");
	for (size_t k = 0; k < TA_WAY_FAULTS; k++) {
		if (!hosts[k])
			continue;
		ta_html_raw(b, "<tr class=bad>");
		ta_html_elf(b, "th scope=row", "! %s", ta_way_fault_name(1u << k));
		ta_html_elf(b, "td class=n", "%zu host%s", hosts[k], hosts[k] == 1 ? "" : "s");
		ta_html_raw(b, "</tr>");
	}
	ta_html_raw(b, "</tbody></table></div>");
}

void page_part_overview(const struct ta_page *p, struct ta_buf *b)
{
	ta_html_raw(b, "<section class=\"card glance\" aria-label=\"At a glance\">");
	histogram(p, b);
	ways(p, b);
	ta_html_raw(b, "</section>");
}
