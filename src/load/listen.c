#include "load/listen.h"

#include <errno.h>
#include <unistd.h>

#include "load/admit.h"

int ta_load_listen(const struct ta_server_options *o, struct ta_served *ret, struct ta_err *err)
{
	int one = 1, fd = socket(o->addr.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), rc = 0;

	if (fd < 0)
		return ta_err_set(err, -errno, "no socket for the server: %s", ta_errno_text(-errno));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	ret->addr_len = sizeof(ret->addr);
	rc = ta_admit_only(fd, &o->only);
	if (rc < 0)
		rc = ta_err_set(err, rc, "the server cannot be kept to one client: %s", ta_errno_text(rc));
	else if (bind(fd, (const struct sockaddr *)&o->addr, o->addr_len) < 0 || listen(fd, 65535) < 0)
		rc = ta_err_set(err, -errno, "the server cannot listen there: %s", ta_errno_text(-errno));
	else if (getsockname(fd, (struct sockaddr *)&ret->addr, &ret->addr_len) < 0)
		rc = ta_err_set(err, -errno, "the server's address is not known: %s", ta_errno_text(-errno));
	if (rc < 0) {
		close(fd);
		return rc;
	}
	return fd;
}
