/*
 * The flags that json-c is to read a text with.
 */
#pragma once

#include <json-c/json_tokener.h>
#include <stddef.h>

/*
 * JSON_TOKENER_STRICT where that reads valid JSON: json-c 0.18 compares the bytes of strings as signed characters with ' ' then, and
 * refuses all that is not ASCII (json_tokener.c, json_tokener_state_string). Without it more is read than JSON allows.
 */
static inline int ta_json_strict(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] >= 0x80)
			return 0;
	return JSON_TOKENER_STRICT;
}
