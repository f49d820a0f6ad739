/*
 * Messages on stderr, each in one write and safe for the terminal.
 */
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/system.h"
#include "report/text.h"

/* What was typed is told again, but not all of a hundred thousand bytes. */
#define WORD_MAX 400

void ta_cli_say(const char *text)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	ta_text_safe_lines(&b, text);
	ta_progress_erase();
	ta_system_write(STDERR_FILENO, ta_buf_text(&b), b.len);
}

int ta_cli_fail(int code, const char *fmt, ...)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	va_list ap;

	ta_buf_adds(&b, "tuneaudit: ");
	va_start(ap, fmt);
	ta_buf_vprintf(&b, fmt, ap);
	va_end(ap);
	ta_buf_shorten(&b, 0, WORD_MAX);
	ta_cli_say(b.error ? "tuneaudit: out of memory" : b.data);
	return code;
}

int ta_cli_choose(const char *option, const char *value, const char *const *choices)
{
	struct ta_nearest near = TA_NEAREST(value);
	ta_cleanup_buf struct ta_buf list = TA_BUF_INIT;

	if (!value)
		return 0;
	for (int i = 0; choices[i]; i++) {
		if (strcmp(choices[i], value) == 0)
			return i;
		ta_nearest_try(&near, choices[i]);
		ta_buf_printf(&list, "%s%s", i ? ", " : "", choices[i]);
	}
	if (near.best)
		ta_cli_fail(0, "--%s '%s': did you mean '%s'?", option, value, near.best);
	else
		ta_cli_fail(0, "--%s '%s': there are: %s", option, value, ta_buf_text(&list));
	return -1;
}
