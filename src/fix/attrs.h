/*
 * The attributes of /sys and /proc/irq that may be written: a closed table, compiled in. One row for a kind of file.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "fix/knob.h"

enum ta_attr_form {
	TA_ATTR_NUMBER, /* min … max */
	TA_ATTR_WORD,	/* one of `words`; where the file shows a choice, "[always] never", the one in brackets */
	TA_ATTR_MASK,	/* CPUs as bitmap_parse reads them: "ff,00000003"; canonical without leading zeros */
	TA_ATTR_LIST,	/* CPUs as a list: "0-3,8" */
};

struct ta_attr {
	/*
	 * Components are what they are, or %i the name of an interface, %n a number, %w a word of letters, digits, _ and -,
	 * %s any other name. A number or word may stand behind letters: "rx-%n".
	 */
	const char *pattern;
	enum ta_knob_order order;
	enum ta_attr_form form;
	int64_t min, max;
	const char *words; /* blank-separated; for numbers: words that are values too, "auto" */
	bool found_only;   /* never wished, only saved and put back with something else */
	/* What -errno of a write means for this kind of file; NULL: the system's words. */
	const char *(*error)(int rc);
	int (*settle_s)(struct ta_host *h); /* as ta_knob.settle_s */
	void (*remark)(struct ta_host *h, const char *path, struct ta_buf *b);
	/* As ta_knob.coupled; NULL: nothing. */
	int (*coupled)(struct ta_host *h, const char *path, struct ta_steps *ret);
};

extern const struct ta_attr ta_attrs[];
extern const size_t ta_n_attrs;

/* NULL: not ours to write. */
const struct ta_attr *ta_attr_find(const char *path);
