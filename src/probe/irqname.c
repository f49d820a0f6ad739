/*
 * Forms are tried in order. In a form %d is a number that becomes the queue,
 * %i an interface name (no ':', '/' or blank, at most 15 bytes:
 * net/core/dev.c dev_valid_name()), %p a PCI address, %v "virtio" and a
 * number, %n "nvme" and a number, %m the MAC of a system on a chip, %? a number
 * that is not the queue, %* anything.
 */
#include "probe/irqname.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/macros.h"
#include "probe/netdev.h"

struct form {
	const char *text;
	enum ta_irq_role role;
	bool is_net;
};

/* clang-format off */
static const struct form forms[] = {
	{"%nq0", TA_IRQ_OTHER, false},
	{"%nq%d", TA_IRQ_IO, false},
	{"%v-input.%d", TA_IRQ_RX, true},
	{"%v-output.%d", TA_IRQ_TX, true},
	{"%v-config", TA_IRQ_OTHER, false},
	{"%v-%*", TA_IRQ_UNKNOWN, false}, /* "virtio0-virtqueues": one vector for all */
	{"%v", TA_IRQ_UNKNOWN, false},    /* a line interrupt */
	/* mlx5, mlx4, gve, mana: the interface is not named. */
	{"mlx5_comp%d@pci:%p", TA_IRQ_COMBINED, true},
	{"mlx5_%*@pci:%p", TA_IRQ_OTHER, true},
	{"mlx4-comp-%d@pci:%p", TA_IRQ_UNKNOWN, true}, /* the function's, beside those of its interfaces */
	{"mlx4-async@pci:%p", TA_IRQ_OTHER, true},
	{"mlx4-%d@%p", TA_IRQ_COMBINED, true},
	{"mlx4-%d@PCI Bus %p", TA_IRQ_COMBINED, true}, /* Mellanox's own driver */
	{"gve-ntfy-blk%d@pci:%p", TA_IRQ_COMBINED, true},
	{"gve-mgmnt@pci:%p", TA_IRQ_OTHER, true},
	{"%i-ntfy-block.%d", TA_IRQ_COMBINED, true},
	{"ena-mgmnt@pci:%p", TA_IRQ_OTHER, true},
	{"mana_q%d@pci:%p", TA_IRQ_COMBINED, true},
	{"mana_hwc@pci:%p", TA_IRQ_OTHER, true},
	{"hns3-%p-TxRx-%d", TA_IRQ_COMBINED, true},
	{"hns3-%p-Rx-%d", TA_IRQ_RX, true},
	{"hns3-%p-Tx-%d", TA_IRQ_TX, true},
	{"hns3-misc-%p", TA_IRQ_OTHER, true},
	{"sky2@pci:%p", TA_IRQ_UNKNOWN, true},
	{"skge@pci:%p", TA_IRQ_UNKNOWN, true},
	{"%m", TA_IRQ_UNKNOWN, true},
	{"%m-rx%d", TA_IRQ_RX, true},                      /* am65-cpsw */
	{"%m-tx%d", TA_IRQ_TX, true},
	{"%i-TxRx-%d", TA_IRQ_COMBINED, true},     /* igb, igc, ixgbe, bnxt, i40e, ice, iavf */
	{"%i-Tx-Rx-%d", TA_IRQ_COMBINED, true},    /* ena */
	{"%i-tx-%?-rx-%d", TA_IRQ_COMBINED, true}, /* qlcnic */
	{"%i-txrx-%d", TA_IRQ_COMBINED, true},     /* tg3 */
	{"%i-rxtx-%d", TA_IRQ_COMBINED, true},     /* vmxnet3 */
	{"%i-event-%?", TA_IRQ_OTHER, true},       /* vmxnet3, its link and error events */
	{"%i-fp-%d", TA_IRQ_COMBINED, true},       /* bnx2x */
	{"%i-rx-%d", TA_IRQ_RX, true},             /* igb, e1000e, tg3, qlcnic, enic */
	{"%i-tx-%d", TA_IRQ_TX, true},
	{"%i:rx-%d", TA_IRQ_RX, true},             /* stmmac */
	{"%i:tx-%d", TA_IRQ_TX, true},
	{"%i:mac", TA_IRQ_OTHER, true},
	{"%i:wol", TA_IRQ_OTHER, true},
	{"%i:lpi", TA_IRQ_OTHER, true},
	{"%i:safety%*", TA_IRQ_OTHER, true},
	{"%i:slice-%d", TA_IRQ_COMBINED, true},    /* myri10ge */
	{"%i-rxtx%d", TA_IRQ_COMBINED, true},      /* enetc */
	{"%i_g%d_rx", TA_IRQ_RX, true},            /* gianfar */
	{"%i_g%d_tx", TA_IRQ_TX, true},
	{"%i_g%?_er", TA_IRQ_OTHER, true},
	{"%i_rxq%d", TA_IRQ_RX, true},             /* hinic */
	{"%i_txq%d", TA_IRQ_TX, true},
	{"%i_qp%d", TA_IRQ_COMBINED, false},       /* hinic3 */
	{"%i-rx%d", TA_IRQ_RX, false},             /* hns, ionic */
	{"%i-tx%d", TA_IRQ_TX, false},
	{"%i-adminq%?", TA_IRQ_OTHER, false},      /* ionic */
	{"%i-notifyq%?", TA_IRQ_OTHER, false},
	{"%i-lsc", TA_IRQ_OTHER, false},           /* nfp */
	{"%i-exn", TA_IRQ_OTHER, false},
	{"%i-err", TA_IRQ_OTHER, false},           /* enic */
	{"%i-notify", TA_IRQ_OTHER, false},
	{"%i-misc", TA_IRQ_OTHER, false},          /* txgbe, ngbe */
	{"%i-FWeventq", TA_IRQ_OTHER, false},      /* cxgb4 */
	{"%i-rbdr-%?", TA_IRQ_OTHER, false},       /* nicvf: buffers to be filled again, errors */
	{"%i-qset-err-%?", TA_IRQ_OTHER, false},
	{"%i-xdp-%d", TA_IRQ_TX, false},           /* sfc */
	{"%i-ptp-%?", TA_IRQ_OTHER, false},
	{"%i-q%d-rx", TA_IRQ_RX, false},           /* xen-netfront, xen-netback */
	{"%i-q%d-tx", TA_IRQ_TX, false},
	{"%i-q%d", TA_IRQ_COMBINED, false},        /* be2net, xen */
	{"%i-Rx%d", TA_IRQ_RX, false},             /* cxgb4 */
	{"%i (queue %d)", TA_IRQ_COMBINED, false}, /* cxgb3 */
	{"%i[%d]", TA_IRQ_COMBINED, false},        /* netxen */
	{"%i-%d", TA_IRQ_COMBINED, false},         /* mlx4, bnx2, sfc */
};

/* Names that tell the driver and the queue, and no device. */
static const struct {
	struct form form;
	const char *driver;
} driver_forms[] = {
	{{"mlx5_comp%d", TA_IRQ_COMBINED, true}, "mlx5_core"}, /* up to 4.2 */
	{{"mlx5_cmd_eq", TA_IRQ_OTHER, true}, "mlx5_core"},
	{{"mlx5_async_eq", TA_IRQ_OTHER, true}, "mlx5_core"},
	{{"mlx5_pages_eq", TA_IRQ_OTHER, true}, "mlx5_core"},
	{{"ibmvnic-%*-rx%d", TA_IRQ_RX, true}, "ibmvnic"},
	{{"ibmvnic-%*-tx%d", TA_IRQ_TX, true}, "ibmvnic"},
	{{"hinic_txq%d", TA_IRQ_TX, true}, "hinic"},
	{{"Mailbox-%?", TA_IRQ_OTHER, true}, "idpf"},
	{{"edma_rxdesc", TA_IRQ_RX, true}, "edma"}, /* Qualcomm IPQ807x */
	{{"edma_txcmpl", TA_IRQ_TX, true}, "edma"},
	{{"edma_rxfill", TA_IRQ_OTHER, true}, "edma"},
	{{"edma_misc", TA_IRQ_OTHER, true}, "edma"},
	{{"edma_eth_rx%d", TA_IRQ_RX, true}, "edma"}, /* and IPQ40xx */
	{{"edma_eth_tx%d", TA_IRQ_TX, true}, "edma"},
	{{"reo2host-destination-ring%d", TA_IRQ_RX, true}, "ath11k"},
	{{"wbm2host-tx-completions-ring%d", TA_IRQ_TX, true}, "ath11k"},
};
/* clang-format on */

/* Drivers that put their name before the interface ("i40e-eth0-TxRx-0") or the function
 * ("ice-0000:4b:00.0:misc"). */
static const char *const prefixes[] = {"i40e-", "i40evf-", "iavf-", "ice-", "idpf-", "fm10k-", "ionic-"};

/* Network drivers that call request_irq() with their own name. */
static const char *const drivers[] = {"mvneta", "mwlwifi", "iwlwifi", "ath9k", "ath5k",
	"ath10k_pci", "ath10k_ahb", "ath11k_pci", "ath12k_pci", "mt7603e", "mt7615e", "mt7915e",
	"mt7921e", "mt7925e", "mt7996e", "mt76x0e", "mt76x2e", "rt2800pci", "rtl_pci", "rtw88_pci",
	"rtw89_pci", "rtw_pci", "brcmfmac", "b43", "wil6210", "lan743x"};

static size_t number_len(const char *s, const char *end)
{
	size_t n = 0;

	while (s + n < end && n < 9 && ta_is_digit(s[n]))
		n++;
	return n;
}

static int to_number(const char *s, size_t len)
{
	int v = 0;

	for (size_t i = 0; i < len; i++)
		v = v * 10 + (s[i] - '0');
	return v;
}

static void copy(char *ret, size_t size, const char *s, size_t len)
{
	snprintf(ret, size, "%.*s", (int)len, s);
}

static bool can_be_ifname(const char *s, size_t len)
{
	if (len == 0 || len > 15)
		return false;
	for (size_t i = 0; i < len; i++)
		if (s[i] == ':' || s[i] == '/' || s[i] == ' ')
			return false;
	return true;
}

static bool starts_with(const char *s, const char *end, const char *word)
{
	size_t len = strlen(word);

	return (size_t)(end - s) >= len && memcmp(s, word, len) == 0;
}

static bool equals(const char *s, const char *end, const char *word)
{
	return starts_with(s, end, word) && s + strlen(word) == end;
}

static bool match(const char *form, const char *s, const char *end, struct ta_irq_name *ret);

/* "virtio0", "nvme0": a word and a number. */
static bool match_numbered(const char *word, const char *form, const char *s, const char *end,
	char *keep, size_t size, struct ta_irq_name *ret)
{
	size_t len = strlen(word), digits;

	if ((size_t)(end - s) <= len || memcmp(s, word, len) != 0)
		return false;
	digits = number_len(s + len, end);
	if (!digits || !match(form, s + len + digits, end, ret))
		return false;
	copy(keep, size, s, len + digits);
	return true;
}

static bool match_number(
	const char *form, const char *s, const char *end, bool keep, struct ta_irq_name *ret)
{
	size_t digits = number_len(s, end);

	if (!digits || !match(form, s + digits, end, ret))
		return false;
	if (keep)
		ret->queue = to_number(s, digits);
	return true;
}

/* Longest first: "a-rx-0-rx-1" is of a-rx-0. */
static bool match_ifname(const char *form, const char *s, const char *end, struct ta_irq_name *ret)
{
	size_t max = (size_t)(end - s);

	for (size_t len = TA_MIN(max, (size_t)15); len > 0; len--) {
		if (s + len < end && s[len] != *form) /* no form has two placeholders side by side */
			continue;
		if (can_be_ifname(s, len) && match(form, s + len, end, ret)) {
			copy(ret->ifname, sizeof(ret->ifname), s, len);
			return true;
		}
	}
	return false;
}

static bool match_pci(const char *form, const char *s, const char *end, struct ta_irq_name *ret)
{
	for (size_t len = strlen("0000:00:00.0"); len <= strlen("ffffffff:00:00.0"); len++) {
		if (s + len > end)
			return false;
		if (ta_is_pci_address(s, len) && match(form, s + len, end, ret)) {
			copy(ret->pci, sizeof(ret->pci), s, len);
			return true;
		}
	}
	return false;
}

/* "1e100000.ethernet", "48484000.switch": a memory address and a device tree node's name. */
static bool match_platform(const char *form, const char *s, const char *end, struct ta_irq_name *ret)
{
	static const char *const nodes[] = {".ethernet", ".eth", ".gmac", ".emac", ".switch", ".wmac", ".wifi"};
	const char *dot = s;

	while (dot < end && *dot && strchr("0123456789abcdef", *dot))
		dot++;
	for (size_t i = 0; dot > s && dot - s <= 16 && i < TA_ARRAY_SIZE(nodes); i++) {
		const char *rest = dot + strlen(nodes[i]);

		if (starts_with(dot, end, nodes[i]) && match(form, rest, end, ret)) {
			copy(ret->platform, sizeof(ret->platform), s, (size_t)(rest - s));
			return true;
		}
	}
	return false;
}

static bool match_any(const char *form, const char *s, const char *end, struct ta_irq_name *ret)
{
	for (; s <= end; s++)
		if (match(form, s, end, ret))
			return true;
	return false;
}

/* The placeholder at `form`, whose first byte is '%'. */
static bool match_placeholder(
	const char *form, const char *s, const char *end, struct ta_irq_name *ret)
{
	const char *rest = form + 2;

	switch (form[1]) {
	case 'd':
		return match_number(rest, s, end, true, ret);
	case '?':
		return match_number(rest, s, end, false, ret);
	case 'i':
		return match_ifname(rest, s, end, ret);
	case 'p':
		return match_pci(rest, s, end, ret);
	case 'm':
		return match_platform(rest, s, end, ret);
	case 'v':
		return match_numbered(
			"virtio", rest, s, end, ret->virtio, sizeof(ret->virtio), ret);
	case 'n':
		return match_numbered("nvme", rest, s, end, ret->nvme, sizeof(ret->nvme), ret);
	default:
		return match_any(rest, s, end, ret);
	}
}

static bool match(const char *form, const char *s, const char *end, struct ta_irq_name *ret)
{
	for (; *form; form++, s++) {
		if (*form == '%')
			return match_placeholder(form, s, end, ret);
		if (s >= end || *s != *form)
			return false;
	}
	return s == end;
}

static bool parse_driver(const char *s, const char *end, struct ta_irq_name *ret)
{
	const char *colon = memchr(s, ':', (size_t)(end - s)); /* "iwlwifi:queue_1" */
	const char *stop = colon ? colon : end;

	if (stop - s > 4 && memcmp(stop - 4, "-hif", 4) == 0) /* the second half of some mt76 cards */
		stop -= 4;
	for (size_t i = 0; i < TA_ARRAY_SIZE(drivers); i++) {
		if (!equals(s, stop, drivers[i]))
			continue;
		copy(ret->driver, sizeof(ret->driver), drivers[i], strlen(drivers[i]));
		ret->is_net = true;
		if (colon && !match(":%*queue_%d", colon, end, ret) &&
			!equals(colon, end, ":default_queue"))
			ret->role = TA_IRQ_OTHER;
		else if (colon)
			ret->role = TA_IRQ_COMBINED;
		return true;
	}
	return false;
}

static bool parse_form(const struct form *form, const char *s, const char *end, struct ta_irq_name *ret)
{
	if (!match(form->text, s, end, ret))
		return false;
	ret->role = form->role;
	ret->is_net = form->is_net;
	if (ret->role == TA_IRQ_OTHER || ret->role == TA_IRQ_UNKNOWN)
		ret->queue = -1;
	return true;
}

static bool parse_forms(const char *s, const char *end, struct ta_irq_name *ret)
{
	for (size_t i = 0; i < TA_ARRAY_SIZE(driver_forms); i++) {
		if (!parse_form(&driver_forms[i].form, s, end, ret))
			continue;
		copy(ret->driver, sizeof(ret->driver), driver_forms[i].driver, strlen(driver_forms[i].driver));
		return true;
	}
	for (size_t i = 0; i < TA_ARRAY_SIZE(forms); i++)
		if (parse_form(&forms[i], s, end, ret))
			return true;
	return false;
}

void ta_irq_name_parse(const char *text, size_t len, struct ta_irq_name *ret)
{
	const char *s = text, *end = text + TA_MIN(len, (size_t)255);
	bool prefixed = false;

	*ret = (struct ta_irq_name){.queue = -1};
	for (size_t i = 0; i < TA_ARRAY_SIZE(prefixes) && !prefixed; i++) {
		prefixed = starts_with(s, end, prefixes[i]);
		s += prefixed ? strlen(prefixes[i]) : 0;
	}
	if (prefixed && match("%p:%*", s, end, ret)) {
		ret->role = TA_IRQ_OTHER;
		ret->is_net = true;
		return;
	}
	if (parse_driver(s, end, ret) || parse_forms(s, end, ret))
		return;
	if (can_be_ifname(s, (size_t)(end - s)))
		copy(ret->ifname, sizeof(ret->ifname), s, (size_t)(end - s));
}

/* biosdevname(1): "p2p1", "p2p1_0". */
static bool is_slot_and_port(const char *name)
{
	size_t slot = name[0] == 'p' ? strspn(name + 1, "0123456789") : 0;

	return slot && slot <= 3 && name[1 + slot] == 'p' && ta_is_digit(name[2 + slot]);
}

bool ta_looks_like_ifname(const char *name)
{
	/* systemd.net-naming-scheme(7) and the kernel's templates; all but enx… go on with a
	 * number. */
	static const char *const starts[] = {"eth", "eno", "ens", "enp", "enP", "em", "wlan", "wlp",
		"wlP", "wlo", "wls", "wwan", "ib", "ibp", "ibs", "usb", "lan", "wan", "net", "vif",
		"end", "sfp", "swp", "mgmt", "rename"};

	if (strncmp(name, "enx", 3) == 0 || strncmp(name, "wlx", 3) == 0)
		return strspn(name + 3, "0123456789abcdef") == 12;
	if (is_slot_and_port(name) || strcmp(name, "wan") == 0 || strcmp(name, "lan") == 0)
		return true;
	for (size_t i = 0; i < TA_ARRAY_SIZE(starts); i++) {
		size_t len = strlen(starts[i]);

		if (strncmp(name, starts[i], len) == 0 && ta_is_digit(name[len]))
			return true;
	}
	return false;
}

const char *ta_irq_role_name(enum ta_irq_role role)
{
	static const char *const names[] = {
		[TA_IRQ_RX] = "rx",
		[TA_IRQ_TX] = "tx",
		[TA_IRQ_COMBINED] = "combined",
		[TA_IRQ_IO] = "io",
		[TA_IRQ_OTHER] = "other",
	};

	return names[role];
}
