/*
 * Lines of tmpfiles.d.
 */
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "probe/linkconf.h"
#include "probe/tmpfilesd.h"

static int look(const struct ta_tmpfiles_line *line, void *ctx)
{
	unsigned *last = ctx;

	if (line->number <= *last || *line->path != '/' || strstr(line->path, "//"))
		abort();
	*last = line->number;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	unsigned last = 0;
	int64_t v = -1;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (ta_tmpfiles_parse(text, size, look, &last) < 0)
		abort();
	/* The values of .link files, while there is text at hand. */
	if ((!ta_link_usecs(text, &v) || !ta_link_number(text, &v)) && v < 0)
		abort();
	free(text);
	return 0;
}
