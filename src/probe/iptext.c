/*
 * ip prints an interface as a line with its number, name and flags, and below
 * it, indented, its link layer, what -d tells of its kind, and tables of
 * counters if it was called with -s:
 *
 *   2: eth0.7@eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP … qlen 1000
 *       link/ether 02:00:00:00:00:01 brd … promiscuity 0 minmtu 0 maxmtu 65535
 *       vlan protocol 802.1Q id 7 <REORDER_HDR> …
 *       RX: bytes packets errors dropped missed mcast
 *       109251 1181 0 0 0 0
 */
#include "probe/iptext.h"

#include <errno.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "probe/kvline.h"

struct parser {
	struct ta_links links;
	struct ta_strv masters, lowers;         /* names, one for each link, "" if none */
	enum { OTHER, RX_HEAD, TX_HEAD } table; /* the line above was the head of that table */
	struct ta_strv columns;                 /* of that head */
	bool after_link_layer;                  /* the line above was "link/…" */
};

static void words_of(const struct ta_kvline *line, struct ta_strv *ret)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	ta_strv_done(ret);
	ta_buf_add(&text, line->raw, TA_MIN(line->raw_len, (size_t)4096));
	ta_strv_split(ret, ta_buf_text(&text), " \t\r\\");
}

/* What stands behind `word`; NULL: it is not there. */
static const char *behind(const struct ta_strv *words, const char *word)
{
	for (size_t i = 0; i + 1 < words->n; i++)
		if (strcmp(words->v[i], word) == 0)
			return words->v[i + 1];
	return NULL;
}

static struct ta_val number_behind(const struct ta_strv *words, const char *word)
{
	const char *text = behind(words, word);
	struct ta_val v = {0};

	if (!text)
		return TA_VAL_NONE;
	if (ta_parse_i64(text, &v.v) < 0)
		v.rc = -EBADMSG;
	return v;
}

static void take_text(const char *from, char *ret, size_t size)
{
	size_t len = from ? strlen(from) : 0;

	if (len && len < size)
		memcpy(ret, from, len + 1);
}

/* "<NO-CARRIER,BROADCAST,UP>"; ip leaves IFF_RUNNING out and says NO-CARRIER instead. */
static struct ta_val flags_of(const char *text)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	struct ta_val v = {0};

	if (*text != '<')
		return TA_VAL_NONE;
	ta_strv_split(&names, text, "<>,");
	if (ta_strv_has(&names, "UP"))
		v.v = IFF_UP | (ta_strv_has(&names, "NO-CARRIER") ? 0 : IFF_RUNNING);
	if (ta_strv_has(&names, "LOOPBACK"))
		v.v |= IFF_LOOPBACK;
	return v;
}

static struct ta_val state_of(const char *text)
{
	/* iproute2 ip/ipaddress.c oper_states[], in the order of IF_OPER_* */
	static const char *const states[] = {
		"UNKNOWN", "NOTPRESENT", "DOWN", "LOWERLAYERDOWN", "TESTING", "DORMANT", "UP"};

	for (size_t i = 0; text && i < TA_ARRAY_SIZE(states); i++)
		if (strcmp(text, states[i]) == 0)
			return (struct ta_val){.v = (int64_t)i};
	return TA_VAL_NONE;
}

static struct ta_val type_of(const char *word)
{
	static const struct {
		const char *word;
		int type;
	} types[] = {{"link/ether", ARPHRD_ETHER}, {"link/loopback", ARPHRD_LOOPBACK},
		{"link/infiniband", ARPHRD_INFINIBAND}, {"link/none", ARPHRD_NONE},
		{"link/ppp", ARPHRD_PPP}, {"link/ipip", ARPHRD_TUNNEL}, {"link/sit", ARPHRD_SIT},
		{"link/gre", ARPHRD_IPGRE}};

	for (size_t i = 0; i < TA_ARRAY_SIZE(types); i++)
		if (strcmp(word, types[i].word) == 0)
			return (struct ta_val){.v = types[i].type};
	return TA_VAL_NONE;
}

/* Kinds of links without hardware that -d names; what is not listed here stays untold. */
static bool is_kind(const char *word)
{
	static const char *const kinds[] = {"amt", "bareudp", "batadv", "bond", "bridge", "dummy",
		"erspan", "geneve", "gre", "gretap", "gtp", "hsr", "ifb", "ip6erspan", "ip6gre",
		"ip6gretap", "ip6tnl", "ipip", "ipvlan", "ipvtap", "macsec", "macvlan", "macvtap",
		"netdevsim", "netkit", "nlmon", "openvswitch", "sit", "team", "tun", "vcan", "veth",
		"vlan", "vrf", "vti", "vti6", "vxcan", "vxlan", "wireguard", "xfrm"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(kinds); i++)
		if (strcmp(word, kinds[i]) == 0)
			return true;
	return false;
}

/* --- lines ----------------------------------------------------- */

/* The head of an interface. False: this line is none. */
static bool take_head(struct parser *p, const struct ta_strv *words)
{
	const char *name = words->n > 2 ? words->v[1] : "", *at, *lower;
	size_t number_len = words->n ? strlen(words->v[0]) : 0, len = strlen(name);
	struct ta_link *l;
	char number[16];
	int64_t index;

	if (number_len < 2 || number_len >= sizeof(number) || len < 2 || name[len - 1] != ':')
		return false;
	memcpy(number, words->v[0], number_len);
	number[number_len - 1] = '\0';
	if (words->v[0][number_len - 1] != ':' || ta_parse_i64(number, &index) < 0 || index <= 0 ||
		index > INT32_MAX)
		return false;
	at = memchr(name, '@', len);
	lower = at ? at + 1 : NULL;
	l = ta_links_add(&p->links, name, at ? (size_t)(at - name) : len - 1);
	if (!l) {
		p->masters.error = -ENOMEM;
		return false;
	}
	l->ifindex = (struct ta_val){.v = index};
	l->flags = flags_of(words->v[2]);
	l->mtu = number_behind(words, "mtu");
	l->txqueuelen = number_behind(words, "qlen");
	l->operstate = state_of(behind(words, "state"));
	take_text(behind(words, "qdisc"), l->qdisc, sizeof(l->qdisc));
	if (l->qdisc[0])
		l->rc_qdisc = 0;
	ta_strv_add(&p->masters, behind(words, "master") ?: "");
	ta_strv_addn(&p->lowers, lower ?: "", lower ? strlen(lower) - 1 : 0);
	return true;
}

/* A row of numbers below "RX: bytes packets errors …". */
static void take_counters(struct parser *p, const struct ta_strv *words, struct ta_link *l)
{
	static const struct {
		const char *column;
		enum ta_link_counter rx, tx;
	} known[] = {
		{"bytes", TA_LINK_RX_BYTES, TA_LINK_TX_BYTES},
		{"packets", TA_LINK_RX_PACKETS, TA_LINK_TX_PACKETS},
		{"errors", TA_LINK_RX_ERRORS, TA_LINK_TX_ERRORS},
		{"dropped", TA_LINK_RX_DROPPED, TA_LINK_TX_DROPPED},
		{"missed", TA_LINK_RX_MISSED_ERRORS, TA_N_LINK_COUNTERS},
		{"carrier", TA_N_LINK_COUNTERS, TA_LINK_TX_CARRIER_ERRORS},
		{"collsns", TA_N_LINK_COUNTERS, TA_LINK_COLLISIONS},
	};

	for (size_t c = 0; c < words->n && c < p->columns.n; c++) {
		for (size_t k = 0; k < TA_ARRAY_SIZE(known); k++) {
			enum ta_link_counter to = p->table == RX_HEAD ? known[k].rx : known[k].tx;
			struct ta_val v = ta_val_of_counter(words->v[c]);

			if (to == TA_N_LINK_COUNTERS ||
				strcmp(p->columns.v[c], known[k].column) != 0)
				continue;
			if (v.rc == 0)
				l->counters[to] = v;
		}
	}
}

/* "RX:  bytes packets …"; with -s twice there is also "RX errors: length crc …". */
static void take_table_head(struct parser *p, const struct ta_kvline *line)
{
	p->table = strcmp(line->key, "RX") == 0   ? RX_HEAD
		   : strcmp(line->key, "TX") == 0 ? TX_HEAD
						  : OTHER;
	ta_strv_done(&p->columns);
	if (p->table != OTHER)
		ta_strv_split(&p->columns, line->value, " \t");
}

static int take_line(struct parser *p, const struct ta_kvline *line)
{
	ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;
	struct ta_link *l = p->links.n ? &p->links.v[p->links.n - 1] : NULL;
	const char *parent;

	words_of(line, &words);
	if (words.error || words.n == 0)
		return words.error;
	if (line->indent == 0 && take_head(p, &words)) {
		p->table = OTHER;
		p->after_link_layer = false;
		l = &p->links.v[p->links.n - 1];
	}
	if (!l)
		return 0;
	for (size_t i = 0; i < words.n; i++) /* -o prints it all in one line */
		if (strncmp(words.v[i], "link/", 5) == 0)
			l->type = type_of(words.v[i]);
	parent = behind(&words, "parentdev");
	if (parent && !l->parent && !(l->parent = strdup(parent)))
		return -ENOMEM;
	if (p->after_link_layer && is_kind(words.v[0]))
		take_text(words.v[0], l->kind, sizeof(l->kind));
	p->after_link_layer = strncmp(words.v[0], "link/", 5) == 0;
	if (p->table != OTHER && line->indent)
		take_counters(p, &words, l);
	take_table_head(p, line);
	return 0;
}

/* --- the whole text ----------------------------------------------------- */

static int index_of(const struct ta_links *links, const char *name)
{
	for (size_t i = 0; *name && i < links->n; i++)
		if (strcmp(links->v[i].name, name) == 0)
			return (int)links->v[i].ifindex.v;
	return 0;
}

/* Masters and lower devices by number, as rtnetlink tells them. "@if5" is in another namespace. */
static void relate(struct parser *p)
{
	for (size_t i = 0; i < p->links.n && i < p->masters.n && i < p->lowers.n; i++) {
		p->links.v[i].master = index_of(&p->links, p->masters.v[i]);
		if (strcmp(p->links.v[i].kind, "veth") != 0)
			p->links.v[i].lower = index_of(&p->links, p->lowers.v[i]);
	}
}

int ta_iptext_parse(const char *text, size_t len, struct ta_links *ret)
{
	const char *at = text, *end = text + len;
	struct parser p = {.links = TA_LINKS_INIT};
	struct ta_kvline line;
	int rc = 0;

	while (rc == 0 && ta_kvline_next(&at, end, &line))
		rc = take_line(&p, &line);
	if (rc == 0)
		rc = p.masters.error ? p.masters.error : p.lowers.error;
	if (rc == 0 && p.links.n == 0)
		rc = -EBADMSG;
	if (rc == 0) {
		relate(&p);
		rc = ta_links_sort(&p.links);
	}
	ta_strv_done(&p.masters);
	ta_strv_done(&p.lowers);
	ta_strv_done(&p.columns);
	if (rc < 0)
		ta_links_done(&p.links);
	else
		*ret = p.links;
	return rc;
}
