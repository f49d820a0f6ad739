#include "cli/peers.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "load/peer.h"
#include "load/run.h"
#include "cli/session.h"
#include "cli/system.h"
#include "load/sessions.h"

static int check_token(struct ta_buf *token, const char *whose)
{
	for (size_t i = 0; i < token->len; i++)
		if (token->data[i] < ' ' || token->data[i] > '~')
			return ta_cli_fail(TA_EXIT_USAGE, "%s: a token is one line of printable ASCII", whose);
	if (token->len < TA_TOKEN_LEAST || token->len > TA_TOKEN_MOST)
		return ta_cli_fail(TA_EXIT_USAGE, "%s: a token has %u to %u characters; 'openssl rand -hex 16' makes a good one", whose,
			TA_TOKEN_LEAST, TA_TOKEN_MOST);
	return TA_EXIT_OK;
}

int ta_cli_token(const char *file, struct ta_buf *ret)
{
	const char *given = getenv("TUNEAUDIT_TOKEN");
	struct ta_err err;
	struct stat st;
	bool trusted;

	if (!file) {
		if (!given || !*given)
			return TA_EXIT_OK;
		ta_buf_adds(ret, given);
		return check_token(ret, "TUNEAUDIT_TOKEN");
	}
	if (ta_system_read_file(file, 2 * TA_TOKEN_MOST, ret, &trusted, &err) < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "%s", err.text);
	if (stat(file, &st) == 0 && st.st_mode & 077)
		return ta_cli_fail(TA_EXIT_USAGE, "%s: others can read this token; chmod 600 it, and better make a new one", file);
	ta_buf_rtrim(ret);
	return check_token(ret, file);
}

/* Numbers only: a name may mean addresses that nobody thought of. */
static int read_address(const char *text, struct ta_sessions_options *o)
{
	struct sockaddr_in *four = (struct sockaddr_in *)&o->addr;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&o->addr;
	char address[64];
	const char *port = NULL, *end;
	uint64_t n = 0;

	if (*text == '[') {
		end = strchr(++text, ']');
		port = end && end[1] == ':' ? end + 2 : NULL;
		if (!end || (end[1] && !port))
			return -EINVAL;
	} else {
		end = strchr(text, ':');
		if (end && strchr(end + 1, ':'))
			end = NULL; /* IPv6 without a port */
		port = end ? end + 1 : NULL;
		end = end ? end : text + strlen(text);
	}
	if ((size_t)(end - text) >= sizeof(address) || (port && (ta_parse_u64(port, &n) < 0 || n > 65535)))
		return -EINVAL;
	snprintf(address, sizeof(address), "%.*s", (int)(end - text), text);
	*four = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)n)};
	o->addr_len = sizeof(*four);
	if (inet_pton(AF_INET, address, &four->sin_addr) == 1)
		return 0;
	*six = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)n)};
	o->addr_len = sizeof(*six);
	return inet_pton(AF_INET6, address, &six->sin6_addr) == 1 ? 0 : -EINVAL;
}

static bool is_loopback(const struct sockaddr_storage *a)
{
	const struct sockaddr_in *four = (const void *)a;
	const struct sockaddr_in6 *six = (const void *)a;

	return a->ss_family == AF_INET ? ntohl(four->sin_addr.s_addr) >> 24 == 127 : IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

static int make_token(struct ta_buf *ret)
{
	uint8_t random[16];

	if (ta_control_random(random, sizeof(random)) < 0)
		return -EIO;
	for (unsigned i = 0; i < sizeof(random); i++)
		ta_buf_printf(ret, "%02x", random[i]);
	return ret->error;
}

/* What to type at the other end; a token that was made here is told once. */
struct told {
	const char *made_token; /* NULL: somebody else has it */
};

static void tell_address(const struct sockaddr_storage *addr, void *ctx)
{
	const struct told *told = ctx;
	char text[INET6_ADDRSTRLEN] = "", line[160];
	const void *in = addr->ss_family == AF_INET ? (const void *)&((const struct sockaddr_in *)addr)->sin_addr
						    : &((const struct sockaddr_in6 *)addr)->sin6_addr;
	bool six = addr->ss_family == AF_INET6;
	int n;

	inet_ntop(addr->ss_family, in, text, sizeof(text));
	n = snprintf(line, sizeof(line), "tuneaudit://%s%s%s:%u\n", six ? "[" : "", text, six ? "]" : "",
		(unsigned)ntohs(((const struct sockaddr_in *)addr)->sin_port));
	ta_system_write(STDOUT_FILENO, line, (size_t)n);
	if (!told->made_token)
		return;
	n = snprintf(line, sizeof(line), "TUNEAUDIT_TOKEN=%s\n", told->made_token);
	ta_system_write(STDOUT_FILENO, line, (size_t)n);
}

int ta_cli_serve_peers(const char *listen, const char *token_file, const char *dir, const volatile sig_atomic_t *stop)
{
	ta_cleanup_session struct ta_session s = TA_SESSION_INIT;
	ta_cleanup_buf struct ta_buf token = TA_BUF_INIT;
	struct told told = {0};
	struct ta_sessions_options o = {.dir = dir, .stop = stop, .ready = tell_address, .ctx = &told};
	struct ta_err err;
	int code = ta_cli_token(token_file, &token);

	if (code != TA_EXIT_OK)
		return code;
	if (read_address(listen, &o) < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "--listen '%.80s': an address with or without a port is wanted: 192.0.2.1:7411, [::1]:7411",
			listen);
	/* On loopback all who can come are here already. */
	if (!token.len && !is_loopback(&o.addr)) {
		if (make_token(&token) < 0)
			return ta_cli_fail(TA_EXIT_INTERNAL, "no random bytes for a token");
		told.made_token = ta_buf_text(&token);
	}
	o.token = token.len ? ta_buf_text(&token) : NULL;
	if (ta_host_live(&s.host, &err) < 0 || ta_sessions_run(s.host, &o, &err) < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "%s", err.text);
	return 128 + *stop;
}

int ta_cli_direction(const char *name, const char *target)
{
	/* In the order of enum ta_stream_direction. */
	static const char *const directions[] = {"up", "down", "both", NULL};

	if (name)
		return ta_cli_choose("direction", name, directions);
	return ta_peer_is(target) ? TA_STREAM_BOTH_WAYS : TA_STREAM_UP;
}
