/*
 * Releases are free text behind the first two numbers; vendors write what
 * they like there.
 */
#include "probe/version.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

int ta_version_parse(const char *release, int64_t ret[3])
{
	int64_t v[3] = {0, 0, 0};
	const char *p = release;

	for (int i = 0; i < 3; i++) {
		int64_t n = 0;

		if (!isdigit((unsigned char)*p) && i < 2)
			return -EINVAL;
		for (; isdigit((unsigned char)*p); p++) {
			n = n * 10 + (*p - '0');
			if (n > INT32_MAX)
				return -EINVAL;
		}
		v[i] = n;
		if (*p != '.' && i == 0)
			return -EINVAL;
		if (*p != '.')
			break;
		p++;
	}
	memcpy(ret, v, sizeof(v));
	return 0;
}

/* Keeps word number `n` (from 0) of the text. */
static int keep_word(struct ta_buf *b, unsigned n)
{
	const char *p = ta_buf_text(b) + strspn(ta_buf_text(b), " ");
	size_t len;

	for (; n; n--) {
		p += strcspn(p, " \n");
		p += strspn(p, " ");
	}
	len = strcspn(p, " \n");
	if (!len)
		return -ENOENT;
	memmove(b->data, p, len);
	b->data[len] = '\0';
	b->len = len;
	return 0;
}

int ta_kernel_release(struct ta_host *h, struct ta_buf *ret)
{
	static const char *const uname_files[] = {"/extra/uname_-a", "/sos_commands/kernel/uname_-a"};
	int first = ta_host_read(h, "/proc/sys/kernel/osrelease", TA_READ_CAP, ret);

	if (!first) {
		ta_buf_rtrim(ret);
		return 0;
	}
	/* "Linux version 6.1.0-13-amd64 (builder) …" */
	if (ta_host_read(h, "/proc/version", TA_READ_CAP, ret) == 0 && keep_word(ret, 2) == 0)
		return 0;
	for (size_t i = 0; i < TA_ARRAY_SIZE(uname_files) && !ta_host_is_live(h); i++)
		if (ta_host_read(h, uname_files[i], TA_READ_CAP, ret) == 0 && keep_word(ret, 2) == 0)
			return 0;
	return first;
}

int ta_kernel_version(struct ta_host *h, int64_t ret[3])
{
	ta_cleanup_buf struct ta_buf release = TA_BUF_INIT;
	int rc = ta_kernel_release(h, &release);

	return rc ? rc : ta_version_parse(ta_buf_text(&release), ret);
}
