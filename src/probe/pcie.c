/*
 * The PCIe link of a function, now and at best (drivers/pci/pci-sysfs.c).
 */
#include "probe/pcie.h"

#include <errno.h>
#include <string.h>

#include "base/num.h"
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
}
