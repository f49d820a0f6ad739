#include "host/redactudev.h"

#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "host/redact.h"
#include "host/tuningpath.h"
#include "host/udevtext.h"

#define UNKNOWN "TAG==\"?\"" /* a condition whose answer nobody here has */
#define HIDDEN "RUN+=\"ethtool\"" /* a program that does something with it, and more */
#define VALUE_MAX 96
#define RUN_MAX 256

static bool is_one_of(const char *const *list, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i], word))
			return true;
	return false;
}

#define IS_ONE_OF(list, word) is_one_of((list), TA_ARRAY_SIZE(list), (word))

/* Letters, digits and what settings are made of. */
static bool is_plain(const char *s, const char *also, size_t most)
{
	for (size_t i = 0; s[i]; i++)
		if (i == most || !(ta_is_digit(s[i]) || ((s[i] | 32) >= 'a' && (s[i] | 32) <= 'z') || strchr(also, s[i])))
			return false;
	return true;
}

static bool keep_match(const struct ta_udev_token *t)
{
	static const char *const keys[] = {"ACTION", "SUBSYSTEM", "SUBSYSTEMS", "KERNEL", "KERNELS", "DRIVER", "DRIVERS",
		"NAME", "TEST", "CONST"};
	static const char *const envs[] = {"DEVTYPE", "INTERFACE", "ID_NET_NAME", "ID_NET_DRIVER", "ID_PATH", "ID_BUS",
		"NVME_EVENT"};
	static const char *const attrs[] = {"address", "class", "vendor", "device", "device/vendor", "device/device",
		"device/class", "type", "removable", "size", "transport", "device/transport", "ro", "carrier", "speed"};

	if (!is_plain(ta_buf_text(&t->value), " _-+.,:/*?[]!|@$%{}", VALUE_MAX))
		return false;
	if (!strcmp(t->key, "ENV"))
		return IS_ONE_OF(envs, t->attr);
	if (!strcmp(t->key, "ATTR") || !strcmp(t->key, "ATTRS"))
		return IS_ONE_OF(attrs, t->attr) || ta_is_tuning_attr(t->attr);
	return IS_ONE_OF(keys, t->key);
}

/* "sh -c 'echo VALUE > /sys/…'" and nothing behind it. */
static bool is_echo(const char *run)
{
	const char *c = strstr(run, "sh -c "), *to;
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-,.";

	if (!c || strcspn(run, " ") + run != c + 2)
		return false;
	c += 6 + strspn(c + 6, " '\"");
	if (strncmp(c, "echo ", 5) != 0)
		return false;
	c += 5 + strspn(c + 5, " ");
	c += strspn(c, plain);
	c += strspn(c, " ");
	if (*c++ != '>')
		return false;
	c += strspn(c, " ");
	for (to = c; *to && !strchr(" '\"", *to); to++)
		;
	return ta_is_tuning_path(c, (size_t)(to - c)) && !to[strspn(to, " '\"")] &&
	       is_plain(run, " _-+.,/*>'\"$%{}", RUN_MAX);
}

static bool is_program(const char *run, const char *name)
{
	size_t n = strcspn(run, " "), k = strlen(name);

	return n >= k && !strncmp(run + n - k, name, k) && (n == k || run[n - k - 1] == '/');
}

enum run { RUN_OTHER, RUN_KNOWN, RUN_HIDDEN };

static enum run kind_of_run(const char *run)
{
	bool known = is_program(run, "ethtool") || is_program(run, "systemd-sysctl");

	if (is_echo(run) || (known && is_plain(run, " _-+.,/:=$%{}", RUN_MAX)))
		return RUN_KNOWN;
	return strstr(run, "ethtool") ? RUN_HIDDEN : RUN_OTHER;
}

struct output {
	struct ta_buf *b; /* rewritten in place: never longer than what was read */
	struct ta_buf line;
	bool sets; /* of the present line: something is set */
	bool jumps;
	bool any; /* of the file */
	const char *behind; /* the pair that was read last */
	size_t out;
};

/* A comma only where something stood between the two, so that nothing grows. */
static void add_pair(struct output *o, const struct ta_udev_token *t, const char *text, size_t len)
{
	if (o->line.len && t->raw > o->behind)
		ta_buf_addc(&o->line, ',');
	ta_buf_add(&o->line, text, len);
}

static void add_token(struct output *o, const struct ta_udev_token *t)
{
	const char *value = ta_buf_text(&t->value);
	bool jump = !strcmp(t->key, "GOTO") || !strcmp(t->key, "LABEL"), set = false;
	/* These are conditions however they are written. */
	bool asks = ta_udev_is_match(t) || !strcmp(t->key, "PROGRAM") || !strcmp(t->key, "IMPORT");

	if (asks) {
		bool keep = ta_udev_is_match(t) && keep_match(t);

		if (keep || t->raw_len < sizeof(UNKNOWN) - 1)
			add_pair(o, t, t->raw, t->raw_len);
		else
			add_pair(o, t, UNKNOWN, sizeof(UNKNOWN) - 1);
		return;
	}
	if (!strcmp(t->key, "RUN")) {
		enum run kind = kind_of_run(value);

		set = kind == RUN_KNOWN;
		if (kind == RUN_HIDDEN) {
			add_pair(o, t, HIDDEN, sizeof(HIDDEN) - 1);
			o->sets = true;
		}
	} else if (!strcmp(t->key, "ATTR")) {
		set = ta_is_tuning_attr(t->attr) && is_plain(value, " _-+.,:$%{}", VALUE_MAX);
	} else if (!strcmp(t->key, "SYSCTL")) {
		set = ta_redact_keeps_sysctl(t->attr) && is_plain(value, " _-+.,", VALUE_MAX);
	}
	o->sets = o->sets || set;
	o->jumps = o->jumps || jump;
	if (set || (jump && is_plain(value, "_-.", VALUE_MAX)))
		add_pair(o, t, t->raw, t->raw_len);
}

static int rewrite(const struct ta_udev_line *line, void *ctx)
{
	struct output *o = ctx;
	struct ta_udev_token t = {.key = ""};
	const char *text = line->text;
	int rc;

	ta_buf_reset(&o->line);
	o->sets = o->jumps = false;
	o->behind = text;
	while ((rc = ta_udev_token_next(&text, &t)) > 0) {
		add_token(o, &t);
		o->behind = text;
	}
	ta_udev_token_done(&t);
	if (rc == -ENOMEM || o->line.error)
		return -ENOMEM;
	if (!rc && o->line.len && (o->sets || o->jumps)) {
		memcpy(o->b->data + o->out, o->line.data, o->line.len);
		o->out += o->line.len;
		o->any = o->any || o->sets;
	}
	for (unsigned i = 0; i < line->n_lines; i++)
		o->b->data[o->out++] = '\n';
	return 0;
}

/* "ATTR{queue/scheduler}=" and the like, at its closing brace: a setting of the allow-list? */
static bool is_setting(const char *text, const char *brace)
{
	static const char attr[] = "ATTR{", sysctl[] = "SYSCTL{";
	const char *open = memrchr(text, '{', (size_t)(brace - text)), *c = brace + 1 + strspn(brace + 1, " \t");
	ta_cleanup_buf struct ta_buf name = TA_BUF_INIT;

	/* "==" and "!=" ask */
	if (!open || brace - open > 128 || *c == '!' || (*c == '=' && c[1] == '='))
		return false;
	if ((size_t)(open + 1 - text) >= sizeof(sysctl) - 1 && !strncmp(open + 2 - sizeof(sysctl), sysctl, sizeof(sysctl) - 1))
		return true;
	if ((size_t)(open + 1 - text) < sizeof(attr) - 1 || strncmp(open + 2 - sizeof(attr), attr, sizeof(attr) - 1) != 0)
		return false;
	ta_buf_add(&name, open + 1, (size_t)(brace - open - 1));
	return ta_is_tuning_attr(ta_buf_text(&name));
}

/* Most files set nothing of it, and are not looked at pair by pair. */
static bool may_set(const struct ta_buf *b)
{
	static const char *const words[] = {"ethtool", "systemd-sysctl", "echo"};
	const char *end = b->data + b->len;

	for (size_t i = 0; i < TA_ARRAY_SIZE(words); i++)
		if (memmem(b->data, b->len, words[i], strlen(words[i])))
			return true;
	for (const char *c = b->data; (c = memchr(c, '}', (size_t)(end - c))); c++)
		if (is_setting(b->data, c))
			return true;
	return false;
}

void ta_redact_udev(struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf copy = TA_BUF_INIT;
	struct output o = {.b = b};
	int rc = -ENOMEM;

	/* It ends a line, and is not to hide what is behind it. */
	for (char *c = b->data; (c = memchr(c, '\0', (size_t)(b->data + b->len - c)));)
		*c = '\n';
	if (may_set(b)) {
		ta_buf_add(&copy, b->data, b->len);
		if (!copy.error)
			rc = ta_udev_lines(copy.data, copy.len, rewrite, &o);
	}
	ta_buf_done(&o.line);
	if (rc || !o.any)
		o.out = 0;
	/* Of the last line there may be a newline more than was read. */
	b->len = TA_MIN(o.out, b->len);
	b->data[b->len] = '\0';
}
