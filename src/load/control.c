#include "load/control.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/macros.h"
#include "base/num.h"

#define WORDS_MAX 36u

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

/* One number or "-". */
static bool read_count(const char *text, uint64_t *ret, bool *ret_known)
{
	*ret_known = strcmp(text, "-") != 0;
	return !*ret_known || read_number(text, ret);
}

/* Counters of one file are known together or not at all. */
static enum ta_control_kind read_machine(const struct words *w, struct ta_control *ret)
{
	bool drops, squeezed;

	if (w->n == 1)
		return TA_CONTROL_ASK_MACHINE;
	if (w->n != 7 || !read_number(w->v[1], &ret->n_cpus) || ret->n_cpus > TA_WATCH_CPUS ||
		!read_count(w->v[2], &ret->retransmits, &ret->has_snmp) ||
		!read_count(w->v[3], &ret->listen_overflows, &ret->has_netstat) || !read_count(w->v[4], &ret->listen_drops, &drops) ||
		!read_count(w->v[5], &ret->softnet_dropped, &ret->has_softnet) || !read_count(w->v[6], &ret->time_squeeze, &squeezed))
		return TA_CONTROL_BAD;
	return drops == ret->has_netstat && squeezed == ret->has_softnet ? TA_CONTROL_MACHINE : TA_CONTROL_BAD;
}

#define CPU_WORDS 7u

static bool read_one_cpu(char *const *words, struct ta_watch_cpu *ret)
{
	return read_number(words[0], &ret->user) && read_number(words[1], &ret->system) && read_number(words[2], &ret->softirq) &&
		read_number(words[3], &ret->irq) && read_number(words[4], &ret->steal) && read_number(words[5], &ret->idle) &&
		read_number(words[6], &ret->core_throttled);
}

static enum ta_control_kind read_cpus(const struct words *w, struct ta_control *ret)
{
	if (w->n < 2 || w->n > WORDS_MAX || !read_number(w->v[1], &ret->from) || ret->from >= TA_WATCH_CPUS)
		return TA_CONTROL_BAD;
	if (w->n == 2)
		return TA_CONTROL_ASK_CPUS;
	ret->n = (w->n - 2) / CPU_WORDS;
	if ((w->n - 2) % CPU_WORDS || ret->n > TA_CONTROL_CPUS || ret->from + ret->n > TA_WATCH_CPUS)
		return TA_CONTROL_BAD;
	for (unsigned i = 0; i < ret->n; i++)
		if (!read_one_cpu(&w->v[2 + i * CPU_WORDS], &ret->cpu[i]))
			return TA_CONTROL_BAD;
	return TA_CONTROL_CPUS_ARE;
}

static enum ta_control_kind read_accept(const struct words *w, struct ta_control *ret)
{
	bool good = w->n == 5 && read_number(w->v[1], &ret->how) && read_number(w->v[2], &ret->close) &&
		read_number(w->v[3], &ret->threads) && read_number(w->v[4], &ret->backlog);

	return good ? TA_CONTROL_ACCEPT : TA_CONTROL_BAD;
}

static enum ta_control_kind read_accepts(const struct words *w, struct ta_control *ret)
{
	bool good = w->n == 3 && read_number(w->v[1], &ret->port) && ret->port && ret->port < 65536 && read_number(w->v[2], &ret->threads);

	return good ? TA_CONTROL_ACCEPTS_ARE : TA_CONTROL_BAD;
}

static enum ta_control_kind read_accepted(const struct words *w, struct ta_control *ret)
{
	if (w->n < 2 || w->n > WORDS_MAX || !read_number(w->v[1], &ret->from))
		return TA_CONTROL_BAD;
	if (w->n == 2)
		return TA_CONTROL_ASK_ACCEPTED;
	if ((w->n - 2) % 3 || (w->n - 2) / 3 > TA_CONTROL_ACCEPTS)
		return TA_CONTROL_BAD;
	for (; ret->n < (w->n - 2) / 3; ret->n++) {
		struct ta_control_accepted *a = &ret->accepted[ret->n];
		char *const *v = &w->v[2 + 3 * ret->n];

		if (!read_number(v[0], &a->accepted) || !read_number(v[1], &a->wakeups) || !read_number(v[2], &a->in_vain))
			return TA_CONTROL_BAD;
	}
	return TA_CONTROL_ACCEPTED;
}

static enum ta_control_kind read_hold(const struct words *w, struct ta_control *ret)
{
	bool good = w->n == 3 && read_number(w->v[1], &ret->hold.connections) && read_number(w->v[2], &ret->hold.each);

	return good ? TA_CONTROL_HOLD : TA_CONTROL_BAD;
}

static enum ta_control_kind read_holds(const struct words *w, struct ta_control *ret)
{
	bool good = w->n == 4 && read_number(w->v[1], &ret->hold.processes) && read_number(w->v[2], &ret->hold.ports) &&
		read_number(w->v[3], &ret->hold.backlog);

	return good ? TA_CONTROL_HOLDS : TA_CONTROL_BAD;
}

static enum ta_control_kind read_ports(const struct words *w, struct ta_control *ret)
{
	if (w->n < 2 || w->n > TA_CONTROL_PORTS + 2 || !read_number(w->v[1], &ret->from))
		return TA_CONTROL_BAD;
	if (w->n == 2)
		return TA_CONTROL_ASK_PORTS;
	for (ret->n = 0; ret->n < w->n - 2; ret->n++) {
		uint64_t port;

		if (!read_number(w->v[2 + ret->n], &port) || !port || port > 65535)
			return TA_CONTROL_BAD;
		ret->ports[ret->n] = (uint16_t)port;
	}
	return TA_CONTROL_PORTS_ARE;
}

static enum ta_control_kind read_took(const struct words *w, struct ta_control *ret)
{
	struct ta_control_hold *h = &ret->hold;

	if (w->n == 1)
		return TA_CONTROL_ASK_TOOK;
	if (w->n != 6 || !read_number(w->v[1], &h->idle) || !read_number(w->v[2], &h->held) || !read_number(w->v[3], &h->grown) ||
		!read_number(w->v[4], &h->kernel))
		return TA_CONTROL_BAD;
	h->by_caches = !strcmp(w->v[5], "slabinfo");
	return h->by_caches || !strcmp(w->v[5], "meminfo") ? TA_CONTROL_TOOK : TA_CONTROL_BAD;
}

/* Words after a head may hold any blanks: "no TEXT", "held ACCEPTED OPEN TEXT". */
static bool read_text(const char *text, size_t len, struct ta_control *ret)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > '~')
			return false;
	snprintf(ret->text, sizeof(ret->text), "%.*s", (int)len, text);
	return len > 0;
}

static enum ta_control_kind read_held(const char *line, size_t len, struct ta_control *ret)
{
	char head[48] = "";
	const char *at = line;
	struct words w;
	size_t n;

	for (unsigned i = 0; i < 3 && at; i++)
		at = memchr(at + (i > 0), ' ', len - (size_t)(at + (i > 0) - line));
	n = at ? (size_t)(at - line) : 0;
	if (!n || n >= sizeof(head) || !split(line, n, &w) || w.n != 3 || !read_number(w.v[1], &ret->hold.accepted) ||
		!read_number(w.v[2], &ret->hold.open))
		return TA_CONTROL_BAD;
	return read_text(at + 1, len - n - 1, ret) ? TA_CONTROL_HELD : TA_CONTROL_BAD;
}

static enum ta_control_kind read_words(const struct words *w, struct ta_control *ret)
{
	static const struct {
		const char *word;
		enum ta_control_kind (*read)(const struct words *w, struct ta_control *ret);
	} all[] = {
		{"tuneaudit-peer", read_greeting}, {"hello", read_hello}, {"welcome", read_welcome}, {"serve", read_serve},
		{"port", read_port}, {"cpu", read_cpu}, {"machine", read_machine}, {"cpus", read_cpus}, {"accept", read_accept},
		{"accepts", read_accepts}, {"accepted", read_accepted}, {"hold", read_hold},
		{"holds", read_holds}, {"ports", read_ports}, {"took", read_took},
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(all); i++)
		if (!strcmp(w->v[0], all[i].word))
			return all[i].read(w, ret);
	return !strcmp(w->v[0], "held") && w->n == 1 ? TA_CONTROL_ASK_HELD : TA_CONTROL_BAD;
}

void ta_control_parse(const char *line, size_t len, struct ta_control *ret)
{
	struct words w;

	*ret = (struct ta_control){.kind = TA_CONTROL_BAD};
	if (len >= TA_CONTROL_LINE_MAX)
		return;
	if (len > 3 && !memcmp(line, "no ", 3))
		ret->kind = read_text(line + 3, len - 3, ret) ? TA_CONTROL_NO : TA_CONTROL_BAD;
	else if (len > 5 && !memcmp(line, "held ", 5))
		ret->kind = read_held(line, len, ret);
	else if (split(line, len, &w))
		ret->kind = read_words(&w, ret);
}

/* What may not stand in a line becomes a '?': an error text holds what a user typed. */
static size_t add_text(const char *text, char *ret, size_t size, size_t at)
{
	int n = snprintf(ret + at, size - at, "%.255s\n", text[0] ? text : "-");

	for (size_t i = at; i < at + (size_t)n - 1; i++)
		if (ret[i] < ' ' || ret[i] > '~')
			ret[i] = '?';
	return at + (size_t)n;
}

/* Ticks of 10 ms fill twelve digits in 300 years. */
#define COUNT_MOST 999999999999ull

static size_t add_number(char *ret, size_t size, size_t at, uint64_t v)
{
	return at + (size_t)snprintf(ret + at, size - at, " %" PRIu64, v);
}

static size_t format_cpus(const struct ta_control *c, char *ret, size_t size)
{
	size_t n = (size_t)snprintf(ret, size, "cpus %" PRIu64, c->from);

	for (unsigned i = 0; i < c->n; i++) {
		const struct ta_watch_cpu *p = &c->cpu[i];
		const uint64_t v[CPU_WORDS] = {p->user, p->system, p->softirq, p->irq, p->steal, p->idle, p->core_throttled};

		for (unsigned k = 0; k < CPU_WORDS; k++)
			n = add_number(ret, size, n, TA_MIN(v[k], COUNT_MOST));
	}
	ret[n] = '\n';
	return n + 1;
}

static size_t format_accepted(const struct ta_control *c, char *ret, size_t size)
{
	size_t n = (size_t)snprintf(ret, size, "accepted %" PRIu64, c->from);

	for (unsigned i = 0; i < c->n; i++) {
		n = add_number(ret, size, n, TA_MIN(c->accepted[i].accepted, COUNT_MOST));
		n = add_number(ret, size, n, TA_MIN(c->accepted[i].wakeups, COUNT_MOST));
		n = add_number(ret, size, n, TA_MIN(c->accepted[i].in_vain, COUNT_MOST));
	}
	ret[n] = '\n';
	return n + 1;
}

static size_t format_ports(const struct ta_control *c, char *ret, size_t size)
{
	size_t n = (size_t)snprintf(ret, size, "ports %" PRIu64, c->from);

	for (unsigned i = 0; i < c->n; i++)
		n = add_number(ret, size, n, c->ports[i]);
	ret[n] = '\n';
	return n + 1;
}

static size_t format_machine(const struct ta_control *c, char *ret, size_t size)
{
	const struct {
		bool known;
		uint64_t value;
	} all[] = {{c->has_snmp, c->retransmits}, {c->has_netstat, c->listen_overflows}, {c->has_netstat, c->listen_drops},
		{c->has_softnet, c->softnet_dropped}, {c->has_softnet, c->time_squeeze}};
	size_t n = (size_t)snprintf(ret, size, "machine %" PRIu64, c->n_cpus);

	for (size_t i = 0; i < TA_ARRAY_SIZE(all); i++)
		n = all[i].known ? add_number(ret, size, n, all[i].value) : n + (size_t)snprintf(ret + n, size - n, " -");
	ret[n] = '\n';
	return n + 1;
}

/* Of a peer that holds connections. */
static size_t format_hold(const struct ta_control *c, char *ret, size_t size)
{
	const struct ta_control_hold *h = &c->hold;

	switch (c->kind) {
	case TA_CONTROL_HOLD:
		return (size_t)snprintf(ret, size, "hold %" PRIu64 " %" PRIu64 "\n", h->connections, h->each);
	case TA_CONTROL_HOLDS:
		return (size_t)snprintf(ret, size, "holds %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", h->processes, h->ports, h->backlog);
	case TA_CONTROL_ASK_HELD:
		return (size_t)snprintf(ret, size, "held\n");
	case TA_CONTROL_HELD:
		return add_text(c->text, ret, size, (size_t)snprintf(ret, size, "held %" PRIu64 " %" PRIu64 " ", h->accepted, h->open));
	case TA_CONTROL_ASK_TOOK:
		return (size_t)snprintf(ret, size, "took\n");
	default:
		return (size_t)snprintf(ret, size, "took %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n", h->idle, h->held,
			h->grown, h->kernel, h->by_caches ? "slabinfo" : "meminfo");
	}
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
	case TA_CONTROL_ASK_MACHINE:
		n = snprintf(ret, size, "machine\n");
		break;
	case TA_CONTROL_MACHINE:
		return format_machine(c, ret, size);
	case TA_CONTROL_ASK_CPUS:
	case TA_CONTROL_CPUS_ARE:
		return format_cpus(c, ret, size);
	case TA_CONTROL_ACCEPT:
		n = snprintf(ret, size, "accept %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", c->how, c->close, c->threads, c->backlog);
		break;
	case TA_CONTROL_ACCEPTS_ARE:
		n = snprintf(ret, size, "accepts %" PRIu64 " %" PRIu64 "\n", c->port, c->threads);
		break;
	case TA_CONTROL_ASK_ACCEPTED:
	case TA_CONTROL_ACCEPTED:
		return format_accepted(c, ret, size);
	case TA_CONTROL_ASK_PORTS:
	case TA_CONTROL_PORTS_ARE:
		return format_ports(c, ret, size);
	case TA_CONTROL_HOLD:
	case TA_CONTROL_HOLDS:
	case TA_CONTROL_ASK_HELD:
	case TA_CONTROL_HELD:
	case TA_CONTROL_ASK_TOOK:
	case TA_CONTROL_TOOK:
		return format_hold(c, ret, size);
	default:
		return add_text(c->text, ret, size, (size_t)snprintf(ret, size, "no "));
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
