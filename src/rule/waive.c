#include "rule/waive.h"

#include <errno.h>
#include <string.h>

#include "rule/rules.h"

static bool is_leap(int64_t year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int64_t days_of_month(int64_t year, int64_t month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	return days[month - 1] + (month == 2 && is_leap(year));
}

/* The number that `n` digits at `s` say, or −1. */
static int64_t digits(const char *s, size_t n)
{
	int64_t v = 0;

	for (size_t i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] > '9')
			return -1;
		v = v * 10 + (s[i] - '0');
	}
	return v;
}

bool ta_waive_date(const char *text, int64_t *ret)
{
	int64_t year, month, day, days = 0;

	if (strlen(text) != 10 || text[4] != '-' || text[7] != '-')
		return false;
	year = digits(text, 4);
	month = digits(text + 5, 2);
	day = digits(text + 8, 2);
	if (year < 1970 || month < 1 || month > 12 || day < 1 || day > days_of_month(year, month))
		return false;
	for (int64_t y = 1970; y < year; y++)
		days += 365 + is_leap(y);
	for (int64_t m = 1; m < month; m++)
		days += days_of_month(year, m);
	*ret = (days + day) * 86400 - 1;
	return true;
}

int ta_waivers_resolve(struct ta_rules *rs, struct ta_diags *diags)
{
	int rc = 0;

	for (struct ta_waiver_entry *w = rs->waivers; w; w = w->next) {
		const char *near;

		if (ta_rules_find(rs, w->waiver.rule))
			continue;
		near = ta_rules_nearest(rs, w->waiver.rule);
		rc = ta_diag_add(diags, w->source, w->rule.pos, w->rule.end, "no rule '%s'%s%s%s", w->waiver.rule,
			near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
		if (rc == -ENOMEM)
			return rc;
	}
	return rc;
}

/* A waiver may name a subject in full or without the address behind its name: "eth0" is "eth0 (0000:01:00.0)" too. */
static bool names_subject(const char *waived, const char *subject)
{
	size_t len = strlen(waived);

	return strncmp(waived, subject, len) == 0 && (!subject[len] || strncmp(subject + len, " (", 2) == 0);
}

const struct ta_waiver *ta_rules_waiver(const struct ta_rules *rs, const char *rule, const char *subject)
{
	const struct ta_waiver *best = NULL;

	for (const struct ta_waiver_entry *e = rs->waivers; e; e = e->next) {
		const struct ta_waiver *w = &e->waiver;

		if (strcmp(w->rule, rule) != 0 || (w->subject && !names_subject(w->subject, subject)))
			continue;
		/* Of several the one that holds longest. */
		if (!best || w->until_time > best->until_time)
			best = w;
	}
	return best;
}
