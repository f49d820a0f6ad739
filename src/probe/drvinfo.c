#include "probe/drvinfo.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "probe/ethtool.h"
#include "nic/abi.h"

enum { FIELD_BYTES = 32, DRVINFO_BYTES = 196 }; /* struct ethtool_drvinfo */

/* "N/A" is what the kernel puts for drivers that say nothing. */
static void copy(char (*ret)[64], const char *text, size_t len)
{
	snprintf(*ret, sizeof(*ret), "%.*s", (int)len, text);
	if (strcmp(*ret, "N/A") == 0)
		(*ret)[0] = '\0';
}

void ta_drvinfo_parse_text(const char *text, struct ta_drvinfo *ret)
{
	const struct {
		const char *key;
		char (*to)[64];
	} rows[] = {
		{"driver: ", &ret->driver},
		{"version: ", &ret->version},
		{"firmware-version: ", &ret->firmware},
		{"bus-info: ", &ret->bus},
	};

	memset(ret, 0, sizeof(*ret));
	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\r\n");

		for (size_t i = 0; i < TA_ARRAY_SIZE(rows); i++) {
			size_t key = strlen(rows[i].key);

			if (len > key && strncmp(line, rows[i].key, key) == 0)
				copy(rows[i].to, line + key, len - key);
		}
		line += len;
		line += strspn(line, "\r\n");
	}
}

int ta_drvinfo_read(struct ta_host *h, const char *ifname, struct ta_drvinfo *ret)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	char data[DRVINFO_BYTES] = {0};
	uint32_t command = TA_ETHTOOL_GDRVINFO;
	char(*to[])[64] = {&ret->driver, &ret->version, &ret->firmware, &ret->bus};
	int rc;

	memset(ret, 0, sizeof(*ret));
	memcpy(data, &command, sizeof(command));
	rc = ta_host_ethtool(h, ifname, data, sizeof(data));
	for (size_t i = 0; i < TA_ARRAY_SIZE(to) && rc == 0; i++) {
		const char *field = data + sizeof(command) + i * FIELD_BYTES;

		copy(to[i], field, strnlen(field, FIELD_BYTES));
	}
	if (rc != -ENODATA || ta_host_is_live(h))
		return rc;
	if (ta_eth_text(h, ifname, "-i", &text) < 0)
		return rc;
	ta_drvinfo_parse_text(ta_buf_text(&text), ret);
	return 0;
}
