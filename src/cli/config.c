#include "cli/config.h"

#include <errno.h>
#include <string.h>

#include "cli/command.h"
#include "cli/system.h"

#define CONFIG_MAX (64u << 10)

static char *trim(char *text)
{
	char *end;

	text += strspn(text, " \t\r");
	end = text + strlen(text);
	while (end > text && strchr(" \t\r", end[-1]))
		*--end = '\0';
	return text;
}

static int read_switch(const char *value, bool *ret)
{
	if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
		return -EINVAL;
	*ret = !strcmp(value, "yes");
	return 0;
}

/* The line, changed on the way. */
static int read_line(char *line, unsigned number, struct ta_config *c)
{
	char *comment = strchr(line, '#'), *equals, *name, *value;

	if (comment)
		*comment = '\0';
	name = trim(line);
	if (!*name)
		return TA_EXIT_OK;
	equals = strchr(name, '=');
	if (!equals)
		return ta_cli_fail(TA_EXIT_USAGE, "%s:%u: NAME = VALUE is expected", TA_CONFIG_FILE, number);
	*equals = '\0';
	name = trim(name);
	value = trim(equals + 1);
	if (strcmp(name, "verify-load") != 0)
		return ta_cli_fail(TA_EXIT_USAGE, "%s:%u: no setting '%s'; there is verify-load", TA_CONFIG_FILE, number, name);
	if (read_switch(value, &c->verify_load) < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "%s:%u: %s is yes or no, not '%s'", TA_CONFIG_FILE, number, name, value);
	return TA_EXIT_OK;
}

int ta_config_read(struct ta_config *ret)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_config c = {0};
	struct ta_err err = {0};
	unsigned number = 0;
	bool trusted;
	int code, rc = ta_system_read_file(TA_CONFIG_FILE, CONFIG_MAX, &text, &trusted, &err);

	*ret = c;
	if (rc == -ENOENT)
		return TA_EXIT_OK;
	if (rc < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "%s", err.text);
	if (!trusted)
		return ta_cli_fail(TA_EXIT_OK, "%s is left out: others than root may write it, or put another file in its place",
			TA_CONFIG_FILE);
	for (char *line = text.data, *next; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		code = read_line(line, ++number, &c);
		if (code != TA_EXIT_OK)
			return code;
	}
	*ret = c;
	return TA_EXIT_OK;
}
