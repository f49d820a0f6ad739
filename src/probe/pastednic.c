/*
 * Which output answers what. Where several do, ip's list of interfaces wins:
 * it is the kernel's; that of ethtool's outputs is the choice of who ran it.
 */
#include "probe/pastednic.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probe/drvinfo.h"
#include "probe/iptext.h"
#include "probe/pasted.h"
#include "probe/probe.h"

/* --- the list ----------------------------------------------------- */

/* "ethtool_eth0" and "ethtool_-l_eth0" are of eth0; NULL: not an output of ethtool. */
static const char *nic_of(const char *file)
{
	static const char prefix[] = "ethtool_";

	if (strncmp(file, prefix, strlen(prefix)) != 0)
		return NULL;
	file += strlen(prefix);
	if (*file == '-') {
		file = strchr(file, '_');
		return file && file[1] ? file + 1 : NULL;
	}
	return *file ? file : NULL;
}

static void add_files(struct ta_host *h, const char *dir, struct ta_strv *ret)
{
	ta_cleanup_strv struct ta_strv files = TA_STRV_INIT;

	if (ta_host_list(h, dir, &files) < 0)
		return;
	for (size_t i = 0; i < files.n; i++) {
		const char *nic = nic_of(files.v[i]);

		if (nic)
			ta_strv_add(ret, nic);
	}
}

/* extra/ethtool-l/eth0 and extra/ethtool/eth0 */
static void add_folders(struct ta_host *h, struct ta_strv *ret)
{
	ta_cleanup_strv struct ta_strv folders = TA_STRV_INIT;
	char dir[512];

	if (ta_host_list(h, "/extra", &folders) < 0)
		return;
	for (size_t i = 0; i < folders.n; i++) {
		ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;

		if (strcmp(folders.v[i], "ethtool") != 0 && strncmp(folders.v[i], "ethtool-", 8) != 0)
			continue;
		if (ta_host_list(h, ta_fmt(&dir, "/extra/%s", folders.v[i]), &names) < 0)
			continue;
		for (size_t k = 0; k < names.n; k++)
			ta_strv_add(ret, names.v[k]);
	}
}

/* Nothing is known of these but that they are there, and what -i tells. */
static int links_of_ethtool(const struct ta_pasted *p, struct ta_links *ret)
{
	ta_cleanup_links struct ta_links links = TA_LINKS_INIT;
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;

	add_files(p->h, "/sos_commands/networking", &names);
	add_files(p->h, "/extra", &names);
	add_folders(p->h, &names);
	ta_strv_sort(&names);
	for (size_t i = 0; i < names.n; i++) {
		struct ta_link *l = ta_links_add(&links, names.v[i], strlen(names.v[i]));

		if (!l)
			return -ENOMEM;
		l->master = -1;
		l->rc_qdisc = -ENODATA;
	}
	if (names.error || links.n == 0)
		return names.error ? names.error : -ENOENT;
	*ret = links;
	links = (struct ta_links)TA_LINKS_INIT;
	return 0;
}

int ta_pastednic_links(struct ta_host *h, struct ta_links *ret)
{
	static const char *const names[] = {"ip_-s_-d_link", "ip_-d_link", "ip_-d_address",
		"ip_-s_link", "ip_link", "ip_address", "ip_addr", NULL};
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_pasted pasted;

	if (!ta_pasted_open(h, &pasted))
		return -ENOENT;
	if (ta_pasted_read_any(&pasted, "networking", names, &text) == 0)
		return ta_iptext_parse(ta_buf_text(&text), text.len, ret);
	return links_of_ethtool(&pasted, ret);
}

/* --- their devices ----------------------------------------------------- */

/* Drivers without hardware, and the kind of link that they are for. */
static const char *kind_of_driver(const char *driver)
{
	static const struct {
		const char *driver, *kind;
	} kinds[] = {
		{"802.1Q VLAN Support", "vlan"},
		{"bonding", "bond"},
		{"bridge", "bridge"},
		{"dummy", "dummy"},
		{"geneve", "geneve"},
		{"ifb", "ifb"},
		{"ipvlan", "ipvlan"},
		{"macvlan", "macvlan"},
		{"openvswitch", "openvswitch"},
		{"team", "team"},
		{"tun", "tun"},
		{"veth", "veth"},
		{"vrf", "vrf"},
		{"vxlan", "vxlan"},
		{"wireguard", "wireguard"},
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(kinds); i++)
		if (strcmp(driver, kinds[i].driver) == 0)
			return kinds[i].kind;
	return NULL;
}

static int take_driver(const struct ta_drvinfo *d, struct ta_link *l)
{
	const char *kind = kind_of_driver(d->driver);

	if (kind) {
		if (!l->kind[0])
			memcpy(l->kind, kind, strlen(kind) + 1);
		return 0;
	}
	/* "usb-0000:00:14.0-3" and "virtio2" are no places that others know it by. */
	if ((l->parent && strncmp(l->parent, "virtio", strlen("virtio")) != 0) ||
		!ta_is_pci_address(d->bus, strlen(d->bus)))
		return 0;
	free(l->parent);
	l->parent = strdup(d->bus);
	return l->parent ? 0 : -ENOMEM;
}

int ta_pastednic_devices(struct ta_host *h, const struct ta_netdevs *devs, struct ta_links *links)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_pasted pasted;
	int rc = 0;

	if (!ta_pasted_open(h, &pasted))
		return 0;
	for (size_t i = 0; rc == 0 && i < links->n; i++) {
		const struct ta_netdev *d = ta_netdevs_find(devs, links->v[i].name);
		struct ta_drvinfo driver;

		if ((d && (d->driver || d->device)) ||
			ta_pasted_ethtool(&pasted, "-i", links->v[i].name, &text) < 0)
			continue;
		ta_drvinfo_parse_text(ta_buf_text(&text), &driver);
		rc = take_driver(&driver, &links->v[i]);
	}
	return rc;
}
