#include "load/control.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/macros.h"
#include "base/num.h"

#define WORDS_MAX 6u

/* The words of a line, cut in place. */
struct words {
	char line[TA_CONTROL_LINE_MAX];
	char *v[WORDS_MAX];
	unsigned n; /* WORDS_MAX + 1: too many */
};

static bool split(const char *line, size_t len, struct words *w)
{
	char *at = w->line;

	if (!len || len >= sizeof(w->line))
		return false;
	for (size_t i = 0; i < len; i++)
		if (line[i] < ' ' || line[i] > '~')
			return false;
	memcpy(w->line, line, len);
	w->line[len] = '\0';
	w->n = 0;
	while (at) {
		char *blank = strchr(at, ' ');

		if (w->n < WORDS_MAX)
			w->v[w->n] = at;
		if (*at == ' ' || !*at)
			return false; /* an empty word */
		w->n += w->n <= WORDS_MAX;
		if (blank)
			*blank = '\0';
		at = blank ? blank + 1 : NULL;
	}
	return true;
}

static int nibble(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_hex(const char *text, uint8_t *ret, size_t bytes)
{
	if (strlen(text) != 2 * bytes)
		return false;
	for (size_t i = 0; i < bytes; i++) {
		int high = nibble(text[2 * i]), low = nibble(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		ret[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

static void write_hex(const uint8_t *data, size_t bytes, char *ret)
{
	for (size_t i = 0; i < bytes; i++) {
		ret[2 * i] = "0123456789abcdef"[data[i] >> 4];
		ret[2 * i + 1] = "0123456789abcdef"[data[i] & 15];
	}
	ret[2 * bytes] = '\0';
}

static bool copy(const char *text, char *ret, size_t size)
{
	return (size_t)snprintf(ret, size, "%s", text) < size;
}

/* A number as it is written here: no sign, no blanks, no zeros before. */
static bool read_number(const char *text, uint64_t *ret)
{
	return ta_is_digit(*text) && (*text != '0' || !text[1]) && ta_parse_u64(text, ret) == 0;
}

static enum ta_control_kind read_greeting(const struct words *w, struct ta_control *ret)
{
	if (w->n < 3 || !read_number(w->v[1], &ret->protocol) || !copy(w->v[2], ret->version, sizeof(ret->version)))
		return TA_CONTROL_BAD;
	if (ret->protocol != TA_CONTROL_PROTOCOL)
		return TA_CONTROL_GREETING;
	if (w->n != 5 || !read_hex(w->v[4], ret->nonce, sizeof(ret->nonce)))
		return TA_CONTROL_BAD;
	ret->needs_token = !strcmp(w->v[3], "token");
	return ret->needs_token || !strcmp(w->v[3], "open") ? TA_CONTROL_GREETING : TA_CONTROL_BAD;
}

static enum ta_control_kind read_hello(const struct words *w, struct ta_control *ret)
{
	if (w->n < 3 || !read_number(w->v[1], &ret->protocol) || !copy(w->v[2], ret->version, sizeof(ret->version)))
		return TA_CONTROL_BAD;
	if (ret->protocol != TA_CONTROL_PROTOCOL)
		return TA_CONTROL_HELLO;
	if (w->n != 5 || !read_hex(w->v[3], ret->nonce, sizeof(ret->nonce)) || !read_hex(w->v[4], ret->mac, sizeof(ret->mac)))
		return TA_CONTROL_BAD;
	return TA_CONTROL_HELLO;
}

static enum ta_control_kind read_welcome(const struct words *w, struct ta_control *ret)
{
	bool good = w->n == 4 && read_hex(w->v[1], ret->mac, sizeof(ret->mac)) && copy(w->v[2], ret->boot, sizeof(ret->boot)) &&
		copy(w->v[3], ret->netns, sizeof(ret->netns));

	return good ? TA_CONTROL_WELCOME : TA_CONTROL_BAD;
}

static enum ta_control_kind read_serve(const struct words *w, struct ta_control *ret)
{
	bool good = w->n == 4 && copy(w->v[1], ret->name, sizeof(ret->name)) && read_number(w->v[2], &ret->threads) &&
		read_number(w->v[3], &ret->body);

	return good ? TA_CONTROL_SERVE : TA_CONTROL_BAD;
}

static enum ta_control_kind read_cpu(const struct words *w, struct ta_control *ret)
{
	if (w->n == 1)
		return TA_CONTROL_ASK_CPU;
	return w->n == 3 && read_number(w->v[1], &ret->user_ns) && read_number(w->v[2], &ret->system_ns) ? TA_CONTROL_CPU :
		TA_CONTROL_BAD;
}

static enum ta_control_kind read_port(const struct words *w, struct ta_control *ret)
{
	bool good = w->n == 2 && read_number(w->v[1], &ret->port) && ret->port && ret->port < 65536;

	return good ? TA_CONTROL_PORT : TA_CONTROL_BAD;
}

void ta_control_parse(const char *line, size_t len, struct ta_control *ret)
{
	struct words w;

	*ret = (struct ta_control){.kind = TA_CONTROL_BAD};
	/* The text of a refusal may hold any blanks. */
	if (len > 3 && len < TA_CONTROL_LINE_MAX && !memcmp(line, "no ", 3)) {
		for (size_t i = 3; i < len; i++)
			if (line[i] < ' ' || line[i] > '~')
				return;
		snprintf(ret->text, sizeof(ret->text), "%.*s", (int)(len - 3), line + 3);
		ret->kind = TA_CONTROL_NO;
		return;
	}
	if (!split(line, len, &w))
		return;
	if (!strcmp(w.v[0], "tuneaudit-peer"))
		ret->kind = read_greeting(&w, ret);
	else if (!strcmp(w.v[0], "hello"))
		ret->kind = read_hello(&w, ret);
	else if (!strcmp(w.v[0], "welcome"))
		ret->kind = read_welcome(&w, ret);
	else if (!strcmp(w.v[0], "serve"))
		ret->kind = read_serve(&w, ret);
	else if (!strcmp(w.v[0], "port"))
		ret->kind = read_port(&w, ret);
	else if (!strcmp(w.v[0], "cpu"))
		ret->kind = read_cpu(&w, ret);
}

/* What may not stand in a line becomes a '?': an error text holds what a user typed. */
static size_t format_no(const struct ta_control *c, char *ret, size_t size)
{
	int n = snprintf(ret, size, "no %.255s\n", c->text[0] ? c->text : "-");

	for (int i = 3; i < n - 1; i++)
		if (ret[i] < ' ' || ret[i] > '~')
			ret[i] = '?';
	return (size_t)n;
}

size_t ta_control_format(const struct ta_control *c, char *ret, size_t size)
{
	char nonce[2 * TA_NONCE_BYTES + 1], mac[2 * TA_HMAC_BYTES + 1];
	int n = 0;

	write_hex(c->nonce, sizeof(c->nonce), nonce);
	write_hex(c->mac, sizeof(c->mac), mac);
	switch (c->kind) {
	case TA_CONTROL_GREETING:
		n = snprintf(ret, size, "tuneaudit-peer %u %s %s %s\n", TA_CONTROL_PROTOCOL, TA_VERSION, c->needs_token ? "token" : "open",
			nonce);
		break;
	case TA_CONTROL_HELLO:
		n = snprintf(ret, size, "hello %u %s %s %s\n", TA_CONTROL_PROTOCOL, TA_VERSION, nonce, mac);
		break;
	case TA_CONTROL_WELCOME:
		n = snprintf(ret, size, "welcome %s %s %s\n", mac, c->boot[0] ? c->boot : "-", c->netns[0] ? c->netns : "-");
		break;
	case TA_CONTROL_SERVE:
		n = snprintf(ret, size, "serve %s %" PRIu64 " %" PRIu64 "\n", c->name, c->threads, c->body);
		break;
	case TA_CONTROL_PORT:
		n = snprintf(ret, size, "port %" PRIu64 "\n", c->port);
		break;
	case TA_CONTROL_ASK_CPU:
		n = snprintf(ret, size, "cpu\n");
		break;
	case TA_CONTROL_CPU:
		n = snprintf(ret, size, "cpu %" PRIu64 " %" PRIu64 "\n", c->user_ns, c->system_ns);
		break;
	default:
		return format_no(c, ret, size);
	}
	return (size_t)n;
}

void ta_control_mac(const char *token, const char *who, const uint8_t peer_nonce[TA_NONCE_BYTES],
	const uint8_t client_nonce[TA_NONCE_BYTES], uint8_t ret[TA_HMAC_BYTES])
{
	uint8_t text[16 + 2 * TA_NONCE_BYTES] = {0};

	memcpy(text, who, TA_MIN(strlen(who), (size_t)15));
	memcpy(text + 16, peer_nonce, TA_NONCE_BYTES);
	memcpy(text + 16 + TA_NONCE_BYTES, client_nonce, TA_NONCE_BYTES);
	ta_hmac(token, strlen(token), text, sizeof(text), ret);
}

int ta_control_random(void *ret, size_t len)
{
	return getrandom(ret, len, 0) == (ssize_t)len ? 0 : -EIO;
}
