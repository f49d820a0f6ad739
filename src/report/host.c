/*
 * The host in three lines: what it is, its CPUs and memory, its network interfaces. What was not
 * read is not mentioned: only what the selected rules need is read.
 */
#include <json-c/json.h>
#include <string.h>

#include "report/parts.h"
#include "report/text.h"

#define MAX_NICS 4

/* Parts of a line with ", " between them. */
static void separate(struct ta_buf *line, const char *by)
{
	if (line->len)
		ta_buf_adds(line, by);
}

static void add_line(const struct ta_buf *line, const struct ta_report_options *o, struct ta_buf *b)
{
	if (!line->len)
		return;
	ta_text_wrap(b, line->data, o->columns, 0, 2);
	ta_buf_addc(b, '\n');
}

/* Parts of the first line: a colon behind the name, then commas. */
static void add_part(struct ta_buf *line, bool *first, const char *text)
{
	ta_buf_printf(line, "%s%s", *first ? ": " : ", ", text);
	*first = false;
}

static void add_place(const struct ta_facts *f, struct ta_buf *line, bool *first)
{
	const char *virtualization = ta_facts_get_str(f, TA_KEYS("place", "virtualization"));
	const char *container = ta_facts_get_str(f, TA_KEYS("place", "container"));

	if (virtualization && strcmp(virtualization, "none") == 0) {
		add_part(line, first, "no hypervisor");
	} else if (virtualization) {
		add_part(line, first, virtualization);
		ta_buf_adds(line, " guest");
	}
	if (container && strcmp(container, "none") != 0) {
		add_part(line, first, "in a container");
		ta_buf_printf(line, " (%s)", container);
	}
}

static void identity(const struct ta_facts *f, struct ta_buf *line)
{
	const char *name = ta_facts_get_str(f, TA_KEYS("host", "name"));
	const char *os = ta_facts_get_str(f, TA_KEYS("host", "os"));
	const char *release = ta_facts_get_str(f, TA_KEYS("kernel", "release"));
	const char *arch = ta_facts_get_str(f, TA_KEYS("kernel", "arch"));
	bool first = true;

	ta_buf_adds(line, name ? name : "host");
	if (os)
		add_part(line, &first, os);
	if (release) {
		add_part(line, &first, "kernel ");
		ta_buf_adds(line, release);
	}
	if (arch) {
		if (release)
			ta_buf_printf(line, " %s", arch);
		else
			add_part(line, &first, arch);
	}
	add_place(f, line, &first);
}

static bool count_of(const struct ta_facts *f, const char *const *path, long long *ret)
{
	int64_t v;

	if (!ta_facts_get_i64(f, path, &v))
		return false;
	*ret = v;
	return true;
}

static const char *plural(long long n)
{
	return n == 1 ? "" : "s";
}

static void cpus(const struct ta_facts *f, struct ta_buf *line)
{
	long long n, cores, threads;

	if (!count_of(f, TA_KEYS("cpu", "online"), &n))
		return;
	ta_buf_printf(line, "%lld CPU%s", n, plural(n));
	if (count_of(f, TA_KEYS("cpu", "physical_cores"), &cores)) {
		ta_buf_printf(line, " (%lld core%s", cores, plural(cores));
		if (count_of(f, TA_KEYS("cpu", "threads_per_core"), &threads))
			ta_buf_printf(line, threads > 1 ? ", SMT %lld" : ", no SMT", threads);
		ta_buf_addc(line, ')');
	}
	if (count_of(f, TA_KEYS("cpu", "sockets"), &n))
		ta_buf_printf(line, ", %lld socket%s", n, plural(n));
	if (count_of(f, TA_KEYS("numa_nodes"), &n))
		ta_buf_printf(line, ", %lld NUMA node%s", n, plural(n));
}

static void memory(const struct ta_facts *f, struct ta_buf *line)
{
	long long bytes;

	if (!count_of(f, TA_KEYS("memory", "total_bytes"), &bytes) || bytes < 0)
		return;
	separate(line, "; ");
	if (bytes >= 10ll << 30)
		ta_buf_printf(line, "%lld GiB memory", (bytes + (1ll << 29)) >> 30);
	else
		ta_buf_printf(line, "%lld MiB memory", bytes >> 20);
}

/* 1000 -> "1 Gbit/s", 2500 -> "2.5 Gbit/s" */
static void add_speed(long long mbps, struct ta_buf *line)
{
	if (mbps >= 1000 && mbps % 100 == 0)
		ta_buf_printf(line, " %lld%s Gbit/s", mbps / 1000,
			mbps % 1000 ? (const char *[]){"", ".1", ".2", ".3", ".4", ".5", ".6", ".7",
					      ".8", ".9"}[mbps % 1000 / 100]
				    : "");
	else if (mbps > 0)
		ta_buf_printf(line, " %lld Mbit/s", mbps);
}

static void add_queues(const struct ta_facts *f, const char *name, struct ta_buf *line)
{
	long long now, max;

	if (count_of(f, TA_KEYS("nics", name, "channels", "combined", "current"), &now) &&
		count_of(f, TA_KEYS("nics", name, "channels", "combined", "max"), &max) &&
		max > now)
		ta_buf_printf(line, ", %lld of %lld queues", now, max);
	else if (count_of(f, TA_KEYS("nics", name, "queues", "rx"), &now))
		ta_buf_printf(line, ", %lld queue%s", now, plural(now));
}

static void add_nic(const struct ta_facts *f, const char *name, struct ta_buf *line)
{
	const char *driver = ta_facts_get_str(f, TA_KEYS("nics", name, "driver"));
	long long mbps;
	bool up;

	separate(line, "; ");
	ta_buf_printf(line, "%s", name);
	if (driver)
		ta_buf_printf(line, " %s", driver);
	if (ta_facts_get_bool(f, TA_KEYS("nics", name, "up"), &up) && !up) {
		ta_buf_adds(line, " down");
		return;
	}
	if (count_of(f, TA_KEYS("nics", name, "speed_mbps"), &mbps))
		add_speed(mbps, line);
	add_queues(f, name, line);
}

static void nics(const struct ta_facts *f, struct ta_buf *line)
{
	struct json_object *all = ta_facts_at(f, TA_KEYS("nics"));
	ta_cleanup_buf struct ta_buf list = TA_BUF_INIT;
	size_t physical = 0, other = 0;

	if (!json_object_is_type(all, json_type_object))
		return;
	json_object_object_foreach(all, name, value)
	{
		bool is_physical = false;

		(void)value;
		ta_facts_get_bool(f, TA_KEYS("nics", name, "physical"), &is_physical);
		if (is_physical && physical++ < MAX_NICS)
			add_nic(f, name, &list);
		other += !is_physical;
	}
	ta_buf_printf(line, "NICs: %s", physical ? ta_buf_text(&list) : "none physical");
	if (physical > MAX_NICS)
		ta_buf_printf(line, "; %zu more", physical - MAX_NICS);
	if (other)
		ta_buf_printf(line, "; %zu virtual", other);
}

void ta_part_host(const struct ta_facts *facts, const struct ta_report_options *o, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf who = TA_BUF_INIT, machine = TA_BUF_INIT, net = TA_BUF_INIT;

	identity(facts, &who);
	cpus(facts, &machine);
	memory(facts, &machine);
	nics(facts, &net);
	add_line(&who, o, b);
	add_line(&machine, o, b);
	add_line(&net, o, b);
}
