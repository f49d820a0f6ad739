/*
 * SIOCETHTOOL, and the key by which a capture knows such a question.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/live.h"

/*
 * "ethtool/eth0/0x0000001b", and behind a further '/' what else went in, without
 * the zeros at its end: ETHTOOL_GSTRINGS is several questions.
 */
void ta_ethtool_key(const char *ifname, const void *data, size_t len, struct ta_buf *b)
{
	const unsigned char *p = data;
	uint32_t command;

	memcpy(&command, data, sizeof(command));
	while (len > sizeof(command) && !p[len - 1])
		len--;
	ta_buf_printf(b, "ethtool/%s/0x%08x%s", ifname, command, len > sizeof(command) ? "/" : "");
	for (size_t i = sizeof(command); i < len; i++)
		ta_buf_printf(b, "%02x", p[i]);
}

/*
 * For a name that is no interface the kernel would look for a module of that
 * name (net/core/dev_ioctl.c: dev_load()). So only names that sysfs knows get there.
 */
static int check_interface(struct ta_live *l, const char *ifname)
{
	char path[sizeof("sys/class/net/") + IFNAMSIZ];
	struct stat st;
	size_t n = strlen(ifname);

	if (n == 0 || n >= IFNAMSIZ || strchr(ifname, '/') || strcmp(ifname, ".") == 0 || strcmp(ifname, "..") == 0)
		return -EINVAL;
	memcpy(path, "sys/class/net/", sizeof("sys/class/net/"));
	memcpy(path + strlen(path), ifname, n + 1);
	if (fstatat(l->root, path, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? -ENODEV : -errno;
	return 0;
}

int ta_live_ethtool(struct ta_host *h, const char *ifname, void *data, size_t len)
{
	struct ta_live *l = (struct ta_live *)h;
	struct ifreq req = {.ifr_data = data};
	int rc = check_interface(l, ifname);

	if (rc < 0)
		return rc;
	if (l->ioctl_socket < 0)
		l->ioctl_socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (l->ioctl_socket < 0)
		return -errno;
	memcpy(req.ifr_name, ifname, strlen(ifname) + 1);
	do
		rc = ioctl(l->ioctl_socket, SIOCETHTOOL, &req);
	while (rc < 0 && errno == EINTR);
	return rc < 0 ? -errno : 0;
}

int ta_host_ethtool(struct ta_host *h, const char *ifname, void *data, size_t len)
{
	h->operations++;
	return len < sizeof(uint32_t) ? -EINVAL : h->ops->ethtool(h, ifname, data, len);
}
