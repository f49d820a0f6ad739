#include "load/watch.h"

#include <errno.h>
#include <string.h>

#include "base/num.h"

/* "cpu3 user nice system idle iowait irq softirq steal …": fs/proc/stat.c */
static void read_cpu(struct ta_watch_sample *s, const char *text)
{
	uint64_t v[8] = {0}, cpu;
	struct ta_watch_cpu *c;
	const char *end = strchr(text, ' ');
	char number[8] = "";

	if (!end || (size_t)(end - text) >= sizeof(number))
		return;
	memcpy(number, text, (size_t)(end - text));
	if (ta_parse_u64(number, &cpu) < 0 || cpu >= TA_WATCH_CPUS)
		return;
	for (unsigned i = 0; i < TA_ARRAY_SIZE(v); i++)
		if (ta_next_u64(&end, &v[i]) < 0)
			break;
	c = &s->cpu[cpu];
	c->user = v[0] + v[1];
	c->system = v[2];
	c->idle = v[3] + v[4];
	c->irq = v[5];
	c->softirq = v[6];
	c->steal = v[7];
	s->n_cpus = TA_MAX(s->n_cpus, (unsigned)cpu + 1);
}

static int stat_line(const char *line, size_t len, void *ctx)
{
	if (!strncmp(line, "cpu", 3) && line[3] >= '0' && line[3] <= '9')
		read_cpu(ctx, line + 3);
	return 0;
}

/* Two lines to a table: names, then values. */
struct table {
	const char *prefix; /* "TcpExt:" */
	struct ta_buf names;
	const char *const *wanted;
	uint64_t *const *ret;
	bool found;
};

static void take_values(struct table *t, const char *values)
{
	const char *name = ta_buf_text(&t->names) + strlen(t->prefix);

	values += strlen(t->prefix);
	while (*name == ' ') {
		size_t n = strcspn(++name, " ");
		int64_t v;

		/* MaxConn of Tcp is -1 (net/ipv4/proc.c). */
		if (ta_next_i64(&values, &v) < 0)
			return;
		for (unsigned i = 0; t->wanted[i]; i++)
			if (strlen(t->wanted[i]) == n && !memcmp(t->wanted[i], name, n))
				*t->ret[i] = (uint64_t)v;
		name += n;
	}
	t->found = true;
}

static int table_line(const char *line, size_t len, void *ctx)
{
	struct table *t = ctx;

	if (strncmp(line, t->prefix, strlen(t->prefix)) != 0)
		return 0;
	if (!t->names.len)
		ta_buf_adds(&t->names, line);
	else
		take_values(t, line);
	return t->names.error;
}

bool ta_watch_table(struct ta_host *h, const char *path, const char *prefix, const char *const *wanted, uint64_t *const *ret)
{
	struct table t = {.prefix = prefix, .wanted = wanted, .ret = ret};

	ta_host_lines(h, path, table_line, &t);
	ta_buf_done(&t.names);
	return t.found;
}

/* "processed dropped time_squeeze …" in hexadecimal, a line for each CPU: net/core/net-procfs.c */
static int softnet_line(const char *line, size_t len, void *ctx)
{
	struct ta_watch_sample *s = ctx;
	uint64_t v[3];

	for (unsigned i = 0; i < 3; i++) {
		char word[17] = "";
		size_t n = strcspn(line, " ");

		if (!n || n >= sizeof(word))
			return 0;
		memcpy(word, line, n);
		if (ta_parse_hex(word, &v[i]) < 0)
			return 0;
		line += n + (line[n] == ' ');
	}
	s->softnet_dropped += v[1];
	s->time_squeeze += v[2];
	s->has_softnet = true;
	return 0;
}

static uint64_t read_number(struct ta_host *h, const char *fmt, unsigned cpu)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT, text = TA_BUF_INIT;
	uint64_t v = 0;

	ta_buf_printf(&path, "/sys/devices/system/cpu/cpu%u/%s", cpu, fmt);
	if (path.error || ta_host_read(h, ta_buf_text(&path), 64, &text) < 0 || ta_parse_u64(ta_buf_text(&text), &v) < 0)
		return 0;
	return v;
}

/* "  eth0: bytes packets errs drop fifo frame compressed multicast bytes …": net/core/net-procfs.c */
static int link_line(const char *line, size_t len, void *ctx)
{
	struct ta_watch_sample *s = ctx;
	const char *colon = strchr(line, ':'), *values;
	struct ta_watch_link link = {.mbit = 0};
	uint64_t v[9];
	size_t n;

	line += strspn(line, " ");
	n = colon ? (size_t)(colon - line) : 0;
	if (!n || n >= sizeof(link.name) || s->n_links == TA_WATCH_LINKS)
		return 0;
	memcpy(link.name, line, n);
	values = colon + 1;
	for (unsigned i = 0; i < TA_ARRAY_SIZE(v); i++)
		if (ta_next_u64(&values, &v[i]) < 0)
			return 0;
	link.rx_bytes = v[0];
	link.tx_bytes = v[8];
	s->links[s->n_links++] = link;
	return 0;
}

static bool read_link(struct ta_host *h, const char *name, const char *attr, struct ta_buf *ret)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;

	ta_buf_printf(&path, "/sys/class/net/%s/%s", name, attr);
	return !path.error && ta_host_read(h, ta_buf_text(&path), 4096, ret) >= 0;
}

/* What is no device (lo, veth, bridges) has no speed that means anything. */
static void read_links(struct ta_host *h, struct ta_watch_sample *s)
{
	unsigned kept = 0;

	ta_host_lines(h, "/proc/net/dev", link_line, s);
	for (unsigned i = 0; i < s->n_links; i++) {
		ta_cleanup_buf struct ta_buf device = TA_BUF_INIT, speed = TA_BUF_INIT;

		if (!read_link(h, s->links[i].name, "device/uevent", &device))
			continue;
		if (!read_link(h, s->links[i].name, "speed", &speed) || ta_parse_u64(ta_buf_text(&speed), &s->links[i].mbit) < 0)
			s->links[i].mbit = 0;
		s->links[kept++] = s->links[i];
	}
	s->n_links = kept;
}

#define GLANCE_CPUS 16 /* whose clocks are read meanwhile: asking a CPU may wake it */

static void read_clocks(struct ta_host *h, struct ta_watch_sample *s, unsigned most)
{
	for (unsigned i = 0; i < TA_MIN(s->n_cpus, most); i++)
		s->cpu[i].khz = read_number(h, "cpufreq/scaling_cur_freq", i);
}

int ta_watch_glance(struct ta_host *h, struct ta_watch_sample *ret)
{
	*ret = (struct ta_watch_sample){0};
	if (ta_host_lines(h, "/proc/stat", stat_line, ret) == -ENOMEM)
		return -ENOMEM;
	read_clocks(h, ret, GLANCE_CPUS);
	return 0;
}

int ta_watch_read(struct ta_host *h, struct ta_watch_sample *ret)
{
	static const char *const tcpext[] = {"ListenOverflows", "ListenDrops", NULL};
	static const char *const tcp[] = {"RetransSegs", NULL};

	*ret = (struct ta_watch_sample){0};
	if (ta_host_lines(h, "/proc/stat", stat_line, ret) == -ENOMEM)
		return -ENOMEM;
	ret->has_netstat = ta_watch_table(h, "/proc/net/netstat", "TcpExt:", tcpext,
		(uint64_t *const[]){&ret->listen_overflows, &ret->listen_drops});
	ret->has_snmp = ta_watch_table(h, "/proc/net/snmp", "Tcp:", tcp, (uint64_t *const[]){&ret->retransmits});
	ta_host_lines(h, "/proc/net/softnet_stat", softnet_line, ret);
	read_links(h, ret);
	read_clocks(h, ret, TA_WATCH_CPUS);
	for (unsigned i = 0; i < ret->n_cpus; i++)
		ret->cpu[i].core_throttled = read_number(h, "thermal_throttle/core_throttle_count", i);
	return 0;
}

static uint64_t grown(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0; /* idle and iowait may fall */
}

struct ta_watch_share ta_watch_share(const struct ta_watch_sample *from, const struct ta_watch_sample *to, unsigned cpu)
{
	const struct ta_watch_cpu *a = &from->cpu[cpu], *b = &to->cpu[cpu];
	double user = (double)grown(a->user, b->user), system = (double)grown(a->system, b->system);
	double soft = (double)grown(a->softirq, b->softirq), irq = (double)grown(a->irq, b->irq);
	double steal = (double)grown(a->steal, b->steal), idle = (double)grown(a->idle, b->idle);
	double all = user + system + soft + irq + steal + idle;

	if (all <= 0)
		return (struct ta_watch_share){0};
	return (struct ta_watch_share){(user + system + soft + irq) / all, soft / all, steal / all};
}

static void add_cpu(struct ta_watch_cpu *sum, const struct ta_watch_cpu *from, const struct ta_watch_cpu *to)
{
	sum->user += grown(from->user, to->user);
	sum->system += grown(from->system, to->system);
	sum->softirq += grown(from->softirq, to->softirq);
	sum->irq += grown(from->irq, to->irq);
	sum->steal += grown(from->steal, to->steal);
	sum->idle += grown(from->idle, to->idle);
	sum->core_throttled += grown(from->core_throttled, to->core_throttled);
	sum->khz = to->khz;
}

/* Interfaces come and go: one that was not there before has not grown. */
static void add_links(struct ta_watch_sample *sum, const struct ta_watch_sample *from, const struct ta_watch_sample *to)
{
	for (unsigned i = 0; i < to->n_links; i++)
		for (unsigned k = 0; k < from->n_links; k++) {
			struct ta_watch_link *link = &sum->links[i];

			if (strcmp(to->links[i].name, from->links[k].name) != 0)
				continue;
			memcpy(link->name, to->links[i].name, sizeof(link->name));
			link->mbit = to->links[i].mbit;
			link->rx_bytes += grown(from->links[k].rx_bytes, to->links[i].rx_bytes);
			link->tx_bytes += grown(from->links[k].tx_bytes, to->links[i].tx_bytes);
		}
	sum->n_links = TA_MAX(sum->n_links, to->n_links);
}

void ta_watch_add(struct ta_watch_sample *sum, const struct ta_watch_sample *from, const struct ta_watch_sample *to)
{
	unsigned n = TA_MIN(from->n_cpus, to->n_cpus);

	for (unsigned i = 0; i < n; i++)
		add_cpu(&sum->cpu[i], &from->cpu[i], &to->cpu[i]);
	sum->n_cpus = TA_MAX(sum->n_cpus, n);
	add_links(sum, from, to);
	sum->has_netstat = to->has_netstat;
	sum->has_snmp = to->has_snmp;
	sum->has_softnet = to->has_softnet;
	sum->listen_overflows += grown(from->listen_overflows, to->listen_overflows);
	sum->listen_drops += grown(from->listen_drops, to->listen_drops);
	sum->retransmits += grown(from->retransmits, to->retransmits);
	sum->softnet_dropped += grown(from->softnet_dropped, to->softnet_dropped);
	sum->time_squeeze += grown(from->time_squeeze, to->time_squeeze);
}

static void look_at_clock(struct ta_watch_during *d, double mhz)
{
	d->mhz_min = d->n_mhz ? TA_MIN(d->mhz_min, mhz) : mhz;
	d->mhz_max = d->n_mhz ? TA_MAX(d->mhz_max, mhz) : mhz;
	d->mhz_sum += mhz;
	d->n_mhz++;
}

void ta_watch_look(struct ta_watch_during *d, const struct ta_watch_sample *from, const struct ta_watch_sample *to)
{
	for (unsigned i = 0; i < TA_MIN(from->n_cpus, to->n_cpus); i++) {
		double softirq = ta_watch_share(from, to, i).softirq;

		if (softirq > d->softirq) {
			d->softirq = softirq;
			d->softirq_cpu = i;
		}
		/* A CPU that does nothing may clock down: that is no news. */
		if (to->cpu[i].khz && ta_watch_share(from, to, i).busy > 0.5)
			look_at_clock(d, (double)to->cpu[i].khz / 1e3);
	}
	d->looks++;
}
