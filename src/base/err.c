#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int ta_err_set(struct ta_err *err, int rc, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return rc;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return rc;
}

int ta_err_prefix(struct ta_err *err, int rc, const char *fmt, ...)
{
	char old[sizeof(err->text)];
	va_list ap;
	int n;

	if (!err)
		return rc;
	memcpy(old, err->text, sizeof(old));
	va_start(ap, fmt);
	n = vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof(err->text))
		snprintf(err->text + n, sizeof(err->text) - (size_t)n, ": %.*s", (int)sizeof(old) - n, old);
	return rc;
}

const char *ta_errno_text(int rc)
{
#ifdef __GLIBC__
	const char *text = strerrordesc_np(-rc);
#else
	const char *text = strerror(-rc); /* musl: translated only after setlocale(), which nothing here calls */
#endif

	return text ? text : "unknown error";
}
