#include "probe/irqbalance.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/strv.h"

/* The value behind "KEY=" without its quotes; NULL: the line is another key's. */
static const char *value_of(char *line, const char *key)
{
	size_t n = strlen(key);

	line += strspn(line, " \t");
	if (!strncmp(line, "export ", 7))
		line += 7;
	if (strncmp(line, key, n) != 0 || line[n] != '=')
		return NULL;
	line += n + 1;
	n = strlen(line);
	while (n && strchr(" \t\r", line[n - 1]))
		n--;
	if (n >= 2 && (*line == '"' || *line == '\'') && line[n - 1] == *line) {
		line++;
		n -= 2;
	}
	line[n] = '\0';
	return line;
}

/* What follows "--NAME=" or, in the next word, "-L" and "--NAME"; NULL: another option. */
static const char *argument(const struct ta_strv *words, size_t *i, const char *name, char letter)
{
	const char *w = words->v[*i];
	size_t n = strlen(name);

	if (!strncmp(w, "--", 2) && !strncmp(w + 2, name, n) && w[2 + n] == '=')
		return w + n + 3;
	if ((!strncmp(w, "--", 2) && !strcmp(w + 2, name)) || (w[0] == '-' && w[1] == letter && !w[2]))
		return *i + 1 < words->n ? words->v[++*i] : "";
	if (w[0] == '-' && w[1] == letter && w[2])
		return w + 2;
	return NULL;
}

static int parse_args(const char *text, struct ta_irqbalance *ret)
{
	ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;
	const char *v;
	int64_t irq;

	ta_strv_split(&words, text, " \t");
	for (size_t i = 0; i < words.n; i++) {
		if (!strcmp(words.v[i], "--oneshot") || !strcmp(words.v[i], "-o"))
			ret->oneshot = true;
		else if ((v = argument(&words, &i, "hintpolicy", 'h')))
			snprintf(ret->policy, sizeof(ret->policy), "%s", v);
		else if ((v = argument(&words, &i, "policyscript", 'l')))
			ret->policy_script = true;
		else if ((v = argument(&words, &i, "banirq", 'i')) && ret->n_irqs < TA_IRQBALANCE_IRQS &&
			 !ta_parse_i64(v, &irq))
			ret->irqs[ret->n_irqs++] = irq;
	}
	return words.error;
}

/* The older mask goes before the list, though irqbalance says that it throws it away. */
static void take_cpus(struct ta_irqbalance *ret, const char *mask, const char *list)
{
	if (!*mask && !*list)
		return;
	ta_cpuset_done(&ret->cpus);
	ret->cpus_rc = *mask ? ta_cpuset_parse_mask(&ret->cpus, mask) : ta_cpuset_parse_list(&ret->cpus, list);
	ret->has_cpus = true;
}

int ta_irqbalance_options(struct ta_irqbalance *ret, const char *text)
{
	return parse_args(text, ret);
}

int ta_irqbalance_assign(struct ta_irqbalance *ret, const char *assignment)
{
	ta_cleanup_buf struct ta_buf copy = TA_BUF_INIT;
	const char *v;

	ta_buf_adds(&copy, assignment);
	if (copy.error || !copy.data)
		return copy.error;
	/* Whatever its value: getenv() finds it. */
	if (value_of(copy.data, "IRQBALANCE_ONESHOT"))
		ret->oneshot = true;
	else if ((v = value_of(copy.data, "IRQBALANCE_BANNED_CPUS")))
		take_cpus(ret, v, "");
	else if ((v = value_of(copy.data, "IRQBALANCE_BANNED_CPULIST")))
		take_cpus(ret, "", v);
	else if ((v = value_of(copy.data, "IRQBALANCE_ARGS")) || (v = value_of(copy.data, "OPTIONS")))
		return parse_args(v, ret);
	return 0;
}

/* The word behind "option NAME " or "list NAME ", without its quotes; NULL: another line. */
static const char *uci_value(char *line, const char *kind, const char *name)
{
	ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;
	const char *end;
	char *value;

	ta_strv_split(&words, line, " \t");
	if (words.n < 3 || strcmp(words.v[0], kind) != 0 || strcmp(words.v[1], name) != 0)
		return NULL;
	value = strstr(line, words.v[1]) + strlen(words.v[1]);
	value += strspn(value, " \t");
	if (*value == '\'' || *value == '"') {
		end = strchr(value + 1, *value);
		value++;
		if (end)
			value[end - value] = '\0';
	} else {
		value[strcspn(value, " \t")] = '\0';
	}
	return value;
}

int ta_irqbalance_parse_uci(const char *text, struct ta_irqbalance *ret, bool *ret_enabled)
{
	ta_cleanup_strv struct ta_strv lines = TA_STRV_INIT;
	const char *v;
	int64_t irq;

	*ret_enabled = false;
	ta_strv_split(&lines, text, "\n");
	for (size_t i = 0; i < lines.n; i++) {
		char *line = ta_strip(lines.v[i]);

		if ((v = uci_value(line, "option", "enabled")))
			*ret_enabled = !strcmp(v, "1") || !strcmp(v, "true") || !strcmp(v, "on") || !strcmp(v, "yes");
		else if (((v = uci_value(line, "list", "banirq")) || (v = uci_value(line, "option", "banirq"))) &&
			 ret->n_irqs < TA_IRQBALANCE_IRQS && !ta_parse_i64(v, &irq))
			ret->irqs[ret->n_irqs++] = irq;
	}
	return lines.error;
}

int ta_irqbalance_parse(const char *text, struct ta_irqbalance *ret)
{
	ta_cleanup_strv struct ta_strv lines = TA_STRV_INIT;
	const char *mask = "", *list = "", *v;
	int rc = 0;

	ta_strv_split(&lines, text, "\n");
	for (size_t i = 0; !rc && i < lines.n; i++) {
		char *line = lines.v[i];

		/* Whatever its value: getenv() finds it. */
		if (value_of(line, "IRQBALANCE_ONESHOT"))
			ret->oneshot = true;
		else if ((v = value_of(line, "IRQBALANCE_BANNED_CPUS")))
			mask = v;
		else if ((v = value_of(line, "IRQBALANCE_BANNED_CPULIST")))
			list = v;
		else if ((v = value_of(line, "IRQBALANCE_ARGS")) || (v = value_of(line, "OPTIONS")))
			rc = parse_args(v, ret);
	}
	take_cpus(ret, mask, list);
	return rc ? rc : lines.error;
}
