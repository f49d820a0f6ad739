/*
 * A line of the control protocol from any bytes. What it was read as is written and read again as the same, but for lines of
 * other protocols, of which only the head is read.
 */
#include <stdlib.h>
#include <string.h>

#include "load/control.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char line[TA_CONTROL_LINE_MAX], again[TA_CONTROL_LINE_MAX];
	struct ta_control first, second;
	size_t len, more;

	ta_control_parse((const char *)data, size, &first);
	if (first.kind == TA_CONTROL_BAD)
		return 0;
	if ((first.kind == TA_CONTROL_GREETING || first.kind == TA_CONTROL_HELLO) && first.protocol != TA_CONTROL_PROTOCOL)
		return 0;
	len = ta_control_format(&first, line, sizeof(line));
	if (!len || len >= sizeof(line) || line[len - 1] != '\n' || memchr(line, '\n', len - 1))
		abort();
	ta_control_parse(line, len - 1, &second);
	more = ta_control_format(&second, again, sizeof(again));
	if (second.kind != first.kind || more != len || memcmp(line, again, len) != 0)
		abort();
	return 0;
}
