/*
 * Tests that change a host run in namespaces of their own: a network without interfaces but lo, and /etc and /run empty.
 */
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

static inline void namespace_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return; /* setgroups is not there for every one */
	if (write(fd, text, strlen(text)) < 0)
		perror(path);
	close(fd);
}

/* Enters them for good. False: this machine does not let us (the test is skipped then). */
static inline bool namespace_enter(void)
{
	unsigned uid = getuid(), gid = getgid();
	char map[40];

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET) < 0)
		return false;
	namespace_write("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "0 %u 1", uid);
	namespace_write("/proc/self/uid_map", map);
	snprintf(map, sizeof(map), "0 %u 1", gid);
	namespace_write("/proc/self/gid_map", map);
	return mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) == 0 && mount("none", "/etc", "tmpfs", 0, NULL) == 0 &&
	       mount("none", "/run", "tmpfs", 0, NULL) == 0;
}
