/*
 * From the answer of a question to what may be said.
 */
#include "probe/feature.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MOST_TRIES 32

void ta_feature_put(struct ta_facts *f, const char *name, bool works, const char *fmt, ...)
{
	char why[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	ta_put_bool(f, works, "features", name, "works");
	ta_put_str(f, why, "features", name, "why");
}

void ta_feature_absent(struct ta_facts *f, const char *name, enum ta_reason reason, const char *fmt, ...)
{
	char why[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	ta_facts_put_absent(f, TA_KEYS("features", name, "works"), reason, "%s", why);
	ta_facts_put_absent(f, TA_KEYS("features", name, "why"), reason, "%s", why);
}

bool ta_try_killed(const struct ta_try_result *r)
{
	return r->rc == -EPERM && strncmp(r->text, "killed by signal", 16) == 0;
}

bool ta_try_unknown(int rc)
{
	switch (-rc) {
	case ENOSYS:
	case ENOPROTOOPT:
	case EOPNOTSUPP:
	case EINVAL:
	case ENOTTY:
	case EPROTONOSUPPORT:
		return true;
	default: /* EAFNOSUPPORT too: RestrictAddressFamilies= of a unit says that of families that the kernel has */
		return false;
	}
}

bool ta_has_word(const char *text, const char *word)
{
	size_t want = strlen(word);

	for (;;) {
		text += strspn(text, " \t\n");
		size_t len = strcspn(text, " \t\n");

		if (len == 0)
			return false;
		if (len == want && memcmp(text, word, len) == 0)
			return true;
		text += len;
	}
}

void ta_feature_result(struct ta_facts *f, const struct ta_feature *v, const struct ta_try_result *r)
{
	const char *more = r->text[0] ? ": " : "";

	if (r->rc == 0)
		ta_feature_put(f, v->name, true, "%s", r->text[0] ? r->text : v->proof);
	else if (ta_try_killed(r))
		ta_feature_put(f, v->name, false, "a seccomp filter kills the process that asks for it");
	else if (ta_try_unknown(r->rc))
		ta_feature_put(f, v->name, false, "%s%s%s; it takes %s", ta_errno_text(r->rc), more,
			r->text, v->needs);
	else if (r->rc == -ENODATA)
		ta_feature_absent(f, v->name, TA_NOT_ASKED, "not in this capture");
	else
		ta_feature_absent(f, v->name, ta_reason_of(r->rc), "tried, but: %s%s%s",
			ta_errno_text(r->rc), more, r->text);
}

void ta_features_try(struct ta_host *h, struct ta_facts *f, const struct ta_feature *v, size_t n,
	struct ta_try_result *ret)
{
	struct ta_try_result own[MOST_TRIES] = {0}, *results = ret ?: own;
	struct ta_try tries[MOST_TRIES] = {0};
	int rc;

	n = TA_MIN(n, (size_t)MOST_TRIES);
	for (size_t i = 0; i < n; i++)
		tries[i] = (struct ta_try){v[i].name, v[i].fn};
	rc = ta_host_try(h, tries, n, results);
	for (size_t i = 0; i < n; i++) {
		if (rc < 0)
			results[i] = (struct ta_try_result){.rc = rc};
		ta_feature_result(f, &v[i], &results[i]);
	}
}
