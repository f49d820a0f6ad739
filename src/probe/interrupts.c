/*
 * Where a row's columns end and its texts begin is told by the header alone;
 * the texts have blanks in them: "MIPS GIC  63  IPI call". The action stands
 * behind the last run of two blanks or more, unless what stands there is the
 * hardware number of an interrupt without an action.
 */
#include "probe/interrupts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "probe/netdev.h"

static const char *skip_blanks(const char *s)
{
	while (*s == ' ' || *s == '\t')
		s++;
	return s;
}

void ta_irq_columns_done(struct ta_irq_columns *c)
{
	free(c->cpus);
	*c = (struct ta_irq_columns){0};
}

static int add_column(struct ta_irq_columns *c, size_t *cap, unsigned cpu)
{
	if (c->n == *cap) {
		size_t more = *cap ? *cap * 2 : 64;
		unsigned *cpus = reallocarray(c->cpus, more, sizeof(*cpus));

		if (!cpus)
			return -ENOMEM;
		c->cpus = cpus;
		*cap = more;
	}
	c->cpus[c->n++] = cpu;
	return 0;
}

int ta_irq_columns_parse(const char *line, struct ta_irq_columns *ret)
{
	ta_cleanup_irq_columns struct ta_irq_columns c = {.known = true};
	size_t cap = 0;

	for (const char *s = skip_blanks(line); *s; s = skip_blanks(s)) {
		unsigned cpu = 0;

		if (strncmp(s, "CPU", 3) != 0 || !ta_is_digit(s[3]))
			return -EINVAL;
		for (s += 3; ta_is_digit(*s); s++) {
			cpu = cpu * 10 + (unsigned)(*s - '0');
			if (cpu >= TA_CPU_LIMIT)
				return -ERANGE;
		}
		if (*s && *s != ' ' && *s != '\t')
			return -EINVAL;
		if (add_column(&c, &cap, cpu) < 0)
			return -ENOMEM;
	}
	if (!c.n)
		return -EINVAL;
	*ret = c;
	c = (struct ta_irq_columns){0};
	return 0;
}

/* A word of digits alone; moves behind it. Sets *ret_huge if it does not fit. */
static bool next_count(const char **text, uint64_t *ret, bool *ret_huge)
{
	const char *s = skip_blanks(*text);
	bool huge = false;
	uint64_t v = 0;

	if (!ta_is_digit(*s))
		return false;
	for (; ta_is_digit(*s); s++)
		huge |= __builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v);
	if (*s && *s != ' ' && *s != '\t')
		return false;
	*text = s;
	*ret = v;
	*ret_huge |= huge;
	return true;
}

/* What stands where the action would be when there is none: "5-edge", "25 Level", "63". */
static bool is_hwirq(const char *s, const char *end)
{
	size_t rest;

	if (s == end || !ta_is_digit(*s))
		return false;
	while (s < end && ta_is_digit(*s))
		s++;
	rest = (size_t)(end - s);
	if (rest == 0 || *s == '-')
		return true;
	return (rest == 6 && memcmp(s, " Level", 6) == 0) ||
	       (rest == 5 && memcmp(s, " Edge", 5) == 0);
}

static void split_texts(const char *text, struct ta_irq_row *ret)
{
	const char *end = text + strlen(text), *s, *gap;

	while (end > text && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	ret->chip = text;
	ret->chip_len = (size_t)(end - text);
	ret->actions = end;
	ret->actions_len = 0;
	for (s = end; s > text + 1 && !(s[-1] == ' ' && s[-2] == ' '); s--)
		;
	if (s <= text + 1 || is_hwirq(s, end))
		return;
	for (gap = s; gap > text && gap[-1] == ' '; gap--)
		;
	ret->chip_len = (size_t)(gap - text);
	ret->actions = s;
	ret->actions_len = (size_t)(end - s);
}

bool ta_irq_row_parse(
	const char *line, const struct ta_irq_columns *columns, struct ta_irq_row *ret)
{
	const char *s = skip_blanks(line);
	unsigned long irq = 0;
	uint64_t count;
	bool huge = false;

	if (!ta_is_digit(*s))
		return false;
	for (; ta_is_digit(*s) && irq < 100000000; s++)
		irq = irq * 10 + (unsigned long)(*s - '0');
	if (*s != ':')
		return false;
	ret->irq = (unsigned)irq;
	ret->counts = ++s;
	for (size_t i = 0; !columns->known || i < columns->n; i++)
		if (!next_count(&s, &count, &huge))
			break;
	split_texts(skip_blanks(s), ret);
	return true;
}

int ta_irq_count(const struct ta_irq_row *row, const struct ta_irq_columns *columns,
	struct ta_irq_counts *ret)
{
	const char *s = row->counts;
	struct ta_irq_counts c = {.top_cpu = -1};
	uint64_t count;

	for (size_t i = 0; (!columns->known || i < columns->n) && next_count(&s, &count, &c.huge); i++) {
		c.huge |= __builtin_add_overflow(c.total, count, &c.total);
		if (count > c.top) {
			c.top = count;
			c.top_cpu = columns->known ? (int)columns->cpus[i] : -1;
		}
	}
	if (c.huge) {
		*ret = (struct ta_irq_counts){.top_cpu = -1, .huge = true};
		return 0;
	}
	s = row->counts;
	for (size_t i = 0; c.total && columns->known && i < columns->n && next_count(&s, &count, &c.huge);
		i++) {
		/* A twentieth of the sum, rounded up. */
		if (count < c.total / 20 + (c.total % 20 != 0))
			continue;
		if (ta_cpuset_add(&c.fired, columns->cpus[i]) < 0) {
			ta_cpuset_done(&c.fired);
			return -ENOMEM;
		}
	}
	*ret = c;
	return 0;
}

/* The last word of the chip's text that could be a hardware number; 0 if there is none. */
static uint64_t hwirq_of(const struct ta_irq_row *row, size_t *ret_name_len)
{
	const char *s = memchr(row->chip, ' ', row->chip_len), *end = row->chip + row->chip_len;
	uint64_t v = 0;

	if (!s)
		return 0;
	*ret_name_len = (size_t)(s - row->chip);
	while (s < end && *s == ' ')
		s++;
	for (; s < end && ta_is_digit(*s); s++)
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
			return 0;
	return v;
}

static bool ends_with(const char *s, size_t len, const char *tail)
{
	size_t n = strlen(tail);

	return len >= n && memcmp(s + len - n, tail, n) == 0;
}

bool ta_irq_row_pci(const struct ta_irq_row *row, char *ret, size_t size)
{
	size_t name_len = 0;
	uint64_t hwirq = hwirq_of(row, &name_len);
	const char *dash, *end = row->chip + name_len;

	for (dash = end; dash > row->chip && dash[-1] != '-'; dash--)
		;
	if (dash > row->chip && ta_is_pci_address(dash, (size_t)(end - dash))) {
		snprintf(ret, size, "%.*s", (int)(end - dash), dash);
		return true;
	}
	if (!ends_with(row->chip, name_len, "PCI-MSI") &&
		!ends_with(row->chip, name_len, "ITS-MSI"))
		return false;
	if (hwirq < 1u << 11)
		return false;
	snprintf(ret, size, "%04llx:%02x:%02x.%x", (unsigned long long)(hwirq >> 27 & 0xffffffff),
		(unsigned)(hwirq >> 19 & 0xff), (unsigned)(hwirq >> 14 & 0x1f),
		(unsigned)(hwirq >> 11 & 7));
	return true;
}
