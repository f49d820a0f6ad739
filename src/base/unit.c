#include "base/unit.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/strv.h"

static const char *next_line(const char *at)
{
	at += strcspn(at, "\n");
	return *at ? at + 1 : at;
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && strcmp(s + n - m, end) == 0;
}

/* The text behind the last '-' (or all of it), without ".scope", if that is an id of 64 hexadecimal digits. */
static const char *container_id(const char *part)
{
	const char *id = strrchr(part, '-');
	size_t len;

	id = id ? id + 1 : part;
	len = strspn(id, "0123456789abcdef");
	return len == 64 && (!id[len] || strcmp(id + len, ".scope") == 0) ? id : NULL;
}

/* Names that say "a container" by themselves, with the container's name behind. */
static const char *container_name(const char *part, const char *parent)
{
	static const char *const prefixes[] = {"lxc.payload.", "systemd-nspawn@"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(prefixes); i++)
		if (strncmp(part, prefixes[i], strlen(prefixes[i])) == 0)
			return part[strlen(prefixes[i])] ? part + strlen(prefixes[i]) : NULL;
	if (!parent)
		return NULL;
	if (strcmp(parent, "lxc") == 0 || strcmp(parent, "lxc.payload") == 0)
		return part;
	/* A machine of systemd-machined is a container, unless it is libvirt's virtual machine. */
	if (strcmp(parent, "machine.slice") == 0 && strncmp(part, "machine-", 8) == 0 &&
		strncmp(part, "machine-qemu", 12) != 0 && part[8])
		return part + 8;
	return NULL;
}

static void look_at_path(const char *path, struct ta_unit *ret)
{
	ta_cleanup_strv struct ta_strv parts = TA_STRV_INIT;

	ta_strv_split(&parts, path, "/");
	/* From the outside in: what runs in a container is the container's. */
	for (size_t i = 0; i < parts.n; i++) {
		const char *id = container_id(parts.v[i]);
		const char *name = container_name(parts.v[i], i ? parts.v[i - 1] : NULL);

		if (id || name) {
			snprintf(ret->name, sizeof(ret->name), "%.*s", id ? 12 : 100, id ? id : name);
			ret->container = true;
			return;
		}
	}
	for (size_t i = parts.n; i-- > 0;) {
		if (ends_with(parts.v[i], ".service")) {
			snprintf(ret->name, sizeof(ret->name), "%.120s", parts.v[i]);
			return;
		}
	}
}

void ta_unit_of(const char *text, struct ta_unit *ret)
{
	*ret = (struct ta_unit){0};
	for (; *text && !ret->container; text = next_line(text)) {
		size_t line = strcspn(text, "\n");
		const char *list = memchr(text, ':', line);
		const char *path = list ? memchr(list + 1, ':', line - (size_t)(list + 1 - text)) : NULL;
		ta_cleanup_buf struct ta_buf one = TA_BUF_INIT;

		if (!path)
			continue;
		ta_buf_add(&one, path + 1, line - (size_t)(path + 1 - text));
		if (!one.error)
			look_at_path(ta_buf_text(&one), ret);
	}
}
