#include "load/hold/memory.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/num.h"

#define PAGE 4096u

/* The number behind `name` at the start of a line, kB as bytes. */
static bool line_value(const char *line, const char *name, uint64_t *ret)
{
	size_t n = strlen(name);
	const char *at = line + n;

	if (strncmp(line, name, n) || ta_next_u64(&at, ret) < 0)
		return false;
	*ret <<= 10;
	return true;
}

static int pss_line(const char *line, size_t len, void *ctx)
{
	struct ta_hold_user *u = ctx;
	uint64_t bytes;

	if (line_value(line, "Pss:", &bytes))
		u->pss += bytes;
	else if (line_value(line, "Pss_Anon:", &bytes) || line_value(line, "Pss_Shmem:", &bytes))
		u->own += bytes;
	return 0;
}

int ta_hold_user_add(struct ta_host *h, pid_t pid, struct ta_hold_user *sum)
{
	static const char *const files[] = {"smaps_rollup", "smaps"};
	int rc = -ENOENT;

	for (unsigned i = 0; i < TA_ARRAY_SIZE(files) && rc == -ENOENT; i++) {
		ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;
		struct ta_hold_user one = {0};

		ta_buf_printf(&path, "/proc/%d/%s", (int)pid, files[i]);
		rc = path.error ? path.error : ta_host_lines(h, ta_buf_text(&path), pss_line, &one);
		if (rc < 0)
			continue;
		sum->pss += one.pss;
		sum->own += one.own;
	}
	return rc;
}

static uint64_t more(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

uint64_t ta_hold_user_grown(const struct ta_hold_user *from, const struct ta_hold_user *to)
{
	return TA_MAX(more(from->pss, to->pss), more(from->own, to->own));
}

static int meminfo_line(const char *line, size_t len, void *ctx)
{
	static const char *const others[] = {"KernelStack:", "PageTables:", "VmallocUsed:", "Percpu:"};
	struct ta_hold_kernel *k = ctx;
	uint64_t bytes;

	if (line_value(line, "Slab:", &bytes))
		k->slab = bytes;
	for (unsigned i = 0; i < TA_ARRAY_SIZE(others); i++)
		if (line_value(line, others[i], &bytes))
			k->other += bytes;
	return 0;
}

/* "TCP: inuse 1 orphan 0 tw 0 alloc 1 mem 188", pages (net/ipv4/proc.c). */
static int sockstat_line(const char *line, size_t len, void *ctx)
{
	const char *mem = strncmp(line, "TCP:", 4) ? NULL : strstr(line, " mem ");
	uint64_t pages;

	if (!mem)
		return 0;
	mem += 5;
	if (ta_next_u64(&mem, &pages) == 0)
		((struct ta_hold_kernel *)ctx)->buffers = pages * PAGE;
	return 0;
}

/* "name active_objs num_objs objsize objperslab pagesperslab : …" (mm/slab_common.c). */
static int slab_line(const char *line, size_t len, void *ctx)
{
	struct ta_hold_kernel *k = ctx;
	struct ta_hold_cache *c = &k->caches[k->n_caches];
	size_t n = strcspn(line, " ");
	const char *at = line + n;
	uint64_t v[5]; /* active objects, all, bytes of one, objects and pages of a slab */

	if (k->n_caches == TA_HOLD_CACHES)
		return 0;
	for (unsigned i = 0; i < TA_ARRAY_SIZE(v); i++)
		if (ta_next_u64(&at, &v[i]) < 0)
			return 0;
	if (!v[3])
		return 0;
	memset(c->name, 0, sizeof(c->name));
	memcpy(c->name, line, TA_MIN(n, sizeof(c->name) - 1));
	c->objects = v[0];
	c->bytes = (double)(v[4] * PAGE) / (double)v[3];
	k->n_caches++;
	return 0;
}

void ta_hold_kernel_read(struct ta_host *h, struct ta_hold_kernel *ret)
{
	memset(ret, 0, sizeof(*ret));
	ta_host_lines(h, "/proc/meminfo", meminfo_line, ret);
	ta_host_lines(h, "/proc/net/sockstat", sockstat_line, ret);
	ta_host_lines(h, "/proc/slabinfo", slab_line, ret);
}

#define BELONGS 0.9 /* objects to a connection */

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

/* Inodes of files come and go with whatever else is done on this host. */
static bool is_of_files(const char *name)
{
	return ends_with(name, "_inode_cache") && strcmp(name, "sock_inode_cache") && strcmp(name, "lsm_inode_cache");
}

static double objects_each(const struct ta_hold_kernel *from, const char *name, uint64_t objects, uint64_t n)
{
	for (unsigned i = 0; i < from->n_caches && n; i++)
		if (!strcmp(from->caches[i].name, name))
			return objects > from->caches[i].objects ? (double)(objects - from->caches[i].objects) / (double)n : 0;
	return 0;
}

static uint64_t objects_of(const struct ta_hold_kernel *k, const char *name)
{
	for (unsigned i = 0; i < k->n_caches; i++)
		if (!strcmp(k->caches[i].name, name))
			return k->caches[i].objects;
	return 0;
}

/* What files have, too, sockets have once each. */
static double most_each(const struct ta_hold_kernel *from, const struct ta_hold_kernel *to, const char *name, uint64_t n)
{
	static const char sockets[] = "sock_inode_cache";

	if (strcmp(name, "dentry") && strcmp(name, "lsm_inode_cache"))
		return INFINITY;
	return objects_each(from, sockets, objects_of(to, sockets), n);
}

double ta_hold_cache_each(const struct ta_hold_kernel *from, const struct ta_hold_kernel *to, unsigned cache, uint64_t n)
{
	const struct ta_hold_cache *c = &to->caches[cache];
	double each = objects_each(from, c->name, c->objects, n);

	if (each < BELONGS || is_of_files(c->name))
		return 0;
	return TA_MIN(each, most_each(from, to, c->name, n));
}

double ta_hold_kernel_grown(const struct ta_hold_kernel *from, const struct ta_hold_kernel *to, uint64_t n, bool *ret_by_caches)
{
	double bytes = (double)more(from->buffers, to->buffers);

	*ret_by_caches = from->n_caches && to->n_caches;
	if (!*ret_by_caches)
		return bytes + (double)more(from->slab + from->other, to->slab + to->other);
	for (unsigned i = 0; i < to->n_caches; i++)
		bytes += ta_hold_cache_each(from, to, i, n) * (double)n * to->caches[i].bytes;
	return bytes;
}
