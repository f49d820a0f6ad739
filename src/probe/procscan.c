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

int ta_proc_descriptors(struct ta_host *h, const char *pid, struct ta_strv *ret)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%.20s/fd", pid);
	return ta_host_list(h, path, ret);
}

int ta_proc_sockets_read(struct ta_host *h, const char *pid, const struct ta_strv *fds,
	const struct ta_sockets *s, struct ta_proc_sockets *ret)
{
	ta_cleanup_buf struct ta_buf link = TA_BUF_INIT;
	char path[96];
	int prefix = snprintf(path, sizeof(path), "/proc/%.20s/fd/", pid);
	size_t misses = 0;

	*ret = (struct ta_proc_sockets){.descriptors = fds->n, .whole = true};
	for (size_t i = 0; i < fds->n; i++) {
		uint64_t inode;
		int group = -1, rc;

		if (misses++ >= (ret->n_groups ? NEXT_SEARCH : FIRST_SEARCH)) {
			ret->whole = false;
			ret->cut = ret->n_groups == 0;
			break;
		}
		memcpy(path + prefix, fds->v[i], strnlen(fds->v[i], 20) + 1);
		path[prefix + 20] = '\0';
		rc = ta_host_readlink(h, path, &link);
		if (rc == -EACCES || rc == -EPERM)
			return rc;
		/* Closed meanwhile, or what a careless copy made of it. */
		ret->whole &= rc == 0 || rc == -ENOENT;
		if (rc == 0 && ta_socket_inode(ta_buf_text(&link), &inode) == 0) {
			ret->sockets++;
			group = ta_sockets_find(s, inode);
		}
		if (group >= 0) {
			add_group(ret, (uint32_t)group);
			misses = 0;
		}
	}
	return 0;
}
