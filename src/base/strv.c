#include "base/strv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"

static void no_memory(struct ta_strv *s)
{
	ta_memory_note_failure();
	s->error = -ENOMEM;
}

void ta_strv_addn(struct ta_strv *s, const char *text, size_t len)
{
	char *copy;

	if (s->error)
		return;
	if (s->n == s->cap) {
		size_t cap = s->cap ? s->cap * 2 : 16;
		char **v = reallocarray(s->v, cap, sizeof(*v));

		if (!v) {
			no_memory(s);
			return;
		}
		s->v = v;
		s->cap = cap;
	}
	copy = strndup(text, len);
	if (!copy) {
		no_memory(s);
		return;
	}
	s->v[s->n++] = copy;
}

void ta_strv_add(struct ta_strv *s, const char *text)
{
	ta_strv_addn(s, text, strlen(text));
}

void ta_strv_split(struct ta_strv *s, const char *text, const char *seps)
{
	while (*text) {
		size_t n = strcspn(text, seps);

		if (n)
			ta_strv_addn(s, text, n);
		text += n;
		text += strspn(text, seps);
	}
}

bool ta_strv_has(const struct ta_strv *s, const char *text)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i][0] == text[0] && strcmp(s->v[i], text) == 0)
			return true;
	return false;
}

/* Compares two runs of digits as numbers of any length; moves both past them. */
static int cmp_digits(const char **a, const char **b)
{
	size_t na, nb;
	int c;

	while (**a == '0')
		(*a)++;
	while (**b == '0')
		(*b)++;
	for (na = 0; ta_is_digit((*a)[na]);)
		na++;
	for (nb = 0; ta_is_digit((*b)[nb]);)
		nb++;
	if (na != nb)
		return na < nb ? -1 : 1;
	c = strncmp(*a, *b, na);
	*a += na;
	*b += nb;
	return c;
}

int ta_natural_cmp(const char *a, const char *b)
{
	const char *start_a = a, *start_b = b;

	while (*a && *b) {
		if (ta_is_digit(*a) && ta_is_digit(*b)) {
			int c = cmp_digits(&a, &b);

			if (c)
				return c;
			continue;
		}
		if (*a != *b)
			return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
		a++;
		b++;
	}
	if (*a || *b)
		return *a ? 1 : -1;
	/* "01" and "1": equal as numbers, not as names. */
	return strcmp(start_a, start_b);
}

static int cmp_entries(const void *a, const void *b)
{
	return ta_natural_cmp(*(char *const *)a, *(char *const *)b);
}

void ta_strv_sort(struct ta_strv *s)
{
	size_t out = 0, ordered = 1;

	if (!s->n)
		return;
	/* The kernel lists processes and descriptors in order already. */
	while (ordered < s->n && ta_natural_cmp(s->v[ordered - 1], s->v[ordered]) <= 0)
		ordered++;
	if (ordered < s->n)
		qsort(s->v, s->n, sizeof(*s->v), cmp_entries);
	for (size_t i = 1; i < s->n; i++) {
		if (strcmp(s->v[out], s->v[i]) == 0)
			free(s->v[i]);
		else
			s->v[++out] = s->v[i];
	}
	s->n = out + 1;
}

void ta_strv_done(struct ta_strv *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i]);
	free(s->v);
	*s = (struct ta_strv)TA_STRV_INIT;
}
