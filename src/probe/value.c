#include "probe/value.h"

#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "probe/lscpu.h"

/* Values in sysfs are one page at most. */
#define SMALL_FILE 65536

void ta_put_val(struct ta_facts *f, const char *const *path, struct ta_val v, const char *what)
{
	if (v.rc < 0)
		ta_facts_put_errno(f, path, v.rc, what);
	else
		ta_facts_put_i64(f, path, v.v);
}

int ta_text_read(struct ta_host *h, const char *file, struct ta_buf *ret)
{
	int rc = ta_host_read(h, file, SMALL_FILE, ret);

	/* The kernel writes text, and at least a newline; anything else is what went wrong in a copy. */
	if (rc == 0 && (ret->len == 0 || memchr(ret->data, '\0', ret->len)))
		rc = -EBADMSG;
	ta_buf_rtrim(ret);
	return rc < 0 ? rc : ret->error;
}

struct ta_val ta_val_read(struct ta_host *h, const char *file)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_val val = {0};

	val.rc = ta_text_read(h, file, &text);
	if (val.rc == 0 && ta_parse_i64(ta_buf_text(&text), &val.v) < 0)
		val.rc = -EBADMSG;
	return val;
}

struct ta_val ta_val_of_counter(const char *text)
{
	uint64_t counter = 0;
	int rc = ta_parse_u64(text, &counter);

	return (struct ta_val){.rc = rc < 0 ? -EBADMSG : 0, .v = (int64_t)counter};
}

struct ta_val ta_val_counter(struct ta_host *h, const char *file)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = ta_text_read(h, file, &text);

	return rc < 0 ? (struct ta_val){.rc = rc} : ta_val_of_counter(ta_buf_text(&text));
}

static int seek_second_node(const char *line, size_t len, void *ctx)
{
	/* "Node 1, zone   Normal  …" */
	if (strncmp(line, "Node ", 5) == 0 && strncmp(line, "Node 0,", 7) != 0)
		*(bool *)ctx = true;
	return 0;
}

struct ta_val ta_numa_count(struct ta_host *h)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	ta_cleanup_cpuset struct ta_cpuset nodes = TA_CPUSET_INIT;
	struct ta_val val = {0};
	struct ta_lscpu lscpu;
	bool several = false;

	val.rc = ta_text_read(h, "/sys/devices/system/node/online", &text);
	/* No such directory: a kernel without NUMA, unless another file shows that it was not
	 * copied. */
	if (val.rc == -ENOENT && ta_host_exists(h, "/sys/devices/system/cpu") &&
		!ta_host_exists(h, "/sys/devices/system/node")) {
		if (ta_lscpu_read(h, &lscpu) && lscpu.nodes > 1)
			return (struct ta_val){.v = lscpu.nodes};
		ta_host_lines(h, "/proc/buddyinfo", seek_second_node, &several);
		return several ? val : (struct ta_val){.v = 1};
	}
	if (val.rc == 0 && ta_cpuset_parse_list(&nodes, ta_buf_text(&text)) < 0)
		val.rc = -EBADMSG;
	val.v = ta_cpuset_count(&nodes);
	return val;
}

struct ta_val ta_numa_node(struct ta_val kernel, struct ta_val nodes)
{
	if (kernel.rc == 0 && kernel.v >= 0)
		return kernel;
	if (nodes.rc == 0 && nodes.v == 1)
		return (struct ta_val){.v = 0};
	return (struct ta_val){.rc = kernel.rc ? kernel.rc : -EOPNOTSUPP};
}
