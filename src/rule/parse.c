/*
 * A file: stanzas one after the other. A fault never ends the reading; the
 * parser skips to the next word at the start of a line that it knows.
 */
#include <errno.h>
#include <string.h>

#include "rule/stanza.h"

static const struct {
	const char *word;
	bool (*parse)(struct ta_parser *p);
} stanzas[] = {
	{"rule", ta_parse_rule},
	{"param", ta_parse_param},
	{"profile", ta_parse_profile},
	{"waive", ta_parse_waive},
};

static int stanza_ahead(const struct ta_parser *p)
{
	for (size_t i = 0; i < TA_ARRAY_SIZE(stanzas); i++)
		if (ta_parser_is_id(p, stanzas[i].word))
			return (int)i;
	return -1;
}

static int key_ahead(const struct ta_parser *p, const struct ta_stanza_key *keys, size_t n_keys)
{
	for (size_t i = 0; i < n_keys; i++)
		if (ta_parser_is_id(p, keys[i].name))
			return (int)i;
	return -1;
}

/* True at a word that starts a stanza where nothing is indented: `param` is also a key of profiles. */
static bool at_margin(const struct ta_parser *p)
{
	return stanza_ahead(p) >= 0 && (p->tok.pos == 0 || p->src->text[p->tok.pos - 1] == '\n');
}

void ta_stanza_sync(struct ta_parser *p, const struct ta_stanza_key *keys, size_t n_keys)
{
	p->lex.quiet = true;
	while (p->tok.tok != TA_TOK_END) {
		bool key = p->tok.first && (at_margin(p) || key_ahead(p, keys, n_keys) >= 0);

		if (p->tok.tok == TA_TOK_ID && (key || ta_parser_is_id(p, "end")))
			break;
		ta_parser_next(p);
	}
	p->lex.quiet = false;
}

static void unknown_key(struct ta_parser *p, const struct ta_stanza_key *keys, size_t n_keys, const char *what)
{
	char word[64] = "";
	struct ta_nearest near = TA_NEAREST(word);
	size_t n = TA_MIN((size_t)(p->tok.end - p->tok.pos), sizeof(word) - 1);

	if (p->tok.tok != TA_TOK_ID) {
		ta_parser_expected(p, "a key or `end`");
		return;
	}
	memcpy(word, p->src->text + p->tok.pos, n);
	for (size_t i = 0; i < n_keys; i++)
		ta_nearest_try(&near, keys[i].name);
	ta_parser_fault(p, "a %s has no key '%s'%s%s%s", what, word, near.best ? "; did you mean '" : "",
		near.best ? near.best : "", near.best ? "'?" : "");
}

/* One key; false: a fault, with the rest of the key's line still ahead. */
static bool parse_key_of(struct ta_parser *p, const struct ta_stanza_key *keys, size_t n_keys, void *stanza,
	const char *what, uint64_t *seen)
{
	int k = p->tok.tok == TA_TOK_ID ? key_ahead(p, keys, n_keys) : -1;

	if (k < 0) {
		unknown_key(p, keys, n_keys, what);
		ta_parser_next(p);
		return false;
	}
	if (!keys[k].repeats && *seen & UINT64_C(1) << k)
		ta_parser_fault(p, "'%s' stands twice in this %s", keys[k].name, what);
	*seen |= UINT64_C(1) << k;
	ta_parser_next(p);
	return keys[k].parse(p, stanza);
}

bool ta_stanza_keys(struct ta_parser *p, const struct ta_stanza_key *keys, size_t n_keys, void *stanza,
	const char *what, uint64_t *ret_seen)
{
	*ret_seen = 0;
	while (!ta_parser_take_id(p, "end")) {
		if (p->tok.tok == TA_TOK_END || (key_ahead(p, keys, n_keys) < 0 && stanza_ahead(p) >= 0)) {
			ta_parser_fault(p, "the %s before this has no `end`", what);
			break;
		}
		if (!parse_key_of(p, keys, n_keys, stanza, what, ret_seen)) {
			p->failed = true;
			ta_stanza_sync(p, keys, n_keys);
		}
	}
	return !p->failed;
}

int ta_parse_choice(struct ta_parser *p, const char *const *names, size_t n, const char *what)
{
	struct ta_word word;
	struct ta_nearest near = {0};

	if (!ta_parser_word(p, "-", what, &word))
		return -1;
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], word.text) == 0)
			return (int)i;
	near.word = word.text;
	for (size_t i = 0; i < n; i++)
		ta_nearest_try(&near, names[i]);
	p->failed = true;
	ta_diag_add(p->diags, p->src, word.pos, word.end, "'%s' is not %s%s%s%s", word.text, what,
		near.best ? "; did you mean '" : "", near.best ? near.best : "", near.best ? "'?" : "");
	return -1;
}

int64_t ta_parse_number(struct ta_parser *p, uint64_t low, uint64_t high, const char *what)
{
	uint64_t v = p->tok.number;

	if (p->tok.tok != TA_TOK_INT || v < low || v > high) {
		ta_parser_expected(p, what);
		return -1;
	}
	ta_parser_next(p);
	return (int64_t)v;
}

static void unknown_stanza(struct ta_parser *p)
{
	char word[64] = "";
	struct ta_nearest near = TA_NEAREST(word);
	size_t n = TA_MIN((size_t)(p->tok.end - p->tok.pos), sizeof(word) - 1);

	memcpy(word, p->src->text + p->tok.pos, n);
	for (size_t i = 0; p->tok.tok == TA_TOK_ID && i < TA_ARRAY_SIZE(stanzas); i++)
		ta_nearest_try(&near, stanzas[i].word);
	if (near.best)
		ta_parser_fault(p, "no stanza '%s'; did you mean '%s'?", word, near.best);
	else
		ta_parser_expected(p, "rule, param, profile or waive");
}

int ta_rules_parse(struct ta_rules *rs, struct ta_source *src, unsigned flags, struct ta_diags *diags)
{
	struct ta_parser p;
	bool failed = false;

	ta_parser_init(&p, rs, src, &rs->arena, diags);
	p.flags = flags;
	while (p.tok.tok != TA_TOK_END) {
		int s = p.tok.tok == TA_TOK_ID ? stanza_ahead(&p) : -1;

		p.failed = p.lex.failed = false;
		p.nodes = p.depth = 0;
		if (s < 0)
			unknown_stanza(&p);
		ta_parser_next(&p);
		if (s < 0 || !stanzas[s].parse(&p)) {
			p.failed = true;
			ta_stanza_sync(&p, NULL, 0);
			ta_parser_take_id(&p, "end");
		}
		failed |= p.failed;
		if (rs->arena.error)
			return rs->arena.error == -ENOMEM ? -ENOMEM : -EFBIG;
	}
	return failed ? -EBADMSG : 0;
}
