/*
 * 36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
 *
 * Options may hold names, hosts and passwords; kept are those of a list.
 */
#include "probe/mountinfo.h"

#include <errno.h>
#include <string.h>

static const char *const known_options[] = {"ro", "rw", "sync", "dirsync", "noatime", "relatime",
	"strictatime", "nodiratime", "lazytime", "discard", "discard=async", "nodiscard", "barrier",
	"barrier=0", "barrier=1", "nobarrier", "data=ordered", "data=writeback", "data=journal",
	"journal_checksum", "delalloc", "nodelalloc", "commit=5", "compress=zstd", "compress=lzo",
	"autodefrag", "ssd", "nossd", "noquota", "logbufs=8", "largeio", "swalloc"};

void ta_mount_done(struct ta_mount *m)
{
	ta_buf_done(&m->point);
	ta_buf_done(&m->source);
	ta_buf_done(&m->fstype);
	ta_strv_done(&m->options);
}

/* The next word at *text; its length, 0 at the end. */
static size_t next_word(const char **text, const char **ret)
{
	size_t len;

	*ret = *text + strspn(*text, " ");
	len = strcspn(*ret, " ");
	*text = *ret + len;
	return len;
}

/* The kernel writes blanks, tabs, newlines and backslashes as \040 and the like (fs/seq_file.c
 * mangle_path()). */
static void unmangle(const char *s, size_t len, struct ta_buf *ret)
{
	for (size_t i = 0; i < len; i++) {
		bool octal = s[i] == '\\' && i + 3 < len && s[i + 1] >= '0' && s[i + 1] <= '3' &&
			     s[i + 2] >= '0' && s[i + 2] <= '7' && s[i + 3] >= '0' &&
			     s[i + 3] <= '7';

		ta_buf_addc(ret, octal ? (char)((s[i + 1] - '0') << 6 | (s[i + 2] - '0') << 3 |
						 (s[i + 3] - '0'))
				       : s[i]);
		i += octal ? 3 : 0;
	}
}

static void add_options(const char *s, size_t len, struct ta_strv *ret)
{
	for (const char *end = s + len; s < end;) {
		size_t one = strcspn(s, ", ");

		one = one > (size_t)(end - s) ? (size_t)(end - s) : one;
		for (size_t i = 0; i < TA_ARRAY_SIZE(known_options); i++)
			if (strlen(known_options[i]) == one &&
				memcmp(known_options[i], s, one) == 0 &&
				!ta_strv_has(ret, known_options[i]))
				ta_strv_addn(ret, s, one);
		s += one + 1;
	}
}

int ta_mount_parse(const char *line, struct ta_mount *ret)
{
	const char *word;
	size_t len = 0;

	ta_mount_done(ret);
	*ret = (struct ta_mount){0};
	for (int i = 0; i < 4; i++)
		len = next_word(&line, &word); /* id, parent, device, root */
	ret->is_part = !(len == 1 && *word == '/');
	len = len ? next_word(&line, &word) : 0;
	if (!len)
		return -EBADMSG;
	unmangle(word, len, &ret->point);
	len = next_word(&line, &word);
	add_options(word, len, &ret->options);
	do
		len = next_word(&line, &word);
	while (len && !(len == 1 && *word == '-'));
	len = len ? next_word(&line, &word) : 0;
	if (!len)
		return -EBADMSG;
	ta_buf_add(&ret->fstype, word, len);
	len = next_word(&line, &word);
	unmangle(word, len, &ret->source);
	len = next_word(&line, &word);
	add_options(word, len, &ret->options);
	return ret->point.error || ret->source.error || ret->fstype.error || ret->options.error
		       ? -ENOMEM
		       : 0;
}
