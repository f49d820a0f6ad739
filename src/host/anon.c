/*
 * The table of real and other addresses, and texts.
 *
 * Nothing changes its length except serial numbers and dotted addresses, so that names in requests
 * and fields of fixed size can be replaced in place, both ways.
 */
#include "host/anon.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/macros.h"

#define HOST_LETTERS "anonhost"
#define SHORTEST_WORD 4 /* a shorter host name ("vm", "db") is a word of many files that are not about it */

static const char *const no_names[] = {"", "localhost", "localhost.localdomain", "(none)"};

void ta_anon_init(struct ta_anon *a, const char *host)
{
	*a = (struct ta_anon){0};
	for (size_t i = 0; i < TA_ARRAY_SIZE(no_names); i++)
		if (strcmp(host, no_names[i]) == 0)
			return;
	snprintf(a->host, sizeof(a->host), "%s", host);
}

void ta_anon_done(struct ta_anon *a)
{
	for (size_t i = 0; i < a->n_serials; i++)
		free(a->serials[i]);
	free(a->serials);
	free(a->addresses);
	*a = (struct ta_anon){0};
}

/* --- addresses --------------------------------------------------------------- */

static bool all_bytes(const uint8_t *p, unsigned len, uint8_t value)
{
	for (unsigned i = 0; i < len; i++)
		if (p[i] != value)
			return false;
	return true;
}

static bool is_mapped_v4(const uint8_t *p)
{
	return all_bytes(p, 10, 0) && p[10] == 0xff && p[11] == 0xff;
}

/* Addresses that say nothing about whose they are. */
static bool is_public_knowledge(const uint8_t *p, unsigned len)
{
	if (all_bytes(p, len, 0) || all_bytes(p, len, 0xff))
		return true;
	switch (len) {
	case 4:
		return p[0] == 127 || p[0] >= 224;
	case 6:
		return p[0] & 1;
	default:
		return p[0] == 0xff || (all_bytes(p, 15, 0) && p[15] == 1);
	}
}

static void make_fake(struct ta_anon *a, unsigned len, uint8_t *fake)
{
	static const uint8_t v4[4] = {198, 18}, mac[6] = {2, 'a', 'n'}, v6[16] = {0x20, 0x01, 0x0d, 0xb8};
	unsigned n = 1;

	for (size_t i = 0; i < a->n_addresses; i++)
		n += a->addresses[i].len == len;
	memcpy(fake, len == 4 ? v4 : len == 6 ? mac : v6, len);
	fake[len - 1] = (uint8_t)n;
	fake[len - 2] = (uint8_t)(n >> 8);
	/* 198.18.0.0/15 holds 131,072; of more, some share one. */
	if (len == 4)
		fake[1] = (uint8_t)(18 + (n >> 16 & 1));
	else
		fake[len - 3] = (uint8_t)(n >> 16);
}

void ta_anon_address(struct ta_anon *a, const uint8_t *real, unsigned len, uint8_t *fake)
{
	struct ta_anon_address *grown, new = {.len = len};

	memmove(fake, real, len);
	if (is_public_knowledge(real, len))
		return;
	if (len == 16 && is_mapped_v4(real)) {
		ta_anon_address(a, real + 12, 4, fake + 12);
		return;
	}
	for (size_t i = 0; i < a->n_addresses; i++) {
		if (a->addresses[i].len == len && memcmp(a->addresses[i].real, real, len) == 0) {
			memcpy(fake, a->addresses[i].fake, len);
			return;
		}
	}
	memcpy(new.real, real, len);
	make_fake(a, len, new.fake);
	memcpy(fake, new.fake, len);
	grown = reallocarray(a->addresses, a->n_addresses + 1, sizeof(*grown));
	if (!grown) {
		a->error = -ENOMEM;
		return;
	}
	a->addresses = grown;
	a->addresses[a->n_addresses++] = new;
}

void ta_anon_port(struct ta_anon *a, uint8_t *last)
{
	uint8_t address[6] = {0};

	memcpy(address + 1, last, 5);
	ta_anon_address(a, address, 6, address);
	memcpy(last, address + 1, 5);
}

/* --- digits in text ------------------------------------------------------------- */

static int hex_digit(char c)
{
	if (ta_is_digit(c))
		return c - '0';
	if ((c | 32) >= 'a' && (c | 32) <= 'f')
		return (c | 32) - 'a' + 10;
	return -1;
}

static bool read_hex(const char *text, unsigned bytes, unsigned step, uint8_t *ret)
{
	for (unsigned i = 0; i < bytes; i++) {
		int high = hex_digit(text[i * step]), low = high < 0 ? -1 : hex_digit(text[i * step + 1]);

		if (low < 0)
			return false;
		ret[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

static void write_hex(char *text, unsigned bytes, unsigned step, bool upper, const uint8_t *data)
{
	const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";

	for (unsigned i = 0; i < bytes; i++) {
		text[i * step] = digits[data[i] >> 4];
		text[i * step + 1] = digits[data[i] & 15];
	}
}

/*
 * The number of groups of two digits, with colons between them, that `text` begins with. 0: none.
 */
static size_t colon_groups(const char *text)
{
	size_t n = 0;

	while (hex_digit(text[0]) >= 0 && hex_digit(text[1]) >= 0) {
		n++;
		if (text[2] != ':')
			return hex_digit(text[2]) >= 0 ? 0 : n;
		text += 3;
	}
	return n;
}

/* MAC addresses, and the last bytes of longer ones. */
static void anon_macs(struct ta_anon *a, struct ta_buf *b)
{
	uint8_t mac[6];

	for (char *p = b->data; *p; p++) {
		size_t n = p == b->data || (hex_digit(p[-1]) < 0 && p[-1] != ':') ? colon_groups(p) : 0;
		char *last;

		if (n < 6)
			continue;
		last = p + (n - 6) * 3;
		read_hex(last, 6, 3, mac);
		if (n == 6)
			ta_anon_address(a, mac, 6, mac);
		else
			ta_anon_port(a, mac + 1);
		write_hex(last, 6, 3, false, mac);
		p = last + 16;
	}
}

/* An interface name made of a MAC address (systemd.net-naming-scheme(7)): the address in it, or NULL. */
static char *mac_in_name(char *p, size_t left, uint8_t *ret)
{
	static const char *const prefixes[] = {"enx", "wlx", "wwx", "slx", "ibx"};

	for (size_t i = 0; left >= 15 && i < TA_ARRAY_SIZE(prefixes); i++)
		if (memcmp(p, prefixes[i], 3) == 0 && read_hex(p + 3, 6, 2, ret))
			return p + 3;
	return NULL;
}

static void anon_names(struct ta_anon *a, void *data, size_t len)
{
	char *p = data;
	uint8_t mac[6];

	for (size_t i = 0; i < len; i++) {
		char *digits = mac_in_name(p + i, len - i, mac);

		if (!digits)
			continue;
		ta_anon_address(a, mac, 6, mac);
		write_hex(digits, 6, 2, false, mac);
		i += 14;
	}
}

void ta_anon_reveal(const struct ta_anon *a, void *data, size_t len)
{
	char *p = data;
	uint8_t mac[6];

	for (size_t i = 0; i < len; i++) {
		char *digits = mac_in_name(p + i, len - i, mac);

		for (size_t k = 0; digits && k < a->n_addresses; k++) {
			if (a->addresses[k].len == 6 && memcmp(a->addresses[k].fake, mac, 6) == 0) {
				write_hex(digits, 6, 2, false, a->addresses[k].real);
				break;
			}
		}
		i += digits ? 14 : 0;
	}
}

/* --- the host name ---------------------------------------------------------------- */

static bool in_word(char c)
{
	return ta_is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '-' || c == '_';
}

static void hide(char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (p[i] != '.')
			p[i] = HOST_LETTERS[i % (sizeof(HOST_LETTERS) - 1)];
}

/* The first `len` characters of the host name, where they stand as a word. */
static void anon_host_word(const struct ta_anon *a, size_t len, struct ta_buf *b)
{
	for (size_t i = 0; len >= SHORTEST_WORD && i + len <= b->len; i++) {
		if (memcmp(b->data + i, a->host, len) != 0 || (i && in_word(b->data[i - 1])) ||
			in_word(b->data[i + len]))
			continue;
		hide(b->data + i, len);
		i += len - 1;
	}
}

static void anon_host(const struct ta_anon *a, struct ta_buf *b)
{
	anon_host_word(a, strlen(a->host), b);
	anon_host_word(a, strcspn(a->host, "."), b);
}

/* --- files that hold something of the kind -------------------------------------------- */

static const char *const serial_names[] = {
	"product_serial", "product_uuid", "board_serial", "chassis_serial", "board_asset_tag", "chassis_asset_tag",
	"serial", "serial_number", "wwid", "uuid", "nguid", "eui", "boot_id", "machine-id", "vpd_pg80", "vpd_pg83",
	"node_guid", "sys_image_guid", "subsysnqn", "hostnqn", "hostid",
};

static const char *const socket_tables[] = {
	"tcp", "tcp6", "udp", "udp6", "udplite", "udplite6", "raw", "raw6", "icmp", "icmp6",
};

static const char *const address_tables[] = {
	"arp", "route", "rt_cache", "fib_trie", "if_inet6", "ipv6_route", "igmp", "igmp6", "mcfilter", "mcfilter6",
	"anycast6", "nf_conntrack", "ip_conntrack", "rt_acct", "ip_mr_vif", "ip_mr_cache", "ndisc_cache", "arp_cache",
};

static bool listed(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

#define LISTED(names, name) listed((names), TA_ARRAY_SIZE(names), (name))

/* The file's name below …/net/ of proc, or NULL. */
static const char *in_proc_net(const char *path)
{
	const char *net = strncmp(path, "/proc/", 6) == 0 ? strstr(path, "/net/") : NULL;

	return net && !strchr(net + 5, '/') ? net + 5 : NULL;
}

bool ta_anon_refuses(const char *path)
{
	const char *name = in_proc_net(path);

	return name && LISTED(address_tables, name);
}

static const char *const name_files[] = {"/proc/sys/kernel/hostname", "/proc/sys/kernel/domainname"};

/* The whole file is one name. */
static void anon_name_file(struct ta_buf *b)
{
	size_t len = strcspn(b->data, "\n");

	for (size_t i = 0; i < TA_ARRAY_SIZE(no_names); i++)
		if (strlen(no_names[i]) == len && memcmp(no_names[i], b->data, len) == 0)
			return;
	hide(b->data, len);
}

static void anon_serial(struct ta_anon *a, struct ta_buf *b)
{
	bool newline = b->len && b->data[b->len - 1] == '\n';
	char **grown;
	size_t i;

	ta_buf_rtrim(b);
	if (!b->len)
		return;
	for (i = 0; i < a->n_serials; i++)
		if (strcmp(a->serials[i], b->data) == 0)
			break;
	if (i == a->n_serials) {
		grown = reallocarray(a->serials, i + 1, sizeof(*grown));
		if (grown)
			a->serials = grown;
		if (!grown || !(grown[i] = strdup(b->data))) {
			a->error = -ENOMEM;
			ta_buf_reset(b);
			return;
		}
		a->n_serials++;
	}
	ta_buf_reset(b);
	ta_buf_printf(b, "anon-%zu%s", i + 1, newline ? "\n" : "");
}

/* One address of a socket table: 32-bit words as the machine holds them (net/ipv4/tcp_ipv4.c: get_tcp4_sock()). */
static void anon_words(struct ta_anon *a, char *digits, unsigned bytes)
{
	uint8_t address[16], bytewise[16];
	bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

	if (!read_hex(digits, bytes, 2, bytewise))
		return;
	for (unsigned i = 0; i < bytes; i++)
		address[i] = bytewise[little ? (i & ~3u) + 3 - (i & 3) : i];
	ta_anon_address(a, address, bytes, address);
	for (unsigned i = 0; i < bytes; i++)
		bytewise[little ? (i & ~3u) + 3 - (i & 3) : i] = address[i];
	write_hex(digits, bytes, 2, true, bytewise);
}

/* "HEX:PORT" anywhere: 8 or 32 digits before the colon. */
static void anon_socket_table(struct ta_anon *a, struct ta_buf *b)
{
	for (char *p = b->data; *p;) {
		size_t n = strspn(p, "0123456789ABCDEFabcdef");

		if ((n == 8 || n == 32) && p[n] == ':' && strspn(p + n + 1, "0123456789ABCDEFabcdef") == 4) {
			anon_words(a, p, (unsigned)n / 2);
			n += 5;
		}
		p += n ? n : 1;
	}
}

/* A dotted address at `p`; its length, 0 if there is none. */
static size_t read_dotted(const char *p, uint8_t *ret)
{
	const char *start = p;

	for (unsigned i = 0; i < 4; i++) {
		unsigned v = 0, n = 0;

		for (; ta_is_digit(*p) && n < 4; n++)
			v = v * 10 + (unsigned)(*p++ - '0');
		if (!n || v > 255 || (i < 3 && *p++ != '.'))
			return 0;
		ret[i] = (uint8_t)v;
	}
	return *p == '.' ? 0 : (size_t)(p - start);
}

static void anon_dotted(struct ta_anon *a, struct ta_buf *b)
{
	struct ta_buf out = TA_BUF_INIT;
	uint8_t v4[4];

	for (const char *p = b->data, *start = p; *p;) {
		bool begins = p == start || !(ta_is_digit(p[-1]) || p[-1] == '.');
		size_t n = begins ? read_dotted(p, v4) : 0;

		if (n) {
			ta_anon_address(a, v4, 4, v4);
			ta_buf_printf(&out, "%u.%u.%u.%u", v4[0], v4[1], v4[2], v4[3]);
		} else {
			ta_buf_addc(&out, *p);
			n = 1;
		}
		p += n;
	}
	a->error = a->error ?: out.error;
	ta_buf_done(b);
	*b = out;
}

void ta_anon_text(struct ta_anon *a, const char *path, struct ta_buf *b)
{
	const char *name = path ? strrchr(path, '/') + 1 : "", *table = path ? in_proc_net(path) : NULL;

	/* What holds NUL bytes is no text. */
	if (!b->len || strlen(b->data) != b->len) {
		ta_anon_bytes(a, b->data, b->len);
		return;
	}
	if (LISTED(serial_names, name)) {
		anon_serial(a, b);
		return;
	}
	if (path && LISTED(name_files, path)) {
		anon_name_file(b);
		return;
	}
	if (table && LISTED(socket_tables, table))
		anon_socket_table(a, b);
	if (strcmp(name, "mounts") == 0 || strcmp(name, "mountinfo") == 0)
		anon_dotted(a, b);
	if (!b->len)
		return;
	anon_macs(a, b);
	anon_names(a, b->data, b->len);
	anon_host(a, b);
}

/* --- bytes --------------------------------------------------------------------------------- */

static void anon_known_macs(const struct ta_anon *a, uint8_t *p, size_t len)
{
	for (size_t i = 0; i + 6 <= len; i++) {
		for (size_t k = 0; k < a->n_addresses; k++) {
			if (a->addresses[k].len == 6 && memcmp(p + i, a->addresses[k].real, 6) == 0) {
				memcpy(p + i, a->addresses[k].fake, 6);
				i += 5;
				break;
			}
		}
	}
}

void ta_anon_bytes(struct ta_anon *a, void *data, size_t len)
{
	size_t n = strlen(a->host);
	char *p = data;

	anon_known_macs(a, data, len);
	anon_names(a, data, len);
	for (size_t i = 0; n && i + n <= len; i++)
		if (memcmp(p + i, a->host, n) == 0 && (!i || !p[i - 1]) && (i + n == len || !p[i + n]))
			hide(p + i, n);
}
