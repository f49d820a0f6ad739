/*
 * Finding the owners of sockets costs a readlink() per descriptor of every
 * process, by far the most of what a look at the host costs; so no process is
 * read beyond what can matter.
 */
#include "probe/procscan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

/* Descriptors looked at without finding anything, from the start and since the last find. */
#define FIRST_SEARCH 4096u
#define NEXT_SEARCH 256u

static int by_inode(const void *va, const void *vb)
{
	const struct ta_socket *a = va, *b = vb;

	return (a->inode > b->inode) - (a->inode < b->inode);
}

void ta_sockets_sort(struct ta_sockets *s)
{
	if (s->n)
		qsort(s->v, s->n, sizeof(s->v[0]), by_inode);
}

int ta_sockets_find(const struct ta_sockets *s, uint64_t inode)
{
	struct ta_socket key = {.inode = inode};
	const struct ta_socket *hit =
		s->n ? bsearch(&key, s->v, s->n, sizeof(s->v[0]), by_inode) : NULL;

	return hit ? (int)hit->group : -1;
}

int ta_socket_inode(const char *link, uint64_t *ret)
{
	static const char prefix[] = "socket:[";
	char digits[24];
	size_t len;

	if (strncmp(link, prefix, strlen(prefix)) != 0)
		return -EINVAL;
	link += strlen(prefix);
	len = strspn(link, "0123456789");
	if (len == 0 || len >= sizeof(digits) || strcmp(link + len, "]") != 0)
		return -EINVAL;
	memcpy(digits, link, len);
	digits[len] = '\0';
	return ta_parse_u64(digits, ret) < 0 ? -EINVAL : 0;
}

static void add_group(struct ta_proc_sockets *p, uint32_t group)
{
	for (size_t i = 0; i < p->n_groups; i++)
		if (p->groups[i] == group)
			return;
	if (p->n_groups < TA_GROUPS_MAX)
		p->groups[p->n_groups++] = group;
	else
		p->whole = false;
}

struct search {
	const struct ta_sockets *sockets;
	struct ta_proc_sockets *found;
	size_t misses; /* since the last find */
};

#define STOP (-ECANCELED)

static int look_at(const char *target, int rc, void *ctx)
{
	struct search *s = ctx;
	struct ta_proc_sockets *p = s->found;
	uint64_t inode;
	int group = -1;

	if (s->misses++ >= (p->n_groups ? NEXT_SEARCH : FIRST_SEARCH)) {
		p->whole = false;
		p->cut = p->n_groups == 0;
		return STOP;
	}
	if (rc == -EACCES || rc == -EPERM)
		return rc;
	/* Closed meanwhile, or what a careless copy made of it. */
	p->whole &= rc == 0 || rc == -ENOENT;
	if (rc == 0 && ta_socket_inode(target, &inode) == 0) {
		p->sockets++;
		group = ta_sockets_find(s->sockets, inode);
	}
	if (group >= 0) {
		add_group(p, (uint32_t)group);
		s->misses = 0;
	}
	return 0;
}

int ta_proc_sockets_read(struct ta_host *h, const char *pid, const struct ta_sockets *s, struct ta_proc_sockets *ret)
{
	struct search search = {.sockets = s, .found = ret};
	char path[64];
	int rc;

	*ret = (struct ta_proc_sockets){.whole = true};
	snprintf(path, sizeof(path), "/proc/%.20s/fd", pid);
	rc = ta_host_links(h, path, &ret->descriptors, look_at, &search);
	return rc == STOP ? 0 : rc;
}
