#include "base/cpuset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

int ta_cpuset_add(struct ta_cpuset *set, unsigned cpu)
{
	size_t word = cpu / 64;

	if (cpu >= TA_CPU_LIMIT)
		return -ERANGE;
	if (word >= set->n_words) {
		uint64_t *words = reallocarray(set->words, word + 1, sizeof(*words));

		if (!words)
			return -ENOMEM;
		memset(words + set->n_words, 0, (word + 1 - set->n_words) * sizeof(*words));
		set->words = words;
		set->n_words = word + 1;
	}
	set->words[word] |= UINT64_C(1) << (cpu % 64);
	return 0;
}

static const char *skip_blanks(const char *s)
{
	return s + strspn(s, " \t\r\n");
}

static int read_number(const char **text, unsigned *ret)
{
	const char *s = *text;
	unsigned v = 0;

	if (*s < '0' || *s > '9')
		return -EINVAL;
	for (; ta_is_digit(*s); s++) {
		v = v * 10 + (unsigned)(*s - '0');
		if (v >= TA_CPU_LIMIT)
			return -ERANGE;
	}
	*text = s;
	*ret = v;
	return 0;
}

static int add_range(struct ta_cpuset *set, const char **text)
{
	unsigned first, last;
	int rc = read_number(text, &first);

	if (rc < 0)
		return rc;
	last = first;
	if (**text == '-') {
		(*text)++;
		rc = read_number(text, &last);
		if (rc < 0)
			return rc;
	}
	if (last < first)
		return -ERANGE;
	for (unsigned c = first; c <= last; c++) {
		rc = ta_cpuset_add(set, c);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int ta_cpuset_parse_list(struct ta_cpuset *set, const char *text)
{
	int rc;

	ta_cpuset_done(set);
	text = skip_blanks(text);
	if (strncmp(text, "(null)", 6) == 0)
		text += 6;
	while (*(text = skip_blanks(text))) {
		rc = add_range(set, &text);
		if (rc < 0)
			return rc;
		text = skip_blanks(text);
		if (*text == ',')
			text++;
		else if (*text)
			return -EINVAL;
	}
	return 0;
}

static int hex_digit(char c)
{
	if (ta_is_digit(c))
		return c - '0';
	if ((c | 32) >= 'a' && (c | 32) <= 'f')
		return (c | 32) - 'a' + 10;
	return -1;
}

/* Adds the CPUs of one hex digit whose lowest bit is `bit`. */
static int add_nibble(struct ta_cpuset *set, int digit, unsigned bit)
{
	for (unsigned i = 0; i < 4; i++) {
		int rc = digit >> i & 1 ? ta_cpuset_add(set, bit + i) : 0;

		if (rc < 0)
			return rc;
	}
	return 0;
}

int ta_cpuset_parse_mask(struct ta_cpuset *set, const char *text)
{
	const char *end;
	unsigned bit = 0, digits = 0;

	ta_cpuset_done(set);
	text = skip_blanks(text);
	end = text + strcspn(text, " \t\r\n");
	if (*skip_blanks(end))
		return -EINVAL;
	/* From the right: words of 32 bits, only the leftmost may be shorter than 8 digits. */
	for (const char *p = end; p > text; p--) {
		int d = hex_digit(p[-1]), rc;

		if (p[-1] == ',') {
			if (digits != 8)
				return -EINVAL;
			digits = 0;
			continue;
		}
		if (d < 0 || digits == 8)
			return -EINVAL;
		rc = add_nibble(set, d, bit);
		if (rc < 0)
			return rc;
		bit += 4;
		digits++;
	}
	return text == end || digits ? 0 : -EINVAL;
}

bool ta_cpuset_has(const struct ta_cpuset *set, unsigned cpu)
{
	return cpu / 64 < set->n_words && set->words[cpu / 64] >> (cpu % 64) & 1;
}

unsigned ta_cpuset_count(const struct ta_cpuset *set)
{
	unsigned n = 0;

	for (size_t i = 0; i < set->n_words; i++)
		n += (unsigned)__builtin_popcountll(set->words[i]);
	return n;
}

static uint64_t word_at(const struct ta_cpuset *set, size_t i)
{
	return i < set->n_words ? set->words[i] : 0;
}

int ta_cpuset_or(struct ta_cpuset *set, const struct ta_cpuset *more)
{
	for (size_t i = 0; i < more->n_words; i++) {
		/* The highest bit of a word makes room for it. */
		if (i >= set->n_words && more->words[i]) {
			int top = 63 - __builtin_clzll(more->words[i]);
			int rc = ta_cpuset_add(set, (unsigned)(i * 64) + (unsigned)top);

			if (rc < 0)
				return rc;
		}
		if (more->words[i])
			set->words[i] |= more->words[i];
	}
	return 0;
}

void ta_cpuset_and(struct ta_cpuset *set, const struct ta_cpuset *with)
{
	for (size_t i = 0; i < set->n_words; i++)
		set->words[i] &= word_at(with, i);
}

bool ta_cpuset_equal(const struct ta_cpuset *a, const struct ta_cpuset *b)
{
	for (size_t i = 0; i < TA_MAX(a->n_words, b->n_words); i++)
		if (word_at(a, i) != word_at(b, i))
			return false;
	return true;
}

unsigned ta_cpuset_count_common(const struct ta_cpuset *a, const struct ta_cpuset *b)
{
	unsigned n = 0;

	for (size_t i = 0; i < TA_MIN(a->n_words, b->n_words); i++)
		n += (unsigned)__builtin_popcountll(a->words[i] & b->words[i]);
	return n;
}

int ta_cpuset_next(const struct ta_cpuset *set, int from)
{
	for (size_t i = (size_t)from / 64; from >= 0 && i < set->n_words; i++) {
		uint64_t w = set->words[i];

		if (i == (size_t)from / 64)
			w &= ~UINT64_C(0) << (from % 64);
		if (w)
			return (int)(i * 64) + __builtin_ctzll(w);
	}
	return -1;
}

void ta_cpuset_format(const struct ta_cpuset *set, struct ta_buf *b)
{
	const char *sep = "";

	for (int c = -1; (c = ta_cpuset_next(set, c + 1)) >= 0;) {
		int last = c;

		while (ta_cpuset_has(set, (unsigned)last + 1))
			last++;
		if (last > c)
			ta_buf_printf(b, "%s%d-%d", sep, c, last);
		else
			ta_buf_printf(b, "%s%d", sep, c);
		sep = ",";
		c = last;
	}
}

void ta_cpuset_done(struct ta_cpuset *set)
{
	free(set->words);
	*set = (struct ta_cpuset)TA_CPUSET_INIT;
}

void ta_cpuset_format_mask(const struct ta_cpuset *set, struct ta_buf *b)
{
	bool started = false;

	for (size_t i = set->n_words * 2; i-- > 0;) {
		unsigned word = (unsigned)(set->words[i / 2] >> (i % 2 * 32));

		if (started)
			ta_buf_printf(b, ",%08x", word);
		else if (word || !i)
			ta_buf_printf(b, "%x", word);
		started = started || word;
	}
	if (!set->n_words)
		ta_buf_addc(b, '0');
}
