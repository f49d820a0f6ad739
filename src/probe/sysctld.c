#include "probe/sysctld.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"


/* "a//b/./c/" -> "a/b/c", as path_simplify() and what follows it in sysctl_normalize(). */
static void simplify(char *s)
{
	char *out = s, *from = s;

	while (*from) {
		size_t n;

		from += strspn(from, "/");
		n = strcspn(from, "/");
		if (n && !(n == 1 && *from == '.')) {
			if (out != s)
				*out++ = '/';
			memmove(out, from, n);
			out += n;
		}
		from += n;
	}
	*out = '\0';
}

void ta_sysctl_path(char *key)
{
	char *first = strpbrk(key, "/.");

	if (first && *first == '.')
		for (char *c = first; c; c = strpbrk(c + 1, "/."))
			*c = *c == '.' ? '/' : '.';
	simplify(key);
}

/* Behind the set that begins at `p` (its '['), and whether `c` is in it; NULL: no ']' ends it, so it is a letter. */
static const char *match_set(const char *p, unsigned char c, bool *ret)
{
	bool not = p[1] == '!' || p[1] == '^', in = false;
	const char *s = p + 1 + not, *first = s;

	for (; *s && *s != '/' && (*s != ']' || s == first); s++) {
		unsigned char low = (unsigned char)*s, high = low;

		if (s[1] == '-' && s[2] && s[2] != ']' && s[2] != '/') {
			high = (unsigned char)s[2];
			s += 2;
		}
		in = in || (low <= c && c <= high);
	}
	if (*s != ']')
		return NULL;
	*ret = in != not;
	return s + 1;
}

/* One character of `pattern` against that at `c`: behind it, or NULL. */
static const char *match_one(const char *pattern, const char *c, bool at_start)
{
	const char *behind;
	bool in;

	if (!*c || (*c == '/' && *pattern != '/'))
		return NULL;
	if (*pattern == '?' || *pattern == '[') {
		if (*c == '.' && at_start)
			return NULL;
		behind = *pattern == '[' ? match_set(pattern, (unsigned char)*c, &in) : NULL;
		if (behind)
			return in ? behind : NULL;
		if (*pattern == '?')
			return pattern + 1;
	}
	if (*pattern == '\\' && pattern[1])
		pattern++;
	return *pattern == *c ? pattern + 1 : NULL;
}

/* Only the last '*' of a name is ever tried again, so that no pattern costs more than its length times the path's. */
bool ta_sysctl_matches(const char *pattern, const char *path)
{
	const char *start = path, *star = NULL, *tried = NULL;

	while (*path || *pattern) {
		bool at_start = path == start || path[-1] == '/';
		const char *next;

		if (*pattern == '*' && !(at_start && *path == '.')) {
			star = ++pattern;
			tried = path;
			continue;
		}
		next = match_one(pattern, path, at_start);
		if (next) {
			if (*path == '/')
				star = NULL;
			pattern = next;
			path++;
		} else if (star && *tried && *tried != '/') {
			pattern = star;
			path = ++tried;
		} else {
			return false;
		}
	}
	return true;
}

/* parse_line() of sysctl.c. False: not an assignment, or a comment. */
static bool read_line(char *text, struct ta_sysctl_line *ret)
{
	char *s = ta_strip(text), *eq, *key;

	if (!*s || *s == '#' || *s == ';')
		return false;
	eq = strchr(s, '=');
	if (!eq && *s != '-')
		return false;
	if (*s == '-')
		s++;
	if (eq)
		*eq = '\0';
	key = ta_strip(s);
	ta_sysctl_path(key);
	ret->key = key;
	ret->value = eq ? ta_strip(eq + 1) : NULL;
	ret->pattern = key[strcspn(key, "*?[")];
	return *key;
}

int ta_sysctld_parse(const char *text, size_t len, int (*fn)(const struct ta_sysctl_line *line, void *ctx), void *ctx)
{
	ta_cleanup_buf struct ta_buf copy = TA_BUF_INIT;
	const char *end = text + len;
	struct ta_sysctl_line line = {0};

	for (const char *p = text; p < end;) {
		size_t n = 0;
		int rc;

		while (p + n < end && p[n] && p[n] != '\n' && p[n] != '\r')
			n++;
		if (p + n < end && !p[n])
			return -EBADMSG;
		line.number++;
		ta_buf_reset(&copy);
		ta_buf_add(&copy, p, n);
		rc = copy.error;
		if (!rc && n && read_line(copy.data, &line))
			rc = fn(&line, ctx);
		if (rc)
			return rc;
		p += n;
		/* \r\n and \n\r are one end (read_line_full() in fileio.c). */
		if (p + 1 < end && (p[1] == '\n' || p[1] == '\r') && p[1] != *p)
			p++;
		p++;
	}
	return 0;
}
