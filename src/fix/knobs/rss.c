/*
 * "eth0 table": how an interface spreads what it receives over its queues, "default"; "eth0": with function and key,
 * "table=default hfunc=toeplitz key=6d5a…", as it is saved beside other changes.
 *
 * A table that was set is kept by the kernel when queues come and go, the default one follows them, and nothing tells the
 * two apart but how they look (net/ethtool/ioctl.c: IFF_RXFH_CONFIGURED). So what looks like the default is put back as the default.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fix/nicknob.h"
#include "fix/step.h"
#include "host/change.h"
#include "nic/rsstext.h"

enum { TABLE = 1, HFUNC = 2, KEY = 4 };

/* What a text asks for. */
struct wish {
	unsigned have;
	struct ta_rss_table table;
	uint32_t hfunc;
	struct ta_buf key;
};

static void wish_done(struct wish *w)
{
	ta_rss_table_done(&w->table);
	ta_buf_done(&w->key);
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int parse_key(const char *text, size_t len, struct ta_buf *ret)
{
	if (len == 0 || len % 2 || len > 1024)
		return -EINVAL;
	for (size_t i = 0; i < len; i += 2) {
		if (digit(text[i]) < 0 || digit(text[i + 1]) < 0)
			return -EINVAL;
		ta_buf_addc(ret, (char)(digit(text[i]) << 4 | digit(text[i + 1])));
	}
	return ret->error;
}

static int parse_word(const char *word, size_t len, struct wish *w)
{
	static const struct {
		const char *name;
		unsigned bit;
	} fields[] = {{"table=", TABLE}, {"hfunc=", HFUNC}, {"key=", KEY}};

	for (size_t i = 0; i < TA_ARRAY_SIZE(fields); i++) {
		size_t n = strlen(fields[i].name);

		if (len < n || memcmp(word, fields[i].name, n) != 0)
			continue;
		/* each once, in this order */
		if (w->have >= fields[i].bit)
			return -EINVAL;
		w->have |= fields[i].bit;
		if (fields[i].bit == TABLE)
			return ta_rss_table_parse(word + n, len - n, &w->table);
		return fields[i].bit == HFUNC ? ta_rss_hfunc_parse(word + n, len - n, &w->hfunc)
					      : parse_key(word + n, len - n, &w->key);
	}
	return -EINVAL;
}

static int parse(const struct ta_nic_target *t, const char *value, struct wish *w)
{
	int rc = *value ? 0 : -EINVAL;

	if (t->field) {
		w->have = TABLE;
		return ta_rss_table_parse(value, strlen(value), &w->table);
	}
	while (rc == 0 && *value) {
		size_t len = strcspn(value, " ");

		rc = parse_word(value, len, w);
		value += len;
		if (rc == 0 && *value && !*++value)
			rc = -EINVAL;
	}
	return rc;
}

static int check(const char *target, const char *value, enum ta_value_use use, struct ta_err *err)
{
	ta_cleanup(wish_done) struct wish w = {0};
	struct ta_nic_target t;
	int rc = ta_nic_target_parse(target, true, &t, err);

	if (rc < 0)
		return rc;
	if (t.field && strcmp(t.field, "table") != 0)
		return ta_err_set(err, -EPERM, "%s: '%.40s' is nothing of its RSS that may be written", t.ifname, t.field);
	/* a key is nobody's wish */
	if (value && use == TA_VALUE_WISHED && !t.field)
		return ta_err_set(err, -EPERM, "%s: its RSS is only put back as a whole, not set", t.ifname);
	rc = value ? parse(&t, value, &w) : 0;
	if (rc == -EINVAL)
		return ta_err_set(err, rc, "%s: '%.60s' can be no RSS table", t.ifname, value);
	return rc;
}

/* Rings by the ioctl; where it cannot ask, by the channels. 0: not known. */
static uint32_t rings_of(struct ta_host *h, const char *ifname)
{
	struct ta_nic_values v;
	uint32_t rings, sum = 0;

	if (ta_nic_rss_rings(h, ifname, &rings) == 0)
		return rings;
	if (ta_nic_values_read(h, &ta_nic_channels, ifname, &v) < 0)
		return 0;
	for (size_t i = 0; i < ta_nic_channels.n; i++)
		if (v.have & 1u << i && (i == (size_t)ta_nic_param_find(&ta_nic_channels, "rx") ||
						i == (size_t)ta_nic_param_find(&ta_nic_channels, "combined")))
			sum += v.v[i];
	return sum;
}

static void format(const struct ta_nic_rss *rss, uint32_t rings, bool all, struct ta_buf *b)
{
	const char *blank = "";

	if (rss->n) {
		ta_buf_adds(b, all ? "table=" : "");
		ta_rss_table_format(rss->table, rss->n, rings, b);
		blank = " ";
	}
	if (all && rss->hfunc) {
		ta_buf_printf(b, "%shfunc=", blank);
		ta_rss_hfunc_format(rss->hfunc, b);
		blank = " ";
	}
	if (all && rss->n_key) {
		ta_buf_printf(b, "%skey=", blank);
		for (size_t i = 0; i < rss->n_key; i++)
			ta_buf_printf(b, "%02x", rss->key[i]);
	}
}

static int read_value(struct ta_host *h, const char *target, struct ta_buf *ret, struct ta_err *err)
{
	ta_cleanup_nic_rss struct ta_nic_rss rss = TA_NIC_RSS_INIT;
	struct ta_nic_target t;
	int rc = ta_nic_target_parse(target, true, &t, err);

	ta_buf_reset(ret);
	if (rc < 0)
		return rc;
	rc = ta_nic_rss_read(h, t.ifname, &rss);
	if (rc == 0 && t.field && !rss.n)
		rc = -EOPNOTSUPP;
	if (rc < 0)
		return ta_nic_fail(err, rc, t.ifname, "its RSS table cannot be read");
	format(&rss, rings_of(h, t.ifname), !t.field, ret);
	/* What could not be put back is not read. */
	if (!ret->error && check(target, ta_buf_text(ret), TA_VALUE_FOUND, NULL) < 0)
		return ta_nic_fail(err, -EBADMSG, t.ifname, "its RSS table cannot be read");
	return ret->error;
}

/* --- writing ------------------------------------------------------------------------- */

/* The slots of a table that is no longer than the device's and has no queue that it has not. */
static int lay_out(const char *ifname, const struct ta_rss_table *want, const struct ta_nic_rss *now, uint32_t rings,
	uint32_t *slots, struct ta_err *err)
{
	if (want->spread == TA_RSS_LIST && want->n != now->n)
		return ta_err_set(err, -EINVAL, "%s: its RSS table has %zu slots, not %zu", ifname, now->n, want->n);
	for (size_t i = 0; i < now->n; i++) {
		slots[i] = want->spread == TA_RSS_LIST ? want->v[i] : (uint32_t)(i % want->queues);
		if (rings && slots[i] >= rings)
			return ta_err_set(err, -EINVAL, "%s: there is no queue %u for its RSS table, it has %u", ifname,
				slots[i], rings);
	}
	return 0;
}

/* What of the wish differs from what is there; `slots` has room for the device's table. */
static int work_out(const char *ifname, const struct wish *w, const struct ta_nic_rss *now, uint32_t rings, uint32_t *slots,
	struct ta_nic_rss_change *c, struct ta_err *err)
{
	int rc = 0;

	c->input_xfrm = now->input_xfrm;
	if (w->have & TABLE && !now->n)
		return ta_err_set(err, -EOPNOTSUPP, "%s: its driver has no RSS table", ifname);
	if (w->have & TABLE && w->table.spread == TA_RSS_DEFAULT) {
		c->reset = !ta_rss_is_default(now->table, now->n, rings);
	} else if (w->have & TABLE) {
		rc = lay_out(ifname, &w->table, now, rings, slots, err);
		c->table = rc == 0 && memcmp(slots, now->table, now->n * sizeof(*slots)) != 0 ? slots : NULL;
		c->n = now->n;
	}
	if (w->have & HFUNC && w->hfunc != now->hfunc)
		c->hfunc = w->hfunc;
	if (w->have & KEY && (w->key.len != now->n_key || memcmp(w->key.data, now->key, now->n_key) != 0)) {
		c->key = (const unsigned char *)w->key.data;
		c->n_key = w->key.len;
	}
	return rc;
}

static int send_change(struct ta_host *h, const char *ifname, const struct ta_nic_rss_change *c, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf request = TA_BUF_INIT;
	int rc;

	ta_nic_rss_request(c, &request);
	rc = request.error ? request.error : ta_host_set_ethtool(h, ifname, request.data, request.len);
	return rc < 0 ? ta_nic_fail(err, rc, ifname, "its RSS table cannot be set") : 0;
}

static int write_value(struct ta_host *h, const char *target, const char *value, struct ta_err *err)
{
	ta_cleanup_nic_rss struct ta_nic_rss now = TA_NIC_RSS_INIT;
	ta_cleanup(wish_done) struct wish w = {0};
	struct ta_nic_rss_change c = {0};
	struct ta_nic_target t;
	uint32_t *slots;
	int rc = check(target, value, TA_VALUE_FOUND, err);

	if (rc < 0)
		return rc;
	ta_nic_target_parse(target, true, &t, NULL);
	rc = parse(&t, value, &w);
	if (rc == 0)
		rc = ta_nic_rss_read(h, t.ifname, &now);
	if (rc < 0)
		return ta_nic_fail(err, rc, t.ifname, "its RSS table cannot be read");
	slots = calloc(now.n + 1, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	rc = work_out(t.ifname, &w, &now, rings_of(h, t.ifname), slots, &c, err);
	if (rc == 0 && (c.reset || c.table || c.key || c.hfunc))
		rc = send_change(h, t.ifname, &c, err);
	free(slots);
	return rc;
}

static void command(const char *target, const char *value, struct ta_buf *b)
{
	ta_cleanup(wish_done) struct wish w = {0};
	struct ta_nic_target t;

	if (ta_nic_target_parse(target, true, &t, NULL) < 0 || parse(&t, value, &w) < 0)
		return;
	if (w.table.spread == TA_RSS_LIST) {
		ta_buf_adds(b, "# no option of ethtool sets such a table slot by slot\n");
		return;
	}
	if (!ta_nic_add_ethtool(b, "-X", t.ifname))
		return;
	if (w.table.spread == TA_RSS_EQUAL)
		ta_buf_printf(b, " equal %u\n", w.table.queues);
	else
		ta_buf_adds(b, " default\n");
}

const struct ta_knob ta_knob_rss = {
	.name = "rss",
	.order = TA_ORDER_RSS,
	.nic = true,
	.check = check,
	.read = read_value,
	.may = ta_nic_may,
	.write = write_value,
	.command = command,
};
