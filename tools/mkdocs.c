/*
 * References made from the tables in the code, so that they cannot say anything else:
 *
 *   mkdocs facts             docs/facts.md on stdout
 *   mkdocs rules FILE        FILE on stdout, the table of rules between its two marks made anew
 *   mkdocs paths FILE…       every `fact.path` named in these texts must be declared; 1 if one is not.
 *                            What only looks like one the text names in a comment <!-- not facts: a.b c.d -->
 *
 * A builder's tool, not installed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strv.h"
#include "derive/derive.h"
#include "fix/fixer.h"
#include "facts/text.h"
#include "probe/collect.h"
#include "rule/embedded.h"
#include "rule/rule.h"

#define TEXT_MAX (1u << 20)

static const char *const type_names[] = {
	[TA_T_INT] = "integer",
	[TA_T_REAL] = "number",
	[TA_T_BOOL] = "bool",
	[TA_T_STRING] = "string",
	[TA_T_INTS] = "integers",
	[TA_T_STRINGS] = "strings",
};

/* --- facts --------------------------------------------------------------- */

struct row {
	const struct ta_field *field;
	const char *owner;
};

struct rows {
	struct row v[4096];
	size_t n;
};

static void add_row(const struct ta_field *field, const char *owner, void *ctx)
{
	struct rows *rows = ctx;

	if (rows->n < TA_ARRAY_SIZE(rows->v))
		rows->v[rows->n++] = (struct row){field, owner};
}

static int by_path(const void *a, const void *b)
{
	return ta_natural_cmp(((const struct row *)a)->field->path, ((const struct row *)b)->field->path);
}

/* Text for a table cell. */
static void print_cell(const char *text)
{
	for (; *text; text++) {
		if (*text == '|')
			putchar('\\');
		putchar(*text);
	}
}

static void print_special(const struct ta_field *f)
{
	for (size_t i = 0; i < TA_ARRAY_SIZE(f->special); i++) {
		const struct ta_special *s = &f->special[i];

		if (s->meaning != TA_MEANS_NUMBER)
			printf("; %lld means %s", (long long)s->value,
				s->meaning == TA_MEANS_UNLIMITED ? "unlimited" : "that the kernel chooses");
	}
}

static void print_flags(unsigned flags)
{
	static const struct {
		unsigned flag;
		const char *text;
	} texts[] = {
		{TA_F_VOLATILE, "moves by itself"},
		{TA_F_NETNS, "one per network namespace"},
		{TA_F_HARDWARE, "hardware"},
		{TA_F_LINK, "the other end"},
		{TA_F_SYSTEM, "comes with the system"},
		{TA_F_SIZED, "follows the hardware"},
		{TA_F_AGAIN, "follows from others"},
		{TA_F_RUN, "of this run"},
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(texts); i++)
		if (flags & texts[i].flag)
			printf("; %s", texts[i].text);
	if (TA_F_WITHIN_PERCENT(flags))
		printf("; the same within %u %%", TA_F_WITHIN_PERCENT(flags));
}

static void print_row(const struct row *r)
{
	const struct ta_field *f = r->field;
	const char *unit = f->unit && *f->unit ? f->unit : f->flags & TA_F_CPUS ? "CPUs" : "";

	printf("| `%s` | %s%s | %s | ", f->path, type_names[f->type],
		f->flags & TA_F_UNLIMITED ? " or `unlimited`" : "", unit);
	print_cell(f->meaning);
	print_special(f);
	print_flags(f->flags);
	printf(" | %s |\n", r->owner);
}

static size_t area_length(const char *path)
{
	return strcspn(path, ".[");
}

static void print_facts(const struct rows *rows)
{
	printf("# Facts\n\n"
	       "Made by `make docs` from the tables beside the probes; do not edit.\n\n"
	       "Every fact is a value or stands in `absent` with one of the reasons %s, %s, %s, %s, %s.\n"
	       "`*` stands for the key of a collection: an interface, a CPU policy, a listener. The last column names the\n"
	       "probe (or derivation) that puts the fact. What moves by itself, follows from others (as all that derivations put\n"
	       "does), or is of this run stands in no [baseline](baseline.md); the other words behind a meaning say what it is a\n"
	       "sign of when the fact moves.\n",
		ta_reason_name(TA_MISSING), ta_reason_name(TA_DENIED), ta_reason_name(TA_UNSUPPORTED),
		ta_reason_name(TA_MALFORMED), ta_reason_name(TA_NOT_ASKED));
	for (size_t i = 0; i < rows->n; i++) {
		const char *path = rows->v[i].field->path;
		size_t len = area_length(path);

		if (i == 0 || len != area_length(rows->v[i - 1].field->path) ||
			strncmp(path, rows->v[i - 1].field->path, len) != 0)
			printf("\n## %.*s\n\n| path | type | unit | meaning | from |\n|---|---|---|---|---|\n",
				(int)len, path);
		print_row(&rows->v[i]);
	}
}

/* --- rules ----------------------------------------------------------------- */

#define RULES_BEGIN "<!-- made by make docs: rules -->\n"
#define RULES_END "<!-- made by make docs: end -->\n"

static int load_rules(const struct ta_schema *schema, struct ta_fix_sig **ret_sigs, struct ta_rules **ret)
{
	struct ta_rules *rs = ta_rules_new();
	struct ta_diags diags = {0};
	size_t n;
	int rc = rs ? ta_fixer_sigs(ret_sigs, &n) : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < ta_n_embedded_rules; i++)
		rc = ta_rules_add_text(rs, ta_embedded_rules[i].file, ta_embedded_rules[i].text,
			strlen(ta_embedded_rules[i].text), TA_RULES_TRUSTED | TA_RULES_STATIC, &diags);
	if (rc == 0)
		rc = ta_rules_resolve(rs, schema, *ret_sigs, n, &diags);
	if (rc < 0)
		fprintf(stderr, "mkdocs: the rules do not load: %s\n", diags.n ? diags.v[0].text : strerror(-rc));
	ta_diags_done(&diags);
	*ret = rs;
	return rc;
}

/* Where it is judged; what all have is `base`. */
static void print_profiles(const struct ta_rules *rs, const struct ta_rule *r)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	bool in_base = ta_profile_has(ta_rules_profile(rs, "base"), r), first = true;

	ta_rules_profile_names(rs, &names);
	for (size_t i = 0; i < names.n; i++) {
		bool base = strcmp(names.v[i], "base") == 0;
		bool in = ta_profile_has(ta_rules_profile(rs, names.v[i]), r);

		if (in_base ? !base && in : !in)
			continue;
		printf("%s%s%s", first ? "" : ", ", in_base && !base ? "not " : "", names.v[i]);
		first = false;
	}
}

/* Where its fix shows; a dash where there is none. */
static void print_shown(const struct ta_rule *r)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	ta_shown_format(&r->shown, &text);
	if (text.len)
		print_cell(ta_buf_text(&text));
	else
		printf("-");
}

static void print_rules(const struct ta_rules *rs)
{
	const char *area = "";
	size_t n = 0;

	for (const struct ta_rule *r = ta_rules_first(rs); r; r = r->next)
		n++;
	printf("\n%zu rules. A profile named alone has the rule; \"base, not X\" is in all profiles but X. *Shown*: which way a load has to go, "
	       "and what workload, to show the effect of its fix (language.md).\n", n);
	for (const struct ta_rule *r = ta_rules_first(rs); r; r = r->next) {
		size_t len = strcspn(r->id, ".");

		if (strlen(area) < len || strncmp(area, r->id, len + 1) != 0)
			printf("\n### %.*s\n\n| rule | what is good | severity | weight | risk | profiles | shown |\n"
			       "|---|---|---|---|---|---|---|\n", (int)len, r->id);
		area = r->id;
		printf("| `%s` | ", r->id);
		print_cell(r->title);
		printf(" | %s | %u | %s | ", ta_severity_name(r->severity), r->weight, ta_risk_name(r->risk));
		print_profiles(rs, r);
		printf(" | ");
		print_shown(r);
		printf(" |\n");
	}
	printf("\n");
}

/* --- paths named in texts ---------------------------------------------------- */

/* True for "nic.channels.combined", "nic.*" and every other beginning of a rule's id. */
static bool is_rule_id(const char *text)
{
	size_t len = strlen(text);

	if (len > 2 && strcmp(text + len - 2, ".*") == 0)
		len--;
	for (size_t i = 0; i < ta_n_embedded_rules; i++) {
		const char *at = ta_embedded_rules[i].text;

		while (at && (at = strstr(at, "rule "))) {
			bool starts = at == ta_embedded_rules[i].text || at[-1] == '\n';

			at += strlen("rule ");
			if (starts && strncmp(at, text, len) == 0 && (text[len] || strchr(" \t\n", at[len])))
				return true;
		}
	}
	return false;
}

/* A code span that looks like a fact: its first key is one of ours, a `.` or `[` follows, and nothing but keys. */
static bool looks_like_path(const struct ta_schema *schema, const char *text)
{
	size_t ends[TA_PATH_DEPTH_MAX];
	size_t n = ta_path_ends(text, ends, TA_ARRAY_SIZE(ends));
	char first[64];

	if (n < 2 || text[ends[n - 1]] || ends[0] >= sizeof(first))
		return false;
	memcpy(first, text, ends[0]);
	first[ends[0]] = '\0';
	return ta_schema_child(ta_schema_root(schema), first) != NULL;
}

/* A text that is checked, and the words of it that are said not to be facts. */
struct text {
	const char *file;
	unsigned line;
	struct ta_strv excepted;
};

static int check_span(const struct ta_schema *schema, const struct text *t, const char *text)
{
	size_t len = strlen(text);
	char shortened[256];

	if (len >= sizeof(shortened) || ta_strv_has(&t->excepted, text))
		return 0;
	/* `nics.*` names the whole collection. */
	memcpy(shortened, text, len + 1);
	if (len > 2 && strcmp(text + len - 2, ".*") == 0)
		shortened[len - 2] = '\0';
	if (!looks_like_path(schema, shortened) || ta_schema_find_text(schema, shortened) || is_rule_id(text))
		return 0;
	printf("%s:%u: `%s` is neither a fact nor a rule\n", t->file, t->line, text);
	return 1;
}

/* The code spans of one line; fenced blocks are for others to check. */
static int check_line(const struct ta_schema *schema, const struct text *t, char *text)
{
	int bad = 0;
	char *open, *close;

	for (; (open = strchr(text, '`')) && (close = strchr(open + 1, '`')); text = close + 1) {
		*close = '\0';
		bad |= check_span(schema, t, open + 1);
	}
	return bad;
}

static void find_excepted(const char *text, struct ta_strv *ret)
{
	static const char begin[] = "<!-- not facts: ";

	while ((text = strstr(text, begin))) {
		char words[1024];
		size_t len;

		text += strlen(begin);
		len = TA_MIN(strcspn(text, "\n"), sizeof(words) - 1);
		memcpy(words, text, len);
		words[len] = '\0';
		ta_strv_split(ret, words, " ");
	}
}

static int check_text(const struct ta_schema *schema, const char *file, char *text)
{
	struct text t = {.file = file};
	bool fenced = false;
	int bad = 0;

	find_excepted(text, &t.excepted);
	for (char *end; *text; text = end) {
		t.line++;
		end = text + strcspn(text, "\n");
		if (*end)
			*end++ = '\0';
		if (strncmp(text, "```", 3) == 0)
			fenced = !fenced;
		else if (!fenced)
			bad |= check_line(schema, &t, text);
	}
	ta_strv_done(&t.excepted);
	return bad;
}

/* The text of a file, until the next is read; NULL after a message. */
static char *read_text(const char *file)
{
	static char text[TEXT_MAX];
	FILE *f = fopen(file, "r");
	size_t n;

	if (!f) {
		fprintf(stderr, "mkdocs: %s: %s\n", file, strerror(errno));
		return NULL;
	}
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static int check_file(const struct ta_schema *schema, const char *file)
{
	char *text = read_text(file);

	return text ? check_text(schema, file, text) : 2;
}

static int renew_rules(const struct ta_schema *schema, const char *file)
{
	const char *text = read_text(file), *begin = text ? strstr(text, RULES_BEGIN) : NULL;
	const char *end = begin ? strstr(begin, RULES_END) : NULL;
	struct ta_fix_sig *sigs = NULL;
	struct ta_rules *rs = NULL;
	int rc = 0;

	if (!end) {
		fprintf(stderr, "mkdocs: %s: no place for the rules\n", file);
		return 2;
	}
	begin += strlen(RULES_BEGIN);
	rc = load_rules(schema, &sigs, &rs);
	if (rc == 0) {
		printf("%.*s", (int)(begin - text), text);
		print_rules(rs);
		printf("%s", end);
	}
	ta_rules_free(rs);
	free(sigs);
	return rc ? 2 : 0;
}

int main(int argc, char **argv)
{
	static struct rows rows;
	struct ta_schema *schema;
	struct ta_err err;
	int rc = 0;

	if (argc < 2 || ta_collect_schema(&schema, &err) < 0) {
		fprintf(stderr, "mkdocs: %s\n", argc < 2 ? "facts, rules FILE, or paths FILE…" : err.text);
		return 2;
	}
	if (strcmp(argv[1], "facts") == 0) {
		ta_schema_leaves(ta_schema_root(schema), add_row, &rows);
		qsort(rows.v, rows.n, sizeof(rows.v[0]), by_path);
		print_facts(&rows);
	} else if (strcmp(argv[1], "rules") == 0 && argc == 3) {
		rc = renew_rules(schema, argv[2]);
	} else if (strcmp(argv[1], "paths") == 0) {
		for (int i = 2; i < argc; i++)
			rc |= check_file(schema, argv[i]);
	} else {
		fprintf(stderr, "mkdocs: no such thing: %s\n", argv[1]);
		rc = 2;
	}
	ta_schema_free(schema);
	return rc;
}
