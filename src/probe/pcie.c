/*
 * The PCIe link of a function, now and at best (drivers/pci/pci-sysfs.c), the
 * states of rest that it may fall into (drivers/pci/pcie/aspm.c, since 5.5),
 * and what stands between the function and memory (drivers/iommu/iommu.c).
 */
#include "probe/pcie.h"

#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "probe/nicdev.h"
#include "probe/probe.h"
#include "probe/value.h"

/* "8.0 GT/s PCIe", "2.5 GT/s", "Unknown": in MT/s. */
static struct ta_val read_pcie_speed(struct ta_host *h, const char *file)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = ta_text_read(h, file, &text);
	uint64_t whole = 0, tenths = 0;
	const char *s;

	if (rc < 0)
		return (struct ta_val){.rc = rc};
	s = ta_buf_text(&text);
	if (*s < '0' || *s > '9')
		return (struct ta_val){.rc = -EOPNOTSUPP};
	for (; ta_is_digit(*s) && whole < 10000; s++)
		whole = whole * 10 + (uint64_t)(*s - '0');
	if (s[0] == '.' && ta_is_digit(s[1])) {
		tenths = (uint64_t)(s[1] - '0');
		s += 2;
	}
	if (strncmp(s, " GT/s", 5) != 0)
		return (struct ta_val){.rc = -EBADMSG};
	return (struct ta_val){.v = (int64_t)(whole * 1000 + tenths * 100)};
}

/*
 * The directory is there for every function of a kernel that can control ASPM; a file in it only for states that both
 * ends of the link have, and for none where the firmware kept the control to itself.
 */
static void put_aspm(struct ta_host *h, struct ta_facts *f, const char *dir, const char *collection, const char *name)
{
	static const struct {
		const char *file, *state;
	} rows[] = {{"l0s_aspm", "l0s"}, {"l1_aspm", "l1"}, {"l1_1_aspm", "l1.1"}, {"l1_2_aspm", "l1.2"}};
	ta_cleanup_strv struct ta_strv there = TA_STRV_INIT, on = TA_STRV_INIT;
	size_t known = 0;
	char file[512];
	int rc = ta_host_list(h, ta_fmt(&file, "%s/link", dir), &there);

	for (size_t i = 0; rc == 0 && there.n && i < TA_ARRAY_SIZE(rows); i++) {
		struct ta_val val = ta_val_read(h, ta_fmt(&file, "%s/link/%s", dir, rows[i].file));

		known += val.rc == 0;
		if (val.rc == 0 && val.v)
			ta_strv_add(&on, rows[i].state);
		if (val.rc < 0 && val.rc != -ENOENT)
			rc = val.rc;
	}
	if (rc < 0)
		ta_put_errno(f, rc, file, collection, name, "pcie", "aspm");
	else if (!known)
		ta_facts_put_absent(f, TA_KEYS(collection, name, "pcie", "aspm"), TA_UNSUPPORTED,
			"the kernel controls no resting state of this link");
	else
		ta_facts_put_strs(f, TA_KEYS(collection, name, "pcie", "aspm"), on.v, on.n);
}

void ta_pcie_put(struct ta_host *h, struct ta_facts *f, const char *dir, const char *collection,
	const char *name)
{
	static const struct {
		const char *file, *key;
		bool speed;
	} rows[] = {
		{"current_link_speed", "speed_mts", true},
		{"current_link_width", "width", false},
		{"max_link_speed", "max_speed_mts", true},
		{"max_link_width", "max_width", false},
	};
	char file[512];

	for (size_t i = 0; i < TA_ARRAY_SIZE(rows); i++) {
		struct ta_val val;

		ta_fmt(&file, "%s/%s", dir, rows[i].file);
		val = rows[i].speed ? read_pcie_speed(h, file) : ta_val_read(h, file);
		/* Conventional PCI and virtual functions have no link of their own. */
		if (val.rc == -ENOENT && i == 0) {
			ta_facts_put_absent(f, TA_KEYS(collection, name, "pcie"), TA_MISSING,
				"no PCIe link in %s", dir);
			return;
		}
		if (val.rc == 0 && (val.v <= 0 || val.v == 255))
			val.rc = -EOPNOTSUPP;
		ta_put_val(f, TA_KEYS(collection, name, "pcie", rows[i].key), val, file);
	}
	put_aspm(h, f, dir, collection, name);
}

void ta_iommu_put(struct ta_host *h, struct ta_facts *f, const char *dir, const char *collection, const char *name)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	char file[512];
	int rc = ta_host_readlink(h, ta_fmt(&file, "%s/iommu_group", dir), &text);

	if (rc == -ENOENT && ta_host_is_whole(h)) {
		ta_put_str(f, "none", collection, name, "iommu");
		return;
	}
	if (rc == 0) {
		ta_fmt(&file, "/sys/kernel/iommu_groups/%s/type", ta_last_component(ta_buf_text(&text)));
		rc = ta_text_read(h, file, &text);
	}
	if (rc < 0)
		ta_put_errno(f, rc, file, collection, name, "iommu");
	else
		ta_put_str(f, ta_buf_text(&text), collection, name, "iommu");
}
