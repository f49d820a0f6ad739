#include "cli/takes.h"

#include <string.h>

static const struct {
	const char *word;
	enum ta_takes takes;
} kinds[] = {
	{"FILE", TA_TAKES_FILE},
	{"OUT.html", TA_TAKES_FILE},
	{"DIR", TA_TAKES_DIR},
	{"RULE", TA_TAKES_RULE},
	{"ID,...", TA_TAKES_RULES},
	{"AREA", TA_TAKES_AREA},
	{"PROFILE", TA_TAKES_PROFILE},
	{"FORMAT", TA_TAKES_FORMAT},
	{"WORKLOAD", TA_TAKES_WORKLOAD},
	{"ENGINE", TA_TAKES_ENGINE},
	{"RUN", TA_TAKES_RUN},
	{"COMMAND", TA_TAKES_COMMAND},
};

static bool is_lower(const char *word)
{
	return *word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_-")] && *word != '-';
}

enum ta_takes ta_takes_of(const char *text, struct ta_strv *words)
{
	ta_cleanup_strv struct ta_strv choices = TA_STRV_INIT;
	bool found = false;

	if (!text)
		return TA_TAKES_ANYTHING;
	for (size_t i = 0; i < TA_ARRAY_SIZE(kinds); i++)
		if (strcmp(kinds[i].word, text) == 0)
			return kinds[i].takes;
	ta_strv_split(&choices, text, "|");
	for (size_t i = 0; i < choices.n; i++)
		if (is_lower(choices.v[i])) {
			found = true;
			if (!ta_strv_has(words, choices.v[i]))
				ta_strv_add(words, choices.v[i]);
		}
	return found ? TA_TAKES_WORDS : TA_TAKES_ANYTHING;
}

/* The words of one alternative without brackets and dots, up to an option. `ret_endless`: the last one may be repeated. */
static void split_usage(const char *usage, size_t len, struct ta_strv *ret, bool *ret_endless)
{
	ta_cleanup_strv struct ta_strv raw = TA_STRV_INIT;
	ta_cleanup_strv struct ta_strv one = TA_STRV_INIT;

	ta_strv_addn(&one, usage, len);
	*ret_endless = false;
	if (one.error)
		return;
	ta_strv_split(&raw, one.v[0], " ");
	for (size_t i = 0; i < raw.n && raw.v[i][0] != '-'; i++) {
		const char *word = raw.v[i] + strspn(raw.v[i], "[");
		size_t end = strlen(word);

		while (end && word[end - 1] == ']' && !memchr(word, '[', end))
			end--;
		*ret_endless = end > 3 && memcmp(word + end - 3, "...", 3) == 0;
		ta_strv_addn(ret, word, *ret_endless ? end - 3 : end);
	}
}

static bool may_be(const char *token, const char *typed)
{
	ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;

	return ta_takes_of(token, &words) != TA_TAKES_WORDS || ta_strv_has(&words, typed);
}

static void next_in(const char *usage, size_t len, char *const *before, size_t n, bool *kinds_there, struct ta_strv *words)
{
	ta_cleanup_strv struct ta_strv tokens = TA_STRV_INIT;
	bool endless;

	split_usage(usage, len, &tokens, &endless);
	if (!tokens.n)
		return;
	for (size_t i = 0; i <= n; i++) {
		size_t at = endless ? TA_MIN(i, tokens.n - 1) : i;

		if (at >= tokens.n)
			return;
		if (i == n)
			kinds_there[ta_takes_of(tokens.v[at], words)] = true;
		else if (!may_be(tokens.v[at], before[i]))
			return;
	}
}

void ta_takes_next(const char *usage, char *const *before, size_t n, bool ret_kinds[TA_TAKES_KINDS], struct ta_strv *words)
{
	memset(ret_kinds, 0, TA_TAKES_KINDS * sizeof(ret_kinds[0]));
	while (*usage) {
		const char *bar = strstr(usage, " | ");
		size_t len = bar ? (size_t)(bar - usage) : strlen(usage);

		next_in(usage, len, before, n, ret_kinds, words);
		usage += bar ? len + 3 : len;
	}
}
