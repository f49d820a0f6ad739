/*
 * Network namespaces other than ours that processes live in: which there are,
 * and what a child that enters one tells of it.
 */
#pragma once

#include "facts/facts.h"
#include "host/host.h"
#include "probe/listen.h"

#define TA_NETNS_MAX 64 /* more are counted, not looked at */

struct ta_netns {
	char *link;         /* "net:[4026532281]" */
	char *id;           /* unit, container or program of its first process; each id once */
	struct ta_strv pids; /* in rising order */
};

/* What should have been looked at and could not. */
struct ta_unseen {
	size_t n;
	int rc; /* of the last of them, -errno */
};

struct ta_namespaces {
	char *own;
	struct ta_netns v[TA_NETNS_MAX];
	size_t n;
	size_t not_looked_at; /* processes in namespaces beyond TA_NETNS_MAX */
	struct ta_unseen hidden; /* processes that do not show theirs */
	struct ta_unseen unread; /* namespaces whose listeners could not be read */
};

void ta_namespaces_done(struct ta_namespaces *n);

/* Our own. 0 or -errno: then none can be told apart. */
int ta_namespaces_start(struct ta_host *h, struct ta_namespaces *n);

/* True if the process lives in another one; then it has been noted. */
bool ta_namespaces_foreign(struct ta_host *h, struct ta_namespaces *n, const char *pid);

/* Counts a failure; a process that is gone (-ENOENT, -ESRCH) is none. */
void ta_unseen_note(struct ta_unseen *u, int rc);

/*
 * Its listeners with backlogs, and its settings, from a child that enters it; addresses by /proc/PID/net/tcp where the
 * child cannot tell. Puts netns.ID if somebody listens there. 0 or -errno.
 */
int ta_netns_read(struct ta_host *h, struct ta_facts *f, struct ta_namespaces *all, struct ta_netns *ns,
	struct ta_listeners *ret);

/* What the child does in there, and what its answer says; for tests. */
int ta_netns_ask(struct ta_host *inside, void *arg, struct ta_buf *ret);
int ta_netns_listeners(const char *answer, struct ta_listeners *ret); /* -ENODATA: not all of them, or no addresses */
void ta_netns_apply(const char *answer, struct ta_facts *f, const char *id, struct ta_listeners *l);
