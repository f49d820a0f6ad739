#include "probe/pamlimits.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"
#include "probe/conffiles.h"

/* The second is where distributions without files in /etc keep theirs (Linux-PAM 1.5.3). */
static const char *const dirs[] = {"/etc/security/limits.d", "/usr/etc/security/limits.d", NULL};
static const char *const files[] = {"/etc/security/limits.conf", "/usr/etc/security/limits.conf"};

/* "65536"; "unlimited", "infinity" and -1 are the same. */
static bool parse_value(const char *text, struct ta_pam_limit *ret)
{
	ret->unlimited = !strcmp(text, "unlimited") || !strcmp(text, "infinity") || !strcmp(text, "-1");
	return ret->unlimited || ta_parse_u64(text, &ret->value) == 0;
}

/* "DOMAIN TYPE ITEM VALUE" */
static void see_line(char *line, const char *file, unsigned number, struct ta_pam_limits *ret)
{
	ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;
	struct ta_pam_limit new = {.given = true}, *of;
	bool soft, hard;

	line[strcspn(line, "#")] = '\0';
	ta_strv_split(&words, line, " \t\r");
	if (words.n != 4 || strcmp(words.v[2], "nofile") != 0 || !parse_value(words.v[3], &new))
		return;
	soft = !strcmp(words.v[1], "soft") || !strcmp(words.v[1], "-");
	hard = !strcmp(words.v[1], "hard") || !strcmp(words.v[1], "-");
	of = !strcmp(words.v[0], "root") || !strcmp(words.v[0], "0") ? ret->root : !strcmp(words.v[0], "*") ? ret->others : NULL;
	if (!of || (!soft && !hard)) {
		ret->more = ret->more || !of;
		return;
	}
	snprintf(new.place, sizeof(new.place), "%.280s:%u", file, number);
	if (soft)
		of[0] = new;
	if (hard)
		of[1] = new;
}

void ta_pam_limits_parse(const char *text, const char *file, struct ta_pam_limits *ret)
{
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;
	unsigned number = 0;

	while (*text) {
		size_t n = strcspn(text, "\n");

		ta_buf_reset(&line);
		ta_buf_add(&line, text, n);
		number++;
		if (line.data && !line.error)
			see_line(line.data, file, number, ret);
		text += n + (text[n] == '\n');
	}
}

/* 1: it is not there. */
static int add_file(struct ta_host *h, const char *path, struct ta_pam_limits *ret)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = ta_host_read(h, path, TA_READ_CAP, &text);

	if (rc == -ENOENT || rc == -ENOTDIR)
		return 1;
	if (rc == -ENOMEM)
		return rc;
	if (rc < 0 && !ret->rc) {
		ret->rc = rc;
		snprintf(ret->hole, sizeof(ret->hole), "%s: %s", path, ta_errno_text(rc));
	}
	if (!rc)
		ta_pam_limits_parse(ta_buf_text(&text), path, ret);
	return 0;
}

int ta_pam_limits_read(struct ta_host *h, struct ta_pam_limits *ret)
{
	ta_cleanup_conf_files struct ta_conf_files found = {0};
	int rc = 1;

	*ret = (struct ta_pam_limits){.more = false};
	for (size_t i = 0; rc > 0 && i < TA_ARRAY_SIZE(files); i++)
		rc = add_file(h, files[i], ret);
	/* Files of limits.d come behind it, by name. */
	if (rc >= 0)
		rc = ta_conf_files(h, dirs, ".conf", NULL, &found);
	for (size_t i = 0; rc >= 0 && i < found.n; i++)
		rc = add_file(h, found.v[i].path, ret);
	if (found.rc && !ret->rc) {
		ret->rc = found.rc;
		snprintf(ret->hole, sizeof(ret->hole), "%s: %s", found.unlisted, ta_errno_text(found.rc));
	}
	return rc < 0 ? rc : 0;
}
