#include "host/space.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* One write, as user_namespaces(7) wants it. */
static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), rc = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		rc = -errno;
	close(fd);
	return rc;
}

/* The ids stay what they are: only the capabilities are wanted. */
static int map_ids(unsigned uid, unsigned gid)
{
	char map[40];
	int rc;

	snprintf(map, sizeof(map), "%u %u 1", uid, uid);
	rc = write_file("/proc/self/uid_map", map);
	if (rc == 0)
		rc = write_file("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "%u %u 1", gid, gid);
	if (rc == 0 || rc == -ENOENT) /* setgroups is not there before 3.19 */
		rc = write_file("/proc/self/gid_map", map);
	return rc;
}

static int enter(bool *inside)
{
	unsigned uid = geteuid(), gid = getegid();

	*inside = unshare(CLONE_NEWNET) == 0;
	if (*inside)
		return 0;
	if (errno != EPERM)
		return -errno;
	*inside = unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0;
	return *inside ? map_ids(uid, gid) : -errno;
}

/* A new namespace has lo, down and with 127.0.0.1/8 as soon as it is up. */
static int raise_loopback(void)
{
	struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), rc = 0;

	if (fd < 0)
		return -errno;
	if (ioctl(fd, SIOCSIFFLAGS, &request) < 0)
		rc = -errno;
	close(fd);
	return rc;
}

int ta_space_enter(bool *ret_inside, struct ta_err *err)
{
	int rc = enter(ret_inside);

	if (rc == 0)
		rc = raise_loopback();
	return rc < 0 ? ta_err_set(err, rc, "no network namespace of its own: %s", ta_errno_text(rc)) : 0;
}
