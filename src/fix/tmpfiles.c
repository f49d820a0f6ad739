/*
 * tmpfiles.d(5): what writes attributes of the kernel at boot.
 */
#include "fix/describe.h"

/* Paths and values of the attribute table have no blanks, and percent signs only where a specifier would be read. */
static void add_word(struct ta_buf *b, const char *word)
{
	for (; *word; word++)
		ta_buf_printf(b, *word == '%' ? "%%%%" : "%c", *word);
}

void ta_persist_tmpfiles(struct ta_fix_text *ret, const struct ta_steps *steps)
{
	ta_buf_adds(&ret->persist_file, TA_TMPFILES_FILE);
	for (size_t i = 0; i < steps->n; i++) {
		ta_buf_adds(&ret->persist_text, "w ");
		add_word(&ret->persist_text, steps->v[i].target);
		ta_buf_adds(&ret->persist_text, " - - - - ");
		add_word(&ret->persist_text, steps->v[i].after);
		ta_buf_addc(&ret->persist_text, '\n');
	}
}
